//! The subject that an intent can be about.

use std::collections::BTreeSet;

use ranking::query::content_words;

use federation::repo_mentions;

use super::{
    IntentContext, QuestionIntent,
    events::terms,
    subject::{self, Description, Subject},
    subject_words::{KINDS, is_name},
};

/// Returns the subject that an intent can be about: the only asked repository if nothing is named in it, and a description rather than
/// fields that have a plain word of the question as their name.
pub(super) fn fitting(
    context: IntentContext<'_, '_>,
    intent: QuestionIntent,
    subject: Subject,
    written: &str,
) -> Subject {
    let is_of_repository = matches!(intent, QuestionIntent::EntryPoints | QuestionIntent::Dependencies);
    match subject {
        // `How do I run the tests?` names nothing.
        Subject::Description(description)
            if matches!(intent, QuestionIntent::Tests | QuestionIntent::Configuration)
                && description.words.is_empty() =>
        {
            match context.plan.asked.as_slice() {
                [only] => Subject::Repositories([*only].into()),
                _ => Subject::Description(description),
            }
        }
        Subject::Description(description) if is_of_repository => {
            let named = repo_mentions::named(context.plan, written);
            let is_alias = |word: &String| {
                let mut aliases = named.iter().map(|repo_idx| context.plan.alias(*repo_idx));
                aliases.any(|alias| alias.eq_ignore_ascii_case(word))
            };
            let is_bare = description.words.iter().all(is_alias);
            match context.plan.asked.as_slice() {
                _ if is_bare && !named.is_empty() => Subject::Repositories(named),
                [only] if is_bare => Subject::Repositories([*only].into()),
                _ => Subject::Description(description),
            }
        }
        Subject::Nodes(nodes)
            if (intent.is_about_users() && nodes.iter().all(|node| is_plain_value(node, written)))
                || (intent == QuestionIntent::Tests
                    && nodes.iter().all(|node| is_one_word_of(node, written) || leaves_words_out(node, written))) =>
        {
            let words = written.split(' ').map(str::to_owned).collect();
            Subject::Description(Description { named: Default::default(), within: None, words })
        }
        // A plain word that only code of tests has as a name describes something of the product.
        Subject::Nodes(nodes)
            if intent != QuestionIntent::Tests && nodes.iter().all(|node| is_word_of_tests(node, written)) =>
        {
            let words = written.split(' ').map(str::to_owned).collect();
            Subject::Description(Description {
                named: repo_mentions::named(context.plan, written),
                within: None,
                words,
            })
        }
        subject => subject,
    }
}

/// Returns true for a definition of a test that a sentence may name by accident: its name is a plain word.
fn is_word_of_tests(node: &subject::SubjectNode, written: &str) -> bool {
    let Some(symbol) = &node.card.symbol else { return false };
    let class = node.card.file.as_ref().map(|file| model::FileClass::from(file.class()));
    let is_plain = symbol.name.chars().all(|c| c.is_ascii_lowercase());
    class == Some(model::FileClass::Test) && is_plain && !written.to_lowercase().contains("test")
}

/// Returns true for a value whose name is one word of a description, such as `API` of "API versioning": tests are about the whole.
fn is_one_word_of(node: &subject::SubjectNode, written: &str) -> bool {
    let Some(symbol) = &node.card.symbol else { return false };
    let is_value = matches!(node.kind(), "field" | "variable" | "property" | "parameter" | "constant");
    let is_word = !ranking::query::is_identifier(&symbol.name) && written.split(' ').any(|word| word == symbol.name);
    let place = format!("{} {}", symbol.container, node.path()).to_lowercase();
    let others: Vec<&str> = content_words(written).into_iter().filter(|word| *word != symbol.name).collect();
    let is_alone = others.is_empty() && symbol.name.chars().all(|c| c.is_ascii_lowercase());
    let is_other = |word: &&str| !place.contains(&word.to_lowercase()) && !VALUE_KINDS.contains(word);
    is_value && is_word && (is_alone || others.iter().any(is_other))
}

/// Returns true for a definition that has only some of the plain words of a description: tests of the retries of a client are not all
/// tests of the client.
fn leaves_words_out(node: &subject::SubjectNode, written: &str) -> bool {
    let Some(symbol) = &node.card.symbol else { return false };
    has_other_words(&format!("{} {} {}", symbol.name, symbol.container, node.path()), written)
}

/// Returns true if plain words have one that a place does not have. A name of code among them is the subject.
fn has_other_words(place: &str, written: &str) -> bool {
    let is_named = written.split(' ').any(is_name);
    let own: BTreeSet<String> = terms(place).into_iter().collect();
    let folded = ranking::analyser::fold(place);
    let is_other = |word: &&str| {
        let is_kind = KINDS.contains(&word.to_lowercase().as_str());
        let is_known = terms(word).iter().any(|term| own.contains(term));
        !is_kind && !is_known && !folded.contains(&ranking::analyser::fold(word))
    };
    !is_named && content_words(written).iter().any(is_other)
}

/// Words that say that a name is one of a value.
const VALUE_KINDS: [&str; 7] = ["field", "variable", "property", "attribute", "parameter", "setting", "option"];

/// Returns true for a field or variable that a sentence may name by accident: one of its plain words is the name, among others.
fn is_plain_value(node: &subject::SubjectNode, written: &str) -> bool {
    let Some(symbol) = &node.card.symbol else { return false };
    let is_value = matches!(node.kind(), "field" | "variable" | "property" | "parameter");
    let is_plain = symbol.name.chars().all(|c| c.is_ascii_lowercase());
    let is_beside_others = written.split(' ').any(|word| word != symbol.name);
    is_value && is_plain && is_beside_others && !written.split(' ').any(|word| VALUE_KINDS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_with_some_of_the_words_is_not_the_subject() {
        for (place, written, expected) in [
            ("moorShip Pier src/pier.rs", "retries of moor ship", true),
            ("moorShip Pier src/pier.rs", "moor ship of the pier", false),
            ("moorShip Pier src/pier.rs", "retries of moorShip", false),
            ("moorShip Pier src/pier.rs", "the function moor ship", false),
            ("BerthPlan src/berthplan/plan.rs", "berth plan", false),
        ] {
            assert_eq!(has_other_words(place, written), expected, "{written}");
        }
    }
}
