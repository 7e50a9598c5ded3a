//! `causeway gateway`: MCP in front of workers that run elsewhere.

use std::net::SocketAddr;

use anyhow::Context as _;
use gateway::{Gateway, WorkerSource};
use runtime::telemetry::tell;
use tokio::net::TcpListener;

use crate::{
    cli::Global,
    config,
    exit::{Exit, Failure},
};

const EXAMPLE: &str = "\
Example:
  causeway gateway --worker http://127.0.0.1:7475 --worker http://127.0.0.1:7476
  causeway gateway --config gateway.toml

The README tells the keys of the file. Anything but a loopback address needs tokens.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Args {
    /// Address of a worker, such as http://127.0.0.1:7475; may be given several times
    #[arg(long, value_name = "URI", num_args = 1..)]
    worker: Vec<String>,
    /// Address to serve at; port 0 takes a free one [default: that of the file, or 127.0.0.1:7474]
    #[arg(long, value_name = "ADDR")]
    listen: Option<SocketAddr>,
    /// Address of /livez, /readyz and /metrics, for Prometheus [default: that of the file, or none]
    #[arg(long, value_name = "ADDR")]
    operators: Option<SocketAddr>,
}

pub(crate) async fn run(args: Args, global: &Global) -> anyhow::Result<Exit> {
    let (config, configured) = config::gateway(global, args.listen)?;
    let uris: Vec<String> = configured.into_iter().chain(args.worker).collect();
    if uris.is_empty() {
        let message = "no workers: name them with --worker URI, or list them under `workers` in the file that --config FILE names";
        return Err(Failure::new(Exit::Usage, message).into());
    }
    let parse = |uri: &String| WorkerSource::parse(uri, config.worker_tls());
    let workers: Vec<WorkerSource> = uris.iter().map(parse).collect::<Result<_, _>>()?;
    let n_workers = workers.len();
    let listener = super::up::listen(config.listen()).await?;
    let address = listener.local_addr()?;
    let operators = super::operators::listen(args.operators.or(config.operators())).await?;
    let gateway = Gateway::start(config, workers);
    if !gateway.remembers_on_disk() {
        tell("tasks and feedback of agents are kept in memory; `state` in the configuration names a folder");
    }
    tell(&format!("gateway listening on http://{address}/mcp, {n_workers} workers"));
    super::operators::tell_address(operators.as_ref().map(TcpListener::local_addr).transpose()?);
    let watched = async {
        match operators {
            Some(listener) => gateway.serve_operators(listener).await,
            None => std::future::pending().await,
        }
    };
    let stop = super::up::stop_on_signal();
    let served = tokio::select! {
        served = gateway.serve_http(listener, stop.cancelled_owned()) => served,
        () = watched => Ok(()),
    };
    gateway.shutdown().await;
    served.context("serving HTTP failed")?;
    Ok(Exit::Done)
}
