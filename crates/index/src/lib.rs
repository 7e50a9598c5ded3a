//! One generation on disk: written, sealed, published, opened, searched.
//!
//! A generation is the index of one repository at one commit. It is written into a staging folder (`writer`, from the
//! rows of `row`), sealed by a manifest of checksums (`manifest`), made current by one rename (`catalog`), and read through a
//! `Snapshot`, which maps its files and never changes. It leaves for another machine and comes from one by `transfer`. The queries of a snapshot are one file each: `search`, `symbols`,
//! `outline`, `source`, `suggest`, `pages`, `overview`, `messages`, `nearness`; walks of its code graph are in `graph/`, the past of its files in `history`.
//!
//! This crate knows files and tantivy. It deliberately knows nothing of git, of grammars, of wire messages, of async, or of
//! any repository but the one at hand: scores are computed under statistics that come from outside.

mod catalog;
mod complexity;
mod durable;
mod error;
mod graph;
mod history;
mod manifest;
mod mapped;
mod meaning;
mod messages;
mod nearness;
mod outline;
pub mod overview;
mod packed;
mod pages;
mod row;
mod search;
mod snapshot;
mod sound;
mod source;
mod suggest;
mod symbols;
mod table;
mod term_counts;
mod text;
mod transfer;
mod vectors;
mod wording;
mod words;
mod writer;

pub use catalog::{RepositoryDir, publish, sweep_unknown};
pub use error::IndexError;
pub use graph::{
    CallEnd, CallView, CommunityView, EdgeQuery, EdgeView, Neighbours, NewGraph, NodeCard, NodePlace, NodeView,
    OfferView, RouteView, UseView,
};
pub use history::{ActiveDays, CommitQuery, FoundCommit, NewHistory};
pub use manifest::{Checksum, FORMAT_VERSION, LanguageCount, Manifest};
pub use meaning::{Meanings, row_texts};
pub use messages::MessageHit;
pub use nearness::{QueryWords, RowComparer};
pub use outline::FileOutline;
pub use overview::Overview;
pub use pages::PageView;
pub use search::{BestName, FileHit, NameHit, Named, RowHit, RowScore, SearchQuery};
pub use snapshot::{Snapshot, Source, SymbolView};
pub use symbols::{SymbolHit, SymbolHits, SymbolQuery, Wanted};
pub use table::FileView;
pub use transfer::{Export, ExportedFile, GenerationKey, Import};
pub use vectors::QueryVector;
pub use words::PageHit;
pub use writer::{GenerationWriter, NewFile, Provenance};
