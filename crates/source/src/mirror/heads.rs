//! When the remote of a mirror was seen to be at a commit: two workers that hold a repository tell by it whose commit is the
//! newer one. The dates of commits do not tell that, since a branch may go back to an older one.

use std::{
    fs, io,
    path::Path,
    time::{Duration, SystemTime},
};

use model::CommitId;

/// The file in a mirror with a line for each commit: its id, and milliseconds since the epoch. The newest is the first.
const HEADS_FILE: &str = "causeway-heads";

/// Commits that are kept: what is served is seldom further behind than one or two.
const MAX_HEADS: usize = 16;

/// Returns when the remote came to be seen at this commit, in milliseconds since the epoch: the last time that it came
/// there from another one. None if it is not known.
pub fn seen_at(folder: &Path, commit: CommitId) -> Option<i64> {
    let commit = commit.to_string();
    lines(folder).iter().find_map(|line| line.strip_prefix(&commit)?.trim().parse().ok())
}

/// Notes that the remote was at a commit at a time, unless that is where it was seen last.
pub(super) fn note(folder: &Path, commit: &str, at: SystemTime) -> io::Result<()> {
    let mut heads = lines(folder);
    if heads.first().is_some_and(|newest| newest.starts_with(commit)) {
        return Ok(());
    }
    let at = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO).as_millis();
    heads.insert(0, format!("{commit} {at}"));
    heads.truncate(MAX_HEADS);
    let (file, beside) = (folder.join(HEADS_FILE), folder.join(format!("{HEADS_FILE}.tmp")));
    fs::write(&beside, heads.join("\n") + "\n")?;
    fs::rename(beside, file)
}

fn lines(folder: &Path) -> Vec<String> {
    // What cannot be read was never seen, and is noted again.
    let text = fs::read_to_string(folder.join(HEADS_FILE)).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_was_seen_when_the_remote_last_came_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let at = |millis| SystemTime::UNIX_EPOCH + Duration::from_millis(millis);
        let seen = |commit| seen_at(folder.path(), CommitId([commit; 20]));
        for (commit, millis, expected) in [
            (1, 10, [Some(10), None]),
            (1, 20, [Some(10), None]),
            (2, 30, [Some(10), Some(30)]),
            (1, 40, [Some(40), Some(30)]),
        ] {
            note(folder.path(), &CommitId([commit; 20]).to_string(), at(millis)).unwrap();
            assert_eq!([seen(1), seen(2)], expected, "{commit} at {millis}");
        }
        (3..100).for_each(|n| note(folder.path(), &CommitId([n; 20]).to_string(), at(n.into())).unwrap());
        assert_eq!((lines(folder.path()).len(), seen(1), seen(99)), (MAX_HEADS, None, Some(99)));
    }
}
