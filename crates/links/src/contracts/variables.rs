//! Variables that code reads from its environment, with their default addresses.

use graph::{FileIdx, Program};
use model::DocumentFormat;

use super::enclosing::{enclosing_node, entries};
use crate::contract::{ContractKind, ContractUse};

/// Returns the variables that a file reads.
pub(super) fn uses(program: &Program<'_>, file: FileIdx) -> Vec<ContractUse> {
    let uses = entries(program, file, DocumentFormat::Variables).map(|entry| ContractUse {
        kind: ContractKind::Variable,
        key: entry.key.clone(),
        member: entry.value.clone(),
        node: enclosing_node(program, file, entry.line),
        line: entry.line,
        confidence: 0.9,
        n_sites: 1,
        serves: false,
    });
    uses.collect()
}
