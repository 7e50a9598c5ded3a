//! Queries put together from values.

use std::sync::LazyLock;

use model::Language;
use regex::Regex;

use super::{
    Danger,
    view::{INSIDE, Literal, View},
};

/// How queries begin. Small letters are those of prose as well, so that all have to be capitals.
static QUERY: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?s)^\s*(?:SELECT\s.{1,400}\sFROM\s|INSERT\s+INTO\s|REPLACE\s+INTO\s|UPDATE\s+\S+\s+SET\s|DELETE\s+FROM\s|DROP\s+TABLE\s)";
    Regex::new(pattern).expect("the pattern is valid")
});

/// What stands for values in a query that a formatting call makes.
static PLACE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"%[-+0-9.]*[sdvqxf]|\{[^{}]*\}").expect("the pattern is valid"));

/// Bytes before and after a string that tell what becomes of it.
const N_BYTES_AROUND: usize = 80;

/// Returns where queries begin that take values in.
pub(super) fn found_in(view: &View<'_>) -> Vec<(usize, Danger)> {
    let takes_values =
        |literal: &&Literal| QUERY.is_match(&view.raw[literal.start..literal.end]) && is_built(view, literal);
    view.literals.iter().filter(takes_values).map(|literal| (literal.open, Danger::Sql)).collect()
}

fn is_built(view: &View<'_>, literal: &Literal) -> bool {
    let inside = &view.raw[literal.start..literal.end];
    let before = &view.code[view.floor(literal.open.saturating_sub(N_BYTES_AROUND))..literal.open];
    // What stands before a template takes its values as parameters.
    let is_tagged =
        literal.quote == '`' && before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ')' | '>'));
    if is_tagged {
        return false;
    }
    if view.takes_values(literal) {
        return !only_lists_places(inside);
    }
    let close = view.code[literal.end..].char_indices().take_while(|(_, c)| *c == literal.quote).count();
    let after_start = literal.end + close;
    let after_end = view.floor(after_start + N_BYTES_AROUND);
    let after = view.code[after_start..after_end].trim_start();
    let formats = ["Sprintf(", "format!(", "String.format(", "sprintf(", "string.Format("];
    let is_formatted = formats.iter().any(|call| before.trim_end().ends_with(call)) && PLACE.is_match(inside);
    let joined = match view.language {
        Language::Php => after.strip_prefix('.'),
        Language::Python if after.starts_with('%') || after.starts_with(".format(") => {
            return PLACE.is_match(inside) && !after.contains("join(");
        }
        _ => after.strip_prefix('+').filter(|rest| !rest.starts_with('+')),
    };
    let is_value = |rest: &str| {
        rest.trim_start().starts_with(|c: char| (c.is_alphabetic() || matches!(c, '_' | '$' | '(')) && c != INSIDE)
    };
    let joins_value = joined.is_some_and(|rest| is_value(rest) && !rest.contains("join("));
    is_formatted || joins_value
}

/// Says whether all that a query takes in are the places for its parameters.
fn only_lists_places(inside: &str) -> bool {
    ["placeholders", "join(", "PLACEHOLDERS"].iter().any(|word| inside.contains(word))
}
