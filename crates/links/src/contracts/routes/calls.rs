//! Registrations of routes by calls: `router.GET("/x", handler)`, `mux.HandleFunc("GET /x", handler)`, `path("x", view)`.

use std::rc::Rc;

use graph::FileIdx;
use model::{
    Language,
    code::{Expression, ExpressionId, ScopeId},
};

use super::{Registration, RouteHandler, RouteReader, handlers::is_function, resources};
use crate::contracts::{
    requests::methods,
    text_value::{TextPart, TextValue},
    values::CallShape,
};

/// Maximum number of calls of a chain.
pub(super) const MAX_CHAIN: usize = 12;

/// Parts of the origins of routers, of which a handler needs no known type.
const ROUTERS: [&str; 28] = [
    "gin",
    "echo",
    "chi",
    "fiber",
    "gorilla",
    "net/http",
    "express",
    "fastify",
    "koa",
    "hono",
    "restify",
    "polka",
    "find-my-way",
    "FastAPI",
    "Flask",
    "APIRouter",
    "Blueprint",
    "starlette",
    "aiohttp.web",
    "WebApplication",
    "IEndpointRouteBuilder",
    "Router",
    "RouteGroupBuilder",
    "Route",
    "Slim",
    "App()",
    "itty-router",
    "@hapi/hapi",
];

/// The path of a route that answers every path behind the prefix of its router.
const ANY_PATH: &str = "/*";

/// The parts of a registration as its call has them.
pub(super) struct RouteArguments {
    pub(super) methods: Vec<String>,
    /// The argument with the path; none if the router has the whole path, or in Go its start.
    pub(super) path: Option<ExpressionId>,
    pub(super) handler: Option<ExpressionId>,
}

impl<'p> RouteReader<'_, '_, 'p> {
    /// Returns the registrations of a file, in the order of the text.
    pub(super) fn registrations(&mut self, file: FileIdx) -> Rc<[Registration]> {
        if let Some(known) = self.registrations.get(&file) {
            return Rc::clone(known);
        }
        let code = self.values.code(file);
        let mut found = Vec::new();
        for site in &code.sites {
            found.extend(self.registrations_of_call(file, site.expression, site.scope, site.line));
        }
        found.extend(self.decorated(file));
        found.extend(self.annotated_in_docs(file));
        found.extend(self.inherited(file));
        found.extend(self.generated(file));
        let found: Rc<[Registration]> = found.into();
        self.registrations.insert(file, Rc::clone(&found));
        found
    }

    fn registrations_of_call(
        &mut self,
        file: FileIdx,
        call: ExpressionId,
        scope: ScopeId,
        line: u32,
    ) -> Vec<Registration> {
        use Language::*;
        let Some(shape) = self.values.call(file, call) else {
            return self.made_registrations(file, call, scope, line);
        };
        let language = self.values.program().language(file);
        let is_of_python = language == Python;
        if matches!(shape.name, "router" | "createTRPCRouter") && !is_of_python {
            return self.procedures(file, &shape, scope, line);
        }
        let written = match language {
            Go => self.go_route(file, &shape),
            JavaScript | TypeScript | Tsx => self.ecmascript_route(file, &shape),
            Python => return self.python_routes(file, &shape, scope, line),
            Rust => return self.rust_routes(file, &shape, scope, line),
            CSharp => {
                let mapped = self.dotnet_route(file, &shape);
                mapped.or_else(|| self.configured_endpoint(file, &shape, scope))
            }
            Ruby | Elixir | Php | Kotlin => {
                let resources = resources::registrations(self, file, &shape, scope, line);
                if !resources.is_empty() {
                    return resources;
                }
                self.verb_route(file, &shape).or_else(|| self.chained_route(file, &shape))
            }
            Java => self.verb_route(file, &shape).or_else(|| self.chained_route(file, &shape)),
            C | Cpp | Scala | Dart | Swift => self.verb_route(file, &shape),
            _ => None,
        };
        let Some(written) = written else { return Vec::new() };
        let text = match written.path {
            Some(path) => self.route_text(file, path),
            None if language == Go => Some(ANY_PATH.to_owned()),
            None => Some("/".to_owned()),
        };
        let Some(path) = text else { return Vec::new() };
        let (methods, path) = match path.split_once(' ') {
            // `GET /x` of net/http, with a host before the path.
            Some((method, path)) if methods::of_name(method).is_some() => {
                (vec![method.to_owned()], path[path.find('/').unwrap_or(0)..].to_owned())
            }
            _ => (written.methods, path),
        };
        // WEBrick answers every path below the mounted one.
        let path = if shape.name == "mount_proc" { format!("{}{ANY_PATH}", path.trim_end_matches('/')) } else { path };
        let may_be_bare = !matches!(language, Go | Python | JavaScript | TypeScript | Tsx) || is_of_python;
        if path.contains(char::is_whitespace) || !path.starts_with(['/', '*']) && !may_be_bare {
            return Vec::new();
        }
        let handler = self.handler_of_written(file, &shape, written.handler, scope);
        vec![Registration { methods, path, handler, router: shape.object, call, scope, line }]
    }

