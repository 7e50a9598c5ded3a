//! Methods of requests: `"POST"`, `http.MethodPost`, `HttpMethod.POST`, `:post`.

use graph::FileIdx;
use model::code::{Expression, ExpressionId};

use crate::contracts::{
    text_value::CallFrame,
    values::{ValueReader, ValueSource},
};

/// The methods of HTTP that services use.
pub(in crate::contracts) const METHODS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/// Returns the method that a value means.
pub(in crate::contracts) fn of_value(
    values: &mut ValueReader<'_, '_>,
    file: FileIdx,
    value: ExpressionId,
    frame: Option<&CallFrame<'_>>,
) -> Option<String> {
    let value = in_any_case(values, file, value);
    if let Some((caller, argument, outer)) = frame.and_then(|frame| values.argument_of(file, value, frame)) {
        return of_value(values, caller, argument, outer);
    }
    let dotted = values.dotted(file, value);
    let by_name = dotted.as_deref().and_then(|path| of_name(path.rsplit(['.', ':']).next().unwrap_or(path)));
    by_name.or_else(|| of_name(&values.text_in_call(file, value, frame).as_literal()?))
}

/// Returns the text that a function writes in capitals or small letters: `method` of `method.toUpperCase()`.
fn in_any_case(values: &ValueReader<'_, '_>, file: FileIdx, value: ExpressionId) -> ExpressionId {
    const FUNCTIONS: [&str; 14] = [
        "toUpperCase",
        "toLowerCase",
        "toLocaleUpperCase",
        "upper",
        "lower",
        "ToUpper",
        "ToLower",
        "ToUpperInvariant",
        "to_uppercase",
        "to_ascii_uppercase",
        "uppercase",
        "upcase",
        "strtoupper",
        "String",
    ];
    let Some(call) = values.call(file, value).filter(|call| FUNCTIONS.contains(&call.name)) else { return value };
    // `strings.ToUpper(method)` has the text as its argument; that of `method.toUpperCase(Locale.ROOT)` is a language.
    let is_module = |object: &ExpressionId| {
        values.dotted(file, *object).is_some_and(|name| matches!(name.as_str(), "strings" | "str" | "String"))
    };
    call.object.filter(|object| !is_module(object)).or_else(|| call.at(0)).unwrap_or(value)
}

/// Returns the methods of which a value means one, in order: `id ? "PUT" : "POST"`.
pub(in crate::contracts) fn choices(
    values: &mut ValueReader<'_, '_>,
    file: FileIdx,
    value: ExpressionId,
    frame: Option<&CallFrame<'_>>,
) -> Vec<String> {
    match values.expression(file, value) {
        Expression::Either(choices) => {
            let each = choices.iter().map(|choice| of_value(values, file, *choice, frame));
            each.collect::<Option<Vec<String>>>().unwrap_or_default()
        }
        Expression::Name { .. } => {
            let sources = values.sources(file, value);
            let held = sources.into_iter().find_map(|source| match source {
                ValueSource::Expression(home, held) => Some((home, held)),
                _ => None,
            });
            match held.map(|(home, held)| (home, held, values.expression(home, held))) {
                Some((home, held, Expression::Either(_))) => self::choices(values, home, held, frame),
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}

/// Returns the method that a name means: `POST`, `MethodPost`, `post`, `Post`, `:post`.
pub(in crate::contracts) fn of_name(name: &str) -> Option<String> {
    let name = name.trim_start_matches(':');
    let name = name.strip_prefix("Method").or(name.strip_prefix("HTTP_")).unwrap_or(name).to_ascii_uppercase();
    METHODS.contains(&name.as_str()).then_some(name)
}

/// Returns true if a name begins with a method or another word for a request: `get`, `postJson`, `fetch_items`.
pub(super) fn begins_name(name: &str) -> bool {
    const WORDS: [&str; 10] = ["get", "post", "put", "patch", "delete", "head", "fetch", "request", "api", "send"];
    WORDS.iter().any(|word| {
        let rest = name.get(word.len()..).filter(|_| name.is_char_boundary(word.len()));
        let is_word = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_lowercase());
        rest.is_some_and(|rest| name[..word.len()].eq_ignore_ascii_case(word) && is_word(rest))
    })
}
