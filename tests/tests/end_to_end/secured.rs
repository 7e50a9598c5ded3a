//! Mutual authentication of gateway and worker: certificates on both sides of a real connection, and a grant with every
//! request.

use std::{
    fs, io,
    path::Path,
    sync::{Arc, Mutex},
};

use causeway_tests::{PATIENCE, federation::InProcessWorker, repository::Repository};
use federation::{discovery::WorkerEndpoint, discovery::WorkerSource, principal::Principal};
use gateway::{Gateway, GatewayConfig, GatewaySettings};
use proto::{
    grant::{GRANT_METADATA, GrantKeys},
    v1,
};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, ExtendedKeyUsagePurpose, IsCa, KeyPair};
use runtime::{
    connections::{ConnectionLimits, ConnectionPool},
    tls::{ClientFiles, ServerFiles, TlsServer},
};
use serde_json::json;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tonic::{Code, metadata::MetadataValue};

/// Writes an authority, and the certificates of a server on this machine and of a client.
pub(crate) fn write_certificates(folder: &Path) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    fs::write(folder.join("ca.pem"), authority.pem()).unwrap();
    for name in ["127.0.0.1", "gateway"] {
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        let key = KeyPair::generate().unwrap();
        fs::write(folder.join(format!("{name}.pem")), params.signed_by(&key, &authority).unwrap().pem()).unwrap();
        fs::write(folder.join(format!("{name}.key")), key.serialize_pem()).unwrap();
    }
}

