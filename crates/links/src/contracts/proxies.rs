//! Proxies in code: middleware and development servers of JavaScript, rewrites of Next.js, routes of Spring Cloud Gateway, reverse
//! proxies of Go.

mod forwarders;
mod go;

use graph::{FileIdx, Node};
use model::{
    Language,
    code::{Expression, ExpressionId, NameId, Site},
};

use super::{
    enclosing::node_around,
    routes::FoundRoute,
    text_value::{TextPart, TextValue},
    url::RequestUrl,
    values::{CallShape, ValueReader},
};
use crate::contract::{ContractKind, ContractOffer, ContractUse};

/// Functions that make a proxy of options or of an address.
const MIDDLEWARE: [&str; 4] = ["createProxyMiddleware", "proxy", "httpProxy", "legacyCreateProxyMiddleware"];

/// Maximum number of calls of a chain.
const MAX_CHAIN: usize = 12;

/// A route of a proxy.
struct CodeProxyRoute {
    prefix: String,
    /// The path that replaces the prefix.
    target_prefix: String,
    /// The address in the notation of templates.
    upstream: String,
    node: Node,
    line: u32,
}

impl CodeProxyRoute {
    fn offer(&self) -> ContractOffer {
        let member = format!("{} /{}", self.upstream, self.target_prefix.trim_matches('/'));
        ContractOffer { kind: ContractKind::Http, key: key(&self.prefix), member, node: self.node, line: self.line }
    }

    fn request(&self) -> ContractUse {
        ContractUse {
            kind: ContractKind::Http,
            key: key(&self.target_prefix),
            member: self.upstream.clone(),
            node: self.node,
            line: self.line,
            confidence: crate::services::CONFIRMED,
            n_sites: 1,
            serves: false,
        }
    }
}

fn key(prefix: &str) -> String {
    let prefix = prefix.trim_matches('/');
    if prefix.is_empty() { "* /{*}".to_owned() } else { format!("* /{prefix}/{{*}}") }
}

/// Returns true if a route of a proxy takes a path as a router writes it: `/cart/`, `/cart/*path`.
pub(super) fn is_route_of(proxy: &ContractOffer, path: &str) -> bool {
    let prefix = path.split(['*', ':', '{']).next().unwrap_or_default();
    proxy.key == key(prefix)
}

/// Returns the routes of proxies in a file, each as an offer and a request.
pub(super) fn contracts(
    values: &mut ValueReader<'_, '_>,
    file: FileIdx,
    own: &[FoundRoute],
) -> (Vec<ContractOffer>, Vec<ContractUse>) {
    use Language::{Go, Java, JavaScript, Kotlin, Tsx, TypeScript};
    let mut routes = match values.program().language(file) {
        JavaScript | TypeScript | Tsx => ecmascript_routes(values, file),
        Java | Kotlin => spring_routes(values, file),
        Go => go::routes(values, file),
        _ => Vec::new(),
    };
    routes.extend(forwarders::routes(values, own));
    (routes.iter().map(CodeProxyRoute::offer).collect(), routes.iter().map(CodeProxyRoute::request).collect())
}

fn ecmascript_routes(values: &mut ValueReader<'_, '_>, file: FileIdx) -> Vec<CodeProxyRoute> {
    let code = values.code(file);
    let path = values.program().path(file);
    let name = path.rsplit('/').next().unwrap_or(path);
    let mut found = Vec::new();
    for site in &code.sites {
        found.extend(values.call(file, site.expression).and_then(|call| middleware_route(values, file, site, &call)));
    }
    let is_next = name.starts_with("next.config");
    if !is_next && !["vite", "vue", "webpack", "rspack", "rsbuild"].iter().any(|tool| name.starts_with(tool)) {
        return found;
    }
    for expression in &code.expressions {
        let Expression::Object(fields) = expression else { continue };
        if is_next {
            found.extend(rewrite_of_next(values, file, fields));
        } else if let Some((_, table)) = fields.iter().find(|(name, _)| code.name(*name) == "proxy")
            && let Expression::Object(table) = code.expression(*table)
        {
            let routes = table.iter().filter_map(|(prefix, value)| {
                let prefix = code.name(*prefix).trim_start_matches('^').to_owned();
                prefix.starts_with('/').then(|| route_of_options(values, file, prefix, *value, Node::File(file), 1))?
            });
            found.extend(routes);
        }
    }
    found
}

