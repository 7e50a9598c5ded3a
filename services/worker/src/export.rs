//! What is sealed in a data folder, for those who compare it with something else. It takes nothing, and asks nobody: a
//! sealed generation is read where it lies, be it that a worker owns the folder.

use std::path::Path;

use index::{IndexError, RepositoryDir, Snapshot};

pub use index::CallView;

use crate::{data_dir, names_file::NamesFile};

/// How often a generation is looked up that is replaced at the same time.
const MAX_TRIES: u32 = 3;

/// Why nothing can be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("there is no repository `{alias}`; there are: {}", known.join(", "))]
    Unknown { alias: String, known: Vec<String> },
    #[error("nothing is indexed in `{path}`: name the folders to index")]
    Nothing { path: String },
    #[error("`{alias}` is not indexed yet")]
    NotIndexed { alias: String },
    #[error(transparent)]
    Index(#[from] IndexError),
}

/// Returns the calls of a repository that are at least so sure, in the order of caller and callee.
pub fn calls(data: &Path, alias: &str, min_confidence: f32) -> Result<Vec<CallView>, ExportError> {
    Ok(snapshot(data, alias)?.calls(min_confidence))
}

fn snapshot(data: &Path, alias: &str) -> Result<Snapshot, ExportError> {
    let names = NamesFile::new(data_dir::names(data)).read("");
    let Some((_, repo)) = names.given().find(|(given, _)| *given == alias) else {
        let known: Vec<String> = names.given().map(|(alias, _)| alias.to_owned()).collect();
        return Err(match known.is_empty() {
            true => ExportError::Nothing { path: data.display().to_string() },
            false => ExportError::Unknown { alias: alias.to_owned(), known },
        });
    };
    let repository = RepositoryDir::open(&data_dir::generations(data), repo)?;
    let mut opened = repository.current();
    for _ in 1..MAX_TRIES {
        if opened.is_ok() {
            break;
        }
        opened = repository.current();
    }
    opened?.ok_or_else(|| ExportError::NotIndexed { alias: alias.to_owned() })
}
