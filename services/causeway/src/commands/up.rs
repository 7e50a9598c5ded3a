//! `causeway up`: indexes the repositories and serves them until it is stopped.

use std::{
    net::SocketAddr,
    path::PathBuf,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use serde_json::json;

use crate::{
    config, data,
    exit::Exit,
    laptop::Laptop,
    options::{GlobalOptions, ViewsOption, or_current_folder},
    output::{count, print},
    program,
    progress::{self, Display, IndexSummary},
    server_file,
};

const EXAMPLE: &str = "\
Example:
  causeway up ~/code ~/work
  causeway up --listen 127.0.0.1:0    on any free port, which is printed

Serves MCP at /mcp, and also /livez, /readyz and /metrics. Saved files and new commits are indexed at once.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct UpArgs {
    /// Folders with repositories, up to six levels down [default: the current folder]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Address to listen on; port 0 selects a free one [default: 127.0.0.1:7474]
    #[arg(long, value_name = "ADDR")]
    listen: Option<SocketAddr>,
    #[command(flatten)]
    views: ViewsOption,
}

pub(crate) async fn run(args: UpArgs, global: &GlobalOptions) -> anyhow::Result<Exit> {
    let data = data::folder(global)?;
    let config = config::laptop(global, args.listen)?.with_views(args.views.chosen());
    let roots = or_current_folder(args.paths);
    data::check_roots(&data, &roots)?;
    let listener = super::serving::listen(config.listen()).await?;
    let url = format!("http://{}/mcp", listener.local_addr()?);

    let started = Instant::now();
    let config = config.with_default_state(data::gateway_folder(&data));
    let laptop = Laptop::start(&data, &roots, config).await?;
    let server_file = laptop.write_server_file(&data, &url)?;
    // A reader of the address may end the server at once.
    let stop = super::serving::stop_on_signal(Duration::ZERO)?;
    announce(&url, laptop.n_repositories, global)?;

    let serving = laptop.gateway.serve_http(listener, stop.clone().cancelled_owned());
    let reporting = report_progress(&laptop, started, &url, global);
    let served = tokio::select! {
        served = serving => served.context("serving HTTP failed"),
        reported = reporting => reported,
        () = server_file::keep(server_file.as_ref()) => Ok(()),
    };
    stop.cancel();
    laptop.shutdown().await?;
    served.map(|()| Exit::Done)
}

fn announce(url: &str, n_repositories: usize, global: &GlobalOptions) -> anyhow::Result<()> {
    if global.json {
        return Ok(print(&json!({ "event": "serving", "url": url, "repositories": n_repositories }).to_string())?);
    }
    let found = count(n_repositories as u64, "repository", "repositories");
    Ok(print(&format!("serving MCP at {url} ({found} found)"))?)
}

/// Reports the progress of indexing, its summary, and later changes. Ends only with the worker.
async fn report_progress(laptop: &Laptop, started: Instant, url: &str, global: &GlobalOptions) -> anyhow::Result<()> {
    let mut display = if global.json { Display::Silent } else { Display::for_stderr() };
    let status = progress::until_indexed(laptop, &mut display).await?;
    let summary = IndexSummary::of(laptop, &status, started).await?;
    if global.json {
        let line = json!({
            "event": "indexed", "repositories": summary.repositories, "indexed": summary.indexed, "failed": summary.failed,
            "files": summary.files, "symbols": summary.symbols, "ms": summary.milliseconds,
        });
        print(&line.to_string())?;
    } else {
        print(&summary.line())?;
        print(&next_steps(url))?;
    }
    progress::print_changes(laptop, &status).await?;
    anyhow::bail!("the worker stopped")
}

fn next_steps(url: &str) -> String {
    let program = program::name();
    format!(
        "\nconnect clients:   {program} setup --url {url}\n\
         search it:         {program} search \"retry with back-off\" --url {url}\n\
         stop it:           Ctrl-C"
    )
}
