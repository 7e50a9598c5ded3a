//! Rendering of the affected entities within the budget.

use std::collections::BTreeMap;

use proto::v1;
use serde::Serialize;

use crate::{
    arguments::suggested,
    get_context::item::{ContextItem, ItemLink},
    may_miss::MayMiss,
    meta::{AnswerExtent, Meta, Remarks},
    pack,
    render::{self, RenderedAnswer, RepositoryCount, to_json},
};
use federation::{coverage::Coverage, nodes::NodeRef, plan::Plan, walk::tiers::ImpactTier};

/// Maximum number of listed methods that the target overrides or implements.
const MAX_OVERRIDDEN: usize = 5;

use super::{
    impact_list::ImpactList,
    page::{ImpactEntry, ImpactPage},
};

/// The thing that changes.
pub(super) struct ImpactSubject {
    pub(super) target: ContextItem,
    /// Other meanings of the name, in a form that the argument accepts, and their number.
    pub(super) others: Vec<String>,
    pub(super) n_others: usize,
    /// The places that define a contract without a node.
    pub(super) defined_at: Vec<String>,
    pub(super) may_miss: Option<MayMiss>,
}

/// The outcome of the walk.
pub(super) struct Impact<'a> {
    pub(super) subject: ImpactSubject,
    pub(super) list: &'a ImpactList,
    pub(super) page: ImpactPage<'a>,
    pub(super) cards: &'a BTreeMap<NodeRef, v1::NodeCard>,
}

#[derive(Debug, Clone, Serialize)]
struct ImpactAnswer {
    /// Absent if the budget holds hardly one user.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<ContextItem>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also_called_so: Vec<String>,
    /// The first places that define a contract: settings of a variable, deployments of a host, definitions of a table.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    defined_at: Vec<String>,
    /// The first methods that the target overrides or implements: their callers may run it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    overrides: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    counts: Option<ImpactCounts>,
    direct: Vec<AffectedEntity>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    indirect: Vec<AffectedEntity>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    peripheral: Vec<AffectedEntity>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tests_to_run: Vec<AffectedEntity>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    by_repo: Vec<RepositoryCount>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    _meta: Meta,
}

/// Counts of all entities that the walk reached, shown or not.
#[derive(Debug, Clone, Default, Serialize)]
struct ImpactCounts {
    direct: usize,
    #[serde(skip_serializing_if = "is_zero")]
    indirect: usize,
    #[serde(skip_serializing_if = "is_zero")]
    peripheral: usize,
    #[serde(skip_serializing_if = "is_zero")]
    tests: usize,
    #[serde(skip_serializing_if = "is_zero")]
    repositories: usize,
    /// Edges beyond the limits of the walk.
    #[serde(skip_serializing_if = "is_none")]
    omitted: u64,
}

/// The way in which an entity is affected.
#[derive(Debug, Clone, Serialize)]
struct ImpactPath {
    tier: ImpactTier,
    /// Of the whole path from the target.
    confidence: f64,
    hops: u32,
}

#[derive(Debug, Clone, Serialize)]
struct AffectedEntity {
    #[serde(skip)]
    tier: ImpactTier,
    #[serde(skip)]
    is_test: bool,
    #[serde(flatten)]
    path: Option<ImpactPath>,
    /// The last intermediate entity, if the target is not used directly.
    #[serde(skip_serializing_if = "Option::is_none")]
    over: Option<String>,
    #[serde(flatten)]
    entity: ContextItem,
    /// True if the entry only has more lines of the entity before it.
    #[serde(skip_serializing_if = "is_false")]
    continued: bool,
    /// The lines, if the budget is too small for the link.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<u32>,
}

impl AffectedEntity {
    /// Drops everything except the id and the lines, for very small budgets.
    fn shorten(&mut self) {
        let link = self.entity.link.take();
        self.lines =
            link.map(|link| if link.lines.is_empty() { vec![link.line] } else { link.lines }).unwrap_or_default();
        self.entity.shorten();
        self.entity.kind.clear();
        (self.path, self.over) = (None, None);
    }
}

/// A step that makes an answer and its entries shorter.
type Shortening = fn(&mut ImpactAnswer, &mut Vec<Option<AffectedEntity>>);

pub(super) fn render(
    plan: &Plan,
    impact: &Impact<'_>,
    token_budget: usize,
    ignored_arguments: Vec<String>,
    notes: Vec<String>,
) -> RenderedAnswer {
    let mut whole = frame(plan, impact, ignored_arguments, notes);
    // An entity that its worker did not describe keeps its place, so that the next page begins behind it.
    let mut affected: Vec<Option<AffectedEntity>> =
        impact.page.entries.iter().map(|entry| affected(plan, impact, entry)).collect();
    let mut answer = fit(&whole, &affected, impact, token_budget);
    let shorter: [Shortening; 6] = [
        |form, _| {
            form.also_called_so.clear();
            form._meta.shorten();
        },
        |form, _| {
            form.target.iter_mut().for_each(|target| target.doc.clear());
            form.by_repo.clear();
            form.overrides.clear();
            form.defined_at.clear();
        },
        |form, _| form.target.iter_mut().for_each(ContextItem::shorten),
        |_, affected| affected.iter_mut().flatten().for_each(AffectedEntity::shorten),
        |form, _| form.target = None,
        |form, _| form.counts = None,
    ];
    for shorten in shorter {
        let exceeds = text::estimate_tokens(&to_json(&answer)) > token_budget;
        let is_empty = answer._meta.extent.returned_items == 0 && !affected.is_empty();
        if !exceeds && !is_empty {
            break;
        }
        shorten(&mut whole, &mut affected);
        answer = fit(&whole, &affected, impact, token_budget);
    }
    if text::estimate_tokens(&to_json(&answer)) > token_budget {
        answer._meta.extent.more = None;
    }
    RenderedAnswer::json(&answer, plan)
}

