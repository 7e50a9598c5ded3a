//! `causeway worker`: repositories, served to gateways over gRPC.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
};

use runtime::{telemetry::tell, tls::TlsServer};
use tokio::net::TcpListener;
use tonic::transport::server::TcpIncoming;

use crate::{
    cli::{Global, or_current_folder},
    config, data,
    exit::{Exit, Failure},
    laptop::start_worker,
};

const EXAMPLE: &str = "\
Example:
  causeway worker --data /var/lib/causeway --listen 127.0.0.1:7475 /srv/git
  causeway worker --config worker.toml /srv/git

Whoever reaches a worker may read all that it holds: addresses that other machines reach need `[tls]` in the
configuration, or --allow-remote.";

/// Where a worker listens unless told otherwise.
const DEFAULT_LISTEN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 7475);

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Args {
    /// Folders that hold repositories, up to six levels down [default: none if the configuration lists repositories, else the
    /// current folder]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Address to serve at; port 0 takes a free one
    #[arg(long, value_name = "ADDR", default_value_t = DEFAULT_LISTEN)]
    listen: SocketAddr,
    /// Listen where other machines reach it, though there is no `[tls]` that keeps them out
    #[arg(long)]
    allow_remote: bool,
    /// Address of /livez, /readyz and /metrics, for probes and Prometheus [default: that of the file, or none]
    #[arg(long, value_name = "ADDR")]
    operators: Option<SocketAddr>,
    /// Which of the workers of `[placement]` this is [default: the one whose host is this machine's name]
    #[arg(long = "self", value_name = "URI")]
    own: Option<String>,
}

pub(crate) async fn run(args: Args, global: &Global) -> anyhow::Result<Exit> {
    let mut settings = config::worker(global)?;
    if !args.listen.ip().is_loopback() && !args.allow_remote && settings.tls.is_none() {
        let message = format!(
            "`{}` can be reached from other machines, and whoever reaches a worker may read all that it holds: configure \
             `[tls]`, give --allow-remote if the network keeps others out, or listen on {DEFAULT_LISTEN}",
            args.listen
        );
        return Err(Failure::new(Exit::Usage, message).into());
    }
    let tls = settings.tls.as_ref().map(TlsServer::open).transpose();
    let tls = tls.map_err(|error| Failure::new(Exit::Usage, format!("`[tls]`: {error}")))?;
    settings.placement.own = args.own.or(settings.placement.own);
    let roots = if settings.repositories.is_used() { args.paths } else { or_current_folder(args.paths) };
    data::check_roots(&roots)?;
    let listener = super::up::listen(args.listen).await?;
    let address = listener.local_addr()?;
    let operators = super::operators::listen(args.operators.or(settings.operators)).await?;
    let watched = operators.as_ref().map(TcpListener::local_addr).transpose()?;
    let drain = settings.drain();
    let worker = start_worker(&data::folder(global)?, &roots, settings, operators).await?.with_drain(drain);
    tell(&format!("worker {} listening on {address}", worker.name()));
    super::operators::tell_address(watched);
    let stop = super::up::stop_on_signal();
    match tls {
        Some(tls) => worker.serve(tls.incoming(listener), stop.cancelled_owned()).await?,
        None => worker.serve(TcpIncoming::from(listener).with_nodelay(Some(true)), stop.cancelled_owned()).await?,
    }
    Ok(Exit::Done)
}
