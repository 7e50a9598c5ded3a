//! Packages: what a repository calls its own, and what it says it needs of others, as its manifests have it.

mod setup_py;

use std::collections::{BTreeMap, BTreeSet};

use crate::{manifest::is_requirements, program::Manifest};

/// The most packages and requirements of one manifest; lock files and generated ones have more, and say no more.
const MAX_DECLARED: usize = 2_000;

/// The packages of a repository.
#[derive(Debug, Default)]
pub(crate) struct Packages {
    /// By folder of the manifest, with `/` behind it, or empty for the root: the packages that are made there.
    own: BTreeMap<String, Vec<Made>>,
    /// By path of the manifest: what it requires.
    required: BTreeMap<String, Vec<Declared>>,
    keys: BTreeSet<String>,
}

/// A package that a manifest makes.
#[derive(Debug)]
struct Made {
    /// The path of the manifest.
    manifest: String,
    declared: Declared,
}

/// A package as a manifest names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Declared {
    /// The ecosystem and the name in it: `npm:@harbour/kit`, `cargo:tokio`, `go:example.com/kit`, `pypi:flask`,
    /// `maven:org.acme:kit`, `composer:acme/kit`.
    pub(crate) key: String,
    /// What code calls it, where that is another name (`dep = { package = "…" }`).
    pub(crate) local: String,
    pub(crate) line: u32,
}

impl Packages {
    /// Reads the manifests of a repository.
    pub(crate) fn new(manifests: &[Manifest<'_>]) -> Packages {
        let mut packages = Packages::default();
        for manifest in manifests {
            let (mut own, mut required) = read(manifest);
            // What a package is called may be what others are called as well.
            if let Some(line) = own_line(manifest.text) {
                own.iter_mut().for_each(|declared| declared.line = line);
            }
            own.truncate(MAX_DECLARED);
            required.truncate(MAX_DECLARED);
            packages.keys.extend(required.iter().map(|declared| declared.key.clone()));
            let folder = manifest.path.rfind('/').map_or("", |slash| &manifest.path[..=slash]);
            let made = own.into_iter().map(|declared| Made { manifest: manifest.path.to_owned(), declared });
            packages.own.entry(folder.to_owned()).or_default().extend(made);
            packages.required.entry(manifest.path.to_owned()).or_default().extend(required);
        }
        packages
    }

    /// Returns the package of an ecosystem that a file belongs to, with the folder of its manifest: the nearest above it.
    pub(crate) fn of(&self, path: &str, ecosystem: &str) -> Option<(&str, &Declared)> {
        let mut folder = path;
        loop {
            folder = folder.rfind('/').map_or("", |slash| &folder[..=slash]);
            if let Some((found, made)) = self.own.get_key_value(folder)
                && let Some(one) = made.iter().find(|made| is_of(&made.declared.key, ecosystem))
            {
                return Some((found, &one.declared));
            }
            if folder.is_empty() {
                return None;
            }
            folder = &folder[..folder.len() - 1];
        }
    }

    /// Returns what the manifest at a path makes and requires, whatever its neighbours say.
    pub(crate) fn at(&self, path: &str) -> (Vec<&Declared>, Vec<&Declared>) {
        let folder = path.rfind('/').map_or("", |slash| &path[..=slash]);
        let own = self.own.get(folder).into_iter().flatten().filter(|made| made.manifest == path);
        (own.map(|made| &made.declared).collect(), self.required.get(path).into_iter().flatten().collect())
    }

    /// Says whether any manifest requires a package.
    pub(crate) fn requires(&self, key: &str) -> bool {
        self.keys.contains(key)
    }

    /// Says whether any manifest requires anything of an ecosystem.
    pub(crate) fn requires_any(&self, ecosystem: &str) -> bool {
        self.keys.iter().any(|key| is_of(key, ecosystem))
    }

    /// Says whether a package is made here.
    pub(crate) fn makes(&self, key: &str) -> bool {
        self.own.values().flatten().any(|made| made.declared.key == key)
    }

    /// Returns every required package of an ecosystem.
    pub(crate) fn required(&self, ecosystem: &str) -> impl Iterator<Item = &Declared> {
        self.required.values().flatten().filter(move |declared| is_of(&declared.key, ecosystem))
    }
}

fn is_of(key: &str, ecosystem: &str) -> bool {
    key.strip_prefix(ecosystem).is_some_and(|rest| rest.starts_with(':'))
}

/// Returns what a manifest makes and what it requires; nothing of one that cannot be read.
fn read(manifest: &Manifest<'_>) -> (Vec<Declared>, Vec<Declared>) {
    let text = manifest.text;
    let declared = |ecosystem: &str, name: &str, local: &str| Declared {
        key: format!("{ecosystem}:{name}"),
        local: local.to_owned(),
        line: line_of(text, if local.is_empty() { name } else { local }),
    };
    match manifest.path.rsplit('/').next().unwrap_or(manifest.path) {
        "package.json" => json(text, "npm", "name", &NPM_TABLES, &declared),
        "composer.json" => json(text, "composer", "name", &["require", "require-dev"], &declared),
        "Cargo.toml" => cargo(text, &declared),
        "go.mod" => go(text, &declared),
        "pyproject.toml" => pyproject(text, &declared),
        "setup.cfg" => setup_cfg(text, &declared),
        "setup.py" => setup_py::read(text, &declared),
        "pom.xml" => pom(text, &declared),
        _ if is_requirements(manifest.path) && !is_compiled(text) => {
            (Vec::new(), requirements(text.lines(), &declared))
        }
        _ => (Vec::new(), Vec::new()),
    }
}

const NPM_TABLES: [&str; 4] = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];

