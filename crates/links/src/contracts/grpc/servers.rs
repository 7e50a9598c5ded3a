//! Servers: types that implement a service, objects of functions that are registered for one, and the registrations.

use graph::{FileIdx, Inference, Node, Program, SymbolIdx, Ty};
use model::{
    Language, ReferenceKind,
    code::{DefinitionId, Expression, ExpressionId, Flags, Site},
};

use super::{
    RpcUse, declared_servers, flow, generated,
    generators::{self, GeneratedMatch, Role},
    loaded, packaged_services, registrars, returned_servers,
    service_name::{self, ServiceName},
    signatures,
};
use crate::contracts::enclosing::{node_around, node_of};

/// Maximum number of files of a folder that are searched for the methods of one server.
const MAX_FILES_OF_FOLDER: usize = 200;

/// Returns the implementations of services and rpcs in a file.
pub(super) fn implementations(cx: &mut Inference<'_>, file: FileIdx) -> Vec<RpcUse> {
    let program = cx.program;
    let code = program.code(file);
    let mut found = Vec::new();
    for (class, service) in server_types(cx, file) {
        found.extend(serve_with_type(cx, &service, class));
    }
    for (class, service) in returned_servers::server_types(cx, file) {
        found.extend(serve_with_other_type(cx, &service, class));
    }
    for extension in &code.extensions {
        found.extend(implementations_of_trait(cx, file, extension));
    }
    for anonymous in &code.anonymous {
        let Some(path) = flow::type_path(code, anonymous.base) else { continue };
        let Some(service) = base_service(cx, file, &path) else { continue };
        found.extend(
            anonymous.members.iter().map(|member| method_use(program, &service, program.symbol(file, *member))),
        );
    }
    for site in &code.sites {
        found.extend(registration(cx, file, site));
    }
    found.extend(declared_servers::decorated(cx, file));
    found.extend(declared_servers::typed_objects(cx, file));
    found
}

/// Returns the types of a file that extend, embed or implement a type of generated code, with their services.
fn server_types(cx: &mut Inference<'_>, file: FileIdx) -> Vec<(SymbolIdx, ServiceName)> {
    let program = cx.program;
    let facts = program.facts(file);
    let mut paths: Vec<(u32, Vec<&str>)> = Vec::new();
    for reference in &facts.references {
        let is_base = matches!(reference.kind, ReferenceKind::Extend | ReferenceKind::Implement);
        if let Some(enclosing) = reference.enclosing.filter(|_| is_base) {
            let receiver = reference.receiver.split(['.', ':', '\\', '/']).filter(|part| !part.is_empty());
            paths.push((enclosing, receiver.chain([reference.name.as_str()]).collect()));
        }
    }
    for (definition, shape) in facts.code.shapes.iter().enumerate() {
        let bases = shape.bases.iter().filter_map(|base| flow::type_path(&facts.code, base.base));
        paths.extend(bases.map(|path| (definition as u32, path)));
    }
    for (definition, one) in facts.definitions.iter().enumerate().filter(|(_, one)| one.kind.is_type()) {
        let written = if facts.code.sites.is_empty() { signatures::paths(&one.signature) } else { Vec::new() };
        paths.extend(written.into_iter().map(|path| (definition as u32, path)));
    }
    let mut found: Vec<(SymbolIdx, ServiceName)> = Vec::new();
    for (definition, path) in paths {
        let class = program.symbol(file, DefinitionId(definition));
        if !program.definition(class).kind.is_type() {
            continue;
        }
        for service in base_service(cx, file, &path).into_iter().flat_map(|service| services_of(program, file, service))
        {
            if !found.contains(&(class, service.clone())) {
                found.push((class, service));
            }
        }
    }
    found
}

/// Returns the service whose server has this base type; `None` if a file of the repository declares the base type by hand.
pub(super) fn base_service(cx: &mut Inference<'_>, file: FileIdx, path: &[&str]) -> Option<ServiceName> {
    service_of_base(cx, file, path, Role::ServerBase)
}

/// Returns the service of a type of generated code with a role; `None` if a file of the repository declares the type by hand.
pub(super) fn service_of_base(cx: &mut Inference<'_>, file: FileIdx, path: &[&str], role: Role) -> Option<ServiceName> {
    let program = cx.program;
    let language = program.language(file);
    let found = generators::find(language, path, |one| one == role)?;
    let last = path.last().copied().unwrap_or_default();
    let name = program.name_named(last);
    let defined = name.map_or(&[][..], |name| program.named(name));
    let is_type = |symbol: &&SymbolIdx| program.definition(**symbol).kind.is_type();
    // `Service` within the type of a service is of generated code, wherever there is another `Service`.
    let is_nested = path.len() > 1 && found.is_specific;
    let generated =
        defined.iter().filter(is_type).find(|symbol| generated::is_generated(program, program.file_of(**symbol)));
    if generated.is_none() && !is_nested && defined.iter().any(|symbol| is_type(&symbol)) {
        return None;
    }
    let resolved = generated.copied().filter(|_| !is_nested);
    let service = service_name::of_match(cx, file, path, &found, resolved)?;
    // A name that others have too needs generated code or a library for rpcs among the imports.
    (service.confidence > crate::services::CANDIDATE).then_some(service)
}

