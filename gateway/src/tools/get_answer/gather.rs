//! Gathering evidence: the retrieval, that of each side of a question, the definitions that it names, and the text of what
//! will be looked at.

use std::collections::{BTreeMap, BTreeSet};

use model::{Filter, LineSpan, PageType};
use proto::v1;
use ranking::{
    analyser,
    query::{self, Mode, content_words, is_stop_word},
};

use super::{
    code_first, comment,
    evidence::{Hit, Place},
    question::{Question, is_function_word},
    request::Request,
};
use crate::{
    addressed,
    call::Call,
    entity::nearest_names,
    fetch::{Fetched, Wanted, WantedPage},
    merge::{self, Found, Ranked},
    plan::Plan,
    retrieval::{Retrieved, Wish},
    tools::{
        filters::span,
        search_symbols::{Match, rank},
    },
};

/// Files asked of each ranker.
const DEPTH: usize = 40;

/// Files of one side of a question that count: those further down are there for the words that both sides share.
const MAX_OF_SIDE: usize = 8;

/// How relevant the best place of a repository that a question names is beside the best of all others, if it answers.
const LEAST_OF_NAMED: f32 = 0.5;

/// By how much what both sides of a question found counts more.
const BOTH_SIDES: f32 = 2.0;

/// Files that an answer rests on and names at most.
pub(super) const MAX_HITS: usize = 12;

/// Definitions of one name that are taken up, and how relevant one is, from 0 to 10: as an exact name is in a search.
const MAX_OF_NAME: usize = 3;
const NAMED_RELEVANCE: f32 = 6.0;

/// Files that are taken up for a name at most, although the retrieval did not bring them.
const MAX_INSERTED: usize = 2;

/// Where definitions are put that the question names and the retrieval did not bring.
const NAMED_PLACE: usize = 2;

/// Files whose pages are read, and whose places.
const MAX_PAGES: usize = 8;
const MAX_READ_HITS: usize = 8;

/// Places read of one of the first files, of the others, and how many the first are.
const PLACES_OF_FIRST: usize = 3;
const N_FIRST: usize = 2;

/// Lines read of a place: of one that the question names as many as the contract says, of prose what a section has.
const NAMED_LINES: u32 = 40;
const CODE_LINES: u32 = 30;
const PROSE_LINES: u32 = 80;

/// What there is to answer from.
pub(super) struct Evidence {
    /// The best first.
    pub(super) hits: Vec<Hit>,
    /// The positions of the repositories that the question names and that answer it: nothing else is quoted then.
    pub(super) quoted: BTreeSet<usize>,
    /// Those that it names and that do not.
    pub(super) silent: BTreeSet<usize>,
    /// The positions of those that the sides of a question are about.
    pub(super) side_repositories: [BTreeSet<usize>; 2],
    pub(super) search_method: &'static str,
    /// The terms of the question with how much each tells.
    pub(super) terms: Vec<(String, f32)>,
    /// Words of the question that say something.
    pub(super) n_words: usize,
    /// Words of the question that stand nowhere.
    pub(super) unknown_words: Vec<String>,
    /// The part of the question's words that those are, from 0 to 1.
    pub(super) unknown_share: f32,
    /// Things that the question is about and that stand nowhere: words that are written as proper names are, and sides that
    /// have no other words.
    pub(super) absent_things: Vec<String>,
    /// Names of the question that are defined nowhere, each with ids of the nearest definitions.
    pub(super) undefined: Vec<(String, Vec<String>)>,
    /// Names of the question that are defined more than once, each with ids of all definitions that were told.
    pub(super) ambiguous: Vec<(String, Vec<String>)>,
    pub(super) notes: Vec<String>,
}

impl Evidence {
    /// Says whether the two sides of the question are about a repository each.
    pub(super) fn joins_two_repositories(&self) -> bool {
        let [first, second] = &self.side_repositories;
        first.len() == 1 && second.len() == 1 && first != second
    }
}