/// Reads `app.use("/api", createProxyMiddleware({target: "http://cart", pathRewrite: {"^/api": ""}}))`.
fn middleware_route(
    values: &mut ValueReader<'_, '_>,
    file: FileIdx,
    site: &Site,
    call: &CallShape<'_>,
) -> Option<CodeProxyRoute> {
    let node = node_around(values.program(), file, site.scope);
    let literal = |values: &mut ValueReader<'_, '_>, call: &CallShape<'_>| {
        let path = call.at(0).and_then(|first| values.text(file, first).as_literal())?;
        path.starts_with('/').then_some(path)
    };
    if call.name == "use" {
        let made = call.positional().skip(1).find_map(|argument| {
            let made = values.call(file, argument)?;
            MIDDLEWARE.contains(&made.name).then_some(made)
        })?;
        let prefix = literal(values, call)?;
        return route_of_options(values, file, prefix, made.positional().last()?, node, site.line);
    }
    if !MIDDLEWARE.contains(&call.name) {
        return None;
    }
    let prefix = literal(values, call)?;
    route_of_options(values, file, prefix, call.at(1)?, node, site.line)
}

/// Returns the route of a prefix with the options of a proxy, or with its address alone.
fn route_of_options(
    values: &mut ValueReader<'_, '_>,
    file: FileIdx,
    prefix: String,
    options: ExpressionId,
    node: Node,
    line: u32,
) -> Option<CodeProxyRoute> {
    let prefix = prefix.split(['*', ':', '(']).next().unwrap_or_default().to_owned();
    let (home, fields) = values.object(file, options, 0).unwrap_or((file, &[]));
    let code = values.code(home);
    let field = |name: &str| fields.iter().find(|(field, _)| code.name(*field) == name).map(|(_, value)| *value);
    let address = match field("target") {
        Some(target) => values.text(home, target),
        None if fields.is_empty() => values.text(file, options),
        None => return None,
    };
    let rewritten = match field("pathRewrite").map(|rewrite| code.expression(rewrite)) {
        Some(Expression::Object(rules)) => rules.iter().find_map(|(pattern, value)| {
            let pattern = code.name(*pattern).trim_start_matches('^').trim_end_matches('/');
            let rest = prefix.trim_end_matches('/').strip_prefix(pattern)?;
            Some(format!("{}{rest}", values.literal(home, *value)?.trim_end_matches('/')))
        }),
        // A function that rewrites the path takes the prefix away.
        Some(_) => Some(String::new()),
        None => field("rewrite").map(|_| String::new()),
    };
    let target = rewritten.unwrap_or_else(|| prefix.clone());
    let (upstream, base) = split_address(&address)?;
    Some(CodeProxyRoute { prefix, target_prefix: format!("{base}{target}"), upstream, node, line })
}

/// Reads `{source: "/api/:path*", destination: "http://cart/:path*"}`.
fn rewrite_of_next(
    values: &mut ValueReader<'_, '_>,
    file: FileIdx,
    fields: &[(NameId, ExpressionId)],
) -> Option<CodeProxyRoute> {
    let code = values.code(file);
    let field = |name: &str| fields.iter().find(|(field, _)| code.name(*field) == name).map(|(_, value)| *value);
    let (source, destination) = (field("source")?, field("destination")?);
    let prefix = values.literal(file, source)?.split([':', '*', '(']).next()?.to_owned();
    let (upstream, path) = split_address(&values.text(file, destination))?;
    let target_prefix = path.split(':').next().unwrap_or_default().to_owned();
    Some(CodeProxyRoute { prefix, target_prefix, upstream, node: Node::File(file), line: 1 })
}

/// Reads `r.path("/cart/**").filters(f -> f.stripPrefix(1)).uri("lb://cart")`.
fn spring_routes(values: &mut ValueReader<'_, '_>, file: FileIdx) -> Vec<CodeProxyRoute> {
    let code = values.code(file);
    let mut found = Vec::new();
    for site in &code.sites {
        let Some(call) = values.call(file, site.expression).filter(|call| call.name == "uri") else { continue };
        let (mut paths, mut n_stripped) = (Vec::new(), 0);
        let mut before = call.object;
        for _ in 0..MAX_CHAIN {
            let Some(link) = before.and_then(|object| values.call(file, object)) else { break };
            match link.name {
                "path" => paths = link.arguments.to_vec(),
                "filters" => n_stripped = link.at(0).map_or(0, |filters| stripped_segments(values, file, filters)),
                _ => {}
            }
            before = link.object;
        }
        let Some(address) = call.at(0).filter(|_| !paths.is_empty()).map(|uri| values.text(file, uri)) else {
            continue;
        };
        let Some((upstream, _)) = split_address(&with_scheme(address)) else { continue };
        let node = node_around(values.program(), file, site.scope);
        let routes = paths.into_iter().filter_map(|path| {
            let prefix = values.literal(file, path)?.split(['*', '{']).next()?.to_owned();
            let kept = prefix.split('/').filter(|part| !part.is_empty()).skip(n_stripped);
            let target_prefix = kept.map(|part| format!("/{part}")).collect();
            Some(CodeProxyRoute { prefix, target_prefix, upstream: upstream.clone(), node, line: site.line })
        });
        found.extend(routes);
    }
    found
}

