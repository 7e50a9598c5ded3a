//! The code graph: who calls, builds on, refers to and imports whom.
//!
//! The pipeline: the facts of all files of a repository become a [`Program`] (every definition by number, name and owner;
//! modules laid out by each language's dialect); [`resolve()`] turns the uses of names in one file into [`Edge`]s.
//!
//! In reading order: `program` and `names` are what is asked about; `ty` is what is known of a value; `infer` finds the
//! types of expressions on demand, one for all languages; `dialect` is what languages differ in, each in `languages/`;
//! `resolve` asks who is called; `edge` says what an edge is.
//!
//! This crate knows no file, clock, network or thread: it is given facts and gives edges.

mod communities;
mod contracts;
mod dialect;
mod edge;
mod infer;
mod interface;
mod languages;
mod link;
mod manifest;
mod names;
pub mod overlay;
mod pagerank;
mod paths;
pub mod personalised;
mod program;
mod resolve;
mod structure;
#[cfg(test)]
mod testing;
mod ty;

/// Version of all that edges depend on besides facts: it goes up whenever the same facts give other edges.
pub const RESOLVER_VERSION: u32 = 2;

pub use contracts::{ContractKind, Contracts, Offer, Route, Use};
pub use dialect::Family;
pub use edge::{CERTAIN, EdgeKind, Resolution};
pub use interface::{InterfaceHash, interface_hash};
pub use link::{OlderFile, keep};
pub use manifest::is_manifest;
pub use names::Name;
pub use program::{FileIdx, Manifest, Program, SourceFile, SymbolIdx};
pub use resolve::{Edge, Node, Resolved, resolve};
pub use structure::{Community, NodeEdge, NodeIdx, Structure, structure};
