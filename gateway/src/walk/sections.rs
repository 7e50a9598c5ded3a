//! What a node is to the root: who calls it, what it calls, and what else has to do with it.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use serde::Serialize;

use super::{Edge, Neighbourhood, Relation, rank::Ranked};
use crate::nodes::At;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Section {
    Callers,
    Callees,
    Related,
}

/// A ranked node, and how it hangs together with the root.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placed<'a> {
    pub(crate) ranked: Ranked,
    pub(crate) section: Section,
    /// The edge by which it is nearest to the root.
    pub(crate) edge: Option<&'a Edge>,
}

/// Nodes with the steps to them, and the edge of the last one.
type Reached<'a> = HashMap<At, (u32, &'a Edge)>;

/// Says of every ranked node what it is to the root, in the same order.
///
/// Callers are those from whom calls, references and links lead to the root, be it over others; callees those to whom
/// calls lead from it. What a type or file defines belongs to it: who calls a method calls the type. Tests are related:
/// they call, but nobody depends on them.
pub(crate) fn place<'a>(found: &'a Neighbourhood, roots: &[At], ranked: &[Ranked]) -> Vec<Placed<'a>> {
    let (up, down) = ways(found, roots);
    let nearest = nearest(found);
    let placed = |ranked: &Ranked| {
        let at = ranked.at;
        let is_test = found.nodes.get(&at).and_then(|met| met.node.as_ref()).is_some_and(|node| node.is_test);
        let (above, below) = (up.get(&at), down.get(&at));
        let (section, edge) = match (above, below) {
            _ if is_test => (Section::Related, nearest.get(&at).copied()),
            (Some((n_up, edge)), Some((n_down, _))) if n_up <= n_down => (Section::Callers, Some(*edge)),
            (_, Some((_, edge))) => (Section::Callees, Some(*edge)),
            (Some((_, edge)), None) => (Section::Callers, Some(*edge)),
            (None, None) => (Section::Related, nearest.get(&at).copied()),
        };
        Placed { ranked: *ranked, section, edge }
    };
    ranked.iter().map(placed).collect()
}

/// Returns what uses the roots or is used by them, be it over others.
pub(super) fn on_the_way(found: &Neighbourhood, roots: &[At]) -> BTreeSet<At> {
    let (up, down) = ways(found, roots);
    up.into_keys().chain(down.into_keys()).collect()
}

/// Returns what is reached from the roots against the direction of uses, and along that of calls.
fn ways<'a>(found: &'a Neighbourhood, roots: &[At]) -> (Reached<'a>, Reached<'a>) {
    let is_use = |edge: &Edge| {
        edge.relation.is_call() || matches!(edge.relation, Relation::Within(proto::v1::EdgeKind::References))
    };
    let sources = with_members(found, roots);
    let up = reached(found, &sources, |edge| is_use(edge).then_some((edge.to, edge.from)));
    let down = reached(found, &sources, |edge| edge.relation.is_call().then_some((edge.from, edge.to)));
    (up, down)
}

/// Returns the roots and what they define.
fn with_members(found: &Neighbourhood, roots: &[At]) -> Vec<At> {
    let is_member =
        |edge: &&Edge| edge.relation == Relation::Within(proto::v1::EdgeKind::Defines) && roots.contains(&edge.from);
    let members = found.edges.iter().filter(is_member).map(|edge| edge.to);
    roots.iter().copied().chain(members).collect()
}

/// Returns what is reached from the roots along edges in one direction: in how many steps, and by which edge.
fn reached<'a>(found: &'a Neighbourhood, sources: &[At], step: impl Fn(&Edge) -> Option<(At, At)>) -> Reached<'a> {
    let mut next: BTreeMap<At, Vec<(At, &Edge)>> = BTreeMap::new();
    for edge in &found.edges {
        if let Some((here, there)) = step(edge) {
            next.entry(here).or_default().push((there, edge));
        }
    }
    let mut reached: Reached<'_> = HashMap::new();
    let mut queue: VecDeque<(At, u32)> = sources.iter().map(|source| (*source, 0)).collect();
    while let Some((here, n_steps)) = queue.pop_front() {
        for (there, edge) in next.get(&here).into_iter().flatten() {
            if sources.contains(there) || reached.contains_key(there) {
                continue;
            }
            reached.insert(*there, (n_steps + 1, edge));
            queue.push_back((*there, n_steps + 1));
        }
    }
    reached
}

/// Returns for each node the surest edge to a node that is nearer to the root.
fn nearest(found: &Neighbourhood) -> HashMap<At, &Edge> {
    let hops = |at: &At| found.nodes.get(at).map_or(u32::MAX, |met| met.hops);
    let mut nearest: HashMap<At, &Edge> = HashMap::new();
    for edge in &found.edges {
        for (at, other) in [(edge.from, edge.to), (edge.to, edge.from)] {
            if hops(&other) >= hops(&at) {
                continue;
            }
            let better = |known: &&Edge| known.confidence >= edge.confidence;
            if !nearest.get(&at).is_some_and(better) {
                nearest.insert(at, edge);
            }
        }
    }
    nearest
}
