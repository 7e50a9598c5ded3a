//! Handlers that forward all requests below a path: `@All('cart/*') cart(req) { return this.forward(config.get('CART_URL'), req) }`.

use graph::{FileIdx, Node, SymbolIdx};
use model::{
    Language,
    code::{Expression, ExpressionId, Literal},
};

use super::{CodeProxyRoute, split_address};
use crate::contracts::{
    routes::FoundRoute,
    values::{ValueReader, ValueSource},
    words,
};

/// Maximum number of arguments of a call that are searched for an address.
const MAX_ARGUMENTS: usize = 3;

/// Maximum number of calls of a handler.
const MAX_CALLS: usize = 60;

/// Maximum number of steps from an argument to the request.
const MAX_DEPTH: u32 = 8;

/// Words of the names of requests, and of their paths.
const REQUESTS: [&str; 14] = [
    "req", "request", "ctx", "context", "exchange", "path", "subpath", "url", "uri", "rest", "params", "slug",
    "wildcard", "raw",
];

/// Returns the routes of a file for all paths below one whose handler names exactly one address in calls with the request or its path.
pub(super) fn routes(values: &mut ValueReader<'_, '_>, routes: &[FoundRoute]) -> Vec<CodeProxyRoute> {
    let mut found: Vec<CodeProxyRoute> = Vec::new();
    for FoundRoute { route, .. } in routes {
        let Some(prefix) = prefix_of_all(&route.path) else { continue };
        let Some(Node::Symbol(handler)) = route.handler else { continue };
        let Some((upstream, base)) = only_address(values, handler) else { continue };
        if found.iter().any(|one| one.prefix == prefix) {
            continue;
        }
        let target_prefix = format!("{base}{prefix}");
        let node = Node::Symbol(handler);
        found.push(CodeProxyRoute { prefix, target_prefix, upstream, node, line: route.line });
    }
    found
}

/// Returns the path before the part that takes all that follows; `None` for another route, and for one that takes every path.
fn prefix_of_all(path: &str) -> Option<String> {
    let (prefix, last) = path.trim_end_matches('/').rsplit_once('/')?;
    let is_all = last.starts_with('*') || last.starts_with("{*") || last.ends_with("*}") || last.ends_with(":path}");
    let is_plain = !prefix.is_empty() && !prefix.contains(['*', ':', '{']);
    (is_all && is_plain).then(|| prefix.to_owned())
}

/// Returns the only address among the arguments of the calls of a handler that take the request or its path, with its path.
fn only_address(values: &mut ValueReader<'_, '_>, handler: SymbolIdx) -> Option<(String, String)> {
    let program = values.program();
    let file = program.file_of(handler);
    if program.language(file) == Language::Go {
        return None;
    }
    let code = values.code(file);
    let definition = program.definition_id(handler);
    let within = code.sites.iter().filter(|site| code.definition_around(site.scope) == Some(definition));
    let mut found: Vec<(String, String)> = Vec::new();
    for site in within.take(MAX_CALLS) {
        let Some(call) = values.call(file, site.expression) else { continue };
        for argument in call.arguments.iter().take(MAX_ARGUMENTS) {
            let text = values.text(file, *argument);
            let names_address = text.alternatives.iter().flatten().any(is_of_address);
            if let Some(address) = names_address.then(|| split_address(&text)).flatten()
                && call.arguments.iter().any(|one| has_request(values, file, handler, *one, 0))
            {
                found.push(address);
            }
        }
    }
    found.sort();
    found.dedup();
    if let [only] = &found[..] { Some(only.clone()) } else { None }
}

