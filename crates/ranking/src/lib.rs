//! Ranking: one definition without shards, which shards and the gateway evaluate in parts.
//!
//! Modules in reading order: tokenisation (`analyser`), query parsing (`query`), the fields of a row (`field`), corpus
//! statistics and term weights (`statistics`), the score of a row (`bm25f`) and of a file (`aggregate`), vector and
//! commit-message components (`blend`, `votes`), name and path matches (`name`, `path`), fusion of the rankers' lists
//! (`fusion`), the confidence of hits (`confidence`), and spelling correction (`edit_distance`, `typo`).
//!
//! Pure: no files, clock, network or async. It knows nothing of tantivy, of shards or of wire messages.
//!
//! ```
//! use ranking::{QueryMode, Statistics, query};
//!
//! let parts = query::parse("retry in HttpClient", QueryMode::Auto);
//! assert_eq!(parts.identifiers, ["HttpClient"]);
//! let mut statistics = Statistics::zero(parts.terms.len(), parts.identifiers.len());
//! statistics.rows = 100;
//! statistics.document_frequencies[0] = 7;
//! assert_eq!(statistics.weigh(&parts.terms).scored.len(), 1);
//! ```

#![warn(missing_docs)]

pub mod aggregate;
pub mod analyser;
pub mod blend;
pub mod bm25f;
pub mod confidence;
pub mod edit_distance;
pub mod field;
pub mod fusion;
pub mod name;
pub mod path;
pub mod query;
mod query_term;
pub mod statistics;
pub mod typo;
pub mod votes;

pub use aggregate::RequestedClasses;
pub use analyser::ANALYSER_VERSION;
pub use bm25f::{RELEVANCE_FLOOR, relevance};
pub use field::{Field, N_FIELDS};
pub use query::{QueryMode, QueryParts};
pub use query_term::QueryTerm;
pub use statistics::{Statistics, WeightedTerm, WeightedTerms};
