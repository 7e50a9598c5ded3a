//! HTTP routes in the notations of common frameworks: method, path and handler.

use graph::{FileIdx, Inference, Node, SymbolIdx, Ty};
use model::{
    Language,
    code::{Decoration, Expression, ExpressionId, Literal, ScopeId},
};

use crate::contract::HttpRoute;

/// Maximum nesting depth of mounted routers.
const MAX_MOUNTS: u32 = 6;

/// HTTP methods, after which frameworks name their functions.
const METHODS: [&str; 7] = ["get", "post", "put", "patch", "delete", "head", "options"];

/// Functions that mount a group of routes under a path.
const MOUNTS: [&str; 10] =
    ["Group", "group", "Route", "route", "nest", "scope", "Blueprint", "APIRouter", "Mount", "PathPrefix"];

/// Returns the routes of a file, and the expressions that register them.
pub(super) fn routes(cx: &mut Inference<'_>, file: FileIdx) -> (Vec<HttpRoute>, Vec<ExpressionId>) {
    let mut routes = Vec::new();
    let mut registrations = Vec::new();
    let code = cx.program.code(file);
    for site in &code.sites {
        let found = routes_of_call(cx, file, site.expression, site.scope);
        if !found.is_empty() {
            registrations.push(site.expression);
        }
        routes.extend(found.into_iter().map(|(method, path, handler)| HttpRoute {
            method,
            path,
            line: site.line,
            handler,
        }));
    }
    for decoration in &code.decorations {
        if let Some((method, path)) = route_of_decoration(cx, file, decoration) {
            registrations.push(decoration.expression);
            let handler = Some(Node::Symbol(cx.program.symbol(file, decoration.definition)));
            routes.push(HttpRoute { method, path, line: decoration.line, handler });
        }
    }
    (routes, registrations)
}

/// Method, path and handler.
type CallRoute = (String, String, Option<Node>);

/// Reads a call that registers a route: `router.GET("/x", handler)`, `mux.HandleFunc("GET /x", handler)`,
/// `app.get('/x', handler)`, `.route("/x", get(handler))`, `path("x", view)`.
fn routes_of_call(cx: &mut Inference<'_>, file: FileIdx, call: ExpressionId, scope: ScopeId) -> Vec<CallRoute> {
    let program = cx.program;
    let code = program.code(file);
    let Expression::Call { callee, arguments, .. } = code.expression(call) else { return Vec::new() };
    let (object, name) = match code.expression(*callee) {
        Expression::Member { of, name } => (Some(*of), code.name(*name)),
        Expression::Name { name, .. } => (None, code.name(*name)),
        _ => return Vec::new(),
    };
    let Some(text) = arguments.first().and_then(|first| string_literal(cx, file, *first)) else { return Vec::new() };
    let handler = arguments.last().copied().filter(|_| arguments.len() > 1);
    let prefix = |cx: &mut Inference<'_>| object.map_or_else(String::new, |object| prefix(cx, file, object, 0));
    match (program.language(file), name) {
        (Language::Go, "HandleFunc" | "Handle") => {
            let (method, path) = text.split_once(' ').unwrap_or(("*", text));
            let Some(handler) = handler.filter(|_| path.starts_with('/')) else { return Vec::new() };
            let path = prefix(cx) + path;
            vec![(method.to_owned(), path, handler_of(cx, file, handler, scope))]
        }
        (Language::Rust, "route") => handler.map_or_else(Vec::new, |service| {
            let base = prefix(cx);
            let methods = rust_methods(cx, file, service, scope);
            methods.into_iter().map(|(method, handler)| (method, format!("{base}{text}"), handler)).collect()
        }),
        (Language::Python, "path" | "re_path") if object.is_none() && program.path(file).ends_with("urls.py") => {
            let handler = arguments.get(1).map(|view| handler_of(cx, file, *view, scope)).unwrap_or_default();
            vec![("*".to_owned(), format!("/{text}"), handler)]
        }
        (
            Language::Go | Language::JavaScript | Language::TypeScript | Language::Tsx | Language::C | Language::Cpp,
            name,
        ) if object.is_some() && text.starts_with('/') => {
            let lower = name.to_ascii_lowercase();
            let method = match lower.as_str() {
                "all" | "any" => "*".to_owned(),
                lower if METHODS.contains(&lower) => lower.to_ascii_uppercase(),
                _ => return Vec::new(),
            };
            // A client call has a path too, but no handler.
            let Some(handler) = handler.filter(|handler| is_handler(cx, file, *handler)) else { return Vec::new() };
            let path = prefix(cx) + text;
            vec![(method, path, handler_of(cx, file, handler, scope))]
        }
        _ => Vec::new(),
    }
}

