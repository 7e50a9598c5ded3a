//! Errors that a question describes: the lines that raise one whose message, condition or name has its words.

use std::collections::BTreeSet;

use ranking::query::{content_words, is_identifier};

use super::super::confidence::Confidence;
use super::{
    IntentAnswer, IntentContext,
    assignments::assigned,
    cited_text::CitedText,
    documented_parameters::is_function,
    events::terms,
    raises::{condition_around, is_comment, raises},
    source_lines::{SourceLine, definition_at, files_of_settings, lines_above, non_empty_lines},
    subject::Description,
    weighted_terms::{asked_share, asked_terms},
};
use federation::repo_idx::RepoIdx;

/// Parts of a line that makes an error.
const MADE: [&str; 9] =
    ["Exception(", "Error(", "Error{", "Error::new", "anyhow!(", "errors.New(", "Errorf(", "Failure(", "abort("];

/// Maximum number of lines of a statement whose words are compared.
const MAX_STATEMENT_LINES: usize = 4;

/// Maximum number of errors in an answer.
const MAX_SHOWN: usize = 3;

/// Minimum share of the asked information in an error, and minimum share of the best one that another one must have to be shown.
const MIN_SHARE: f32 = 0.5;
const MIN_RELATIVE_SHARE: f32 = 0.85;

/// Cost of a term in the name of a code that the question does not have.
const EXCESS: f32 = 0.02;

/// Words of questions for errors that are in no message.
const QUESTION_TERMS: [&str; 20] = [
    "error", "except", "thrown", "throw", "rais", "fail", "failur", "exit", "code", "statu", "happen", "condit",
    "under", "get", "which", "panic", "reject", "abort", "when", "give",
];

pub(super) async fn answer(
    context: IntentContext<'_, '_>,
    description: &Description,
    question: &str,
) -> Option<IntentAnswer> {
    let files = files_of_settings(context, &description.named);
    let place: BTreeSet<String> = description.within.iter().flat_map(|module| terms(&module.module.path)).collect();
    let asked: Vec<(String, f32)> = asked_terms(context, question, &place)
        .into_iter()
        .filter(|(term, _)| !QUESTION_TERMS.contains(&term.as_str()))
        .collect();
    // A single word is in many messages.
    if asked.len() < 2 {
        return None;
    }
    let asks_code = asks_for_code(question);
    let of_question: BTreeSet<String> = terms(question).into_iter().collect();
    let found = non_empty_lines(context, &files).await;
    let lines = found.value.as_slice();
    let mut scored: Vec<(f32, usize)> = (0..lines.len())
        .filter(|at| if asks_code { is_code(&lines[*at]) } else { makes_error(&lines[*at].text) })
        .filter_map(|at| {
            let said = terms_around(lines, at);
            // Of constants, the one whose name has nothing else is meant.
            let name = assigned(&lines[at].text).map_or(lines[at].text.as_str(), |(name, _)| name);
            let name = name.split([' ', ':']).next().unwrap_or(name);
            let n_other = terms(name).iter().filter(|term| !of_question.contains(*term)).count();
            let excess = if asks_code { EXCESS * n_other as f32 } else { 0.0 };
            Some((share(&asked, &said)? - excess, at))
        })
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    // A name of code in the question is in the statement that it asks for, or that of a definition around it.
    let is_alias =
        |word: &str| context.plan.asked.iter().any(|one| context.plan.alias(*one).eq_ignore_ascii_case(word));
    let is_name = |word: &&str| is_identifier(word) && !is_alias(word);
    let names: Vec<&str> = content_words(question).into_iter().filter(is_name).collect();
    scored.retain(|(_, at)| names.iter().all(|name| has_name(lines, *at, name)));
    let is_raiser = |(_, at): &(f32, usize)| !names.iter().any(|name| defines(&lines[*at].text, name));
    if scored.iter().any(is_raiser) {
        scored.retain(is_raiser);
    }
    let best = scored.first()?.0;
    let mut sentences: Vec<CitedText> = Vec::new();
    let mut seen: BTreeSet<(RepoIdx, &str, String)> = BTreeSet::new();
    for (share, at) in scored {
        let line = &lines[at];
        if sentences.len() == MAX_SHOWN || share < MIN_RELATIVE_SHARE * best || (asks_code && share < best) {
            break;
        }
        if !seen.insert((line.repo_idx, line.path.as_str(), line.display_text())) {
            continue;
        }
        let shown = text::quote(&statement_summary(lines, at));
        if asks_code {
            let lead = "By the words of its name, the code is";
            sentences.push(CitedText::cited(format!("{lead} {shown}"), line.place(context)).then("."));
            continue;
        }
        let within = definition_at(context, line).await;
        let by = within.map_or_else(|| "Code outside of definitions".to_owned(), |within| text::quote(&within));
        let said = CitedText::cited(format!("{by} has {shown}"), line.place(context));
        sentences.push(said.then(&format!("{}.", condition_around(line, lines))));
    }
    let note = "the answer is of the files that match the question; get_symbol returns the source around a line";
    Some(IntentAnswer::new(sentences, Confidence::Medium, note).with_shortfalls(found.shortfalls))
}

