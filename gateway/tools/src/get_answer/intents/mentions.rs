//! Lines that have the name of a definition of which no user is known: a call may be unresolved, and then the name is all that is known.

use std::collections::BTreeSet;

use super::{
    IntentContext,
    cited_text::CitedText,
    raises::is_comment,
    source_lines::{SourceLine, definition_at, files_of_settings, matching},
    subject::SubjectNode,
};
use crate::get_context::item::lines_of;
use federation::answer::Answer;

/// Minimum length of a name; a shorter one is a word of many lines.
const MIN_NAME_CHARS: usize = 5;

/// Maximum number of lines in an answer.
const MAX_LISTED: usize = 6;

/// Maximum number of lines whose definitions are looked up: several lines may be of one definition.
const MAX_LOOKED_UP: usize = 4 * MAX_LISTED;

/// Words before a name that defines it.
const DEFINING: [&str; 8] = ["def ", "fn ", "func ", "function ", "class ", "sub ", "fun ", "proc "];

/// Returns a sentence with the lines of the retrieved files that have the name of a definition; nothing if none has it.
pub(super) async fn sentence(context: IntentContext<'_, '_>, nodes: &[SubjectNode]) -> Answer<Option<CitedText>> {
    let nothing = || Answer::complete(None);
    let Some(symbol) = nodes.first().and_then(|node| node.card.symbol.as_ref()) else { return nothing() };
    let name = symbol.name.clone();
    if name.chars().count() < MIN_NAME_CHARS {
        return nothing();
    }
    let files = files_of_settings(context, &BTreeSet::new());
    let found = matching(context, &files, |line| mentions(line, &name)).await;
    let is_definition = |line: &SourceLine| {
        nodes.iter().any(|node| {
            let lines = lines_of(&node.card);
            node.at.repo_idx == line.repo_idx && node.path() == line.path && line.line == lines.start
        })
    };
    let mut items: Vec<CitedText> = Vec::new();
    let mut seen: BTreeSet<(String, String)> = BTreeSet::new();
    for line in found.value.iter().filter(|line| !is_definition(line)).take(MAX_LOOKED_UP) {
        if items.len() == MAX_LISTED {
            break;
        }
        let within = definition_at(context, line).await;
        let shown = within.map_or_else(|| text::quote(&line.display_text()), |within| text::quote(&within));
        if seen.insert((line.path.clone(), shown.clone())) {
            items.push(CitedText::cited(shown, line.place(context)));
        }
    }
    let subject = nodes[0].cited(context.plan);
    let lead = format!("No resolved use of {} is known; by its name, at least these lines may use it: ", subject.text);
    let sentence = (!items.is_empty()).then(|| {
        let listed = CitedText::listed(&lead, items, MAX_LISTED, ".");
        let citations = subject.citations.into_iter().chain(listed.citations).collect();
        CitedText { text: listed.text, citations }
    });
    Answer { value: sentence, shortfalls: found.shortfalls }
}

/// Returns true for a line of code that has a name as a whole word, and does not define it.
fn mentions(line: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let is_use = |at: usize| {
        let (before, after) = (&line[..at], &line[at + name.len()..]);
        let is_whole = !before.ends_with(is_part) && !after.starts_with(is_part);
        is_whole && !DEFINING.iter().any(|word| before.ends_with(word) || before.ends_with(&format!("{word}self.")))
    };
    !is_comment(line) && line.match_indices(name).any(|(at, _)| is_use(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_are_whole_words_of_code() {
        for (line, expected) in [
            ("  renew_lease(item)", true),
            ("  dock.renew_lease item", true),
            ("def renew_lease(item)", false),
            ("  def self.renew_lease", false),
            ("# renew_lease is called at night", false),
            ("  renew_leases(item)", false),
            ("  pre_renew_lease", false),
        ] {
            assert_eq!(mentions(line, "renew_lease"), expected, "{line}");
        }
    }
}
