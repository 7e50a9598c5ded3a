//! Serialises a history. Only facts that the existing files still need are stored, so the bytes do not depend on how often
//! the history was saved and loaded in between.

use model::{CommitId, Extent, Newest, WalkedTo};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::{
    History, MAX_MESSAGES_OF_FILE,
    state::{Authors, FileCommit, first_touch, newest_touches},
};

/// Format version. Raise it if the format, the facts of a commit, or the computed signals change. Bytes of another version
/// are rejected, and the walk starts over.
pub const VERSION: u32 = 4;

/// The reason why bytes are rejected. The walk has to start over.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The bytes are not a valid history.
    #[error("the saved history is damaged")]
    Damaged,
    /// The bytes have another format version, given here.
    #[error("the saved history has version {0}, not {VERSION}")]
    OtherVersion(u32),
}

#[derive(Serialize, Deserialize)]
struct SavedHistory {
    extent: Extent,
    walked_to: Option<WalkedTo>,
    newest: Newest,
    authors: Vec<String>,
    commits: Vec<SavedCommit>,
    /// Sorted by path. Each entry has the position of its first commit, and then the distance from each commit to the next.
    files: Vec<(String, Vec<u32>)>,
    moved_paths: Vec<(String, Option<String>)>,
    n_commits: u32,
}

#[derive(Serialize, Deserialize)]
struct SavedCommit {
    id: Option<CommitId>,
    /// Number of commits that touched files since the previous stored commit, including that one.
    n_since: u32,
    author: u32,
    /// Seconds since the previous stored commit.
    later: i64,
    n_files: u32,
    is_robot: bool,
    is_fix: bool,
    subject: String,
    body: String,
}

impl History {
    /// Returns the serialised history. Two histories of the same commits give the same bytes, however they were created.
    pub fn to_bytes(&self) -> Vec<u8> {
        let saved = (VERSION, self.to_saved());
        postcard::to_stdvec(&saved).expect("a history in memory can be serialised")
    }

    /// Deserialises the result of [`History::to_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Result<History, LoadError> {
        let (version, rest) = postcard::take_from_bytes::<u32>(bytes).map_err(|_| LoadError::Damaged)?;
        if version != VERSION {
            return Err(LoadError::OtherVersion(version));
        }
        let (saved, rest) = postcard::take_from_bytes::<SavedHistory>(rest).map_err(|_| LoadError::Damaged)?;
        if rest.is_empty() { restore(saved).ok_or(LoadError::Damaged) } else { Err(LoadError::Damaged) }
    }

    fn to_saved(&self) -> SavedHistory {
        let retained = self.retained_parts();
        let mut positions = vec![0; self.commits.len()];
        let (mut authors, mut commits) = (Authors::default(), Vec::new());
        let (mut before, mut number) = (0_i64, 0);
        for (position, (commit, parts)) in self.commits.iter().zip(&retained).enumerate() {
            if !parts.is_touched {
                continue;
            }
            positions[position] = u32::try_from(commits.len()).expect("the number of stored commits is not larger");
            commits.push(SavedCommit {
                id: if parts.has_id { commit.id } else { None },
                n_since: commit.number.saturating_sub(number),
                author: authors.position(&self.authors.names[commit.author as usize]),
                later: commit.at.wrapping_sub(before),
                n_files: commit.n_files,
                is_robot: commit.is_robot,
                is_fix: commit.is_fix,
                subject: if parts.has_id || parts.has_message { commit.subject.clone() } else { String::new() },
                body: if parts.has_message { commit.body.clone() } else { String::new() },
            });
            (before, number) = (commit.at, commit.number);
        }
        let mut files: Vec<(String, Vec<u32>)> =
            self.files.iter().map(|(path, touches)| (path.clone(), gaps(touches, &positions))).collect();
        files.sort();
        SavedHistory {
            extent: self.extent,
            walked_to: self.walked_to,
            newest: self.newest.clone(),
            authors: authors.names,
            commits,
            files,
            moved_paths: self.moved_paths.in_recording_order().map(|(path, to)| (path.clone(), to.cloned())).collect(),
            n_commits: self.n_commits,
        }
    }

    /// Returns the parts of each commit that existing files need.
    fn retained_parts(&self) -> Vec<RetainedParts> {
        let mut retained = vec![RetainedParts::default(); self.commits.len()];
        for touches in self.files.values() {
            for touch in touches {
                retained[*touch as usize].is_touched = true;
            }
            for touch in newest_touches(&self.commits, touches).into_iter().chain(first_touch(&self.commits, touches)) {
                retained[touch as usize].has_id = true;
            }
            let telling = touches.iter().rev().filter(|touch| self.commits[**touch as usize].is_informative());
            for touch in telling.take(MAX_MESSAGES_OF_FILE) {
                retained[*touch as usize].has_message = true;
            }
        }
        for (parts, commit) in retained.iter_mut().zip(&self.commits) {
            parts.has_id |= self.is_active(commit);
        }
        retained
    }
}

