//! The service behind a name of generated code, with what the file tells about its package.

use graph::{FileIdx, Inference, Node, Program, SymbolIdx};
use model::{Import, Language};

use super::{generated, generators::GeneratedMatch};
use crate::{rpc_name::HINT, services};

/// Maximum number of files of an imported package that are searched for the name of a service.
const MAX_FILES_OF_IMPORT: usize = 40;

/// Maximum length of a hint; imports of all names of many namespaces carry no information.
const MAX_HINT_LEN: usize = 200;

/// Confidence of a name that only generated code for rpcs has, or that comes from generated code.
const WITH_EVIDENCE: f32 = 0.9;

/// A service, as far as a file names it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ServiceName {
    /// The package, or a hint of it; empty if nothing tells it.
    pub(super) package: String,
    /// True if `package` is the package itself.
    pub(super) is_exact: bool,
    /// The name of the service or message without its package.
    pub(super) name: String,
    /// At most that of a candidate if another library may have the name.
    pub(super) confidence: f32,
}

impl ServiceName {
    /// Returns a name with a hint of its package.
    pub(super) fn hinted(hint: String, name: &str, has_evidence: bool) -> ServiceName {
        let package = if hint.len() > MAX_HINT_LEN { String::new() } else { hint };
        ServiceName { package, is_exact: false, name: name.to_owned(), confidence: confidence(has_evidence) }
    }

    /// Returns a name in a known package.
    pub(super) fn exact(package: &str, name: &str) -> ServiceName {
        ServiceName { package: package.to_owned(), is_exact: true, name: name.to_owned(), confidence: WITH_EVIDENCE }
    }

    /// Returns the key of the service, or of one of its methods.
    pub(super) fn key(&self, method: &str) -> String {
        let mark = if self.is_exact || self.package.is_empty() { "" } else { &HINT.to_string() };
        let dot = if self.package.is_empty() { "" } else { "." };
        let slash = if method.is_empty() { "" } else { "/" };
        format!("{mark}{}{dot}{}{slash}{method}", self.package, self.name)
    }
}

fn confidence(has_evidence: bool) -> f32 {
    if has_evidence { WITH_EVIDENCE } else { services::CANDIDATE }
}

/// Returns the name of the service that a path of generated code means in a file; `None` if the path means code that was written by
/// hand. `resolved` is the definition of the path in the repository.
pub(super) fn of_match(
    cx: &mut Inference<'_>,
    file: FileIdx,
    path: &[&str],
    found: &GeneratedMatch,
    resolved: Option<SymbolIdx>,
) -> Option<ServiceName> {
    let program = cx.program;
    if let Some(resolved) = resolved {
        let of = program.file_of(resolved);
        if !generated::is_generated(program, of) {
            return None;
        }
        cx.consult(of);
        if let Some(package) = generated::package(program, of, &found.service) {
            return Some(ServiceName::exact(package, &found.service));
        }
    }
    let head = path.first().copied().unwrap_or_default();
    if let Some((import_idx, _)) = import_of(program, file, head)
        && let Some(package) = package_of_import(cx, file, import_idx, &found.service)
    {
        return Some(ServiceName::exact(package, &found.service));
    }
    let named = without_inference(program, file, path, found);
    Some(if resolved.is_some() { ServiceName { confidence: WITH_EVIDENCE, ..named } } else { named })
}

