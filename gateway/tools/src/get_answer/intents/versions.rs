//! The version of a package that a repository requires, as its manifest says.

use std::collections::BTreeSet;

use super::super::confidence::Confidence;
use super::{IntentAnswer, IntentContext, cited_text::CitedText, source_lines::read, subject::Subject};
use crate::arguments::suggested;
use federation::{answer::Answer, fetch::SourceRequest, repo_idx::RepoIdx, repo_mentions};
use model::LineSpan;

/// Packages of a repository that are compared with the question.
const MAX_READ: u32 = 1_000;

/// Maximum number of manifests that are quoted.
const MAX_QUOTED: usize = 3;

/// Returns true if a question asks for the version of a package.
pub(super) fn asks_for_version(question: &str) -> bool {
    let lower = question.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    words.any(|word| matches!(word, "version" | "versions"))
}

/// Answers with the lines of manifests that require a package of the question; `None` if no manifest requires one.
pub(super) async fn answer(context: IntentContext<'_, '_>, subject: &Subject, question: &str) -> Option<IntentAnswer> {
    let mut named: BTreeSet<RepoIdx> = repo_mentions::named(context.plan, question);
    match subject {
        Subject::Repositories(repositories) => named.extend(repositories),
        Subject::Description(description) => named.extend(&description.named),
        Subject::Module(module) => named.extend([module.repo_idx]),
        Subject::Nodes(_) => {}
    }
    let asked = if named.is_empty() { context.plan.asked.clone() } else { named.iter().copied().collect() };
    let plan = context.call.visible.plan_for(asked, false);
    let Answer { value: overviews, mut shortfalls } = context.call.overviews(&plan, MAX_READ).await;
    let words: Vec<String> = question
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '@').trim_end_matches("'s").to_lowercase())
        .collect();
    let mut sentences: Vec<CitedText> = Vec::new();
    for (repo_idx, overview) in &overviews {
        // An example of a package requires the package itself.
        let alias = context.plan.alias(*repo_idx).to_lowercase();
        let is_asked = |key: &str| words.iter().any(|word| is_package(key, word)) && !is_package(key, &alias);
        for package in overview.requires.iter().filter(|package| is_asked(&package.key)) {
            let Some(at) = package.at.as_ref() else { continue };
            let lines = LineSpan { start: at.line, end: at.line };
            let request = SourceRequest { repo_idx: *repo_idx, path: at.path.clone(), lines };
            let found = read(context, vec![request], |_| true).await;
            shortfalls.extend(found.shortfalls);
            let Some(line) = found.value.first() else { continue };
            let alias = text::quote(context.plan.alias(*repo_idx));
            let shown = format!("{alias} requires {}", text::quote(&line.display_text()));
            sentences.push(CitedText::cited(shown, line.place(context)).then("."));
        }
    }
    sentences.truncate(MAX_QUOTED);
    let first = named.first().map_or_else(|| "all".to_owned(), |repo_idx| context.plan.alias(*repo_idx).to_owned());
    let note = format!("get_overview {} lists the required packages", suggested("repo", &first));
    (!sentences.is_empty()).then(|| IntentAnswer::new(sentences, Confidence::High, note).with_shortfalls(shortfalls))
}

/// Returns true if a word is the name of a package, whole or its last part: `npm:@acme/kit` is `@acme/kit` and `kit`.
fn is_package(key: &str, word: &str) -> bool {
    let name = key.split_once(':').map_or(key, |(_, name)| name).to_lowercase();
    let is_version = |part: &str| part.strip_prefix('v').is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()));
    let last = name.rsplit('/').find(|part| !is_version(part)).unwrap_or(&name);
    word.len() > 1 && (name == word || last == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_named_whole_or_by_their_last_part() {
        for (key, word, expected) in [
            ("go:example.org/kit/v2", "kit", true),
            ("npm:@acme/kit", "@acme/kit", true),
            ("npm:@acme/kit", "acme", false),
            ("python:kit-tools", "kit", false),
        ] {
            assert_eq!(is_package(key, word), expected, "{key} {word}");
        }
        assert!(asks_for_version("which version of kit is used?") && !asks_for_version("what does it convert?"));
    }
}