/// Returns the services that a base type may be of: the generator of Dart adds `Service` to a name without it.
fn services_of(program: &Program<'_>, file: FileIdx, service: ServiceName) -> Vec<ServiceName> {
    let shorter = match service.name.strip_suffix("Service") {
        Some(shorter) if program.language(file) == Language::Dart && !shorter.is_empty() => Some(shorter.to_owned()),
        _ => None,
    };
    let shorter = shorter.map(|name| ServiceName { name, ..service.clone() });
    std::iter::once(service).chain(shorter).collect()
}

/// Returns a type as the implementation of a service, and its methods as those of the rpcs. The join drops methods that are none.
fn serve_with_type(cx: &mut Inference<'_>, service: &ServiceName, class: SymbolIdx) -> Vec<RpcUse> {
    let program = cx.program;
    let line = program.definition(class).name_line;
    let own = service_use(service, Node::Symbol(class), line);
    let methods = methods_of(cx, class);
    std::iter::once(own).chain(methods.into_iter().map(|method| method_use(program, service, method))).collect()
}

/// Returns the methods of a type: each once, with its body if it has one.
fn methods_of(cx: &mut Inference<'_>, class: SymbolIdx) -> Vec<SymbolIdx> {
    let program = cx.program;
    let file = program.file_of(class);
    let is_spread = matches!(program.language(file), Language::Go | Language::Cpp | Language::C);
    let folder = flow::folder(program.path(file));
    let others = program.file_indices().filter(|other| {
        *other != file
            && is_spread
            && program.language(*other) == program.language(file)
            && flow::folder(program.path(*other)) == folder
    });
    let files: Vec<FileIdx> = std::iter::once(file).chain(others.take(MAX_FILES_OF_FOLDER)).collect();
    let mut methods: Vec<SymbolIdx> = Vec::new();
    for of in files {
        let found = program
            .symbols_of(of)
            .filter(|symbol| program.parent(*symbol) == Some(class) && is_method(program, *symbol));
        let before = methods.len();
        methods.extend(found);
        if methods.len() > before {
            cx.consult(of);
        }
    }
    let has_body = |symbol: &SymbolIdx| !program.shape(*symbol).flags.has(Flags::DECLARATION);
    let bodies: Vec<&str> = methods
        .iter()
        .filter(|symbol| has_body(symbol))
        .map(|symbol| program.definition(*symbol).name.as_str())
        .collect();
    methods.retain(|symbol| has_body(symbol) || !bodies.contains(&program.definition(*symbol).name.as_str()));
    methods
}

fn is_method(program: &Program<'_>, symbol: SymbolIdx) -> bool {
    use model::SymbolKind::{Function, Method};
    let definition = program.definition(symbol);
    let is_function = matches!(definition.kind, Function | Method);
    let language = program.language(program.file_of(symbol));
    // In C++, a private method overrides a public one.
    let is_private =
        program.shape(symbol).flags.has(Flags::PRIVATE) && !matches!(language, Language::Cpp | Language::C);
    let is_hidden = definition.name.starts_with('_') || is_private;
    let is_lower = definition.name.starts_with(|c: char| c.is_lowercase());
    is_function && !is_hidden && !(is_lower && language == Language::Go)
}

pub(super) fn method_use(program: &Program<'_>, service: &ServiceName, method: SymbolIdx) -> RpcUse {
    let definition = program.definition(method);
    RpcUse { method: definition.name.clone(), ..service_use(service, Node::Symbol(method), definition.name_line) }
}

fn service_use(service: &ServiceName, node: Node, line: u32) -> RpcUse {
    RpcUse { service: service.clone(), method: String::new(), address: String::new(), node, line, serves: true }
}