#[tokio::test]
async fn only_a_trusted_gateway_certificate_is_accepted() {
    let folder = tempfile::tempdir().unwrap();
    write_certificates(folder.path());
    let at = |name: &str| folder.path().join(name);
    Repository::with_files(at("src/demo"), [("src/greet.py", "def greet(name):\n    return name\n")]);
    InProcessWorker::indexed(&at("data"), &[at("src")]).await.stop().await;

    let config =
        worker::WorkerConfig { data: at("data"), roots: vec![at("src")], settings: worker::WorkerSettings::default() };
    let worker = worker::Worker::start(config).await.unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let uri = format!("https://{}", listener.local_addr().unwrap());
    let tls = ServerFiles { cert: at("127.0.0.1.pem"), key: at("127.0.0.1.key"), client_ca: at("ca.pem") };
    let incoming = TlsServer::open(&tls).unwrap().incoming(listener, ConnectionPool::new(ConnectionLimits::of(16)));
    let stop = CancellationToken::new();
    let serving = tokio::spawn(worker.serve(incoming, stop.clone().cancelled_owned()));

    let worker_tls = ClientFiles { ca: at("ca.pem"), cert: at("gateway.pem"), key: at("gateway.key") };
    let config =
        GatewayConfig::try_from(GatewaySettings { worker_tls: Some(worker_tls), ..GatewaySettings::default() })
            .unwrap();
    let source = WorkerSource::parse(&uri, config.worker_tls()).unwrap();
    let gateway = Gateway::start(config, vec![source]);
    assert!(gateway.wait_for_workers(PATIENCE).await, "{:?}", gateway.readiness());
    let answer = gateway.call(&Principal::local(), "get_symbol", json!({"symbol_id": "greet"})).await;
    assert!(!answer.is_error && answer.text.contains("def greet"), "{}", answer.text);
    gateway.shutdown().await;

    let plain =
        Gateway::start(GatewayConfig::laptop(), vec![WorkerEndpoint::dial(&uri.replace("https", "http")).unwrap()]);
    assert!(
        !plain.wait_for_workers(std::time::Duration::from_millis(300)).await,
        "a worker with TLS rejects plain connections"
    );
    plain.shutdown().await;
    stop.cancel();
    serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn worker_with_a_grant_key_accepts_signed_requests_only() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    Repository::with_files(at("src/demo"), [("src/greet.py", "def greet(name):\n    return name\n")]);
    InProcessWorker::indexed(&at("data"), &[at("src")]).await.stop().await;
    let secret = "an example of a key that is long enough";
    fs::write(at("key"), secret).unwrap();
    let settings = worker::WorkerSettings { grant_key_file: Some(at("key")), ..worker::WorkerSettings::default() };
    let worker = InProcessWorker::configured(&at("data"), &[at("src")], settings).await.unwrap();

    let channel = worker.channel.clone();
    let endpoint = || {
        let channel = channel.clone();
        WorkerEndpoint::new("worker", move || channel.clone())
    };
    let signing = GatewaySettings { grant_key_file: Some(at("key")), ..GatewaySettings::default() };
    let gateway = Gateway::start(GatewayConfig::try_from(signing).unwrap(), vec![endpoint()]);
    assert!(gateway.wait_for_workers(PATIENCE).await);
    for (tool, arguments) in [
        ("search_codebase", json!({"query": "greet name"})),
        ("search_symbols", json!({"pattern": "greet"})),
        ("get_symbol", json!({"symbol_id": "demo//src/greet.py::greet"})),
        ("get_file_context", json!({"file": "greet.py"})),
        ("get_context", json!({"entity": "greet", "projects": "*"})),
        ("get_impact", json!({"target": "greet"})),
        ("get_risk", json!({"changed_files": ["src/greet.py"]})),
        ("get_overview", json!({"repo": "demo"})),
        ("get_overview", json!({})),
        ("get_answer", json!({"question": "Who greets by name?"})),
        ("get_ranked_context", json!({"query": "greet"})),
    ] {
        let answer = gateway.call(&Principal::local(), tool, arguments).await;
        assert!(!answer.is_error && !answer.text.contains("incomplete"), "{tool}: {}", answer.text);
        assert!(!answer.text.contains("\"complete\":false"), "{tool}: {}", answer.text);
    }
    gateway.shutdown().await;

    let silent = Gateway::start(GatewayConfig::laptop(), vec![endpoint()]);
    assert!(
        !silent.wait_for_workers(std::time::Duration::from_millis(300)).await,
        "a worker with a grant key rejects requests without a grant"
    );
    assert!(silent.readiness().missing.iter().any(|line| line.contains("grant_key_file")), "{:?}", silent.readiness());
    silent.shutdown().await;

    let keys = GrantKeys::parse(secret).unwrap();
    let now = std::time::SystemTime::now().duration_since(std::time::SystemTime::UNIX_EPOCH).unwrap().as_secs();
    let id = "11".repeat(16);
    let message =
        v1::SurfaceRequest { targets: vec![v1::Target { repository: id.clone(), generation: "22".repeat(16) }] };
    for (signed, at, expected) in [
        (vec![id.as_str()], now, None),
        (vec![], now, Some(Code::PermissionDenied)),
        (vec![id.as_str(), "other"], now, Some(Code::PermissionDenied)),
        (vec![id.as_str()], now - 600, Some(Code::FailedPrecondition)),
    ] {
        let grant = keys.sign(&signed.iter().copied().collect(), at);
        let mut request = tonic::Request::new(message.clone());
        request.metadata_mut().insert_bin(GRANT_METADATA, MetadataValue::from_bytes(&grant));
        let refused = worker.shard().surface(request).await.err().map(|status| status.code());
        assert_eq!(refused, expected, "{signed:?}");
    }
    worker.stop().await;
}

/// Collects log output.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn audit_log_has_calls_without_their_contents() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt().with_writer(move || writer.clone()).with_ansi(false).finish();
    let _logging = tracing_subscriber::util::SubscriberInitExt::set_default(subscriber);
    let gateway = Gateway::start(GatewayConfig::laptop(), Vec::<WorkerEndpoint>::new());
    let ada = Principal::limited("oauth:ada", ["api".to_owned()]);
    gateway.call(&ada, "search_codebase", json!({"query": "hush hush", "repo": "api,web"})).await;
    gateway.shutdown().await;
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    let entries: Vec<&str> = log.lines().filter(|line| line.contains("causeway::audit")).collect();
    assert_eq!(entries.len(), 1, "{log}");
    for part in ["oauth:ada", "search_codebase", "repositories=none", "Refused", "trace_id=", "elapsed_ms="] {
        assert!(entries[0].contains(part), "{part}: {}", entries[0]);
    }
    assert!(!log.contains("hush") && !log.contains("web"), "{log}");
}
