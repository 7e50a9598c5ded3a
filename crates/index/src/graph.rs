//! Queries on the code graph: nodes, neighbours, cards, contracts, calls, and the resolutions that the next run reuses.

mod calls;
mod card;
mod contracts;
mod link_facts;
mod name_uses;
mod neighbours;
mod reuse;

use model::Domain;

use crate::snapshot::Snapshot;

pub use calls::{CallEnd, CallView};
pub use card::{CommunityView, NodeCard, NodeDetail, RouteView};
pub use contracts::{OfferView, UseView};
pub use name_uses::NameUse;
pub use neighbours::{EdgePage, EdgeQuery, EdgeView, Neighbours};

/// The properties of a node that graph traversal needs.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeView {
    /// The node number.
    pub id: u32,
    /// Content kind of its file: code, documentation, API or infrastructure.
    pub domain: Domain,
    /// PageRank, with 1 as the mean.
    pub importance: f32,
    /// Name of the symbol kind, `file` or `route`.
    pub kind: &'static str,
    /// True if its file is a test.
    pub is_test: bool,
}

impl Snapshot {
    /// Returns the number of nodes.
    pub fn n_nodes(&self) -> u32 {
        self.graph().importance.len() as u32
    }

    /// Returns a node; `None` if the number is out of range.
    pub fn node(&self, id: u32) -> Option<NodeView> {
        let graph = self.graph();
        let importance = graph.importance.get(id as usize)?.to_native();
        let file_idx = self.file_of_node(id)?;
        let file = self.tables().files.get(file_idx)?;
        let kind = match self.tables().symbols.get(id as usize) {
            Some(symbol) => symbol.kind().name(),
            None if id < graph.n_symbols.to_native() + graph.n_files.to_native() => "file",
            None => "route",
        };
        let domain = graph.files.get(file_idx).and_then(|file| Domain::from_index(file.domain));
        let is_test = file.class() == model::FileClass::Test;
        Some(NodeView { id, domain: domain.unwrap_or(Domain::Code), importance, kind, is_test })
    }
}
