//! The users of a contract that is no node of the graph: a variable, a host, a topic, a table, a request or an rpc.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use links::{
    ContractKind,
    join::ContractSite,
    services::{NamedContract, ServiceLink},
};

use super::{HopResult, LinkEvidence, Neighbourhood, Relation, WalkEdge, WalkProgress, WalkScope};
use crate::{
    answer::{Answer, Shortfalls},
    call::CallContext,
    nodes::NodeRef,
    overlay::Overlay,
    plan::Plan,
    repo_idx::RepoIdx,
};

/// The number of the node that stands for a contract. No worker has a node of this number, and none describes it.
const CONTRACT_NODE: u32 = u32::MAX;

/// Returns the node that stands for a contract in walks.
pub fn root_of(contract: &NamedContract) -> NodeRef {
    let first = contract.users.first().map(|one| one.user);
    let first = first.or(contract.defined_at.first().map(|(repository, _)| *repository));
    NodeRef { repo_idx: RepoIdx(first.unwrap_or_default()), node: CONTRACT_NODE }
}

/// Returns the places that define a contract, each with its repository.
pub fn definitions(contract: &NamedContract) -> impl Iterator<Item = (RepoIdx, &ContractSite)> {
    contract.defined_at.iter().map(|(repository, site)| (RepoIdx(*repository), site))
}

/// Returns the edges from everything that depends on a contract to its node, as far as a walk may enter.
pub fn edges(contract: &NamedContract, enter: impl Fn(RepoIdx) -> bool) -> Vec<WalkEdge> {
    let root = root_of(contract);
    let entered = contract.users.iter().filter(|one| enter(RepoIdx(one.user)));
    // Many settings lead to one service by the same places: one of them explains the others.
    let mut explained: BTreeSet<(ContractKind, usize, &ContractSite)> = BTreeSet::new();
    let edges = entered.map(|one| {
        let is_first = explained.insert((one.link.kind, one.provider, &one.link.offer));
        let mut edge = edge(root, one);
        if !is_first && one.link.kind == ContractKind::Config {
            edge.evidence = edge.evidence.map(|evidence| {
                let steps = evidence.steps.iter().take(1).cloned().collect();
                Arc::new(LinkEvidence { steps, ..LinkEvidence::clone(&evidence) })
            });
        }
        edge
    });
    edges.collect()
}

fn edge(root: NodeRef, one: &ServiceLink) -> WalkEdge {
    let ServiceLink { user, provider, link } = one;
    WalkEdge {
        from: NodeRef { repo_idx: RepoIdx(*user), node: link.user.node },
        to: root,
        relation: Relation::Across(link.kind, true),
        resolution: "key".to_owned(),
        confidence: link.confidence,
        line: link.user.line,
        lines: vec![link.user.line],
        sites: link.n_sites,
        through: None,
        evidence: Some(Arc::new(LinkEvidence::of(link, RepoIdx(*user), RepoIdx(*provider)))),
        further_evidence: Vec::new(),
    }
}

/// Collects everything that depends on a contract, and the users of these within the bounds of a walk.
pub async fn walk_contract(
    call: &CallContext<'_>,
    plan: &Plan,
    overlay: &Overlay,
    contract: &NamedContract,
    way: &WalkScope<'_>,
) -> Answer<Neighbourhood> {
    let mut progress = WalkProgress::new(&[root_of(contract)]);
    let edges = edges(contract, |repo_idx| way.enter.contains(&repo_idx));
    progress.collect(HopResult { edges, nodes: BTreeMap::new(), n_omitted: 0 }, 1, way, usize::MAX);
    progress.expand_further(call, plan, overlay, way, super::OF_ALL, Shortfalls::default()).await
}
