//! Generators whose names alone do not tell a service. In Go, Kitex makes a package for each service, which has its name
//! (`cartservice.NewClient`). In Java, a client that Quarkus injects has the interface of its service (`@GrpcClient Cart cart`).

use graph::{FileIdx, Program};
use model::{Language, SymbolKind};

use super::{
    flow,
    generators::{GeneratedMatch, Role},
    service_name,
};

/// Folders of generated code with a package for each service: those of Kitex.
const FOLDERS: [&str; 1] = ["kitex_gen"];

/// Names in the package of a service, with their roles.
const NAMES: [(&str, Role); 7] = [
    ("NewClient", Role::Client),
    ("MustNewClient", Role::Client),
    ("NewStreamClient", Role::Client),
    ("Client", Role::Client),
    ("NewServer", Role::Registration(0)),
    ("NewServerWithHandler", Role::Registration(0)),
    ("RegisterService", Role::Registration(1)),
];

/// Returns the service of a name in its package, if the name has one of some roles.
pub(super) fn find(
    program: &Program<'_>,
    file: FileIdx,
    path: &[&str],
    is_role: impl Fn(Role) -> bool,
) -> Option<GeneratedMatch> {
    let [package, name] = path else { return None };
    let (_, role) = NAMES.iter().find(|(of, role)| of == name && is_role(*role))?;
    if program.language(file) != Language::Go {
        return None;
    }
    let (_, import) = service_name::import_of(program, file, package)?;
    let mut parts = import.module.rsplit('/');
    let service = parts.next()?.to_owned();
    let is_generated = parts.any(|part| FOLDERS.contains(&part));
    is_generated.then_some(GeneratedMatch { service, n_before: 1, role: *role, is_specific: true })
}

/// Returns the service whose interface a field of an injected client has. The package of the interface has a word for rpcs.
pub(super) fn injected(program: &Program<'_>, file: FileIdx, path: &[&str]) -> Option<GeneratedMatch> {
    let [name] = path else { return None };
    let facts = program.facts(file);
    let is_injecting =
        facts.imports.iter().any(|import| import.module == "io.quarkus.grpc" && import.name == "GrpcClient");
    if !is_injecting || !matches!(program.language(file), Language::Java | Language::Kotlin) {
        return None;
    }
    // `@GrpcClient("cart") Channel channel` injects the connection.
    let (_, import) = service_name::import_of(program, file, name).filter(|(_, one)| !is_of_library(&one.module))?;
    let code = program.code(file);
    let is_declared = program.symbols_of(file).any(|symbol| {
        let declared = program.shape(symbol).declared.and_then(|declared| flow::type_path(code, declared));
        program.definition(symbol).kind == SymbolKind::Field && declared.as_deref() == Some(path)
    });
    let is_generated = is_declared && service_name::is_generated_module(&import.module);
    is_generated.then(|| GeneratedMatch {
        service: (*name).to_owned(),
        n_before: 0,
        role: Role::Client,
        is_specific: true,
    })
}

/// Returns true for a package of the library itself.
fn is_of_library(module: &str) -> bool {
    module == "io.grpc" || module.starts_with("io.grpc.")
}
