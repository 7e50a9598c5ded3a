//! Words of a question that no file has: the thing is not there, whatever else matches.

use std::collections::{BTreeSet, HashSet};

use model::Filter;
use ranking::{
    analyser,
    query::{self, QueryMode, content_words, is_identifier, is_stop_word},
};

use super::{
    answer_text,
    evidence::EvidenceHit,
    evidence_retrieval::{MAX_HITS, hits_of, retrieve},
    evidence_source, gates,
    question::{Question, is_function_word},
};
use federation::{
    answer::Answer, call::CallContext, plan::Plan, repo_idx::RepoIdx, retrieval::RetrievalResult,
    statistics::CountedQuery,
};

/// Maximum number of words that are looked up by themselves: each is a search.
const MAX_LOOKED_UP: usize = 2;

/// Minimum share of the words of a question that are absent, if none of them is written like a proper name.
const MIN_SHARE: f32 = 0.5;

/// Returns the words of a question that are in no file of the named repositories, if they are what it asks for: a proper name among
/// them, or half of its words. The workers are asked only if the hits leave enough words open.
pub(super) async fn of_named(
    call: &CallContext<'_>,
    plan: &Plan,
    question: &Question,
    (named, hits): (&BTreeSet<RepoIdx>, &[EvidenceHit]),
) -> Answer<Vec<String>> {
    // A single repository is meant without its name.
    let only: BTreeSet<RepoIdx> = plan.asked.iter().copied().filter(|_| plan.asked.len() == 1).collect();
    let is_unnamed = named.is_empty();
    let named = if is_unnamed { &only } else { named };
    if named.is_empty() || question.sides.is_some() {
        return Answer::complete(Vec::new());
    }
    let aliases: Vec<String> = named.iter().map(|repo_idx| plan.alias(*repo_idx).to_lowercase()).collect();
    let words: Vec<&str> = content_words(&question.text).into_iter().filter(|word| is_thing(word, &aliases)).collect();
    let n_words = words.len();
    let own: Vec<EvidenceHit> = hits.iter().filter(|hit| named.contains(&hit.repo_idx)).cloned().collect();
    let text = answer_text::all_text(&own);
    let (versioned, words): (Vec<&str>, Vec<&str>) = words.into_iter().partition(|word| is_versioned(word));
    let mut words = without_words_of(words, &text);
    // The parts of such a name are common words.
    words.extend(versioned.into_iter().filter(|word| !has_name(&text, word)));
    // A plain word of such a question may be one of its verbs.
    let is_name = |word: &&str| is_proper(word) || is_capitalised_within(&question.text, word);
    let is_asked_for = |absent: &[&str]| is_subject(absent, n_words, is_name);
    if !is_asked_for(&words) || (is_unnamed && !words.iter().any(is_name)) {
        return Answer::complete(Vec::new());
    }
    let plan = call.visible.plan_for(named.iter().copied().collect(), false);
    let folded: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let parts = query::parse(&folded.join(" "), QueryMode::Auto);
    let Answer { value: statistics, mut shortfalls } = call.statistics(&plan, &parts).await;
    let counted = CountedQuery::new(parts, statistics);
    let frequency = |term: &str| {
        let place = counted.parts.terms.iter().position(|known| known.text == term);
        place.and_then(|place| counted.statistics.document_frequencies.get(place)).copied().unwrap_or(0)
    };
    let is_absent = |word: &&str| {
        let folded = word.to_lowercase();
        let terms = analyser::terms(&folded);
        is_versioned(word)
            || !terms.is_empty() && terms.iter().all(|term| frequency(term) == 0) && frequency(&folded) == 0
    };
    let absent: Vec<&str> = words.iter().copied().filter(is_absent).collect();
    if !is_asked_for(&absent) || shortfalls != Default::default() {
        return Answer { value: Vec::new(), shortfalls };
    }
    let mut found: Vec<String> = Vec::new();
    for word in absent.into_iter().take(MAX_LOOKED_UP) {
        // A compound may be indexed by its parts alone.
        let plan = plan.without(&shortfalls);
        let mentioned = match is_versioned(word) {
            true => is_version_mentioned(call, &plan, word).await,
            false => is_mentioned(call, &plan, word, &Filter::default()).await,
        };
        shortfalls.extend(mentioned.shortfalls);
        found.extend((!mentioned.value).then(|| text::sanitise_name(word).into_owned()));
    }
    Answer { value: found, shortfalls }
}

/// Drops the words that a text has, in any form.
fn without_words_of<'a>(words: Vec<&'a str>, text: &str) -> Vec<&'a str> {
    let read: HashSet<String> = analyser::terms(text).into_iter().collect();
    let is_open = |word: &&str| !analyser::terms(&word.to_lowercase()).iter().any(|term| read.contains(term));
    words.into_iter().filter(is_open).collect()
}

