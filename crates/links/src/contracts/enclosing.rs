//! The definition around a line or a scope.

use graph::{FileIdx, Node, Program};
use model::{
    DocumentEntry, DocumentFormat,
    code::{DefinitionId, ScopeId},
};

/// Returns the innermost definition around a line; the file if there is none.
pub(super) fn enclosing_node(program: &Program<'_>, file: FileIdx, line: u32) -> Node {
    let definitions = (0..).zip(&program.facts(file).definitions);
    let around = definitions.filter(|(_, one)| one.lines.start <= line && line <= one.lines.end);
    node_of(program, file, around.last().map(|(index, _)| DefinitionId(index)))
}

/// Returns the innermost definition around a scope; the file if there is none.
pub(super) fn node_around(program: &Program<'_>, file: FileIdx, scope: ScopeId) -> Node {
    node_of(program, file, program.code(file).definition_around(scope))
}

/// Returns the node of a definition of a file; the file without one.
pub(super) fn node_of(program: &Program<'_>, file: FileIdx, definition: Option<DefinitionId>) -> Node {
    definition.map_or(Node::File(file), |definition| Node::Symbol(program.symbol(file, definition)))
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