/// Gathers all that an answer is made from.
pub(super) async fn gather(call: &Call<'_>, plan: &mut Plan, request: &Request) -> Evidence {
    let question = &request.question;
    let whole = look_for(call, plan, &question.text, &request.filter).await;
    let mut notes: Vec<String> = whole.corrections.iter().map(|correction| correction.note()).collect();
    let search_method = whole.method.name(plan, &mut notes);
    let (mut hits, mut side_repositories) = (hits_of(&whole), [BTreeSet::new(), BTreeSet::new()]);
    if let Some(sides) = &question.sides {
        let mut of_sides = [Vec::new(), Vec::new()];
        for (side, of_side) in sides.iter().zip(&mut of_sides) {
            *of_side = hits_of(&look_for(call, plan, side, &request.filter).await);
        }
        let named = [0, 1].map(|side| addressed::named(plan, &sides[side]));
        side_repositories = [0, 1].map(|side| repositories(&named[side], &mut of_sides[side]));
        let [of_first, of_second] = of_sides;
        hits = of_both(hits, of_first, of_second);
        if named.iter().all(|named| !named.is_empty()) {
            hits.retain(|hit| named.iter().any(|named| named.contains(&hit.position)));
        }
    }
    let (mut undefined, mut ambiguous, mut n_inserted) = (Vec::new(), Vec::new(), 0);
    let about = addressed::named(plan, &question.text);
    for (name, is_sure) in names(question) {
        let found = meant(defined(call, plan, name, &request.filter).await, &about);
        if found.is_empty() && is_sure {
            let overlay = call.overlay().await;
            undefined.push((name.clone(), nearest_names(call, plan, &overlay, name).await));
        }
        // Overloads, and a type beside its constructors, are one thing.
        let mut files: BTreeSet<(usize, &str)> = BTreeSet::new();
        let distinct: Vec<&Match> =
            found.iter().filter(|found| files.insert((found.position, found.path.as_str()))).collect();
        if distinct.len() > 1 && is_sure {
            let id =
                |found: &&Match| crate::symbol_ref::full_id(plan.alias(found.position), &found.path, &found.symbol);
            ambiguous.push((name.clone(), distinct.iter().map(id).collect()));
        }
        if distinct.len() <= MAX_OF_NAME {
            distinct
                .iter()
                .rev()
                .for_each(|found| promote(&mut hits, found, is_sure && n_inserted < MAX_INSERTED, &mut n_inserted));
        }
    }
    let is_of_named = question.sides.is_none() && !about.is_empty() && about.len() < plan.asked.len();
    let told_by_named = is_of_named && speak_for_themselves(&mut hits, &about);
    if let Some(position) = asks_what_it_is(plan, &question.text, &about) {
        say_what_it_is(call, plan, position, &mut hits).await;
    }
    let mut hits = code_first::code_first(hits, whole.parts.kept);
    hits.truncate(MAX_HITS);
    read(call, plan, &mut hits).await;
    let terms: Vec<(String, f32)> =
        whole.parts.terms.iter().map(|term| term.text.clone()).zip(whole.weights()).collect();
    let unknown_words = unknown_words(&question.text, &whole);
    let n_words = content_words(&question.text).iter().filter(|word| !is_function_word(word)).count().max(1);
    let unknown_share = unknown_words.len() as f32 / n_words as f32;
    let absent_things = absent_things(question, &unknown_words);
    let (quoted, silent) = match (is_of_named, told_by_named) {
        (false, _) => (BTreeSet::new(), BTreeSet::new()),
        (true, true) => (about, BTreeSet::new()),
        (true, false) => (BTreeSet::new(), about),
    };
    Evidence {
        quoted,
        silent,
        absent_things,
        hits,
        side_repositories,
        search_method,
        terms,
        unknown_words,
        unknown_share,
        n_words,
        undefined,
        ambiguous,
        notes,
    }
}

async fn look_for(call: &Call<'_>, plan: &mut Plan, text: &str, filter: &Filter) -> Retrieved {
    let parts = query::read(text, Mode::Auto);
    call.retrieve(plan, Wish { text, parts, filter, depth: DEPTH, corrects_typos: true }).await
}

