//! Utilities of benchmarks: generated repositories, questions about them, and a client.

pub mod client;
pub mod corpus;
pub mod draw;
pub mod questions;
