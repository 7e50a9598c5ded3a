//! Protobuf: the offers of a `.proto` file, and the uses of the code that is generated from it.
//!
//! Generated code is seldom in a repository. Its names identify its source: the module is named by the path of the `.proto` file
//! (`tracking.v1.tracking_pb2`), the Go package by its folder (`gen/tracking/v1`), the Java package by the protobuf package.

use std::collections::{BTreeMap, BTreeSet};

use graph::{FileIdx, Node, Program};
use model::{Import, Language, SymbolKind, code::DefinitionId};

use crate::contract::{ContractKind, ContractOffer, ContractUse};

/// Confidence of a name that is reached through a generated module.
const BY_MODULE: f32 = 0.9;

/// Confidence of a method call by name, in a file that uses a generated client.
const BY_METHOD: f32 = 0.8;

/// Returns the services, rpcs, messages and fields of a `.proto` file, each under every name that a user may know.
pub(super) fn offers(program: &Program<'_>, file: FileIdx) -> Vec<ContractOffer> {
    let package = &program.code(file).package;
    let stem = program.path(file).trim_end_matches(".proto");
    let parts: Vec<&str> = stem.split('/').collect();
    let mut key_prefixes: Vec<String> = Vec::new();
    if !package.is_empty() {
        key_prefixes.push(format!("proto:{package}."));
    }
    // The bare file name is ambiguous. It is a key only if neither the package nor a folder is more specific.
    let min_parts = if package.contains('.') || parts.len() > 1 { 2 } else { 1 };
    key_prefixes
        .extend((min_parts..=parts.len().min(5)).map(|n| format!("protofile:{}#", parts[parts.len() - n..].join("/"))));
    if parts.len() > 2 {
        key_prefixes.push(format!("protodir:{}#", parts[parts.len() - 3..parts.len() - 1].join("/")));
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
        // Code reaches a field through its message; only the schema writes its full name.
        let n_prefixes = if definition.kind == SymbolKind::Field { 1 } else { key_prefixes.len() };
        for prefix in &key_prefixes[..n_prefixes.min(key_prefixes.len())] {
            offers.extend(names.iter().map(|name| ContractOffer {
                kind: ContractKind::Grpc,
                key: format!("{prefix}{name}"),
                member: String::new(),
                node: Node::Symbol(symbol),
                line: definition.name_line,
            }));
        }
    }
    offers
}

/// Returns the uses of generated code in a file.
pub(super) fn uses(program: &Program<'_>, file: FileIdx) -> Vec<ContractUse> {
    let facts = program.facts(file);
    let mut key_prefixes: BTreeMap<&str, KeyPrefix> = BTreeMap::new();
    let mut found = GrpcUses::default();
    for import in &facts.imports {
        let Some(prefix) = key_prefix(program.language(file), import) else { continue };
        let local = [&import.alias, &import.name].into_iter().find(|name| !name.is_empty()).map(String::as_str);
        let local = local.unwrap_or_else(|| import.module.rsplit(['.', '/']).next().unwrap_or_default());
        key_prefixes.insert(local, prefix);
    }
    if key_prefixes.is_empty() {
        return Vec::new();
    }
    for reference in &facts.references {
        let node = reference
            .enclosing
            .map_or(Node::File(file), |enclosing| Node::Symbol(program.symbol(file, DefinitionId(enclosing))));
        let first = reference.receiver.split(['.', '(', ':']).next().unwrap_or_default();
        let (named, prefix) = match (first, key_prefixes.get(first)) {
            // `pb.Message.method()` uses the message.
            (_, Some(prefix)) => {
                let inner = reference.receiver[first.len()..].trim_start_matches(['.', ':']);
                (inner.split(['.', '(']).next().filter(|inner| !inner.is_empty()).unwrap_or(&reference.name), prefix)
            }
            ("", None) => match key_prefixes.get(reference.name.as_str()) {
                Some(prefix) => (reference.name.as_str(), prefix),
                None => continue,
            },
            _ => continue,
        };
        let (name, serves) = proto_name(named);
        found.add(format!("{}{name}", prefix.0), node, reference.line, BY_MODULE, serves);
        if serves {
            add_rpc_implementations(program, file, node, prefix, &mut found);
        }
    }
    add_client_calls(program, file, &key_prefixes, &mut found);
    found.0.into_values().collect()
}

/// The prefix of the keys that the `.proto` file behind a generated module offers.
struct KeyPrefix(String);

/// Returns the key prefix of an imported module; `None` if it is not generated from a `.proto` file.
fn key_prefix(language: Language, import: &Import) -> Option<KeyPrefix> {
    let of_file = |path: &str| KeyPrefix(format!("protofile:{path}#"));
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
                .then(|| KeyPrefix(format!("protodir:{}#", parts[parts.len() - 2..].join("/"))))
        }
        Language::Java | Language::Kotlin => {
            let is_generated = import.name.ends_with("Grpc") || import.name.ends_with("OuterClass");
            is_generated.then(|| KeyPrefix(format!("proto:{}.", import.module)))
        }
        _ => None,
    }
}

/// Returns the service or message behind a name of generated code, and true if the name is of the server side.
fn proto_name(name: &str) -> (&str, bool) {
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

/// Adds each method of a server type as the implementation of the rpc of its name.
fn add_rpc_implementations(
    program: &Program<'_>,
    file: FileIdx,
    server: Node,
    prefix: &KeyPrefix,
    found: &mut GrpcUses,
) {
    let Node::Symbol(server) = server else { return };
    let owner = if program.definition(server).kind.is_type() { server } else { return };
    for package in [file]
        .into_iter()
        .chain(program.file_indices().filter(|other| *other != file && is_in_same_folder(program, file, *other)))
    {
        for method in program.symbols_of(package).filter(|symbol| program.parent(*symbol) == Some(owner)) {
            let definition = program.definition(method);
            if definition.name.starts_with(|c: char| c.is_uppercase()) {
                let key = format!("{}/{}", prefix.0, definition.name);
                found.add(key, Node::Symbol(method), definition.name_line, BY_MODULE, true);
            }
        }
    }
}

/// Returns true if two files are in one folder.
fn is_in_same_folder(program: &Program<'_>, a: FileIdx, b: FileIdx) -> bool {
    let folder = |file: FileIdx| program.path(file).rsplit_once('/').map_or("", |(folder, _)| folder);
    folder(a) == folder(b)
}

/// Adds each method call of a file with a generated client as a possible call of an rpc. The join drops those that no
/// repository offers.
fn add_client_calls(
    program: &Program<'_>,
    file: FileIdx,
    key_prefixes: &BTreeMap<&str, KeyPrefix>,
    found: &mut GrpcUses,
) {
    let clients: BTreeSet<&str> = key_prefixes.values().map(|prefix| prefix.0.as_str()).collect();
    for reference in &program.facts(file).references {
        let is_method = reference.kind == model::ReferenceKind::Call && !reference.receiver.is_empty();
        let is_of_module = key_prefixes.contains_key(reference.receiver.as_str());
        if !is_method || is_of_module || !reference.name.starts_with(|c: char| c.is_alphabetic()) {
            continue;
        }
        let name = upper_first(&reference.name);
        // An rpc begins with a capital. Clients in Python keep it; clients in other languages may lower it.
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

/// Uses by key, user and side.
#[derive(Default)]
struct GrpcUses(BTreeMap<(String, Node, bool), ContractUse>);

impl GrpcUses {
    fn add(&mut self, key: String, node: Node, line: u32, confidence: f32, serves: bool) {
        let one = self.0.entry((key.clone(), node, serves)).or_insert_with(|| ContractUse {
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
