//! One trace through real processes: an OTLP collector in the test, two workers and a gateway that export to it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::Command,
    time::Instant,
};

use causeway_tests::{PATIENCE, answer, cluster, organisation, process::Running};
use opentelemetry_proto::tonic::{
    collector::trace::v1::{
        ExportTraceServiceRequest, ExportTraceServiceResponse,
        trace_service_server::{TraceService, TraceServiceServer},
    },
    common::v1::{AnyValue, KeyValue, any_value::Value as Attribute},
    trace::v1::Span,
};
use serde_json::{Value, json};
use tokio::{net::TcpListener, runtime::Runtime, sync::mpsc};
use tonic::{
    Request, Response, Status,
    transport::{Certificate, Identity, Server, ServerTlsConfig, server::TcpIncoming},
};

use crate::secured::write_certificates;

/// The client's span and trace.
const TRACE_ID: &str = "0af7651916cd43dd8448eb211c80319c";
const CLIENT_SPAN: &str = "b7ad6b7169203331";

/// A span with its process.
#[derive(Debug, Clone)]
struct ReceivedSpan {
    service: String,
    instance: String,
    span: Span,
}

impl ReceivedSpan {
    fn id(&self) -> String {
        hex(&self.span.span_id)
    }

    fn parent(&self) -> String {
        hex(&self.span.parent_span_id)
    }

