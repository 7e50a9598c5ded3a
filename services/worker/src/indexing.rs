//! Indexing: the supervisor of runs, and one run of one repository.
//!
//! A run is `resolve -> load | diff -> embed -> extract -> link -> history -> write -> publish`, each step in a separate file.
//! It is blocking. If the object store has the generation of `HEAD`, the run loads it and ends. Otherwise it compares the tree of
//! `HEAD` with the served generation, asks an embedding service for vectors if one is configured, extracts the facts of new files
//! (or takes them from the cache), resolves references, reads the commits since the served generation, writes a generation
//! beside the old one, and makes it current. Rows are written while files are read, so that only one batch of source is in
//! memory. A run waits before `extract` until its estimated memory fits into the budget (`memory_budget`).

mod compiler_index;
mod diff;
mod draft;
mod embed_rows;
mod extract;
mod facts_cache;
mod history;
mod link;
mod load;
mod memory_budget;
mod resolve;
mod row_vectors;
mod supervisor;
mod write_rows;

use std::{
    sync::Arc,
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use embed::{EmbedError, Embedder};
use index::{GenerationProvenance, GenerationWriter, IndexError, NewHistory, RepositoryDir, Snapshot};
use model::{CommitId, Language};
use runtime::thread_priority;
use source::{Checkout, CheckoutView, Head, PathDiagnostic, ReadError, SourceError, StatCache, Tree, WorkTree};

pub use crate::repositories::{
    MissingVectors, PendingLoad, PublishedRun, RunFigures, RunOutcome, RunProgress, RunShortfall, RunStep, WarmFacts,
    WorkTreeDraft,
};
pub use draft::make_draft;
pub(crate) use extract::mask_secrets;
pub use facts_cache::FactsCache;
pub use memory_budget::MemoryBudget;
pub(crate) use supervisor::{DraftQueue, RunThreads, Supervisor, WorkTreeWatch};
pub use supervisor::{IndexLocation, ScipSettings};

use crate::{
    repositories::{PushedIndex, WarmNames},
    sharing::Sharing,
    truncation::{TruncatedError, TruncationGuard},
};
use diff::GenerationDiff;
use link::{ExtractedTree, WarmBase};
use memory_budget::MemoryReservation;
use resolve::RunTarget;

/// Version of everything that facts depend on besides the bytes of a file. Facts of another version are extracted again.
pub const FACTS_VERSION: u32 = syntax::EXTRACTOR_VERSION << 8 | text::MASKING_VERSION;

/// Version of everything that a generation depends on besides its files and its format: of facts, of the resolver, and of
/// history.
pub const EXTRACTOR_VERSION: u32 = FACTS_VERSION << 16 | graph::RESOLVER_VERSION << 8 | ::history::VERSION;

/// Stack size of a thread that extracts and links. Both recurse into nested code, up to a few hundred levels of some kilobytes
/// each. Memory that is not reached is not allocated.
const STACK_BYTES: usize = 32 << 20;

/// Makes the threads that runs share.
pub fn threads() -> Result<rayon::ThreadPool, rayon::ThreadPoolBuildError> {
    rayon::ThreadPoolBuilder::new()
        .thread_name(|idx| format!("index-{idx}"))
        .start_handler(|_| thread_priority::lower())
        .stack_size(STACK_BYTES)
        .build()
}

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The repository cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A file cannot be read for a reason that is not its own.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The generation cannot be written or opened.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The data folder cannot be written.
    #[error("commit {commit} cannot be stored: {reason}")]
    Unwritable {
        /// The start of the id of the commit.
        commit: String,
        /// The reason why nothing may be written.
        reason: String,
    },
    /// A file of git shrank while repositories were read, so that objects seem to be missing.
    #[error("a pack of a repository was truncated while it was read; it is read again")]
    Truncated,
    /// The run was stopped before its end.
    #[error("the run was stopped")]
    Stopped,
}

impl From<TruncatedError> for RunError {
    fn from(_: TruncatedError) -> RunError {
        RunError::Truncated
    }
}