/// Reads a decorator or annotation: `@app.get("/x")`, `@GetMapping("/x")`, `#[get("/x")]`.
fn route_of_decoration(cx: &mut Inference<'_>, file: FileIdx, decoration: &Decoration) -> Option<(String, String)> {
    let program = cx.program;
    let code = program.code(file);
    let Expression::Call { callee, arguments, .. } = code.expression(decoration.expression) else { return None };
    let (object, name) = match code.expression(*callee) {
        Expression::Member { of, name } | Expression::Path { of, name } => (Some(*of), code.name(*name)),
        Expression::Name { name, .. } => (None, code.name(*name)),
        _ => return None,
    };
    let path = arguments.iter().find_map(|argument| string_literal(cx, file, *argument))?;
    let method = match name {
        "route" | "api_route" | "RequestMapping" | "Path" | "websocket" => "*".to_owned(),
        name => {
            let verb = name.strip_suffix("Mapping").unwrap_or(name).to_ascii_lowercase();
            METHODS.contains(&verb.as_str()).then(|| verb.to_ascii_uppercase())?
        }
    };
    let definition = program.symbol(file, decoration.definition);
    if program.definition(definition).kind.is_type() {
        return None;
    }
    let mut base = object.map_or_else(String::new, |object| prefix(cx, file, object, 0));
    if let Some(owner) = program.parent(definition) {
        base.push_str(&class_path(cx, file, owner));
    }
    let slash = if path.starts_with('/') || base.ends_with('/') { "" } else { "/" };
    Some((method, format!("{base}{slash}{path}")))
}

/// Returns the path prefix that the annotation of a class gives to the routes of its methods.
fn class_path(cx: &Inference<'_>, file: FileIdx, class: SymbolIdx) -> String {
    let program = cx.program;
    let code = program.code(file);
    let of_class = code.decorations.iter().filter(|decoration| program.symbol(file, decoration.definition) == class);
    for decoration in of_class {
        if let Expression::Call { callee, arguments, .. } = code.expression(decoration.expression)
            && let Expression::Name { name, .. } = code.expression(*callee)
            && matches!(code.name(*name), "RequestMapping" | "Path" | "Controller")
            && let Some(path) = arguments.first().and_then(|argument| string_literal(cx, file, *argument))
        {
            return format!("/{}", path.trim_matches('/'));
        }
    }
    String::new()
}

/// Returns the path under which a router is mounted, as far as this file determines it.
fn prefix(cx: &mut Inference<'_>, file: FileIdx, router: ExpressionId, depth: u32) -> String {
    if depth > MAX_MOUNTS {
        return String::new();
    }
    let program = cx.program;
    let code = program.code(file);
    match code.expression(router) {
        Expression::Call { callee, arguments, .. } => {
            let (object, name) = match code.expression(*callee) {
                Expression::Member { of, name } | Expression::Path { of, name } => (Some(*of), code.name(*name)),
                Expression::Name { name, .. } => (None, code.name(*name)),
                _ => return String::new(),
            };
            let outer = object.map_or_else(String::new, |object| prefix(cx, file, object, depth + 1));
            let own = arguments.iter().find_map(|argument| {
                let path = string_literal(cx, file, *argument)
                    .or_else(|| string_option(cx, file, *argument, &["url_prefix", "prefix"]));
                path.filter(|path| path.starts_with('/'))
            });
            match own {
                Some(own) if MOUNTS.contains(&name) => outer + own.trim_end_matches('/'),
                _ => outer,
            }
        }
        Expression::Name { name, scope, n_before } => {
            let name = program.name(file, *name);
            match cx.binding_before(file, name, *scope, *n_before) {
                Some(binding) => match code.bindings[binding as usize].value {
                    Some(value) => prefix(cx, file, value, depth + 1),
                    // The parameter of a closure that is passed to a mount function.
                    None => match cx.closure_call(file, code.bindings[binding as usize].scope) {
                        Some(call) => prefix(cx, file, call, depth + 1),
                        None => String::new(),
                    },
                },
                None => {
                    let value = program.top(file, name).first().and_then(|top| program.shape(*top).values.first());
                    value.map_or_else(String::new, |value| prefix(cx, file, *value, depth + 1))
                }
            }
        }
        _ => String::new(),
    }
}

