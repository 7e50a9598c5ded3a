//! Latencies of calls to workers, by outcome.

use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{family::Family, histogram::Histogram},
};
use tokio::time::Instant;

/// Upper bounds of the latency buckets, in seconds: around the 10 ms that a search should take, up to the hard deadline.
pub const LATENCY_BUCKETS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];

/// Histograms of latencies in seconds, by outcome.
pub type RpcFamily = Family<RpcLabels, Histogram, fn() -> Histogram>;

/// The outcome of a call to a worker: `ok`, `abandoned`, or the name of a shard state.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct RpcLabels {
    outcome: &'static str,
}

/// Latency histograms of calls to workers; clones share them.
#[derive(Clone)]
pub struct RpcMetrics(RpcFamily);

impl Default for RpcMetrics {
    fn default() -> Self {
        let latency: fn() -> Histogram = || Histogram::new(LATENCY_BUCKETS);
        RpcMetrics(Family::new_with_constructor(latency))
    }
}

impl RpcMetrics {
    /// Returns the histograms by outcome, for a registry of metrics.
    pub fn family(&self) -> RpcFamily {
        self.0.clone()
    }

    /// Starts to time a call. A timer that is dropped early counts as abandoned.
    pub fn begin(&self) -> RpcTiming {
        RpcTiming { rpcs: self.clone(), began: Instant::now(), outcome: "abandoned" }
    }
}

/// The timer of one call.
pub struct RpcTiming {
    rpcs: RpcMetrics,
    began: Instant,
    outcome: &'static str,
}

impl RpcTiming {
    /// Records the latency as `ok`, or by the shard state of the failure.
    pub fn end(mut self, failure: Option<&tonic::Status>) {
        self.outcome = failure.map_or("ok", |status| proto::status::shard_state(status).name());
    }
}

impl Drop for RpcTiming {
    fn drop(&mut self) {
        let took = self.began.elapsed().as_secs_f64();
        self.rpcs.0.get_or_create(&RpcLabels { outcome: self.outcome }).observe(took);
    }
}
