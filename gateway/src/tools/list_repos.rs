//! `list_repos`: what there is, and how it stands.

use futures::FutureExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Tool;
use crate::{
    arguments,
    call::Call,
    instant::rfc3339,
    limits::clamp,
    meta::{Extent, Meta, Remarks, stale_warning},
    metrics::state_name,
    plan::Plan,
    refusal::Refusal,
    render::Rendered,
    schema,
};

const NAME: &str = "list_repos";

/// Repositories in one answer unless the caller says so, and at most.
const DEFAULT_LIMIT: usize = 100;
const MAX_LIMIT: usize = 1_000;

/// Languages listed of one repository: the rest is a handful of files.
const MAX_LANGUAGES: usize = 6;

#[derive(Debug, Deserialize, JsonSchema)]
struct Arguments {
    /// An alias, several joined by commas, or all. Default all.
    repo: Option<String>,
    /// How many repositories, 1 to 1000. Default 100.
    limit: Option<i64>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Answer {
    repositories: Vec<Entry>,
    _meta: Meta,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Entry {
    repo: String,
    /// `serving`, or why it is not.
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    indexed_commit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    committed_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    indexed_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    live_head: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stale_warning: Option<String>,
    files: u64,
    symbols: u64,
    source_bytes: u64,
    languages: Vec<LanguageEntry>,
    worker: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    diagnostics: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct LanguageEntry {
    language: String,
    files: u64,
    symbols: u64,
}

pub(crate) fn tool() -> Tool {
    Tool {
        name: NAME,
        title: "List the repositories",
        description: "Lists every repository that can be asked: its alias (what `repo` takes in every tool), branch, \
                      indexed commit and age, files, symbols and languages, and whether it is being served. Use it \
                      first when it is not known what there is, or when coverage says that something is missing.",
        input: schema::of_arguments::<Arguments>(),
        output: Some(schema::of_answer::<Answer>()),
        run: |call, arguments| async move { answer(call, arguments) }.boxed(),
    }
}

fn answer(call: &Call<'_>, arguments: Value) -> Result<Rendered, Refusal> {
    let understood = arguments::read::<Arguments>(super::schema_of(NAME), arguments)?;
    let mut notes = Vec::new();
    let limit = clamp("limit", understood.arguments.limit, DEFAULT_LIMIT, 1..=MAX_LIMIT, &mut notes);
    let plan = call.visible.plan(understood.arguments.repo.as_deref())?;
    let repositories: Vec<Entry> = plan.asked.iter().take(limit).map(|position| entry(&plan, *position)).collect();
    let truncated = repositories.len() < plan.asked.len();
    let extent = Extent {
        truncated,
        total_items: plan.asked.len() as u64,
        returned_items: repositories.len() as u64,
        more: truncated.then(|| format!("a limit of up to {MAX_LIMIT}, or the aliases of interest in `repo`")),
    };
    if plan.asked.is_empty() {
        notes.push("there is no repository yet".to_owned());
    }
    let remarks = Remarks { hint: None, extent, ignored_arguments: understood.ignored, notes };
    let _meta = Meta::new(call, &plan, [], remarks);
    Ok(Rendered::json(&Answer { repositories, _meta }, &plan))
}

fn entry(plan: &Plan, position: usize) -> Entry {
    let repository = plan.repository(position);
    let advertised = &repository.advertised;
    let shown = |name: &str| Some(text::sanitise_name(name).into_owned()).filter(|name| !name.is_empty());
    let live_head = shown(&advertised.live_head).filter(|head| *head != advertised.commit);
    let reason = match plan.shortfalls.iter().find(|(short, ..)| *short == position) {
        Some((_, _, reason)) => shown(reason),
        None => shown(&advertised.reason),
    };
    let languages = advertised.languages.iter().take(MAX_LANGUAGES).map(|count| LanguageEntry {
        language: text::sanitise_name(&count.language).into_owned(),
        files: count.files,
        symbols: count.symbols,
    });
    Entry {
        repo: repository.alias.clone(),
        state: state_name(&repository.standing),
        reason,
        branch: shown(&advertised.branch),
        indexed_commit: shown(&advertised.commit),
        committed_at: rfc3339(advertised.committed_at),
        indexed_at: rfc3339(advertised.indexed_at),
        stale_warning: live_head.as_deref().map(|head| stale_warning(&advertised.commit, head)),
        live_head,
        files: advertised.files,
        symbols: advertised.symbols,
        source_bytes: advertised.source_bytes,
        languages: languages.collect(),
        worker: plan.directory.workers[repository.worker_idx].name.clone(),
        diagnostics: advertised.diagnostics.iter().map(|line| text::sanitise_name(line).into_owned()).collect(),
    }
}
