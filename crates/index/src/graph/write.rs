//! From a structure to its records.

use std::collections::BTreeSet;

use ::graph::{ContractKind, Edge, InterfaceHash, Node, NodeIdx, Resolved, Structure};
use model::Domain;

use super::records::{
    CommunityRecord, DERIVED, EdgeRecord, FileGraphRecord, GraphTables, NO_NODE, OfferRecord, RouteRecord, SAID_APART,
    SaidApart, UseRecord,
};
use crate::table::SymbolRecord;

/// What a generation is given of its code graph.
pub struct NewGraph<'a> {
    pub structure: &'a Structure,
    /// By file.
    pub resolved: &'a [Resolved],
    pub interfaces: &'a [InterfaceHash],
    pub domains: &'a [Domain],
}

/// Lays out the records of a graph, given the symbols that are its first nodes.
pub(crate) fn tables(new: &NewGraph<'_>, symbols: &[SymbolRecord]) -> GraphTables {
    let structure = new.structure;
    let n_nodes = structure.importance.len();
    let mut edges: Vec<EdgeRecord> = structure
        .edges
        .iter()
        .map(|edge| EdgeRecord {
            from: edge.from.0,
            to: edge.to.0,
            line: edge.line,
            n_sites: edge.n_sites.min(u32::from(u16::MAX)) as u16,
            kind: edge.kind as u8,
            resolution: edge.resolution as u8 | if edge.is_derived { DERIVED } else { 0 },
        })
        .collect();
    let apart = said_apart(new, symbols, &mut edges);
    let mut incoming: Vec<u32> = (0..edges.len() as u32).collect();
    incoming.sort_by_key(|edge| (edges[*edge as usize].to, *edge));
    let node = |node: Node| match node {
        Node::Symbol(symbol) => symbol.0,
        Node::File(file) => structure.n_symbols + file.0,
    };
    let names = names(new.resolved);
    let name = |name: &String| names.binary_search(name).expect("the names of all contracts are there") as u32;
    let files = new.resolved.iter().enumerate();
    let offers: Vec<OfferRecord> = files
        .clone()
        .flat_map(|(file, resolved)| resolved.contracts.offers.iter().map(move |offer| (file, offer)))
        .map(|(file, offer)| OfferRecord {
            file: file as u32,
            kind: offer.kind as u8,
            key: name(&offer.key),
            member: name(&offer.member),
            node: node(offer.node),
            line: offer.line,
        })
        .collect();
    let is_member = |offer: &u32| offers[*offer as usize].kind == ContractKind::PackageSymbol as u8;
    let mut members: Vec<u32> = (0..offers.len() as u32).filter(is_member).collect();
    members.sort_by(|a, b| {
        // A function and a module may have one name; definitions come before files.
        let order = |offer: &u32| {
            let offer = &offers[*offer as usize];
            (offer.key, offer.member, offer.node >= structure.n_symbols)
        };
        order(a).cmp(&order(b)).then(a.cmp(b))
    });
    GraphTables {
        n_symbols: structure.n_symbols,
        n_files: structure.n_files,
        out_starts: starts(n_nodes, edges.iter().map(|edge| edge.from)),
        in_starts: starts(n_nodes, incoming.iter().map(|edge| edges[*edge as usize].to)),
        edges,
        apart,
        incoming,
        importance: structure.importance.clone(),
        used_by: structure.used_by.clone(),
        cycles: structure.cycles.clone(),
        files: files
            .clone()
            .map(|(file, resolved)| FileGraphRecord {
                interface: new.interfaces[file],
                consulted: resolved.consulted.iter().map(|consulted| consulted.0).collect(),
                community: structure.community_of[file],
                domain: new.domains[file] as u8,
            })
            .collect(),
        communities: structure
            .communities
            .iter()
            .map(|community| CommunityRecord {
                label: community.label.clone(),
                n_files: community.n_files,
                cohesion: community.cohesion,
            })
            .collect(),
        entry_points: structure.entry_points.iter().map(|NodeIdx(node)| *node).collect(),
        routes: files
            .clone()
            .flat_map(|(file, resolved)| resolved.contracts.routes.iter().map(move |route| (file, route)))
            .map(|(file, route)| RouteRecord {
                file: file as u32,
                method: route.method.clone(),
                path: route.path.clone(),
                line: route.line,
                handler: route.handler.map_or(NO_NODE, node),
            })
            .collect(),
        uses: files
            .flat_map(|(file, resolved)| resolved.contracts.uses.iter().map(move |one| (file, one)))
            .map(|(file, one)| UseRecord {
                file: file as u32,
                kind: one.kind as u8,
                key: name(&one.key),
                member: name(&one.member),
                node: node(one.node),
                line: one.line,
                confidence: one.confidence,
                n_sites: one.n_sites,
                serves: one.serves,
            })
            .collect(),
        offers,
        members,
        names,
    }
}

/// Returns the keys and members of all offers and uses, each once, in order.
fn names(resolved: &[Resolved]) -> Vec<String> {
    let contracts = || resolved.iter().map(|file| &file.contracts);
    let offers = contracts().flat_map(|file| &file.offers).flat_map(|offer| [&offer.key, &offer.member]);
    let uses = contracts().flat_map(|file| &file.uses).flat_map(|one| [&one.key, &one.member]);
    let names: BTreeSet<&String> = offers.chain(uses).collect();
    names.into_iter().cloned().collect()
}

/// Marks the edges that are not, or not only, said by the file that they begin in, and returns each as each file says it;
/// so too those that something derived stands in the place of.
fn said_apart(new: &NewGraph<'_>, symbols: &[SymbolRecord], edges: &mut [EdgeRecord]) -> Vec<SaidApart> {
    let node = |node: Node| match node {
        Node::Symbol(symbol) => symbol.0,
        Node::File(file) => new.structure.n_symbols + file.0,
    };
    let home = |node: Node| match node {
        Node::Symbol(symbol) => symbols.get(symbol.0 as usize).map_or(u32::MAX, |symbol| symbol.file),
        Node::File(file) => file.0,
    };
    let said =
        || (0u32..).zip(new.resolved).flat_map(|(file, resolved)| resolved.edges.iter().map(move |edge| (file, edge)));
    let place = |edges: &[EdgeRecord], edge: &Edge| {
        let key = (node(edge.from), node(edge.to), edge.kind as u8);
        edges.binary_search_by_key(&key, |edge| (edge.from, edge.to, edge.kind)).ok()
    };
    for (_, edge) in said().filter(|(file, edge)| home(edge.from) != *file) {
        if let Some(place) = place(edges, edge) {
            edges[place].resolution |= SAID_APART;
        }
    }
    let is_apart =
        |edge: &Edge| place(edges, edge).is_none_or(|place| edges[place].resolution & (SAID_APART | DERIVED) != 0);
    let apart = said().filter(|(_, edge)| is_apart(edge)).map(|(file, edge)| SaidApart {
        file,
        edge: EdgeRecord {
            from: node(edge.from),
            to: node(edge.to),
            line: edge.line,
            n_sites: edge.n_sites.min(u32::from(u16::MAX)) as u16,
            kind: edge.kind as u8,
            resolution: edge.resolution as u8,
        },
    });
    apart.collect()
}

/// Returns where the run of each node begins among sorted nodes, and where the last one ends.
fn starts(n_nodes: usize, sorted: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut starts = vec![0u32; n_nodes + 1];
    for node in sorted {
        starts[node as usize + 1] += 1;
    }
    for node in 0..n_nodes {
        starts[node + 1] += starts[node];
    }
    starts
}
