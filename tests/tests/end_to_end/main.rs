//! Everything that needs more than one package to be tested, in one binary: each would hold the whole product once more.
//! A file is a subject; `cargo test -p causeway-tests SUBJECT::` runs it alone.

mod answers;
mod architecture;
mod budget;
mod cluster;
mod context;
mod contracts;
mod crash;
mod drain;
mod equivalence;
mod faults;
mod golden;
mod hostile;
mod hostile_graph;
mod mirrors;
mod models;
mod organisation;
mod overview;
mod pages;
mod placement;
mod provider;
mod risk;
mod secured;
mod sharing;
mod survive;
mod swap;
mod telemetry;
