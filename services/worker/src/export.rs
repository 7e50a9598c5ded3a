//! The calls of sealed generations in a data folder, within a repository and between repositories, for comparison with other
//! tools; and their definitions and uses as a SCIP index.
//!
//! An export needs no lock and no running process: a sealed generation never changes, even while a worker owns the folder.

mod cross_repo;
mod dispatch;
mod explained_services;
mod explanation;
mod scip;
mod service_links;

use std::{collections::BTreeSet, path::Path};

use index::{CallView, IndexError, RepositoryDir, Snapshot};
use links::{link_facts::LinkFactsError, rules::LinkRules};
use model::RepoId;

pub use cross_repo::{CrossRepoUse, ExportedUses, cross_repo_edges};
pub use explained_services::ExplainedServiceLink;
pub use explanation::{LinkExplanation, PackageExplanation, explain_link};
pub use scip::scip_index;
pub use service_links::{ExportedServiceLink, service_links};

use crate::repositories::{NamesFile, generations_dir, names_path};

/// Maximum number of attempts to open a generation that is being replaced concurrently.
const MAX_TRIES: u32 = 3;

/// Why an export failed.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The folder has other repositories.
    #[error("there is no repository `{alias}`; there are: {}", known.join(", "))]
    Unknown {
        /// The requested alias.
        alias: String,
        /// The aliases of the folder.
        known: Vec<String>,
    },
    /// The folder has no repository.
    #[error("nothing is indexed in `{path}`: name the folders to index")]
    Nothing {
        /// The folder.
        path: String,
    },
    /// The repository has no generation yet.
    #[error("`{alias}` is not indexed yet")]
    NotIndexed {
        /// The requested alias.
        alias: String,
    },
    /// The generation cannot be opened.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The link facts of a generation cannot be read.
    #[error("`{alias}`: {error}")]
    LinkFacts {
        /// The alias of the repository.
        alias: String,
        /// The reason.
        error: LinkFactsError,
    },
    /// A SCIP index cannot be encoded.
    #[error(transparent)]
    Scip(#[from] compiler_index::WriteError),
}

/// Returns the calls of a repository with at least a confidence from 0 to 1, in the order of caller and callee.
pub fn calls(data: &Path, alias: &str, min_confidence: f32) -> Result<Vec<CallView>, ExportError> {
    Ok(snapshot(data, alias)?.calls(min_confidence))
}

/// Returns the aliases in rules that no repository of a data folder has, in order.
pub fn unknown_aliases(data: &Path, rules: &LinkRules) -> Vec<String> {
    let names = NamesFile::new(names_path(data)).read("").aliases;
    let known: BTreeSet<&str> = names.assigned().map(|(alias, _)| alias).collect();
    rules.unknown_aliases(&known).into_iter().map(str::to_owned).collect()
}

fn snapshot(data: &Path, alias: &str) -> Result<Snapshot, ExportError> {
    let names = NamesFile::new(names_path(data)).read("").aliases;
    let Some((_, repo)) = names.assigned().find(|(assigned, _)| *assigned == alias) else {
        let known: Vec<String> = names.assigned().map(|(alias, _)| alias.to_owned()).collect();
        return Err(match known.is_empty() {
            true => ExportError::Nothing { path: data.display().to_string() },
            false => ExportError::Unknown { alias: alias.to_owned(), known },
        });
    };
    open(data, repo)?.ok_or_else(|| ExportError::NotIndexed { alias: alias.to_owned() })
}

/// Opens the current generation of a repository; `None` if it has none.
fn open(data: &Path, repo: RepoId) -> Result<Option<Snapshot>, ExportError> {
    let directory = RepositoryDir::new(&generations_dir(data), repo);
    let mut tries = (0..MAX_TRIES).map(|_| directory.current());
    let first = tries.next().expect("there is at least one try");
    let opened = first.or_else(|error| tries.find(Result::is_ok).unwrap_or(Err(error)));
    Ok(opened?)
}
