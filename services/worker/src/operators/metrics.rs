//! All metrics of a worker. The values of labels are closed lists. No label names a repository, to bound the cardinality.

use std::{
    sync::atomic::AtomicU64,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::{Metric, Registry},
};

use super::{RepositoryFigures, WorkerStatus};

/// Upper bounds of the latency buckets of calls, in seconds: from the time of a lookup to the hard deadline of gateways.
const RPC_BUCKETS: [f64; 12] = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 2.0, 10.0];

/// Upper bounds of the buckets of indexing runs, in seconds: a commit takes less than one, a large repository minutes.
const RUN_BUCKETS: [f64; 10] = [0.1, 0.5, 1.0, 2.0, 5.0, 15.0, 60.0, 180.0, 600.0, 1_800.0];

/// The quantiles of ages and lags: their label, and the percentage of repositories.
const QUANTILES: [(&str, usize); 3] = [("0.5", 50), ("0.95", 95), ("1", 100)];

type FloatGauge = Gauge<f64, AtomicU64>;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct WorkerRpcLabels {
    method: &'static str,
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RpcMethodLabels {
    method: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ResultLabels {
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RepositoryStateLabels {
    state: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct QuantileLabels {
    quantile: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct WorkerBuildLabels {
    version: &'static str,
}

/// The metrics of a worker.
pub(crate) struct WorkerMetrics {
    registry: Registry,
    rpcs: Family<WorkerRpcLabels, Counter>,
    rpc_seconds: Family<RpcMethodLabels, Histogram, fn() -> Histogram>,
    runs: Family<ResultLabels, Counter>,
    run_seconds: Histogram,
    shared_generations: Family<ResultLabels, Counter>,
    shared_bytes: Family<ResultLabels, Counter>,
    queries_in_flight: Gauge,
    queue_length: Gauge,
    runs_in_progress: Gauge,
    repositories: Family<RepositoryStateLabels, Gauge>,
    without_vectors: Gauge,
    index_bytes: Gauge,
    age_seconds: Family<QuantileLabels, FloatGauge>,
    lag_seconds: Family<QuantileLabels, FloatGauge>,
    draining: Gauge,
    problems: Gauge,
}

impl WorkerMetrics {
    pub(crate) fn new() -> WorkerMetrics {
        let rpc_seconds: fn() -> Histogram = || Histogram::new(RPC_BUCKETS);
        let metrics = WorkerMetrics {
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
            problems: Gauge::default(),
        };
        WorkerMetrics { registry: metrics.registered(), ..metrics }
    }

    fn registered(&self) -> Registry {
        let mut registry = Registry::with_prefix("causeway_worker");
        register(&mut registry, "rpcs", "RPCs of gateways, by method and outcome", &self.rpcs);
        register(&mut registry, "rpc_seconds", "Latency of RPCs of gateways, by method", &self.rpc_seconds);
        register(&mut registry, "indexing_runs", "Indexing runs, by outcome", &self.runs);
        register(
            &mut registry,
            "indexing_run_seconds",
            "Duration of indexing runs, without those that found nothing to do",
            &self.run_seconds,
        );
        register(
            &mut registry,
            "shared_generations",
            "Generations loaded from and stored in the object store, by result",
            &self.shared_generations,
        );
        register(&mut registry, "shared_bytes", "Bytes read from and written to the object store", &self.shared_bytes);
        register(&mut registry, "queries_in_flight", "Queries that run or wait for a thread", &self.queries_in_flight);
        register(&mut registry, "queue_length", "Repositories that wait for an indexing run", &self.queue_length);
        register(&mut registry, "runs_in_progress", "Repositories that are being indexed", &self.runs_in_progress);
        register(&mut registry, "repositories", "Repositories, by state", &self.repositories);
        register(
            &mut registry,
            "repositories_without_vectors",
            "Served repositories without vectors",
            &self.without_vectors,
        );
        register(&mut registry, "index_bytes", "Bytes on disk of the served generations", &self.index_bytes);
        register(
            &mut registry,
            "generation_age_seconds",
            "Time since the served generations were indexed, by quantile",
            &self.age_seconds,
        );
        register(
            &mut registry,
            "generation_lag_seconds",
            "Time for which the served generations have been out of date, by quantile",
            &self.lag_seconds,
        );
        register(&mut registry, "draining", "1 while the worker drains before it stops, else 0", &self.draining);
        register(
            &mut registry,
            "problems",
            "Problems of the worker as a whole, such as a task that was restarted",
            &self.problems,
        );
        register(&mut registry, "start_time_seconds", "Start time of the process since the epoch", &start_time());
        let build: Family<WorkerBuildLabels, Gauge> = Family::default();
        build.get_or_create(&WorkerBuildLabels { version: env!("CARGO_PKG_VERSION") }).set(1);
        register(&mut registry, "build_info", "Version of the program", &build);
        registry
    }

    pub(crate) fn record_rpc(&self, method: &'static str, outcome: &'static str, took: Duration) {
        self.rpcs.get_or_create(&WorkerRpcLabels { method, outcome }).inc();
        self.rpc_seconds.get_or_create(&RpcMethodLabels { method }).observe(took.as_secs_f64());
    }

    /// Counts an indexing run that was not stopped.
    pub(crate) fn record_run(&self, result: RunResult, took: Duration) {
        self.runs.get_or_create(&ResultLabels { outcome: result.name() }).inc();
        if result != RunResult::UpToDate {
            self.run_seconds.observe(took.as_secs_f64());
        }
    }

    /// Counts a generation that was loaded from the object store or stored in it, and its bytes.
    pub(crate) fn record_share(&self, result: ShareResult, bytes: u64) {
        let labels = ResultLabels { outcome: result.name() };
        self.shared_generations.get_or_create(&labels).inc();
        if bytes > 0 {
            self.shared_bytes.get_or_create(&labels).inc_by(bytes);
        }
    }

    /// Counts generations that were removed from the object store.
    pub(crate) fn record_swept(&self, n_generations: u64) {
        self.shared_generations.get_or_create(&ResultLabels { outcome: "swept" }).inc_by(n_generations);
    }

    /// Returns all metrics in the text format of OpenMetrics.
    pub(crate) fn render(&self, status: &WorkerStatus) -> String {
        self.set_repositories(&status.repositories);
        self.queries_in_flight.set(integer(status.queries_in_flight));
        self.draining.set(status.is_draining.into());
        self.problems.set(integer(status.n_problems));
        let mut text = String::new();
        encode(&mut text, &self.registry).expect("writing to a string does not fail");
        text
    }

    fn set_repositories(&self, figures: &RepositoryFigures) {
        for (state, n_repositories) in figures.by_state() {
            self.repositories.get_or_create_owned(&RepositoryStateLabels { state }).set(integer(n_repositories));
        }
        self.queue_length.set(integer(figures.queued));
        self.runs_in_progress.set(integer(figures.running));
        self.without_vectors.set(integer(figures.without_vectors));
        self.index_bytes.set(i64::try_from(figures.index_bytes).unwrap_or(i64::MAX));
        for (family, sorted) in [(&self.age_seconds, &figures.ages), (&self.lag_seconds, &figures.lags)] {
            for (quantile, percent) in QUANTILES {
                family.get_or_create_owned(&QuantileLabels { quantile }).set(percentile(sorted, percent));
            }
        }
    }
}

/// The result of an indexing run, as a label of its metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunResult {
    Published,
    /// The served generation was up to date.
    UpToDate,
    Failed,
}

impl RunResult {
    fn name(self) -> &'static str {
        match self {
            RunResult::Published => "published",
            RunResult::UpToDate => "up_to_date",
            RunResult::Failed => "failed",
        }
    }
}

/// The result of loading or storing a shared generation, as a label of its metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShareResult {
    Loaded,
    Stored,
    /// The stored bytes do not match their checksums.
    Damaged,
    /// The object store failed.
    Failed,
}

impl ShareResult {
    fn name(self) -> &'static str {
        match self {
            ShareResult::Loaded => "loaded",
            ShareResult::Stored => "stored",
            ShareResult::Damaged => "damaged",
            ShareResult::Failed => "failed",
        }
    }
}

fn register<M: Metric + Clone>(registry: &mut Registry, name: &str, help: &str, metric: &M) {
    registry.register(name, help, metric.clone());
}

/// Returns a gauge of the current time.
fn start_time() -> FloatGauge {
    let gauge = FloatGauge::default();
    gauge.set(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64());
    gauge
}

fn integer(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// Returns a percentile of ascending values, in seconds; 0 if there are none.
fn percentile(sorted: &[Duration], percent: usize) -> f64 {
    let rank = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(rank).map_or(0.0, Duration::as_secs_f64)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const DASHBOARD: &str = include_str!("../../../../deploy/grafana/causeway.json");
    const ALERTS: &str = include_str!("../../../../deploy/prometheus/alerts.yaml");

    /// Returns the text of every metric.
    fn rendered() -> String {
        let metrics = WorkerMetrics::new();
        metrics.record_rpc("Search", "ok", Duration::from_millis(3));
        metrics.record_run(RunResult::Published, Duration::from_secs(2));
        metrics.record_share(ShareResult::Loaded, 70_000);
        metrics.record_swept(2);
        metrics.render(&WorkerStatus::default())
    }

    #[test]
    fn metrics_are_rendered() {
        let text = rendered();
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
            "causeway_worker_problems 0",
        ] {
            assert!(text.contains(expected), "{expected} in\n{text}");
        }
    }

    #[test]
    fn percentiles_are_those_of_sorted_values() {
        let seconds: Vec<Duration> = (1..=20).map(Duration::from_secs).collect();
        assert_eq!(QUANTILES.map(|(_, percent)| percentile(&seconds, percent)), [10.0, 19.0, 20.0]);
        assert_eq!(percentile(&[], 95), 0.0);
    }

    #[test]
    fn dashboard_and_alerts_use_exported_metrics() {
        let text = rendered();
        let names = series_names(&text);
        for (file, least) in [(DASHBOARD, 10), (ALERTS, 4)] {
            let used = words_with_prefix(file, "causeway_worker_");
            assert!(used.len() >= least, "{used:?}");
            let unknown: Vec<&&str> = used.iter().filter(|name| !names.contains(**name)).collect();
            assert!(unknown.is_empty(), "{unknown:?} are not among {names:?}");
        }
    }

    /// Returns the names of the exported series, as queries use them.
    fn series_names(text: &str) -> BTreeSet<String> {
        let described = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' '));
        let queried = described.flat_map(|(name, kind)| match kind {
            "counter" => vec![format!("{name}_total")],
            "histogram" => ["bucket", "sum", "count"].map(|part| format!("{name}_{part}")).into(),
            _ => vec![name.to_owned()],
        });
        queried.collect()
    }

    /// Returns the words of a text that begin with `prefix`.
    fn words_with_prefix<'a>(text: &'a str, prefix: &str) -> BTreeSet<&'a str> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        text.split(|c| !is_part(c)).filter(|word| word.starts_with(prefix)).collect()
    }
}