/// Returns the name of the service that a path of generated code means, by the imports of the file alone.
pub(super) fn without_inference(
    program: &Program<'_>,
    file: FileIdx,
    path: &[&str],
    found: &GeneratedMatch,
) -> ServiceName {
    let language = program.language(file);
    let (swift_package, service) = match found.service.rsplit_once('_') {
        Some((package, service)) if language == Language::Swift => (package, service),
        _ => ("", found.service.as_str()),
    };
    let head = path.first().copied().unwrap_or_default();
    let import = import_of(program, file, head);
    let mut hints: Vec<String> = Vec::new();
    let mut has_evidence = found.is_specific || names_grpc(program, file);
    if let Some((_, import)) = import {
        // The class around generated code is no part of the package.
        let outer =
            import.module.rsplit_once('.').filter(|(_, last)| last.ends_with("Grpc") || last.ends_with("GrpcKt"));
        let module = outer.map_or(import.module.as_str(), |(package, _)| package);
        hints.push(module.trim_matches(['.', '/']).to_owned());
        has_evidence |= is_generated_module(&import.module) || is_tonic_module(&import.module, service);
        let is_type = import.name.starts_with(|c: char| c.is_uppercase());
        if found.n_before > 0 && !import.name.is_empty() && !is_type {
            hints.push(import.name.clone());
        }
    } else if found.n_before == 0 {
        let star = program.facts(file).imports.iter().filter(|import| import.name == "*");
        hints.extend(star.map(|import| import.module.trim_matches(['.', '/']).to_owned()));
        if hints.is_empty() {
            hints.push(program.code(file).package.clone());
        }
    }
    has_evidence |= path.iter().any(|part| is_tonic_module(part, service));
    let before = path[..found.n_before].iter().skip(usize::from(import.is_some()));
    hints.extend(before.map(|part| (*part).to_owned()));
    hints.push(swift_package.to_owned());
    ServiceName::hinted(join_hints(&hints), service, has_evidence)
}

/// Joins the parts of hints, which are paths of several notations, with dots.
pub(super) fn join_hints(hints: &[String]) -> String {
    let parts = hints.iter().flat_map(|hint| hint.split(['.', '/', ':', '\\', '-', '@', '~']));
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    parts.join(".")
}

/// Returns a path with the imported name instead of the alias that begins it: of `Client` for `using Client = Shop.Cart.CartClient` in
/// C# the whole path.
pub(super) fn without_alias<'n>(program: &Program<'n>, file: FileIdx, path: &[&'n str]) -> Vec<&'n str> {
    let import = path.first().and_then(|head| import_of(program, file, head));
    let Some((_, import)) = import.filter(|(_, import)| !import.alias.is_empty()) else { return path.to_vec() };
    let is_path = program.language(file) == Language::CSharp;
    let named: Vec<&str> = match (is_path, import.name.as_str()) {
        (true, name) => import.module.split('.').chain([name]).filter(|part| !part.is_empty()).collect(),
        (false, name) if name.starts_with(|c: char| c.is_uppercase()) => vec![name],
        _ => vec![path[0]],
    };
    named.into_iter().chain(path[1..].iter().copied()).collect()
}

/// Returns the import that binds a name in a file, with its index.
pub(super) fn import_of<'p>(program: &Program<'p>, file: FileIdx, local: &str) -> Option<(usize, &'p Import)> {
    let language = program.language(file);
    let imports = program.facts(file).imports.iter().enumerate();
    imports
        .filter(|(_, import)| import.name != "*")
        .find(|(_, import)| crate::contracts::local_name(language, import) == local)
}

/// Returns the package of a service in the generated files that an import means.
fn package_of_import<'p>(cx: &mut Inference<'p>, file: FileIdx, import_idx: usize, service: &str) -> Option<&'p str> {
    let program = cx.program;
    let targets = cx.import_targets(file, import_idx);
    let files = targets.into_iter().take(MAX_FILES_OF_IMPORT).map(|target| match target {
        Node::File(file) => file,
        Node::Symbol(symbol) => program.file_of(symbol),
    });
    let generated = files.filter(|target| generated::is_generated(program, *target));
    let (of, package) =
        generated.into_iter().find_map(|target| Some((target, generated::package(program, target, service)?)))?;
    cx.consult(of);
    Some(package)
}

/// Returns true if a file imports a library for rpcs or generated code, or names the namespace of such a library.
pub(super) fn names_grpc(program: &Program<'_>, file: FileIdx) -> bool {
    let facts = program.facts(file);
    let is_imported = |import: &Import| is_generated_module(&import.module) || is_generated_module(&import.name);
    let has_namespace =
        matches!(program.language(file), Language::Php | Language::Ruby | Language::Cpp | Language::CSharp);
    let is_named = |receiver: &str| receiver.split([':', '\\', '.']).any(|part| part.eq_ignore_ascii_case("grpc"));
    facts.imports.iter().any(is_imported)
        || has_namespace && facts.references.iter().any(|reference| is_named(&reference.receiver))
}

