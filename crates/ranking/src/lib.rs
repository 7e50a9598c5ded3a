//! How Causeway ranks: one definition, without shards, which shards and gateway then share out between them.
//!
//! In reading order: how text becomes terms (`analyser`), how a query is read (`query`), the fields of a row (`field`),
//! the statistics that make scores comparable and weigh the terms (`statistics`), the score of a row (`bm25f`) and of a file
//! (`aggregate`), what its meaning and its messages add (`blend`, `votes`), the matches of names and paths (`name`, `path`),
//! the fusion of the rankers' lists (`fusion`), and what a word that stands nowhere may have meant (`typo`).
//!
//! Pure: no file, clock, network or async. It knows nothing of tantivy, of shards or of wire messages.

pub mod aggregate;
pub mod analyser;
pub mod blend;
pub mod bm25f;
pub mod field;
pub mod fusion;
pub mod name;
pub mod path;
pub mod query;
pub mod statistics;
pub mod typo;
pub mod votes;

pub use aggregate::Kept;
pub use analyser::ANALYSER_VERSION;
pub use bm25f::{RELEVANCE_FLOOR, relevance};
pub use field::{Field, N_FIELDS};
pub use query::{Mode, QueryParts, QueryTerm};
pub use statistics::{Statistics, WeightedTerm, WeightedTerms};
