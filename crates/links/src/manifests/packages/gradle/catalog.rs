//! A version catalog of Gradle: libraries under short names.

use std::collections::BTreeMap;

/// The libraries of a catalog.
#[derive(Debug, Default)]
pub(super) struct VersionCatalog {
    /// By the name behind `libs.` in a build file.
    libraries: BTreeMap<String, CatalogLibrary>,
    /// By the name behind `libs.bundles.`: the names of libraries.
    bundles: BTreeMap<String, Vec<String>>,
}

/// A library of a catalog.
#[derive(Debug, Clone)]
pub(super) struct CatalogLibrary {
    pub(super) group: String,
    pub(super) artifact: String,
    /// Empty if none is given.
    pub(super) version: String,
}

impl VersionCatalog {
    /// Reads a catalog; an unreadable one has no libraries.
    pub(super) fn read(text: &str) -> VersionCatalog {
        let Ok(tables) = text.parse::<toml::Table>() else { return VersionCatalog::default() };
        let table = |name: &str| tables.get(name).and_then(toml::Value::as_table).into_iter().flatten();
        let versions: BTreeMap<&str, String> =
            table("versions").map(|(name, version)| (name.as_str(), version_text(version))).collect();
        let library = |(name, value): (&String, &toml::Value)| Some((accessor(name), library(value, &versions)?));
        let names = |value: &toml::Value| {
            let names = value.as_array().into_iter().flatten().filter_map(toml::Value::as_str);
            names.map(accessor).collect()
        };
        VersionCatalog {
            libraries: table("libraries").filter_map(library).collect(),
            bundles: table("bundles").map(|(name, value)| (accessor(name), names(value))).collect(),
        }
    }

    /// Returns the libraries that an accessor of a build file means.
    pub(super) fn libraries(&self, accessor: &str) -> Vec<CatalogLibrary> {
        let bundle = accessor.strip_prefix("bundles.").and_then(|name| self.bundles.get(name));
        let of_bundle = bundle.into_iter().flatten().filter_map(|name| self.libraries.get(name));
        self.libraries.get(accessor).into_iter().chain(of_bundle).cloned().collect()
    }
}

fn library(value: &toml::Value, versions: &BTreeMap<&str, String>) -> Option<CatalogLibrary> {
    let of_parts = |group: &str, artifact: &str, version: String| CatalogLibrary {
        group: group.to_owned(),
        artifact: artifact.to_owned(),
        version,
    };
    if let Some(coordinates) = value.as_str() {
        let mut parts = coordinates.splitn(3, ':');
        return Some(of_parts(parts.next()?, parts.next()?, parts.next().unwrap_or_default().to_owned()));
    }
    let text = |key: &str| value.get(key).and_then(toml::Value::as_str);
    let (group, artifact) = match text("module") {
        Some(module) => module.split_once(':')?,
        None => (text("group")?, text("name")?),
    };
    let version = value.get("version");
    let of_name = version.and_then(|version| versions.get(version.get("ref")?.as_str()?)).cloned();
    Some(of_parts(group, artifact, of_name.or_else(|| version.map(version_text)).unwrap_or_default()))
}

/// Returns the notation of a version: of a rich one what is preferred or required.
fn version_text(version: &toml::Value) -> String {
    let part = |name: &str| version.get(name).and_then(toml::Value::as_str);
    let text = version.as_str().or_else(|| ["prefer", "require", "strictly"].into_iter().find_map(part));
    text.unwrap_or_default().to_owned()
}

/// Returns the name that a build file uses: separators become points.
fn accessor(name: &str) -> String {
    name.replace(['-', '_'], ".")
}
