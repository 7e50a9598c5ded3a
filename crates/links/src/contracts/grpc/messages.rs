//! Messages and services: uses of the types that are generated for them.

use graph::{FileIdx, Inference, Program};
use model::{Import, Language, ReferenceKind};
use rustc_hash::FxHashMap;

use super::{
    RpcUse, generated,
    generators::{self, Role},
    service_name::{self, ServiceName},
};
use crate::contracts::{enclosing::node_of, local_name};

/// Libraries for rpcs, whose names are no messages.
const LIBRARIES: [&str; 19] = [
    "google.golang.org/",
    "github.com/grpc-ecosystem/",
    "github.com/golang/protobuf",
    "github.com/gogo/protobuf",
    "google.protobuf",
    "grpc",
    "@grpc",
    "io.grpc",
    "com.google.protobuf",
    "nice-grpc",
    "@connectrpc",
    "connectrpc.com",
    "@bufbuild",
    "tonic",
    "prost",
    "Grpc.",
    "grpclib",
    "betterproto",
    "protobuf",
];

/// Returns the messages that a file names. `rpcs` are its other uses: their packages have the messages too.
pub(super) fn uses(cx: &mut Inference<'_>, file: FileIdx, rpcs: &[RpcUse]) -> Vec<RpcUse> {
    let program = cx.program;
    let facts = program.facts(file);
    let language = program.language(file);
    let imports = imports_of_messages(program, file, rpcs);
    if imports.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for reference in &facts.references {
        use ReferenceKind::{Call, Construct, Type};
        if !matches!(reference.kind, Call | Construct | Type) || reference.receiver.contains(['(', ')']) {
            continue;
        }
        let receiver: Vec<&str> = reference.receiver.split(['.', ':', '\\']).filter(|part| !part.is_empty()).collect();
        let path: Vec<&str> = receiver.iter().copied().chain([reference.name.as_str()]).collect();
        let Some((import_idx, import)) = imports.get(path[0].trim_start_matches('&')).copied() else { continue };
        // `pb.Cart{}`, `pb.Cart()`, `Demo.Cart.newBuilder()`: the first name with a capital after the module.
        let n_outer = usize::from(import.name.is_empty() || path.len() > 1 && is_outer(language, path[0]));
        let is_function = reference.kind == Call && !calls_types(language);
        let names = path[..path.len() - usize::from(is_function)].iter().skip(n_outer);
        let Some(name) = names.copied().find(|name| name.starts_with(|c: char| c.is_uppercase())) else { continue };
        // A client is made of its service. A server has its methods as uses.
        let client = generators::find(language, &[name], |role| role == Role::Client);
        let is_of_server = generators::find(language, &[name], |role| role != Role::Client).is_some()
            || language == Language::Go && name.ends_with("Server");
        if client.is_none() && (is_of_server || name.ends_with("Grpc") || name.ends_with("OuterClass")) {
            continue;
        }
        let name = client.as_ref().map_or(name, |client| client.service.as_str());
        let targets = cx.import_targets(file, import_idx);
        let mut files = targets.into_iter().map(|target| match target {
            graph::Node::File(of) => of,
            graph::Node::Symbol(symbol) => program.file_of(symbol),
        });
        let is_in_repository = files.len() > 0;
        if is_in_repository && !files.any(|of| generated::is_generated(program, of)) {
            continue;
        }
        found.push(RpcUse {
            service: ServiceName::hinted(service_name::join_hints(std::slice::from_ref(&import.module)), name, true),
            method: String::new(),
            address: String::new(),
            node: node_of(program, file, reference.enclosing.map(model::code::DefinitionId)),
            line: reference.line,
            serves: false,
        });
    }
    found
}

/// Returns the imports of generated code, by local name.
pub(super) fn imports_of_messages<'p>(
    program: &Program<'p>,
    file: FileIdx,
    rpcs: &[RpcUse],
) -> FxHashMap<&'p str, (usize, &'p Import)> {
    let language = program.language(file);
    let is_of_rpc = |import: &Import| {
        rpcs.iter().any(|rpc| !rpc.service.package.is_empty() && import.module.starts_with(&rpc.service.package))
    };
    let is_generated = |import: &Import| {
        service_name::is_generated_module(&import.module)
            || service_name::is_generated_module(&import.name)
            || is_of_rpc(import)
    };
    let is_library = |import: &Import| LIBRARIES.iter().any(|library| import.module.starts_with(library));
    let imports = program.facts(file).imports.iter().enumerate().filter(|(_, import)| import.name != "*");
    let generated = imports.filter(|(_, import)| !is_library(import) && is_generated(import));
    generated.map(|(idx, import)| (local_name(language, import), (idx, import))).collect()
}

/// Returns true for languages in which a call of a type makes a message.
fn calls_types(language: Language) -> bool {
    matches!(language, Language::Python | Language::Dart | Language::Swift | Language::Kotlin | Language::Scala)
}

/// Returns true for the class around the messages of a file: `Demo` of `Demo.Cart`, `shop_pb2` of `shop_pb2.Cart`.
fn is_outer(language: Language, name: &str) -> bool {
    matches!(language, Language::Java | Language::Kotlin | Language::Scala)
        || !name.starts_with(|c: char| c.is_uppercase())
}
