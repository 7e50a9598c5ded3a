//! Calls between repositories that a method of an interface or of a base class passes on to the methods that implement it.

use std::collections::{BTreeMap, BTreeSet};

use graph::{EdgeKind, Resolution};
use index::{EdgePage, EdgeQuery, EdgeView, IndexError, NodeCard, NodeDetail, Snapshot};
use model::{SymbolKind, symbol::qualify};

use super::cross_repo::CrossRepoUse;

/// A definition of one of the exported repositories: the index of the repository, and the node.
pub(super) type ExportedNode = (usize, u32);

/// A call of a method of another repository, or of the same one.
#[derive(Debug, Clone)]
pub(super) struct DeclaredCall {
    pub(super) row: CrossRepoUse,
    pub(super) from_repo: usize,
    pub(super) declaration: ExportedNode,
}

/// A method that overrides or implements one of another repository, or of the same one.
#[derive(Debug, Clone)]
pub(super) struct Implementation {
    pub(super) declaration: ExportedNode,
    pub(super) repo: usize,
    pub(super) file: String,
    pub(super) line: u32,
    pub(super) symbol: String,
    pub(super) kind: SymbolKind,
}

/// A repository as this module reads it.
pub(super) struct DispatchSource<'a> {
    pub(super) alias: &'a str,
    pub(super) snapshot: &'a Snapshot,
}

/// Returns a row for each call of a declaration and each method in another repository than the call that implements it. `calls` and
/// `implementations` are those between repositories. The other ones are read from the repository of the declaration.
pub(super) fn dispatched(
    repositories: &[DispatchSource<'_>],
    mut calls: Vec<DeclaredCall>,
    mut implementations: Vec<Implementation>,
    min_confidence: f32,
) -> Result<Vec<CrossRepoUse>, IndexError> {
    let called: BTreeSet<ExportedNode> = calls.iter().map(|call| call.declaration).collect();
    let implemented: BTreeSet<ExportedNode> = implementations.iter().map(|one| one.declaration).collect();
    for (repo, source) in repositories.iter().enumerate() {
        implementations.extend(own_implementations(source.snapshot, repo, &nodes_of(&called, repo))?);
        calls.extend(own_calls(source, repo, &nodes_of(&implemented, repo), min_confidence)?);
    }
    let mut by_declaration: BTreeMap<ExportedNode, Vec<&Implementation>> = BTreeMap::new();
    implementations.iter().for_each(|one| by_declaration.entry(one.declaration).or_default().push(one));
    let rows = calls.iter().flat_map(|call| {
        let methods = by_declaration.get(&call.declaration).into_iter().flatten();
        methods.filter(|method| method.repo != call.from_repo).map(|method| CrossRepoUse {
            to_repo: repositories[method.repo].alias.to_owned(),
            to_file: method.file.clone(),
            to_line: method.line,
            to_symbol: method.symbol.clone(),
            to_kind: method.kind,
            kind: EdgeKind::Dispatch,
            resolution: Resolution::Dispatch,
            // The version that the caller requires is one of the declaration.
            declared_version: None,
            indexed_version: None,
            indexed_commit: repositories[method.repo].snapshot.manifest().commit.to_string(),
            confidence: call.row.confidence * Resolution::Dispatch.confidence(),
            ..call.row.clone()
        })
    });
    Ok(rows.collect())
}

fn nodes_of(nodes: &BTreeSet<ExportedNode>, repo: usize) -> Vec<u32> {
    nodes.iter().filter(|(of, _)| *of == repo).map(|(_, node)| *node).collect()
}

/// Returns the methods of the repository of some declarations that implement them.
fn own_implementations(
    snapshot: &Snapshot,
    repo: usize,
    declarations: &[u32],
) -> Result<Vec<Implementation>, IndexError> {
    let edges = edges_at(snapshot, declarations, EdgeKind::Dispatch, true);
    let cards = cards(snapshot, edges.iter().map(|edge| edge.to))?;
    let implementation = |edge: &EdgeView| {
        let card = cards.get(&edge.to)?;
        let NodeDetail::Symbol(symbol) = &card.detail else { return None };
        Some(Implementation {
            declaration: (repo, edge.from),
            repo,
            file: card.file.path.clone(),
            line: symbol.name_line,
            symbol: qualify(&symbol.container, &symbol.name),
            kind: symbol.kind,
        })
    };
    Ok(edges.iter().filter_map(implementation).collect())
}

/// Returns the calls of some declarations within their repository.
fn own_calls(
    source: &DispatchSource<'_>,
    repo: usize,
    declarations: &[u32],
    min_confidence: f32,
) -> Result<Vec<DeclaredCall>, IndexError> {
    let mut edges = edges_at(source.snapshot, declarations, EdgeKind::Calls, false);
    edges.retain(|edge| edge.resolution.confidence() >= min_confidence);
    let cards = cards(source.snapshot, edges.iter().map(|edge| edge.from))?;
    let mut calls = Vec::new();
    for edge in edges {
        let Some(card) = cards.get(&edge.from) else { continue };
        let from_symbol = match &card.detail {
            NodeDetail::Symbol(symbol) => Some(qualify(&symbol.container, &symbol.name)),
            _ => None,
        };
        calls.extend(std::iter::once(edge.line).chain(edge.further_lines).map(|from_line| DeclaredCall {
            row: CrossRepoUse {
                from_repo: source.alias.to_owned(),
                from_file: card.file.path.clone(),
                from_line,
                from_symbol: from_symbol.clone(),
                to_repo: String::new(),
                to_file: String::new(),
                to_line: 0,
                to_symbol: String::new(),
                to_kind: SymbolKind::Method,
                kind: EdgeKind::Calls,
                resolution: edge.resolution,
                confidence: edge.resolution.confidence(),
                declared_version: None,
                indexed_version: None,
                indexed_commit: String::new(),
            },
            from_repo: repo,
            declaration: (repo, edge.to),
        }));
    }
    Ok(calls)
}

fn edges_at(snapshot: &Snapshot, nodes: &[u32], kind: EdgeKind, is_outgoing: bool) -> Vec<EdgeView> {
    let query = EdgeQuery {
        has_outgoing: is_outgoing,
        has_incoming: !is_outgoing,
        kinds: vec![kind],
        min_confidence: 0.0,
        limit: 0,
        page: Some(EdgePage { offset: 0, limit: usize::MAX }),
    };
    snapshot.neighbours(nodes, &query).edges
}

fn cards(snapshot: &Snapshot, nodes: impl Iterator<Item = u32>) -> Result<BTreeMap<u32, NodeCard>, IndexError> {
    let nodes: BTreeSet<u32> = nodes.collect();
    let nodes: Vec<u32> = nodes.into_iter().collect();
    Ok(snapshot.node_cards(&nodes)?.into_iter().map(|card| (card.node.id, card)).collect())
}
