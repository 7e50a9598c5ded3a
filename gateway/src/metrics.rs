//! Every metric of the gateway. Labels take values from closed lists alone: what a caller types never becomes one.

use std::{sync::atomic::Ordering, time::Duration};

use model::ShardState;
use prometheus_client::{
    encoding::{EncodeLabelSet, EncodeLabelValue, text::encode},
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::Registry,
};

use crate::{
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

/// Workers are configured or found, and few; those that have left are dropped.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct WorkerLabels {
    worker: String,
}

pub(crate) struct Metrics {
    registry: Registry,
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
        let mut registry = Registry::with_prefix("causeway_gateway");
        let latency: fn() -> Histogram = || Histogram::new(LATENCY_BUCKETS);
        let metrics = Metrics {
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
        Metrics { registry, ..metrics }
    }
}

impl Metrics {
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
    use super::*;

    #[test]
    fn what_callers_type_is_no_label() {
        let metrics = Metrics::default();
        metrics.record("search_codebase", Outcome::Complete, Duration::from_millis(3));
        metrics.record("x\"} 1", Outcome::Refused, Duration::ZERO);
        let text = metrics.render(&Directory::default(), &Spare::default());
        for expected in [
            "causeway_gateway_requests_total{tool=\"search_codebase\",outcome=\"Complete\"} 1",
            "causeway_gateway_requests_total{tool=\"unknown\",outcome=\"Refused\"} 1",
            "causeway_gateway_request_seconds_bucket{le=\"0.005\",tool=\"search_codebase\"} 1",
            "causeway_gateway_repositories{state=\"serving\"} 0",
        ] {
            assert!(text.contains(expected), "{expected} in\n{text}");
        }
    }
}
