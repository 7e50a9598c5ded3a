//! Listeners and signals of the commands that serve.

use std::{net::SocketAddr, time::Duration};

use anyhow::Context as _;
use runtime::telemetry::tell;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Maximum time from the end of the drain to the end of the process: the deadline of requests in flight, and as much again for
/// runs to stop and for stores to be closed. The grace periods of `deploy/` allow for it.
const EXIT_DEADLINE: Duration = Duration::from_secs(20);

/// Returns a listener for clients.
pub(super) async fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    let any_port = SocketAddr::new(address.ip(), 0);
    TcpListener::bind(address)
        .await
        .with_context(|| format!("cannot listen on {address}; take a free port with --listen {any_port}"))
}

/// Returns a listener for operators' requests, if an address is configured.
pub(super) async fn listen_for_operators(address: Option<SocketAddr>) -> anyhow::Result<Option<TcpListener>> {
    let Some(address) = address else { return Ok(None) };
    let listener = TcpListener::bind(address).await.with_context(|| {
        format!("cannot listen on {address} for operators; set another address by --operators, or by `operators` in the configuration")
    })?;
    Ok(Some(listener))
}

/// Prints the address for operators' requests.
pub(super) fn announce_operators(address: Option<SocketAddr>) {
    if let Some(address) = address {
        tell(&format!("operators' port at http://{address}"));
    }
}

/// Returns a token that the first shutdown signal cancels. The second signal ends the process immediately, and so does the
/// deadline after the drain.
pub(super) fn stop_on_signal(drain: Duration) -> anyhow::Result<CancellationToken> {
    runtime::shutdown::on_signal(drain + EXIT_DEADLINE).context("cannot listen for signals")
}
