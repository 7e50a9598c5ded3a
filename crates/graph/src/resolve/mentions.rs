//! Documents: the definitions that a section names.

use model::{Language, SymbolKind, code::DefinitionId};

use super::{Edge, use_source};
use crate::{
    edge::{EdgeKind, Resolution},
    infer::Inference,
    program::{FileIdx, Node, Program, SymbolIdx},
};

/// Minimum length of a name without a receiver. Shorter names are often plain words.
const MIN_BARE_NAME: usize = 4;

/// Adds an edge from each section of a document to each definition that it names without ambiguity.
pub(super) fn documents(cx: &mut Inference<'_>, file: FileIdx, edges: &mut Vec<Edge>) {
    let program = cx.program;
    for reference in &program.facts(file).references {
        let Some(to) = mentioned_definition(program, &reference.receiver, &reference.name) else { continue };
        cx.consult(program.file_of(to));
        edges.push(Edge {
            from: use_source(program, file, reference.enclosing.map(DefinitionId)),
            to: Node::Symbol(to),
            kind: EdgeKind::Documents,
            resolution: Resolution::UniqueName,
            line: reference.line,
            n_sites: 1,
        });
    }
}

/// Returns the only definition that a name with its receiver can mean in prose.
fn mentioned_definition(program: &Program<'_>, receiver: &str, name: &str) -> Option<SymbolIdx> {
    if receiver.is_empty() && name.len() < MIN_BARE_NAME {
        return None;
    }
    let enclosing = receiver.rsplit(['.', ':', '#']).next().filter(|enclosing| !enclosing.is_empty());
    let is_candidate = |symbol: &&SymbolIdx| {
        let definition = program.definition(**symbol);
        let is_code = program.language(program.file_of(**symbol)) != Language::Markdown
            && !matches!(definition.kind, SymbolKind::Section | SymbolKind::Variable);
        let container = definition.container.rsplit('.').next().unwrap_or_default();
        // A member counts only together with its type: `run` alone is a word.
        let fits = match enclosing {
            Some(enclosing) => container == enclosing || container.is_empty(),
            None => container.is_empty(),
        };
        is_code && fits
    };
    let mut all = program.named(program.name_named(name)?).iter().filter(is_candidate);
    match (all.next(), all.next()) {
        (Some(only), None) => Some(*only),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::{EdgeKind, testing::edges};

    #[test]
    fn sections_name_definitions() {
        let fixture = "//- /a.py\nclass Client:\n    def run(self): pass\ndef start(): pass\n//- /b.md\n# Use\n`Client.run` after `start()`, not `run` or `nothing`\n";
        assert_eq!(
            edges(fixture, EdgeKind::Documents),
            ["b.md::Use -documents-> a.py::Client.run", "b.md::Use -documents-> a.py::start"]
        );
    }
}
