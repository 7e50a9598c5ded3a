//! Reverse proxies of Go: `mux.Handle("/cart/", httputil.NewSingleHostReverseProxy(target))`.

use std::rc::Rc;

use graph::FileIdx;
use model::code::{DefinitionId, Expression, ExpressionId, ScopeId, Site};
use rustc_hash::FxHashMap;

use super::{CodeProxyRoute, split_address};
use crate::contracts::{
    enclosing::node_around,
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

/// The calls of one file that may make a proxy or pass a request on to it.
#[derive(Default)]
struct ProxyCalls {
    /// By definition around them.
    by_definition: FxHashMap<Option<DefinitionId>, Vec<(ScopeId, ExpressionId)>>,
}

/// Follows handlers to the proxies behind them.
struct ProxyReader<'r, 'c, 'p> {
    values: &'r mut ValueReader<'c, 'p>,
    calls: FxHashMap<FileIdx, Rc<ProxyCalls>>,
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
    let mut reader = ProxyReader { values, calls: FxHashMap::default() };
    let mut found = Vec::new();
    for site in &code.sites {
        let Some(call) = reader.values.call(file, site.expression) else { continue };
        found.extend(reader.registration(file, site, &call));
    }
    found
}

impl ProxyReader<'_, '_, '_> {
    /// Returns the calls of a file that may make a proxy or pass a request on, which are searched once.
    fn calls_of(&mut self, file: FileIdx) -> Rc<ProxyCalls> {
        if let Some(known) = self.calls.get(&file) {
            return Rc::clone(known);
        }
        let code = self.values.code(file);
        let mut calls = ProxyCalls::default();
        if code.names.iter().any(|name| is_of_proxy(name)) {
            for site in &code.sites {
                if self.values.call(file, site.expression).is_some_and(|call| is_of_proxy(call.name)) {
                    let of_definition = calls.by_definition.entry(code.definition_around(site.scope)).or_default();
                    of_definition.push((site.scope, site.expression));
                }
            }
        }
        let calls = Rc::new(calls);
        self.calls.insert(file, Rc::clone(&calls));
        calls
    }

    fn registration(&mut self, file: FileIdx, site: &Site, call: &CallShape<'_>) -> Option<CodeProxyRoute> {
        let (path, handler) = match call.name {
            "Handler" | "HandlerFunc" => {
                let route = self.values.call(file, call.object?).filter(|route| PATHS.contains(&route.name))?;
                (route.at(0)?, call.at(0)?)
            }
            name if REGISTRATIONS.contains(&name) => (call.at(0)?, call.positional().skip(1).last()?),
            _ => return None,
        };
        let written = self.values.text(file, path).as_literal().filter(|path| path.starts_with('/'))?;
        let proxy = self.proxy_of(file, handler, None, 0)?;
        let prefix = written.split(['*', ':', '{']).next().unwrap_or_default().to_owned();
        let target = prefix.strip_prefix(proxy.stripped.trim_end_matches('/')).unwrap_or(&prefix).to_owned();
        let (upstream, base) = split_address(&proxy.address)?;
        let node = node_around(self.values.program(), file, site.scope);
        Some(CodeProxyRoute { prefix, target_prefix: format!("{base}{target}"), upstream, node, line: site.line })
    }

    /// Returns the proxy that a handler is: itself, behind a prefix, in a variable, or in the function that makes or is the handler.
    fn proxy_of(
        &mut self,
        file: FileIdx,
        handler: ExpressionId,
        frame: Option<&CallFrame<'_>>,
        depth: u32,
    ) -> Option<GoProxy> {
        if depth > MAX_STEPS {
            return None;
        }
        if let Some(call) = self.values.call(file, handler) {
            return match call.name {
                MAKER => {
                    let address = self.values.text_in_call(file, call.at(0)?, frame);
                    Some(GoProxy { address, stripped: String::new() })
                }
                "StripPrefix" => {
                    let stripped = self.values.text_in_call(file, call.at(0)?, frame).as_literal()?;
                    Some(GoProxy { stripped, ..self.proxy_of(file, call.at(1)?, frame, depth + 1)? })
                }
                // A conversion or a wrapper of handlers has the proxy as its argument.
                "HandlerFunc" | "WrapH" | "WrapF" | "WrapHandler" => self.proxy_of(file, call.at(0)?, frame, depth + 1),
                _ => {
                    let function = self.values.callee_of(file, &call)?;
                    let home = self.values.home_of(function);
                    self.values.cx.consult(home);
                    let inner = CallFrame { function, file, arguments: call.arguments, receiver: None, outer: frame };
                    self.in_function(function, Some(&inner), depth + 1)
                }
            };
        }
        match self.values.expression(file, handler) {
            Expression::Function { .. } => self.in_function(CalledFunction::Closure(file, handler), frame, depth + 1),
            Expression::Part { of, index: 0 } | Expression::Dereferenced { of } => {
                self.proxy_of(file, *of, frame, depth + 1)
            }
            Expression::Member { of, name } if self.values.code(file).name(*name) == "ServeHTTP" => {
                self.proxy_of(file, *of, frame, depth + 1)
            }
            Expression::Name { .. } | Expression::Member { .. } => {
                if let graph::Ty::Function { candidates, .. } = self.values.cx.type_of(file, handler) {
                    let function = CalledFunction::Function(*candidates.first()?);
                    return self.in_function(function, None, depth + 1);
                }
                let sources = self.values.sources(file, handler);
                sources.into_iter().find_map(|source| match source {
                    ValueSource::Expression(home, value) => self.proxy_of(home, value, frame, depth + 1),
                    _ => None,
                })
            }
            _ => None,
        }
    }

    /// Returns the only proxy that a function makes or passes its requests on to.
    fn in_function(&mut self, function: CalledFunction, frame: Option<&CallFrame<'_>>, depth: u32) -> Option<GoProxy> {
        let home = self.values.home_of(function);
        let calls = self.calls_of(home);
        let code = self.values.code(home);
        let (around, within) = match function {
            CalledFunction::Function(symbol) => (Some(self.values.program().definition_id(symbol)), None),
            CalledFunction::Closure(_, expression) => match code.expression(expression) {
                Expression::Function { scope, .. } => (code.definition_around(*scope), Some(*scope)),
                _ => return None,
            },
        };
        let sites = calls.by_definition.get(&around)?.iter();
        let sites = sites.filter(|(scope, _)| within.is_none_or(|within| code.is_within(*scope, within)));
        let sites: Vec<ExpressionId> = sites.map(|(_, site)| *site).collect();
        let mut made =
            sites.iter().copied().filter(|one| self.values.call(home, *one).is_some_and(|call| call.name == MAKER));
        match (made.next(), made.next()) {
            (Some(only), None) => return self.proxy_of(home, only, frame, depth + 1),
            (Some(_), Some(_)) => return None,
            _ => {}
        }
        let passed = sites.into_iter().find_map(|one| {
            let call = self.values.call(home, one).filter(|call| call.name == "ServeHTTP")?;
            call.object
        });
        self.proxy_of(home, passed?, frame, depth + 1)
    }
}

/// Returns true for a function that makes a proxy or passes a request on to it.
fn is_of_proxy(name: &str) -> bool {
    name == MAKER || name == "ServeHTTP"
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
