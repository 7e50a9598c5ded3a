//! The modules that files are, and their state after a change that removes the files.

use std::collections::{BTreeMap, BTreeSet};

use graph::Family;
use model::Language;
use proto::v1;

/// Endings of names of files that imports leave out.
#[rustfmt::skip]
const ENDINGS: [&str; 14] = [
    ".d.ts", ".d.mts", ".d.cts", ".tsx", ".ts", ".mts", ".cts", ".jsx", ".js", ".mjs", ".cjs", ".pyi", ".py", ".rs",
];

/// A module: the languages that name it, and its path.
pub(in crate::get_risk::review) type ModuleKey = (Family, String);

/// The state of the module that a removed file was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ModuleState {
    /// No file is the module.
    Gone,
    /// Another file is the module now.
    Replaced,
    /// A folder is the module, and has no file for it.
    BareFolder,
    /// The files beside it are not known.
    Unknown,
}

/// The files around those that a change removes.
#[derive(Default)]
pub(super) struct SurroundingFiles {
    /// By folder: its content before the change.
    pub(super) listings: BTreeMap<String, v1::FolderListing>,
    /// The paths that the change removes.
    pub(super) removed: BTreeSet<String>,
    /// The paths that changed files have after the change.
    pub(super) written: BTreeSet<String>,
}

impl SurroundingFiles {
    /// Returns the state of a module of which a file is removed.
    pub(super) fn state_of(&self, key: &ModuleKey) -> ModuleState {
        let is_twin = |path: String| module_key(&path).as_ref() == Some(key);
        let folders = folders_of(key);
        let has_twin = |folder: &String| self.unchanged_in(folder).any(is_twin);
        if self.written.iter().cloned().any(is_twin) || folders.iter().any(has_twin) {
            return ModuleState::Replaced;
        }
        let is_whole = |folder: &String| self.listings.get(folder).is_some_and(|listing| listing.more == 0);
        match key.0 {
            Family::Python if self.has_file_below(&key.1) => ModuleState::BareFolder,
            _ if !folders.iter().all(is_whole) => ModuleState::Unknown,
            _ => ModuleState::Gone,
        }
    }

    /// Returns the paths of the listed files of a folder that the change does not remove.
    fn unchanged_in(&self, folder: &str) -> impl Iterator<Item = String> {
        let entries = self.listings.get(folder).map(|listing| listing.entries.as_slice()).unwrap_or_default();
        let files = entries.iter().filter(|entry| entry.files == 0);
        let prefix = prefix_of(folder);
        files.map(move |entry| format!("{prefix}{}", entry.name)).filter(|path| !self.removed.contains(path))
    }

    /// Returns true if a folder has files after the change.
    fn has_file_below(&self, folder: &str) -> bool {
        let prefix = prefix_of(folder);
        let entries = self.listings.get(folder).map(|listing| listing.entries.as_slice()).unwrap_or_default();
        let n_listed: u64 = entries.iter().map(|entry| entry.files.max(1)).sum();
        let n_removed = self.removed.iter().filter(|path| path.starts_with(&prefix)).count() as u64;
        n_listed > n_removed || self.written.iter().any(|path| path.starts_with(&prefix))
    }
}

fn prefix_of(folder: &str) -> String {
    if folder.is_empty() { String::new() } else { format!("{folder}/") }
}

/// Returns the folders in which files may be a module: that around it, and its own. A header is in any folder.
pub(super) fn folders_of((family, path): &ModuleKey) -> Vec<String> {
    let around = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    match family {
        Family::C => Vec::new(),
        _ => vec![around.to_owned(), path.clone()],
    }
}

/// Returns the module that a file is, in languages whose imports name files: its path without the ending, or the folder for a file that
/// stands for it.
pub(in crate::get_risk::review) fn module_key(path: &str) -> Option<ModuleKey> {
    use Language::{C, Cpp, JavaScript, Python, Rust, Tsx, TypeScript};
    let language = Language::of_path(path);
    let family = Family::of(language);
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = without_ending(name);
    let index = match language {
        Python => "__init__",
        Rust => "mod",
        JavaScript | TypeScript | Tsx => "index",
        // A header is named with its extension, and is found in any folder of includes.
        C | Cpp => return Some((family, name.to_owned())),
        _ => return None,
    };
    let is_root = language == Rust && matches!(stem, "lib" | "main");
    let module = match stem {
        _ if is_root => return None,
        stem if stem == index => folder.to_owned(),
        stem => format!("{}{stem}", prefix_of(folder)),
    };
    Some((family, module))
}

