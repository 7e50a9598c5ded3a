//! `causeway index`: indexes the repositories, prints a summary, and ends.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use proto::v1::{Repository, RepositoryStatus, StatusResponse};
use serde_json::{Value, json};

use crate::{
    config, data,
    exit::Exit,
    laptop::Laptop,
    options::{GlobalOptions, ViewsOption, or_current_folder},
    output::{print, print_json},
    progress::{self, Display, IndexSummary},
};

const EXAMPLE: &str = "\
Example:
  causeway index ~/code
  causeway index --json . | jq .totals

Prints each repository that could not be indexed. The exit code is 1 then.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct IndexArgs {
    /// Folders with repositories, up to six levels down [default: the current folder]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Index repositories even if they are up to date
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    views: ViewsOption,
}

pub(crate) async fn run(args: IndexArgs, global: &GlobalOptions) -> anyhow::Result<Exit> {
    let mut display = if global.json { Display::Silent } else { Display::for_stderr() };
    let started = Instant::now();
    let config = config::laptop(global, None)?.with_views(args.views.chosen());
    let laptop = Laptop::start(&data::folder(global)?, &or_current_folder(args.paths), config).await?;
    let stop = super::serving::stop_on_signal(Duration::ZERO)?;
    let indexed = stop.run_until_cancelled(index(&laptop, args.force, &mut display, started, global)).await;
    laptop.shutdown().await?;
    match indexed {
        Some(indexed) => indexed,
        None => anyhow::bail!("interrupted; completed repositories stay indexed"),
    }
}

async fn index(
    laptop: &Laptop,
    force: bool,
    display: &mut Display,
    started: Instant,
    global: &GlobalOptions,
) -> anyhow::Result<Exit> {
    let mut status = progress::until_indexed(laptop, display).await?;
    let reused = repositories_with_reused_index(&status);
    if force && !reused.is_empty() {
        laptop.index_again(reused).await?;
        status = progress::until_indexed(laptop, display).await?;
    }
    let summary = IndexSummary::of(laptop, &status, started).await?;
    if global.json {
        let inventory = laptop.inventory().await?;
        let repositories: Vec<Value> =
            status.repositories.iter().map(|status| repository_json(status, &inventory.repositories)).collect();
        let extracted: u64 = runs(&status).map(|run| run.files_extracted).sum();
        let totals = json!({
            "repositories": summary.repositories, "indexed": summary.indexed, "failed": summary.failed, "files": summary.files,
            "symbols": summary.symbols, "extracted": extracted, "ms": summary.milliseconds,
        });
        print_json(&json!({ "repositories": repositories, "totals": totals }))?;
    } else {
        print(&summary.line())?;
    }
    Ok(if summary.failed == 0 { Exit::Done } else { Exit::Failed })
}

fn runs(status: &StatusResponse) -> impl Iterator<Item = &proto::v1::RunFigures> {
    status.repositories.iter().filter_map(|repository| repository.last_run.as_ref())
}

/// Returns the repositories whose earlier index was reused.
fn repositories_with_reused_index(status: &StatusResponse) -> Vec<String> {
    let is_new = |repository: &&RepositoryStatus| repository.last_run.as_ref().is_some_and(|run| !run.incremental);
    status.repositories.iter().filter(|repository| !is_new(repository)).map(|one| one.alias.clone()).collect()
}

fn repository_json(status: &RepositoryStatus, inventory: &[Repository]) -> Value {
    let served = inventory.iter().find(|repository| repository.alias == status.alias);
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
        "commit": served.map(|served| &served.commit),
        "files": served.map_or(0, |served| served.files),
        "symbols": served.map_or(0, |served| served.symbols),
        "extracted": run.map_or(0, |run| run.files_extracted),
        "ms": run.map_or(0, |run| run.milliseconds),
        "incremental": run.is_some_and(|run| run.incremental),
        "loaded": run.is_some_and(|run| run.loaded),
        "languages": served.map_or_else(Vec::new, languages),
        "diagnostics": served.map_or(&[] as &[String], |served| &served.diagnostics),
    })
}

fn languages(repository: &Repository) -> Vec<Value> {
    let repository_json = |count: &proto::v1::LanguageCount| json!({ "language": count.language, "files": count.files, "symbols": count.symbols });
    repository.languages.iter().map(repository_json).collect()
}
