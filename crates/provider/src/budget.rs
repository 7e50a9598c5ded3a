//! Token budget per day: reserved before a request, settled with the actual usage.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// The token budget of a UTC day. It is full again on the next day.
pub struct Budget {
    /// None means unlimited.
    tokens_per_day: Option<u64>,
    spending: Mutex<Spending>,
    save: Option<Box<SaveSpending>>,
}

/// Persists the spending whenever it changes.
type SaveSpending = dyn Fn(&[u8]) + Send + Sync;

/// Spent and reserved tokens of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Spending {
    /// Days since 1970-01-01.
    day: u64,
    tokens: u64,
}

/// Reserved tokens of one request. If dropped without [`TokenReservation::settle`], they count as spent, since the actual
/// usage is unknown.
#[derive(Debug)]
pub struct TokenReservation {
    budget: Arc<Budget>,
    day: u64,
    tokens: u64,
}

impl Budget {
    /// Returns an unspent budget; 0 tokens mean no limit.
    pub fn new(tokens_per_day: u64) -> Budget {
        let tokens_per_day = (tokens_per_day > 0).then_some(tokens_per_day);
        Budget { tokens_per_day, spending: Mutex::default(), save: None }
    }

    /// Restores the spending from `saved`, and calls `save` with every later change.
    ///
    /// Invalid `saved` bytes count as nothing spent. `save` is called while the budget is locked, so that it receives
    /// the changes in order: it must be quick and must not use the budget.
    pub fn restored_from(self, saved: Option<&[u8]>, save: impl Fn(&[u8]) + Send + Sync + 'static) -> Budget {
        let spending = saved.and_then(Spending::from_bytes).unwrap_or_default();
        Budget { spending: Mutex::new(spending), save: Some(Box::new(save)), ..self }
    }

    /// Returns the tokens per day; 0 means no limit.
    pub fn tokens_per_day(&self) -> u64 {
        self.tokens_per_day.unwrap_or(0)
    }

    /// Reserves tokens of a day; `None` if fewer are left.
    pub fn reserve(self: &Arc<Self>, day: u64, tokens: u64) -> Option<TokenReservation> {
        let mut spending = self.lock();
        let spent = if spending.day == day { spending.tokens } else { 0 };
        let total = spent.checked_add(tokens)?;
        if self.tokens_per_day.is_some_and(|limit| total > limit) {
            return None;
        }
        *spending = Spending { day, tokens: total };
        self.save_spending(&spending);
        drop(spending);
        Some(TokenReservation { budget: Arc::clone(self), day, tokens })
    }

    /// Returns the spent and reserved tokens of a day.
    pub fn spent(&self, day: u64) -> u64 {
        let spending = self.lock();
        if spending.day == day { spending.tokens } else { 0 }
    }

    fn save_spending(&self, spending: &Spending) {
        if let Some(save) = &self.save {
            save(&spending.to_bytes());
        }
    }

    fn lock(&self) -> MutexGuard<'_, Spending> {
        self.spending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Budget {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (limit, spending) = (self.tokens_per_day, *self.lock());
        formatter.debug_struct("Budget").field("tokens_per_day", &limit).field("spending", &spending).finish()
    }
}

impl TokenReservation {
    /// Replaces the reserved tokens by the actual usage, which may be larger.
    pub fn settle(self, spent: u64) {
        let mut spending = self.budget.lock();
        // A past day needs no settlement.
        if spending.day == self.day {
            spending.tokens = spending.tokens.saturating_sub(self.tokens).saturating_add(spent);
            self.budget.save_spending(&spending);
        }
    }
}

impl Spending {
    fn to_bytes(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.day.to_le_bytes());
        bytes[8..].copy_from_slice(&self.tokens.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Option<Spending> {
        let (day, tokens) = bytes.split_first_chunk()?;
        let (day, tokens) = (u64::from_le_bytes(*day), u64::from_le_bytes(tokens.try_into().ok()?));
        Some(Spending { day, tokens })
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reservations_are_limited_per_day() {
        let budget = Arc::new(Budget::new(100));
        let first = budget.reserve(1, 60).unwrap();
        assert!(budget.reserve(1, 41).is_none());
        first.settle(10);
        assert_eq!(budget.spent(1), 10);
        budget.reserve(1, 90).unwrap().settle(200);
        assert_eq!(budget.spent(1), 210, "actual usage counts even if it exceeds the reservation");
        assert!(budget.reserve(1, 1).is_none());
        let next_day = budget.reserve(2, 100).unwrap();
        assert_eq!((budget.spent(1), budget.spent(2)), (0, 100));
        drop(next_day);
        assert_eq!(budget.spent(2), 100, "a dropped reservation counts as spent");
    }

    #[test]
    fn past_days_are_not_settled() {
        let budget = Arc::new(Budget::new(100));
        let old = budget.reserve(1, 60).unwrap();
        budget.reserve(2, 50).unwrap().settle(50);
        old.settle(0);
        assert_eq!(budget.spent(2), 50);
    }

    #[test]
    fn zero_means_unlimited() {
        let budget = Arc::new(Budget::new(0));
        budget.reserve(1, u64::MAX - 1).unwrap().settle(7);
        assert_eq!(budget.spent(1), 7);
        assert!(budget.reserve(1, u64::MAX).is_none(), "the sum overflows");
    }

    #[test]
    fn saved_spending_is_restored() {
        let saved = Arc::new(Mutex::new(Vec::new()));
        let save = || {
            let saved = Arc::clone(&saved);
            move |bytes: &[u8]| *saved.lock().unwrap() = bytes.to_vec()
        };
        let budget = Arc::new(Budget::new(100).restored_from(None, save()));
        budget.reserve(3, 40).unwrap().settle(30);
        let unsettled = budget.reserve(3, 20);
        let saved_bytes = saved.lock().unwrap().clone();
        let budget = Arc::new(Budget::new(100).restored_from(Some(&saved_bytes), save()));
        assert_eq!(budget.spent(3), 50, "a reservation open at the end of the process counts");
        drop(unsettled);
        for foreign in [&b""[..], b"short", &[1; 17]] {
            assert_eq!(Budget::new(100).restored_from(Some(foreign), |_| ()).spent(3), 0);
        }
    }

    #[test]
    fn concurrent_reservations_stay_within_the_limit() {
        let budget = Arc::new(Budget::new(1_000));
        let spend = |budget: Arc<Budget>| (0..100).filter_map(|_| budget.reserve(1, 7)).map(|it| it.settle(7)).count();
        let spenders: Vec<_> = (0..4).map(|_| Arc::clone(&budget)).map(|b| thread::spawn(move || spend(b))).collect();
        let n_granted: usize = spenders.into_iter().map(|spender| spender.join().unwrap()).sum();
        assert_eq!((n_granted, budget.spent(1)), (142, 994));
    }

    proptest! {
        #[test]
        fn bytes_round_trip(day: u64, tokens: u64) {
            let spending = Spending { day, tokens };
            prop_assert_eq!(Spending::from_bytes(&spending.to_bytes()), Some(spending));
        }

        #[test]
        fn reserved_tokens_never_exceed_the_limit(limit in 1_u64..500, requests in prop::collection::vec(0_u64..200, 0..20)) {
            let budget = Arc::new(Budget::new(limit));
            let held: Vec<TokenReservation> = requests.iter().filter_map(|tokens| budget.reserve(1, *tokens)).collect();
            prop_assert!(budget.spent(1) <= limit);
            held.into_iter().for_each(|reservation| reservation.settle(0));
            prop_assert_eq!(budget.spent(1), 0);
        }
    }
}
