//! One indexing run: `resolve -> load | diff -> embed -> extract -> link -> history -> write -> publish`. Blocking, and of one repository.
//!
//! A run that finds the generation of `HEAD` in the store of its worker loads that, and is done. Any other reads the tree of `HEAD`, compares it with the generation that is served, extracts the facts of what is new
//! (or takes them from the cache), asks the model for what that means where it is a service, links the uses of names to what they mean, follows the commits since that generation,
//! writes a generation beside the old one, and makes it current. Rows are written while files are read, so that no more than a batch of source is in memory.

mod extract;
mod facts_cache;
mod history;
mod link;
mod load;
mod vectors;

use std::{
    sync::Arc,
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use embed::{EmbedError, Embedder};
use index::{GenerationWriter, IndexError, NewFile, Provenance, RepositoryDir, Snapshot};
use model::{CommitId, FileFacts};
use proto::v1;
use source::{BlobSource, Checkout, Head, PathDiagnostic, SourceError, Tree, TreeFile};

pub use facts_cache::FactsCache;
pub use vectors::Lack;

use extract::Extracted;
use link::{ReadFile, ReadManifest};
use vectors::RowVectors;

use crate::sharing::Sharing;

/// Version of all that facts depend on besides the bytes of a file. The facts of another version are made anew.
pub const FACTS_VERSION: u32 = syntax::EXTRACTOR_VERSION << 8 | text::MASKING_VERSION;

/// Version of all that a generation depends on besides its files and its format: of facts, of how they are linked, and of
/// how the past is told.
pub const EXTRACTOR_VERSION: u32 = FACTS_VERSION << 16 | graph::RESOLVER_VERSION << 8 | ::history::VERSION;

/// Stack of a thread that extracts and links. Both walk nested code by recursion, a few hundred levels deep at most, of
/// some kilobytes each; memory that is not reached is not taken.
const STACK_BYTES: usize = 32 << 20;

/// Makes the threads that runs share.
pub fn threads() -> Result<rayon::ThreadPool, rayon::ThreadPoolBuildError> {
    rayon::ThreadPoolBuilder::new().thread_name(|idx| format!("index-{idx}")).stack_size(STACK_BYTES).build()
}

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error(transparent)]
    Index(#[from] IndexError),
    #[error("the run was stopped")]
    Stopped,
}

/// Where a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Idle,
    Resolve,
    /// A store is asked for what another worker has indexed.
    Load,
    Diff,
    /// A service is asked for vectors.
    Embed,
    Extract,
    Link,
    History,
    Write,
    Publish,
}

impl From<Step> for v1::IndexingStep {
    fn from(step: Step) -> Self {
        match step {
            Step::Idle => v1::IndexingStep::Idle,
            Step::Resolve => v1::IndexingStep::Resolve,
            Step::Load => v1::IndexingStep::Load,
            Step::Diff => v1::IndexingStep::Diff,
            Step::Embed => v1::IndexingStep::Embed,
            Step::Extract => v1::IndexingStep::Extract,
            Step::Link => v1::IndexingStep::Link,
            Step::History => v1::IndexingStep::History,
            Step::Write => v1::IndexingStep::Write,
            Step::Publish => v1::IndexingStep::Publish,
        }
    }
}

/// What a run did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFigures {
    pub generation: String,
    pub files: u64,
    pub files_extracted: u64,
    pub symbols: u64,
    pub milliseconds: u64,
    pub incremental: bool,
    /// It was loaded from a store, and nothing was indexed.
    pub loaded: bool,
    pub loaded_bytes: u64,
}

impl From<&RunFigures> for v1::RunFigures {
    fn from(figures: &RunFigures) -> Self {
        v1::RunFigures {
            generation: figures.generation.clone(),
            files: figures.files,
            files_extracted: figures.files_extracted,
            symbols: figures.symbols,
            milliseconds: figures.milliseconds,
            incremental: figures.incremental,
            loaded: figures.loaded,
            loaded_bytes: figures.loaded_bytes,
        }
    }
}

/// What a run works on, and whom it tells.
pub struct Run<'a> {
    pub checkout: &'a Checkout,
    pub repository: &'a RepositoryDir,
    pub served: Option<Arc<Snapshot>>,
    pub facts: &'a FactsCache,
    pub threads: &'a rayon::ThreadPool,
    /// What vectors are made by.
    pub model: &'a Embedder,
    /// Where generations are shared with other workers, if they are.
    pub sharing: Option<&'a Sharing>,
    /// Index even if the commit is the one that is served.
    pub force: bool,
    /// Hears of every step, with files done and to do.
    pub progress: &'a (dyn Fn(Step, u64, u64) + Sync),
    /// Hears of the commit that `HEAD` is on, before anything is indexed.
    pub resolved: &'a (dyn Fn(CommitId) + Sync),
    /// Asked between batches of files and of commits; a run that is stopped leaves nothing behind.
    pub stopped: &'a (dyn Fn() -> bool + Sync),
}