    fn handler_of_written(
        &mut self,
        file: FileIdx,
        shape: &CallShape<'p>,
        handler: Option<ExpressionId>,
        scope: ScopeId,
    ) -> RouteHandler {
        if let Some(action) = resources::action(self, file, shape) {
            return action;
        }
        match handler {
            Some(handler) => self.handler(file, handler, scope),
            None => RouteHandler { node: None, is_inline: true },
        }
    }

    /// Returns the text of a path. What is computed before it belongs to the deployment; later parts are variables.
    pub(super) fn route_text(&mut self, file: FileIdx, path: ExpressionId) -> Option<String> {
        if let Some(literal) = self.values.literal(file, path) {
            let has_holes = !self.values.code(file).holes(path).is_empty();
            let written = if has_holes { self.template_path(file, path) } else { literal.to_owned() };
            return Some(written.trim_start_matches('^').trim_end_matches('$').to_owned());
        }
        let is_text = matches!(
            self.values.expression(file, path),
            Expression::Operation { .. }
                | Expression::Either(_)
                | Expression::Name { .. }
                | Expression::Member { .. }
                | Expression::Path { .. }
                | Expression::Call { .. }
        );
        let text: TextValue = is_text.then(|| self.values.text(file, path))?;
        // The default of a setting is the path that the code tells.
        let is_written = |parts: &&Vec<TextPart>| matches!(parts.first(), Some(TextPart::Text(_)));
        let parts = text.alternatives.iter().find(is_written).or(text.alternatives.first())?;
        let known = parts.iter().skip_while(|part| !matches!(part, TextPart::Text(_)));
        let path: String =
            known.map(|part| if let TextPart::Text(text) = part { text.as_str() } else { "{}" }).collect();
        (!path.is_empty()).then_some(path)
    }

    /// Returns the path of a text with values in it, with `{}` for those that are not known.
    fn template_path(&mut self, file: FileIdx, path: ExpressionId) -> String {
        let text = self.values.text(file, path);
        let parts = text.alternatives.into_iter().next().unwrap_or_default().into_iter();
        parts.map(|part| if let TextPart::Text(text) = part { text } else { "{}".to_owned() }).collect()
    }

    /// `HandleFunc(pattern, h)`, `r.Get(path, h)`, `r.Handle("GET", path, h)`, `r.Path(path).Methods("GET").HandlerFunc(h)`.
    fn go_route(&mut self, file: FileIdx, shape: &CallShape<'p>) -> Option<RouteArguments> {
        let last = shape.positional().last();
        match shape.name {
            "HandleFunc" | "Handle" if shape.arguments.len() == 2 => {
                let stated = self.stated_methods(file, shape);
                // A router that is mounted is read with its own routes.
                Some(RouteArguments { methods: stated, path: Some(shape.at(0)?), handler: last })
            }
            "Method" | "MethodFunc" | "Handle" | "Add" | "HandleContext" if shape.arguments.len() > 2 => {
                let method = methods::of_value(self.values, file, shape.at(0)?, None)?;
                Some(RouteArguments { methods: vec![method], path: Some(shape.at(1)?), handler: last })
            }
            "Match" => {
                let methods = self.methods_of_list(file, shape.at(0)?);
                (!methods.is_empty()).then_some(RouteArguments { methods, path: Some(shape.at(1)?), handler: last })
            }
            "HandlerFunc" | "Handler" if shape.arguments.len() == 1 => {
                let path = self.linked(file, shape.object, &["Path"]);
                // A handler of a prefix answers every path below it.
                let is_of_prefix = path.is_none() && self.linked(file, shape.object, &["PathPrefix"]).is_some();
                let stated = self.stated_methods(file, shape);
                let written = RouteArguments { methods: stated, path, handler: last };
                (is_of_prefix || path.is_some()).then_some(written)
            }
            _ => self.verb_route(file, shape),
        }
    }

