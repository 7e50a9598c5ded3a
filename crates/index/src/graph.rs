//! The code graph of a generation: written as records, walked where they are mapped.

mod calls;
mod card;
mod contracts;
mod kept;
mod neighbours;
mod records;
mod write;

use ::graph::{EdgeKind, Resolution};
use model::Domain;

use crate::Snapshot;

pub use calls::{CallEnd, CallView};
pub use card::{CommunityView, NodeCard, NodePlace, RouteView};
pub use contracts::{OfferView, UseView};
pub use neighbours::{EdgeQuery, EdgeView, Neighbours};
pub use write::NewGraph;

pub(crate) use records::ArchivedGraphTables;
pub(crate) use write::tables;

use records::{ArchivedEdgeRecord, DERIVED, SAID_APART};

/// What a walk needs to know of a node.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeView {
    pub id: u32,
    pub domain: Domain,
    /// PageRank, with 1 as the mean.
    pub importance: f32,
    /// Name of the symbol's kind, `file` or `route`.
    pub kind: &'static str,
    pub is_test: bool,
}

impl ArchivedEdgeRecord {
    fn kind(&self) -> EdgeKind {
        EdgeKind::from_index(self.kind).unwrap_or(EdgeKind::References)
    }

    fn resolution(&self) -> Resolution {
        Resolution::from_index(self.resolution & !(DERIVED | SAID_APART)).unwrap_or(Resolution::Ambiguous)
    }

    fn is_derived(&self) -> bool {
        self.resolution & DERIVED != 0
    }

    fn is_said_apart(&self) -> bool {
        self.resolution & SAID_APART != 0
    }
}

impl Snapshot {
    /// Returns how many nodes there are.
    pub fn n_nodes(&self) -> u32 {
        self.graph().importance.len() as u32
    }

    /// Returns what a walk needs to know of a node; nothing for a number that no node has.
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

    /// Returns the file that a node stands in, or is.
    pub(crate) fn file_of_node(&self, id: u32) -> Option<usize> {
        let graph = self.graph();
        let (n_symbols, n_files) = (graph.n_symbols.to_native(), graph.n_files.to_native());
        if let Some(symbol) = self.tables().symbols.get(id as usize) {
            return Some(symbol.file.to_native() as usize);
        }
        match id.checked_sub(n_symbols)? {
            file if file < n_files => Some(file as usize),
            rest => graph.routes.get((rest - n_files) as usize).map(|route| route.file.to_native() as usize),
        }
    }

    /// Returns the node of a file.
    pub(crate) fn file_node(&self, file_idx: usize) -> u32 {
        self.graph().n_symbols.to_native() + file_idx as u32
    }

    pub(crate) fn used_by(&self, node: u32) -> u32 {
        self.graph().used_by.get(node as usize).map_or(0, |count| count.to_native())
    }

    pub(crate) fn importance(&self, node: u32) -> f32 {
        self.graph().importance.get(node as usize).map_or(0.0, |importance| importance.to_native())
    }
}
