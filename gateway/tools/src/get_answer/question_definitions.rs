//! The definitions of the names in a question: looked up by name, and moved to ranks that are read.

use std::collections::BTreeSet;

use model::{FileClass, Filter};
use proto::v1;
use ranking::analyser;

use super::{
    absent_words::{frequency, is_mentioned},
    evidence::{EvidenceHit, EvidencePlace},
    question::Question,
    side_folders,
};
use federation::{
    answer::{Answer, Shortfalls},
    call::CallContext,
    entity::nearest_names,
    outline::span,
    plan::Plan,
    repo_idx::RepoIdx,
    retrieval::RetrievalResult,
    symbol_matches::{DefinitionMatch, rank},
};

/// Maximum number of definitions of one name.
const MAX_OF_NAME: usize = 3;

/// Relevance, from 0 to 10, of a definition that the question names: that of an exact name in a search.
pub(super) const NAMED_RELEVANCE: f32 = 6.0;

/// Maximum number of files that are added for a name although the retrieval did not return them.
const MAX_INSERTED: usize = 2;

/// Rank at which such definitions are inserted.
const NAMED_PLACE: usize = 2;

/// The definitions of the names in a question.
#[derive(Default)]
pub(super) struct QuestionDefinitions {
    /// Names without a definition, each with ids of the nearest definitions.
    pub(super) undefined: Vec<UndefinedName>,
    /// Names with several definitions, each with their ids.
    pub(super) ambiguous: Vec<(String, Vec<String>)>,
    /// All definitions of its certain names.
    pub(super) definitions: Vec<DefinitionMatch>,
}

/// A name of a question that nothing defines.
#[derive(Debug)]
pub(super) struct UndefinedName {
    pub(super) name: String,
    /// Similar names that are defined.
    pub(super) nearest: Vec<String>,
    /// True if a part of the name occurs in no file. Otherwise only the places that were read are known not to mention the name.
    pub(super) is_nowhere: bool,
}

/// Finds the definitions of the names in a question, and promotes the few that certainly are meant to ranks that are read. `whole` is the
/// retrieval of the whole question.
pub(super) async fn find(
    call: &CallContext<'_>,
    plan: &Plan,
    (question, filter): (&Question, &Filter),
    (whole, named_repositories): (&RetrievalResult, &BTreeSet<RepoIdx>),
    hits: &mut Vec<EvidenceHit>,
) -> Answer<QuestionDefinitions> {
    let (mut found_names, mut n_inserted) = (QuestionDefinitions::default(), 0);
    let mut shortfalls = Shortfalls::default();
    for (name, is_sure) in names(question) {
        let definitions = definitions_named(call, &plan.without(&shortfalls), name, filter).await;
        shortfalls.extend(definitions.shortfalls);
        let found = prefer_named_repositories(definitions.value, named_repositories);
        if found.is_empty() && is_sure {
            let mentioned = is_mentioned(call, &plan.without(&shortfalls), name, filter).await;
            shortfalls.extend(mentioned.shortfalls);
            if mentioned.value {
                continue;
            }
            let overlay = call.overlay().await;
            let nearest = nearest_names(call, &plan.without(&shortfalls), &overlay, name).await;
            shortfalls.extend(nearest.shortfalls);
            let is_nowhere = analyser::terms(name).iter().any(|term| frequency(whole, term) == 0);
            found_names.undefined.push(UndefinedName { name: name.clone(), nearest: nearest.value, is_nowhere });
        }
        // Overloads, and a type and its constructors, count as one definition.
        let mut files: BTreeSet<(RepoIdx, &str)> = BTreeSet::new();
        let distinct: Vec<&DefinitionMatch> =
            found.iter().filter(|found| files.insert((found.repo_idx, found.path.as_str()))).collect();
        // An example of its use is no other meaning of a name.
        let is_product = |found: &&&DefinitionMatch| {
            found.class == FileClass::Source && !side_folders::is_in_side_folder(&found.path)
        };
        let is_of_product = distinct.iter().filter(is_product).count() == 1 && !side_folders::is_named(&question.text);
        if distinct.len() > 1 && is_sure && !is_of_product {
            let id = |found: &&DefinitionMatch| {
                federation::symbol_ref::full_id(plan.alias(found.repo_idx), &found.path, &found.symbol)
            };
            found_names.ambiguous.push((name.clone(), distinct.iter().map(id).collect()));
        }
        if distinct.len() <= MAX_OF_NAME {
            distinct
                .iter()
                .rev()
                .for_each(|found| promote(hits, found, is_sure && n_inserted < MAX_INSERTED, &mut n_inserted));
        }
        if is_sure {
            found_names.definitions.extend(found);
        }
    }
    Answer { value: found_names, shortfalls }
}

