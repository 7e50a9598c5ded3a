//! Answers that were given before: by question, scope, repositories and model, and valid while the files that they cite are
//! unchanged, whatever else was committed.

use std::collections::{BTreeMap, BTreeSet};

use futures::future::join_all;
use proto::v1;
use serde::{Deserialize, Serialize};

use super::{
    body::{Body, Citation},
    question::normalised,
    request::Request,
};
use crate::{call::Call, plan::Plan, tools::get_file_context::files};

/// Part of every key: what is laid out otherwise is another answer, and a new release may quote and judge otherwise.
const SCHEMA_VERSION: u32 = 2;
const RELEASE: &str = env!("CARGO_PKG_VERSION");

/// How answers are made. An answer that says itself that it does not know is made anew by a newer pipeline; others stay.
const PIPELINE_VERSION: u32 = 1;

/// A hash over what is asked of whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Key(pub(super) [u8; 32]);

impl Key {
    /// Returns the key of a request: of the repositories those that are asked, which are those that the caller may read.
    pub(super) fn of(request: &Request, plan: &Plan, provider: &str) -> Key {
        let mut hasher = blake3::Hasher::new();
        let mut add = |part: &[u8]| {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        };
        add(&SCHEMA_VERSION.to_le_bytes());
        add(RELEASE.as_bytes());
        add(normalised(&request.question.text).as_bytes());
        // What is read as a name depends on how it is written.
        let named = request.question.names.iter().chain(&request.question.maybe_names);
        named.for_each(|name| add(name.as_bytes()));
        add(request.filter.scope.as_bytes());
        add(&request.token_budget.to_le_bytes());
        add(provider.as_bytes());
        // Two callers may know two repositories by one name.
        for position in &plan.asked {
            add(plan.alias(*position).as_bytes());
            add(plan.repository(*position).advertised.id.as_bytes());
        }
        Key(*hasher.finalize().as_bytes())
    }
}

/// An answer, and what it rests on.
#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    pipeline: u32,
    is_hedged: bool,
    /// Generations by the alias of each repository that was asked.
    made_from: BTreeMap<String, String>,
    /// Blobs by alias and path: of the files that are cited, and of those that are only named.
    cited: Vec<((String, String), String)>,
    named: Vec<((String, String), String)>,
    body: Body,
    #[serde(default)]
    notes: Vec<String>,
}

/// An answer as it was given before.
pub(crate) struct Kept {
    pub(super) body: Body,
    /// What is to be said of how it was found.
    pub(super) notes: Vec<String>,
}

/// An answer to be kept.
pub(super) struct Fresh<'a> {
    pub(super) body: &'a Body,
    pub(super) notes: &'a [String],
    pub(super) is_hedged: bool,
    /// Blobs of the files that were retrieved, by alias and path.
    pub(super) blobs: BTreeMap<(String, String), String>,
}

/// Keeps an answer, unless repositories are missing from it.
pub(super) async fn keep(call: &Call<'_>, plan: &Plan, key: Key, fresh: Fresh<'_>) {
    if !plan.is_complete() {
        return;
    }
    let Fresh { body, notes, is_hedged, mut blobs } = fresh;
    let cited: BTreeSet<(String, String)> = body.citations.iter().map(file_of).collect();
    // Manifests are cited for what they declare, and were not read: all of it is of one directory, and so of one generation.
    let unread: Vec<&(String, String)> = cited.iter().filter(|file| !blobs.contains_key(*file)).collect();
    blobs.extend(self::blobs(call, &unread).await);
    let with_blob =
        |file: &(String, String)| Some((file.clone(), blobs.get(file).filter(|blob| !blob.is_empty())?.clone()));
    let with_blobs: Vec<((String, String), String)> = cited.iter().filter_map(with_blob).collect();
    if with_blobs.len() < cited.len() {
        // A file whose content is not known cannot be told from one that changed.
        return;
    }
    let named: BTreeSet<(String, String)> =
        body.candidates.iter().map(|candidate| (candidate.repo.clone(), candidate.path.clone())).collect();
    let entry = Entry {
        pipeline: PIPELINE_VERSION,
        is_hedged,
        made_from: generations(plan),
        cited: with_blobs,
        named: named.difference(&cited).filter_map(with_blob).collect(),
        body: body.clone(),
        notes: notes.to_vec(),
    };
    put(call, key, &entry);
}

