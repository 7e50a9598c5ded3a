//! Variables that code reads from its environment, with their default addresses.

use graph::{FileIdx, Node, Program};
use model::DocumentFormat;

use crate::contract::{ContractKind, ContractUse};

/// Returns the variables that a file reads.
pub(super) fn uses(program: &Program<'_>, file: FileIdx) -> Vec<ContractUse> {
    let facts = program.facts(file);
    let documents = facts.documents.iter().filter(|document| document.format == DocumentFormat::Variables);
    let entries = documents.flat_map(|document| &document.entries);
    let uses = entries.map(|entry| {
        let enclosing = (0..).zip(&facts.definitions).filter(|(_, definition)| {
            definition.lines.start <= entry.line && entry.line <= definition.lines.end
        });
        let innermost = enclosing.last().map(|(index, _)| model::code::DefinitionId(index));
        ContractUse {
            kind: ContractKind::Variable,
            key: entry.key.clone(),
            member: entry.value.clone(),
            node: innermost.map_or(Node::File(file), |definition| Node::Symbol(program.symbol(file, definition))),
            line: entry.line,
            confidence: 0.9,
            n_sites: 1,
            serves: false,
        }
    });
    uses.collect()
}
