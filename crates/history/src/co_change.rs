//! Co-change within one repository: files that change in the same commits.

use model::CoChange;

use crate::History;

/// Minimum number of commits that two files must share. Two may be chance, above all in commits with many files.
pub const MIN_SUPPORT: u32 = 3;

/// Maximum number of co-changed files of one file. A file that changes with more is not related to any of them.
pub const MAX_CO_CHANGES: usize = 20;

/// Maximum number of commits examined of a file; the newest are taken. Only files that every commit touches, such as a
/// change log, have more, and their older co-changes have no weight.
const MAX_COMMITS: usize = 1_000;

/// The existing files that each informative commit touched.
pub(crate) struct CoChanges<'a> {
    history: &'a History,
    /// Sorted.
    paths: Vec<&'a str>,
    /// The files of all commits, concatenated: positions in `paths`, ascending within a commit.
    files: Vec<u32>,
    /// The start of each commit in `files`, and the end of the last one.
    starts: Vec<u32>,
}

impl<'a> CoChanges<'a> {
    pub(crate) fn new(history: &'a History, exists: impl Fn(&str) -> bool) -> CoChanges<'a> {
        let mut paths: Vec<&str> = history.paths().filter(|path| exists(path)).collect();
        paths.sort_unstable();
        let mut touches: Vec<(u32, u32)> = Vec::new();
        for (path, file) in paths.iter().zip(0..) {
            let informative =
                history.files[*path].iter().filter(|touch| history.commits[**touch as usize].is_informative());
            touches.extend(informative.map(|touch| (*touch, file)));
        }
        touches.sort_unstable();
        let mut starts = vec![0; history.commits.len() + 1];
        for (touch, _) in &touches {
            starts[*touch as usize + 1] += 1;
        }
        for commit in 1..starts.len() {
            starts[commit] += starts[commit - 1];
        }
        CoChanges { history, paths, files: touches.into_iter().map(|(_, file)| file).collect(), starts }
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = &'a str> {
        self.paths.iter().copied()
    }

    /// Returns the commits of a file, oldest first; `None` if the file does not exist.
    pub(crate) fn touches(&self, path: &str) -> Option<&'a [u32]> {
        self.paths.binary_search(&path).ok().map(|_| self.history.files[path].as_slice())
    }