    /// Returns the first argument of a call of one of these names in a chain.
    pub(super) fn linked(&self, file: FileIdx, object: Option<ExpressionId>, names: &[&str]) -> Option<ExpressionId> {
        let mut at = object;
        for _ in 0..MAX_CHAIN {
            let call = self.values.call(file, at?)?;
            if names.contains(&call.name) {
                return call.at(0);
            }
            at = call.object;
        }
        None
    }

    /// Returns the methods that `.Methods("GET", "POST")` states in the chain around a registration; `*` if none does.
    fn stated_methods(&mut self, file: FileIdx, shape: &CallShape<'p>) -> Vec<String> {
        let code = self.values.code(file);
        let mut arguments: Vec<ExpressionId> = Vec::new();
        let mut before = shape.object;
        for _ in 0..MAX_CHAIN {
            let Some(call) = before.and_then(|object| self.values.call(file, object)) else { break };
            if call.name == "Methods" {
                arguments.extend(call.arguments);
            }
            before = call.object;
        }
        // A call behind this one has this one as its object, and is written close behind it.
        let first = shape.call.index();
        let behind = code.expressions.iter().skip(first).take(24).filter_map(|expression| match expression {
            Expression::Call { callee, arguments, .. } => match code.expression(*callee) {
                Expression::Member { of, name } if *of == shape.call && code.name(*name) == "Methods" => {
                    Some(arguments)
                }
                _ => None,
            },
            _ => None,
        });
        arguments.extend(behind.flat_map(|arguments| arguments.iter().copied()));
        let methods: Vec<String> =
            arguments.iter().filter_map(|one| methods::of_value(self.values, file, *one, None)).collect();
        if methods.is_empty() { vec!["*".to_owned()] } else { methods }
    }

    pub(super) fn methods_of_list(&mut self, file: FileIdx, list: ExpressionId) -> Vec<String> {
        let items: Vec<ExpressionId> = match self.values.expression(file, list) {
            Expression::List(items) | Expression::Tuple(items) => items.to_vec(),
            Expression::Make { arguments, .. } => arguments.to_vec(),
            _ => vec![list],
        };
        items.into_iter().filter_map(|item| methods::of_value(self.values, file, item, None)).collect()
    }

    /// `app.get(path, h)`, `app.route({method, url, handler})`, `router.route(path).get(h)`, `app.on("GET", path, h)`.
    fn ecmascript_route(&mut self, file: FileIdx, shape: &CallShape<'p>) -> Option<RouteArguments> {
        if matches!(shape.name, "route" | "on" | "add") {
            if let Some(path) = shape.named(&["url", "path"])
                && let Some(handler) = shape.named(&["handler", "handle"])
            {
                let method = shape.named(&["method"])?;
                let methods = self.methods_of_list(file, method);
                return Some(RouteArguments { methods: or_any(methods), path: Some(path), handler: Some(handler) });
            }
            let method = shape.at(0).filter(|_| shape.arguments.len() > 2)?;
            let methods = self.methods_of_list(file, method);
            return (!methods.is_empty()).then_some(RouteArguments {
                methods,
                path: Some(shape.at(1)?),
                handler: shape.positional().last(),
            });
        }
        let first = shape.at(0)?;
        let is_chained = is_function(self.values, file, first) && shape.object.is_some();
        if is_chained && let Some(method) = verb(shape.name) {
            // `router.route("/x").get(h)` has its path in the router.
            let route = self.values.call(file, shape.object?)?;
            let mut at = Some(route);
            for _ in 0..MAX_CHAIN {
                let call = at?;
                if call.name == "route" && call.arguments.len() == 1 {
                    return Some(RouteArguments {
                        methods: vec![method],
                        path: None,
                        handler: shape.positional().last(),
                    });
                }
                at = call.object.and_then(|object| self.values.call(file, object));
            }
            return None;
        }
        self.verb_route(file, shape)
    }

