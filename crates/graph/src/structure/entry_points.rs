//! Entry points: where runs of the product begin.

use model::{FileClass, SymbolKind};

use super::{NodeEdge, NodeIdx, Numbers, derive::is_test};
use crate::{
    edge::EdgeKind,
    program::{Program, SymbolIdx},
};

/// The most entry points of one repository: a list for people.
const MAX_ENTRY_POINTS: usize = 200;

/// Returns main functions and the functions that answer routes, in order; none of them in tests.
pub(super) fn entry_points(
    program: &Program<'_>,
    numbers: &Numbers,
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

/// Says whether a function named `main` is where a program starts: at the top of its file, or in a class as Java has it.
fn is_main(program: &Program<'_>, symbol: SymbolIdx) -> bool {
    let definition = program.definition(symbol);
    let depth = definition.container.split('.').filter(|part| !part.is_empty()).count();
    matches!(definition.kind, SymbolKind::Function | SymbolKind::Method) && depth <= 1
}