/// The inputs of a run, and its callbacks.
pub struct IndexingRun<'a> {
    /// The repository to index.
    pub checkout: &'a Checkout,
    /// The folder of its generations.
    pub directory: &'a RepositoryDir,
    /// The facts of the files of a work tree that is being edited.
    pub warm_facts: &'a WarmFacts,
    /// The ids of files that were hashed before, of a work tree.
    pub stat_cache: &'a StatCache,
    /// The generation that is served now, on which the run may build.
    pub served: Option<Arc<Snapshot>>,
    /// The cache of facts.
    pub facts: &'a FactsCache,
    /// The memory that all runs together may take.
    pub memory: &'a MemoryBudget,
    /// The threads for extraction and linking; see [`threads`].
    pub threads: &'a rayon::ThreadPool,
    /// The model that makes vectors.
    pub model: &'a Embedder,
    /// The object store that generations are shared through, if there is one.
    pub sharing: Option<&'a Sharing>,
    /// True to index a commit even if it is served.
    pub is_forced: bool,
    /// Why nothing may be written into the data folder; `None` if it may.
    pub write_refusal: Option<String>,
    /// Receives the progress of every step.
    pub on_progress: &'a (dyn Fn(RunProgress) + Sync),
    /// Receives the commit of `HEAD` before anything is indexed.
    pub on_head: &'a (dyn Fn(CommitId) + Sync),
    /// Receives the work tree, if that is read instead of the commit.
    pub on_work_tree: &'a (dyn Fn(&WorkTree) + Sync),
    /// Polled between batches of files and of commits. A stopped run removes its files.
    pub is_stopped: &'a (dyn Fn() -> bool + Sync),
}

impl IndexingRun<'_> {
    fn enter(&self, step: RunStep) {
        self.progress(step, 0, 0);
    }

    fn progress(&self, step: RunStep, files_done: usize, files_total: usize) {
        let (files_done, files_total) = (files_done as u64, files_total as u64);
        (self.on_progress)(RunProgress { step, files_done, files_total });
    }

    fn check_stopped(&self) -> Result<(), RunError> {
        if (self.is_stopped)() { Err(RunError::Stopped) } else { Ok(()) }
    }
}

/// Indexes a repository.
///
/// ```
/// use worker::indexing::{self, FactsCache, IndexingRun, MemoryBudget};
///
/// let scratch = tempfile::tempdir()?;
/// let project = scratch.path().join("project");
/// std::fs::create_dir(&project)?;
/// std::fs::write(project.join("retry.py"), "def backoff(attempt):\n    return 2 ** attempt\n")?;
/// let checkout = source::discover(&[project], source::AliasRegistry::default()).checkouts.remove(0);
///
/// let outcome = indexing::run(&IndexingRun {
///     checkout: &checkout,
///     directory: &index::RepositoryDir::new(&scratch.path().join("data"), checkout.repo),
///     warm_facts: &indexing::WarmFacts::default(),
///     stat_cache: &source::StatCache::default(),
///     served: None,
///     facts: &FactsCache::disabled(),
///     memory: &MemoryBudget::of_system(),
///     threads: &indexing::threads()?,
///     model: &embed::Embedder::BuiltIn(embed::StaticModel::built_in()),
///     sharing: None,
///     is_forced: false,
///     write_refusal: None,
///     on_progress: &|_| {},
///     on_head: &|_| {},
///     on_work_tree: &|_| {},
///     is_stopped: &|| false,
/// })?;
///
/// let published = outcome.published.expect("a first run publishes a generation");
/// assert_eq!(published.snapshot.manifest().symbols, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run(run: &IndexingRun<'_>) -> Result<RunOutcome, RunError> {
    let started = Instant::now();
    let guard = TruncationGuard::begin(run.checkout);
    let mut target = resolve::resolve(run)?;
    if target.is_served_with_vectors() {
        return Ok(RunOutcome::unpublished(None));
    }
    if let Some(reason) = run.write_refusal.clone() {
        return Err(RunError::Unwritable { commit: target.head.commit.short(), reason });
    }
    if let Some(loaded) = load::load(run, &target, started) {
        return Ok(loaded);
    }
    if let Some(error) = run.model.breaker_error().filter(|_| target.is_text_served()) {
        return Ok(RunOutcome::unpublished(Some(RunShortfall::Vectors(MissingVectors::Failed(error)))));
    }
    let tree = diff::list(run, &mut target)?;
    let changes = diff::diff(target.with_vectors.as_deref(), &tree);
    let missing_vectors = embed_rows::embed(run, &target, &tree, &changes)?;
    if let Some(missing) = missing_vectors.as_ref().filter(|_| target.is_text_served()) {
        return Ok(RunOutcome::unpublished(Some(RunShortfall::Vectors(missing.clone()))));
    }
    let plan = GenerationPlan::new(run, target, tree, (changes, guard), missing_vectors.is_none());
    let written = match write(run, &plan) {
        Err(RunError::Index(error)) if plan.base.is_some() && error.is_of_reading() => {
            let alias = &run.checkout.alias;
            tracing::warn!(%alias, %error, "cannot build on the served generation; the repository is indexed from nothing");
            write(run, &plan.without_base())
        }
        written => written,
    };
    if written.is_err() {
        // A full disk may be the cause, and staging files can be removed.
        run.directory.discard_staging();
    }
    let written = written?;
    run.facts.flush();
    Ok(outcome(written, missing_vectors, started))
}

