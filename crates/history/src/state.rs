//! The state: which commits touched the files that are there.

use model::{Change, ChangeKind, Commit, CommitId, Extent, Newest, WalkedTo};
use rustc_hash::FxHashMap;

use crate::{fixes, message, robots, traces::Traces};

/// The past of a repository, up to one commit.
#[derive(Debug, Clone, Default)]
pub struct History {
    pub(crate) extent: Extent,
    pub(crate) walked_to: Option<WalkedTo>,
    pub(crate) newest: Newest,
    pub(crate) authors: Authors,
    /// Those that touched files, in the order of the walk.
    pub(crate) commits: Vec<Touching>,
    /// Of each file that is there, its commits as positions in `commits`, ascending.
    pub(crate) files: FxHashMap<String, Vec<u32>>,
    pub(crate) traces: Traces,
    /// Commits that touched files, forgotten ones included.
    pub(crate) n_commits: u32,
}

/// What is kept of a commit that touched files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Touching {
    /// Forgotten once it is neither among the last changes of any file nor recent.
    pub(crate) id: Option<CommitId>,
    /// How many commits touched files before it.
    pub(crate) number: u32,
    /// A position in the table of authors.
    pub(crate) author: u32,
    /// In seconds since 1970, as the commit has it.
    pub(crate) at: i64,
    /// Files that it changed, whether they are still there or not.
    pub(crate) n_files: u32,
    pub(crate) is_robot: bool,
    pub(crate) is_fix: bool,
    /// Forgotten, as `body` is, once no file wants the message any more.
    pub(crate) subject: String,
    pub(crate) body: String,
}

impl Touching {
    /// Says whether it tells something of each of its files: people made it, and not for half the repository.
    pub(crate) fn is_telling(&self) -> bool {
        !self.is_robot && self.n_files <= MAX_FILES_OF_A_TELLING_COMMIT
    }
}

/// Files up to which a commit says which files belong together, and what they are about. Larger ones reformat, move or
/// import.
pub const MAX_FILES_OF_A_TELLING_COMMIT: u32 = 100;

/// Everybody who committed, each spelling once.
#[derive(Debug, Clone, Default)]
pub(crate) struct Authors {
    pub(crate) names: Vec<String>,
    positions: FxHashMap<String, u32>,
}

impl History {
    /// Starts a history that shows so much of the past.
    pub fn new(extent: Extent) -> History {
        History { extent, ..History::default() }
    }

    /// Returns how much of the past this shows.
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// Returns where the walk ended that this was made from; none while it is being made.
    pub fn walked_to(&self) -> Option<&WalkedTo> {
        self.walked_to.as_ref()
    }

    /// Notes where the walk ended, which is where the next one can go on.
    pub fn end_walk(&mut self, walked_to: Option<WalkedTo>) {
        self.walked_to = walked_to;
    }

    /// Returns the paths of all files that are there, in no order.
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
        // A walk has far fewer commits than numbers; were it otherwise, the rest would be left out.
        let Ok(position) = u32::try_from(self.commits.len()) else { return };
        let number = self.n_commits;
        self.n_commits = self.n_commits.saturating_add(1);
        self.commits.push(Touching {
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

    /// Applies the changes of a commit. What goes is taken away before anything comes, so that names can be exchanged.
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
                ChangeKind::Added => note(self.add(path), position),
                ChangeKind::Modified => self.modify(path, position),
                ChangeKind::Renamed { from } => match moved.next().flatten() {
                    Some(touches) => self.arrive(from, path, touches, position),
                    None => self.rename_of_what_is_not_there(from, path, position),
                },
            }
        }
    }

    fn add(&mut self, path: String) -> &mut Vec<u32> {
        self.traces.forget(&path);
        self.files.entry(path).or_default()
    }

    fn remove(&mut self, path: &str) {
        self.files.remove(path);
        self.traces.gone(path.to_owned());
    }

    /// Touches a file, wherever it has been moved to. A side branch may go on with what is gone or has moved elsewhere.
    fn modify(&mut self, path: String, position: u32) {
        if let Some(path) = self.place_of(path) {
            note(self.files.entry(path).or_default(), position);
        }
    }

    /// Returns where a file is that some commit knows under this path; none if it is gone. One that was never seen is older
    /// than the walk.
    fn place_of(&self, path: String) -> Option<String> {
        if self.files.contains_key(&path) { Some(path) } else { self.traces.follow(path) }
    }

    fn arrive(&mut self, from: String, path: String, mut touches: Vec<u32>, position: u32) {
        note(&mut touches, position);
        if from != path {
            self.traces.moved(from, path.clone());
        }
        self.traces.forget(&path);
        self.files.insert(path, touches);
    }

    fn rename_of_what_is_not_there(&mut self, from: String, path: String, position: u32) {
        if self.traces.holds(&from) {
            // Elsewhere it was moved to another place, or deleted; the merge to come says what becomes of this one.
            self.modify(from, position);
        } else {
            self.arrive(from, path, Vec::new(), position);
        }
    }

    /// Applies what a merge brought to its first parent. The commits that it merges have said the rest.
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

/// Notes that a commit touched a file, once.
fn note(touches: &mut Vec<u32>, position: u32) {
    if touches.last() != Some(&position) {
        touches.push(position);
    }
}

fn author_name(commit: &Commit) -> &str {
    let author = &commit.author;
    [&author.name, &author.email].into_iter().find(|text| !text.is_empty()).map_or("unknown", String::as_str)
}

impl Authors {
    /// Returns the position of a name, which is put there if it is new.
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

    /// Compares the files and the subjects of their commits, written `PATH=SUBJECT,SUBJECT`.
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
    fn files_have_the_commits_that_touched_them() {
        check(&["a 1 one: +x +y", "a 2 two: ~x", "a 3 three:"], &["x=one,two", "y=one"]);
        check(&["a 1 one: ~older"], &["older=one"]);
        check(&["a 1 one: +x", "a 2 two: -x"], &[]);
        check(&["a 1 one: +x", "a 2 two: -x", "a 3 three: +x"], &["x=three"]);
    }

    #[test]
    fn files_keep_their_past_when_they_move() {
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
    fn a_merge_tells_what_is_there_and_nothing_else() {
        check(&["a 1 one: +x", "merge 2 merge: ~x +y"], &["x=one", "y="]);
        check(&["a 1 one: +x", "merge 2 merge: -x"], &[]);
        check(&["a 1 one: +x", "a 2 two: -x", "merge 3 merge: +x", "a 4 four: ~x"], &["x=four"]);
    }

    #[test]
    fn authors_without_a_name_go_by_their_address() {
        for (name, email, expected) in [("Ada", "a@b", "Ada"), ("", "a@b", "a@b"), ("", "", "unknown")] {
            let mut commit = testing::commit("a 1 one: +x", 0);
            commit.author = model::Person { name: name.to_owned(), email: email.to_owned() };
            assert_eq!(author_name(&commit), expected);
        }
    }
}
