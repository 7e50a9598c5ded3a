//! Choosing what is shown, and in which form, by what each is worth for a token.

/// What one candidate can be shown as.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Parcel {
    pub(super) score: f32,
    /// What each form costs, the fullest first; unset for a form that it does not have.
    pub(super) costs: [Option<usize>; N_FORMS],
}

/// Whole, cut down to its skeleton, the signature alone.
pub(super) const N_FORMS: usize = 3;

/// The form that shows all.
pub(super) const WHOLE: usize = 0;

/// Returns the form in which each parcel is shown, if it is, so that all together cost no more than `room`. Parcels come
/// best first.
///
/// The best is shown at any rate that there is room for; the others by what they are worth for a token. Of two that
/// overlap at most one is shown whole.
pub(super) fn pack(parcels: &[Parcel], room: usize, overlap: impl Fn(usize, usize) -> bool) -> Vec<Option<usize>> {
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

/// Returns the order in which parcels are chosen: the best, then by worth for a token of the fullest form there is room for.
fn by_worth(parcels: &[Parcel], room: usize) -> Vec<usize> {
    let worth = |parcel: &Parcel| {
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

    fn parcel(score: f32, whole: usize, skeleton: usize, signature: usize) -> Parcel {
        Parcel { score, costs: [Some(whole), Some(skeleton), Some(signature)] }
    }

    fn check(parcels: &[Parcel], room: usize, expected: &[Option<usize>]) {
        assert_eq!(pack(parcels, room, |_, _| false), expected);
    }

    #[test]
    fn worth_for_a_token_decides_and_not_the_first_fit() {
        let parcels = [parcel(1.0, 50, 40, 30), parcel(0.9, 900, 120, 30), parcel(0.8, 60, 50, 30)];
        check(&parcels, 1_100, &[Some(WHOLE), Some(WHOLE), Some(WHOLE)]);
        check(&parcels, 300, &[Some(WHOLE), Some(1), Some(WHOLE)]);
        check(&parcels, 150, &[Some(WHOLE), Some(2), Some(WHOLE)]);
        check(&parcels, 60, &[Some(WHOLE), None, None]);
    }

    #[test]
    fn the_best_is_shown_whatever_it_costs() {
        let parcels = [parcel(1.0, 900, 200, 50), parcel(0.9, 60, 50, 30)];
        check(&parcels, 1_000, &[Some(WHOLE), Some(WHOLE)]);
        check(&parcels, 400, &[Some(1), Some(WHOLE)]);
        check(&parcels, 40, &[None, Some(2)]);
    }

    #[test]
    fn nothing_is_told_twice() {
        let parcels = [parcel(1.0, 50, 40, 30), parcel(0.9, 50, 40, 30)];
        assert_eq!(pack(&parcels, 500, |_, _| true), [Some(WHOLE), Some(1)]);
    }

    proptest! {
        #[test]
        fn no_room_is_exceeded(
            costs in proptest::collection::vec((0.0_f32..1.0, 1_usize..500), 0..30),
            room in 0_usize..2_000,
        ) {
            let parcels: Vec<Parcel> =
                costs.iter().map(|(score, whole)| parcel(*score, *whole, whole / 2 + 1, whole / 4 + 1)).collect();
            let chosen = pack(&parcels, room, |a, b| a.abs_diff(b) == 1);
            let spent = |(parcel, form): (&Parcel, &Option<usize>)| form.and_then(|form| parcel.costs[form]).unwrap_or(0);
            prop_assert!(parcels.iter().zip(&chosen).map(spent).sum::<usize>() <= room);
        }
    }
}
