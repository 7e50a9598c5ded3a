//! Code that catches an error: the lines that name its type in a handler, with the line behind each.

use std::collections::BTreeSet;

use model::LineSpan;

use super::super::confidence::Confidence;
use super::{
    IntentAnswer, IntentContext,
    cited_text::{CitedText, counted},
    errors,
    handler_lines::{LINES_ABOVE, catches, with_clause_above},
    raises::is_comment,
    source_lines::{SourceLine, read},
    subject::{self, Subject, SubjectNode},
    users::{self, DefinitionUser, DefinitionUsers},
};
use crate::arguments::suggested;
use federation::{
    answer::{Answer, Shortfalls},
    fetch::SourceRequest,
};

/// Verbs of questions for the code that catches an error.
const CATCHING: [&str; 19] = [
    "catch",
    "catches",
    "caught",
    "catching",
    "handle",
    "handles",
    "handled",
    "handling",
    "rescue",
    "rescues",
    "rescued",
    "swallow",
    "swallows",
    "swallowed",
    "trap",
    "traps",
    "trapped",
    "dealt",
    "deals",
];

/// Beginnings and endings of verbs of questions for the code that raises one.
const RAISING: [&str; 10] = ["rais", "throw", "fail", "return", "panic", "emit", "produc", "reject", "crash", "abort"];
const ENDINGS: [&str; 8] = ["", "s", "e", "es", "n", "ed", "ted", "ing"];

/// Words of questions for the places in which an error is not caught.
const NEGATIONS: [&str; 7] = ["not", "never", "without", "uncaught", "unhandled", "nowhere", "besides"];

/// Maximum number of users whose lines are read, and of lines of one.
const MAX_USERS: usize = 60;
const MAX_LINES_OF_USER: usize = 8;

/// Distance of lines of a file that are read at once.
const MAX_GAP: u32 = 60;

/// Lines behind a handler that may have its first statement.
const LINES_BEHIND: u32 = 4;

/// Maximum number of handlers in a sentence, and of those that are quoted.
const MAX_LISTED: usize = 6;
const MAX_QUOTED: usize = 3;

/// Returns true if a question asks what catches an error, and not what raises one or lets it pass.
pub(super) fn asks(question: &str) -> bool {
    let words = words(question);
    words.iter().any(|word| CATCHING.contains(&word.as_str())) && !has_raising(&words) && !has_negation(&words)
}

/// Returns true if a question asks for the places in which an error is not caught: no line shows these.
pub(super) fn asks_for_absence(question: &str) -> bool {
    let words = words(question);
    let is_of_catching =
        |word: &String| CATCHING.contains(&word.as_str()) || matches!(word.as_str(), "uncaught" | "unhandled");
    words.iter().any(is_of_catching) && !has_raising(&words) && has_negation(&words)
}

fn has_raising(words: &[String]) -> bool {
    let is_verb = |word: &str, verb: &str| word.strip_prefix(verb).is_some_and(|ending| ENDINGS.contains(&ending));
    words.iter().any(|word| RAISING.iter().any(|verb| is_verb(word, verb)))
}

fn words(question: &str) -> Vec<String> {
    let lower = question.to_lowercase().replace("n't", " not").replace("n\u{2019}t", " not");
    lower.split(|c: char| !(c.is_alphanumeric() || c == '_')).map(str::to_owned).collect()
}

fn has_negation(words: &[String]) -> bool {
    words.iter().any(|word| NEGATIONS.contains(&word.as_str()))
}

