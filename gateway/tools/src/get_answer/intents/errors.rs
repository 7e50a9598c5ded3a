//! Errors: what raises one, which errors a function raises, and where a message comes from.

use std::collections::BTreeSet;

use model::LineSpan;

use super::super::{confidence::Confidence, sentences};
use super::{
    IntentAnswer, IntentContext,
    cited_text::CitedText,
    source_lines::{SourceLine, definition_at, matching, read, retrieved_files},
    subject::{Subject, SubjectNode},
    users::{self, User},
};
use crate::{arguments::suggested, get_context::item::lines_of};
use federation::{answer::Answer, fetch::SourceRequest, repo_idx::RepoIdx};

/// Maximum number of quoted lines, and of definitions in a sentence.
const MAX_QUOTED: usize = 6;
const MAX_LISTED: usize = 6;

/// Maximum number of users whose lines are read, and of lines of a function.
const MAX_USERS: usize = 30;
const MAX_LINES: u32 = 600;

/// Lines before a message that may begin its statement.
const LINES_BEFORE: u32 = 4;

/// Parts of a line that raises an error.
const RAISES: [&str; 9] =
    ["raise ", "throw ", "panic(", "panic!(", "Err(", "Errorf(", "errors.New(", "reject(", "bail!("];

/// Parts of a line that passes an error on.
const RETURNS: [&str; 4] = ["return ", "Errorf(", "Err(", "=> "];

pub(super) async fn answer(
    context: IntentContext<'_, '_>,
    subject: &Subject,
    written: &str,
    question: &str,
) -> Option<IntentAnswer> {
    if let Some(message) = quoted_message(question) {
        return of_message(context, message, subject).await;
    }
    match subject {
        Subject::Nodes(nodes) if nodes.iter().all(SubjectNode::is_callable) => of_functions(context, nodes).await,
        Subject::Nodes(nodes) => of_types(context, nodes).await,
        Subject::Description(description) if description.words.len() > 2 => of_message(context, written, subject).await,
        _ => None,
    }
}

/// Returns the quoted part of a question that is a message rather than a name.
fn quoted_message(question: &str) -> Option<&str> {
    let parts = ['"', '\'', '`'].into_iter().filter_map(|mark| {
        let (_, rest) = question.split_once(mark)?;
        rest.split_once(mark).map(|(quoted, _)| quoted)
    });
    parts.into_iter().find(|quoted| quoted.trim().contains(' '))
}

fn raises(line: &str) -> bool {
    let is_comment = ["//", "#", "*", "/*"].iter().any(|mark| line.trim_start().starts_with(mark));
    !is_comment && RAISES.iter().any(|part| line.contains(part))
}

/// Returns the condition of a line that opens a branch.
fn condition(line: &str) -> Option<&str> {
    let bare = line.trim().trim_start_matches('}').trim_start();
    let bare = bare.strip_prefix("else ").unwrap_or(bare);
    let rest = ["if ", "elif ", "unless ", "if("].iter().find_map(|start| bare.strip_prefix(start))?;
    let is_block = rest.ends_with(['{', ':', ')']) || rest.ends_with(" then");
    let shown = rest.trim_end_matches(" then").trim_end_matches(['{', ':']).trim();
    let shown = if bare.starts_with("if(") { shown.trim_end_matches(')') } else { shown };
    (is_block && !shown.is_empty()).then_some(shown)
}

/// Returns the condition on the line before one as ` if ...`. A branch that begins farther away may have ended.
fn condition_before(line: &SourceLine, lines: &[SourceLine]) -> String {
    let is_before =
        |other: &&SourceLine| (other.repo_idx, &other.path, other.line + 1) == (line.repo_idx, &line.path, line.line);
    let found = lines.iter().find(is_before).and_then(|before| condition(&before.text).map(|shown| (before, shown)));
    found.map_or_else(String::new, |(before, shown)| {
        let word = if before.text.contains("unless ") { "unless" } else { "if" };
        format!(" {word} {}", text::quote(shown))
    })
}

