//! Protobuf: what a `.proto` file offers, and who uses the code that is generated from it.
//!
//! Generated code is seldom in a repository. Its names tell where it comes from: a module by the path of the file
//! (`tracking.v1.tracking_pb2`), a package of Go by its folder (`gen/tracking/v1`), a package of Java by its name.

use std::collections::BTreeMap;

use model::{Import, Language, SymbolKind, code::DefinitionId};

use super::{ContractKind, Offer, Use};
use crate::{
    infer::Inference,
    program::{FileIdx, Program},
    resolve::Node,
};

/// A name that generated code has, by way of a module that is named after the file.
const BY_MODULE: f32 = 0.9;

/// A method of an object, where the file uses a generated client that has one of this name.
const BY_METHOD: f32 = 0.8;

/// Returns what a proto file offers: each service, rpc, message and field, under each name that users can know it by.
pub(super) fn offers(program: &Program<'_>, file: FileIdx) -> Vec<Offer> {
    let package = &program.code(file).package;
    let stem = program.path(file).trim_end_matches(".proto");
    let parts: Vec<&str> = stem.split('/').collect();
    let mut homes: Vec<String> = Vec::new();
    if !package.is_empty() {
        homes.push(format!("proto:{package}."));
    }
    // A file at the root of its tree is known by its name alone only where its package says nothing more.
    let least = if package.contains('.') || parts.len() > 1 { 2 } else { 1 };
    homes.extend((least..=parts.len().min(5)).map(|n| format!("protofile:{}#", parts[parts.len() - n..].join("/"))));
    if parts.len() > 2 {
        homes.push(format!("protodir:{}#", parts[parts.len() - 3..parts.len() - 1].join("/")));
    }
    let mut offers = Vec::new();
    for symbol in program.symbols_of(file) {
        let definition = program.definition(symbol);
        let names: Vec<String> = match definition.kind {
            SymbolKind::Service | SymbolKind::Message | SymbolKind::Enum => {
                vec![model::symbol::qualify(&definition.container, &definition.name)]
            }
            SymbolKind::Rpc => {
                vec![format!("{}/{}", definition.container, definition.name), format!("/{}", definition.name)]
            }
            SymbolKind::Field => vec![model::symbol::qualify(&definition.container, &definition.name)],
            _ => continue,
        };
        // Code names a field by its message; only the schema names it whole.
        let n_homes = if definition.kind == SymbolKind::Field { 1 } else { homes.len() };
        for home in &homes[..n_homes.min(homes.len())] {
            offers.extend(names.iter().map(|name| Offer {
                kind: ContractKind::Grpc,
                key: format!("{home}{name}"),
                member: String::new(),
                node: Node::Symbol(symbol),
                line: definition.name_line,
            }));
        }
    }
    offers
}

/// Returns the uses of generated code in a file.
pub(super) fn uses(cx: &mut Inference<'_>, file: FileIdx) -> Vec<Use> {
    let program = cx.program;
    let facts = program.facts(file);
    let mut homes: BTreeMap<&str, Home> = BTreeMap::new();
    let mut found = Found::default();
    for import in &facts.imports {
        let Some(home) = home(program.language(file), import) else { continue };
        let local = [&import.alias, &import.name].into_iter().find(|name| !name.is_empty()).map(String::as_str);
        let local = local.unwrap_or_else(|| import.module.rsplit(['.', '/']).next().unwrap_or_default());
        homes.insert(local, home);
    }
    if homes.is_empty() {
        return Vec::new();
    }
    for reference in &facts.references {
        let node = reference
            .enclosing
            .map_or(Node::File(file), |enclosing| Node::Symbol(program.symbol(file, DefinitionId(enclosing))));
        let first = reference.receiver.split(['.', '(', ':']).next().unwrap_or_default();
        let (named, home) = match (first, homes.get(first)) {
            // `pb.Message.method()` uses the message.
            (_, Some(home)) => {
                let inner = reference.receiver[first.len()..].trim_start_matches(['.', ':']);
                (inner.split(['.', '(']).next().filter(|inner| !inner.is_empty()).unwrap_or(&reference.name), home)
            }
            ("", None) => match homes.get(reference.name.as_str()) {
                Some(home) => (reference.name.as_str(), home),
                None => continue,
            },
            _ => continue,
        };
        let (name, serves) = of_generated(named);
        found.add(format!("{}{name}", home.0), node, reference.line, BY_MODULE, serves);
        if serves {
            served(program, file, node, home, &mut found);
        }
    }
    called(program, file, &homes, &mut found);
    found.0.into_values().collect()
}

/// Where generated code has its names from: the beginning of the keys of what is offered.
struct Home(String);