/// Returns the answer that was given before, if the caller may read all that it was made from and the files that it cites
/// are what they were. Files that it only names and that changed are left out.
pub(super) async fn answer(call: &Call<'_>, plan: &Plan, key: Key) -> Option<Kept> {
    let mut entry: Entry = serde_json::from_slice(&call.core.memory.answer(&key.0)?).ok()?;
    let is_readable = entry.made_from.keys().all(|alias| call.visible.position(alias).is_ok());
    let is_due = entry.is_hedged && entry.pipeline != PIPELINE_VERSION;
    if !is_readable || is_due || !plan.is_complete() {
        return None;
    }
    let now = generations(plan);
    if now == entry.made_from {
        return Some(entry.kept());
    }
    // Nothing is cited where nothing was found: then any commit may bring it.
    if entry.cited.is_empty() {
        return None;
    }
    let is_moved = |alias: &String| now.get(alias) != entry.made_from.get(alias);
    let asked: Vec<&(String, String)> =
        entry.cited.iter().chain(&entry.named).map(|(file, _)| file).filter(|(alias, _)| is_moved(alias)).collect();
    let blobs = blobs(call, &asked).await;
    let is_same = |(file, blob): &((String, String), String)| !is_moved(&file.0) || blobs.get(file) == Some(blob);
    if !entry.cited.iter().all(is_same) {
        return None;
    }
    let changed: Vec<(String, String)> =
        entry.named.iter().filter(|named| !is_same(named)).map(|(file, _)| file.clone()).collect();
    leave_out(&mut entry.body, &changed);
    entry.named.retain(|(file, _)| !changed.contains(file));
    entry.made_from = now;
    put(call, key, &entry);
    Some(entry.kept())
}

impl Entry {
    fn kept(self) -> Kept {
        Kept { body: self.body, notes: self.notes }
    }
}

fn put(call: &Call<'_>, key: Key, entry: &Entry) {
    if let Ok(bytes) = serde_json::to_vec(entry) {
        call.core.memory.keep_answer(key.0, bytes);
    }
}

fn generations(plan: &Plan) -> BTreeMap<String, String> {
    let of =
        |position: &usize| (plan.alias(*position).to_owned(), plan.repository(*position).advertised.generation.clone());
    plan.asked.iter().map(of).collect()
}

/// Asks for the blobs of files as they are now; nothing of those that are gone.
async fn blobs(call: &Call<'_>, asked: &[&(String, String)]) -> BTreeMap<(String, String), String> {
    let ask = async |file: &(String, String)| -> Option<((String, String), String)> {
        let mut plan = call.visible.plan(Some(&file.0)).ok()?;
        let replies: Vec<(crate::plan::Group, v1::OutlineResponse)> = call.outline(&mut plan, &file.1, 0).await;
        let found = files(&plan, replies).into_iter().find(|found| found.path == file.1)?;
        Some((file.clone(), found.blob().to_owned()))
    };
    join_all(asked.iter().map(|file| ask(file))).await.into_iter().flatten().collect()
}

fn leave_out(body: &mut Body, changed: &[(String, String)]) {
    let is_kept = |repo: &String, path: &String| !changed.contains(&(repo.clone(), path.clone()));
    body.candidates.retain(|candidate| is_kept(&candidate.repo, &candidate.path));
    body.retrieval.retain(|hit| is_kept(&hit.repo, &hit.path));
    body.fallback_targets.retain(|target| !changed.iter().any(|(repo, path)| *target == format!("{repo}:{path}")));
}

fn file_of(citation: &Citation) -> (String, String) {
    (citation.repo.clone(), citation.path.clone())
}
