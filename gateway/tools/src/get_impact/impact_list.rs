//! The affected entities of one walk, and a cache of them: a list of thousands is read page by page, and no page walks again.

use std::{
    collections::{BTreeSet, VecDeque},
    sync::{Arc, Mutex, PoisonError},
};

use federation::{
    nodes::NodeRef,
    plan::Plan,
    repo_idx::RepoIdx,
    walk::{
        Neighbourhood,
        tiers::{self, ImpactHit},
    },
};

/// Maximum number of affected entities of all cached lists. One takes some 400 bytes.
const MAX_CACHED_HITS: usize = 200_000;

/// Minimum number of affected entities of a cached list. The walk to fewer takes no longer than a page.
const MIN_CACHED_HITS: usize = 50;

/// The affected entities of one walk, in the order of the answer.
#[derive(Debug)]
pub(super) struct ImpactList {
    pub(super) hits: Vec<ImpactHit>,
    /// A hash of the hits and their order. A cursor is valid for one list only.
    pub(super) hash: blake3::Hash,
    /// The methods that the target overrides or implements.
    pub(super) declarations: BTreeSet<NodeRef>,
    /// The repositories that the walk reached.
    pub(super) reached: BTreeSet<RepoIdx>,
    /// Number of edges beyond the limits of the walk.
    pub(super) n_omitted: u64,
    /// Number of edges to direct users beyond the limits.
    pub(super) n_direct_omitted: u64,
    /// True if nodes were dropped or not expanded because of the limits.
    pub(super) is_cut: bool,
    /// A remark about the roots of the walk.
    pub(super) note: Option<String>,
}

impl ImpactList {
    /// Returns the users of a definition, those of production code and of tests in turn.
    pub(super) fn in_turn(plan: &Plan, found: Neighbourhood, roots: &[NodeRef], note: Option<String>) -> ImpactList {
        let hits = tiers::in_turn(tiers::hits(&found, roots));
        ImpactList::new(plan, found, hits, note)
    }

    /// Returns the users of a contract, the direct ones first.
    pub(super) fn by_distance(plan: &Plan, found: Neighbourhood, roots: &[NodeRef]) -> ImpactList {
        let hits = tiers::hits(&found, roots);
        ImpactList::new(plan, found, hits, None)
    }

    fn new(plan: &Plan, found: Neighbourhood, hits: Vec<ImpactHit>, note: Option<String>) -> ImpactList {
        ImpactList {
            hash: hash(plan, &hits),
            hits,
            reached: found.nodes.keys().map(|at| at.repo_idx).collect(),
            declarations: found.declarations,
            n_omitted: found.n_omitted,
            n_direct_omitted: found.n_direct_omitted,
            is_cut: found.is_cut,
            note,
        }
    }
}

fn hash(plan: &Plan, hits: &[ImpactHit]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    for hit in hits {
        let repository = plan.repository(hit.at.repo_idx);
        hasher.update(&repository.id.0);
        hasher.update(repository.advertised.generation.as_bytes());
        hasher.update(&hit.at.node.to_le_bytes());
        hasher.update(&hit.hops.to_le_bytes());
        hasher.update(&(hit.lines.len() as u64).to_le_bytes());
    }
    hasher.finalize()
}

/// A hash of the caller, the arguments, the target, and the generations of all readable repositories.
pub(super) type ImpactListKey = [u8; 32];

/// The lists that were read last. A list is a function of its key, so that an evicted one is only walked again.
#[derive(Debug, Default)]
pub(crate) struct ImpactListCache(Mutex<VecDeque<(ImpactListKey, Arc<ImpactList>)>>);

impl ImpactListCache {
    /// Returns a list, and marks it as used.
    pub(super) fn get(&self, key: &ImpactListKey) -> Option<Arc<ImpactList>> {
        let mut lists = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = lists.iter().position(|(other, _)| other == key)?;
        let found = lists.remove(at)?;
        let list = Arc::clone(&found.1);
        lists.push_back(found);
        Some(list)
    }

    /// Stores a list of moderate length in the place of those that were not used for the longest time.
    pub(super) fn put(&self, key: ImpactListKey, list: &Arc<ImpactList>) {
        if !(MIN_CACHED_HITS..=MAX_CACHED_HITS).contains(&list.hits.len()) {
            return;
        }
        let mut lists = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lists.retain(|(other, _)| *other != key);
        lists.push_back((key, Arc::clone(list)));
        while lists.iter().map(|(_, list)| list.hits.len()).sum::<usize>() > MAX_CACHED_HITS {
            lists.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use federation::walk::{Relation, WalkEdge};
    use proto::v1;

    fn list(n_hits: usize) -> Arc<ImpactList> {
        let at = |node| NodeRef { repo_idx: RepoIdx(0), node };
        let edge = WalkEdge {
            from: at(1),
            to: at(0),
            relation: Relation::Within(v1::EdgeKind::Calls),
            resolution: String::new(),
            confidence: 1.0,
            line: 1,
            lines: vec![1],
            sites: 1,
            through: None,
            evidence: None,
            further_evidence: Vec::new(),
        };
        let found = Neighbourhood {
            nodes: [(at(0), Default::default()), (at(1), federation::walk::WalkNode { hops: 1, node: None })].into(),
            edges: vec![edge],
            ..Neighbourhood::default()
        };
        let hit = tiers::hits(&found, &[at(0)]).remove(0);
        Arc::new(ImpactList {
            hits: vec![hit; n_hits],
            hash: blake3::hash(&[]),
            declarations: BTreeSet::new(),
            reached: BTreeSet::new(),
            n_omitted: 0,
            n_direct_omitted: 0,
            is_cut: false,
            note: None,
        })
    }

    #[test]
    fn the_least_recently_used_list_is_evicted() {
        let (cache, half) = (ImpactListCache::default(), list(MAX_CACHED_HITS / 2));
        cache.put([1; 32], &half);
        cache.put([2; 32], &half);
        assert!(cache.get(&[1; 32]).is_some());
        cache.put([3; 32], &list(MIN_CACHED_HITS));
        assert!(cache.get(&[2; 32]).is_none() && cache.get(&[1; 32]).is_some() && cache.get(&[3; 32]).is_some());
        for n_hits in [MIN_CACHED_HITS - 1, MAX_CACHED_HITS + 1] {
            cache.put([4; 32], &list(n_hits));
            assert!(cache.get(&[4; 32]).is_none() && cache.get(&[1; 32]).is_some());
        }
    }
}
