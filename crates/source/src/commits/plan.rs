//! Plans a walk: selects its commits and their order.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashSet},
};

use gix::ObjectId;
use model::{Extent, Newest};
use rustc_hash::{FxHashMap, FxHashSet};

use super::WalkBounds;

/// Part of the hash of a [`WalkBasis`]. Raise it if walks return different facts of the same commits: all walks start over.
const VERSION: &[u8] = b"walk 1";

/// Number of old commits that are visited after the last new one. The search is ordered by commit date. If a date is wrong,
/// a commit that seemed new may turn out to be an ancestor of an old one.
const SLACK: usize = 1_000;

/// Maximum size in bytes of a `.mailmap`; a thousand times those of large projects.
const MAX_MAILMAP_BYTES: u64 = 16 * 1024 * 1024;

/// The inputs of a walk besides its tip. If they change, a walk cannot be continued.
pub(super) struct WalkBasis {
    pub(super) mailmap: gix::mailmap::Snapshot,
    pub(super) hash: [u8; 16],
    /// Commits whose parents a shallow clone lacks.
    shallow: HashSet<ObjectId>,
}

/// The commits to read, in the order of the walk.
pub(super) struct WalkPlan {
    pub(super) steps: Vec<CommitStep>,
    pub(super) extent: Extent,
    pub(super) is_continued: bool,
}

/// One commit, and the tree that it is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CommitStep {
    pub(super) id: ObjectId,
    pub(super) is_merge: bool,
    pub(super) diff_base: DiffBase,
}

/// The base of the changes of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DiffBase {
    Parent(ObjectId),
    /// The empty tree: all files of the first commit are new.
    Empty,
    /// Not compared, since the parent is missing, or since the commit merges into a side branch.
    Unknown,
}

impl WalkBasis {
    pub(super) fn new(repository: &gix::Repository, tip: ObjectId, bounds: WalkBounds) -> WalkBasis {
        let mailmap = mailmap(repository, tip).unwrap_or_default();
        let shallow = repository.shallow_commits().ok().flatten();
        let shallow: Vec<ObjectId> = shallow.iter().flat_map(|commits| commits.iter().copied()).collect();
        let mut hasher = blake3::Hasher::new();
        hasher.update(VERSION).update(&bounds.max_commits.to_le_bytes()).update(&bounds.max_age.to_le_bytes());
        hasher.update(blake3::hash(&mailmap).as_bytes());
        shallow.iter().for_each(|id| {
            hasher.update(id.as_bytes());
        });
        let mut hash = [0; 16];
        hash.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        WalkBasis {
            mailmap: gix::mailmap::Snapshot::from_bytes(&mailmap),
            hash,
            shallow: shallow.into_iter().collect(),
        }
    }
}

fn mailmap(repository: &gix::Repository, tip: ObjectId) -> Option<Vec<u8>> {
    let tree = repository.find_commit(tip).ok()?.tree().ok()?;
    let entry = tree.iter().filter_map(Result::ok).find(|entry| entry.filename() == ".mailmap")?;
    let is_small = repository.try_find_header(entry.object_id()).ok()??.size() <= MAX_MAILMAP_BYTES;
    let blob = entry.kind() == gix::objs::tree::EntryKind::Blob && is_small;
    blob.then(|| repository.find_blob(entry.object_id()).ok().map(|mut blob| blob.take_data()))?
}

/// Plans the walk to `tip`, as a continuation from `since` if possible.
pub(super) fn plan_walk(
    repository: &gix::Repository,
    basis: &WalkBasis,
    tip: ObjectId,
    since: Option<ObjectId>,
    bounds: WalkBounds,
) -> WalkPlan {
    if let Some(since) = since
        && let Some(steps) = plan_continuation(repository, basis, tip, since, bounds)
    {
        return WalkPlan { steps, extent: Extent::Whole, is_continued: true };
    }
    let reached = CommitSearch::new(repository, basis).run(tip, None, bounds.max_commits);
    let (mut steps, _) = reached.steps(tip, None);
    let newest: Newest = steps.iter().map(|step| reached.nodes[&step.id].time).collect();
    let oldest = newest.get().unwrap_or(0).saturating_sub(bounds.max_age);
    let n_too_old = steps.iter().take_while(|step| reached.nodes[&step.id].time < oldest).count();
    steps.drain(..n_too_old);
    let extent = match () {
        () if reached.is_bounded || n_too_old > 0 => Extent::Bounded,
        () if reached.is_cut => Extent::Shallow,
        () => Extent::Whole,
    };
    WalkPlan { steps, extent, is_continued: false }
}

/// Plans a walk that continues from `since`. Returns none if `since` is not on the first-parent line of `tip`.
fn plan_continuation(
    repository: &gix::Repository,
    basis: &WalkBasis,
    tip: ObjectId,
    since: ObjectId,
    bounds: WalkBounds,
) -> Option<Vec<CommitStep>> {
    if tip == since {
        return Some(Vec::new());
    }
    let reached = CommitSearch::new(repository, basis).run(tip, Some(since), bounds.max_commits);
    let (steps, reaches_since) = reached.steps(tip, Some(since));
    (reaches_since && !reached.is_bounded).then_some(steps)
}

/// The commits that a search visited.
struct CommitGraph {
    nodes: FxHashMap<ObjectId, CommitNode>,
    /// The search stopped at the maximum number of commits.
    is_bounded: bool,
    /// Some commits have missing parents.
    is_cut: bool,
}

