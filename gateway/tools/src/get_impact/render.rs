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
use federation::{
    coverage::Coverage,
    entity::ResolvedEntity,
    nodes::NodeRef,
    plan::Plan,
    walk::{
        Neighbourhood,
        tiers::{ImpactHit, ImpactTier},
    },
};

/// Minimum number of JSON tokens of an affected entity.
const MIN_TOKENS_OF_HIT: usize = 60;

/// The outcome of the walk.
pub(super) struct Impact<'a> {
    pub(super) target: &'a ResolvedEntity,
    pub(super) card: &'a v1::NodeCard,
    pub(super) found: &'a Neighbourhood,
    pub(super) hits: &'a [ImpactHit<'a>],
    pub(super) cards: &'a BTreeMap<NodeRef, v1::NodeCard>,
    pub(super) may_miss: Option<MayMiss>,
}

#[derive(Debug, Clone, Serialize)]
struct ImpactAnswer {
    target: ContextItem,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also_called_so: Vec<String>,
    counts: ImpactCounts,
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

#[derive(Debug, Clone, Serialize)]
struct AffectedEntity {
    tier: ImpactTier,
    /// Of the whole path from the target.
    confidence: f64,
    hops: u32,
    /// The last intermediate entity, if the target is not used directly.
    #[serde(skip_serializing_if = "Option::is_none")]
    over: Option<String>,
    #[serde(flatten)]
    entity: ContextItem,
}

/// Returns the maximum number of hits that a budget may hold.
pub(super) fn max_shown(token_budget: usize) -> usize {
    token_budget / MIN_TOKENS_OF_HIT + 1
}

pub(super) fn render(
    plan: &Plan,
    impact: &Impact<'_>,
    token_budget: usize,
    ignored_arguments: Vec<String>,
    notes: Vec<String>,
) -> RenderedAnswer {
    let mut whole = frame(plan, impact, ignored_arguments, notes);
    let shown = impact.hits.iter().take(max_shown(token_budget));
    let affected: Vec<AffectedEntity> = shown.filter_map(|hit| affected(plan, impact, hit)).collect();
    let cut = |form: &ImpactAnswer, n_shown: usize| with(form, &affected[..n_shown], impact.hits.len());
    let fit_form = |form: &ImpactAnswer| {
        let lay_out = |n_shown: usize| to_json(&cut(form, n_shown));
        cut(form, pack::count_that_fits(token_budget, affected.len(), lay_out))
    };
    let mut answer = fit_form(&whole);
    let shorter: [fn(&mut ImpactAnswer); 3] = [
        |form| {
            form.also_called_so.clear();
            form._meta.shorten();
        },
        |form| {
            form.target.doc.clear();
            form.by_repo.clear();
        },
        |form| form.target.shorten(),
    ];
    for shorten in shorter {
        let exceeds = text::estimate_tokens(&to_json(&answer)) > token_budget;
        let is_empty = answer._meta.extent.returned_items == 0 && !affected.is_empty();
        if !exceeds && !is_empty {
            break;
        }
        shorten(&mut whole);
        answer = fit_form(&whole);
    }
    if text::estimate_tokens(&to_json(&answer)) > token_budget {
        answer._meta.extent.more = None;
    }
    RenderedAnswer::json(&answer, plan)
}

fn frame(plan: &Plan, impact: &Impact<'_>, ignored_arguments: Vec<String>, mut notes: Vec<String>) -> ImpactAnswer {
    let Impact { target, card, found, hits, may_miss, .. } = impact;
    let count = |tier| hits.iter().filter(|hit| hit.tier == tier && !hit.is_test).count();
    let by_repo = render::by_repo(plan, hits.iter().map(|hit| hit.at.repo_idx));
    let counts = ImpactCounts {
        direct: count(ImpactTier::Direct),
        indirect: count(ImpactTier::Indirect),
        peripheral: count(ImpactTier::Peripheral),
        tests: hits.iter().filter(|hit| hit.is_test).count(),
        repositories: by_repo.len(),
        omitted: found.n_omitted,
    };
    if found.is_cut || found.n_omitted > 0 {
        notes.push(
            "the walk reached its limit, and there are more users; `used_by` of get_context counts all direct ones"
                .to_owned(),
        );
    }
    let no_users = match may_miss {
        Some(_) => "no users are known, and some may be missing: see may_miss",
        None => "no users are known",
    };
    let note_on_nothing = || Coverage::of(plan).unknown_note().unwrap_or_else(|| no_users.to_owned());
    let hint = target.others.first().map(|other| {
        format!("the name is ambiguous, {} more: get_impact {}", target.n_others, suggested("target", other))
    });
    let remarks = Remarks {
        hint,
        extent: AnswerExtent::default(),
        ignored_arguments,
        notes,
        may_miss: may_miss.clone(),
        ..Remarks::default()
    };
    ImpactAnswer {
        target: ContextItem::of(plan, target.at, card),
        also_called_so: target.others.clone(),
        counts,
        direct: Vec::new(),
        indirect: Vec::new(),
        peripheral: Vec::new(),
        tests_to_run: Vec::new(),
        by_repo,
        note: hits.is_empty().then(note_on_nothing),
        _meta: Meta::new(plan, found.nodes.keys().map(|at| at.repo_idx), remarks),
    }
}

fn affected(plan: &Plan, impact: &Impact<'_>, hit: &ImpactHit<'_>) -> Option<AffectedEntity> {
    let card = impact.cards.get(&hit.at)?;
    let over = (hit.hops > 1).then(|| impact.cards.get(&hit.over()));
    Some(AffectedEntity {
        tier: hit.tier,
        confidence: render::rounded(hit.confidence as f32),
        hops: hit.hops,
        over: over.flatten().map(|card| ContextItem::of(plan, hit.over(), card).id),
        entity: ContextItem {
            link: Some(ItemLink::of(plan, hit.edge, hit.at)),
            is_test: hit.is_test,
            ..ContextItem::of(plan, hit.at, card)
        },
    })
}

fn with(form: &ImpactAnswer, affected: &[AffectedEntity], total: usize) -> ImpactAnswer {
    let mut answer = form.clone();
    for hit in affected {
        let list = match (hit.entity.is_test, hit.tier) {
            (true, _) => &mut answer.tests_to_run,
            (_, ImpactTier::Direct) => &mut answer.direct,
            (_, ImpactTier::Indirect) => &mut answer.indirect,
            (_, ImpactTier::Peripheral) => &mut answer.peripheral,
        };
        list.push(hit.clone());
    }
    let truncated = affected.len() < total;
    answer._meta.extent = AnswerExtent {
        truncated,
        total_items: total as u64,
        returned_items: affected.len() as u64,
        more: truncated.then(|| "a larger token_budget, or a smaller depth".to_owned()),
    };
    answer
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

fn is_none(count: &u64) -> bool {
    *count == 0
}
