//! The inventory and the status of a catalog, as messages.

use std::time::{SystemTime, UNIX_EPOCH};

use model::RepoId;
use proto::v1;
use source::CheckoutView;

use super::{
    catalog::Catalog,
    catalog_entry::CatalogEntry,
    draft_state::WorkTreeDraft,
    run_outcome::{MissingVectors, NO_COMMIT},
};

/// Maximum number of edited paths that a draft names.
const MAX_EDITED_PATHS: usize = 20;

impl Catalog {
    /// Returns the current inventory.
    pub(crate) fn inventory(&self, worker: &str) -> v1::InventoryResponse {
        let epoch = self.inventory_epoch();
        let entries = self.entries();
        let cluster = self.cluster();
        let refusal = self.write_refusal();
        let repository = |(repo, entry): (&RepoId, &CatalogEntry)| {
            let message = repository_message(entry);
            let reason = match (message.reason.is_empty(), &refusal) {
                (true, Some(refusal)) => format!("no new commit can be indexed: {refusal}"),
                _ => message.reason,
            };
            v1::Repository { leaving: cluster.leaving.contains(repo), reason, ..message }
        };
        v1::InventoryResponse {
            worker: worker.to_owned(),
            epoch,
            analyser_version: ranking::ANALYSER_VERSION,
            repositories: entries.iter().map(repository).collect(),
            expected: cluster.expected,
            problems: self.problems(),
            ..Default::default()
        }
    }

    /// Returns the status of every repository, with a flag that no work is left.
    pub(crate) fn status(&self) -> v1::StatusResponse {
        let entries = self.entries();
        let mut repositories: Vec<v1::RepositoryStatus> = entries.values().map(status_message).collect();
        repositories.sort_by(|a, b| a.alias.cmp(&b.alias));
        v1::StatusResponse { repositories, idle: entries.values().all(|entry| entry.lifecycle.is_at_rest()) }
    }
}

/// Returns the inventory row of a repository.
pub(super) fn repository_message(entry: &CatalogEntry) -> v1::Repository {
    let lifecycle = &entry.lifecycle;
    let repository = v1::Repository {
        id: entry.checkout.repo.to_string(),
        alias: entry.checkout.alias.clone(),
        state: lifecycle.wire_state(entry.served.is_some()).into(),
        reason: lifecycle.reason().unwrap_or_default().to_owned(),
        newer_paths: entry.newer_paths(),
        view_of: entry.checkout.view_of.as_ref().map(|view| view.repo.to_string()).unwrap_or_default(),
        view: entry.checkout.view_of.as_ref().map(|view| view.name.clone()).unwrap_or_default(),
        work_tree_digest: match entry.checkout.view {
            CheckoutView::WorkTree => proto::work_tree_digest(&entry.checkout.path),
            _ => Vec::new(),
        },
        ..Default::default()
    };
    let Some(manifest) = entry.served.as_ref().map(|snapshot| snapshot.manifest()) else { return repository };
    let language = |count: &index::LanguageCount| v1::LanguageCount {
        language: count.language.clone(),
        files: count.files,
        symbols: count.symbols,
    };
    let newer_head = entry.head.filter(|head| head.commit != manifest.commit);
    let vectors = lifecycle.missing_vectors().map(MissingVectors::to_string);
    let reason = match repository.reason.is_empty() && manifest.commit == NO_COMMIT && manifest.files == 0 {
        true => "it has no commits yet; nothing is indexed".to_owned(),
        false => repository.reason.clone(),
    };
    v1::Repository {
        reason,
        generation: manifest.generation.to_string(),
        commit: manifest.commit.to_string(),
        branch: manifest.branch.clone().unwrap_or_default(),
        committed_at: manifest.committed_at,
        indexed_at: manifest.indexed_at,
        files: manifest.files,
        symbols: manifest.symbols,
        source_bytes: manifest.source_bytes,
        rows: manifest.rows,
        languages: manifest.languages.iter().map(language).collect(),
        live_head: newer_head.map(|head| head.commit.to_string()).unwrap_or_default(),
        head_since: entry.served_since,
        unfollowed_since: lifecycle.unfollowed_since().map(seconds).unwrap_or_default(),
        diagnostics: vectors.into_iter().chain(manifest.diagnostics.iter().cloned()).collect(),
        model: manifest.model.clone().unwrap_or_default(),
        changed_files: manifest.changes.as_ref().map_or(0, |changes| changes.n_files),
        changed_paths: manifest.changes.as_ref().map_or_else(Vec::new, |changes| changes.paths.clone()),
        draft: entry.draft().map(|(draft, newer_paths)| draft_message(draft, newer_paths)),
        ..repository
    }
}

/// Returns the inventory row of a draft.
fn draft_message(draft: &WorkTreeDraft, newer_paths: Vec<String>) -> v1::RepositoryDraft {
    let manifest = draft.index.manifest();
    let (n_files, paths) =
        manifest.changes.as_ref().map_or((0, Vec::new()), |changes| (changes.n_files, changes.paths.clone()));
    v1::RepositoryDraft {
        generation: draft.index.generation().to_string(),
        base_generation: draft.index.base_generation().to_string(),
        edited_paths: draft.edited_paths.iter().take(MAX_EDITED_PATHS).cloned().collect(),
        newer_paths,
        changed_files: n_files,
        changed_paths: paths,
    }
}

fn status_message(entry: &CatalogEntry) -> v1::RepositoryStatus {
    let lifecycle = &entry.lifecycle;
    let progress = lifecycle.progress();
    v1::RepositoryStatus {
        alias: entry.checkout.alias.clone(),
        step: lifecycle.wire_step().into(),
        files_done: progress.files_done,
        files_total: progress.files_total,
        error: lifecycle.error().unwrap_or_default().to_owned(),
        last_run: entry.last_run.as_ref().map(v1::RunFigures::from),
        without_vectors: match lifecycle.missing_vectors() {
            Some(MissingVectors::Failed(error)) => error.to_string(),
            Some(MissingVectors::Pending) | None => String::new(),
        },
        awaits: lifecycle.pending_load().map(|pending| pending.reason.clone()).unwrap_or_default(),
    }
}

/// Returns a time in seconds since the epoch.
fn seconds(at: SystemTime) -> i64 {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}
