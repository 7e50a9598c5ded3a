//! TLS client: connects with its own certificate, to servers with the expected name only.

use std::{fmt, io, sync::Arc};

use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{ClientConfig, client::Resumption, crypto::ring, pki_types::ServerName, version::TLS13},
};
use tonic::transport::Uri;
use tower::Service;

use super::{
    ALPN_HTTP2, ClientFiles, HANDSHAKE_DEADLINE, TlsError, certificate_reload::Pem, certificate_reload::ReloadingConfig,
};

/// Default port of workers.
const DEFAULT_PORT: u16 = 7475;

/// Connector for servers whose certificates the configured authorities signed.
#[derive(Clone)]
pub struct TlsClient(Arc<ReloadingConfig<ClientConfig>>);

impl fmt::Debug for TlsClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TlsClient")
    }
}

impl TlsClient {
    /// Reads the certificates. Blocking.
    pub fn open(files: &ClientFiles) -> Result<TlsClient, TlsError> {
        let paths = [files.cert.clone(), files.key.clone(), files.ca.clone()];
        Ok(TlsClient(ReloadingConfig::open(paths, config)?))
    }

    /// Returns a connector for `Endpoint::connect_with_connector_lazy`.
    ///
    /// The server's certificate must be valid for `server_name`, or without one for the host of the address. Pass a
    /// name if the address was resolved from it, since certificates do not contain resolved addresses. The address
    /// keeps the scheme `http`; this connector adds TLS.
    pub fn connector(
        &self,
        server_name: Option<String>,
    ) -> impl Service<
        Uri,
        Response = TokioIo<TlsStream<TcpStream>>,
        Error = io::Error,
        Future: Future<Output = io::Result<TokioIo<TlsStream<TcpStream>>>> + Send,
    > + Clone
    + Send
    + 'static {
        let client = self.clone();
        tower::service_fn(move |uri: Uri| {
            let (client, server_name) = (client.clone(), server_name.clone());
            async move {
                let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
                let tcp = TcpStream::connect((host, uri.port_u16().unwrap_or(DEFAULT_PORT))).await?;
                tcp.set_nodelay(true)?;
                let server_name = server_name.as_deref().unwrap_or(host);
                Ok(TokioIo::new(client.handshake(tcp, server_name).await?))
            }
        })
    }

    /// Performs the TLS handshake on a connection, within [`HANDSHAKE_DEADLINE`].
    pub async fn handshake<Io>(&self, io: Io, server_name: &str) -> io::Result<TlsStream<Io>>
    where
        Io: AsyncRead + AsyncWrite + Unpin,
    {
        let invalid_name =
            |_| io::Error::new(io::ErrorKind::InvalidInput, format!("`{server_name}` is not a valid server name"));
        let server_name = ServerName::try_from(server_name.to_owned()).map_err(invalid_name)?;
        let connector = TlsConnector::from(self.0.current().await);
        let timed_out = |_| io::Error::new(io::ErrorKind::TimedOut, "the handshake took too long");
        let handshake = connector.connect(server_name, io);
        tokio::time::timeout(HANDSHAKE_DEADLINE, handshake).await.map_err(timed_out)?
    }
}

fn config([cert, key, ca]: &[Pem; 3]) -> Result<ClientConfig, TlsError> {
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(&[&TLS13])
        .expect("the provider knows TLS 1.3")
        .with_root_certificates(ca.authorities()?)
        .with_client_auth_cert(cert.certificates()?, key.key()?)
        .map_err(|error| cert.unusable(error))?;
    config.alpn_protocols = vec![ALPN_HTTP2.to_vec()];
    config.resumption = Resumption::disabled();
    Ok(config)
}
