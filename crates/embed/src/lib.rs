//! Embeddings: texts to vectors, and similarities of vectors.
//!
//! A [`Vector`] has 8-bit integers. Similarity is computed from integers only, so it is bit-identical on all machines.
//! A [`StaticModel`] is a table with a vector for each token, and the vector of a text is the sum of its tokens'
//! vectors; a [`WordCache`] adds weighted words. One such table is part of the binary. A [`Comparison`] computes the
//! similarity of single words. [`scan()`] compares a query with an array of vectors, [`packed_products`] with an array
//! of 4-bit vectors.
//!
//! An [`Embedder`] is the configured model: the built-in table, a table from a directory, or a remote service. Only the
//! last one blocks, fails and caches.
//!
//! Vectors of different models are not comparable; a [`ModelId`] identifies the model.
//!
//! ```
//! use embed::{Embedder, ModelConfig};
//!
//! let embedder = Embedder::open(&ModelConfig::BuiltIn, None).unwrap();
//! let vectors = embedder.embed(&["read the file", "load a document", "mutex"]).unwrap();
//! assert!(vectors[0].cosine(&vectors[1]) > vectors[0].cosine(&vectors[2]));
//! ```

#![warn(missing_docs)]

mod comparison;
mod config;
mod embedder;
mod endpoint;
mod error;
mod local;
mod model_id;
mod packed;
mod scan;
mod static_model;
mod table;
mod vector;
mod word_cache;
mod word_pieces;

pub use comparison::Comparison;
pub use config::{EndpointConfig, KeySource, ModelConfig};
pub use embedder::Embedder;
pub use endpoint::Endpoint;
pub use error::EmbedError;
pub use model_id::ModelId;
pub use packed::{pack, packed_inverse_norm, packed_len, packed_products};
pub use scan::scan;
pub use static_model::StaticModel;
pub use vector::{Vector, cosine, dot, inverse_norm};
pub use word_cache::{Sum, WordCache};
