//! The data types of Causeway. Modules in reading order: ids, spans, files and their facts, code, documents of settings, symbols, pages,
//! search filters, shard states, commits, file history, and placement.
//!
//! Pure: no files, clock, network or async. All types are plain data, and all functions are total.
//!
//! ```
//! use model::{Language, SymbolId, symbol};
//!
//! assert_eq!(Language::of_path("src/app.py"), Language::Python);
//! let id = SymbolId { path: "src/app.py".into(), qualified: symbol::qualify("Flask", "run"), ordinal: 2 };
//! assert_eq!(id.to_string(), "src/app.py::Flask.run#2");
//! ```

#![warn(missing_docs)]

pub mod code;
pub mod commit;
pub mod document;
pub mod domain;
pub mod facts;
pub mod file_class;
pub mod filter;
pub mod history;
pub mod ids;
pub mod language;
pub mod page;
pub mod placement;
pub mod shard_state;
pub mod span;
pub mod symbol;
pub mod version_tag;

pub use code::Code;
pub use commit::{Change, ChangeKind, Commit, Extent, Newest, Person, WalkedTo};
pub use document::{DocumentEntry, DocumentFormat, SettingsDocument};
pub use domain::Domain;
pub use facts::{Chunk, Definition, Diagnostic, FileFacts, Import, Reference, ReferenceKind};
pub use file_class::FileClass;
pub use filter::{ContentKind, Filter};
pub use history::{ActiveCommit, CoChange, Direction, FileChange, FileHistory, Hotspot, Message, Ownership};
pub use ids::{BlobId, CommitId, ContentsId, GenerationId, ParseIdError, RepoId};
pub use language::Language;
pub use page::PageType;
pub use shard_state::ShardState;
pub use span::{ByteSpan, LineSpan};
pub use symbol::{SymbolId, SymbolKind};
pub use version_tag::VersionTag;
