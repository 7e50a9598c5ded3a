//! The state of a history: the commits that touched each existing file.

use model::{Change, ChangeKind, Commit, CommitId, Extent, Newest, WalkedTo};
use rustc_hash::FxHashMap;

use crate::{MAX_CHANGES, fixes, message, moved_paths::MovedPaths, robots};

/// The history of a repository up to one commit.
#[derive(Debug, Clone, Default)]
pub struct History {
    pub(crate) extent: Extent,
    pub(crate) walked_to: Option<WalkedTo>,
    pub(crate) newest: Newest,
    pub(crate) authors: Authors,
    /// The commits that touched files, in the order of the walk.
    pub(crate) commits: Vec<FileCommit>,
    /// The commits of each existing file, as positions in `commits`, ascending.
    pub(crate) files: FxHashMap<String, Vec<u32>>,
    pub(crate) moved_paths: MovedPaths,
    /// Number of commits that touched files, including those that are not stored any more.
    pub(crate) n_commits: u32,
}

/// The stored facts of a commit that touched files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileCommit {
    /// Dropped once it is neither among the last changes of any file nor recent.
    pub(crate) id: Option<CommitId>,
    /// Number of earlier commits that touched files.
    pub(crate) number: u32,
    /// A position in [`Authors::names`].
    pub(crate) author: u32,
    /// Commit time in seconds since 1970.
    pub(crate) at: i64,
    /// Number of files that it changed, including files that do not exist any more.
    pub(crate) n_files: u32,
    pub(crate) is_robot: bool,
    pub(crate) is_fix: bool,
    /// Dropped, like `body`, once no file needs the message any more.
    pub(crate) subject: String,
    pub(crate) body: String,
}

impl FileCommit {
    /// Returns true if the commit is evidence about each of its files: a person made it, and it is not a sweep.
    pub(crate) fn is_informative(&self) -> bool {
        !self.is_robot && self.n_files <= MAX_FILES_OF_INFORMATIVE_COMMIT
    }
}

/// Maximum number of files of a commit that counts as evidence of co-change and of the purpose of its files. Larger commits
/// reformat, move or import.
pub const MAX_FILES_OF_INFORMATIVE_COMMIT: u32 = 100;

/// The names of all authors; each spelling once.
#[derive(Debug, Clone, Default)]
pub(crate) struct Authors {
    pub(crate) names: Vec<String>,
    positions: FxHashMap<String, u32>,
}

impl History {
    /// Returns an empty history of the given extent.
    pub fn new(extent: Extent) -> History {
        History { extent, ..History::default() }
    }

    /// Returns the part of the repository's history that this covers.
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// Returns the end of the walk; none while the walk is in progress.
    pub fn walked_to(&self) -> Option<&WalkedTo> {
        self.walked_to.as_ref()
    }

    /// Records the end of the walk, from which the next walk can continue.
    pub fn end_walk(&mut self, walked_to: Option<WalkedTo>) {
        self.walked_to = walked_to;
    }

    /// Returns the paths of all existing files, unordered.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Adds the next commit of a walk.
    pub fn extend(&mut self, commit: Commit) {
        self.newest.add(commit.committed_at);
        if commit.is_merge {
            return self.merge(commit.changes);
        }
        if commit.changes.is_empty() {
            return;
        }
        // A walk never has 2^32 commits. If it had, the rest would be skipped.
        let Ok(position) = u32::try_from(self.commits.len()) else { return };
        let number = self.n_commits;
        self.n_commits = self.n_commits.saturating_add(1);
        self.commits.push(FileCommit {
            id: Some(commit.id),
            number,
            author: self.authors.position(author_name(&commit)),
            at: commit.committed_at,
            n_files: u32::try_from(commit.changes.len()).unwrap_or(u32::MAX),
            is_robot: robots::is_robot(&commit.author),
            is_fix: fixes::is_fix(&commit.subject),
            subject: message::bounded(&commit.subject, message::MAX_SUBJECT_BYTES).to_owned(),
            body: message::first_paragraph(&commit.body),
        });
        self.touch(position, commit.changes);
    }

