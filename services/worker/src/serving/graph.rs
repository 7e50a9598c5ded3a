//! Queries of the code graph: neighbours, cards of nodes, and the contracts between repositories.

use std::collections::BTreeMap;

use ::graph::EdgeKind;
use index::{EdgePage, EdgeQuery, NodeCard, NodeDetail, NodeView, Snapshot};
use links::ContractKind;
use model::Domain;
use proto::v1;
use tonic::Status;

use super::{
    messages,
    query_pool::QueryContext,
    targets::{self, QueryTarget, TargetSnapshot},
};

/// Maximum number of nodes of a request, over all targets.
const MAX_NODES: usize = 20_000;

/// Maximum number of names of a request.
pub(super) const MAX_MEMBERS: usize = 20_000;

/// Maximum number of edges and further lines of a page.
const MAX_PAGE_SIZE: usize = 50_000;

/// Maximum length of a part of link facts.
const MAX_PART_BYTES: usize = 16 << 20;

/// Checks the node sets of a request, and returns their targets.
pub(super) fn check_targets(sets: &[v1::NodeSet]) -> Result<Vec<v1::Target>, Status> {
    let n_nodes: usize = sets.iter().map(|set| set.nodes.len()).sum();
    if n_nodes > MAX_NODES {
        return Err(Status::invalid_argument(format!("a request may have at most {MAX_NODES} nodes")));
    }
    Ok(sets.iter().map(|set| set.target.clone().unwrap_or_default()).collect())
}

/// Returns the query of edges of a request.
pub(super) fn edge_query(request: &v1::NeighboursRequest) -> Result<EdgeQuery, Status> {
    let direction = request.direction();
    let kinds: Option<Vec<EdgeKind>> =
        request.kinds().map(|kind| EdgeKind::from_index((kind as i32 - 1).try_into().ok()?)).collect();
    Ok(EdgeQuery {
        has_outgoing: matches!(direction, v1::Direction::Out | v1::Direction::Both),
        has_incoming: matches!(direction, v1::Direction::In | v1::Direction::Both),
        kinds: kinds.ok_or_else(|| Status::invalid_argument("an edge kind is unknown"))?,
        min_confidence: request.min_confidence,
        limit: request.limit.max(1) as usize,
        page: (request.page_size > 0).then(|| EdgePage {
            offset: usize::try_from(request.offset).unwrap_or(usize::MAX),
            limit: (request.page_size as usize).min(MAX_PAGE_SIZE),
        }),
    })
}

/// Returns the neighbours of a frontier: one step of a walk.
pub(super) fn neighbours(
    request: &v1::NeighboursRequest,
    query: &EdgeQuery,
    targets: &[QueryTarget],
    context: &QueryContext,
) -> v1::NeighboursResponse {
    let nodes = by_repository(&request.frontier);
    let (replies, outcomes) = targets::query_all(targets, context, |shard| {
        let frontier = nodes.get(shard.repository).copied().unwrap_or_default();
        Ok(shard.snapshot.neighbours(frontier, query))
    });
    let neighbourhoods = replies
        .into_iter()
        .map(|(shard, found)| v1::Neighbourhood {
            repository: shard.repository.to_owned(),
            edges: found
                .edges
                .into_iter()
                .map(|edge| v1::GraphEdge {
                    from: edge.from,
                    to: edge.to,
                    kind: edge.kind as i32 + 1,
                    resolution: edge.resolution.name().to_owned(),
                    confidence: edge.resolution.confidence(),
                    line: edge.line,
                    sites: edge.n_sites,
                    further_lines: edge.further_lines,
                })
                .collect(),
            nodes: found.nodes.into_iter().map(node).collect(),
            omitted: found.n_omitted,
        })
        .collect();
    v1::NeighboursResponse { neighbourhoods, outcomes }
}

/// Returns the cards of nodes.
pub(super) fn describe(
    request: &v1::DescribeRequest,
    targets: &[QueryTarget],
    context: &QueryContext,
) -> v1::DescribeResponse {
    let nodes = by_repository(&request.nodes);
    let (replies, outcomes) = targets::query_all(targets, context, |shard| {
        shard.snapshot.node_cards(nodes.get(shard.repository).copied().unwrap_or_default())
    });
    let cards = replies
        .into_iter()
        .flat_map(|(shard, cards)| cards.into_iter().map(move |described| card(&shard, described)))
        .collect();
    v1::DescribeResponse { cards, outcomes }
}

/// Returns the contracts that repositories offer and use.
pub(super) fn surface(targets: &[QueryTarget], context: &QueryContext) -> v1::SurfaceResponse {
    let (replies, outcomes) =
        targets::query_all(targets, context, |shard| Ok(surface_of(shard.repository, shard.snapshot)));
    v1::SurfaceResponse { surfaces: replies.into_iter().map(|(_, surface)| surface).collect(), outcomes }
}

