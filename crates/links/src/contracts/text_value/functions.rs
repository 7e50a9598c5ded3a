//! Texts of calls: formats, joined paths, conversions, and functions of the repository.

use graph::FileIdx;
use model::code::{Expression, ExpressionId};

use super::{CallFrame, MAX_ALTERNATIVES, TextPart, TextValue};
use crate::contracts::values::{CallShape, CalledFunction, ValueReader};

/// Functions that put values into a text, the first argument, by their last name.
const FORMATTERS: [&str; 7] = ["Sprintf", "format", "Format", "sprintf", "formatted", "printf", "format!"];

/// Functions that join the parts of a path.
const JOINERS: [&str; 7] = ["JoinPath", "join", "urljoin", "resolve", "urlJoin", "joinUrl", "combine"];

/// Functions whose result is their first argument, as far as an address is concerned.
const FIRST_ARGUMENT: [&str; 31] = [
    "String",
    "str",
    "create",
    "parse",
    "Parse",
    "URL",
    "URI",
    "Uri",
    "Url",
    "TrimSuffix",
    "TrimRight",
    "TrimPrefix",
    "TrimSpace",
    "parse_url",
    "unquote",
    "get_uri",
    "HttpUrl",
    "from",
    "from_static",
    "of",
    "Ok",
    "Some",
    "ofNullable",
    "encodeURI",
    "fromHttpUrl",
    "fromUriString",
    "fromUri",
    "fromPath",
    "target",
    "AddQueryString",
    "createURL",
];

/// Methods whose result is their object, as far as an address is concerned.
const OBJECT: [&str; 57] = [
    "into",
    "to_string",
    "to_owned",
    "toString",
    "ToString",
    "as_str",
    "as_ref",
    "clone",
    "unwrap",
    "expect",
    "trim",
    "strip",
    "rstrip",
    "lstrip",
    "trim_end_matches",
    "trim_start_matches",
    "TrimEnd",
    "TrimStart",
    "replace",
    "replaceAll",
    "sub",
    "gsub",
    "String",
    "href",
    "toURI",
    "to_s",
    "chomp",
    "get",
    "ok",
    "trimEnd",
    "build",
    "toUri",
    "toUriString",
    "freeze",
    "as_deref",
    "removeSuffix",
    "encode",
    "unwrap_or_default",
    "toExternalForm",
    "decode",
    "queryParam",
    "queryParams",
    "resolveTemplate",
    "buildAndExpand",
    "expand",
    "register",
    "property",
    "getUri",
    "newBuilder",
    "addQueryParameter",
    "toHttpUrl",
    "toHttpUrlOrNull",
    "SetQueryParam",
    "SetQueryParams",
    "build_url",
    "toURL",
    "ToUri",
];

/// Methods that add segments to the path of a builder: `UriComponentsBuilder`, `UriBuilder`, `WebTarget`.
pub(in crate::contracts) const BUILDERS_OF_PATHS: [&str; 9] = [
    "path",
    "pathSegment",
    "segment",
    "addPathSegment",
    "addPathSegments",
    "addEncodedPathSegments",
    "appendPathSegments",
    "AppendPathSegment",
    "AppendPathSegments",
];

/// Functions that make a builder of a whole address.
const OF_ADDRESS: [&str; 4] = ["fromUriString", "fromHttpUrl", "fromUri", "fromURI"];

/// Maximum number of calls of a builder.
const MAX_CHAIN: usize = 12;

/// Methods whose result is their object, or their argument as a default.
const DEFAULTS: [&str; 9] = [
    "unwrap_or",
    "unwrap_or_else",
    "orElse",
    "orElseGet",
    "or",
    "getOrElse",
    "unwrap_or_else_with",
    "presence",
    "ifEmpty",
];

