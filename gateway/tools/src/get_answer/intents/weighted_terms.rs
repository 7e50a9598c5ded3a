//! The terms that a question asks for, each with its weight.

use std::collections::BTreeSet;

use ranking::{analyser, query::content_words};

use super::{IntentContext, events::terms};
use federation::repo_mentions;

/// Terms of the question itself, which are in no description.
const QUESTION_TERMS: [&str; 31] = [
    "how", "long", "often", "mani", "much", "larg", "big", "frequent", "far", "after", "can", "configur", "set",
    "chang", "default", "keep", "wait", "take", "time", "befor", "most", "get", "let", "stop", "make", "doe", "kept",
    "mai", "might", "last", "stai",
];

/// Adjacent words of a question that code may write as one: "shut down" is `shutdown`.
pub(super) struct Compounds(Vec<[String; 2]>);

impl Compounds {
    pub(super) fn of(question: &str) -> Compounds {
        let words = question.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let words: Vec<String> = words.filter_map(|word| analyser::terms(&word.to_lowercase()).pop()).collect();
        let is_word = |word: &String| word.len() > 1 && word.chars().all(char::is_alphabetic);
        let pairs = words.windows(2).filter(|pair| pair.iter().all(is_word));
        Compounds(pairs.map(|pair| [pair[0].clone(), pair[1].clone()]).collect())
    }

    /// Returns the terms of a name with the words of the question that one of them joins, or that two of them are.
    pub(super) fn completed(&self, mut said: BTreeSet<String>) -> BTreeSet<String> {
        for [one, other] in &self.0 {
            let joined = format!("{one}{other}");
            let is_joined = said.contains(&joined) || analyser::terms(&joined).iter().any(|term| said.contains(term));
            if is_joined {
                said.extend([one.clone(), other.clone()]);
            }
        }
        said
    }
}

/// Returns the terms of a question with their weights, without those of its grammar and of the place that it names.
pub(super) fn asked_terms(
    context: IntentContext<'_, '_>,
    question: &str,
    place: &BTreeSet<String>,
) -> Vec<(String, f32)> {
    let words: BTreeSet<String> = content_words(question).iter().flat_map(|word| terms(word)).collect();
    let named = repo_mentions::named(context.plan, question);
    let aliases: BTreeSet<String> = named.iter().flat_map(|repo_idx| terms(context.plan.alias(*repo_idx))).collect();
    let weight = |term: &String| {
        let known = context.evidence.terms.iter().find(|(known, _)| known == term);
        known.map_or(1.0, |(_, weight)| *weight)
    };
    let is_asked =
        |term: &String| !QUESTION_TERMS.contains(&term.as_str()) && !place.contains(term) && !aliases.contains(term);
    words.into_iter().filter(is_asked).map(|term| (term.clone(), weight(&term))).collect()
}

/// Returns the share of the asked information in some terms, by weight, and the number of common terms.
pub(super) fn asked_share(asked: &[(String, f32)], said: &BTreeSet<String>) -> (f32, usize) {
    let total: f32 = asked.iter().map(|(_, weight)| weight).sum();
    let common: Vec<f32> = asked.iter().filter(|(term, _)| said.contains(term)).map(|(_, weight)| *weight).collect();
    (common.iter().sum::<f32>() / total.max(f32::MIN_POSITIVE), common.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_question_are_found_in_compounds() {
        for (question, name, expected) in [
            ("how long may a worker shut down", "worker_shutdown_timeout", "down shut shutdown timeout worker"),
            ("before it shuts down", "shutdown_grace", "down grace shut shutdown"),
            ("a call back of the dock", "callback_limit", "back call callback limit"),
            ("the back of a call", "callback_limit", "callback limit"),
            ("how long may a worker live", "worker_timeout", "timeout worker"),
        ] {
            let said = Compounds::of(question).completed(terms(name).into_iter().collect());
            assert_eq!(said.into_iter().collect::<Vec<_>>().join(" "), expected, "{question}");
        }
    }
}
