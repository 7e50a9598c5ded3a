//! Packing: the choice of candidates and their forms by value per token.

/// The forms in which a candidate can be shown.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CandidateForms {
    pub(super) score: f32,
    /// Token cost of each form, the fullest first; unset for a form that does not exist.
    pub(super) costs: [Option<usize>; N_FORMS],
}

/// Number of forms: whole, skeleton, signature.
pub(super) const N_FORMS: usize = 3;

/// Index of the whole form.
pub(super) const WHOLE: usize = 0;

/// Returns the chosen form of each candidate, if any, so that all together cost at most `room`. Candidates come best
/// first.
///
/// The best is shown whenever there is room for it; the others by value per token. Of two overlapping candidates at
/// most one is shown whole.
pub(super) fn pack(
    candidates: &[CandidateForms],
    room: usize,
    overlap: impl Fn(usize, usize) -> bool,
) -> Vec<Option<usize>> {
    let mut chosen: Vec<Option<usize>> = vec![None; candidates.len()];
    let mut left = room;
    for candidate_idx in by_value(candidates, room) {
        let overlaps_whole = |form: usize| {
            let mut whole = (0..candidates.len()).filter(|other| chosen[*other] == Some(WHOLE));
            form == WHOLE && whole.any(|other| overlap(candidate_idx, other))
        };
        let fits = |form: &usize| candidates[candidate_idx].costs[*form].is_some_and(|cost| cost <= left);
        let form = (0..N_FORMS).find(|form| fits(form) && !overlaps_whole(*form));
        left -= form.and_then(|form| candidates[candidate_idx].costs[form]).unwrap_or(0);
        chosen[candidate_idx] = form;
    }
    chosen
}

/// Returns the order of the choice: the best, then by value per token of the fullest form that fits.
fn by_value(candidates: &[CandidateForms], room: usize) -> Vec<usize> {
    let value = |candidate: &CandidateForms| {
        let cost = candidate.costs.iter().flatten().find(|cost| **cost <= room).copied();
        cost.map_or(0.0, |cost| candidate.score / cost.max(1) as f32)
    };
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by(|a, b| value(&candidates[*b]).total_cmp(&value(&candidates[*a])).then(a.cmp(b)));
    if let Some(position_of_best) = order.iter().position(|candidate_idx| *candidate_idx == 0) {
        order[..=position_of_best].rotate_right(1);
    }
    order
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn candidate(score: f32, whole: usize, skeleton: usize, signature: usize) -> CandidateForms {
        CandidateForms { score, costs: [Some(whole), Some(skeleton), Some(signature)] }
    }

    fn check(candidates: &[CandidateForms], room: usize, expected: &[Option<usize>]) {
        assert_eq!(pack(candidates, room, |_, _| false), expected);
    }

    #[test]
    fn value_per_token_decides_rather_than_the_first_fit() {
        let candidates = [candidate(1.0, 50, 40, 30), candidate(0.9, 900, 120, 30), candidate(0.8, 60, 50, 30)];
        check(&candidates, 1_100, &[Some(WHOLE), Some(WHOLE), Some(WHOLE)]);
        check(&candidates, 300, &[Some(WHOLE), Some(1), Some(WHOLE)]);
        check(&candidates, 150, &[Some(WHOLE), Some(2), Some(WHOLE)]);
        check(&candidates, 60, &[Some(WHOLE), None, None]);
    }

    #[test]
    fn the_best_candidate_is_shown_at_any_cost() {
        let candidates = [candidate(1.0, 900, 200, 50), candidate(0.9, 60, 50, 30)];
        check(&candidates, 1_000, &[Some(WHOLE), Some(WHOLE)]);
        check(&candidates, 400, &[Some(1), Some(WHOLE)]);
        check(&candidates, 40, &[None, Some(2)]);
    }

    #[test]
    fn overlapping_candidates_are_shown_once() {
        let candidates = [candidate(1.0, 50, 40, 30), candidate(0.9, 50, 40, 30)];
        assert_eq!(pack(&candidates, 500, |_, _| true), [Some(WHOLE), Some(1)]);
    }

    proptest! {
        #[test]
        fn the_budget_is_never_exceeded(
            costs in proptest::collection::vec((0.0_f32..1.0, 1_usize..500), 0..30),
            room in 0_usize..2_000,
        ) {
            let candidates: Vec<CandidateForms> =
                costs.iter().map(|(score, whole)| candidate(*score, *whole, whole / 2 + 1, whole / 4 + 1)).collect();
            let chosen = pack(&candidates, room, |a, b| a.abs_diff(b) == 1);
            let spent = |(candidate, form): (&CandidateForms, &Option<usize>)| form.and_then(|form| candidate.costs[form]).unwrap_or(0);
            prop_assert!(candidates.iter().zip(&chosen).map(spent).sum::<usize>() <= room);
        }
    }
}