fn home(language: Language, import: &Import) -> Option<Home> {
    let of_file = |path: &str| Home(format!("protofile:{path}#"));
    match language {
        Language::Python => {
            let (module, name) = (import.module.as_str(), import.name.as_str());
            let path =
                if name.is_empty() || !name.contains("_pb2") { module.to_owned() } else { format!("{module}.{name}") };
            let path =
                path.trim_start_matches('.').strip_suffix("_pb2_grpc").or(path.strip_suffix("_pb2"))?.replace('.', "/");
            path.contains('/').then(|| of_file(&path))
        }
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            let stem = import.module.trim_end_matches(".js").trim_end_matches(".ts");
            let stem = ["_connect", "_grpc_pb", "_grpc_web_pb", "_pb", ".client"]
                .iter()
                .find_map(|end| stem.strip_suffix(end))?;
            let parts: Vec<&str> = stem.split('/').filter(|part| !part.starts_with('.') && !part.is_empty()).collect();
            (parts.len() > 1).then(|| of_file(&parts[parts.len().saturating_sub(3)..].join("/")))
        }
        Language::Go => {
            let parts: Vec<&str> = import.module.split('/').collect();
            let is_version = parts.last().is_some_and(|last| {
                last.strip_prefix('v').is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit()))
            });
            let names_package = import.alias.ends_with("pb") || parts.last().is_some_and(|last| last.ends_with("pb"));
            (parts.len() > 2 && (is_version || names_package))
                .then(|| Home(format!("protodir:{}#", parts[parts.len() - 2..].join("/"))))
        }
        Language::Java | Language::Kotlin => {
            let is_generated = import.name.ends_with("Grpc") || import.name.ends_with("OuterClass");
            is_generated.then(|| Home(format!("proto:{}.", import.module)))
        }
        _ => None,
    }
}

/// Returns the service or message that a name of generated code is made from, and whether it is a server's.
fn of_generated(name: &str) -> (&str, bool) {
    if let Some(service) = name.strip_prefix("Unimplemented").and_then(|rest| rest.strip_suffix("Server")) {
        return (service, true);
    }
    if let Some(service) = name.strip_prefix("Register").and_then(|rest| rest.strip_suffix("Server")) {
        return (service, true);
    }
    if let Some(service) = name.strip_prefix("add_").and_then(|rest| rest.strip_suffix("Servicer_to_server")) {
        return (service, true);
    }
    if let Some(service) = name.strip_suffix("Servicer").or(name.strip_suffix("ImplBase")) {
        return (service, true);
    }
    let name = name.strip_prefix("New").filter(|rest| rest.ends_with("Client")).unwrap_or(name);
    for end in ["Stub", "Client", "Grpc", "OuterClass"] {
        if let Some(service) = name.strip_suffix(end).filter(|service| !service.is_empty()) {
            return (service, false);
        }
    }
    (name, false)
}

/// Adds each method of a type that serves, as the one that answers the rpc of its name.
fn served(program: &Program<'_>, file: FileIdx, server: Node, home: &Home, found: &mut Found) {
    let Node::Symbol(server) = server else { return };
    let owner = if program.definition(server).kind.is_type() { server } else { return };
    for package in
        [file].into_iter().chain(program.file_indices().filter(|other| *other != file && beside(program, file, *other)))
    {
        for method in program.symbols_of(package).filter(|symbol| program.parent(*symbol) == Some(owner)) {
            let definition = program.definition(method);
            if definition.name.starts_with(|c: char| c.is_uppercase()) {
                let key = format!("{}/{}", home.0, definition.name);
                found.add(key, Node::Symbol(method), definition.name_line, BY_MODULE, true);
            }
        }
    }
}

/// Says whether two files stand in one folder.
fn beside(program: &Program<'_>, a: FileIdx, b: FileIdx) -> bool {
    let folder = |file: FileIdx| program.path(file).rsplit_once('/').map_or("", |(folder, _)| folder);
    folder(a) == folder(b)
}

/// Adds each call of a method with the name of an rpc, where the file makes a client; whether there is such an rpc is for
/// the other side to tell.
fn called(program: &Program<'_>, file: FileIdx, homes: &BTreeMap<&str, Home>, found: &mut Found) {
    let clients: Vec<String> = {
        let mut clients: Vec<String> = homes.values().map(|home| home.0.clone()).collect();
        clients.sort();
        clients.dedup();
        clients
    };
    for reference in &program.facts(file).references {
        let is_method = reference.kind == model::ReferenceKind::Call && !reference.receiver.is_empty();
        let is_of_module = homes.contains_key(reference.receiver.as_str());
        if !is_method || is_of_module || !reference.name.starts_with(|c: char| c.is_alphabetic()) {
            continue;
        }
        let name = upper_first(&reference.name);
        // Rpcs are named in capitals; where the language of the client is not, its methods are the same word.
        if program.language(file) == Language::Python && !reference.name.starts_with(|c: char| c.is_uppercase()) {
            continue;
        }
        let node = reference
            .enclosing
            .map_or(Node::File(file), |enclosing| Node::Symbol(program.symbol(file, DefinitionId(enclosing))));
        for client in &clients {
            found.add(format!("{client}/{name}"), node, reference.line, BY_METHOD, false);
        }
    }
}

fn upper_first(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[derive(Default)]
struct Found(BTreeMap<(String, Node, bool), Use>);

impl Found {
    fn add(&mut self, key: String, node: Node, line: u32, confidence: f32, serves: bool) {
        let one = self.0.entry((key.clone(), node, serves)).or_insert_with(|| Use {
            kind: ContractKind::Grpc,
            key,
            member: String::new(),
            node,
            line,
            confidence,
            n_sites: 0,
            serves,
        });
        one.n_sites += 1;
        one.line = one.line.min(line);
    }
}
