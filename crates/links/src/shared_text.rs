//! Texts that many links have in common: paths, keys and names. They are in memory once.

use std::{cell::RefCell, collections::HashSet, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A text that others share.
pub type SharedText = Arc<str>;

/// The texts of one repository, each once.
#[derive(Debug, Default)]
pub struct SharedTexts(RefCell<HashSet<SharedText>>);

impl SharedTexts {
    /// Returns the text that all equal ones share.
    pub fn share(&self, text: &str) -> SharedText {
        let mut texts = self.0.borrow_mut();
        if let Some(known) = texts.get(text) {
            return Arc::clone(known);
        }
        let shared = SharedText::from(text);
        texts.insert(Arc::clone(&shared));
        shared
    }
}

/// Serializes a text as it is.
pub(crate) fn serialize<S: Serializer>(text: &SharedText, serializer: S) -> Result<S::Ok, S::Error> {
    text.as_ref().serialize(serializer)
}

/// Reads a text, which is not shared yet.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SharedText, D::Error> {
    Ok(String::deserialize(deserializer)?.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_are_in_memory_once() {
        let texts = SharedTexts::default();
        let first = texts.share("src/a.rs");
        assert!(Arc::ptr_eq(&first, &texts.share("src/a.rs")));
        assert!(!Arc::ptr_eq(&first, &texts.share("src/b.rs")));
        assert_eq!(&*first, "src/a.rs");
    }
}
