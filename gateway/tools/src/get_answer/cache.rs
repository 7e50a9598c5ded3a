//! The answer cache, by caller, question, scope, repositories and model. An entry is valid while the files that it cites
//! are unchanged; commits to other files do not matter. Callers share no entry, since a fast answer would reveal that
//! another one asked the same.

use std::collections::{BTreeMap, BTreeSet};

use futures::future::join_all;
use serde::{Deserialize, Serialize};

use super::cached_answer::CachedAnswer;
use super::{
    body::{AnswerBody, Citation},
    question::normalised,
    request::AnswerRequest,
};
use crate::ToolCall;
use federation::{
    call::CallContext, coverage::Coverage, outline::files, plan::Plan, principal::Principal, repo_idx::RepoIdx,
};

/// Parts of every key: a new schema or release may render, quote and judge differently.
const SCHEMA_VERSION: u32 = 14;
const RELEASE: &str = env!("CARGO_PKG_VERSION");

/// Version of the pipeline. A hedged answer of an older pipeline is recomputed; others stay valid.
const PIPELINE_VERSION: u32 = 1;

/// A hash of the caller, the question and the queried repositories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AnswerKey(pub(super) [u8; 32]);

impl AnswerKey {
    /// Returns the key of a request. Its repositories are the queried ones, which the caller may read.
    pub(super) fn of(principal: &Principal, request: &AnswerRequest, plan: &Plan, provider: &str) -> AnswerKey {
        let mut hasher = blake3::Hasher::new();
        let mut add = |part: &[u8]| {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        };
        add(&SCHEMA_VERSION.to_le_bytes());
        add(RELEASE.as_bytes());
        add(principal.name().as_bytes());
        add(normalised(&request.question.text).as_bytes());
        // The spelling of a question decides which words are names.
        let named = request.question.names.iter().chain(&request.question.maybe_names);
        named.for_each(|name| add(name.as_bytes()));
        add(request.filter.scope.as_bytes());
        add(&request.token_budget.to_le_bytes());
        add(provider.as_bytes());
        // Two callers may know two repositories by the same alias.
        for repo_idx in &plan.asked {
            add(plan.alias(*repo_idx).as_bytes());
            add(plan.repository(*repo_idx).advertised.id.as_bytes());
        }
        AnswerKey(*hasher.finalize().as_bytes())
    }
}

/// A cached answer with its dependencies.
#[derive(Debug, Serialize, Deserialize)]
struct CacheEntry {
    pipeline: u32,
    is_hedged: bool,
    /// Generations by the alias of each queried repository.
    made_from: BTreeMap<String, String>,
    /// Blobs by alias and path: of cited files, and of files that are only named.
    cited: Vec<((String, String), String)>,
    named: Vec<((String, String), String)>,
    body: AnswerBody,
    #[serde(default)]
    notes: Vec<String>,
}

/// An answer to cache.
pub(super) struct NewAnswer<'a> {
    pub(super) body: &'a AnswerBody,
    pub(super) notes: &'a [String],
    pub(super) is_hedged: bool,
    /// Blobs of the retrieved files, by alias and path.
    pub(super) blobs: BTreeMap<(String, String), String>,
}

/// Caches an answer, unless repositories are missing from it.
pub(super) async fn store(tool_call: &ToolCall<'_>, plan: &Plan, key: AnswerKey, new_answer: NewAnswer<'_>) {
    let call = &tool_call.context;
    if !Coverage::of(plan).is_complete() {
        return;
    }
    let NewAnswer { body, notes, is_hedged, mut blobs } = new_answer;
    let cited: BTreeSet<(String, String)> = body.citations.iter().map(file_of).collect();
    // Manifests are cited for their declarations and were not read; all come from one directory and so one
    // generation.
    let files_without_blob: Vec<&(String, String)> = cited.iter().filter(|file| !blobs.contains_key(*file)).collect();
    blobs.extend(self::blobs(call, &files_without_blob).await);
    let paired_with_blob =
        |file: &(String, String)| Some((file.clone(), blobs.get(file).filter(|blob| !blob.is_empty())?.clone()));
    let cited_blobs: Vec<((String, String), String)> = cited.iter().filter_map(paired_with_blob).collect();
    if cited_blobs.len() < cited.len() {
        // Without the blob of a cited file, a change of it could not be detected.
        return;
    }
    let named: BTreeSet<(String, String)> =
        body.candidates.iter().map(|candidate| (candidate.repo.clone(), candidate.path.clone())).collect();
    let entry = CacheEntry {
        pipeline: PIPELINE_VERSION,
        is_hedged,
        made_from: generations(plan),
        cited: cited_blobs,
        named: named.difference(&cited).filter_map(paired_with_blob).collect(),
        body: body.clone(),
        notes: notes.to_vec(),
    };
    put(tool_call, key, &entry);
}

