//! An end of a path: an entity, a service by the alias of its repository, or a contract such as a table or a topic.

use std::collections::BTreeSet;

use links::{
    ContractKind,
    services::{ContractNames, NamedContract},
};

use super::item::ContextItem;
use federation::{
    answer::{Answer, Shortfalls},
    call::CallContext,
    entity::{self, ResolvedEntity},
    nodes::NodeRef,
    overlay::{Overlay, kind_name},
    refusal::Refusal,
    repo_idx::RepoIdx,
    scope::GraphScope,
    walk::{chain::ChainSearch, contract},
};

/// The nodes at which a path begins or ends.
pub(super) struct PathEnd {
    /// The entity, or the first node of a service or contract.
    pub(super) entity: ResolvedEntity,
    pub(super) nodes: BTreeSet<NodeRef>,
    /// The contract that the nodes use.
    contract: Option<NamedContract>,
}

impl PathEnd {
    /// Resolves `from` or `to`: a service, else an entity, else a contract.
    pub(super) async fn resolve(
        call: &CallContext<'_>,
        scope: &GraphScope,
        overlay: &Overlay,
        argument: &str,
        written: &str,
        file: Option<&str>,
    ) -> Result<Answer<PathEnd>, Refusal> {
        let service = call.visible.known_repo_idx(written.trim());
        if let Some(end) = service.and_then(|repo_idx| PathEnd::of_service(call, overlay, argument, repo_idx)) {
            return Ok(Answer { value: end, shortfalls: Shortfalls::default() });
        }
        if ContractNames::has_prefix(written)
            && let Some(end) = PathEnd::of_contract(overlay, written).await
        {
            return Ok(Answer { value: end, shortfalls: Shortfalls::default() });
        }
        match entity::resolve(call, scope, overlay, argument, written, file).await {
            Ok(resolved) => {
                Ok(resolved.map(|entity| PathEnd { nodes: BTreeSet::from([entity.at]), entity, contract: None }))
            }
            Err(refusal) => match PathEnd::of_contract(overlay, written).await {
                Some(end) => Ok(Answer { value: end, shortfalls: Shortfalls::default() }),
                None => Err(refusal),
            },
        }
    }

    /// Returns the functions of a service that others call, or as the start those that call others; `None` if there are none.
    fn of_service(call: &CallContext<'_>, overlay: &Overlay, argument: &str, repo_idx: RepoIdx) -> Option<PathEnd> {
        let is_start = argument == "from";
        let links = overlay.without_inferred(&call.visible).filter(|edge| {
            let kind = edge.link.kind;
            matches!(kind, ContractKind::Grpc | ContractKind::Http | ContractKind::Topic) && edge.is_counted()
        });
        let ends = links.map(|edge| if is_start { edge.from } else { edge.to });
        let nodes = ends.filter(|at| at.repo_idx == repo_idx).collect();
        PathEnd::of_nodes(nodes, None)
    }

    async fn of_contract(overlay: &Overlay, written: &str) -> Option<PathEnd> {
        for (kind, name) in overlay.contracts_named(written) {
            if let Some(found) = overlay.named_contract(kind, name).await {
                let users = found.users.iter();
                let users = users.map(|one| NodeRef { repo_idx: RepoIdx(one.user), node: one.link.user.node });
                return PathEnd::of_nodes(users.collect(), Some(found));
            }
        }
        None
    }

    fn of_nodes(nodes: BTreeSet<NodeRef>, contract: Option<NamedContract>) -> Option<PathEnd> {
        let at = *nodes.first()?;
        let entity = ResolvedEntity { at, others: Vec::new(), n_others: 0, note: None };
        Some(PathEnd { entity, nodes, contract })
    }

    /// Returns a search that ends here with the use of the contract as its last step.
    pub(super) fn with_contract(&self, search: ChainSearch) -> ChainSearch {
        let (Some(used), ChainSearch::Chain { start, edges }) = (&self.contract, &search) else { return search };
        let last = edges.last().map_or(*start, |edge| edge.to);
        let of_last = contract::edges(used, |_| true).into_iter().find(|edge| edge.from == last);
        let edges = edges.iter().cloned().chain(of_last).collect();
        ChainSearch::Chain { start: *start, edges }
    }

    /// Returns the contract as the last entity of a path that ends with it.
    pub(super) fn contract_item(&self, search: &ChainSearch) -> Option<ContextItem> {
        let contract = self.contract.as_ref()?;
        let ChainSearch::Chain { edges, .. } = search else { return None };
        edges.last().filter(|edge| edge.to == contract::root_of(contract))?;
        Some(ContextItem {
            id: text::sanitise_name(&ContractNames::with_prefix(contract.kind, &contract.name)).into_owned(),
            kind: kind_name(contract.kind).to_owned(),
            name: text::sanitise_name(&contract.name).into_owned(),
            ..ContextItem::default()
        })
    }
}