    /// Applies the changes of a commit. Removals are applied first, so that two files can exchange their names.
    fn touch(&mut self, position: u32, changes: Vec<Change>) {
        let mut moved: Vec<Option<Vec<u32>>> = Vec::new();
        for change in &changes {
            match &change.kind {
                ChangeKind::Renamed { from } => moved.push(self.files.remove(from)),
                ChangeKind::Deleted => self.remove(&change.path),
                ChangeKind::Added | ChangeKind::Modified => {}
            }
        }
        let mut moved = moved.into_iter();
        for Change { path, kind } in changes {
            match kind {
                ChangeKind::Deleted => {}
                ChangeKind::Added => append_once(self.add(path), position),
                ChangeKind::Modified => self.modify(path, position),
                ChangeKind::Renamed { from } => match moved.next().flatten() {
                    Some(touches) => self.put(from, path, touches, position),
                    None => self.rename_missing(from, path, position),
                },
            }
        }
    }

    fn add(&mut self, path: String) -> &mut Vec<u32> {
        self.moved_paths.forget(&path);
        self.files.entry(path).or_default()
    }

    fn remove(&mut self, path: &str) {
        self.files.remove(path);
        self.moved_paths.record_deletion(path.to_owned());
    }

    /// Records a change of a file under its current path. A side branch may change a file that was deleted or moved elsewhere.
    fn modify(&mut self, path: String, position: u32) {
        if let Some(path) = self.current_path(path) {
            append_once(self.files.entry(path).or_default(), position);
        }
    }

    /// Returns the current path of a file that a commit knows under `path`; `None` if it was deleted. An unknown path belongs to
    /// a file that is older than the walk.
    fn current_path(&self, path: String) -> Option<String> {
        if self.files.contains_key(&path) { Some(path) } else { self.moved_paths.resolve(path) }
    }

    fn put(&mut self, from: String, path: String, mut touches: Vec<u32>, position: u32) {
        append_once(&mut touches, position);
        if from != path {
            self.moved_paths.record_move(from, path.clone());
        }
        self.moved_paths.forget(&path);
        self.files.insert(path, touches);
    }

    fn rename_missing(&mut self, from: String, path: String, position: u32) {
        if self.moved_paths.contains(&from) {
            // Another branch moved it to another path, or deleted it. The coming merge decides.
            self.modify(from, position);
        } else {
            self.put(from, path, Vec::new(), position);
        }
    }

    /// Applies the changes of a merge relative to its first parent. The merged commits have recorded the rest.
    fn merge(&mut self, changes: Vec<Change>) {
        for Change { path, kind } in changes {
            match kind {
                ChangeKind::Deleted => self.remove(&path),
                ChangeKind::Added => _ = self.add(path),
                ChangeKind::Modified | ChangeKind::Renamed { .. } => {}
            }
        }
    }
}

/// Returns the last changes of a file, the newest first. The walk visits a side branch after all older commits of the first
/// parent, so the order of the walk is not that of the dates.
pub(crate) fn newest_touches(commits: &[FileCommit], touches: &[u32]) -> Vec<u32> {
    let mut newest = touches.to_vec();
    newest.sort_unstable_by_key(|touch| std::cmp::Reverse((commits[*touch as usize].at, *touch)));
    newest.truncate(MAX_CHANGES);
    newest
}

/// Returns the oldest change of a file.
pub(crate) fn first_touch(commits: &[FileCommit], touches: &[u32]) -> Option<u32> {
    touches.iter().copied().min_by_key(|touch| (commits[*touch as usize].at, *touch))
}

/// Appends a commit to the commits of a file, once.
fn append_once(touches: &mut Vec<u32>, position: u32) {
    if touches.last() != Some(&position) {
        touches.push(position);
    }
}

fn author_name(commit: &Commit) -> &str {
    let author = &commit.author;
    [&author.name, &author.email].into_iter().find(|text| !text.is_empty()).map_or("unknown", String::as_str)
}

