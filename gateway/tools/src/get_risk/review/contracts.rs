//! Routes, topics and tables that a change removes, and their users.

use futures::future::join_all;
use links::ContractKind;
use proto::v1;

use super::{
    judgement::Evidence,
    uses::{DefinitionUse, UseKind},
};
use crate::get_risk::answer::{ReviewFinding, ReviewedDefinition, UseCounts, VerdictKind};
use federation::{
    call::CallContext, entity, nodes::NodeRef, outline::signature, overlay::Overlay, plan::Plan, repo_idx::RepoIdx,
    scope::GraphScope,
};

/// Maximum number of contracts that are looked up.
const MAX_CONTRACTS: usize = 50;

/// The removed contracts, each with its node in the served generation.
pub(super) struct RemovedContracts(Vec<(v1::ContractChange, Option<NodeRef>)>);

/// Looks up the contracts that are gone. An rpc is a definition, too, and is reviewed as one.
pub(super) async fn locate(
    call: &CallContext<'_>,
    scope: &GraphScope,
    overlay: &Overlay,
    response: &v1::ChangesResponse,
) -> RemovedContracts {
    let is_gone = |contract: &&v1::ContractChange| !contract.added && contract.kind() != v1::ContractKind::Grpc;
    let gone: Vec<&v1::ContractChange> = response.contracts.iter().filter(is_gone).take(MAX_CONTRACTS).collect();
    let lookups = gone.iter().map(|contract| entity::resolve(call, scope, overlay, "changes", &contract.key, None));
    let found = join_all(lookups.collect::<Vec<_>>()).await;
    let is_own = |at: &NodeRef| scope.lookup.contains(&at.repo_idx);
    let node = |found: Result<federation::answer::Answer<entity::ResolvedEntity>, _>| {
        found.ok().map(|found| found.value.at).filter(is_own)
    };
    RemovedContracts(gone.into_iter().cloned().zip(found.into_iter().map(node)).collect())
}

impl RemovedContracts {
    /// Returns the nodes that are known.
    pub(super) fn nodes(&self) -> impl Iterator<Item = NodeRef> {
        self.0.iter().filter_map(|(_, node)| *node)
    }

    /// Returns the number of contracts without a node.
    pub(super) fn n_unknown(&self) -> usize {
        self.0.iter().filter(|(_, node)| node.is_none()).count()
    }

    /// Judges the users of the removed contracts.
    pub(super) fn judge(&self, evidence: &Evidence<'_>, uses: &[DefinitionUse]) -> Vec<ReviewFinding> {
        let mut findings = Vec::new();
        for (contract, node) in &self.0 {
            let own = uses.iter().filter(|one| Some(one.root) == *node && one.kind == UseKind::Contract);
            findings.extend(own.map(|one| {
                let what = contract_noun(contract.kind());
                let verdict = match one.is_certain && contract.kind() == v1::ContractKind::Http {
                    true => (VerdictKind::Broken, format!("the {what} is removed")),
                    false => {
                        (VerdictKind::Maybe, format!("the {what} is removed here; another repository may offer it"))
                    }
                };
                evidence.finding_about(&signature(&contract.key), one, one.line, (verdict.0, &verdict.1))
            }));
        }
        findings
    }
}

/// Returns the changes of contracts as answers show them.
pub(super) fn views(plan: &Plan, repo_idx: RepoIdx, response: &v1::ChangesResponse) -> Vec<ReviewedDefinition> {
    let view = |contract: &v1::ContractChange| ReviewedDefinition {
        change: if contract.added { "added" } else { "removed" }.to_owned(),
        id: signature(&contract.key),
        kind: contract_noun(contract.kind()).to_owned(),
        line: contract.line,
        now: None,
        what: vec![format!("{}:{}", plan.alias(repo_idx), text::sanitise_name(&contract.path))],
        uses: UseCounts::default(),
    };
    response.contracts.iter().map(view).collect()
}

fn contract_noun(kind: v1::ContractKind) -> &'static str {
    let kind = u8::try_from(kind as i32 - 1).ok().and_then(ContractKind::from_index);
    match kind {
        Some(ContractKind::Http) => "route",
        Some(ContractKind::Grpc) => "rpc",
        Some(ContractKind::Topic) => "topic",
        Some(ContractKind::Table) => "table",
        _ => "contract",
    }
}