/// Returns true if a statement, its condition or the head of a definition around it has the last part of a name.
fn has_name(lines: &[SourceLine], at: usize, name: &str) -> bool {
    let name = name.rsplit(['.', ':']).next().unwrap_or(name);
    let line = &lines[at];
    let said = format!("{} {}", statement_text(lines, at), condition_around(line, lines));
    if said.contains(name) {
        return true;
    }
    let mut indent = line.indent;
    let around = lines_above(lines, at).filter(|above| {
        let is_outer = above.indent < indent;
        indent = indent.min(above.indent);
        is_outer
    });
    let mut heads = around.filter(|above| is_head(&above.text));
    heads.any(|above| above.text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name))
}

/// Returns true for a line that gives a name its value: the definition of an error raises nothing.
fn defines(line: &str, name: &str) -> bool {
    assigned(line).is_some_and(|(target, _)| {
        let last = target.trim().trim_matches(['"', '\'']).rsplit([' ', '.']).next().unwrap_or_default();
        last.trim_matches(['"', '\'']) == name
    })
}

/// Returns true for a line that begins a definition rather than a branch.
fn is_head(line: &str) -> bool {
    const BRANCHES: [&str; 9] = ["if", "else", "for", "while", "switch", "match", "try", "catch", "}"];
    let first = line.split([' ', '(']).next().unwrap_or_default();
    let is_type = ["class ", "impl ", "struct ", "interface ", "object "].iter().any(|word| line.contains(word));
    let is_method = line.ends_with('{') && line.contains('(') && !line.contains('=');
    !is_comment(line) && !BRANCHES.contains(&first) && (is_function(line) || is_type || is_method)
}

/// Returns true if a question asks for the number that stands for an error.
fn asks_for_code(question: &str) -> bool {
    let lower = question.to_lowercase();
    ["exit code", "status code", "error code", "return code"].iter().any(|words| lower.contains(words))
}

/// Returns true for a constant of a code, or a line that gives one.
fn is_code(line: &SourceLine) -> bool {
    let Some((name, value)) = assigned(&line.text) else {
        // The members of a numbered list have no value of their own.
        let is_member = line.text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ','));
        let is_constant = line.text.starts_with(char::is_uppercase);
        return is_member && is_constant && terms(&line.text).iter().any(|term| term == "code");
    };
    let names_code = terms(name).iter().any(|term| matches!(term.as_str(), "code" | "exit" | "statu" | "status"));
    names_code && value.chars().any(|c| c.is_ascii_digit())
}

/// Returns true for a line that raises or makes an error, and is no comment.
fn makes_error(line: &str) -> bool {
    let is_declaration = ["class ", "def ", "func ", "fn ", "import ", "catch ", "except ", "} catch"]
        .iter()
        .any(|start| line.starts_with(start));
    !is_comment(line) && !is_declaration && (raises(line) || MADE.iter().any(|part| line.contains(part)))
}

/// Returns the terms of a statement, and of the condition that leads to it.
fn terms_around(lines: &[SourceLine], at: usize) -> BTreeSet<String> {
    terms(&format!("{} {}", statement_text(lines, at), condition_around(&lines[at], lines))).into_iter().collect()
}

