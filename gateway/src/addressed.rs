//! Repositories that a question addresses by their names. Who asks how flask signs its cookies asks flask, where the name stands
//! everywhere and tells nothing: every file of it answers to the name, and the other words say which of them is meant.

use std::collections::BTreeSet;

use proto::v1;
use ranking::{QueryParts, WeightedTerm, WeightedTerms, analyser};

use crate::plan::Plan;

/// Returns the repositories of a plan that a text names, where it says more than that. Where one alone is asked, its name chooses
/// nothing, and stands for what else bears it: that costs less than to leave it out.
pub(crate) fn addressed(plan: &Plan, text: &str, parts: &QueryParts, weighted: &WeightedTerms) -> Vec<v1::Addressed> {
    if plan.asked.len() < 2 {
        return Vec::new();
    }
    let words = analyser::words(text);
    let of = |position: &usize| {
        let name = name_in(plan.alias(*position), &words)?;
        let terms = analyser::terms(name);
        let names_it = |term: &WeightedTerm| terms.contains(&parts.terms[term.term_idx].text);
        let is_told = |term: &WeightedTerm| !parts.terms[term.term_idx].is_joined;
        let weight =
            weighted.scored.iter().filter(|term| names_it(term) && is_told(term)).map(|term| term.weight).sum::<f32>();
        let says_more = weighted.scored.iter().any(|term| !names_it(term) && is_told(term));
        let places = weighted.scored.iter().zip(0..).filter(|(term, _)| names_it(term)).map(|(_, place)| place);
        (says_more && weight > 0.0).then(|| v1::Addressed {
            repository: plan.repository(*position).advertised.id.clone(),
            terms: places.collect(),
            weight,
        })
    };
    plan.asked.iter().filter_map(of).collect()
}

/// Returns the positions of the repositories of a plan that a text names.
pub(crate) fn named(plan: &Plan, text: &str) -> BTreeSet<usize> {
    let words = analyser::words(text);
    plan.asked.iter().copied().filter(|position| name_in(plan.alias(*position), &words).is_some()).collect()
}

/// Returns what of an alias stands among some words, one after the other: all of it, or what comes after its last `/`.
fn name_in<'a>(alias: &'a str, words: &[String]) -> Option<&'a str> {
    // Behind an `@` stands the worker, where two have the same alias.
    let whole = alias.split('@').next().unwrap_or(alias);
    let last = whole.rsplit('/').next().unwrap_or(whole);
    let stands = |name: &&str| {
        let name = analyser::words(name);
        !name.is_empty() && words.windows(name.len()).any(|window| window == name)
    };
    [whole, last].into_iter().find(stands)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_are_told_in_any_notation() {
        for (alias, text, expected) in [
            ("flask", "how does Flask sign cookies", Some("flask")),
            ("vue-core", "where does vue core patch", Some("vue-core")),
            ("vue-core", "where does VueCore patch", Some("vue-core")),
            ("vue-core", "the core of vue", None),
            ("tools/parcel-kit", "parcel_kit labels", Some("parcel-kit")),
            ("flask@west", "flask cookies", Some("flask")),
            ("flask", "flasks of water", None),
            ("--", "anything", None),
        ] {
            assert_eq!(name_in(alias, &analyser::words(text)), expected, "{alias}: {text}");
        }
    }
}
