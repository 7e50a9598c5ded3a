//! Requests of commands in scripts: `curl -X POST http://cart/items`, `wget`, `http POST`.

use graph::FileIdx;
use model::code::ExpressionId;

use super::{HttpRequest, KNOWN_CLIENT, methods};
use crate::contracts::{
    text_value::{TextPart, TextValue},
    values::ValueReader,
};

/// Returns the request of a command.
pub(super) fn request(values: &mut ValueReader<'_, '_>, file: FileIdx, call: ExpressionId) -> Option<HttpRequest> {
    let shape = values.call(file, call)?;
    let is_httpie = matches!(shape.name, "http" | "https" | "xh");
    let is_load_test = matches!(shape.name, "hey" | "oha");
    if !is_httpie && !is_load_test && !matches!(shape.name, "curl" | "wget" | "curlie") {
        return None;
    }
    let mut method = "GET".to_owned();
    let mut url: Option<TextValue> = None;
    let mut is_method = false;
    for argument in shape.arguments {
        let text = values.text(file, *argument);
        let word = text.as_literal().unwrap_or_default();
        if is_method {
            method = methods::of_name(&word).unwrap_or(method);
            is_method = false;
            continue;
        }
        match word.as_str() {
            "-X" | "--request" | "--method" => is_method = true,
            "-m" if is_load_test => is_method = true,
            "-d" | "--data" | "--data-raw" | "--data-binary" | "-F" | "--form" | "--json" | "--data-urlencode"
                if method == "GET" =>
            {
                method = "POST".to_owned();
            }
            "-I" | "--head" => method = "HEAD".to_owned(),
            "-T" | "--upload-file" => method = "PUT".to_owned(),
            word => {
                match word.strip_prefix("-X").or(word.strip_prefix("--request=")).or(word.strip_prefix("--method=")) {
                    Some(stated) => method = methods::of_name(stated).unwrap_or(method),
                    None if url.is_none() && is_url(&text) => url = Some(text),
                    // The fields of a body: `http http://cart/items id=1`.
                    None if is_httpie && url.is_some() && method == "GET" && is_field(word) => {
                        method = "POST".to_owned();
                    }
                    None => {
                        if let Some(stated) = methods::of_name(word).filter(|_| shape.name.starts_with("http")) {
                            method = stated;
                        }
                    }
                }
            }
        }
    }
    Some(HttpRequest { method, url: url?, confidence: KNOWN_CLIENT })
}

/// Returns true for a field of the body of HTTPie: `id=1`, `id:=1`, `file@path`. `id==1` is of the query.
fn is_field(word: &str) -> bool {
    let name = |end: &str| word.split_once(end).map(|(name, rest)| (name, !rest.starts_with('=')));
    let is_name = |name: &str| {
        let plain = name.trim_end_matches(':');
        !plain.is_empty()
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
