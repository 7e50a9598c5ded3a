//! HTTP requests: the calls that send a method and a path to another service.

use graph::{FileIdx, Inference, Node};
use model::code::{Expression, ExpressionId, Literal};

use super::{path_template, routes};
use crate::contract::{ContractKind, ContractUse};

/// Confidence of a call of a known HTTP client.
const KNOWN_CLIENT: f32 = 0.9;

/// Confidence of a call of any other function with a path and a method: most of them wrap a client.
const POSSIBLE_WRAPPER: f32 = 0.7;

/// Names of functions and objects that send requests.
const CLIENTS: [&str; 16] = [
    "fetch",
    "axios",
    "requests",
    "httpx",
    "http",
    "client",
    "session",
    "got",
    "ky",
    "superagent",
    "reqwest",
    "restTemplate",
    "webClient",
    "HttpRequest",
    "httpClient",
    "NewRequest",
];

const METHODS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/// Returns the requests that a file sends. `registrations` are the calls that register its own routes.
pub(super) fn uses(cx: &Inference<'_>, file: FileIdx, registrations: &[ExpressionId]) -> Vec<ContractUse> {
    let program = cx.program;
    let code = program.code(file);
    let mut found = Vec::new();
    for site in code.sites.iter().filter(|site| !registrations.contains(&site.expression)) {
        let Some(request) = request(cx, file, site.expression) else { continue };
        let enclosing = code.definition_around(site.scope);
        let node = enclosing.map_or(Node::File(file), |enclosing| Node::Symbol(program.symbol(file, enclosing)));
        found.push(ContractUse {
            kind: ContractKind::Http,
            key: format!("{} {}", request.method, request.path),
            member: String::new(),
            node,
            line: site.line,
            confidence: request.confidence,
            n_sites: 1,
            serves: false,
        });
    }
    found
}

struct HttpRequest {
    method: String,
    path: String,
    confidence: f32,
}

fn request(cx: &Inference<'_>, file: FileIdx, call: ExpressionId) -> Option<HttpRequest> {
    let code = cx.program.code(file);
    let Expression::Call { callee, arguments, .. } = code.expression(call) else { return None };
    let (object, name) = match code.expression(*callee) {
        Expression::Member { of, name } | Expression::Path { of, name } => (last_name(cx, file, *of), code.name(*name)),
        Expression::Name { name, .. } => ("", code.name(*name)),
        _ => return None,
    };
    let texts: Vec<String> =
        arguments.iter().take(3).filter_map(|argument| concatenated(cx, file, *argument, 0)).collect();
    let path = texts.iter().find_map(|text| path_template::normalize(text))?;
    let is_client = |word: &str| CLIENTS.iter().any(|client| word.eq_ignore_ascii_case(client));
    let is_known = is_client(name) || is_client(object) || object.to_ascii_lowercase().ends_with("client");
    let stated = stated_method(name, &texts)
        .or_else(|| arguments.iter().find_map(|argument| method_option(cx, file, *argument)));
    let is_plain_fetch = is_known && name == "fetch";
    let method = stated.or_else(|| is_plain_fetch.then(|| "GET".to_owned()))?;
    // A path with one constant segment may be a folder.
    if path_template::n_constant(&path) < if is_known { 1 } else { 2 } {
        return None;
    }
    Some(HttpRequest { method, path, confidence: if is_known { KNOWN_CLIENT } else { POSSIBLE_WRAPPER } })
}

/// Returns the HTTP method in the name of a function, or in another text argument than the path.
fn stated_method(name: &str, texts: &[String]) -> Option<String> {
    let upper = name.to_ascii_uppercase();
    let by_name = METHODS.iter().find(|method| upper == **method || upper.strip_suffix("FOROBJECT") == Some(**method));
    let by_text = || METHODS.iter().find(|method| texts.iter().any(|text| text.eq_ignore_ascii_case(method)));
    by_name.or_else(by_text).map(|method| (*method).to_owned())
}

/// Returns the method among the options of a request: `{ method: "POST" }`.
fn method_option(cx: &Inference<'_>, file: FileIdx, argument: ExpressionId) -> Option<String> {
    let code = cx.program.code(file);
    let Expression::Object(fields) = code.expression(argument) else { return None };
    let (_, value) = fields.iter().find(|(name, _)| code.name(*name) == "method")?;
    let text = routes::string_literal(cx, file, *value)?.to_ascii_uppercase();
    METHODS.contains(&text.as_str()).then_some(text)
}

fn last_name<'p>(cx: &Inference<'p>, file: FileIdx, of: ExpressionId) -> &'p str {
    let code = cx.program.code(file);
    match code.expression(of) {
        Expression::Member { name, .. } | Expression::Path { name, .. } | Expression::Name { name, .. } => {
            code.name(*name)
        }
        _ => "",
    }
}

/// Returns the text of an expression, with `{}` for each computed part.
fn concatenated(cx: &Inference<'_>, file: FileIdx, expression: ExpressionId, depth: u32) -> Option<String> {
    let code = cx.program.code(file);
    match code.expression(expression) {
        Expression::Literal(Literal::Text(Some(text))) => Some(code.name(*text).to_owned()),
        Expression::Operation { operator, left, right: Some(right) } if code.name(*operator) == "+" && depth < 8 => {
            let left = concatenated(cx, file, *left, depth + 1);
            let right = concatenated(cx, file, *right, depth + 1);
            if left.is_none() && right.is_none() {
                return None;
            }
            Some(left.unwrap_or_else(|| "{}".to_owned()) + &right.unwrap_or_else(|| "{}".to_owned()))
        }
        _ => None,
    }
}
