//! The contracts that a file declares or implements, with their users in other repositories.

use std::collections::{BTreeMap, BTreeSet};

use links::{
    ContractKind,
    join::{ContractLink, ContractSite},
};

use super::{
    answer::ContractRisk,
    facts::{RepoFile, RiskFacts, RiskSubject},
};
use crate::{get_context::item::place, render::rounded};
use federation::{
    call::CallContext,
    nodes::NodeRef,
    overlay::{Overlay, kind_name},
    plan::Plan,
    repo_idx::RepoIdx,
};

/// Maximum number of contracts of one file.
const MAX_CONTRACTS: usize = 100;

/// Maximum number of listed users of one contract.
const MAX_USERS: usize = 5;

/// A use of a contract from another repository.
struct ForeignUse<'a> {
    kind: ContractKind,
    key: &'a str,
    /// The site in the changed file.
    own: (RepoIdx, &'a ContractSite),
    other: (RepoIdx, &'a ContractSite),
    confidence: f32,
}

/// Returns by file of a risk subject its contracts with users in other repositories, those with most users first.
pub(super) fn of_files(
    call: &CallContext<'_>,
    plan: &Plan,
    overlay: &Overlay,
    facts: &RiskFacts,
) -> BTreeMap<RepoFile, Vec<ContractRisk>> {
    let uses = foreign_uses(call, overlay);
    let of_subject = |subject: &RiskSubject| {
        // A handler may be in another file than the type that it is a method of.
        let roots: BTreeSet<NodeRef> = subject.roots.iter().copied().collect();
        let is_own = |one: &&ForeignUse<'_>| {
            let (repo_idx, site) = one.own;
            (repo_idx == subject.file.0 && *site.path == *subject.file.1)
                || roots.contains(&NodeRef { repo_idx, node: site.node })
        };
        let mut by_key: BTreeMap<(ContractKind, &str), Vec<&ForeignUse<'_>>> = BTreeMap::new();
        uses.iter().filter(is_own).for_each(|one| by_key.entry((one.kind, one.key)).or_default().push(one));
        let mut contracts: Vec<ContractRisk> =
            by_key.into_iter().map(|((kind, key), uses)| contract(plan, kind, key, &uses)).collect();
        contracts.sort_by_key(|one| std::cmp::Reverse(one.n_users));
        contracts.truncate(MAX_CONTRACTS);
        (subject.file.clone(), contracts)
    };
    facts.subjects.values().map(of_subject).collect()
}

fn contract(plan: &Plan, kind: ContractKind, key: &str, uses: &[&ForeignUse<'_>]) -> ContractRisk {
    let shown = |(repo_idx, site): (RepoIdx, &ContractSite)| place(plan, repo_idx, &site.path, site.line);
    let mut users: Vec<String> = uses.iter().map(|one| shown(one.other)).collect();
    users.sort();
    users.dedup();
    let n_users = users.len();
    users.truncate(MAX_USERS);
    ContractRisk {
        kind: kind_name(kind),
        name: text::sanitise_name(key).into_owned(),
        at: shown(uses[0].own),
        users,
        n_users,
        confidence: rounded(uses.iter().map(|one| one.confidence).fold(0.0, f32::max)),
    }
}

/// Returns the uses of rpcs, routes, topics and tables between repositories, from the side that others depend on.
fn foreign_uses<'a>(call: &'a CallContext<'_>, overlay: &'a Overlay) -> Vec<ForeignUse<'a>> {
    let is_contract = |link: &ContractLink| {
        matches!(link.kind, ContractKind::Grpc | ContractKind::Http | ContractKind::Topic | ContractKind::Table)
    };
    let one = |own, other, link: &'a ContractLink, confidence| ForeignUse {
        kind: link.kind,
        key: &link.key,
        own,
        other,
        confidence,
    };
    let mut uses = Vec::new();
    for edge in overlay.without_inferred(&call.visible).filter(|edge| is_contract(edge.link)) {
        let (user, offer) = ((edge.user, &edge.link.user), (edge.provider, &edge.link.offer));
        uses.push(one(offer, user, edge.link, edge.confidence));
        // A producer that changes its messages breaks their readers.
        if edge.link.kind == ContractKind::Topic {
            uses.push(one(user, offer, edge.link, edge.confidence));
        }
    }
    for (user, provider, link) in overlay.rpc_calls(&call.visible) {
        uses.push(one((provider, &link.offer), (user, &link.user), link, link.confidence));
    }
    uses
}
