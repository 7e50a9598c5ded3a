//! Impact tiers: the affected nodes with their distance and confidence.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use proto::v1::EdgeKind;
use serde::Serialize;

use super::{Neighbourhood, Relation, WalkEdge};
use crate::nodes::NodeRef;

/// The distance of an affected node from the roots, as a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ImpactTier {
    /// A direct user.
    Direct,
    /// A user of a direct user.
    Indirect,
    /// Any other user.
    Peripheral,
}

/// An affected node.
#[derive(Debug, Clone)]
pub struct ImpactHit {
    /// The node, which is no root.
    pub at: NodeRef,
    /// By `hops`: 1, 2 or more.
    pub tier: ImpactTier,
    /// The distance from the nearest root, in edges.
    pub hops: u32,
    /// True for a node of a test file, and for one whose `edge` is a test edge.
    pub is_test: bool,
    /// The product of the confidences along the most confident shortest path, in (0, 1].
    pub confidence: f64,
    /// The last edge of that path.
    pub edge: WalkEdge,
    /// The lines of all its uses of the nodes that it is affected by, ascending. For one that is affected through others, those of `edge`
    /// that are known.
    pub lines: Vec<u32>,
    /// Number of these uses.
    pub n_sites: u32,
    importance: f32,
}

impl ImpactHit {
    /// Returns the node and its predecessor on the path.
    pub fn nodes(&self) -> [NodeRef; 2] {
        [self.at, self.over()]
    }

    /// Returns the predecessor on the path, which is one hop nearer to a root.
    pub fn over(&self) -> NodeRef {
        match self.edge.through {
            Some(declaration) => declaration,
            None if self.edge.from == self.at => self.edge.to,
            None => self.edge.from,
        }
    }
}

/// Returns the affected nodes: direct users, then tests, then indirect users; each by descending confidence. The first root is the target.
pub fn hits(found: &Neighbourhood, roots: &[NodeRef]) -> Vec<ImpactHit> {
    let hops = |at: &NodeRef| found.nodes.get(at).map_or(u32::MAX, |met| met.hops);
    let mut inward: HashMap<NodeRef, Vec<&WalkEdge>> = HashMap::new();
    for edge in &found.edges {
        for (at, over) in [(edge.from, edge.to), (edge.to, edge.from)] {
            // A direct user may use an indirect one in its turn, which affects nothing.
            let depends = at == edge.from || edge.is_bidirectional();
            if depends && hops(&over).checked_add(edge.length()) == Some(hops(&at)) {
                inward.entry(at).or_default().push(edge);
            }
        }
    }
    let mut by_hops: Vec<(NodeRef, u32)> = found.nodes.iter().map(|(at, met)| (*at, met.hops)).collect();
    by_hops.sort_by_key(|(at, hops)| (*hops, *at));
    let mut sureness: BTreeMap<NodeRef, f64> = roots.iter().map(|root| (*root, 1.0)).collect();
    let mut hits: Vec<ImpactHit> = Vec::new();
    for (at, hops) in by_hops.into_iter().filter(|(at, _)| !roots.contains(at)) {
        let mut best: Option<(f64, usize, &WalkEdge)> = None;
        for edge in inward.get(&at).into_iter().flatten() {
            let over = if edge.from == at { edge.to } else { edge.from };
            let sure = sureness.get(&over).copied().unwrap_or_default() * f64::from(edge.confidence);
            let root = roots.iter().position(|root| *root == over).unwrap_or(usize::MAX);
            // Of equal edges, the one to the target itself is shown, rather than one to the type that it is a part of.
            if best.is_none_or(|(known, known_root, _)| sure > known || (sure == known && root < known_root)) {
                best = Some((sure, root, edge));
            }
        }
        let Some((confidence, _, edge)) = best else { continue };
        sureness.insert(at, confidence);
        let node = found.nodes[&at].node.as_ref();
        let UseSites { lines, n_sites } = use_sites(inward.get(&at).into_iter().flatten());
        hits.push(ImpactHit {
            at,
            tier: tier(hops),
            hops,
            is_test: node.is_some_and(|node| node.is_test) || edge.relation == Relation::Within(EdgeKind::Tests),
            confidence,
            edge: edge.clone(),
            lines,
            n_sites,
            importance: node.map_or(0.0, |node| node.importance),
        });
    }
    hits.sort_by(|a, b| {
        let group = |hit: &ImpactHit| (hit.tier > ImpactTier::Direct && !hit.is_test, hit.is_test, hit.tier);
        let by_sureness = b.confidence.total_cmp(&a.confidence).then(b.importance.total_cmp(&a.importance));
        group(a).cmp(&group(b)).then(by_sureness).then(a.at.cmp(&b.at))
    });
    hits
}