/// Returns the files of a retrieval in their order, each with its places.
fn hits_of(retrieved: &Retrieved) -> Vec<Hit> {
    let files = &retrieved.ranking.files;
    let mut places: BTreeMap<usize, Vec<Place>> = BTreeMap::new();
    for (rank, spot) in merge::spots(files, retrieved.scale()).into_iter().enumerate() {
        places.entry(spot.file_idx).or_default().push(Place {
            symbol: spot.spot.symbol.cloned(),
            lines: spot.spot.lines,
            rank,
            is_named: false,
            source: String::new(),
        });
    }
    let hit = |(file_idx, ranked): (usize, &Ranked)| {
        let Found { position, hit } = &ranked.found;
        Some(Hit {
            position: *position,
            file: hit.file.clone()?,
            relevance: ranked.relevance,
            places: places.remove(&file_idx).unwrap_or_default(),
            of_sides: [false; 2],
            purpose: String::new(),
        })
    };
    files.iter().enumerate().filter_map(hit).collect()
}

/// Returns the repositories that a side is about: those that it names, if any, which alone speak for it then, or that of its
/// best file.
fn repositories(named: &BTreeSet<usize>, hits: &mut Vec<Hit>) -> BTreeSet<usize> {
    if named.is_empty() {
        return hits.first().map(|hit| hit.position).into_iter().collect();
    }
    hits.retain(|hit| named.contains(&hit.position));
    named.clone()
}

/// Puts the files of the repositories first that a question names, and says whether these answer it: not where others are far
/// more relevant.
fn speak_for_themselves(hits: &mut [Hit], about: &BTreeSet<usize>) -> bool {
    let is_named = |hit: &Hit| about.contains(&hit.position);
    let best = |wanted: bool| {
        let of_them = hits.iter().filter(|hit| is_named(hit) == wanted);
        of_them.map(|hit| hit.relevance).fold(0.0, f32::max)
    };
    let do_answer = best(true) > 0.0 && best(true) >= LEAST_OF_NAMED * best(false);
    if do_answer {
        hits.sort_by_key(|hit| !is_named(hit));
    }
    do_answer
}