/// Reads `get(handler).post(other)`.
fn rust_methods(
    cx: &mut Inference<'_>,
    file: FileIdx,
    service: ExpressionId,
    scope: ScopeId,
) -> Vec<(String, Option<Node>)> {
    let code = cx.program.code(file);
    let mut found = Vec::new();
    let mut at = Some(service);
    for _ in 0..METHODS.len() {
        let Some(Expression::Call { callee, arguments, .. }) = at.map(|at| code.expression(at)) else { break };
        let (before, name) = match code.expression(*callee) {
            Expression::Member { of, name } => (Some(*of), code.name(*name)),
            Expression::Path { name, .. } | Expression::Name { name, .. } => (None, code.name(*name)),
            _ => break,
        };
        let method = if name == "any" { Some("*".to_owned()) } else { None };
        let method = method.or_else(|| METHODS.contains(&name).then(|| name.to_ascii_uppercase()));
        if let Some(method) = method {
            let handler = arguments.first().and_then(|handler| handler_of(cx, file, *handler, scope));
            found.push((method, handler));
        }
        at = before;
    }
    found
}

/// Returns the function that handles a route: the named definition, or the definition around a closure.
fn handler_of(cx: &mut Inference<'_>, file: FileIdx, handler: ExpressionId, scope: ScopeId) -> Option<Node> {
    match cx.type_of(file, handler) {
        Ty::Function { candidates, .. } => candidates.first().map(|symbol| Node::Symbol(*symbol)),
        Ty::Class(applied) | Ty::Object(applied) => Some(Node::Symbol(applied.of)),
        _ => {
            let enclosing = cx.program.code(file).definition_around(scope)?;
            Some(Node::Symbol(cx.program.symbol(file, enclosing)))
        }
    }
}

/// Returns true if an argument is a function.
fn is_handler(cx: &mut Inference<'_>, file: FileIdx, handler: ExpressionId) -> bool {
    match cx.program.code(file).expression(handler) {
        Expression::Function { .. } | Expression::Definition(_) => true,
        Expression::Name { .. } | Expression::Member { .. } | Expression::Call { .. } => {
            matches!(cx.type_of(file, handler), Ty::Function { .. } | Ty::Closure { .. } | Ty::FunctionType { .. })
        }
        _ => false,
    }
}

/// Returns the string of the first keyword argument, or member of an object, with one of these names.
fn string_option<'p>(cx: &Inference<'p>, file: FileIdx, argument: ExpressionId, names: &[&str]) -> Option<&'p str> {
    let code = cx.program.code(file);
    let argument = match code.expression(argument) {
        Expression::Dereferenced { of } => *of,
        _ => argument,
    };
    let Expression::Object(fields) = code.expression(argument) else { return None };
    let (_, value) = fields.iter().find(|(name, _)| names.contains(&code.name(*name)))?;
    string_literal(cx, file, *value)
}

/// Returns the value of a string literal.
pub(super) fn string_literal<'p>(cx: &Inference<'p>, file: FileIdx, expression: ExpressionId) -> Option<&'p str> {
    let code = cx.program.code(file);
    match code.expression(expression) {
        Expression::Literal(Literal::Text(Some(text))) => Some(code.name(*text)),
        _ => None,
    }
}
