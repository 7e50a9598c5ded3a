//! Builds of Gradle: the projects that they make, and the packages that these require.
//!
//! A build file is a program. Literals, assignments of literals, `gradle.properties` and version catalogs are read, and everything
//! else is unknown: a package without a known group and name is left out, and a version that is computed is empty.

mod catalog;

use std::collections::BTreeMap;

use graph::ManifestFile;

use super::{ManifestPackages, PackageDeclaration, folder_of};
use catalog::VersionCatalog;

/// Maximum number of values that are read of one folder.
const MAX_VALUES: usize = 1_000;

/// Maximum number of names that lead from one to the next until a literal.
const MAX_STEPS: usize = 5;

/// The settings of a Gradle build, by folder.
#[derive(Debug, Default)]
pub(super) struct GradleBuild<'a> {
    /// By folder: the values that its build file and its `gradle.properties` assign to names.
    values: BTreeMap<&'a str, BTreeMap<String, String>>,
    /// By name: the catalogs, such as `libs`.
    catalogs: BTreeMap<&'a str, VersionCatalog>,
}

/// Returns true for a file of a Gradle build.
pub(super) fn is_gradle_file(path: &str) -> bool {
    let name = file_name(path);
    is_build_file(name) || is_settings(name) || name == "gradle.properties" || name.ends_with(CATALOG_END)
}

const CATALOG_END: &str = ".versions.toml";

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn is_build_file(name: &str) -> bool {
    matches!(name, "build.gradle" | "build.gradle.kts")
}

fn is_settings(name: &str) -> bool {
    matches!(name, "settings.gradle" | "settings.gradle.kts")
}

