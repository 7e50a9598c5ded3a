//! HTTP routes in the notations of frameworks: method, path and handler.
//!
//! A framework is known by the form of its registration: a call (`calls`, `chained`, `python`, `rust`), a decorator, annotation or attribute (`decorated`, `inherited`), the
//! path of a file (`files`), or a resource that stands for several routes (`resources`). A router that is mounted under a path gives
//! its routes to the file that mounts it (`mounts`, `function_mounts`); groups have prefixes (`prefixes`).

mod calls;
mod chained;
mod decorated;
mod doc_annotations;
mod files;
mod function_mounts;
mod generated;
mod handlers;
mod inherited;
mod mounts;
mod prefixes;
mod python;
mod resources;
mod rust;
#[cfg(test)]
pub(super) mod tests;

use graph::{FileIdx, Node, SymbolIdx};
use model::code::{ExpressionId, ScopeId};
use rustc_hash::FxHashMap;

use super::{path_template, values::ValueReader};
use crate::contract::{ContractKind, ContractOffer, HttpRoute};

pub(super) use handlers::is_function;

/// Maximum number of routes of one file; the largest hand-written tables have hundreds.
const MAX_ROUTES: usize = 20_000;

/// The routes of a file.
#[derive(Debug, Default)]
pub(super) struct FileRoutes {
    pub(super) routes: Vec<FoundRoute>,
    /// The expressions that register routes; they are no requests.
    pub(super) registrations: Vec<ExpressionId>,
}

/// A route, and the line of its offer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FoundRoute {
    pub(super) route: HttpRoute,
    /// The place of the offer: the handler, else the file of the registration; none for the file that the route belongs to.
    offer_node: Option<Node>,
    /// The line of the registration if it is in the file of the place; otherwise that of the handler.
    offer_line: u32,
}

/// A handler, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
struct RouteHandler {
    node: Option<Node>,
    /// True if the handler is a closure within the node.
    is_inline: bool,
}

/// A call or decoration that registers a route on a router.
#[derive(Debug, Clone)]
struct Registration {
    methods: Vec<String>,
    /// The path behind the prefix of the router.
    path: String,
    handler: RouteHandler,
    /// The router; none for a function of a module.
    router: Option<ExpressionId>,
    call: ExpressionId,
    scope: ScopeId,
    line: u32,
}

impl FoundRoute {
    /// Returns the offer of the route; `None` if its path is invalid.
    pub(super) fn offer(&self, file: FileIdx) -> Option<ContractOffer> {
        let key = format!("{} {}", self.route.method, path_template::normalize(&self.route.path)?);
        let node = self.offer_node.unwrap_or(Node::File(file));
        Some(ContractOffer { kind: ContractKind::Http, key, member: String::new(), node, line: self.offer_line })
    }
}

/// Returns the routes of a file.
pub(super) fn routes(values: &mut ValueReader<'_, '_>, file: FileIdx) -> FileRoutes {
    let mut reader =
        RouteReader { values, registrations: FxHashMap::default(), n_mounts: 0, extended: FxHashMap::default() };
    let own = reader.registrations(file);
    let mounts = reader.mounts(file, &own);
    let mut found = FileRoutes::default();
    for registration in own.iter().filter(|one| !mounts.own_calls.contains(&one.call)) {
        for prefix in reader.prefixes_of(file, registration) {
            found.routes.extend(reader.found(file, registration, &prefix, registration.line));
        }
    }
    found.routes.extend(mounts.routes);
    found.registrations.extend(own.iter().map(|one| one.call));
    found.registrations.extend(mounts.calls);
    found.routes.extend(files::routes(reader.values.program(), file));
    found.routes.truncate(MAX_ROUTES);
    found
}

/// Reads the routes of one file and of the routers that it mounts.
struct RouteReader<'r, 'c, 'p> {
    values: &'r mut ValueReader<'c, 'p>,
    registrations: FxHashMap<FileIdx, std::rc::Rc<[Registration]>>,
    /// Number of routers that were read for the current mount.
    n_mounts: u32,
    /// By abstract class: true if a controller extends it.
    extended: FxHashMap<SymbolIdx, bool>,
}

impl RouteReader<'_, '_, '_> {
    /// Returns the routes of a registration of the file `home` behind a prefix. `line` is in the file that the routes belong to.
    fn found(&self, home: FileIdx, registration: &Registration, prefix: &str, line: u32) -> Vec<FoundRoute> {
        let program = self.values.program();
        let handler = registration.handler;
        // A closure at the level of its file is where it is registered, not where its router is mounted.
        let offer_node = handler.node.unwrap_or(Node::File(home));
        let offer_line = match offer_node {
            Node::Symbol(symbol) if program.file_of(symbol) != home => program.definition(symbol).name_line,
            _ => registration.line,
        };
        let paths = path_template::expand_optional(&joined(prefix, &registration.path));
        let all = registration.methods.iter().flat_map(|method| paths.iter().map(move |path| (method, path)));
        all.map(|(method, path)| FoundRoute {
            route: HttpRoute { method: method.clone(), path: path.clone(), line, handler: handler.node },
            offer_node: Some(offer_node),
            offer_line,
        })
        .collect()
    }
}

fn file_of(program: &graph::Program<'_>, node: Node) -> FileIdx {
    match node {
        Node::File(file) => file,
        Node::Symbol(symbol) => program.file_of(symbol),
    }
}

/// Returns a path behind a prefix, with one slash between them.
fn joined(prefix: &str, path: &str) -> String {
    let prefix = prefix.trim_end_matches('/');
    match path {
        "" if prefix.is_empty() => "/".to_owned(),
        "" => prefix.to_owned(),
        "/" if !prefix.is_empty() => prefix.to_owned(),
        path if path.starts_with('/') => format!("{prefix}{path}"),
        path => format!("{prefix}/{path}"),
    }
}
