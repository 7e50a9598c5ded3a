//! Evidence retrieval: for the question, for each of its sides, for the definitions that it names, and the text to
//! read.

use std::collections::{BTreeMap, BTreeSet};

use model::{Filter, LineSpan, PageType};
use proto::v1;
use ranking::{
    analyser,
    query::{self, QueryMode, content_words, is_stop_word},
};

use super::{
    absent_words, answer_text, comment,
    evidence::{EvidenceHit, EvidencePlace},
    gates,
    question::{Question, is_function_word},
    request::AnswerRequest,
};
use federation::{
    answer::Answer,
    call::CallContext,
    entity::nearest_names,
    fetch::{FetchedSource, PageRequest, SourceRequest},
    merge::{self, FoundFile, RankedFile},
    outline::span,
    plan::Plan,
    repo_idx::RepoIdx,
    repo_mentions,
    retrieval::{RetrievalRequest, RetrievalResult},
    symbol_matches::{DefinitionMatch, rank},
};

/// Files to request from each ranker.
const DEPTH: usize = 40;

/// Maximum number of files of one side; further ones match words that both sides share.
const MAX_OF_SIDE: usize = 8;

/// Minimum relevance of a named repository's best span, relative to the best of all others, for it to answer the
/// question.
const LEAST_OF_NAMED: f32 = 0.5;

/// Factor for files that both sides found.
const BOTH_SIDES: f32 = 2.0;

/// Maximum number of files in an answer.
pub(super) const MAX_HITS: usize = 12;

/// Maximum number of definitions of one name, and the relevance of one, from 0 to 10: that of an exact name in a
/// search.
const MAX_OF_NAME: usize = 3;
const NAMED_RELEVANCE: f32 = 6.0;

/// Maximum number of files that are added for a name although the retrieval did not return them.
const MAX_INSERTED: usize = 2;

/// Rank at which such definitions are inserted.
const NAMED_PLACE: usize = 2;

/// Maximum number of files whose pages are read, and whose spans are read.
const MAX_PAGES: usize = 8;
const MAX_READ_HITS: usize = 8;

/// Spans to read of each leading file, and the number of leading files.
const PLACES_OF_FIRST: usize = 3;
const N_FIRST: usize = 2;

/// Lines to read of a span that the question names (as the contract says), of other code, and of prose (a section).
const NAMED_LINES: u32 = 40;
const CODE_LINES: u32 = 30;
const PROSE_LINES: u32 = 80;

/// The evidence for an answer.
pub(super) struct AnswerEvidence {
    /// The best first.
    pub(super) hits: Vec<EvidenceHit>,
    /// The files of code that the retrieval ranks behind the hits, the best first.
    pub(super) further_files: Vec<(RepoIdx, String)>,
    /// Indices of the repositories that the question names and that answer it: only these are quoted then.
    pub(super) quoted: BTreeSet<RepoIdx>,
    /// Named repositories that do not answer it.
    pub(super) silent: BTreeSet<RepoIdx>,
    /// Indices of the repositories of each side.
    pub(super) side_repositories: [BTreeSet<RepoIdx>; 2],
    pub(super) search_method: &'static str,
    /// The terms of the question with their weights.
    pub(super) terms: Vec<(String, f32)>,
    /// Number of content words in the question.
    pub(super) n_words: usize,
    /// Words of the question that occur nowhere.
    pub(super) unknown_words: Vec<String>,
    /// Words of the question that occur in no file of the repositories that it names, if it names some.
    pub(super) absent_in_named: Vec<String>,
    /// Share of the question's information in those words, from 0 to 1.
    pub(super) unknown_share: f32,
    /// Subjects of the question that occur nowhere: words written like proper names, and sides without other words.
    pub(super) absent_things: Vec<String>,
    /// Names of the question without a definition, each with ids of the nearest definitions.
    pub(super) undefined: Vec<UndefinedName>,
    /// Names of the question with several definitions, each with their ids.
    pub(super) ambiguous: Vec<(String, Vec<String>)>,
    /// The definitions of its names.
    pub(super) definitions: Vec<DefinitionMatch>,
    pub(super) notes: Vec<String>,
    /// Repositories that were not searched because they provably could not change the answer.
    pub(super) n_pruned: usize,
}

