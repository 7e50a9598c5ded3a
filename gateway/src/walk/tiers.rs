//! Who is affected how directly, and how sure that is.

use std::collections::{BTreeMap, HashMap};

use proto::v1::EdgeKind;
use serde::Serialize;

use super::{Edge, Neighbourhood, Relation};
use crate::nodes::At;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Tier {
    /// Uses it.
    Direct,
    /// Uses what uses it.
    Indirect,
    /// Further away.
    Peripheral,
}

/// A node that is affected.
#[derive(Debug, Clone)]
pub(crate) struct Hit<'a> {
    pub(crate) at: At,
    pub(crate) tier: Tier,
    pub(crate) hops: u32,
    pub(crate) is_test: bool,
    /// The product of the confidences on the surest of the shortest ways, in (0, 1].
    pub(crate) confidence: f64,
    /// The last edge of that way.
    pub(crate) edge: &'a Edge,
    importance: f32,
}

impl Hit<'_> {
    /// Returns the node, and the one over which it is affected.
    pub(crate) fn nodes(&self) -> [At; 2] {
        [self.at, self.over()]
    }

    pub(crate) fn over(&self) -> At {
        if self.edge.from == self.at { self.edge.to } else { self.edge.from }
    }
}

/// Returns everything that is affected: direct users, then tests, then what lies further out; the surest first.
pub(crate) fn hits<'a>(found: &'a Neighbourhood, roots: &[At]) -> Vec<Hit<'a>> {
    let hops = |at: &At| found.nodes.get(at).map_or(u32::MAX, |met| met.hops);
    let mut inward: HashMap<At, Vec<&Edge>> = HashMap::new();
    for edge in &found.edges {
        for (at, over) in [(edge.from, edge.to), (edge.to, edge.from)] {
            if hops(&over).checked_add(1) == Some(hops(&at)) {
                inward.entry(at).or_default().push(edge);
            }
        }
    }
    let mut by_hops: Vec<(At, u32)> = found.nodes.iter().map(|(at, met)| (*at, met.hops)).collect();
    by_hops.sort_by_key(|(at, hops)| (*hops, *at));
    let mut sureness: BTreeMap<At, f64> = roots.iter().map(|root| (*root, 1.0)).collect();
    let mut hits: Vec<Hit<'a>> = Vec::new();
    for (at, hops) in by_hops.into_iter().filter(|(at, _)| !roots.contains(at)) {
        let mut best: Option<(f64, &Edge)> = None;
        for edge in inward.get(&at).into_iter().flatten() {
            let over = if edge.from == at { edge.to } else { edge.from };
            let sure = sureness.get(&over).copied().unwrap_or_default() * f64::from(edge.confidence);
            if best.is_none_or(|(known, _)| sure > known) {
                best = Some((sure, edge));
            }
        }
        let Some((confidence, edge)) = best else { continue };
        sureness.insert(at, confidence);
        let node = found.nodes[&at].node.as_ref();
        hits.push(Hit {
            at,
            tier: tier(hops),
            hops,
            is_test: node.is_some_and(|node| node.is_test) || edge.relation == Relation::Within(EdgeKind::Tests),
            confidence,
            edge,
            importance: node.map_or(0.0, |node| node.importance),
        });
    }
    hits.sort_by(|a, b| {
        let group = |hit: &Hit<'_>| (hit.tier > Tier::Direct && !hit.is_test, hit.is_test, hit.tier);
        let by_sureness = b.confidence.total_cmp(&a.confidence).then(b.importance.total_cmp(&a.importance));
        group(a).cmp(&group(b)).then(by_sureness).then(a.at.cmp(&b.at))
    });
    hits
}

/// How many of a round are what breaks at once; of tests, and of what breaks further out, there is one each.
const DIRECT_OF_A_ROUND: usize = 3;

/// Puts hits in the order in which a budget takes them, so that none of the lists is all of the answer: in rounds, each list in its
/// own order.
pub(crate) fn in_turn(hits: Vec<Hit<'_>>) -> Vec<Hit<'_>> {
    let list = |hit: &Hit<'_>| match (hit.is_test, hit.tier) {
        (true, _) => 1,
        (false, Tier::Direct) => 0,
        (false, Tier::Indirect) => 2,
        (false, Tier::Peripheral) => 3,
    };
    let mut places = [0_usize; 4];
    let mut rounds: Vec<(usize, usize, Hit<'_>)> = Vec::new();
    for hit in hits {
        let list = list(&hit);
        let round = places[list] / if list == 0 { DIRECT_OF_A_ROUND } else { 1 };
        places[list] += 1;
        rounds.push((round, list, hit));
    }
    rounds.sort_by_key(|(round, list, _)| (*round, *list));
    rounds.into_iter().map(|(_, _, hit)| hit).collect()
}

fn tier(hops: u32) -> Tier {
    match hops {
        0 | 1 => Tier::Direct,
        2 => Tier::Indirect,
        _ => Tier::Peripheral,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_list_takes_all_of_a_budget() {
        let at = |node| At { position: 0, node };
        let edge = Edge {
            from: at(0),
            to: at(1),
            relation: Relation::Within(EdgeKind::Calls),
            resolution: String::new(),
            confidence: 1.0,
            line: 1,
            sites: 1,
            evidence: None,
        };
        let of = |node, tier, is_test| Hit {
            at: at(node),
            tier,
            hops: 1,
            is_test,
            confidence: 1.0,
            edge: &edge,
            importance: 0.0,
        };
        let direct = (0..5).map(|node| of(node, Tier::Direct, false));
        let tests = (10..12).map(|node| of(node, Tier::Direct, true));
        let further = [of(20, Tier::Indirect, false), of(30, Tier::Peripheral, false), of(31, Tier::Peripheral, false)];
        let order = in_turn(direct.chain(further).chain(tests).collect());
        let order: Vec<u32> = order.iter().map(|hit| hit.at.node).collect();
        assert_eq!(order, [0, 1, 2, 10, 20, 30, 3, 4, 11, 31]);
    }
}
