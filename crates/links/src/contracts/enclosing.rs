//! The definition around a line.

use graph::{FileIdx, Node, Program};
use model::{DocumentEntry, DocumentFormat, code::DefinitionId};

/// Returns the innermost definition around a line; the file if there is none.
pub(super) fn enclosing_node(program: &Program<'_>, file: FileIdx, line: u32) -> Node {
    let definitions = (0..).zip(&program.facts(file).definitions);
    let around = definitions.filter(|(_, one)| one.lines.start <= line && line <= one.lines.end);
    around.last().map_or(Node::File(file), |(index, _)| Node::Symbol(program.symbol(file, DefinitionId(index))))
}

/// Returns the entries of the documents of a file in one notation.
pub(super) fn entries<'p>(
    program: &Program<'p>,
    file: FileIdx,
    format: DocumentFormat,
) -> impl Iterator<Item = &'p DocumentEntry> + use<'p> {
    let documents = program.facts(file).documents.iter().filter(move |document| document.format == format);
    documents.flat_map(|document| &document.entries)
}
