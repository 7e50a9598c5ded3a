//! Whether an expression is text put together from values.

use model::Language;

use super::view::{INSIDE, View};

/// Bytes of an expression that are read: more is no one argument.
const MAX_BYTES: usize = 2_000;

/// Calls that put text together, by how they begin.
const FORMATTERS: [&str; 6] = ["Sprintf(", "format!(", "String.format(", "string.Format(", "sprintf(", "format("];

/// A stretch of source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) start: usize,
    pub(super) end: usize,
}

impl View<'_> {
    /// Returns the arguments of a call whose parenthesis opens just before `start`.
    pub(super) fn arguments(&self, start: usize) -> Vec<Stretch> {
        let mut arguments = Vec::new();
        let (mut depth, mut from) = (0_u32, start);
        let end = self.code.len().min(start.saturating_add(MAX_BYTES));
        for (offset, byte) in self.code.as_bytes()[start..end].iter().enumerate() {
            let at = start + offset;
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' if depth == 0 => {
                    arguments.push(Stretch { start: from, end: at });
                    break;
                }
                b')' | b']' | b'}' => depth -= 1,
                b',' if depth == 0 => {
                    arguments.push(Stretch { start: from, end: at });
                    from = at + 1;
                }
                _ => {}
            }
        }
        arguments.retain(|argument| !self.code_of(*argument).trim().is_empty());
        arguments
    }

    pub(super) fn code_of(&self, stretch: Stretch) -> &str {
        self.code.get(stretch.start..stretch.end).unwrap_or_default()
    }

    pub(super) fn raw_of(&self, stretch: Stretch) -> &str {
        self.raw.get(stretch.start..stretch.end).unwrap_or_default()
    }

    /// Says whether an expression is nothing but text as it is written, or a number.
    pub(super) fn is_literal(&self, stretch: Stretch) -> bool {
        let rest = self.without_literals(stretch);
        let is_more = rest.chars().any(|c| c.is_alphabetic() || c == '_' || c == '$');
        !is_more && !self.is_interpolated(stretch)
    }

    /// Says whether an expression joins text that is written there with something that is not.
    pub(super) fn is_built(&self, stretch: Stretch) -> bool {
        if self.is_interpolated(stretch) {
            return true;
        }
        let code = self.code_of(stretch);
        if !code.contains(['"', '\'', '`']) {
            return false;
        }
        let rest = self.without_literals(stretch);
        let joins = match self.language {
            Language::Php => rest.contains('.'),
            Language::Python => rest.contains(['+', '%']) || code.contains("\".format(") || code.contains("'.format("),
            _ => rest.contains('+'),
        };
        let is_formatted = FORMATTERS.iter().any(|formatter| code.contains(formatter)) && rest.contains(',');
        let has_value = rest.chars().any(|c| c.is_alphabetic() || c == '$');
        (joins || is_formatted) && has_value
    }

    /// Says whether a string in a stretch takes values in.
    fn is_interpolated(&self, stretch: Stretch) -> bool {
        let within = |literal: &&super::view::Literal| literal.open >= stretch.start && literal.end <= stretch.end;
        let start = self.literals.partition_point(|literal| literal.open < stretch.start);
        let mut literals =
            self.literals[start..].iter().take_while(|literal| literal.open < stretch.end).filter(within);
        literals.any(|literal| self.takes_values(literal))
    }

    /// Says whether a string takes values in by itself.
    pub(super) fn takes_values(&self, literal: &super::view::Literal) -> bool {
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

    fn without_literals(&self, stretch: Stretch) -> String {
        let mut rest = String::new();
        let mut is_inside = false;
        let mut quote = '"';
        for c in self.code_of(stretch).chars() {
            match c {
                '"' | '\'' | '`' if !is_inside => (is_inside, quote) = (true, c),
                c if is_inside && c == quote => is_inside = false,
                INSIDE => {}
                c if !is_inside => rest.push(c),
                _ => {}
            }
        }
        // What stands directly before a quote is its prefix.
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
