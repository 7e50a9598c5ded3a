//! Every use in a repository, one by one: of its own definitions, and of those of its providers. An export writes them.

use graph::{CERTAIN, Edge, EdgeKind, FileIdx, Node, Program, Resolution, uses};

use super::{CompilerTargets, JointLayout, is_by_type};
use crate::{compiler_facts::DefinitionPlace, link_facts::LinkFacts};

/// A use of a definition in a file of the importer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ImporterUse {
    /// The number of the file in the generation of the importer.
    pub file_idx: u32,
    /// The line of the use.
    pub line: u32,
    /// The innermost definition around the use, by its number in the file; `None` outside of definitions.
    pub user: Option<u32>,
    /// The repository of the target: 0 for the importer, then the providers in their order.
    pub repository: u32,
    /// The used definition, in the numbers of the generation of its repository.
    pub target: DefinitionPlace,
    /// The relation.
    pub kind: EdgeKind,
    /// The way in which the target was found.
    pub resolution: Resolution,
}

/// Returns the certain uses of definitions in a repository, in order.
pub fn importer_uses(importer: &LinkFacts, providers: &[LinkFacts]) -> Vec<ImporterUse> {
    let repositories: Vec<&LinkFacts> = std::iter::once(importer).chain(providers).collect();
    let layout = JointLayout::new(&repositories);
    let codebase = layout.codebase();
    let program = codebase.program();
    let targets = CompilerTargets::new(program, &repositories);
    let files = (0..importer.files.len() as u32).map(FileIdx);
    let of_file = |file: FileIdx| {
        let file_idx = importer.files[file.0 as usize].file_idx;
        let compiler = importer.compiler.uses(program, file, file_idx, |symbol| targets.of(symbol));
        uses(&codebase, file, compiler.as_ref(), |_| ()).0.edges
    };
    let edges = files.flat_map(of_file).filter(|edge| edge.resolution.confidence() >= CERTAIN);
    let mut found: Vec<ImporterUse> = edges.filter_map(|edge| importer_use(&layout, program, edge)).collect();
    found.sort_unstable();
    found
}

fn importer_use(layout: &JointLayout<'_>, program: &Program<'_>, edge: Edge) -> Option<ImporterUse> {
    let Node::Symbol(target) = edge.to else { return None };
    let (from, to) = (layout.file_of(program, edge.from), layout.file_of(program, edge.to));
    let user = match edge.from {
        Node::Symbol(symbol) => Some(program.definition_id(symbol).0),
        Node::File(_) => None,
    };
    (to.repository == 0 || is_by_type(edge.resolution)).then(|| ImporterUse {
        file_idx: from.facts.file_idx,
        line: edge.line,
        user,
        repository: to.repository,
        target: DefinitionPlace { file_idx: to.facts.file_idx, definition: program.definition_id(target).0 },
        kind: edge.kind,
        resolution: edge.resolution,
    })
}