/// Returns the cached answer, if the caller may read all its repositories and the cited files are unchanged. Changed
/// files that are only named are removed.
pub(super) async fn answer(tool_call: &ToolCall<'_>, plan: &Plan, key: AnswerKey) -> Option<CachedAnswer> {
    let call = &tool_call.context;
    let mut entry: CacheEntry = serde_json::from_slice(&tool_call.toolbox.memory.answer(&key.0)?).ok()?;
    let is_readable = entry.made_from.keys().all(|alias| call.visible.repo_idx(alias).is_ok());
    let is_outdated = entry.is_hedged && entry.pipeline != PIPELINE_VERSION;
    if !is_readable || is_outdated || !Coverage::of(plan).is_complete() {
        return None;
    }
    let now = generations(plan);
    if now == entry.made_from {
        return Some(entry.into_cached_answer());
    }
    // An answer without citations found nothing: any commit may change that.
    if entry.cited.is_empty() {
        return None;
    }
    let has_new_generation = |alias: &String| now.get(alias) != entry.made_from.get(alias);
    let files_to_check: Vec<&(String, String)> = entry
        .cited
        .iter()
        .chain(&entry.named)
        .map(|(file, _)| file)
        .filter(|(alias, _)| has_new_generation(alias))
        .collect();
    let blobs = blobs(call, &files_to_check).await;
    let is_unchanged =
        |(file, blob): &((String, String), String)| !has_new_generation(&file.0) || blobs.get(file) == Some(blob);
    if !entry.cited.iter().all(is_unchanged) {
        return None;
    }
    let changed: Vec<(String, String)> =
        entry.named.iter().filter(|named| !is_unchanged(named)).map(|(file, _)| file.clone()).collect();
    remove_files(&mut entry.body, &changed);
    entry.named.retain(|(file, _)| !changed.contains(file));
    entry.made_from = now;
    put(tool_call, key, &entry);
    Some(entry.into_cached_answer())
}

impl CacheEntry {
    fn into_cached_answer(self) -> CachedAnswer {
        CachedAnswer { body: self.body, notes: self.notes, may_miss: None }
    }
}

fn put(tool_call: &ToolCall<'_>, key: AnswerKey, entry: &CacheEntry) {
    if let Ok(bytes) = serde_json::to_vec(entry) {
        tool_call.toolbox.memory.cache_answer(key.0, bytes);
    }
}

fn generations(plan: &Plan) -> BTreeMap<String, String> {
    let of = |repo_idx: &RepoIdx| {
        (plan.alias(*repo_idx).to_owned(), plan.repository(*repo_idx).advertised.generation.clone())
    };
    plan.asked.iter().map(of).collect()
}

/// Queries the current blobs of files; deleted files are missing.
async fn blobs(call: &CallContext<'_>, files_to_check: &[&(String, String)]) -> BTreeMap<(String, String), String> {
    let query_blob = async |file: &(String, String)| -> Option<((String, String), String)> {
        let plan = call.visible.plan(Some(&file.0)).ok()?;
        let outlined = call.outline(&plan, &file.1, 0).await.value;
        let found = files(&plan, outlined).into_iter().find(|found| found.path == file.1)?;
        Some((file.clone(), found.blob().to_owned()))
    };
    join_all(files_to_check.iter().map(|file| query_blob(file))).await.into_iter().flatten().collect()
}

fn remove_files(body: &mut AnswerBody, changed: &[(String, String)]) {
    let is_unchanged_file = |repo: &String, path: &String| !changed.contains(&(repo.clone(), path.clone()));
    body.candidates.retain(|candidate| is_unchanged_file(&candidate.repo, &candidate.path));
    body.retrieval.retain(|hit| is_unchanged_file(&hit.repo, &hit.path));
    body.fallback_targets.retain(|target| !changed.iter().any(|(repo, path)| *target == format!("{repo}:{path}")));
}

fn file_of(citation: &Citation) -> (String, String) {
    (citation.repo.clone(), citation.path.clone())
}
