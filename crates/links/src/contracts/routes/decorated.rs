//! Routes by decorators, annotations and attributes: `@app.get("/x")`, `@GetMapping("/x")`, `[HttpGet("x")]`, `#[get("/x")]`.

use graph::{FileIdx, Node, SymbolIdx};
use model::{
    Language, SymbolKind,
    code::{Expression, ExpressionId, ScopeId},
};

use super::{Registration, RouteHandler, RouteReader, joined};
use crate::contracts::{
    decorations::{DecorationCall, decoration_call, decorations_of},
    requests::{interfaces, methods},
};

/// Annotations of a class that give a path to the routes of its methods.
const CLASS_PATHS: [&str; 9] = [
    "RequestMapping",
    "Path",
    "Controller",
    "Route",
    "RoutePrefix",
    "JsonController",
    "RestController",
    "api_view",
    "RestResource",
];

/// Names of the argument with the path.
const PATH_NAMES: [&str; 6] = ["value", "path", "rule", "uri", "Template", "template"];

impl<'p> RouteReader<'_, '_, 'p> {
    /// Returns the registrations of the decorated functions of a file.
    pub(super) fn decorated(&mut self, file: FileIdx) -> Vec<Registration> {
        let program = self.values.program();
        let code = self.values.code(file);
        let mut found = Vec::new();
        for decoration in &code.decorations {
            let symbol = program.symbol(file, decoration.definition);
            let kind = program.definition(symbol).kind;
            let is_handler = matches!(kind, SymbolKind::Function | SymbolKind::Method)
                || is_class_view(kind, program.language(file));
            if !is_handler {
                continue;
            }
            let Some(call) = decoration_call(self.values, file, decoration) else { continue };
            let Some((methods, paths)) = self.route_of(symbol, &call) else { continue };
            let owner = program.parent(symbol).filter(|owner| program.definition(*owner).kind.is_type());
            let is_of_dotnet = program.language(file) == Language::CSharp;
            // The classes that implement an interface of .NET do not take its attributes.
            let is_interface = owner.is_some_and(|owner| program.definition(owner).kind == SymbolKind::Interface);
            let is_of_others = owner.is_some_and(|owner| {
                interfaces::is_request(self.values, owner, &call) || self.is_base_of_controllers(owner)
            });
            if is_of_others || is_of_dotnet && is_interface {
                continue;
            }
            let bases = owner.map_or_else(|| vec![String::new()], |owner| self.class_paths(owner));
            let handler = RouteHandler { node: Some(Node::Symbol(symbol)), is_inline: false };
            for path in bases.iter().flat_map(|class| paths.iter().map(|path| with_class(class, path))) {
                // Without a path of its own, an action has that of the convention of ASP.NET.
                let is_conventional = is_of_dotnet && matches!(path.as_str(), "" | "/");
                let path = if is_conventional { "/[controller]/[action]".to_owned() } else { path };
                found.push(Registration {
                    methods: methods.clone(),
                    path: self.with_action(&path, owner, symbol),
                    handler,
                    router: call.object,
                    call: decoration.expression,
                    scope: program.shape(symbol).body.unwrap_or(ScopeId(0)),
                    line: decoration.line,
                });
            }
        }
        found
    }

    /// Returns the methods and paths of a decoration that makes a route.
    pub(super) fn route_of(
        &mut self,
        symbol: SymbolIdx,
        call: &DecorationCall<'p>,
    ) -> Option<(Vec<String>, Vec<String>)> {
        let program = self.values.program();
        let file = call.file;
        let language = program.language(file);
        let stated = call.named(self.values, &["method", "methods", "Methods"]);
        let stated = stated.map(|list| self.methods_of(file, list)).filter(|methods| !methods.is_empty());
        let written = self.paths(call);
        let any = || vec!["*".to_owned()];
        let (methods, needs_path) = match call.name {
            // Flask answers GET where it states no method.
            "route" if language == Language::Python => (stated.unwrap_or_else(|| vec!["GET".to_owned()]), true),
            "api_route" | "websocket" | "websocket_route" => (stated.unwrap_or_else(any), true),
            "route" if language == Language::Rust => {
                let methods: Vec<String> = call
                    .positional
                    .iter()
                    .skip(1)
                    .filter_map(|one| methods::of_name(self.values.literal(file, *one)?))
                    .collect();
                (if methods.is_empty() { any() } else { methods }, true)
            }
            "RequestMapping" => (stated.unwrap_or_else(any), false),
            "Route" if language == Language::Php => (stated.unwrap_or_else(any), true),
            "All" => (any(), false),
            // ASP.NET and JAX-RS: the path and the method stand in two annotations.
            "Route" | "Path" => {
                if language != Language::CSharp && language != Language::Java && language != Language::Kotlin {
                    return None;
                }
                let others = decorations_of(self.values, symbol);
                let verbs: Vec<String> = others.iter().filter_map(|other| verb_of(other.name, language)).collect();
                // A sub-resource of JAX-RS has no method; the verb of ASP.NET may have the path itself.
                if verbs.is_empty() && language != Language::CSharp
                    || others
                        .iter()
                        .any(|other| verb_of(other.name, language).is_some() && !other.positional.is_empty())
                {
                    return None;
                }
                (if verbs.is_empty() { any() } else { verbs }, true)
            }
            "AcceptVerbs" | "HttpMethod" => (any(), false),
            name => {
                let method = verb_of(name, language)?;
                let has_object = call.object.is_some();
                let is_plain = language == Language::Python || language == Language::Rust;
                if is_plain && written.is_empty() || language == Language::Python && !has_object {
                    return None;
                }
                let others = decorations_of(self.values, symbol);
                if written.is_empty() && others.iter().any(|other| matches!(other.name, "Path" | "Route")) {
                    return None;
                }
                (vec![method], false)
            }
        };
        if needs_path && written.is_empty() {
            return None;
        }
        Some((methods, if written.is_empty() { vec![String::new()] } else { written }))
    }

