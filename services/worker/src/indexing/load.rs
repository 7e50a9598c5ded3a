//! Loading the generation of `HEAD` from the object store, if another worker has indexed it.

use std::{sync::Arc, time::Instant};

use index::{GenerationKey, GenerationProvenance};
use share::LoadedGeneration;

use super::{
    EXTRACTOR_VERSION, IndexingRun, MissingVectors, PendingLoad, PublishedRun, RunFigures, RunOutcome, RunShortfall,
    RunStep,
    resolve::{NO_COMMITS, RunTarget},
};
use crate::sharing::{LoadResult, Sharing, SharingRole};

/// Loads the generation of `HEAD`: with vectors, or also without if its text is not served yet. None if the run is to index it.
///
/// A stored generation is loaded even if the served one could be extended. An extension links, reads history and renders pages
/// of the whole repository, while a load only reads bytes. A worker that mainly indexes asks only if it has nothing to extend.
pub(super) fn load(run: &IndexingRun<'_>, target: &RunTarget, started: Instant) -> Option<RunOutcome> {
    // No other worker has the files of this work tree.
    let sharing = run.sharing.filter(|_| target.head != NO_COMMITS && target.changes.is_none())?;
    let is_asked = match sharing.role() {
        SharingRole::Query => true,
        SharingRole::Both => !run.is_forced,
        SharingRole::Index => !run.is_forced && run.served.is_none(),
    };
    if !is_asked {
        return None;
    }
    run.enter(RunStep::Load);
    match sharing.load(&acceptable_keys(run, target), run.directory) {
        LoadResult::Loaded(loaded) => Some(loaded_outcome(run, sharing, *loaded, started)),
        LoadResult::NotLoaded(_) if sharing.role().indexes() => None,
        LoadResult::NotLoaded(reason) => {
            let commit = target.head.commit;
            let reason = format!("commit {} waits to be loaded: {reason}", commit.short());
            let pending = PendingLoad { commit, has_text: false, reason };
            Some(RunOutcome::unpublished(Some(RunShortfall::Load(pending))))
        }
    }
}

/// Returns the keys of the generations that would do, the best one first.
fn acceptable_keys(run: &IndexingRun<'_>, target: &RunTarget) -> Vec<GenerationKey> {
    let is_service = run.model.static_model().is_none();
    let models = [Some(run.model.id().clone()), None];
    let n_models = if is_service && !target.is_text_served() { 2 } else { 1 };
    let key = |model| {
        let (repo, commit) = (run.checkout.repo, target.head.commit);
        let generation = GenerationProvenance::generation_of(repo, commit, model, EXTRACTOR_VERSION);
        GenerationKey { repo, commit, generation }
    };
    models.iter().take(n_models).map(|model| key(model.as_ref())).collect()
}

fn loaded_outcome(run: &IndexingRun<'_>, sharing: &Sharing, loaded: LoadedGeneration, started: Instant) -> RunOutcome {
    let LoadedGeneration { snapshot, bytes } = loaded;
    let manifest = snapshot.manifest();
    let figures = RunFigures {
        generation: manifest.generation.to_string(),
        files: manifest.files,
        files_extracted: 0,
        symbols: manifest.symbols,
        milliseconds: started.elapsed().as_millis() as u64,
        incremental: false,
        loaded: true,
        loaded_bytes: bytes,
        without_commits: false,
    };
    let lacks_vectors = manifest.model.as_deref() != Some(run.model.id().as_str());
    let shortfall = lacks_vectors.then(|| match sharing.role().indexes() {
        true => RunShortfall::Vectors(MissingVectors::Pending),
        false => RunShortfall::Load(PendingLoad {
            commit: manifest.commit,
            has_text: true,
            reason: "its vectors are not in the object store yet".to_owned(),
        }),
    });
    RunOutcome { published: Some(PublishedRun { snapshot: Arc::new(snapshot), figures }), shortfall }
}
