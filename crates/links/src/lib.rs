//! Links between repositories: uses of definitions of another repository, and contracts (packages, rpcs and HTTP routes) that one
//! repository offers and another uses.
//!
//! [`joint`] resolves the uses of a repository together with the repositories that it depends on, from their [`link_facts`].
//!
//! On a worker, [`link_file`] resolves one file and reads its contracts, and [`structure`] builds the graph of
//! the repository, in which a contract with both sides in it is an edge. `reuse` keeps what a new generation need not link
//! again. On the side of the gateway, [`join_pair`](join::join_pair) joins the uses of one repository with the offers of
//! another by equal keys.
//!
//! ```
//! use links::join::{ContractSite, ContractSurface, IndexedSurface, LocatedMembers, SurfaceOffer, SurfaceUse, join_pair};
//! use links::ContractKind;
//!
//! let site = |path: &str| ContractSite { node: 0, path: path.to_owned(), line: 1 };
//! let offer = SurfaceOffer { kind: ContractKind::Http, key: "GET /parcels/{id}".to_owned(), site: site("server.go") };
//! let used = SurfaceUse {
//!     kind: ContractKind::Http,
//!     key: "GET /parcels/:code".to_owned(),
//!     member: String::new(),
//!     site: site("client.ts"),
//!     confidence: 0.9,
//!     n_sites: 1,
//!     serves: false,
//! };
//! let server = IndexedSurface::new(ContractSurface { offers: vec![offer], uses: Vec::new() });
//! let client = IndexedSurface::new(ContractSurface { offers: Vec::new(), uses: vec![used] });
//! let links = join_pair(&client, &server, &LocatedMembers::default());
//! assert_eq!(links[0].offer.path, "server.go");
//! ```
//!
//! This crate knows no file, network or access right: it neither fetches surfaces nor decides who may see a link.

#![warn(missing_docs)]

mod contract;

// Offers and uses of a file, by kind: package APIs (`exports`, `imports`), HTTP (`routes`, `requests`) and rpcs (`protobuf`).
mod contracts;
mod linked_file;
mod local_edges;
mod manifests;
mod reuse;

pub mod join;

// Definitions and uses that a compiler found.
pub mod compiler_facts;

// Uses of definitions of other repositories, by type.
pub mod joint;
pub mod link_facts;

// Versions that importers require, and rules of the user.
pub mod rules;
pub mod versions;

#[cfg(test)]
mod testing;

pub use contract::{ContractKind, ContractOffer, ContractUse, FileContracts, HttpRoute};
pub use linked_file::{LinkedFile, link_file, link_file_with_compiler};
pub use local_edges::structure;
pub use manifests::RepositoryManifests;
pub use reuse::{PreviousLinkedFile, reuse};
