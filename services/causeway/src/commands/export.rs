//! `causeway export`: writes index data for other programs.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use links::rules::LinkRules;
use runtime::telemetry::print_to_stderr;
use serde_json::{Value, json};
use worker::export::{self, ExportError, ExportedUses};

use super::catalog_info::catalog_info;
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

/// The version of this program.
const VERSION: &str = env!("CARGO_PKG_VERSION");

const EXAMPLE: &str = "\
Example:
  causeway export edges --repo parcel-kit
  causeway export edges --repo api --min-confidence 0.8 ~/code/api > calls.jsonl
  causeway export edges --repo all ~/code > between.jsonl
  causeway export scip --repo api --output index.scip

Without a path, exports from the data folder; with paths, indexes them first, and exports these repositories.
With an alias, each line is a call with its caller, callee, site and confidence. Code outside definitions is `<module>`.
With `all`, each line is a use of a definition of another repository. `call` is false for uses that are no calls. The target of a call
through an interface is the declaration; with `--dispatch`, the methods that implement it are further targets.
A SCIP index has the definitions and uses of the repository, or of all with the alias before each path.
`export links --repo all` prints the links between services: rpcs, requests, topics, tables and settings of deployments.
`export catalog` prints them as `catalog-info` documents of Backstage: the APIs that each component provides and consumes.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct ExportArgs {
    /// Data to export
    #[arg(value_enum)]
    what: ExportedData,
    /// Folders with repositories, to be indexed first
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Alias of the repository, or `all`: the uses between repositories, or one index of all
    #[arg(
        long,
        value_name = "ALIAS",
        required_if_eq("what", "edges"),
        default_value_if("what", "scip", ALL),
        default_value_if("what", "links", ALL),
        default_value_if("what", "catalog", ALL)
    )]
    repo: Option<String>,
    /// File to write [default: standard output; required for scip]
    #[arg(long, value_name = "FILE", required_if_eq("what", "scip"))]
    output: Option<PathBuf>,
    /// Minimum confidence, from 0 to 1 [default: 0.5 for edges, 0.6 for links and the catalog]
    #[arg(long, value_name = "N")]
    min_confidence: Option<f32>,
    /// Add the methods of other repositories that a call through an interface or a base class may run (with `--repo all`)
    #[arg(long)]
    dispatch: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum ExportedData {
    /// Calls of a repository, or with `--repo all` the uses between repositories
    Edges,
    /// Definitions and uses as a SCIP index
    Scip,
    /// Links between services
    Links,
    /// Links between services as entities of a Backstage catalog
    Catalog,
}

impl ExportedData {
    /// Returns the least confidence of what is true rather than possible.
    fn min_confidence(self) -> f32 {
        match self {
            ExportedData::Edges | ExportedData::Scip => 0.5,
            ExportedData::Links | ExportedData::Catalog => 0.6,
        }
    }
}

pub(crate) async fn run(args: ExportArgs, global: &GlobalOptions) -> anyhow::Result<Exit> {
    let folder = data::folder(global)?;
    let indexed = if args.paths.is_empty() { Vec::new() } else { index(&args.paths, global).await? };
    let (what, repo) = (args.what, args.repo.unwrap_or_else(|| ALL.to_owned()));
    let min_confidence = args.min_confidence.unwrap_or(what.min_confidence());
    let has_dispatch = args.dispatch;
    if has_dispatch && repo != ALL {
        return Err(CommandError::new(Exit::Usage, "`--dispatch` needs `--repo all`").into());
    }
    if matches!(what, ExportedData::Links | ExportedData::Catalog) && repo != ALL {
        return Err(CommandError::new(Exit::Usage, "links are between repositories: use --repo all").into());
    }
    let rules = link_rules(&folder, global)?;
    let export = move || match (what, repo.as_str()) {
        (ExportedData::Links, _) => Ok(text_of(&service_links(&folder, &indexed, min_confidence, &rules)?)),
        (ExportedData::Catalog, _) => {
            let links = export::service_links(&folder, &indexed, min_confidence, &rules)?;
            Ok(catalog_info(&links).into_bytes())
        }
        (ExportedData::Edges, ALL) => {
            let wanted = ExportedUses { aliases: &indexed, min_confidence, has_dispatch, rules: &rules };
            Ok(text_of(&cross_repo_edges(&folder, wanted)?))
        }
        (ExportedData::Edges, repo) => Ok(text_of(&edges(&folder, repo, min_confidence)?)),
        (ExportedData::Scip, ALL) => export::scip_index(&folder, &indexed, &rules, VERSION),
        (ExportedData::Scip, repo) => export::scip_index(&folder, &[repo.to_owned()], &rules, VERSION),
    };
    let bytes = tokio::task::spawn_blocking(export).await?.map_err(failure)?;
    match args.output {
        Some(path) => write(&path, &bytes)?,
        None if !bytes.is_empty() => print(String::from_utf8_lossy(&bytes).trim_end())?,
        None => {}
    }
    Ok(Exit::Done)
}

