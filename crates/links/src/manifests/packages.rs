//! The packages that a repository makes and requires, as its manifests declare them.

mod dotnet;
mod formats;
mod gradle;
mod lines;
mod pom;
mod python;
mod ruby;
mod setup_py;
mod tags;

use std::collections::{BTreeMap, BTreeSet};

use graph::ManifestFile;

use gradle::{GradleBuild, is_gradle_file};

pub(crate) use python::normal_python_name;

/// Maximum number of packages, and of requirements, that are read of one manifest. Only lock files and generated
/// manifests have more.
const MAX_DECLARED: usize = 2_000;

/// Maximum length of the notation of a version.
const MAX_VERSION_BYTES: usize = 120;

/// The packages of a repository.
#[derive(Debug, Default)]
pub(crate) struct DeclaredPackages {
    /// By folder of the manifest, with `/` behind it, or empty for the root: the packages that are made there.
    own: BTreeMap<String, Vec<OwnPackage>>,
    /// By path of the manifest: the packages that it requires.
    required: BTreeMap<String, Vec<PackageDeclaration>>,
    required_keys: BTreeSet<String>,
    made_keys: BTreeSet<String>,
    /// The version that packages of a Cargo workspace inherit; empty if there is none.
    workspace_version: String,
    /// The tags of released versions that the commit contains.
    version_tags: Vec<String>,
}

/// A package that a manifest makes.
#[derive(Debug)]
struct OwnPackage {
    /// The path of the manifest.
    manifest: String,
    declaration: PackageDeclaration,
}

/// A package as a manifest names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PackageDeclaration {
    /// The ecosystem and the name in it: `npm:@harbour/kit`, `cargo:tokio`, `go:example.com/kit`, `pypi:flask`,
    /// `maven:org.acme:kit`, `composer:acme/kit`.
    pub(crate) key: String,
    /// The name that code uses, where it differs (`dep = { package = "…" }`).
    pub(crate) local: String,
    pub(crate) line: u32,
    /// Of a made package its version, of a required one the notation of the requirement; empty if it is not given.
    pub(crate) version: String,
}

impl PackageDeclaration {
    /// Returns a package at the line of a manifest's text that names it: by its local name if it has one.
    fn in_text(text: &str, ecosystem: &str, name: &str, local: &str) -> PackageDeclaration {
        PackageDeclaration {
            key: format!("{ecosystem}:{name}"),
            local: local.to_owned(),
            line: lines::line_of(text, if local.is_empty() { name } else { local }),
            version: String::new(),
        }
    }

    /// Returns the package with a version; a longer one than any person writes counts as none.
    fn with_version(self, version: &str) -> PackageDeclaration {
        let version = version.trim();
        let version = if version.len() > MAX_VERSION_BYTES { "" } else { version };
        PackageDeclaration { version: version.to_owned(), ..self }
    }
}

/// The packages of one manifest.
#[derive(Debug, Default)]
struct ManifestPackages {
    own: Vec<PackageDeclaration>,
    required: Vec<PackageDeclaration>,
    /// The version that other manifests inherit; empty if there is none.
    workspace_version: String,
}