/// The generation that a run is about to write.
struct GenerationPlan {
    head: Head,
    tree: Tree,
    /// The served generation that it extends.
    base: Option<Arc<Snapshot>>,
    /// The differences between the base and the tree.
    changes: GenerationDiff,
    /// The served generation whose history continues.
    history_base: Option<Arc<Snapshot>>,
    pushed_index: Option<PushedIndex>,
    provenance: GenerationProvenance,
    /// The files of git since the repository was read.
    guard: TruncationGuard,
}

impl GenerationPlan {
    /// Plans a generation; `changes` is the difference to the served generation with vectors. A generation without vectors can
    /// extend any served one.
    fn new(
        run: &IndexingRun<'_>,
        target: RunTarget,
        tree: Tree,
        (changes, guard): (GenerationDiff, TruncationGuard),
        has_vectors: bool,
    ) -> GenerationPlan {
        let RunTarget { head, changes: work_tree_changes, served, with_vectors, pushed_index, version_tags, .. } =
            target;
        let (base, changes) = match has_vectors {
            true => (with_vectors, changes),
            false => (served.clone(), diff::diff(served.as_deref(), &tree)),
        };
        let id = pushed_index.as_ref().map(|pushed| pushed.id.clone());
        let provenance = GenerationProvenance {
            pushed_index: id,
            version_tags,
            changes: work_tree_changes,
            ..provenance(run, &head, &tree, has_vectors)
        };
        GenerationPlan { head, tree, base, changes, history_base: served, pushed_index, provenance, guard }
    }

    /// Plans the same generation without the served one.
    fn without_base(self) -> GenerationPlan {
        let changes = diff::diff(None, &self.tree);
        GenerationPlan { base: None, changes, history_base: None, ..self }
    }
}

/// A generation that was written and made current.
struct WrittenGeneration {
    snapshot: Snapshot,
    n_extracted: u64,
    is_incremental: bool,
}

/// Writes a generation: `extract -> link -> history -> write -> publish`.
fn write(run: &IndexingRun<'_>, plan: &GenerationPlan) -> Result<WrittenGeneration, RunError> {
    let GenerationPlan { head, tree, base, changes, history_base, pushed_index, provenance, guard } = plan;
    let n_files = tree.files.len();
    let _memory = reserve_memory(run, tree)?;
    let staging = run.directory.create_staging()?;
    let writer = GenerationWriter::create(&staging, provenance.clone(), base.clone(), changes.n_changed)?;
    let is_incremental = writer.is_incremental();
    let (writer, extracted) = write_rows::write_rows(run, tree, changes, base.as_deref(), writer)?;
    let n_extracted = extracted.n_extracted;
    let links = base.as_ref().and_then(|base| run.warm_facts.take_links(base.manifest().generation));
    // A tree without a served generation is not edited yet, and the facts of many such trees would not fit into memory.
    let is_edited = run.checkout.view == CheckoutView::WorkTree && base.is_some();
    let names = if is_edited { keep_warm(run, tree, &extracted) } else { None };
    let names = names.map(|names| names.number(extracted.files.iter().map(|file| &file.facts)));
    let warm = WarmBase { links, names };
    run.progress(RunStep::Link, n_files, n_files);
    let compiler =
        compiler_index::read(run, tree, &extracted.files, pushed_index.as_ref(), provenance.changes.is_some())?;
    let writer = writer.with_compiler_index(compiler.facts.files.len() as u64, compiler.diagnostics);
    let has_previous_history = writer.has_previous_history();
    let link = || link::link(extracted, warm, &compiler.facts, &provenance.version_tags, base.as_deref());
    // The tables and the text index need no links. Beside those of a whole repository they would take much memory.
    let ((linked, names), rows) = run.threads.install(|| match is_incremental {
        true => rayon::join(link, || writer.finish_rows()),
        false => (link(), writer.finish_rows()),
    });
    let rows = rows?;
    if let Some(names) = names {
        run.warm_facts.keep_names(names);
    }
    run.progress(RunStep::History, n_files, n_files);
    let seal = |history: Option<&NewHistory<'_>>| {
        run.progress(RunStep::Write, n_files, n_files);
        run.threads.install(|| rows.seal(&linked.as_new(), history))
    };
    let manifest = match has_previous_history {
        true => seal(None)?,
        false => {
            let history = history::read(run, head, history_base.as_deref())?;
            history.with_signals(tree, |new_history| seal(Some(&new_history)))?
        }
    };
    // An abandoned run may get here late.
    run.check_stopped()?;
    guard.check()?;
    run.enter(RunStep::Publish);
    run.warm_facts.keep_links(manifest.generation, linked.into_previous());
    Ok(WrittenGeneration { snapshot: index::publish(run.directory, &manifest)?, n_extracted, is_incremental })
}

