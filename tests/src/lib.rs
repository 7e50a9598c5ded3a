//! The harness of the tests that need more than one package: repositories made on the spot (`repository`,
//! `organisation`), workers and a gateway joined within one process (`federation`), real processes of the `causeway`
//! binary (`process`) and requests to them (`http`), models behind HTTP (`model_service` for vectors, `language_service` for
//! answers), objects (`object_service`), and answers looked into (`answer`, `links`), a cluster of processes (`cluster`), and
//! what benches share (`measure`).
//!
//! Readiness is always waited for by what says so: the status stream of a worker, or the inventory that a gateway has
//! heard. Nothing sleeps, and every wait has a deadline.

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

/// How long anything may take before a test gives up: far more than any of it takes on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);