/// Returns the answer with as many entries as fit.
fn fit(
    form: &ImpactAnswer,
    affected: &[Option<AffectedEntity>],
    impact: &Impact<'_>,
    token_budget: usize,
) -> ImpactAnswer {
    let cut = |n_shown: usize| with(form, &affected[..n_shown], impact);
    cut(pack::count_that_fits(token_budget, affected.len(), |n_shown| to_json(&cut(n_shown))))
}

fn frame(plan: &Plan, impact: &Impact<'_>, ignored_arguments: Vec<String>, mut notes: Vec<String>) -> ImpactAnswer {
    let Impact { subject, list, .. } = impact;
    let hits = &list.hits;
    let ImpactSubject { target, others, n_others, defined_at, may_miss, .. } = subject;
    let count = |tier| hits.iter().filter(|hit| hit.tier == tier && !hit.is_test).count();
    let by_repo = render::by_repo(plan, hits.iter().map(|hit| hit.at.repo_idx));
    let counts = ImpactCounts {
        direct: count(ImpactTier::Direct),
        indirect: count(ImpactTier::Indirect),
        peripheral: count(ImpactTier::Peripheral),
        tests: hits.iter().filter(|hit| hit.is_test).count(),
        repositories: by_repo.len(),
        omitted: list.n_omitted,
    };
    if list.n_direct_omitted > 0 {
        notes.push("the walk reached its limit, and there are more direct users than those counted".to_owned());
    } else if list.is_cut || list.n_omitted > 0 {
        notes.push("all direct users are counted; the walk beyond them reached its limit".to_owned());
    }
    let no_users = match may_miss {
        Some(_) => "no users are known, and some may be missing: see may_miss",
        None => "no users are known",
    };
    let no_results_note = || Coverage::of(plan).unknown_note().unwrap_or_else(|| no_users.to_owned());
    let hint = others
        .first()
        .map(|other| format!("the name is ambiguous, {n_others} more: get_impact {}", suggested("target", other)));
    let remarks = Remarks {
        hint,
        extent: AnswerExtent::default(),
        ignored_arguments,
        notes,
        may_miss: may_miss.clone(),
        ..Remarks::default()
    };
    ImpactAnswer {
        target: Some(target.clone()),
        also_called_so: others.clone(),
        defined_at: defined_at.clone(),
        overrides: list
            .declarations
            .iter()
            .filter_map(|at| Some(ContextItem::of(plan, *at, impact.cards.get(at)?).id))
            .take(MAX_OVERRIDDEN)
            .collect(),
        counts: Some(counts),
        direct: Vec::new(),
        indirect: Vec::new(),
        peripheral: Vec::new(),
        tests_to_run: Vec::new(),
        by_repo,
        note: hits.is_empty().then(no_results_note),
        _meta: Meta::new(plan, list.reached.iter().copied(), remarks),
    }
}

fn affected(plan: &Plan, impact: &Impact<'_>, entry: &ImpactEntry<'_>) -> Option<AffectedEntity> {
    let hit = entry.hit;
    let card = impact.cards.get(&hit.at)?;
    let over = (hit.hops > 1).then(|| impact.cards.get(&hit.over()));
    let lines = entry.lines();
    let link = ItemLink::of(plan, &hit.edge, hit.at).with_sites(lines, hit.n_sites);
    let described = ContextItem::of(plan, hit.at, card);
    // The id names a distant user. Documentation says nothing about the use.
    let signature = if hit.hops > 1 { String::new() } else { described.signature };
    let entity = ContextItem { link: Some(link), is_test: hit.is_test, signature, doc: String::new(), ..described };
    Some(AffectedEntity {
        tier: hit.tier,
        is_test: hit.is_test,
        path: Some(ImpactPath { tier: hit.tier, confidence: render::rounded(hit.confidence as f32), hops: hit.hops }),
        over: over.flatten().map(|card| ContextItem::of(plan, hit.over(), card).id),
        entity,
        continued: entry.lines.start > 0,
        lines: Vec::new(),
    })
}

/// Returns the answer with these entries.
fn with(form: &ImpactAnswer, affected: &[Option<AffectedEntity>], impact: &Impact<'_>) -> ImpactAnswer {
    let mut answer = form.clone();
    for hit in affected.iter().flatten() {
        let list = match (hit.is_test, hit.tier) {
            (true, _) => &mut answer.tests_to_run,
            (_, ImpactTier::Direct) => &mut answer.direct,
            (_, ImpactTier::Indirect) => &mut answer.indirect,
            (_, ImpactTier::Peripheral) => &mut answer.peripheral,
        };
        list.push(hit.clone());
    }
    answer._meta.extent = AnswerExtent {
        truncated: affected.len() < impact.page.n_all,
        total_items: impact.page.n_all as u64,
        returned_items: affected.iter().flatten().count() as u64,
        more: impact.page.more(affected.len()),
    };
    answer
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

fn is_false(value: &bool) -> bool {
    !value
}
