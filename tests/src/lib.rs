//! Harness of the tests across packages: generated repositories (`repository`, `organisation`), workers and a gateway
//! in one process (`federation`), processes of the `causeway` binary (`process`, `cluster`), HTTP requests (`http`),
//! fake services for vectors (`model_service`), text (`language_service`) and objects (`object_service`), accessors for
//! answers (`answer`, `links`), opened generations (`generations`), and utilities of benchmarks (`measure`).
//!
//! Readiness is observed by the worker's status stream or by the gateway's inventory. Nothing sleeps, and every wait
//! has a deadline.

pub mod answer;
pub mod cluster;
pub mod federation;
pub mod generations;
pub mod http;
pub mod language_service;
pub mod links;
pub mod measure;
pub mod model_service;
pub mod object_service;
pub mod organisation;
pub mod process;
pub mod repository;

use std::time::Duration;

/// Timeout of all waits: far more than any takes on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);
