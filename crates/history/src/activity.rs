//! Lists the recent commits of people. Two repositories are compared by the days of these commits.

use model::ActiveCommit;

use crate::{History, Signals, people::is_one_person, state::FileCommit};

/// Maximum age in seconds before the newest commit: two years. Older teams and designs are different ones.
pub const ACTIVITY_SECONDS: u64 = 2 * 365 * 86_400;

/// Maximum number of recent commits: five a day for two years. It bounds the stored and transferred data of the largest
/// repositories.
pub const MAX_ACTIVE_COMMITS: u32 = 4_000;

/// Maximum number of files of a commit that counts as activity. Larger commits are sweeps, which touch many repositories on
/// one day without being about any of them.
pub const MAX_FILES_OF_ACTIVE_COMMIT: u32 = 30;

impl History {
    /// Returns true if a commit may count as activity. The limit is a number of commits, not an age: so a commit that once was
    /// excluded stays excluded, whatever dates later commits have.
    pub(crate) fn is_active(&self, commit: &FileCommit) -> bool {
        let is_recent = self.n_commits.saturating_sub(commit.number) <= MAX_ACTIVE_COMMITS;
        let is_narrow = commit.is_informative() && commit.n_files <= MAX_FILES_OF_ACTIVE_COMMIT;
        is_recent && is_narrow && is_one_person(&self.authors.names[commit.author as usize])
    }
}

impl Signals<'_> {
    /// Returns the recent commits of people to existing files, last of the walk first.
    pub fn activity(&self) -> Vec<ActiveCommit> {
        let newest = self.history.newest.get().unwrap_or(0);
        let mut found = Vec::new();
        for (touch, commit) in self.history.commits.iter().enumerate().rev() {
            // A commit dated after the newest one has no meaningful day.
            let is_dated = self.ages[touch].0 <= ACTIVITY_SECONDS && commit.at <= newest;
            if !is_dated || commit.id.is_none() || !self.history.is_active(commit) {
                continue;
            }
            let Ok(touch) = u32::try_from(touch) else { continue };
            let paths: Vec<String> = self.co_changes.paths_of(touch).map(str::to_owned).collect();
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
        let found = Signals::new(&history, |path| path != "hidden").activity();
        let text = |commit: &ActiveCommit| {
            format!("{} {} {}", commit.change.author, commit.change.at / testing::DAY, commit.paths.join(","))
        };
        assert_eq!(found.iter().map(text).collect::<Vec<_>>(), expected, "{lines:?}");
    }

    #[test]
    fn activity_lists_commits_of_people() {
        check(&["Ada 1 one: ~x ~y", "Grace 2 two: ~x"], &["Grace 2 x", "Ada 1 x,y"]);
        check(&["c-bot 1 one: ~x", "merge 2 two: ~x"], &[]);
        check(&["root 1 one: ~x", "a@b 2 two: ~x"], &[]);
        check(&["Ada 1 one: ~x ~hidden", "Ada 2 two: ~hidden", "Ada 3 three: ~y", "Ada 4 four: -y"], &["Ada 1 x"]);
        check(&["Ada 1 one: ~x", "Ada 2 two: x>y"], &["Ada 2 y", "Ada 1 y"]);
    }

    #[test]
    fn old_and_future_commits_are_excluded() {
        let two_years = (ACTIVITY_SECONDS / 86_400) as i64;
        let (first, second) =
            (format!("Ada {} s: ~x", 19_000 - two_years), format!("Ada {} s: ~x", 18_999 - two_years));
        check(
            &["Ada 0 s: ~x", &second, &first, "Ada 19000 s: ~x"],
            &["Ada 19000 x", &format!("Ada {} x", 19_000 - two_years)],
        );
        // A future date does not count as the newest, so other commits do not age.
        check(&["Ada 19000 s: ~x", "Ada 30000 s: ~x", "Ada 19001 s: ~x"], &["Ada 19001 x", "Ada 19000 x"]);
    }

    #[test]
    fn sweeps_are_excluded() {
        let wide = |n_files: u32| format!("Ada 1 s:{}", (0..n_files).map(|n| format!(" ~f{n}")).collect::<String>());
        let n_found = |n_files| Signals::new(&testing::history(&[&wide(n_files)]), |_| true).activity().len();
        assert_eq!((n_found(MAX_FILES_OF_ACTIVE_COMMIT), n_found(MAX_FILES_OF_ACTIVE_COMMIT + 1)), (1, 0));
    }

    #[test]
    fn saving_and_loading_keeps_recent_commits() {
        let line = |number: u32| {
            if number.is_multiple_of(7) { "Ada 5 s: ~x".to_owned() } else { format!("Ada {} s: ~y", number % 600) }
        };
        let n_commits = MAX_ACTIVE_COMMITS + 500;
        let (mut whole, mut pieced) = (testing::history(&[]), testing::history(&[]));
        for number in 0..n_commits {
            whole.extend(testing::commit(&line(number), number));
            pieced.extend(testing::commit(&line(number), number));
            if number % 1_500 == 0 {
                pieced = History::from_bytes(&pieced.to_bytes()).expect("saved bytes can be loaded");
            }
        }
        // Deleting a file removes half of the recent commits, and brings no older ones back.
        let gone = testing::commit("Ada 600 s: -y", n_commits);
        whole.extend(gone.clone());
        pieced.extend(gone);
        assert_eq!(whole.to_bytes(), pieced.to_bytes());
        let (whole, pieced) = (Signals::new(&whole, |_| true).activity(), Signals::new(&pieced, |_| true).activity());
        assert_eq!(whole, pieced);
        assert!(whole.len() > 500 && whole.len() < 600, "{}", whole.len());
    }
}
