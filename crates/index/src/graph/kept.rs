//! What the next generation takes over of files that have not changed.

use ::graph::{Contracts, Edge, FileIdx, Node, Offer, OlderFile, Resolved, Route, SymbolIdx, Use};

use super::records::NO_NODE;
use crate::Snapshot;

impl Snapshot {
    /// Returns how the uses in every file were resolved, in the order of files.
    pub fn older_files(&self) -> Vec<OlderFile> {
        let graph = self.graph();
        let n_symbols = graph.n_symbols.to_native();
        let node = |id: u32| match id.checked_sub(n_symbols) {
            None => Node::Symbol(SymbolIdx(id)),
            Some(file) => Node::File(FileIdx(file)),
        };
        let mut kept: Vec<OlderFile> = graph
            .files
            .iter()
            .enumerate()
            .map(|(file_idx, file)| OlderFile {
                path: self.tables().files[file_idx].path.as_str().to_owned(),
                interface: file.interface,
                first_symbol: self.tables().files[file_idx].first_symbol.to_native(),
                names: self
                    .symbols_of(file_idx)
                    .iter()
                    .map(|symbol| (symbol.container.as_str().to_owned(), symbol.name.as_str().to_owned()))
                    .collect(),
                resolved: Resolved {
                    consulted: file.consulted.iter().map(|consulted| FileIdx(consulted.to_native())).collect(),
                    ..Resolved::default()
                },
            })
            .collect();
        let by_place = graph.edges.iter().filter(|edge| !edge.is_derived() && !edge.is_said_apart());
        let by_place = by_place.map(|edge| (self.file_of_node(edge.from.to_native()), edge));
        let apart = graph.apart.iter().map(|said| (Some(said.file.to_native() as usize), &said.edge));
        for (file_idx, edge) in by_place.chain(apart) {
            let Some(file) = file_idx.and_then(|file_idx| kept.get_mut(file_idx)) else { continue };
            file.resolved.edges.push(Edge {
                from: node(edge.from.to_native()),
                to: node(edge.to.to_native()),
                kind: edge.kind(),
                resolution: edge.resolution(),
                line: edge.line.to_native(),
                n_sites: u32::from(edge.n_sites.to_native()),
            });
        }
        let contracts = |kept: &mut Vec<OlderFile>, file: u32, add: &dyn Fn(&mut Contracts)| {
            if let Some(file) = kept.get_mut(file as usize) {
                add(&mut file.resolved.contracts);
            }
        };
        for offer in graph.offers.iter() {
            contracts(&mut kept, offer.file.to_native(), &|all| {
                all.offers.push(Offer {
                    kind: kind(offer.kind),
                    key: graph.name(offer.key).to_owned(),
                    member: graph.name(offer.member).to_owned(),
                    node: node(offer.node.to_native()),
                    line: offer.line.to_native(),
                });
            });
        }
        for one in graph.uses.iter() {
            contracts(&mut kept, one.file.to_native(), &|all| {
                all.uses.push(Use {
                    kind: kind(one.kind),
                    key: graph.name(one.key).to_owned(),
                    member: graph.name(one.member).to_owned(),
                    node: node(one.node.to_native()),
                    line: one.line.to_native(),
                    confidence: one.confidence.to_native(),
                    n_sites: one.n_sites.to_native(),
                    serves: one.serves,
                });
            });
        }
        for route in graph.routes.iter() {
            contracts(&mut kept, route.file.to_native(), &|all| {
                let handler = Some(route.handler.to_native()).filter(|handler| *handler != NO_NODE);
                all.routes.push(Route {
                    method: route.method.as_str().to_owned(),
                    path: route.path.as_str().to_owned(),
                    line: route.line.to_native(),
                    handler: handler.map(node),
                });
            });
        }
        kept
    }
}

fn kind(index: u8) -> ::graph::ContractKind {
    ::graph::ContractKind::from_index(index).unwrap_or(::graph::ContractKind::Package)
}
