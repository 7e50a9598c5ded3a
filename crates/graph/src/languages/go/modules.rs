//! Go modules: resolution of import paths to folders.

use std::{cmp::Reverse, collections::BTreeMap};

use crate::manifest::ManifestFile;

/// Maximum number of leading segments of an import path that may name the repository.
const MAX_PARTS: usize = 8;

/// The `go.mod` files of a repository.
#[derive(Default)]
pub(super) struct GoModules {
    /// Import path prefixes with their folders; the longest matching prefix wins.
    roots: Vec<(String, String)>,
    /// Folders with a `go.mod`, deepest first; each may have a `vendor` folder.
    folders: Vec<String>,
}

impl GoModules {
    /// Reads every `go.mod` file.
    pub(super) fn read(manifests: &[ManifestFile<'_>]) -> GoModules {
        let mut modules = GoModules::default();
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

    /// Returns the candidate folders of an import path in a file of folder `from`, most likely first.
    pub(super) fn folders_of(&self, import: &str, from: &str) -> Vec<String> {
        let vendored = self.folders.iter().filter(|folder| is_within(from, folder));
        let vendored = vendored.map(|folder| join(folder, &join("vendor", import)));
        let mut own: Vec<(usize, &String, &str)> = Vec::new();
        for (path, folder) in &self.roots {
            if let Some(rest) =
                import.strip_prefix(path.as_str()).filter(|rest| rest.is_empty() || rest.starts_with('/'))
            {
                own.push((path.len(), folder, rest.trim_start_matches('/')));
            }
        }
        // Examples and test data often repeat a module name: a file prefers its own module.
        own.sort_by_key(|(len, folder, _)| (Reverse(*len), !is_within(from, folder)));
        let own = own.into_iter().map(|(_, folder, rest)| join(folder, rest));
        let mut found: Vec<String> = own.chain(vendored).collect();
        if !self.contains_folder(from) {
            found.extend([join("vendor", import), join("src", import)]);
        }
        found
    }

    /// Returns true if a folder is in a module.
    fn contains_folder(&self, folder: &str) -> bool {
        self.folders.iter().any(|module| is_within(folder, module))
    }

    /// Infers the import path of a repository root without `go.mod`, as was usual before Go modules.
    ///
    /// `imports` has each import path with the folder of its file; `is_package` returns true if a folder has a package.
    pub(super) fn infer_root_path<'i>(
        &mut self,
        imports: impl Iterator<Item = (&'i str, &'i str)>,
        is_package: impl Fn(&str) -> bool,
    ) {
        if self.folders.iter().any(String::is_empty) {
            return;
        }
        // A module path that ends with its own folder reveals the path of the root.
        let inferred =
            self.roots.iter().find_map(|(path, folder)| path.strip_suffix(folder.as_str())?.strip_suffix('/'));
        let root = match inferred {
            Some(root) => root.to_owned(),
            None => {
                let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
                for (import, _) in
                    imports.filter(|(_, folder)| !is_within(folder, "vendor") && !self.contains_folder(folder))
                {
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

    /// Parses the `module` and `replace` directives of a `go.mod`.
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
                "module" => self.roots.push((unquote(rest).to_owned(), folder.to_owned())),
                "replace" => self.roots.extend(parse_replacement(folder, rest)),
                _ => {}
            }
        }
    }
}

/// Returns the path and the folder of `path [version] => ./folder`, or none for a replacement by another module.
fn parse_replacement(folder: &str, line: &str) -> Option<(String, String)> {
    let (path, by) = line.split_once("=>")?;
    let path = path.split_whitespace().next()?;
    let by = unquote(by.split_whitespace().next()?);
    if !by.starts_with('.') {
        return None;
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in by.split('/') {
        match part {
            "." | "" => {}
            // A folder outside of the repository is not modelled.
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some((unquote(path).to_owned(), parts.join("/")))
}

fn unquote(text: &str) -> &str {
    text.trim().trim_matches(['"', '`'])
}

fn is_within(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn join(folder: &str, rest: &str) -> String {
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
    fn import_paths_resolve_to_folders() {
        let root = "module example.org/a // the root\n\ngo 1.22\n\nreplace (\n\texample.org/c v1.0.0 => ./third/c\n\tother.org/d => other.org/e v1.2.3\n)\n";
        let inner =
            "module \"example.org/a/inner\"\nreplace example.org/a => ../..\nreplace example.org/out => ../../out\n";
        let manifests =
            [ManifestFile { path: "go.mod", text: root }, ManifestFile { path: "tools/inner/go.mod", text: inner }];
        let modules = GoModules::read(&manifests);
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
    fn the_enclosing_module_wins_among_equal_names() {
        let texts = ["a/go.mod", "b/go.mod"].map(|path| ManifestFile { path, text: "module example.org/m" });
        let modules = GoModules::read(&texts);
        assert_eq!(modules.folders_of("example.org/m/x", "a/y")[..2], ["a/x", "b/x"]);
        assert_eq!(modules.folders_of("example.org/m/x", "b")[..2], ["b/x", "a/x"]);
    }

    #[test]
    fn the_root_path_is_inferred_without_go_mod() {
        let check = |manifest: Option<(&str, &str)>, imports: &[(&str, &str)], import: &str, expected: &[&str]| {
            let manifest = manifest.map(|(path, text)| ManifestFile { path, text });
            let mut modules = GoModules::read(manifest.as_slice());
            modules.infer_root_path(imports.iter().copied(), |folder| ["a", "a/b", "b"].contains(&folder));
            assert_eq!(modules.folders_of(import, "x"), expected, "{import}");
        };
        let imports = [
            ("k.io/name/a/b", "a"),
            ("k.io/name/a", ""),
            ("g.com/o/other/b", "a"),
            ("x/a/b", "a"),
            ("x.y/b", "vendor/z"),
        ];
        let fallback_folders = |import: &str| [format!("vendor/{import}"), format!("src/{import}")];
        let check_fallback_only = |import: &str| {
            let [vendored, workspace] = fallback_folders(import);
            check(None, &imports, import, &[&vendored, &workspace]);
        };
        check(None, &imports, "k.io/name/a/b", &["a/b", "vendor/k.io/name/a/b", "src/k.io/name/a/b"]);
        check_fallback_only("g.com/o/other/b");
        check_fallback_only("net/http");
        let inner = Some(("tools/x/go.mod", "module k.io/name/tools/x"));
        check(inner, &[], "k.io/name/a", &["a", "vendor/k.io/name/a", "src/k.io/name/a"]);
        check(Some(("go.mod", "module m.org/m")), &imports, "k.io/name/a/b", &["vendor/k.io/name/a/b"]);
    }
}
