//! Syntax: turns the bytes of one file into its facts.
//!
//! [`extract()`] is total: it returns facts for any bytes, and its diagnostics list every part that could not be read.
//!
//! ```
//! use model::{Language, SymbolKind};
//!
//! let facts = syntax::extract(Language::Rust, b"/// Doubles.\nfn double(n: u32) -> u32 { add(n, n) }");
//!
//! let double = &facts.definitions[0];
//! assert_eq!((double.kind, double.name.as_str()), (SymbolKind::Function, "double"));
//! assert_eq!(double.signature, "fn double(n: u32) -> u32");
//! assert_eq!(double.doc, "Doubles.");
//! assert_eq!(facts.references[0].name, "add");
//! assert_eq!(facts.references[0].enclosing, Some(0));
//! ```
//!
//! Its nouns: a *grammar* is a tree-sitter parser with the *rules* of a language, which give node kinds a meaning; the
//! *walk* applies the rules to a tree and collects *definitions*, *references* and *imports*; the *code* of a file is its
//! scopes, bindings, expressions and types, from which a resolver infers the target of each call.
//!
//! Deliberately absent: other files, the clock, the network and configuration. Facts can therefore be cached by the hash
//! of a blob and [`EXTRACTOR_VERSION`]. No name is resolved, since that requires other files.
//!
//! Rules are tables that a walk looks up, and not tree-sitter queries: a query cursor keeps every pattern open that might
//! still match. With the patterns for references it costs as much as the parser, while the walk costs a third of that and
//! also handles scopes, receivers and docs, which queries cannot express.

#![warn(missing_docs)]

// The pipeline, and the choice of a grammar for a file.
mod dialect;
mod extract;
mod grammar;

// Source rewrites before parsing, and parsing.
mod c_macros;
mod call_signatures;
mod component_scripts;
mod conflict_markers;
mod ecmascript_wrapper;
mod node;
mod parsable_prefix;
mod parse;
mod rust_item_macros;
mod rust_macros;
mod syntax_errors;
mod variadic_annotations;

// The walk that collects facts, and the rules of each language.
mod languages;
mod walk;

// The text of single facts.
mod docs;
mod file_doc;
mod names;
mod signature;

// Facts in order, and the code of a file.
mod code;
mod nesting;

// Files without a grammar.
mod chunks;
mod documents;
mod markdown;

// Tokens with their classes, for display.
mod tokens;

// Calls with their arguments, for the review of a change.
mod written_calls;
mod written_literals;
mod written_macro_calls;

pub use extract::{EXTRACTOR_VERSION, extract, parse_only};
pub use parsable_prefix::{MAX_PARSED_BYTES, MAX_PARSED_DEPTH, MAX_PARSED_INDENTATIONS, MAX_PARSED_LINE_BYTES};
pub use tokens::{MAX_TOKENS, SourceToken, TokenClass, tokens};
pub use walk::collected::{MAX_DEFINITIONS, MAX_IMPORTS, MAX_REFERENCES};
pub use written_calls::{WrittenCall, written_calls};
