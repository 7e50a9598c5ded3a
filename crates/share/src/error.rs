//! What can go wrong between a worker and an object store.

use std::error::Error;

use index::IndexError;

/// Why a generation could not be loaded, exported or swept.
#[derive(Debug, thiserror::Error)]
pub enum ShareError {
    /// The configuration has to be mended.
    #[error("{0}")]
    Place(String),
    /// It may work the next time.
    #[error("the object store gave no answer: {0}")]
    Unavailable(String),
    /// What is stored is not what was sealed.
    #[error("what the object store holds is damaged: {0}")]
    Damaged(String),
    /// The trouble is on this machine.
    #[error(transparent)]
    Local(#[from] IndexError),
}

impl ShareError {
    pub(crate) fn store(error: &object_store::Error) -> ShareError {
        ShareError::Unavailable(with_causes(error))
    }

    /// Takes an error of a generation that arrived: damage is the store's, all else this machine's.
    pub(crate) fn arrival(error: IndexError) -> ShareError {
        match error {
            IndexError::Damaged { what, .. } => ShareError::Damaged(what),
            error @ (IndexError::Format { .. } | IndexError::Text(_)) => ShareError::Damaged(error.to_string()),
            error => ShareError::Local(error),
        }
    }
}

/// Returns an error with its causes, on one line and without the queries of addresses, which may hold a signature.
fn with_causes(error: &dyn Error) -> String {
    let mut said = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !said.contains(&more) {
            said = format!("{said}: {more}");
        }
        cause = error.source();
    }
    let words = said.split_whitespace().map(|word| match word.split_once('?') {
        Some((address, _)) if address.contains("://") => address,
        _ => word,
    });
    words.collect::<Vec<_>>().join(" ").chars().take(MAX_CHARS).collect()
}

/// What a log needs of an error; a store that answers a page of HTML is told by its beginning.
const MAX_CHARS: usize = 400;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_not_told() {
        let source = "error performing GET https://a.example/x?sig=SECRET in 3s:\n refused".into();
        let error = object_store::Error::Generic { store: "test", source };
        let said = ShareError::store(&error).to_string();
        assert!(said.contains("GET https://a.example/x in 3s: refused"), "{said}");
        assert!(!said.contains("SECRET"), "{said}");
    }
}
