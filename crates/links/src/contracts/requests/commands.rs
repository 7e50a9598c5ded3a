//! Requests of commands in scripts: `curl -X POST http://cart/items`, `wget`, `http POST`.

use graph::FileIdx;
use model::code::ExpressionId;

use super::{HttpRequest, KNOWN_CLIENT, methods};
use crate::contracts::{
    text_value::{TextPart, TextValue},
    values::ValueReader,
};

/// Options of HTTPie with a value behind them.
const OPTIONS_OF_HTTPIE: [&str; 15] = [
    "-a",
    "-A",
    "-o",
    "-p",
    "-s",
    "--auth",
    "--auth-type",
    "--output",
    "--print",
    "--style",
    "--session",
    "--proxy",
    "--verify",
    "--cert",
    "--timeout",
];

/// Returns the request of a command.
pub(super) fn request(values: &mut ValueReader<'_, '_>, file: FileIdx, call: ExpressionId) -> Option<HttpRequest> {
    let shape = values.call(file, call)?;
    let is_httpie = matches!(shape.name, "http" | "https" | "xh");
    let is_load_test = matches!(shape.name, "hey" | "oha");
    // The other commands have options of these names with another meaning.
    let is_curl = matches!(shape.name, "curl" | "curlie");
    if !is_httpie && !is_load_test && !is_curl && shape.name != "wget" {
        return None;
    }
    let (mut stated, mut implied) = (None, None);
    let mut url: Option<TextValue> = None;
    let mut option = String::new();
    for argument in shape.arguments {
        let text = values.text(file, *argument);
        let word = text.as_literal().unwrap_or_default();
        let before = std::mem::replace(&mut option, word.clone());
        if matches!(before.as_str(), "-X" | "--request" | "--method") || is_load_test && before == "-m" {
            stated = methods::of_name(&word).or(stated);
            continue;
        }
        if is_httpie && OPTIONS_OF_HTTPIE.contains(&before.as_str()) {
            continue;
        }
        match word.as_str() {
            "-G" | "--get" if is_curl => stated = stated.or_else(|| Some("GET".to_owned())),
            "-d" | "--data" | "--data-raw" | "--data-binary" | "-F" | "--form" | "--json" | "--data-urlencode"
                if is_curl =>
            {
                implied = implied.or_else(|| Some("POST".to_owned()));
            }
            "-I" | "--head" if is_curl => implied = Some("HEAD".to_owned()),
            "-T" | "--upload-file" if is_curl => implied = Some("PUT".to_owned()),
            "-X" => {}
            word => {
                match word.strip_prefix("-X").or(word.strip_prefix("--request=")).or(word.strip_prefix("--method=")) {
                    Some(name) => stated = methods::of_name(name).or(stated),
                    None if url.is_none() && is_url(&text) => url = Some(text),
                    // The fields of a body: `http http://cart/items id=1`.
                    None if is_httpie && url.is_some() && is_field(word) => implied = Some("POST".to_owned()),
                    None if is_httpie && url.is_none() => stated = methods::of_name(word).or(stated),
                    None => {}
                }
            }
        }
    }
    let method = stated.or(implied).unwrap_or_else(|| "GET".to_owned());
    Some(HttpRequest { method, url: url?, confidence: KNOWN_CLIENT })
}

/// Returns true for a field of the body of HTTPie: `id=1`, `id:=1`, `file@path`. `id==1` is of the query.
fn is_field(word: &str) -> bool {
    let name = |end: &str| word.split_once(end).map(|(name, rest)| (name, !rest.starts_with('=')));
    let is_name = |name: &str| {
        let plain = name.trim_end_matches(':');
        !plain.is_empty()
            && !plain.starts_with('-')
            && plain.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '[' | ']' | '.'))
    };
    [name("="), name("@")].into_iter().flatten().any(|(name, is_one)| is_one && is_name(name))
}

/// Returns true for `http://…`, `$HOST/…` and `localhost:8080/…`.
fn is_url(text: &TextValue) -> bool {
    text.alternatives.first().is_some_and(|parts| match parts.as_slice() {
        [TextPart::Text(text), ..] => {
            text.starts_with("http://") || text.starts_with("https://") || text.starts_with("localhost")
        }
        [TextPart::Variable(_), TextPart::Text(path), ..] => path.starts_with(['/', ':']),
        _ => false,
    })
}
