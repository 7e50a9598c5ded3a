//! `causeway worker`: serves repositories to gateways over gRPC.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
};

use futures::StreamExt as _;
use runtime::{
    connections::{self, ConnectionLimits, ConnectionPool},
    telemetry::tell,
    tls::TlsServer,
};
use tokio::net::TcpListener;

use crate::{
    config, data,
    exit::{CommandError, Exit},
    laptop::start_worker,
    options::{GlobalOptions, or_current_folder},
};

const EXAMPLE: &str = "\
Example:
  causeway worker --data /var/lib/causeway --listen 127.0.0.1:7475 /srv/git
  causeway worker --config worker.toml /srv/git

Every client that reaches a worker may read all its repositories. A non-loopback address therefore needs `[tls]` in the
configuration, or --allow-remote.";

/// Default address of a worker.
const DEFAULT_LISTEN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 7475);

/// Maximum number of open connections: each gateway keeps one.
const MAX_CONNECTIONS: usize = 1_024;

/// File descriptors that are reserved for generations, repositories, logs, and the port of operators.
const RESERVED_FILES: usize = 768;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct WorkerArgs {
    /// Folders with repositories, up to six levels down [default: none if the configuration lists repositories, else the
    /// current folder]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Address to listen on; port 0 selects a free one
    #[arg(long, value_name = "ADDR", default_value_t = DEFAULT_LISTEN)]
    listen: SocketAddr,
    /// Listen on a non-loopback address without `[tls]`
    #[arg(long)]
    allow_remote: bool,
    /// Address of /livez, /readyz and /metrics, for probes and Prometheus [default: that of the file, or none]
    #[arg(long, value_name = "ADDR")]
    operators: Option<SocketAddr>,
    /// This worker's URI in `[placement]` [default: the one with this machine's host name]
    #[arg(long = "self", value_name = "URI")]
    own: Option<String>,
}

pub(crate) async fn run(args: WorkerArgs, global: &GlobalOptions) -> anyhow::Result<Exit> {
    let mut settings = config::worker(global)?;
    if !args.listen.ip().is_loopback() && !args.allow_remote && settings.tls.is_none() {
        let message = format!(
            "`{}` is reachable from other machines, and every client of a worker may read all its repositories: configure \
             `[tls]`, pass --allow-remote if the network blocks other clients, or listen on {DEFAULT_LISTEN}",
            args.listen
        );
        return Err(CommandError::new(Exit::Usage, message).into());
    }
    let tls = settings.tls.as_ref().map(TlsServer::open).transpose();
    let tls = tls.map_err(|error| CommandError::new(Exit::Usage, format!("`[tls]`: {error}")))?;
    settings.placement.own = args.own.or(settings.placement.own);
    let roots = if settings.repositories.is_used() { args.paths } else { or_current_folder(args.paths) };
    let data = data::folder(global)?;
    data::check_roots(&data, &roots)?;
    let listener = super::serving::listen(args.listen).await?;
    let address = listener.local_addr()?;
    let operators = super::serving::listen_for_operators(args.operators.or(settings.operators)).await?;
    let operators_address = operators.as_ref().map(TcpListener::local_addr).transpose()?;
    let drain = settings.drain();
    let worker = start_worker(&data, &roots, settings, operators).await?.with_drain(drain);
    // A reader of the address may end the process at once.
    let stop = super::serving::stop_on_signal(drain)?;
    tell(&format!("worker {} listening on {address}", worker.name()));
    super::serving::announce_operators(operators_address);
    let pool = ConnectionPool::new(ConnectionLimits::within_open_files(MAX_CONNECTIONS, RESERVED_FILES));
    match tls {
        Some(tls) => worker.serve(tls.incoming(listener, pool), stop.cancelled_owned()).await?,
        None => {
            let log_refusal = || tracing::warn!("a connection was refused: too many are open");
            let incoming = connections::accept(listener, pool, log_refusal).map(|(io, _)| Ok(io));
            worker.serve(incoming, stop.cancelled_owned()).await?;
        }
    }
    Ok(Exit::Done)
}