impl DeclaredPackages {
    /// Reads the manifests of a repository.
    pub(crate) fn new(manifests: &[ManifestFile<'_>]) -> DeclaredPackages {
        let mut packages = DeclaredPackages::default();
        let gradle = GradleBuild::new(manifests);
        for manifest in manifests {
            let is_gradle = is_gradle_file(manifest.path);
            let read = if is_gradle { gradle.read(manifest) } else { formats::read(manifest) };
            let ManifestPackages { mut own, mut required, workspace_version } = read;
            if packages.workspace_version.is_empty() {
                packages.workspace_version = workspace_version;
            }
            // The name of the package may also be the name of a dependency or of a script.
            if let Some(line) = lines::own_name_line(manifest.text).filter(|_| !is_gradle) {
                own.iter_mut().for_each(|declaration| declaration.line = line);
            }
            own.truncate(MAX_DECLARED);
            required.truncate(MAX_DECLARED);
            packages.required_keys.extend(required.iter().map(|declaration| declaration.key.clone()));
            packages.made_keys.extend(own.iter().map(|declaration| declaration.key.clone()));
            let own = own.into_iter().map(|declaration| OwnPackage { manifest: manifest.path.to_owned(), declaration });
            packages.own.entry(folder_of(manifest.path).to_owned()).or_default().extend(own);
            packages.required.entry(manifest.path.to_owned()).or_default().extend(required);
        }
        packages
    }

    /// Returns the package of an ecosystem that a file belongs to, with the folder of its manifest: the nearest one above
    /// the file.
    pub(crate) fn containing(&self, path: &str, ecosystem: &str) -> Option<(&str, &PackageDeclaration)> {
        let mut folder = path;
        loop {
            folder = folder_of(folder);
            if let Some((found, own)) = self.own.get_key_value(folder)
                && let Some(package) = own.iter().find(|package| is_in_ecosystem(&package.declaration.key, ecosystem))
            {
                return Some((found, &package.declaration));
            }
            if folder.is_empty() {
                return None;
            }
            folder = &folder[..folder.len() - 1];
        }
    }

    /// Returns the packages that the manifest at a path makes.
    pub(crate) fn made_by(&self, path: &str) -> impl Iterator<Item = &PackageDeclaration> {
        let own = self.own.get(folder_of(path)).into_iter().flatten();
        own.filter(move |package| package.manifest == path).map(|package| &package.declaration)
    }

    /// Returns the packages that the manifest at a path requires.
    pub(crate) fn required_by(&self, path: &str) -> impl Iterator<Item = &PackageDeclaration> {
        self.required.get(path).into_iter().flatten()
    }

    /// Returns true if any manifest requires the package.
    pub(crate) fn requires(&self, key: &str) -> bool {
        self.required_keys.contains(key)
    }

    /// Returns true if any manifest requires a package of the ecosystem.
    pub(crate) fn requires_any(&self, ecosystem: &str) -> bool {
        let first = self.required_keys.range(format!("{ecosystem}:")..).next();
        first.is_some_and(|key| is_in_ecosystem(key, ecosystem))
    }

    /// Returns true if the repository makes the package.
    pub(crate) fn makes(&self, key: &str) -> bool {
        self.made_keys.contains(key)
    }

    /// Returns the packages that the repository makes, in the order of folders.
    pub(crate) fn made(&self) -> impl Iterator<Item = &PackageDeclaration> {
        self.own.values().flatten().map(|package| &package.declaration)
    }

    /// Returns the packages with the tags from which versions are taken that no manifest gives.
    pub(crate) fn with_version_tags(self, version_tags: &[String]) -> DeclaredPackages {
        DeclaredPackages { version_tags: version_tags.to_vec(), ..self }
    }

    /// Returns the version of a package that the repository makes: that of its manifest, otherwise its newest tag; empty if there is
    /// none.
    pub(crate) fn version_of(&self, key: &str) -> String {
        let made = self.own.iter().flat_map(|(folder, own)| own.iter().map(move |one| (folder, &one.declaration)));
        let made: Vec<(&String, &PackageDeclaration)> = made.filter(|(_, one)| one.key == key).collect();
        let versions = made.iter().map(|(_, one)| one.version.as_str()).filter(|version| tags::is_released(version));
        let own = versions.min().unwrap_or_default();
        let own = if own.is_empty() && is_in_ecosystem(key, "cargo") { &self.workspace_version } else { own };
        if !own.is_empty() {
            return own.to_owned();
        }
        made.iter().find_map(|(folder, _)| tags::version(&self.version_tags, key, folder)).unwrap_or_default()
    }

    /// Returns every requirement of a package with the path of its manifest, in the order of paths.
    pub(crate) fn requirements_of(&self, key: &str) -> impl Iterator<Item = (&str, &PackageDeclaration)> {
        let all =
            self.required.iter().flat_map(|(path, required)| required.iter().map(move |one| (path.as_str(), one)));
        all.filter(move |(_, declaration)| declaration.key == key)
    }

    /// Returns every required package of an ecosystem.
    pub(crate) fn required(&self, ecosystem: &str) -> impl Iterator<Item = &PackageDeclaration> {
        self.required.values().flatten().filter(move |declaration| is_in_ecosystem(&declaration.key, ecosystem))
    }
}

/// Returns the folder of a path with `/` behind it; empty at the root.
fn folder_of(path: &str) -> &str {
    path.rfind('/').map_or("", |slash| &path[..=slash])
}

fn is_in_ecosystem(key: &str, ecosystem: &str) -> bool {
    key.strip_prefix(ecosystem).is_some_and(|rest| rest.starts_with(':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, own: &[&str], required: &[&str]) {
        let packages = DeclaredPackages::new(&[ManifestFile { path, text }]);
        let show = |package: &PackageDeclaration| format!("{}:{}", package.key, package.line);
        assert_eq!(packages.made_by(path).map(show).collect::<Vec<_>>(), own, "{text}");
        assert_eq!(packages.required_by(path).map(show).collect::<Vec<_>>(), required, "{text}");
    }

    #[test]
    fn every_manifest_format_is_read() {
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
        check(
            "a.gemspec",
            "Gem::Specification.new do |spec|\n  spec.name = \"a\"\n  spec.add_dependency \"b\", \">= 1\"\n  \
             # spec.add_dependency 'x'\n  spec.add_development_dependency(%q<y>, 'c')\n  \
             spec.add_development_dependency('d')\nend",
            &["gem:a:2"],
            &["gem:b:3", "gem:d:6"],
        );
        check("Gemfile", "source 'https://x.org'\ngemspec\ngem 'b', '~> 2'\ngem \"c\"\n", &[], &["gem:b:3", "gem:c:4"]);
        check(
            "src/A.csproj",
            "<Project>\n<PropertyGroup><PackageId>A</PackageId></PropertyGroup>\n<ItemGroup>\n\
             <PackageReference Include=\"B.C\" Version=\"1.0\" />\n<ProjectReference Include=\"../D/D.csproj\" />\n\
             <PackageReference Include=\"$(E)\"><Version>2</Version></PackageReference>\n</ItemGroup>\n</Project>",
            &["nuget:A:2"],
            &["nuget:B.C:4"],
        );
        check("package.json", "{", &[], &[]);
    }

    #[test]
    fn a_manifest_makes_only_the_packages_that_it_declares() {
        let manifest = |path, text| ManifestFile { path, text };
        let packages = DeclaredPackages::new(&[
            manifest("requirements.txt", "b\n"),
            manifest("setup.py", "from setuptools import setup\n\nsetup(\n  name='a',\n)"),
            manifest("pyproject.toml", "[project]\nname = \"a\""),
        ]);
        for (path, expected) in
            [("requirements.txt", None), ("setup.py", Some(4)), ("pyproject.toml", Some(2)), ("openapi.yaml", None)]
        {
            assert_eq!(packages.made_by(path).next().map(|package| package.line), expected, "{path}");
        }
        assert_eq!(packages.containing("a/x.py", "pypi").map(|(folder, one)| (folder, one.line)), Some(("", 4)));
    }

    #[test]
    fn a_file_belongs_to_the_nearest_package() {
        let manifest = |path, text| ManifestFile { path, text };
        let packages = DeclaredPackages::new(&[
            manifest("package.json", "{\"name\": \"root\"}"),
            manifest("packages/a/package.json", "{\"name\": \"a\"}"),
        ]);
        let of = |path| packages.containing(path, "npm").map(|(folder, package)| (folder, package.key.as_str()));
        assert_eq!(of("packages/a/src/x.ts"), Some(("packages/a/", "npm:a")));
        assert_eq!(of("x.ts"), Some(("", "npm:root")));
        assert_eq!(packages.containing("x.rs", "cargo"), None);
    }
}
