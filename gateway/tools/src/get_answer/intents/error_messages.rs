//! The code that a message comes from.

use std::collections::BTreeSet;

use model::LineSpan;

use super::super::confidence::Confidence;
use super::{
    IntentAnswer, IntentContext,
    assignments::assigned,
    cited_text::CitedText,
    errors,
    raises::{condition_around, is_comment, raises},
    source_lines::{SourceLine, definition_at, matching, read, retrieved_files},
    subject::{Subject, SubjectNode},
    subject_lookup::{LookupScope, Spelling, look_up},
};
use federation::{answer::Answer, fetch::SourceRequest, repo_idx::RepoIdx};

/// Lines before a message that may begin its statement.
const LINES_BEFORE: u32 = 4;

/// Returns the quoted part of a question that is a message rather than a name.
pub(super) fn quoted(question: &str) -> Option<&str> {
    let parts = ['"', '\'', '`'].into_iter().filter_map(|mark| {
        let (_, rest) = question.split_once(mark)?;
        rest.split_once(mark).map(|(quoted, _)| quoted)
    });
    parts.into_iter().find(|quoted| quoted.trim().contains(' '))
}

/// Answers where a message comes from: the line that has it, and the definition around that line.
pub(super) async fn answer(context: IntentContext<'_, '_>, message: &str, subject: &Subject) -> Option<IntentAnswer> {
    let named: BTreeSet<RepoIdx> = match subject {
        Subject::Description(description) => description.named.clone(),
        Subject::Repositories(named) => named.clone(),
        Subject::Module(module) => BTreeSet::from([module.repo_idx]),
        Subject::Nodes(_) => BTreeSet::new(),
    };
    let wanted = folded(message);
    let files = retrieved_files(context, &named);
    let found = matching(context, &files, |line| folded(line).contains(&wanted)).await;
    let line = found.value.first()?;
    let within = definition_at(context, line).await;
    let before = SourceRequest {
        repo_idx: line.repo_idx,
        path: line.path.clone(),
        lines: LineSpan { start: line.line.saturating_sub(LINES_BEFORE).max(1), end: line.line },
    };
    let statement = read(context, vec![before], |text| raises(text) || text.trim_start().starts_with("if "))
        .await
        .after(found.shortfalls);
    let by = within.as_ref().map_or_else(|| "Code outside of definitions".to_owned(), |name| text::quote(name));
    let verb =
        statement.value.iter().rev().find(|line| raises(&line.text)).map_or("has", |line| match line.text.as_str() {
            text if text.contains("panic") => "panics with",
            text if text.contains("throw ") => "throws an error with",
            text if text.contains("raise ") => "raises an error with",
            _ => "returns an error with",
        });
    let first = CitedText::cited(format!("{by} {verb} this message"), line.place(context));
    let quoted = line.cited(context);
    let mut sentences = vec![CitedText {
        text: format!("{}: {}.", first.text, text::quote(&line.display_text())),
        citations: quoted.citations,
    }];
    let condition = statement.value.iter().rev().find(|line| line.text.starts_with("if "));
    sentences.extend(
        condition
            .map(|line| line.cited(context))
            .map(|line| CitedText { text: format!("The condition is {}.", line.text), citations: line.citations }),
    );
    let others = found.value.len().saturating_sub(1);
    if others > 0 {
        sentences.push(CitedText::plain(format!(
            "{} of the retrieved files have it as well.",
            super::cited_text::counted(others, "other line")
        )));
    }
    let uses = uses_of_constant(context, line, &files).await.after(statement.shortfalls);
    sentences.extend(uses.value);
    let raisers = raisers_of_own_error(context, (line, within.as_deref())).await;
    let uses = Answer { value: (), shortfalls: uses.shortfalls.and(&raisers.shortfalls) };
    sentences.extend(raisers.value);
    let note = "search_codebase with the message finds other places";
    Some(IntentAnswer::new(sentences, Confidence::High, note).with_shortfalls(uses.shortfalls))
}

/// Maximum number of uses of the constant of a message in an answer.
const MAX_USES: usize = 2;

/// Returns the lines that use the constant of a message, each with its condition: a message that has a name is raised where the name is.
async fn uses_of_constant(
    context: IntentContext<'_, '_>,
    message: &SourceLine,
    files: &[(RepoIdx, String)],
) -> Answer<Vec<CitedText>> {
    let Some(name) = constant_of(&message.text) else { return Answer::complete(Vec::new()) };
    let of_repository: Vec<(RepoIdx, String)> =
        files.iter().filter(|(repo_idx, _)| *repo_idx == message.repo_idx).cloned().collect();
    let found = matching(context, &of_repository, |_| true).await;
    let is_other = |line: &&SourceLine| (&line.path, line.line) != (&message.path, message.line);
    let uses = found.value.iter().filter(is_other).filter(|line| passes_on(&line.text, name));
    let mut sentences: Vec<CitedText> = Vec::new();
    for line in uses.take(MAX_USES) {
        let within = definition_at(context, line).await;
        let by = within.map_or_else(|| "Code outside of definitions".to_owned(), |within| text::quote(&within));
        let condition = condition_around(line, &found.value);
        let said = format!("{by} has {}", text::quote(&line.display_text()));
        sentences.push(CitedText::cited(said, line.place(context)).then(&format!("{condition}.")));
    }
    Answer { value: sentences, shortfalls: found.shortfalls }
}

