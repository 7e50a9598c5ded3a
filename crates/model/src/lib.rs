//! The nouns of Causeway, in reading order: identities, spans, files and their facts, the code in them, symbols, pages, queries,
//! coverage, commits and what they say of a file.
//!
//! This crate deliberately knows no file, clock, network or async: every type here is plain data, and every
//! function a total function of its arguments.

pub mod code;
pub mod commit;
pub mod coverage;
pub mod domain;
pub mod facts;
pub mod file_class;
pub mod filter;
pub mod history;
pub mod ids;
pub mod language;
pub mod page;
pub mod placement;
pub mod span;
pub mod symbol;

pub use code::Code;
pub use commit::{Change, ChangeKind, Commit, Extent, Newest, Person, WalkedTo};
pub use coverage::{Answer, Coverage, ShardState, Shortfall};
pub use domain::Domain;
pub use facts::{Chunk, Definition, Diagnostic, FileFacts, Import, Reference, ReferenceKind};
pub use file_class::FileClass;
pub use filter::{ContentKind, Filter};
pub use history::{ActiveCommit, CoChange, Direction, FileChange, FileHistory, Hotspot, Message, Ownership};
pub use ids::{BlobId, CommitId, GenerationId, ParseIdError, RepoId};
pub use language::Language;
pub use page::PageType;
pub use span::{ByteSpan, LineSpan};
pub use symbol::{SymbolId, SymbolKind};