/// Returns the implementations of a trait of tonic: `impl cart_server::Cart for X`.
fn implementations_of_trait(cx: &mut Inference<'_>, file: FileIdx, extension: &model::code::Extension) -> Vec<RpcUse> {
    let program = cx.program;
    let code = program.code(file);
    if program.language(file) != Language::Rust {
        return Vec::new();
    }
    let Some(path) = extension.implements.and_then(|implements| flow::type_path(code, implements)) else {
        return Vec::new();
    };
    let Some(name) = path.last().copied() else { return Vec::new() };
    let import = service_name::import_of(program, file, path[0]);
    let module = match (path.as_slice(), import) {
        ([.., module, _], _) => *module,
        (_, Some((_, import))) => import.module.rsplit("::").next().unwrap_or_default(),
        _ => return Vec::new(),
    };
    let stem = module.strip_suffix("_server").map(|stem| stem.replace('_', ""));
    if stem.is_none_or(|stem| stem != name.to_ascii_lowercase().replace('_', "")) {
        return Vec::new();
    }
    let found = GeneratedMatch {
        service: name.to_owned(),
        n_before: path.len() - 1,
        role: Role::ServerBase,
        is_specific: true,
    };
    let Some(service) = service_name::of_match(cx, file, &path, &found, None) else { return Vec::new() };
    let members = extension.members.iter().map(|member| program.symbol(file, *member));
    members.map(|member| method_use(program, &service, member)).collect()
}

/// Returns the service that a call registers, with the methods of the registered object.
fn registration(cx: &mut Inference<'_>, file: FileIdx, site: &Site) -> Vec<RpcUse> {
    let program = cx.program;
    let code = program.code(file);
    let Expression::Call { callee, arguments, .. } = code.expression(site.expression) else { return Vec::new() };
    let Some(path) = flow::path_of(code, *callee) else { return Vec::new() };
    let node = node_around(program, file, site.scope);
    let is_registration = |role: Role| matches!(role, Role::Registration(_));
    let packaged = packaged_services::find(program, file, &path, is_registration);
    if let Some(found) = packaged.or_else(|| generators::find(program.language(file), &path, is_registration)) {
        let resolved = match cx.type_of(file, *callee) {
            Ty::Function { candidates, .. } => candidates.first().copied(),
            Ty::Class(applied) => Some(applied.of),
            _ => None,
        };
        let has_qualifier = path.len() > 1 || resolved.is_some() || found.is_specific;
        let Some(service) = service_name::of_match(cx, file, &path, &found, resolved).filter(|_| has_qualifier) else {
            return Vec::new();
        };
        let is_generated_head = service_name::import_of(program, file, path[0]).is_none_or(|(_, import)| {
            service_name::is_generated_module(&import.module) || program.language(file) == Language::Rust
        });
        // The name `Register*Server` beside a library for rpcs is that of generated code, wherever it lies.
        let is_by_name = !is_generated_head && resolved.is_none();
        let may_be_by_name = found.role == Role::Registration(1) && service_name::names_grpc(program, file);
        if service.confidence <= crate::services::CANDIDATE || is_by_name && !may_be_by_name {
            return Vec::new();
        }
        // A registry of something else may have such a function, too.
        let is_sure = !is_by_name
            || service.is_exact
            || arguments.first().is_some_and(|registrar| registrars::is_rpc_server(cx, file, *registrar));
        let confidence = if is_sure { service.confidence } else { crate::services::CANDIDATE };
        let service = ServiceName { confidence, ..service };
        let Role::Registration(index) = found.role else { return Vec::new() };
        let mut uses = vec![service_use(&service, node, site.line)];
        if let Some(server) = arguments.get(index) {
            uses.extend(serve_with_value(cx, file, &service, *server));
        }
        return uses;
    }
    if program.language(file) == Language::Elixir {
        return served_by_module(cx, file, &path, arguments, node);
    }
    if !matches!(program.language(file), Language::JavaScript | Language::TypeScript | Language::Tsx) {
        return Vec::new();
    }
    let [described, server, ..] = arguments.as_ref() else { return Vec::new() };
    let Some(service) = described_service(cx, file, &path, *described) else { return Vec::new() };
    let mut uses = vec![service_use(&service, node, site.line)];
    uses.extend(serve_with_value(cx, file, &service, *server));
    uses
}

/// Returns the functions of a module of Elixir that uses a server: `use GRPC.Server, service: Shop.Cart.Service`.
fn served_by_module(
    cx: &mut Inference<'_>,
    file: FileIdx,
    callee: &[&str],
    arguments: &[ExpressionId],
    node: Node,
) -> Vec<RpcUse> {
    let code = cx.program.code(file);
    let (["use"], Node::Symbol(module)) = (callee, node) else { return Vec::new() };
    let options = arguments.iter().find_map(|argument| match code.expression(*argument) {
        Expression::Dereferenced { of } => Some(*of),
        Expression::Object(_) => Some(*argument),
        _ => None,
    });
    let Some(Expression::Object(fields)) = options.map(|options| code.expression(options)) else { return Vec::new() };
    let of_service = fields.iter().find(|(name, _)| code.name(*name) == "service");
    let Some(path) = of_service.and_then(|(_, service)| flow::path_of(code, *service)) else { return Vec::new() };
    let service = base_service(cx, file, &path);
    service.map_or_else(Vec::new, |service| serve_with_type(cx, &service, module))
}

