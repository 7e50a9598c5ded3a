//! Syntax: the bytes of one file to its facts.
//!
//! [`extract()`] is total: it returns facts for any bytes, and says in the diagnostics what it could not read. It knows no
//! other file, no clock and no network, so that facts can be cached by the hash of a blob and [`EXTRACTOR_VERSION`].
//!
//! A file is parsed with a tree-sitter grammar and walked once. What the nodes of a grammar mean is written as a table per
//! language (`languages/`), in one vocabulary (`rules`). The tables are walked rather than compiled to tree-sitter
//! queries, since a query cursor keeps every pattern open that might still match: with the patterns that references need
//! it costs as much again as the parser, while the walk costs a third of that, and scopes, receivers and docs, which
//! queries cannot express, come with it.
//!
//! In reading order: `extract` is the pipeline, `grammar` and `rules` say what nodes mean (`node`), `walk` visits them (`scope`,
//! `leading`, `define` and `mention` are what rules can ask and say) and records `drafts`, `nesting` puts those in order. `names`, `signature`, `docs` and `file_doc` write single facts. `dialect` and
//! `macros` deal with C and C++ as they are in the field, `rust_items` with items in macros; `markdown` and `chunks` with files that have no grammar.
//!
//! `code` walks the tree of a language once more, top down, for what a resolver of calls needs: scopes, values and types.
//!
//! No use of a name is resolved here: that takes other files.

mod chunks;
mod code;
mod define;
mod dialect;
mod docs;
mod drafts;
mod errors;
mod extract;
mod file_doc;
mod grammar;
mod languages;
mod leading;
mod macros;
mod markdown;
mod mention;
mod names;
mod nesting;
mod node;
mod parse;
mod rules;
mod rust_items;
mod scope;
mod signature;
mod walk;

pub use drafts::{MAX_DEFINITIONS, MAX_IMPORTS, MAX_REFERENCES};
pub use extract::{EXTRACTOR_VERSION, MAX_PARSED_BYTES, MAX_PARSED_DEPTH, MAX_PARSED_LINE_BYTES, extract, parse_only};
