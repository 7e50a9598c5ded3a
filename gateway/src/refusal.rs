//! What a caller hears who asks for what cannot be answered.

/// Why a request cannot be answered as it is, and what to ask instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Refusal(String);

impl Refusal {
    pub(crate) fn new(message: impl Into<String>) -> Refusal {
        Refusal(message.into())
    }
}
