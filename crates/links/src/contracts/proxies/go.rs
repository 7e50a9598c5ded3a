//! Reverse proxies of Go: `mux.Handle("/cart/", httputil.NewSingleHostReverseProxy(target))`.

use graph::{FileIdx, Node};
use model::code::{Expression, ExpressionId, Site};

use super::{CodeProxyRoute, split_address};
use crate::contracts::{
    text_value::{CallFrame, TextValue},
    values::{CallShape, CalledFunction, ValueReader, ValueSource},
};

/// Function of the library that makes a proxy of an address.
const MAKER: &str = "NewSingleHostReverseProxy";

/// Functions of routers that take a path and a handler.
const REGISTRATIONS: [&str; 12] =
    ["Handle", "HandleFunc", "Any", "All", "Mount", "GET", "POST", "PUT", "PATCH", "DELETE", "Get", "Post"];

/// Functions that begin a route with its path, behind which a handler is set.
const PATHS: [&str; 3] = ["PathPrefix", "Path", "Route"];

/// Maximum number of steps from a handler to the proxy.
const MAX_STEPS: u32 = 6;

/// The proxy behind a handler.
struct GoProxy {
    address: TextValue,
    /// The prefix that is taken away before the proxy; empty if none is.
    stripped: String,
}

/// Returns the routes of reverse proxies in a file.
pub(super) fn routes(values: &mut ValueReader<'_, '_>, file: FileIdx) -> Vec<CodeProxyRoute> {
    let program = values.program();
    let code = values.code(file);
    // Few files import a router or the library, and handlers of proxies are near to their routes.
    let mut imports = program.facts(file).imports.iter();
    if !imports.any(|import| import.module.starts_with("net/http") || import.module.contains("/gin")) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for site in &code.sites {
        let Some(call) = values.call(file, site.expression) else { continue };
        found.extend(registration(values, file, site, &call));
    }
    found
}

fn registration(
    values: &mut ValueReader<'_, '_>,
    file: FileIdx,
    site: &Site,
    call: &CallShape<'_>,
) -> Option<CodeProxyRoute> {
    let (path, handler) = match call.name {
        "Handler" | "HandlerFunc" => {
            let route = values.call(file, call.object?).filter(|route| PATHS.contains(&route.name))?;
            (route.at(0)?, call.at(0)?)
        }
        name if REGISTRATIONS.contains(&name) => (call.at(0)?, call.positional().skip(1).last()?),
        _ => return None,
    };
    let written = values.text(file, path).as_literal().filter(|path| path.starts_with('/'))?;
    let proxy = proxy_of(values, file, handler, None, 0)?;
    let prefix = written.split(['*', ':', '{']).next().unwrap_or_default().to_owned();
    let target = prefix.strip_prefix(proxy.stripped.trim_end_matches('/')).unwrap_or(&prefix).to_owned();
    let (upstream, base) = split_address(&proxy.address)?;
    let around = values.code(file).definition_around(site.scope);
    let node = around.map_or(Node::File(file), |around| Node::Symbol(values.program().symbol(file, around)));
    Some(CodeProxyRoute { prefix, target_prefix: format!("{base}{target}"), upstream, node, line: site.line })
}

/// Returns the proxy that a handler is: itself, behind a prefix, in a variable, or in the function that makes or is the handler.
fn proxy_of(
    values: &mut ValueReader<'_, '_>,
    file: FileIdx,
    handler: ExpressionId,
    frame: Option<&CallFrame<'_>>,
    depth: u32,
) -> Option<GoProxy> {
    if depth > MAX_STEPS {
        return None;
    }
    if let Some(call) = values.call(file, handler) {
        return match call.name {
            MAKER => {
                let address = values.text_in_call(file, call.at(0)?, frame);
                Some(GoProxy { address, stripped: String::new() })
            }
            "StripPrefix" => {
                let stripped = values.text_in_call(file, call.at(0)?, frame).as_literal()?;
                Some(GoProxy { stripped, ..proxy_of(values, file, call.at(1)?, frame, depth + 1)? })
            }
            // A conversion or a wrapper of handlers has the proxy as its argument.
            "HandlerFunc" | "WrapH" | "WrapF" | "WrapHandler" => proxy_of(values, file, call.at(0)?, frame, depth + 1),
            _ => {
                let function = values.callee_of(file, &call)?;
                let home = values.home_of(function);
                values.cx.consult(home);
                let inner = CallFrame { function, file, arguments: call.arguments, outer: frame };
                in_function(values, function, Some(&inner), depth + 1)
            }
        };
    }
    match values.expression(file, handler) {
        Expression::Function { .. } => in_function(values, CalledFunction::Closure(file, handler), frame, depth + 1),
        Expression::Part { of, index: 0 } | Expression::Dereferenced { of } => {
            proxy_of(values, file, *of, frame, depth + 1)
        }
        Expression::Member { of, name } if values.code(file).name(*name) == "ServeHTTP" => {
            proxy_of(values, file, *of, frame, depth + 1)
        }
        Expression::Name { .. } | Expression::Member { .. } => {
            if let graph::Ty::Function { candidates, .. } = values.cx.type_of(file, handler) {
                let function = CalledFunction::Function(*candidates.first()?);
                return in_function(values, function, None, depth + 1);
            }
            let sources = values.sources(file, handler);
            sources.into_iter().find_map(|source| match source {
                ValueSource::Expression(home, value) => proxy_of(values, home, value, frame, depth + 1),
                _ => None,
            })
        }
        _ => None,
    }
}

