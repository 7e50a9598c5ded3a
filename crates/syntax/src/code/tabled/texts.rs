//! Strings: their text, with `{}` for each interpolated expression.

use std::ops::Range;

use model::code::{Expression, ExpressionId, Literal, ScopeId};

use super::{OPAQUE, TabledLowering};
use crate::node::SyntaxNode;

/// Maximum length in bytes of a text that is collected. The builder keeps no text of this length.
const MAX_COLLECTED_BYTES: usize = 400;

/// Named parts of a string that are no part of its text.
const DELIMITERS: [&str; 9] = [
    "interpolation_start",
    "interpolation_quote",
    "raw_string_start",
    "raw_string_end",
    "heredoc_start",
    "heredoc_end",
    "sigil_name",
    "sigil_modifiers",
    "php_end_tag",
];

/// A string under construction.
struct TextDraft {
    /// `None` if a part of the text is unknown.
    text: Option<String>,
    holes: Vec<ExpressionId>,
}

impl TextDraft {
    fn push(&mut self, part: &str) {
        self.text =
            self.text.take().filter(|text| text.len() + part.len() < MAX_COLLECTED_BYTES).map(|text| text + part);
    }

    fn push_hole(&mut self, hole: ExpressionId) {
        self.push("{}");
        self.holes.push(hole);
    }
}

impl TabledLowering<'_, '_> {
    /// Lowers a string. All parts that are neither delimiters nor escapes nor text are interpolations.
    pub(super) fn lower_text(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let is_leaf = node.child(0).is_none_or(|first| first.kind().starts_with("raw_str_"));
        if is_leaf {
            let written = self.out.text(node);
            let text = unquoted(written);
            return if text.contains('\\') && !is_raw(written) {
                self.out.add_expression(Expression::Literal(Literal::Text(None)))
            } else {
                self.out.add_text_literal(text)
            };
        }
        let draft = self.read_text(node, scope);
        match draft.text {
            Some(text) => self.out.add_interpolated_text(&text, draft.holes),
            None => self.out.add_expression(Expression::Literal(Literal::Text(None))),
        }
    }

    /// Adds a string whose text follows its statement.
    pub(super) fn lower_heredoc_start(&mut self) -> ExpressionId {
        let literal = self.out.add_expression(Expression::Literal(Literal::Text(None)));
        self.heredocs.push_back(literal);
        literal
    }

    /// Gives its text to the first string that still lacks it. Interpolations are listed in the order of their literals, so those of
    /// such a string are not kept.
    pub(super) fn lower_heredoc_body(&mut self, node: SyntaxNode<'_>, scope: ScopeId) {
        let draft = self.read_text(node, scope);
        let literal = self.heredocs.pop_front();
        if let (Some(text), Some(literal)) = (draft.text, literal) {
            self.out.set_text(literal, text.trim());
        }
    }

    fn read_text(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> TextDraft {
        let mut draft = TextDraft { text: Some(String::new()), holes: Vec::new() };
        let Range { start, end } = self.text_range(node);
        let mut at = start;
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            let kind = child.kind();
            let is_escape = kind.contains("escape");
            if child.is_named() && !is_escape && is_text_part(kind) {
                continue;
            }
            self.push_source(&mut draft, at, child.start_byte(), scope);
            at = child.end_byte();
            if is_escape {
                match unescaped(self.out.text(child)) {
                    Some(part) => draft.push(part),
                    None => draft.text = None,
                }
            } else if child.is_named() && !DELIMITERS.contains(&kind) {
                let hole = self.visit(child, scope);
                draft.push_hole(hole);
            }
        }
        self.push_source(&mut draft, at, end, scope);
        draft
    }

    /// Returns the first and the last byte of the text in a string. In some grammars, quotes are no nodes of their own.
    fn text_range(&self, node: SyntaxNode<'_>) -> Range<usize> {
        let Range { start, end } = node.byte_range();
        let text = self.out.text(node);
        let Some(quote) = ["\"\"\"", "\""].into_iter().find(|quote| text.starts_with(quote)) else { return start..end };
        let last = node.child(node.child_count().saturating_sub(1));
        let is_opened = node.child(0).is_some_and(|first| first.start_byte() == start);
        let is_closed = last.is_some_and(|last| last.end_byte() == end) || !text.ends_with(quote);
        let start = if is_opened { start } else { start + quote.len() };
        start..if is_closed { end } else { end.saturating_sub(quote.len()).max(start) }
    }

    /// Adds the text between two bytes.
    fn push_source(&mut self, draft: &mut TextDraft, start: usize, end: usize, scope: ScopeId) {
        let bytes = self.out.source.get(start..end).unwrap_or_default();
        let Ok(mut text) = std::str::from_utf8(bytes) else {
            draft.text = None;
            return;
        };
        while self.table.has_dollar_names
            && let Some((before, name, rest)) = split_at_name(text)
        {
            draft.push(before);
            let name = self.out.intern(name);
            let hole = self.out.use_name(name, scope);
            draft.push_hole(hole);
            text = rest;
        }
        draft.push(text);
    }

    /// Lowers adjacent strings as their concatenation.
    pub(super) fn lower_joined(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let mut joined = OPAQUE;
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor).filter(|child| !child.is_extra()) {
            let part = self.visit(child, scope);
            joined = if joined == OPAQUE { part } else { self.add_concatenation(joined, part) };
        }
        joined
    }
}

fn is_text_part(kind: &str) -> bool {
    kind.ends_with("content")
        || kind.ends_with("_text")
        || kind.starts_with("template_chars")
        || matches!(kind, "nowdoc_string" | "raw_str_part" | "raw_str_end_part")
}

/// Returns true if a string has no escapes.
fn is_raw(written: &str) -> bool {
    written.starts_with(['@', '#', 'r']) || written.starts_with("\"\"\"")
}

/// Returns the text inside of its quotes.
fn unquoted(text: &str) -> &str {
    let quoted = text.trim_start_matches(|c: char| c.is_alphabetic() || c == '#' || c == '@');
    for quote in ["\"\"\"", "\"", "'"] {
        if let Some(inner) = quoted.strip_prefix(quote) {
            return inner.trim_end_matches('#').strip_suffix(quote).unwrap_or(inner);
        }
    }
    text
}

/// Returns the character of a simple escape.
fn unescaped(escape: &str) -> Option<&str> {
    match escape.strip_prefix('\\')? {
        "n" => Some("\n"),
        "t" => Some("\t"),
        "r" => Some("\r"),
        one if one.len() == 1 && one.as_bytes()[0].is_ascii_punctuation() => Some(one),
        _ => None,
    }
}

/// Splits a text at `$name`: the text before, the name, and the rest.
fn split_at_name(text: &str) -> Option<(&str, &str, &str)> {
    let starts_name = |rest: &str| rest.starts_with(|first: char| first.is_alphabetic() || first == '_');
    let dollar = text.match_indices('$').map(|(at, _)| at).find(|at| starts_name(&text[at + 1..]))?;
    let rest = &text[dollar + 1..];
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    Some((&text[..dollar], &rest[..end], &rest[end..]))
}
