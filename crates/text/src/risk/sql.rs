//! Finds SQL queries that are built from values.

use std::sync::LazyLock;

use model::Language;
use regex::Regex;

use super::{
    RiskKind,
    code_view::{CodeView, STRING_BYTE, StringLiteral},
};

/// The beginning of a query. Keywords must be upper case, since in lower case they also occur in prose.
static QUERY: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?s)^\s*(?:SELECT\s.{1,400}\sFROM\s|INSERT\s+INTO\s|REPLACE\s+INTO\s|UPDATE\s+\S+\s+SET\s|DELETE\s+FROM\s|DROP\s+TABLE\s)";
    Regex::new(pattern).expect("the pattern is valid")
});

/// A placeholder of a formatting call.
static FORMAT_PLACEHOLDER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"%[-+0-9.]*[sdvqxf]|\{[^{}]*\}").expect("the pattern is valid"));

/// Number of bytes examined before and after a string.
const CONTEXT_BYTES: usize = 80;

/// Returns the offsets of queries that contain values.
pub(super) fn find(view: &CodeView<'_>) -> Vec<(usize, RiskKind)> {
    let takes_values = |literal: &&StringLiteral| {
        QUERY.is_match(&view.raw[literal.start..literal.end]) && is_built_from_values(view, literal)
    };
    view.literals.iter().filter(takes_values).map(|literal| (literal.open, RiskKind::Sql)).collect()
}

fn is_built_from_values(view: &CodeView<'_>, literal: &StringLiteral) -> bool {
    let inside = &view.raw[literal.start..literal.end];
    let before = &view.code[view.floor(literal.open.saturating_sub(CONTEXT_BYTES))..literal.open];
    // A tag function takes the values as parameters.
    let is_tagged =
        literal.quote == '`' && before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ')' | '>'));
    if is_tagged {
        return false;
    }
    if view.interpolates_values(literal) {
        return !interpolates_only_placeholders(inside);
    }
    let close = view.code[literal.end..].char_indices().take_while(|(_, c)| *c == literal.quote).count();
    let after_start = literal.end + close;
    let after_end = view.floor(after_start + CONTEXT_BYTES);
    let after = view.code[after_start..after_end].trim_start();
    let formats = ["Sprintf(", "format!(", "String.format(", "sprintf(", "string.Format("];
    let is_formatted =
        formats.iter().any(|call| before.trim_end().ends_with(call)) && FORMAT_PLACEHOLDER.is_match(inside);
    let joined = match view.language {
        Language::Php => after.strip_prefix('.'),
        Language::Python if after.starts_with('%') || after.starts_with(".format(") => {
            return FORMAT_PLACEHOLDER.is_match(inside) && !after.contains("join(");
        }
        _ => after.strip_prefix('+').filter(|rest| !rest.starts_with('+')),
    };
    let is_value = |rest: &str| {
        rest.trim_start().starts_with(|c: char| (c.is_alphabetic() || matches!(c, '_' | '$' | '(')) && c != STRING_BYTE)
    };
    let joins_value = joined.is_some_and(|rest| is_value(rest) && !rest.contains("join("));
    is_formatted || joins_value
}

/// Returns true if a query only interpolates placeholders of its parameters.
fn interpolates_only_placeholders(inside: &str) -> bool {
    ["placeholders", "join(", "PLACEHOLDERS"].iter().any(|word| inside.contains(word))
}
