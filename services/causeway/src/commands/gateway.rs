//! `causeway gateway`: MCP in front of workers that run elsewhere.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use gateway::{Config, Gateway, Settings, WorkerEndpoint};

use crate::{
    cli::Global,
    exit::{Exit, Failure},
};

const EXAMPLE: &str = "\
Example:
  causeway gateway --worker http://127.0.0.1:7475 --worker http://127.0.0.1:7476
  causeway gateway --config gateway.toml

The README tells the keys of the file. Anything but a loopback address needs tokens.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
#[command(group(clap::ArgGroup::new("workers").required(true).multiple(true).args(["config", "worker"])))]
pub(crate) struct Args {
    /// Configuration file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Address of a worker, such as http://127.0.0.1:7475; may be given several times
    #[arg(long, value_name = "URI", num_args = 1..)]
    worker: Vec<String>,
    /// Address to serve at; port 0 takes a free one [default: that of the file, or 127.0.0.1:7474]
    #[arg(long, value_name = "ADDR")]
    listen: Option<SocketAddr>,
}

pub(crate) async fn run(args: Args, _global: &Global) -> anyhow::Result<Exit> {
    let (config, configured) = read_config(args.config.as_deref(), args.listen)?;
    let uris: Vec<String> = configured.into_iter().chain(args.worker).collect();
    if uris.is_empty() {
        let message = "no workers: list them under `workers` in the file, or name them with --worker URI";
        return Err(Failure::new(Exit::Usage, message).into());
    }
    let workers: Vec<WorkerEndpoint> = uris.iter().map(|uri| WorkerEndpoint::dial(uri)).collect::<Result<_, _>>()?;
    let n_workers = workers.len();
    let listener = super::up::listen(config.listen()).await?;
    let address = listener.local_addr()?;
    let gateway = Gateway::start(config, workers);
    if !gateway.remembers_on_disk() {
        eprintln!("tasks and feedback of agents are kept in memory; `state` in the configuration names a folder");
    }
    eprintln!("gateway listening on http://{address}/mcp, {n_workers} workers");
    let stop = super::up::stop_on_signal();
    let served = gateway.serve_http(listener, stop.cancelled_owned()).await;
    gateway.shutdown().await;
    served.context("serving HTTP failed")?;
    Ok(Exit::Done)
}

/// Returns an error of TOML on one line, without the excerpt that it draws.
fn on_one_line(error: &str) -> String {
    let is_drawn = |line: &&str| line.contains(" | ") || line.trim_end().ends_with(" |");
    let said: Vec<&str> = error.lines().filter(|line| !is_drawn(line) && !line.trim().is_empty()).collect();
    said.join(": ")
}

/// Reads the configuration file, if there is one; returns what to start with, and the workers that it lists.
pub(crate) fn read_config(file: Option<&Path>, listen: Option<SocketAddr>) -> anyhow::Result<(Config, Vec<String>)> {
    let mut settings = match file {
        None => Settings::default(),
        Some(path) => {
            let refused =
                |reason: &str| Failure::new(Exit::Usage, format!("configuration file `{}`: {reason}", path.display()));
            let text = std::fs::read_to_string(path).map_err(|error| refused(&error.to_string()))?;
            Settings::from_toml(&text).map_err(|error| refused(&on_one_line(&error.to_string())))?
        }
    };
    settings.listen = listen.unwrap_or(settings.listen);
    let workers = std::mem::take(&mut settings.workers);
    Ok((Config::try_from(settings)?, workers))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_file_take_one_line() {
        let error = Settings::from_toml("lisen = 1").unwrap_err().to_string();
        let line = on_one_line(&error);
        assert!(line.starts_with("TOML parse error at line 1, column 1: unknown field `lisen`, expected"), "{line}");
    }
}
