//! Code that catches an error: the lines that name its type in a handler, with the line behind each.

use std::collections::BTreeSet;

use model::LineSpan;

use super::super::confidence::Confidence;
use super::{
    IntentAnswer, IntentContext,
    cited_text::CitedText,
    raises::is_comment,
    source_lines::{SourceLine, read},
    subject::{self, Subject, SubjectNode},
    users::{self, User},
};
use crate::arguments::suggested;
use federation::{
    answer::{Answer, Shortfalls},
    fetch::SourceRequest,
};

/// Verbs of questions for the code that catches an error.
const CATCHING: [&str; 16] = [
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
    "dealt",
    "deals",
];

/// Verbs of questions for the code that raises one.
const RAISING: [&str; 12] =
    ["raise", "raises", "raised", "throw", "throws", "thrown", "fail", "fails", "return", "returns", "panic", "panics"];

/// Tests of the type of an error in hand, before its name.
const TYPE_TESTS: [&str; 9] =
    ["instanceof", "isinstance(", "errors.Is(", "errors.As(", "is_a?(", "kind_of?(", "Err(", "===", "matches!("];

/// Maximum number of users whose lines are read, and of lines of one.
const MAX_USERS: usize = 60;
const MAX_LINES_OF_USER: usize = 8;

/// Lines behind a handler that may have its first statement.
const LINES_BEHIND: u32 = 4;

/// Maximum number of handlers in a sentence, and of those that are quoted.
const MAX_LISTED: usize = 6;
const MAX_QUOTED: usize = 3;

/// Returns true if a question asks what catches an error, and not what raises one.
pub(super) fn asks(question: &str) -> bool {
    let lower = question.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
    let has = |verbs: &[&str]| words.iter().any(|word| verbs.contains(word));
    has(&CATCHING) && !has(&RAISING)
}

/// Answers what catches an error, by its type or by the type that it derives from.
pub(super) async fn answer(context: IntentContext<'_, '_>, nodes: &[SubjectNode]) -> Option<IntentAnswer> {
    let name = text::quote(&nodes.first()?.name());
    let Answer { value: own, mut shortfalls } = of_type(context, nodes).await;
    let mut sentences: Vec<CitedText> = Vec::new();
    if own.is_empty() {
        sentences
            .push(CitedText::plain(format!("No line that catches {name} by its type was found among its known uses.")));
    } else {
        sentences.push(CitedText::listed(&format!("{name} is caught by "), cited(context, &own), MAX_LISTED, "."));
        let quoted: Vec<CitedText> = quotations(&own).into_iter().map(CitedText::plain).collect();
        sentences.push(CitedText::listed("The handlers begin with ", quoted, MAX_QUOTED, "."));
    }
    let of_base = of_base(context, &nodes[0]).await;
    shortfalls.extend(of_base.shortfalls);
    let has_base = of_base.value.is_some();
    if let Some((base, handlers)) = of_base.value {
        let lead = format!("Handlers of its base type {} catch it as well: ", text::quote(&base));
        sentences.push(CitedText::listed(&lead, cited(context, &handlers), MAX_LISTED, "."));
    }
    let note = format!("get_impact {} lists every use", suggested("target", &nodes[0].id(context.plan)));
    let confidence = match (own.is_empty(), has_base) {
        (false, _) if nodes.len() == 1 => Confidence::High,
        (true, false) => Confidence::Low,
        _ => Confidence::Medium,
    };
    Some(IntentAnswer::new(sentences, confidence, note).with_shortfalls(shortfalls))
}

/// A line that catches an error.
struct ErrorHandler {
    /// The definition that has it.
    user: String,
    line: SourceLine,
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
    for handler in handlers {
        let then = handler.then.as_ref().map(|then| format!(", then {}", text::quote(then))).unwrap_or_default();
        let one = format!("{}{then}", text::quote(&handler.line.shown()));
        if !shown.contains(&one) {
            shown.push(one);
        }
    }
    shown
}