/// Returns true for a word that may name a thing: not of the grammar, not of a repository, and no name of code, which is looked up as
/// a definition.
fn is_thing(word: &str, aliases: &[String]) -> bool {
    let folded = word.to_lowercase();
    let is_alias = aliases.iter().any(|alias| alias.contains(&folded) || folded.contains(alias.as_str()));
    let is_grammar = is_stop_word(word) || is_function_word(word) || QUESTION_WORDS.contains(&folded.as_str());
    let is_code =
        word.contains(['_', '.', ':', '/', '-']) || (is_identifier(word) && word.starts_with(char::is_lowercase));
    is_versioned(word) || (!is_alias && !is_grammar && !is_code)
}

/// Returns true for the name of a protocol with its version, such as `HTTP/3`. Only files that were read can be said not to mention it: its parts
/// are indexed, and are common.
fn is_versioned(word: &str) -> bool {
    let Some((name, version)) = word.split_once('/') else { return false };
    let is_version = !version.is_empty() && version.chars().all(|c| c.is_ascii_digit() || c == '.');
    is_version && name.len() > 1 && name.chars().all(|c| c.is_ascii_uppercase())
}

/// Returns true if a text has a name with its version in any notation: `TLS/1.3`, `tls 1.3`, `TLSv1.3`, `VersionTLS13`.
fn has_name(text: &str, versioned: &str) -> bool {
    let (lower, name) = (text.to_lowercase(), versioned.to_lowercase());
    let marks = ["/", "", " ", "-", "_", "v", " v"].map(|mark| name.replace('/', mark));
    let has = |form: &str| {
        let mut places = lower.match_indices(form);
        places.any(|(at, _)| !lower[at + form.len()..].starts_with(|c: char| c.is_ascii_digit()))
    };
    marks.iter().any(|form| has(form) || has(&form.replace('.', "")) || has(&form.replace('.', "_")))
}

/// Returns the sentence about absent words. Of names with versions only the files that were read are known.
pub(super) fn absence_text(aliases: &[String], absent: &[String]) -> String {
    let (aliases, words) = (aliases.join(" or "), text::quote_names(absent));
    let said = match absent.iter().any(|word| is_versioned(word)) {
        true => format!("The best matches in {aliases} do not mention {words}"),
        false => format!("No file of {aliases} mentions {words}"),
    };
    format!("{said}; what follows only matches the other words.")
}

/// Words of questions about code that are often in no file.
const QUESTION_WORDS: [&str; 21] = [
    "implemented",
    "implement",
    "defined",
    "located",
    "package",
    "module",
    "repository",
    "repo",
    "codebase",
    "happens",
    "folder",
    "question",
    "talk",
    "talks",
    "speak",
    "speaks",
    "communicate",
    "interact",
    "interacts",
    "relate",
    "rely",
];

/// Returns true for a word that is written like a proper name.
fn is_proper(word: &&str) -> bool {
    word.chars().filter(|c| c.is_uppercase()).count() > 1
}

/// Returns true for a word that is a name by its capital in the middle of a question. German capitalises every noun.
fn is_capitalised_within(question: &str, word: &str) -> bool {
    let mut chars = word.chars();
    let is_capitalised = chars.next().is_some_and(char::is_uppercase) && chars.all(char::is_lowercase);
    let is_foreign = || content_words(question).iter().any(|word| is_function_word(word) && !is_stop_word(word));
    let is_bare = |one: &str| one.trim_matches(|c: char| !c.is_alphanumeric()) == word;
    let before_end = |one: &str| one.ends_with(['.', '?', '!', ':']);
    let all: Vec<&str> = question.split_whitespace().collect();
    let is_within = all.windows(2).any(|pair| is_bare(pair[1]) && !before_end(pair[0]));
    is_capitalised && is_within && !is_foreign()
}

/// Returns true if absent words are what a question asks for.
fn is_subject(absent: &[&str], n_words: usize, is_proper: impl Fn(&&str) -> bool) -> bool {
    let share = absent.len() as f32 / n_words.max(1) as f32;
    !absent.is_empty() && (absent.iter().any(&is_proper) || share >= MIN_SHARE)
}

/// Returns true if the statistics of the words know a name, or the best files for the name alone contain it, in any case. A question has
/// other words, so the files that mention the name may not be among the hits of the whole question.
pub(super) async fn is_mentioned(call: &CallContext<'_>, plan: &Plan, name: &str, filter: &Filter) -> Answer<bool> {
    let lower = name.to_lowercase();
    let is_in = |text: &str| gates::absent(std::slice::from_ref(&lower), &text.to_lowercase()).is_empty();
    is_in_best(call, plan, (name, &analyser::fold(name)), filter, is_in).await
}

