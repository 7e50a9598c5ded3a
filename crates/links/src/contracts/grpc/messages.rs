//! Messages: uses of the types that are generated for them, and of their fields by accessors.

use graph::{FileIdx, Inference};
use model::{Language, ReferenceKind};

use super::{
    RpcUse, generated,
    generators::{self, Role},
    node_of,
    service_name::{self, ServiceName},
};

/// Libraries for rpcs, whose names are no messages.
const LIBRARIES: [&str; 16] = [
    "google.golang.org/",
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
    let mut found = Vec::new();
    for reference in &facts.references {
        use ReferenceKind::{Call, Construct, Type};
        if !matches!(reference.kind, Call | Construct | Type) || reference.receiver.contains(['(', ')']) {
            continue;
        }
        let receiver: Vec<&str> = reference.receiver.split(['.', ':', '\\']).filter(|part| !part.is_empty()).collect();
        let path: Vec<&str> = receiver.iter().copied().chain([reference.name.as_str()]).collect();
        let Some((import_idx, import)) = service_name::import_of(program, file, path[0].trim_start_matches('&')) else {
            continue;
        };
        let is_of_rpc = || {
            rpcs.iter().any(|rpc| !rpc.service.package.is_empty() && import.module.starts_with(&rpc.service.package))
        };
        let is_library = LIBRARIES.iter().any(|library| import.module.starts_with(library));
        if is_library
            || !service_name::is_generated_module(&import.module)
                && !service_name::is_generated_module(&import.name)
                && !is_of_rpc()
        {
            continue;
        }
        // `pb.Cart{}`, `pb.Cart()`, `Demo.Cart.newBuilder()`: the first name with a capital after the module.
        let names =
            path.iter().skip(usize::from(import.name.is_empty() || path.len() > 1 && is_outer(language, path[0])));
        let Some(name) = names.copied().find(|name| name.starts_with(|c: char| c.is_uppercase())) else { continue };
        let any_role = |_: Role| true;
        if generators::find(language, &[name], any_role).is_some()
            || name.ends_with("Grpc")
            || name.ends_with("OuterClass")
        {
            continue;
        }
        let targets = cx.import_targets(file, import_idx);
        let package = targets.first().map(|target| match target {
            graph::Node::File(of) => *of,
            graph::Node::Symbol(symbol) => program.file_of(*symbol),
        });
        let is_written = package.is_some_and(|of| !generated::is_generated(program, of));
        if is_written && language != Language::Go {
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

/// Returns true for the class around the messages of a file: `Demo` of `Demo.Cart`, `shop_pb2` of `shop_pb2.Cart`.
fn is_outer(language: Language, name: &str) -> bool {
    matches!(language, Language::Java | Language::Kotlin | Language::Scala)
        || !name.starts_with(|c: char| c.is_uppercase())
}