/// Answers which errors functions raise, from the lines of their bodies.
async fn of_functions(context: IntentContext<'_, '_>, nodes: &[SubjectNode]) -> Option<IntentAnswer> {
    let request = |node: &SubjectNode| {
        let lines = lines_of(&node.card);
        let lines = LineSpan { start: lines.start, end: lines.end.min(lines.start.saturating_add(MAX_LINES)) };
        SourceRequest { repo_idx: node.at.repo_idx, path: node.path().to_owned(), lines }
    };
    let found =
        read(context, nodes.iter().map(request).collect(), |line| raises(line) || condition(line).is_some()).await;
    let name = nodes.first()?.cited(context.plan);
    let raised: Vec<&SourceLine> = found.value.iter().filter(|line| raises(&line.text)).collect();
    let item = |line: &&SourceLine| {
        let cited = line.cited(context);
        CitedText { text: format!("{}{}", cited.text, condition_before(line, &found.value)), ..cited }
    };
    let items: Vec<CitedText> = raised.iter().map(item).collect();
    let sentence = if items.is_empty() {
        CitedText {
            text: format!("{} raises no error itself; what it calls may.", name.text),
            citations: name.citations,
        }
    } else {
        let n_lines = super::cited_text::counted(items.len(), "line");
        CitedText::listed(
            &format!("{} raises errors in {n_lines}: ", text::quote(&nodes[0].name())),
            items,
            MAX_QUOTED,
            ".",
        )
    };
    let is_silent = raised.is_empty();
    let callees = super::dependencies::callees_in_order(context, &nodes[0]).await.after(found.shortfalls);
    let through = callees.value.map(|callees| CitedText {
        text: format!("Errors of its callees may pass through: {}", callees.text),
        ..callees
    });
    let sentences = std::iter::once(sentence).chain(through.filter(|_| is_silent)).collect();
    let note = format!("get_symbol {} returns its source", suggested("symbol_id", &nodes[0].id(context.plan)));
    Some(IntentAnswer::new(sentences, Confidence::Medium, note).with_shortfalls(callees.shortfalls))
}

/// Answers what raises an error: the users of its type whose line raises or returns it.
async fn of_types(context: IntentContext<'_, '_>, nodes: &[SubjectNode]) -> Option<IntentAnswer> {
    let Answer { value: users, shortfalls } = users::of_nodes(context, nodes, 1).await;
    let lines_of_user = |user: &User| {
        let request = |line: &u32| SourceRequest {
            repo_idx: user.at.repo_idx,
            path: user.path.clone(),
            lines: LineSpan { start: *line, end: *line },
        };
        user.lines.iter().take(4).map(request).collect::<Vec<_>>()
    };
    let read_users: Vec<&User> = users.direct.iter().take(MAX_USERS).collect();
    let requests: Vec<SourceRequest> = read_users.iter().flat_map(|user| lines_of_user(user)).collect();
    let names: Vec<&str> = nodes.iter().filter_map(|node| Some(node.card.symbol.as_ref()?.name.as_str())).collect();
    let found = read(context, requests, |line| {
        names.iter().any(|name| line.contains(name)) && (raises(line) || RETURNS.iter().any(|part| line.contains(part)))
    });
    let found = found.await.after(shortfalls);
    let mut raisers: Vec<(String, &SourceLine)> = Vec::new();
    for line in &found.value {
        let is_of = |user: &&&User| {
            user.at.repo_idx == line.repo_idx && user.path == line.path && user.lines.contains(&line.line)
        };
        let user = read_users.iter().find(is_of).map(|user| user.name.clone()).unwrap_or_default();
        if raisers.iter().all(|(name, other)| *name != user || other.path != line.path) {
            raisers.push((user, line));
        }
    }
    // A file that raises nothing but passes the name on is no answer.
    let sure: Vec<&(String, &SourceLine)> = raisers.iter().filter(|(_, line)| raises(&line.text)).collect();
    let shown: Vec<&(String, &SourceLine)> = if sure.is_empty() { raisers.iter().collect() } else { sure };
    let item = |(name, line): &&(String, &SourceLine)| CitedText::cited(text::quote(name), line.place(context));
    let items: Vec<CitedText> = shown.iter().map(item).collect();
    let name = text::quote(&nodes[0].name());
    let mut sentences: Vec<CitedText> = Vec::new();
    if items.is_empty() {
        let direct = users::direct_sentences(context.plan, nodes, &users);
        if direct.is_empty() {
            sentences.push(users::no_user(context, nodes, &users));
        } else {
            sentences.push(CitedText::plain(format!("No line that raises {name} was found among its known uses.")));
            sentences.extend(direct);
        }
    } else {
        sentences.push(CitedText::listed(&format!("{name} is raised by "), items, MAX_LISTED, "."));
        let mut quoted: BTreeSet<String> = BTreeSet::new();
        let lines = shown.iter().filter(|(_, line)| quoted.insert(line.shown()));
        let lines: Vec<&SourceLine> = lines.take(2).map(|(_, line)| *line).collect();
        let before = |line: &&SourceLine| SourceRequest {
            repo_idx: line.repo_idx,
            path: line.path.clone(),
            lines: LineSpan { start: line.line.saturating_sub(1).max(1), end: line.line },
        };
        let requests = lines.iter().map(before).collect();
        let conditions = read(context, requests, |line| condition(line).is_some()).await.value;
        let quote = |line: &&SourceLine| {
            CitedText::plain(format!("{}{}", text::quote(&line.shown()), condition_before(line, &conditions)))
        };
        let quoted: Vec<CitedText> = lines.iter().map(quote).collect();
        sentences.push(CitedText::listed("They do it with ", quoted, 2, "."));
    }
    let doc = nodes[0]
        .card
        .symbol
        .as_ref()
        .and_then(|symbol| sentences::sentences(&text::clean(&symbol.doc)).into_iter().next());
    let defined = nodes[0].cited(context.plan);
    sentences.extend(doc.map(|doc| CitedText {
        text: format!("{} means: {}", defined.text, text::quote(&doc)),
        citations: defined.citations,
    }));
    sentences.extend(users::missed_sentence(&users));
    let note = format!("get_impact {} lists every use", suggested("target", &nodes[0].id(context.plan)));
    let confidence = if found.value.is_empty() { Confidence::Low } else { users::confidence(nodes, &users) };
    Some(IntentAnswer::new(sentences, confidence, note).with_shortfalls(found.shortfalls))
}

