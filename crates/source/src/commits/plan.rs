//! Which commits a walk visits, and in which order.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashSet},
};

use gix::ObjectId;
use model::{Extent, Newest};
use rustc_hash::{FxHashMap, FxHashSet};

use super::WalkBounds;

/// Part of the basis of a walk: raise it when walks tell other things of the same commits, and all begin anew.
const VERSION: &[u8] = b"walk 1";

/// Commits already walked that are still looked at once no new one is in sight. Dates order the search, and where they
/// are wrong, one thought new may turn out to be an ancestor of an old one.
const SLACK: usize = 1_000;

/// Bytes up to which a `.mailmap` is read; a thousand times what those of large projects have.
const MAX_MAILMAP_BYTES: u64 = 16 * 1024 * 1024;

/// What a walk depends on besides its tip.
pub(super) struct Ground {
    pub(super) mailmap: gix::mailmap::Snapshot,
    pub(super) basis: [u8; 16],
    /// Commits whose parents a shallow clone left out.
    shallow: HashSet<ObjectId>,
}

/// The commits to read, in the order of a walk.
pub(super) struct Plan {
    pub(super) steps: Vec<Step>,
    pub(super) extent: Extent,
    pub(super) is_continued: bool,
}

/// One commit, and what it is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) id: ObjectId,
    pub(super) is_merge: bool,
    pub(super) against: Against,
}

/// What the changes of a commit are changes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Against {
    Parent(ObjectId),
    /// The first commit: all its files are new.
    Nothing,
    /// Not compared: its parent is missing, or it merges into a side branch.
    Unknown,
}

impl Ground {
    pub(super) fn of(repository: &gix::Repository, tip: ObjectId, bounds: WalkBounds) -> Ground {
        let mailmap = mailmap(repository, tip).unwrap_or_default();
        let shallow = repository.shallow_commits().ok().flatten();
        let shallow: Vec<ObjectId> = shallow.iter().flat_map(|commits| commits.iter().copied()).collect();
        let mut hasher = blake3::Hasher::new();
        hasher.update(VERSION).update(&bounds.max_commits.to_le_bytes()).update(&bounds.max_age.to_le_bytes());
        hasher.update(blake3::hash(&mailmap).as_bytes());
        shallow.iter().for_each(|id| {
            hasher.update(id.as_bytes());
        });
        let mut basis = [0; 16];
        basis.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        Ground { mailmap: gix::mailmap::Snapshot::from_bytes(&mailmap), basis, shallow: shallow.into_iter().collect() }
    }
}

fn mailmap(repository: &gix::Repository, tip: ObjectId) -> Option<Vec<u8>> {
    let tree = repository.find_commit(tip).ok()?.tree().ok()?;
    let entry = tree.iter().filter_map(Result::ok).find(|entry| entry.filename() == ".mailmap")?;
    let is_small = repository.try_find_header(entry.object_id()).ok()??.size() <= MAX_MAILMAP_BYTES;
    let blob = entry.kind() == gix::objs::tree::EntryKind::Blob && is_small;
    blob.then(|| repository.find_blob(entry.object_id()).ok().map(|mut blob| blob.take_data()))?
}

/// Plans the walk to `tip` from `since`, or from the beginning.
pub(super) fn plan(
    repository: &gix::Repository,
    ground: &Ground,
    tip: ObjectId,
    since: Option<ObjectId>,
    bounds: WalkBounds,
) -> Plan {
    if let Some(since) = since
        && let Some(steps) = continued(repository, ground, tip, since, bounds)
    {
        return Plan { steps, extent: Extent::Whole, is_continued: true };
    }
    let reached = Search::new(repository, ground).run(tip, None, bounds.max_commits);
    let (mut steps, _) = reached.in_order(tip, None);
    let newest: Newest = steps.iter().map(|step| reached.nodes[&step.id].time).collect();
    let oldest = newest.get().unwrap_or(0).saturating_sub(bounds.max_age);
    let n_too_old = steps.iter().take_while(|step| reached.nodes[&step.id].time < oldest).count();
    steps.drain(..n_too_old);
    let extent = match () {
        () if reached.is_bounded || n_too_old > 0 => Extent::Bounded,
        () if reached.is_cut => Extent::Shallow,
        () => Extent::Whole,
    };
    Plan { steps, extent, is_continued: false }
}

