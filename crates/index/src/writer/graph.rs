//! Writing the code graph: from the resolved edges and the graph structure to records.

use std::collections::BTreeMap;

use ::graph::{Edge, EdgeKind, FurtherLine, InterfaceHash, Node, NodeIdx, Structure};
use links::{ContractKind, LinkedFile};
use model::{Domain, SymbolKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::records::{
    graph::{
        ATTRIBUTED, AttributedEdge, CommunityRecord, DERIVED, EdgeRecord, FileGraphRecord, FurtherLineRecord,
        GraphTables, KnownMemberRecord, NO_NODE, OfferRecord, RouteRecord, UnresolvedMemberRecord, UseRecord,
    },
    tables::SymbolRecord,
};

/// The code graph of a new generation.
pub struct NewGraph<'a> {
    /// All edges, importance, communities and cycles.
    pub structure: &'a Structure,
    /// By file: edges and contracts that the file states.
    pub files: &'a [LinkedFile],
    /// By file: hash of the definitions that other files can refer to.
    pub interfaces: &'a [InterfaceHash],
    /// By file: content kind.
    pub domains: &'a [Domain],
    /// The encoded link facts; empty if the repository is too large for them.
    pub link_facts: &'a [u8],
}

/// Returns the records of a graph. The symbols are its first nodes.
pub(crate) fn graph_tables(new: &NewGraph<'_>, symbols: &[SymbolRecord]) -> GraphTables {
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
    let attributed_edges = attribute_edges(new, symbols, &mut edges);
    let further_lines = further_lines(new, &edges, &attributed_edges);
    let in_starts = range_starts(n_nodes, edges.iter().map(|edge| edge.to));
    let incoming = by_target(&edges, &in_starts);
    let node = |node: Node| match node {
        Node::Symbol(symbol) => symbol.0,
        Node::File(file) => structure.n_symbols + file.0,
    };
    // A definition of another file may have moved since the file was linked.
    let line_of = |file: usize, node: u32, line: u32| {
        let definition = symbols.get(node as usize).filter(|symbol| symbol.file as usize != file);
        definition.map_or(line, |symbol| symbol.name_line)
    };
    let names = interned_names(new.files);
    let number_of: FxHashMap<&str, u32> = names.iter().map(String::as_str).zip(0..).collect();
    let name =
        |name: &String| *number_of.get(name.as_str()).expect("`names` has every key, member and unresolved member");
    let files = new.files.iter().enumerate();
    let offers: Vec<OfferRecord> = files
        .clone()
        .flat_map(|(file, linked)| linked.contracts.offers.iter().map(move |offer| (file, offer)))
        .map(|(file, offer)| OfferRecord {
            file: file as u32,
            kind: offer.kind as u8,
            key: name(&offer.key),
            member: name(&offer.member),
            node: node(offer.node),
            line: line_of(file, node(offer.node), offer.line),
        })
        .collect();
    let is_member = |offer: &u32| offers[*offer as usize].kind == ContractKind::PackageSymbol as u8;
    let mut members: Vec<u32> = (0..offers.len() as u32).filter(is_member).collect();
    members.sort_by(|a, b| {
        // A function and a module may share a name. Definitions precede files.
        let order = |offer: &u32| {
            let offer = &offers[*offer as usize];
            (offer.key, offer.member, offer.node >= structure.n_symbols)
        };
        order(a).cmp(&order(b)).then(a.cmp(b))
    });
    let unresolved_members = unresolved_members(new.files, name);
    let known_members = known_members(&unresolved_members, &number_of, symbols, &edges);
    GraphTables {
        n_symbols: structure.n_symbols,
        n_files: structure.n_files,
        out_starts: range_starts(n_nodes, edges.iter().map(|edge| edge.from)),
        in_starts,
        edges,
        attributed_edges,
        further_lines,
        incoming,
        importance: structure.importance.clone(),
        used_by: structure.used_by.clone(),
        cycles: structure.cycles.clone(),
        files: files
            .clone()
            .map(|(file, linked)| FileGraphRecord {
                interface: new.interfaces[file],
                consulted: linked.resolved.consulted.iter().map(|consulted| consulted.0).collect(),
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
            .flat_map(|(file, linked)| linked.contracts.routes.iter().map(move |route| (file, route)))
            .map(|(file, route)| RouteRecord {
                file: file as u32,
                method: route.method.clone(),
                path: route.path.clone(),
                line: route.line,
                handler: route.handler.map_or(NO_NODE, node),
            })
            .collect(),
        uses: files
            .flat_map(|(file, linked)| linked.contracts.uses.iter().map(move |one| (file, one)))
            .map(|(file, one)| UseRecord {
                file: file as u32,
                kind: one.kind as u8,
                key: name(&one.key),
                member: name(&one.member),
                node: node(one.node),
                line: line_of(file, node(one.node), one.line),
                confidence: one.confidence,
                n_sites: one.n_sites,
                serves: one.serves,
            })
            .collect(),
        unresolved_members,
        known_members,
        offers,
        members,
        names,
    }
}

/// Returns the accesses to members of unknown types, by name and file.
fn unresolved_members(files: &[LinkedFile], name: impl Fn(&String) -> u32) -> Vec<UnresolvedMemberRecord> {
    let of_file = |(file, linked): (u32, &LinkedFile)| {
        let members = linked.resolved.unresolved_members.iter().map(|member| UnresolvedMemberRecord {
            name: name(&member.name),
            file,
            line: member.line,
            n_sites: member.n_sites,
        });
        members.collect::<Vec<_>>()
    };
    let mut all: Vec<UnresolvedMemberRecord> = (0..).zip(files).flat_map(of_file).collect();
    all.sort_by_key(|member| (member.name, member.file));
    all
}

/// Returns the members of the names of unresolved ones, with their resolved accesses, by name.
fn known_members(
    unresolved: &[UnresolvedMemberRecord],
    number_of: &FxHashMap<&str, u32>,
    symbols: &[SymbolRecord],
    edges: &[EdgeRecord],
) -> Vec<KnownMemberRecord> {
    let mut known: BTreeMap<u32, KnownMemberRecord> = unresolved
        .iter()
        .map(|one| (one.name, KnownMemberRecord { name: one.name, n_definitions: 0, n_accesses: 0 }))
        .collect();
    if known.is_empty() {
        return Vec::new();
    }
    let members = [SymbolKind::Field, SymbolKind::Property, SymbolKind::Variant].map(|kind| kind as u8);
    for symbol in symbols.iter().filter(|symbol| members.contains(&symbol.kind)) {
        let name = number_of.get(symbol.name.as_str());
        if let Some(of_name) = name.and_then(|name| known.get_mut(name)) {
            of_name.n_definitions += 1;
        }
    }
    for edge in edges.iter().filter(|edge| edge.kind == EdgeKind::Accesses as u8) {
        let name = symbols.get(edge.to as usize).and_then(|symbol| number_of.get(symbol.name.as_str()));
        if let Some(of_name) = name.and_then(|name| known.get_mut(name)) {
            of_name.n_accesses += u32::from(edge.n_sites);
        }
    }
    known.into_values().collect()
}

/// Returns the distinct keys and members of all offers and uses, and the names of unresolved members, sorted.
fn interned_names(files: &[LinkedFile]) -> Vec<String> {
    let contracts = || files.iter().map(|file| &file.contracts);
    let offers = contracts().flat_map(|file| &file.offers).flat_map(|offer| [&offer.key, &offer.member]);
    let uses = contracts().flat_map(|file| &file.uses).flat_map(|one| [&one.key, &one.member]);
    let unresolved = files.iter().flat_map(|file| &file.resolved.unresolved_members).map(|member| &member.name);
    let distinct: FxHashSet<&String> = offers.chain(uses).chain(unresolved).collect();
    let mut names: Vec<String> = distinct.into_iter().cloned().collect();
    names.sort_unstable();
    names
}

/// Flags the edges that a file other than that of their source node states, and returns the statements of these edges with
/// their files. Statements that a derived edge replaced are returned, too.
fn attribute_edges(new: &NewGraph<'_>, symbols: &[SymbolRecord], edges: &mut [EdgeRecord]) -> Vec<AttributedEdge> {
    let node = |node: Node| match node {
        Node::Symbol(symbol) => symbol.0,
        Node::File(file) => new.structure.n_symbols + file.0,
    };
    let file_of = |node: Node| match node {
        Node::Symbol(symbol) => symbols.get(symbol.0 as usize).map_or(u32::MAX, |symbol| symbol.file),
        Node::File(file) => file.0,
    };
    let stated = || {
        (0u32..).zip(new.files).flat_map(|(file, linked)| linked.resolved.edges.iter().map(move |edge| (file, edge)))
    };
    let find = |edges: &[EdgeRecord], edge: &Edge| {
        let key = (node(edge.from), node(edge.to), edge.kind as u8);
        edges.binary_search_by_key(&key, |edge| (edge.from, edge.to, edge.kind)).ok()
    };
    for (_, edge) in stated().filter(|(file, edge)| file_of(edge.from) != *file) {
        if let Some(edge_idx) = find(edges, edge) {
            edges[edge_idx].resolution |= ATTRIBUTED;
        }
    }
    let is_attributed =
        |edge: &Edge| find(edges, edge).is_none_or(|edge_idx| edges[edge_idx].resolution & (ATTRIBUTED | DERIVED) != 0);
    let attributed = stated().filter(|(_, edge)| is_attributed(edge)).map(|(file, edge)| AttributedEdge {
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
    attributed.collect()
}

/// Returns the lines of uses after the first one of each edge. Lines of an attributed edge belong to the statement of their file.
fn further_lines(
    new: &NewGraph<'_>,
    edges: &[EdgeRecord],
    attributed_edges: &[AttributedEdge],
) -> Vec<FurtherLineRecord> {
    let node = |node: Node| match node {
        Node::Symbol(symbol) => symbol.0,
        Node::File(file) => new.structure.n_symbols + file.0,
    };
    let attributed: BTreeMap<(u32, u32, u32, u8), usize> = attributed_edges
        .iter()
        .zip(edges.len()..)
        .map(|(stated, idx)| ((stated.file, stated.edge.from, stated.edge.to, stated.edge.kind), idx))
        .collect();
    let stated = (0u32..)
        .zip(new.files)
        .flat_map(|(file, linked)| linked.resolved.further_lines.iter().map(move |further| (file, further)));
    let record = |(file, further): (u32, &FurtherLine)| {
        let key = (node(further.from), node(further.to), further.kind as u8);
        let edge_idx = match attributed.get(&(file, key.0, key.1, key.2)) {
            Some(edge_idx) => *edge_idx,
            None => edges.binary_search_by_key(&key, |edge| (edge.from, edge.to, edge.kind)).ok()?,
        };
        Some(FurtherLineRecord { edge: edge_idx as u32, line: further.line })
    };
    let mut lines: Vec<FurtherLineRecord> = stated.filter_map(record).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// Returns the indices of edges by their targets, and then in their order. `starts` has the start of the range of each node.
fn by_target(edges: &[EdgeRecord], starts: &[u32]) -> Vec<u32> {
    let mut next = starts.to_vec();
    let mut incoming = vec![0; edges.len()];
    for (edge, edge_idx) in edges.iter().zip(0..) {
        let place = &mut next[edge.to as usize];
        incoming[*place as usize] = edge_idx;
        *place += 1;
    }
    incoming
}

/// Returns the start of the range of each node if the nodes were sorted, and the end of the last range.
fn range_starts(n_nodes: usize, nodes: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut starts = vec![0u32; n_nodes + 1];
    for node in nodes {
        starts[node as usize + 1] += 1;
    }
    for node in 0..n_nodes {
        starts[node + 1] += starts[node];
    }
    starts
}
