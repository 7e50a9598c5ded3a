//! The code graph on disk: one archive, which is mapped and walked where it lies.

use rkyv::{Archive, Deserialize, Serialize, rend::u32_le};

/// The graph of a generation. Nodes are numbered: first the symbols, then the files, then the routes.
#[derive(Archive, Serialize, Deserialize, Debug, Default)]
pub(crate) struct GraphTables {
    pub(crate) n_symbols: u32,
    pub(crate) n_files: u32,
    /// By node, and one more: where its edges begin.
    pub(crate) out_starts: Vec<u32>,
    /// Sorted by `from`, `to` and kind.
    pub(crate) edges: Vec<EdgeRecord>,
    /// Edges as files say them where `edges` does not tell who says what, in the order of files.
    pub(crate) apart: Vec<SaidApart>,
    /// By node, and one more: where the edges to it begin in `incoming`.
    pub(crate) in_starts: Vec<u32>,
    /// Indices into `edges`.
    pub(crate) incoming: Vec<u32>,
    /// By node.
    pub(crate) importance: Vec<f32>,
    pub(crate) used_by: Vec<u32>,
    pub(crate) cycles: Vec<u32>,
    /// By file.
    pub(crate) files: Vec<FileGraphRecord>,
    pub(crate) communities: Vec<CommunityRecord>,
    /// In order.
    pub(crate) entry_points: Vec<u32>,
    /// In the order of their nodes.
    pub(crate) routes: Vec<RouteRecord>,
    /// The keys and members of offers and uses, each once, in order: most stand in many of them.
    pub(crate) names: Vec<String>,
    /// In the order of files.
    pub(crate) offers: Vec<OfferRecord>,
    pub(crate) uses: Vec<UseRecord>,
    /// Offers that are names of packages, in the order of key and member: indices into `offers`.
    pub(crate) members: Vec<u32>,
}

#[derive(Archive, Serialize, Deserialize, Debug, Clone, Copy)]
pub(crate) struct EdgeRecord {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) line: u32,
    pub(crate) n_sites: u16,
    pub(crate) kind: u8,
    /// The way it was found, with `DERIVED` and `SAID_APART`.
    pub(crate) resolution: u8,
}

/// Marks an edge that follows from other edges.
pub(crate) const DERIVED: u8 = 128;

/// Marks an edge that is among those in `apart`: it is not, or not only, said by the file that it begins in. A type begins
/// in one file, and what it implements can be said in another.
pub(crate) const SAID_APART: u8 = 64;

/// An edge as a file says it.
#[derive(Archive, Serialize, Deserialize, Debug, Clone, Copy)]
pub(crate) struct SaidApart {
    pub(crate) file: u32,
    pub(crate) edge: EdgeRecord,
}

#[derive(Archive, Serialize, Deserialize, Debug, Clone)]
pub(crate) struct FileGraphRecord {
    pub(crate) interface: [u8; 16],
    /// Files that its edges depend on, in order.
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
    /// The node that answers, or `NO_NODE`.
    pub(crate) handler: u32,
}

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

impl ArchivedGraphTables {
    /// Returns a key or member of an offer or use, which `sound` has found to be there.
    pub(super) fn name(&self, index: u32_le) -> &str {
        &self.names[index.to_native() as usize]
    }
}