impl AnswerEvidence {
    /// Returns true if every name, word and repository of the question has evidence.
    pub(super) fn has_all_words(&self) -> bool {
        self.undefined.is_empty()
            && self.unknown_words.is_empty()
            && self.absent_in_named.is_empty()
            && self.silent.is_empty()
    }

    /// Returns true if each side of the question concerns exactly one repository, and they differ.
    pub(super) fn joins_two_repositories(&self) -> bool {
        let [first, second] = &self.side_repositories;
        first.len() == 1 && second.len() == 1 && first != second
    }
}

/// Retrieves the evidence for an answer.
pub(super) async fn retrieve_evidence(
    call: &CallContext<'_>,
    plan: &Plan,
    request: &AnswerRequest,
) -> Answer<AnswerEvidence> {
    let question = &request.question;
    let Answer { value: whole, mut shortfalls } = retrieve(call, plan, &question.text, &request.filter).await;
    let mut n_pruned = whole.n_pruned;
    let mut notes: Vec<String> = whole.corrections.iter().map(|correction| correction.note()).collect();
    let (search_method, method_notes) = whole.method.describe(&plan.without(&shortfalls));
    notes.extend(method_notes);
    let (mut hits, mut side_repositories) = (hits_of(&whole), [BTreeSet::new(), BTreeSet::new()]);
    if let Some(sides) = &question.sides {
        let mut side_hits = [Vec::new(), Vec::new()];
        for (side, hits_of_side) in sides.iter().zip(&mut side_hits) {
            let found = retrieve(call, &plan.without(&shortfalls), side, &request.filter).await;
            shortfalls.extend(found.shortfalls);
            n_pruned = n_pruned.max(found.value.n_pruned);
            *hits_of_side = hits_of(&found.value);
        }
        let named = [0, 1].map(|side| repo_mentions::named(plan, &sides[side]));
        side_repositories = [0, 1].map(|side| repositories(&named[side], &mut side_hits[side]));
        let [first_hits, second_hits] = side_hits;
        hits = merge_sides(hits, first_hits, second_hits);
        if named.iter().all(|named| !named.is_empty()) {
            hits.retain(|hit| named.iter().any(|named| named.contains(&hit.repo_idx)));
        }
    }
    let (mut undefined, mut ambiguous, mut n_inserted) = (Vec::new(), Vec::new(), 0);
    let mut of_names: Vec<DefinitionMatch> = Vec::new();
    let named_repositories = repo_mentions::named(plan, &question.text);
    for (name, is_sure) in names(question) {
        let definitions = definitions_named(call, &plan.without(&shortfalls), name, &request.filter).await;
        shortfalls.extend(definitions.shortfalls);
        let found = prefer_named_repositories(definitions.value, &named_repositories);
        if found.is_empty() && is_sure {
            let mentioned = is_mentioned(call, &plan.without(&shortfalls), name, &request.filter).await;
            shortfalls.extend(mentioned.shortfalls);
            if mentioned.value {
                continue;
            }
            let overlay = call.overlay().await;
            let nearest = nearest_names(call, &plan.without(&shortfalls), &overlay, name).await;
            shortfalls.extend(nearest.shortfalls);
            let is_nowhere = analyser::terms(name).iter().any(|term| frequency(&whole, term) == 0);
            undefined.push(UndefinedName { name: name.clone(), nearest: nearest.value, is_nowhere });
        }
        // Overloads, and a type and its constructors, count as one definition.
        let mut files: BTreeSet<(RepoIdx, &str)> = BTreeSet::new();
        let distinct: Vec<&DefinitionMatch> =
            found.iter().filter(|found| files.insert((found.repo_idx, found.path.as_str()))).collect();
        if distinct.len() > 1 && is_sure {
            let id = |found: &&DefinitionMatch| {
                federation::symbol_ref::full_id(plan.alias(found.repo_idx), &found.path, &found.symbol)
            };
            ambiguous.push((name.clone(), distinct.iter().map(id).collect()));
        }
        if distinct.len() <= MAX_OF_NAME {
            distinct
                .iter()
                .rev()
                .for_each(|found| promote(&mut hits, found, is_sure && n_inserted < MAX_INSERTED, &mut n_inserted));
        }
        if is_sure {
            of_names.extend(found);
        }
    }
    let asks_named_repositories =
        question.sides.is_none() && !named_repositories.is_empty() && named_repositories.len() < plan.asked.len();
    let is_answered_by_named = asks_named_repositories && promote_named_repositories(&mut hits, &named_repositories);
    if let Some(repo_idx) = repository_to_describe(plan, &question.text, &named_repositories) {
        let overviews = call.overviews(&plan.without(&shortfalls), 1).await;
        shortfalls.extend(overviews.shortfalls);
        hits = with_purpose(hits, repo_idx, overviews.value.get(&repo_idx));
    }
    let is_code = |hit: &&EvidenceHit| !hit.is_prose() && !matches!(hit.file.class(), v1::FileClass::Test);
    let further_files =
        hits.iter().skip(MAX_HITS).filter(is_code).map(|hit| (hit.repo_idx, hit.file.path.clone())).collect();
    hits.truncate(MAX_HITS);
    let Answer { value: hits, mut shortfalls } = read(call, &plan.without(&shortfalls), hits).await.after(shortfalls);
    let absent_in_named = absent_words::of_named(call, plan, question, (&named_repositories, &hits)).await;
    shortfalls.extend(absent_in_named.shortfalls);
    let terms: Vec<(String, f32)> =
        whole.parts.terms.iter().map(|term| term.text.clone()).zip(whole.weights()).collect();
    let unknown_words = unknown_words(&question.text, &whole);
    let n_words = content_words(&question.text).iter().filter(|word| !is_function_word(word)).count().max(1);
    let unknown_share = unknown_words.len() as f32 / n_words as f32;
    let absent_things = absent_things(question, &unknown_words);
    let (quoted, silent) = match (asks_named_repositories, is_answered_by_named) {
        (false, _) => (BTreeSet::new(), BTreeSet::new()),
        (true, true) => (named_repositories, BTreeSet::new()),
        (true, false) => (BTreeSet::new(), named_repositories),
    };
    let evidence = AnswerEvidence {
        quoted,
        silent,
        absent_things,
        hits,
        further_files,
        side_repositories,
        search_method,
        terms,
        unknown_words,
        absent_in_named: absent_in_named.value,
        unknown_share,
        n_words,
        undefined,
        ambiguous,
        definitions: of_names,
        notes,
        n_pruned,
    };
    Answer { value: evidence, shortfalls }
}

