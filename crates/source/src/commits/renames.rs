//! Which of the files that a commit added are files that it took from elsewhere.
//!
//! A file with the content of one that went is that one. Of the others, a file is the one that went if half of the lines
//! are the same, which is looked for under the same name first; so a move of a folder is followed even where every file
//! of it had to be edited.

use std::{collections::VecDeque, hash::Hash};

use model::{Change, ChangeKind};
use rustc_hash::{FxHashMap, FxHasher};

use super::changes::{Difference, Side};

/// Part of the bytes of the larger file that must be in both: the default of git.
const MIN_SIMILARITY: f32 = 0.5;

/// Bytes of a file that is compared by its lines. Larger ones are data more often than code.
const MAX_COMPARED_BYTES: u64 = 256 * 1024;

/// Pairs of one name that are compared in one commit: a large package.
const MAX_NAMESAKES: usize = 256;

/// Files on either side of a commit up to which every one is compared with every other of its kind. Commits that
/// rename more files than these at once move folders, and leave most names as they are.
const MAX_STRANGERS: usize = 24;

/// Bytes of files that are compared in one commit; several times what the moves of a large package take.
pub(super) const MAX_COMPARED_OF_COMMIT: u64 = 16 * 1024 * 1024;

/// Returns the changes of a commit, with what was taken from elsewhere as renamed.
pub(super) fn pair(files: &mut Files<'_>, mut difference: Difference) -> Vec<Change> {
    if difference.added.is_empty() || difference.deleted.is_empty() {
        return difference.unpaired();
    }
    let mut pairs = Vec::new();
    let found = same(&difference.deleted, &difference.added, |side| (side.blob, name(side)));
    take_out(&mut difference, &found, &mut pairs);
    let found = same(&difference.deleted, &difference.added, |side| side.blob);
    take_out(&mut difference, &found, &mut pairs);
    let found = namesakes(files, &difference.deleted, &difference.added);
    take_out(&mut difference, &found, &mut pairs);
    let found = strangers(files, &difference.deleted, &difference.added);
    take_out(&mut difference, &found, &mut pairs);
    let mut changes = difference.unpaired();
    let renamed = |(from, path)| Change { path, kind: ChangeKind::Renamed { from } };
    changes.extend(pairs.into_iter().map(renamed));
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    changes
}

/// Takes pairs of what went and what came out of a difference.
fn take_out(difference: &mut Difference, found: &[(usize, usize)], pairs: &mut Vec<(String, String)>) {
    for (gone, new) in found {
        let (gone, new) = (&mut difference.deleted[*gone], &mut difference.added[*new]);
        pairs.push((std::mem::take(&mut gone.path), std::mem::take(&mut new.path)));
    }
    difference.deleted.retain(|side| !side.path.is_empty());
    difference.added.retain(|side| !side.path.is_empty());
}

fn name(side: &Side) -> String {
    side.path.rsplit('/').next().unwrap_or_default().to_owned()
}

fn extension(side: &Side) -> Option<&str> {
    side.path.rsplit('/').next()?.rsplit_once('.').map(|(_, extension)| extension)
}

/// Pairs files with the same key, in the order of their paths. Empty files are all alike, and belong to nobody.
fn same<K: Eq + Hash>(deleted: &[Side], added: &[Side], key: impl Fn(&Side) -> K) -> Vec<(usize, usize)> {
    let mut by_key: FxHashMap<K, VecDeque<usize>> = FxHashMap::default();
    for (gone_idx, side) in deleted.iter().enumerate().filter(|(_, side)| !side.blob.is_empty_blob()) {
        by_key.entry(key(side)).or_default().push_back(gone_idx);
    }
    let mut partner = |side: &Side| by_key.get_mut(&key(side))?.pop_front();
    added.iter().enumerate().filter_map(|(new_idx, side)| Some((partner(side)?, new_idx))).collect()
}