/// Returns the handlers that name a type, in the product.
async fn of_type(context: IntentContext<'_, '_>, nodes: &[SubjectNode]) -> Answer<Vec<ErrorHandler>> {
    let Answer { value: users, mut shortfalls } = users::of_nodes(context, nodes, 1).await;
    let read_users: Vec<&User> = users.direct.iter().take(MAX_USERS).collect();
    let requests = |user: &&User| {
        let request = |line: &u32| SourceRequest {
            repo_idx: user.at.repo_idx,
            path: user.path.clone(),
            lines: LineSpan { start: *line, end: line.saturating_add(LINES_BEHIND) },
        };
        user.lines.iter().take(MAX_LINES_OF_USER).map(request).collect::<Vec<_>>()
    };
    let names: Vec<&str> = nodes.iter().filter_map(|node| Some(node.card.symbol.as_ref()?.name.as_str())).collect();
    let found = read(context, read_users.iter().flat_map(requests).collect(), |_| true).await;
    shortfalls.extend(found.shortfalls);
    let lines = found.value;
    let mut handlers: Vec<ErrorHandler> = Vec::new();
    for user in &read_users {
        let is_use = |line: &&SourceLine| {
            line.repo_idx == user.at.repo_idx && line.path == user.path && user.lines.contains(&line.line)
        };
        let mut of_user: Vec<&SourceLine> = lines.iter().filter(is_use).collect();
        of_user.sort_by_key(|line| line.line);
        of_user.dedup_by_key(|line| line.line);
        for line in of_user.into_iter().filter(|line| names.iter().any(|name| catches(&line.text, name))) {
            let then = first_statement(line, &lines);
            handlers.push(ErrorHandler { user: user.name.clone(), line: line.clone(), then });
        }
    }
    Answer { value: handlers, shortfalls }
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
    (next.indent > handler.indent).then(|| next.shown())
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
    Answer { value: Some((base, handlers.value)).filter(|(_, handlers)| !handlers.is_empty()), shortfalls }
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

/// Returns true for a line that catches an error of a type, or tests whether one in hand is of it.
fn catches(line: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let bare = line.trim_start().trim_start_matches('}').trim_start();
    let is_clause = ["except ", "except*", "except(", "rescue ", "catch ", "catch(", "catch{"]
        .iter()
        .any(|start| bare.starts_with(start) || line.contains(&format!(" {start}")));
    // The arm of a match closes what it opens before its arrow.
    let is_arm = |before: &str, after: &str| {
        let Some((pattern, _)) = after.split_once("=>") else { return false };
        let n_of = |mark: char| before.matches(mark).count() + pattern.matches(mark).count();
        let is_pattern = before.chars().all(|c| is_part(c) || matches!(c, ':' | '.' | '(' | '&' | ' ' | '|'));
        is_pattern && n_of('(') == n_of(')')
    };
    let is_handler = |at: usize| {
        let (before, after) = (&line[..at], &line[at + name.len()..]);
        let is_whole = !before.ends_with(is_part) && !after.starts_with(is_part);
        let is_tested = TYPE_TESTS.iter().any(|test| before.contains(test)) || after.trim_start().starts_with("===");
        // A value of an error is compared with the one in hand.
        let is_compared = ["== ", "!= "].iter().any(|mark| before.ends_with(mark));
        is_whole && (is_clause || is_tested || is_compared || is_arm(before, after))
    };
    let is_raise = ["raise ", "throw ", "return Err("].iter().any(|start| bare.starts_with(start));
    !is_comment(line) && !is_raise && line.match_indices(name).any(|(at, _)| is_handler(at))
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
            ("which handler is called first", false),
        ] {
            assert_eq!(asks(question), expected, "{question}");
        }
    }

    #[test]
    fn handlers_are_known_in_the_notations_of_languages() {
        for (line, expected) in [
            ("except DockClosed:", true),
            ("except (OSError, DockClosed) as error:", true),
            ("rescue Dock::DockClosed => e", true),
            ("} catch (DockClosed | IOException e) {", true),
            ("catch (const DockClosed& e) {", true),
            ("if (error instanceof DockClosed) {", true),
            ("if isinstance(error, DockClosed):", true),
            ("if errors.Is(err, DockClosed) {", true),
            ("if err == DockClosed {", true),
            ("Err(Error::DockClosed(at)) => retry(at),", true),
            ("Error::DockClosed { at } => retry(at),", true),
            ("raise e unless DockClosed === e", false),
            ("log(e) if DockClosed === e", true),
            ("raise DockClosed()", false),
            ("throw new DockClosed();", false),
            ("except DockClosedEarly:", false),
            ("# except DockClosed:", false),
            ("return Err(Error::DockClosed)", false),
            ("let error = DockClosed::new();", false),
            ("import { DockClosed } from './dock';", false),
            ("register(DockClosed, () => retry());", false),
        ] {
            assert_eq!(catches(line, "DockClosed"), expected, "{line}");
        }
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
