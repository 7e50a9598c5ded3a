//! Node cards: a node with its file, counts of its relations, and its community.

use ::graph::{CERTAIN, EdgeKind, Family};
use model::SymbolKind;

use super::NodeView;
use crate::{
    error::IndexError,
    records::{graph::NO_NODE, symbol_texts::SymbolTextsByFile},
    snapshot::Snapshot,
    views::{FileView, SymbolView},
};

/// The properties of a node, without its source. Counts include certain edges only.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeCard {
    /// The node.
    pub node: NodeView,
    /// The file that it belongs to, or is.
    pub file: FileView,
    /// The node of that file.
    pub file_node: u32,
    /// The symbol or route, unless the node is a file.
    pub detail: NodeDetail,
    /// BLAKE3 hash of its source, in 16 hexadecimal digits.
    pub content_hash: String,
    /// Number of nodes that call it, or route requests to it.
    pub n_callers: u32,
    /// Number of nodes that reference or import it.
    pub n_references: u32,
    /// Number of nodes that test it.
    pub n_tests: u32,
    /// Number of types that extend or implement it.
    pub n_subtypes: u32,
    /// Number of nodes that it calls.
    pub n_callees: u32,
    /// The community of its file.
    pub community: CommunityView,
    /// True for a main function, a route handler and other entry points.
    pub is_entry_point: bool,
    /// Number of nodes in its dependency cycle; 0 if there is none.
    pub n_cycle: u32,
    /// Of a field, property or enum member: the accesses to a member of its name in its repository whose receiver type is unknown.
    pub unresolved_accesses: UnresolvedAccesses,
}

/// Accesses whose target is not known.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UnresolvedAccesses {
    /// Their number.
    pub n_sites: u32,
    /// The number of them that are expected to mean the member: its share of the resolved accesses to members of the name.
    pub n_expected: f32,
    /// The first in each of some files, as path and line.
    pub first: Vec<(String, u32)>,
}

/// Maximum number of listed accesses whose target is not known; the others are counted.
const MAX_LISTED_ACCESSES: usize = 5;

/// Returns true for a kind of definition whose uses are accesses to members.
fn is_part_of_type(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Field | SymbolKind::Property | SymbolKind::Variant)
}

/// The kind of a node, with the properties of that kind.
#[derive(Debug, Clone, PartialEq)]
pub enum NodeDetail {
    /// A definition.
    Symbol(SymbolView),
    /// A file.
    File,
    /// An HTTP route.
    Route(RouteView),
}

/// An HTTP route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteView {
    /// HTTP method.
    pub method: String,
    /// Path template.
    pub path: String,
    /// Line of the declaration.
    pub line: u32,
    /// Node of the handler, if known.
    pub handler: Option<u32>,
}

/// A community of the file graph.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CommunityView {
    /// Its number.
    pub id: u32,
    /// A name derived from its files.
    pub label: String,
    /// Number of files.
    pub n_files: u32,
    /// Share of its edges that end within the community.
    pub cohesion: f32,
}

impl Snapshot {
    /// Returns the cards of nodes, in the given order. Unknown nodes are omitted.
    pub fn node_cards(&self, nodes: &[u32]) -> Result<Vec<NodeCard>, IndexError> {
        // Nodes of one file are often adjacent. Its source is decompressed once for all of them.
        let mut open_file: Option<(usize, Vec<u8>)> = None;
        let mut texts = SymbolTextsByFile::default();
        let mut cards = Vec::with_capacity(nodes.len());
        for id in nodes {
            let (Some(node), Some(file_idx)) = (self.node(*id), self.file_of_node(*id)) else { continue };
            if open_file.as_ref().is_none_or(|(open_idx, _)| *open_idx != file_idx) {
                open_file = Some((file_idx, self.source_bytes(file_idx)?));
            }
            let bytes = open_file.as_ref().map_or(&[][..], |(_, bytes)| bytes);
            cards.push(self.card(node, file_idx, bytes, &mut texts)?);
        }
        Ok(cards)
    }

