//! The input of a search.

use embed::{ModelId, cosine, inverse_norm};
use model::Filter;
use ranking::RequestedClasses;

/// A search in one repository.
#[derive(Debug, Clone)]
pub struct SearchQuery<'a> {
    /// Terms with their weights over all searched repositories, largest weight first.
    pub terms: &'a [(String, f32)],
    /// Weight of the name of the repository, if the query contains it. The name is not among the terms then.
    pub name_weight: f32,
    /// The query as a vector, if there is a model.
    pub vector: Option<QueryVector<'a>>,
    /// Identifiers of the query, with the number of definitions of that name in all searched repositories.
    pub identifiers: &'a [(String, u64)],
    /// Paths and parts of paths in the query.
    pub paths: &'a [String],
    /// Restricts files and rows.
    pub filter: &'a Filter,
    /// The file classes whose scores are not demoted.
    pub kept: RequestedClasses,
    /// Maximum number of files per ranker.
    pub limit: usize,
}

/// The vector of a query, with the model that made it.
#[derive(Debug, Clone)]
pub struct QueryVector<'a> {
    /// The model; only vectors of this model are compared.
    pub model: ModelId,
    /// The quantised components.
    pub codes: &'a [i8],
    /// One divided by the length of the codes.
    pub inverse_norm: f32,
}

impl<'a> QueryVector<'a> {
    /// Returns the vector with these codes.
    pub fn new(model: ModelId, codes: &'a [i8]) -> QueryVector<'a> {
        QueryVector { model, codes, inverse_norm: inverse_norm(codes) }
    }

    /// Returns the cosine with a vector, given the dot product and the inverse norm of that vector.
    pub(crate) fn cosine(&self, dot_product: i32, inverse_norm: f32) -> f32 {
        cosine(dot_product, inverse_norm, self.inverse_norm)
    }
}
