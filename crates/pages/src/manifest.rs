//! What the manifest of a package says: the words that it has for itself, and what it hands out.

mod promises;

pub use promises::{Promise, PromiseKind, promises};

/// Manifests of packages, and where each says what the package is for.
const MANIFESTS: [(&str, Form); 9] = [
    ("Cargo.toml", Form::Toml),
    ("pyproject.toml", Form::Toml),
    ("package.json", Form::Json),
    ("composer.json", Form::Json),
    ("setup.cfg", Form::Toml),
    ("setup.py", Form::Call),
    ("pom.xml", Form::Xml),
    ("build.gradle.kts", Form::Gradle),
    ("go.mod", Form::Silent),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Toml,
    Json,
    Xml,
    Call,
    Gradle,
    Silent,
}

/// Longer lines are data.
const MAX_LINE_BYTES: usize = 2_000;

/// Says whether a path is that of a manifest of a package.
pub fn is_package(path: &str) -> bool {
    form(path).is_some()
}

fn form(path: &str) -> Option<Form> {
    let name = path.rsplit('/').next().unwrap_or(path);
    MANIFESTS.iter().find(|(manifest, _)| *manifest == name).map(|(_, form)| *form)
}

/// Returns what a manifest says that its package is for; nothing where it does not.
pub fn description(path: &str, text: &str) -> Option<String> {
    let form = form(path)?;
    let mut lines = text.lines().map(str::trim).filter(|line| line.len() <= MAX_LINE_BYTES);
    let mut blocks = Blocks::default();
    let found = lines.find_map(|line| match form {
        Form::Toml | Form::Call => after_equals(line),
        Form::Gradle => {
            let found = after_equals(line).filter(|_| blocks.are_of_projects());
            blocks.read(line);
            found
        }
        Form::Json => line.strip_prefix("\"description\"").and_then(|rest| rest.trim_start().strip_prefix(':')),
        Form::Xml => line.strip_prefix("<description>").map(|rest| rest.trim_end_matches("</description>")),
        Form::Silent => None,
    })?;
    let found = if form == Form::Xml { found } else { unquoted(found.trim()) };
    Some(found.trim().to_owned()).filter(|text| text.contains(' '))
}

fn after_equals(line: &str) -> Option<&str> {
    line.strip_prefix("description").and_then(|rest| rest.trim_start().strip_prefix('='))
}

/// The blocks of a build script that are open: for each, whether it speaks of the project, and not of a task of it.
#[derive(Default)]
struct Blocks(Vec<bool>);

impl Blocks {
    fn are_of_projects(&self) -> bool {
        self.0.iter().all(|is_of_projects| *is_of_projects)
    }

    /// Takes note of the blocks that a line opens and closes.
    fn read(&mut self, line: &str) {
        let is_of_projects = ["allprojects", "subprojects"].iter().any(|name| line.starts_with(name));
        for brace in braces(line) {
            if brace == '{' {
                self.0.push(is_of_projects);
            } else {
                self.0.pop();
            }
        }
    }
}

/// Returns the braces of a line that stand in no text and in no comment.
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

/// Returns what stands in the quotes that a text begins with; where it begins with none, all of it.
fn unquoted(text: &str) -> &str {
    let Some(quote) = text.chars().next().filter(|c| matches!(c, '"' | '\'')) else { return text };
    let inside = text.trim_start_matches(quote);
    inside.split(quote).next().unwrap_or(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_say_what_they_are_for() {
        for (path, text, expected) in [
            ("a/Cargo.toml", "[package]\nname = \"a\"\ndescription = \"\"\"A tool.\nx\"\"\"", None),
            ("Cargo.toml", "[package]\ndescription = \"\"\"\n", None),
            ("Cargo.toml", "[package]\ndescription = \"A fast tool\"\n", Some("A fast tool")),
            ("package.json", "{\n  \"description\": \"For the web.\",\n", Some("For the web.")),
            ("setup.py", "setup(\n    description='One of many',\n", Some("One of many")),
            ("setup.cfg", "[metadata]\ndescription = Without quotes\n", Some("Without quotes")),
            ("pom.xml", "<description>Gson JSON library</description>", Some("Gson JSON library")),
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
