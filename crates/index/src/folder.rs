//! Listings of folders: the files and folders directly in one.

use crate::snapshot::Snapshot;

/// Maximum number of listed entries: more are read by no one.
const MAX_ENTRIES: usize = 1_000;

/// The content of a folder; no entry if no file is below it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListedFolder {
    /// Files and folders, by path.
    pub entries: Vec<ListedEntry>,
    /// Number of further entries.
    pub n_more: u64,
}

/// A file or folder of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedEntry {
    /// Its name, one component of a path.
    pub name: String,
    /// Number of files below it; 0 for a file.
    pub n_files: u64,
}

impl Snapshot {
    /// Lists a folder. An empty path is the root of the repository.
    pub fn folder(&self, path: &str) -> ListedFolder {
        let path = path.trim_matches('/');
        let prefix = if path.is_empty() { String::new() } else { format!("{path}/") };
        let files = &self.tables().files;
        // Files are sorted by path, so that those below a folder follow each other.
        let first = files.partition_point(|file| file.path.as_str() < prefix.as_str());
        listed(files.iter().skip(first).map_while(|file| file.path.as_str().strip_prefix(prefix.as_str())))
    }
}

/// Lists the first components of sorted paths.
fn listed<'a>(paths: impl Iterator<Item = &'a str>) -> ListedFolder {
    let mut folder = ListedFolder::default();
    let mut last_name = None;
    for path in paths {
        let (name, n_files) = path.split_once('/').map_or((path, 0), |(name, _)| (name, 1));
        let has_room = folder.entries.len() < MAX_ENTRIES;
        match folder.entries.last_mut() {
            Some(last) if last.name == name => last.n_files += n_files,
            // Of a folder beyond the bound, which is counted.
            _ if last_name == Some(name) => {}
            _ if has_room => folder.entries.push(ListedEntry { name: name.to_owned(), n_files }),
            _ => folder.n_more += 1,
        }
        last_name = Some(name);
    }
    folder
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorted_paths_become_files_and_folders() {
        let entry = |name: &str, n_files| ListedEntry { name: name.to_owned(), n_files };
        for (paths, expected) in [
            (&[][..], vec![]),
            (
                &["Makefile", "src-old/x.rs", "src/a.rs", "src/http/b.rs", "src.rs"],
                vec![entry("Makefile", 0), entry("src-old", 1), entry("src", 2), entry("src.rs", 0)],
            ),
        ] {
            let found = listed(paths.iter().copied());
            assert_eq!((found.entries, found.n_more), (expected, 0), "{paths:?}");
        }
    }

    #[test]
    fn entries_beyond_the_bound_are_counted_once() {
        let paths: Vec<String> =
            (0..MAX_ENTRIES + 2).flat_map(|idx| [format!("d{idx:05}/a"), format!("d{idx:05}/b")]).collect();
        let found = listed(paths.iter().map(String::as_str));
        assert_eq!((found.entries.len(), found.n_more), (MAX_ENTRIES, 2));
        assert!(found.entries.iter().all(|entry| entry.n_files == 2));
    }
}
