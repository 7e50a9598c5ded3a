//! The draft of a repository whose work tree is being edited. It is served beside the generation until a run has listed the same edits.

use std::sync::Arc;

use index::{GenerationDraft, GenerationManifest, Snapshot};
use model::GenerationId;
use source::{Checkout, StatCache};

use super::{changed_paths::ChangedPaths, warm_facts::WarmFacts};

/// A draft of a work tree, and the paths in which it differs from the served generation.
pub struct WorkTreeDraft {
    /// The generation with the edited files.
    pub index: GenerationDraft,
    /// Sorted.
    pub edited_paths: Vec<String>,
}

/// The inputs of a draft.
pub(crate) struct DraftTask {
    pub(crate) checkout: Checkout,
    pub(crate) served: Option<Arc<Snapshot>>,
    pub(crate) stat_cache: Arc<StatCache>,
    pub(crate) warm_facts: Arc<WarmFacts>,
    /// The number of its listing.
    pub(crate) listing: u64,
}

/// The draft that is served, and the listings that it and the generation are made from. Listings have numbers in the order in which they
/// begin.
#[derive(Default)]
pub(super) struct DraftState {
    served: Option<ServedDraft>,
    /// The draft before: a caller that searched it may still fetch from it.
    previous: Option<GenerationDraft>,
    /// Paths that changed since the last draft began.
    unlisted: ChangedPaths,
    /// Paths that changed before the current draft began.
    listed_by_draft: ChangedPaths,
    n_listings: u64,
    listing_of_run: u64,
    listing_of_generation: u64,
    listing_of_draft: u64,
}

struct ServedDraft {
    draft: WorkTreeDraft,
    listing: u64,
}

impl DraftState {
    pub(super) fn note_changed_paths(&mut self, paths: ChangedPaths) {
        self.unlisted.extend(paths);
    }

    /// Notes that a run begins, which will list the work tree.
    pub(super) fn begin_run(&mut self) {
        self.listing_of_run = self.next_listing();
    }

    /// Notes that the run has ended well. The draft is dropped if it has no later edits than the generation that is served now.
    pub(super) fn end_run(&mut self, generation: Option<&GenerationManifest>) {
        self.listing_of_generation = self.listing_of_run;
        let listing_of_generation = self.listing_of_generation;
        let outdated =
            self.served.take_if(|served| !is_later(&served.draft, served.listing, listing_of_generation, generation));
        match outdated {
            Some(outdated) => self.previous = Some(outdated.draft.index),
            // Calls that may fetch from it have ended since the run before.
            None if self.served.is_none() => self.previous = None,
            None => {}
        }
    }

    /// Notes that a draft begins, which will list the work tree. Returns the number of its listing.
    pub(super) fn begin(&mut self) -> u64 {
        self.listing_of_draft = self.next_listing();
        self.listed_by_draft.extend(std::mem::take(&mut self.unlisted));
        self.listing_of_draft
    }

    /// Serves a draft, or none if the edits have none. A run may have listed the work tree meanwhile, and is newer then. A draft that was
    /// abandoned is left out.
    pub(super) fn end(&mut self, listing: u64, draft: Option<WorkTreeDraft>, generation: Option<&GenerationManifest>) {
        if listing != self.listing_of_draft {
            return;
        }
        self.listed_by_draft = ChangedPaths::default();
        let later = draft.filter(|draft| is_later(draft, listing, self.listing_of_generation, generation));
        let served = later.map(|draft| ServedDraft { draft, listing });
        if let Some(before) = std::mem::replace(&mut self.served, served) {
            self.previous = Some(before.draft.index);
        }
    }

    /// Ends the current draft without a result, which may still come.
    pub(super) fn abandon(&mut self) {
        let listing = self.begin();
        self.end(listing, None, None);
    }

    /// Drops the drafts of a generation that is not readable any more.
    pub(super) fn clear(&mut self) {
        (self.served, self.previous) = (None, None);
    }

    /// Returns the served draft.
    pub(super) fn served(&self) -> Option<&WorkTreeDraft> {
        self.served.as_ref().map(|served| &served.draft)
    }

    /// Returns the paths that may be newer than the served draft.
    pub(super) fn newer_paths(&self) -> Vec<String> {
        let mut paths = self.listed_by_draft.clone();
        paths.extend(self.unlisted.clone());
        paths.to_list()
    }

    /// Returns the draft of an id, if it is served or was served before.
    pub(super) fn find(&self, generation: GenerationId) -> Option<&GenerationDraft> {
        let held = self.served().map(|draft| &draft.index).into_iter().chain(&self.previous);
        held.into_iter().find(|draft| draft.generation() == generation)
    }

    fn next_listing(&mut self) -> u64 {
        self.n_listings += 1;
        self.n_listings
    }
}

