//! Files that change together.

use model::CoChange;

use crate::History;

/// Commits that two files must share: twice is chance, in a commit of many files most of all.
pub const MIN_SUPPORT: u32 = 3;

/// Files that are named beside one file. What changes with more than these is not about any of them.
pub const MAX_CO_CHANGES: usize = 20;

/// Commits of a file that are looked through, the newest. Only files that everything touches, as a list of changes is,
/// have more, and what they changed with years ago weighs nothing.
const MAX_COMMITS: usize = 1_000;

/// Which files each commit touched; only of commits that tell which belong together, and only files that are there.
pub(crate) struct CoChanges<'a> {
    history: &'a History,
    /// Sorted.
    paths: Vec<&'a str>,
    /// Of all commits, one after the other: positions in `paths`, ascending.
    files: Vec<u32>,
    /// Where the files of each commit begin, and where those of the last one end.
    starts: Vec<u32>,
}

impl<'a> CoChanges<'a> {
    pub(crate) fn of(history: &'a History, is_there: impl Fn(&str) -> bool) -> CoChanges<'a> {
        let mut paths: Vec<&str> = history.paths().filter(|path| is_there(path)).collect();
        paths.sort_unstable();
        let mut touches: Vec<(u32, u32)> = Vec::new();
        for (path, file) in paths.iter().zip(0..) {
            let telling = history.files[*path].iter().filter(|touch| history.commits[**touch as usize].is_telling());
            touches.extend(telling.map(|touch| (*touch, file)));
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

    /// Returns the commits of a file, oldest first; none if it is not there.
    pub(crate) fn touches(&self, path: &str) -> Option<&'a [u32]> {
        self.paths.binary_search(&path).ok().map(|_| self.history.files[path].as_slice())
    }

    /// Returns the paths of the files of a telling commit that are there, in order.
    pub(crate) fn paths_of(&self, commit: u32) -> impl Iterator<Item = &'a str> {
        self.files_of(commit).iter().map(|file| self.paths[*file as usize])
    }

    fn files_of(&self, commit: u32) -> &[u32] {
        let commit = commit as usize;
        &self.files[self.starts[commit] as usize..self.starts[commit + 1] as usize]
    }

    /// Returns the files that change with one, the strongest first; `weight` tells what a commit weighs.
    pub(crate) fn of_file(&self, path: &str, weight: impl Fn(u32) -> f64) -> Vec<CoChange> {
        let Ok(file) = self.paths.binary_search(&path) else { return Vec::new() };
        let touches = self.history.files[path].iter().rev();
        let telling = touches.filter(|touch| self.history.commits[**touch as usize].is_telling());
        let mut total = 0.0;
        let mut together: Vec<(u32, f64)> = Vec::new();
        for touch in telling.take(MAX_COMMITS) {
            let weight = weight(*touch);
            total += weight;
            let others = self.files_of(*touch).iter().filter(|other| **other as usize != file);
            together.extend(others.map(|other| (*other, weight)));
        }
        // Stable, so that weights are summed in one order.
        together.sort_by_key(|(other, _)| *other);
        let mut found = Vec::new();
        for of_one in together.chunk_by(|a, b| a.0 == b.0) {
            let support = u32::try_from(of_one.len()).unwrap_or(u32::MAX);
            if support >= MIN_SUPPORT {
                let shared: f64 = of_one.iter().map(|(_, weight)| weight).sum();
                found.push((shared, support, self.paths[of_one[0].0 as usize]));
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
    use crate::{MAX_FILES_OF_A_TELLING_COMMIT, Signals, testing};

    use super::*;

    /// Compares what changes with `x`, written `PATH SUPPORT WEIGHT CONFIDENCE`.
    fn check(lines: &[&str], expected: &[&str]) {
        let history = testing::history(lines);
        let found = Signals::of(&history, |path| path != "hidden").file("x").expect("the file is there").co_changes;
        let text = |co: &CoChange| format!("{} {} {:.2} {:.2}", co.path, co.support, co.weight, co.confidence);
        assert_eq!(found.iter().map(text).collect::<Vec<_>>(), expected, "{lines:?}");
    }

    #[test]
    fn files_pair_that_share_commits() {
        check(&["a 0 1: ~x ~y", "a 0 2: ~x ~y"], &[]);
        check(&["a 0 1: ~x ~y", "a 0 2: ~x ~y", "a 0 3: ~x ~y"], &["y 3 3.00 1.00"]);
        check(&["a 0 1: ~x ~y", "a 0 2: ~x ~y", "a 182 3: ~x ~y", "a 182 4: ~x"], &["y 3 2.00 0.67"]);
        let both = ["a 0 1: ~x ~y ~z", "a 0 2: ~x ~y ~z", "a 0 3: ~x ~z ~y", "a 0 4: ~x ~z"];
        check(&both, &["z 4 4.00 1.00", "y 3 3.00 0.75"]);
    }

    #[test]
    fn pairs_last_as_long_as_their_files() {
        let pair = ["a 0 1: ~x ~y", "a 0 2: ~x ~y", "a 0 3: ~x ~y"];
        check(&[&pair[..], &["a 0 4: -y"]].concat(), &[]);
        check(&[&pair[..], &["a 0 4: y>z"]].concat(), &["z 3 3.00 1.00"]);
        check(&["a 0 1: ~x ~hidden", "a 0 2: ~x ~hidden", "a 0 3: ~x ~hidden"], &[]);
    }

    #[test]
    fn robots_merges_and_large_commits_pair_nothing() {
        check(&["c-bot 0 1: ~x ~y", "a 0 2: ~x ~y", "a 0 3: ~x ~y"], &[]);
        check(&["merge 0 1: ~x ~y", "a 0 2: ~x ~y", "a 0 3: ~x ~y"], &[]);
        let sweep = |n_more: u32| (0..n_more).map(|idx| format!(" ~f{idx}")).collect::<String>();
        let large = |n_more| format!("a 0 s: ~x ~y{}", sweep(n_more));
        check(&["a 0 1: ~x ~y", "a 0 2: ~x ~y", &large(MAX_FILES_OF_A_TELLING_COMMIT - 1)], &[]);
        check(&["a 0 1: ~x ~y", "a 0 2: ~x ~y", &large(MAX_FILES_OF_A_TELLING_COMMIT - 2)], &["y 3 3.00 1.00"]);
    }

    #[test]
    fn only_the_strongest_are_named() {
        let names: String = (10..10 + 2 * MAX_CO_CHANGES).map(|idx| format!(" ~f{idx}")).collect();
        let line = format!("a 0 s: ~x{names}");
        let expected: Vec<String> = (10..10 + MAX_CO_CHANGES).map(|idx| format!("f{idx} 3 3.00 1.00")).collect();
        check(&[line.as_str(); 3], &expected.iter().map(String::as_str).collect::<Vec<_>>());
    }
}
