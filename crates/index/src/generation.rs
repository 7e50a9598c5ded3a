//! The identity of a generation: its key, and the inputs that its id is a hash of.

use embed::ModelId;
use model::{CommitId, ContentsId, GenerationId, RepoId};
use ranking::ANALYSER_VERSION;
use serde::{Deserialize, Serialize};

/// Version of everything on disk in a generation. A generation of another format is rebuilt, never converted.
pub const FORMAT_VERSION: u32 = 19;

/// Identifies a generation on every machine. The id alone is unique; repository and commit make it findable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct GenerationKey {
    /// The indexed repository.
    pub repo: RepoId,
    /// The indexed commit.
    pub commit: CommitId,
    /// Hash of repository, commit, changed contents, embedding model and software versions.
    pub generation: GenerationId,
}

/// The differences of a work tree to the commit of its `HEAD`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedFiles {
    /// The contents of the work tree.
    pub contents: ContentsId,
    /// Number of files that were added, changed or deleted.
    pub n_files: u64,
    /// The first of their paths.
    pub paths: Vec<String>,
}

/// The repository and commit that a generation indexes, and the software and model that made it.
#[derive(Debug, Clone)]
pub struct GenerationProvenance {
    /// The indexed repository.
    pub repo: RepoId,
    /// The indexed commit.
    pub commit: CommitId,
    /// The differences of an indexed work tree to that commit; `None` if there are none.
    pub changes: Option<ChangedFiles>,
    /// Short name of the branch of `HEAD`, if there is one.
    pub branch: Option<String>,
    /// Time of the commit, in seconds since the epoch.
    pub committed_at: i64,
    /// Time of the indexing run, in seconds since the epoch.
    pub indexed_at: i64,
    /// Version of the fact extractor.
    pub extractor: u32,
    /// The embedding model of the row vectors; `None` for a generation without vectors.
    pub model: Option<ModelId>,
    /// The id of the SCIP index that was pushed to the worker, if one was.
    pub pushed_index: Option<String>,
    /// The tags of released versions that the commit contains.
    pub version_tags: Vec<String>,
    /// Parts of the repository that could not be read, one message each.
    pub diagnostics: Vec<String>,
}

impl GenerationProvenance {
    /// Returns the id of the generation.
    pub fn generation(&self) -> GenerationId {
        let model = self.model.as_ref().map(ModelId::as_str);
        let inputs = RunInputs {
            contents: self.changes.as_ref().map(|changes| changes.contents),
            pushed_index: self.pushed_index.as_deref(),
            version_tags: &self.version_tags,
        };
        generation_id(self.repo, self.commit, model, ANALYSER_VERSION, self.extractor, inputs)
    }

    /// Returns the id of the generation of a commit without a pushed index and tags. Equal repository, commit, model and software versions give
    /// an equal id.
    pub fn generation_of(repo: RepoId, commit: CommitId, model: Option<&ModelId>, extractor: u32) -> GenerationId {
        generation_id(repo, commit, model.map(ModelId::as_str), ANALYSER_VERSION, extractor, RunInputs::default())
    }
}

/// The inputs of a generation that are neither in its commit nor in the software.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RunInputs<'a> {
    /// The contents of a work tree that differs from the commit.
    pub(crate) contents: Option<ContentsId>,
    pub(crate) pushed_index: Option<&'a str>,
    pub(crate) version_tags: &'a [String],
}

/// Returns the id of a generation of this format.
pub(crate) fn generation_id(
    repo: RepoId,
    commit: CommitId,
    model: Option<&str>,
    analyser: u32,
    extractor: u32,
    inputs: RunInputs<'_>,
) -> GenerationId {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&repo.0).update(&commit.0);
    hasher.update(model.unwrap_or_default().as_bytes());
    for version in [FORMAT_VERSION, analyser, extractor] {
        hasher.update(&version.to_le_bytes());
    }
    hasher.update(inputs.pushed_index.unwrap_or_default().as_bytes());
    if let Some(contents) = inputs.contents {
        hasher.update(b"contents").update(&contents.0);
    }
    for tag in inputs.version_tags {
        hasher.update(b"\0").update(tag.as_bytes());
    }
    let mut id = [0; 16];
    id.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    GenerationId(id)
}
