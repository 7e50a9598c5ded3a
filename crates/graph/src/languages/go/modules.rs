//! Go modules: which folder an import path means.

use std::{cmp::Reverse, collections::BTreeMap};

use crate::program::Manifest;

/// The most parts of an import path that may be those of its repository.
const MAX_PARTS: usize = 8;

/// The modules of a repository.
#[derive(Default)]
pub(super) struct Modules {
    /// Import paths with their folders; the longest path that fits decides.
    roots: Vec<(String, String)>,
    /// Folders with modules, the deepest first: whose `vendor` folder is looked into.
    folders: Vec<String>,
}

impl Modules {
    /// Reads every `go.mod`.
    pub(super) fn read(manifests: &[Manifest<'_>]) -> Modules {
        let mut modules = Modules::default();
        for manifest in manifests {
            let Some(folder) = manifest.path.strip_suffix("go.mod") else { continue };
            if folder.is_empty() || folder.ends_with('/') {
                modules.add(folder.trim_end_matches('/'), manifest.text);
            }
        }
        modules.roots.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.cmp(b)));
        modules.folders.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        modules
    }

    /// Returns the folders that an import path may mean to a file in the folder `from`, the likeliest first.
    pub(super) fn folders_of(&self, import: &str, from: &str) -> Vec<String> {
        let vendored = self.folders.iter().filter(|folder| is_within(from, folder));
        let vendored = vendored.map(|folder| joined(folder, &joined("vendor", import)));
        let mut own: Vec<(usize, &String, &str)> = Vec::new();
        for (path, folder) in &self.roots {
            if let Some(rest) =
                import.strip_prefix(path.as_str()).filter(|rest| rest.is_empty() || rest.starts_with('/'))
            {
                own.push((path.len(), folder, rest.trim_start_matches('/')));
            }
        }
        // Of modules of one name, as examples and test data often are, a file means the one that it is in.
        own.sort_by_key(|(len, folder, _)| (Reverse(*len), !is_within(from, folder)));
        let own = own.into_iter().map(|(_, folder, rest)| joined(folder, rest));
        let mut found: Vec<String> = own.chain(vendored).collect();
        if !self.holds(from) {
            found.extend([joined("vendor", import), joined("src", import)]);
        }
        found
    }

    /// Says whether a folder is in a module.
    fn holds(&self, folder: &str) -> bool {
        self.folders.iter().any(|module| is_within(folder, module))
    }

    /// Finds out under which path a repository is imported that has no module at its root, as before there were modules.
    ///
    /// `imports` are those of its files with the folders of the files; `is_package` says which folders hold packages.
    pub(super) fn find_root<'i>(
        &mut self,
        imports: impl Iterator<Item = (&'i str, &'i str)>,
        is_package: impl Fn(&str) -> bool,
    ) {
        if self.folders.iter().any(String::is_empty) {
            return;
        }
        // A module that is named after its folder tells where the root lies.
        let named = self.roots.iter().find_map(|(path, folder)| path.strip_suffix(folder.as_str())?.strip_suffix('/'));
        let root = match named {
            Some(root) => root.to_owned(),
            None => {
                let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
                for (import, _) in imports.filter(|(_, folder)| !is_within(folder, "vendor") && !self.holds(folder)) {
                    let host = import.split('/').next().unwrap_or_default();
                    let cuts = import.match_indices('/').map(|(at, _)| at).filter(|_| host.contains('.'));
                    for at in cuts.take(MAX_PARTS).filter(|at| is_package(&import[at + 1..])) {
                        *counts.entry(&import[..at]).or_default() += 1;
                    }
                }
                let most = counts.into_iter().max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(a.0)));
                let Some((root, _)) = most else { return };
                root.to_owned()
            }
        };
        self.roots.push((root, String::new()));
    }

    fn add(&mut self, folder: &str, text: &str) {
        self.folders.push(folder.to_owned());
        let mut block = "";
        for line in text.lines() {
            let line = line.split("//").next().unwrap_or_default().trim();
            let (directive, rest) = match line.split_once(char::is_whitespace) {
                _ if line == ")" => {
                    block = "";
                    continue;
                }
                Some((directive, "(")) => {
                    block = directive;
                    continue;
                }
                _ if !block.is_empty() => (block, line),
                Some((directive, rest)) => (directive, rest.trim()),
                None => continue,
            };
            match directive {
                "module" => self.roots.push((unquoted(rest).to_owned(), folder.to_owned())),
                "replace" => self.roots.extend(replaced(folder, rest)),
                _ => {}
            }
        }
    }
}

