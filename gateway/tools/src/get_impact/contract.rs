//! The impact of a contract that is no node of the graph: a variable, a host, a topic, a table, a request or an rpc.

use std::sync::Arc;

use links::{
    ContractKind,
    services::{ContractNames, NamedContract},
};
use proto::v1;

use super::{ImpactList, ImpactOptions, ImpactSubject, page_of_users};
use crate::{
    get_context::{
        context::base_plan,
        item::{ContextItem, place},
    },
    may_miss::MayMiss,
    render::RenderedAnswer,
};
use federation::{
    call::CallContext,
    entity::ResolvedEntity,
    overlay::{Overlay, kind_name},
    refusal::Refusal,
    repo_idx::RepoIdx,
    scope::GraphScope,
    walk::{
        WalkScope, contract, impact,
        weights::{Intent, Weights},
    },
};

/// Maximum number of listed definitions of a contract.
const MAX_DEFINITIONS: usize = 20;

/// Maximum number of other contracts of one name.
const MAX_OTHERS: usize = 10;

/// Maximum number of suggested names.
const MAX_SUGGESTED: usize = 3;

/// The contracts that a text names, the likeliest first.
pub(super) struct Candidates {
    found: Vec<(ContractKind, String)>,
    /// True if the text can mean a contract only.
    pub(super) are_selected: bool,
}

impl Candidates {
    /// Returns an entity with the contracts of its name beside it.
    pub(super) fn with_contracts(&self, mut entity: ResolvedEntity) -> ResolvedEntity {
        // A route or an rpc is the entity itself.
        let others = self.found.iter().filter(|(kind, _)| !matches!(kind, ContractKind::Http | ContractKind::Grpc));
        let others: Vec<String> = others.map(|(kind, name)| ContractNames::with_prefix(*kind, name)).collect();
        entity.n_others += others.len();
        entity.others.extend(others);
        entity
    }
}

/// Returns the contracts that a text names.
pub(super) fn candidates(overlay: &Overlay, written: &str) -> Candidates {
    let found = overlay.contracts_named(written).into_iter().take(MAX_OTHERS);
    let found: Vec<(ContractKind, String)> = found.map(|(kind, name)| (kind, name.to_owned())).collect();
    // A topic is written with its broker, as answers show it. A constant with the name of a variable is among its readers.
    let is_exact = |kind: &ContractKind, name: &String| {
        let is_variable = *kind == ContractKind::Variable && name.contains('_') && *name == name.to_uppercase();
        name == written.trim() && (written.contains(':') || is_variable)
    };
    let are_selected = ContractNames::has_prefix(written) || found.iter().any(|(kind, name)| is_exact(kind, name));
    Candidates { found, are_selected }
}

/// Returns the first contract with a user or a definition.
pub(super) async fn find(overlay: &Overlay, candidates: &Candidates) -> Option<NamedContract> {
    for (kind, name) in &candidates.found {
        if let Some(found) = overlay.named_contract(*kind, name).await {
            return Some(found);
        }
    }
    None
}

/// Returns a refusal with the contracts of similar names.
pub(super) fn with_suggestions(refusal: Refusal, overlay: &Overlay, written: &str) -> Refusal {
    let alike = overlay.contracts_like(written.trim(), MAX_SUGGESTED);
    match alike.is_empty() {
        true => refusal,
        false => Refusal::new(format!("{refusal}; contracts of similar names: {}", text::quote_names(&alike))),
    }
}

/// Answers for a contract.
pub(super) async fn answer(
    call: &CallContext<'_>,
    scope: &GraphScope,
    overlay: &Overlay,
    found: &NamedContract,
    candidates: &Candidates,
    options: ImpactOptions,
) -> Result<RenderedAnswer, Refusal> {
    let users = found.users.iter().map(|one| RepoIdx(one.user));
    let repo_idxs: Vec<RepoIdx> = users.chain(contract::definitions(found).map(|(repo_idx, _)| repo_idx)).collect();
    let (plan, enter) = base_plan(call, scope, overlay, &repo_idxs, []);
    let weights = Weights::new(Some(Intent::Modify));
    let walk_scope = WalkScope {
        depth: options.depth,
        direction: v1::Direction::In,
        kinds: impact::CODE_KINDS,
        include_inferred: true,
        enter: &enter,
        weights: &weights,
    };
    let walk_result = contract::walk_contract(call, &plan, overlay, found, &walk_scope).await;
    let is_other = |(kind, name): &&(ContractKind, String)| (*kind, name) != (found.kind, &found.name);
    let others = candidates.found.iter().filter(is_other);
    let others: Vec<String> = others.map(|(kind, name)| ContractNames::with_prefix(*kind, name)).collect();
    let defined_at = contract::definitions(found).take(MAX_DEFINITIONS);
    let subject = ImpactSubject {
        target: ContextItem {
            id: text::sanitise_name(&ContractNames::with_prefix(found.kind, &found.name)).into_owned(),
            kind: kind_name(found.kind).to_owned(),
            name: text::sanitise_name(&found.name).into_owned(),
            ..ContextItem::default()
        },
        n_others: others.len(),
        others,
        defined_at: defined_at.map(|(repo_idx, site)| place(&plan, repo_idx, &site.path, site.line)).collect(),
        may_miss: MayMiss::of_services(call, &plan.without(&walk_result.shortfalls), overlay, |_| {
            found.kind == ContractKind::Host
        }),
    };
    let walked = walk_result
        .map(|found_users| Arc::new(ImpactList::by_distance(&plan, found_users, &[contract::root_of(found)])));
    page_of_users(call, &plan, subject, walked, options).await
}
