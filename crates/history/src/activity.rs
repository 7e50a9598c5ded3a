//! Who was active lately, on what: the commits by which two repositories can be compared.

use model::ActiveCommit;

use crate::{History, Signals, people::is_one_person, state::Touching};

/// Seconds before the newest commit that are looked at: two years. Teams and designs of before are others.
pub const ACTIVITY_SECONDS: u64 = 2 * 365 * 86_400;

/// Commits that are looked at, the latest of the walk: five a day for two years. It bounds what is kept and sent of the
/// largest repositories.
pub const MAX_ACTIVE_COMMITS: u32 = 4_000;

/// Files up to which a commit says what somebody was working on. Larger ones are sweeps, which go through many
/// repositories on one day without being about any.
pub const MAX_FILES_OF_ACTIVE_COMMIT: u32 = 30;

impl History {
    /// Says whether a commit may be among the activity. It asks for the number of commits and not for their age, so that
    /// what once was left behind never comes back, whatever dates are still to come.
    pub(crate) fn is_active(&self, commit: &Touching) -> bool {
        let is_late = self.n_commits.saturating_sub(commit.number) <= MAX_ACTIVE_COMMITS;
        let is_narrow = commit.is_telling() && commit.n_files <= MAX_FILES_OF_ACTIVE_COMMIT;
        is_late && is_narrow && is_one_person(&self.authors.names[commit.author as usize])
    }
}

impl Signals<'_> {
    /// Returns the latest commits of people to files that are there, the last of the walk first.
    pub fn activity(&self) -> Vec<ActiveCommit> {
        let newest = self.history.newest.get().unwrap_or(0);
        let mut found = Vec::new();
        for (touch, commit) in self.history.commits.iter().enumerate().rev() {
            // What claims to come after the newest commit has no day that could be compared.
            let is_dated = self.ages[touch].0 <= ACTIVITY_SECONDS && commit.at <= newest;
            if !is_dated || commit.id.is_none() || !self.history.is_active(commit) {
                continue;
            }
            let Ok(touch) = u32::try_from(touch) else { continue };
            let paths: Vec<String> = self.pairs.paths_of(touch).map(str::to_owned).collect();
            if !paths.is_empty() {
                found.push(ActiveCommit { change: self.change(touch), paths });
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    /// Compares the activity, written `AUTHOR DAY PATH,PATH`.
    fn check(lines: &[&str], expected: &[&str]) {
        let history = testing::history(lines);
        let found = Signals::of(&history, |path| path != "hidden").activity();
        let text = |commit: &ActiveCommit| {
            format!("{} {} {}", commit.change.author, commit.change.at / testing::DAY, commit.paths.join(","))
        };
        assert_eq!(found.iter().map(text).collect::<Vec<_>>(), expected, "{lines:?}");
    }

    #[test]
    fn people_are_active() {
        check(&["Ada 1 one: ~x ~y", "Grace 2 two: ~x"], &["Grace 2 x", "Ada 1 x,y"]);
        check(&["c-bot 1 one: ~x", "merge 2 two: ~x"], &[]);
        check(&["root 1 one: ~x", "a@b 2 two: ~x"], &[]);
        check(&["Ada 1 one: ~x ~hidden", "Ada 2 two: ~hidden", "Ada 3 three: ~y", "Ada 4 four: -y"], &["Ada 1 x"]);
        check(&["Ada 1 one: ~x", "Ada 2 two: x>y"], &["Ada 2 y", "Ada 1 y"]);
    }

    #[test]
    fn what_is_long_ago_or_yet_to_come_is_left_out() {
        let two_years = (ACTIVITY_SECONDS / 86_400) as i64;
        let (first, second) =
            (format!("Ada {} s: ~x", 19_000 - two_years), format!("Ada {} s: ~x", 18_999 - two_years));
        check(
            &["Ada 0 s: ~x", &second, &first, "Ada 19000 s: ~x"],
            &["Ada 19000 x", &format!("Ada {} x", 19_000 - two_years)],
        );
        // A commit of the future is no newest one, so that it makes nothing old.
        check(&["Ada 19000 s: ~x", "Ada 30000 s: ~x", "Ada 19001 s: ~x"], &["Ada 19001 x", "Ada 19000 x"]);
    }

    #[test]
    fn sweeps_are_left_out() {
        let wide = |n_files: u32| format!("Ada 1 s:{}", (0..n_files).map(|n| format!(" ~f{n}")).collect::<String>());
        let n_found = |n_files| Signals::of(&testing::history(&[&wide(n_files)]), |_| true).activity().len();
        assert_eq!((n_found(MAX_FILES_OF_ACTIVE_COMMIT), n_found(MAX_FILES_OF_ACTIVE_COMMIT + 1)), (1, 0));
    }

    #[test]
    fn the_latest_are_kept_however_they_came() {
        let line = |number: u32| {
            if number.is_multiple_of(7) { "Ada 5 s: ~x".to_owned() } else { format!("Ada {} s: ~y", number % 600) }
        };
        let n_commits = MAX_ACTIVE_COMMITS + 500;
        let (mut whole, mut pieced) = (testing::history(&[]), testing::history(&[]));
        for number in 0..n_commits {
            whole.extend(testing::commit(&line(number), number));
            pieced.extend(testing::commit(&line(number), number));
            if number % 1_500 == 0 {
                pieced = History::from_bytes(&pieced.to_bytes()).expect("what was saved can be loaded");
            }
        }
        // Half of what was recent goes with its file, which brings nothing older back.
        let gone = testing::commit("Ada 600 s: -y", n_commits);
        whole.extend(gone.clone());
        pieced.extend(gone);
        assert_eq!(whole.to_bytes(), pieced.to_bytes());
        let (whole, pieced) = (Signals::of(&whole, |_| true).activity(), Signals::of(&pieced, |_| true).activity());
        assert_eq!(whole, pieced);
        assert!(whole.len() > 500 && whole.len() < 600, "{}", whole.len());
    }
}
