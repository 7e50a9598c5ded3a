//! SCIP indexes: what a compiler or type checker knows of a repository, as a file that its build writes.
//!
//! [`IndexReader`] reads the documents of an index one by one. [`fit`](fn@fit) compares a document with the text of its file, and keeps the
//! [`FittedOccurrence`]s whose ranges hold the name of their symbol. [`GlobalSymbol`] is a symbol by package and descriptors.
//! [`write()`] writes an index.
//!
//! ```
//! use compiler_index::{ExportedDocument, ExportedOccurrence, IndexReader, fit, write};
//!
//! let occurrence = ExportedOccurrence { line: 1, columns: (4, 5), symbol: "causeway pypi kit 1 a/f().".into(), is_definition: true };
//! let document = ExportedDocument { path: "a.py".into(), language: "Python".into(), occurrences: vec![occurrence], symbols: vec![] };
//! let bytes = write("0.1.0", vec![document], vec![])?;
//!
//! let mut input = &bytes[..];
//! let document = IndexReader::new(&mut input).documents().next().expect("there is a document")??;
//! let fitted = fit(document, "def f(): pass\n").expect("the text is that of the index");
//! assert_eq!((fitted.occurrences[0].name.as_str(), fitted.occurrences[0].line), ("f", 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate knows bytes and texts only: no repository, no definition of ours, and no edge. It is the only user of the crates `scip`
//! and `protobuf`.

#![warn(missing_docs)]

mod document;
mod fit;
mod position;
mod reader;
mod symbol;
mod writer;

pub use document::{IndexDocument, Occurrence, OccurrenceRange, PositionEncoding, Relationship};
pub use fit::{FittedDocument, FittedOccurrence, Misfit, fit};
pub use reader::{DocumentError, IndexReadError, IndexReader, MAX_INDEX_BYTES, MAX_SYMBOL_BYTES};
pub use symbol::{DescriptorKind, GlobalSymbol, SymbolDescriptor};
pub use writer::{ExportedDocument, ExportedOccurrence, ExportedSymbol, WriteError, write};
