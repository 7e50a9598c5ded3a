//! What is asked of workers about some targets, all of a round at once: what they are, what is in them, who uses them, what
//! their past is, what in their source deserves a look.

use std::collections::{BTreeMap, BTreeSet};

use futures::future::join_all;
use model::FileClass;
use proto::v1;
use text::danger::Signal;

use crate::{
    call::Call,
    nodes::At,
    overlay::Overlay,
    plan::Plan,
    together::FileTogether,
    tools::get_context::item::path_of,
    walk::{
        Neighbourhood, OF_ALL, Way,
        chain::members_of_each,
        felt,
        tiers::{self, Hit, Tier},
        walk,
        weights::{Intent, Weights},
    },
};

/// Edges that are walked from a target, as get_impact does unless it is told otherwise.
const DEPTH: usize = 3;

/// Users of one target that are looked at closely.
const MAX_DESCRIBED: usize = 150;

/// Definitions of one target that are looked at for tests.
const MAX_MEMBERS: usize = 200;

/// Files that use one target, or change with it, whose owners are asked for.
const MAX_AFFECTED: usize = 8;

/// A file, by the position of its repository.
pub(super) type File = (usize, String);

/// What is known of all targets.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) subjects: BTreeMap<At, Subject>,
    pub(super) cards: BTreeMap<At, v1::NodeCard>,
    pub(super) histories: BTreeMap<File, v1::FileHistory>,
    pub(super) signals: BTreeMap<File, Vec<Signal>>,
    pub(super) elsewhere: BTreeMap<File, Vec<FileTogether>>,
}

/// One target.
pub(super) struct Subject {
    pub(super) file: File,
    /// What changes with it, itself included.
    pub(super) roots: Vec<At>,
    pub(super) found: Neighbourhood,
}

impl Subject {
    pub(super) fn hits(&self) -> Vec<Hit<'_>> {
        tiers::hits(&self.found, &self.roots)
    }
}

/// Asks everything about targets; those that nobody can tell of are missing.
pub(super) async fn gather(
    call: &Call<'_>,
    plan: &mut Plan,
    overlay: &Overlay,
    enter: &BTreeSet<usize>,
    targets: &BTreeSet<At>,
) -> Gathered {
    let mut gathered = Gathered { cards: call.describe(plan, targets).await, ..Gathered::default() };
    let known: BTreeSet<At> = targets.iter().filter(|at| gathered.cards.contains_key(at)).copied().collect();
    let members = members_of_each(call, plan, overlay, &known, enter).await;
    gathered.subjects = walk_each(call, plan, overlay, enter, &gathered.cards, members).await;
    let (described, files) = (described(&gathered), files(&gathered));
    let sources: Vec<File> = files.iter().filter(|file| is_product(&gathered, file)).cloned().collect();

    // None of these needs another: one round.
    let mut plans = [plan.clone(), plan.clone(), plan.clone()];
    let [of_cards, of_past, of_source] = &mut plans;
    let (cards, histories, signals, elsewhere) = tokio::join!(
        call.describe(of_cards, &described),
        call.history(of_past, &files),
        call.signals(of_source, &sources),
        call.changes_together(plan, &files),
    );
    plans.into_iter().for_each(|learnt| plan.fall_short(learnt.shortfalls));
    gathered.cards.extend(cards);
    gathered.histories = histories;
    gathered.elsewhere = elsewhere;
    gathered.signals = sources.into_iter().zip(signals).filter_map(|(file, found)| Some((file, found?))).collect();
    let affected = affected(&gathered);
    gathered.histories.extend(call.history(plan, &affected).await);
    gathered
}

/// Walks from each target, side by side.
async fn walk_each(
    call: &Call<'_>,
    plan: &mut Plan,
    overlay: &Overlay,
    enter: &BTreeSet<usize>,
    cards: &BTreeMap<At, v1::NodeCard>,
    members: BTreeMap<At, BTreeSet<At>>,
) -> BTreeMap<At, Subject> {
    let weights = Weights::new(Some(Intent::Modify));
    let walks = members.into_iter().map(|(at, members)| {
        let (mut own, weights) = (plan.clone(), &weights);
        async move {
            let card = &cards[&at];
            let mut roots = vec![at];
            roots.extend(members.into_iter().filter(|member| *member != at));
            let way = Way {
                depth: DEPTH,
                direction: v1::Direction::In,
                kinds: felt::kinds(card),
                include_inferred: true,
                enter,
                weights,
            };
            let found = walk(call, &mut own, overlay, &roots, &way, OF_ALL).await;
            (at, Subject { file: (at.position, path_of(card).to_owned()), roots, found }, own)
        }
    });
    let mut subjects = BTreeMap::new();
    for (at, subject, learnt) in join_all(walks.collect::<Vec<_>>()).await {
        plan.fall_short(learnt.shortfalls);
        subjects.insert(at, subject);
    }
    subjects
}

fn described(gathered: &Gathered) -> BTreeSet<At> {
    let mut nodes = BTreeSet::new();
    for subject in gathered.subjects.values() {
        nodes.extend(subject.hits().iter().take(MAX_DESCRIBED).map(|hit| hit.at));
        nodes.extend(subject.roots.iter().take(MAX_MEMBERS));
    }
    nodes
}

fn files(gathered: &Gathered) -> BTreeSet<File> {
    gathered.subjects.values().map(|subject| subject.file.clone()).collect()
}

/// Says whether a file is source of the product or its configuration: in tests and documents examples are no danger.
fn is_product(gathered: &Gathered, file: &File) -> bool {
    let is_it = |(at, subject): &(&At, &Subject)| subject.file == *file && gathered.cards.contains_key(at);
    let card = gathered.subjects.iter().find(is_it).and_then(|(at, _)| gathered.cards[at].file.as_ref());
    card.is_some_and(|file| matches!(FileClass::from(file.class()), FileClass::Source | FileClass::Config))
}

/// Returns the files that use targets or change with them, whose owners are to be asked as well.
fn affected(gathered: &Gathered) -> BTreeSet<File> {
    let mut affected = BTreeSet::new();
    for subject in gathered.subjects.values() {
        affected.extend(users(gathered, subject).into_iter().take(MAX_AFFECTED));
        affected.extend(partners(gathered, subject).into_iter().take(MAX_AFFECTED));
    }
    affected.retain(|file| !gathered.histories.contains_key(file));
    affected
}

/// Returns the files, other than its own, that use a target directly; the surest first.
pub(super) fn users(gathered: &Gathered, subject: &Subject) -> Vec<File> {
    let mut files: Vec<File> = Vec::new();
    for hit in subject.hits().iter().filter(|hit| hit.tier == Tier::Direct && !hit.is_test) {
        let Some(card) = gathered.cards.get(&hit.at) else { continue };
        let file = (hit.at.position, path_of(card).to_owned());
        if file != subject.file && !files.contains(&file) {
            files.push(file);
        }
    }
    files
}

/// Returns the files that change with the one that a target is in; the strongest first.
pub(super) fn partners(gathered: &Gathered, subject: &Subject) -> Vec<File> {
    let own = gathered.histories.get(&subject.file).into_iter().flat_map(|history| &history.co_changes);
    let own = own.map(|other| (subject.file.0, other.path.clone()));
    let others = gathered.elsewhere.get(&subject.file).into_iter().flatten();
    own.chain(others.map(|other| (other.position, other.path.clone()))).collect()
}
