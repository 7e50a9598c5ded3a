//! The memory budget of indexing: a run waits until its estimated memory fits beside that of the other runs.

use std::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use model::FileClass;
use source::Tree;
use sysinfo::System;

use super::RunError;

/// Estimated memory of a run without files.
const BYTES_PER_RUN: u64 = 32 << 20;

/// Estimated memory of a file without text: its facts, its links and its rows.
const BYTES_PER_FILE: u64 = 16 << 10;

/// Estimated memory for each byte of text. With the two above, the estimates of rails, redis and spring-framework are 1.26, .96 and
/// 1.00 of the measured peaks.
const BYTES_PER_BYTE: u64 = 8;

/// Share of the budget for the facts of work trees that are being edited: a sixteenth.
const KEPT_FACTS_DIVISOR: u64 = 16;

/// Interval at which a waiting run checks if it is stopped.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(500);

/// The memory that all runs together may take.
pub struct MemoryBudget {
    bytes: u64,
    reserved: Mutex<u64>,
    released: Condvar,
}

impl MemoryBudget {
    /// Makes a budget of this many bytes.
    pub fn new(bytes: u64) -> MemoryBudget {
        MemoryBudget { bytes, reserved: Mutex::new(0), released: Condvar::new() }
    }

    /// Makes a budget of half of the memory that the process may have: the limit of its control group, or the memory of the
    /// machine. The other half is for answers, and for the pages of mapped files.
    pub fn of_system() -> MemoryBudget {
        let mut system = System::new();
        system.refresh_memory();
        let limit = system.cgroup_limits().map_or(u64::MAX, |limits| limits.total_memory);
        MemoryBudget::new(limit.min(system.total_memory()) / 2)
    }

    /// Maximum number of bytes of the files whose facts are kept between edits, of all work trees together. Facts take about as much
    /// memory as their files.
    pub(super) fn max_kept_bytes(&self) -> u64 {
        self.bytes / KEPT_FACTS_DIVISOR
    }

    /// Waits until an estimate fits, and reserves it until the reservation is dropped. A run that is larger than the budget
    /// waits until it is alone.
    ///
    /// `on_wait` is called once if the run has to wait.
    pub(super) fn reserve(
        &self,
        estimate: u64,
        is_stopped: &dyn Fn() -> bool,
        on_wait: impl FnOnce(),
    ) -> Result<MemoryReservation<'_>, RunError> {
        let bytes = estimate.min(self.bytes);
        let mut reserved = self.reserved();
        let mut on_wait = Some(on_wait);
        while *reserved + bytes > self.bytes {
            if let Some(on_wait) = on_wait.take() {
                on_wait();
            }
            if is_stopped() {
                return Err(RunError::Stopped);
            }
            reserved =
                self.released.wait_timeout(reserved, STOP_CHECK_INTERVAL).unwrap_or_else(PoisonError::into_inner).0;
        }
        *reserved += bytes;
        Ok(MemoryReservation { budget: self, bytes })
    }

    fn reserved(&self) -> MutexGuard<'_, u64> {
        self.reserved.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Memory that a run has reserved.
pub(super) struct MemoryReservation<'b> {
    budget: &'b MemoryBudget,
    bytes: u64,
}

impl Drop for MemoryReservation<'_> {
    fn drop(&mut self) {
        *self.budget.reserved() -= self.bytes;
        self.budget.released.notify_all();
    }
}

/// Estimates the memory that a run takes at its peak, in bytes.
pub(super) fn estimate(tree: &Tree) -> u64 {
    let texts = tree.files.iter().filter(|file| file.class != FileClass::Binary && file.is_readable());
    let n_text_bytes: u64 = texts.map(|file| file.size).sum();
    BYTES_PER_RUN + BYTES_PER_FILE * tree.files.len() as u64 + BYTES_PER_BYTE * n_text_bytes
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, thread};

    use super::*;

    fn reserve(budget: &MemoryBudget, bytes: u64) -> MemoryReservation<'_> {
        budget.reserve(bytes, &|| false, || {}).unwrap_or_else(|_| panic!("it is not stopped"))
    }

    #[test]
    fn a_run_waits_until_its_memory_fits() {
        let budget = MemoryBudget::new(100);
        let (waiting, is_waiting) = mpsc::channel();
        let first = reserve(&budget, 60);
        let second = reserve(&budget, 40);
        thread::scope(|scope| {
            let third = scope.spawn(|| {
                let reservation = budget.reserve(1_000, &|| false, || waiting.send(()).expect("the test waits"));
                reservation.map(|reservation| reservation.bytes).unwrap_or_default()
            });
            is_waiting.recv().expect("the third run waits");
            drop(first);
            drop(second);
            assert_eq!(third.join().expect("it does not panic"), 100, "a run over the budget is alone");
        });
        assert_eq!(*budget.reserved(), 0);
    }

    #[test]
    fn a_stopped_run_does_not_wait() {
        let budget = MemoryBudget::new(100);
        let _all = reserve(&budget, 100);
        assert!(matches!(budget.reserve(1, &|| true, || {}), Err(RunError::Stopped)));
    }

    #[test]
    fn the_system_has_memory() {
        assert!(MemoryBudget::of_system().bytes > 64 << 20);
    }
}
