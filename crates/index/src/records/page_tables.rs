//! The tables that depend on the graph and the history: pages, and hotspots.

use rkyv::{Archive, Deserialize, Serialize};

use super::tables::CompressedRange;

/// The pages of a generation, and figures about its files.
#[derive(Archive, Serialize, Deserialize, Debug, Default)]
pub(crate) struct PageTables {
    /// By file: the type of its page.
    pub(crate) type_of_file: Vec<u8>,
    /// By file: its hotspot figures, which depend on the complexity of the other files. Empty if no file has a known history.
    pub(crate) hotspots: Vec<Option<HotspotRecord>>,
    /// Sorted by type and path.
    pub(crate) pages: Vec<PageRecord>,
    /// Compressed blocks of page text. A block holds several pages.
    pub(crate) blocks: Vec<CompressedRange>,
}

#[derive(Archive, Serialize, Deserialize, Debug, Clone)]
pub(crate) struct PageRecord {
    pub(crate) page_type: u8,
    pub(crate) path: String,
    /// Empty if equal to the path.
    pub(crate) title: String,
    pub(crate) block: u32,
    /// Offset of its text in the decompressed block.
    pub(crate) start: u32,
    pub(crate) n_bytes: u32,
    /// The first eight bytes of the BLAKE3 hash of its text.
    pub(crate) hash: u64,
    /// The same of everything but the history that the page of a file or a module is rendered from; 0 for the page of the repository.
    pub(crate) inputs: u64,
}

/// The shares of files with less churn, and with less complexity; and their score.
#[derive(Archive, Serialize, Deserialize, Debug, Clone, Copy, PartialEq)]
pub(crate) struct HotspotRecord {
    pub(crate) score: f32,
    pub(crate) churn_share: f32,
    pub(crate) complexity_share: f32,
}
