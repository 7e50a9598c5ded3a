//! What text means, as numbers: texts to vectors, and vectors to how near they are.
//!
//! A [`Vector`] is a handful of small integers; how near two are is computed from integers alone, so that every machine
//! agrees to the bit. A [`StaticModel`] is a table with a vector for each token, and a text is the sum of its tokens:
//! word by word through a [`WordCache`], for those who weigh words. One such table is part of the program.
//! A [`Comparison`] tells how near single words are.
//! [`scan()`] compares a query with a whole array of vectors; [`packed_products`] with one of half the size.
//!
//! An [`Embedder`] is the model that a configuration names: the built-in table, one from a directory, or a service that
//! is asked over the network. Only the last waits, fails, and remembers.
//!
//! Vectors of two models never meet: a [`ModelId`] tells any two apart.

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