    fn attribute(&self, key: &str) -> Option<String> {
        attribute(&self.span.attributes, key)
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn attribute(attributes: &[KeyValue], key: &str) -> Option<String> {
    let value = &attributes.iter().find(|attribute| attribute.key == key)?.value;
    match value {
        Some(AnyValue { value: Some(Attribute::StringValue(text)) }) => Some(text.clone()),
        Some(AnyValue { value: Some(Attribute::IntValue(n)) }) => Some(n.to_string()),
        _ => None,
    }
}

/// Receives spans and forwards them.
struct Collector(mpsc::UnboundedSender<ReceivedSpan>);

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        for of_process in request.into_inner().resource_spans {
            let attributes = of_process.resource.unwrap_or_default().attributes;
            let of_resource = |key: &str| attribute(&attributes, key).unwrap_or_default();
            for span in of_process.scope_spans.into_iter().flat_map(|scope| scope.spans) {
                let received = ReceivedSpan {
                    service: of_resource("service.name"),
                    instance: of_resource("service.instance.id"),
                    span,
                };
                // The test may have ended already.
                let _ = self.0.send(received);
            }
        }
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

/// Starts a collector in a runtime; returns its address and the received spans.
fn collector(threads: &Runtime) -> (String, mpsc::UnboundedReceiver<ReceivedSpan>) {
    let (authority, taken) = serve_collector(threads, Server::builder());
    (format!("http://{authority}"), taken)
}

/// Starts a collector that requires TLS and a client certificate, both of the authority in `folder`.
fn tls_collector(threads: &Runtime, folder: &Path) -> (String, mpsc::UnboundedReceiver<ReceivedSpan>) {
    let read = |name: &str| fs::read(folder.join(name)).expect("it was written");
    let tls = ServerTlsConfig::new()
        .identity(Identity::from_pem(read("127.0.0.1.pem"), read("127.0.0.1.key")))
        .client_ca_root(Certificate::from_pem(read("ca.pem")));
    let (authority, taken) = serve_collector(threads, Server::builder().tls_config(tls).expect("valid files"));
    (format!("https://{authority}"), taken)
}

fn serve_collector(threads: &Runtime, mut server: Server) -> (String, mpsc::UnboundedReceiver<ReceivedSpan>) {
    let (sender, taken) = mpsc::unbounded_channel();
    let listener = threads.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port");
    let authority = listener.local_addr().expect("it listens").to_string();
    let serving = server.add_service(TraceServiceServer::new(Collector(sender)));
    threads.spawn(async move { serving.serve_with_incoming(TcpIncoming::from(listener)).await });
    (authority, taken)
}

/// Configures a process to export its spans immediately.
fn exporting(collector: &str, instance: &str) -> impl FnOnce(&mut Command) {
    let instance = format!("service.instance.id={instance}");
    let collector = collector.to_owned();
    move |command| {
        command.env("OTEL_EXPORTER_OTLP_ENDPOINT", collector);
        command.env("OTEL_RESOURCE_ATTRIBUTES", instance);
        command.env("OTEL_BSP_SCHEDULE_DELAY", "50");
    }
}

#[test]
fn one_trace_spans_client_gateway_and_workers() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let org = folder.path().join("org");
    organisation::materialise(&org);
    let threads = Runtime::new().expect("threads can be started");
    let (collector, mut taken) = collector(&threads);
    let half = |names: [&str; 2]| names.map(|name| org.join(name));
    let (front, back) = (half(["customer-portal", "parcel-kit"]), half(["notify-worker", "tracking-service"]));
    let (_front, at_front) =
        cluster::configured_worker(&folder.path().join("front"), "127.0.0.1:0", &front, exporting(&collector, "front"));
    let (_back, at_back) =
        cluster::configured_worker(&folder.path().join("back"), "127.0.0.1:0", &back, exporting(&collector, "back"));
    let (mut gateway, address) = cluster::configured_gateway(&[&at_front, &at_back], |command| {
        exporting(&collector, "gateway")(command);
        command.env("CAUSEWAY_LOG_FORMAT", "json").env("CAUSEWAY_LOG", "info");
    });
    cluster::search_until_complete(&address, "checkDigit");

    let traceparent = format!("00-{TRACE_ID}-{CLIENT_SPAN}-01");
    // Another query, so that no cache answers it.
    let arguments = json!({"query": "retry when the service does not answer", "repo": "all"});
    let found = cluster::call_within(&address, "search_codebase", arguments, &json!({"traceparent": traceparent}));
    assert_eq!(found["_meta"]["trace_id"], TRACE_ID, "{found}");
    assert!(answer::is_complete(&found), "{found}");

    let began = Instant::now();
    let mut spans: BTreeMap<String, ReceivedSpan> = BTreeMap::new();
    let searching = |received: &&ReceivedSpan| received.service == "causeway-worker" && received.span.name == "Search";
    let shards_of = |spans: &BTreeMap<String, ReceivedSpan>, rpc: &ReceivedSpan| {
        let of_rpc = spans.values().filter(|received| received.span.name == "shard" && received.parent() == rpc.id());
        of_rpc.filter_map(|received| received.attribute("repository")).collect::<BTreeSet<String>>()
    };
    let is_whole = |spans: &BTreeMap<String, ReceivedSpan>| {
        spans.values().filter(searching).count() == 2
            && spans.values().filter(searching).all(|rpc| shards_of(spans, rpc).len() == 2)
            && spans.values().any(|received| received.span.name == "call")
    };
    while !is_whole(&spans) {
        let left = PATIENCE.saturating_sub(began.elapsed());
        let received = threads.block_on(async { tokio::time::timeout(left, taken.recv()).await });
        let received =
            received.unwrap_or_else(|_| panic!("the trace stayed incomplete: {spans:#?}")).expect("it is served");
        if hex(&received.span.trace_id) == TRACE_ID {
            spans.insert(received.id(), received);
        }
    }

    let root = spans.values().find(|received| received.span.name == "call").expect("the trace is complete");
    assert_eq!((root.service.as_str(), root.parent().as_str()), ("causeway-gateway", CLIENT_SPAN));
    assert_eq!(root.attribute("tool").as_deref(), Some("search_codebase"));
    let of_gateway: BTreeSet<&str> = spans
        .values()
        .filter(|received| received.service == "causeway-gateway")
        .map(|received| received.span.name.as_str())
        .collect();
    for step in ["plan", "statistics", "fan_out", "Search", "fetch", "render"] {
        assert!(of_gateway.contains(step), "{step} in {of_gateway:?}");
    }
    let mut workers = BTreeSet::new();
    for received in spans.values().filter(searching) {
        workers.insert(received.instance.as_str());
        assert_eq!(received.attribute("repositories").as_deref(), Some("2"), "{received:?}");
        assert_eq!(received.attribute("outcome").as_deref(), Some("ok"), "{received:?}");
        let slowest =
            received.attribute("slowest_repository").unwrap_or_else(|| panic!("no slowest shard: {received:?}"));
        assert!(shards_of(&spans, received).contains(&slowest), "{received:?}");
        let asking = spans.get(&received.parent()).unwrap_or_else(|| panic!("no parent of {received:?}"));
        assert_eq!((asking.service.as_str(), asking.span.name.as_str()), ("causeway-gateway", "Search"));
        let mut above = asking;
        while above.id() != root.id() {
            above = spans.get(&above.parent()).unwrap_or_else(|| panic!("no parent of {above:?}"));
        }
    }
    assert_eq!(workers, BTreeSet::from(["back", "front"]));

    let line = gateway.wait_for("the call in its log", |line| {
        let line: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        (line["message"] == "answered" && line["trace_id"] == TRACE_ID).then_some(line)
    });
    assert_eq!((&line["level"], &line["tool"]), (&"INFO".into(), &"search_codebase".into()), "{line}");
}

/// Starts a gateway without workers that exports its spans over TLS.
fn gateway_with(folder: &Path, collector: &str, files: &[(&str, &str)]) -> (Running, String) {
    cluster::configured_gateway(&["http://127.0.0.1:1"], |command| {
        exporting(collector, "gateway")(command);
        command.env_remove("SSL_CERT_FILE").env_remove("SSL_CERT_DIR");
        for (variable, file) in files {
            command.env(variable, folder.join(file));
        }
    })
}

#[test]
fn spans_are_exported_over_tls() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    write_certificates(folder.path());
    let threads = Runtime::new().expect("threads can be started");
    let client =
        [("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", "gateway.pem"), ("OTEL_EXPORTER_OTLP_CLIENT_KEY", "gateway.key")];
    // A configured authority, and one of the machine.
    for authority in ["OTEL_EXPORTER_OTLP_CERTIFICATE", "SSL_CERT_FILE"] {
        let (collector, mut taken) = tls_collector(&threads, folder.path());
        let files = [(authority, "ca.pem"), client[0], client[1]];
        let (_gateway, address) = gateway_with(folder.path(), &collector, &files);
        cluster::call(&address, "list_repos", json!({}));
        let received = threads.block_on(async { tokio::time::timeout(PATIENCE, taken.recv()).await });
        assert!(matches!(received, Ok(Some(_))), "{authority}: no span arrived");
    }
}

#[test]
fn reason_why_spans_are_not_exported_over_tls_is_logged() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    write_certificates(folder.path());
    fs::create_dir(folder.path().join("other")).expect("a folder");
    write_certificates(&folder.path().join("other"));
    let threads = Runtime::new().expect("threads can be started");
    let (collector, _taken) = tls_collector(&threads, folder.path());
    for (file, expected) in [
        ("none.pem", "none.pem` cannot be read"),
        ("ca.key", "ca.key` cannot be read"),
        ("gateway.key", "gateway.key` holds no certificate"),
        ("other/ca.pem", "invalid peer certificate"),
    ] {
        let files = [("OTEL_EXPORTER_OTLP_CERTIFICATE", file)];
        let (mut gateway, address) = gateway_with(folder.path(), &collector, &files);
        cluster::call(&address, "list_repos", json!({}));
        gateway.wait_for_line(&["exported", expected]);
    }
}
