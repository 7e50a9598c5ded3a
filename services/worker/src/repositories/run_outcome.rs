//! The results of an indexing run, as the catalog stores them: its step, its figures, and its shortfall.

use std::{fmt, sync::Arc};

use embed::EmbedError;
use index::Snapshot;
use model::CommitId;
use proto::v1;

/// The commit of a repository without any commit. The repository holds nothing, and answers as an empty one.
pub(crate) const NO_COMMIT: CommitId = CommitId([0; 20]);

/// A step of an indexing run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RunStep {
    /// No run is in progress.
    #[default]
    Idle,
    /// `HEAD` is resolved to a commit.
    Resolve,
    /// The run checks the object store for a generation by another worker.
    Load,
    /// The tree is compared with the generation that is served.
    Diff,
    /// The run requests vectors from an embedding service.
    Embed,
    /// Facts are extracted from files, and the rows of each file are written.
    Extract,
    /// References are resolved to definitions.
    Link,
    /// Commits are read.
    History,
    /// The generation is sealed.
    Write,
    /// The generation is verified and made current.
    Publish,
}

impl RunStep {
    /// Returns the lower-case name for users.
    pub fn name(self) -> &'static str {
        match self {
            RunStep::Idle => "idle",
            RunStep::Resolve => "resolve",
            RunStep::Load => "load",
            RunStep::Diff => "diff",
            RunStep::Embed => "embed",
            RunStep::Extract => "extract",
            RunStep::Link => "link",
            RunStep::History => "history",
            RunStep::Write => "write",
            RunStep::Publish => "publish",
        }
    }
}

impl From<RunStep> for v1::IndexingStep {
    fn from(step: RunStep) -> Self {
        match step {
            RunStep::Idle => v1::IndexingStep::Idle,
            RunStep::Resolve => v1::IndexingStep::Resolve,
            RunStep::Load => v1::IndexingStep::Load,
            RunStep::Diff => v1::IndexingStep::Diff,
            RunStep::Embed => v1::IndexingStep::Embed,
            RunStep::Extract => v1::IndexingStep::Extract,
            RunStep::Link => v1::IndexingStep::Link,
            RunStep::History => v1::IndexingStep::History,
            RunStep::Write => v1::IndexingStep::Write,
            RunStep::Publish => v1::IndexingStep::Publish,
        }
    }
}

/// The progress of a run: its step, and the files done and to do in that step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunProgress {
    /// The current step.
    pub step: RunStep,
    /// Files that the step has finished.
    pub files_done: u64,
    /// Files of the step in all; 0 if the step counts none.
    pub files_total: u64,
}

/// The figures of a run that published a generation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFigures {
    /// The id of the generation.
    pub generation: String,
    /// Files of the generation.
    pub files: u64,
    /// Files whose facts were extracted; the facts of the others were cached.
    pub files_extracted: u64,
    /// Symbols of the generation.
    pub symbols: u64,
    /// Wall time of the run.
    pub milliseconds: u64,
    /// True if the text index of the served generation was extended.
    pub incremental: bool,
    /// True if the generation was loaded from the object store instead of being indexed.
    pub loaded: bool,
    /// Bytes that were read from the object store.
    pub loaded_bytes: u64,
    /// True if the repository has no commits.
    pub without_commits: bool,
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
            without_commits: figures.without_commits,
        }
    }
}

/// The outcome of a run that did not fail.
pub struct RunOutcome {
    /// The new generation; `None` if there was nothing to publish.
    pub published: Option<PublishedRun>,
    /// The missing parts of the repository; `None` if it is up to date.
    pub shortfall: Option<RunShortfall>,
}

impl RunOutcome {
    /// Returns the outcome of a run that published nothing.
    pub(crate) fn unpublished(shortfall: Option<RunShortfall>) -> RunOutcome {
        RunOutcome { published: None, shortfall }
    }
}

/// A generation that a run has made current.
pub struct PublishedRun {
    /// The open generation.
    pub snapshot: Arc<Snapshot>,
    /// The figures of the run.
    pub figures: RunFigures,
}

/// The missing part of a repository after a successful run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunShortfall {
    /// The generation has no vectors. This worker computes them.
    Vectors(MissingVectors),
    /// Another worker has to store a generation before this worker can load it.
    Load(PendingLoad),
}

/// Why a generation has no vectors for now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MissingVectors {
    /// Not all vectors have been requested from the embedding service yet.
    Pending,
    /// The embedding service failed.
    Failed(EmbedError),
}

/// Formats the text for callers. The details of a failure are for operators, and are in the log.
impl fmt::Display for MissingVectors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MissingVectors::Pending => f.write_str("searched by text alone: its vectors are still being computed"),
            MissingVectors::Failed(_) => f.write_str(
                "searched by text alone: the model's service returned no vectors; the worker retries automatically, and \
                 its log has the cause",
            ),
        }
    }
}

/// A generation that another worker has to store first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingLoad {
    /// The commit of the generation.
    pub commit: CommitId,
    /// True if the text of the commit is served already, so that only its vectors are missing.
    pub has_text: bool,
    /// The reason that callers see.
    pub reason: String,
}
