//! `Cargo.toml`: packages, crates and dependencies.

use toml::de::{DeTable, DeValue};

/// The relevant content of one manifest.
#[derive(Debug, Default, PartialEq)]
pub(super) struct CargoPackage {
    /// The folder of the manifest; empty, or with a trailing slash.
    pub(super) folder: String,
    /// Empty for a virtual workspace.
    pub(super) name: String,
    pub(super) library: CargoTarget,
    /// Explicit binaries, tests, examples and benches.
    pub(super) targets: Vec<CargoTarget>,
    pub(super) dependencies: Vec<CargoDependency>,
    pub(super) workspace_dependencies: Vec<CargoDependency>,
}

/// A crate target; empty fields are discovered by file layout.
#[derive(Debug, Default, Clone, PartialEq)]
pub(super) struct CargoTarget {
    pub(super) name: String,
    pub(super) path: String,
}

/// A dependency.
#[derive(Debug, Default, Clone, PartialEq)]
pub(super) struct CargoDependency {
    /// The name in code, as written in the manifest.
    pub(super) name: String,
    /// The package name, if the dependency is renamed.
    pub(super) package: String,
    /// The folder of the package, relative to the manifest.
    pub(super) path: Option<String>,
    /// True if the workspace declares the source.
    pub(super) is_workspace_inherited: bool,
}

/// The tables of dependencies, at the top level and for each target platform.
const DEPENDENCY_TABLES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

/// Parses a manifest; of an invalid one, such as a template, as much as possible.
pub(super) fn read(path: &str, text: &str) -> CargoPackage {
    let folder = path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    let (document, _errors) = DeTable::parse_recoverable(text);
    let manifest = document.get_ref();
    let platforms = table(manifest, "target").into_iter().flat_map(|platforms| platforms.values());
    let platforms = platforms.filter_map(|platform| as_table(platform.get_ref()));
    let holders = std::iter::once(manifest).chain(platforms);
    let dependency_tables = holders.flat_map(|holder| DEPENDENCY_TABLES.iter().filter_map(|name| table(holder, name)));
    let workspace = table(manifest, "workspace").and_then(|workspace| table(workspace, "dependencies"));
    CargoPackage {
        folder,
        name: table(manifest, "package").map(|package| string(package, "name")).unwrap_or_default(),
        library: table(manifest, "lib").map(target).unwrap_or_default(),
        targets: targets(manifest),
        dependencies: dependencies(dependency_tables),
        workspace_dependencies: dependencies(workspace),
    }
}

/// Returns the explicit targets of all kinds, in source order.
fn targets(manifest: &DeTable<'_>) -> Vec<CargoTarget> {
    let kinds = ["bin", "test", "example", "bench"].iter().filter_map(|kind| manifest.get(*kind));
    let arrays = kinds.filter_map(|targets| match targets.get_ref() {
        DeValue::Array(targets) => Some(targets.iter()),
        _ => None,
    });
    let mut all: Vec<(usize, CargoTarget)> =
        arrays.flatten().filter_map(|one| Some((one.span().start, target(as_table(one.get_ref())?)))).collect();
    all.sort_by_key(|(start, _)| *start);
    all.into_iter().map(|(_, target)| target).collect()
}

fn target(of: &DeTable<'_>) -> CargoTarget {
    CargoTarget { name: string(of, "name"), path: string(of, "path") }
}

/// Returns the dependencies of several tables. Entries of one name are merged; the last one in the source wins.
fn dependencies<'t, 'd: 't>(tables: impl IntoIterator<Item = &'t DeTable<'d>>) -> Vec<CargoDependency> {
    let mut entries: Vec<_> = tables.into_iter().flat_map(|table| table.iter()).collect();
    entries.sort_by_key(|(name, _)| name.span().start);
    let mut all: Vec<CargoDependency> = Vec::new();
    for (name, value) in entries {
        let name = name.get_ref();
        let index = all.iter().position(|one| one.name == *name).unwrap_or_else(|| {
            all.push(CargoDependency { name: name.to_string(), ..CargoDependency::default() });
            all.len() - 1
        });
        let Some(details) = as_table(value.get_ref()) else { continue };
        let dependency = &mut all[index];
        if details.contains_key("path") {
            dependency.path = Some(string(details, "path"));
        }
        if details.contains_key("package") {
            dependency.package = string(details, "package");
        }
        if let Some(DeValue::Boolean(is_inherited)) = details.get("workspace").map(|value| value.get_ref()) {
            dependency.is_workspace_inherited = *is_inherited;
        }
    }
    all
}

fn table<'t, 'd>(of: &'t DeTable<'d>, key: &str) -> Option<&'t DeTable<'d>> {
    as_table(of.get(key)?.get_ref())
}

fn as_table<'t, 'd>(value: &'t DeValue<'d>) -> Option<&'t DeTable<'d>> {
    match value {
        DeValue::Table(table) => Some(table),
        _ => None,
    }
}

/// Returns the string of a key; empty if there is none.
fn string(of: &DeTable<'_>, key: &str) -> String {
    match of.get(key).map(|value| value.get_ref()) {
        Some(DeValue::String(text)) => text.to_string(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_is_parsed() {
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
        assert_eq!(read.targets, [CargoTarget { name: "run".into(), path: "run.rs".into() }]);
        let declared: Vec<String> = read
            .dependencies
            .iter()
            .map(|one| {
                let path = one.path.as_deref().unwrap_or("-");
                format!("{} {} {path} {}", one.name, one.package, one.is_workspace_inherited)
            })
            .collect();
        assert_eq!(declared, ["c  ../c false", "d  - true", "e e-core ../e false", "f  ../f false"]);
        assert_eq!(read.workspace_dependencies[0].path.as_deref(), Some("d"));
    }
}
