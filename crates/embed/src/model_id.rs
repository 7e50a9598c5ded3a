//! The name of a model that no other model has.

use std::fmt;

/// Hexadecimal digits of a hash that tell models of one name apart. 48 bits: there are never more than a few of them.
const N_HASH_DIGITS: usize = 12;

/// Tells any two models apart, on every machine in the same way. Vectors compare only where this is equal.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModelId(Box<str>);

impl ModelId {
    /// Returns the id of a model of this name whose vectors come from what was hashed.
    pub(crate) fn of_content(name: &str, n_dims: usize, content: &blake3::Hash) -> ModelId {
        ModelId(format!("{name}/{n_dims}/{}", &content.to_hex()[..N_HASH_DIGITS]).into())
    }

    /// Returns the id of a model that is known only by the name that its provider gave it, wherever it is asked.
    pub(crate) fn of_name(name: &str, n_dims: usize) -> ModelId {
        ModelId(format!("endpoint/{n_dims}/{name}").into())
    }

    /// Returns the id that was written as this text by [`ModelId::as_str`].
    pub fn from_text(text: &str) -> ModelId {
        ModelId(text.into())
    }

    /// Returns the id as text, to be kept beside vectors.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
