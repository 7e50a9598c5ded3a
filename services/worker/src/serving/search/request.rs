//! A search as it came over the wire, checked.

use std::collections::BTreeMap;

use embed::ModelId;
use index::{QueryVector, SearchQuery};
use model::Filter;
use proto::v1;
use ranking::Kept;
use tonic::Status;

/// Files that each ranker may return at most, whatever is asked for.
const MAX_FILES: u32 = 2_000;

/// A search that can be asked.
pub(super) struct Query {
    terms: Vec<(String, f32)>,
    addressed: BTreeMap<String, Addressed>,
    vector: Option<(ModelId, Vec<i8>)>,
    message_vector: Option<(ModelId, Vec<i8>)>,
    identifiers: Vec<(String, u64)>,
    paths: Vec<String>,
    filter: Filter,
    kept: Kept,
    limit: usize,
}

/// What is asked of a repository that the query names.
struct Addressed {
    /// Those that do not name it.
    terms: Vec<(String, f32)>,
    name_weight: f32,
}

impl Query {
    pub(super) fn read(request: &v1::SearchRequest) -> Result<Query, Status> {
        if request.terms.iter().any(|term| !term.weight.is_finite() || term.weight < 0.0) {
            return Err(Status::invalid_argument("a term has a weight that cannot be"));
        }
        if !request.terms.is_sorted_by(|a, b| a.weight >= b.weight) {
            return Err(Status::invalid_argument("terms come with the weightiest first"));
        }
        let kept = request.kept.unwrap_or_default();
        let vector = |vector: &v1::QueryVector| {
            let codes = vector.codes.iter().map(|code| *code as i8).collect();
            (ModelId::from_text(&vector.model), codes)
        };
        if request.addressed.iter().any(|addressed| !addressed.weight.is_finite() || addressed.weight < 0.0) {
            return Err(Status::invalid_argument("a name of a repository has a weight that cannot be"));
        }
        let terms: Vec<(String, f32)> = request.terms.iter().map(|term| (term.text.clone(), term.weight)).collect();
        let addressed = |addressed: &v1::Addressed| {
            let names_it = |term_idx: usize| addressed.terms.iter().any(|named| *named as usize == term_idx);
            let rest = terms.iter().enumerate().filter(|(term_idx, _)| !names_it(*term_idx));
            let terms = rest.map(|(_, term)| term.clone()).collect();
            (addressed.repository.clone(), Addressed { terms, name_weight: addressed.weight })
        };
        Ok(Query {
            addressed: request.addressed.iter().map(addressed).collect(),
            terms,
            vector: request.vector.as_ref().map(vector),
            message_vector: request.message_vector.as_ref().map(vector),
            identifiers: request.identifiers.iter().map(|named| (named.name.clone(), named.count)).collect(),
            paths: request.paths.clone(),
            filter: Filter::try_from(&request.filter.clone().unwrap_or_default())?,
            kept: Kept { tests: kept.tests, docs: kept.docs, config: kept.config },
            limit: request.limit.clamp(1, MAX_FILES) as usize,
        })
    }

    /// Returns what is asked of the repositories that the query does not name.
    pub(super) fn of_others(&self) -> SearchQuery<'_> {
        SearchQuery {
            terms: &self.terms,
            name_weight: 0.0,
            vector: borrowed(&self.vector),
            identifiers: &self.identifiers,
            paths: &self.paths,
            filter: &self.filter,
            kept: self.kept,
            limit: self.limit,
        }
    }

    /// Returns what is asked of a repository.
    pub(super) fn of(&self, repository: &str) -> SearchQuery<'_> {
        match self.addressed.get(repository) {
            Some(Addressed { terms, name_weight }) => {
                SearchQuery { terms, name_weight: *name_weight, ..self.of_others() }
            }
            None => self.of_others(),
        }
    }

    /// Returns what messages of commits are compared with.
    pub(super) fn message_vector(&self) -> Option<QueryVector<'_>> {
        borrowed(&self.message_vector)
    }
}

fn borrowed(vector: &Option<(ModelId, Vec<i8>)>) -> Option<QueryVector<'_>> {
    vector.as_ref().map(|(model, codes)| QueryVector::new(model.clone(), codes))
}
