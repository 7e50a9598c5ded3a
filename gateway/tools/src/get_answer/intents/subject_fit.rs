//! The subject that an intent can be about.

use ranking::query::content_words;

use federation::repo_mentions;

use super::{
    IntentContext, QuestionIntent,
    subject::{self, Description, Subject},
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
                || (intent == QuestionIntent::Tests && nodes.iter().all(|node| is_one_word_of(node, written))) =>
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
