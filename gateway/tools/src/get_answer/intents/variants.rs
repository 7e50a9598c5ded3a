//! The kinds of a thing that there are: "which brokers can it talk to" asks for the types that extend or implement `Broker`.

use super::super::{confidence::Confidence, side_folders};
use super::{
    IntentAnswer, IntentContext,
    cited_text::{CitedText, counted},
    clauses,
    pattern::{ClauseWords, captures},
    subject::SubjectNode,
    subject_lookup::{LookupScope, Spelling, look_up},
    users::{self, DefinitionUser},
};
use crate::arguments::suggested;
use federation::{answer::Answer, repo_mentions};

/// Phrasings that ask for the kinds of a thing.
const PHRASINGS: [&str; 6] = [
    "what|which [different] [kinds|kind|types|type|sorts] [of] {} are|is [there|available|supported|provided|included|implemented|offered|built-in|possible] [by|in|out] [of] [it|the|box]",
    "what|which [different] [kinds|kind|types|type|sorts] [of] {} does|do|can|could it|this|we|i|you [have|support|provide|offer|ship|implement|include|use|choose|pick|handle|know|talk|speak|work|connect|come|write|send] [to|with|from|between|against]",
    "what|which [different] [kinds|kind|types|type|sorts] [of] {} exist|exists",
    "list [all] [of] [the] [available|supported|built-in|different] {}",
    "how many [different] [kinds|types|sorts] [of] {} are there",
    "what|which are [all] [of] [the] [available|supported|built-in|different] {}",
];

/// Maximum number of words of the thing, and of listed types.
const MAX_WORDS: usize = 3;
const MAX_LISTED: usize = 10;

/// Minimum number of types that are kinds of one.
const MIN_KINDS: usize = 2;

/// Answers with the types that directly extend or implement the one that a question has the plural of; `None` if it asks for something else, or
/// fewer than two are known.
pub(in super::super) async fn answer(context: IntentContext<'_, '_>, question: &str) -> Option<IntentAnswer> {
    let thing = thing(question)?;
    let name = thing.replace(' ', "_");
    let named = repo_mentions::named(context.plan, question);
    let as_written = (false, LookupScope::NamedRepositories, Spelling::OfWords);
    let Answer { value: nodes, mut shortfalls } = look_up(context, &name, &[], &named, as_written).await;
    let is_type = |node: &SubjectNode| matches!(node.kind(), "class" | "interface" | "trait" | "struct" | "type");
    let nodes: Vec<SubjectNode> = nodes.into_iter().filter(is_type).collect();
    let node = nodes.first().filter(|_| nodes.len() == 1)?;
    let users = users::of_nodes(context, &nodes, 1).await;
    shortfalls.extend(users.shortfalls);
    let is_kind = |user: &&DefinitionUser| user.is_subtype() && !side_folders::is_in_side_folder(&user.path);
    let kinds: Vec<&DefinitionUser> = users.value.direct.iter().filter(is_kind).collect();
    if kinds.len() < MIN_KINDS {
        return None;
    }
    let items = kinds.iter().map(|kind| kind.cited(context.plan)).collect();
    let base = node.cited(context.plan);
    let lead = format!("{} of the product extend or implement {}: ", counted(kinds.len(), "type"), base.text);
    let said = CitedText::listed(&lead, items, MAX_LISTED, ".");
    let citations = base.citations.into_iter().chain(said.citations).collect();
    let sentences: Vec<CitedText> =
        std::iter::once(CitedText { text: said.text, citations }).chain(users::missed_sentence(&users.value)).collect();
    let note = format!("get_impact {} lists every user", suggested("target", &node.id(context.plan)));
    Some(IntentAnswer::new(sentences, Confidence::Medium, note).with_shortfalls(shortfalls))
}

/// Returns the thing whose kinds a question asks for, in the singular.
fn thing(question: &str) -> Option<String> {
    let words = clauses::without_tails(clauses::without_leads(ClauseWords::of(question)));
    let found = PHRASINGS.iter().find_map(|pattern| captures(pattern, &words))?;
    let plural = found.into_iter().next()?;
    let (before, last) = plural.rsplit_once(' ').map_or(("", plural.as_str()), |(before, last)| (before, last));
    let singular = singular(last)?;
    (plural.split(' ').count() <= MAX_WORDS).then(|| format!("{before} {singular}").trim_start().to_owned())
}

/// Returns the singular of a plural; `None` for a word that is none.
fn singular(word: &str) -> Option<String> {
    if word.ends_with("ss") || word.ends_with("us") || word.ends_with("is") {
        return None;
    }
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() > 1) {
        return Some(format!("{stem}y"));
    }
    let of_sibilant = ["sses", "xes", "ches", "shes"].iter().any(|end| word.ends_with(end));
    word.strip_suffix(if of_sibilant { "es" } else { "s" }).filter(|stem| stem.len() > 1).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_asked_for_in_the_plural() {
        for (question, expected) in [
            ("Which brokers can it talk to?", Some("broker")),
            ("what kinds of berth policies are there", Some("berth policy")),
            ("Which hashes does it support?", Some("hash")),
            ("which storage backends are supported?", Some("storage backend")),
            ("what is a broker?", None),
            ("Which broker is used?", None),
            ("which tests cover the broker", None),
            ("what does it talk to", None),
            ("Which class is there?", None),
        ] {
            assert_eq!(thing(question).as_deref(), expected, "{question}");
        }
    }
}
