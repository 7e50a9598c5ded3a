//! Errors of this crate.

use std::error::Error;

use index::IndexError;

/// Why a generation could not be loaded, exported or swept.
#[derive(Debug, thiserror::Error)]
pub enum ShareError {
    /// The configured address is invalid or unusable.
    #[error("{0}")]
    Address(String),
    /// The store did not answer, or answered with an error. A retry may succeed.
    #[error("the object store is unavailable: {0}")]
    Unavailable(String),
    /// The stored generation differs from the sealed one.
    #[error("the stored generation is damaged: {0}")]
    Damaged(String),
    /// This machine failed, not the store.
    #[error(transparent)]
    Local(#[from] IndexError),
}

impl ShareError {
    /// Converts an error of the store.
    pub(crate) fn unavailable(error: &object_store::Error) -> ShareError {
        ShareError::Unavailable(with_causes(error))
    }

    /// Converts an error of importing a loaded generation. Damage is attributed to the store, the rest to this machine.
    pub(crate) fn from_import(error: IndexError) -> ShareError {
        match error {
            IndexError::Damaged { reason, .. } => ShareError::Damaged(reason),
            error @ (IndexError::Format { .. } | IndexError::Text(_)) => ShareError::Damaged(error.to_string()),
            error => ShareError::Local(error),
        }
    }
}

/// Returns an error with its causes on one line. Query strings of URLs are removed, since they may contain a signature.
fn with_causes(error: &dyn Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !message.contains(&more) {
            message = format!("{message}: {more}");
        }
        cause = error.source();
    }
    let words = message.split_whitespace().map(|word| match word.split_once('?') {
        Some((address, _)) if address.contains("://") => address,
        _ => word,
    });
    words.collect::<Vec<_>>().join(" ").chars().take(MAX_CHARS).collect()
}

/// Maximum length of a message. Some stores answer with a page of HTML.
const MAX_CHARS: usize = 400;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_contain_no_signatures() {
        let source = "error performing GET https://a.example/x?sig=SECRET in 3s:\n refused".into();
        let error = object_store::Error::Generic { store: "test", source };
        let message = ShareError::unavailable(&error).to_string();
        assert!(message.contains("GET https://a.example/x in 3s: refused"), "{message}");
        assert!(!message.contains("SECRET"), "{message}");
    }
}