type Make<'a> = dyn Fn(&str, &str, &str) -> Declared + 'a;
type OwnAndRequired = (Vec<Declared>, Vec<Declared>);

fn json(text: &str, ecosystem: &str, name: &str, tables: &[&str], declared: &Make<'_>) -> OwnAndRequired {
    let Ok(json) = serde_json::from_str::<serde_json::Value>(text) else { return Default::default() };
    let own = json.get(name).and_then(|name| name.as_str()).map(|name| declared(ecosystem, name, ""));
    let tables = tables.iter().filter_map(|table| json.get(table)?.as_object());
    let required = tables.flat_map(|table| table.keys().map(|name| declared(ecosystem, name, ""))).collect();
    (own.into_iter().collect(), required)
}

fn cargo(text: &str, declared: &Make<'_>) -> OwnAndRequired {
    let Ok(manifest) = text.parse::<toml::Table>() else { return Default::default() };
    let own = manifest.get("package").and_then(|package| package.get("name")?.as_str());
    let mut required = Vec::new();
    let mut tables: Vec<&toml::Table> = Vec::new();
    let targets = manifest.get("target").and_then(toml::Value::as_table).into_iter().flat_map(|table| table.values());
    let workspace = manifest.get("workspace").into_iter();
    for holder in targets.chain(workspace).filter_map(toml::Value::as_table).chain([&manifest]) {
        for name in ["dependencies", "dev-dependencies", "build-dependencies"] {
            tables.extend(holder.get(name).and_then(toml::Value::as_table));
        }
    }
    for (local, value) in tables.into_iter().flatten() {
        let package = value.get("package").and_then(toml::Value::as_str).unwrap_or(local);
        required.push(Declared { local: local.replace('-', "_"), ..declared("cargo", package, local) });
    }
    (own.map(|name| declared("cargo", name, "")).into_iter().collect(), required)
}

fn go(text: &str, declared: &Make<'_>) -> OwnAndRequired {
    let (mut own, mut required) = (Vec::new(), Vec::new());
    let mut in_require = false;
    for line in text.lines().map(|line| line.split("//").next().unwrap_or_default().trim()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["module", path] => own.push(declared("go", path.trim_matches('"'), "")),
            ["require", "("] => in_require = true,
            [")"] => in_require = false,
            ["require", path, _] => required.push(declared("go", path, "")),
            [path, _, ..] if in_require => required.push(declared("go", path, "")),
            _ => {}
        }
    }
    (own, required)
}

