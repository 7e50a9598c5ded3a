//! Model ids.

use std::fmt;

/// Number of hash digits that distinguish models of one name: 48 bits, for a handful of models.
const N_HASH_DIGITS: usize = 12;

/// Identity of a model, equal on all machines. Only vectors with equal model ids are comparable.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModelId(Box<str>);

impl ModelId {
    /// Returns the id of a model with this name and a hash of its data.
    pub(crate) fn of_content(name: &str, n_dims: usize, content: &blake3::Hash) -> ModelId {
        ModelId(format!("{name}/{n_dims}/{}", &content.to_hex()[..N_HASH_DIGITS]).into())
    }

    /// Returns the id of an endpoint's model, which is known by name only.
    pub(crate) fn of_name(name: &str, n_dims: usize) -> ModelId {
        ModelId(format!("endpoint/{n_dims}/{name}").into())
    }

    /// Returns the id from the text of [`ModelId::as_str`].
    pub fn from_text(text: &str) -> ModelId {
        ModelId(text.into())
    }

    /// Returns the id as text, for storage beside vectors.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
