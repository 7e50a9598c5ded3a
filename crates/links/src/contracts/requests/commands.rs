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
    if !matches!(shape.name, "curl" | "wget" | "http" | "https" | "xh" | "curlie") {
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
