//! Handlers of operations of an OpenAPI document, where generated code has the routes: functions with the name of an `operationId`.

use graph::{FileIdx, Node, Program, SymbolIdx};
use model::{Language, SymbolKind, code::Flags};

use super::route_offer;
use crate::{
    contract::ContractOffer,
    manifests::{OpenApiOperation, RepositoryManifests},
};

/// Ends of the names of the interfaces that generators make for servers.
const INTERFACES: [&str; 6] =
    ["Api", "ApiDelegate", "ApiService", "ApiController", "ServerInterface", "ControllerBase"];

/// Words in the names of types that implement such an interface without naming it, as in Go.
const SERVERS: [&str; 6] = ["server", "handler", "api", "controller", "impl", "service"];

/// Returns the operations that functions of a file handle.
pub(super) fn offers(program: &Program<'_>, manifests: &RepositoryManifests, file: FileIdx) -> Vec<ContractOffer> {
    if !manifests.has_identifiers() || super::is_test_or_example(program.path(file)) {
        return Vec::new();
    }
    let functions = program.symbols_of(file).filter(|symbol| {
        let is_function = matches!(program.definition(*symbol).kind, SymbolKind::Function | SymbolKind::Method);
        is_function && !program.shape(*symbol).flags.has(Flags::DECLARATION)
    });
    let handled = functions.flat_map(|function| {
        let of_name = manifests.operations_named(&program.definition(function).name).iter();
        let handles = of_name.filter(move |operation| is_handler(program, file, function, operation));
        handles.map(move |operation| (function, operation))
    });
    let offers = handled.filter_map(|(function, operation)| {
        let line = program.definition(function).name_line;
        route_offer(&operation.method, &operation.path, Node::Symbol(function), line)
    });
    offers.collect()
}

/// Returns true if a function with the name of an operation is its handler: in the module that the identifier names, or in a type
/// that implements the interface of a generated server.
fn is_handler(program: &Program<'_>, file: FileIdx, function: SymbolIdx, operation: &OpenApiOperation) -> bool {
    if let Some((module, _)) = operation.id.rsplit_once('.') {
        let path = program.path(file).rsplit_once('.').map_or("", |(path, _)| path);
        return path.ends_with(&module.replace('.', "/"));
    }
    let Some(owner) = program.parent(function) else { return false };
    let definition = program.definition(owner);
    let name = definition.name.to_ascii_lowercase();
    if name.contains("client") {
        return false;
    }
    if program.language(file) == Language::Go {
        return SERVERS.iter().any(|word| name.contains(word));
    }
    let references = program.facts(file).references.iter();
    let mut bases = references.filter(|reference| {
        use model::ReferenceKind::{Extend, Implement};
        matches!(reference.kind, Extend | Implement)
            && reference.enclosing == Some(program.definition_id(owner).index() as u32)
    });
    bases.any(|base| INTERFACES.iter().any(|end| base.name.ends_with(end)))
}

#[cfg(test)]
mod tests {
    use crate::testing::contracts;

    #[test]
    fn operations_lead_to_their_handlers() {
        let document = |id: &str| {
            format!("//- /openapi.yaml\nopenapi: 3.0.0\npaths:\n  /items/{{id}}:\n    get:\n      operationId: {id}\n")
        };
        for (id, code, expected) in [
            (
                "getItem",
                "//- /server.go\npackage a\ntype Server struct{}\nfunc (s *Server) GetItem(w W, r *R, id string) {}\n",
                Some("+ GET /items/{} = server.go::Server.GetItem"),
            ),
            (
                "getItem",
                "//- /C.java\nclass ItemsController implements ItemsApi { public Item getItem(String id) { return null; } }\n",
                Some("+ GET /items/{} = C.java::ItemsController.getItem"),
            ),
            (
                "api.items.get_item",
                "//- /src/api/items.py\ndef get_item(id): pass\n",
                Some("+ GET /items/{} = src/api/items.py::get_item"),
            ),
            // Other functions of that name.
            ("getItem", "//- /C.java\nclass ItemStore { public Item getItem(String id) { return null; } }\n", None),
            ("getItem", "//- /c.go\npackage a\ntype Client struct{}\nfunc (s *Client) GetItem(id string) {}\n", None),
            ("api.items.get_item", "//- /src/db.py\ndef get_item(id): pass\n", None),
        ] {
            let lines = contracts(&format!("{}{code}", document(id)));
            let found = lines.iter().find(|line| line.starts_with("+ GET") && !line.ends_with("openapi.yaml"));
            assert_eq!(found.map(String::as_str), expected, "{code}\n{lines:#?}");
        }
    }
}
