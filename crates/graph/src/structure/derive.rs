//! Edges that follow from other edges: overrides of methods, uses by tests, definitions in files.

use model::{FileClass, code::Flags};

use super::{NodeEdge, NodeIdx, NodeNumbers, is_certain};
use crate::{
    codebase::Codebase,
    edge::{EdgeKind, Resolution},
    inheritance::Inheritance,
    program::{Node, Program},
    structural_interfaces::structural_implementations,
};

/// Returns an edge from each Go type to each interface whose methods it has.
pub(super) fn structural(program: &Program<'_>, numbers: &NodeNumbers, edges: &[NodeEdge]) -> Vec<NodeEdge> {
    let mut bases = Inheritance::default();
    for edge in edges.iter().filter(|edge| edge.kind == EdgeKind::Extends && !edge.is_derived) {
        if let (Some(from), Some(to)) = (numbers.symbol(edge.from), numbers.symbol(edge.to)) {
            bases.add(from, to, edge.resolution);
        }
    }
    let found = structural_implementations(program, &bases, |_| true);
    found
        .into_iter()
        .map(|(of, interface)| NodeEdge {
            from: NodeIdx(of.0),
            to: NodeIdx(interface.0),
            kind: EdgeKind::Implements,
            resolution: Resolution::Structural,
            line: program.definition(of).name_line,
            n_sites: 1,
            is_derived: true,
        })
        .collect()
}

/// Returns an edge from each method to each method that overrides or implements it.
pub(super) fn dispatch(codebase: &Codebase<'_>, edges: &[NodeEdge], numbers: &NodeNumbers) -> Vec<NodeEdge> {
    let program = codebase.program();
    let mut inheritance = Inheritance::default();
    for edge in edges.iter().filter(|edge| matches!(edge.kind, EdgeKind::Extends | EdgeKind::Implements)) {
        if let (Some(from), Some(to)) = (numbers.symbol(edge.from), numbers.symbol(edge.to)) {
            inheritance.add(from, to, edge.resolution);
        }
    }
    let overrides = inheritance.overrides(codebase).into_iter();
    overrides
        .map(|one| NodeEdge {
            from: NodeIdx(one.declaration.0),
            to: NodeIdx(one.method.0),
            kind: EdgeKind::Dispatch,
            resolution: one.resolution,
            line: program.definition(one.declaration).name_line,
            n_sites: 1,
            is_derived: true,
        })
        .collect()
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
