//! Laying an answer out: as JSON, or as text that people read as well.

use std::{cmp::Reverse, collections::BTreeMap};

use model::{Language, ShardState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{audit::Scope, plan::Plan};

/// How an answer is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Format {
    Json,
    Compact,
}

/// An answer, laid out.
#[derive(Debug)]
pub(crate) struct Rendered {
    pub(crate) text: String,
    pub(crate) structured: Option<Value>,
    pub(crate) is_complete: bool,
    /// The state of each repository that did not answer fully.
    pub(crate) shortfalls: Vec<ShardState>,
    /// What was asked for it.
    pub(crate) scope: Scope,
}

impl Rendered {
    /// Lays an answer out as JSON, once for programs and once as text: clients show a model either the one or the
    /// other.
    #[tracing::instrument(name = "render", skip_all)]
    pub(crate) fn json(answer: &impl Serialize, plan: &Plan) -> Rendered {
        let structured = serde_json::to_value(answer).expect("what becomes text becomes a value");
        Rendered { structured: Some(structured), ..Rendered::compact(to_json(answer), plan) }
    }

    /// Takes an answer as text alone.
    pub(crate) fn compact(text: String, plan: &Plan) -> Rendered {
        let shortfalls = plan.shortfalls.iter().map(|(_, state, _)| state).collect();
        Rendered { text, structured: None, is_complete: plan.is_complete(), shortfalls, scope: Scope::of(plan) }
    }
}

/// Returns an answer as JSON text, its fields in the order of declaration.
pub(crate) fn to_json(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).expect("answers hold no map with keys that are not strings")
}

/// Returns code of a file, fenced.
pub(crate) fn fenced(path: &str, code: &str) -> String {
    text::fence(Language::of_path(path), code)
}

/// Returns a signature on one line, fit to be shown: it is source, so secrets in it are masked.
pub(crate) fn signature(signature: &str) -> String {
    text::sanitise_name(&text::clean(signature)).into_owned()
}

/// The longest sentence of a doc comment that is shown where there is one line for it.
const MAX_SENTENCE_CHARS: usize = 120;

/// Returns the first sentence of a doc comment on one line, fit to be shown.
pub(crate) fn first_sentence(doc: &str) -> String {
    /// More of a comment than this is not looked at: the sentence is cut long before.
    const MAX_READ_CHARS: usize = 1_000;
    let beginning = doc.char_indices().nth(MAX_READ_CHARS).map_or(doc, |(end, _)| &doc[..end]);
    let cleaned = text::clean(beginning);
    let lines = cleaned.lines().map(str::trim).skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty());
    let paragraph = lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ");
    let sentence = text::sentences(&paragraph).next().unwrap_or_default();
    match sentence.char_indices().nth(MAX_SENTENCE_CHARS) {
        Some((end, _)) => format!("{}…", sentence[..end].trim_end()),
        None => sentence.to_owned(),
    }
}

/// How many hits a repository has.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct RepositoryCount {
    pub(crate) repo: String,
    pub(crate) hits: usize,
}

/// Counts hits by the positions of their repositories, most first.
pub(crate) fn by_repo(plan: &Plan, positions: impl Iterator<Item = usize>) -> Vec<RepositoryCount> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    positions.for_each(|position| *counts.entry(position).or_default() += 1);
    let mut by_repo: Vec<(usize, usize)> = counts.into_iter().collect();
    by_repo.sort_by_key(|(position, hits)| (Reverse(*hits), *position));
    let count = |(position, hits): (usize, usize)| RepositoryCount { repo: plan.alias(position).to_owned(), hits };
    by_repo.into_iter().map(count).collect()
}

/// Returns a score with four decimals: more than that is noise.
pub(crate) fn rounded(score: f32) -> f64 {
    (f64::from(score) * 1e4).round() / 1e4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn docs_are_told_by_their_first_sentence() {
        let long = "word ".repeat(50);
        let cut = format!("{}…", "word ".repeat(24).trim_end());
        for (doc, expected) in [
            ("", ""),
            ("Returns it.", "Returns it."),
            ("\n  Returns what\n  was asked. More of it.\n", "Returns what was asked."),
            ("Takes names, e.g. of files, in v1.2 form. Rest", "Takes names, e.g. of files, in v1.2 form."),
            ("A title\n\nA text.", "A title"),
            ("Really? Yes", "Really?"),
            (&long, &cut),
        ] {
            assert_eq!(first_sentence(doc), expected, "{doc:?}");
        }
    }
}
