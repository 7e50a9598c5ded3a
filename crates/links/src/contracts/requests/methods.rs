//! Methods of requests: `"POST"`, `http.MethodPost`, `HttpMethod.POST`, `:post`.

use graph::FileIdx;
use model::code::ExpressionId;

use crate::contracts::{text_value::CallFrame, values::ValueReader};

/// The methods of HTTP that services use.
pub(in crate::contracts) const METHODS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/// Returns the method that a value means.
pub(in crate::contracts) fn of_value(
    values: &mut ValueReader<'_, '_>,
    file: FileIdx,
    value: ExpressionId,
    frame: Option<&CallFrame<'_>>,
) -> Option<String> {
    let dotted = values.dotted(file, value);
    let by_name = dotted.as_deref().and_then(|path| of_name(path.rsplit(['.', ':']).next().unwrap_or(path)));
    by_name.or_else(|| of_name(&values.text_in_call(file, value, frame).as_literal()?))
}

/// Returns the method that a name means: `POST`, `MethodPost`, `post`, `Post`, `:post`.
pub(in crate::contracts) fn of_name(name: &str) -> Option<String> {
    let name = name.trim_start_matches(':');
    let name = name.strip_prefix("Method").or(name.strip_prefix("HTTP_")).unwrap_or(name).to_ascii_uppercase();
    METHODS.contains(&name.as_str()).then_some(name)
}