/// Answers what catches an error, by its type or by the type that it derives from; `None` if nothing does and its name is not one of an
/// error.
pub(super) async fn answer(context: IntentContext<'_, '_>, nodes: &[SubjectNode]) -> Option<IntentAnswer> {
    let name = text::quote(&nodes.first()?.name());
    let Answer { value: own, mut shortfalls } = of_type(context, nodes).await;
    let of_base = of_base(context, &nodes[0]).await;
    shortfalls.extend(of_base.shortfalls);
    let has_base = of_base.value.is_some();
    if own.handlers.is_empty() && !has_base && !nodes.iter().any(errors::has_error_name) {
        return None;
    }
    let mut sentences: Vec<CitedText> = Vec::new();
    if own.handlers.is_empty() && own.users.direct.is_empty() {
        sentences.push(users::no_user(context, nodes, &own.users));
    } else if own.handlers.is_empty() {
        let read = counted(own.n_read, "use");
        let were = if own.n_read == 1 { "was" } else { "were" };
        let text = format!("No line that catches {name} by its type was found in the {read} that {were} read.");
        sentences.push(CitedText::plain(text));
    } else {
        let lead = format!("{name} is caught by ");
        sentences.push(CitedText::listed(&lead, cited(context, &own.handlers), MAX_LISTED, "."));
        let quoted: Vec<CitedText> = quotations(&own.handlers).into_iter().map(CitedText::plain).collect();
        let has_quoted = !quoted.is_empty();
        let quoted = CitedText::listed("The handlers begin with ", quoted, MAX_QUOTED, ".");
        sentences.extend(has_quoted.then_some(quoted));
    }
    if let Some((base, handlers)) = of_base.value {
        let lead = format!("Handlers of its base type {} catch it as well: ", text::quote(&base));
        sentences.push(CitedText::listed(&lead, cited(context, &handlers), MAX_LISTED, "."));
    }
    if own.is_partial {
        sentences.push(CitedText::plain("It has further uses, which were not read.".to_owned()));
    }
    sentences.extend(users::missed_sentence(&own.users));
    let note = format!("get_impact {} lists every use", suggested("target", &nodes[0].id(context.plan)));
    let confidence = match (own.handlers.is_empty(), has_base) {
        (false, _) if !own.is_partial => users::confidence(nodes, &own.users),
        (true, false) => Confidence::Low,
        _ => Confidence::Medium,
    };
    Some(IntentAnswer::new(sentences, confidence, note).with_shortfalls(shortfalls))
}

/// The handlers among the uses of a type.
struct HandledUses {
    handlers: Vec<ErrorHandler>,
    /// Number of uses whose line was read.
    n_read: usize,
    /// True if it has more uses than were read.
    is_partial: bool,
    users: DefinitionUsers,
}

/// A line that catches an error.
struct ErrorHandler {
    /// The definition that has it.
    user: String,
    line: SourceLine,
    /// True if the clause begins on a line above it.
    is_below_clause: bool,
    /// Its first statement.
    then: Option<String>,
}

fn cited(context: IntentContext<'_, '_>, handlers: &[ErrorHandler]) -> Vec<CitedText> {
    let mut seen: BTreeSet<(&str, &str)> = BTreeSet::new();
    let distinct = handlers.iter().filter(|handler| seen.insert((&handler.user, &handler.line.path)));
    distinct.map(|handler| CitedText::cited(text::quote(&handler.user), handler.line.place(context))).collect()
}

/// Returns the distinct handlers as answers show them.
fn quotations(handlers: &[ErrorHandler]) -> Vec<String> {
    let mut shown: Vec<String> = Vec::new();
    for handler in handlers.iter().filter(|handler| !handler.is_below_clause) {
        let then = handler.then.as_ref().map(|then| format!(", then {}", text::quote(then))).unwrap_or_default();
        let one = format!("{}{then}", text::quote(&handler.line.display_text()));
        if !shown.contains(&one) {
            shown.push(one);
        }
    }
    shown
}