    fn card(
        &self,
        node: NodeView,
        file_idx: usize,
        bytes: &[u8],
        texts: &mut SymbolTextsByFile,
    ) -> Result<NodeCard, IndexError> {
        let graph = self.graph();
        let detail = self.node_detail(node.id, texts)?;
        let own_source = match self.tables().symbols.get(node.id as usize) {
            Some(symbol) => {
                let end = (symbol.span.end_byte.to_native() as usize).min(bytes.len());
                &bytes[(symbol.span.first_byte.to_native() as usize).min(end)..end]
            }
            None => bytes,
        };
        let count = |kinds: &[EdgeKind]| {
            let users = self.incoming(node.id);
            users.filter(|edge| kinds.contains(&edge.kind()) && edge.resolution().confidence() >= CERTAIN).count()
                as u32
        };
        let community_id = graph.files.get(file_idx).map_or(0, |file| file.community.to_native());
        let community = graph.communities.get(community_id as usize);
        Ok(NodeCard {
            file: self.file_view(file_idx),
            file_node: self.file_node(file_idx),
            content_hash: blake3::hash(own_source).to_hex()[..16].to_owned(),
            n_callers: count(&[EdgeKind::Calls, EdgeKind::Handles]),
            n_references: count(&[EdgeKind::References, EdgeKind::Imports, EdgeKind::Accesses]),
            n_tests: count(&[EdgeKind::Tests]),
            n_subtypes: count(&[EdgeKind::Extends, EdgeKind::Implements]),
            n_callees: self
                .outgoing(node.id)
                .filter(|edge| edge.kind() == EdgeKind::Calls && edge.resolution().confidence() >= CERTAIN)
                .count() as u32,
            community: community.map_or_else(CommunityView::default, |community| CommunityView {
                id: community_id,
                label: community.label.as_str().to_owned(),
                n_files: community.n_files.to_native(),
                cohesion: community.cohesion.to_native(),
            }),
            is_entry_point: graph.entry_points.binary_search_by(|entry| entry.to_native().cmp(&node.id)).is_ok(),
            n_cycle: graph.cycles.get(node.id as usize).map_or(0, |size| size.to_native()),
            unresolved_accesses: self.unresolved_accesses(node.id, file_idx),
            detail,
            node,
        })
    }

    /// Returns the accesses that may be further users of a field, property or enum member.
    fn unresolved_accesses(&self, id: u32, file_idx: usize) -> UnresolvedAccesses {
        let tables = self.tables();
        let Some(symbol) = tables.symbols.get(id as usize).filter(|symbol| is_part_of_type(symbol.kind())) else {
            return UnresolvedAccesses::default();
        };
        let graph = self.graph();
        let Ok(name) = graph.names.binary_search_by(|name| name.as_str().cmp(symbol.name.as_str())) else {
            return UnresolvedAccesses::default();
        };
        let all = &graph.unresolved_members;
        let start = all.partition_point(|one| (one.name.to_native() as usize) < name);
        let of_name = all[start..].iter().take_while(|one| one.name.to_native() as usize == name);
        let family = |file: usize| Family::of(tables.files[file].language());
        let found: Vec<_> = of_name.filter(|one| family(one.file.to_native() as usize) == family(file_idx)).collect();
        let place = |file: usize, line: u32| (tables.files[file].path.as_str().to_owned(), line);
        let n_sites = found.iter().map(|one| one.n_sites.to_native()).sum();
        UnresolvedAccesses {
            n_sites,
            n_expected: n_sites as f32 * self.share_of_accesses(id, name as u32),
            first: found
                .iter()
                .take(MAX_LISTED_ACCESSES)
                .map(|one| place(one.file.to_native() as usize, one.line.to_native()))
                .collect(),
        }
    }

    /// Returns the share of a member in the resolved accesses to members of its name. A member without accesses weighs half of one.
    fn share_of_accesses(&self, id: u32, name: u32) -> f32 {
        let accesses = self.incoming(id).filter(|edge| edge.kind() == EdgeKind::Accesses);
        let n_own: u32 = accesses.map(|edge| u32::from(edge.n_sites.to_native())).sum();
        let known = &self.graph().known_members;
        let found =
            known.binary_search_by(|one| one.name.to_native().cmp(&name)).ok().and_then(|place| known.get(place));
        let (n_members, n_accesses) =
            found.map_or((1, n_own), |one| (one.n_definitions.to_native(), one.n_accesses.to_native()));
        // A receiver of an unknown type may be of a type of another repository, too.
        (n_own as f32 + 0.5) / (n_accesses.max(n_own) as f32 + (n_members + 1) as f32 * 0.5)
    }

    fn node_detail(&self, id: u32, texts: &mut SymbolTextsByFile) -> Result<NodeDetail, IndexError> {
        if (id as usize) < self.tables().symbols.len() {
            return self.symbol(id as usize, texts).map(NodeDetail::Symbol);
        }
        let graph = self.graph();
        let route = id
            .checked_sub(graph.n_symbols.to_native() + graph.n_files.to_native())
            .and_then(|index| graph.routes.get(index as usize));
        Ok(match route {
            None => NodeDetail::File,
            Some(route) => NodeDetail::Route(RouteView {
                method: route.method.as_str().to_owned(),
                path: route.path.as_str().to_owned(),
                line: route.line.to_native(),
                handler: Some(route.handler.to_native()).filter(|handler| *handler != NO_NODE),
            }),
        })
    }
}
