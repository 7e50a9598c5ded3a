//! Handlers that forward all requests below a path: `@All('cart/*') cart(req) { return this.forward(config.get('CART_URL'), req) }`.

use graph::Node;
use model::Language;

use super::{CodeProxyRoute, split_address};
use crate::contracts::{routes::FoundRoute, values::ValueReader};

/// Maximum number of arguments of a call that are searched for an address.
const MAX_ARGUMENTS: usize = 3;

/// Maximum number of calls of a handler.
const MAX_CALLS: usize = 60;

/// Returns the routes of a file for all paths below one whose handler names exactly one address.
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

/// Returns the only address among the arguments of the calls of a handler, with its path.
fn only_address(values: &mut ValueReader<'_, '_>, handler: graph::SymbolIdx) -> Option<(String, String)> {
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
            if let Some(address) = names_address.then(|| split_address(&text)).flatten() {
                found.push(address);
            }
        }
    }
    found.sort();
    found.dedup();
    if let [only] = &found[..] { Some(only.clone()) } else { None }
}

/// Returns true for an address that is written, and for a variable that is named as one. A handler may read other settings.
fn is_of_address(part: &crate::contracts::text_value::TextPart) -> bool {
    use crate::contracts::text_value::TextPart;
    const WORDS: [&str; 8] = ["url", "uri", "host", "addr", "address", "endpoint", "service", "services"];
    match part {
        TextPart::Text(text) => text.starts_with("http://") || text.starts_with("https://"),
        TextPart::Variable(name) => crate::contracts::words(name).iter().any(|word| WORDS.contains(&word.as_str())),
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
        ] {
            let lines = contracts(&controller(body));
            let proxy = lines.iter().find(|line| line.starts_with("+ * /cart/{*} ") && line.contains("/cart = "));
            assert_eq!(proxy.map(String::as_str), expected, "{body}\n{lines:#?}");
        }
    }
}
