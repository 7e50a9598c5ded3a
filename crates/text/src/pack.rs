//! Allocates a token budget to ranked items.

/// The demand of one item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BudgetRequest {
    /// Minimum that makes the item worth showing, such as its signature. A value above `max` counts as `max`.
    pub min: usize,
    /// Maximum that the item can use.
    pub max: usize,
    /// The item's share grows in proportion to its weight. Zero counts as one.
    pub weight: u32,
}

/// Returns the share of each item; items are ordered best first.
///
/// Minimums are allocated first, in rank order. The first item whose minimum does not fit, and all later items, get
/// nothing. If every minimum fits, the rest raises all shares in proportion to their weights; a full item leaves its part
/// to the others.
///
/// The sum never exceeds `budget`, no share exceeds its `max`, and no share decreases when the budget grows. Once every
/// minimum fits, the budget is used up unless all items are full. Before that, less than the next minimum may remain: an
/// earlier item would have to return it as soon as that minimum fits.
pub fn share_budget(budget: usize, requests: &[BudgetRequest]) -> Vec<usize> {
    let n_served = count_of_fitting_minimums(budget, requests);
    if n_served == requests.len() {
        return water_fill(budget, requests);
    }
    let floors = requests[..n_served].iter().map(min_share);
    floors.chain(std::iter::repeat_n(0, requests.len() - n_served)).collect()
}

fn count_of_fitting_minimums(budget: usize, requests: &[BudgetRequest]) -> usize {
    let remaining_after_each = requests.iter().scan(budget, |remaining, request| {
        *remaining = remaining.checked_sub(min_share(request))?;
        Some(())
    });
    remaining_after_each.count()
}

/// Allocates a budget that covers every minimum.
///
/// All shares rise to the highest integer level within the budget. The remainder is less than the step to the next level,
/// and goes to the items in rank order, so a larger budget only adds.
fn water_fill(budget: usize, requests: &[BudgetRequest]) -> Vec<usize> {
    let level = highest_level(budget, requests);
    let mut shares: Vec<usize> = requests.iter().map(|request| share_at(level, request)).collect();
    let mut left_over = budget - shares.iter().sum::<usize>();
    for (share, request) in shares.iter_mut().zip(requests) {
        let raise = left_over.min(share_at(level.saturating_add(1), request) - *share);
        *share += raise;
        left_over -= raise;
    }
    shares
}

fn highest_level(budget: usize, requests: &[BudgetRequest]) -> usize {
    let fits = |level| total_at(level, requests).is_some_and(|total| total <= budget);
    let (mut fitting, mut beyond) = (0, budget.saturating_add(1));
    while beyond - fitting > 1 {
        let middle = fitting + (beyond - fitting) / 2;
        if fits(middle) { fitting = middle } else { beyond = middle }
    }
    fitting
}

/// Returns the sum of all shares at this level; `None` if it overflows.
fn total_at(level: usize, requests: &[BudgetRequest]) -> Option<usize> {
    requests.iter().try_fold(0usize, |total, request| total.checked_add(share_at(level, request)))
}

fn share_at(level: usize, request: &BudgetRequest) -> usize {
    level.saturating_mul(request.weight.max(1) as usize).clamp(min_share(request), request.max)
}

fn min_share(request: &BudgetRequest) -> usize {
    request.min.min(request.max)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn request(min: usize, max: usize, weight: u32) -> BudgetRequest {
        BudgetRequest { min, max, weight }
    }

    #[test]
    fn budgets_are_shared_by_rank_need_and_weight() {
        let pair = [request(10, 100, 1), request(10, 100, 1)];
        for (budget, requests, expected) in [
            (0, &pair[..], vec![0, 0]),
            (9, &pair, vec![0, 0]),
            (15, &pair, vec![10, 0]),
            (21, &pair, vec![11, 10]),
            (60, &pair, vec![30, 30]),
            (1000, &pair, vec![100, 100]),
            (usize::MAX, &pair, vec![100, 100]),
            (100, &[request(0, 10, 1), request(0, 100, 1)], vec![10, 90]),
            (90, &[request(0, 100, 2), request(0, 100, 1)], vec![60, 30]),
            (50, &[request(40, 20, 1), request(30, 90, 0)], vec![20, 30]),
            (30, &[request(10, 90, 1), request(25, 90, 1), request(5, 9, 1)], vec![10, 0, 0]),
            (7, &[], vec![]),
            (usize::MAX, &[request(0, usize::MAX, 3)], vec![usize::MAX]),
            (usize::MAX, &[request(0, usize::MAX, 1), request(0, usize::MAX, 1)], vec![1 << 63, (1 << 63) - 1]),
        ] {
            assert_eq!(share_budget(budget, requests), expected, "{budget} over {requests:?}");
        }
    }

    fn requests() -> impl Strategy<Value = Vec<BudgetRequest>> {
        vec((0usize..60, 0usize..200, 0u32..7).prop_map(|(min, max, weight)| request(min, max, weight)), 0..12)
    }

    proptest! {
        #[test]
        fn no_limit_is_exceeded(budget in 0usize..1500, requests in requests()) {
            let shares = share_budget(budget, &requests);
            prop_assert!(shares.iter().sum::<usize>() <= budget);
            prop_assert!(shares.iter().zip(&requests).all(|(share, request)| *share <= request.max));
        }

        #[test]
        fn minimums_are_served_in_rank_order(budget in 0usize..1500, requests in requests()) {
            let n_served = count_of_fitting_minimums(budget, &requests);
            for (rank, (share, request)) in share_budget(budget, &requests).into_iter().zip(&requests).enumerate() {
                let is_served = share >= min_share(request);
                let as_ranked = if rank < n_served { is_served } else { share == 0 };
                prop_assert!(as_ranked, "rank {}", rank);
            }
        }

        #[test]
        fn the_budget_is_used_up_once_the_minimums_fit(extra in 0usize..1500, requests in requests()) {
            let budget = extra + requests.iter().map(min_share).sum::<usize>();
            let requested = requests.iter().map(|request| request.max).sum::<usize>();
            prop_assert_eq!(share_budget(budget, &requests).iter().sum::<usize>(), budget.min(requested));
        }

        #[test]
        fn no_share_decreases_when_the_budget_grows(budget in 0usize..1500, requests in requests()) {
            let (before, after) = (share_budget(budget, &requests), share_budget(budget + 1, &requests));
            prop_assert!(before.iter().zip(&after).all(|(before, after)| before <= after));
        }
    }
}