struct CommitNode {
    parents: Vec<ObjectId>,
    /// Its parents are missing, so its tree cannot be compared.
    is_cut: bool,
    time: i64,
    /// It is `since` or one of its ancestors.
    is_old: bool,
    /// It is in the queue and has not been visited.
    is_open: bool,
}

/// Searches commits, newest first.
struct CommitSearch<'a> {
    repository: &'a gix::Repository,
    basis: &'a WalkBasis,
    reached: CommitGraph,
    queue: BinaryHeap<(i64, Reverse<usize>, ObjectId)>,
    n_open_new: usize,
}

impl<'a> CommitSearch<'a> {
    fn new(repository: &'a gix::Repository, basis: &'a WalkBasis) -> CommitSearch<'a> {
        let reached = CommitGraph { nodes: FxHashMap::default(), is_bounded: false, is_cut: false };
        CommitSearch { repository, basis, reached, queue: BinaryHeap::new(), n_open_new: 0 }
    }

    /// Finds `tip` and its ancestors, except `since` and its ancestors.
    fn run(mut self, tip: ObjectId, since: Option<ObjectId>, max_commits: usize) -> CommitGraph {
        self.open(tip, false);
        since.map(|since| self.open(since, true));
        let (mut n_new, mut n_old, mut slack) = (0, 0, SLACK);
        while let Some((_, _, id)) = self.queue.pop() {
            let Some(node) = self.reached.nodes.get_mut(&id).filter(|node| node.is_open) else { continue };
            if !node.is_old && n_new == max_commits || node.is_old && n_old == max_commits {
                self.reached.is_bounded = true;
                break;
            }
            node.is_open = false;
            let (is_old, parents) = (node.is_old, node.parents.clone());
            if is_old {
                n_old += 1;
                slack = if self.n_open_new > 0 { SLACK } else { slack - 1 };
            } else {
                n_new += 1;
                self.n_open_new -= 1;
            }
            for parent in parents {
                if self.open(parent, is_old) {
                    slack = SLACK;
                }
            }
            if slack == 0 {
                break;
            }
        }
        self.reached
    }

    /// Enqueues a commit unless it was enqueued before. Returns true if it had been classified as new, and is old.
    fn open(&mut self, id: ObjectId, is_old: bool) -> bool {
        let seq = Reverse(self.reached.nodes.len());
        if let Some(node) = self.reached.nodes.get_mut(&id) {
            let was_misclassified = is_old && !node.is_old;
            if was_misclassified {
                self.n_open_new -= usize::from(node.is_open);
                (node.is_old, node.is_open) = (true, true);
                self.queue.push((node.time, seq, id));
            }
            return was_misclassified;
        }
        let Some(node) = self.read(id, is_old) else {
            self.reached.is_cut = true;
            return false;
        };
        self.queue.push((node.time, seq, id));
        self.n_open_new += usize::from(!is_old);
        self.reached.nodes.insert(id, node);
        false
    }

    fn read(&mut self, id: ObjectId, is_old: bool) -> Option<CommitNode> {
        let commit = self.repository.find_commit(id).ok()?;
        let is_cut = self.basis.shallow.contains(&id);
        self.reached.is_cut |= is_cut;
        let parents = if is_cut { Vec::new() } else { commit.parent_ids().map(gix::Id::detach).collect() };
        // An unreadable date counts as 1970. The order of the walk is topological, so it does not depend on dates.
        let time = commit.time().map_or(0, |time| time.seconds);
        Some(CommitNode { parents, is_cut, time, is_old, is_open: true })
    }
}

impl CommitGraph {
    /// Returns true if the walk includes a commit.
    fn is_new(&self, id: &ObjectId) -> bool {
        self.nodes.get(id).is_some_and(|node| !node.is_old && !node.is_open)
    }

    /// Returns the new commits, each after its parents, with the commits of the first parent before those of other parents; and
    /// whether the first-parent line leads to `since`.
    fn steps(&self, tip: ObjectId, since: Option<ObjectId>) -> (Vec<CommitStep>, bool) {
        let mut mainline = FxHashSet::default();
        let mut at = Some(tip);
        // Commits may lead to themselves.
        while let Some(id) = at
            && self.is_new(&id)
            && mainline.insert(id)
        {
            at = self.nodes[&id].parents.first().copied();
        }
        let mut steps = Vec::new();
        let mut seen = FxHashSet::default();
        let mut path = Vec::new();
        if self.is_new(&tip) && seen.insert(tip) {
            path.push((tip, 0));
        }
        while let Some((id, n_done)) = path.last_mut() {
            let node = &self.nodes[id];
            match node.parents.get(*n_done).copied() {
                Some(parent) => {
                    *n_done += 1;
                    if self.is_new(&parent) && seen.insert(parent) {
                        path.push((parent, 0));
                    }
                }
                None => {
                    steps.push(self.step(*id, node, mainline.contains(id)));
                    path.pop();
                }
            }
        }
        (steps, since.is_some() && at == since)
    }

    fn step(&self, id: ObjectId, node: &CommitNode, is_on_mainline: bool) -> CommitStep {
        let is_merge = node.parents.len() > 1;
        let diff_base = match node.parents.first() {
            _ if is_merge && !is_on_mainline => DiffBase::Unknown,
            None if node.is_cut => DiffBase::Unknown,
            None => DiffBase::Empty,
            Some(parent) => DiffBase::Parent(*parent),
        };
        CommitStep { id, is_merge, diff_base }
    }
}