/// Finds the definitions of names of packages in one repository.
pub(super) fn locate(
    request: &v1::LocateRequest,
    targets: &[QueryTarget],
    context: &QueryContext,
) -> v1::LocateResponse {
    let (replies, mut outcomes) = targets::query_all(targets, context, |shard| {
        let find = |member: &v1::PackageMember| {
            let found = shard.snapshot.find_package_member(&member.package, &member.member);
            found.map_or_else(v1::Location::default, |offer| v1::Location {
                node: Some(offer.node),
                path: offer.path,
                line: offer.line,
            })
        };
        Ok(request.members.iter().map(find).collect::<Vec<_>>())
    });
    let locations = replies.into_iter().next().map(|(_, locations)| locations).unwrap_or_default();
    v1::LocateResponse { outcome: outcomes.pop(), locations }
}

/// Returns a part of the link facts of one repository.
pub(super) fn link_facts(
    request: &v1::LinkFactsRequest,
    targets: &[QueryTarget],
    context: &QueryContext,
) -> v1::LinkFactsResponse {
    let (replies, mut outcomes) =
        targets::query_all(targets, context, |shard| Ok(shard.snapshot.link_facts()?.unwrap_or_default()));
    let facts = replies.into_iter().next().map(|(_, facts)| facts).unwrap_or_default();
    let start = usize::try_from(request.offset).unwrap_or(usize::MAX).min(facts.len());
    let end = facts.len().min(start + MAX_PART_BYTES);
    v1::LinkFactsResponse { outcome: outcomes.pop(), part: facts[start..end].to_vec(), total: facts.len() as u64 }
}

fn by_repository(sets: &[v1::NodeSet]) -> BTreeMap<&str, &[u32]> {
    sets.iter().filter_map(|set| Some((set.target.as_ref()?.repository.as_str(), set.nodes.as_slice()))).collect()
}

fn surface_of(repository: &str, snapshot: &Snapshot) -> v1::Surface {
    v1::Surface {
        repository: repository.to_owned(),
        generation: snapshot.manifest().generation.to_string(),
        offers: snapshot
            .offers()
            .map(|offer| v1::Offer {
                kind: contract_kind(offer.kind).into(),
                key: offer.key,
                node: offer.node,
                path: offer.path,
                line: offer.line,
                member: offer.member,
            })
            .collect(),
        uses: snapshot
            .uses()
            .map(|one| v1::Use {
                kind: contract_kind(one.kind).into(),
                key: one.key,
                member: one.member,
                node: one.node,
                path: one.path,
                line: one.line,
                confidence: one.confidence,
                sites: one.n_sites,
                serves: one.serves,
            })
            .collect(),
    }
}

pub(super) fn contract_kind(kind: ContractKind) -> v1::ContractKind {
    match kind {
        ContractKind::Package => v1::ContractKind::Package,
        ContractKind::PackageSymbol => v1::ContractKind::PackageSymbol,
        ContractKind::Grpc => v1::ContractKind::Grpc,
        ContractKind::Http => v1::ContractKind::Http,
        ContractKind::Topic => v1::ContractKind::Topic,
        ContractKind::Table => v1::ContractKind::Table,
        ContractKind::Config => v1::ContractKind::Config,
        ContractKind::Variable => v1::ContractKind::Variable,
        ContractKind::Host => v1::ContractKind::Host,
        ContractKind::Workload => v1::ContractKind::Workload,
        ContractKind::Image => v1::ContractKind::Image,
    }
}

fn node(node: NodeView) -> v1::GraphNode {
    v1::GraphNode {
        id: node.id,
        domain: domain(node.domain).into(),
        importance: node.importance,
        kind: node.kind.to_owned(),
        is_test: node.is_test,
    }
}

fn domain(domain: Domain) -> v1::Domain {
    match domain {
        Domain::Code => v1::Domain::Code,
        Domain::Docs => v1::Domain::Docs,
        Domain::Api => v1::Domain::Api,
        Domain::Infra => v1::Domain::Infra,
    }
}

fn card(shard: &TargetSnapshot<'_>, card: NodeCard) -> v1::NodeCard {
    let (symbol, route) = match card.detail {
        NodeDetail::Symbol(symbol) => (Some(messages::symbol(symbol)), None),
        NodeDetail::File => (None, None),
        NodeDetail::Route(route) => {
            let route = v1::Route { method: route.method, path: route.path, line: route.line, handler: route.handler };
            (None, Some(route))
        }
    };
    v1::NodeCard {
        repository: shard.repository.to_owned(),
        node: Some(node(card.node)),
        file: Some(messages::file(card.file)),
        symbol,
        route,
        content_hash: card.content_hash,
        callers: card.n_callers,
        references: card.n_references,
        tests: card.n_tests,
        subtypes: card.n_subtypes,
        callees: card.n_callees,
        community: Some(v1::Community {
            id: card.community.id,
            label: card.community.label,
            members: card.community.n_files,
            cohesion: card.community.cohesion,
        }),
        is_entry_point: card.is_entry_point,
        cycle: card.n_cycle,
        file_node: card.file_node,
        unresolved_accesses: card.unresolved_accesses.n_sites,
        expected_accesses: card.unresolved_accesses.n_expected,
        unresolved_access_sites: card
            .unresolved_accesses
            .first
            .into_iter()
            .map(|(path, line)| v1::SourceLine { path, line })
            .collect(),
    }
}
