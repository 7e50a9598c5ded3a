//! One generation on disk: written, sealed, published, opened and searched.
//!
//! A generation is the index of one repository at one commit, in a folder that never changes once it is sealed.
//!
//! - A [`GenerationWriter`] writes it into a staging folder, and seals it with a [`GenerationManifest`] of checksums.
//! - [`publish`] verifies it and makes it the current one of its [`RepositoryDir`].
//! - A [`Snapshot`] maps its files and answers queries. Each query has a file: `search`, `symbols`, `graph`, ...
//! - A [`GenerationExport`] and a [`GenerationImport`] move it to another machine.
//!
//! This crate knows files and tantivy. It deliberately does not know git, grammars, wire messages, async code, or any other
//! repository: term weights are global, so the caller computes them and passes them in.
//!
//! See `examples/index_and_search.rs` for the whole path.
#![warn(missing_docs)]

// The format: identity, records, and access to files.
mod compression;
mod durable;
mod error;
mod generation;
mod manifest;
mod mapped;
pub mod overview;
mod records;
mod rows;
mod term_map;
mod text_index;

// Reading: an open generation, and its queries.
mod archives;
mod folder;
mod graph;
mod history;
mod integrity;
mod late_interaction;
mod outline;
mod overview_query;
mod pages;
mod search;
mod snapshot;
mod source;
mod suggest;
mod symbols;
mod views;

// Writing, publishing and transfer.
mod repository_dir;
mod row_vectors;
mod term_counts;
mod transfer;
mod writer;

pub use error::IndexError;
pub use folder::{ListedEntry, ListedFolder};
pub use generation::{ChangedFiles, FORMAT_VERSION, GenerationKey, GenerationProvenance};
pub use graph::{
    CallEnd, CallView, CommunityView, EdgePage, EdgeQuery, EdgeView, NameUse, Neighbours, NodeCard, NodeDetail,
    NodeView, OfferView, RouteView, UseView,
};
pub use history::{ActiveDays, CommitQuery, FoundCommit};
pub use late_interaction::{QueryWords, RowComparer};
pub use manifest::{Checksum, GenerationLoss, GenerationManifest, LanguageCount};
pub use outline::FileOutline;
pub use overview::Overview;
pub use pages::PageView;
pub use repository_dir::{RepositoryDir, publish, sweep_unknown};
pub use row_vectors::{RowEmbedder, row_texts};
pub use search::{
    BestName, FileHit, MessageHit, NameHit, NameMatches, PageHit, QueryVector, RowHit, RowScore, SearchQuery,
};
pub use snapshot::{GenerationDraft, Snapshot};
pub use source::SourceExcerpt;
pub use symbols::{SymbolHit, SymbolHits, SymbolQuery, SymbolSelector};
pub use transfer::{ExportedFile, GenerationExport, GenerationImport};
pub use views::{FileView, SymbolView};
pub use writer::{DraftChanges, GenerationWriter, NewFile, NewGraph, NewHistory, ReusedFile, WrittenRows};
