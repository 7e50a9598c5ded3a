//! Span export over OTLP, configured by the standard OpenTelemetry variables; without an endpoint nothing is set up. A
//! thread exports spans in batches from a bounded queue. Spans are dropped while the collector is unavailable, so that
//! no request waits for it.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use opentelemetry::KeyValue;
use opentelemetry_otlp::SpanExporter;
use opentelemetry_sdk::{
    Resource,
    error::OTelSdkResult,
    trace::{self, SdkTracerProvider, SpanData},
};

/// Variables with the collector's address; the first one holds for all signals.
const ENDPOINT_VARIABLES: [&str; 2] = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"];

/// Variables with the protocol; only gRPC is built in.
const PROTOCOL_VARIABLES: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"];

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
    if let Some(protocol) = PROTOCOL_VARIABLES.into_iter().find_map(variable).filter(|protocol| protocol != "grpc") {
        return Some(Err(format!("the protocol `{protocol}` is not supported; use `grpc`")));
    }
    let exporter = match SpanExporter::builder().with_tonic().build() {
        Ok(exporter) => exporter,
        Err(error) => return Some(Err(error.to_string())),
    };
    let logging = TransitionLoggingExporter { exporter, is_failing: AtomicBool::new(false) };
    let provider = SdkTracerProvider::builder().with_batch_exporter(logging).with_resource(resource(service));
    Some(Ok(provider.build()))
}

/// Returns true if the environment names a collector and does not disable export.
fn is_enabled(variable: impl Fn(&str) -> Option<String>) -> bool {
    let is = |name: &str, value: &str| variable(name).is_some_and(|set| set.eq_ignore_ascii_case(value));
    ENDPOINT_VARIABLES.into_iter().any(|name| variable(name).is_some())
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

/// An exporter that logs when exporting starts to fail and when it recovers.
#[derive(Debug)]
struct TransitionLoggingExporter<E> {
    exporter: E,
    is_failing: AtomicBool,
}

impl<E: trace::SpanExporter> trace::SpanExporter for TransitionLoggingExporter<E> {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let exported = self.exporter.export(batch).await;
        let was_failing = self.is_failing.swap(exported.is_err(), Ordering::Relaxed);
        match &exported {
            Err(error) if !was_failing => {
                tracing::warn!(%error, "spans cannot be exported, and are dropped until they can");
            }
            Ok(()) if was_failing => tracing::info!("spans are exported again"),
            _ => {}
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
}
