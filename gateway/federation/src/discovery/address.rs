//! Worker addresses: one URI per worker, or one DNS name for several workers.

use std::{fmt, net::SocketAddr, sync::Arc, time::Duration};

use runtime::tls::TlsClient;
use tonic::transport::{Channel, Endpoint, Uri};

/// Connect timeout: a worker is on the same network, or gone.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// Interval and timeout of HTTP/2 keep-alive pings: they detect a silently vanished worker, for which TCP alone takes many
/// minutes.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(10);
const KEEP_ALIVE_TIMEOUT: Duration = Duration::from_secs(5);

/// The URI scheme of a DNS name with several workers.
const NAME_SCHEME: &str = "dns";

/// An invalid entry of `workers`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{uri}` is not a valid address of a worker: write it like `http://worker-0:7475`")]
pub struct InvalidAddress {
    /// The entry as configured.
    pub uri: String,
}

/// A source of workers.
#[derive(Debug, Clone)]
pub enum WorkerSource {
    /// One worker.
    Fixed(WorkerEndpoint),
    /// All workers behind a DNS name.
    Name(WorkerName),
}

/// A worker, and how to connect to it.
#[derive(Clone)]
pub struct WorkerEndpoint {
    /// Shown to people; part of an alias where two workers use the same one.
    pub(super) name: String,
    /// Creates a channel, which connects at its first use.
    pub(super) dial: DialWorker,
}

pub(super) type DialWorker = Arc<dyn Fn() -> Channel + Send + Sync>;

impl fmt::Debug for WorkerEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WorkerEndpoint").field(&self.name).finish()
    }
}

/// A name, such as that of a headless service, every address of which is a worker.
#[derive(Debug, Clone)]
pub struct WorkerName {
    pub(super) host: String,
    pub(super) port: u16,
    tls: Option<TlsClient>,
}

impl From<WorkerEndpoint> for WorkerSource {
    fn from(endpoint: WorkerEndpoint) -> Self {
        WorkerSource::Fixed(endpoint)
    }
}

impl WorkerSource {
    /// Parses an entry of `workers`: `http://worker-0:7475` is one worker, `dns://workers:7475` is every worker behind a name.
    /// With `tls`, every connection uses TLS, whether the scheme is `http` or `https`.
    pub fn parse(uri: &str, tls: Option<&TlsClient>) -> Result<WorkerSource, InvalidAddress> {
        let invalid = || InvalidAddress { uri: uri.to_owned() };
        let parsed: Uri = uri.parse().map_err(|_| invalid())?;
        if parsed.scheme_str() != Some(NAME_SCHEME) {
            return WorkerEndpoint::dial_by(uri, tls, None).map(WorkerSource::Fixed);
        }
        let host = parsed.host().filter(|host| !host.is_empty()).ok_or_else(invalid)?.to_owned();
        let has_path = !matches!(parsed.path(), "" | "/");
        let port = parsed.port_u16().filter(|_| !has_path).ok_or_else(invalid)?;
        Ok(WorkerSource::Name(WorkerName { host, port, tls: tls.cloned() }))
    }
}

impl WorkerName {
    /// Returns the worker at one of the addresses behind the name. With TLS, its certificate is one for the name.
    pub(super) fn at(&self, address: SocketAddr) -> Result<WorkerEndpoint, InvalidAddress> {
        WorkerEndpoint::dial_by(&format!("http://{address}"), self.tls.as_ref(), Some(self.host.clone()))
    }
}

impl WorkerEndpoint {
    /// Returns a worker to which `dial` opens channels, a new one after each failure.
    pub fn new(name: impl Into<String>, dial: impl Fn() -> Channel + Send + Sync + 'static) -> WorkerEndpoint {
        WorkerEndpoint { name: name.into(), dial: Arc::new(dial) }
    }

    /// Returns the worker at `uri`, without TLS. The channel connects at its first use.
    pub fn dial(uri: &str) -> Result<WorkerEndpoint, InvalidAddress> {
        WorkerEndpoint::dial_by(uri, None, None)
    }

    fn dial_by(
        uri: &str,
        tls: Option<&TlsClient>,
        server_name: Option<String>,
    ) -> Result<WorkerEndpoint, InvalidAddress> {
        let invalid = || InvalidAddress { uri: uri.to_owned() };
        let plain = match uri.strip_prefix("https://") {
            // The connector does TLS; the library rejects `https` addresses.
            Some(rest) if tls.is_some() => format!("http://{rest}"),
            _ => uri.to_owned(),
        };
        let endpoint = Endpoint::from_shared(plain).map_err(|_| invalid())?;
        let name = endpoint.uri().authority().ok_or_else(invalid)?.to_string();
        if endpoint.uri().scheme_str() != Some("http") {
            return Err(invalid());
        }
        let (endpoint, tls) = (with_keep_alive(endpoint), tls.cloned());
        Ok(WorkerEndpoint::new(name, move || match &tls {
            Some(tls) => endpoint.connect_with_connector_lazy(tls.connector(server_name.clone())),
            None => endpoint.connect_lazy(),
        }))
    }
}

/// Configures timeouts and keep-alive, so that a dead endpoint is detected soon.
pub fn with_keep_alive(endpoint: Endpoint) -> Endpoint {
    endpoint
        .connect_timeout(CONNECT_TIMEOUT)
        .http2_keep_alive_interval(KEEP_ALIVE_INTERVAL)
        .keep_alive_timeout(KEEP_ALIVE_TIMEOUT)
        .keep_alive_while_idle(true)
        .tcp_nodelay(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn entries_are_addresses_or_names() {
        for (uri, expected) in [
            ("http://worker-0:7475", Some("one worker-0:7475")),
            ("http://127.0.0.1:7475", Some("one 127.0.0.1:7475")),
            ("dns://causeway-worker:7475", Some("all causeway-worker 7475")),
            (
                "dns://causeway-worker.code.svc.cluster.local:7475/",
                Some("all causeway-worker.code.svc.cluster.local 7475"),
            ),
            ("https://worker-0:7475", None),
            ("dns://causeway-worker", None),
            ("dns://causeway-worker:7475/path", None),
            ("dns://:7475", None),
            ("worker-0:7475", None),
            ("ftp://worker-0", None),
            ("", None),
        ] {
            let read = WorkerSource::parse(uri, None).ok().map(|source| match source {
                WorkerSource::Fixed(endpoint) => format!("one {}", endpoint.name),
                WorkerSource::Name(name) => format!("all {} {}", name.host, name.port),
            });
            assert_eq!(read.as_deref(), expected, "{uri}");
        }
    }
}