/// Returns a path without what imports leave out at its end.
pub(in crate::get_risk::review) fn without_ending(path: &str) -> &str {
    ENDINGS.iter().find_map(|ending| path.strip_suffix(ending)).unwrap_or(path)
}

/// Returns the last name of the module that a file is.
pub(super) fn module_name(path: &str) -> Option<&str> {
    let (_, module) = module_key(path)?;
    let name = module.rsplit('/').next()?;
    path.rfind(name).map(|at| &path[at..at + name.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_modules_by_their_paths() {
        for (path, expected) in [
            ("src/attrs.rs", Some("src/attrs")),
            ("src/attrs/mod.rs", Some("src/attrs")),
            ("src/lib.rs", None),
            ("app/__init__.py", Some("app")),
            ("setup.py", Some("setup")),
            ("src/a.d.ts", Some("src/a")),
            ("src/a/index.tsx", Some("src/a")),
            ("src/user.service.ts", Some("src/user.service")),
            ("src/a.test.ts", Some("src/a.test")),
            ("src/A.vue", Some("src/A.vue")),
            ("include/spdlog/fmt.h", Some("fmt.h")),
            ("src/Size.java", None),
            ("docs/guide.md", None),
            ("", None),
        ] {
            assert_eq!(module_key(path).map(|(_, module)| module).as_deref(), expected, "{path}");
        }
    }

    #[test]
    fn names_of_modules_are_the_last_ones() {
        for (path, expected) in [
            ("src/attrs/mod.rs", Some("attrs")),
            ("a/a/__init__.py", Some("a")),
            ("src/user.service.ts", Some("user.service")),
            ("x/size.h", Some("size.h")),
        ] {
            assert_eq!(module_name(path), expected, "{path}");
        }
    }

    #[test]
    fn a_module_is_gone_if_no_file_has_its_place() {
        use ModuleState::{BareFolder, Gone, Replaced, Unknown};
        // The removed path, the paths before the change, those that the change writes, and the state of the module.
        for (removed, known, written, expected) in [
            ("src/user.service.ts", "src/user.service.ts", "src/user.module.ts", Gone),
            ("src/label.ts", "src/label.ts src/label.test.ts", "src/label.stories.tsx", Gone),
            ("src/a.py", "src/a.py src/a.ts", "src/a.rs", Gone),
            ("lib/a.js", "lib/a.js lib/a.ts", "", Replaced),
            ("lib/a.js", "lib/a.js", "lib/a.ts", Replaced),
            ("lib/a.js", "lib/a.js lib/a/index.ts", "", Replaced),
            ("lib/a/index.js", "lib/a/index.js lib/a/b.js lib/a.js", "", Replaced),
            ("lib/a/index.js", "lib/a/index.js lib/a/b.js", "", Gone),
            ("foo.py", "foo.py foo/__init__.py", "", Replaced),
            ("app/__init__.py", "app/__init__.py app/x.py", "", BareFolder),
            ("app/__init__.py", "app/__init__.py app/a/x.py", "", BareFolder),
            ("app/__init__.py", "app/__init__.py", "app/x.py", BareFolder),
            ("app/__init__.py", "app/__init__.py apps/x.py", "", Gone),
            ("src/a.rs", "src/a.rs src/a/b.rs", "", Gone),
            ("src/a.rs", "", "", Unknown),
            ("x/size.h", "", "", Gone),
        ] {
            let paths = |text: &str| text.split_whitespace().map(str::to_owned).collect::<BTreeSet<String>>();
            let key = module_key(removed).unwrap();
            let known = paths(known);
            let folders = folders_of(&key).into_iter().filter(|_| !known.is_empty());
            let files = SurroundingFiles {
                listings: folders.map(|folder| (folder.clone(), listing(&folder, &known))).collect(),
                removed: paths(removed),
                written: paths(written),
            };
            assert_eq!(files.state_of(&key), expected, "{removed}");
        }
    }

    fn listing(folder: &str, paths: &BTreeSet<String>) -> v1::FolderListing {
        let prefix = prefix_of(folder);
        let mut entries: BTreeMap<&str, u64> = BTreeMap::new();
        for rest in paths.iter().filter_map(|path| path.strip_prefix(&prefix)) {
            let (name, n_files) = rest.split_once('/').map_or((rest, 0), |(name, _)| (name, 1));
            *entries.entry(name).or_default() += n_files;
        }
        let entry = |(name, files): (&str, u64)| v1::FolderEntry { name: name.to_owned(), files };
        v1::FolderListing { entries: entries.into_iter().map(entry).collect(), ..Default::default() }
    }
}
