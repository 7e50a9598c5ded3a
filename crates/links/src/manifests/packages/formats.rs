//! The reader of each manifest format.

use graph::{ManifestFile, is_requirements_list};

use super::{ManifestPackages, PackageDeclaration, pom, python, setup_py};

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
        _ if is_requirements_list(manifest.path) => python::requirements_list(text),
        _ => ManifestPackages::default(),
    }
}

fn json(text: &str, ecosystem: &str, tables: &[&str]) -> ManifestPackages {
    let Ok(json) = serde_json::from_str::<serde_json::Value>(text) else { return ManifestPackages::default() };
    let package = |name: &str| PackageDeclaration::in_text(text, ecosystem, name, "");
    let own = json.get("name").and_then(|name| name.as_str()).map(package);
    let tables = tables.iter().filter_map(|table| json.get(table)?.as_object());
    let required = tables.flat_map(|table| table.keys().map(|name| package(name))).collect();
    ManifestPackages { own: own.into_iter().collect(), required }
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
        let declaration = PackageDeclaration::in_text(text, "cargo", package, local);
        PackageDeclaration { local: local.replace('-', "_"), ..declaration }
    });
    ManifestPackages {
        required: required.collect(),
        own: own.map(|name| PackageDeclaration::in_text(text, "cargo", name, "")).into_iter().collect(),
    }
}

fn go(text: &str) -> ManifestPackages {
    let mut packages = ManifestPackages::default();
    let package = |path: &str| PackageDeclaration::in_text(text, "go", path, "");
    let mut in_require = false;
    for line in text.lines().map(|line| line.split("//").next().unwrap_or_default().trim()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["module", path] => packages.own.push(package(path.trim_matches('"'))),
            ["require", "("] => in_require = true,
            [")"] => in_require = false,
            ["require", path, _] => packages.required.push(package(path)),
            [path, _, ..] if in_require => packages.required.push(package(path)),
            _ => {}
        }
    }
    packages
}
