//! Every metric of the gateway. Labels take values from closed lists alone: what a caller types never becomes one.

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

use tokio::time::Instant;

use crate::{
    access::Denied,
    directory::{Directory, Standing},
    fan_out::spare::Spare,
    tools,
};

/// Upper bounds of the latency buckets, in seconds: around the 10 ms that a search should take, up to the hard deadline.
const LATENCY_BUCKETS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EncodeLabelValue)]
pub(crate) enum Outcome {
    Complete,
    Incomplete,
    /// The request was at fault.
    Refused,
    /// The gateway was.
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
struct RpcLabels {
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ReasonLabels {
    reason: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct BuildLabels {
    version: &'static str,
}

/// Workers are configured or found, and few; those that have left are dropped.
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
}

impl Default for Metrics {
    fn default() -> Self {
        Metrics::of(&Rpcs::default())
    }
}

impl Metrics {
    /// Returns all metrics, those of calls to workers among them.
    pub(crate) fn of(rpcs: &Rpcs) -> Metrics {
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
            registry: Registry::default(),
        };
        registry.register("requests", "Calls of tools, by how they ended", metrics.requests.clone());
        registry.register("request_seconds", "How long calls of tools took", metrics.latency.clone());
        registry.register(
            "shortfalls",
            "Repositories that were asked and did not answer fully, by state",
            metrics.shortfalls.clone(),
        );
        registry.register("repositories", "Known repositories, by state", metrics.repositories.clone());
        registry.register(
            "breaker_open",
            "1 for a worker that is not asked since it does not answer",
            metrics.breaker_open.clone(),
        );
        registry.register("hedges", "Calls of replicas since a worker was late", metrics.hedges.clone());
        registry.register("retries", "Calls of replicas since a worker had failed", metrics.retries.clone());
        registry.register("calls_in_flight", "Calls of tools that are being answered", metrics.calls_in_flight.clone());
        registry.register(
            "shed",
            "Requests that were turned away, by what there was no room for",
            metrics.shed.clone(),
        );
        registry.register("refused", "Requests of nobody who may call, by what was wrong", metrics.refused.clone());
        registry.register("rpc_seconds", "How long calls to workers took, by how they ended", rpcs.0.clone());
        let started: Gauge<f64, AtomicU64> = Gauge::default();
        started.set(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64());
        registry.register("start_time_seconds", "When the process started, since the epoch", started);
        let build: Family<BuildLabels, Gauge> = Family::default();
        build.get_or_create(&BuildLabels { version: env!("CARGO_PKG_VERSION") }).set(1);
        registry.register("build_info", "The version that runs", build);
        Metrics { registry, ..metrics }
    }

    /// Counts a call of a tool as being in flight until what is returned is dropped.
    pub(crate) fn call(&self) -> InFlight {
        self.calls_in_flight.inc();
        InFlight(self.calls_in_flight.clone())
    }

    /// Counts a request that was turned away; `reason` is one of a few words.
    pub(crate) fn record_shed(&self, reason: &'static str) {
        self.shed.get_or_create(&ReasonLabels { reason }).inc();
    }

    /// Counts a request that came without a good token, or too often.
    pub(crate) fn record_refused(&self, denied: Denied) {
        self.refused.get_or_create(&ReasonLabels { reason: denied.name() }).inc();
    }

    pub(crate) fn record(&self, tool: &str, outcome: Outcome, took: Duration) {
        let tool = tools::find(tool).map_or("unknown", |tool| tool.name);
        self.requests.get_or_create(&RequestLabels { tool, outcome }).inc();
        self.latency.get_or_create(&ToolLabels { tool }).observe(took.as_secs_f64());
    }

    pub(crate) fn record_shortfalls(&self, states: &[ShardState]) {
        for state in states {
            self.shortfalls.get_or_create(&StateLabels { state: state.name() }).inc();
        }
    }