impl<'a> GradleBuild<'a> {
    /// Reads the files of Gradle among the manifests of a repository.
    pub(super) fn new(manifests: &[ManifestFile<'a>]) -> GradleBuild<'a> {
        let mut build = GradleBuild::default();
        for manifest in manifests.iter().filter(|manifest| is_gradle_file(manifest.path)) {
            let name = file_name(manifest.path);
            if let Some(catalog) = name.strip_suffix(CATALOG_END) {
                build.catalogs.entry(catalog).or_insert_with(|| VersionCatalog::read(manifest.text));
                continue;
            }
            let values = build.values.entry(folder_of(manifest.path)).or_default();
            let read = if name.ends_with(".properties") { property } else { assignment };
            for (name, value) in code_lines(manifest.text).filter_map(|(_, line)| read(line)) {
                if values.len() < MAX_VALUES && !value.is_empty() {
                    values.entry(name.to_owned()).or_insert(value);
                }
            }
        }
        build
    }

    /// Returns the packages of a build file; none of another file.
    pub(super) fn read(&self, manifest: &ManifestFile<'_>) -> ManifestPackages {
        if !is_build_file(file_name(manifest.path)) {
            return ManifestPackages::default();
        }
        let folder = folder_of(manifest.path);
        let required = code_lines(manifest.text).flat_map(|(number, line)| self.required(folder, number, line));
        ManifestPackages {
            own: self.own_package(manifest).into_iter().collect(),
            required: required.collect(),
            ..ManifestPackages::default()
        }
    }

    /// Returns the package that the project of a build file makes.
    fn own_package(&self, manifest: &ManifestFile<'_>) -> Option<PackageDeclaration> {
        let folder = folder_of(manifest.path);
        let own = |name: &str| Some(self.values.get(folder)?.get(name)?.as_str());
        let named = ["artifactId", "archivesBaseName", "archivesName", "POM_ARTIFACT_ID"].into_iter().find_map(own);
        let of_folder = folder.trim_end_matches('/').rsplit('/').next().filter(|name| !name.is_empty());
        let artifact = named.or(of_folder).or_else(|| own("rootProject.name"))?;
        let artifact = self.literal(folder, artifact)?;
        let group = ["group", "GROUP", "POM_GROUP_ID"].into_iter().find_map(|name| self.value(folder, name))?;
        let version = ["version", "VERSION_NAME", "VERSION"].into_iter().find_map(|name| self.value(folder, name));
        let line = code_lines(manifest.text).find(|(_, line)| {
            assignment(line).is_some_and(|(name, _)| matches!(name, "group" | "artifactId" | "archivesBaseName"))
        });
        let line = line.map_or(1, |(number, _)| number);
        Some(declaration(&group, &artifact, line).with_version(version.as_deref().unwrap_or_default()))
    }

    /// Returns the packages that a line requires.
    fn required(&self, folder: &str, number: u32, line: &str) -> Vec<PackageDeclaration> {
        let literals = quoted(line).filter_map(|(_, literal)| coordinates(literal));
        let of_literals = literals.filter_map(|(group, artifact, version)| {
            let version = self.literal(folder, version).unwrap_or_default();
            let (group, artifact) = (self.literal(folder, group)?, self.literal(folder, artifact)?);
            Some(declaration(&group, &artifact, number).with_version(&version))
        });
        let mut found: Vec<PackageDeclaration> = of_literals.collect();
        let argument = |name: &str| named_argument(line, name).and_then(|value| self.literal(folder, value));
        if let (Some(group), Some(artifact)) = (argument("group"), argument("name")) {
            found.push(declaration(&group, &artifact, number).with_version(&argument("version").unwrap_or_default()));
        }
        for (name, catalog) in &self.catalogs {
            let libraries = accessors(line, name).flat_map(|accessor| catalog.libraries(&accessor));
            found.extend(
                libraries.map(|library| {
                    declaration(&library.group, &library.artifact, number).with_version(&library.version)
                }),
            );
        }
        found
    }

    /// Returns the literal that a name has in a folder or in one above it.
    fn value(&self, folder: &str, name: &str) -> Option<String> {
        self.literal(folder, self.written(folder, name)?)
    }

    fn written(&self, folder: &str, name: &str) -> Option<&str> {
        let mut folder = folder;
        loop {
            if let Some(value) = self.values.get(folder).and_then(|values| values.get(name)) {
                return Some(value);
            }
            if folder.is_empty() {
                return None;
            }
            folder = folder_of(&folder[..folder.len() - 1]);
        }
    }

    /// Returns a text in which each name of another value is replaced by this value; `None` if one is unknown.
    fn literal(&self, folder: &str, text: &str) -> Option<String> {
        let mut text = text.to_owned();
        for _ in 0..MAX_STEPS {
            let Some((before, name, after)) = reference(&text) else { return Some(text) };
            text = format!("{before}{}{after}", self.written(folder, name)?);
        }
        None
    }
}

/// Marks a name instead of a literal as an assigned value.
const REFERENCE: char = '$';

/// Returns the first name in a text, with what is before and behind it.
fn reference(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once(REFERENCE)?;
    if let Some((name, after)) = rest.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
        return Some((before, name.rsplit('.').next().unwrap_or(name), after));
    }
    let end = rest.find(|c: char| !is_name_char(c)).unwrap_or(rest.len());
    Some((before, &rest[..end], &rest[end..]))
}

fn declaration(group: &str, artifact: &str, line: u32) -> PackageDeclaration {
    PackageDeclaration { key: format!("maven:{group}:{artifact}"), local: String::new(), line, version: String::new() }
}

/// Returns the lines that are no comment, with their numbers from 1.
fn code_lines(text: &str) -> impl Iterator<Item = (u32, &str)> {
    let lines = (1..).zip(text.lines().map(str::trim));
    lines.filter(|(_, line)| !line.starts_with("//") && !line.starts_with('*') && !line.starts_with('#'))
}

fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Returns the name and the value of `name = "value"`, `name 'value'`, `name.set("value")`, and `name = other`. The name of another
/// value begins with [`REFERENCE`].
fn assignment(line: &str) -> Option<(&str, String)> {
    let line = ["val ", "var ", "def ", "final ", "String "]
        .iter()
        .fold(line, |line, word| line.strip_prefix(word).unwrap_or(line));
    let end = line.find(|c: char| !is_name_char(c) && c != '.').unwrap_or(line.len());
    let (name, rest) = line.split_at(end);
    let (name, value) = match (name.strip_suffix(".set"), rest.strip_prefix('(')) {
        (Some(name), Some(value)) => (name, value),
        _ => (name, rest.trim_start()),
    };
    // `rootProject.name` is another thing than `name`.
    let name = if name == "rootProject.name" { name } else { name.rsplit('.').next()? };
    let assigned = value.strip_prefix('=').filter(|value| !value.starts_with('=')).map(str::trim);
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let value = assigned.unwrap_or(value);
    let literal = quoted(value).next();
    match literal {
        Some((0, literal)) => return Some((name, literal.to_owned())),
        // `property("name")`
        Some((at, property)) if value[..at].ends_with("roperty(") => {
            return Some((name, format!("{REFERENCE}{property}")));
        }
        _ => {}
    }
    let is_plain = |c: char| is_name_char(c) || c == '.';
    let is_name = assigned.is_some() && !value.is_empty() && value.chars().all(is_plain);
    is_name.then(|| (name, format!("{REFERENCE}{}", value.rsplit('.').next().unwrap_or(value))))
}

/// Returns the name and the value of a line of a file of properties.
fn property(line: &str) -> Option<(&str, String)> {
    let (name, value) = line.split_once('=')?;
    Some((name.trim(), value.trim().to_owned()))
}

/// Returns the texts in quotation marks, each with its position.
fn quoted(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + line[at..].find(['"', '\''])?;
        let mark = line[start..].chars().next()?;
        let length = line[start + 1..].find(mark)?;
        at = start + length + 2;
        Some((start, &line[start + 1..start + 1 + length]))
    })
}