/// Returns true if a name is in a namespace of generated code, or its import means a generated file.
pub(super) fn has_generated_namespace(cx: &mut Inference<'_>, file: FileIdx, path: &[&str]) -> bool {
    let program = cx.program;
    let Some((last, before)) = path.split_last() else { return false };
    if before.iter().any(|part| is_generated_module(part)) {
        return true;
    }
    let Some((import_idx, import)) = import_of(program, file, path[0]) else {
        return before.is_empty() && is_generated_module(&program.code(file).package);
    };
    let namespace = import.module.strip_suffix(*last).unwrap_or(&import.module);
    if is_generated_module(namespace) {
        return true;
    }
    cx.import_targets(file, import_idx).into_iter().any(|target| {
        let target = match target {
            Node::File(file) => file,
            Node::Symbol(symbol) => program.file_of(symbol),
        };
        cx.consult(target);
        generated::is_generated(program, target)
    })
}

/// Returns true if a module is a library for rpcs, or generated code by its name.
pub(super) fn is_generated_module(module: &str) -> bool {
    const WORDS: [&str; 8] = ["gen", "generated", "stubs", "twirp", "tonic", "connectrpc", "grpclib", "betterproto"];
    let module = module.to_ascii_lowercase();
    // Twirp has its packages in the folder `rpc` of a repository.
    let (domain, path) = module.split_once('/').unwrap_or((&module, ""));
    let is_of_repository = domain.contains('.') && !domain.starts_with('.');
    let is_version = |part: &str| part.strip_prefix('v').is_some_and(|rest| rest.parse::<u32>().is_ok());
    let mut pairs = path.split('/').zip(path.split('/').skip(1));
    if is_of_repository && pairs.any(|(folder, next)| folder == "rpc" && !is_version(next)) {
        return true;
    }
    module.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| {
        let is_protobuf = word.ends_with("pb") && word.len() > 1 || word.starts_with("pb") && word.len() < 4;
        // `protocol`, `prototype` and `textproto` are words of their own.
        let is_other = word.starts_with("protoc") || word.starts_with("prototyp") || word == "textproto";
        is_protobuf
            || word.contains("proto") && !is_other
            || word.contains("grpc")
            || word.ends_with("connect")
            || WORDS.contains(&word)
    })
}

/// Returns true for the module of a client or a server of tonic: `cart_service_client` of `CartService`.
fn is_tonic_module(module: &str, service: &str) -> bool {
    let last = module.rsplit(':').next().unwrap_or(module);
    let Some(stem) = last.strip_suffix("_client").or(last.strip_suffix("_server")) else { return false };
    stem.replace('_', "") == service.to_ascii_lowercase().replace('_', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_of_generated_code_are_known_by_their_words() {
        for (module, expected) in [
            ("github.com/acme/shop/genproto", true),
            ("m.org/gen/cart", true),
            ("shop_pb2_grpc", true),
            ("./shop_pb", true),
            ("google.golang.org/grpc", true),
            ("shop.pbgrpc.dart", true),
            ("m.org/shop/shopconnect", true),
            ("github.com/acme/shop/rpc/cart", true),
            ("github.com/acme/rpc/v2", false),
            ("net/rpc/jsonrpc", false),
            ("./rpc/cart/items", false),
            ("github.com/aws/aws-sdk-go", false),
            ("net/http", false),
            ("net/textproto", false),
            ("github.com/acme/p2p/protocol/dial", false),
            ("./cart", false),
        ] {
            assert_eq!(is_generated_module(module), expected, "{module}");
        }
        assert!(is_tonic_module("crate::pb::cart_service_client", "CartService"));
        assert!(!is_tonic_module("crate::http_client", "CartService"));
    }
}
