//! TLS server: accepts connections with a valid client certificate.

use std::{
    io,
    net::SocketAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use futures::{Stream, StreamExt as _};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpStream},
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        crypto::ring,
        server::{NoServerSessionStorage, WebPkiClientVerifier},
        version::TLS13,
    },
    server::TlsStream,
};
use tonic::transport::server::Connected;

use crate::connections::{self, ConnectionPool, TrackedIo};

use super::{
    ALPN_HTTP2, HANDSHAKE_DEADLINE, ServerFiles, TlsError, certificate_reload::Pem, certificate_reload::ReloadingConfig,
};

/// Acceptor for clients whose certificates the configured authorities signed.
#[derive(Clone)]
pub struct TlsServer(Arc<ReloadingConfig<ServerConfig>>);

impl TlsServer {
    /// Reads the certificates. Blocking.
    pub fn open(files: &ServerFiles) -> Result<TlsServer, TlsError> {
        let paths = [files.cert.clone(), files.key.clone(), files.client_ca.clone()];
        Ok(TlsServer(ReloadingConfig::open(paths, config)?))
    }

    /// Returns the connections of a listener after their handshakes. A failed handshake ends its own connection only. All
    /// connections of the pool may shake hands at the same time, at some 10 KB each.
    pub fn incoming(
        self,
        listener: TcpListener,
        pool: ConnectionPool,
    ) -> impl Stream<Item = io::Result<TlsConnection<TrackedIo<TcpStream>>>> + Send {
        let handshake = move |(io, peer): (TrackedIo<TcpStream>, SocketAddr)| {
            let (server, connection) = (self.clone(), io.connection().clone());
            async move {
                let log_failure = |error: &io::Error| tracing::warn!(%peer, %error, "a TLS handshake failed");
                let shaken = server.handshake(io).await.inspect_err(log_failure).ok()?;
                connection.authenticated();
                Some(Ok(shaken))
            }
        };
        let n_handshakes = pool.limits().n_open + 1;
        let log_refusal = || tracing::warn!("a connection was refused: too many are open");
        let accepted = connections::accept(listener, pool, log_refusal);
        accepted.map(handshake).buffer_unordered(n_handshakes).filter_map(std::future::ready)
    }

    /// Performs the TLS handshake on a connection, within [`HANDSHAKE_DEADLINE`].
    pub async fn handshake<Io>(&self, io: Io) -> io::Result<TlsConnection<Io>>
    where
        Io: AsyncRead + AsyncWrite + Unpin,
    {
        let acceptor = TlsAcceptor::from(self.0.current().await);
        let timed_out = |_| io::Error::new(io::ErrorKind::TimedOut, "the handshake took too long");
        let stream = tokio::time::timeout(HANDSHAKE_DEADLINE, acceptor.accept(io)).await.map_err(timed_out)??;
        Ok(TlsConnection { stream })
    }
}

fn config([cert, key, client_ca]: &[Pem; 3]) -> Result<ServerConfig, TlsError> {
    let provider = Arc::new(ring::default_provider());
    let verifier = WebPkiClientVerifier::builder_with_provider(client_ca.authorities()?, Arc::clone(&provider))
        .build()
        .map_err(|error| client_ca.unusable(error))?;
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&TLS13])
        .expect("the provider knows TLS 1.3")
        .with_client_cert_verifier(verifier)
        .with_single_cert(cert.certificates()?, key.key()?)
        .map_err(|error| cert.unusable(error))?;
    config.alpn_protocols = vec![ALPN_HTTP2.to_vec()];
    // A resumed session presents no certificate, so one that has expired since would stay accepted.
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.send_tls13_tickets = 0;
    Ok(config)
}

/// A connection after mutual authentication.
pub struct TlsConnection<Io> {
    stream: TlsStream<Io>,
}

impl<Io: Connected> Connected for TlsConnection<Io> {
    type ConnectInfo = Io::ConnectInfo;

    fn connect_info(&self) -> Io::ConnectInfo {
        self.stream.get_ref().0.connect_info()
    }
}

impl<Io: AsyncRead + AsyncWrite + Unpin> AsyncRead for TlsConnection<Io> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buf)
    }
}

impl<Io: AsyncRead + AsyncWrite + Unpin> AsyncWrite for TlsConnection<Io> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
