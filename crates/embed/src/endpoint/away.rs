//! Whether a service that failed is left alone for now.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use crate::EmbedError;

/// How long a service is not asked after it failed. Who asks meanwhile is told at once, and goes on without vectors;
/// one question in this time is what it costs to notice that the service is back.
const REST: Duration = Duration::from_secs(15);

/// Remembers the last failure of a service for a while.
#[derive(Default)]
pub(super) struct Away(Mutex<Option<(EmbedError, Instant)>>);

impl Away {
    /// Returns why the service is not asked now; nothing if it may be.
    pub(super) fn reason(&self, now: Instant) -> Option<EmbedError> {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.as_ref().filter(|(_, until)| now < *until).map(|(error, _)| error.clone())
    }

    /// Notes that the service failed, and tells it where it is news.
    pub(super) fn begin(&self, error: &EmbedError, now: Instant) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_news = last.as_ref().is_none_or(|(before, _)| before != error);
        if is_news {
            tracing::warn!(%error, "no vectors, for now");
        }
        *last = Some((error.clone(), now + REST));
    }

    /// Notes that the service answered.
    pub(super) fn end(&self) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if last.take().is_some() {
            tracing::info!("the model's service answers again");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_remembered_for_a_while() {
        let (away, now) = (Away::default(), Instant::now());
        let error = EmbedError::Unavailable("gone".to_owned());
        assert_eq!(away.reason(now), None);
        away.begin(&error, now);
        assert_eq!(away.reason(now + REST / 2), Some(error.clone()));
        assert_eq!(away.reason(now + REST), None, "it is asked again");
        away.begin(&error, now + REST);
        assert_eq!(away.reason(now + REST), Some(error));
        away.end();
        assert_eq!(away.reason(now), None);
    }
}