/// Words that ask what a repository is rather than for something in it.
const OF_A_WHOLE: [&str; 12] = [
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
fn asks_what_it_is(plan: &Plan, text: &str, about: &BTreeSet<usize>) -> Option<usize> {
    let position = *about.first().filter(|_| about.len() == 1)?;
    let alias = terms_apart(plan.alias(position));
    let is_other = |word: &&str| {
        let is_alias = terms_apart(word).iter().all(|term| alias.contains(term));
        !is_stop_word(word) && !is_alias && !OF_A_WHOLE.contains(&word.to_lowercase().as_str())
    };
    content_words(text).iter().find(|word| is_other(word)).is_none().then_some(position)
}

/// Puts what a repository says of itself before all else.
async fn say_what_it_is(call: &Call<'_>, plan: &mut Plan, position: usize, hits: &mut Vec<Hit>) {
    let overviews = call.overviews(plan, 1).await;
    let said = overviews.get(&position).and_then(|overview| overview.purposes.first());
    let Some(said) = said.filter(|said| !said.path.is_empty()) else { return };
    let known = hits.iter().position(|hit| hit.position == position && hit.file.path == said.path);
    let file = v1::File { path: said.path.clone(), class: v1::FileClass::Docs.into(), lines: 1, ..Default::default() };
    let of_sides = [false; 2];
    let fresh =
        Hit { position, file, relevance: NAMED_RELEVANCE, places: Vec::new(), of_sides, purpose: String::new() };
    let mut hit = known.map_or(fresh, |known| hits.remove(known));
    let lines = LineSpan { start: 1, end: hit.file.lines.max(1) };
    let source = text::clean(&said.text).into_owned();
    hit.file.set_class(v1::FileClass::Docs);
    hit.relevance = hit.relevance.max(NAMED_RELEVANCE);
    hit.places.insert(0, Place { symbol: None, lines, rank: 0, is_named: true, source });
    hits.insert(0, hit);
}

/// Returns the terms of the words of a text, each word of a name by itself: `parcel-kit` is what `parcel kit` is.
fn terms_apart(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.flat_map(analyser::words).flat_map(|word| analyser::terms(&word)).collect()
}

/// Returns the definitions in the repositories that the question is about; all of them where it names none that has one.
fn meant(found: Vec<Match>, about: &BTreeSet<usize>) -> Vec<Match> {
    let is_there = |found: &Match| about.contains(&found.position);
    if found.iter().any(is_there) { found.into_iter().filter(is_there).collect() } else { found }
}

/// Joins the retrieval of a whole question with those of its sides: by reciprocal ranks, where what both sides found counts
/// double.
fn of_both(whole: Vec<Hit>, first: Vec<Hit>, second: Vec<Hit>) -> Vec<Hit> {
    let key = |hit: &Hit| (hit.position, hit.file.path.clone());
    let mut joined: BTreeMap<(usize, String), (f32, Hit)> = BTreeMap::new();
    let mut add = |hits: Vec<Hit>, side: Option<usize>, most: usize| {
        for (rank, mut hit) in hits.into_iter().enumerate().take(most) {
            hit.of_sides = [side == Some(0), side == Some(1)];
            let worth = (ranking::fusion::RRF_K + 1.0 + rank as f64).recip() as f32;
            match joined.get_mut(&key(&hit)) {
                Some((sum, known)) => {
                    *sum += worth;
                    known.relevance = known.relevance.max(hit.relevance);
                    known.of_sides = [0, 1].map(|side| known.of_sides[side] || hit.of_sides[side]);
                }
                None => {
                    joined.insert(key(&hit), (worth, hit));
                }
            }
        }
    };
    add(whole, None, DEPTH);
    add(first, Some(0), MAX_OF_SIDE);
    add(second, Some(1), MAX_OF_SIDE);
    let mut hits: Vec<(f32, Hit)> = joined.into_values().collect();
    for (sum, hit) in hits.iter_mut().filter(|(_, hit)| hit.of_sides == [true; 2]) {
        *sum *= BOTH_SIDES;
        hit.relevance *= BOTH_SIDES;
    }
    hits.sort_by(|(a_sum, a), (b_sum, b)| b_sum.total_cmp(a_sum).then_with(|| key(a).cmp(&key(b))));
    hits.into_iter().map(|(_, hit)| hit).collect()
}

/// Returns what may be names of definitions, and whether each is sure to be one.
fn names(question: &Question) -> impl Iterator<Item = (&String, bool)> {
    let sure = question.names.iter().map(|name| (name, true));
    sure.chain(question.maybe_names.iter().map(|name| (name, false)))
}

/// Returns the definitions of exactly this name.
async fn defined(call: &Call<'_>, plan: &mut Plan, name: &str, filter: &Filter) -> Vec<Match> {
    /// Asked of each worker: more than are ever told.
    const MAX_ASKED: u32 = 20;
    let query = Some(v1::symbols_request::Query::Name(name.to_owned()));
    let request = v1::SymbolsRequest { query, filter: Some(filter.into()), limit: MAX_ASKED, ..Default::default() };
    let replies = call.symbols(plan, &request).await;
    rank(plan, replies).into_iter().filter(|found| found.tier == v1::NameTier::Exact).collect()
}

/// Puts a definition that the question names where it is looked at.
fn promote(hits: &mut Vec<Hit>, found: &Match, is_sure: bool, n_inserted: &mut usize) {
    let lines = span(found.symbol.lines.unwrap_or_default());
    let known = hits.iter().position(|hit| hit.position == found.position && hit.file.path == found.path);
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
            let (position, relevance) = (found.position, NAMED_RELEVANCE);
            let hit =
                Hit { position, file, relevance, places: Vec::new(), of_sides: [false; 2], purpose: String::new() };
            let at = NAMED_PLACE.min(hits.len());
            hits.insert(at, hit);
            at
        }
        None => return,
    };
    let hit = &mut hits[hit_idx];
    hit.relevance = hit.relevance.max(if is_sure { NAMED_RELEVANCE } else { 0.0 });
    let is_it = |place: &Place| place.symbol.as_ref().is_some_and(|symbol| symbol.node == found.symbol.node);
    let known = hit.places.iter().position(is_it).map(|place_idx| hit.places.remove(place_idx));
    let rank = hit.places.first().map_or(hit_idx, |place| place.rank);
    let fresh = Place { symbol: Some(found.symbol.clone()), lines, rank, is_named: false, source: String::new() };
    let place = known.unwrap_or(fresh);
    hit.places.insert(0, Place { is_named: is_sure, rank: place.rank.min(rank), ..place });
}