/// What came of a run.
pub enum Outcome {
    /// The generation that is served is of this commit already. It may lack vectors, of which there are still not all.
    UpToDate(Option<Lack>),
    Published {
        snapshot: Arc<Snapshot>,
        figures: RunFigures,
        lack: Option<Lack>,
        /// What is still to be loaded, by a worker that indexes nothing.
        awaits: Option<Awaits>,
    },
    /// The worker indexes nothing, and what it is to load is not there.
    Awaits(Awaits),
}

/// What another worker is to store before it can be loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Awaits {
    pub commit: CommitId,
    /// What callers are told.
    pub why: String,
}

impl Awaits {
    fn of(head: &Head, why: &str) -> Awaits {
        Awaits { commit: head.commit, why: format!("commit {} waits to be loaded: {why}", head.commit.short()) }
    }
}

/// Indexes a repository.
pub fn run(run: &Run<'_>) -> Result<Outcome, RunError> {
    let started = Instant::now();
    (run.progress)(Step::Resolve, 0, 0);
    let head = match source::resolve(run.checkout) {
        Err(SourceError::NoCommits { .. }) => NO_COMMITS,
        resolved => resolved?,
    };
    (run.resolved)(head.commit);
    let is_ours = |snapshot: &Arc<Snapshot>| snapshot.manifest().extractor == EXTRACTOR_VERSION && !run.force;
    let has_vectors = |snapshot: &Arc<Snapshot>| snapshot.manifest().model.as_deref() == Some(run.model.id().as_str());
    let served = run.served.clone().filter(is_ours);
    let with_vectors = served.clone().filter(has_vectors);
    let is_current = |snapshot: &Arc<Snapshot>| snapshot.manifest().commit == head.commit;
    if with_vectors.as_ref().is_some_and(is_current) {
        return Ok(Outcome::UpToDate(None));
    }
    let text_is_served = served.as_ref().is_some_and(is_current);
    if let Some(loaded) = load::load(run, &head, text_is_served, started) {
        return Ok(loaded);
    }
    if let Some(error) = run.model.away().filter(|_| text_is_served) {
        return Ok(Outcome::UpToDate(Some(Lack::Failed(error))));
    }

    (run.progress)(Step::Diff, 0, 0);
    let tree = if head == NO_COMMITS { nothing_yet() } else { source::list(run.checkout, &head)? };
    let changes = diff(with_vectors.as_deref(), &tree);

    let is_service = run.model.static_model().is_none();
    let patience = vectors::patience(text_is_served, with_vectors.as_deref());
    let lack = if is_service { vectors::ask(run, &tree, &changes, patience)? } else { None };
    if lack.is_some() && text_is_served {
        return Ok(Outcome::UpToDate(lack));
    }
    // Without vectors, the text of any generation can be gone on with.
    let (served, changes) = match lack {
        None => (with_vectors, changes),
        Some(_) => (served.clone(), diff(served.as_deref(), &tree)),
    };

    let provenance = provenance(run, &head, &tree, lack.is_none());
    let written = write(run, &head, &tree, &changes, provenance, served);
    if written.is_err() {
        // What a full disk holds up is the first thing to go.
        run.repository.discard_staging();
    }
    let Written { snapshot, files_extracted, incremental } = written?;
    run.facts.flush();
    let manifest = snapshot.manifest();
    let figures = RunFigures {
        generation: manifest.generation.to_string(),
        files: manifest.files,
        files_extracted,
        symbols: manifest.symbols,
        milliseconds: started.elapsed().as_millis() as u64,
        incremental,
        loaded: false,
        loaded_bytes: 0,
    };
    let lack = lack.or_else(|| manifest.model.is_none().then(not_kept));
    Ok(Outcome::Published { snapshot: Arc::new(snapshot), figures, lack, awaits: None })
}

/// Returns why vectors are missing that a service gave.
fn not_kept() -> Lack {
    Lack::Failed(EmbedError::Unavailable("vectors could not be kept in the data folder: is the disk full?".to_owned()))
}

/// Where a repository without any commit is: at none, and it holds nothing. It answers as an empty one.
const NO_COMMITS: Head = Head { commit: CommitId([0; 20]), branch: None, committed_at: 0 };

fn nothing_yet() -> Tree {
    let message = "there is no commit yet, so that there is nothing to index".to_owned();
    let diagnostics = vec![PathDiagnostic { path: String::new(), message }];
    Tree { commit: NO_COMMITS.commit, files: Vec::new(), diagnostics }
}

/// A generation that was made current.
struct Written {
    snapshot: Snapshot,
    files_extracted: u64,
    incremental: bool,
}