impl<'p> ValueReader<'_, 'p> {
    pub(super) fn text_of_call(
        &mut self,
        file: FileIdx,
        expression: ExpressionId,
        frame: Option<&CallFrame<'_>>,
        depth: u32,
    ) -> TextValue {
        let Some(call) = self.call(file, expression) else { return TextValue::computed() };
        if call.name == "format" || call.name == "formatted" {
            // `"…".format(…)` has the format as its object.
            if let Some(object) = call.object.filter(|object| self.literal(file, *object).is_some()) {
                let values: Vec<ExpressionId> = call.arguments.to_vec();
                return self.formatted(file, object, &values, frame, depth);
            }
        }
        if FORMATTERS.contains(&call.name)
            && let Some((format, values)) = call.arguments.split_first()
        {
            return self.formatted(file, *format, values, frame, depth);
        }
        if let Some(list) = self.joined_list(file, &call, frame, depth) {
            return list;
        }
        if JOINERS.contains(&call.name) && !call.arguments.is_empty() {
            return self.joined(file, &call, frame, depth);
        }
        if let Some(object) = call.object.filter(|_| matches!(call.name, "append" | "Append"))
            && let Some(piece) = call.at(0)
        {
            let text = self.text_within(file, object, frame, depth + 1);
            return text.followed_by(&self.text_within(file, piece, frame, depth + 1));
        }
        if let Some(object) = call.object.filter(|_| call.name == "concat") {
            let texts = std::iter::once(object).chain(call.positional());
            let texts: Vec<TextValue> = texts.map(|text| self.text_within(file, text, frame, depth + 1)).collect();
            return texts
                .into_iter()
                .reduce(|left, right| left.followed_by(&right))
                .unwrap_or_else(TextValue::computed);
        }
        if let Some(discovered) = self.discovered(file, &call) {
            return discovered;
        }
        if BUILDERS_OF_PATHS.contains(&call.name)
            && let (Some(object), Some(_)) = (call.object, call.at(0))
        {
            let base = self.text_within(file, object, frame, depth + 1);
            // The path is known where the address is not.
            if !base.is_computed() || self.is_made_of_address(file, object) {
                let parts = call.positional().map(|part| self.text_within(file, part, frame, depth + 1));
                return parts.collect::<Vec<_>>().iter().fold(base, |base, part| with_slash(&base, part));
            }
        }
        let of_repository = self.result_text(file, &call, frame, depth);
        if !of_repository.is_computed() {
            return of_repository;
        }
        // `URLS.get("cart")` of a dictionary that the code writes.
        if let (Some(object), Some(key), "get") = (call.object, call.at(0), call.name) {
            let element = self.text_of_element(file, object, key, frame, depth);
            if !element.is_computed() {
                return element;
            }
        }
        if let Some(object) = call.object {
            if DEFAULTS.contains(&call.name) {
                let value = self.text_within(file, object, frame, depth + 1);
                let default = call.at(0).map(|default| self.closure_text(file, default, frame, depth));
                return default.map_or(value.clone(), |default| value.or(default));
            }
            if OBJECT.contains(&call.name) {
                let value = self.text_within(file, object, frame, depth + 1);
                if !value.is_computed() {
                    return value;
                }
            }
        }
        match call.at(0).filter(|_| FIRST_ARGUMENT.contains(&call.name)) {
            Some(_) => self.joined_url(file, call.arguments, frame, depth),
            None => self.property_text(file, &call, frame, depth),
        }
    }

    /// Returns true for a builder that is made of a whole address: `UriComponentsBuilder.fromUriString(base).path("/v1")`.
    fn is_made_of_address(&self, file: FileIdx, builder: ExpressionId) -> bool {
        let mut at = Some(builder);
        for _ in 0..MAX_CHAIN {
            let Some(call) = at.and_then(|at| self.call(file, at)) else { return false };
            if OF_ADDRESS.contains(&call.name) && !call.arguments.is_empty() {
                return true;
            }
            at = call.object;
        }
        false
    }

    /// Returns the text that a closure without parameters gives, or that of any other expression.
    fn closure_text(
        &mut self,
        file: FileIdx,
        value: ExpressionId,
        frame: Option<&CallFrame<'_>>,
        depth: u32,
    ) -> TextValue {
        match self.expression(file, value) {
            Expression::Function { results, .. } => TextValue::any_of(
                results.iter().take(MAX_ALTERNATIVES).map(|result| self.text_within(file, *result, frame, depth + 1)),
            ),
            _ => self.text_within(file, value, frame, depth + 1),
        }
    }

    /// Returns the text that a function of the repository gives for the arguments of a call.
    fn result_text(
        &mut self,
        file: FileIdx,
        call: &CallShape<'p>,
        frame: Option<&CallFrame<'_>>,
        depth: u32,
    ) -> TextValue {
        let Some(function) = self.callee_of(file, call) else { return TextValue::computed() };
        let home = self.home_of(function);
        self.cx.consult(home);
        let receiver = self.receiver_of(file, call, frame);
        let inner = CallFrame { function, file, arguments: call.arguments, receiver, outer: frame };
        let values: &[ExpressionId] = match function {
            CalledFunction::Function(function) => &self.program().shape(function).values,
            CalledFunction::Closure(home, expression) => match self.expression(home, expression) {
                Expression::Function { results, .. } => results,
                _ => &[],
            },
        };
        let values = values.iter().take(MAX_ALTERNATIVES);
        TextValue::any_of(values.map(|value| self.text_within(home, *value, Some(&inner), depth + 2)))
    }

    /// Returns a format with its values: `%s`, `{}`, `{name}`, `{0}`.
    pub(super) fn formatted(
        &mut self,
        file: FileIdx,
        format: ExpressionId,
        values: &[ExpressionId],
        frame: Option<&CallFrame<'_>>,
        depth: u32,
    ) -> TextValue {
        let Some(text) = self.text_within(file, format, frame, depth + 1).as_literal().or_else(|| {
            // Braces of a format are no computed parts yet.
            self.literal(file, format).map(str::to_owned)
        }) else {
            return TextValue::computed();
        };
        let code = self.code(file);
        let mut positional: Vec<ExpressionId> = Vec::new();
        let mut named: Vec<(&str, ExpressionId)> = Vec::new();
        for value in values {
            match code.expression(*value) {
                Expression::Tuple(parts) => positional.extend(parts),
                Expression::Dereferenced { of } => match code.expression(*of) {
                    Expression::Object(fields) => named.extend(fields.iter().map(|(name, of)| (code.name(*name), *of))),
                    _ => positional.push(*value),
                },
                _ => positional.push(*value),
            }
        }
        let mut result = TextValue::of_parts(Vec::new());
        let mut next = positional.iter();
        let written = self.literal(file, format).map_or(text, str::to_owned);
        for piece in format_pieces(&written) {
            let part = match piece {
                FormatPiece::Text(text) => TextValue::of_parts(vec![TextPart::Text(text.to_owned())]),
                FormatPiece::Value(name) => {
                    let by_position = || name.parse().ok().and_then(|idx: usize| positional.get(idx));
                    let by_name = named.iter().find(|(of, _)| !name.is_empty() && *of == name).map(|(_, value)| value);
                    let value = by_name.or_else(by_position).or_else(|| next.next()).copied();
                    value.map_or_else(TextValue::computed, |value| self.text_within(file, value, frame, depth + 1))
                }
            };
            result = result.followed_by(&part);
        }
        result
    }

    /// Returns the items of a list with a separator between them: `[base, "items"].join("/")`, `strings.Join([]string{base, "items"}, "/")`,
    /// `"/".join([base, "items"])`; `None` for any other call.
    fn joined_list(
        &mut self,
        file: FileIdx,
        call: &CallShape<'p>,
        frame: Option<&CallFrame<'_>>,
        depth: u32,
    ) -> Option<TextValue> {
        if !matches!(call.name, "join" | "Join" | "implode") {
            return None;
        }
        let operands: Vec<ExpressionId> = call.object.into_iter().chain(call.positional().take(2)).collect();
        let items = operands.iter().find_map(|operand| self.items_of(file, *operand))?;
        let separator = operands.iter().find_map(|operand| self.literal(file, *operand))?;
        let texts: Vec<TextValue> =
            items.into_iter().map(|item| self.text_within(file, item, frame, depth + 1)).collect();
        let between = TextValue::literal(separator);
        texts.into_iter().reduce(|left, right| match separator {
            "/" => with_slash(&left, &right),
            _ => left.followed_by(&between).followed_by(&right),
        })
    }

    /// Returns the items of a list that the code writes.
    fn items_of(&self, file: FileIdx, list: ExpressionId) -> Option<Vec<ExpressionId>> {
        match self.expression(file, list) {
            Expression::List(items) => Some(items.to_vec()),
            // `[]string{a, b}` of Go.
            Expression::Make { arguments, .. } if arguments.len() > 1 => Some(arguments.to_vec()),
            Expression::Make { arguments, .. } => match self.expression(file, *arguments.first()?) {
                Expression::List(items) => Some(items.to_vec()),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the parts of a path, joined by slashes.
    fn joined(&mut self, file: FileIdx, call: &CallShape<'p>, frame: Option<&CallFrame<'_>>, depth: u32) -> TextValue {
        // `base.resolve(path)` and `base.join(path)` have the first part as their object.
        let object = call.object.map(|object| self.text_within(file, object, frame, depth + 1));
        let object = object.filter(|object| !object.is_computed());
        let items: Vec<ExpressionId> = match call.at(0).map(|first| self.expression(file, first)) {
            Some(Expression::List(items)) => items.to_vec(),
            _ => call.positional().collect(),
        };
        let mut parts: Vec<TextValue> = object.into_iter().collect();
        parts.extend(items.into_iter().map(|item| self.text_within(file, item, frame, depth + 1)));
        parts.into_iter().reduce(|left, right| with_slash(&left, &right)).unwrap_or_else(TextValue::computed)
    }

    /// Returns the address of `new URL(path, base)`, or the first argument of any other constructor or conversion.
    pub(super) fn joined_url(
        &mut self,
        file: FileIdx,
        arguments: &[ExpressionId],
        frame: Option<&CallFrame<'_>>,
        depth: u32,
    ) -> TextValue {
        let texts: Vec<TextValue> =
            arguments.iter().take(2).map(|argument| self.text_within(file, *argument, frame, depth + 1)).collect();
        match texts.as_slice() {
            [path, base] if starts_with_slash(path) && !base.is_computed() => with_slash(base, path),
            // `new Uri(base, path)` of .NET has them the other way round.
            [base, path] if !path.is_computed() && starts_with_slash(path) => with_slash(base, path),
            [first, ..] => first.clone(),
            [] => TextValue::computed(),
        }
    }
}

fn starts_with_slash(text: &TextValue) -> bool {
    matches!(text.alternatives.first().and_then(|parts| parts.first()), Some(TextPart::Text(text)) if text.starts_with('/'))
}

/// Returns two parts of a path with one slash between them.
pub(in crate::contracts) fn with_slash(left: &TextValue, right: &TextValue) -> TextValue {
    // The host follows a scheme: `path.join("http://", host)`.
    let is_scheme = |parts: &Vec<TextPart>| matches!(parts.as_slice(), [TextPart::Text(text)] if text.ends_with("://"));
    if !left.alternatives.is_empty() && left.alternatives.iter().all(is_scheme) {
        return left.followed_by(right);
    }
    let trimmed: Vec<Vec<TextPart>> = left
        .alternatives
        .iter()
        .map(|parts| {
            let mut parts = parts.clone();
            if let Some(TextPart::Text(last)) = parts.last_mut() {
                *last = last.trim_end_matches('/').to_owned();
            }
            parts
        })
        .collect();
    let left = TextValue { alternatives: trimmed };
    if starts_with_slash(right) {
        left.followed_by(right)
    } else {
        left.followed_by(&TextValue::literal("/")).followed_by(right)
    }
}

/// A piece of a format.
#[derive(Debug, PartialEq)]
enum FormatPiece<'t> {
    Text(&'t str),
    /// A value, with its name or position if it is written.
    Value(&'t str),
}

/// Splits a format of either notation: `%s`, `%[1]d`, `{}`, `{0}`, `{name}`.
fn format_pieces(format: &str) -> Vec<FormatPiece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = format;
    while let Some(at) = rest.find(['%', '{']) {
        let (before, tail) = rest.split_at(at);
        let value = if tail.starts_with('%') { percent_value(tail) } else { brace_value(tail) };
        let Some((name, len)) = value else {
            let end = at + 1;
            pieces.push(FormatPiece::Text(&rest[..end]));
            rest = &rest[end..];
            continue;
        };
        if !before.is_empty() {
            pieces.push(FormatPiece::Text(before));
        }
        pieces.push(FormatPiece::Value(name));
        rest = &tail[len..];
    }
    if !rest.is_empty() {
        pieces.push(FormatPiece::Text(rest));
    }
    pieces
}

/// Returns the name and length of `%s`, `%(name)s`, `%d`, `%v`.
fn percent_value(tail: &str) -> Option<(&str, usize)> {
    if let Some(rest) = tail.strip_prefix("%(") {
        let end = rest.find(')')?;
        return Some((&rest[..end], end + 4)).filter(|(_, len)| *len <= tail.len());
    }
    let len = tail[1..].find(|c: char| c.is_ascii_alphabetic())?;
    let is_verb =
        tail[1..1 + len].chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | '[' | ']' | '#' | '$'));
    // `%2F` is an escape of an address.
    let is_escape = len > 0
        && tail[1..1 + len].chars().all(|c| c.is_ascii_digit())
        && tail[1 + len..].starts_with(char::is_uppercase);
    (is_verb && !is_escape).then_some(("", len + 2))
}

fn brace_value(tail: &str) -> Option<(&str, usize)> {
    let end = tail.find('}')?;
    let inner = &tail[1..end];
    let name = inner.split(':').next().unwrap_or(inner);
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'));
    is_name.then_some((name, end + 1))
}

#[cfg(test)]
mod tests {
    use super::{FormatPiece::*, *};

    #[test]
    fn formats_of_either_notation_are_split() {
        for (format, expected) in [
            ("http://%s/x/%d", &[Text("http://"), Value(""), Text("/x/"), Value("")][..]),
            ("%(host)s/x", &[Value("host"), Text("/x")]),
            ("{}/x/{0}/{name}", &[Value(""), Text("/x/"), Value("0"), Text("/"), Value("name")]),
            ("%[1]s/%5.2f", &[Value(""), Text("/"), Value("")]),
            ("/a%2Fb", &[Text("/a%"), Text("2Fb")]),
            ("100%", &[Text("100%")]),
            ("{not a name}", &[Text("{"), Text("not a name}")]),
        ] {
            assert_eq!(format_pieces(format), expected, "{format}");
        }
    }
}
