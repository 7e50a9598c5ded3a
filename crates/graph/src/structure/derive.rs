//! Edges that follow from other edges: possible targets of a call of an interface, uses by tests, definitions in files.

use std::collections::BTreeMap;

use model::{FileClass, code::Flags};

use super::{NodeEdge, NodeIdx, NodeNumbers, is_certain};
use crate::{
    codebase::Codebase,
    edge::{EdgeKind, Resolution},
    infer::is_function,
    program::{Node, Program, SymbolIdx},
};

/// Maximum number of implementations that a call of an interface method is linked with.
const MAX_IMPLEMENTATIONS: usize = 12;

/// Maximum depth of inheritance that is searched.
const MAX_SUBTYPE_DEPTH: usize = 8;

/// Returns an edge of low confidence from each caller of a method to each override of it.
pub(super) fn dispatch(codebase: &Codebase<'_>, numbers: &NodeNumbers, edges: &[NodeEdge]) -> Vec<NodeEdge> {
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
        let below = overrides.entry(called).or_insert_with(|| overriding(codebase, called, &subtypes));
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

/// Returns the overrides of a method in subtypes; none if the language dispatches its calls statically.
fn overriding(
    codebase: &Codebase<'_>,
    method: SymbolIdx,
    subtypes: &BTreeMap<SymbolIdx, Vec<SymbolIdx>>,
) -> Vec<SymbolIdx> {
    let program = codebase.program();
    let Some(owner) = program.parent(method).filter(|owner| subtypes.contains_key(owner)) else { return Vec::new() };
    let flags = program.shape(method).flags;
    let dialect = codebase.dialect(program.file_of(method));
    let is_final =
        flags.has(Flags::STATIC) || (!dialect.overrides_methods_with_bodies() && !flags.has(Flags::ABSTRACT));
    if !is_function(program.definition(method).kind) || is_final {
        return Vec::new();
    }
    let name = program.name_of(method);
    let n_parameters = program.typed_shape(method).parameters.len();
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
                is_function(program.definition(*member).kind)
                    && program.typed_shape(*member).parameters.len() == n_parameters
            }));
        }
        if below.is_empty() || found.len() > MAX_IMPLEMENTATIONS {
            break;
        }
        level = below;
    }
    found
}

/// Returns an edge from each test to each definition or file of the product that it uses.
pub(super) fn tests(
    program: &Program<'_>,
    numbers: &NodeNumbers,
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

/// Returns true if a node belongs to the tests.
pub(crate) fn is_test(program: &Program<'_>, numbers: &NodeNumbers, node: NodeIdx, classes: &[FileClass]) -> bool {
    let in_test_file =
        numbers.file(program, node).is_some_and(|file| classes.get(file.0 as usize) == Some(&FileClass::Test));
    let is_flagged = || numbers.symbol(node).is_some_and(|symbol| program.shape(symbol).flags.has(Flags::TEST));
    in_test_file || is_flagged()
}

/// Returns an edge from each definition or file to its direct children.
pub(super) fn defines(program: &Program<'_>, numbers: &NodeNumbers) -> Vec<NodeEdge> {
    let symbols = program.file_indices().flat_map(|file| program.symbols_of(file).map(move |symbol| (file, symbol)));
    symbols
        .map(|(file, symbol)| {
            let enclosing = program.parent(symbol).map_or(Node::File(file), Node::Symbol);
            NodeEdge {
                from: numbers.node(enclosing),
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
