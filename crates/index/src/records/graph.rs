//! The code graph on disk.

use ::graph::{EdgeKind, Resolution};
use rkyv::{Archive, Deserialize, Serialize, rend::u32_le};

/// The graph of a generation. Node numbers run through the symbols, then the files, then the routes.
#[derive(Archive, Serialize, Deserialize, Debug, Default)]
pub(crate) struct GraphTables {
    pub(crate) n_symbols: u32,
    pub(crate) n_files: u32,
    /// By node: start of its range in `edges`. The last entry is the length of `edges`.
    pub(crate) out_starts: Vec<u32>,
    /// Sorted by `from`, `to` and kind.
    pub(crate) edges: Vec<EdgeRecord>,
    /// Edges whose stating file cannot be derived from `edges`, in the order of the stating files.
    pub(crate) attributed_edges: Vec<AttributedEdge>,
    /// Lines of uses after the first one, sorted by edge and line.
    pub(crate) further_lines: Vec<FurtherLineRecord>,
    /// By node: start of its range in `incoming`. The last entry is the length of `incoming`.
    pub(crate) in_starts: Vec<u32>,
    /// Indices into `edges`, sorted by target node.
    pub(crate) incoming: Vec<u32>,
    /// By node.
    pub(crate) importance: Vec<f32>,
    pub(crate) used_by: Vec<u32>,
    pub(crate) cycles: Vec<u32>,
    /// By file.
    pub(crate) files: Vec<FileGraphRecord>,
    pub(crate) communities: Vec<CommunityRecord>,
    /// Node numbers, ascending.
    pub(crate) entry_points: Vec<u32>,
    /// By node number, less symbols and files.
    pub(crate) routes: Vec<RouteRecord>,
    /// Interned keys and members of offers and uses, and names of unresolved members, sorted. Most occur in many records.
    pub(crate) names: Vec<String>,
    /// Sorted by file.
    pub(crate) offers: Vec<OfferRecord>,
    /// Sorted by file.
    pub(crate) uses: Vec<UseRecord>,
    /// Sorted by name, then by file.
    pub(crate) unresolved_members: Vec<UnresolvedMemberRecord>,
    /// The resolved accesses to members of the names of `unresolved_members`, sorted by name.
    pub(crate) known_members: Vec<KnownMemberRecord>,
    /// Offers that are members of packages, sorted by key and member: indices into `offers`.
    pub(crate) members: Vec<u32>,
}

#[derive(Archive, Serialize, Deserialize, Debug, Clone, Copy)]
pub(crate) struct EdgeRecord {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) line: u32,
    pub(crate) n_sites: u16,
    pub(crate) kind: u8,
    /// The `Resolution`, combined with the flags `DERIVED` and `ATTRIBUTED`.
    pub(crate) resolution: u8,
}

/// Flag of an edge that was derived from other edges.
pub(crate) const DERIVED: u8 = 128;

/// Flag of an edge that is also among `attributed_edges`, since a file other than that of its source node states it. For
/// example, one file defines a type, and another one implements a trait for it.
pub(crate) const ATTRIBUTED: u8 = 64;

/// An edge with the file that states it.
#[derive(Archive, Serialize, Deserialize, Debug, Clone, Copy)]
pub(crate) struct AttributedEdge {
    pub(crate) file: u32,
    pub(crate) edge: EdgeRecord,
}

/// A line of uses that an edge has besides its first one.
#[derive(Archive, Serialize, Deserialize, Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FurtherLineRecord {
    /// Index into `edges`, or behind its end into `attributed_edges`.
    pub(crate) edge: u32,
    pub(crate) line: u32,
}

#[derive(Archive, Serialize, Deserialize, Debug, Clone)]
pub(crate) struct FileGraphRecord {
    pub(crate) interface: [u8; 16],
    /// Files that its edges depend on, ascending.
    pub(crate) consulted: Vec<u32>,
    pub(crate) community: u32,
    pub(crate) domain: u8,
}

#[derive(Archive, Serialize, Deserialize, Debug, Clone)]
pub(crate) struct CommunityRecord {
    pub(crate) label: String,
    pub(crate) n_files: u32,
    pub(crate) cohesion: f32,
}

#[derive(Archive, Serialize, Deserialize, Debug, Clone)]
pub(crate) struct RouteRecord {
    pub(crate) file: u32,
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) line: u32,
    /// The node that handles requests, or `NO_NODE`.
    pub(crate) handler: u32,
}

/// Marks an unknown node.
pub(crate) const NO_NODE: u32 = u32::MAX;

#[derive(Archive, Serialize, Deserialize, Debug, Clone)]
pub(crate) struct OfferRecord {
    pub(crate) file: u32,
    pub(crate) kind: u8,
    /// Indices into `names`.
    pub(crate) key: u32,
    pub(crate) member: u32,
    pub(crate) node: u32,
    pub(crate) line: u32,
}

#[derive(Archive, Serialize, Deserialize, Debug, Clone)]
pub(crate) struct UseRecord {
    pub(crate) file: u32,
    pub(crate) kind: u8,
    /// Indices into `names`.
    pub(crate) key: u32,
    pub(crate) member: u32,
    pub(crate) node: u32,
    pub(crate) line: u32,
    pub(crate) confidence: f32,
    pub(crate) n_sites: u32,
    pub(crate) serves: bool,
}

/// The accesses to a member name in one file whose receiver type is unknown.
#[derive(Archive, Serialize, Deserialize, Debug, Clone)]
pub(crate) struct UnresolvedMemberRecord {
    /// Index into `names`.
    pub(crate) name: u32,
    pub(crate) file: u32,
    /// The line of the first access.
    pub(crate) line: u32,
    pub(crate) n_sites: u32,
}

/// The members of one name whose accesses are partly unresolved.
#[derive(Archive, Serialize, Deserialize, Debug, Clone)]
pub(crate) struct KnownMemberRecord {
    /// Index into `names`.
    pub(crate) name: u32,
    /// Number of members of this name.
    pub(crate) n_definitions: u32,
    /// Number of resolved accesses to them.
    pub(crate) n_accesses: u32,
}

impl ArchivedGraphTables {
    /// Returns the lines of an edge after the first one, given its index in `edges`, or behind its end in `attributed_edges`.
    pub(crate) fn lines_after_first(&self, edge_idx: usize) -> impl Iterator<Item = u32> + '_ {
        let start = self.further_lines.partition_point(|further| (further.edge.to_native() as usize) < edge_idx);
        let of_edge =
            self.further_lines[start..].iter().take_while(move |further| further.edge.to_native() as usize == edge_idx);
        of_edge.map(|further| further.line.to_native())
    }

    /// Returns an interned key or member. `integrity` has checked that every stored index is in range.
    pub(crate) fn name(&self, index: u32_le) -> &str {
        &self.names[index.to_native() as usize]
    }
}

impl ArchivedEdgeRecord {
    pub(crate) fn kind(&self) -> EdgeKind {
        EdgeKind::from_index(self.kind).unwrap_or(EdgeKind::References)
    }

    pub(crate) fn resolution(&self) -> Resolution {
        Resolution::from_index(self.resolution & !(DERIVED | ATTRIBUTED)).unwrap_or(Resolution::Ambiguous)
    }

    pub(crate) fn is_derived(&self) -> bool {
        self.resolution & DERIVED != 0
    }

    pub(crate) fn is_attributed(&self) -> bool {
        self.resolution & ATTRIBUTED != 0
    }
}
