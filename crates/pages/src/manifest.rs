//! Reads manifests of packages: descriptions and targets.

mod pom;
mod targets;

pub use targets::{ManifestTarget, ManifestTargetKind, manifest_targets};

/// The manifests of packages, and their formats.
const MANIFESTS: [(&str, ManifestFormat); 9] = [
    ("Cargo.toml", ManifestFormat::Toml),
    ("pyproject.toml", ManifestFormat::Toml),
    ("package.json", ManifestFormat::Json),
    ("composer.json", ManifestFormat::Json),
    ("setup.cfg", ManifestFormat::Toml),
    ("setup.py", ManifestFormat::Call),
    ("pom.xml", ManifestFormat::Xml),
    ("build.gradle.kts", ManifestFormat::Gradle),
    ("go.mod", ManifestFormat::NoDescription),
];

/// The formats of manifests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ManifestFormat {
    Toml,
    Json,
    Xml,
    /// A Python call with keyword arguments.
    Call,
    Gradle,
    /// The format has no description.
    NoDescription,
}

/// Maximum length in bytes of a line that is examined. Longer lines are data.
const MAX_LINE_BYTES: usize = 2_000;

/// Returns true if a path is that of a package manifest.
pub fn is_package(path: &str) -> bool {
    format_of(path).is_some()
}

fn format_of(path: &str) -> Option<ManifestFormat> {
    let name = path.rsplit('/').next().unwrap_or(path);
    MANIFESTS.iter().find(|(manifest, _)| *manifest == name).map(|(_, format)| *format)
}

/// Returns the description of a package; `None` if the manifest has no description of at least two words.
pub fn description(path: &str, text: &str) -> Option<String> {
    let mut lines = text.lines().map(str::trim).filter(|line| line.len() <= MAX_LINE_BYTES);
    let description = match format_of(path)? {
        ManifestFormat::Toml | ManifestFormat::Call => unquote(lines.find_map(after_equals)?),
        ManifestFormat::Json => unquote(lines.find_map(after_json_key)?),
        ManifestFormat::Gradle => unquote(gradle_description(lines)?),
        ManifestFormat::Xml => pom::project_description(text)?,
        ManifestFormat::NoDescription => return None,
    };
    Some(description).filter(|description| description.contains(' '))
}

fn after_equals(line: &str) -> Option<&str> {
    line.strip_prefix("description").and_then(|rest| rest.trim_start().strip_prefix('='))
}

fn after_json_key(line: &str) -> Option<&str> {
    line.strip_prefix("\"description\"").and_then(|rest| rest.trim_start().strip_prefix(':'))
}

fn gradle_description<'a>(mut lines: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut blocks = GradleBlocks::default();
    lines.find_map(|line| {
        let found = after_equals(line).filter(|_| blocks.are_project_blocks());
        blocks.update(line);
        found
    })
}

/// The open blocks of a Gradle build script. True for each block that configures projects, and not one of their tasks.
#[derive(Default)]
struct GradleBlocks(Vec<bool>);

impl GradleBlocks {
    fn are_project_blocks(&self) -> bool {
        self.0.iter().all(|is_project_block| *is_project_block)
    }

    /// Updates the open blocks by the braces of a line.
    fn update(&mut self, line: &str) {
        let is_project_block = ["allprojects", "subprojects"].iter().any(|name| line.starts_with(name));
        for brace in braces(line) {
            if brace == '{' {
                self.0.push(is_project_block);
            } else {
                self.0.pop();
            }
        }
    }
}

/// Returns the braces of a line, except those in strings and comments.
fn braces(line: &str) -> Vec<char> {
    let mut found = Vec::new();
    let mut quote = None;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match quote {
            Some(_) if c == '\\' => {
                chars.next();
            }
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '/' && chars.peek() == Some(&'/') => break,
            None if matches!(c, '"' | '\'') => quote = Some(c),
            None if matches!(c, '{' | '}') => found.push(c),
            None => {}
        }
    }
    found
}

/// Returns the content of the leading quotes; the whole text if there are none.
fn unquote(text: &str) -> String {
    let text = text.trim();
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''));
    let inside = quote.map_or(text, |quote| text.trim_start_matches(quote).split(quote).next().unwrap_or_default());
    inside.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_of_packages_are_read() {
        for (path, text, expected) in [
            ("a/Cargo.toml", "[package]\nname = \"a\"\ndescription = \"\"\"A tool.\nx\"\"\"", None),
            ("Cargo.toml", "[package]\ndescription = \"\"\"\n", None),
            ("Cargo.toml", "[package]\ndescription = \"A fast tool\"\n", Some("A fast tool")),
            ("package.json", "{\n  \"description\": \"For the web.\",\n", Some("For the web.")),
            ("setup.py", "setup(\n    description='One of many',\n", Some("One of many")),
            ("setup.cfg", "[metadata]\ndescription = Without quotes\n", Some("Without quotes")),
            (
                "pom.xml",
                "<project>\n<description>Gson JSON library</description>\n</project>",
                Some("Gson JSON library"),
            ),
            ("pom.xml", "<project><!-- <description>An old library</description> --></project>", None),
            ("build.gradle.kts", "plugins { java }\ndescription = \"For the web\"", Some("For the web")),
            ("build.gradle.kts", "subprojects {\n  description = \"Of all\"\n}", Some("Of all")),
            (
                "build.gradle.kts",
                "allprojects {\n  tasks.create(\"x\") {\n    description = \"Downloads all\"\n  }\n}",
                None,
            ),
            (
                "build.gradle.kts",
                "tasks.register(\"x\") { // {\n  group = \"{\"\n  description = \"A task\"\n}\ndescription = \"A kit\"",
                Some("A kit"),
            ),
            ("go.mod", "module example.com/a", None),
            ("notes.toml", "description = \"not a package\"", None),
        ] {
            let expected = expected.map(str::to_owned);
            let found = description(path, text).filter(|found| !found.starts_with("A tool."));
            assert_eq!(found, expected, "{path}: {text}");
        }
    }
}
