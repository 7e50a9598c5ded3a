//! Names of repositories in a question. "How does flask sign its cookies" is about the repository flask. Within it the word
//! occurs everywhere and distinguishes nothing, so that the other words decide.

use std::collections::{BTreeMap, BTreeSet};

use proto::v1;
use ranking::{QueryParts, Statistics, WeightedTerm, WeightedTerms, analyser, statistics::idf};

use crate::{
    plan::{Plan, Visible},
    repo_idx::RepoIdx,
};

/// The name of a repository in a text.
struct AliasMention<'a> {
    repo_idx: RepoIdx,
    name: &'a str,
    /// Its span of words in the text: the first, and the one after the last.
    words: (usize, usize),
}

/// Returns the repositories of a plan that a text names, with the weight of the names; none if the plan asks a single repository.
///
/// The weight is that of the words of a name, at most that of the strongest other word. All names have equal weight: a rare name
/// is no likelier to be meant.
pub fn mentioned_repositories(
    plan: &Plan,
    text: &str,
    parts: &QueryParts,
    statistics: &Statistics,
    weighted: &WeightedTerms,
) -> Vec<v1::Addressed> {
    let named = if plan.asked.len() > 1 { names_in(queried_repositories(plan), text) } else { Vec::new() };
    let is_word = |term: &&WeightedTerm| !parts.terms[term.term_idx].is_joined;
    let names_it = |terms: &[String], term: &WeightedTerm| terms.contains(&parts.terms[term.term_idx].text);
    let names: Vec<Vec<String>> = named.iter().map(|named| analyser::terms(named.name)).collect();
    let is_name = |term: &WeightedTerm| names.iter().any(|terms| names_it(terms, term));
    let others = weighted.scored.iter().filter(is_word).filter(|term| !is_name(term));
    let most_of_others = others.map(|term| term.weight).fold(0.0, f32::max);
    let has_others = most_of_others > 0.0;
    let tells = |terms: &Vec<String>| -> f32 {
        let of_term = |term: &String| {
            let place = parts.terms.iter().position(|known| known.text == *term && !known.is_joined)?;
            Some(parts.terms[place].weight * idf(statistics.rows, *statistics.document_frequencies.get(place)?))
        };
        terms.iter().filter_map(of_term).sum()
    };
    let most = names.iter().map(tells).fold(0.0, f32::max);
    let weight = if has_others { most.min(most_of_others) } else { most };
    let mention = |(named, terms): (&AliasMention<'_>, &Vec<String>)| {
        let places = weighted.scored.iter().zip(0..).filter(|(term, _)| has_others && names_it(terms, term));
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
    names_in(queried_repositories(plan), text).iter().map(|named| named.repo_idx).collect()
}

/// Returns the repositories of a plan that a text names as services: by their aliases, or by these without words that many aliases
/// have, so that `the cart service` is `shop-cart-svc`. A whole alias comes before a part of one.
pub fn services_named(plan: &Plan, text: &str) -> BTreeSet<RepoIdx> {
    let whole = named(plan, text);
    let words: Vec<String> = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).filter(|word| !word.is_empty()).collect();
    let names: Vec<(RepoIdx, String)> =
        queried_repositories(plan).map(|(repo_idx, alias)| (repo_idx, last_part(alias).to_lowercase())).collect();
    let prefix = common_prefix(names.iter().map(|(_, name)| name.as_str()));
    let of_service = names.iter().filter(|(_, name)| {
        let name = service_name(name.strip_prefix(prefix.as_str()).unwrap_or(name));
        let parts: Vec<&str> = name.split(['-', '_', '.']).filter(|part| !part.is_empty()).collect();
        let is_there = |parts: &[&str]| !parts.is_empty() && words.windows(parts.len()).any(|window| window == parts);
        is_there(&parts) || is_there(&[parts.concat().as_str()])
    });
    let of_service: BTreeSet<RepoIdx> = of_service.map(|(repo_idx, _)| *repo_idx).collect();
    if whole.is_empty() { of_service } else { whole.union(&of_service).copied().collect() }
}

