//! Methods of a repository that override or implement those of its providers.

use std::collections::{BTreeMap, BTreeSet};

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
    Overrides { links: links.into_iter().map(|(_, link)| link).collect(), consulted }
}

/// Returns the bases of the types of providers from which types of the importer inherit, and the files that they depend on.
fn bases_of_providers(
    codebase: &Codebase<'_>,
    layout: &JointLayout<'_>,
    known: &[Edge],
) -> (Vec<Edge>, BTreeSet<FileIdx>) {
    let program = codebase.program();
    let provider_file = |edge: &Edge| file_of(program, edge.to).filter(|file| !layout.is_own(*file));
    let mut open: Vec<FileIdx> = known.iter().filter_map(provider_file).collect();
    let (mut seen, mut found, mut consulted) = (BTreeSet::new(), Vec::new(), BTreeSet::new());
    while let Some(file) = open.pop() {
        if seen.insert(file) {
            let (of_file, files) = bases(codebase, file);
            open.extend(of_file.iter().filter_map(provider_file));
            found.extend(of_file);
            consulted.extend(files);
        }
    }
    consulted.extend(seen);
    (found, consulted)
}

/// Returns an edge from each Go type of the importer to each interface of a provider whose methods it has, and the files that these edges
/// depend on.
fn structural(codebase: &Codebase<'_>, layout: &JointLayout<'_>) -> (Vec<Edge>, BTreeSet<FileIdx>) {
    let program = codebase.program();
    let go: Vec<FileIdx> =
        program.file_indices().filter(|file| Family::of(program.language(*file)) == Family::Go).collect();
    let has_both = go.iter().any(|file| layout.is_own(*file)) && go.iter().any(|file| !layout.is_own(*file));
    if !has_both {
        return (Vec::new(), BTreeSet::new());
    }
    let of_files: BTreeMap<FileIdx, (Vec<Edge>, Vec<FileIdx>)> =
        go.into_iter().map(|file| (file, bases(codebase, file))).collect();
    let bases = Inheritance::of(of_files.values().flat_map(|(edges, _)| edges.iter().copied()));
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
    let symbols: Vec<SymbolIdx> = of_files.keys().flat_map(|file| program.symbols_of(*file)).collect();
    // A type with the methods of an interface need not name it: an interface that comes counts in any case (`ProviderView`).
    let is_start = |symbol: &SymbolIdx| {
        program.definition(*symbol).kind == SymbolKind::Interface || layout.is_own(program.file_of(*symbol))
    };
    let (mut open, mut types): (Vec<SymbolIdx>, BTreeSet<SymbolIdx>) =
        (symbols.iter().copied().filter(is_start).collect(), BTreeSet::new());
    while let Some(of) = open.pop() {
        if types.insert(of) {
            open.extend(bases.bases_of(of));
        }
    }
    let of_types: BTreeSet<FileIdx> = types.iter().map(|of| program.file_of(*of)).collect();
    let of_bases = of_types.iter().filter_map(|file| of_files.get(file)).flat_map(|(_, files)| files.iter().copied());
    // The methods of a type may be in other files than the type.
    let members =
        symbols.into_iter().filter(|symbol| program.parent(*symbol).is_some_and(|parent| types.contains(&parent)));
    let of_members = members.map(|member| program.file_of(member));
    let consulted = of_types.iter().copied().chain(of_bases).chain(of_members).collect();
    (edges, consulted)
}

fn file_of(program: &Program<'_>, node: Node) -> Option<FileIdx> {
    match node {
        Node::Symbol(symbol) => Some(program.file_of(symbol)),
        Node::File(_) => None,
    }
}
