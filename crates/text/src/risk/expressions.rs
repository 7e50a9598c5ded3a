//! Classifies expressions: literals, and strings that are built from values.

use model::Language;

use super::code_view::{CodeView, STRING_BYTE};

/// Maximum length in bytes of an expression that is examined. A longer text is not one argument.
const MAX_BYTES: usize = 2_000;

/// Beginnings of calls that format text.
const FORMATTERS: [&str; 6] = ["Sprintf(", "format!(", "String.format(", "string.Format(", "sprintf(", "format("];

/// A byte range of the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CodeSpan {
    pub(super) start: usize,
    pub(super) end: usize,
}

impl CodeView<'_> {
    /// Returns the arguments of a call whose parenthesis opens just before `start`.
    pub(super) fn arguments(&self, start: usize) -> Vec<CodeSpan> {
        let mut arguments = Vec::new();
        let (mut depth, mut from) = (0_u32, start);
        let end = self.code.len().min(start.saturating_add(MAX_BYTES));
        for (offset, byte) in self.code.as_bytes()[start..end].iter().enumerate() {
            let at = start + offset;
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' if depth == 0 => {
                    arguments.push(CodeSpan { start: from, end: at });
                    break;
                }
                b')' | b']' | b'}' => depth -= 1,
                b',' if depth == 0 => {
                    arguments.push(CodeSpan { start: from, end: at });
                    from = at + 1;
                }
                _ => {}
            }
        }
        arguments.retain(|argument| !self.code_of(*argument).trim().is_empty());
        arguments
    }

    pub(super) fn code_of(&self, span: CodeSpan) -> &str {
        self.code.get(span.start..span.end).unwrap_or_default()
    }

    pub(super) fn raw_of(&self, span: CodeSpan) -> &str {
        self.raw.get(span.start..span.end).unwrap_or_default()
    }

    /// Returns true if an expression consists only of literal text and numbers.
    pub(super) fn is_literal(&self, span: CodeSpan) -> bool {
        let rest = self.without_literals(span);
        let is_more = rest.chars().any(|c| c.is_alphabetic() || c == '_' || c == '$');
        !is_more && !self.is_interpolated(span)
    }

    /// Returns true if an expression combines literal text with a value.
    pub(super) fn is_built_from_values(&self, span: CodeSpan) -> bool {
        if self.is_interpolated(span) {
            return true;
        }
        let code = self.code_of(span);
        if !code.contains(['"', '\'', '`']) {
            return false;
        }
        let rest = self.without_literals(span);
        let joins = match self.language {
            Language::Php => rest.contains('.'),
            Language::Python => rest.contains(['+', '%']) || code.contains("\".format(") || code.contains("'.format("),
            _ => rest.contains('+'),
        };
        let is_formatted = FORMATTERS.iter().any(|formatter| code.contains(formatter)) && rest.contains(',');
        let has_value = rest.chars().any(|c| c.is_alphabetic() || c == '$');
        (joins || is_formatted) && has_value
    }

    /// Returns true if a string in the span interpolates values.
    fn is_interpolated(&self, span: CodeSpan) -> bool {
        let within = |literal: &&super::code_view::StringLiteral| literal.open >= span.start && literal.end <= span.end;
        let start = self.literals.partition_point(|literal| literal.open < span.start);
        let mut literals = self.literals[start..].iter().take_while(|literal| literal.open < span.end).filter(within);
        literals.any(|literal| self.interpolates_values(literal))
    }

    /// Returns true if a string literal interpolates values.
    pub(super) fn interpolates_values(&self, literal: &super::code_view::StringLiteral) -> bool {
        let inside = &self.raw[literal.start..literal.end];
        let prefix = self.raw[..literal.open].chars().next_back();
        match self.language {
            Language::Python => {
                let prefix = self.raw[..literal.open].chars().rev().take_while(char::is_ascii_alphabetic).take(3);
                let prefix: String = prefix.collect::<String>().to_lowercase();
                let is_formatted = prefix.len() <= 2 && prefix.contains('f');
                is_formatted && inside.replace("{{", "").contains('{')
            }
            Language::JavaScript | Language::TypeScript | Language::Tsx => {
                literal.quote == '`' && inside.contains("${")
            }
            Language::Ruby => literal.quote != '\'' && inside.contains("#{"),
            Language::Php => literal.quote == '"' && has_variable(inside),
            Language::Kotlin | Language::Dart => inside.contains("${") || has_variable(inside),
            Language::Scala => prefix.is_some_and(|c| matches!(c, 's' | 'f')) && inside.contains('$'),
            Language::Swift => inside.contains("\\("),
            Language::CSharp => {
                (prefix == Some('$') || self.raw[literal.open..].starts_with("$\"")) && inside.contains('{')
            }
            _ => false,
        }
    }

    fn without_literals(&self, span: CodeSpan) -> String {
        let mut rest = String::new();
        let mut is_inside = false;
        let mut quote = '"';
        for c in self.code_of(span).chars() {
            match c {
                '"' | '\'' | '`' if !is_inside => (is_inside, quote) = (true, c),
                c if is_inside && c == quote => is_inside = false,
                STRING_BYTE => {}
                c if !is_inside => rest.push(c),
                _ => {}
            }
        }
        // Letters directly before a quote are its prefix.
        if self.language == Language::Python && rest.trim().chars().all(|c| "rbufRBUF \n()".contains(c)) {
            rest.clear();
        }
        rest
    }
}

fn has_variable(inside: &str) -> bool {
    inside
        .match_indices('$')
        .any(|(at, _)| inside[at + 1..].starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '{'))
}
