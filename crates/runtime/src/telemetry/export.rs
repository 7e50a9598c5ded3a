//! Span export over OTLP, with or without TLS, configured by the standard OpenTelemetry variables; without an endpoint
//! nothing is set up. A thread exports spans in batches from a bounded queue. Spans are dropped while the collector is
//! unavailable, so that no request waits for it.

use std::{
    collections::BTreeSet,
    path::Path,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use opentelemetry::KeyValue;
use opentelemetry_otlp::{SpanExporter, WithTonicConfig as _};
use opentelemetry_sdk::{
    Resource,
    error::OTelSdkResult,
    trace::{self, SdkTracerProvider, SpanData},
};
use tonic::transport::{Certificate, ClientTlsConfig, Identity};

use crate::tls::{Pem, TlsError};

/// A variable of traces, and the variable of all signals that holds without it.
type VariablePair = [&'static str; 2];

/// The collector's address.
const ENDPOINT: VariablePair = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];

/// The protocol; only gRPC is built in.
const PROTOCOL: VariablePair = ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"];

/// `true` for an address without a scheme that is used without TLS.
const INSECURE: VariablePair = ["OTEL_EXPORTER_OTLP_TRACES_INSECURE", "OTEL_EXPORTER_OTLP_INSECURE"];

/// PEM files of TLS: the authorities that are trusted instead of those of the machine, and the client certificate with its
/// key.
const AUTHORITIES: VariablePair = ["OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE", "OTEL_EXPORTER_OTLP_CERTIFICATE"];
const CLIENT_CERTIFICATE: VariablePair =
    ["OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE", "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE"];
const CLIENT_KEY: VariablePair = ["OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY", "OTEL_EXPORTER_OTLP_CLIENT_KEY"];

/// Standard attribute that distinguishes the processes of one service.
const INSTANCE_ATTRIBUTE: &str = "service.instance.id";

/// Returns the span provider for the collector that the environment names: `None` if it names none, a reason if it
/// cannot be used. Requires a tokio runtime for the connection.
///
/// The queue length, batch size and export deadline have the standard defaults (2,048, 512, 10 s) unless the
/// environment sets them.
pub(super) fn provider(service: &'static str) -> Option<Result<SdkTracerProvider, String>> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    if !is_enabled(variable) {
        return None;
    }
    Some(exporter(variable).map(|exporter| {
        let logging = TransitionLoggingExporter { exporter, state: ExportState::default() };
        SdkTracerProvider::builder().with_batch_exporter(logging).with_resource(resource(service)).build()
    }))
}

fn exporter(variable: impl Fn(&str) -> Option<String>) -> Result<SpanExporter, String> {
    let set = |pair: VariablePair| pair.into_iter().find_map(&variable);
    if let Some(protocol) = set(PROTOCOL).filter(|protocol| protocol != "grpc") {
        return Err(format!("the protocol `{protocol}` is not supported; use `grpc`"));
    }
    let mut builder = SpanExporter::builder().with_tonic();
    if set(ENDPOINT).is_some_and(|endpoint| uses_tls(&endpoint, set(INSECURE).as_deref())) {
        builder = builder.with_tls_config(tls_config(set)?);
    }
    builder.build().map_err(|error| error.to_string())
}

/// Returns true if the collector is contacted over TLS.
fn uses_tls(endpoint: &str, insecure: Option<&str>) -> bool {
    match endpoint.split_once("://") {
        Some((scheme, _)) => scheme.eq_ignore_ascii_case("https"),
        None => !insecure.is_some_and(|insecure| insecure.eq_ignore_ascii_case("true")),
    }
}

/// Returns the TLS configuration, or a reason that names the unusable file. Blocking.
fn tls_config(set: impl Fn(VariablePair) -> Option<String>) -> Result<ClientTlsConfig, String> {
    let config = match set(AUTHORITIES) {
        Some(path) => {
            let checked = Pem::read(Path::new(&path)).and_then(|pem| pem.authorities().map(|_| pem));
            ClientTlsConfig::new().ca_certificate(Certificate::from_pem(checked.map_err(reason)?.bytes()))
        }
        None => ClientTlsConfig::new().with_native_roots(),
    };
    match (set(CLIENT_CERTIFICATE), set(CLIENT_KEY)) {
        (None, None) => Ok(config),
        (Some(certificate), Some(key)) => {
            let certificate = Pem::read(Path::new(&certificate)).and_then(|pem| pem.certificates().map(|_| pem));
            let key = Pem::read(Path::new(&key)).and_then(|pem| pem.key().map(|_| pem));
            let (certificate, key) = (certificate.map_err(reason)?, key.map_err(reason)?);
            Ok(config.identity(Identity::from_pem(certificate.bytes(), key.bytes())))
        }
        _ => Err(format!("set both `{}` and `{}`, or neither", CLIENT_CERTIFICATE[1], CLIENT_KEY[1])),
    }
}

