//! Groups of required packages, from the section of the manifest that declares each.

use std::collections::BTreeMap;

/// The reason why a manifest requires a package. The order is that of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DependencyGroup {
    Runtime,
    Optional,
    /// Of a package that is required, not of the repository's own code.
    Indirect,
    /// For tests, builds and documentation.
    Development,
    /// Versions that a workspace fixes for its members. A member requires the package only if its own manifest does.
    Workspace,
}

impl DependencyGroup {
    /// Returns the words before a list of packages of this group.
    pub(super) fn label(self) -> &'static str {
        match self {
            DependencyGroup::Runtime => "at run time",
            DependencyGroup::Optional => "optionally",
            DependencyGroup::Indirect => "indirectly",
            DependencyGroup::Development => "for development",
            DependencyGroup::Workspace => "by some of its members, at the versions of its workspace",
        }
    }
}

/// Returns the group of each line that declares a dependency, by line number from 1. A manifest of another format has none,
/// and its packages count as those of run time.
pub(super) fn groups_by_line(path: &str, text: &str) -> BTreeMap<u32, DependencyGroup> {
    let read: fn(&str, &mut ManifestSection, &str) -> Option<DependencyGroup> =
        match path.rsplit('/').next().unwrap_or(path) {
            "Cargo.toml" | "pyproject.toml" => toml_line,
            "package.json" => json_line,
            "go.mod" => go_line,
            "composer.json" => composer_line,
            "pom.xml" => return maven(text),
            "setup.py" => setup_line,
            "Gemfile" => gemfile_line,
            "build.gradle" | "build.gradle.kts" => gradle_line,
            name if name.ends_with(".gemspec") => gemspec_line,
            name if name.ends_with(".txt") => return requirements(path, text),
            _ => return BTreeMap::new(),
        };
    let mut section = ManifestSection::default();
    text.lines().zip(1..).filter_map(|(line, number)| Some((number, read(line.trim(), &mut section, path)?))).collect()
}

/// The innermost open section of a manifest.
#[derive(Default)]
struct ManifestSection {
    header: String,
    /// Key of the open list; empty outside of lists.
    key: String,
    group: Option<DependencyGroup>,
    /// True in a table on the lines of its key: `optional-dependencies = { name = [`.
    is_inline: bool,
}

/// Words in the names of groups of dependencies that only development needs.
const DEVELOPMENT: [&str; 8] = ["dev", "test", "doc", "lint", "typing", "build", "pre-commit", "bench"];

fn toml_line(line: &str, section: &mut ManifestSection, _path: &str) -> Option<DependencyGroup> {
    if line.starts_with('#') || line.is_empty() {
        return None;
    }
    if line.starts_with('[') && line.ends_with(']') {
        section.header = line.trim_matches(['[', ']']).trim().replace(['"', '\''], "");
        section.key.clear();
        section.group = toml_section(&section.header, "");
        return section.group.filter(|_| is_table_of_one_package(&section.header));
    }
    if section.key.is_empty() {
        let (key, value) = line.split_once('=')?;
        let key = key.trim().trim_matches('"');
        if let Some(rest) =
            value.trim().strip_prefix('{').filter(|rest| key.ends_with("dependencies") && !rest.ends_with('}'))
        {
            section.header = format!("{}.{key}", section.header);
            section.is_inline = true;
            return toml_line(rest.trim(), section, _path);
        }
        let in_list = toml_section(&section.header, key).filter(|_| value.trim().starts_with('['));
        section.group = in_list.or_else(|| toml_section(&section.header, ""));
        let is_open = value.trim().starts_with('[') && !value.trim().ends_with(']');
        section.key = if is_open { key.to_owned() } else { String::new() };
        let is_optional = value.replace(' ', "").contains("optional=true");
        return match section.group {
            Some(DependencyGroup::Runtime) if is_optional => Some(DependencyGroup::Optional),
            group => group,
        };
    }
    if line.starts_with(']') {
        section.key.clear();
        if section.is_inline && line.ends_with('}') {
            section.header = section.header.rsplit_once('.').map_or("", |(outer, _)| outer).to_owned();
            section.is_inline = false;
        }
        return None;
    }
    section.group
}

