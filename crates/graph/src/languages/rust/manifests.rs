//! `Cargo.toml`, as far as crates and their names are concerned.
//!
//! A reader of the part of TOML that manifests are written in: tables, strings, inline tables, dotted keys. What it cannot
//! read it passes over.

/// What one manifest says.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Package {
    /// The folder of the manifest; empty, or with a slash at its end.
    pub(super) folder: String,
    /// Empty for a workspace without a package.
    pub(super) name: String,
    pub(super) library: Target,
    /// Binaries, tests, examples and benches that are written out.
    pub(super) targets: Vec<Target>,
    pub(super) dependencies: Vec<Dependency>,
    pub(super) workspace_dependencies: Vec<Dependency>,
}

/// A crate of a package; empty where the manifest leaves it to the layout of files.
#[derive(Debug, Default, Clone, PartialEq)]
pub(super) struct Target {
    pub(super) name: String,
    pub(super) path: String,
}

/// A package that another is built with.
#[derive(Debug, Default, Clone, PartialEq)]
pub(super) struct Dependency {
    /// The name that code knows it by, as the manifest writes it.
    pub(super) name: String,
    /// The name of the package, where that is another one.
    pub(super) package: String,
    /// The folder of the package, relative to the manifest.
    pub(super) path: Option<String>,
    /// Says the workspace where it is from.
    pub(super) is_of_workspace: bool,
}

/// Reads a manifest.
pub(super) fn read(path: &str, text: &str) -> Package {
    let folder = path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    let mut package = Package { folder, ..Package::default() };
    let mut table: Vec<String> = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let line = without_comment(line).trim();
        if let Some(header) = line.strip_prefix('[') {
            table = keys(header.trim_start_matches('[').trim_end_matches(']'));
            if line.starts_with("[[") && is_target(&table) {
                package.targets.push(Target::default());
            }
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        let mut value = value.trim().to_owned();
        if let Some(quotes) = ["\"\"\"", "'''"].iter().find(|quotes| value.starts_with(**quotes)) {
            let is_open = value.matches(quotes).count() == 1;
            is_open.then(|| lines.find(|line| line.contains(quotes)));
            continue;
        }
        // An array or table goes on until its brackets are closed.
        while depth(&value) > 0 {
            let Some(next) = lines.next() else { break };
            value.push(' ');
            value.push_str(without_comment(next).trim());
        }
        let path: Vec<String> = table.iter().cloned().chain(keys(key)).collect();
        package.take(&path, &value);
    }
    package
}

impl Package {
    fn take(&mut self, path: &[String], value: &str) {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        match path.as_slice() {
            ["package", "name"] => self.name = text_of(value),
            ["lib", "name"] => self.library.name = text_of(value),
            ["lib", "path"] => self.library.path = text_of(value),
            ["bin" | "test" | "example" | "bench", key] => {
                let Some(target) = self.targets.last_mut() else { return };
                match *key {
                    "name" => target.name = text_of(value),
                    "path" => target.path = text_of(value),
                    _ => {}
                }
            }
            ["workspace", "dependencies", name, rest @ ..] => {
                depend(&mut self.workspace_dependencies, name, rest, value);
            }
            ["dependencies" | "dev-dependencies" | "build-dependencies", name, rest @ ..]
            | ["target", _, "dependencies" | "dev-dependencies" | "build-dependencies", name, rest @ ..] => {
                depend(&mut self.dependencies, name, rest, value);
            }
            _ => {}
        }
    }
}

fn is_target(table: &[String]) -> bool {
    matches!(table, [kind] if matches!(kind.as_str(), "bin" | "test" | "example" | "bench"))
}