fn reason(error: TlsError) -> String {
    error.to_string()
}

/// Returns true if the environment names a collector and does not disable export.
fn is_enabled(variable: impl Fn(&str) -> Option<String>) -> bool {
    let is = |name: &str, value: &str| variable(name).is_some_and(|set| set.eq_ignore_ascii_case(value));
    ENDPOINT.into_iter().any(|name| variable(name).is_some())
        && !is("OTEL_SDK_DISABLED", "true")
        && !is("OTEL_TRACES_EXPORTER", "none")
}

/// Returns the resource attributes of this process. Values of the environment take precedence.
fn resource(service: &'static str) -> Resource {
    let attributes = std::env::var("OTEL_RESOURCE_ATTRIBUTES").unwrap_or_default();
    let is_set =
        |key: &str| attributes.split(',').any(|pair| pair.split('=').next().is_some_and(|name| name.trim() == key));
    let has_service_name =
        std::env::var("OTEL_SERVICE_NAME").is_ok_and(|name| !name.is_empty()) || is_set("service.name");
    let mut resource = Resource::builder().with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")));
    if !is_set(INSTANCE_ATTRIBUTE) {
        resource = resource.with_attribute(KeyValue::new(INSTANCE_ATTRIBUTE, instance()));
    }
    if has_service_name { resource.build() } else { resource.with_service_name(service).build() }
}

/// Returns the id of this process within its service: host name (the pod's name on Kubernetes) and process id.
fn instance() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").ok().or_else(|| std::env::var("HOSTNAME").ok());
    let host = host.map(|host| host.trim().to_owned()).filter(|host| !host.is_empty());
    format!("{}:{}", host.as_deref().unwrap_or("localhost"), std::process::id())
}

/// An exporter that logs when exporting starts to fail, each further reason once, and when it recovers.
#[derive(Debug)]
struct TransitionLoggingExporter<E> {
    exporter: E,
    state: ExportState,
}

/// The reasons of failures that were logged; none while exports succeed.
#[derive(Debug, Default)]
struct ExportState(Mutex<BTreeSet<String>>);

/// Maximum number of reasons that are logged before exports succeed again.
const MAX_REASONS: usize = 16;

/// A change of the state of exports.
#[derive(Debug, PartialEq, Eq)]
enum ExportChange {
    /// Exports fail, or fail for another reason.
    Fails,
    Recovers,
}

impl ExportState {
    /// Notes the result of an export, and returns the change that it makes.
    fn note(&self, error: Option<&str>) -> Option<ExportChange> {
        // Numbers, such as ports and durations, differ between failures of one reason.
        let reason = error.map(|error| error.chars().filter(|c| !c.is_ascii_digit()).collect::<String>());
        let mut logged = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match reason {
            Some(reason) => {
                let is_new = logged.len() < MAX_REASONS && logged.insert(reason);
                is_new.then_some(ExportChange::Fails)
            }
            None => {
                let has_failed = !std::mem::take(&mut *logged).is_empty();
                has_failed.then_some(ExportChange::Recovers)
            }
        }
    }
}

/// Returns the remedy of a failed export.
fn remedy(error: &str) -> String {
    let lower = error.to_ascii_lowercase();
    let is_of_certificate = ["certificate", "unknownissuer", "invalid peer"].iter().any(|part| lower.contains(part));
    match is_of_certificate {
        true => {
            format!("set `{}` to the PEM file of the authority that signed the collector's certificate", AUTHORITIES[1])
        }
        false => format!("check that a collector for gRPC listens at the address in `{}`", ENDPOINT[1]),
    }
}

impl<E: trace::SpanExporter> trace::SpanExporter for TransitionLoggingExporter<E> {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let exported = self.exporter.export(batch).await;
        let error = exported.as_ref().err().map(ToString::to_string);
        match (self.state.note(error.as_deref()), error) {
            // The commands of users show errors alone.
            (Some(ExportChange::Fails), Some(error)) => {
                let remedy = remedy(&error);
                tracing::error!(error, "spans cannot be exported, and are dropped until they can; {remedy}");
            }
            (Some(_), _) => tracing::info!("spans are exported again"),
            (None, _) => {}
        }
        exported
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.exporter.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resource_identifies_the_process() {
        let resource = resource("causeway-worker");
        let attribute =
            |key: &str| resource.iter().find(|(name, _)| name.as_str() == key).map(|(_, value)| value.to_string());
        assert_eq!(attribute("service.name").as_deref(), Some("causeway-worker"));
        let instance = attribute(INSTANCE_ATTRIBUTE).unwrap();
        assert!(instance.ends_with(&format!(":{}", std::process::id())) && !instance.starts_with(':'), "{instance}");
    }

