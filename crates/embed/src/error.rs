//! Why there are no vectors.

/// What keeps a model from being used; the text says of which one, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmbedError {
    /// It stays so until somebody changes the configuration, the files of the model, or what the endpoint serves.
    #[error("{0}")]
    Misconfigured(String),
    /// It may be otherwise in a while. What was answered before is kept, where there is a store.
    #[error("{0}; try again later")]
    Unavailable(String),
}
