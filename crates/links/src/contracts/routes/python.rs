//! Registrations of Python: `add_url_rule`, `path(…, view)`, `Route(…)`, tables of handlers.

use graph::FileIdx;
use model::code::{Expression, ExpressionId, ScopeId};

use super::{Registration, RouteReader, calls::or_any, resources};
use crate::contracts::{requests::methods, values::CallShape};

/// Maximum number of expressions between a callee and its call.
const MAX_EXPRESSIONS_OF_ARGUMENTS: usize = 32;

impl<'p> RouteReader<'_, '_, 'p> {
    /// `add_url_rule`, `add_api_route`, `add_route`, `router.add_get`, `web.get`, `path(…, view)`, `Route(…)`.
    pub(super) fn python_routes(
        &mut self,
        file: FileIdx,
        shape: &CallShape<'p>,
        scope: ScopeId,
        line: u32,
    ) -> Vec<Registration> {
        if let Some(registration) = self.called_decorator(file, shape, scope, line) {
            return vec![registration];
        }
        let program = self.values.program();
        let is_django = program.path(file).rsplit('/').next().is_some_and(|name| name.contains("urls"))
            || program.facts(file).imports.iter().any(|import| import.module.starts_with("django.urls"));
        let view = |index: usize, names: &[&str]| shape.at(index).or_else(|| shape.named(names));
        let stated = shape.named(&["methods"]);
        let (methods, path, handler) = match shape.name {
            "path" | "re_path" | "url" if shape.object.is_none() && is_django => {
                (None, shape.at(0), view(1, &["view"]))
            }
            "add_url_rule" => (None, view(0, &["rule"]), view(2, &["view_func"])),
            "add_api_route" | "add_route" | "add_api_websocket_route" | "add_websocket_route" => {
                (None, view(0, &["path", "uri"]), view(1, &["endpoint", "route", "handler", "resource"]))
            }
            "Route" | "WebSocketRoute" if shape.arguments.len() > 1 => (None, shape.at(0), view(1, &["endpoint"])),
            "register" if is_django && shape.object.is_some() => {
                return resources::viewset(self, file, shape, scope, line);
            }
            "route" if shape.arguments.len() > 2 => {
                let method = shape.at(0).and_then(|method| methods::of_value(self.values, file, method, None));
                (method, shape.at(1), shape.at(2))
            }
            name => {
                let verb = name.strip_prefix("add_").unwrap_or(name);
                let Some(method) = methods::of_name(verb) else { return self.table_routes(file, shape, scope, line) };
                let mut is_table = || {
                    let origin = self.values.origin(file, shape.callee);
                    origin.is_some_and(|origin| origin.path.contains("aiohttp.web"))
                };
                let is_route = name.starts_with("add_") || shape.arguments.len() > 1 && is_table();
                if !is_route {
                    return Vec::new();
                }
                (Some(method), shape.at(0), view(1, &["handler"]))
            }
        };
        let (Some(path), Some(handler)) = (path, handler) else { return Vec::new() };
        let Some(text) = self.route_text(file, path) else { return Vec::new() };
        if let Some(include) = self.values.call(file, handler).filter(|call| call.name == "include") {
            return self.included(file, &include, &text, shape.call, scope, line);
        }
        let methods = match (methods, stated) {
            (Some(method), _) => vec![method],
            (None, Some(stated)) => or_any(self.methods_of_list(file, stated)),
            (None, None) if matches!(shape.name, "add_url_rule" | "Route" | "add_api_route") && !is_django => {
                vec!["GET".to_owned()]
            }
            (None, None) => vec!["*".to_owned()],
        };
        let text = if text.starts_with('/') { text } else { format!("/{text}") };
        let handler = self.handler(file, handler, scope);
        let router = shape.object.filter(|_| !is_django);
        vec![Registration { methods, path: text, handler, router, call: shape.call, scope, line }]
    }