    /// tRPC: `router({ items: procedure.query(f), make: procedure.mutation(g) })`.
    fn procedures(&mut self, file: FileIdx, shape: &CallShape<'p>, scope: ScopeId, line: u32) -> Vec<Registration> {
        let Some(Expression::Object(fields)) = shape.at(0).map(|first| self.values.expression(file, first)) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for (name, value) in fields {
            let Some(procedure) = self.values.call(file, *value) else { continue };
            let method = match procedure.name {
                "query" => "GET",
                "mutation" => "POST",
                _ => continue,
            };
            let Some(handler) = procedure.at(0) else { continue };
            let handler = self.handler(file, handler, scope);
            let path = format!("/trpc/{}", self.values.code(file).name(*name));
            let methods = vec![method.to_owned()];
            found.push(Registration { methods, path, handler, router: None, call: shape.call, scope, line });
        }
        found
    }

    /// `router.get(path, handler)` in any notation of case. A client call has a path too, but no handler.
    fn verb_route(&mut self, file: FileIdx, shape: &CallShape<'p>) -> Option<RouteArguments> {
        let language = self.values.program().language(file);
        if shape.name == "mount_proc" && language == Language::Ruby {
            return Some(RouteArguments { methods: vec!["*".to_owned()], path: shape.at(0), handler: None });
        }
        let method = verb(shape.name)?;
        let path = shape.at(0)?;
        let is_bare = matches!(language, Language::Ruby | Language::Elixir | Language::Kotlin);
        // Most calls of such a name read a map or a list.
        let is_short = shape.arguments.len() < 2 && !is_bare;
        let is_other_text =
            !is_bare && self.values.literal(file, path).is_some_and(|text| !text.starts_with(['/', '*', '^']));
        // Sinatra and Rails have no receiver.
        let is_of_other = language == Language::Ruby && shape.object.is_some() && !self.is_router(file, shape.object);
        if shape.object.is_none() && !is_bare || is_short || is_other_text || is_of_other {
            return None;
        }
        let handler = shape.positional().last().filter(|last| *last != path);
        let action = resources::has_action(self, file, shape);
        let handler = match handler {
            Some(handler) if is_function(self.values, file, handler) || self.is_router(file, shape.object) => {
                Some(handler)
            }
            _ if action => None,
            // `get("/x") { … }` of Kotlin passes its block as an argument.
            _ => return None,
        };
        Some(RouteArguments { methods: vec![method], path: Some(path), handler })
    }

    /// Returns true if an object is a router of a known framework.
    pub(super) fn is_router(&mut self, file: FileIdx, object: Option<ExpressionId>) -> bool {
        let Some(object) = object else { return false };
        let origin = self.values.origin(file, object);
        origin.is_some_and(|origin| {
            ROUTERS.iter().any(|router| origin.path.contains(router)) && !origin.path.contains("net/http.Client")
        })
    }

    /// `app.MapGet(path, h)`, `app.MapMethods(path, methods, h)`.
    fn dotnet_route(&mut self, file: FileIdx, shape: &CallShape<'p>) -> Option<RouteArguments> {
        let name = shape.name.strip_prefix("Map")?;
        let handler = shape.positional().last();
        let methods = match name {
            "Methods" => self.methods_of_list(file, shape.at(1)?),
            "" => vec!["*".to_owned()],
            name => vec![methods::of_name(name)?],
        };
        (shape.arguments.len() > 1).then_some(RouteArguments { methods, path: Some(shape.at(0)?), handler })
    }
}

/// Returns the method that the name of a function states; `*` for those of every method.
pub(super) fn verb(name: &str) -> Option<String> {
    match name.to_ascii_lowercase().as_str() {
        "all" | "any" => Some("*".to_owned()),
        "del" => Some("DELETE".to_owned()),
        name => methods::of_name(name),
    }
}

pub(super) fn or_any(methods: Vec<String>) -> Vec<String> {
    if methods.is_empty() { vec!["*".to_owned()] } else { methods }
}
