//! The facts about some targets, queried for all targets at once: node cards, members, dependents, history, and risk
//! signals in the source.

use std::collections::{BTreeMap, BTreeSet};

use futures::future::join_all;
use model::FileClass;
use proto::v1;
use text::risk::RiskSignal;

use super::{answer::ContractRisk, contracts};
use crate::get_context::item::path_of;
use federation::answer::{Answer, Shortfalls};
use federation::{
    call::CallContext,
    co_change::FileCoChange,
    nodes::NodeRef,
    overlay::Overlay,
    plan::Plan,
    repo_idx::RepoIdx,
    walk::{
        Neighbourhood, WalkScope,
        chain::members_of_each,
        impact,
        tiers::{self, ImpactHit, ImpactTier},
        walk_users,
        weights::{Intent, Weights},
    },
};

/// Walk depth from a target: the default of get_impact.
const DEPTH: usize = 3;

/// Maximum number of described dependents of one target.
const MAX_DESCRIBED: usize = 150;

/// Maximum number of definitions of one target to check for tests.
const MAX_MEMBERS: usize = 200;

/// Maximum number of dependent or co-changed files whose owners are queried.
const MAX_AFFECTED: usize = 8;

/// A file: repository index and path.
pub(super) type RepoFile = (RepoIdx, String);

/// The facts about all targets.
#[derive(Default)]
pub(super) struct RiskFacts {
    pub(super) subjects: BTreeMap<NodeRef, RiskSubject>,
    pub(super) cards: BTreeMap<NodeRef, v1::NodeCard>,
    pub(super) histories: BTreeMap<RepoFile, v1::FileHistory>,
    pub(super) signals: BTreeMap<RepoFile, Vec<RiskSignal>>,
    pub(super) cross_repo_co_changes: BTreeMap<RepoFile, Vec<FileCoChange>>,
    /// Contracts with users in other repositories, by file.
    pub(super) contracts: BTreeMap<RepoFile, Vec<ContractRisk>>,
}

/// One target.
pub(super) struct RiskSubject {
    pub(super) file: RepoFile,
    /// The nodes that change with it, including itself.
    pub(super) roots: Vec<NodeRef>,
    pub(super) found: Neighbourhood,
}

impl RiskSubject {
    pub(super) fn hits(&self) -> Vec<ImpactHit> {
        tiers::hits(&self.found, &self.roots)
    }
}

/// Queries all facts about the targets. Targets that no worker describes are missing.
pub(super) async fn query_facts(
    call: &CallContext<'_>,
    plan: &Plan,
    overlay: &Overlay,
    enter: &BTreeSet<RepoIdx>,
    targets: &BTreeSet<NodeRef>,
) -> Answer<RiskFacts> {
    let cards = call.describe(plan, targets).await;
    let known: BTreeSet<NodeRef> = targets.iter().filter(|at| cards.value.contains_key(at)).copied().collect();
    let remaining = plan.without(&cards.shortfalls);
    let members = members_of_each(call, &remaining, overlay, &known, enter).await.after(cards.shortfalls);
    let remaining = plan.without(&members.shortfalls);
    let subjects = walk_each(call, &remaining, overlay, enter, &cards.value, members.value).await;
    let subjects = subjects.after(members.shortfalls);
    let mut facts = RiskFacts { cards: cards.value, subjects: subjects.value, ..RiskFacts::default() };
    let (nodes, files) = (nodes_to_describe(&facts), files(&facts));
    let sources: Vec<RepoFile> = files.iter().filter(|file| is_product(&facts, file)).cloned().collect();

    // These queries are independent, so they run concurrently.
    let remaining = plan.without(&subjects.shortfalls);
    let (cards, histories, signals, cross_repo_co_changes) = tokio::join!(
        call.describe(&remaining, &nodes),
        call.history(&remaining, &files),
        call.signals(&remaining, &sources),
        call.file_co_changes(&remaining, &files),
    );
    let shortfalls = subjects.shortfalls.and(&cards.shortfalls).and(&histories.shortfalls).and(&signals.shortfalls);
    facts.cards.extend(cards.value);
    facts.contracts = contracts::of_files(call, plan, overlay, &facts);
    facts.histories = histories.value;
    facts.cross_repo_co_changes = cross_repo_co_changes;
    let source_signals = sources.into_iter().zip(signals.value);
    facts.signals = source_signals.filter_map(|(file, found)| Some((file, found?))).collect();
    let affected_histories = call.history(&plan.without(&shortfalls), &affected_files(&facts)).await.after(shortfalls);
    facts.histories.extend(affected_histories.value);
    Answer { value: facts, shortfalls: affected_histories.shortfalls }
}

