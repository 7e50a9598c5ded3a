//! Edges that follow from other edges: what an interface's call may reach, what a test exercises, who answers a route.

use std::collections::BTreeMap;

use model::{FileClass, code::Flags};

use super::{NodeEdge, NodeIdx, Numbers, is_certain};
use crate::{
    contracts::ContractKind,
    edge::{EdgeKind, Resolution},
    infer::is_function,
    program::{Program, SymbolIdx},
    resolve::{Node, Resolved},
};

/// The most implementations that a call of an interface's method gets candidates for; beyond it the declaration tells more.
const MAX_IMPLEMENTATIONS: usize = 12;

/// How many types may build on each other in a row.
const MAX_SUBTYPE_DEPTH: usize = 8;

/// Returns an edge of low confidence from each caller of a method to what the types below override it with.
pub(super) fn dispatch(program: &Program<'_>, numbers: &Numbers, edges: &[NodeEdge]) -> Vec<NodeEdge> {
    let mut subtypes: BTreeMap<SymbolIdx, Vec<SymbolIdx>> = BTreeMap::new();
    for edge in edges.iter().filter(|edge| matches!(edge.kind, EdgeKind::Extends | EdgeKind::Implements)) {
        if let (Some(from), Some(to)) = (numbers.symbol(edge.from), numbers.symbol(edge.to)) {
            subtypes.entry(to).or_default().push(from);
        }
    }
    if subtypes.is_empty() {
        return Vec::new();
    }
    let mut overrides: BTreeMap<SymbolIdx, Vec<SymbolIdx>> = BTreeMap::new();
    let mut found = Vec::new();
    for edge in edges.iter().filter(|edge| edge.kind == EdgeKind::Calls && is_certain(edge)) {
        let Some(called) = numbers.symbol(edge.to) else { continue };
        let below = overrides.entry(called).or_insert_with(|| overriding(program, called, &subtypes));
        if below.len() > MAX_IMPLEMENTATIONS {
            continue;
        }
        found.extend(below.iter().map(|to| NodeEdge {
            to: NodeIdx(to.0),
            resolution: Resolution::Dispatch,
            is_derived: true,
            ..*edge
        }));
    }
    let known: std::collections::BTreeSet<_> = edges.iter().map(|edge| (edge.from, edge.to, edge.kind)).collect();
    found.retain(|edge| !known.contains(&(edge.from, edge.to, edge.kind)));
    found
}

/// Returns the methods of types below that have the name of a method; none where the language calls what is written.
fn overriding(
    program: &Program<'_>,
    method: SymbolIdx,
    subtypes: &BTreeMap<SymbolIdx, Vec<SymbolIdx>>,
) -> Vec<SymbolIdx> {
    let Some(owner) = program.parent(method).filter(|owner| subtypes.contains_key(owner)) else { return Vec::new() };
    let flags = program.shape(method).flags;
    let dialect = program.dialect(program.file_of(method));
    let is_final =
        flags.has(Flags::STATIC) || (!dialect.overrides_methods_with_bodies() && !flags.has(Flags::ABSTRACT));
    if !is_function(program.definition(method).kind) || is_final {
        return Vec::new();
    }
    let name = program.name_of(method);
    let n_parameters = program.shape(method).parameters.len();
    let mut found = Vec::new();
    let mut seen = std::collections::BTreeSet::from([owner]);
    let mut level = vec![owner];
    for _ in 0..MAX_SUBTYPE_DEPTH {
        let below: Vec<SymbolIdx> = level
            .iter()
            .filter_map(|of| subtypes.get(of))
            .flatten()
            .copied()
            .filter(|subtype| seen.insert(*subtype))
            .collect();
        for subtype in &below {
            let members = program.members(*subtype, name).iter().copied();
            found.extend(members.filter(|member| {
                is_function(program.definition(*member).kind) && program.shape(*member).parameters.len() == n_parameters
            }));
        }
        if below.is_empty() || found.len() > MAX_IMPLEMENTATIONS {
            break;
        }
        level = below;
    }
    found
}

