//! Where files went that are no longer where they were.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

/// Paths that are remembered; the oldest go first. A side branch that comes in later than this many moves and
/// deletions loses what it did to the files that were moved.
const MAX_TRACES: usize = 10_000;

/// Moves that are followed from one path to the next.
const MAX_MOVES: usize = 64;

/// What became of paths at which files were.
#[derive(Debug, Clone, Default)]
pub(crate) struct Traces {
    by_path: FxHashMap<String, Trace>,
    /// The paths by the time at which they were left.
    by_age: BTreeMap<u64, String>,
    n_left: u64,
}

#[derive(Debug, Clone)]
struct Trace {
    left_at: u64,
    /// None if the file was deleted.
    to: Option<String>,
}

impl Traces {
    /// Notes that the file at a path was deleted.
    pub(crate) fn gone(&mut self, path: String) {
        self.leave(path, None);
    }

    /// Notes that the file at a path was moved.
    pub(crate) fn moved(&mut self, path: String, to: String) {
        self.leave(path, Some(to));
    }

    fn leave(&mut self, path: String, to: Option<String>) {
        self.forget(&path);
        self.n_left += 1;
        self.by_age.insert(self.n_left, path.clone());
        self.by_path.insert(path, Trace { left_at: self.n_left, to });
        if self.by_age.len() > MAX_TRACES
            && let Some((_, oldest)) = self.by_age.pop_first()
        {
            self.by_path.remove(&oldest);
        }
    }

    /// Notes that there is a file at a path again.
    pub(crate) fn forget(&mut self, path: &str) {
        if let Some(trace) = self.by_path.remove(path) {
            self.by_age.remove(&trace.left_at);
        }
    }

    /// Says whether a file has left this path.
    pub(crate) fn holds(&self, path: &str) -> bool {
        self.by_path.contains_key(path)
    }

    /// Returns where the file went that was at a path, which is the path itself if nothing is known of it; none if it is gone.
    pub(crate) fn follow(&self, path: String) -> Option<String> {
        let mut at = &path;
        for _ in 0..MAX_MOVES {
            match self.by_path.get(at) {
                Some(trace) => at = trace.to.as_ref()?,
                None => return Some(at.clone()),
            }
        }
        None
    }

    /// Returns paths, and where their files went, in the order in which they were left.
    pub(crate) fn in_order(&self) -> impl Iterator<Item = (&String, Option<&String>)> {
        self.by_age.values().map(|path| (path, self.by_path.get(path).and_then(|trace| trace.to.as_ref())))
    }
}

impl FromIterator<(String, Option<String>)> for Traces {
    fn from_iter<I: IntoIterator<Item = (String, Option<String>)>>(left: I) -> Traces {
        let mut traces = Traces::default();
        left.into_iter().for_each(|(path, to)| traces.leave(path, to));
        traces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(moves: &[(&str, Option<&str>)], path: &str, expected: Option<&str>) {
        let moves = moves.iter().map(|(path, to)| ((*path).to_owned(), to.map(str::to_owned)));
        assert_eq!(moves.collect::<Traces>().follow(path.to_owned()).as_deref(), expected, "{path}");
    }

    #[test]
    fn files_are_followed_from_move_to_move() {
        check(&[], "a", Some("a"));
        check(&[("a", Some("b"))], "a", Some("b"));
        check(&[("a", Some("b")), ("b", Some("c"))], "a", Some("c"));
        check(&[("a", Some("b")), ("b", None)], "a", None);
        check(&[("a", Some("b")), ("a", None)], "a", None);
        check(&[("a", Some("b")), ("b", Some("a"))], "a", None);
    }

    #[test]
    fn the_oldest_traces_go_first() {
        let mut traces: Traces = (0..=MAX_TRACES).map(|idx| (idx.to_string(), None)).collect();
        assert!(!traces.holds("0") && traces.holds("1"));
        traces.forget("1");
        traces.gone("new".to_owned());
        assert!(traces.holds("2") && traces.holds("new") && !traces.holds("1"));
    }
}
