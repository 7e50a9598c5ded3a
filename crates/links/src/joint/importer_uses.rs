//! Every use in a repository, one by one: of its own definitions, and of those of its providers. An export writes them.

use std::collections::BTreeSet;

use graph::{CERTAIN, Edge, EdgeKind, FileIdx, Node, Program, Resolution, uses};

use super::{CompilerTargets, JointLayout, copies, declared_packages, layout::is_by_type, rounds};
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

/// Returns the certain uses of definitions in a repository, in order: those of its providers as [`link_importer`](super::link_importer)
/// links them, with vendored copies and several makers of a package, and its own.
pub fn importer_uses(importer: &LinkFacts, providers: &[LinkFacts]) -> Vec<ImporterUse> {
    let providers: Vec<&LinkFacts> = providers.iter().collect();
    let linked = &*copies::without_copies(importer, &providers);
    let made: Vec<_> = providers.iter().map(|provider| declared_packages(provider)).collect();
    let nothing = LinkFacts::default();
    let mut missing: BTreeSet<usize> = (0..providers.len()).collect();
    let mut found: Vec<ImporterUse> = Vec::new();
    for (round, left_out) in rounds::left_out(&declared_packages(linked), &made).into_iter().enumerate() {
        let beside = providers.iter().enumerate();
        let beside: Vec<&LinkFacts> =
            beside.map(|(idx, provider)| if left_out.contains(&idx) { &nothing } else { *provider }).collect();
        let is_new = |one: &ImporterUse| match (one.repository as usize).checked_sub(1) {
            Some(provider) => missing.contains(&provider),
            None => round == 0,
        };
        found.extend(uses_beside(linked, &beside).into_iter().filter(is_new));
        missing.retain(|provider| left_out.contains(provider));
    }
    if linked.files.len() < importer.files.len() {
        let is_linked: BTreeSet<u32> = linked.files.iter().map(|file| file.file_idx).collect();
        // The code of copies uses the copies.
        found.extend(uses_beside(importer, &[]).into_iter().filter(|one| !is_linked.contains(&one.file_idx)));
    }
    found.sort_unstable();
    found
}

/// Returns the certain uses in a repository beside some others.
fn uses_beside(importer: &LinkFacts, others: &[&LinkFacts]) -> Vec<ImporterUse> {
    let repositories: Vec<&LinkFacts> = std::iter::once(importer).chain(others.iter().copied()).collect();
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
    edges.filter_map(|edge| importer_use(&layout, program, edge)).collect()
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