/// Walks from each target concurrently.
async fn walk_each(
    call: &CallContext<'_>,
    plan: &Plan,
    overlay: &Overlay,
    enter: &BTreeSet<RepoIdx>,
    cards: &BTreeMap<NodeRef, v1::NodeCard>,
    members: BTreeMap<NodeRef, BTreeSet<NodeRef>>,
) -> Answer<BTreeMap<NodeRef, RiskSubject>> {
    let weights = Weights::new(Some(Intent::Modify));
    let walks = members.into_iter().map(|(at, members)| {
        let weights = &weights;
        async move {
            let card = &cards[&at];
            let mut roots = vec![at];
            roots.extend(members.into_iter().filter(|member| *member != at));
            let walk_scope = WalkScope {
                depth: DEPTH,
                direction: v1::Direction::In,
                kinds: impact::kinds(card),
                include_inferred: true,
                enter,
                weights,
            };
            let walk_result = walk_users(call, plan, overlay, &roots, &walk_scope).await;
            let subject = |found| (at, RiskSubject { file: (at.repo_idx, path_of(card).to_owned()), roots, found });
            walk_result.map(subject)
        }
    });
    let walk_results = join_all(walks.collect::<Vec<_>>()).await;
    let shortfalls =
        walk_results.iter().fold(Shortfalls::default(), |all, walk_result| all.and(&walk_result.shortfalls));
    Answer { value: walk_results.into_iter().map(|walk_result| walk_result.value).collect(), shortfalls }
}

fn nodes_to_describe(facts: &RiskFacts) -> BTreeSet<NodeRef> {
    let mut nodes = BTreeSet::new();
    for subject in facts.subjects.values() {
        nodes.extend(subject.hits().iter().take(MAX_DESCRIBED).map(|hit| hit.at));
        nodes.extend(subject.roots.iter().take(MAX_MEMBERS));
    }
    nodes
}

fn files(facts: &RiskFacts) -> BTreeSet<RepoFile> {
    facts.subjects.values().map(|subject| subject.file.clone()).collect()
}

/// Returns true for product source and configuration. Risk signals in tests and documents are only examples.
fn is_product(facts: &RiskFacts, file: &RepoFile) -> bool {
    let is_of_file = |(at, subject): &(&NodeRef, &RiskSubject)| subject.file == *file && facts.cards.contains_key(at);
    let card = facts.subjects.iter().find(is_of_file).and_then(|(at, _)| facts.cards[at].file.as_ref());
    card.is_some_and(|file| matches!(FileClass::from(file.class()), FileClass::Source | FileClass::Config))
}

/// Returns the dependent and co-changed files whose owners are queried too.
fn affected_files(facts: &RiskFacts) -> BTreeSet<RepoFile> {
    let mut affected_files = BTreeSet::new();
    for subject in facts.subjects.values() {
        affected_files.extend(users(facts, subject).into_iter().take(MAX_AFFECTED));
        affected_files.extend(partners(facts, subject).into_iter().take(MAX_AFFECTED));
    }
    affected_files.retain(|file| !facts.histories.contains_key(file));
    affected_files
}

/// Returns the other files that use a target directly; the most certain first.
pub(super) fn users(facts: &RiskFacts, subject: &RiskSubject) -> Vec<RepoFile> {
    let mut files: Vec<RepoFile> = Vec::new();
    for hit in subject.hits().iter().filter(|hit| hit.tier == ImpactTier::Direct && !hit.is_test) {
        let Some(card) = facts.cards.get(&hit.at) else { continue };
        let file = (hit.at.repo_idx, path_of(card).to_owned());
        if file != subject.file && !files.contains(&file) {
            files.push(file);
        }
    }
    files
}

/// Returns the files that co-change with the target's file; the strongest first.
pub(super) fn partners(facts: &RiskFacts, subject: &RiskSubject) -> Vec<RepoFile> {
    let own = facts.histories.get(&subject.file).into_iter().flat_map(|history| &history.co_changes);
    let own = own.map(|other| (subject.file.0, other.path.clone()));
    let others = facts.cross_repo_co_changes.get(&subject.file).into_iter().flatten();
    own.chain(others.map(|other| (other.repo_idx, other.path.clone()))).collect()
}
