//! `causeway gateway`: serves MCP in front of remote workers.

use std::net::SocketAddr;

use anyhow::Context as _;
use federation::discovery::WorkerSource;
use gateway::Gateway;
use runtime::telemetry::tell;
use tokio::net::TcpListener;

use crate::{
    config,
    exit::{CommandError, Exit},
    open_files,
    options::GlobalOptions,
};

const EXAMPLE: &str = "\
Example:
  causeway gateway --worker http://127.0.0.1:7475 --worker http://127.0.0.1:7476
  causeway gateway --config gateway.toml

The page docs/operating/workers-and-gateways.md describes the keys of the file.
A non-loopback address requires tokens.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct GatewayArgs {
    /// Address of a worker, such as http://127.0.0.1:7475; repeatable
    #[arg(long, value_name = "URI", num_args = 1..)]
    worker: Vec<String>,
    /// Address to listen on; port 0 selects a free one [default: that of the file, or 127.0.0.1:7474]
    #[arg(long, value_name = "ADDR")]
    listen: Option<SocketAddr>,
    /// Address of /livez, /readyz and /metrics, for probes and Prometheus [default: that of the file, or none]
    #[arg(long, value_name = "ADDR")]
    operators: Option<SocketAddr>,
}

pub(crate) async fn run(args: GatewayArgs, global: &GlobalOptions) -> anyhow::Result<Exit> {
    let (config, configured) = config::gateway(global, args.listen)?;
    let uris: Vec<String> = configured.into_iter().chain(args.worker).collect();
    if uris.is_empty() {
        let message = "no workers: name them with --worker URI, or list them under `workers` in the file of --config";
        return Err(CommandError::new(Exit::Usage, message).into());
    }
    open_files::require_limit_of_server()?;
    let parse = |uri: &String| WorkerSource::parse(uri, config.worker_tls());
    let workers: Vec<WorkerSource> = uris.iter().map(parse).collect::<Result<_, _>>()?;
    let n_workers = workers.len();
    let listener = super::serving::listen(config.listen()).await?;
    let address = listener.local_addr()?;
    let operators = super::serving::listen_for_operators(args.operators.or(config.operators())).await?;
    let drain = config.drain();
    let gateway = Gateway::start(config, workers);
    if !gateway.has_persistent_memory() {
        tell(
            "tasks and feedback of agents are lost at exit; to store them, set `state` in the configuration to a folder",
        );
    }
    // A reader of the address may end the process at once.
    let stop = super::serving::stop_on_signal(drain)?;
    let plural = if n_workers == 1 { "" } else { "s" };
    tell(&format!("gateway listening on http://{address}/mcp, {n_workers} worker{plural}"));
    super::serving::announce_operators(operators.as_ref().map(TcpListener::local_addr).transpose()?);
    let operators_server = async {
        match operators {
            Some(listener) => gateway.serve_operators(listener).await,
            None => std::future::pending().await,
        }
    };
    let serve_result = tokio::select! {
        serve_result = gateway.serve_http(listener, stop.cancelled_owned()) => serve_result,
        () = operators_server => Ok(()),
    };
    gateway.shutdown().await;
    serve_result.context("serving HTTP failed")?;
    Ok(Exit::Done)
}