/// Returns group, artifact and version of `group:artifact:version`; the version may be missing.
fn coordinates(literal: &str) -> Option<(&str, &str, &str)> {
    let literal = literal.split('@').next().unwrap_or(literal);
    let mut parts = literal.split(':');
    let (group, artifact, version) = (parts.next()?, parts.next()?, parts.next().unwrap_or_default());
    let is_plain = |c: char| is_name_char(c) || matches!(c, '.' | '-' | '$' | '{' | '}');
    let is_name = |text: &str| !text.is_empty() && text.chars().all(is_plain);
    (is_name(group) && is_name(artifact) && parts.count() <= 1).then_some((group, artifact, version))
}

/// Returns the value of `name: 'value'` or `name = "value"` among the arguments of a call.
fn named_argument<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let values = line.match_indices(name).filter_map(|(at, _)| {
        let is_word = !line[..at].ends_with(is_name_char);
        let rest = line[at + name.len()..].trim_start().strip_prefix([':', '='])?.trim_start();
        let (position, value) = quoted(rest).next()?;
        (is_word && position == 0 && at > 0).then_some(value)
    });
    values.into_iter().next()
}

/// Returns the names behind `catalog.` in a line: `kit.core` of `libs.kit.core`.
fn accessors<'a>(line: &'a str, catalog: &str) -> impl Iterator<Item = String> + use<'a> {
    let start = format!("{catalog}.");
    let ends: Vec<usize> = line
        .match_indices(start.as_str())
        .filter(|(at, _)| !line[..*at].ends_with(|c: char| is_name_char(c) || c == '.'))
        .map(|(at, found)| at + found.len())
        .collect();
    ends.into_iter().map(|at| {
        let rest = &line[at..];
        let end = rest.find(|c: char| !is_name_char(c) && c != '.').unwrap_or(rest.len());
        rest[..end].trim_end_matches(".get").to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifests::DeclaredPackages;

    #[track_caller]
    fn check(files: &[(&str, &str)], own: &[&str], required: &[&str]) {
        let manifests: Vec<ManifestFile<'_>> = files.iter().map(|(path, text)| ManifestFile { path, text }).collect();
        let packages = DeclaredPackages::new(&manifests);
        let show = |one: &PackageDeclaration| format!("{} {} :{}", one.key, one.version, one.line);
        let of = |all: &dyn Fn(&str) -> Vec<String>| -> Vec<String> {
            files.iter().flat_map(|(path, _)| all(path)).collect()
        };
        assert_eq!(of(&|path| packages.made_by(path).map(show).collect()), own, "{files:?}");
        assert_eq!(of(&|path| packages.required_by(path).map(show).collect()), required, "{files:?}");
    }

    #[test]
    fn projects_have_group_name_and_version() {
        check(
            &[
                ("build.gradle", "plugins { id 'java' }\ngroup = 'org.acme'\nversion = '2.0.1'\n"),
                ("settings.gradle", "rootProject.name = 'kit'\ninclude 'core', 'wire'\n"),
                ("core/build.gradle", "dependencies {\n}\n"),
                ("wire/build.gradle.kts", "version = \"3.1\"\nbase {\n  archivesName.set(\"kit-wire\")\n}\n"),
            ],
            &["maven:org.acme:kit 2.0.1 :2", "maven:org.acme:core 2.0.1 :1", "maven:org.acme:kit-wire 3.1 :1"],
            &[],
        );
        check(
            &[
                ("gradle.properties", "# the next release\nGROUP=org.acme\nVERSION_NAME=1.4.0-SNAPSHOT\n"),
                ("lib/build.gradle.kts", "mavenPublishing {\n}\n"),
                ("lib/gradle.properties", "POM_ARTIFACT_ID=acme-lib\n"),
            ],
            &["maven:org.acme:acme-lib 1.4.0-SNAPSHOT :1"],
            &[],
        );
        check(
            &[(
                "kit/build.gradle",
                "def kitVersion = property('number')\ngroup 'org.acme'\next.number = '1.2'\nversion = rootProject.kitVersion\n",
            )],
            &["maven:org.acme:kit 1.2 :2"],
            &[],
        );
        // The group or the name is computed.
        check(&[("build.gradle", "version = '1'\n"), ("a/build.gradle", "group = compute()\n")], &[], &[]);
    }

    #[test]
    fn required_packages_are_literals_arguments_and_catalog_entries() {
        check(
            &[
                ("gradle.properties", "wireVersion=4.5\n"),
                (
                    "app/build.gradle",
                    "dependencies {\n  implementation 'org.acme:kit:1.2'\n  // api 'org.acme:no:1'\n  \
                     api \"org.acme:wire:$wireVersion\"\n  testImplementation group: 'org.acme', name: 'probe', version: '7'\n  \
                     implementation project(':core')\n  runtimeOnly \"org.acme:late:${unknown}\"\n}\n",
                ),
            ],
            &[],
            &[
                "maven:org.acme:kit 1.2 :2",
                "maven:org.acme:wire 4.5 :4",
                "maven:org.acme:probe 7 :5",
                "maven:org.acme:late  :7",
            ],
        );
        check(
            &[
                (
                    "app/build.gradle.kts",
                    "dependencies {\n  implementation(libs.kit.core)\n  api(platform(libs.acme.bom))\n  \
                     implementation(libs.bundles.wire)\n  implementation(libs.versions.kit.get())\n}\n",
                ),
                (
                    "gradle/libs.versions.toml",
                    "[versions]\nkit = \"1.2.0\"\nwire = { strictly = \"[2,3)\", prefer = \"2.4\" }\n[libraries]\n\
                     kit-core = { module = \"org.acme:kit-core\", version.ref = \"kit\" }\n\
                     acme_bom = \"org.acme:bom:9\"\nwire = { group = \"org.acme\", name = \"wire\", version.ref = \"wire\" }\n\
                     [bundles]\nwire = [\"wire\", \"kit-core\"]\n",
                ),
            ],
            &[],
            &[
                "maven:org.acme:kit-core 1.2.0 :2",
                "maven:org.acme:bom 9 :3",
                "maven:org.acme:wire 2.4 :4",
                "maven:org.acme:kit-core 1.2.0 :4",
            ],
        );
    }

    #[test]
    fn hostile_files_end() {
        check(&[("build.gradle", "group = \"$a\"\na = \"$b\"\nb = \"$a$a\"\n")], &[], &[]);
        check(
            &[("a/build.gradle", "'\"é$'\nimplementation(\"::\")\n${ }\n\"$\"\n"), ("gradle/libs.versions.toml", "[")],
            &[],
            &[],
        );
    }
}
