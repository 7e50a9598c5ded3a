//! `causeway export`: prints index data for comparison by other programs.

use std::path::{Path, PathBuf};

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

/// The value of `--repo` that means every repository.
const ALL: &str = "all";

const EXAMPLE: &str = "\
Example:
  causeway export edges --repo parcel-kit
  causeway export edges --repo api --min-confidence 0.8 ~/code/api > calls.jsonl
  causeway export edges --repo all ~/code > between.jsonl

Without a path, exports from the data folder; with paths, indexes them first, and exports these repositories.
With an alias, each line is a call with its caller, callee, site and confidence. Code outside definitions is `<module>`.
With `all`, each line is a use of a definition of another repository. `call` is false for uses that are no calls.
`export links --repo all` prints the links between services: rpcs, requests, topics, tables and settings of deployments.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct ExportArgs {
    /// Data to export
    #[arg(value_enum)]
    what: What,
    /// Folders with repositories, to be indexed first
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Alias of the repository, or `all` for the uses between repositories
    #[arg(long, value_name = "ALIAS")]
    repo: String,
    /// Minimum confidence, from 0 to 1 [default: 0.5 for edges, 0.6 for links]
    #[arg(long, value_name = "N")]
    min_confidence: Option<f32>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum What {
    /// Calls
    Edges,
    /// Links between services
    Links,
}

impl What {
    /// Returns the least confidence of what is true rather than possible.
    fn min_confidence(self) -> f32 {
        match self {
            What::Edges => 0.5,
            What::Links => 0.6,
        }
    }
}

pub(crate) async fn run(args: ExportArgs, global: &GlobalOptions) -> anyhow::Result<Exit> {
    let folder = data::folder(global)?;
    let indexed = if args.paths.is_empty() { Vec::new() } else { index(&args.paths, global).await? };
    let (what, repo) = (args.what, args.repo);
    let min_confidence = args.min_confidence.unwrap_or(what.min_confidence());
    if matches!(what, What::Links) && repo != ALL {
        return Err(CommandError::new(Exit::Usage, "links are between repositories: use --repo all").into());
    }
    let export = move || match (what, repo.as_str()) {
        (What::Links, _) => service_links(&folder, &indexed, min_confidence),
        (What::Edges, ALL) => cross_repo_edges(&folder, &indexed, min_confidence),
        (What::Edges, repo) => edges(&folder, repo, min_confidence),
    };
    let lines = tokio::task::spawn_blocking(export).await?.map_err(failure)?;
    if !lines.is_empty() {
        print(&lines.join("\n"))?;
    }
    Ok(Exit::Done)
}

/// Indexes the repositories below folders, unless a server is running. Returns their aliases.
async fn index(paths: &[PathBuf], global: &GlobalOptions) -> anyhow::Result<Vec<String>> {
    if let Some(server) = backend::running_server(&ServerOptions::default(), global)? {
        print_to_stderr(&format!(
            "the folders are ignored: the running server at {} indexes its own folders",
            server.url()
        ));
        return Ok(Vec::new());
    }
    let mut display = if global.json { Display::Silent } else { Display::for_stderr() };
    let laptop = Laptop::start(&data::folder(global)?, paths, config::laptop(global, None)?).await?;
    let indexed = progress::until_indexed(&laptop, &mut display).await;
    laptop.shutdown().await?;
    Ok(indexed?.repositories.into_iter().map(|repository| repository.alias).collect())
}

/// Returns the uses between repositories, each as a line.
fn cross_repo_edges(data: &Path, aliases: &[String], min_confidence: f32) -> Result<Vec<String>, ExportError> {
    let edges = export::cross_repo_edges(data, aliases, min_confidence)?;
    let lines = edges.iter().map(|edge| {
        let line = json!({
            "from_repo": edge.from_repo,
            "from_file": edge.from_file,
            "from_line": edge.from_line,
            "from_symbol": edge.from_symbol.as_deref().unwrap_or("<module>"),
            "to_repo": edge.to_repo,
            "to_file": edge.to_file,
            "to_line": edge.to_line,
            "to_symbol": edge.to_symbol,
            "to_kind": edge.to_kind.name(),
            "relation": edge.kind.name(),
            "call": edge.is_call(),
            "confidence": rounded(edge.confidence),
            "resolution": edge.resolution.name(),
        });
        line.to_string()
    });
    Ok(lines.collect())
}

/// Returns the links between services, each as a line.
fn service_links(data: &Path, aliases: &[String], min_confidence: f32) -> Result<Vec<String>, ExportError> {
    let links = export::service_links(data, aliases, min_confidence)?;
    let lines = links.iter().map(|link| {
        let line = json!({
            "from_repo": link.from_repo,
            "from_file": link.from_file,
            "from_line": link.from_line,
            "to_repo": link.to_repo,
            "to_file": link.to_file,
            "to_line": link.to_line,
            "kind": link.kind,
            "name": link.name,
            "confidence": rounded(link.confidence),
        });
        line.to_string()
    });
    Ok(lines.collect())
}

fn edges(data: &Path, repo: &str, min_confidence: f32) -> Result<Vec<String>, ExportError> {
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
        ExportError::Index(_) | ExportError::LinkFacts { .. } => return error.into(),
    };
    CommandError::new(exit, error.to_string()).into()
}

#[cfg(test)]
mod tests {
    use std::fs;

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
    async fn each_use_of_another_repository_is_a_line() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join("code").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("kit/package.json", r#"{"name": "kit", "main": "a.ts"}"#);
        write("kit/a.ts", "export class Pool {\n    take(): Pool { return this }\n}\n");
        write("quay/package.json", r#"{"name": "quay", "dependencies": {"kit": "1"}}"#);
        write("quay/b.ts", "import { Pool } from 'kit';\n\nfunction f(pool: Pool) {\n    pool.take();\n}\n");
        let global = GlobalOptions { data: Some(root.path().join("data")), json: true, ..GlobalOptions::default() };
        let paths = ["kit", "quay"].map(|repo| root.path().join("code").join(repo));
        let aliases = index(&paths, &global).await.unwrap();
        assert_eq!(aliases, ["kit", "quay"]);
        let data = data::folder(&global).unwrap();
        let lines = cross_repo_edges(&data, &aliases, 0.5).unwrap();
        let calls = lines.iter().filter(|line| line.contains("\"call\":true"));
        let calls: Vec<Value> = calls.map(|line| serde_json::from_str(line).unwrap()).collect();
        let expected = json!({
            "from_repo": "quay", "from_file": "b.ts", "from_line": 4, "from_symbol": "f",
            "to_repo": "kit", "to_file": "a.ts", "to_line": 2, "to_symbol": "Pool.take", "to_kind": "method",
            "relation": "calls", "call": true, "confidence": 0.95, "resolution": "receiver",
        });
        assert_eq!(calls, [expected]);
        assert_eq!(lines, cross_repo_edges(&data, &[], 0.5).unwrap());
        assert!(cross_repo_edges(&data, &["kit".to_owned()], 0.5).unwrap().is_empty());
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