/// Returns the only proxy that a function makes or passes its requests on to.
fn in_function(
    values: &mut ValueReader<'_, '_>,
    function: CalledFunction,
    frame: Option<&CallFrame<'_>>,
    depth: u32,
) -> Option<GoProxy> {
    let home = values.home_of(function);
    let code = values.code(home);
    if !code.names.iter().any(|name| &**name == MAKER || &**name == "ServeHTTP") {
        return None;
    }
    let is_within = |site: &&Site| match function {
        CalledFunction::Function(symbol) => {
            code.definition_around(site.scope) == Some(values.program().definition_id(symbol))
        }
        CalledFunction::Closure(_, expression) => match code.expression(expression) {
            Expression::Function { scope, .. } => code.is_within(site.scope, *scope),
            _ => false,
        },
    };
    let sites: Vec<ExpressionId> = code.sites.iter().filter(is_within).map(|site| site.expression).collect();
    let mut made = sites.iter().copied().filter(|one| values.call(home, *one).is_some_and(|call| call.name == MAKER));
    match (made.next(), made.next()) {
        (Some(only), None) => return proxy_of(values, home, only, frame, depth + 1),
        (Some(_), Some(_)) => return None,
        _ => {}
    }
    let passed = sites.into_iter().find_map(|one| {
        let call = values.call(home, one).filter(|call| call.name == "ServeHTTP")?;
        call.object
    });
    proxy_of(values, home, passed?, frame, depth + 1)
}

#[cfg(test)]
mod tests {
    use crate::testing::contracts;

    #[test]
    fn reverse_proxies_forward_the_paths_of_their_routes() {
        let import = "package main\nimport (\n\"net/http\"\n\"net/http/httputil\"\n\"net/url\"\n\"os\"\n)\n";
        for (code, expected) in [
            (
                "func main() { u, _ := url.Parse(os.Getenv(\"CART_URL\")); http.Handle(\"/cart/\", httputil.NewSingleHostReverseProxy(u)) }",
                Some("+ * /cart/{*} {env:CART_URL} /cart = a.go::main"),
            ),
            (
                "func main() { u, _ := url.Parse(\"http://cart:80/v1\"); p := httputil.NewSingleHostReverseProxy(u); http.Handle(\"/api/cart/\", http.StripPrefix(\"/api\", p)) }",
                Some("+ * /api/cart/{*} http://cart:80 /v1/cart = a.go::main"),
            ),
            (
                "func forward(to string) http.HandlerFunc { u, _ := url.Parse(to); p := httputil.NewSingleHostReverseProxy(u); return func(w http.ResponseWriter, r *http.Request) { p.ServeHTTP(w, r) } }\nfunc main() { mux := http.NewServeMux(); mux.HandleFunc(\"/cart/\", forward(\"http://cart\")) }",
                Some("+ * /cart/{*} http://cart /cart = a.go::main"),
            ),
            (
                "func main() { u, _ := url.Parse(\"http://cart\"); p := httputil.NewSingleHostReverseProxy(u); r.PathPrefix(\"/cart\").HandlerFunc(func(w http.ResponseWriter, q *http.Request) { p.ServeHTTP(w, q) }) }",
                Some("+ * /cart/{*} http://cart /cart = a.go::main"),
            ),
            // A handler of its own, and a proxy that no route has.
            ("func main() { http.Handle(\"/cart/\", http.FileServer(http.Dir(\"http://cart\"))) }", None),
            ("func main() { u, _ := url.Parse(\"http://cart\"); run(httputil.NewSingleHostReverseProxy(u)) }", None),
        ] {
            let lines = contracts(&format!("//- /a.go\n{import}{code}"));
            let found = lines.iter().find(|line| line.starts_with("+ * ") && line.contains("{*}"));
            assert_eq!(found.map(String::as_str), expected, "{code}\n{lines:#?}");
        }
    }
}