/// Returns true if an argument is the request of a handler, or has its path in it. Another part of the request, such as its body, says
/// nothing of the path.
fn has_request(
    values: &mut ValueReader<'_, '_>,
    file: FileIdx,
    handler: SymbolIdx,
    argument: ExpressionId,
    depth: u32,
) -> bool {
    if depth > MAX_DEPTH || !values.may_step() {
        return false;
    }
    let code = values.code(file);
    let mut within = |one: &ExpressionId| has_request(values, file, handler, *one, depth + 1);
    match code.expression(argument) {
        Expression::Member { of, name } | Expression::Path { of, name } => is_request(code.name(*name)) && within(of),
        Expression::Element { of, .. }
        | Expression::Awaited { of }
        | Expression::Tried { of }
        | Expression::Dereferenced { of }
        | Expression::Cast { of, .. } => within(of),
        Expression::Either(parts) | Expression::Tuple(parts) | Expression::List(parts) => parts.iter().any(within),
        Expression::Object(fields) => fields.iter().any(|(_, value)| within(value)),
        Expression::Operation { left, right, .. } => within(left) || right.as_ref().is_some_and(within),
        Expression::Literal(Literal::Text(_)) => code.holes(argument).iter().any(within),
        Expression::Call { callee, arguments, .. } => {
            // `req.url.slice(5)`, `request.getRequestURI()`, and not `req.get('token')`.
            let of_path = match code.expression(*callee) {
                Expression::Member { of, name } | Expression::Path { of, name } => {
                    let is_of_part = !matches!(code.expression(*of), Expression::Name { .. });
                    (is_of_part || is_request(code.name(*name))) && within(of)
                }
                _ => false,
            };
            of_path || arguments.iter().any(within)
        }
        Expression::Name { name, .. } => {
            let name = code.name(*name);
            let program = values.program();
            let home = values.code(program.file_of(handler));
            if program.shape(handler).parameters.iter().any(|parameter| home.name(parameter.name) == name) {
                return is_request(name);
            }
            values.sources(file, argument).into_iter().any(|source| match source {
                ValueSource::Expression(home, value) => has_request(values, home, handler, value, depth + 1),
                _ => false,
            })
        }
        _ => false,
    }
}

/// Returns true for the name of a request, or of the part of one that has its path.
fn is_request(name: &str) -> bool {
    words(name).iter().any(|word| REQUESTS.contains(&word.as_str()))
}

/// Returns true for an address that is written, and for a variable that is named as one. A handler may read other settings.
fn is_of_address(part: &crate::contracts::text_value::TextPart) -> bool {
    use crate::contracts::text_value::TextPart;
    const WORDS: [&str; 8] = ["url", "uri", "host", "addr", "address", "endpoint", "service", "services"];
    match part {
        TextPart::Text(text) => text.starts_with("http://") || text.starts_with("https://"),
        TextPart::Variable(name) => {
            let words = words(name);
            // The name of a service is none of its address.
            let is_name = words.last().is_some_and(|last| last == "name");
            let mut telling = words.iter().filter(|word| !is_name || !word.starts_with("service"));
            telling.any(|word| WORDS.contains(&word.as_str()))
        }
        TextPart::Parameter | TextPart::Computed => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::contracts;

    #[test]
    fn handlers_of_all_paths_forward_to_the_address_that_they_name() {
        let controller = |body: &str| {
            format!(
                "//- /g.ts\nimport {{ All, Controller }} from '@nestjs/common'\n@Controller()\nexport class Gateway {{\n  @All('cart/*path')\n  async cart(req) {{\n    {body}\n  }}\n}}\n"
            )
        };
        for (body, expected) in [
            (
                "return this.forward(process.env.CART_URL, req)",
                Some("+ * /cart/{*} {env:CART_URL} /cart = g.ts::Gateway.cart"),
            ),
            (
                "return this.forward('http://cart:80/v1', req)",
                Some("+ * /cart/{*} http://cart:80 /v1/cart = g.ts::Gateway.cart"),
            ),
            ("return this.pick(process.env.CART_URL, process.env.PAY_URL)", None),
            ("return this.render(process.env.TITLE)", None),
            ("return this.find(req)", None),
            (
                "const url = `${process.env.CART_URL}/${req.url.slice(6)}`\n    return axios.request(url)",
                Some("+ * /cart/{*} {env:CART_URL} /cart = g.ts::Gateway.cart"),
            ),
            (
                "await axios.post(process.env.AUTH_URL, req.headers)\n    return this.forward(process.env.CART_URL, req)",
                Some("+ * /cart/{*} {env:CART_URL} /cart = g.ts::Gateway.cart"),
            ),
            // The calls do not pass on the request.
            ("return axios.post(process.env.AUTH_URL + '/verify')", None),
            ("return axios.post(process.env.AUTH_URL + '/verify', req.get('token'))", None),
            ("return axios.post(process.env.AUTH_URL + '/verify', { body: req.body })", None),
            ("return this.log(process.env.SERVICE_NAME, req)", None),
        ] {
            let lines = contracts(&controller(body));
            let proxy = lines.iter().find(|line| line.starts_with("+ * /cart/{*} ") && line.contains("/cart = "));
            assert_eq!(proxy.map(String::as_str), expected, "{body}\n{lines:#?}");
        }
    }
}
