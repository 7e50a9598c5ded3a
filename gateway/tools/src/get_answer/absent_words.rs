//! Words of a question that no file of the repositories that it names has: the thing is not there, whatever else matches.

use std::collections::{BTreeSet, HashSet};

use model::Filter;
use ranking::{
    analyser,
    query::{self, QueryMode, content_words, is_identifier, is_stop_word},
};

use super::{
    answer_text,
    evidence::EvidenceHit,
    evidence_retrieval::is_mentioned,
    question::{Question, is_function_word},
};
use federation::{answer::Answer, call::CallContext, plan::Plan, repo_idx::RepoIdx, statistics::CountedQuery};

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
    if named.is_empty() || question.sides.is_some() {
        return Answer::complete(Vec::new());
    }
    let aliases: Vec<String> = named.iter().map(|repo_idx| plan.alias(*repo_idx).to_lowercase()).collect();
    let words: Vec<&str> = content_words(&question.text).into_iter().filter(|word| is_thing(word, &aliases)).collect();
    let n_words = words.len();
    let own: Vec<EvidenceHit> = hits.iter().filter(|hit| named.contains(&hit.repo_idx)).cloned().collect();
    let words = without_words_of(words, &answer_text::all_text(&own));
    if !is_subject(&words, n_words) {
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
        !terms.is_empty() && terms.iter().all(|term| frequency(term) == 0) && frequency(&folded) == 0
    };
    let absent: Vec<&str> = words.iter().copied().filter(is_absent).collect();
    if !is_subject(&absent, n_words) || shortfalls != Default::default() {
        return Answer { value: Vec::new(), shortfalls };
    }
    let mut found: Vec<String> = Vec::new();
    for word in absent.into_iter().take(MAX_LOOKED_UP) {
        // A compound may be indexed by its parts alone.
        let mentioned = is_mentioned(call, &plan.without(&shortfalls), word, &Filter::default()).await;
        shortfalls.extend(mentioned.shortfalls);
        if !mentioned.value {
            found.push(text::sanitise_name(word).into_owned());
        }
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
    !is_alias && !is_grammar && !is_code
}

/// Words of questions about code that are often in no file.
const QUESTION_WORDS: [&str; 12] = [
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
];

/// Returns true if absent words are what a question asks for.
fn is_subject(absent: &[&str], n_words: usize) -> bool {
    let is_proper = |word: &&str| word.chars().filter(|c| c.is_uppercase()).count() > 1;
    let share = absent.len() as f32 / n_words.max(1) as f32;
    !absent.is_empty() && (absent.iter().any(is_proper) || share >= MIN_SHARE)
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
            assert_eq!(is_subject(&absent, n_words), expected, "{absent:?}");
        }
        let text = "Opens the breakers of a circuitBoard";
        assert_eq!(without_words_of(vec!["circuit", "breaker", "fuse"], text), ["fuse"]);
        assert_eq!(without_words_of(vec!["cir", "fuse"], text), ["cir", "fuse"]);
        let aliases = ["shop-api".to_owned()];
        for (word, expected) in
            [("shop", false), ("where", false), ("GraphQL", true), ("useCart", false), ("breaker", true)]
        {
            assert_eq!(is_thing(word, &aliases), expected, "{word}");
        }
    }
}