/// The uses of a user.
struct UseSites {
    lines: Vec<u32>,
    n_sites: u32,
}

/// Joins the uses of some edges. An edge of a test repeats a call or a reference.
fn use_sites<'a>(edges: impl Iterator<Item = &'a &'a WalkEdge> + Clone) -> UseSites {
    let is_test = |edge: &&&WalkEdge| edge.relation == Relation::Within(EdgeKind::Tests);
    let lines = edges.clone().flat_map(|edge| edge.lines.iter().copied());
    let lines: BTreeSet<u32> = lines.filter(|line| *line > 0).collect();
    let n_uses: u32 = edges.clone().filter(|edge| !is_test(edge)).map(|edge| edge.sites).sum();
    let n_tested: u32 = edges.filter(is_test).map(|edge| edge.sites).sum();
    UseSites { lines: lines.into_iter().collect(), n_sites: if n_uses > 0 { n_uses } else { n_tested } }
}

/// Number of direct users per round; each other list contributes one hit.
const DIRECT_OF_A_ROUND: usize = 3;

/// Interleaves the lists round by round, so that no list uses up the whole budget.
pub fn in_turn(hits: Vec<ImpactHit>) -> Vec<ImpactHit> {
    let list = |hit: &ImpactHit| match (hit.is_test, hit.tier) {
        (true, _) => 1,
        (false, ImpactTier::Direct) => 0,
        (false, ImpactTier::Indirect) => 2,
        (false, ImpactTier::Peripheral) => 3,
    };
    let mut places = [0_usize; 4];
    let mut rounds: Vec<(usize, usize, ImpactHit)> = Vec::new();
    for hit in hits {
        let list = list(&hit);
        let round = places[list] / if list == 0 { DIRECT_OF_A_ROUND } else { 1 };
        places[list] += 1;
        rounds.push((round, list, hit));
    }
    rounds.sort_by_key(|(round, list, _)| (*round, *list));
    rounds.into_iter().map(|(_, _, hit)| hit).collect()
}

fn tier(hops: u32) -> ImpactTier {
    match hops {
        0 | 1 => ImpactTier::Direct,
        2 => ImpactTier::Indirect,
        _ => ImpactTier::Peripheral,
    }
}

#[cfg(test)]
mod tests {
    use super::{super::WalkNode, *};
    use crate::repo_idx::RepoIdx;

    fn at(node: u32) -> NodeRef {
        NodeRef { repo_idx: RepoIdx(0), node }
    }

    fn call(from: u32, to: u32, line: u32) -> WalkEdge {
        WalkEdge {
            from: at(from),
            to: at(to),
            relation: Relation::Within(EdgeKind::Calls),
            resolution: String::new(),
            confidence: 1.0,
            line,
            lines: vec![line],
            sites: 1,
            through: None,
            evidence: None,
            further_evidence: Vec::new(),
        }
    }

    #[test]
    fn only_a_user_is_affected() {
        let (direct, indirect) = (1, 2);
        let hops = [(0, 0), (direct, 1), (indirect, 2)];
        let use_of_user = call(direct, indirect, 9);
        let served = WalkEdge { relation: Relation::Across(links::ContractKind::Grpc, true), ..use_of_user.clone() };
        for (circular, expected) in [(use_of_user, vec![5]), (served, vec![5, 9])] {
            let found = Neighbourhood {
                nodes: hops.map(|(node, hops)| (at(node), WalkNode { hops, node: None })).into(),
                edges: vec![circular, call(direct, 0, 1), call(indirect, direct, 5)],
                ..Neighbourhood::default()
            };
            let hits = hits(&found, &[at(0)]);
            let lines: Vec<&[u32]> = hits.iter().map(|hit| hit.lines.as_slice()).collect();
            assert_eq!(lines, [&[1][..], &expected]);
        }
    }

    #[test]
    fn lists_are_interleaved() {
        let edge = call(0, 1, 1);
        let of = |node, tier, is_test| ImpactHit {
            at: at(node),
            tier,
            hops: 1,
            is_test,
            confidence: 1.0,
            edge: edge.clone(),
            lines: vec![1],
            n_sites: 1,
            importance: 0.0,
        };
        let direct = (0..5).map(|node| of(node, ImpactTier::Direct, false));
        let tests = (10..12).map(|node| of(node, ImpactTier::Direct, true));
        let further = [
            of(20, ImpactTier::Indirect, false),
            of(30, ImpactTier::Peripheral, false),
            of(31, ImpactTier::Peripheral, false),
        ];
        let order = in_turn(direct.chain(further).chain(tests).collect());
        let order: Vec<u32> = order.iter().map(|hit| hit.at.node).collect();
        assert_eq!(order, [0, 1, 2, 10, 20, 30, 3, 4, 11, 31]);
    }
}
