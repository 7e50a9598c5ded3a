//! Node cards: a node with its file, counts of its relations, and its community.

use ::graph::{CERTAIN, EdgeKind};

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
            detail,
            node,
        })
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
