//! Laying risks out, within the budget: what every target comes to is kept longest, and lists are cut from their ends.

use std::collections::BTreeMap;

use super::view::{Answer, Lists, N_LISTS, Risk};
use crate::{
    meta::Extent,
    pack,
    plan::Plan,
    render::{Rendered, to_json},
};

/// What can be left out of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Piece {
    /// The change as a whole, or a target with all but its lists.
    Change,
    Target(usize),
    /// An entry of a list: how deep in it, which list, and whose; the change's come before those of targets.
    Entry {
        idx: usize,
        list: usize,
        of: usize,
    },
}

pub(super) fn render(plan: &Plan, mut whole: Answer, token_budget: usize) -> Rendered {
    let pieces = pieces(&whole);
    let fitted = |form: &Answer| {
        let lay_out = |n_shown: usize| to_json(&cut(form, &pieces, n_shown));
        cut(form, &pieces, pack::count_that_fits(token_budget, pieces.len(), lay_out))
    };
    let exceeds = |answer: &Answer| text::estimate_tokens(&to_json(answer)) > token_budget;
    let mut answer = fitted(&whole);
    let shorter: [fn(&mut Answer); 3] = [
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

/// Leaves of a target what it comes to.
fn shorten(risk: &mut Risk) {
    risk.why.truncate(1);
    (risk.hotspot, risk.history, risk.history_note) = (None, None, None);
    (risk.tests, risk.blast_radius) = (None, None);
}

/// Returns everything that can be left out, the most important first.
fn pieces(whole: &Answer) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    pieces.extend(whole.change.iter().map(|_| Piece::Change));
    pieces.extend((0..whole.targets.len()).map(Piece::Target));
    let lists = whole.change.iter().map(|change| (0, &change.lists));
    let lists = lists.chain((1..).zip(whole.targets.iter().map(|risk| &risk.lists)));
    for (of, lists) in lists {
        for (list, length) in lists.lengths().into_iter().enumerate() {
            pieces.extend((0..length).map(|idx| Piece::Entry { idx, list, of }));
        }
    }
    pieces.sort_unstable();
    pieces
}

/// Leaves the first so many pieces.
fn cut(form: &Answer, pieces: &[Piece], n_shown: usize) -> Answer {
    let mut counts: BTreeMap<usize, [usize; N_LISTS]> = BTreeMap::new();
    let (mut has_change, mut n_targets) = (false, 0);
    for piece in &pieces[..n_shown] {
        match piece {
            Piece::Change => has_change = true,
            Piece::Target(_) => n_targets += 1,
            Piece::Entry { list, of, .. } => counts.entry(*of).or_default()[*list] += 1,
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
    answer._meta.extent = Extent {
        truncated,
        total_items: pieces.len() as u64,
        returned_items: n_shown as u64,
        more: truncated.then(|| "a larger token_budget, or fewer targets".to_owned()),
    };
    answer
}
