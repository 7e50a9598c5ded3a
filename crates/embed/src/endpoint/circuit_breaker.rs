//! Circuit breaker of an embedding service.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use crate::EmbedError;

/// Time without requests after a failure. Meanwhile callers immediately get the last error and continue without
/// vectors; then one request tests whether the service has recovered.
const OPEN_INTERVAL: Duration = Duration::from_secs(15);

/// Circuit breaker with the last error of a service.
#[derive(Default)]
pub(super) struct EndpointCircuitBreaker(Mutex<Option<(EmbedError, Instant)>>);

impl EndpointCircuitBreaker {
    /// Returns the last error while the breaker is open; `None` if a request is allowed.
    pub(super) fn open_reason(&self, now: Instant) -> Option<EmbedError> {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.as_ref().filter(|(_, until)| now < *until).map(|(error, _)| error.clone())
    }

    /// Opens the breaker, and logs an error that differs from the last one.
    pub(super) fn open(&self, error: &EmbedError, now: Instant) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = last.as_ref().is_none_or(|(previous, _)| previous != error);
        if is_new {
            tracing::warn!(%error, "the embedding service failed; requests are suspended");
        }
        *last = Some((error.clone(), now + OPEN_INTERVAL));
    }

    /// Closes the breaker after a success.
    pub(super) fn close(&self) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if last.take().is_some() {
            tracing::info!("the embedding service has recovered");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breaker_is_open_for_a_while() {
        let (breaker, now) = (EndpointCircuitBreaker::default(), Instant::now());
        let error = EmbedError::Unavailable("gone".to_owned());
        assert_eq!(breaker.open_reason(now), None);
        breaker.open(&error, now);
        assert_eq!(breaker.open_reason(now + OPEN_INTERVAL / 2), Some(error.clone()));
        assert_eq!(breaker.open_reason(now + OPEN_INTERVAL), None, "a request is allowed again");
        breaker.open(&error, now + OPEN_INTERVAL);
        assert_eq!(breaker.open_reason(now + OPEN_INTERVAL), Some(error));
        breaker.close();
        assert_eq!(breaker.open_reason(now), None);
    }
}