/// Returns the group of a table, or of a list in a table.
fn toml_section(header: &str, key: &str) -> Option<DependencyGroup> {
    let has_part = |name: &str| header.split('.').any(|part| part == name);
    let of_words = |name: &str| {
        let lower = name.to_lowercase();
        if DEVELOPMENT.iter().any(|word| lower.contains(word)) {
            DependencyGroup::Development
        } else {
            DependencyGroup::Optional
        }
    };
    let last = header.rsplit('.').next().unwrap_or(header);
    match header {
        "project" if key == "dependencies" => Some(DependencyGroup::Runtime),
        "project" => None,
        "build-system" => Some(DependencyGroup::Development),
        "dependency-groups" => Some(DependencyGroup::Development),
        "project.optional-dependencies" if !key.is_empty() => Some(of_words(key)),
        _ if header.starts_with("workspace.dependencies") => Some(DependencyGroup::Workspace),
        _ if has_part("dev-dependencies") || has_part("build-dependencies") => Some(DependencyGroup::Development),
        _ if header.starts_with("tool.poetry.group.") => Some(of_words(header)),
        _ if has_part("dependencies") || last == "dependencies" => Some(DependencyGroup::Runtime),
        _ if header.starts_with("tool.") => Some(DependencyGroup::Development),
        _ => None,
    }
}

/// Returns true if the header of a table names a package, as in `[dependencies.serde]`.
fn is_table_of_one_package(header: &str) -> bool {
    header.rsplit_once('.').is_some_and(|(outer, _)| outer.ends_with("dependencies"))
}

fn json_line(line: &str, section: &mut ManifestSection, _path: &str) -> Option<DependencyGroup> {
    let name = line.split(':').next().unwrap_or_default().trim().trim_matches('"');
    if line.ends_with('{') || line.ends_with("{},") {
        section.group = match name {
            _ if line.ends_with("{},") => None,
            "dependencies" => Some(DependencyGroup::Runtime),
            "peerDependencies" | "optionalDependencies" => Some(DependencyGroup::Optional),
            "devDependencies" => Some(DependencyGroup::Development),
            _ => None,
        };
        return None;
    }
    if line.starts_with('}') {
        section.group = None;
    }
    section.group
}

fn go_line(line: &str, section: &mut ManifestSection, _path: &str) -> Option<DependencyGroup> {
    if line.starts_with(')') {
        section.key.clear();
    } else if let Some((key, _)) = line.split_once('(') {
        section.key = key.trim().to_owned();
        return None;
    }
    let is_required = section.key == "require" || line.starts_with("require ");
    let is_indirect = line.split_once("//").is_some_and(|(_, comment)| comment.trim().starts_with("indirect"));
    is_required.then_some(if is_indirect { DependencyGroup::Indirect } else { DependencyGroup::Runtime })
}

fn composer_line(line: &str, section: &mut ManifestSection, _path: &str) -> Option<DependencyGroup> {
    let name = line.split(':').next().unwrap_or_default().trim().trim_matches('"');
    if line.ends_with('{') {
        section.group = match name {
            "require" => Some(DependencyGroup::Runtime),
            "require-dev" => Some(DependencyGroup::Development),
            "suggest" => Some(DependencyGroup::Optional),
            _ => None,
        };
        return None;
    }
    if line.starts_with('}') {
        section.group = None;
    }
    section.group
}

/// Reads a line of `setup.py`: the lists that are values of a dictionary are extras, others are requirements.
fn setup_line(line: &str, section: &mut ManifestSection, _path: &str) -> Option<DependencyGroup> {
    if let Some((key, rest)) = line.split_once(':').filter(|(key, _)| key.starts_with(['"', '\'']))
        && rest.trim().starts_with('[')
    {
        let key = key.trim_matches(['"', '\'']).to_lowercase();
        let is_development = DEVELOPMENT.iter().any(|word| key.contains(word));
        let group = if is_development { DependencyGroup::Development } else { DependencyGroup::Optional };
        section.group = (!rest.contains(']')).then_some(group);
        return Some(group);
    }
    if line.contains("tests_require") || line.contains("setup_requires") {
        // Without a bracket, the list is elsewhere.
        section.group = (line.contains('[') && !line.contains(']')).then_some(DependencyGroup::Development);
        return Some(DependencyGroup::Development);
    }
    if line.starts_with(']') {
        section.group = None;
    }
    Some(section.group.unwrap_or(DependencyGroup::Runtime))
}

fn gemspec_line(line: &str, _section: &mut ManifestSection, _path: &str) -> Option<DependencyGroup> {
    let is_development = line.contains(".add_development_dependency");
    let group = if is_development { DependencyGroup::Development } else { DependencyGroup::Runtime };
    (is_development || line.contains(".add_dependency") || line.contains(".add_runtime_dependency")).then_some(group)
}

