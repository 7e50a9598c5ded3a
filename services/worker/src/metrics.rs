//! Every metric of a worker. Labels take values from closed lists alone: repositories are many, and never one.

use std::{
    sync::atomic::AtomicU64,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::{Metric, Registry},
};

use crate::{
    catalog::{Catalog, Figures},
    lifecycle::Lifecycle,
    serving::QueryPool,
};

/// Upper bounds of the latency buckets of calls, in seconds: from what a lookup takes to the hard deadline of gateways.
const RPC_BUCKETS: [f64; 12] = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 2.0, 10.0];

/// Upper bounds of the buckets of indexing runs, in seconds: a commit takes less than one, a large repository minutes.
const RUN_BUCKETS: [f64; 10] = [0.1, 0.5, 1.0, 2.0, 5.0, 15.0, 60.0, 180.0, 600.0, 1_800.0];

/// The parts of all repositories for which ages are told: half, nineteen of twenty, all.
const QUANTILES: [(&str, usize); 3] = [("0.5", 50), ("0.95", 95), ("1", 100)];

type Float = Gauge<f64, AtomicU64>;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RpcLabels {
    method: &'static str,
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct MethodLabels {
    method: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabels {
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StateLabels {
    state: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct QuantileLabels {
    quantile: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct BuildLabels {
    version: &'static str,
}

pub(crate) struct Metrics {
    registry: Registry,
    rpcs: Family<RpcLabels, Counter>,
    rpc_seconds: Family<MethodLabels, Histogram, fn() -> Histogram>,
    runs: Family<OutcomeLabels, Counter>,
    run_seconds: Histogram,
    shared_generations: Family<OutcomeLabels, Counter>,
    shared_bytes: Family<OutcomeLabels, Counter>,
    queries_in_flight: Gauge,
    queue_length: Gauge,
    runs_in_progress: Gauge,
    repositories: Family<StateLabels, Gauge>,
    without_vectors: Gauge,
    index_bytes: Gauge,
    age_seconds: Family<QuantileLabels, Float>,
    lag_seconds: Family<QuantileLabels, Float>,
    draining: Gauge,
}

impl Metrics {
    pub(crate) fn new() -> Metrics {
        let rpc_seconds: fn() -> Histogram = || Histogram::new(RPC_BUCKETS);
        let metrics = Metrics {
            registry: Registry::default(),
            rpcs: Family::default(),
            rpc_seconds: Family::new_with_constructor(rpc_seconds),
            runs: Family::default(),
            run_seconds: Histogram::new(RUN_BUCKETS),
            shared_generations: Family::default(),
            shared_bytes: Family::default(),
            queries_in_flight: Gauge::default(),
            queue_length: Gauge::default(),
            runs_in_progress: Gauge::default(),
            repositories: Family::default(),
            without_vectors: Gauge::default(),
            index_bytes: Gauge::default(),
            age_seconds: Family::default(),
            lag_seconds: Family::default(),
            draining: Gauge::default(),
        };
        Metrics { registry: metrics.registered(), ..metrics }
    }

    fn registered(&self) -> Registry {
        let mut registry = Registry::with_prefix("causeway_worker");
        let mut names = Names(&mut registry);
        names.add("rpcs", "Calls of gateways, by how they ended", &self.rpcs);
        names.add("rpc_seconds", "How long calls of gateways took", &self.rpc_seconds);
        names.add("indexing_runs", "Indexing runs, by how they ended", &self.runs);
        names.add("indexing_run_seconds", "How long indexing runs took that looked at a commit", &self.run_seconds);
        names.add("shared_generations", "What became of generations in the object store", &self.shared_generations);
        names.add("shared_bytes", "Bytes to and from the object store", &self.shared_bytes);
        names.add("queries_in_flight", "Queries that run or wait for a thread", &self.queries_in_flight);
        names.add("queue_length", "Repositories that wait to be indexed", &self.queue_length);
        names.add("runs_in_progress", "Repositories that are being indexed", &self.runs_in_progress);
        names.add("repositories", "Repositories, by state", &self.repositories);
        names.add("repositories_without_vectors", "Served repositories that lack vectors", &self.without_vectors);
        names.add("index_bytes", "Bytes on disk of the generations that are served", &self.index_bytes);
        names.add("generation_age_seconds", "Time since what is served was indexed, by part", &self.age_seconds);
        names.add(
            "generation_lag_seconds",
            "Time that what is served has been out of date, by part",
            &self.lag_seconds,
        );
        names.add("draining", "Whether the worker is about to stop", &self.draining);
        names.add("start_time_seconds", "When the process started, since the epoch", &started());
        let build: Family<BuildLabels, Gauge> = Family::default();
        build.get_or_create(&BuildLabels { version: env!("CARGO_PKG_VERSION") }).set(1);
        names.add("build_info", "The version that runs", &build);
        registry
    }

    pub(crate) fn record_rpc(&self, method: &'static str, outcome: &'static str, took: Duration) {
        self.rpcs.get_or_create(&RpcLabels { method, outcome }).inc();
        self.rpc_seconds.get_or_create(&MethodLabels { method }).observe(took.as_secs_f64());
    }

    /// Counts an indexing run that was not stopped.
    pub(crate) fn record_run(&self, outcome: RunOutcome, took: Duration) {
        self.runs.get_or_create(&OutcomeLabels { outcome: outcome.name() }).inc();
        if outcome != RunOutcome::UpToDate {
            self.run_seconds.observe(took.as_secs_f64());
        }
    }

    /// Counts a generation that went to the object store or was wanted of it, and its bytes.
    pub(crate) fn record_share(&self, outcome: ShareOutcome, bytes: u64) {
        let labels = OutcomeLabels { outcome: outcome.name() };
        self.shared_generations.get_or_create(&labels).inc();
        if bytes > 0 {
            self.shared_bytes.get_or_create(&labels).inc_by(bytes);
        }
    }

    /// Counts generations that were removed from the object store.
    pub(crate) fn record_swept(&self, n_generations: u64) {
        self.shared_generations.get_or_create(&OutcomeLabels { outcome: "swept" }).inc_by(n_generations);
    }

    /// Returns all metrics in the text format of OpenMetrics.
    pub(crate) fn render(&self, catalog: &Catalog, pool: &QueryPool, lifecycle: &Lifecycle) -> String {
        let figures = catalog.figures(SystemTime::now());
        self.take(&figures);
        self.queries_in_flight.set(integer(pool.in_flight()));
        self.draining.set(lifecycle.is_draining().into());
        let mut text = String::new();
        encode(&mut text, &self.registry).expect("writing to a string does not fail");
        text
    }

    fn take(&self, figures: &Figures) {
        for (state, n_repositories) in figures.by_state {
            self.repositories.get_or_create_owned(&StateLabels { state }).set(integer(n_repositories));
        }
        self.queue_length.set(integer(figures.queued));
        self.runs_in_progress.set(integer(figures.running));
        self.without_vectors.set(integer(figures.without_vectors));
        self.index_bytes.set(i64::try_from(figures.index_bytes).unwrap_or(i64::MAX));
        for (family, sorted) in [(&self.age_seconds, &figures.ages), (&self.lag_seconds, &figures.lags)] {
            for (quantile, percent) in QUANTILES {
                family.get_or_create_owned(&QuantileLabels { quantile }).set(part(sorted, percent));
            }
        }
    }
}

/// How an indexing run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunOutcome {
    Published,
    /// There was nothing to do.
    UpToDate,
    Failed,
}

impl RunOutcome {
    fn name(self) -> &'static str {
        match self {
            RunOutcome::Published => "published",
            RunOutcome::UpToDate => "up_to_date",
            RunOutcome::Failed => "failed",
        }
    }
}

/// What became of a generation that is shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShareOutcome {
    Loaded,
    Stored,
    /// What is stored does not fit its checksums.
    Damaged,
    /// The store gave no answer.
    Failed,
}

impl ShareOutcome {
    fn name(self) -> &'static str {
        match self {
            ShareOutcome::Loaded => "loaded",
            ShareOutcome::Stored => "stored",
            ShareOutcome::Damaged => "damaged",
            ShareOutcome::Failed => "failed",
        }
    }
}

struct Names<'a>(&'a mut Registry);

