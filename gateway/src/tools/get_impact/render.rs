//! Laying out who is affected, within the budget.

use std::collections::BTreeMap;

use proto::v1;
use serde::Serialize;

use crate::{
    call::Call,
    entity::Entity,
    meta::{Extent, Meta, Remarks},
    nodes::At,
    pack,
    plan::Plan,
    render::{self, Rendered, RepositoryCount, to_json},
    tools::get_context::item::{Item, Tie},
    walk::{
        Neighbourhood,
        tiers::{Hit, Tier},
    },
};

/// The least that an affected entity takes as JSON, in tokens.
const MIN_TOKENS_OF_HIT: usize = 60;

/// What the walk came to.
pub(super) struct Impact<'a> {
    pub(super) target: &'a Entity,
    pub(super) card: &'a v1::NodeCard,
    pub(super) found: &'a Neighbourhood,
    pub(super) hits: &'a [Hit<'a>],
    pub(super) cards: &'a BTreeMap<At, v1::NodeCard>,
}

#[derive(Debug, Clone, Serialize)]
struct Answer {
    target: Item,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also_called_so: Vec<String>,
    counts: Counts,
    direct: Vec<Affected>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    indirect: Vec<Affected>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    peripheral: Vec<Affected>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tests_to_run: Vec<Affected>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    by_repo: Vec<RepositoryCount>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    _meta: Meta,
}

/// Everything that the walk met, shown or not.
#[derive(Debug, Clone, Default, Serialize)]
struct Counts {
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
struct Affected {
    tier: Tier,
    /// Over the whole way from the target.
    confidence: f64,
    hops: u32,
    /// Over whom, where that is not the target.
    #[serde(skip_serializing_if = "Option::is_none")]
    over: Option<String>,
    #[serde(flatten)]
    entity: Item,
}

/// Returns how many hits a budget may hold.
pub(super) fn most_shown(token_budget: usize) -> usize {
    token_budget / MIN_TOKENS_OF_HIT + 1
}

pub(super) fn render(
    call: &Call<'_>,
    plan: &Plan,
    impact: &Impact<'_>,
    token_budget: usize,
    ignored_arguments: Vec<String>,
    notes: Vec<String>,
) -> Rendered {
    let mut whole = frame(call, plan, impact, ignored_arguments, notes);
    let shown = impact.hits.iter().take(most_shown(token_budget));
    let affected: Vec<Affected> = shown.filter_map(|hit| affected(plan, impact, hit)).collect();
    let cut = |form: &Answer, n_shown: usize| with(form, &affected[..n_shown], impact.hits.len());
    let fitted = |form: &Answer| {
        let lay_out = |n_shown: usize| to_json(&cut(form, n_shown));
        cut(form, pack::count_that_fits(token_budget, affected.len(), lay_out))
    };
    let mut answer = fitted(&whole);
    let shorter: [fn(&mut Answer); 3] = [
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
        answer = fitted(&whole);
    }
    if text::estimate_tokens(&to_json(&answer)) > token_budget {
        answer._meta.extent.more = None;
    }
    Rendered::json(&answer, plan)
}

fn frame(
    call: &Call<'_>,
    plan: &Plan,
    impact: &Impact<'_>,
    ignored_arguments: Vec<String>,
    mut notes: Vec<String>,
) -> Answer {
    let Impact { target, card, found, hits, .. } = impact;
    let count = |tier| hits.iter().filter(|hit| hit.tier == tier && !hit.is_test).count();
    let by_repo = render::by_repo(plan, hits.iter().map(|hit| hit.at.position));
    let counts = Counts {
        direct: count(Tier::Direct),
        indirect: count(Tier::Indirect),
        peripheral: count(Tier::Peripheral),
        tests: hits.iter().filter(|hit| hit.is_test).count(),
        repositories: by_repo.len(),
        omitted: found.n_omitted,
    };
    if found.is_cut || found.n_omitted > 0 {
        notes.push("there are more users than were walked; `used_by` in get_context counts all direct ones".to_owned());
    }
    let nothing = || crate::meta::nothing_found(plan).unwrap_or_else(|| "nobody that is known uses it".to_owned());
    let hint = target
        .others
        .first()
        .map(|other| format!("{} others are called so: get_impact target=\"{other}\"", target.n_others));
    let remarks = Remarks { hint, extent: Extent::default(), ignored_arguments, notes };
    Answer {
        target: Item::of(plan, target.at, card),
        also_called_so: target.others.clone(),
        counts,
        direct: Vec::new(),
        indirect: Vec::new(),
        peripheral: Vec::new(),
        tests_to_run: Vec::new(),
        by_repo,
        note: hits.is_empty().then(nothing),
        _meta: Meta::new(call, plan, found.nodes.keys().map(|at| at.position), remarks),
    }
}

fn affected(plan: &Plan, impact: &Impact<'_>, hit: &Hit<'_>) -> Option<Affected> {
    let card = impact.cards.get(&hit.at)?;
    let over = (hit.hops > 1).then(|| impact.cards.get(&hit.over()));
    Some(Affected {
        tier: hit.tier,
        confidence: render::rounded(hit.confidence as f32),
        hops: hit.hops,
        over: over.flatten().map(|card| Item::of(plan, hit.over(), card).id),
        entity: Item {
            link: Some(Tie::of(plan, hit.edge, hit.at)),
            is_test: hit.is_test,
            ..Item::of(plan, hit.at, card)
        },
    })
}

fn with(form: &Answer, affected: &[Affected], total: usize) -> Answer {
    let mut answer = form.clone();
    for hit in affected {
        let list = match (hit.entity.is_test, hit.tier) {
            (true, _) => &mut answer.tests_to_run,
            (_, Tier::Direct) => &mut answer.direct,
            (_, Tier::Indirect) => &mut answer.indirect,
            (_, Tier::Peripheral) => &mut answer.peripheral,
        };
        list.push(hit.clone());
    }
    let truncated = affected.len() < total;
    answer._meta.extent = Extent {
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
