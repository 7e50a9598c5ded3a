//! Builds histories for tests from a short notation.

use model::{Change, ChangeKind, Commit, CommitId, Extent, Person};

use crate::History;

pub(crate) const DAY: i64 = 86_400;

/// Builds a history of commits, one a line.
pub(crate) fn history(lines: &[&str]) -> History {
    let mut history = History::new(Extent::Whole);
    lines.iter().zip(0..).for_each(|(line, number)| history.extend(commit(line, number)));
    history
}

/// Parses a commit from `AUTHOR DAY SUBJECT: +added -deleted ~modified from>to`. The author `merge` makes it a merge.
pub(crate) fn commit(line: &str, number: u32) -> Commit {
    let (head, changes) = line.split_once(':').expect("a colon ends the subject");
    let mut head = head.splitn(3, ' ');
    let author = head.next().expect("a line has an author").to_owned();
    let at = head.next().expect("a line has a day").parse::<i64>().expect("a day is a number") * DAY;
    let mut id = [0; 20];
    id[..4].copy_from_slice(&number.to_be_bytes());
    Commit {
        id: CommitId(id),
        is_merge: author == "merge",
        author: Person { email: format!("{author}@harbour.example"), name: author },
        authored_at: at,
        committed_at: at,
        subject: head.next().expect("a line has a subject").to_owned(),
        body: String::new(),
        changes: changes.split_whitespace().map(change).collect(),
    }
}

fn change(text: &str) -> Change {
    let change = |path: &str, kind| Change { path: path.to_owned(), kind };
    match (text.split_at(1), text.split_once('>')) {
        (_, Some((from, to))) => change(to, ChangeKind::Renamed { from: from.to_owned() }),
        (("+", path), _) => change(path, ChangeKind::Added),
        (("-", path), _) => change(path, ChangeKind::Deleted),
        ((_, path), _) => change(path, ChangeKind::Modified),
    }
}
