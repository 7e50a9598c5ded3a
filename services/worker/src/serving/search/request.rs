//! The request of a search, checked.

use std::collections::BTreeMap;

use embed::ModelId;
use index::{QueryVector, SearchQuery};
use model::Filter;
use proto::v1;
use ranking::RequestedClasses;
use tonic::Status;

/// Maximum number of files of each ranker.
const MAX_FILES: u32 = 2_000;

/// A valid search.
pub(super) struct CheckedSearch {
    terms: Vec<(String, f32)>,
    /// The repositories that the query mentions.
    mentions: BTreeMap<String, RepoMention>,
    vector: Option<(ModelId, Vec<i8>)>,
    message_vector: Option<(ModelId, Vec<i8>)>,
    identifiers: Vec<(String, u64)>,
    paths: Vec<String>,
    filter: Filter,
    kept: RequestedClasses,
    limit: usize,
}

/// The query of a repository that it mentions.
struct RepoMention {
    /// The terms without its name.
    terms: Vec<(String, f32)>,
    name_weight: f32,
}

impl CheckedSearch {
    pub(super) fn check(request: &v1::SearchRequest) -> Result<CheckedSearch, Status> {
        if request.terms.iter().any(|term| !term.weight.is_finite() || term.weight < 0.0) {
            return Err(Status::invalid_argument("a term has an invalid weight"));
        }
        if !request.terms.is_sorted_by(|a, b| a.weight >= b.weight) {
            return Err(Status::invalid_argument("terms must be in descending order of weight"));
        }
        let requested_classes = request.kept.unwrap_or_default();
        let vector = |vector: &v1::QueryVector| {
            let codes = vector.codes.iter().map(|code| *code as i8).collect();
            (ModelId::from_text(&vector.model), codes)
        };
        if request.addressed.iter().any(|addressed| !addressed.weight.is_finite() || addressed.weight < 0.0) {
            return Err(Status::invalid_argument("a name of a repository has an invalid weight"));
        }
        let terms: Vec<(String, f32)> = request.terms.iter().map(|term| (term.text.clone(), term.weight)).collect();
        let mention = |addressed: &v1::Addressed| {
            let is_name = |term_idx: usize| addressed.terms.iter().any(|named| *named as usize == term_idx);
            let rest = terms.iter().enumerate().filter(|(term_idx, _)| !is_name(*term_idx));
            let terms = rest.map(|(_, term)| term.clone()).collect();
            (addressed.repository.clone(), RepoMention { terms, name_weight: addressed.weight })
        };
        Ok(CheckedSearch {
            mentions: request.addressed.iter().map(mention).collect(),
            terms,
            vector: request.vector.as_ref().map(vector),
            message_vector: request.message_vector.as_ref().map(vector),
            identifiers: request.identifiers.iter().map(|named| (named.name.clone(), named.count)).collect(),
            paths: request.paths.clone(),
            filter: Filter::try_from(&request.filter.clone().unwrap_or_default())?,
            kept: RequestedClasses {
                tests: requested_classes.tests,
                docs: requested_classes.docs,
                config: requested_classes.config,
            },
            limit: request.limit.clamp(1, MAX_FILES) as usize,
        })
    }

    /// Returns the query of the repositories that it does not mention.
    pub(super) fn of_others(&self) -> SearchQuery<'_> {
        SearchQuery {
            terms: &self.terms,
            name_weight: 0.0,
            vector: as_query_vector(&self.vector),
            identifiers: &self.identifiers,
            paths: &self.paths,
            filter: &self.filter,
            kept: self.kept,
            limit: self.limit,
        }
    }

    /// Returns the query of a repository.
    pub(super) fn of(&self, repository: &str) -> SearchQuery<'_> {
        match self.mentions.get(repository) {
            Some(RepoMention { terms, name_weight }) => {
                SearchQuery { terms, name_weight: *name_weight, ..self.of_others() }
            }
            None => self.of_others(),
        }
    }

    /// Returns the vector that messages of commits are compared with.
    pub(super) fn message_vector(&self) -> Option<QueryVector<'_>> {
        as_query_vector(&self.message_vector)
    }
}

fn as_query_vector(vector: &Option<(ModelId, Vec<i8>)>) -> Option<QueryVector<'_>> {
    vector.as_ref().map(|(model, codes)| QueryVector::new(model.clone(), codes))
}
