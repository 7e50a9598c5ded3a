//! A question for the users of a definition is answered with quotations. The answer says so, and which users may be missing at all.

use std::collections::BTreeSet;

use crate::{arguments::suggested, may_miss::MayMiss};
use federation::{
    call::CallContext, nodes::NodeRef, overlay::Overlay, plan::Plan, symbol_matches::DefinitionMatch,
    symbol_ref::full_id,
};

/// Maximum number of definitions whose users are considered: overloads, and equal names in several repositories.
const MAX_DEFINITIONS: usize = 8;

/// Returns what quotations miss of the users of definitions; `None` without definitions.
pub(super) async fn may_miss(
    call: &CallContext<'_>,
    plan: &Plan,
    overlay: &Overlay,
    definitions: &[DefinitionMatch],
) -> Option<MayMiss> {
    if definitions.is_empty() {
        return None;
    }
    let may_miss = users_missed(call, plan, overlay, definitions).await.unwrap_or_default();
    Some(MayMiss { users_not_listed: true, ..may_miss })
}

/// Returns the users of definitions that the graph may miss; `None` if it misses none.
pub(super) async fn users_missed(
    call: &CallContext<'_>,
    plan: &Plan,
    overlay: &Overlay,
    definitions: &[DefinitionMatch],
) -> Option<MayMiss> {
    let nodes = definitions.iter().take(MAX_DEFINITIONS);
    let nodes: BTreeSet<NodeRef> =
        nodes.map(|found| NodeRef { repo_idx: found.repo_idx, node: found.symbol.node }).collect();
    let described = call.describe(plan, &nodes).await;
    let known = described.value.iter().map(|(at, card)| (*at, card));
    MayMiss::of_all(plan, overlay, known)
}

/// Returns the note that names the tool with the whole list.
pub(super) fn note(plan: &Plan, definitions: &[DefinitionMatch]) -> String {
    let id = |found: &DefinitionMatch| full_id(plan.alias(found.repo_idx), &found.path, &found.symbol);
    let target = definitions.first().map(id).unwrap_or_default();
    format!("the quotations are no list of users: get_impact {} lists every user", suggested("target", &target))
}