    /// Returns all metrics in the text format of OpenMetrics.
    pub(crate) fn render(&self, directory: &Directory, spare: &Spare) -> String {
        self.breaker_open.clear();
        for worker in &directory.workers {
            let labels = WorkerLabels { worker: worker.name.clone() };
            self.breaker_open.get_or_create(&labels).set(i64::from(worker.reach.is_gone()));
        }
        self.hedges.inner().store(spare.n_hedges(), Ordering::Relaxed);
        self.retries.inner().store(spare.n_retries(), Ordering::Relaxed);
        let states = ["serving"].into_iter().chain(STATES.iter().map(|state| state.name()));
        for state in states {
            let n_repositories = directory.repositories.iter().filter(|repo| state_name(&repo.standing) == state);
            let gauge = self.repositories.get_or_create_owned(&StateLabels { state });
            gauge.set(i64::try_from(n_repositories.count()).unwrap_or(i64::MAX));
        }
        let mut text = String::new();
        encode(&mut text, &self.registry).expect("writing to a string does not fail");
        text
    }
}

/// Counts a call as being in flight while it lives.
pub(crate) struct InFlight(Gauge);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// How long calls to workers took; clones share what they count.
#[derive(Clone)]
pub(crate) struct Rpcs(Family<RpcLabels, Histogram, fn() -> Histogram>);

impl Default for Rpcs {
    fn default() -> Self {
        let latency: fn() -> Histogram = || Histogram::new(LATENCY_BUCKETS);
        Rpcs(Family::new_with_constructor(latency))
    }
}

impl Rpcs {
    /// Begins to time a call; dropped before it ends, the call counts as abandoned.
    pub(crate) fn begin(&self) -> Timing {
        Timing { rpcs: self.clone(), began: Instant::now(), outcome: "abandoned" }
    }
}

/// One call that is being timed.
pub(crate) struct Timing {
    rpcs: Rpcs,
    began: Instant,
    outcome: &'static str,
}

impl Timing {
    pub(crate) fn end(mut self, failure: Option<&tonic::Status>) {
        self.outcome = failure.map_or("ok", |status| proto::status::shard_state(status).name());
    }
}

impl Drop for Timing {
    fn drop(&mut self) {
        let took = self.began.elapsed().as_secs_f64();
        self.rpcs.0.get_or_create(&RpcLabels { outcome: self.outcome }).observe(took);
    }
}

/// The states in which a repository cannot be asked.
const STATES: [ShardState; 3] = [ShardState::NotReady, ShardState::Failed, ShardState::Unreachable];

pub(crate) fn state_name(standing: &Standing) -> &'static str {
    match standing {
        Standing::Serving(_) => "serving",
        Standing::Short(state, _) => state.name(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const DASHBOARD: &str = include_str!("../../deploy/grafana/causeway.json");
    const ALERTS: &str = include_str!("../../deploy/prometheus/alerts.yaml");

    #[test]
    fn what_callers_type_is_no_label() {
        let metrics = Metrics::default();
        metrics.record("search_codebase", Outcome::Complete, Duration::from_millis(3));
        metrics.record("x\"} 1", Outcome::Refused, Duration::ZERO);
        metrics.record_shed("calls");
        metrics.record_refused(Denied::TooOften(Duration::ZERO));
        let _in_flight = metrics.call();
        let text = metrics.render(&Directory::default(), &Spare::default());
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
    fn dashboard_and_alerts_use_what_is_exported() {
        let rpcs = Rpcs::default();
        rpcs.begin().end(None);
        let metrics = Metrics::of(&rpcs);
        metrics.record("search_codebase", Outcome::Complete, Duration::ZERO);
        metrics.record_shortfalls(&[ShardState::TimedOut]);
        metrics.record_shed("calls");
        let worker = crate::directory::WorkerView {
            name: "worker-0:7475".to_owned(),
            reach: crate::directory::Reach::Reachable,
            inventory: None,
        };
        let names = names(&metrics.render(&Directory::build(&[worker]), &Spare::default()));
        for (file, least) in [(DASHBOARD, 8), (ALERTS, 4)] {
            let used = used(file, "causeway_gateway_");
            assert!(used.len() >= least, "{used:?}");
            let unknown: Vec<&&str> = used.iter().filter(|name| !names.contains(**name)).collect();
            assert!(unknown.is_empty(), "{unknown:?} are not among {names:?}");
            let of_nobody = used_by_others(file, &["causeway_gateway_", "causeway_worker_"]);
            assert!(of_nobody.is_empty(), "{of_nobody:?}");
        }
    }

    /// Returns the names of metrics of this project in a text that are of no binary.
    fn used_by_others<'a>(text: &'a str, binaries: &[&str]) -> Vec<&'a str> {
        let is_of_one = |name: &&str| binaries.iter().any(|binary| name.starts_with(binary));
        used(text, "causeway_").into_iter().filter(|name| !is_of_one(name)).collect()
    }

    /// Returns the names of what is exported, as queries use them.
    fn names(text: &str) -> BTreeSet<String> {
        let described = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' '));
        let queried = described.flat_map(|(name, kind)| match kind {
            "counter" => vec![format!("{name}_total")],
            "histogram" => ["bucket", "sum", "count"].map(|part| format!("{name}_{part}")).into(),
            _ => vec![name.to_owned()],
        });
        queried.collect()
    }

    /// Returns the names of metrics in a text that begin with `prefix`.
    fn used<'a>(text: &'a str, prefix: &str) -> BTreeSet<&'a str> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        text.split(|c| !is_part(c)).filter(|word| word.starts_with(prefix)).collect()
    }
}
