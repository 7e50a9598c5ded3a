//! Contracts without their other side, and counts of the uses that stayed unlinked.

use std::collections::{BTreeMap, BTreeSet};

use links::{ContractKind, services::UnlinkedReason};
use model::Language;

use super::{
    entry::{DanglingEntry, OverviewEntry},
    repository::shown,
};
use crate::get_context::item::{MAX_STEPS, place};
use federation::{
    call::CallContext,
    overlay::{Overlay, UnlinkedSite, kind_name},
    plan::Plan,
    repo_idx::RepoIdx,
};

/// Maximum number of named rpcs of one service.
const MAX_RPCS: usize = 8;

/// Maximum number of entries: more than any budget holds.
const MAX_ENTRIES: usize = 500;

/// Returns the dangling contracts of requested repositories: requests first, then rpcs by service, then topics.
pub(super) fn dangling(
    call: &CallContext<'_>,
    plan: &Plan,
    overlay: &Overlay,
    requested: &BTreeSet<RepoIdx>,
) -> Vec<OverviewEntry> {
    let sites = overlay.unlinked(&call.visible).filter(|one| requested.contains(&one.repo_idx));
    let mut by_name: BTreeMap<(UnlinkedReason, &str), Vec<UnlinkedSite<'_>>> = BTreeMap::new();
    for one in sites.filter(|one| one.contract.reason.is_dangling()) {
        by_name.entry((one.contract.reason, service_or_key(&one))).or_default().push(one);
    }
    let entry = |((reason, name), sites): ((UnlinkedReason, &str), Vec<UnlinkedSite<'_>>)| {
        let first = sites[0];
        let rpcs = sites.iter().filter_map(|one| Some(shown(one.contract.key.split_once('/')?.1)));
        let is_rpc = first.contract.kind == ContractKind::Grpc;
        let because = first.contract.evidence.iter().take(MAX_STEPS);
        let because = because.map(|step| {
            format!("{} {}", place(plan, RepoIdx(step.repository), &step.path, step.line), shown(&step.content))
        });
        OverviewEntry::Dangling(DanglingEntry {
            problem: reason.name(),
            kind: kind_name(first.contract.kind),
            name: shown(name),
            rpcs: rpcs.take(if is_rpc { MAX_RPCS } else { 0 }).collect(),
            n: sites.len(),
            at: place(plan, first.repo_idx, &first.contract.site.path, first.contract.site.line),
            because: because.collect(),
        })
    };
    by_name.into_iter().take(MAX_ENTRIES).map(entry).collect()
}

/// Returns the service of an rpc, else the key.
fn service_or_key<'a>(one: &UnlinkedSite<'a>) -> &'a str {
    let key = one.contract.key.as_str();
    match one.contract.kind {
        ContractKind::Grpc => key.split('/').next().unwrap_or(key),
        _ => key,
    }
}

/// Counts the uses in requested repositories that have no link, by kind and reason, then by language. Definitions are no uses.
pub(super) fn unlinked_uses(
    call: &CallContext<'_>,
    overlay: &Overlay,
    requested: &BTreeSet<RepoIdx>,
) -> BTreeMap<String, BTreeMap<&'static str, usize>> {
    let mut counts: BTreeMap<String, BTreeMap<&'static str, usize>> = BTreeMap::new();
    for one in overlay.unlinked(&call.visible).filter(|one| requested.contains(&one.repo_idx)) {
        let contract = one.contract;
        if !matches!(contract.reason, UnlinkedReason::NoCaller | UnlinkedReason::NoServer) {
            let what = format!("{}, {}", kind_name(contract.kind), contract.reason.name());
            let language = Language::of_path(&contract.site.path).name();
            *counts.entry(what).or_default().entry(language).or_default() += 1;
        }
    }
    counts
}
