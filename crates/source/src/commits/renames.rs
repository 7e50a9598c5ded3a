//! Detects renames: pairs deleted files of a commit with added ones.
//!
//! Files with equal content are paired first. Of the others, two files are paired if at least half of their lines are equal.
//! Files with the same name are tried first, so a moved folder is followed even if every file in it was edited.

use std::{collections::VecDeque, hash::Hash};

use model::{Change, ChangeKind};
use rustc_hash::{FxHashMap, FxHasher};

use super::tree_changes::{CommitDiff, OneSidedFile};

/// Minimum similarity of a rename, as the share of the larger file's bytes that is in both; the default of git.
pub(crate) const MIN_SIMILARITY: f32 = 0.5;

/// Maximum size in bytes of a file that is compared by lines. Larger files are more often data than code.
const MAX_COMPARED_FILE_BYTES: u64 = 256 * 1024;

/// Maximum number of same-name pairs compared in one commit: a large package.
const MAX_SAME_NAME_PAIRS: usize = 256;

/// Maximum number of files on either side of a commit for all-pairs comparison. Commits that rename more files at once move
/// folders, and keep most file names.
const MAX_SIMILARITY_CANDIDATES: usize = 24;

/// Maximum bytes of files compared in one commit; several times those of moving a large package.
pub(super) const MAX_COMPARED_BYTES_OF_COMMIT: u64 = 16 * 1024 * 1024;

/// Returns the changes of a commit, with detected renames.
pub(super) fn pair_renames(files: &mut FileContents<'_>, mut tree_changes: CommitDiff) -> Vec<Change> {
    if tree_changes.added.is_empty() || tree_changes.deleted.is_empty() {
        return tree_changes.into_unpaired();
    }
    let mut pairs = Vec::new();
    let found = pair_by_key(&tree_changes.deleted, &tree_changes.added, |side| (side.blob, file_name(side)));
    pairs.extend(take_pairs(&mut tree_changes, &found));
    let found = pair_by_key(&tree_changes.deleted, &tree_changes.added, |side| side.blob);
    pairs.extend(take_pairs(&mut tree_changes, &found));
    let found = pair_by_name(files, &tree_changes.deleted, &tree_changes.added);
    pairs.extend(take_pairs(&mut tree_changes, &found));
    let found = pair_by_similarity(files, &tree_changes.deleted, &tree_changes.added);
    pairs.extend(take_pairs(&mut tree_changes, &found));
    let mut changes = tree_changes.into_unpaired();
    let renamed = |(from, path)| Change { path, kind: ChangeKind::Renamed { from } };
    changes.extend(pairs.into_iter().map(renamed));
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    changes
}

/// Moves the paths of `found` pairs out of the changes, and returns them as `(old, new)`.
fn take_pairs(tree_changes: &mut CommitDiff, found: &[(usize, usize)]) -> Vec<(String, String)> {
    let take_pair = |(gone, new): &(usize, usize)| {
        let (gone, new) = (&mut tree_changes.deleted[*gone], &mut tree_changes.added[*new]);
        (std::mem::take(&mut gone.path), std::mem::take(&mut new.path))
    };
    let pairs = found.iter().map(take_pair).collect();
    tree_changes.deleted.retain(|side| !side.path.is_empty());
    tree_changes.added.retain(|side| !side.path.is_empty());
    pairs
}

fn file_name(side: &OneSidedFile) -> String {
    side.path.rsplit('/').next().unwrap_or_default().to_owned()
}

fn extension(side: &OneSidedFile) -> Option<&str> {
    side.path.rsplit('/').next()?.rsplit_once('.').map(|(_, extension)| extension)
}

/// Pairs files with equal keys, in the order of their paths. Empty files are all equal, and are never paired.
fn pair_by_key<K: Eq + Hash>(
    deleted: &[OneSidedFile],
    added: &[OneSidedFile],
    key: impl Fn(&OneSidedFile) -> K,
) -> Vec<(usize, usize)> {
    let mut by_key: FxHashMap<K, VecDeque<usize>> = FxHashMap::default();
    for (gone_idx, side) in deleted.iter().enumerate().filter(|(_, side)| !side.blob.is_empty_blob()) {
        by_key.entry(key(side)).or_default().push_back(gone_idx);
    }
    let mut partner = |side: &OneSidedFile| by_key.get_mut(&key(side))?.pop_front();
    added.iter().enumerate().filter_map(|(new_idx, side)| Some((partner(side)?, new_idx))).collect()
}

/// Pairs edited files that kept their name.
fn pair_by_name(files: &mut FileContents<'_>, deleted: &[OneSidedFile], added: &[OneSidedFile]) -> Vec<(usize, usize)> {
    let candidates = pair_by_key(deleted, added, file_name).into_iter().take(MAX_SAME_NAME_PAIRS);
    let is_same = |(gone, new): &(usize, usize)| {
        let (gone, new) = (files.lines(&deleted[*gone]), files.lines(&added[*new]));
        gone.zip(new).is_some_and(|(gone, new)| gone.similarity(&new) >= MIN_SIMILARITY)
    };
    candidates.filter(is_same).collect()
}