impl Authors {
    /// Returns the position of a name. Adds the name if it is new.
    pub(crate) fn position(&mut self, name: &str) -> u32 {
        if let Some(position) = self.positions.get(name) {
            return *position;
        }
        let position = u32::try_from(self.names.len()).expect("there are no more authors than commits");
        self.names.push(name.to_owned());
        self.positions.insert(name.to_owned(), position);
        position
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    /// Compares the files and the subjects of their commits, in the notation `PATH=SUBJECT,SUBJECT`.
    fn check(lines: &[&str], expected: &[&str]) {
        let history = testing::history(lines);
        let subjects = |touches: &Vec<u32>| -> Vec<&str> {
            touches.iter().map(|touch| history.commits[*touch as usize].subject.as_str()).collect()
        };
        let file = |(path, touches): (&String, &Vec<u32>)| format!("{path}={}", subjects(touches).join(","));
        let mut files: Vec<String> = history.files.iter().map(file).collect();
        files.sort();
        assert_eq!(files, expected, "{lines:?}");
    }

    #[test]
    fn files_list_the_commits_that_touched_them() {
        check(&["a 1 one: +x +y", "a 2 two: ~x", "a 3 three:"], &["x=one,two", "y=one"]);
        check(&["a 1 one: ~older"], &["older=one"]);
        check(&["a 1 one: +x", "a 2 two: -x"], &[]);
        check(&["a 1 one: +x", "a 2 two: -x", "a 3 three: +x"], &["x=three"]);
    }

    #[test]
    fn moved_files_keep_their_commits() {
        check(&["a 1 one: +x", "a 2 two: x>y", "a 3 three: ~y"], &["y=one,two,three"]);
        check(&["a 1 one: +x", "a 2 two: x>y", "a 3 three: +x ~y"], &["x=three", "y=one,two,three"]);
        check(&["a 1 one: +x +y", "a 2 two: x>y y>x"], &["x=one,two", "y=one,two"]);
        check(&["a 1 x: +x", "a 2 y: +y", "a 3 two: x>y y>x"], &["x=y,two", "y=x,two"]);
        check(&["a 1 one: +x +y", "a 2 two: x>y"], &["y=one,two"]);
        check(&["a 1 one: x>y"], &["y=one"]);
        check(&["a 1 one: x>x", "a 1 two: ~x"], &["x=one,two"]);
    }

    #[test]
    fn a_side_branch_may_know_files_under_older_names() {
        check(&["a 1 one: +x", "a 2 two: x>y", "b 1 side: ~x", "merge 3 merge: ~y"], &["y=one,two,side"]);
        check(&["a 1 one: +x", "a 2 two: x>y", "a 3 three: y>z", "b 1 side: ~x"], &["z=one,two,three,side"]);
        check(&["a 1 one: +x", "a 2 two: x>y", "b 1 side: x>z"], &["y=one,two,side"]);
        check(&["a 1 one: +x", "a 2 two: -x", "b 1 side: ~x"], &[]);
        check(&["a 1 one: +x", "a 2 two: -x", "b 1 side: x>z"], &[]);
    }

    #[test]
    fn a_merge_only_adds_and_removes_files() {
        check(&["a 1 one: +x", "merge 2 merge: ~x +y"], &["x=one", "y="]);
        check(&["a 1 one: +x", "merge 2 merge: -x"], &[]);
        check(&["a 1 one: +x", "a 2 two: -x", "merge 3 merge: +x", "a 4 four: ~x"], &["x=four"]);
    }

    #[test]
    fn authors_without_a_name_are_listed_by_address() {
        for (name, email, expected) in [("Ada", "a@b", "Ada"), ("", "a@b", "a@b"), ("", "", "unknown")] {
            let mut commit = testing::commit("a 1 one: +x", 0);
            commit.author = model::Person { name: name.to_owned(), email: email.to_owned() };
            assert_eq!(author_name(&commit), expected);
        }
    }
}
