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
    parcels: &[CandidateForms],
    room: usize,
    overlap: impl Fn(usize, usize) -> bool,
) -> Vec<Option<usize>> {
    let mut chosen: Vec<Option<usize>> = vec![None; parcels.len()];
    let mut left = room;
    for parcel_idx in by_worth(parcels, room) {
        let is_told = |form: usize| {
            let mut whole = (0..parcels.len()).filter(|other| chosen[*other] == Some(WHOLE));
            form == WHOLE && whole.any(|other| overlap(parcel_idx, other))
        };
        let fits = |form: &usize| parcels[parcel_idx].costs[*form].is_some_and(|cost| cost <= left);
        let form = (0..N_FORMS).find(|form| fits(form) && !is_told(*form));
        left -= form.and_then(|form| parcels[parcel_idx].costs[form]).unwrap_or(0);
        chosen[parcel_idx] = form;
    }
    chosen
}

/// Returns the order of the choice: the best, then by value per token of the fullest form that fits.
fn by_worth(parcels: &[CandidateForms], room: usize) -> Vec<usize> {
    let worth = |parcel: &CandidateForms| {
        let cost = parcel.costs.iter().flatten().find(|cost| **cost <= room).copied();
        cost.map_or(0.0, |cost| parcel.score / cost.max(1) as f32)
    };
    let mut order: Vec<usize> = (0..parcels.len()).collect();
    order.sort_by(|a, b| worth(&parcels[*b]).total_cmp(&worth(&parcels[*a])).then(a.cmp(b)));
    if let Some(place) = order.iter().position(|parcel_idx| *parcel_idx == 0) {
        order[..=place].rotate_right(1);
    }
    order
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parcel(score: f32, whole: usize, skeleton: usize, signature: usize) -> CandidateForms {
        CandidateForms { score, costs: [Some(whole), Some(skeleton), Some(signature)] }
    }

    fn check(parcels: &[CandidateForms], room: usize, expected: &[Option<usize>]) {
        assert_eq!(pack(parcels, room, |_, _| false), expected);
    }

    #[test]
    fn value_per_token_decides_rather_than_the_first_fit() {
        let parcels = [parcel(1.0, 50, 40, 30), parcel(0.9, 900, 120, 30), parcel(0.8, 60, 50, 30)];
        check(&parcels, 1_100, &[Some(WHOLE), Some(WHOLE), Some(WHOLE)]);
        check(&parcels, 300, &[Some(WHOLE), Some(1), Some(WHOLE)]);
        check(&parcels, 150, &[Some(WHOLE), Some(2), Some(WHOLE)]);
        check(&parcels, 60, &[Some(WHOLE), None, None]);
    }

    #[test]
    fn the_best_candidate_is_shown_at_any_cost() {
        let parcels = [parcel(1.0, 900, 200, 50), parcel(0.9, 60, 50, 30)];
        check(&parcels, 1_000, &[Some(WHOLE), Some(WHOLE)]);
        check(&parcels, 400, &[Some(1), Some(WHOLE)]);
        check(&parcels, 40, &[None, Some(2)]);
    }

    #[test]
    fn overlapping_candidates_are_shown_once() {
        let parcels = [parcel(1.0, 50, 40, 30), parcel(0.9, 50, 40, 30)];
        assert_eq!(pack(&parcels, 500, |_, _| true), [Some(WHOLE), Some(1)]);
    }

    proptest! {
        #[test]
        fn the_budget_is_never_exceeded(
            costs in proptest::collection::vec((0.0_f32..1.0, 1_usize..500), 0..30),
            room in 0_usize..2_000,
        ) {
            let parcels: Vec<CandidateForms> =
                costs.iter().map(|(score, whole)| parcel(*score, *whole, whole / 2 + 1, whole / 4 + 1)).collect();
            let chosen = pack(&parcels, room, |a, b| a.abs_diff(b) == 1);
            let spent = |(parcel, form): (&CandidateForms, &Option<usize>)| form.and_then(|form| parcel.costs[form]).unwrap_or(0);
            prop_assert!(parcels.iter().zip(&chosen).map(spent).sum::<usize>() <= room);
        }
    }
}
