//! Rendering of answers as JSON or as compact text.

use std::{cmp::Reverse, collections::BTreeMap};

use model::{Language, ShardState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::queried_repos::QueriedRepos;
use federation::{coverage::Coverage, plan::Plan, repo_idx::RepoIdx};

/// The output format of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// A JSON object, both as structured content and as text.
    Json,
    /// Text that takes fewer tokens than JSON.
    Compact,
}

/// A rendered answer.
#[derive(Debug)]
pub struct RenderedAnswer {
    /// JSON or compact text.
    pub text: String,
    /// The same content as `text`; unset for compact text.
    pub structured: Option<Value>,
    /// True if every requested repository contributed fully, and no worker may hold others.
    pub is_complete: bool,
    /// The state of each repository that did not answer fully.
    pub shortfalls: Vec<ShardState>,
    /// True if a worker with the draft of an edit failed, and another one can answer without the edit.
    pub has_lost_draft: bool,
    /// The repositories that were queried for it.
    pub queried: QueriedRepos,
}

impl RenderedAnswer {
    /// Renders an answer as JSON, once structured and once as text: clients show a model one of the two.
    #[tracing::instrument(name = "render", skip_all)]
    pub fn json(answer: &impl Serialize, plan: &Plan) -> RenderedAnswer {
        let structured = serde_json::to_value(answer).expect("what becomes text becomes a value");
        RenderedAnswer { structured: Some(structured), ..RenderedAnswer::compact(to_json(answer), plan) }
    }

    /// Returns a rendered answer that has text only.
    pub fn compact(text: String, plan: &Plan) -> RenderedAnswer {
        let shortfalls = plan.shortfalls.iter().map(|(_, state, _)| state).collect();
        RenderedAnswer {
            text,
            structured: None,
            is_complete: Coverage::of(plan).is_complete(),
            shortfalls,
            has_lost_draft: plan.has_lost_draft(),
            queried: QueriedRepos::of(plan),
        }
    }
}

/// Returns an answer as JSON text, its fields in the order of declaration.
pub fn to_json(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).expect("answers hold no map with keys that are not strings")
}

/// Returns code of a file in a Markdown fence.
pub fn code_fence(path: &str, code: &str) -> String {
    text::fence(Language::of_path(path), code)
}

/// The number of hits of one repository.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RepositoryCount {
    /// The alias for the caller.
    pub repo: String,
    /// At least 1.
    pub hits: usize,
}

/// Counts hits by repository, the most first.
pub fn by_repo(plan: &Plan, repo_idxs: impl Iterator<Item = RepoIdx>) -> Vec<RepositoryCount> {
    let mut counts: BTreeMap<RepoIdx, usize> = BTreeMap::new();
    repo_idxs.for_each(|repo_idx| *counts.entry(repo_idx).or_default() += 1);
    let mut by_repo: Vec<(RepoIdx, usize)> = counts.into_iter().collect();
    by_repo.sort_by_key(|(repo_idx, hits)| (Reverse(*hits), *repo_idx));
    let count = |(repo_idx, hits): (RepoIdx, usize)| RepositoryCount { repo: plan.alias(repo_idx).to_owned(), hits };
    by_repo.into_iter().map(count).collect()
}

/// Rounds a score to two decimals.
pub fn hundredths(score: f32) -> f64 {
    (f64::from(score) * 1e2).round() / 1e2
}

/// Rounds a score to four decimals; more would be noise.
pub fn rounded(score: f32) -> f64 {
    (f64::from(score) * 1e4).round() / 1e4
}