/// Returns true if a draft has later edits of the same commit than the served generation.
fn is_later(
    draft: &WorkTreeDraft,
    listing: u64,
    listing_of_generation: u64,
    generation: Option<&GenerationManifest>,
) -> bool {
    let manifest = draft.index.manifest();
    let is_other = |generation: &GenerationManifest| {
        generation.commit == manifest.commit && generation.contents() != manifest.contents()
    };
    listing > listing_of_generation && generation.is_some_and(is_other)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use graph::Codebase;
    use index::{
        ChangedFiles, DraftChanges, GenerationProvenance, GenerationWriter, NewGraph, NewHistory, RepositoryDir,
        publish,
    };
    use model::{CommitId, ContentsId, RepoId};

    use super::*;

    fn provenance(contents: Option<u8>) -> GenerationProvenance {
        GenerationProvenance {
            repo: RepoId([1; 16]),
            commit: CommitId([1; 20]),
            changes: contents.map(|id| ChangedFiles { contents: ContentsId([id; 20]), n_files: 1, paths: Vec::new() }),
            branch: None,
            committed_at: 1,
            indexed_at: 1,
            extractor: 1,
            model: None,
            pushed_index: None,
            version_tags: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    fn generation(root: &Path, contents: Option<u8>) -> Arc<Snapshot> {
        let directory = RepositoryDir::new(root, RepoId([1; 16]));
        let staging = directory.create_staging().unwrap();
        let structure = links::structure(&Codebase::new([], &[]), &[], &[]);
        let graph = NewGraph { structure: &structure, files: &[], interfaces: &[], domains: &[], link_facts: &[] };
        let writer = GenerationWriter::create(&staging, provenance(contents), None, 0).unwrap();
        let manifest = writer.seal(&graph, Some(&NewHistory::none())).unwrap();
        Arc::new(publish(&directory, &manifest).unwrap())
    }

    fn draft(root: &Path, base: &Arc<Snapshot>, contents: u8) -> WorkTreeDraft {
        let dir = RepositoryDir::new(root, RepoId([1; 16])).draft_dir().unwrap();
        let changes = DraftChanges { files: &[], gone: &[] };
        let index = GenerationDraft::write(&dir, base, &provenance(Some(contents)), &changes).unwrap();
        WorkTreeDraft { index, edited_paths: vec!["a".to_owned()] }
    }

    fn paths(path: &str) -> ChangedPaths {
        let mut paths = ChangedPaths::default();
        paths.add(path.to_owned());
        paths
    }

    #[test]
    fn a_draft_is_served_until_a_run_has_listed_the_same_edits() {
        let folder = tempfile::tempdir().unwrap();
        let (committed, edited) = (generation(folder.path(), None), generation(folder.path(), Some(1)));
        let (before, after) = (Some(committed.manifest()), Some(edited.manifest()));
        let mut state = DraftState::default();
        state.note_changed_paths(paths("a"));
        let listing = state.begin();
        state.begin_run();
        assert_eq!((state.served().is_none(), state.newer_paths()), (true, vec!["a".to_owned()]));
        let first = draft(folder.path(), &committed, 1);
        let first_id = first.index.generation();
        state.end(listing, Some(first), before);
        assert!(state.served().is_some() && state.newer_paths().is_empty());
        // An edit while the run is at work: the draft of it outlives the generation of the first edit.
        state.note_changed_paths(paths("b"));
        assert_eq!(state.newer_paths(), ["b"]);
        let listing = state.begin();
        state.end(listing, Some(draft(folder.path(), &committed, 2)), before);
        let second_id = state.served().unwrap().index.generation();
        assert_ne!(first_id, second_id);
        state.end_run(after);
        assert_eq!(state.served().unwrap().index.generation(), second_id);
        assert!(state.find(first_id).is_some() && state.find(second_id).is_some());
        state.begin_run();
        state.end_run(after);
        assert!(state.served().is_none() && state.find(second_id).is_some());
        assert!(state.find(first_id).is_none() && state.find(committed.manifest().generation).is_none());
    }

    #[test]
    fn a_draft_of_what_is_served_is_not_served() {
        let folder = tempfile::tempdir().unwrap();
        let (committed, edited) = (generation(folder.path(), None), generation(folder.path(), Some(1)));
        let mut state = DraftState::default();
        // The run began first, and has listed the same contents later.
        state.begin_run();
        let listing = state.begin();
        state.end_run(Some(edited.manifest()));
        state.end(listing, Some(draft(folder.path(), &committed, 1)), Some(edited.manifest()));
        assert!(state.served().is_none());
        // The run ends after the draft.
        state.begin_run();
        let listing = state.begin();
        state.end(listing, Some(draft(folder.path(), &committed, 2)), Some(edited.manifest()));
        assert!(state.served().is_some());
        state.end_run(Some(generation(folder.path(), Some(2)).manifest()));
        assert!(state.served().is_none());
        // The run has listed more than the draft.
        let listing = state.begin();
        state.begin_run();
        state.end_run(Some(edited.manifest()));
        state.end(listing, Some(draft(folder.path(), &committed, 3)), Some(edited.manifest()));
        assert!(state.served().is_none());
        // Edits without a draft end the one before.
        let listing = state.begin();
        state.end(listing, Some(draft(folder.path(), &committed, 4)), Some(edited.manifest()));
        assert!(state.served().is_some());
        let listing = state.begin();
        state.end(listing, None, Some(edited.manifest()));
        assert!(state.served().is_none());
        // A draft that was abandoned comes too late.
        let listing = state.begin();
        state.abandon();
        state.end(listing, Some(draft(folder.path(), &committed, 5)), Some(edited.manifest()));
        assert!(state.served().is_none());
    }
}