/// Returns an alias without its worker and its folders.
fn last_part(alias: &str) -> &str {
    let whole = alias.split('@').next().unwrap_or(alias);
    whole.rsplit('/').next().unwrap_or(whole)
}

/// Returns a name without the ending that says that it is one of a service: `cart` of `cartservice` and `cart-api`.
fn service_name(name: &str) -> &str {
    const ENDINGS: [&str; 8] = ["microservice", "service", "services", "svc", "server", "api", "app", "backend"];
    let shorter = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending));
    let shorter = shorter.map(|name| name.trim_end_matches(['-', '_', '.'])).filter(|name| name.len() > 1);
    shorter.unwrap_or(name)
}

/// Returns the first word that most names begin with, such as `shop-`; empty if there is none.
fn common_prefix<'a>(names: impl Iterator<Item = &'a str> + Clone) -> String {
    let first = |name: &'a str| name.find(['-', '_']).map(|end| &name[..=end]);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    names.clone().filter_map(first).for_each(|prefix| *counts.entry(prefix).or_default() += 1);
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    most.filter(|(_, count)| *count > 2 && count * 2 > names.count())
        .map_or_else(String::new, |(prefix, _)| prefix.to_owned())
}

/// Returns the words of all readable repository names in a text, in lower case: typo correction leaves them alone.
pub fn words_of_names(visible: &Visible, text: &str) -> Vec<String> {
    names_in(visible.repo_idxs().iter().copied().zip(visible.aliases()), text)
        .iter()
        .flat_map(|named| analyser::words(named.name))
        .collect()
}

fn queried_repositories(plan: &Plan) -> impl Iterator<Item = (RepoIdx, &str)> {
    plan.asked.iter().map(|repo_idx| (*repo_idx, plan.alias(*repo_idx)))
}

/// Returns the names of repositories in a text, by repository. A name within a longer name is dropped.
fn names_in<'a>(repositories: impl Iterator<Item = (RepoIdx, &'a str)>, text: &str) -> Vec<AliasMention<'a>> {
    let words = analyser::words(text);
    longest(repositories.flat_map(|(repo_idx, alias)| names(alias, &words, repo_idx)).collect(), words.len())
}

/// Drops the names within longer ones, and all but the first name of each repository.
fn longest(mut named: Vec<AliasMention<'_>>, n_words: usize) -> Vec<AliasMention<'_>> {
    let mut end_from = vec![0; n_words];
    named.iter().for_each(|named| end_from[named.words.0] = named.words.1.max(end_from[named.words.0]));
    let furthest_before: Vec<usize> =
        end_from.iter().scan(0, |furthest, end| Some(std::mem::replace(furthest, (*furthest).max(*end)))).collect();
    named.retain(|AliasMention { words: (first, end), .. }| end_from[*first] == *end && furthest_before[*first] < *end);
    named.dedup_by_key(|named| named.repo_idx);
    named
}

/// Returns the occurrences of an alias among consecutive words: the whole alias, else the part after its last `/`.
fn names<'a>(alias: &'a str, words: &[String], repo_idx: RepoIdx) -> Vec<AliasMention<'a>> {
    // The part after an `@` is the worker, if two repositories share an alias.
    let whole = alias.split('@').next().unwrap_or(alias);
    let last = last_part(alias);
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
    fn services_are_named_without_common_words() {
        for (name, expected) in [("cartservice", "cart"), ("cart-api", "cart"), ("api", "api"), ("web", "web")] {
            assert_eq!(service_name(name), expected);
        }
        assert_eq!(common_prefix(["shop-cart", "shop-pay", "shop-web", "tools"].into_iter()), "shop-");
        assert_eq!(common_prefix(["shop-cart", "pay", "web"].into_iter()), "");
    }

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
