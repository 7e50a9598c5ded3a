//! Tracks paths whose files were moved or deleted.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

/// Maximum number of tracked paths; the oldest are evicted. If a side branch is merged after this many moves and deletions,
/// its changes to moved files are lost.
const MAX_MOVED_PATHS: usize = 10_000;

/// Maximum number of consecutive moves that are followed.
const MAX_MOVES: usize = 64;

/// The paths whose files were moved or deleted, and their destinations.
#[derive(Debug, Clone, Default)]
pub(crate) struct MovedPaths {
    by_path: FxHashMap<String, MovedPath>,
    /// The paths by the sequence number of their move or deletion.
    by_time: BTreeMap<u64, String>,
    n_recorded: u64,
}

#[derive(Debug, Clone)]
struct MovedPath {
    recorded_at: u64,
    /// None if the file was deleted.
    to: Option<String>,
}

impl MovedPaths {
    /// Records the deletion of the file at a path.
    pub(crate) fn record_deletion(&mut self, path: String) {
        self.record(path, None);
    }

    /// Records a move of the file at a path.
    pub(crate) fn record_move(&mut self, path: String, to: String) {
        self.record(path, Some(to));
    }

    fn record(&mut self, path: String, to: Option<String>) {
        self.forget(&path);
        self.n_recorded += 1;
        self.by_time.insert(self.n_recorded, path.clone());
        self.by_path.insert(path, MovedPath { recorded_at: self.n_recorded, to });
        if self.by_time.len() > MAX_MOVED_PATHS
            && let Some((_, oldest)) = self.by_time.pop_first()
        {
            self.by_path.remove(&oldest);
        }
    }

    /// Removes a path at which a file exists again.
    pub(crate) fn forget(&mut self, path: &str) {
        if let Some(trace) = self.by_path.remove(path) {
            self.by_time.remove(&trace.recorded_at);
        }
    }

    /// Returns true if the file at this path was moved or deleted.
    pub(crate) fn contains(&self, path: &str) -> bool {
        self.by_path.contains_key(path)
    }

    /// Returns the current path of a file, which is `path` itself if no move is recorded; `None` if the file was deleted.
    pub(crate) fn resolve(&self, path: String) -> Option<String> {
        let mut at = &path;
        for _ in 0..MAX_MOVES {
            match self.by_path.get(at) {
                Some(trace) => at = trace.to.as_ref()?,
                None => return Some(at.clone()),
            }
        }
        None
    }

    /// Returns the paths and their destinations, in the order in which they were recorded.
    pub(crate) fn in_recording_order(&self) -> impl Iterator<Item = (&String, Option<&String>)> {
        self.by_time.values().map(|path| (path, self.by_path.get(path).and_then(|trace| trace.to.as_ref())))
    }
}

impl FromIterator<(String, Option<String>)> for MovedPaths {
    fn from_iter<I: IntoIterator<Item = (String, Option<String>)>>(left: I) -> MovedPaths {
        let mut moved_paths = MovedPaths::default();
        left.into_iter().for_each(|(path, to)| moved_paths.record(path, to));
        moved_paths
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(moves: &[(&str, Option<&str>)], path: &str, expected: Option<&str>) {
        let moves = moves.iter().map(|(path, to)| ((*path).to_owned(), to.map(str::to_owned)));
        assert_eq!(moves.collect::<MovedPaths>().resolve(path.to_owned()).as_deref(), expected, "{path}");
    }

    #[test]
    fn chains_of_moves_are_followed() {
        check(&[], "a", Some("a"));
        check(&[("a", Some("b"))], "a", Some("b"));
        check(&[("a", Some("b")), ("b", Some("c"))], "a", Some("c"));
        check(&[("a", Some("b")), ("b", None)], "a", None);
        check(&[("a", Some("b")), ("a", None)], "a", None);
        check(&[("a", Some("b")), ("b", Some("a"))], "a", None);
    }

    #[test]
    fn the_oldest_paths_are_evicted_first() {
        let mut moved_paths: MovedPaths = (0..=MAX_MOVED_PATHS).map(|idx| (idx.to_string(), None)).collect();
        assert!(!moved_paths.contains("0") && moved_paths.contains("1"));
        moved_paths.forget("1");
        moved_paths.record_deletion("new".to_owned());
        assert!(moved_paths.contains("2") && moved_paths.contains("new") && !moved_paths.contains("1"));
    }
}