/// Pairs edited files that kept their names.
fn namesakes(files: &mut Files<'_>, deleted: &[Side], added: &[Side]) -> Vec<(usize, usize)> {
    let candidates = same(deleted, added, name).into_iter().take(MAX_NAMESAKES);
    let is_same = |(gone, new): &(usize, usize)| {
        let (gone, new) = (files.lines(&deleted[*gone]), files.lines(&added[*new]));
        gone.zip(new).is_some_and(|(gone, new)| gone.similarity(&new) >= MIN_SIMILARITY)
    };
    candidates.filter(is_same).collect()
}

/// Pairs edited files that got other names, the most similar first.
fn strangers(files: &mut Files<'_>, deleted: &[Side], added: &[Side]) -> Vec<(usize, usize)> {
    if deleted.len() > MAX_STRANGERS || added.len() > MAX_STRANGERS || deleted.is_empty() || added.is_empty() {
        return Vec::new();
    }
    let has_kin = |side: &Side, others: &[Side]| others.iter().any(|other| extension(other) == extension(side));
    let mut read = |sides: &[Side], others: &[Side]| -> Vec<Option<Lines>> {
        let lines = |side: &Side| if has_kin(side, others) { files.lines(side) } else { None };
        sides.iter().map(lines).collect()
    };
    let (old_lines, new_lines) = (read(deleted, added), read(added, deleted));
    let mut scored = Vec::new();
    for (gone_idx, gone) in old_lines.iter().enumerate() {
        for (new_idx, new) in new_lines.iter().enumerate() {
            let (Some(gone), Some(new)) = (gone, new) else { continue };
            let is_kin = extension(&deleted[gone_idx]) == extension(&added[new_idx]);
            if is_kin && gone.may_be_similar(new) {
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

/// The files to compare, and how much more of them may be read.
pub(super) struct Files<'a> {
    pub(super) repository: &'a gix::Repository,
    pub(super) n_bytes_left: u64,
}

impl Files<'_> {
    /// Reads a file; none if it is large, empty, damaged, not in this clone, or more than may still be read.
    fn lines(&mut self, side: &Side) -> Option<Lines> {
        if self.n_bytes_left == 0 {
            return None;
        }
        let size = self.repository.try_find_header(side.blob).ok()??.size();
        if size == 0 || size > MAX_COMPARED_BYTES {
            return None;
        }
        self.n_bytes_left = self.n_bytes_left.saturating_sub(size);
        Some(Lines::of(&self.repository.find_blob(side.blob).ok()?.data))
    }
}

/// The lines of a file as hashes with their lengths, sorted.
struct Lines {
    lines: Vec<(u64, u32)>,
    n_bytes: usize,
}

impl Lines {
    fn of(bytes: &[u8]) -> Lines {
        let line = |line: &[u8]| {
            let mut hasher = FxHasher::default();
            line.hash(&mut hasher);
            (std::hash::Hasher::finish(&hasher), u32::try_from(line.len()).unwrap_or(u32::MAX))
        };
        let mut lines: Vec<(u64, u32)> = bytes.split_inclusive(|byte| *byte == b'\n').map(line).collect();
        lines.sort_unstable();
        Lines { lines, n_bytes: bytes.len() }
    }

    /// Says whether the sizes alone do not rule it out.
    fn may_be_similar(&self, other: &Lines) -> bool {
        let (small, large) = (self.n_bytes.min(other.n_bytes), self.n_bytes.max(other.n_bytes));
        small as f32 >= MIN_SIMILARITY * large as f32
    }

    /// Returns the part of the bytes of the larger file that is in both, from 0 to 1.
    fn similarity(&self, other: &Lines) -> f32 {
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
        let (old, new) = (Lines::of(old.as_bytes()), Lines::of(new.as_bytes()));
        assert_eq!(old.similarity(&new), expected);
        assert_eq!(new.similarity(&old), expected);
        assert!(old.may_be_similar(&new) || expected < MIN_SIMILARITY);
    }

    #[test]
    fn files_are_as_similar_as_the_lines_that_they_share() {
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
