//! What benches share: made-up repositories, questions about them, and a client that asks.

pub mod client;
pub mod corpus;
pub mod draw;
pub mod questions;