fn statement_text(lines: &[SourceLine], at: usize) -> String {
    statement(lines, at).iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// Returns the lines of a statement that begins at a line and has no end on it.
fn statement(lines: &[SourceLine], at: usize) -> &[SourceLine] {
    let first = &lines[at];
    let depth =
        |line: &SourceLine| line.text.matches(['(', '{']).count() as i64 - line.text.matches([')', '}']).count() as i64;
    let mut open = depth(first);
    let mut end = at + 1;
    while open > 0 && end < lines.len() && end - at < MAX_STATEMENT_LINES && lines[end].path == first.path {
        open += depth(&lines[end]);
        end += 1;
    }
    &lines[at..end]
}

/// Returns a statement as an answer shows it: its first line, with the lines that have a message.
fn statement_summary(lines: &[SourceLine], at: usize) -> String {
    let has_message = |line: &&SourceLine| line.text.contains(['"', '\'', '`']);
    let first = lines[at].text.clone();
    let rest = statement(lines, at)[1..].iter().filter(has_message).map(|line| line.text.clone());
    let whole = std::iter::once(first).chain(rest.take(1)).collect::<Vec<_>>().join(" ");
    SourceLine { text: whole, ..lines[at].clone() }.display_text()
}

/// Returns the share of the asked information in some terms; `None` if it is too little.
fn share(asked: &[(String, f32)], said: &BTreeSet<String>) -> Option<f32> {
    let (share, n_common) = asked_share(asked, said);
    let is_enough = n_common >= asked.len().min(2) && n_common > 0;
    (is_enough && share >= MIN_SHARE).then_some(share)
}

#[cfg(test)]
mod tests {
    use super::{super::source_lines::lines_of_text as lines, *};

    #[test]
    fn errors_are_found_by_their_messages_and_conditions() {
        let source = lines(
            "if (leases.isEmpty()) {\n  final var e = new LeaseException(\n    name + \" - no lease is free, waited for \" + ms);\n  \
             throw wrap(e);\n}\nclass LeaseError(Exception):\n# raise LeaseError(free)\n",
        );
        let asked: Vec<(String, f32)> = ["leas", "free"].map(|term| (term.to_owned(), 1.0)).into();
        let found: Vec<u32> = (0..source.len())
            .filter(|at| makes_error(&source[*at].text) && share(&asked, &terms_around(&source, *at)).is_some())
            .map(|at| source[at].line)
            .collect();
        assert_eq!(found, [2]);
        assert_eq!(
            statement_summary(&source, 1),
            "final var e = new LeaseException( name + \" - no lease is free, waited for \" + ms)"
        );
    }

    #[test]
    fn a_name_is_in_the_statement_or_around_it() {
        let source = lines(
            "class DockClient:\n  def open(self):\n    if self.closed:\n      raise DockError(\"port\")\n  def shut(self):\n    raise \
             DockError(\"berth\")\n",
        );
        for (at, name, expected) in [
            (3, "DockClient.open", true),
            (3, "DockClient", true),
            (3, "closed", true),
            (3, "shut", false),
            (5, "DockClient.open", false),
            (5, "DockClient.shut", true),
        ] {
            assert_eq!(has_name(&source, at, name), expected, "{at} {name}");
        }
        for (line, expected) in [
            ("public void open(int port) {", true),
            ("if (open(port)) {", false),
            ("open(port)", false),
            ("} else if (open(port)) {", false),
        ] {
            assert_eq!(is_head(line), expected, "{line}");
        }
    }

    #[test]
    fn the_definition_of_an_error_gives_it_a_value() {
        for (line, expected) in [
            ("DOCK_CLOSED: makeError('DOCK_CLOSED'", true),
            ("export const DOCK_CLOSED = makeError('closed')", true),
            ("throw new DOCK_CLOSED(port)", false),
            ("const error = new DOCK_CLOSED(port)", false),
        ] {
            assert_eq!(defines(line, "DOCK_CLOSED"), expected, "{line}");
        }
    }

    #[test]
    fn codes_are_constants_with_a_number() {
        for (line, expected) in [
            ("CodeLeaseNotFound int = iota + 200", true),
            ("EXIT_BUSY = 3", true),
            ("CodeLeaseBusy", true),
            ("leaseStatus = 3", true),
            ("limit = 3", false),
            ("encoder = 3", false),
            ("barcode,", false),
            ("code,", false),
            ("exit_with(code)", false),
        ] {
            assert_eq!(is_code(&lines(line)[0]), expected, "{line}");
        }
        assert!(asks_for_code("what exit code do I get?") && !asks_for_code("which error do I get?"));
    }
}