fn pyproject(text: &str, declared: &Make<'_>) -> OwnAndRequired {
    let Ok(manifest) = text.parse::<toml::Table>() else { return Default::default() };
    let project = manifest.get("project");
    let poetry = manifest.get("tool").and_then(|tool| tool.get("poetry"));
    let name = [project, poetry].into_iter().flatten().find_map(|table| table.get("name")?.as_str());
    let lists = project.and_then(|project| project.get("dependencies")).into_iter();
    let optional = project.and_then(|project| project.get("optional-dependencies")?.as_table());
    let groups = manifest.get("dependency-groups").and_then(toml::Value::as_table);
    let optional = [optional, groups].into_iter().flatten().flat_map(|table| table.values());
    let lines = lists.chain(optional).filter_map(toml::Value::as_array).flatten().filter_map(toml::Value::as_str);
    let mut required = requirements(lines, declared);
    let of_poetry = poetry.and_then(|poetry| poetry.get("dependencies")?.as_table());
    required.extend(of_poetry.into_iter().flat_map(|table| table.keys()).map(|name| python(name, declared)));
    (name.map(|name| python(name, declared)).into_iter().collect(), required)
}

fn setup_cfg(text: &str, declared: &Make<'_>) -> OwnAndRequired {
    let (mut own, mut required) = (Vec::new(), Vec::new());
    let (mut section, mut in_requires) = ("", false);
    for line in text.lines() {
        if line.starts_with('[') {
            (section, in_requires) = (line.trim_end(), false);
            continue;
        }
        match line.split_once('=').filter(|_| !line.starts_with([' ', '\t'])) {
            Some((key, value)) if key.trim() == "name" => own.push(python(value.trim(), declared)),
            Some((key, value)) => {
                in_requires = key.trim() == "install_requires" || section == "[options.extras_require]";
                if in_requires {
                    required.extend(requirements([value].into_iter(), declared));
                }
            }
            None if in_requires => required.extend(requirements([line].into_iter(), declared)),
            None => {}
        }
    }
    (own, required)
}

/// Says whether a program wrote a list of requirements, which then holds all that those require in turn.
fn is_compiled(text: &str) -> bool {
    let comments = text.lines().take_while(|line| line.is_empty() || line.starts_with('#'));
    comments.into_iter().any(|line| line.contains("pip-compile") || line.contains("autogenerated"))
}

fn requirements<'t>(lines: impl Iterator<Item = &'t str>, declared: &Make<'_>) -> Vec<Declared> {
    lines.filter_map(required_name).map(|name| python(name, declared)).collect()
}

/// Returns the name that a requirement begins with; nothing of options, addresses and prose.
fn required_name(line: &str) -> Option<&str> {
    let line = line.trim();
    let end = line.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_' | '.')).unwrap_or(line.len());
    let rest = line[end..].trim_start();
    let is_name = line.starts_with(|c: char| c.is_ascii_alphanumeric());
    let is_end = rest.is_empty() || rest.starts_with(AFTER_NAME) || rest.starts_with("--");
    (is_name && is_end).then(|| &line[..end])
}

/// What may follow a name in a requirement (PEP 508), or in a line of a list of them.
const AFTER_NAME: [char; 11] = ['<', '>', '=', '!', '~', '[', ';', '@', '#', '(', '\\'];

/// Names of Python packages are the same in any case, and with `-`, `_` and `.` alike (PEP 503).
fn python(name: &str, declared: &Make<'_>) -> Declared {
    Declared { key: format!("pypi:{}", normal_python(name)), ..declared("pypi", name, "") }
}

/// Returns the normal form of the name of a Python package.
pub(crate) fn normal_python(name: &str) -> String {
    let mut normal = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '-' | '_' | '.' if normal.ends_with('-') => {}
            '-' | '_' | '.' => normal.push('-'),
            c => normal.push(c.to_ascii_lowercase()),
        }
    }
    normal
}

