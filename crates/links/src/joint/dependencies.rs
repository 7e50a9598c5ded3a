//! The versions of packages of other repositories: those that a repository requires, and those that are indexed.

use std::collections::BTreeMap;

use graph::Family;
use model::Language;
use serde::{Deserialize, Serialize};

use crate::{
    manifests::{DeclaredPackages, PackageDeclaration},
    versions::{VersionFit, version_fit},
};

/// Maximum number of versions of one package that a repository requires. Only examples and tests have more.
const MAX_VERSIONS: usize = 20;

/// A package of another repository at the version that a manifest requires.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PackageDependency {
    /// The index of the provider.
    pub provider: u32,
    /// The key of the package.
    pub package: String,
    /// The notation of the requirement; empty if it names no version.
    pub required: String,
    /// The path of the manifest.
    pub path: String,
    /// The line of the requirement.
    pub line: u32,
    /// The version that the manifest of the provider gives, or its newest tag; empty if there is none.
    pub indexed: String,
    /// The relation of both.
    pub fit: VersionFit,
}

/// The required packages of one importer.
pub(super) struct Dependencies<'a> {
    pub(super) all: Vec<PackageDependency>,
    /// By provider and package: the folder of each manifest that requires it, and the number of the dependency.
    by_package: BTreeMap<(u32, &'a str), Vec<(&'a str, u32)>>,
}

impl<'a> Dependencies<'a> {
    /// Reads the requirements of an importer for packages of its providers.
    pub(super) fn new(importer: &'a DeclaredPackages, providers: &'a [DeclaredPackages]) -> Dependencies<'a> {
        let mut dependencies = Dependencies { all: Vec::new(), by_package: BTreeMap::new() };
        for (provider, declared) in (0..).zip(providers) {
            let made: Vec<&str> = declared.made().map(|package| package.key.as_str()).collect();
            for package in made.into_iter().filter(|package| importer.requires(package) && !importer.makes(package)) {
                if !dependencies.by_package.contains_key(&(provider, package)) {
                    dependencies.add(provider, package, importer, &declared.version_of(package));
                }
            }
        }
        dependencies
    }

    fn add(&mut self, provider: u32, package: &'a str, importer: &'a DeclaredPackages, indexed: &str) {
        let first = self.all.len();
        let mut folders: Vec<(&'a str, u32)> = Vec::new();
        for (path, requirement) in importer.requirements_of(package) {
            let PackageDeclaration { version, line, .. } = requirement;
            let same = self.all[first..].iter().position(|one| one.required == *version);
            let number = match same {
                Some(at) => first + at,
                None if self.all.len() - first >= MAX_VERSIONS => continue,
                None => {
                    let fit = version_fit(package, version, indexed);
                    self.all.push(PackageDependency {
                        provider,
                        package: package.to_owned(),
                        required: version.clone(),
                        path: path.to_owned(),
                        line: *line,
                        indexed: indexed.to_owned(),
                        fit,
                    });
                    self.all.len() - 1
                }
            };
            folders.push((path.rsplit_once('/').map_or("", |(folder, _)| folder), number as u32));
        }
        self.by_package.insert((provider, package), folders);
    }

    /// Returns the number of the dependency by which a file uses a package: that of the nearest manifest above it which names a
    /// version, otherwise the first that names one.
    pub(super) fn of_file(&self, path: &str, provider: u32, package: &str) -> Option<u32> {
        let folders = self.by_package.get(&(provider, package))?;
        let has_version = |number: u32| !self.all[number as usize].required.is_empty();
        let is_above =
            |folder: &str| folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        let above = folders.iter().filter(|(folder, number)| is_above(folder) && has_version(*number));
        let nearest = above.max_by_key(|(folder, _)| folder.len());
        let other = || folders.iter().find(|(_, number)| has_version(*number)).or(folders.first());
        nearest.or_else(other).map(|(_, number)| *number)
    }
}

/// Returns the ecosystem whose packages files of a language make.
pub(crate) fn ecosystem_of(path: &str) -> Option<&'static str> {
    match Family::of(Language::of_path(path)) {
        Family::Ecmascript => Some("npm"),
        Family::Python => Some("pypi"),
        Family::Go => Some("go"),
        Family::Rust => Some("cargo"),
        Family::Java => Some("maven"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use graph::ManifestFile;

    use super::*;

    fn declared(manifests: &[(&str, &str)]) -> DeclaredPackages {
        let manifests: Vec<ManifestFile<'_>> =
            manifests.iter().map(|(path, text)| ManifestFile { path, text }).collect();
        DeclaredPackages::new(&manifests)
    }

    #[test]
    fn the_nearest_manifest_with_a_version_counts() {
        let importer = declared(&[
            ("Cargo.toml", "[workspace.dependencies]\nkit = \"1.2\""),
            ("a/Cargo.toml", "[dependencies]\nkit = { workspace = true }"),
            ("b/Cargo.toml", "[dependencies]\nkit = \"0.9\""),
        ]);
        let provider = declared(&[
            ("Cargo.toml", "[workspace.package]\nversion = \"1.4.0\""),
            ("kit/Cargo.toml", "[package]\nname = \"kit\"\nversion.workspace = true"),
        ]);
        let providers = [provider];
        let dependencies = Dependencies::new(&importer, &providers);
        let shown: Vec<(&str, &str, &str, VersionFit)> = dependencies
            .all
            .iter()
            .map(|one| (one.path.as_str(), one.required.as_str(), one.indexed.as_str(), one.fit))
            .collect();
        assert_eq!(
            shown,
            [
                ("Cargo.toml", "1.2", "1.4.0", VersionFit::Admits),
                ("a/Cargo.toml", "", "1.4.0", VersionFit::Unknown),
                ("b/Cargo.toml", "0.9", "1.4.0", VersionFit::Behind(crate::versions::VersionPlace::Major)),
            ]
        );
        let of = |path| dependencies.of_file(path, 0, "cargo:kit");
        assert_eq!((of("a/src/lib.rs"), of("b/src/lib.rs"), of("src/lib.rs")), (Some(0), Some(2), Some(0)));
        assert_eq!(dependencies.of_file("a/src/lib.rs", 0, "cargo:other"), None);
    }
}
