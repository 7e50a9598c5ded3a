//! The code graph of one repository: calls, inheritance, references and imports between its definitions.
//!
//! The input is the facts of all files and the texts of manifests. [`Codebase::new`] numbers every definition and lays out
//! the modules of each language; [`resolve()`] turns the uses in one file into [`Edge`]s; [`structure()`] joins the files to one
//! graph with PageRank, communities and cycles. [`Reuse`] tells which files keep their edges when a repository changes.
//!
//! ```
//! use graph::{Codebase, EdgeKind, SourceFile, resolve};
//! use model::Language;
//!
//! let facts = syntax::extract(Language::Python, b"def f(): pass\ndef g(): f()\n");
//! let codebase = Codebase::new([SourceFile { path: "a.py", facts: &facts }], &[]);
//! let file = codebase.program().file_at("a.py").expect("the file was added");
//! let calls = resolve(&codebase, file).edges.into_iter().filter(|edge| edge.kind == EdgeKind::Calls);
//! assert_eq!(calls.count(), 1);
//! ```
//!
//! This crate knows no file, clock, network or thread. [`Codebase::side_by_side`] lays out several repositories as one build.
//! The crate `links` chooses these repositories, and reads contracts between them through [`Inference`].
//!
//! The layers, each of which imports only those above it in this list:
//!
//! 1. data: [`Program`] (definitions of all files), [`Ty`] (types of values), [`Edge`];
//! 2. `infer`: type inference on demand, one for all languages, and the trait `Dialect` by which languages differ;
//! 3. `languages`: one dialect per family of languages;
//! 4. [`Codebase`]: the program with its dialects, the only place that names the languages;
//! 5. [`resolve()`], [`Inheritance`], [`Reuse`], [`structure()`].

#![warn(missing_docs)]

mod edge;
mod family;
mod manifest;
mod names;
mod paths;
mod program;
mod ty;

mod infer;
mod languages;

mod codebase;
mod inheritance;
mod interface;
mod resolve;
mod reuse;
mod structural_interfaces;

mod communities;
mod pagerank;
mod personalised_pagerank;
mod structure;

#[cfg(test)]
mod testing;

/// Version of the resolver. It increases whenever the same facts and manifests give other edges or contracts.
pub const RESOLVER_VERSION: u32 = 22;

pub use codebase::Codebase;
pub use edge::{CERTAIN, EdgeKind, Resolution};
pub use family::Family;
pub use infer::Inference;
pub use inheritance::{Inheritance, MethodOverride, bases};
pub use interface::{InterfaceHash, InterfaceParts, extensions_hash, interface_hash, interface_parts, passage_imports};
pub use languages::c::public_headers;
pub use manifest::{
    ManifestFile, is_asyncapi_document, is_dotnet_project, is_manifest, is_openapi_document, is_requirements_list,
};
pub use names::{Name, NameNumbers, NumberedNames};
pub use personalised_pagerank::{RankEdge, fewest_boundaries, personalised_pagerank};
pub use program::{FileIdx, Node, Program, SourceFile, SymbolIdx};
pub use resolve::{
    CalleeForm, CompilerUse, CompilerUses, Edge, FileUses, FurtherLine, GivenArguments, ResolvedFile, UnresolvedAccess,
    UnresolvedCall, UnresolvedMember, accessed_names, called_names, resolve, resolve_with, uses,
};
pub use reuse::{DefinitionNames, PreviousFile, Renumbering, Reuse};
pub use structural_interfaces::structural_implementations;
pub use structure::{
    Community, ContractEdges, GraphCounts, GraphEdges, GraphRanking, NodeEdge, NodeIdx, NodeNumbers, Structure,
    structure,
};
pub use ty::{Applied, ModuleIdx, Ty};
