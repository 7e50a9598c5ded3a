//! The code that a message comes from.

use std::collections::BTreeSet;

use model::LineSpan;

use super::super::confidence::Confidence;
use super::{
    IntentAnswer, IntentContext,
    cited_text::CitedText,
    raises::raises,
    source_lines::{definition_at, matching, read, retrieved_files},
    subject::Subject,
};
use federation::{fetch::SourceRequest, repo_idx::RepoIdx};

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
    fn messages_are_quoted_phrases() {
        for (question, expected) in [
            ("why does it panic with \"no such path\"", Some("no such path")),
            ("what raises `NotFound`", None),
            ("what raises NotFound", None),
        ] {
            assert_eq!(quoted(question), expected);
        }
        assert_eq!(folded("panic(\"A  b\")"), "panic(a b)");
    }
}
