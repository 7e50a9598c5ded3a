//! `causeway export`: what is known of a repository, for programs that compare it with something else.

use std::path::PathBuf;

use serde_json::{Value, json};
use worker::export::{self, ExportError};

use crate::{
    ask,
    cli::{Global, ServerArgs},
    config, data,
    exit::{Exit, Failure},
    laptop::Laptop,
    output::print,
    progress::{self, Display},
};

const EXAMPLE: &str = "\
Example:
  causeway export edges --repo parcel-kit
  causeway export edges --repo api --min-confidence 0.8 ~/code/api > calls.jsonl

Without a path it tells what is indexed in the data folder; with some, they are indexed first.
A line is a call: caller, callee and site, and how sure it is. What stands in no definition is `<module>`.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Args {
    /// What is exported
    #[arg(value_enum)]
    what: What,
    /// Folders that hold repositories, to be indexed first
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The repository, by its alias
    #[arg(long, value_name = "ALIAS")]
    repo: String,
    /// Leave out calls that are less sure, from 0 to 1
    #[arg(long, value_name = "N", default_value_t = 0.5)]
    min_confidence: f32,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum What {
    /// Who calls whom
    Edges,
}

pub(crate) async fn run(args: Args, global: &Global) -> anyhow::Result<Exit> {
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

/// Indexes what is below folders, unless a server does.
async fn index(paths: &[PathBuf], global: &Global) -> anyhow::Result<()> {
    if let Some(server) = ask::running_server(&ServerArgs::default(), global)? {
        eprintln!("the running server at {} indexes its own folders, not those named here", server.url());
        return Ok(());
    }
    let mut display = if global.json { Display::Silent } else { Display::for_stderr() };
    let laptop = Laptop::start(&data::folder(global)?, paths, config::laptop(global, None)?).await?;
    let indexed = progress::until_indexed(&laptop, &mut display).await;
    laptop.shutdown().await?;
    indexed.map(drop)
}

fn edges(data: &std::path::Path, repo: &str, min_confidence: f32) -> Result<Vec<String>, ExportError> {
    let end = |path: &str, name: Option<&str>, line: u32| -> Value {
        json!({ "file": path, "name": name.unwrap_or("<module>"), "line": line })
    };
    let calls = export::calls(data, repo, min_confidence)?;
    let line = |call: &_| {
        let worker::export::CallView { caller, callee, line, resolution } = call;
        let edge = json!({
            "caller": end(&caller.path, caller.name.as_deref(), caller.line),
            "callee": end(&callee.path, callee.name.as_deref(), callee.line),
            "class": callee.class,
            "site": { "file": caller.path, "line": line },
            "confidence": decimal(resolution.confidence()),
            "resolution": resolution.name(),
        });
        edge.to_string()
    };
    Ok(calls.iter().map(line).collect())
}

/// Returns a share as its few decimals are written, not as the nearest number of half the precision.
fn decimal(share: f32) -> f64 {
    (f64::from(share) * 1e3).round() / 1e3
}

fn failure(error: ExportError) -> anyhow::Error {
    let exit = match &error {
        ExportError::Unknown { .. } => Exit::Usage,
        ExportError::Nothing { .. } | ExportError::NotIndexed { .. } => Exit::NothingToIndex,
        ExportError::Index(_) => return error.into(),
    };
    Failure::new(exit, error.to_string()).into()
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;

    async fn indexed(root: &Path) -> Global {
        let repository = root.join("quay");
        fs::create_dir(&repository).unwrap();
        fs::write(repository.join("a.py"), "def moor():\n    pass\n\n\nmoor()\n").unwrap();
        fs::write(repository.join("b.py"), "from a import moor\n\ndef dock():\n    return moor()\n").unwrap();
        let global = Global { data: Some(root.join("data")), json: true, ..Global::default() };
        index(&[repository], &global).await.unwrap();
        global
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn calls_are_a_line_each() {
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
    async fn what_is_not_there_is_told_with_what_is() {
        let root = tempfile::tempdir().unwrap();
        let nothing = failure(edges(&root.path().join("none"), "quay", 0.5).unwrap_err());
        assert!(nothing.to_string().contains("nothing is indexed"), "{nothing}");
        let global = indexed(root.path()).await;
        let unknown = failure(edges(&data::folder(&global).unwrap(), "key", 0.5).unwrap_err());
        assert_eq!(unknown.to_string(), "there is no repository `key`; there are: quay");
        assert_eq!(crate::exit::of(&unknown), Exit::Usage);
    }
}