fn depend(all: &mut Vec<Dependency>, name: &str, rest: &[&str], value: &str) {
    let index = all.iter().rposition(|one| one.name == name).unwrap_or_else(|| {
        all.push(Dependency { name: name.to_owned(), ..Dependency::default() });
        all.len() - 1
    });
    let entries = match rest {
        [] => inline(value),
        [key, ..] => vec![((*key).to_owned(), value.to_owned())],
    };
    for (key, value) in entries {
        match key.as_str() {
            "path" => all[index].path = Some(text_of(&value)),
            "package" => all[index].package = text_of(&value),
            "workspace" => all[index].is_of_workspace = value.trim() == "true",
            _ => {}
        }
    }
}

/// Returns the entries of `{ a = "b", c = true }`.
fn inline(value: &str) -> Vec<(String, String)> {
    let Some(inside) = value.trim().strip_prefix('{').and_then(|value| value.strip_suffix('}')) else {
        return Vec::new();
    };
    let mut entries = Vec::new();
    let (mut depth, mut is_quoted, mut start) = (0i32, false, 0);
    for (at, byte) in inside.bytes().chain([b',']).enumerate() {
        match byte {
            b'"' | b'\'' => is_quoted = !is_quoted,
            b'[' | b'{' if !is_quoted => depth += 1,
            b']' | b'}' if !is_quoted => depth -= 1,
            b',' if !is_quoted && depth <= 0 => {
                if let Some((key, value)) = inside[start..at].split_once('=') {
                    entries.push((key.trim().to_owned(), value.trim().to_owned()));
                }
                start = (at + 1).min(inside.len());
            }
            _ => {}
        }
    }
    entries
}

/// Splits `a.'b.c'.d` at its dots.
fn keys(text: &str) -> Vec<String> {
    let mut keys = vec![String::new()];
    let mut quote = None;
    for c in text.trim().chars() {
        match (c, quote) {
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            ('.', None) => keys.push(String::new()),
            (c, None) if c.is_whitespace() => {}
            (c, _) => keys.last_mut().expect("there is one from the start").push(c),
        }
    }
    keys
}

fn text_of(value: &str) -> String {
    let value = value.trim();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    quote.and_then(|quote| value.split(quote).nth(1)).unwrap_or_default().to_owned()
}

fn without_comment(line: &str) -> &str {
    let mut quote = None;
    for (at, c) in line.char_indices() {
        match (c, quote) {
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            ('#', None) => return &line[..at],
            _ => {}
        }
    }
    line
}

fn depth(value: &str) -> i32 {
    let mut depth = 0;
    let mut quote = None;
    for c in value.chars() {
        match (c, quote) {
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            ('[' | '{', None) => depth += 1,
            (']' | '}', None) => depth -= 1,
            _ => {}
        }
    }
    depth
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_says_what_crates_there_are() {
        let read = read(
            "a/Cargo.toml",
            r#"
[package]
name = "a-b" # "not" this
description = """
[lib]
name = "no"
"""
keywords = [
  "x",
]
[lib]
path = "lib/a.rs"
[[bin]]
name = "run"
path = "run.rs"
[dependencies]
c = { version = "1", path = "../c", features = ["x", "y"] }
d.workspace = true
e = { package = "e-core", path = "../e" }
[target.'cfg(unix)'.dependencies.f]
path = "../f"
[workspace.dependencies]
d = { path = "d" }
"#,
        );
        assert_eq!((read.name.as_str(), read.folder.as_str(), read.library.path.as_str()), ("a-b", "a/", "lib/a.rs"));
        assert_eq!(read.targets, [Target { name: "run".into(), path: "run.rs".into() }]);
        let said: Vec<String> = read
            .dependencies
            .iter()
            .map(|one| {
                let path = one.path.as_deref().unwrap_or("-");
                format!("{} {} {path} {}", one.name, one.package, one.is_of_workspace)
            })
            .collect();
        assert_eq!(said, ["c  ../c false", "d  - true", "e e-core ../e false", "f  ../f false"]);
        assert_eq!(read.workspace_dependencies[0].path.as_deref(), Some("d"));
    }
}
