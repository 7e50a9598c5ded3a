//! `causeway index`: index what is found, tell the figures, and end.

use std::{path::PathBuf, time::Instant};

use proto::v1::{Repository, RepositoryStatus, StatusResponse};
use serde_json::{Value, json};

use crate::{
    cli::{Global, or_current_folder},
    config, data,
    exit::Exit,
    laptop::Laptop,
    output::{print, print_json},
    progress::{self, Display},
};

const EXAMPLE: &str = "\
Example:
  causeway index ~/code
  causeway index --json . | jq .totals

Ends with 1 if a repository could not be indexed, and says which.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Args {
    /// Folders that hold repositories, up to six levels down [default: the current folder]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Index even what is up to date
    #[arg(long)]
    force: bool,
}

pub(crate) async fn run(args: Args, global: &Global) -> anyhow::Result<Exit> {
    let mut display = if global.json { Display::Silent } else { Display::for_stderr() };
    let started = Instant::now();
    let config = config::laptop(global, None)?;
    let laptop = Laptop::start(&data::folder(global)?, &or_current_folder(args.paths), config).await?;
    let stop = super::up::stop_on_signal();
    let indexed = stop.run_until_cancelled(index(&laptop, args.force, &mut display, started, global)).await;
    laptop.shutdown().await?;
    match indexed {
        Some(indexed) => indexed,
        None => anyhow::bail!("stopped before all was indexed; what is done is kept"),
    }
}

async fn index(
    laptop: &Laptop,
    force: bool,
    display: &mut Display,
    started: Instant,
    global: &Global,
) -> anyhow::Result<Exit> {
    let mut status = progress::until_indexed(laptop, display).await?;
    let kept = kept(&status);
    if force && !kept.is_empty() {
        laptop.index_again(kept).await?;
        status = progress::until_indexed(laptop, display).await?;
    }
    let sum = super::up::sum(laptop, &status, started).await?;
    if global.json {
        let inventory = laptop.inventory().await?;
        let repositories: Vec<Value> =
            status.repositories.iter().map(|status| figures(status, &inventory.repositories)).collect();
        let extracted: u64 = runs(&status).map(|run| run.files_extracted).sum();
        let totals = json!({
            "repositories": sum.repositories, "indexed": sum.indexed, "failed": sum.failed, "files": sum.files,
            "symbols": sum.symbols, "extracted": extracted, "ms": sum.milliseconds,
        });
        print_json(&json!({ "repositories": repositories, "totals": totals }))?;
    } else {
        print(&sum.line())?;
    }
    Ok(if sum.failed == 0 { Exit::Done } else { Exit::Failed })
}

fn runs(status: &StatusResponse) -> impl Iterator<Item = &proto::v1::RunFigures> {
    status.repositories.iter().filter_map(|repository| repository.last_run.as_ref())
}

/// Returns the repositories of which something was kept that had been indexed before.
fn kept(status: &StatusResponse) -> Vec<String> {
    let is_new = |repository: &&RepositoryStatus| repository.last_run.as_ref().is_some_and(|run| !run.incremental);
    status.repositories.iter().filter(|repository| !is_new(repository)).map(|one| one.alias.clone()).collect()
}

fn figures(status: &RepositoryStatus, inventory: &[Repository]) -> Value {
    let held = inventory.iter().find(|repository| repository.alias == status.alias);
    let run = status.last_run.as_ref();
    let state = match (status.error.is_empty(), run) {
        (false, _) => "failed",
        (true, Some(_)) => "indexed",
        (true, None) => "up_to_date",
    };
    json!({
        "repo": status.alias,
        "state": state,
        "error": Some(&status.error).filter(|error| !error.is_empty()),
        "commit": held.map(|held| &held.commit),
        "files": held.map_or(0, |held| held.files),
        "symbols": held.map_or(0, |held| held.symbols),
        "extracted": run.map_or(0, |run| run.files_extracted),
        "ms": run.map_or(0, |run| run.milliseconds),
        "incremental": run.is_some_and(|run| run.incremental),
        "loaded": run.is_some_and(|run| run.loaded),
        "languages": held.map_or_else(Vec::new, languages),
        "diagnostics": held.map_or(&[] as &[String], |held| &held.diagnostics),
    })
}

fn languages(repository: &Repository) -> Vec<Value> {
    let figures = |count: &proto::v1::LanguageCount| json!({ "language": count.language, "files": count.files, "symbols": count.symbols });
    repository.languages.iter().map(figures).collect()
}
