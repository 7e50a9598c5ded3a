//! Mutual TLS between gateways and workers: each side presents a certificate, and the other side's authority must have
//! signed it.
//!
//! Certificates are reloaded while the process runs (`tls::certificate_reload`): new connections use the newest valid
//! ones, existing connections continue.

mod certificate_reload;
mod client;
mod server;
#[cfg(test)]
mod tests;

use std::{path::PathBuf, time::Duration};

use serde::Deserialize;

pub(crate) use certificate_reload::Pem;
pub use client::TlsClient;
pub use server::{TlsConnection, TlsServer};

/// Handshake deadline: two round trips on one network, and a signature on either side.
pub const HANDSHAKE_DEADLINE: Duration = Duration::from_secs(5);

/// ALPN name of HTTP/2 (RFC 7301).
const ALPN_HTTP2: &[u8] = b"h2";

/// The table `[tls]` of a worker: its certificate, and the authorities of gateways.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerFiles {
    /// The worker's certificate, followed by the intermediate ones; PEM.
    pub cert: PathBuf,
    /// The certificate's key; PEM.
    pub key: PathBuf,
    /// Authorities that sign gateway certificates; PEM.
    pub client_ca: PathBuf,
}

/// The table `[worker_tls]` of a gateway: its certificate, and the authorities of workers.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientFiles {
    /// Authorities that sign worker certificates; PEM.
    pub ca: PathBuf,
    /// The gateway's certificate, followed by the intermediate ones; PEM.
    pub cert: PathBuf,
    /// The certificate's key; PEM.
    pub key: PathBuf,
}

/// Certificate files that cannot be used. The error contains no key material.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TlsError {
    /// The file cannot be read.
    #[error("`{}` cannot be read: {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        reason: String,
    },
    /// The file has no PEM block of the expected kind.
    #[error("`{}` holds no {what} in PEM", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
        /// The expected content, such as `certificate`.
        what: &'static str,
    },
    /// A PEM block is malformed.
    #[error("`{}` is not a valid {what} in PEM: {reason}", path.display())]
    Pem {
        /// The file.
        path: PathBuf,
        /// The expected content, such as `certificate`.
        what: &'static str,
        /// The parser's error.
        reason: String,
    },
    /// The content is well-formed but cannot be used, such as a key that does not fit its certificate.
    #[error("`{}` cannot be used: {reason}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// The reason by the TLS library.
        reason: String,
    },
}
