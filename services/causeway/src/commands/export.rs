//! `causeway export`: prints index data for comparison by other programs.

use std::path::PathBuf;

use runtime::telemetry::print_to_stderr;
use serde_json::{Value, json};
use worker::export::{self, ExportError};

use crate::{
    backend, config, data,
    exit::{CommandError, Exit},
    laptop::Laptop,
    options::{GlobalOptions, ServerOptions},
    output::print,
    progress::{self, Display},
};

const EXAMPLE: &str = "\
Example:
  causeway export edges --repo parcel-kit
  causeway export edges --repo api --min-confidence 0.8 ~/code/api > calls.jsonl

Without a path, exports from the data folder; with paths, indexes them first.
Each line is a call with its caller, callee, site and confidence. Code outside definitions is `<module>`.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct ExportArgs {
    /// Data to export
    #[arg(value_enum)]
    what: What,
    /// Folders with repositories, to be indexed first
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Alias of the repository
    #[arg(long, value_name = "ALIAS")]
    repo: String,
    /// Minimum confidence of a call, from 0 to 1
    #[arg(long, value_name = "N", default_value_t = 0.5)]
    min_confidence: f32,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum What {
    /// Calls
    Edges,
}

pub(crate) async fn run(args: ExportArgs, global: &GlobalOptions) -> anyhow::Result<Exit> {
    let folder = data::folder(global)?;
    if !args.paths.is_empty() {
        index(&args.paths, global).await?;
    }
    let What::Edges = args.what;
    let (repo, min_confidence) = (args.repo, args.min_confidence);
    let lines = tokio::task::spawn_blocking(move || edges(&folder, &repo, min_confidence)).await?.map_err(failure)?;
    if !lines.is_empty() {
        print(&lines.join("\n"))?;
    }
    Ok(Exit::Done)
}

/// Indexes the repositories below folders, unless a server is running.
async fn index(paths: &[PathBuf], global: &GlobalOptions) -> anyhow::Result<()> {
    if let Some(server) = backend::running_server(&ServerOptions::default(), global)? {
        print_to_stderr(&format!(
            "the folders are ignored: the running server at {} indexes its own folders",
            server.url()
        ));
        return Ok(());
    }
    let mut display = if global.json { Display::Silent } else { Display::for_stderr() };
    let laptop = Laptop::start(&data::folder(global)?, paths, config::laptop(global, None)?).await?;
    let indexed = progress::until_indexed(&laptop, &mut display).await;
    laptop.shutdown().await?;
    indexed.map(drop)
}

fn edges(data: &std::path::Path, repo: &str, min_confidence: f32) -> Result<Vec<String>, ExportError> {
    let end_json = |path: &str, name: Option<&str>, line: u32| -> Value {
        json!({ "file": path, "name": name.unwrap_or("<module>"), "line": line })
    };
    let calls = export::calls(data, repo, min_confidence)?;
    let lines = calls.iter().map(|call| {
        let (caller, callee) = (&call.caller, &call.callee);
        let edge = json!({
            "caller": end_json(&caller.path, caller.name.as_deref(), caller.line),
            "callee": end_json(&callee.path, callee.name.as_deref(), callee.line),
            "class": callee.class,
            "site": { "file": caller.path, "line": call.line },
            "confidence": rounded(call.resolution.confidence()),
            "resolution": call.resolution.name(),
        });
        edge.to_string()
    });
    Ok(lines.collect())
}

/// Rounds a confidence to three decimals, so that it prints without the noise of single precision.
fn rounded(share: f32) -> f64 {
    (f64::from(share) * 1e3).round() / 1e3
}

fn failure(error: ExportError) -> anyhow::Error {
    let exit = match &error {
        ExportError::Unknown { .. } => Exit::Usage,
        ExportError::Nothing { .. } | ExportError::NotIndexed { .. } => Exit::NothingToIndex,
        ExportError::Index(_) => return error.into(),
    };
    CommandError::new(exit, error.to_string()).into()
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;

    async fn indexed(root: &Path) -> GlobalOptions {
        let repository = root.join("quay");
        fs::create_dir(&repository).unwrap();
        fs::write(repository.join("a.py"), "def moor():\n    pass\n\n\nmoor()\n").unwrap();
        fs::write(repository.join("b.py"), "from a import moor\n\ndef dock():\n    return moor()\n").unwrap();
        let global = GlobalOptions { data: Some(root.join("data")), json: true, ..GlobalOptions::default() };
        index(&[repository], &global).await.unwrap();
        global
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn each_call_is_a_line() {
        let root = tempfile::tempdir().unwrap();
        let global = indexed(root.path()).await;
        let found = edges(&data::folder(&global).unwrap(), "quay", 0.5).unwrap();
        let found: Vec<Value> = found.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        let moor = json!({ "file": "a.py", "name": "moor", "line": 1 });
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!(found[0]["caller"], json!({ "file": "a.py", "name": "<module>", "line": 1 }));
        assert_eq!((&found[0]["callee"], &found[0]["site"]), (&moor, &json!({ "file": "a.py", "line": 5 })));
        assert_eq!(found[1]["caller"], json!({ "file": "b.py", "name": "dock", "line": 3 }));
        assert_eq!((&found[1]["callee"], &found[1]["site"]), (&moor, &json!({ "file": "b.py", "line": 4 })));
        assert!(found.iter().all(|edge| edge["confidence"].as_f64() >= Some(0.5) && edge["resolution"].is_string()));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn unknown_repository_error_lists_known_ones() {
        let root = tempfile::tempdir().unwrap();
        let nothing = failure(edges(&root.path().join("none"), "quay", 0.5).unwrap_err());
        assert!(nothing.to_string().contains("nothing is indexed"), "{nothing}");
        let global = indexed(root.path()).await;
        let unknown = failure(edges(&data::folder(&global).unwrap(), "key", 0.5).unwrap_err());
        assert_eq!(unknown.to_string(), "there is no repository `key`; there are: quay");
        assert_eq!(crate::exit::of(&unknown), Exit::Usage);
    }
}