/// Keeps the facts of all files for the run after the next edit. Returns the names that were kept with those before; `None` if
/// nothing is kept.
fn keep_warm(run: &IndexingRun<'_>, tree: &Tree, extracted: &ExtractedTree) -> Option<WarmNames> {
    let n_bytes = tree.files.iter().filter(|file| file.is_readable()).map(|file| file.size).sum();
    let facts = tree.files.iter().zip(&extracted.files);
    let facts = facts.map(|(file, linked)| (file.blob, Language::of_path(&file.path), linked.facts.clone()));
    let names = run.warm_facts.replace(n_bytes, run.memory.max_kept_bytes(), facts);
    if names.is_some() {
        let read = extracted.manifests.iter().filter(|manifest| !manifest.text.is_empty());
        let manifests = read.filter_map(|manifest| {
            let file = tree.file(&manifest.path).filter(|file| file.is_readable())?;
            Some((file.blob, Language::of_path(&manifest.path), manifest.text.as_str().into()))
        });
        run.warm_facts.keep_manifests(manifests);
    }
    names
}

/// Waits until the memory of a run fits into the budget.
fn reserve_memory<'a>(run: &'a IndexingRun<'_>, tree: &Tree) -> Result<MemoryReservation<'a>, RunError> {
    let bytes = memory_budget::estimate(tree);
    let alias = &run.checkout.alias;
    run.memory.reserve(bytes, run.is_stopped, || {
        tracing::info!(alias, bytes, "waiting until other repositories are indexed: the memory budget is used");
        run.enter(RunStep::Idle);
    })
}

fn provenance(run: &IndexingRun<'_>, head: &Head, tree: &Tree, has_vectors: bool) -> GenerationProvenance {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let diagnostic = |diagnostic: &PathDiagnostic| match diagnostic.path.as_str() {
        "" => diagnostic.message.clone(),
        path => format!("{path}: {}", diagnostic.message),
    };
    GenerationProvenance {
        repo: run.checkout.repo,
        commit: tree.commit,
        changes: None,
        branch: head.branch.as_deref().map(|branch| text::without_secrets(branch).into_owned()),
        committed_at: head.committed_at,
        indexed_at: now.as_secs() as i64,
        extractor: EXTRACTOR_VERSION,
        pushed_index: None,
        version_tags: Vec::new(),
        model: has_vectors.then(|| run.model.id().clone()),
        diagnostics: tree.diagnostics.iter().map(diagnostic).collect(),
    }
}

fn outcome(written: WrittenGeneration, missing_vectors: Option<MissingVectors>, started: Instant) -> RunOutcome {
    let WrittenGeneration { snapshot, n_extracted, is_incremental } = written;
    let manifest = snapshot.manifest();
    let figures = RunFigures {
        generation: manifest.generation.to_string(),
        files: manifest.files,
        files_extracted: n_extracted,
        symbols: manifest.symbols,
        milliseconds: started.elapsed().as_millis() as u64,
        incremental: is_incremental,
        loaded: false,
        loaded_bytes: 0,
        without_commits: manifest.commit == resolve::NO_COMMITS.commit && manifest.files == 0,
    };
    let missing_vectors = missing_vectors.or_else(|| manifest.model.is_none().then(vectors_not_stored));
    RunOutcome {
        published: Some(PublishedRun { snapshot: Arc::new(snapshot), figures }),
        shortfall: missing_vectors.map(RunShortfall::Vectors),
    }
}

/// Returns the error of vectors that a service made and the data folder does not have.
fn vectors_not_stored() -> MissingVectors {
    let reason = "vectors could not be kept in the data folder: is the disk full?".to_owned();
    MissingVectors::Failed(EmbedError::Unavailable(reason))
}