fn write(
    run: &Run<'_>,
    head: &Head,
    tree: &Tree,
    changes: &Changes,
    provenance: Provenance,
    served: Option<Arc<Snapshot>>,
) -> Result<Written, RunError> {
    let staging = run.repository.staging()?;
    let mut writer = GenerationWriter::create(&staging, provenance, served.clone(), changes.n_changed)?;
    let incremental = writer.is_incremental();
    let read = write_files(run, tree, changes, served.as_deref(), &mut writer)?;
    let Files { files, manifests, n_extracted } = read;
    let n_files = tree.files.len() as u64;
    (run.progress)(Step::Link, n_files, n_files);
    let linked = run.threads.install(|| link::link(&files, &manifests, served.as_deref()));
    drop(files);
    (run.progress)(Step::History, n_files, n_files);
    let past = history::follow(run, head)?;
    (run.progress)(Step::Write, n_files, n_files);
    let signals = past.signals(tree);
    let messages = |path: &str| signals.messages(path).collect();
    let of_file = |path: &str| signals.file(path);
    let manifest = writer.seal(&linked.as_new(), &past.as_new(&of_file, &messages, signals.activity()))?;
    drop(signals);
    drop(past);
    (run.progress)(Step::Publish, 0, 0);
    Ok(Written { snapshot: index::publish(run.repository, &manifest)?, files_extracted: n_extracted, incremental })
}

/// Which files of a tree the served generation holds already.
struct Changes {
    /// By place in the tree.
    is_kept: Vec<bool>,
    /// Files that are new, other or gone.
    n_changed: u64,
}

fn diff(served: Option<&Snapshot>, tree: &Tree) -> Changes {
    let old: Vec<(&str, model::BlobId)> = served.map(|snapshot| snapshot.files().collect()).unwrap_or_default();
    let changed = source::diff(old, tree.blobs());
    let new: std::collections::HashSet<&str> = changed.added.iter().chain(&changed.changed).copied().collect();
    let is_kept = tree.files.iter().map(|file| served.is_some() && !new.contains(file.path.as_str())).collect();
    Changes { is_kept, n_changed: (new.len() + changed.removed.len()) as u64 }
}

fn provenance(run: &Run<'_>, head: &source::Head, tree: &Tree, with_vectors: bool) -> Provenance {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Provenance {
        repo: run.checkout.repo,
        commit: tree.commit,
        branch: head.branch.clone(),
        committed_at: head.committed_at,
        indexed_at: now.as_secs() as i64,
        extractor: EXTRACTOR_VERSION,
        model: with_vectors.then(|| run.model.id().clone()),
        diagnostics: tree
            .diagnostics
            .iter()
            .map(|diagnostic| match diagnostic.path.as_str() {
                "" => diagnostic.message.clone(),
                path => format!("{path}: {}", diagnostic.message),
            })
            .collect(),
    }
}

/// What was read of a tree.
#[derive(Default)]
struct Files {
    files: Vec<ReadFile>,
    manifests: Vec<ReadManifest>,
    n_extracted: u64,
}

/// Writes the rows of every file of the tree, in order, and keeps what linking needs.
///
/// Files are extracted in parallel, a batch at a time, and written one by one.
fn write_files(
    run: &Run<'_>,
    tree: &Tree,
    changes: &Changes,
    served: Option<&Snapshot>,
    writer: &mut GenerationWriter,
) -> Result<Files, RunError> {
    let mut read = Files::default();
    if tree.files.is_empty() {
        return Ok(read);
    }
    let blobs = BlobSource::open(run.checkout)?;
    let vectors = if writer.wants_vectors() { RowVectors::of(run.model) } else { RowVectors::None };
    let n_files = tree.files.len() as u64;
    for batch in extract::batches(&tree.files) {
        if (run.stopped)() {
            return Err(RunError::Stopped);
        }
        (run.progress)(Step::Extract, read.files.len() as u64, n_files);
        let wanted: Vec<(&TreeFile, bool)> =
            batch.map(|file_idx| (&tree.files[file_idx], changes.is_kept[file_idx])).collect();
        let extracted = run.threads.install(|| extract::extract_all(&blobs, run.facts, &vectors, &wanted));
        for (extracted, (file, is_kept)) in extracted.into_iter().zip(wanted) {
            let Extracted { mut facts, bytes, class, is_fresh, vectors } = extracted;
            read.n_extracted += u64::from(is_fresh && !is_kept);
            // What a file is for can depend on its content, which is not read again.
            let known = served.filter(|_| is_kept).and_then(|served| served.class(&file.path));
            let class = known.unwrap_or(class);
            if is_kept {
                writer.keep(&file.path)?;
            } else {
                writer.add(NewFile {
                    path: &file.path,
                    blob: file.blob,
                    class,
                    n_bytes: file.size,
                    facts: &facts,
                    bytes: &bytes,
                    vectors: &vectors,
                })?;
            }
            if graph::is_manifest(&file.path) {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                read.manifests.push(ReadManifest { path: file.path.clone(), text, is_kept });
            }
            forget_texts(&mut facts);
            read.files.push(ReadFile { path: file.path.clone(), facts, class, is_kept });
        }
    }
    Ok(read)
}

/// Drops what linking does not need and a large repository has much of.
fn forget_texts(facts: &mut FileFacts) {
    facts.doc = String::new();
    facts.chunks = Vec::new();
    for definition in &mut facts.definitions {
        definition.signature = String::new();
        definition.doc = String::new();
    }
}
