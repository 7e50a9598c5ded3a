//! Spans over OTLP to a collector. The variables are the standard ones of OpenTelemetry; without an endpoint nothing is
//! set up. Spans wait in a queue of bounded length, go out in batches by a thread of their own, and are dropped when
//! nobody takes them: no request ever waits for the collector.

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

/// Where spans go; the first one holds for all signals.
const ENDPOINT_VARIABLES: [&str; 2] = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"];

/// How they go there; only one way is built in.
const PROTOCOL_VARIABLES: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"];

/// The standard name for what tells the processes of one service apart.
const INSTANCE: &str = "service.instance.id";

/// Returns what records spans for the collector that the environment names: nothing if it names none, an explanation if
/// that one cannot be used. Wants a runtime, for the connection.
///
/// The length of the queue, the size of a batch and the deadline of one are those of the standard (2,048, 512, 10 s)
/// unless the environment says otherwise.
pub(super) fn provider(service: &'static str) -> Option<Result<SdkTracerProvider, String>> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    if !is_wanted(variable) {
        return None;
    }
    if let Some(protocol) = PROTOCOL_VARIABLES.into_iter().find_map(variable).filter(|protocol| protocol != "grpc") {
        return Some(Err(format!("the protocol `{protocol}` is not built in: use `grpc`")));
    }
    let exporter = match SpanExporter::builder().with_tonic().build() {
        Ok(exporter) => exporter,
        Err(error) => return Some(Err(error.to_string())),
    };
    let telling = Telling { exporter, is_failing: AtomicBool::new(false) };
    let provider = SdkTracerProvider::builder().with_batch_exporter(telling).with_resource(resource(service));
    Some(Ok(provider.build()))
}

/// Says whether the environment names a collector, and does not take it back.
fn is_wanted(variable: impl Fn(&str) -> Option<String>) -> bool {
    let is = |name: &str, value: &str| variable(name).is_some_and(|set| set.eq_ignore_ascii_case(value));
    ENDPOINT_VARIABLES.into_iter().any(|name| variable(name).is_some())
        && !is("OTEL_SDK_DISABLED", "true")
        && !is("OTEL_TRACES_EXPORTER", "none")
}

/// Returns what every span says of its process. What the environment gives comes before our own.
fn resource(service: &'static str) -> Resource {
    let given = std::env::var("OTEL_RESOURCE_ATTRIBUTES").unwrap_or_default();
    let is_given =
        |key: &str| given.split(',').any(|pair| pair.split('=').next().is_some_and(|name| name.trim() == key));
    let named = std::env::var("OTEL_SERVICE_NAME").is_ok_and(|name| !name.is_empty()) || is_given("service.name");
    let mut resource = Resource::builder().with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")));
    if !is_given(INSTANCE) {
        resource = resource.with_attribute(KeyValue::new(INSTANCE, instance()));
    }
    if named { resource.build() } else { resource.with_service_name(service).build() }
}

/// Returns what tells this process from others of the same service: the host, which is the pod's name on Kubernetes, and the
/// process.
fn instance() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").ok().or_else(|| std::env::var("HOSTNAME").ok());
    let host = host.map(|host| host.trim().to_owned()).filter(|host| !host.is_empty());
    format!("{}:{}", host.as_deref().unwrap_or("localhost"), std::process::id())
}

/// An exporter that tells when it begins to fail, and when it works again; in between it is silent.
#[derive(Debug)]
struct Telling<E> {
    exporter: E,
    is_failing: AtomicBool,
}

impl<E: trace::SpanExporter> trace::SpanExporter for Telling<E> {
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
    fn every_process_is_told_apart() {
        let resource = resource("causeway-worker");
        let of = |key: &str| resource.iter().find(|(name, _)| name.as_str() == key).map(|(_, value)| value.to_string());
        assert_eq!(of("service.name").as_deref(), Some("causeway-worker"));
        let instance = of(INSTANCE).unwrap();
        assert!(instance.ends_with(&format!(":{}", std::process::id())) && !instance.starts_with(':'), "{instance}");
    }

    #[test]
    fn spans_are_exported_where_a_collector_is_named() {
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
            assert_eq!(is_wanted(variable), expected, "{variables:?}");
        }
    }
}
