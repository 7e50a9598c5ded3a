//! TLS handshakes over in-memory pipes; a port only where a real connection matters.

use std::{fs, io, path::Path, time::Duration};

use futures::StreamExt as _;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, ExtendedKeyUsagePurpose, IsCa, KeyPair, KeyUsagePurpose,
    date_time_ymd,
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream},
    net::{TcpListener, TcpStream},
    time::Instant,
};
use tower::{Service as _, ServiceExt as _};

use crate::connections::{ConnectionLimits, ConnectionPool};

use super::{ClientFiles, HANDSHAKE_DEADLINE, ServerFiles, TlsClient, TlsError, TlsServer};

type Authority = CertifiedIssuer<'static, KeyPair>;

fn authority() -> Authority {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// Writes a certificate and its key, and the trusted authority under the name that both sides read.
fn write_certificate(folder: &Path, signed_by: &Authority, trusts: &Authority, name: &str, year_of_end: i32) {
    let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
    params.not_before = date_time_ymd(2020, 1, 1);
    params.not_after = date_time_ymd(year_of_end, 1, 1);
    let key = KeyPair::generate().unwrap();
    let certificate = params.signed_by(&key, signed_by).unwrap();
    fs::write(folder.join("cert.pem"), certificate.pem()).unwrap();
    fs::write(folder.join("key.pem"), key.serialize_pem()).unwrap();
    fs::write(folder.join("ca.pem"), trusts.pem()).unwrap();
}

const VALID: i32 = 4000;
const EXPIRED: i32 = 2021;

fn server_files(folder: &Path) -> ServerFiles {
    ServerFiles { cert: folder.join("cert.pem"), key: folder.join("key.pem"), client_ca: folder.join("ca.pem") }
}

fn client_files(folder: &Path) -> ClientFiles {
    ClientFiles { cert: folder.join("cert.pem"), key: folder.join("key.pem"), ca: folder.join("ca.pem") }
}

/// A worker and a gateway whose certificates have the same authority.
struct Pair {
    worker: tempfile::TempDir,
    gateway: tempfile::TempDir,
    authority: Authority,
}

impl Pair {
    fn new() -> Pair {
        let pair = Pair {
            worker: tempfile::tempdir().unwrap(),
            gateway: tempfile::tempdir().unwrap(),
            authority: authority(),
        };
        write_certificate(pair.worker.path(), &pair.authority, &pair.authority, "worker-0", VALID);
        write_certificate(pair.gateway.path(), &pair.authority, &pair.authority, "gateway", VALID);
        pair
    }

    fn server(&self) -> TlsServer {
        TlsServer::open(&server_files(self.worker.path())).unwrap()
    }

    fn client(&self) -> TlsClient {
        TlsClient::open(&client_files(self.gateway.path())).unwrap()
    }
}

/// Sends a word to a server that echoes it. Returns the error of the side that failed.
async fn exchange(client: &TlsClient, server: &TlsServer, name: &str) -> Result<(), String> {
    let (client_end, server_end) = tokio::io::duplex(1 << 16);
    let serving = async {
        let mut connection = server.handshake(server_end).await?;
        let mut word = [0; 5];
        connection.read_exact(&mut word).await?;
        connection.write_all(&word).await?;
        connection.shutdown().await
    };
    let requesting = async {
        let mut connection = client.handshake(client_end, name).await?;
        connection.write_all(b"hello").await?;
        let mut word = Vec::new();
        connection.read_to_end(&mut word).await?;
        if word == b"hello" { Ok(()) } else { Err(io::Error::other("the word got lost")) }
    };
    let (served, received) = tokio::join!(serving, requesting);
    served.map_err(|error| format!("server: {error}"))?;
    received.map_err(|error| format!("client: {error}"))
}

#[tokio::test]
async fn both_sides_are_authenticated() {
    let pair = Pair::new();
    assert_eq!(exchange(&pair.client(), &pair.server(), "worker-0").await, Ok(()));
    assert!(exchange(&pair.client(), &pair.server(), "worker-1").await.is_err(), "the name does not match");
}

#[tokio::test]
async fn untrusted_certificates_are_rejected() {
    let (pair, stranger) = (Pair::new(), authority());
    let folder = tempfile::tempdir().unwrap();
    for (issuer, signed_by, year_of_end) in
        [("another authority", &stranger, VALID), ("an expired certificate", &pair.authority, EXPIRED)]
    {
        write_certificate(folder.path(), signed_by, &pair.authority, "worker-0", year_of_end);
        let gateway = TlsClient::open(&client_files(folder.path())).unwrap();
        let refused = exchange(&gateway, &pair.server(), "worker-0").await.unwrap_err();
        assert!(refused.starts_with("server: "), "a gateway with {issuer}: {refused}");
        let worker = TlsServer::open(&server_files(folder.path())).unwrap();
        assert!(exchange(&pair.client(), &worker, "worker-0").await.is_err(), "a worker with {issuer}");
    }
}

#[tokio::test]
async fn client_without_a_certificate_is_rejected() {
    use std::sync::Arc;

    use tokio_rustls::{TlsConnector, rustls::ClientConfig, rustls::RootCertStore, rustls::crypto::ring};

    let pair = Pair::new();
    let mut roots = RootCertStore::empty();
    roots.add(pair.authority.der().clone()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let (client_end, server_end) = tokio::io::duplex(1 << 16);
    let connecting = TlsConnector::from(Arc::new(config)).connect("worker-0".try_into().unwrap(), client_end);
    let server = pair.server();
    let (accepted, _) = tokio::join!(server.handshake(server_end), connecting);
    assert!(accepted.is_err());
}

#[tokio::test(start_paused = true)]
async fn certificates_are_reloaded() {
    let pair = Pair::new();
    let (server, client) = (pair.server(), pair.client());
    exchange(&client, &server, "worker-0").await.unwrap();

    // An existing connection survives any change of the files.
    let (client_end, server_end) = tokio::io::duplex(1 << 16);
    let (existing, mut asking) = tokio::join!(server.handshake(server_end), client.handshake(client_end, "worker-0"));
    let mut existing = existing.unwrap();

    let next = authority();
    write_certificate(pair.worker.path(), &next, &next, "worker-0", VALID);
    tokio::time::advance(Duration::from_secs(3)).await;
    assert!(exchange(&client, &server, "worker-0").await.is_err(), "the gateway still trusts the old authority only");
    write_certificate(pair.gateway.path(), &next, &next, "gateway", VALID);
    tokio::time::advance(Duration::from_secs(3)).await;
    exchange(&client, &server, "worker-0").await.unwrap();

    fs::write(pair.worker.path().join("key.pem"), "no key").unwrap();
    tokio::time::advance(Duration::from_secs(3)).await;
    exchange(&client, &server, "worker-0").await.unwrap();
    fs::remove_file(pair.worker.path().join("cert.pem")).unwrap();
    tokio::time::advance(Duration::from_secs(3)).await;
    exchange(&client, &server, "worker-0").await.unwrap();

    let asking = asking.as_mut().unwrap();
    asking.write_all(b"still").await.unwrap();
    let mut word = [0; 5];
    existing.read_exact(&mut word).await.unwrap();
    assert_eq!(&word, b"still");
}

#[tokio::test(start_paused = true)]
async fn handshake_has_a_deadline() {
    let pair = Pair::new();
    let (mut client_end, server_end): (DuplexStream, DuplexStream) = tokio::io::duplex(1 << 16);
    // The start of a TLS record that never completes.
    client_end.write_all(&[0x16, 0x03, 0x01, 0x02]).await.unwrap();
    let began = Instant::now();
    let refused = pair.server().handshake(server_end).await.err().expect("it is given up");
    assert_eq!(refused.kind(), io::ErrorKind::TimedOut);
    assert!(began.elapsed() < HANDSHAKE_DEADLINE + Duration::from_millis(10));
}

#[tokio::test]
async fn garbage_ends_its_own_connection_only() {
    let pair = Pair::new();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut garbage = TcpStream::connect(address).await.unwrap();
    garbage.write_all(b"GET / HTTP/1.1\r\nhost: worker-0\r\n\r\n").await.unwrap();
    let mut incoming = Box::pin(pair.server().incoming(listener, ConnectionPool::new(ConnectionLimits::of(4))));
    let mut dialling = pair.client().connector(Some("worker-0".to_owned()));
    let uri = format!("http://{address}").parse().unwrap();
    let dialled = async { dialling.ready().await.unwrap().call(uri).await };
    let (accepted, dialled) = tokio::join!(incoming.next(), dialled);
    dialled.unwrap();
    accepted.unwrap().unwrap();
}

#[test]
fn errors_name_the_unusable_file() {
    let pair = Pair::new();
    let open = |files: &ServerFiles| TlsServer::open(files).err().expect("they cannot be used");
    let sound = server_files(pair.worker.path());
    let missing = open(&ServerFiles { cert: pair.worker.path().join("none.pem"), ..sound.clone() });
    assert!(matches!(missing, TlsError::Read { .. }), "{missing}");
    let swapped = open(&ServerFiles { cert: sound.key.clone(), ..sound.clone() });
    assert!(matches!(swapped, TlsError::Empty { what: "certificate", .. }), "{swapped}");
    let keyless = open(&ServerFiles { key: sound.cert.clone(), ..sound.clone() });
    assert!(matches!(keyless, TlsError::Empty { what: "private key", .. }), "{keyless}");
    let foreign = open(&ServerFiles { key: pair.gateway.path().join("key.pem"), ..sound.clone() });
    assert!(matches!(foreign, TlsError::Unusable { .. }), "{foreign}");
    fs::write(&sound.client_ca, "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n").unwrap();
    let broken = open(&sound);
    assert!(matches!(broken, TlsError::Pem { .. }), "{broken}");
}
