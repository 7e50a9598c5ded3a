//! The reader of each manifest format.

use std::collections::BTreeMap;

use graph::{ManifestFile, is_requirements_list};

use super::{ManifestPackages, PackageDeclaration, dotnet, pom, python, ruby, setup_py};

/// Tables of `package.json` that require packages.
const NPM_TABLES: [&str; 4] = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];

/// Reads the packages of a manifest; none of one that cannot be parsed.
pub(super) fn read(manifest: &ManifestFile<'_>) -> ManifestPackages {
    let text = manifest.text;
    match manifest.path.rsplit('/').next().unwrap_or(manifest.path) {
        "package.json" => json(text, "npm", &NPM_TABLES),
        "composer.json" => json(text, "composer", &["require", "require-dev"]),
        "Cargo.toml" => cargo(text),
        "go.mod" => go(text),
        "pyproject.toml" => python::pyproject(text),
        "setup.cfg" => python::setup_cfg(text),
        "setup.py" => setup_py::read(text),
        "pom.xml" => pom::read(text),
        "Gemfile" => ruby::gemfile(text),
        name if name.ends_with(".gemspec") => ruby::gemspec(text),
        name if graph::is_dotnet_project(name) => dotnet::read(text),
        _ if is_requirements_list(manifest.path) => python::requirements_list(text),
        _ => ManifestPackages::default(),
    }
}

fn json(text: &str, ecosystem: &str, tables: &[&str]) -> ManifestPackages {
    let Ok(json) = serde_json::from_str::<serde_json::Value>(text) else { return ManifestPackages::default() };
    let package = |name: &str, version: Option<&serde_json::Value>| {
        let version = version.and_then(serde_json::Value::as_str).unwrap_or_default();
        PackageDeclaration::in_text(text, ecosystem, name, "").with_version(version)
    };
    let own = json.get("name").and_then(|name| name.as_str()).map(|name| package(name, json.get("version")));
    let tables = tables.iter().filter_map(|table| json.get(table)?.as_object());
    let required = tables.flatten().map(|(name, version)| package(name, Some(version))).collect();
    ManifestPackages { own: own.into_iter().collect(), required, ..ManifestPackages::default() }
}

fn cargo(text: &str) -> ManifestPackages {
    let Ok(manifest) = text.parse::<toml::Table>() else { return ManifestPackages::default() };
    let own = manifest.get("package").and_then(|package| package.get("name")?.as_str());
    let mut tables: Vec<&toml::Table> = Vec::new();
    let targets = manifest.get("target").and_then(toml::Value::as_table).into_iter().flat_map(|table| table.values());
    let workspace = manifest.get("workspace").into_iter();
    for holder in targets.chain(workspace).filter_map(toml::Value::as_table).chain([&manifest]) {
        for name in ["dependencies", "dev-dependencies", "build-dependencies"] {
            tables.extend(holder.get(name).and_then(toml::Value::as_table));
        }
    }
    let required = tables.into_iter().flatten().map(|(local, value)| {
        let package = value.get("package").and_then(toml::Value::as_str).unwrap_or(local);
        let declaration =
            PackageDeclaration::in_text(text, "cargo", package, local).with_version(&cargo_version(value));
        PackageDeclaration { local: local.replace('-', "_"), ..declaration }
    });
    let version_in = |table: Option<&toml::Value>| {
        let version = table.and_then(|table| table.get("package").unwrap_or(table).get("version"));
        version.and_then(toml::Value::as_str).unwrap_or_default().to_owned()
    };
    let own_version = version_in(manifest.get("package"));
    let own = own.map(|name| PackageDeclaration::in_text(text, "cargo", name, "").with_version(&own_version));
    ManifestPackages {
        required: required.collect(),
        own: own.into_iter().collect(),
        workspace_version: version_in(manifest.get("workspace")),
    }
}

/// Returns the notation of a requirement of Cargo; empty if the workspace or a path determines it.
fn cargo_version(requirement: &toml::Value) -> String {
    let text = |key: &str| requirement.get(key).and_then(toml::Value::as_str);
    if let Some(version) = requirement.as_str().or_else(|| text("version")) {
        return version.to_owned();
    }
    let of_git = ["tag", "rev", "branch"].iter().find_map(|key| Some(format!("git {key} {}", text(key)?)));
    of_git.filter(|_| text("git").is_some()).unwrap_or_default()
}

fn go(text: &str) -> ManifestPackages {
    let mut packages = ManifestPackages::default();
    let package = |path: &str| PackageDeclaration::in_text(text, "go", path, "");
    let mut replaced: BTreeMap<&str, String> = BTreeMap::new();
    let mut block = "";
    for line in text.lines().map(|line| line.split("//").next().unwrap_or_default().trim()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (directive, rest) = match words.split_first() {
            Some((&directive, rest)) if ["require", "replace", "module"].contains(&directive) && block.is_empty() => {
                (directive, rest)
            }
            _ => (block, words.as_slice()),
        };
        match (directive, rest) {
            (_, [")"]) => block = "",
            (directive, ["("]) => block = directive,
            ("module", [path]) => packages.own.push(package(path.trim_matches('"'))),
            ("require", [path, version, ..]) => packages.required.push(package(path).with_version(version)),
            ("replace", [path, others @ ..]) => {
                let arrow = others.iter().position(|word| *word == "=>");
                let by = arrow.map(|arrow| others[arrow + 1..].join(" "));
                replaced.extend(by.filter(|by| !by.is_empty()).map(|by| (*path, by)));
            }
            _ => {}
        }
    }
    let with_replacement = |declaration: PackageDeclaration| match replaced.get(&declaration.key["go:".len()..]) {
        Some(by) => {
            let version = format!("{} => {by}", declaration.version);
            declaration.with_version(&version)
        }
        None => declaration,
    };
    packages.required = packages.required.into_iter().map(with_replacement).collect();
    packages
}
