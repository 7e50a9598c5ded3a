//! Rendering of risks within the budget: the summary of each target is kept longest, and lists are cut at the end.

use std::collections::BTreeMap;

use super::answer::{Lists, N_LISTS, RiskAnswer, TargetRisk};
use crate::{
    meta::AnswerExtent,
    pack,
    render::{RenderedAnswer, to_json},
};
use federation::plan::Plan;

/// A removable part of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum RemovablePart {
    /// The change set, or a target, without its lists.
    Change,
    Target(usize),
    /// A list entry: its position in the list, which list, and whose. The entries of the change set come before those
    /// of targets.
    Entry {
        idx: usize,
        list: usize,
        owner_idx: usize,
    },
}

pub(super) fn render(plan: &Plan, mut whole: RiskAnswer, token_budget: usize) -> RenderedAnswer {
    let parts = parts(&whole);
    let fit_form = |form: &RiskAnswer| {
        let lay_out = |n_shown: usize| to_json(&cut(form, &parts, n_shown));
        cut(form, &parts, pack::count_that_fits(token_budget, parts.len(), lay_out))
    };
    let exceeds = |answer: &RiskAnswer| text::estimate_tokens(&to_json(answer)) > token_budget;
    let mut answer = fit_form(&whole);
    let shorter: [fn(&mut RiskAnswer); 3] = [
        |form| form._meta.shorten(),
        |form| form.targets.iter_mut().for_each(shorten),
        |form| {
            if let Some(change) = &mut form.change {
                change.worked_on_together.clear();
                change.not_found.iter_mut().for_each(|one| one.nearest.clear());
            }
        },
    ];
    for shorten in shorter {
        if !exceeds(&answer) && answer._meta.extent.returned_items > 0 {
            break;
        }
        shorten(&mut whole);
        answer = fit_form(&whole);
    }
    if exceeds(&answer) {
        answer._meta.extent.more = None;
    }
    RenderedAnswer::json(&answer, plan)
}

/// Reduces a target to its summary.
fn shorten(risk: &mut TargetRisk) {
    risk.why.truncate(1);
    (risk.hotspot, risk.history, risk.history_note) = (None, None, None);
    (risk.tests, risk.blast_radius) = (None, None);
}

/// Returns all removable parts, the most important first.
fn parts(whole: &RiskAnswer) -> Vec<RemovablePart> {
    let mut parts: Vec<RemovablePart> = Vec::new();
    parts.extend(whole.change.iter().map(|_| RemovablePart::Change));
    parts.extend((0..whole.targets.len()).map(RemovablePart::Target));
    let lists = whole.change.iter().map(|change| (0, &change.lists));
    let lists = lists.chain((1..).zip(whole.targets.iter().map(|risk| &risk.lists)));
    for (owner_idx, lists) in lists {
        for (list, length) in lists.lengths().into_iter().enumerate() {
            parts.extend((0..length).map(|idx| RemovablePart::Entry { idx, list, owner_idx }));
        }
    }
    parts.sort_unstable();
    parts
}

/// Keeps only the first `n_shown` parts.
fn cut(form: &RiskAnswer, parts: &[RemovablePart], n_shown: usize) -> RiskAnswer {
    let mut counts: BTreeMap<usize, [usize; N_LISTS]> = BTreeMap::new();
    let (mut has_change, mut n_targets) = (false, 0);
    for part in &parts[..n_shown] {
        match part {
            RemovablePart::Change => has_change = true,
            RemovablePart::Target(_) => n_targets += 1,
            RemovablePart::Entry { list, owner_idx, .. } => counts.entry(*owner_idx).or_default()[*list] += 1,
        }
    }
    let cut_lists = |lists: &Lists, owner_idx: usize| {
        let mut lists = lists.clone();
        lists.truncate(counts.get(&owner_idx).copied().unwrap_or_default());
        lists
    };
    let mut answer = form.clone();
    answer.targets.truncate(n_targets);
    answer.change = answer.change.filter(|_| has_change);
    answer.change.iter_mut().for_each(|change| change.lists = cut_lists(&change.lists, 0));
    (1..).zip(&mut answer.targets).for_each(|(owner_idx, risk)| risk.lists = cut_lists(&risk.lists, owner_idx));
    let truncated = n_shown < parts.len();
    answer._meta.extent = AnswerExtent {
        truncated,
        total_items: parts.len() as u64,
        returned_items: n_shown as u64,
        more: truncated.then(|| "a larger token_budget, or fewer targets".to_owned()),
    };
    answer
}
