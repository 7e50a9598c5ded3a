//! Contracts with both sides in one repository: they are edges of its graph.

use std::{borrow::Cow, collections::BTreeMap};

use graph::{
    Codebase, ContractEdges, EdgeKind, GraphEdges, Node, NodeEdge, NodeNumbers, Program, Resolution, Structure,
};
use model::{FileClass, SymbolKind};

use crate::{contract::ContractKind, linked_file::LinkedFile, rpc_name::RpcNames};

/// Builds the graph of a repository from its linked files, in the order of files.
pub fn structure(codebase: &Codebase<'_>, files: &[LinkedFile], classes: &[FileClass]) -> Structure {
    let program = codebase.program();
    let numbers = NodeNumbers::new(program);
    let mut edges = route_edges(&numbers, files);
    edges.extend(contract_edges(program, &numbers, files));
    let n_routes = files.iter().map(|file| file.contracts.routes.len()).sum::<usize>() as u32;
    let contracts = ContractEdges { n_routes, edges };
    let edges = GraphEdges::new(codebase, files.iter().map(|file| &file.resolved), &contracts, classes);
    let (ranking, counts) = rayon::join(|| edges.rank(program), || edges.count(program, classes));
    edges.with(ranking, counts)
}

/// Returns an edge from each route to its handler.
fn route_edges(numbers: &NodeNumbers, files: &[LinkedFile]) -> Vec<NodeEdge> {
    let routes = files.iter().flat_map(|file| &file.contracts.routes).zip(0..);
    let edges = routes.filter_map(|(route, route_idx)| {
        Some(NodeEdge {
            from: numbers.route(route_idx),
            to: numbers.node(route.handler?),
            kind: EdgeKind::Handles,
            resolution: Resolution::Declared,
            line: route.line,
            n_sites: 1,
            is_derived: true,
        })
    });
    edges.collect()
}

/// Returns an edge for each use of what the repository offers: from a caller to the rpc or the route handler, from an rpc to its
/// implementation, from a user to the message.
///
/// A route must be offered once. Copies of the definition of an rpc are one definition: the use means the copy nearest to it.
fn contract_edges(program: &Program<'_>, numbers: &NodeNumbers, files: &[LinkedFile]) -> Vec<NodeEdge> {
    let mut offered: BTreeMap<&str, Vec<(Node, u32)>> = BTreeMap::new();
    let is_remote = |kind: ContractKind| matches!(kind, ContractKind::Grpc | ContractKind::Http);
    for offer in files.iter().flat_map(|file| &file.contracts.offers).filter(|offer| is_remote(offer.kind)) {
        let nodes = offered.entry(&offer.key).or_default();
        if nodes.iter().all(|(node, _)| *node != offer.node) {
            nodes.push((offer.node, offer.line));
        }
    }
    let offers = files.iter().flat_map(|file| &file.contracts.offers);
    let rpcs: RpcNames<'_> =
        offers.filter(|offer| offer.kind == ContractKind::Grpc).map(|offer| offer.key.as_str()).collect();
    let mut edges = Vec::new();
    for used in files.iter().flat_map(|file| &file.contracts.uses).filter(|used| is_remote(used.kind)) {
        let of_key = |key: &str| offered.get(key).map_or(&[][..], Vec::as_slice);
        let meant = match used.kind {
            ContractKind::Grpc => match rpcs.candidate_names(&used.key).as_slice() {
                [name] => nearest(program, used.node, of_key(name)),
                _ => None,
            },
            _ => match of_key(&without_base(&used.key)) {
                [only] => Some(*only),
                _ => None,
            },
        };
        let Some((offer, offer_line)) = meant else { continue };
        let is_call = used.kind == ContractKind::Http || used.key.contains('/') && is_rpc(program, offer);
        // The line is in the file of the edge's source.
        let (from, to, kind, line) = match (used.serves, is_call) {
            (true, _) => (offer, used.node, EdgeKind::Handles, offer_line),
            (false, true) => (used.node, offer, EdgeKind::Calls, used.line),
            (false, false) => (used.node, offer, EdgeKind::References, used.line),
        };
        edges.push(NodeEdge {
            from: numbers.node(from),
            to: numbers.node(to),
            kind,
            resolution: Resolution::Contract,
            line,
            n_sites: used.n_sites,
            is_derived: true,
        });
    }
    edges
}

/// Returns the definition whose path has the longest beginning in common with that of a user.
fn nearest(program: &Program<'_>, user: Node, definitions: &[(Node, u32)]) -> Option<(Node, u32)> {
    let path = |node: Node| match node {
        Node::File(file) => program.path(file),
        Node::Symbol(symbol) => program.path(program.file_of(symbol)),
    };
    let user = path(user);
    let n_common = |node: Node| path(node).bytes().zip(user.bytes()).take_while(|(a, b)| a == b).count();
    // Of several, the first is the nearest.
    definitions.iter().rev().copied().max_by_key(|(node, _)| n_common(*node))
}

/// Returns the key of a request without the base that only the running client knows: `GET /items` of `GET {}/items`.
fn without_base(key: &str) -> Cow<'_, str> {
    match key.split_once(" {}/") {
        Some((method, path)) => Cow::Owned(format!("{method} /{path}")),
        None => Cow::Borrowed(key),
    }
}

fn is_rpc(program: &Program<'_>, node: Node) -> bool {
    matches!(node, Node::Symbol(symbol) if program.definition(symbol).kind == SymbolKind::Rpc)
}
