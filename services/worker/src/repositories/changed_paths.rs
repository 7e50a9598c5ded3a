//! The paths of a work tree that changed since it was listed for the served generation.

use std::collections::BTreeSet;

/// Maximum number of paths that are named.
const MAX_NAMED: usize = 20;

/// Paths that changed. Beyond a limit they are only counted as further ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ChangedPaths {
    named: BTreeSet<String>,
    has_further: bool,
}

impl ChangedPaths {
    pub(crate) fn add(&mut self, path: String) {
        match self.named.len() < MAX_NAMED || self.named.contains(&path) {
            true => _ = self.named.insert(path),
            false => self.has_further = true,
        }
    }

    /// Notes that paths changed which nobody named.
    pub(crate) fn add_unnamed(&mut self) {
        self.has_further = true;
    }

    pub(crate) fn extend(&mut self, other: ChangedPaths) {
        other.named.into_iter().for_each(|path| self.add(path));
        self.has_further |= other.has_further;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.named.is_empty() && !self.has_further
    }

    /// Returns the paths, sorted. `...` stands for further ones.
    pub(crate) fn to_list(&self) -> Vec<String> {
        let further = self.has_further.then(|| "...".to_owned());
        self.named.iter().cloned().chain(further).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_paths_are_named() {
        let mut paths = ChangedPaths::default();
        assert!(paths.is_empty());
        (0..MAX_NAMED).for_each(|idx| paths.add(format!("{idx:02}")));
        paths.add("00".to_owned());
        assert_eq!(paths.to_list().len(), MAX_NAMED);
        let mut all = ChangedPaths::default();
        all.add("99".to_owned());
        all.extend(paths);
        assert_eq!((all.to_list().len(), all.to_list().last().map(String::as_str)), (MAX_NAMED + 1, Some("...")));
        let mut unnamed = ChangedPaths::default();
        unnamed.add_unnamed();
        assert_eq!((unnamed.is_empty(), unnamed.to_list()), (false, vec!["...".to_owned()]));
    }
}
