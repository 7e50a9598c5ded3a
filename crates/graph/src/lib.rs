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

mod dialect;
mod edge;
mod infer;
mod languages;
mod manifest;
mod names;
mod program;
mod resolve;
#[cfg(test)]
mod testing;
mod ty;

pub use dialect::Family;
pub use edge::{CERTAIN, EdgeKind, Resolution};
pub use manifest::is_manifest;
pub use names::Name;
pub use program::{FileIdx, Manifest, Program, SourceFile, SymbolIdx};
pub use resolve::{Edge, Node, Resolved, resolve};