/// Answers where a message comes from: the line that has it, and the definition around that line.
async fn of_message(context: IntentContext<'_, '_>, message: &str, subject: &Subject) -> Option<IntentAnswer> {
    let named: BTreeSet<RepoIdx> = match subject {
        Subject::Description(description) => description.named.clone(),
        Subject::Repositories(named) => named.clone(),
        Subject::Nodes(_) => BTreeSet::new(),
    };
    let wanted = folded(message);
    let found = matching(context, &retrieved_files(context, &named), |line| folded(line).contains(&wanted)).await;
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
    let by = within.map_or_else(|| "Code outside of definitions".to_owned(), |name| text::quote(&name));
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
        text: format!("{}: {}.", first.text, text::quote(&line.shown())),
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
    let note = "search_codebase with the message finds other places";
    Some(IntentAnswer::new(sentences, Confidence::High, note).with_shortfalls(statement.shortfalls))
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
    fn the_condition_of_a_raised_error_is_the_branch_before_it() {
        for (line, expected) in [
            ("if len(history) > limit:", Some("len(history) > limit")),
            ("} else if err != nil {", Some("err != nil")),
            ("elif not found:", Some("not found")),
            ("if (!isPlainObject(action)) {", Some("(!isPlainObject(action))")),
            ("raise Error()", None),
            ("notify(if_ready)", None),
        ] {
            assert_eq!(condition(line), expected, "{line}");
        }
        let at = |line: u32, text: &str| SourceLine {
            repo_idx: RepoIdx(0),
            path: "a".to_owned(),
            line,
            text: text.to_owned(),
        };
        let lines = [at(1, "if a:"), at(5, "if b:")];
        assert_eq!(condition_before(&at(2, "raise E()"), &lines), " if `a`");
        assert_eq!(condition_before(&at(8, "raise E()"), &lines), "");
    }

    #[test]
    fn messages_are_quoted_phrases() {
        for (question, expected) in [
            ("why does it panic with \"no such path\"", Some("no such path")),
            ("what raises `NotFound`", None),
            ("what raises NotFound", None),
        ] {
            assert_eq!(quoted_message(question), expected);
        }
        assert!(raises("throw new X();") && raises("panic(\"a\")") && !raises("except X:"));
        assert_eq!(folded("panic(\"A  b\")"), "panic(a b)");
    }
}
