//! Sharing a token budget out over ranked items.

/// What one item can use of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Want {
    /// The least that makes the item worth showing, such as its signature. More than `max` counts as `max`.
    pub min: usize,
    /// All that the item could use.
    pub max: usize,
    /// How fast the item's share grows beside the others'. Zero counts as one.
    pub weight: u32,
}

/// Returns the share of each item, best item first.
///
/// The minimums come first, in rank order; the first that does not fit ends the list, and it and all after it get
/// nothing. When every minimum fits, what remains raises all shares together, each by its weight; an item that is full
/// hands what it does not need on to the others.
///
/// The sum never exceeds `budget`, no share exceeds its `max`, and no share falls when the budget grows. Once every
/// minimum fits, nothing is left over while an item wants more. Before that, less than the next minimum may be left:
/// given to an earlier item, it would have to be taken away again as soon as that minimum fits.
pub fn share(budget: usize, wants: &[Want]) -> Vec<usize> {
    let n_served = count_of_fitting_minimums(budget, wants);
    if n_served == wants.len() {
        return water_fill(budget, wants);
    }
    let floors = wants[..n_served].iter().map(floor);
    floors.chain(std::iter::repeat_n(0, wants.len() - n_served)).collect()
}

fn count_of_fitting_minimums(budget: usize, wants: &[Want]) -> usize {
    let remaining_after_each = wants.iter().scan(budget, |remaining, want| {
        *remaining = remaining.checked_sub(floor(want))?;
        Some(())
    });
    remaining_after_each.count()
}

/// Shares out a budget that every minimum fits into.
///
/// Water rises to the highest whole level that the budget affords. What is left is less than the step to the next
/// level, and goes to the items in rank order, so that a budget one larger only ever adds.
fn water_fill(budget: usize, wants: &[Want]) -> Vec<usize> {
    let level = highest_level(budget, wants);
    let mut shares: Vec<usize> = wants.iter().map(|want| share_at(level, want)).collect();
    let mut left_over = budget - shares.iter().sum::<usize>();
    for (share, want) in shares.iter_mut().zip(wants) {
        let raise = left_over.min(share_at(level.saturating_add(1), want) - *share);
        *share += raise;
        left_over -= raise;
    }
    shares
}

fn highest_level(budget: usize, wants: &[Want]) -> usize {
    let fits = |level| total_at(level, wants).is_some_and(|total| total <= budget);
    let (mut fitting, mut beyond) = (0, budget.saturating_add(1));
    while beyond - fitting > 1 {
        let middle = fitting + (beyond - fitting) / 2;
        if fits(middle) { fitting = middle } else { beyond = middle }
    }
    fitting
}

/// Returns the sum of all shares at this level, unless it is too large a number.
fn total_at(level: usize, wants: &[Want]) -> Option<usize> {
    wants.iter().try_fold(0usize, |total, want| total.checked_add(share_at(level, want)))
}

fn share_at(level: usize, want: &Want) -> usize {
    level.saturating_mul(want.weight.max(1) as usize).clamp(floor(want), want.max)
}

fn floor(want: &Want) -> usize {
    want.min.min(want.max)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn want(min: usize, max: usize, weight: u32) -> Want {
        Want { min, max, weight }
    }

    #[test]
    fn budgets_are_shared_by_rank_need_and_weight() {
        let pair = [want(10, 100, 1), want(10, 100, 1)];
        for (budget, wants, expected) in [
            (0, &pair[..], vec![0, 0]),
            (9, &pair, vec![0, 0]),
            (15, &pair, vec![10, 0]),
            (21, &pair, vec![11, 10]),
            (60, &pair, vec![30, 30]),
            (1000, &pair, vec![100, 100]),
            (usize::MAX, &pair, vec![100, 100]),
            (100, &[want(0, 10, 1), want(0, 100, 1)], vec![10, 90]),
            (90, &[want(0, 100, 2), want(0, 100, 1)], vec![60, 30]),
            (50, &[want(40, 20, 1), want(30, 90, 0)], vec![20, 30]),
            (30, &[want(10, 90, 1), want(25, 90, 1), want(5, 9, 1)], vec![10, 0, 0]),
            (7, &[], vec![]),
            (usize::MAX, &[want(0, usize::MAX, 3)], vec![usize::MAX]),
            (usize::MAX, &[want(0, usize::MAX, 1), want(0, usize::MAX, 1)], vec![1 << 63, (1 << 63) - 1]),
        ] {
            assert_eq!(share(budget, wants), expected, "{budget} over {wants:?}");
        }
    }

    fn wants() -> impl Strategy<Value = Vec<Want>> {
        vec((0usize..60, 0usize..200, 0u32..7).prop_map(|(min, max, weight)| want(min, max, weight)), 0..12)
    }

    proptest! {
        #[test]
        fn nobody_gets_too_much(budget in 0usize..1500, wants in wants()) {
            let shares = share(budget, &wants);
            prop_assert!(shares.iter().sum::<usize>() <= budget);
            prop_assert!(shares.iter().zip(&wants).all(|(share, want)| *share <= want.max));
        }

        #[test]
        fn minimums_are_served_in_rank_order(budget in 0usize..1500, wants in wants()) {
            let n_served = count_of_fitting_minimums(budget, &wants);
            for (rank, (share, want)) in share(budget, &wants).into_iter().zip(&wants).enumerate() {
                let is_served = share >= floor(want);
                let as_ranked = if rank < n_served { is_served } else { share == 0 };
                prop_assert!(as_ranked, "rank {}", rank);
            }
        }

        #[test]
        fn everything_is_used_once_the_minimums_fit(extra in 0usize..1500, wants in wants()) {
            let budget = extra + wants.iter().map(floor).sum::<usize>();
            let wanted = wants.iter().map(|want| want.max).sum::<usize>();
            prop_assert_eq!(share(budget, &wants).iter().sum::<usize>(), budget.min(wanted));
        }

        #[test]
        fn no_share_falls_when_the_budget_grows(budget in 0usize..1500, wants in wants()) {
            let (before, after) = (share(budget, &wants), share(budget + 1, &wants));
            prop_assert!(before.iter().zip(&after).all(|(before, after)| before <= after));
        }
    }
}
