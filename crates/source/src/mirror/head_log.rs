//! Records when the remote of a mirror was seen at each commit. Two workers that serve a repository compare these times to
//! decide whose commit is newer. Commit dates cannot tell that, since a branch may go back to an older commit.

use std::{
    io,
    path::Path,
    time::{Duration, SystemTime},
};

use model::CommitId;

/// The file in a mirror with one line a commit: its id, and milliseconds since the epoch. The newest is first.
const HEADS_FILE: &str = "causeway-heads";

/// Maximum size of the file. A line has some sixty bytes.
const MAX_HEADS_BYTES: u64 = 8 << 10;

/// Maximum number of recorded commits. A served commit is seldom more than one or two behind.
const MAX_HEADS: usize = 16;

/// Maximum time that a recorded time may be ahead of the clock to count, in milliseconds: a clock that was far ahead when it was recorded
/// would otherwise decide for as long.
const MAX_AHEAD_MILLIS: u128 = 10 * 60 * 1_000;

/// Returns the time at which the remote last moved to this commit, in milliseconds since the epoch; `None` if it is unknown.
pub fn seen_at(folder: &Path, commit: CommitId) -> Option<i64> {
    let commit = commit.to_string();
    read_lines(folder).iter().find_map(|line| line.strip_prefix(&commit)?.trim().parse().ok())
}

/// Records that the remote was at a commit at a time, unless that commit is already the newest one. The time is later than that of the
/// commit before, also if the clock was set back by some minutes meanwhile.
pub(super) fn record(folder: &Path, commit: &str, at: SystemTime) -> io::Result<()> {
    let mut heads = read_lines(folder);
    if heads.first().is_some_and(|newest| newest.starts_with(commit)) {
        return Ok(());
    }
    let at = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO).as_millis();
    let before = heads.first().and_then(|newest| newest.split(' ').nth(1)?.parse::<u128>().ok());
    let before = before.filter(|before| *before <= at + MAX_AHEAD_MILLIS);
    let at = before.map_or(at, |before| at.max(before + 1));
    heads.insert(0, format!("{commit} {at}"));
    heads.truncate(MAX_HEADS);
    files::replace(&folder.join(HEADS_FILE), (heads.join("\n") + "\n").as_bytes())
}

fn read_lines(folder: &Path) -> Vec<String> {
    // An unreadable file counts as empty, and is written again.
    let text = files::read_text(&folder.join(HEADS_FILE), MAX_HEADS_BYTES).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_move_to_a_commit_is_recorded() {
        let folder = tempfile::tempdir().unwrap();
        let at = |millis| SystemTime::UNIX_EPOCH + Duration::from_millis(millis);
        let seen = |commit| seen_at(folder.path(), CommitId([commit; 20]));
        for (commit, millis, expected) in [
            (1, 10, [Some(10), None]),
            (1, 20, [Some(10), None]),
            (2, 30, [Some(10), Some(30)]),
            (1, 40, [Some(40), Some(30)]),
            // The clock was set back.
            (2, 5, [Some(40), Some(41)]),
            // The clock was a year ahead.
            (1, 31_536_000_000, [Some(31_536_000_000), Some(41)]),
            (2, 50, [Some(31_536_000_000), Some(50)]),
            (1, 60, [Some(60), Some(50)]),
        ] {
            record(folder.path(), &CommitId([commit; 20]).to_string(), at(millis)).unwrap();
            assert_eq!([seen(1), seen(2)], expected, "{commit} at {millis}");
        }
        let later = |n: u8| at(100 + u64::from(n));
        (3..100).for_each(|n| record(folder.path(), &CommitId([n; 20]).to_string(), later(n)).unwrap());
        assert_eq!((read_lines(folder.path()).len(), seen(1), seen(99)), (MAX_HEADS, None, Some(199)));
    }
}
