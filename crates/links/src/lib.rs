//! Links between repositories: uses of definitions of another repository, and contracts (packages, rpcs and HTTP routes) that one
//! repository offers and another uses.
//!
//! [`joint`] resolves the uses of a repository together with the repositories that it depends on, from their [`link_facts`].
//!
//! [`services`] joins what crosses the network: rpcs, requests, topics and settings of deployments.
//!
//! On a worker, [`link_file`] resolves one file and reads its contracts, and [`structure`] builds the graph of
//! the repository, in which a contract with both sides in it is an edge. `reuse` keeps what a new generation need not link
//! again. On the side of the gateway, [`join_pair`](join::join_pair) joins the packages that one repository uses with those
//! that another makes.
//!
//! ```
//! use links::join::{ContractSite, ContractSurface, SurfaceOffer, SurfaceUse};
//! use links::rules::LinkRules;
//! use links::services::{ServiceRepository, join};
//! use links::ContractKind;
//!
//! let site = |path: &str| ContractSite { node: 0, path: path.into(), line: 1 };
//! let offer = |kind, key: &str, member: &str, path| SurfaceOffer {
//!     kind,
//!     key: key.into(),
//!     member: member.into(),
//!     site: site(path),
//! };
//! let used = SurfaceUse {
//!     kind: ContractKind::Http,
//!     key: "GET /parcels/:code".into(),
//!     member: "http://tracking:8080".into(),
//!     site: site("client.ts"),
//!     confidence: 0.9,
//!     n_sites: 1,
//!     serves: false,
//! };
//! let server = ContractSurface {
//!     offers: vec![
//!         offer(ContractKind::Http, "GET /parcels/{id}", "", "server.go"),
//!         offer(ContractKind::Image, "", "", "Dockerfile"),
//!     ],
//!     uses: Vec::new(),
//! };
//! let client = ContractSurface { offers: Vec::new(), uses: vec![used] };
//! let repositories = [
//!     ServiceRepository { alias: "portal", surface: &client },
//!     ServiceRepository { alias: "tracking", surface: &server },
//! ];
//! let joined = join(&repositories, &LinkRules::default());
//! assert_eq!(&*joined.links[0].link.offer.path, "server.go");
//! ```
//!
//! This crate knows no file, network or access right: it neither fetches surfaces nor decides who may see a link.

#![warn(missing_docs)]

mod contract;
mod rpc_name;

// Offers and uses of a file, by kind: package APIs (`exports`, `imports`), HTTP (`routes`, `requests`) and rpcs (`protobuf`).
mod contracts;
mod linked_docs;
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
// Links by addresses and names in the network.
pub mod services;

mod shared_text;

#[cfg(test)]
mod testing;

pub use contract::{ContractKind, ContractOffer, ContractUse, FileContracts, HttpRoute};
pub use linked_docs::{has_linked_annotations, linked_file_doc};
pub use linked_file::{LinkedFile, link_file, link_file_with_compiler};
pub use local_edges::structure;
pub use manifests::RepositoryManifests;
pub use reuse::{PreviousLinkedFile, reuse};
pub use shared_text::{SharedText, SharedTexts};
