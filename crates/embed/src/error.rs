//! Reasons why there are no vectors.

/// Reason why a model cannot be used. The message names the model and the remedy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmbedError {
    /// Permanent until the configuration, the files of the model or the endpoint's model change.
    #[error("{0}")]
    Misconfigured(String),
    /// Transient. Vectors that were cached remain available.
    #[error("{0}; try again later")]
    Unavailable(String),
}
