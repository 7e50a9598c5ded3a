//! How many tokens a model would count.

/// Returns an estimate of the tokens in `text`.
pub fn estimate_tokens(text: &str) -> usize {
    text.len().div_ceil(3)
}
