//! `list_repos`: the repositories and their state.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use futures::FutureExt as _;
use links::ContractKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Tool;
use crate::{
    arguments,
    limits::clamp,
    meta::{AnswerExtent, DirtyFiles, Meta, Remarks, stale_warning},
    render::RenderedAnswer,
    schema,
};
use federation::{
    call::CallContext, instant::rfc3339, overlay::Overlay, plan::Plan, refusal::Refusal, repo_idx::RepoIdx,
};

const NAME: &str = "list_repos";

/// Default and maximum number of repositories in one answer.
const DEFAULT_LIMIT: usize = 100;
const MAX_LIMIT: usize = 1_000;

/// Maximum number of listed languages per repository; the others have a few files.
const MAX_LANGUAGES: usize = 6;

/// Maximum number of listed languages and diagnostics per repository, if the answer has several.
const MAX_LANGUAGES_OF_SEVERAL: usize = 3;
const MAX_DIAGNOSTICS_OF_SEVERAL: usize = 1;

/// Maximum number of listed problems of workers.
const MAX_PROBLEMS: usize = 20;

#[derive(Debug, Deserialize, JsonSchema)]
struct ListReposArguments {
    /// Default all.
    repo: Option<String>,
    /// Maximum number, 1 to 1000. Default 100.
    limit: Option<i64>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ListAnswer {
    repositories: Vec<RepositoryRow>,
    _meta: Meta,
}

#[derive(Debug, Serialize, JsonSchema)]
struct RepositoryRow {
    repo: String,
    /// `serving`, or the reason why not.
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
    /// The differences of its work tree to that commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    dirty: Option<DirtyFiles>,
    #[serde(skip_serializing_if = "Option::is_none")]
    live_head: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stale_warning: Option<String>,
    /// Its other views: `repo` takes their names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    views: Vec<ViewRow>,
    files: u64,
    symbols: u64,
    source_bytes: u64,
    languages: Vec<LanguageEntry>,
    worker: String,
    /// The repositories that it uses, the most used first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    depends_on: Vec<Dependency>,
    /// The repositories that use it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    used_by: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    diagnostics: Vec<String>,
    /// Number of further diagnostics: a call with the repository in `repo` lists them.
    #[serde(skip_serializing_if = "is_zero")]
    more_diagnostics: usize,
}

/// A view of a repository besides the default one.
#[derive(Debug, Serialize, JsonSchema)]
struct ViewRow {
    view: String,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    indexed_commit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dirty: Option<DirtyFiles>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct LanguageEntry {
    language: String,
    files: u64,
    symbols: u64,
}

/// Number of uses of one repository by another, by kind.
#[derive(Debug, Default, Clone, Serialize, JsonSchema)]
struct Dependency {
    repo: String,
    /// Declared in manifests.
    packages: usize,
    package_symbols: usize,
    grpc: usize,
    http: usize,
    topics: usize,
    tables: usize,
    /// Settings of deployments.
    config: usize,
}

impl Dependency {
    fn n_links(&self) -> usize {
        self.packages + self.package_symbols + self.grpc + self.http + self.topics + self.tables + self.config
    }
}

/// Maximum number of listed dependencies, and of dependents, per repository.
const MAX_DEPENDENCIES: usize = 50;

/// Maximum number of listed views of a repository.
const MAX_VIEWS: usize = 50;

pub(crate) fn tool() -> Tool {
    Tool {
        name: NAME,
        title: "List the repositories",
        description: "Lists the repositories: alias (the value of `repo` in every tool), branch, indexed commit and \
                      age, files, symbols, languages, state, and dependencies on others.",
        input: schema::of_arguments::<ListReposArguments>(),
        output: Some(schema::of_answer::<ListAnswer>()),
        run: |call, arguments| answer(&call.context, arguments).boxed(),
    }
}

async fn answer(call: &CallContext<'_>, arguments: Value) -> Result<RenderedAnswer, Refusal> {
    let parsed = arguments::read::<ListReposArguments>(super::schema_of(NAME), arguments)?;
    let mut notes = Vec::new();
    let limit = clamp("limit", parsed.arguments.limit, DEFAULT_LIMIT, 1..=MAX_LIMIT, &mut notes);
    let plan = call.visible.plan(parsed.arguments.repo.as_deref())?;
    let overlay = call.overlay().await;
    let dependencies = dependencies(call, &plan, &overlay);
    let shown = plan.asked.iter().take(limit);
    let repositories: Vec<RepositoryRow> =
        shown.map(|repo_idx| entry(&plan, *repo_idx, &dependencies, views(call, *repo_idx))).collect();
    if overlay.missing.keys().any(|repo_idx| plan.asked.contains(repo_idx)) {
        notes.push(
            "the links of some repositories are not known yet: `depends_on` and `used_by` may be incomplete".to_owned(),
        );
    }
    let truncated = repositories.len() < plan.asked.len();
    let extent = AnswerExtent {
        truncated,
        total_items: plan.asked.len() as u64,
        returned_items: repositories.len() as u64,
        more: truncated.then(|| format!("a larger limit, up to {MAX_LIMIT}, or aliases in `repo`")),
    };
    notes.extend(worker_problems(&plan));
    if plan.asked.is_empty() {
        notes.push("no repository is available yet".to_owned());
    }
    let remarks = Remarks { hint: None, extent, ignored_arguments: parsed.ignored, notes, ..Remarks::default() };
    let _meta = Meta::new(&plan, [], remarks);
    Ok(RenderedAnswer::json(&ListAnswer { repositories, _meta }, &plan))
}

/// Returns the problems of the workers that hold an asked repository.
fn worker_problems(plan: &Plan) -> Vec<String> {
    let repositories = plan.asked.iter().map(|repo_idx| plan.repository(*repo_idx));
    let holders: BTreeSet<usize> = repositories
        .flat_map(|repository| repository.holders.iter().chain([&repository.worker_idx]))
        .copied()
        .collect();
    let workers = holders.iter().map(|worker_idx| &plan.directory.workers[*worker_idx]);
    let lines = workers.flat_map(|worker| worker.problems.iter().map(move |problem| (&worker.name, problem)));
    let line = |(worker, problem): (&String, &String)| {
        format!("worker {}: {}", text::sanitise_name(worker), text::sanitise_name(problem))
    };
    lines.take(MAX_PROBLEMS).map(line).collect()
}

/// Counts the links of the asked repositories that are certain, by user and provider.
fn dependencies(call: &CallContext<'_>, plan: &Plan, overlay: &Overlay) -> BTreeMap<(RepoIdx, RepoIdx), Dependency> {
    let asked: BTreeSet<RepoIdx> = plan.asked.iter().copied().collect();
    let is_asked = |user, provider| asked.contains(&user) || asked.contains(&provider);
    let mut dependencies: BTreeMap<(RepoIdx, RepoIdx), Dependency> = BTreeMap::new();
    // Summaries of inferred links are in memory, and a common package has a million links.
    for links in overlay.summary(&call.visible, is_asked).by_kind {
        let dependency = dependencies.entry((links.user, links.provider)).or_default();
        let count = match links.kind {
            ContractKind::Package => &mut dependency.packages,
            ContractKind::PackageSymbol => &mut dependency.package_symbols,
            ContractKind::Grpc => &mut dependency.grpc,
            ContractKind::Http => &mut dependency.http,
            ContractKind::Topic => &mut dependency.topics,
            ContractKind::Table => &mut dependency.tables,
            _ => &mut dependency.config,
        };
        *count += links.n_links;
    }
    dependencies
}

fn depends_on(plan: &Plan, repo_idx: RepoIdx, all: &BTreeMap<(RepoIdx, RepoIdx), Dependency>) -> Vec<Dependency> {
    let own = all.range((repo_idx, RepoIdx(0))..=(repo_idx, RepoIdx(usize::MAX)));
    let mut own: Vec<Dependency> = own
        .map(|((_, provider), counts)| Dependency { repo: plan.alias(*provider).to_owned(), ..counts.clone() })
        .collect();
    own.sort_by_key(|counts| Reverse(counts.n_links()));
    own.truncate(MAX_DEPENDENCIES);
    own
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Returns the views of a repository besides the default one.
fn views(call: &CallContext<'_>, repo_idx: RepoIdx) -> Vec<ViewRow> {
    let row = |(view, name): (RepoIdx, &str)| {
        let repository = &call.visible.directory[view];
        ViewRow {
            view: name.to_owned(),
            state: repository.availability.name(),
            branch: sanitised(&repository.advertised.branch),
            indexed_commit: sanitised(&repository.advertised.commit),
            dirty: DirtyFiles::of(&repository.advertised),
        }
    };
    call.visible.views_of(repo_idx).take(MAX_VIEWS).map(row).collect()
}

/// Returns a text of a worker for an answer; `None` if it is empty.
fn sanitised(name: &str) -> Option<String> {
    Some(text::sanitise_name(name).into_owned()).filter(|name| !name.is_empty())
}

fn entry(
    plan: &Plan,
    repo_idx: RepoIdx,
    dependencies: &BTreeMap<(RepoIdx, RepoIdx), Dependency>,
    views: Vec<ViewRow>,
) -> RepositoryRow {
    let repository = plan.repository(repo_idx);
    let advertised = &repository.advertised;
    let shown = sanitised;
    let (max_languages, max_diagnostics) = match plan.asked.len() {
        0 | 1 => (MAX_LANGUAGES, usize::MAX),
        _ => (MAX_LANGUAGES_OF_SEVERAL, MAX_DIAGNOSTICS_OF_SEVERAL),
    };
    let diagnostics = advertised.diagnostics.iter().take(max_diagnostics);
    let live_head = shown(&advertised.live_head).filter(|head| *head != advertised.commit);
    let reason = match plan.shortfalls.iter().find(|(short, ..)| *short == repo_idx) {
        Some((_, _, reason)) => shown(reason),
        None => shown(&advertised.reason),
    };
    let languages = advertised.languages.iter().take(max_languages).map(|count| LanguageEntry {
        language: text::sanitise_name(&count.language).into_owned(),
        files: count.files,
        symbols: count.symbols,
    });
    let users = dependencies.keys().filter(|(_, provider)| *provider == repo_idx);
    let users = users.map(|(user, _)| plan.alias(*user).to_owned());
    RepositoryRow {
        repo: plan.alias(repo_idx).to_owned(),
        state: repository.availability.name(),
        reason,
        branch: shown(&advertised.branch),
        indexed_commit: shown(&advertised.commit),
        committed_at: rfc3339(advertised.committed_at),
        indexed_at: rfc3339(advertised.indexed_at),
        dirty: DirtyFiles::of(advertised),
        stale_warning: stale_warning(advertised),
        live_head,
        views,
        files: advertised.files,
        symbols: advertised.symbols,
        source_bytes: advertised.source_bytes,
        languages: languages.collect(),
        depends_on: depends_on(plan, repo_idx, dependencies),
        used_by: users.take(MAX_DEPENDENCIES).collect(),
        worker: plan.directory.workers[repository.worker_idx].name.clone(),
        more_diagnostics: advertised.diagnostics.len() - diagnostics.len(),
        diagnostics: diagnostics.map(|line| text::sanitise_name(line).into_owned()).collect(),
    }
}