/// Returns the service that a descriptor names in a registration of JavaScript: `server.addService(pkg.Cart.service, …)`,
/// `server.add(CartDefinition, …)`, `router.service(Cart, …)`.
fn described_service(
    cx: &mut Inference<'_>,
    file: FileIdx,
    callee: &[&str],
    described: ExpressionId,
) -> Option<ServiceName> {
    let program = cx.program;
    let code = program.code(file);
    let function = callee.last().copied()?;
    let path = flow::path_of(code, described)?;
    let is_grpc = service_name::names_grpc(program, file);
    let (last, before) = path.split_last()?;
    let (service, n_before) = match (function, *last, before) {
        ("addService" | "addProtoService", "service", [before @ .., service]) => (*service, before.len()),
        ("addService" | "addProtoService" | "add", name, before) if name.ends_with("Definition") => {
            (name.strip_suffix("Definition")?, before.len())
        }
        ("addService", name, before) if is_grpc => (name.strip_suffix("Service")?, before.len()),
        ("service", name, before) if is_grpc && before.is_empty() => (name, 0),
        _ => return None,
    };
    if !service.starts_with(|c: char| c.is_uppercase()) {
        return None;
    }
    if *last == "service"
        && let Some((object, _)) = flow::member_of(code, described)
        && let Some((object, _)) = flow::member_of(code, object)
        && let Some(package) = loaded::package(cx, file, object, 0)
    {
        return Some(ServiceName::hinted(package, service, true));
    }
    let found = GeneratedMatch { service: service.to_owned(), n_before, role: Role::ServerBase, is_specific: true };
    service_name::of_match(cx, file, &path, &found, None)
}

/// Returns the implementations in the object that is registered: an instance of a type, or an object of functions.
pub(super) fn serve_with_value(
    cx: &mut Inference<'_>,
    file: FileIdx,
    service: &ServiceName,
    server: ExpressionId,
) -> Vec<RpcUse> {
    if let Some((of, fields)) = flow::object_fields(cx, file, server, 0) {
        let functions = fields.into_iter().filter_map(|(name, value)| {
            let (node, line) = function_of(cx, of, value)?;
            Some(RpcUse { method: name.to_owned(), ..service_use(service, node, line) })
        });
        return functions.collect();
    }
    let Some(class) = class_of_value(cx, file, server) else { return Vec::new() };
    serve_with_other_type(cx, service, class)
}

/// Returns the type of a server. A pointer to a server has the type of the server.
pub(super) fn class_of_value(cx: &mut Inference<'_>, file: FileIdx, server: ExpressionId) -> Option<SymbolIdx> {
    cx.type_of(file, server).definition()
}

/// Returns the methods of a type as those of the rpcs, unless its own file tells that it implements the service.
fn serve_with_other_type(cx: &mut Inference<'_>, service: &ServiceName, class: SymbolIdx) -> Vec<RpcUse> {
    let program = cx.program;
    let of = program.file_of(class);
    cx.consult(of);
    if generated::is_generated(program, of) || server_types(cx, of).iter().any(|(server, _)| *server == class) {
        return Vec::new();
    }
    methods_of(cx, class).into_iter().map(|method| method_use(program, service, method)).collect()
}

/// Returns the function that an expression means, with its line: a name, a method, or one bound to an object.
fn function_of(cx: &mut Inference<'_>, file: FileIdx, value: ExpressionId) -> Option<(Node, u32)> {
    let program = cx.program;
    let code = program.code(file);
    let at = |symbol: SymbolIdx| (Node::Symbol(symbol), program.definition(symbol).name_line);
    match code.expression(value) {
        Expression::Definition(definition) => Some(at(program.symbol(file, *definition))),
        // `handler.bind(this)`, `wrap(handler)`.
        Expression::Call { callee, arguments, .. } => match flow::member_of(code, *callee) {
            Some((function, "bind")) => function_of(cx, file, function),
            _ => arguments.iter().find_map(|argument| function_of(cx, file, *argument)),
        },
        Expression::Function { scope, .. } => {
            let around = code.definition_around(*scope);
            let node = node_of(program, file, around);
            let line = match node {
                Node::Symbol(symbol) => program.definition(symbol).name_line,
                Node::File(_) => 1,
            };
            Some((node, line))
        }
        _ => match cx.type_of(file, value) {
            Ty::Function { candidates, .. } => {
                let symbol = *candidates.first()?;
                cx.consult(program.file_of(symbol));
                Some(at(symbol))
            }
            Ty::Closure { file: of, expression } if (of, expression) != (file, value) => {
                function_of(cx, of, expression)
            }
            _ => None,
        },
    }
}