impl Names<'_> {
    fn add<M: Metric + Clone>(&mut self, name: &str, help: &str, metric: &M) {
        self.0.register(name, help, metric.clone());
    }
}

/// Returns a gauge of the moment when it was made.
fn started() -> Float {
    let gauge = Float::default();
    gauge.set(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64());
    gauge
}

fn integer(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// Returns what `percent` of some ascending values are at most; 0 of none.
fn part(sorted: &[Duration], percent: usize) -> f64 {
    let place = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(place).map_or(0.0, Duration::as_secs_f64)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const DASHBOARD: &str = include_str!("../../../deploy/grafana/causeway.json");
    const ALERTS: &str = include_str!("../../../deploy/prometheus/alerts.yaml");

    /// Returns every metric that there is.
    fn exported() -> String {
        let metrics = Metrics::new();
        metrics.record_rpc("Search", "ok", Duration::from_millis(3));
        metrics.record_run(RunOutcome::Published, Duration::from_secs(2));
        metrics.record_share(ShareOutcome::Loaded, 70_000);
        metrics.record_swept(2);
        let pool = QueryPool::new().unwrap();
        metrics.render(&Catalog::new(), &pool, &Lifecycle::new())
    }

    #[test]
    fn metrics_are_exported() {
        let text = exported();
        for expected in [
            "causeway_worker_rpcs_total{method=\"Search\",outcome=\"ok\"} 1",
            "causeway_worker_rpc_seconds_bucket{le=\"0.005\",method=\"Search\"} 1",
            "causeway_worker_indexing_runs_total{outcome=\"published\"} 1",
            "causeway_worker_shared_generations_total{outcome=\"loaded\"} 1",
            "causeway_worker_shared_generations_total{outcome=\"swept\"} 2",
            "causeway_worker_shared_bytes_total{outcome=\"loaded\"} 70000",
            "causeway_worker_repositories{state=\"ready\"} 0",
            "causeway_worker_generation_lag_seconds{quantile=\"0.95\"} 0",
            "causeway_worker_draining 0",
        ] {
            assert!(text.contains(expected), "{expected} in\n{text}");
        }
    }

    #[test]
    fn a_part_is_that_of_sorted_values() {
        let seconds: Vec<Duration> = (1..=20).map(Duration::from_secs).collect();
        assert_eq!(QUANTILES.map(|(_, percent)| part(&seconds, percent)), [10.0, 19.0, 20.0]);
        assert_eq!(part(&[], 95), 0.0);
    }

    #[test]
    fn dashboard_and_alerts_use_what_is_exported() {
        let text = exported();
        let names = names(&text);
        for (file, least) in [(DASHBOARD, 10), (ALERTS, 4)] {
            let used = used(file, "causeway_worker_");
            assert!(used.len() >= least, "{used:?}");
            let unknown: Vec<&&str> = used.iter().filter(|name| !names.contains(**name)).collect();
            assert!(unknown.is_empty(), "{unknown:?} are not among {names:?}");
        }
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