/// Reads the code of the places and the pages of the files that will be looked at.
async fn read(call: &Call<'_>, plan: &mut Plan, hits: &mut [Hit]) {
    let page = |hit: &Hit| WantedPage {
        position: hit.position,
        page_type: PageType::parse(&hit.file.page_type).unwrap_or(PageType::File),
        path: hit.file.path.clone(),
    };
    let wanted: Vec<WantedPage> = hits.iter().take(MAX_PAGES).map(page).collect();
    let pages = call.fetch_pages(plan, &wanted).await;
    for (hit, page) in hits.iter_mut().zip(pages) {
        hit.purpose = page.map(|page| purpose(&page)).unwrap_or_default();
    }
    let mut places: Vec<(usize, usize)> = Vec::new();
    let mut wanted: Vec<Wanted> = Vec::new();
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
            wanted.push(Wanted { position: hit.position, path: hit.file.path.clone(), lines });
            places.push((hit_idx, place_idx));
        }
    }
    let fetched = call.fetch(plan, &wanted).await;
    for ((hit_idx, place_idx), fetched) in places.into_iter().zip(fetched) {
        if let Some(fetched) = fetched {
            put_source(&mut hits[hit_idx].places[place_idx], &fetched);
        }
    }
}

/// Puts down what was read of a place, which begins with the comment above it if it has one.
fn put_source(place: &mut Place, fetched: &Fetched) {
    let lines: Vec<&str> = fetched.text.lines().collect();
    let n_above = place.lines.start.saturating_sub(fetched.lines.start) as usize;
    let above = &lines[..n_above.min(lines.len())];
    let n_comment = comment::n_lines(above);
    place.lines.start = place.lines.start.saturating_sub(n_comment as u32).max(1);
    place.source = lines[above.len() - n_comment..].join("\n");
}

/// Returns what a page says its file is for: the paragraph below its heading and the line on its kind and length, where it
/// is prose and no list.
fn purpose(page: &str) -> String {
    let mut lines = page.lines().skip_while(|line| !line.is_empty()).skip(1);
    let paragraph = lines.by_ref().take_while(|line| !line.is_empty()).collect::<Vec<&str>>().join(" ");
    let is_list = PAGE_LABELS.iter().any(|label| paragraph.starts_with(label));
    if is_list { String::new() } else { paragraph }
}

/// How the lists of a page of a file begin.
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
    // In German every noun has a capital.
    let is_foreign = content_words(&question.text).iter().any(|word| is_function_word(word) && !is_stop_word(word));
    let proper = question.maybe_names.iter().filter(|name| is_unknown(name) && !is_foreign).cloned();
    let is_nowhere = |side: &&String| {
        let words: Vec<&str> = content_words(side).into_iter().filter(|word| !is_stop_word(word)).collect();
        words.iter().filter(|word| is_unknown(word)).count() * 2 >= words.len().max(1)
    };
    proper.chain(question.sides.iter().flatten().filter(is_nowhere).cloned()).collect()
}

/// Returns the words of a question that stand nowhere, as they are written.
fn unknown_words(text: &str, retrieved: &Retrieved) -> Vec<String> {
    let frequency = |term: &str| {
        let place = retrieved.parts.terms.iter().position(|known| known.text == term);
        place.and_then(|place| retrieved.frequencies().get(place)).copied().unwrap_or(0)
    };
    let is_corrected =
        |word: &str| retrieved.corrections.iter().any(|correction| word.to_lowercase().contains(&correction.from));
    let is_unknown = |word: &&str| {
        let terms = analyser::terms(word);
        let is_of_grammar = is_stop_word(word) || is_function_word(word);
        let is_nowhere = |term: &String| frequency(term) == 0;
        // The name of something may stand there as it is written, and not as its stem.
        let is_whole_nowhere = is_nowhere(&analyser::fold(word));
        !is_of_grammar && !terms.is_empty() && terms.iter().all(is_nowhere) && is_whole_nowhere && !is_corrected(word)
    };
    content_words(text).into_iter().filter(is_unknown).map(|word| text::sanitise_name(word).into_owned()).collect()
}