    /// A decorator that is called: `app.post("/items")(self.make)`.
    fn called_decorator(
        &mut self,
        file: FileIdx,
        decorator: &CallShape<'p>,
        scope: ScopeId,
        line: u32,
    ) -> Option<Registration> {
        let router = decorator.object?;
        let is_route = matches!(decorator.name, "route" | "api_route");
        let verb = methods::of_name(decorator.name);
        if !is_route && verb.is_none() {
            return None;
        }
        // A call comes shortly after its callee.
        let after = (decorator.call.0 + 1..).take(MAX_EXPRESSIONS_OF_ARGUMENTS).map(ExpressionId);
        let known = after.take_while(|one| (one.0 as usize) < self.values.code(file).expressions.len());
        let applied = known.filter_map(|one| self.values.call(file, one)).find(|one| one.callee == decorator.call)?;
        let handler = applied.at(0).filter(|_| applied.arguments.len() == 1)?;
        let stated = decorator.named(&["methods"]);
        let methods = match verb {
            Some(verb) => vec![verb],
            None => or_any(stated.map_or_else(Vec::new, |stated| self.methods_of_list(file, stated))),
        };
        let path = decorator.at(0).or_else(|| decorator.named(&["path", "rule"]))?;
        let path = self.route_text(file, path).filter(|path| path.starts_with('/'))?;
        let handler = self.handler(file, handler, scope);
        Some(Registration { methods, path, handler, router: Some(router), call: decorator.call, scope, line })
    }

    /// Django: `path("api/", include("app.urls"))`, `include(router.urls)`.
    fn included(
        &mut self,
        file: FileIdx,
        include: &CallShape<'p>,
        prefix: &str,
        call: ExpressionId,
        scope: ScopeId,
        line: u32,
    ) -> Vec<Registration> {
        let Some(target) = include.at(0) else { return Vec::new() };
        let module = self.values.literal(file, target).and_then(|module| self.python_module(module));
        let Some(home) = module.filter(|home| *home != file) else { return Vec::new() };
        let inner = self.registrations(home);
        let behind = inner.iter().map(|one| {
            let path = super::joined(&format!("/{}", prefix.trim_start_matches('/')), &one.path);
            Registration { path, router: None, call, scope, line, ..one.clone() }
        });
        behind.collect()
    }

    /// Tornado: `Application([(r"/x", Handler)])`.
    fn table_routes(&mut self, file: FileIdx, shape: &CallShape<'p>, scope: ScopeId, line: u32) -> Vec<Registration> {
        if !shape.name.ends_with("Application") {
            return Vec::new();
        }
        let Some(Expression::List(items)) = shape.at(0).map(|first| self.values.expression(file, first)) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for item in items {
            let Expression::Tuple(parts) = self.values.expression(file, *item) else { continue };
            let [path, handler, ..] = parts[..] else { continue };
            let Some(path) = self.route_text(file, path).filter(|path| path.starts_with('/')) else { continue };
            let handler = self.handler(file, handler, scope);
            let methods = vec!["*".to_owned()];
            found.push(Registration { methods, path, handler, router: None, call: shape.call, scope, line });
        }
        found
    }

    /// Starlette and others: routes that are objects, of languages in which they are made by constructors.
    pub(super) fn made_registrations(
        &mut self,
        file: FileIdx,
        make: ExpressionId,
        scope: ScopeId,
        line: u32,
    ) -> Vec<Registration> {
        let Expression::Make { made, arguments } = self.values.expression(file, make) else { return Vec::new() };
        let Some((_, name)) = self.values.written_name(file, *made) else { return Vec::new() };
        if self.values.code(file).name(name) != "Route" || arguments.len() < 2 {
            return Vec::new();
        }
        // Symfony: `new Route('/x', …)` names its handler elsewhere.
        let Some(path) = self.route_text(file, arguments[0]).filter(|path| path.starts_with('/')) else {
            return Vec::new();
        };
        let handler = self.handler(file, arguments[1], scope);
        vec![Registration { methods: vec!["*".to_owned()], path, handler, router: None, call: make, scope, line }]
    }
}