/// Returns the number of segments that the filters of a route strip: `f -> f.stripPrefix(1)`.
fn stripped_segments(values: &ValueReader<'_, '_>, file: FileIdx, filters: ExpressionId) -> usize {
    let Expression::Function { results, .. } = values.expression(file, filters) else { return 0 };
    let mut at = results.first().copied();
    for _ in 0..MAX_CHAIN {
        let Some(call) = at.and_then(|at| values.call(file, at)) else { break };
        if call.name == "stripPrefix" {
            return 1;
        }
        at = call.object;
    }
    0
}

/// Returns an address whose scheme names a service in discovery as one of HTTP.
fn with_scheme(mut address: TextValue) -> TextValue {
    for parts in &mut address.alternatives {
        if let Some(TextPart::Text(text)) = parts.first_mut() {
            *text = text.replacen("lb://", "http://", 1);
        }
    }
    address
}

/// Returns the address and the path of a URL; `None` if its host is not written.
fn split_address(text: &TextValue) -> Option<(String, String)> {
    let url = RequestUrl::of(text)?;
    let is_known = url.address.hosts().next().is_some() || url.address.variables().next().is_some();
    let path = url.path.split('{').next().unwrap_or_default().trim_end_matches('/').to_owned();
    is_known.then(|| (url.address.notation(), path))
}

#[cfg(test)]
mod tests {
    use crate::testing::contracts;

    #[test]
    fn proxies_in_code_forward_prefixes() {
        for (fixture, expected) in [
            (
                "//- /a.js\nconst { createProxyMiddleware } = require('http-proxy-middleware')\napp.use('/api', createProxyMiddleware({ target: process.env.CART_URL, pathRewrite: { '^/api': '' } }))\n",
                Some("+ * /api/{*} {env:CART_URL} / = a.js"),
            ),
            (
                "//- /a.js\nconst proxy = require('express-http-proxy')\napp.use('/cart', proxy('http://cart:80'))\n",
                Some("+ * /cart/{*} http://cart:80 /cart = a.js"),
            ),
            (
                "//- /vite.config.ts\nexport default defineConfig({ server: { proxy: { '/api': { target: 'http://cart:80', rewrite: (p) => p.replace(/^\\/api/, '') }, '/pay': 'http://pay' } } })\n",
                Some("+ * /api/{*} http://cart:80 / = vite.config.ts"),
            ),
            (
                "//- /next.config.js\nmodule.exports = { async rewrites() { return [{ source: '/api/:path*', destination: 'http://cart:80/v1/:path*' }] } }\n",
                Some("+ * /api/{*} http://cart:80 /v1 = next.config.js"),
            ),
            (
                "//- /G.java\nclass G { RouteLocator routes(RouteLocatorBuilder b) { return b.routes().route(\"cart\", r -> r.path(\"/cart/**\").filters(f -> f.stripPrefix(1)).uri(\"lb://cart\")).build(); } }\n",
                Some("+ * /cart/{*} http://cart / = G.java::G.routes"),
            ),
            (
                "//- /a.js\nconst { createProxyMiddleware } = require('http-proxy-middleware')\nconst PREFIX = '/api'\napp.use(PREFIX, createProxyMiddleware({ target: 'http://cart' }))\n",
                Some("+ * /api/{*} http://cart /api = a.js"),
            ),
            ("//- /a.js\napp.use('/api', createCache({ target: 'http://cart' }))\n", None),
            ("//- /G.java\nclass G { void f(WebClient c) { c.get().uri(\"http://cart\"); } }\n", None),
            ("//- /a.ts\nconst x = { proxy: { '/api': 'http://cart' } }\n", None),
        ] {
            let lines = contracts(fixture);
            let found = lines.iter().find(|line| line.starts_with("+ * "));
            assert_eq!(found.map(String::as_str), expected, "{fixture}\n{lines:#?}");
        }
    }
}
