//! Rendering of risks within the budget: the summary of each target is kept longest, and lists are cut at the end.

use std::collections::BTreeMap;

use super::answer::{Lists, N_LISTS, RiskAnswer, TargetRisk};
use crate::{
    meta::AnswerExtent,
    pack,
    render::{Rendered, to_json},
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
        of: usize,
    },
}

pub(super) fn render(plan: &Plan, mut whole: RiskAnswer, token_budget: usize) -> Rendered {
    let pieces = pieces(&whole);
    let fitted = |form: &RiskAnswer| {
        let lay_out = |n_shown: usize| to_json(&cut(form, &pieces, n_shown));
        cut(form, &pieces, pack::count_that_fits(token_budget, pieces.len(), lay_out))
    };
    let exceeds = |answer: &RiskAnswer| text::estimate_tokens(&to_json(answer)) > token_budget;
    let mut answer = fitted(&whole);
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
        answer = fitted(&whole);
    }
    if exceeds(&answer) {
        answer._meta.extent.more = None;
    }
    Rendered::json(&answer, plan)
}

/// Reduces a target to its summary.
fn shorten(risk: &mut TargetRisk) {
    risk.why.truncate(1);
    (risk.hotspot, risk.history, risk.history_note) = (None, None, None);
    (risk.tests, risk.blast_radius) = (None, None);
}

/// Returns all removable parts, the most important first.
fn pieces(whole: &RiskAnswer) -> Vec<RemovablePart> {
    let mut pieces: Vec<RemovablePart> = Vec::new();
    pieces.extend(whole.change.iter().map(|_| RemovablePart::Change));
    pieces.extend((0..whole.targets.len()).map(RemovablePart::Target));
    let lists = whole.change.iter().map(|change| (0, &change.lists));
    let lists = lists.chain((1..).zip(whole.targets.iter().map(|risk| &risk.lists)));
    for (of, lists) in lists {
        for (list, length) in lists.lengths().into_iter().enumerate() {
            pieces.extend((0..length).map(|idx| RemovablePart::Entry { idx, list, of }));
        }
    }
    pieces.sort_unstable();
    pieces
}

/// Keeps only the first `n` parts.
fn cut(form: &RiskAnswer, pieces: &[RemovablePart], n_shown: usize) -> RiskAnswer {
    let mut counts: BTreeMap<usize, [usize; N_LISTS]> = BTreeMap::new();
    let (mut has_change, mut n_targets) = (false, 0);
    for piece in &pieces[..n_shown] {
        match piece {
            RemovablePart::Change => has_change = true,
            RemovablePart::Target(_) => n_targets += 1,
            RemovablePart::Entry { list, of, .. } => counts.entry(*of).or_default()[*list] += 1,
        }
    }
    let cut_lists = |lists: &Lists, of: usize| {
        let mut lists = lists.clone();
        lists.truncate(counts.get(&of).copied().unwrap_or_default());
        lists
    };
    let mut answer = form.clone();
    answer.targets.truncate(n_targets);
    answer.change = answer.change.filter(|_| has_change);
    answer.change.iter_mut().for_each(|change| change.lists = cut_lists(&change.lists, 0));
    (1..).zip(&mut answer.targets).for_each(|(of, risk)| risk.lists = cut_lists(&risk.lists, of));
    let truncated = n_shown < pieces.len();
    answer._meta.extent = AnswerExtent {
        truncated,
        total_items: pieces.len() as u64,
        returned_items: n_shown as u64,
        more: truncated.then(|| "a larger token_budget, or fewer targets".to_owned()),
    };
    answer
}