/// The parts of a commit that files need. Files only gain new commits, so a part that is not needed is never needed again.
#[derive(Debug, Clone, Default)]
struct RetainedParts {
    is_touched: bool,
    /// It is the first or among the last changes of a file, or recent.
    has_id: bool,
    /// It is among the stored messages of a file.
    has_message: bool,
}

fn gaps(touches: &[u32], positions: &[u32]) -> Vec<u32> {
    let mut before = 0;
    let mut gap = |touch: &u32| {
        let position = positions[*touch as usize];
        position - std::mem::replace(&mut before, position)
    };
    touches.iter().map(&mut gap).collect()
}

/// Restores a history. Validates all positions, since all other code relies on them.
fn restore(saved: SavedHistory) -> Option<History> {
    let n_commits = u32::try_from(saved.commits.len()).ok()?;
    let mut authors = Authors::default();
    let are_names_distinct =
        saved.authors.iter().zip(0..).all(|(name, position): (_, u32)| authors.position(name) == position);
    let (mut before, mut number) = (0_i64, 0_u32);
    let commit = |commit: SavedCommit| {
        before = before.wrapping_add(commit.later);
        number = number.checked_add(commit.n_since)?;
        let is_known = (commit.author as usize) < saved.authors.len() && number < saved.n_commits;
        is_known.then_some(FileCommit {
            id: commit.id,
            number,
            author: commit.author,
            at: before,
            n_files: commit.n_files,
            is_robot: commit.is_robot,
            is_fix: commit.is_fix,
            subject: commit.subject,
            body: commit.body,
        })
    };
    let commits: Option<Vec<FileCommit>> = saved.commits.into_iter().map(commit).collect();
    let commits = commits?;
    let file = |(path, gaps): (String, Vec<u32>)| {
        let touches = positions_of(&gaps, n_commits)?;
        let mut named = newest_touches(&commits, &touches).into_iter().chain(first_touch(&commits, &touches));
        named.all(|touch| commits[touch as usize].id.is_some()).then_some((path, touches))
    };
    let files: Option<FxHashMap<String, Vec<u32>>> = saved.files.into_iter().map(file).collect();
    Some(History {
        extent: saved.extent,
        walked_to: saved.walked_to,
        newest: saved.newest,
        authors: if are_names_distinct { authors } else { return None },
        files: files?,
        commits,
        moved_paths: saved.moved_paths.into_iter().collect(),
        n_commits: saved.n_commits,
    })
}

