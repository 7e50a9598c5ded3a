//! Where operators look at a server: an address of its own, which workers and gateways are given in the same way.

use std::net::SocketAddr;

use anyhow::Context as _;
use runtime::telemetry::tell;
use tokio::net::TcpListener;

/// Listens there, if anywhere.
pub(super) async fn listen(address: Option<SocketAddr>) -> anyhow::Result<Option<TcpListener>> {
    let Some(address) = address else { return Ok(None) };
    let listener = TcpListener::bind(address).await.with_context(|| {
        format!("cannot listen on {address} for operators: `--operators` and `operators` in the file name it")
    })?;
    Ok(Some(listener))
}

/// Tells where it is.
pub(super) fn tell_address(watched: Option<SocketAddr>) {
    if let Some(watched) = watched {
        tell(&format!("operators' port at http://{watched}"));
    }
}
