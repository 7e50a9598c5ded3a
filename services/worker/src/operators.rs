//! The interface for operators, probes and Prometheus: the metrics of a worker, and the port that serves them.
//!
//! This is the lowest module of the worker: it receives values, and knows neither the catalog nor the services.

mod metrics;
mod status_port;
mod worker_status;

pub(crate) use metrics::{RunResult, ShareResult, WorkerMetrics};
pub(crate) use status_port::{StatusPort, serve};
pub(crate) use worker_status::{RepositoryFigures, WorkerStatus};