/// Returns the rules of the configuration file about links. A rule for an unknown repository is printed as a warning.
pub(super) fn link_rules(data: &Path, global: &GlobalOptions) -> anyhow::Result<LinkRules> {
    let rules = config::laptop(global, None)?.link_rules().clone();
    let unknown = export::unknown_aliases(data, &rules);
    if !unknown.is_empty() {
        let names = unknown.join("`, `");
        print_to_stderr(&format!("note: `[links]` names `{names}`, but no indexed repository is called so"));
    }
    Ok(rules)
}

/// Returns lines as the text of a file.
fn text_of(lines: &[String]) -> Vec<u8> {
    lines.iter().flat_map(|line| [line.as_bytes(), b"\n"]).flatten().copied().collect()
}

fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    std::fs::write(path, bytes).with_context(|| format!("`{}` cannot be written", path.display()))
}

/// Indexes the repositories below folders, unless a server is running. Returns their aliases.
pub(super) async fn index(paths: &[PathBuf], global: &GlobalOptions) -> anyhow::Result<Vec<String>> {
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
fn cross_repo_edges(data: &Path, wanted: ExportedUses<'_>) -> Result<Vec<String>, ExportError> {
    let edges = export::cross_repo_edges(data, wanted)?;
    let lines = edges.iter().map(|edge| {
        let mut line = json!({
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
            "indexed_commit": edge.indexed_commit,
        });
        for (key, version) in [("declared_version", &edge.declared_version), ("indexed_version", &edge.indexed_version)]
        {
            if let Some(version) = version {
                line[key] = json!(version);
            }
        }
        line.to_string()
    });
    Ok(lines.collect())
}

/// Returns the links between services, each as a line.
fn service_links(
    data: &Path,
    aliases: &[String],
    min_confidence: f32,
    rules: &LinkRules,
) -> Result<Vec<String>, ExportError> {
    let links = export::service_links(data, aliases, min_confidence, rules)?;
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

pub(super) fn failure(error: ExportError) -> anyhow::Error {
    let exit = match &error {
        ExportError::Unknown { .. } => Exit::Usage,
        ExportError::Nothing { .. } | ExportError::NotIndexed { .. } => Exit::NothingToIndex,
        ExportError::Index(_) | ExportError::LinkFacts { .. } | ExportError::Scip(_) => return error.into(),
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
        write("kit/package.json", r#"{"name": "kit", "version": "1.4.0", "main": "a.ts"}"#);
        write(
            "kit/a.ts",
            "export class Pool {\n    take(): Pool { return this }\n}\nexport function own(p: Pool) { p.take() }\n",
        );
        write("quay/package.json", r#"{"name": "quay", "dependencies": {"kit": "1"}}"#);
        write(
            "quay/b.ts",
            "import { Pool } from 'kit';\n\nfunction f(pool: Pool) {\n    pool.take();\n}\nclass Deep extends Pool {\n    take(): Pool { return this }\n}\n",
        );
        let global = GlobalOptions { data: Some(root.path().join("data")), json: true, ..GlobalOptions::default() };
        let paths = ["kit", "quay"].map(|repo| root.path().join("code").join(repo));
        let aliases = index(&paths, &global).await.unwrap();
        assert_eq!(aliases, ["kit", "quay"]);
        let data = data::folder(&global).unwrap();
        let rules = LinkRules::default();
        let wanted = |aliases, has_dispatch| ExportedUses { aliases, min_confidence: 0.5, has_dispatch, rules: &rules };
        let lines = cross_repo_edges(&data, wanted(&aliases, false)).unwrap();
        let calls = lines.iter().filter(|line| line.contains("\"call\":true"));
        let mut calls: Vec<Value> = calls.map(|line| serde_json::from_str(line).unwrap()).collect();
        let commit = calls[0].as_object_mut().unwrap().remove("indexed_commit");
        assert_eq!(commit.and_then(|commit| Some(commit.as_str()?.len())), Some(40));
        let expected = json!({
            "from_repo": "quay", "from_file": "b.ts", "from_line": 4, "from_symbol": "f",
            "to_repo": "kit", "to_file": "a.ts", "to_line": 2, "to_symbol": "Pool.take", "to_kind": "method",
            "relation": "calls", "call": true, "confidence": 0.95, "resolution": "receiver",
            "declared_version": "1", "indexed_version": "1.4.0",
        });
        let never = LinkRules::new(toml::from_str("never = [['quay', 'kit']]").unwrap()).unwrap();
        let never = ExportedUses { rules: &never, ..wanted(&[], false) };
        assert!(cross_repo_edges(&data, never).unwrap().is_empty());
        assert_eq!(calls, [expected]);
        assert_eq!(lines, cross_repo_edges(&data, wanted(&[], false)).unwrap());
        let alone = ["kit".to_owned()];
        assert!(cross_repo_edges(&data, wanted(&alone, false)).unwrap().is_empty());
        let mut dispatched = cross_repo_edges(&data, wanted(&[], true)).unwrap();
        dispatched.retain(|line| !lines.contains(line));
        let mut dispatched: Vec<Value> = dispatched.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        let commit = dispatched[0].as_object_mut().unwrap().remove("indexed_commit");
        assert_eq!(commit.and_then(|commit| Some(commit.as_str()?.len())), Some(40));
        let expected = json!({
            "from_repo": "kit", "from_file": "a.ts", "from_line": 4, "from_symbol": "own",
            "to_repo": "quay", "to_file": "b.ts", "to_line": 7, "to_symbol": "Deep.take", "to_kind": "method",
            "relation": "dispatch", "call": true, "confidence": 0.285, "resolution": "dispatch",
        });
        assert_eq!(dispatched, [expected]);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn an_exported_index_can_be_imported() {
        let root = tempfile::tempdir().unwrap();
        let global = indexed(root.path()).await;
        let data = data::folder(&global).unwrap();
        let before = edges(&data, "quay", 0.5).unwrap();
        let exported = export::scip_index(&data, &[], &LinkRules::default(), VERSION).unwrap();
        assert_eq!(exported, export::scip_index(&data, &["quay".to_owned()], &LinkRules::default(), VERSION).unwrap());
        let file = root.path().join("index.scip");
        write(&file, &exported).unwrap();
        let imported = worker::import::import_index(&data, "quay", &file, None).unwrap();
        assert_eq!(imported.n_documents, 2);
        index(&[root.path().join("quay")], &global).await.unwrap();
        let after = edges(&data, "quay", 0.5).unwrap();
        let with_compiler: Vec<String> = before
            .iter()
            .map(|line| {
                let mut edge: Value = serde_json::from_str(line).unwrap();
                (edge["resolution"], edge["confidence"]) = (json!("compiler"), json!(1.0));
                edge.to_string()
            })
            .collect();
        assert_eq!(after, with_compiler);
        for (repo, file, expected) in [
            ("key", file.clone(), "there is no repository `key`"),
            ("quay", root.path().join("none"), "cannot be read"),
            ("quay", root.path().join("quay/a.py"), "is not imported"),
        ] {
            let error = worker::import::import_index(&data, repo, &file, None).unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
        }
        let unknown =
            failure(export::scip_index(&data, &["key".to_owned()], &LinkRules::default(), VERSION).unwrap_err());
        assert_eq!(unknown.to_string(), "there is no repository `key`; there are: quay");
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
