//! Tokens per day: set aside before a question is sent, and settled when it is known what it took.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// The tokens of one day in UTC. A new day begins with all of them.
pub struct Budget {
    /// None: as many as one likes.
    tokens_per_day: Option<u64>,
    spending: Mutex<Spending>,
    keep: Option<Box<Keep>>,
}

/// Hears of what is spent, as bytes to be kept.
type Keep = dyn Fn(&[u8]) + Send + Sync;

/// What was spent on a day, with what is set aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Spending {
    /// Days since the beginning of 1970.
    day: u64,
    tokens: u64,
}

/// Tokens that are set aside for one question. Dropped without being settled, they count as spent: what a service had
/// written by then is not known.
#[derive(Debug)]
pub struct Reservation {
    budget: Arc<Budget>,
    day: u64,
    tokens: u64,
}

impl Budget {
    /// Returns a budget of which nothing is spent; without limit for 0 tokens.
    pub fn new(tokens_per_day: u64) -> Budget {
        let tokens_per_day = (tokens_per_day > 0).then_some(tokens_per_day);
        Budget { tokens_per_day, spending: Mutex::default(), keep: None }
    }

    /// Goes on with what was spent before, as `keep` was told it last, and tells `keep` whenever that changes.
    ///
    /// `kept` that was written by something else counts as nothing spent. `keep` is called while the budget is locked, so
    /// that it hears of changes in their order: it must be quick, and must not use the budget.
    pub fn kept_by(self, kept: Option<&[u8]>, keep: impl Fn(&[u8]) + Send + Sync + 'static) -> Budget {
        let spending = kept.and_then(Spending::from_bytes).unwrap_or_default();
        Budget { spending: Mutex::new(spending), keep: Some(Box::new(keep)), ..self }
    }

    /// Returns the tokens of a day; 0 for no limit.
    pub fn tokens_per_day(&self) -> u64 {
        self.tokens_per_day.unwrap_or(0)
    }

    /// Sets tokens of a day aside, if as many are left.
    pub fn reserve(self: &Arc<Self>, day: u64, tokens: u64) -> Option<Reservation> {
        let mut spending = self.lock();
        let spent = if spending.day == day { spending.tokens } else { 0 };
        let total = spent.checked_add(tokens)?;
        if self.tokens_per_day.is_some_and(|most| total > most) {
            return None;
        }
        *spending = Spending { day, tokens: total };
        self.tell(&spending);
        drop(spending);
        Some(Reservation { budget: Arc::clone(self), day, tokens })
    }

    /// Returns the tokens that were spent on a day, with those that are set aside.
    pub fn spent(&self, day: u64) -> u64 {
        let spending = self.lock();
        if spending.day == day { spending.tokens } else { 0 }
    }

    fn tell(&self, spending: &Spending) {
        if let Some(keep) = &self.keep {
            keep(&spending.to_bytes());
        }
    }

    fn lock(&self) -> MutexGuard<'_, Spending> {
        self.spending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Budget {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (most, spending) = (self.tokens_per_day, *self.lock());
        formatter.debug_struct("Budget").field("tokens_per_day", &most).field("spending", &spending).finish()
    }
}

impl Reservation {
    /// Puts what was really spent in the place of what was set aside. That may be more.
    pub fn settle(self, spent: u64) {
        let mut spending = self.budget.lock();
        // A day that is over is not settled any more.
        if spending.day == self.day {
            spending.tokens = spending.tokens.saturating_sub(self.tokens).saturating_add(spent);
            self.budget.tell(&spending);
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
    fn a_day_has_so_many_tokens() {
        let budget = Arc::new(Budget::new(100));
        let first = budget.reserve(1, 60).unwrap();
        assert!(budget.reserve(1, 41).is_none());
        first.settle(10);
        assert_eq!(budget.spent(1), 10);
        budget.reserve(1, 90).unwrap().settle(200);
        assert_eq!(budget.spent(1), 210, "what was spent counts, though it is more than was set aside");
        assert!(budget.reserve(1, 1).is_none());
        let next_day = budget.reserve(2, 100).unwrap();
        assert_eq!((budget.spent(1), budget.spent(2)), (0, 100));
        drop(next_day);
        assert_eq!(budget.spent(2), 100, "nobody knows what was spent");
    }

    #[test]
    fn a_day_that_is_over_is_not_settled() {
        let budget = Arc::new(Budget::new(100));
        let old = budget.reserve(1, 60).unwrap();
        budget.reserve(2, 50).unwrap().settle(50);
        old.settle(0);
        assert_eq!(budget.spent(2), 50);
    }

    #[test]
    fn no_limit_is_no_limit() {
        let budget = Arc::new(Budget::new(0));
        budget.reserve(1, u64::MAX - 1).unwrap().settle(7);
        assert_eq!(budget.spent(1), 7);
        assert!(budget.reserve(1, u64::MAX).is_none(), "more tokens than there are numbers");
    }

    #[test]
    fn what_is_kept_is_gone_on_with() {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let keep = || {
            let kept = Arc::clone(&kept);
            move |bytes: &[u8]| *kept.lock().unwrap() = bytes.to_vec()
        };
        let budget = Arc::new(Budget::new(100).kept_by(None, keep()));
        budget.reserve(3, 40).unwrap().settle(30);
        let unsettled = budget.reserve(3, 20);
        let before = kept.lock().unwrap().clone();
        let budget = Arc::new(Budget::new(100).kept_by(Some(&before), keep()));
        assert_eq!(budget.spent(3), 50, "what was set aside when the process ended counts");
        drop(unsettled);
        for foreign in [&b""[..], b"short", &[1; 17]] {
            assert_eq!(Budget::new(100).kept_by(Some(foreign), |_| ()).spent(3), 0);
        }
    }

    #[test]
    fn many_at_once_spend_no_more_than_there_is() {
        let budget = Arc::new(Budget::new(1_000));
        let spend = |budget: Arc<Budget>| (0..100).filter_map(|_| budget.reserve(1, 7)).map(|it| it.settle(7)).count();
        let spenders: Vec<_> = (0..4).map(|_| Arc::clone(&budget)).map(|b| thread::spawn(move || spend(b))).collect();
        let n_granted: usize = spenders.into_iter().map(|spender| spender.join().unwrap()).sum();
        assert_eq!((n_granted, budget.spent(1)), (142, 994));
    }

    proptest! {
        #[test]
        fn bytes_are_read_as_they_were_written(day: u64, tokens: u64) {
            let spending = Spending { day, tokens };
            prop_assert_eq!(Spending::from_bytes(&spending.to_bytes()), Some(spending));
        }

        #[test]
        fn what_was_set_aside_never_exceeds_the_limit(most in 1_u64..500, asked in prop::collection::vec(0_u64..200, 0..20)) {
            let budget = Arc::new(Budget::new(most));
            let held: Vec<Reservation> = asked.iter().filter_map(|tokens| budget.reserve(1, *tokens)).collect();
            prop_assert!(budget.spent(1) <= most);
            held.into_iter().for_each(|reservation| reservation.settle(0));
            prop_assert_eq!(budget.spent(1), 0);
        }
    }
}