fn gemfile_line(line: &str, section: &mut ManifestSection, _path: &str) -> Option<DependencyGroup> {
    let group_of = |names: &str| {
        let is_development = DEVELOPMENT.iter().any(|word| names.contains(word));
        if is_development { DependencyGroup::Development } else { DependencyGroup::Optional }
    };
    if let Some(names) = line.strip_prefix("group ") {
        section.group = Some(group_of(names));
        return None;
    }
    if line == "end" {
        section.group = None;
        return None;
    }
    let keys = ["group:", "groups:", ":group =>", ":groups =>"];
    let own = keys.iter().find_map(|key| line.split_once(*key)).map(|(_, names)| group_of(names));
    line.starts_with("gem").then(|| own.or(section.group).unwrap_or(DependencyGroup::Runtime))
}

fn gradle_line(line: &str, _section: &mut ManifestSection, _path: &str) -> Option<DependencyGroup> {
    let name = line.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let lower = name.to_lowercase();
    match name {
        _ if lower.contains("test") || lower.contains("annotationprocessor") => Some(DependencyGroup::Development),
        "kapt" | "ksp" | "developmentOnly" | "debugImplementation" => Some(DependencyGroup::Development),
        "compileOnly" | "compileOnlyApi" | "provided" => Some(DependencyGroup::Optional),
        "implementation" | "api" | "runtimeOnly" | "compile" | "runtime" => Some(DependencyGroup::Runtime),
        _ => None,
    }
}

/// Reads the dependencies of a `pom.xml`: their scopes tell tests from the product, which may be marked as optional.
fn maven(text: &str) -> BTreeMap<u32, DependencyGroup> {
    let mut found = BTreeMap::new();
    let (mut start, mut group, mut depth) = (None, DependencyGroup::Runtime, 0_usize);
    for (line, number) in text.lines().map(str::trim).zip(1..) {
        if line.contains("<dependency>") {
            (start, group, depth) = (Some(number), DependencyGroup::Runtime, 0);
        }
        depth += usize::from(line.contains("<exclusion>"));
        let value = |tag: &str| {
            let (_, rest) = line.split_once(&format!("<{tag}>"))?;
            rest.split('<').next().map(str::trim)
        };
        match (value("scope"), value("optional")) {
            _ if depth > 0 => {}
            (Some("test"), _) => group = DependencyGroup::Development,
            (Some("provided"), _) | (_, Some("true")) if group == DependencyGroup::Runtime => {
                group = DependencyGroup::Optional;
            }
            _ => {}
        }
        depth = depth.saturating_sub(usize::from(line.contains("</exclusion>")));
        if let Some(first) = start.filter(|_| line.contains("</dependency>")) {
            found.extend((first..=number).map(|line| (line, group)));
            start = None;
        }
    }
    found
}

/// Stems of files of requirements that the product has at run time.
const RUNTIME_STEMS: [&str; 11] = [
    "requirements",
    "requirement",
    "base",
    "default",
    "main",
    "core",
    "common",
    "install",
    "prod",
    "production",
    "runtime",
];

/// Returns the place of a manifest among those of a repository: a list of requirements with a name of its own comes after the
/// others, since it may be of a tool.
pub(super) fn manifest_rank(path: &str) -> u8 {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    // The gems of a product are in its specification.
    let Some(stem) = name.strip_suffix(".txt") else { return u8::from(name == "gemfile") };
    u8::from(!RUNTIME_STEMS.contains(&stem))
}

