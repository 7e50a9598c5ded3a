//! Contracts: what a repository offers to others, and what it takes from them.

mod apart;
mod exported;
mod imported;
mod openapi;
mod packages;
mod protobuf;
mod requests;
mod routes;
mod template;

use std::collections::BTreeMap;

use model::Language;

use crate::{
    infer::Inference,
    manifest::is_manifest,
    program::{FileIdx, Manifest, Program},
    resolve::Node,
};

pub(crate) use openapi::is_document;

use openapi::Operation;
use packages::{Declared, Packages};

/// What kind of border a contract crosses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContractKind {
    /// A package as a whole.
    Package,
    /// A name of a package.
    PackageSymbol,
    /// A service, rpc or message of protobuf.
    Grpc,
    /// An HTTP route and those who call it.
    Http,
}

impl ContractKind {
    /// Returns the kind with this number, in the order of declaration, which is also the number on disk.
    pub fn from_index(index: u8) -> Option<ContractKind> {
        use ContractKind::*;
        [Package, PackageSymbol, Grpc, Http].get(index as usize).copied()
    }
}

/// What one file says of contracts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Contracts {
    pub offers: Vec<Offer>,
    pub uses: Vec<Use>,
    pub routes: Vec<Route>,
}

/// Something that others may use.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Offer {
    pub kind: ContractKind,
    /// What both sides call it; of a package symbol the key of the package.
    pub key: String,
    /// Of a package symbol: its name within the package, `module.path::Name`; empty otherwise.
    pub member: String,
    pub node: Node,
    pub line: u32,
}

/// Something that is used and not defined in the repository.
#[derive(Debug, Clone, PartialEq)]
pub struct Use {
    pub kind: ContractKind,
    pub key: String,
    pub member: String,
    /// The innermost definition around the use.
    pub node: Node,
    pub line: u32,
    /// How sure it is that this is meant, in (0, 1].
    pub confidence: f32,
    pub n_sites: u32,
    /// Of an rpc or a service: this definition answers it, rather than calls it.
    pub serves: bool,
}

/// An HTTP route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// `GET` and the like; `*` where any is answered.
    pub method: String,
    /// With `{name}` for what varies.
    pub path: String,
    pub line: u32,
    pub handler: Option<Node>,
}

/// What the manifests and documents of a repository promise, whatever its code says.
#[derive(Debug, Default)]
pub(crate) struct Promised {
    pub(crate) packages: Packages,
    operations: BTreeMap<String, Vec<Operation>>,
}

impl Promised {
    pub(crate) fn new(manifests: &[Manifest<'_>]) -> Promised {
        let documents = manifests.iter().filter(|manifest| openapi::is_document(manifest.path));
        Promised {
            packages: Packages::new(manifests),
            operations: documents
                .map(|document| (document.path.to_owned(), openapi::operations(document.text)))
                .collect(),
        }
    }
}

/// Reads the contracts of one file.
pub(crate) fn contracts(cx: &mut Inference<'_>, file: FileIdx) -> Contracts {
    let program = cx.program;
    let path = program.path(file);
    if program.language(file) == Language::Protobuf {
        return Contracts { offers: protobuf::offers(program, file), ..Contracts::default() };
    }
    if is_manifest(path) {
        return of_manifest(program, file);
    }
    let (routes, registered) = routes::routes(cx, file);
    let mut offers = exported::offers(cx, file);
    let served = routes.iter().filter(|_| !apart::is_apart(path));
    offers.extend(served.filter_map(|route| {
        let key = format!("{} {}", route.method, template::normal(&route.path)?);
        let node = route.handler.unwrap_or(Node::File(file));
        Some(Offer { kind: ContractKind::Http, key, member: String::new(), node, line: route.line })
    }));
    let mut uses = imported::uses(cx, file);
    uses.extend(protobuf::uses(cx, file));
    uses.extend(requests::uses(cx, file, &registered));
    Contracts { offers, uses, routes }
}

/// A manifest offers what it makes and uses what it requires; a document of OpenAPI offers its operations.
fn of_manifest(program: &Program<'_>, file: FileIdx) -> Contracts {
    let promised = &program.promised;
    let is_apart = apart::is_apart(program.path(file));
    let (own, required) = promised.packages.at(program.path(file));
    let node = Node::File(file);
    let package = |declared: &Declared| Offer {
        kind: ContractKind::Package,
        key: declared.key.clone(),
        member: String::new(),
        node,
        line: declared.line,
    };
    let operations = promised.operations.get(program.path(file)).into_iter().flatten();
    let operations = operations.filter_map(|operation| {
        let key = format!("{} {}", operation.method, template::normal(&operation.path)?);
        Some(Offer { kind: ContractKind::Http, key, member: String::new(), node, line: operation.line })
    });
    let uses = required.into_iter().filter(|declared| !promised.packages.makes(&declared.key)).map(|declared| Use {
        kind: ContractKind::Package,
        key: declared.key.clone(),
        member: String::new(),
        node,
        line: declared.line,
        confidence: 1.0,
        n_sites: 1,
        serves: false,
    });
    Contracts {
        offers: own.into_iter().map(package).chain(operations).filter(|_| !is_apart).collect(),
        uses: uses.collect(),
        routes: Vec::new(),
    }
}

#[cfg(test)]
mod tests;
