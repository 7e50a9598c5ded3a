//! All that is known of one node but its source.

use ::graph::{CERTAIN, EdgeKind};

use super::{NodeView, records::NO_NODE};
use crate::{FileView, IndexError, Snapshot, SymbolView, wording::WordingsByFile};

/// A node, described.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeCard {
    pub node: NodeView,
    pub file: FileView,
    pub file_node: u32,
    pub place: NodePlace,
    /// BLAKE3 of its source, 16 hexadecimal digits.
    pub content_hash: String,
    pub n_callers: u32,
    pub n_references: u32,
    pub n_tests: u32,
    pub n_subtypes: u32,
    pub n_callees: u32,
    pub community: CommunityView,
    pub is_entry_point: bool,
    /// How many nodes lie in a cycle with it; 0 if none does.
    pub n_cycle: u32,
}

/// What a node is.
#[derive(Debug, Clone, PartialEq)]
pub enum NodePlace {
    Symbol(SymbolView),
    File,
    Route(RouteView),
}

/// An HTTP route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteView {
    pub method: String,
    pub path: String,
    pub line: u32,
    pub handler: Option<u32>,
}

/// A group of files.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CommunityView {
    pub id: u32,
    pub label: String,
    pub n_files: u32,
    pub cohesion: f32,
}

impl Snapshot {
    /// Describes nodes, in the order in which they are asked for; those that do not exist are left out.
    pub fn cards(&self, nodes: &[u32]) -> Result<Vec<NodeCard>, IndexError> {
        // Nodes of one file often come together; its source is read once for a run of them.
        let mut read: Option<(usize, Vec<u8>)> = None;
        let mut wordings = WordingsByFile::default();
        let mut cards = Vec::with_capacity(nodes.len());
        for id in nodes {
            let (Some(node), Some(file_idx)) = (self.node(*id), self.file_of_node(*id)) else { continue };
            if read.as_ref().is_none_or(|(of, _)| *of != file_idx) {
                read = Some((file_idx, self.bytes(file_idx)?));
            }
            let bytes = read.as_ref().map_or(&[][..], |(_, bytes)| bytes);
            cards.push(self.card(node, file_idx, bytes, &mut wordings)?);
        }
        Ok(cards)
    }

    fn card(
        &self,
        node: NodeView,
        file_idx: usize,
        bytes: &[u8],
        wordings: &mut WordingsByFile,
    ) -> Result<NodeCard, IndexError> {
        let graph = self.graph();
        let place = self.place(node.id, wordings)?;
        let own = match self.tables().symbols.get(node.id as usize) {
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
            content_hash: blake3::hash(own).to_hex()[..16].to_owned(),
            n_callers: count(&[EdgeKind::Calls, EdgeKind::Handles]),
            n_references: count(&[EdgeKind::References, EdgeKind::Imports]),
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
            place,
            node,
        })
    }

    fn place(&self, id: u32, wordings: &mut WordingsByFile) -> Result<NodePlace, IndexError> {
        if (id as usize) < self.tables().symbols.len() {
            return self.symbol(id as usize, wordings).map(NodePlace::Symbol);
        }
        let graph = self.graph();
        let route = id
            .checked_sub(graph.n_symbols.to_native() + graph.n_files.to_native())
            .and_then(|index| graph.routes.get(index as usize));
        Ok(match route {
            None => NodePlace::File,
            Some(route) => NodePlace::Route(RouteView {
                method: route.method.as_str().to_owned(),
                path: route.path.as_str().to_owned(),
                line: route.line.to_native(),
                handler: Some(route.handler.to_native()).filter(|handler| *handler != NO_NODE),
            }),
        })
    }
}