/// Returns what is said of the code that raises an error whose own method has a message: the text of a type of errors tells not when it is
/// raised.
async fn raisers_of_own_error(
    context: IntentContext<'_, '_>,
    (message, within): (&SourceLine, Option<&str>),
) -> Answer<Vec<CitedText>> {
    let Some(owner) = within.and_then(owner_of_text) else { return Answer::complete(Vec::new()) };
    let named = BTreeSet::from([message.repo_idx]);
    let exact = (false, LookupScope::NamedRepositories, Spelling::Written);
    let Answer { value: nodes, shortfalls } = look_up(context, owner, &[], &named, exact).await;
    let own: Vec<SubjectNode> =
        nodes.into_iter().filter(|node| node.path() == message.path && errors::has_error_name(node)).collect();
    if own.is_empty() {
        return Answer { value: Vec::new(), shortfalls };
    }
    match errors::of_types(context, &own, "").await {
        Some(raised) => Answer { shortfalls: shortfalls.and(&raised.shortfalls), value: raised.sentences },
        None => Answer { value: Vec::new(), shortfalls },
    }
}

/// Returns the type whose text a method makes: `BerthError` of `BerthError.toString`; `None` for other functions.
fn owner_of_text(function: &str) -> Option<&str> {
    const OF_TEXT: [&str; 11] = [
        "Error",
        "error",
        "toString",
        "to_string",
        "ToString",
        "to_s",
        "__init__",
        "__str__",
        "fmt",
        "constructor",
        "initialize",
    ];
    let (owner, method) = function.rsplit_once('.')?;
    OF_TEXT.contains(&method).then(|| owner.rsplit('.').next().unwrap_or(owner))
}

/// Returns the name that a line gives a message; `None` if it gives none.
fn constant_of(line: &str) -> Option<&str> {
    const MIN_CHARS: usize = 4;
    let (target, value) = assigned(line)?;
    // A key names its text in a table, and not elsewhere.
    let is_key = line.trim()[target.len()..].starts_with(':') && value.starts_with(['"', '\'', '`']);
    let is_value = !is_key && value.contains(['"', '\'', '`']) && !target.contains(['"', '\'', '(']);
    let name = target.trim().rsplit([' ', '.']).next().unwrap_or(target);
    let is_name = name.len() >= MIN_CHARS && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    (is_value && is_name).then_some(name)
}

/// Returns true for a line that raises, returns or assigns a named error. A comparison catches it.
fn passes_on(line: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let is_whole =
        |(at, _): (usize, &str)| !line[..at].ends_with(is_part) && !line[at + name.len()..].starts_with(is_part);
    let is_named = line.match_indices(name).any(is_whole);
    let is_assigned = || assigned(line).is_some_and(|(target, value)| value.contains(name) && !target.contains(name));
    let is_compared = line.contains("==") || line.contains("!=") || line.contains("errors.Is(");
    is_named && !is_comment(line) && !is_compared && (raises(line) || line.starts_with("return ") || is_assigned())
}

/// Returns a text in lower case without quotation marks and with single spaces.
fn folded(text: &str) -> String {
    let bare: String = text.chars().filter(|c| !matches!(c, '"' | '\'' | '`')).collect();
    bare.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_quoted_phrases() {
        for (question, expected) in [
            ("why does it panic with \"no such path\"", Some("no such path")),
            ("what raises `NotFound`", None),
            ("what raises NotFound", None),
        ] {
            assert_eq!(quoted(question), expected);
        }
        for (line, expected) in [
            ("errNoBerth = errors.New(\"no berth\")", Some("errNoBerth")),
            ("const NO_BERTH: &str = \"no berth\";", Some("NO_BERTH")),
            ("message: \"no berth\",", None),
            ("const NO_BERTH = 'no berth'", Some("NO_BERTH")),
            ("raise DockError(\"no berth\")", None),
            ("limit = 4", None),
        ] {
            assert_eq!(constant_of(line), expected, "{line}");
        }
        for (line, expected) in [
            ("err = errNoBerth", true),
            ("return nil, errNoBerth", true),
            ("if err == errNoBerth {", false),
            ("// errNoBerth is returned", false),
            ("err = errNoBerthAtAll", false),
            ("log(errNoBerth)", false),
        ] {
            assert_eq!(passes_on(line, "errNoBerth"), expected, "{line}");
        }
        for (function, expected) in [
            ("DockError.toString", Some("DockError")),
            ("dock.DockError.Error", Some("DockError")),
            ("DockError.open", None),
            ("toString", None),
        ] {
            assert_eq!(owner_of_text(function), expected, "{function}");
        }
        assert_eq!(folded("panic(\"A  b\")"), "panic(a b)");
    }
}