/// Returns the path and the folder of `path [version] => ./folder`; nothing for what is replaced by another module.
fn replaced(folder: &str, line: &str) -> Option<(String, String)> {
    let (path, by) = line.split_once("=>")?;
    let path = path.split_whitespace().next()?;
    let by = unquoted(by.split_whitespace().next()?);
    if !by.starts_with('.') {
        return None;
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in by.split('/') {
        match part {
            "." | "" => {}
            // What is outside of the repository is none of its folders.
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some((unquoted(path).to_owned(), parts.join("/")))
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['"', '`'])
}

fn is_within(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn joined(folder: &str, rest: &str) -> String {
    match (folder, rest) {
        ("", rest) => rest.to_owned(),
        (folder, "") => folder.to_owned(),
        (folder, rest) => format!("{folder}/{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn import_paths_mean_folders() {
        let root = "module example.org/a // the root\n\ngo 1.22\n\nreplace (\n\texample.org/c v1.0.0 => ./third/c\n\tother.org/d => other.org/e v1.2.3\n)\n";
        let inner =
            "module \"example.org/a/inner\"\nreplace example.org/a => ../..\nreplace example.org/out => ../../out\n";
        let manifests = [Manifest { path: "go.mod", text: root }, Manifest { path: "tools/inner/go.mod", text: inner }];
        let modules = Modules::read(&manifests);
        let check = |import: &str, from: &str, expected: &[&str]| {
            assert_eq!(modules.folders_of(import, from), expected, "{import} from {from}");
        };
        check("example.org/a", "x", &["", "", "vendor/example.org/a"]);
        check("example.org/a/b/c", "x", &["b/c", "b/c", "vendor/example.org/a/b/c"]);
        check("example.org/ab", "x", &["vendor/example.org/ab"]);
        check("example.org/c/d", "", &["third/c/d", "vendor/example.org/c/d"]);
        check("example.org/a/inner/z", "", &["tools/inner/z", "inner/z", "inner/z", "vendor/example.org/a/inner/z"]);
        check(
            "example.org/a/x",
            "tools/inner",
            &["x", "x", "tools/inner/vendor/example.org/a/x", "vendor/example.org/a/x"],
        );
        check("fmt", "tools/inner/q", &["tools/inner/vendor/fmt", "vendor/fmt"]);
    }

    #[test]
    fn of_modules_of_one_name_the_one_around_is_meant() {
        let texts = ["a/go.mod", "b/go.mod"].map(|path| Manifest { path, text: "module example.org/m" });
        let modules = Modules::read(&texts);
        assert_eq!(modules.folders_of("example.org/m/x", "a/y")[..2], ["a/x", "b/x"]);
        assert_eq!(modules.folders_of("example.org/m/x", "b")[..2], ["b/x", "a/x"]);
    }

    #[test]
    fn the_root_of_a_repository_without_a_module_there_is_found() {
        let check = |manifest: Option<(&str, &str)>, imports: &[(&str, &str)], import: &str, expected: &[&str]| {
            let manifest = manifest.map(|(path, text)| Manifest { path, text });
            let mut modules = Modules::read(manifest.as_slice());
            modules.find_root(imports.iter().copied(), |folder| ["a", "a/b", "b"].contains(&folder));
            assert_eq!(modules.folders_of(import, "x"), expected, "{import}");
        };
        let imports = [
            ("k.io/name/a/b", "a"),
            ("k.io/name/a", ""),
            ("g.com/o/other/b", "a"),
            ("x/a/b", "a"),
            ("x.y/b", "vendor/z"),
        ];
        let elsewhere = |import: &str| [format!("vendor/{import}"), format!("src/{import}")];
        let elsewhere_only = |import: &str| {
            let [vendored, workspace] = elsewhere(import);
            check(None, &imports, import, &[&vendored, &workspace]);
        };
        check(None, &imports, "k.io/name/a/b", &["a/b", "vendor/k.io/name/a/b", "src/k.io/name/a/b"]);
        elsewhere_only("g.com/o/other/b");
        elsewhere_only("net/http");
        let inner = Some(("tools/x/go.mod", "module k.io/name/tools/x"));
        check(inner, &[], "k.io/name/a", &["a", "vendor/k.io/name/a", "src/k.io/name/a"]);
        check(Some(("go.mod", "module m.org/m")), &imports, "k.io/name/a/b", &["vendor/k.io/name/a/b"]);
    }
}
