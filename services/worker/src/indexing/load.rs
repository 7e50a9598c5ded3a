//! Asking the store for what another worker may have indexed already.

use std::{sync::Arc, time::Instant};

use index::{GenerationKey, Provenance};
use share::Loaded;
use source::Head;

use super::{Awaits, EXTRACTOR_VERSION, Lack, NO_COMMITS, Outcome, Run, RunFigures, Step};
use crate::sharing::{Found, Role, Sharing};

/// Loads the generation of `head`, with vectors or, where its text is not served yet, without. None if the run is to index it.
///
/// A generation that is stored is loaded even where the one that is served could be extended: that takes linking, history
/// and pages of the whole repository, loading takes its bytes. A worker that is there to index does not ask
/// for what it makes, unless it has nothing to go on from.
pub(super) fn load(run: &Run<'_>, head: &Head, text_is_served: bool, started: Instant) -> Option<Outcome> {
    let sharing = run.sharing.filter(|_| *head != NO_COMMITS)?;
    let is_asked = match sharing.role() {
        Role::Query => true,
        Role::Both => !run.force,
        Role::Index => !run.force && run.served.is_none(),
    };
    if !is_asked {
        return None;
    }
    (run.progress)(Step::Load, 0, 0);
    match sharing.load(&wanted(run, head, text_is_served), run.repository) {
        Found::Loaded(loaded) => Some(published(run, sharing, *loaded, started)),
        Found::Nothing(_) if sharing.role().indexes() => None,
        Found::Nothing(why) => Some(Outcome::Awaits(Awaits::of(head, why))),
    }
}

/// Returns the generations that would do, the best one first.
fn wanted(run: &Run<'_>, head: &Head, text_is_served: bool) -> Vec<GenerationKey> {
    let is_service = run.model.static_model().is_none();
    let models = [Some(run.model.id().clone()), None];
    let n_models = if is_service && !text_is_served { 2 } else { 1 };
    let key = |model| {
        let (repo, commit) = (run.checkout.repo, head.commit);
        let generation = Provenance::generation_of(repo, commit, model, EXTRACTOR_VERSION);
        GenerationKey { repo, commit, generation }
    };
    models.iter().take(n_models).map(|model| key(model.as_ref())).collect()
}

fn published(run: &Run<'_>, sharing: &Sharing, loaded: Loaded, started: Instant) -> Outcome {
    let Loaded { snapshot, bytes } = loaded;
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
    };
    let lacks_vectors = manifest.model.as_deref() != Some(run.model.id().as_str());
    let awaits = (lacks_vectors && !sharing.role().indexes())
        .then(|| Awaits { commit: manifest.commit, why: "its vectors are not in the object store yet".to_owned() });
    let lack = (lacks_vectors && sharing.role().indexes()).then_some(Lack::Pending);
    Outcome::Published { snapshot: Arc::new(snapshot), figures, lack, awaits }
}
