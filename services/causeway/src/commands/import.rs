//! `causeway import`: stores index data that other programs made.

use std::path::PathBuf;

use serde_json::json;
use worker::import::{self, ImportError};

use crate::{
    backend, data,
    exit::{CommandError, Exit},
    options::{GlobalOptions, ServerOptions},
    output::{print, print_json},
};

const EXAMPLE: &str = "\
Example:
  scip-typescript index && causeway import scip index.scip
  causeway import scip --repo api --commit $(git rev-parse HEAD) build/index.scip

The index is kept in the data folder, in the place of the one before, and used when the repository is indexed. A running server
indexes it again by itself. Files that have changed since the index was made are resolved without it.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct ImportArgs {
    /// Format of the file
    #[arg(value_enum)]
    format: ImportFormat,
    /// The index
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Alias or folder of the repository
    #[arg(long, value_name = "ALIAS|PATH", default_value = ".")]
    repo: String,
    /// The commit that the index describes; files that differ from it are resolved without the index
    #[arg(long, value_name = "COMMIT")]
    commit: Option<String>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum ImportFormat {
    /// SCIP, as compilers' indexers write it
    Scip,
}

pub(crate) async fn run(args: ImportArgs, global: &GlobalOptions) -> anyhow::Result<Exit> {
    let ImportArgs { format: ImportFormat::Scip, file, repo, commit } = args;
    let folder = data::folder(global)?;
    let store = move || import::import_index(&folder, &repo, &file, commit.as_deref());
    let imported = tokio::task::spawn_blocking(store).await?.map_err(failure)?;
    let is_running = backend::running_server(&ServerOptions::default(), global)?.is_some();
    if global.json {
        print_json(&json!({ "repo": imported.repository, "documents": imported.n_documents }))?;
    } else {
        let next = match is_running {
            true => "the running server indexes the repository again",
            false => "`causeway index` or `causeway up` uses it",
        };
        print(&format!("imported the index of {} files for `{}`; {next}", imported.n_documents, imported.repository))?;
    }
    Ok(Exit::Done)
}

fn failure(error: ImportError) -> anyhow::Error {
    let exit = match &error {
        ImportError::Unknown { .. } | ImportError::Commit { .. } => Exit::Usage,
        ImportError::Unreadable { .. } | ImportError::NoIndex { .. } | ImportError::Empty { .. } => Exit::Failed,
        ImportError::Store(_) => Exit::DataFolder,
    };
    CommandError::new(exit, error.to_string()).into()
}