    fn methods_of(&mut self, file: FileIdx, list: ExpressionId) -> Vec<String> {
        let items: Vec<ExpressionId> = match self.values.expression(file, list) {
            Expression::List(items) | Expression::Tuple(items) => items.to_vec(),
            _ => vec![list],
        };
        items.into_iter().filter_map(|item| methods::of_value(self.values, file, item, None)).collect()
    }

    /// Returns the paths of a decoration: one, or a list of them.
    pub(super) fn paths(&mut self, call: &DecorationCall<'p>) -> Vec<String> {
        let written = call.positional.first().copied().or_else(|| call.named(self.values, &PATH_NAMES));
        let Some(written) = written else { return Vec::new() };
        let items: Vec<ExpressionId> = match self.values.expression(call.file, written) {
            Expression::List(items) | Expression::Tuple(items) => items.to_vec(),
            _ => vec![written],
        };
        items.into_iter().filter_map(|item| self.route_text(call.file, item)).collect()
    }

    /// Returns the paths that annotations of a class give to the routes of its methods; an empty one if none does.
    pub(super) fn class_paths(&mut self, class: SymbolIdx) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for call in decorations_of(self.values, class) {
            if CLASS_PATHS.contains(&call.name) {
                found.extend(self.paths(&call));
            }
        }
        if found.is_empty() {
            // Routes of a base class.
            for base in self.values.base_types(class) {
                for call in decorations_of(self.values, base) {
                    if matches!(call.name, "RequestMapping" | "Route" | "Path") {
                        found.extend(self.paths(&call));
                    }
                }
            }
        }
        if found.is_empty() { vec![String::new()] } else { found }
    }

    /// Replaces `[controller]` and `[action]` of ASP.NET.
    pub(super) fn with_action(&self, path: &str, owner: Option<SymbolIdx>, symbol: SymbolIdx) -> String {
        let program = self.values.program();
        if !path.contains('[') || program.language(program.file_of(symbol)) != Language::CSharp {
            return path.to_owned();
        }
        let class = owner.map_or("", |owner| program.definition(owner).name.as_str());
        let controller = class.strip_suffix("Controller").unwrap_or(class).to_lowercase();
        path.replace("[controller]", &controller).replace("[action]", &program.definition(symbol).name.to_lowercase())
    }
}

/// Returns true for a class that is a handler as a whole: a class view of Python.
fn is_class_view(kind: SymbolKind, language: Language) -> bool {
    language == Language::Python && kind == SymbolKind::Class
}

/// Returns the path of a method behind that of its class. A leading slash of ASP.NET's `~/` leaves out the class.
pub(super) fn with_class(class: &str, path: &str) -> String {
    if let Some(absolute) = path.strip_prefix('~') {
        return absolute.to_owned();
    }
    let class = if class.is_empty() || class.starts_with('/') { class.to_owned() } else { format!("/{class}") };
    joined(&class, path)
}

/// Returns the method in the name of an annotation: `GetMapping`, `HttpGet`, `GET`, `Get`, `get`.
pub(super) fn verb_of(name: &str, language: Language) -> Option<String> {
    let of_spring = name.strip_suffix("Mapping");
    let of_dotnet = name.strip_prefix("Http").filter(|_| language == Language::CSharp);
    methods::of_name(of_spring.or(of_dotnet).unwrap_or(name))
}
