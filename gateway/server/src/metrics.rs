//! All metrics of the gateway. Label values come from closed sets only; input of a caller never becomes a label.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use model::ShardState;
use prometheus_client::{
    encoding::{EncodeLabelSet, EncodeLabelValue, text::encode},
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::Registry,
};

use crate::access::Denied;
use federation::{
    connection::hedge_budget::HedgeBudget,
    directory::Directory,
    rpc_metrics::{LATENCY_BUCKETS, RpcMetrics},
};
use runtime::telemetry;

/// Outcome of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EncodeLabelValue)]
pub(crate) enum Outcome {
    /// Every requested repository answered.
    Complete,
    /// Some requested repositories did not answer.
    Incomplete,
    /// The request was invalid.
    Refused,
    /// A tool panicked.
    Defect,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    tool: &'static str,
    outcome: Outcome,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ToolLabels {
    tool: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StateLabels {
    state: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ReasonLabels {
    reason: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct BuildLabels {
    version: &'static str,
}

/// Workers are configured or discovered, so that their number is small. Workers that left are removed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct WorkerLabels {
    worker: String,
}

pub(crate) struct Metrics {
    registry: Registry,
    calls_in_flight: Gauge,
    shed: Family<ReasonLabels, Counter>,
    refused: Family<ReasonLabels, Counter>,
    requests: Family<RequestLabels, Counter>,
    latency: Family<ToolLabels, Histogram, fn() -> Histogram>,
    shortfalls: Family<StateLabels, Counter>,
    repositories: Family<StateLabels, Gauge>,
    breaker_open: Family<WorkerLabels, Gauge>,
    hedges: Counter,
    retries: Counter,
    lost_log_lines: Counter,
}

impl Default for Metrics {
    fn default() -> Self {
        Metrics::new(&RpcMetrics::default())
    }
}

impl Metrics {
    /// Registers all metrics, including those of calls to workers.
    pub(crate) fn new(rpcs: &RpcMetrics) -> Metrics {
        let mut registry = Registry::with_prefix("causeway_gateway");
        let latency: fn() -> Histogram = || Histogram::new(LATENCY_BUCKETS);
        let metrics = Metrics {
            calls_in_flight: Gauge::default(),
            shed: Family::default(),
            refused: Family::default(),
            requests: Family::default(),
            latency: Family::new_with_constructor(latency),
            shortfalls: Family::default(),
            repositories: Family::default(),
            breaker_open: Family::default(),
            hedges: Counter::default(),
            retries: Counter::default(),
            lost_log_lines: Counter::default(),
            registry: Registry::default(),
        };
        registry.register("requests", "Tool calls, by outcome", metrics.requests.clone());
        registry.register("request_seconds", "Duration of tool calls in seconds", metrics.latency.clone());
        registry.register(
            "shortfalls",
            "Requested repositories that did not answer in full, by state",
            metrics.shortfalls.clone(),
        );
        registry.register("repositories", "Known repositories, by state", metrics.repositories.clone());
        registry.register(
            "breaker_open",
            "1 if the gateway does not call the worker because it is unreachable",
            metrics.breaker_open.clone(),
        );
        registry.register("hedges", "Hedged requests to replicas of slow workers", metrics.hedges.clone());
        registry.register("retries", "Retries at replicas of failed workers", metrics.retries.clone());
        registry.register(
            "lost_log_lines",
            "Lines of the log, audit events included, that could not be written",
            metrics.lost_log_lines.clone(),
        );
        registry.register("calls_in_flight", "Tool calls in flight", metrics.calls_in_flight.clone());
        registry.register("shed", "Requests rejected because of overload, by exhausted limit", metrics.shed.clone());
        registry.register(
            "refused",
            "Requests that failed authentication or exceeded a rate limit, by reason",
            metrics.refused.clone(),
        );
        registry.register("rpc_seconds", "Duration of RPCs to workers in seconds, by outcome", rpcs.family());
        let started: Gauge<f64, AtomicU64> = Gauge::default();
        started.set(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64());
        registry.register("start_time_seconds", "Start time of the process in seconds since the epoch", started);
        let build: Family<BuildLabels, Gauge> = Family::default();
        build.get_or_create(&BuildLabels { version: env!("CARGO_PKG_VERSION") }).set(1);
        registry.register("build_info", "Version of the running binary", build);
        Metrics { registry, ..metrics }
    }

    /// Counts a tool call as in flight until the guard is dropped.
    pub(crate) fn begin_call(&self) -> CallInFlight {
        self.calls_in_flight.inc();
        CallInFlight(self.calls_in_flight.clone())
    }

    /// Counts a request that was rejected due to overload; `reason` is from a closed set.
    pub(crate) fn record_shed(&self, reason: &'static str) {
        self.shed.get_or_create(&ReasonLabels { reason }).inc();
    }

    /// Counts a request that failed authentication or exceeded its rate limit.
    pub(crate) fn record_refused(&self, denied: Denied) {
        self.refused.get_or_create(&ReasonLabels { reason: denied.name() }).inc();
    }

    /// Records a finished tool call.
    pub(crate) fn record(&self, tool: &str, outcome: Outcome, took: Duration) {
        let tool = tools::find(tool).map_or("unknown", |tool| tool.name);
        self.requests.get_or_create(&RequestLabels { tool, outcome }).inc();
        self.latency.get_or_create(&ToolLabels { tool }).observe(took.as_secs_f64());
    }

    /// Counts the repositories of a call that did not answer fully.
    pub(crate) fn record_shortfalls(&self, states: &[ShardState]) {
        for state in states {
            self.shortfalls.get_or_create(&StateLabels { state: state.name() }).inc();
        }
    }

    /// Returns all metrics in the OpenMetrics text format.
    pub(crate) fn render(&self, directory: &Directory, hedge_budget: &HedgeBudget) -> String {
        self.breaker_open.clear();
        for worker in &directory.workers {
            let labels = WorkerLabels { worker: worker.name.clone() };
            self.breaker_open.get_or_create(&labels).set(i64::from(worker.reach.is_gone()));
        }
        self.hedges.inner().store(hedge_budget.n_hedges(), Ordering::Relaxed);
        self.retries.inner().store(hedge_budget.n_retries(), Ordering::Relaxed);
        self.lost_log_lines.inner().store(telemetry::n_lost_lines(), Ordering::Relaxed);
        let states = ["serving"].into_iter().chain(STATES.iter().map(|state| state.name()));
        for state in states {
            let n_repositories = directory.repositories.iter().filter(|repo| repo.availability.name() == state);
            let gauge = self.repositories.get_or_create_owned(&StateLabels { state });
            gauge.set(i64::try_from(n_repositories.count()).unwrap_or(i64::MAX));
        }
        let mut text = String::new();
        encode(&mut text, &self.registry).expect("writing to a string does not fail");
        text
    }
}

/// Guard of a call in flight.
pub(crate) struct CallInFlight(Gauge);

impl Drop for CallInFlight {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// States of repositories that cannot be searched.
const STATES: [ShardState; 3] = [ShardState::NotReady, ShardState::Failed, ShardState::Unreachable];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const DASHBOARD: &str = include_str!("../../../deploy/grafana/causeway.json");
    const ALERTS: &str = include_str!("../../../deploy/prometheus/alerts.yaml");

    #[test]
    fn caller_input_is_no_label() {
        let metrics = Metrics::default();
        metrics.record("search_codebase", Outcome::Complete, Duration::from_millis(3));
        metrics.record("x\"} 1", Outcome::Refused, Duration::ZERO);
        metrics.record_shed("calls");
        metrics.record_refused(Denied::RateLimited(Duration::ZERO));
        let _in_flight = metrics.begin_call();
        let text = metrics.render(&Directory::default(), &HedgeBudget::default());
        for expected in [
            "causeway_gateway_requests_total{tool=\"search_codebase\",outcome=\"Complete\"} 1",
            "causeway_gateway_requests_total{tool=\"unknown\",outcome=\"Refused\"} 1",
            "causeway_gateway_request_seconds_bucket{le=\"0.005\",tool=\"search_codebase\"} 1",
            "causeway_gateway_repositories{state=\"serving\"} 0",
            "causeway_gateway_calls_in_flight 1",
            "causeway_gateway_shed_total{reason=\"calls\"} 1",
            "causeway_gateway_refused_total{reason=\"too_often\"} 1",
        ] {
            assert!(text.contains(expected), "{expected} in\n{text}");
        }
    }

    #[test]
    fn dashboard_and_alerts_use_exported_metrics() {
        let rpcs = RpcMetrics::default();
        rpcs.begin().end(None);
        let metrics = Metrics::new(&rpcs);
        metrics.record("search_codebase", Outcome::Complete, Duration::ZERO);
        metrics.record_shortfalls(&[ShardState::TimedOut]);
        metrics.record_shed("calls");
        let worker = federation::directory::WorkerView {
            name: "worker-0:7475".to_owned(),
            reach: federation::directory::Reachability::Reachable,
            inventory: None,
        };
        let names = names(&metrics.render(&Directory::build(&[worker]), &HedgeBudget::default()));
        for (file, least) in [(DASHBOARD, 8), (ALERTS, 4)] {
            let used = metric_names(file, "causeway_gateway_");
            assert!(used.len() >= least, "{used:?}");
            let unknown: Vec<&&str> = used.iter().filter(|name| !names.contains(**name)).collect();
            assert!(unknown.is_empty(), "{unknown:?} are not among {names:?}");
            let unknown = unknown_prefixes(file, &["causeway_gateway_", "causeway_worker_"]);
            assert!(unknown.is_empty(), "{unknown:?}");
        }
    }

    /// Returns the metric names of this project in a text that belong to no binary.
    fn unknown_prefixes<'a>(text: &'a str, binaries: &[&str]) -> Vec<&'a str> {
        let is_of_one = |name: &&str| binaries.iter().any(|binary| name.starts_with(binary));
        metric_names(text, "causeway_").into_iter().filter(|name| !is_of_one(name)).collect()
    }

    /// Returns the names of the exported metrics as used in queries.
    fn names(text: &str) -> BTreeSet<String> {
        let described = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' '));
        let queried = described.flat_map(|(name, kind)| match kind {
            "counter" => vec![format!("{name}_total")],
            "histogram" => ["bucket", "sum", "count"].map(|part| format!("{name}_{part}")).into(),
            _ => vec![name.to_owned()],
        });
        queried.collect()
    }

    /// Returns the metric names in a text that begin with `prefix`.
    fn metric_names<'a>(text: &'a str, prefix: &str) -> BTreeSet<&'a str> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        text.split(|c| !is_part(c)).filter(|word| word.starts_with(prefix)).collect()
    }
}