async fn retrieve(call: &CallContext<'_>, plan: &Plan, text: &str, filter: &Filter) -> Answer<RetrievalResult> {
    let parts = query::parse(text, QueryMode::Auto);
    call.retrieve(plan, RetrievalRequest { text, parts, filter, depth: DEPTH, corrects_typos: true }).await
}

/// Returns true if the statistics of the words know a name, or the best files for the name alone contain it, in any case. A question has
/// other words, so the files that mention the name may not be among the hits of the whole question.
pub(super) async fn is_mentioned(call: &CallContext<'_>, plan: &Plan, name: &str, filter: &Filter) -> Answer<bool> {
    let Answer { value: found, shortfalls } = retrieve(call, plan, name, filter).await;
    if frequency(&found, &analyser::fold(name)) > 0 {
        return Answer { value: true, shortfalls };
    }
    let mut hits = hits_of(&found);
    hits.truncate(MAX_HITS);
    let hits = read(call, &plan.without(&shortfalls), hits).await.after(shortfalls);
    hits.map(|hits| gates::absent(&[name.to_lowercase()], &answer_text::all_text(&hits).to_lowercase()).is_empty())
}

/// Returns the files of a retrieval in order, each with its spans.
fn hits_of(retrieved: &RetrievalResult) -> Vec<EvidenceHit> {
    let files = &retrieved.ranking.files;
    let mut places: BTreeMap<usize, Vec<EvidencePlace>> = BTreeMap::new();
    for (rank, ranked_passage) in merge::passages(files, retrieved.scale()).into_iter().enumerate() {
        places.entry(ranked_passage.file_idx).or_default().push(EvidencePlace {
            symbol: ranked_passage.passage.symbol.cloned(),
            lines: ranked_passage.passage.lines,
            rank,
            is_named: false,
            source: String::new(),
        });
    }
    let hit = |(file_idx, ranked): (usize, &RankedFile)| {
        let FoundFile { repo_idx, hit } = &ranked.found;
        Some(EvidenceHit {
            repo_idx: *repo_idx,
            file: hit.file.clone()?,
            relevance: ranked.relevance,
            places: places.remove(&file_idx).unwrap_or_default(),
            found_by_sides: [false; 2],
            purpose: String::new(),
        })
    };
    files.iter().enumerate().filter_map(hit).collect()
}