fn requirements(path: &str, text: &str) -> BTreeMap<u32, DependencyGroup> {
    let lower = path.to_lowercase();
    let is_development = DEVELOPMENT.iter().any(|word| lower.contains(word));
    let group = if is_development { DependencyGroup::Development } else { DependencyGroup::Runtime };
    text.lines().zip(1..).map(|(_, number)| (number, group)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the groups of a manifest, in the notation `LINE GROUP` with the first letter of the group.
    fn check(path: &str, text: &str, expected: &str) {
        let found = groups_by_line(path, text);
        let shown: Vec<String> =
            found.iter().map(|(line, group)| format!("{line}{}", &format!("{group:?}")[..1])).collect();
        assert_eq!(shown.join(" "), expected, "{path}:\n{text}");
    }

    #[test]
    fn cargo_sections_are_told_apart() {
        let text = "[package]\nname = \"a\"\n[dependencies]\nserde = \"1\"\nslab = { version = \"1\", optional = true }\n\
                    [dev-dependencies]\nrand = \"1\"\n[build-dependencies]\ncc = \"1\"\n";
        check("Cargo.toml", text, "4R 5O 7D 9D");
        check("x/Cargo.toml", "[workspace.dependencies]\nserde = \"1\"\n", "2W");
        check("Cargo.toml", "[target.'cfg(unix)'.dependencies]\nlibc = \"1\"\n", "2R");
        check("Cargo.toml", "[dependencies.serde]\nversion = \"1\"\n", "1R 2R");
        check("Cargo.toml", "[features]\nfull = [\"a\"]\n", "");
    }

    #[test]
    fn python_groups_are_told_apart() {
        let text = "[project]\nname = \"a\"\ndependencies = [\n  \"click>=8\",\n]\n[project.optional-dependencies]\n\
                    http2 = [\"h2\"]\ntests = [\n  \"pytest\",\n]\n[dependency-groups]\ndev = [\n  \"ruff\",\n]\n";
        check("pyproject.toml", text, "3R 4R 7O 8D 9D 12D 13D");
        let text = "[project]\noptional-dependencies = { tides = [\n  \"moon\",\n] }\nclassifiers = [\n  \"A\",\n]\n";
        check("pyproject.toml", text, "2O 3O");
        check("pyproject.toml", "[tool.poetry.dependencies]\nclick = \"8\"\n", "2R");
        check("pyproject.toml", "[tool.poetry.group.dev.dependencies]\nruff = \"1\"\n", "2D");
        check("pyproject.toml", "[build-system]\nrequires = [\"hatchling\"]\n", "2D");
        check("requirements.txt", "click\n", "1R");
        let ranks = ["requirements/default.txt", "pyproject.toml", "requirements/pkgutils.txt"].map(manifest_rank);
        assert_eq!(ranks, [0, 0, 1]);
        check("requirements-dev.txt", "ruff\n", "1D");
    }

    #[test]
    fn npm_and_go_sections_are_told_apart() {
        let text = "{\n\"dependencies\": {\n\"a\": \"1\"\n},\n\"devDependencies\": {\n\"b\": \"1\"\n},\n\
                    \"peerDependencies\": {\n\"c\": \"1\"\n}\n}\n";
        check("package.json", text, "3R 6D 9O");
        let text = "module x\nrequire a v1\nrequire (\n\tb v1\n\tc v1 // indirect\n)\nreplace (\n\td => e v1\n)\n";
        check("go.mod", text, "2R 4R 5I");
    }

    #[test]
    fn maven_gradle_and_composer_scopes_are_told_apart() {
        let text = "<dependency>\n<artifactId>a</artifactId>\n</dependency>\n<dependency>\n<scope>test</scope>\n</dependency>\n\
                    <dependency>\n<scope>provided</scope>\n<optional>true</optional>\n<exclusions><exclusion>\n\
                    <scope>test</scope>\n</exclusion></exclusions>\n</dependency>\n";
        check("pom.xml", text, "1R 2R 3R 4D 5D 6D 7O 8O 9O 10O 11O 12O 13O");
        check("pom.xml", "<dependency>\n", "");
        let text = "dependencies {\nimplementation \"a:b:1\"\ntestImplementation(\"c:d:1\")\ncompileOnly 'e:f:1'\n\
                    developmentOnly 'g:h:1'\ndebugImplementation 'i:j:1'\nksp(\"k:l:1\")\n}\n";
        check("build.gradle", text, "2R 3D 4O 5D 6D 7D");
        let text = "{\n\"require\": {\n\"a/b\": \"1\"\n},\n\"require-dev\": {\n\"c/d\": \"1\"\n}\n}\n";
        check("composer.json", text, "3R 6D");
    }

    #[test]
    fn ruby_groups_and_extras_of_python_are_told_apart() {
        let text = "gem \"a\"\ngroup :test do\n  gem \"b\"\nend\ngem \"c\", group: :development\n";
        check("Gemfile", text, "1R 3D 5D");
        check("Gemfile", "gem \"a\", :group => :test\ngem \"b\", :groups => [:development, :test]\n", "1D 2D");
        let text = "s.name = \"a\"\ns.add_dependency \"b\"\ns.add_development_dependency \"c\"\n";
        check("a.gemspec", text, "2R 3D");
        let text = "install_requires = [\n\"a\",\n]\nextra = {\n\"queue\": [\n\"b\",\n],\n\"dev\": [\"c\"],\n}\n";
        check("setup.py", text, "1R 2R 3R 4R 5O 6O 7R 8D 9R");
        check("setup.py", "tests_require=tests,\ninstall_requires=[\n\"a\",\n]\n", "1D 2R 3R 4R");
        check("setup.py", "tests_require=[\n\"a\",\n]\n", "1D 2D 3R");
    }

    #[test]
    fn other_manifests_have_no_groups() {
        check("deno.json", "{\n", "");
    }
}
