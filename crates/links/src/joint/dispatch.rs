//! Methods of a repository that override or implement those of its providers.

use std::collections::BTreeSet;

use graph::{
    Codebase, Edge, EdgeKind, Family, FileIdx, Inheritance, Node, Program, Resolution, SymbolIdx, bases,
    structural_implementations,
};
use model::SymbolKind;

use super::{JointLayout, SymbolLink};

/// The links of dispatch, and the files that they depend on.
pub(super) struct Overrides {
    pub(super) links: Vec<SymbolLink>,
    pub(super) consulted: BTreeSet<FileIdx>,
}

/// Returns the links of the methods that override or implement methods of the providers, and of the types that have the methods of an
/// interface of a provider without naming it. `inheritance` are the edges from types of the importer to their bases.
pub(super) fn overrides(codebase: &Codebase<'_>, layout: &JointLayout<'_>, inheritance: Vec<Edge>) -> Overrides {
    let program = codebase.program();
    let is_own = |symbol: SymbolIdx| layout.is_own(program.file_of(symbol));
    let (structural, mut consulted) = structural(codebase, layout);
    let mut known: Vec<Edge> = inheritance;
    known.extend_from_slice(&structural);
    let (of_providers, files) = bases_of_providers(codebase, layout, &known);
    known.extend(of_providers);
    consulted.extend(files);
    // The methods of the importer that override each other are edges of its own graph.
    let of_providers = program.file_indices().filter(|file| !layout.is_own(*file));
    let overrides = Inheritance::of(known).overrides_in(codebase, of_providers).into_iter();
    let crossing = overrides.filter(|one| is_own(one.method));
    let dispatch = crossing.map(|one| Edge {
        from: Node::Symbol(one.method),
        to: Node::Symbol(one.declaration),
        kind: EdgeKind::Dispatch,
        resolution: one.resolution,
        line: program.definition(one.method).name_line,
        n_sites: 1,
    });
    let links = layout.links(program, structural.iter().copied().chain(dispatch).collect());
    Overrides { links, consulted }
}

/// Returns the bases of the types of providers from which types of the importer inherit, and the files of these types.
fn bases_of_providers(
    codebase: &Codebase<'_>,
    layout: &JointLayout<'_>,
    known: &[Edge],
) -> (Vec<Edge>, BTreeSet<FileIdx>) {
    let program = codebase.program();
    let provider_file = |edge: &Edge| file_of(program, edge.to).filter(|file| !layout.is_own(*file));
    let mut open: Vec<FileIdx> = known.iter().filter_map(provider_file).collect();
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    while let Some(file) = open.pop() {
        if seen.insert(file) {
            let of_file = bases(codebase, file);
            open.extend(of_file.iter().filter_map(provider_file));
            found.extend(of_file);
        }
    }
    (found, seen)
}

/// Returns an edge from each Go type of the importer to each interface of a provider whose methods it has, and the files that were
/// compared.
fn structural(codebase: &Codebase<'_>, layout: &JointLayout<'_>) -> (Vec<Edge>, BTreeSet<FileIdx>) {
    let program = codebase.program();
    let go: Vec<FileIdx> =
        program.file_indices().filter(|file| Family::of(program.language(*file)) == Family::Go).collect();
    let has_both = go.iter().any(|file| layout.is_own(*file)) && go.iter().any(|file| !layout.is_own(*file));
    if !has_both {
        return (Vec::new(), BTreeSet::new());
    }
    let bases = Inheritance::of(go.iter().flat_map(|file| bases(codebase, *file)));
    let is_compared = |symbol: SymbolIdx| {
        let is_interface = program.definition(symbol).kind == SymbolKind::Interface;
        is_interface != layout.is_own(program.file_of(symbol))
    };
    let found = structural_implementations(program, &bases, is_compared).into_iter();
    let edges = found
        .map(|(of, interface)| Edge {
            from: Node::Symbol(of),
            to: Node::Symbol(interface),
            kind: EdgeKind::Implements,
            resolution: Resolution::Structural,
            line: program.definition(of).name_line,
            n_sites: 1,
        })
        .collect();
    // A type with the methods of an interface need not name it: an interface that comes counts in any case (`ProviderView`).
    let has_interface = |file: &FileIdx| {
        let mut definitions = program.facts(*file).definitions.iter();
        definitions.any(|definition| definition.kind == SymbolKind::Interface)
    };
    (edges, go.into_iter().filter(has_interface).collect())
}

fn file_of(program: &Program<'_>, node: Node) -> Option<FileIdx> {
    match node {
        Node::Symbol(symbol) => Some(program.file_of(symbol)),
        Node::File(_) => None,
    }
}