/// Returns possible names of definitions, and whether each is certainly a name.
fn names(question: &Question) -> impl Iterator<Item = (&String, bool)> {
    let sure = question.names.iter().map(|name| (name, true));
    sure.chain(question.maybe_names.iter().map(|name| (name, false)))
}

/// Returns the definitions with exactly this name.
async fn definitions_named(
    call: &CallContext<'_>,
    plan: &Plan,
    name: &str,
    filter: &Filter,
) -> Answer<Vec<DefinitionMatch>> {
    /// Limit per worker: more than are ever shown.
    const MAX_ASKED: u32 = 20;
    let query = Some(v1::symbols_request::Query::Name(name.to_owned()));
    let request = v1::SymbolsRequest { query, filter: Some(filter.into()), limit: MAX_ASKED, ..Default::default() };
    let replies = call.symbols(plan, &request).await;
    let is_exact = |found: &DefinitionMatch| found.tier == v1::NameTier::Exact;
    replies.map(|replies| rank(plan, replies).into_iter().filter(is_exact).collect())
}

/// Returns the definitions in the repositories of the question; all definitions if it names none that has one.
fn prefer_named_repositories(
    found: Vec<DefinitionMatch>,
    named_repositories: &BTreeSet<RepoIdx>,
) -> Vec<DefinitionMatch> {
    let is_in_named = |found: &DefinitionMatch| named_repositories.contains(&found.repo_idx);
    if found.iter().any(is_in_named) { found.into_iter().filter(is_in_named).collect() } else { found }
}

/// Promotes a definition that the question names to a rank that is read.
fn promote(hits: &mut Vec<EvidenceHit>, found: &DefinitionMatch, is_sure: bool, n_inserted: &mut usize) {
    let lines = span(found.symbol.lines.unwrap_or_default());
    let known = hits.iter().position(|hit| hit.repo_idx == found.repo_idx && hit.file.path == found.path);
    let hit_idx = match known {
        Some(hit_idx) => hit_idx,
        None if is_sure => {
            *n_inserted += 1;
            let file = v1::File {
                path: found.path.clone(),
                blob: found.blob.clone(),
                class: v1::FileClass::from(found.class).into(),
                lines: lines.end,
                ..Default::default()
            };
            let (repo_idx, relevance) = (found.repo_idx, NAMED_RELEVANCE);
            let hit = EvidenceHit {
                repo_idx,
                file,
                relevance,
                places: Vec::new(),
                found_by_sides: [false; 2],
                purpose: String::new(),
            };
            let at = NAMED_PLACE.min(hits.len());
            hits.insert(at, hit);
            at
        }
        None => return,
    };
    let hit = &mut hits[hit_idx];
    hit.relevance = hit.relevance.max(if is_sure { NAMED_RELEVANCE } else { 0.0 });
    let is_same_symbol =
        |place: &EvidencePlace| place.symbol.as_ref().is_some_and(|symbol| symbol.node == found.symbol.node);
    let known = hit.places.iter().position(is_same_symbol).map(|place_idx| hit.places.remove(place_idx));
    let rank = hit.places.first().map_or(hit_idx, |place| place.rank);
    let fresh =
        EvidencePlace { symbol: Some(found.symbol.clone()), lines, rank, is_named: false, source: String::new() };
    let place = known.unwrap_or(fresh);
    hit.places.insert(0, EvidencePlace { is_named: is_sure, rank: place.rank.min(rank), ..place });
}