fn positions_of(gaps: &[u32], n_commits: u32) -> Option<Vec<u32>> {
    let mut position = 0_u32;
    let mut touches = Vec::with_capacity(gaps.len());
    for (gap_idx, gap) in gaps.iter().enumerate() {
        position = position.checked_add(*gap)?;
        if position >= n_commits || (gap_idx > 0 && *gap == 0) {
            return None;
        }
        touches.push(position);
    }
    Some(touches)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{MAX_ACTIVE_COMMITS, Signals, testing};

    const LINES: &[&str] = &["a 1 one: +x +y", "b 2 two: x>z ~y", "c 3 three: -y", "merge 4 four: +w", "a 5 five: ~z"];

    fn save_and_load(history: &History) -> History {
        History::from_bytes(&history.to_bytes()).expect("saved bytes can be loaded")
    }

    #[test]
    fn a_loaded_history_has_the_same_signals() {
        let mut history = testing::history(LINES);
        history.end_walk(Some(WalkedTo { tip: CommitId([7; 20]), basis: [1; 16] }));
        let again = save_and_load(&history);
        assert_eq!(again.to_bytes(), history.to_bytes());
        assert_eq!((again.extent(), again.walked_to()), (history.extent(), history.walked_to()));
        let (signals, signals_again) = (Signals::new(&history, |_| true), Signals::new(&again, |_| true));
        assert_eq!(signals.paths().collect::<Vec<_>>(), ["w", "z"]);
        for path in ["w", "x", "z"] {
            assert_eq!(signals.file(path), signals_again.file(path));
            assert!(signals.messages(path).eq(signals_again.messages(path)));
        }
    }

    #[test]
    fn unneeded_parts_are_not_saved() {
        const N_COMMITS: u32 = MAX_ACTIVE_COMMITS + 100;
        let many: Vec<String> = (0..N_COMMITS).map(|number| format!("a {number} subject<{number}>: ~x")).collect();
        let mut history = testing::history(&many.iter().map(String::as_str).collect::<Vec<_>>());
        let holds = |history: &History, text: &str| {
            history.to_bytes().windows(text.len()).any(|window| window == text.as_bytes())
        };
        let oldest = N_COMMITS - MAX_ACTIVE_COMMITS;
        assert!(holds(&history, &format!("<{oldest}>")) && !holds(&history, &format!("<{}>", oldest - 1)));
        history.extend(testing::commit("b 101 last: -x", N_COMMITS));
        assert!(!holds(&history, "subject"));
        assert!(history.to_bytes().len() < 200);
    }

    #[test]
    fn invalid_bytes_are_rejected() {
        let bytes = testing::history(LINES).to_bytes();
        for n_bytes in 0..bytes.len() {
            assert!(History::from_bytes(&bytes[..n_bytes]).is_err(), "{n_bytes}");
        }
        assert!(matches!(History::from_bytes(&[1, 0]), Err(LoadError::OtherVersion(1))));
        assert!(History::from_bytes(&[bytes, vec![0]].concat()).is_err());
    }

    fn line() -> impl Strategy<Value = String> {
        let change = prop_oneof![
            3 => "[+~-][a-e]",
            1 => "[a-e]>[a-e]",
        ];
        let changes = prop::collection::vec(change, 0..4);
        ("(a|A|b|c-bot|merge) [0-9]{1,3} (add|fix|tidy)", changes)
            .prop_map(|(head, changes)| format!("{head}: {}", changes.join(" ")))
    }

    proptest! {
        #[test]
        fn a_continued_history_equals_a_new_one(
            lines in prop::collection::vec(line(), 0..40),
            cuts in prop::collection::vec(0..40_usize, 0..4),
        ) {
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let whole = testing::history(&lines);
            let mut pieced = History::new(Extent::Whole);
            for (line, number) in lines.iter().zip(0..) {
                if cuts.contains(&(number as usize)) {
                    pieced = save_and_load(&pieced);
                }
                pieced.extend(testing::commit(line, number));
            }
            prop_assert_eq!(pieced.to_bytes(), whole.to_bytes());
            let (signals, pieced) = (Signals::new(&whole, |_| true), Signals::new(&pieced, |_| true));
            for path in signals.paths() {
                prop_assert_eq!(signals.file(path), pieced.file(path));
                prop_assert!(signals.messages(path).eq(pieced.messages(path)));
            }
            prop_assert_eq!(signals.activity(), pieced.activity());
        }

        #[test]
        fn any_bytes_give_a_history_or_an_error(mut bytes in Just(testing::history(LINES).to_bytes()), at in any::<prop::sample::Index>(), byte: u8) {
            let at = at.index(bytes.len());
            bytes[at] = byte;
            if let Ok(history) = History::from_bytes(&bytes) {
                let signals = Signals::new(&history, |_| true);
                signals.paths().for_each(|path| _ = signals.file(path));
            }
        }
    }
}