/// Returns the handlers that name a type, in the product.
async fn of_type(context: IntentContext<'_, '_>, nodes: &[SubjectNode]) -> Answer<HandledUses> {
    let Answer { value: users, mut shortfalls } = users::of_nodes(context, nodes, 1).await;
    let read_users: Vec<&DefinitionUser> = users.direct.iter().take(MAX_USERS).collect();
    let requests = |user: &&DefinitionUser| {
        let request = |line: &u32| SourceRequest {
            repo_idx: user.at.repo_idx,
            path: user.path.clone(),
            lines: LineSpan { start: line.saturating_sub(LINES_ABOVE).max(1), end: line.saturating_add(LINES_BEHIND) },
        };
        user.lines.iter().take(MAX_LINES_OF_USER).map(request).collect::<Vec<_>>()
    };
    let names: Vec<&str> = nodes.iter().filter_map(|node| Some(node.card.symbol.as_ref()?.name.as_str())).collect();
    let found = read(context, merged(read_users.iter().flat_map(requests).collect()), |_| true).await;
    shortfalls.extend(found.shortfalls);
    let lines = found.value;
    let mut handlers: Vec<ErrorHandler> = Vec::new();
    let mut n_read = 0;
    for user in &read_users {
        let is_use = |line: &&SourceLine| {
            line.repo_idx == user.at.repo_idx && line.path == user.path && user.lines.contains(&line.line)
        };
        for line in lines.iter().filter(is_use) {
            n_read += 1;
            let is_caught = |text: &str| names.iter().any(|name| catches(text, &line.path, name));
            let is_whole = is_caught(&line.text);
            let is_below_clause = !is_whole && with_clause_above(line, &lines).is_some_and(|joined| is_caught(&joined));
            if is_whole || is_below_clause {
                let then = first_statement(line, &lines);
                handlers.push(ErrorHandler { user: user.name.clone(), line: line.clone(), is_below_clause, then });
            }
        }
    }
    let is_cut = |user: &DefinitionUser| user.lines.is_empty() || user.lines.len() > MAX_LINES_OF_USER;
    // No more users than these are described.
    let is_partial = users.direct.len() >= MAX_USERS || users.direct.iter().any(is_cut);
    Answer { value: HandledUses { handlers, n_read, is_partial, users }, shortfalls }
}

/// Returns requests with one for near lines of a file: a worker reads the file for each.
fn merged(mut requests: Vec<SourceRequest>) -> Vec<SourceRequest> {
    requests.sort_by(|a, b| (a.repo_idx, &a.path, a.lines.start).cmp(&(b.repo_idx, &b.path, b.lines.start)));
    let mut merged: Vec<SourceRequest> = Vec::new();
    for next in requests {
        let is_near = |last: &&mut SourceRequest| {
            (last.repo_idx, &last.path) == (next.repo_idx, &next.path)
                && next.lines.start <= last.lines.end.saturating_add(MAX_GAP)
        };
        match merged.last_mut().filter(is_near) {
            Some(last) => last.lines.end = last.lines.end.max(next.lines.end),
            None => merged.push(next),
        }
    }
    merged
}

/// Returns the first statement of a handler: the nearest line below it with more indentation.
fn first_statement(handler: &SourceLine, lines: &[SourceLine]) -> Option<String> {
    let is_behind = |line: &&SourceLine| {
        (line.repo_idx, &line.path) == (handler.repo_idx, &handler.path)
            && line.line > handler.line
            && line.line <= handler.line + LINES_BEHIND
            && !line.text.is_empty()
            && !is_comment(&line.text)
    };
    let next = lines.iter().filter(is_behind).min_by_key(|line| line.line)?;
    (next.indent > handler.indent).then(|| next.display_text())
}

/// Returns the type that an error derives from, with the handlers of it; nothing if none is known.
async fn of_base(context: IntentContext<'_, '_>, node: &SubjectNode) -> Answer<Option<(String, Vec<ErrorHandler>)>> {
    let base = node.card.symbol.as_ref().and_then(|symbol| base_type(&symbol.signature)).map(str::to_owned);
    let Some(base) = base else { return Answer::complete(None) };
    let resolved = subject::resolve(context, &base).await;
    let Subject::Nodes(nodes) = resolved.value else { return Answer { value: None, shortfalls: resolved.shortfalls } };
    let mut shortfalls: Shortfalls = resolved.shortfalls;
    let handlers = of_type(context, &nodes).await;
    shortfalls.extend(handlers.shortfalls);
    let value = Some((base, handlers.value.handlers)).filter(|(_, handlers)| !handlers.is_empty());
    Answer { value, shortfalls }
}

