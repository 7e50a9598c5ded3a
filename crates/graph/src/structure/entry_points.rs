//! Entry points: main functions and route handlers of the product.

use model::{FileClass, SymbolKind};

use super::{NodeEdge, NodeIdx, NodeNumbers, derive::is_test};
use crate::{
    edge::EdgeKind,
    program::{Program, SymbolIdx},
};

/// Maximum number of entry points of one repository: people read the list.
const MAX_ENTRY_POINTS: usize = 200;

/// Returns main functions and route handlers outside of tests, in order.
pub(super) fn entry_points(
    program: &Program<'_>,
    numbers: &NodeNumbers,
    edges: &[NodeEdge],
    classes: &[FileClass],
) -> Vec<NodeIdx> {
    let handlers = edges.iter().filter(|edge| edge.kind == EdgeKind::Handles).map(|edge| edge.to);
    let mains = program.name_named("main").map(|main| program.named(main)).unwrap_or_default();
    let mains = mains.iter().filter(|symbol| is_main(program, **symbol)).map(|symbol| NodeIdx(symbol.0));
    let mut found: Vec<NodeIdx> =
        mains.chain(handlers).filter(|node| !is_test(program, numbers, *node, classes)).collect();
    found.sort_unstable();
    found.dedup();
    found.truncate(MAX_ENTRY_POINTS);
    found
}

/// Returns true if a function named `main` starts a program: it is at the top level, or in a class as in Java.
fn is_main(program: &Program<'_>, symbol: SymbolIdx) -> bool {
    let definition = program.definition(symbol);
    let depth = definition.container.split('.').filter(|part| !part.is_empty()).count();
    matches!(definition.kind, SymbolKind::Function | SymbolKind::Method) && depth <= 1
}
