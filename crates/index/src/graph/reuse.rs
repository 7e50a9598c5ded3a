//! The resolved edges and contracts of each file, which the next indexing run reuses for unchanged files.

use ::graph::{
    DefinitionNames, Edge, FileIdx, FurtherLine, InterfaceHash, Node, PreviousFile, ResolvedFile, SymbolIdx,
    UnresolvedMember,
};
use links::{ContractKind, ContractOffer, ContractUse, FileContracts, HttpRoute, PreviousLinkedFile};

use crate::{records::graph::NO_NODE, snapshot::Snapshot};

impl Snapshot {
    /// Returns the interface hash of a file.
    pub fn interface_of(&self, path: &str) -> Option<InterfaceHash> {
        self.file_index(path).map(|file_idx| self.graph().files[file_idx].interface)
    }

    /// Returns container, name and kind of each definition of a file, by its number.
    pub fn definition_names(&self, file_idx: usize) -> DefinitionNames {
        let symbols = self.symbols_of(file_idx).iter();
        symbols
            .map(|symbol| (symbol.container.as_str().to_owned(), symbol.name.as_str().to_owned(), symbol.kind))
            .collect()
    }

    /// Returns the interface hash and resolution of every file, sorted by path.
    pub fn previous_files(&self) -> Vec<PreviousLinkedFile> {
        let graph = self.graph();
        let n_symbols = graph.n_symbols.to_native();
        let node = |id: u32| match id.checked_sub(n_symbols) {
            None => Node::Symbol(SymbolIdx(id)),
            Some(file) => Node::File(FileIdx(file)),
        };
        let mut files: Vec<PreviousLinkedFile> = graph
            .files
            .iter()
            .enumerate()
            .map(|(file_idx, file)| PreviousFile {
                path: self.tables().files[file_idx].path.as_str().to_owned(),
                interface: file.interface,
                first_symbol: self.tables().files[file_idx].first_symbol.to_native(),
                resolved: ResolvedFile {
                    consulted: file.consulted.iter().map(|consulted| FileIdx(consulted.to_native())).collect(),
                    ..ResolvedFile::default()
                },
            })
            .map(|file| PreviousLinkedFile { file, contracts: FileContracts::default() })
            .collect();
        let numbered = graph.edges.iter().enumerate();
        let stated = numbered.filter(|(_, edge)| !edge.is_derived() && !edge.is_attributed());
        let by_source_node = stated.map(|(edge_idx, edge)| (self.file_of_node(edge.from.to_native()), edge_idx, edge));
        let attributed = graph.attributed_edges.iter().zip(graph.edges.len()..);
        let attributed =
            attributed.map(|(stated, edge_idx)| (Some(stated.file.to_native() as usize), edge_idx, &stated.edge));
        for (file_idx, edge_idx, edge) in by_source_node.chain(attributed) {
            let Some(file) = file_idx.and_then(|file_idx| files.get_mut(file_idx)) else { continue };
            let (from, to, kind) = (node(edge.from.to_native()), node(edge.to.to_native()), edge.kind());
            file.file.resolved.edges.push(Edge {
                from,
                to,
                kind,
                resolution: edge.resolution(),
                line: edge.line.to_native(),
                n_sites: u32::from(edge.n_sites.to_native()),
            });
            let lines = graph.lines_after_first(edge_idx);
            file.file.resolved.further_lines.extend(lines.map(|line| FurtherLine { from, to, kind, line }));
        }
        let contracts = |files: &mut Vec<PreviousLinkedFile>, file: u32, add: &dyn Fn(&mut FileContracts)| {
            if let Some(file) = files.get_mut(file as usize) {
                add(&mut file.contracts);
            }
        };
        for offer in graph.offers.iter() {
            contracts(&mut files, offer.file.to_native(), &|all| {
                all.offers.push(ContractOffer {
                    kind: kind(offer.kind),
                    key: graph.name(offer.key).to_owned(),
                    member: graph.name(offer.member).to_owned(),
                    node: node(offer.node.to_native()),
                    line: offer.line.to_native(),
                });
            });
        }
        for one in graph.uses.iter() {
            contracts(&mut files, one.file.to_native(), &|all| {
                all.uses.push(ContractUse {
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
        for one in graph.unresolved_members.iter() {
            let Some(file) = files.get_mut(one.file.to_native() as usize) else { continue };
            file.file.resolved.unresolved_members.push(UnresolvedMember {
                name: graph.name(one.name).to_owned(),
                line: one.line.to_native(),
                n_sites: one.n_sites.to_native(),
            });
        }
        for route in graph.routes.iter() {
            contracts(&mut files, route.file.to_native(), &|all| {
                let handler = Some(route.handler.to_native()).filter(|handler| *handler != NO_NODE);
                all.routes.push(HttpRoute {
                    method: route.method.as_str().to_owned(),
                    path: route.path.as_str().to_owned(),
                    line: route.line.to_native(),
                    handler: handler.map(node),
                });
            });
        }
        files
    }
}

fn kind(index: u8) -> ContractKind {
    ContractKind::from_index(index).unwrap_or(ContractKind::Package)
}