/// Returns an edge from each test to each part of the product that it uses.
pub(super) fn tests(
    program: &Program<'_>,
    numbers: &Numbers,
    edges: &[NodeEdge],
    classes: &[FileClass],
) -> Vec<NodeEdge> {
    let is_test = |node: NodeIdx| is_test(program, numbers, node, classes);
    let uses = edges.iter().filter(|edge| {
        matches!(edge.kind, EdgeKind::Calls | EdgeKind::References | EdgeKind::Imports) && is_certain(edge)
    });
    uses.filter(|edge| is_test(edge.from) && !is_test(edge.to))
        .map(|edge| NodeEdge { kind: EdgeKind::Tests, is_derived: true, ..*edge })
        .collect()
}

/// Says whether a node is a part of the tests.
pub(crate) fn is_test(program: &Program<'_>, numbers: &Numbers, node: NodeIdx, classes: &[FileClass]) -> bool {
    let in_test_file =
        numbers.file(program, node).is_some_and(|file| classes.get(file.0 as usize) == Some(&FileClass::Test));
    let is_flagged = || numbers.symbol(node).is_some_and(|symbol| program.shape(symbol).flags.has(Flags::TEST));
    in_test_file || is_flagged()
}

/// Returns an edge from each definition, or file, to what stands directly in it.
pub(super) fn defines(program: &Program<'_>, numbers: &Numbers) -> Vec<NodeEdge> {
    let symbols = program.file_indices().flat_map(|file| program.symbols_of(file).map(move |symbol| (file, symbol)));
    symbols
        .map(|(file, symbol)| {
            let around = program.parent(symbol).map_or(Node::File(file), Node::Symbol);
            NodeEdge {
                from: numbers.node(around),
                to: NodeIdx(symbol.0),
                kind: EdgeKind::Defines,
                resolution: Resolution::Declared,
                line: program.definition(symbol).name_line,
                n_sites: 1,
                is_derived: true,
            }
        })
        .collect()
}

/// Returns an edge for each contract of which both sides are in the repository: from a caller to the rpc or the function
/// that answers the route, from an rpc to the method that serves it, from a user to the message.
pub(super) fn contracts(program: &Program<'_>, numbers: &Numbers, resolved: &[Resolved]) -> Vec<NodeEdge> {
    let mut offered: BTreeMap<&str, Vec<(Node, u32)>> = BTreeMap::new();
    let is_wire = |kind: ContractKind| matches!(kind, ContractKind::Grpc | ContractKind::Http);
    for offer in resolved.iter().flat_map(|file| &file.contracts.offers).filter(|offer| is_wire(offer.kind)) {
        let nodes = offered.entry(&offer.key).or_default();
        if nodes.iter().all(|(node, _)| *node != offer.node) {
            nodes.push((offer.node, offer.line));
        }
    }
    let uses = resolved.iter().flat_map(|file| &file.contracts.uses).filter(|one| is_wire(one.kind));
    let mut found = Vec::new();
    for one in uses {
        let [(offer, offer_line)] = offered.get(one.key.as_str()).map_or(&[][..], Vec::as_slice) else { continue };
        let is_called = one.kind == ContractKind::Http || one.key.contains('/') && is_rpc(program, *offer);
        // The line is in the file that the edge comes from.
        let (from, to, kind, line) = match (one.serves, is_called) {
            (true, _) => (*offer, one.node, EdgeKind::Handles, *offer_line),
            (false, true) => (one.node, *offer, EdgeKind::Calls, one.line),
            (false, false) => (one.node, *offer, EdgeKind::References, one.line),
        };
        found.push(NodeEdge {
            from: numbers.node(from),
            to: numbers.node(to),
            kind,
            resolution: Resolution::Contract,
            line,
            n_sites: one.n_sites,
            is_derived: true,
        });
    }
    found
}

fn is_rpc(program: &Program<'_>, node: Node) -> bool {
    matches!(node, Node::Symbol(symbol) if program.definition(symbol).kind == model::SymbolKind::Rpc)
}

/// Returns an edge from each route to the function that answers it.
pub(super) fn handles(numbers: &Numbers, resolved: &[Resolved]) -> Vec<NodeEdge> {
    let routes = resolved.iter().flat_map(|file| &file.contracts.routes).enumerate();
    routes
        .filter_map(|(index, route)| {
            let handler = route.handler?;
            Some(NodeEdge {
                from: NodeIdx(numbers.n_symbols + numbers.n_files + index as u32),
                to: numbers.node(handler),
                kind: EdgeKind::Handles,
                resolution: Resolution::Declared,
                line: route.line,
                n_sites: 1,
                is_derived: true,
            })
        })
        .collect()
}