    #[test]
    fn export_requires_a_collector() {
        for (variables, expected) in [
            (&[][..], false),
            (&[("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4317")], true),
            (&[("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://localhost:4317")], true),
            (&[("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4317"), ("OTEL_SDK_DISABLED", "TRUE")], false),
            (&[("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4317"), ("OTEL_TRACES_EXPORTER", "none")], false),
            (&[("OTEL_TRACES_EXPORTER", "otlp")], false),
        ] {
            let variable =
                |name: &str| variables.iter().find(|variable| variable.0 == name).map(|variable| variable.1.to_owned());
            assert_eq!(is_enabled(variable), expected, "{variables:?}");
        }
    }

    #[test]
    fn a_failure_is_reported_once_and_again_if_its_reason_changes() {
        use ExportChange::{Fails, Recovers};
        let state = ExportState::default();
        for (error, expected) in [
            (None, None),
            (Some("transport error: invalid peer certificate: UnknownIssuer"), Some(Fails)),
            (Some("transport error: invalid peer certificate: UnknownIssuer"), None),
            (Some("transport error: connection refused (os error 111)"), Some(Fails)),
            (Some("transport error: connection refused (os error 61)"), None),
            // Two reasons take turns, batch by batch.
            (Some("transport error: invalid peer certificate: UnknownIssuer"), None),
            (Some("transport error: connection refused (os error 111)"), None),
            (None, Some(Recovers)),
            (None, None),
            (Some("transport error: connection refused (os error 111)"), Some(Fails)),
        ] {
            assert_eq!(state.note(error), expected, "{error:?}");
        }
    }

    #[test]
    fn a_failure_has_a_remedy() {
        for (error, expected) in [
            ("transport error: invalid peer certificate: UnknownIssuer", "OTEL_EXPORTER_OTLP_CERTIFICATE"),
            ("transport error: received fatal alert: BadCertificate", "OTEL_EXPORTER_OTLP_CERTIFICATE"),
            ("transport error: tcp connect error", "OTEL_EXPORTER_OTLP_ENDPOINT"),
        ] {
            assert!(remedy(error).contains(expected), "{error}");
        }
    }

    #[test]
    fn scheme_of_the_endpoint_selects_tls() {
        for (endpoint, insecure, expected) in [
            ("https://collector:4317", None, true),
            ("HTTPS://collector:4317", Some("true"), true),
            ("http://collector:4317", None, false),
            ("unix:///run/collector", None, false),
            ("collector:4317", None, true),
            ("collector:4317", Some("false"), true),
            ("collector:4317", Some("True"), false),
        ] {
            assert_eq!(uses_tls(endpoint, insecure), expected, "{endpoint} {insecure:?}");
        }
    }

    #[tokio::test]
    async fn unusable_certificates_are_reported_at_start() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        std::fs::write(path("empty.pem"), "").unwrap();
        std::fs::write(path("broken.pem"), "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n").unwrap();
        let authority = rcgen::generate_simple_self_signed(["collector".to_owned()]).unwrap();
        std::fs::write(path("ca.pem"), authority.cert.pem()).unwrap();
        std::fs::write(path("key.pem"), authority.signing_key.serialize_pem()).unwrap();
        let [ca, client, key] = [AUTHORITIES[0], CLIENT_CERTIFICATE[1], CLIENT_KEY[1]];
        for (variables, expected) in [
            (vec![(ca, "ca.pem")], None),
            (vec![(ca, "ca.pem"), (client, "ca.pem"), (key, "key.pem")], None),
            (vec![(ca, "none.pem")], Some("none.pem` cannot be read")),
            (vec![(ca, "empty.pem")], Some("empty.pem` holds no certificate")),
            (vec![(ca, "broken.pem")], Some("broken.pem` is not a valid certificate")),
            (vec![(ca, "ca.pem"), (client, "ca.pem")], Some("set both")),
            (vec![(ca, "ca.pem"), (client, "ca.pem"), (key, "ca.pem")], Some("ca.pem` holds no private key")),
        ] {
            let variable = |name: &str| match variables.iter().find(|variable| variable.0 == name) {
                Some((_, file)) => Some(path(file)),
                None => (name == ENDPOINT[0]).then(|| "https://127.0.0.1:1".to_owned()),
            };
            let refused = exporter(variable).err();
            let is_expected = match (&refused, expected) {
                (Some(reason), Some(expected)) => reason.contains(expected),
                (refused, expected) => refused.is_none() && expected.is_none(),
            };
            assert!(is_expected, "{variables:?}: {refused:?}");
        }
    }
}