/// Returns the repositories of a side: only those that it names, or else that of its best file.
fn repositories(named: &BTreeSet<RepoIdx>, hits: &mut Vec<EvidenceHit>) -> BTreeSet<RepoIdx> {
    if named.is_empty() {
        return hits.first().map(|hit| hit.repo_idx).into_iter().collect();
    }
    hits.retain(|hit| named.contains(&hit.repo_idx));
    named.clone()
}

/// Moves the files of named repositories to the front. Returns false, and leaves the order, if other files are far more
/// relevant.
fn promote_named_repositories(hits: &mut [EvidenceHit], named_repositories: &BTreeSet<RepoIdx>) -> bool {
    let is_named = |hit: &EvidenceHit| named_repositories.contains(&hit.repo_idx);
    let best = |in_named: bool| {
        let in_group = hits.iter().filter(|hit| is_named(hit) == in_named);
        in_group.map(|hit| hit.relevance).fold(0.0, f32::max)
    };
    let is_relevant = best(true) > 0.0 && best(true) >= LEAST_OF_NAMED * best(false);
    if is_relevant {
        hits.sort_by_key(|hit| !is_named(hit));
    }
    is_relevant
}

/// Words that ask for the purpose of a repository rather than for something in it.
const OVERVIEW_WORDS: [&str; 12] = [
    "about",
    "library",
    "package",
    "project",
    "purpose",
    "repo",
    "repository",
    "framework",
    "tool",
    "goal",
    "mean",
    "explain",
];

/// Returns the repository of a question that names one and nothing in it.
fn repository_to_describe(plan: &Plan, text: &str, named_repositories: &BTreeSet<RepoIdx>) -> Option<RepoIdx> {
    let repo_idx = *named_repositories.first().filter(|_| named_repositories.len() == 1)?;
    let alias = split_terms(plan.alias(repo_idx));
    let is_other = |word: &&str| {
        let is_alias = split_terms(word).iter().all(|term| alias.contains(term));
        !is_stop_word(word) && !is_alias && !OVERVIEW_WORDS.contains(&word.to_lowercase().as_str())
    };
    content_words(text).iter().find(|word| is_other(word)).is_none().then_some(repo_idx)
}

/// Returns the hits with the stated purpose of a repository as the first one.
fn with_purpose(
    mut hits: Vec<EvidenceHit>,
    repo_idx: RepoIdx,
    overview: Option<&v1::RepositoryOverview>,
) -> Vec<EvidenceHit> {
    let purpose_source = overview.and_then(|overview| overview.purposes.first());
    let Some(purpose_source) = purpose_source.filter(|purpose_source| !purpose_source.path.is_empty()) else {
        return hits;
    };
    let known = hits.iter().position(|hit| hit.repo_idx == repo_idx && hit.file.path == purpose_source.path);
    let file = v1::File {
        path: purpose_source.path.clone(),
        class: v1::FileClass::Docs.into(),
        lines: 1,
        ..Default::default()
    };
    let found_by_sides = [false; 2];
    let fresh = EvidenceHit {
        repo_idx,
        file,
        relevance: NAMED_RELEVANCE,
        places: Vec::new(),
        found_by_sides,
        purpose: String::new(),
    };
    let mut hit = known.map_or(fresh, |known| hits.remove(known));
    let lines = LineSpan { start: 1, end: hit.file.lines.max(1) };
    let source = text::clean(&purpose_source.text).into_owned();
    hit.file.set_class(v1::FileClass::Docs);
    hit.relevance = hit.relevance.max(NAMED_RELEVANCE);
    hit.places.insert(0, EvidencePlace { symbol: None, lines, rank: 0, is_named: true, source });
    hits.insert(0, hit);
    hits
}

