//! Repositories that a question addresses by their names. Who asks how flask signs its cookies asks flask, where the name stands
//! everywhere and tells nothing: every file of it answers to the name, and the other words say which of them is meant.

use std::collections::BTreeSet;

use proto::v1;
use ranking::{QueryParts, Statistics, WeightedTerm, WeightedTerms, analyser, statistics::idf};

use crate::{
    plan::{Plan, Visible},
    repo_idx::RepoIdx,
};

/// A name that stands in a text.
struct AliasMention<'a> {
    repo_idx: RepoIdx,
    name: &'a str,
    /// Its first word in the text, and the one behind its last.
    words: (usize, usize),
}

/// Returns the repositories of a plan that a text names. Where one alone is asked, its name chooses nothing, and stands for
/// what else bears it: that costs less than to leave it out.
///
/// A name tells what its words tell, but no more than the most telling of the other words, and all names tell the same: that
/// one is rare says nothing of which is meant.
pub fn mentioned_repositories(
    plan: &Plan,
    text: &str,
    parts: &QueryParts,
    statistics: &Statistics,
    weighted: &WeightedTerms,
) -> Vec<v1::Addressed> {
    let named = if plan.asked.len() > 1 { names_in(asked(plan), text) } else { Vec::new() };
    let is_word = |term: &&WeightedTerm| !parts.terms[term.term_idx].is_joined;
    let names_it = |terms: &[String], term: &WeightedTerm| terms.contains(&parts.terms[term.term_idx].text);
    let names: Vec<Vec<String>> = named.iter().map(|named| analyser::terms(named.name)).collect();
    let is_name = |term: &WeightedTerm| names.iter().any(|terms| names_it(terms, term));
    let others = weighted.scored.iter().filter(is_word).filter(|term| !is_name(term));
    let most_of_others = others.map(|term| term.weight).fold(0.0, f32::max);
    let says_more = most_of_others > 0.0;
    let tells = |terms: &Vec<String>| -> f32 {
        let of_term = |term: &String| {
            let place = parts.terms.iter().position(|known| known.text == *term && !known.is_joined)?;
            Some(parts.terms[place].weight * idf(statistics.rows, *statistics.document_frequencies.get(place)?))
        };
        terms.iter().filter_map(of_term).sum()
    };
    let most = names.iter().map(tells).fold(0.0, f32::max);
    let weight = if says_more { most.min(most_of_others) } else { most };
    let mention = |(named, terms): (&AliasMention<'_>, &Vec<String>)| {
        let places = weighted.scored.iter().zip(0..).filter(|(term, _)| says_more && names_it(terms, term));
        v1::Addressed {
            repository: plan.repository(named.repo_idx).advertised.id.clone(),
            terms: places.map(|(_, place)| place).collect(),
            weight,
        }
    };
    named.iter().zip(&names).filter(|_| weight > 0.0).map(mention).collect()
}

/// Returns the repositories of a plan that a text names.
pub fn named(plan: &Plan, text: &str) -> BTreeSet<RepoIdx> {
    names_in(asked(plan), text).iter().map(|named| named.repo_idx).collect()
}

/// Returns the words of the names of repositories that a text has, in lower case, whether they are asked or not: none of them is
/// misspelt.
pub fn words_of_names(visible: &Visible, text: &str) -> Vec<String> {
    names_in(visible.repo_idxs().iter().copied().zip(visible.aliases()), text)
        .iter()
        .flat_map(|named| analyser::words(named.name))
        .collect()
}

fn asked(plan: &Plan) -> impl Iterator<Item = (RepoIdx, &str)> {
    plan.asked.iter().map(|repo_idx| (*repo_idx, plan.alias(*repo_idx)))
}

/// Returns the names of repositories in a text, by repository; of names of which one has the other in it the longer one.
fn names_in<'a>(repositories: impl Iterator<Item = (RepoIdx, &'a str)>, text: &str) -> Vec<AliasMention<'a>> {
    let words = analyser::words(text);
    longest(repositories.flat_map(|(repo_idx, alias)| names(alias, &words, repo_idx)).collect(), words.len())
}

/// Leaves the names that stand within no longer one, the first of each repository.
fn longest(mut named: Vec<AliasMention<'_>>, n_words: usize) -> Vec<AliasMention<'_>> {
    let mut end_from = vec![0; n_words];
    named.iter().for_each(|named| end_from[named.words.0] = named.words.1.max(end_from[named.words.0]));
    let furthest_before: Vec<usize> =
        end_from.iter().scan(0, |furthest, end| Some(std::mem::replace(furthest, (*furthest).max(*end)))).collect();
    named.retain(|AliasMention { words: (first, end), .. }| end_from[*first] == *end && furthest_before[*first] < *end);
    named.dedup_by_key(|named| named.repo_idx);
    named
}

/// Returns where an alias stands among some words, one after the other: all of it, or else what comes after its last `/`.
fn names<'a>(alias: &'a str, words: &[String], repo_idx: RepoIdx) -> Vec<AliasMention<'a>> {
    // Behind an `@` stands the worker, where two have the same alias.
    let whole = alias.split('@').next().unwrap_or(alias);
    let last = whole.rsplit('/').next().unwrap_or(whole);
    let places = |name: &'a str| -> Vec<AliasMention<'a>> {
        let own = analyser::words(name);
        if own.is_empty() {
            return Vec::new();
        }
        let windows = words.windows(own.len()).enumerate().filter(|(_, window)| *window == own);
        windows.map(|(first, _)| AliasMention { repo_idx, name, words: (first, first + own.len()) }).collect()
    };
    [whole, last].into_iter().map(places).find(|found| !found.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_are_told_in_any_notation() {
        for (aliases, text, expected) in [
            (&["flask"][..], "how does Flask sign cookies", &["flask"][..]),
            (&["vue-core"], "where does vue core patch", &["vue-core"]),
            (&["vue-core"], "where does VueCore patch", &["vue-core"]),
            (&["vue-core"], "the core of vue", &[]),
            (&["tools/parcel-kit"], "parcel_kit labels", &["parcel-kit"]),
            (&["flask@west", "flask@east"], "flask cookies", &["flask", "flask"]),
            (&["flask"], "flasks of water", &[]),
            (&["server", "server-fork"], "server-fork buckets", &["server-fork"]),
            (&["server", "server-fork"], "server and server-fork", &["server", "server-fork"]),
            (&["client", "server"], "client server", &["client", "server"]),
            (&["--"], "anything", &[]),
        ] {
            let found = names_in((0..).map(RepoIdx).zip(aliases.iter().copied()), text);
            let found: Vec<&str> = found.iter().map(|named| named.name).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
