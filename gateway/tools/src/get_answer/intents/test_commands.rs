//! The commands that run the tests of a repository, as its manifests and build files define them.

use std::collections::BTreeSet;

use model::LineSpan;

use super::super::confidence::Confidence;
use super::{
    IntentAnswer, IntentContext,
    cited_text::CitedText,
    source_lines::{SourceLine, read, without_absent_files},
};
use crate::arguments::suggested;
use federation::{fetch::SourceRequest, repo_idx::RepoIdx};

/// Files that define commands, at the root of a repository.
const FILES: [&str; 13] = [
    "package.json",
    "Makefile",
    "justfile",
    "Taskfile.yml",
    "tox.ini",
    "noxfile.py",
    "tasks.py",
    "composer.json",
    "Rakefile",
    "CONTRIBUTING.md",
    "README.md",
    "CONTRIBUTING.rst",
    "README.rst",
];

/// Programs that run nothing but tests, and beginnings of commands that run tests if they name them.
const WHOLE_RUNNERS: [&str; 6] = ["pytest", "tox", "rspec", "phpunit", "ctest", "nox"];
const RUNNERS: [&str; 24] = [
    "make ",
    "just ",
    "task ",
    "npm ",
    "yarn ",
    "pnpm ",
    "npx ",
    "bun ",
    "deno ",
    "go test",
    "cargo ",
    "mvn ",
    "./mvnw ",
    "gradle ",
    "./gradlew ",
    "dotnet ",
    "mix ",
    "rake ",
    "bundle exec ",
    "composer ",
    "inv ",
    "invoke ",
    "bazel ",
    "./script/",
];

/// Programs whose names are words of prose as well: the name of the tests follows them.
const PLAIN_RUNNERS: [&str; 7] = ["make", "just", "task", "inv", "invoke", "mix", "rake"];

/// Maximum number of quoted lines.
const MAX_QUOTED: usize = 5;

const MAX_LINES: u32 = 3_000;

/// Answers with the lines that define or show the commands of tests; `None` if no file has one.
pub(super) async fn answer(context: IntentContext<'_, '_>, named: &BTreeSet<RepoIdx>) -> Option<IntentAnswer> {
    let lines = LineSpan { start: 1, end: MAX_LINES };
    let request =
        |repo_idx: &RepoIdx| FILES.map(|path| SourceRequest { repo_idx: *repo_idx, path: path.to_owned(), lines });
    let found = read(context, named.iter().flat_map(request).collect(), has_test).await;
    let mut sentences: Vec<CitedText> = Vec::new();
    for repo_idx in named {
        let is_command = |line: &&SourceLine| line.repo_idx == *repo_idx && is_command(&line.path, &line.text);
        let commands: Vec<&SourceLine> = found.value.iter().filter(is_command).collect();
        // Documents repeat what build files define.
        let (prose, defined): (Vec<&SourceLine>, Vec<&SourceLine>) =
            commands.iter().copied().partition(|line| line.path.ends_with(".md") || line.path.ends_with(".rst"));
        let shown = if defined.is_empty() { prose } else { defined };
        let items: Vec<CitedText> = shown.iter().map(|line| line.cited(context)).collect();
        let lead = format!("The tests of {} are run with ", text::quote(context.plan.alias(*repo_idx)));
        sentences.extend((!items.is_empty()).then(|| CitedText::listed(&lead, items, MAX_QUOTED, ".")));
    }
    let first = named.first().map(|repo_idx| suggested("repo", context.plan.alias(*repo_idx)))?;
    let note = format!("get_overview {first} has the manifests");
    (!sentences.is_empty()).then(|| {
        IntentAnswer::new(sentences, Confidence::High, note).with_shortfalls(without_absent_files(found.shortfalls))
    })
}

fn has_test(line: &str) -> bool {
    line.to_lowercase().contains("test")
}

/// Returns true for a line that defines the command of tests, in the notation of its file.
fn is_command(path: &str, line: &str) -> bool {
    let is_name = |name: &str| {
        let parts: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).collect();
        parts.iter().any(|part| matches!(*part, "test" | "tests" | "e2e" | "spec"))
    };
    match path {
        "package.json" | "composer.json" => {
            let Some((key, value)) = line.trim().split_once("\": \"") else { return false };
            let is_version = value.starts_with(['^', '~', '>']) || value.starts_with(|c: char| c.is_ascii_digit());
            is_name(key) && !key.contains('@') && !key.contains('/') && !is_version
        }
        "Makefile" | "justfile" => {
            let target = line.split_once(':').map(|(target, rest)| (target.trim(), rest));
            target.is_some_and(|(target, rest)| {
                is_name(target)
                    && !rest.starts_with('=')
                    && !target.starts_with(['.', '#', '@'])
                    && !target.contains([' ', '$'])
            })
        }
        "tasks.py" => {
            let function = line.trim().strip_prefix("def ").and_then(|rest| rest.split('(').next());
            function.is_some_and(is_name)
        }
        _ if line.trim_start().starts_with('#') => false,
        "tox.ini" | "noxfile.py" | "Rakefile" | "Taskfile.yml" => {
            ["pytest", "unittest", "rspec", "go test", "def test", ":test"].iter().any(|part| line.contains(part))
        }
        _ => {
            let bare = line.trim();
            let quoted = bare.strip_prefix('`').and_then(|rest| rest.split('`').next());
            let command = quoted.unwrap_or(bare).trim_start_matches(['$', '`', ' ']);
            let words: Vec<&str> = command.split(' ').filter(|word| !word.is_empty()).collect();
            let first = words.first().copied().unwrap_or_default();
            // A plain word behind the name is one of a sentence.
            let is_plain = |word: &str| word.chars().all(|c| c.is_alphabetic() || matches!(c, '.' | ','));
            let is_target = !PLAIN_RUNNERS.contains(&first)
                || (words.get(1).is_some_and(|name| is_name(name) && !name.ends_with(['.', ',']))
                    && !words.get(2).is_some_and(|word| is_plain(word)));
            WHOLE_RUNNERS.contains(&first)
                || (RUNNERS.iter().any(|runner| command.starts_with(runner)) && is_name(command) && is_target)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_tests_are_known_by_their_notation() {
        for (path, line, expected) in [
            ("package.json", "\"test\": \"vitest run\"", true),
            ("package.json", "\"test:watch\": \"vitest\"", true),
            ("package.json", "\"@acme/test\": \"^1.2.0\"", false),
            ("package.json", "\"vitest\": \"^1.2.0\"", false),
            ("Makefile", "test: build", true),
            ("Makefile", ".PHONY: test", false),
            ("Makefile", "TEST := 1", false),
            ("tox.ini", "unit: python -m pytest {posargs}", true),
            ("README.md", "    make test", true),
            ("README.md", "We test everything.", false),
            ("README.md", "$ bundle exec rake test", true),
            ("CONTRIBUTING.rst", "cargo build", false),
            ("README.md", "make sure all tests pass before a pull request", false),
            ("README.md", "just run the tests", false),
            ("README.md", "make tests pass again", false),
            ("README.md", "`make test` runs all of them", true),
            ("README.md", "just test-unit --quiet", true),
            ("README.md", "make sure that it is tested", false),
            ("tasks.py", "def test(", true),
            ("tasks.py", "Run unit tests via pytest.", false),
            ("noxfile.py", "# runs pytest", false),
        ] {
            assert_eq!(is_command(path, line), expected, "{path}: {line}");
        }
    }
}