    /// Returns the paths of the existing files that an informative commit touched, sorted.
    pub(crate) fn paths_of(&self, commit: u32) -> impl Iterator<Item = &'a str> {
        self.files_of(commit).iter().map(|file| self.paths[*file as usize])
    }

    fn files_of(&self, commit: u32) -> &[u32] {
        let commit = commit as usize;
        &self.files[self.starts[commit] as usize..self.starts[commit + 1] as usize]
    }

    /// Returns the co-changed files of a file, the strongest first. `weight` returns the weight of a commit.
    pub(crate) fn of_file(&self, path: &str, weight: impl Fn(u32) -> f64) -> Vec<CoChange> {
        let Ok(file) = self.paths.binary_search(&path) else { return Vec::new() };
        let touches = self.history.files[path].iter().rev();
        let informative = touches.filter(|touch| self.history.commits[**touch as usize].is_informative());
        let mut total = 0.0;
        let mut shared_commits: Vec<(u32, f64)> = Vec::new();
        for touch in informative.take(MAX_COMMITS) {
            let weight = weight(*touch);
            total += weight;
            let others = self.files_of(*touch).iter().filter(|other| **other as usize != file);
            shared_commits.extend(others.map(|other| (*other, weight)));
        }
        // A stable sort keeps the order of summation, and so the exact sums.
        shared_commits.sort_by_key(|(other, _)| *other);
        let mut found = Vec::new();
        for of_file in shared_commits.chunk_by(|a, b| a.0 == b.0) {
            let support = u32::try_from(of_file.len()).unwrap_or(u32::MAX);
            if support >= MIN_SUPPORT {
                let shared: f64 = of_file.iter().map(|(_, weight)| weight).sum();
                found.push((shared, support, self.paths[of_file[0].0 as usize]));
            }
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.2.cmp(b.2)));
        found.truncate(MAX_CO_CHANGES);
        let co_change = |(shared, support, path): (f64, u32, &str)| CoChange {
            path: path.to_owned(),
            support,
            weight: shared as f32,
            confidence: (shared / total) as f32,
        };
        found.into_iter().map(co_change).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::{MAX_FILES_OF_INFORMATIVE_COMMIT, Signals, testing};

    use super::*;

    /// Compares what changes with `x`, written `PATH SUPPORT WEIGHT CONFIDENCE`.
    fn check(lines: &[&str], expected: &[&str]) {
        let history = testing::history(lines);
        let found = Signals::new(&history, |path| path != "hidden").file("x").expect("the file is there").co_changes;
        let text = |co: &CoChange| format!("{} {} {:.2} {:.2}", co.path, co.support, co.weight, co.confidence);
        assert_eq!(found.iter().map(text).collect::<Vec<_>>(), expected, "{lines:?}");
    }

    #[test]
    fn files_that_share_commits_co_change() {
        check(&["a 0 1: ~x ~y", "a 0 2: ~x ~y"], &[]);
        check(&["a 0 1: ~x ~y", "a 0 2: ~x ~y", "a 0 3: ~x ~y"], &["y 3 3.00 1.00"]);
        check(&["a 0 1: ~x ~y", "a 0 2: ~x ~y", "a 182 3: ~x ~y", "a 182 4: ~x"], &["y 3 2.00 0.67"]);
        let both = ["a 0 1: ~x ~y ~z", "a 0 2: ~x ~y ~z", "a 0 3: ~x ~z ~y", "a 0 4: ~x ~z"];
        check(&both, &["z 4 4.00 1.00", "y 3 3.00 0.75"]);
    }

    #[test]
    fn co_changes_follow_moves_and_deletions() {
        let pair = ["a 0 1: ~x ~y", "a 0 2: ~x ~y", "a 0 3: ~x ~y"];
        check(&[&pair[..], &["a 0 4: -y"]].concat(), &[]);
        check(&[&pair[..], &["a 0 4: y>z"]].concat(), &["z 3 3.00 1.00"]);
        check(&["a 0 1: ~x ~hidden", "a 0 2: ~x ~hidden", "a 0 3: ~x ~hidden"], &[]);
    }

    #[test]
    fn robots_merges_and_large_commits_are_ignored() {
        check(&["c-bot 0 1: ~x ~y", "a 0 2: ~x ~y", "a 0 3: ~x ~y"], &[]);
        check(&["merge 0 1: ~x ~y", "a 0 2: ~x ~y", "a 0 3: ~x ~y"], &[]);
        let sweep = |n_more: u32| (0..n_more).map(|idx| format!(" ~f{idx}")).collect::<String>();
        let large = |n_more| format!("a 0 s: ~x ~y{}", sweep(n_more));
        check(&["a 0 1: ~x ~y", "a 0 2: ~x ~y", &large(MAX_FILES_OF_INFORMATIVE_COMMIT - 1)], &[]);
        check(&["a 0 1: ~x ~y", "a 0 2: ~x ~y", &large(MAX_FILES_OF_INFORMATIVE_COMMIT - 2)], &["y 3 3.00 1.00"]);
    }

    #[test]
    fn only_the_strongest_are_returned() {
        let names: String = (10..10 + 2 * MAX_CO_CHANGES).map(|idx| format!(" ~f{idx}")).collect();
        let line = format!("a 0 s: ~x{names}");
        let expected: Vec<String> = (10..10 + MAX_CO_CHANGES).map(|idx| format!("f{idx} 3 3.00 1.00")).collect();
        check(&[line.as_str(); 3], &expected.iter().map(String::as_str).collect::<Vec<_>>());
    }
}