/// Returns the terms of the words in a text, splitting compound names: `parcel-kit` equals `parcel kit`.
fn split_terms(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.flat_map(analyser::words).flat_map(|word| analyser::terms(&word)).collect()
}

/// Returns the definitions in the repositories of the question; all definitions if it names none that has one.
fn prefer_named_repositories(
    found: Vec<DefinitionMatch>,
    named_repositories: &BTreeSet<RepoIdx>,
) -> Vec<DefinitionMatch> {
    let is_in_named = |found: &DefinitionMatch| named_repositories.contains(&found.repo_idx);
    if found.iter().any(is_in_named) { found.into_iter().filter(is_in_named).collect() } else { found }
}

/// Merges the retrieval of a question with those of its sides by reciprocal rank; files of both sides count double.
fn merge_sides(whole: Vec<EvidenceHit>, first: Vec<EvidenceHit>, second: Vec<EvidenceHit>) -> Vec<EvidenceHit> {
    let key = |hit: &EvidenceHit| (hit.repo_idx, hit.file.path.clone());
    let mut joined: BTreeMap<(RepoIdx, String), (f32, EvidenceHit)> = BTreeMap::new();
    let mut add = |hits: Vec<EvidenceHit>, side: Option<usize>, most: usize| {
        for (rank, mut hit) in hits.into_iter().enumerate().take(most) {
            hit.found_by_sides = [side == Some(0), side == Some(1)];
            let rank_weight = (ranking::fusion::RRF_K + 1.0 + rank as f64).recip() as f32;
            match joined.get_mut(&key(&hit)) {
                Some((sum, known)) => {
                    *sum += rank_weight;
                    known.relevance = known.relevance.max(hit.relevance);
                    known.found_by_sides = [0, 1].map(|side| known.found_by_sides[side] || hit.found_by_sides[side]);
                }
                None => {
                    joined.insert(key(&hit), (rank_weight, hit));
                }
            }
        }
    };
    add(whole, None, DEPTH);
    add(first, Some(0), MAX_OF_SIDE);
    add(second, Some(1), MAX_OF_SIDE);
    let mut hits: Vec<(f32, EvidenceHit)> = joined.into_values().collect();
    for (sum, hit) in hits.iter_mut().filter(|(_, hit)| hit.found_by_sides == [true; 2]) {
        *sum *= BOTH_SIDES;
        hit.relevance *= BOTH_SIDES;
    }
    hits.sort_by(|(a_sum, a), (b_sum, b)| b_sum.total_cmp(a_sum).then_with(|| key(a).cmp(&key(b))));
    hits.into_iter().map(|(_, hit)| hit).collect()
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

/// Reads the code of spans and the pages of files that will be used, and returns the hits with both.
async fn read(call: &CallContext<'_>, plan: &Plan, mut hits: Vec<EvidenceHit>) -> Answer<Vec<EvidenceHit>> {
    let page = |hit: &EvidenceHit| PageRequest {
        repo_idx: hit.repo_idx,
        page_type: PageType::parse(&hit.file.page_type).unwrap_or(PageType::File),
        path: hit.file.path.clone(),
    };
    let page_requests: Vec<PageRequest> = hits.iter().take(MAX_PAGES).map(page).collect();
    let pages = call.fetch_pages(plan, &page_requests).await;
    for (hit, page) in hits.iter_mut().zip(pages.value) {
        hit.purpose = page.map(|page| purpose(&page)).unwrap_or_default();
    }
    let mut places: Vec<(usize, usize)> = Vec::new();
    let mut source_requests: Vec<SourceRequest> = Vec::new();
    for (hit_idx, hit) in hits.iter().enumerate().take(MAX_READ_HITS) {
        let n_places = if hit_idx < N_FIRST { PLACES_OF_FIRST } else { 1 };
        for (place_idx, place) in hit.places.iter().enumerate() {
            if (place_idx >= n_places && !place.is_named) || !place.source.is_empty() {
                continue;
            }
            let n_lines = match (place.is_named, hit.is_prose()) {
                (_, true) => PROSE_LINES,
                (true, _) => NAMED_LINES,
                _ => CODE_LINES,
            };
            let LineSpan { start, end } = place.lines;
            let has_comment = place.symbol.as_ref().is_some_and(|symbol| !symbol.doc.is_empty()) && !hit.is_prose();
            let above = if has_comment { comment::MAX_LINES } else { 0 };
            let first = start.saturating_sub(above).max(1);
            let lines = LineSpan { start: first, end: end.min(start.saturating_add(n_lines - 1)) };
            source_requests.push(SourceRequest { repo_idx: hit.repo_idx, path: hit.file.path.clone(), lines });
            places.push((hit_idx, place_idx));
        }
    }
    let fetched = call.fetch(&plan.without(&pages.shortfalls), &source_requests).await.after(pages.shortfalls);
    for ((hit_idx, place_idx), fetched) in places.into_iter().zip(fetched.value) {
        if let Some(fetched) = fetched {
            put_source(&mut hits[hit_idx].places[place_idx], &fetched);
        }
    }
    Answer { value: hits, shortfalls: fetched.shortfalls }
}

/// Stores the text of a span, including the comment above it.
fn put_source(place: &mut EvidencePlace, fetched: &FetchedSource) {
    let lines: Vec<&str> = fetched.text.lines().collect();
    let n_above = place.lines.start.saturating_sub(fetched.lines.start) as usize;
    let above = &lines[..n_above.min(lines.len())];
    let n_comment = comment::n_lines(above);
    place.lines.start = place.lines.start.saturating_sub(n_comment as u32).max(1);
    place.source = lines[above.len() - n_comment..].join("\n");
}

/// Returns the purpose of a file according to its page: the paragraph after its heading and its kind line, if it is
/// prose and not a list.
pub(super) fn purpose(page: &str) -> String {
    let mut lines = page.lines().skip_while(|line| !line.is_empty()).skip(1);
    let paragraph = lines.by_ref().take_while(|line| !line.is_empty()).collect::<Vec<&str>>().join(" ");
    let is_list = PAGE_LABELS.iter().any(|label| paragraph.starts_with(label));
    if is_list { String::new() } else { paragraph }
}

/// Prefixes of the lists on a file page.
const PAGE_LABELS: [&str; 10] = [
    "Sections:",
    "Tests:",
    "API:",
    "Used by:",
    "Depends on:",
    "Packages:",
    "Tested by:",
    "Documented in:",
    "Last change",
    "Changed",
];

fn absent_things(question: &Question, unknown_words: &[String]) -> Vec<String> {
    let is_unknown = |word: &str| unknown_words.iter().any(|unknown| unknown == word);
    // German capitalises every noun.
    let is_foreign = content_words(&question.text).iter().any(|word| is_function_word(word) && !is_stop_word(word));
    let proper = question.maybe_names.iter().filter(|name| is_unknown(name) && !is_foreign).cloned();
    let is_nowhere = |side: &&String| {
        let words: Vec<&str> = content_words(side).into_iter().filter(|word| !is_stop_word(word)).collect();
        words.iter().filter(|word| is_unknown(word)).count() * 2 >= words.len().max(1)
    };
    proper.chain(question.sides.iter().flatten().filter(is_nowhere).cloned()).collect()
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

/// Returns the number of passages with a term.
fn frequency(retrieved: &RetrievalResult, term: &str) -> u64 {
    let place = retrieved.parts.terms.iter().position(|known| known.text == term);
    place.and_then(|place| retrieved.frequencies().get(place)).copied().unwrap_or(0)
}

/// Returns the words of a question that occur nowhere, as written.
fn unknown_words(text: &str, retrieved: &RetrievalResult) -> Vec<String> {
    let is_corrected =
        |word: &str| retrieved.corrections.iter().any(|correction| word.to_lowercase().contains(&correction.from));
    let is_unknown = |word: &&str| {
        let terms = analyser::terms(word);
        let is_of_grammar = is_stop_word(word) || is_function_word(word);
        let is_nowhere = |term: &String| frequency(retrieved, term) == 0;
        // A name may occur as written although its stem does not.
        let is_unknown_as_written = is_nowhere(&analyser::fold(word));
        !is_of_grammar
            && !terms.is_empty()
            && terms.iter().all(is_nowhere)
            && is_unknown_as_written
            && !is_corrected(word)
    };
    content_words(text).into_iter().filter(is_unknown).map(|word| text::sanitise_name(word).into_owned()).collect()
}
