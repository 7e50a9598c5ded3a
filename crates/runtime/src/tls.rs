//! TLS between gateways and workers, with a certificate on either side: nobody connects whom the other side's authority
//! does not vouch for.
//!
//! Certificates are read anew while the process runs (`tls::reloading`): a new connection is made with the newest ones
//! that can be used, and connections that stand go on.

mod client;
mod reloading;
mod server;
#[cfg(test)]
mod tests;

use std::{path::PathBuf, time::Duration};

use serde::Deserialize;

pub use client::TlsClient;
pub use server::{TlsConnectInfo, TlsConnection, TlsServer};

/// How long a handshake may take: two round trips on one network, and a signature on either side.
pub const HANDSHAKE_DEADLINE: Duration = Duration::from_secs(5);

/// The protocol that both sides speak above TLS, as ALPN (RFC 7301) calls HTTP/2.
const ALPN_HTTP2: &[u8] = b"h2";

/// The table `[tls]` of a worker: who it is, and whose word it takes for who a gateway is.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerFiles {
    /// The worker's certificate, followed by those between it and its authority; PEM.
    pub cert: PathBuf,
    /// The certificate's key; PEM.
    pub key: PathBuf,
    /// Authorities whose certificates gateways present; PEM.
    pub client_ca: PathBuf,
}

/// The table `[worker_tls]` of a gateway: who it is, and whose word it takes for who a worker is.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientFiles {
    /// Authorities that vouch for workers; PEM.
    pub ca: PathBuf,
    /// The gateway's certificate, followed by those between it and its authority; PEM.
    pub cert: PathBuf,
    /// The certificate's key; PEM.
    pub key: PathBuf,
}

/// Certificates that cannot be used, and why. No key is part of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TlsError {
    #[error("`{}` cannot be read: {reason}", path.display())]
    Read { path: PathBuf, reason: String },
    #[error("`{}` holds no {what} in PEM", path.display())]
    Empty { path: PathBuf, what: &'static str },
    #[error("`{}` is no sound {what} in PEM: {reason}", path.display())]
    Pem { path: PathBuf, what: &'static str, reason: String },
    #[error("`{}` cannot be used: {reason}", path.display())]
    Unusable { path: PathBuf, reason: String },
}
