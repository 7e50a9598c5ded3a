//! Laying an answer out: as JSON, or as text that people read as well.

use model::{Language, ShardState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::plan::Plan;

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
}

impl Rendered {
    /// Lays an answer out as JSON, once for programs and once as text: clients show a model either the one or the
    /// other.
    pub(crate) fn json(answer: &impl Serialize, plan: &Plan) -> Rendered {
        let structured = serde_json::to_value(answer).expect("what becomes text becomes a value");
        Rendered { structured: Some(structured), ..Rendered::compact(to_json(answer), plan) }
    }

    /// Takes an answer as text alone.
    pub(crate) fn compact(text: String, plan: &Plan) -> Rendered {
        let shortfalls = plan.shortfalls.iter().map(|(_, state, _)| state).collect();
        Rendered { text, structured: None, is_complete: plan.is_complete(), shortfalls }
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

/// Returns the first line of a doc comment, fit to be shown.
pub(crate) fn first_line(doc: &str) -> String {
    let line = doc.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    text::clean(line).into_owned()
}

/// Returns a score with four decimals: more than that is noise.
pub(crate) fn rounded(score: f32) -> f64 {
    (f64::from(score) * 1e4).round() / 1e4
}