/// Plans a walk that goes on from `since`, if that lies on the line of first parents of `tip`.
fn continued(
    repository: &gix::Repository,
    ground: &Ground,
    tip: ObjectId,
    since: ObjectId,
    bounds: WalkBounds,
) -> Option<Vec<Step>> {
    if tip == since {
        return Some(Vec::new());
    }
    let reached = Search::new(repository, ground).run(tip, Some(since), bounds.max_commits);
    let (steps, reaches_since) = reached.in_order(tip, Some(since));
    (reaches_since && !reached.is_bounded).then_some(steps)
}

/// The commits that were found.
struct Reached {
    nodes: FxHashMap<ObjectId, Node>,
    /// There are more.
    is_bounded: bool,
    /// The parents of some are missing.
    is_cut: bool,
}

struct Node {
    parents: Vec<ObjectId>,
    /// What was cut off says nothing of what it was before.
    is_cut: bool,
    time: i64,
    /// It is `since` or an ancestor.
    is_old: bool,
    is_open: bool,
}

/// Looks for commits, newest first.
struct Search<'a> {
    repository: &'a gix::Repository,
    ground: &'a Ground,
    reached: Reached,
    queue: BinaryHeap<(i64, Reverse<usize>, ObjectId)>,
    n_open_new: usize,
}

impl<'a> Search<'a> {
    fn new(repository: &'a gix::Repository, ground: &'a Ground) -> Search<'a> {
        let reached = Reached { nodes: FxHashMap::default(), is_bounded: false, is_cut: false };
        Search { repository, ground, reached, queue: BinaryHeap::new(), n_open_new: 0 }
    }

    /// Finds `tip` and its ancestors, without `since` and its ancestors.
    fn run(mut self, tip: ObjectId, since: Option<ObjectId>, max_commits: usize) -> Reached {
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

    /// Puts a commit in the queue, unless it was there. Answers whether it was, and was wrongly thought new.
    fn open(&mut self, id: ObjectId, is_old: bool) -> bool {
        let seq = Reverse(self.reached.nodes.len());
        if let Some(node) = self.reached.nodes.get_mut(&id) {
            let was_wrong = is_old && !node.is_old;
            if was_wrong {
                self.n_open_new -= usize::from(node.is_open);
                (node.is_old, node.is_open) = (true, true);
                self.queue.push((node.time, seq, id));
            }
            return was_wrong;
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

    fn read(&mut self, id: ObjectId, is_old: bool) -> Option<Node> {
        let commit = self.repository.find_commit(id).ok()?;
        let is_cut = self.ground.shallow.contains(&id);
        self.reached.is_cut |= is_cut;
        let parents = if is_cut { Vec::new() } else { commit.parent_ids().map(gix::Id::detach).collect() };
        // A commit without a readable date keeps its place by what is known of the others.
        let time = commit.time().map_or(0, |time| time.seconds);
        Some(Node { parents, is_cut, time, is_old, is_open: true })
    }
}

impl Reached {
    /// Says whether a commit is to be walked.
    fn is_new(&self, id: &ObjectId) -> bool {
        self.nodes.get(id).is_some_and(|node| !node.is_old && !node.is_open)
    }

    /// Returns the new commits, each after its parents, and those that the first parent has before those of the others;
    /// and whether the line of first parents leads to `since`.
    fn in_order(&self, tip: ObjectId, since: Option<ObjectId>) -> (Vec<Step>, bool) {
        let mut mainline = FxHashSet::default();
        let mut at = Some(tip);
        while let Some(id) = at
            && self.is_new(&id)
        {
            mainline.insert(id);
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

    fn step(&self, id: ObjectId, node: &Node, is_on_mainline: bool) -> Step {
        let is_merge = node.parents.len() > 1;
        let against = match node.parents.first() {
            _ if is_merge && !is_on_mainline => Against::Unknown,
            None if node.is_cut => Against::Unknown,
            None => Against::Nothing,
            Some(parent) => Against::Parent(*parent),
        };
        Step { id, is_merge, against }
    }
}