/// Pairs edited files that have another name, the most similar first.
fn pair_by_similarity(
    files: &mut FileContents<'_>,
    deleted: &[OneSidedFile],
    added: &[OneSidedFile],
) -> Vec<(usize, usize)> {
    if deleted.len() > MAX_SIMILARITY_CANDIDATES
        || added.len() > MAX_SIMILARITY_CANDIDATES
        || deleted.is_empty()
        || added.is_empty()
    {
        return Vec::new();
    }
    let has_same_extension =
        |side: &OneSidedFile, others: &[OneSidedFile]| others.iter().any(|other| extension(other) == extension(side));
    let mut read = |sides: &[OneSidedFile], others: &[OneSidedFile]| -> Vec<Option<LineHashes>> {
        let lines = |side: &OneSidedFile| if has_same_extension(side, others) { files.lines(side) } else { None };
        sides.iter().map(lines).collect()
    };
    let (old_lines, new_lines) = (read(deleted, added), read(added, deleted));
    let mut scored = Vec::new();
    for (gone_idx, gone) in old_lines.iter().enumerate() {
        for (new_idx, new) in new_lines.iter().enumerate() {
            let (Some(gone), Some(new)) = (gone, new) else { continue };
            let is_same_extension = extension(&deleted[gone_idx]) == extension(&added[new_idx]);
            if is_same_extension && gone.can_be_similar(new) {
                scored.push((gone.similarity(new), gone_idx, new_idx));
            }
        }
    }
    scored.retain(|(similarity, ..)| *similarity >= MIN_SIMILARITY);
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let (mut old_taken, mut new_taken) = (vec![false; deleted.len()], vec![false; added.len()]);
    let mut pairs = Vec::new();
    for (_, gone_idx, new_idx) in scored {
        if !old_taken[gone_idx] && !new_taken[new_idx] {
            (old_taken[gone_idx], new_taken[new_idx]) = (true, true);
            pairs.push((gone_idx, new_idx));
        }
    }
    pairs
}

/// Reads file contents for comparison, within a byte budget.
pub(super) struct FileContents<'a> {
    pub(super) repository: &'a gix::Repository,
    pub(super) n_bytes_left: u64,
}

impl FileContents<'_> {
    /// Reads a file; `None` if it is large, empty, damaged, missing from this clone, or over the budget.
    fn lines(&mut self, side: &OneSidedFile) -> Option<LineHashes> {
        if self.n_bytes_left == 0 {
            return None;
        }
        let size = self.repository.try_find_header(side.blob).ok()??.size();
        if size == 0 || size > MAX_COMPARED_FILE_BYTES {
            return None;
        }
        self.n_bytes_left = self.n_bytes_left.saturating_sub(size);
        Some(LineHashes::new(&self.repository.find_blob(side.blob).ok()?.data))
    }
}

/// The lines of a file as (hash, length) pairs, sorted.
pub(crate) struct LineHashes {
    lines: Vec<(u64, u32)>,
    n_bytes: usize,
}

impl LineHashes {
    pub(crate) fn new(bytes: &[u8]) -> LineHashes {
        let line = |line: &[u8]| {
            let mut hasher = FxHasher::default();
            line.hash(&mut hasher);
            (std::hash::Hasher::finish(&hasher), u32::try_from(line.len()).unwrap_or(u32::MAX))
        };
        let mut lines: Vec<(u64, u32)> = bytes.split_inclusive(|byte| *byte == b'\n').map(line).collect();
        lines.sort_unstable();
        LineHashes { lines, n_bytes: bytes.len() }
    }

    /// Returns false if the sizes alone rule out a rename.
    pub(crate) fn can_be_similar(&self, other: &LineHashes) -> bool {
        let (small, large) = (self.n_bytes.min(other.n_bytes), self.n_bytes.max(other.n_bytes));
        small as f32 >= MIN_SIMILARITY * large as f32
    }

    /// Returns the share of the larger file's bytes that is in both files, from 0 to 1.
    pub(crate) fn similarity(&self, other: &LineHashes) -> f32 {
        let (mut mine, mut theirs) = (self.lines.iter().peekable(), other.lines.iter().peekable());
        let mut n_common = 0;
        while let (Some(a), Some(b)) = (mine.peek(), theirs.peek()) {
            match a.cmp(b) {
                std::cmp::Ordering::Less => _ = mine.next(),
                std::cmp::Ordering::Greater => _ = theirs.next(),
                std::cmp::Ordering::Equal => {
                    n_common += a.1 as usize;
                    mine.next();
                    theirs.next();
                }
            }
        }
        n_common as f32 / self.n_bytes.max(other.n_bytes).max(1) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &str, new: &str, expected: f32) {
        let (old, new) = (LineHashes::new(old.as_bytes()), LineHashes::new(new.as_bytes()));
        assert_eq!(old.similarity(&new), expected);
        assert_eq!(new.similarity(&old), expected);
        assert!(old.can_be_similar(&new) || expected < MIN_SIMILARITY);
    }

    #[test]
    fn similarity_is_the_share_of_common_bytes() {
        check("a\nb\n", "a\nb\n", 1.0);
        check("a\nb\n", "b\na\n", 1.0);
        check("a\nb\n", "a\nc\n", 0.5);
        check("a\na\n", "a\nc\n", 0.5);
        check("a\n", "a\nb\nc\nd\n", 0.25);
        check("a\n", "b\n", 0.0);
        check("a\n", "", 0.0);
        check("", "", 0.0);
    }
}
