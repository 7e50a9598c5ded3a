//! `causeway up`: index what is found, and serve it until told to stop.

use std::{net::SocketAddr, path::PathBuf, time::Instant};

use anyhow::Context as _;
use proto::v1::StatusResponse;
use serde_json::json;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::{
    cli::{Global, or_current_folder},
    config, data,
    exit::Exit,
    laptop::Laptop,
    output::{count, print},
    program,
    progress::{self, Display, Sum},
    server_file::ServerFile,
};

const EXAMPLE: &str = "\
Example:
  causeway up ~/code ~/work
  causeway up --listen 127.0.0.1:0    on any free port, which is printed

Serves MCP at /mcp, and beside it /livez, /readyz and /metrics. Commits are noticed within seconds.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Args {
    /// Folders that hold repositories, up to six levels down [default: the current folder]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Address to serve at; port 0 takes a free one [default: 127.0.0.1:7474]
    #[arg(long, value_name = "ADDR")]
    listen: Option<SocketAddr>,
}

pub(crate) async fn run(args: Args, global: &Global) -> anyhow::Result<Exit> {
    let data = data::folder(global)?;
    let config = config::laptop(global, args.listen)?;
    let roots = or_current_folder(args.paths);
    data::check_roots(&roots)?;
    let listener = listen(config.listen()).await?;
    let url = format!("http://{}/mcp", listener.local_addr()?);

    let started = Instant::now();
    let config = config.with_state_in(data::of_gateway(&data));
    let laptop = Laptop::start(&data, &roots, config).await?;
    let _announced = ServerFile::write(&data, &url).context("cannot write server.json into the data folder")?;
    announce(&url, laptop.n_repositories, global)?;

    let stop = stop_on_signal();
    let serving = laptop.gateway.serve_http(listener, stop.clone().cancelled_owned());
    let telling = tell(&laptop, started, &url, global);
    let served = tokio::select! {
        served = serving => served.context("serving HTTP failed"),
        told = telling => told,
    };
    stop.cancel();
    laptop.shutdown().await?;
    served.map(|()| Exit::Done)
}

/// Returns a listener at an address.
pub(crate) async fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    let other = SocketAddr::new(address.ip(), 0);
    TcpListener::bind(address)
        .await
        .with_context(|| format!("cannot listen on {address}; take a free port with --listen {other}"))
}

/// Returns a token that is cancelled by the first signal to stop. The second one ends the process at once.
pub(crate) fn stop_on_signal() -> CancellationToken {
    /// What shells return for a program that was interrupted.
    const INTERRUPTED: i32 = 130;
    let stop = CancellationToken::new();
    let told = stop.clone();
    tokio::spawn(async move {
        runtime::shutdown::requested().await;
        told.cancel();
        runtime::shutdown::requested().await;
        std::process::exit(INTERRUPTED);
    });
    stop
}

fn announce(url: &str, n_repositories: usize, global: &Global) -> anyhow::Result<()> {
    if global.json {
        return Ok(print(&json!({ "event": "serving", "url": url, "repositories": n_repositories }).to_string())?);
    }
    let found = count(n_repositories as u64, "repository", "repositories");
    Ok(print(&format!("serving MCP at {url} ({found} found)"))?)
}

/// Tells how indexing goes, what it came to, and then of every change. Ends only if the worker does.
async fn tell(laptop: &Laptop, started: Instant, url: &str, global: &Global) -> anyhow::Result<()> {
    let mut display = if global.json { Display::Silent } else { Display::for_stderr() };
    let status = progress::until_indexed(laptop, &mut display).await?;
    let sum = sum(laptop, &status, started).await?;
    if global.json {
        let line = json!({
            "event": "indexed", "repositories": sum.repositories, "indexed": sum.indexed, "failed": sum.failed,
            "files": sum.files, "symbols": sum.symbols, "ms": sum.milliseconds,
        });
        print(&line.to_string())?;
    } else {
        print(&sum.line())?;
        print(&next_steps(url))?;
    }
    progress::tell_changes(laptop, &status).await?;
    anyhow::bail!("the worker stopped")
}

/// Returns what came of an indexing that began at `started`.
pub(crate) async fn sum(laptop: &Laptop, status: &StatusResponse, started: Instant) -> anyhow::Result<Sum> {
    let inventory = laptop.inventory().await?;
    Ok(Sum {
        repositories: inventory.repositories.len() as u64,
        indexed: status.repositories.iter().filter(|repository| repository.last_run.is_some()).count() as u64,
        failed: status.repositories.iter().filter(|repository| !repository.error.is_empty()).count() as u64,
        files: inventory.repositories.iter().map(|repository| repository.files).sum(),
        symbols: inventory.repositories.iter().map(|repository| repository.symbols).sum(),
        milliseconds: started.elapsed().as_millis() as u64,
    })
}

fn next_steps(url: &str) -> String {
    let program = program::name();
    format!(
        "\nconnect a client:  {program} mcp-config claude-code --url {url}\n\
         ask it yourself:   {program} search \"retry with back-off\" --url {url}\n\
         stop it:           Ctrl-C"
    )
}
