//! Terms of a query.

/// A term of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryTerm {
    /// The analysed term.
    pub text: String,
    /// 1, or less if the term is less likely to be what the user means.
    pub weight: f32,
    /// True for a term joined from several words of the query, which are terms themselves too.
    pub is_joined: bool,
}