/// Returns true if the best files for a name with its version contain it in any notation.
async fn is_version_mentioned(call: &CallContext<'_>, plan: &Plan, versioned: &str) -> Answer<bool> {
    // Files may have a protocol and its version as one word.
    let query = format!("{versioned} {}", versioned.replace('/', ""));
    let is_in = |text: &str| has_name(text, versioned);
    is_in_best(call, plan, (&query, &analyser::fold(versioned)), &Filter::default(), is_in).await
}

/// Returns true if the statistics of a query know a term, or `is_in` is true for the text of its best files.
async fn is_in_best(
    call: &CallContext<'_>,
    plan: &Plan,
    (query, term): (&str, &str),
    filter: &Filter,
    is_in: impl Fn(&str) -> bool,
) -> Answer<bool> {
    let Answer { value: found, shortfalls } = retrieve(call, plan, query, filter).await;
    if frequency(&found, term) > 0 {
        return Answer { value: true, shortfalls };
    }
    let mut hits = hits_of(&found);
    hits.truncate(MAX_HITS);
    let hits = evidence_source::read(call, &plan.without(&shortfalls), hits).await.after(shortfalls);
    hits.map(|hits| is_in(&answer_text::all_text(&hits)))
}

/// Returns the subjects of a question that occur nowhere: words written like proper names, and sides without other words.
pub(super) fn absent_things(question: &Question, unknown_words: &[String]) -> Vec<String> {
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

/// Returns the number of passages with a term.
pub(super) fn frequency(retrieved: &RetrievalResult, term: &str) -> u64 {
    let place = retrieved.parts.terms.iter().position(|known| known.text == term);
    place.and_then(|place| retrieved.frequencies().get(place)).copied().unwrap_or(0)
}

/// Returns the words of a question that occur nowhere, as written.
pub(super) fn unknown_words(text: &str, retrieved: &RetrievalResult) -> Vec<String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_words_matter_if_they_are_the_subject() {
        for (absent, n_words, expected) in [
            (vec!["GraphQL"], 4, true),
            (vec!["circuit", "breaker"], 3, true),
            (vec!["travels"], 4, false),
            (vec![], 0, false),
        ] {
            assert_eq!(is_subject(&absent, n_words, is_proper), expected, "{absent:?}");
        }
        let text = "Opens the breakers of a circuitBoard";
        assert_eq!(without_words_of(vec!["circuit", "breaker", "fuse"], text), ["fuse"]);
        assert_eq!(without_words_of(vec!["cir", "fuse"], text), ["cir", "fuse"]);
        for (text, versioned, expected) in [
            ("Speaks HTTP3 and tls 1.3.", "HTTP/3", true),
            ("Speaks HTTP3 and tls 1.3.", "TLS/1.3", true),
            ("min: tls.VersionTLS13,", "TLS/1.3", true),
            ("min: TLSv1_3,", "TLS/1.3", true),
            ("min: TLSv1.3", "TLS/1.3", true),
            ("Speaks HTTP/30 and http", "HTTP/3", false),
            ("min: VersionTLS12", "TLS/1.3", false),
        ] {
            assert_eq!(has_name(text, versioned), expected, "{versioned}: {text}");
        }
        for (word, expected) in [("HTTP/3", true), ("TLS/1.3", true), ("src/3", false), ("I/O", false), ("HTTP", false)]
        {
            assert_eq!(is_versioned(word), expected, "{word}");
        }
        let aliases = ["shop-api".to_owned()];
        for (word, expected) in
            [("shop", false), ("where", false), ("GraphQL", true), ("useCart", false), ("breaker", true)]
        {
            assert_eq!(is_thing(word, &aliases), expected, "{word}");
        }
    }

    #[test]
    fn a_capital_within_a_question_makes_a_name() {
        for (question, word, expected) in [
            ("Is there a Harbour storage module?", "Harbour", true),
            ("Harbour storage, is it there?", "Harbour", false),
            ("Is it there? Harbour is meant.", "Harbour", false),
            ("Is there a harbour?", "harbour", false),
            ("Gibt es einen Hafen und eine Mole?", "Hafen", false),
        ] {
            assert_eq!(is_capitalised_within(question, word), expected, "{question}");
        }
    }

    #[test]
    fn no_file_mentions_only_words_that_are_counted() {
        for (absent, expected) in [
            ("GraphQL", "No file of `dock` mentions GraphQL; what"),
            ("HTTP/2", "The best matches in `dock` do not mention HTTP/2; what"),
        ] {
            let said = absence_text(&["`dock`".to_owned()], &[absent.to_owned()]);
            assert!(said.starts_with(expected), "{said}");
        }
    }
}