/// Returns the first base type in the signature of a type.
fn base_type(signature: &str) -> Option<&str> {
    let (_, rest) = signature.split_once("class ")?;
    let at = rest.find(['(', '<', ':']).map(|at| at + 1);
    let behind = match rest.split_once(" extends ") {
        Some((_, base)) => base,
        None => &rest[at?..],
    };
    let base = behind.trim().split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | ':'))).next()?;
    let base = base.rsplit(['.', ':']).next().unwrap_or(base);
    base.starts_with(char::is_uppercase).then_some(base)
}

#[cfg(test)]
mod tests {
    use super::{super::source_lines::lines_of_text, *};

    #[test]
    fn questions_for_handlers_have_a_verb_of_catching_alone() {
        for (question, expected) in [
            ("Where is DockClosed caught?", true),
            ("who handles a DockClosed", true),
            ("How is DockClosed rescued in the pier?", true),
            ("which errors does handle_dock raise", false),
            ("who handles the errors that the dock raises", false),
            ("What errors does `handle` produce", false),
            ("which events does handle emit", false),
            ("where is AbortError caught", true),
            ("which code traps DockClosed", true),
            ("Where is DockClosed not caught?", false),
            ("where isn't DockClosed handled", false),
            ("where is DockClosed never handled", false),
            ("which handler is called first", false),
        ] {
            assert_eq!(asks(question), expected, "{question}");
        }
        for (question, expected) in [
            ("Where is DockClosed not caught?", true),
            ("where isn't DockClosed handled", true),
            ("which code leaves DockClosed uncaught", true),
            ("Where is DockClosed caught?", false),
            ("where is DockClosed not raised", false),
            ("why does handle fail without a lock", false),
        ] {
            assert_eq!(asks_for_absence(question), expected, "{question}");
        }
    }

    #[test]
    fn near_lines_of_a_file_are_read_at_once() {
        let request = |(path, start, end): (&str, u32, u32)| SourceRequest {
            repo_idx: federation::repo_idx::RepoIdx(0),
            path: path.to_owned(),
            lines: LineSpan { start, end },
        };
        let requests = [("b", 4, 8), ("a", 200, 204), ("a", 30, 34), ("a", 10, 40)].map(request);
        let shown: Vec<String> = merged(requests.into())
            .iter()
            .map(|one| format!("{}:{}-{}", one.path, one.lines.start, one.lines.end))
            .collect();
        assert_eq!(shown, ["a:10-40", "a:200-204", "b:4-8"]);
    }

    #[test]
    fn the_base_type_of_an_error_is_in_its_signature() {
        for (signature, expected) in [
            ("class DockClosed(DockError)", Some("DockError")),
            ("class DockClosed < Pier::DockError", Some("DockError")),
            ("public class DockClosed extends DockError implements Serializable", Some("DockError")),
            ("public class DockClosed : DockError", Some("DockError")),
            ("class DockClosed", None),
            ("class Closed(metaclass=abc)", None),
            ("enum DockError", None),
        ] {
            assert_eq!(base_type(signature), expected, "{signature}");
        }
    }

    #[test]
    fn a_handler_is_shown_with_its_first_statement() {
        for (source, expected) in [
            ("except A:\n    # it is late\n    retry()", Some("retry()")),
            ("rescue A => e\n\n  log e", Some("log e")),
            ("if (e instanceof A) return;\nnext();", None),
        ] {
            let lines = lines_of_text(source);
            assert_eq!(first_statement(&lines[0], &lines).as_deref(), expected, "{source}");
        }
    }
}