/// Reads group and artifact of a `pom.xml` and of its dependencies. What is inherited from elsewhere or computed is not known.
fn pom(text: &str, declared: &Make<'_>) -> OwnAndRequired {
    let (mut own, mut required) = (Vec::new(), Vec::new());
    let mut open: Vec<&str> = Vec::new();
    let (mut group, mut artifact, mut parent_group) = ("", "", "");
    let (mut needed_group, mut needed_artifact) = ("", "");
    for part in text.split('<').skip(1) {
        let Some((tag, content)) = part.split_once('>') else { continue };
        let name = tag.split_whitespace().next().unwrap_or_default();
        if let Some(closed) = name.strip_prefix('/') {
            if closed == "dependency" && !needed_artifact.is_empty() {
                required.push(declared("maven", &format!("{needed_group}:{needed_artifact}"), needed_artifact));
                (needed_group, needed_artifact) = ("", "");
            }
            open.pop();
            continue;
        }
        if tag.starts_with(['?', '!']) || tag.ends_with('/') {
            continue;
        }
        open.push(name);
        let content = content.trim();
        match open.as_slice() {
            ["project", "groupId"] => group = content,
            ["project", "artifactId"] => artifact = content,
            ["project", "parent", "groupId"] => parent_group = content,
            [.., "dependency", "groupId"] => needed_group = content,
            [.., "dependency", "artifactId"] => needed_artifact = content,
            _ => {}
        }
    }
    if !artifact.is_empty() {
        let group = if group.is_empty() { parent_group } else { group };
        own.push(declared("maven", &format!("{group}:{artifact}"), artifact));
    }
    let required = required.into_iter().map(|declared| Declared { local: String::new(), ..declared }).collect();
    (own.into_iter().map(|declared| Declared { local: String::new(), ..declared }).collect(), required)
}

/// Returns the line that a name is required in: that of which it is the key, else that which begins to say which version,
/// else the first that has it as a word of its own. What begins a list of requirements is no requirement.
fn line_of(text: &str, name: &str) -> u32 {
    let is_apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '-' | '_'));
    let has_word = |line: &str| {
        line.match_indices(name)
            .any(|(at, _)| is_apart(line[..at].chars().next_back()) && is_apart(line[at + name.len()..].chars().next()))
    };
    let is_key = |line: &str| is_key(line, name);
    let is_requirement = |line: &str| {
        let line = line.trim_start().trim_start_matches(['"', '\'']);
        line.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(AFTER_REQUIREMENT))
    };
    let begins_list = |line: &str| line.trim_end().ends_with(['[', '=']);
    let at = |is_wanted: &dyn Fn(&str) -> bool| text.lines().position(|line| is_wanted(line) && !begins_list(line));
    let found = at(&is_key).or_else(|| at(&is_requirement)).or_else(|| at(&has_word));
    found.map_or(1, |index| index as u32 + 1)
}

/// What may follow the name of a package of Python where it is required (PEP 508).
const AFTER_REQUIREMENT: [char; 11] = ['<', '>', '=', '!', '~', '[', ';', '@', '"', '\'', ' '];

/// Returns the line that says how the package itself is called, where that is a field `name`.
fn own_line(text: &str) -> Option<u32> {
    text.lines().position(|line| is_key(line, "name")).map(|index| index as u32 + 1)
}

/// Says whether a line of JSON, TOML or settings is the value of a key.
fn is_key(line: &str, name: &str) -> bool {
    let line = line.trim_start().trim_start_matches(['{', '"', '\'']);
    let rest = line.strip_prefix(name).map(|rest| rest.trim_start_matches(['"', '\'']).trim_start());
    rest.is_some_and(|rest| rest.starts_with([':', '.']) || rest.starts_with('=') && !rest.starts_with("=="))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, own: &[&str], required: &[&str]) {
        let packages = Packages::new(&[Manifest { path, text }]);
        let (made, needed) = packages.at(path);
        let shown = |all: Vec<&Declared>| -> Vec<String> {
            all.iter().map(|declared| format!("{}:{}", declared.key, declared.line)).collect()
        };
        assert_eq!(shown(made), own, "{text}");
        assert_eq!(shown(needed), required, "{text}");
    }

    #[test]
    fn manifests_tell_what_is_made_and_needed() {
        check(
            "a/package.json",
            "{\n\"name\": \"@a/b\",\n\"dependencies\": {\"c\": \"1\"},\n\"devDependencies\": {\"d\": \"1\"}}",
            &["npm:@a/b:2"],
            &["npm:c:3", "npm:d:4"],
        );
        check(
            "package.json",
            "{\n\"name\": \"test\",\n\"scripts\": {\"test\": \"tsx a\"},\n\"dependencies\": {\n\"tsx\": \"1\"}}",
            &["npm:test:2"],
            &["npm:tsx:5"],
        );
        check(
            "pyproject.toml",
            "[project]\nname = \"a\"\ndescription = \"on top of flask\"\ndependencies = [\n  \"flask>=3\"]",
            &["pypi:a:2"],
            &["pypi:flask:5"],
        );
        check(
            "Cargo.toml",
            "[package]\nname = \"a-b\"\n[dependencies]\nx = { package = \"y\" }",
            &["cargo:a-b:2"],
            &["cargo:y:4"],
        );
        check(
            "go.mod",
            "module m.org/a\nrequire (\n\tm.org/b v1 // indirect\n)\nrequire m.org/c v1",
            &["go:m.org/a:1"],
            &["go:m.org/b:3", "go:m.org/c:5"],
        );
        check(
            "pyproject.toml",
            "[project]\nname = \"My.Lib\"\ndependencies = [\"Werk_zeug>=3\", \"x[y]==1\"]",
            &["pypi:my-lib:2"],
            &["pypi:werk-zeug:3", "pypi:x:3"],
        );
        check("requirements.txt", "# a\nflask==1\n-r other.txt\n", &[], &["pypi:flask:2"]);
        check("requirements.txt", "#\n# This file is autogenerated by pip-compile\n\nflask==1\n", &[], &[]);
        check(
            "requirements/dev.txt",
            "-r ../requirements.txt\na[b]==1 \\\n    --hash=sha256:0\nc  # why\ngit+https://x.org/d.git\n./e\n\
             This is prose\nf @ https://x.org/f\ng (>=1)\nh",
            &[],
            &["pypi:a:2", "pypi:c:4", "pypi:f:8", "pypi:g:9", "pypi:h:10"],
        );
        check("dev-requirements.txt", "a\n", &[], &["pypi:a:1"]);
        check("notes.txt", "a\n", &[], &[]);
        check(
            "setup.cfg",
            "[metadata]\nname = a\n[options]\ninstall_requires =\n  b>=1\n",
            &["pypi:a:2"],
            &["pypi:b:5"],
        );
        check(
            "setup.cfg",
            "[options.extras_require]\nb =\n  b>=1\nd = e\n[options.package_data]\nf = py.typed\n  g\n",
            &[],
            &["pypi:b:3", "pypi:e:4"],
        );
        check(
            "setup.py",
            "setup(\n  name='a',\n  extras_require={\n    'b': [\n      'b>=1',\n    ],\n    'c': 'd',\n  },\n)",
            &["pypi:a:2"],
            &["pypi:b:5", "pypi:d:7"],
        );
        check(
            "pom.xml",
            "<project>\n<parent><groupId>g</groupId></parent>\n<artifactId>a</artifactId>\n<dependencies><dependency><groupId>h</groupId>\n<artifactId>b</artifactId></dependency></dependencies></project>",
            &["maven:g:a:3"],
            &["maven:h:b:5"],
        );
        check("package.json", "{", &[], &[]);
    }

    #[test]
    fn a_manifest_makes_what_it_says_itself() {
        let manifest = |path, text| Manifest { path, text };
        let packages = Packages::new(&[
            manifest("requirements.txt", "b\n"),
            manifest("setup.py", "from setuptools import setup\n\nsetup(\n  name='a',\n)"),
            manifest("pyproject.toml", "[project]\nname = \"a\""),
        ]);
        for (path, expected) in
            [("requirements.txt", None), ("setup.py", Some(4)), ("pyproject.toml", Some(2)), ("openapi.yaml", None)]
        {
            let (made, _) = packages.at(path);
            assert_eq!(made.first().map(|declared| declared.line), expected, "{path}");
        }
        assert_eq!(packages.of("a/x.py", "pypi").map(|(folder, one)| (folder, one.line)), Some(("", 4)));
    }

    #[test]
    fn a_file_belongs_to_the_nearest_package() {
        let manifest = |path, text| Manifest { path, text };
        let packages = Packages::new(&[
            manifest("package.json", "{\"name\": \"root\"}"),
            manifest("packages/a/package.json", "{\"name\": \"a\"}"),
        ]);
        let of = |path| packages.of(path, "npm").map(|(folder, declared)| (folder, declared.key.as_str()));
        assert_eq!(of("packages/a/src/x.ts"), Some(("packages/a/", "npm:a")));
        assert_eq!(of("x.ts"), Some(("", "npm:root")));
        assert_eq!(packages.of("x.rs", "cargo"), None);
    }
}
