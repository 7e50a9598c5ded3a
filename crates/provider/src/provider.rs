//! A model with its limits: deadline, token budget, concurrency and retries.

use std::{
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use tokio::{
    sync::Semaphore,
    time::{Instant, sleep, timeout_at},
};

use crate::{
    Budget, Completion, CompletionFailure, Limit, Prompt, ProviderError, ProviderSettings, Usage,
    service::{Attempt, CompletionService},
};

/// Maximum number of concurrent completions. Services are slow and callers wait; a further caller immediately gets an
/// answer without a model.
pub const MAX_CONCURRENT: usize = 8;

/// Maximum number of attempts per prompt.
const MAX_ATTEMPTS: u32 = 2;

/// Tokens around a prompt: roles, separators, additions of the service. An upper bound of the known ones.
const FRAME_TOKENS: u64 = 32;

const SECONDS_PER_DAY: u64 = 86_400;

/// The configured model. Clones share the budget.
#[derive(Debug, Clone)]
pub struct Provider {
    id: String,
    service: Arc<CompletionService>,
    timeout: Duration,
    max_output_tokens: u64,
    tokens_per_answer: u64,
    budget: Arc<Budget>,
    permits: Arc<Semaphore>,
}

impl Provider {
    /// Reads the key and builds the client. It does not contact the service.
    pub fn open(settings: &ProviderSettings) -> Result<Provider, ProviderError> {
        settings.check()?;
        Ok(Provider {
            id: format!("{}:{}", settings.kind.name(), settings.model),
            service: Arc::new(CompletionService::new(settings)?),
            timeout: Duration::from_secs(settings.timeout_seconds),
            max_output_tokens: settings.max_output_tokens,
            tokens_per_answer: settings.tokens_per_answer,
            budget: Arc::new(Budget::new(settings.tokens_per_day)),
            permits: Arc::new(Semaphore::new(MAX_CONCURRENT)),
        })
    }

    /// Restores the spending of the day from `saved`, and calls `save` with later changes; see
    /// [`Budget::restored_from`].
    pub fn with_spending(self, saved: Option<&[u8]>, save: impl Fn(&[u8]) + Send + Sync + 'static) -> Provider {
        let budget = Budget::new(self.budget.tokens_per_day()).restored_from(saved, save);
        Provider { budget: Arc::new(budget), ..self }
    }

    /// Returns protocol and model, such as `openai:gpt-5-mini`, for notes and cache keys. It contains no secret.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the maximum size of a prompt in tokens, as counted by [`text::estimate_tokens`].
    pub fn input_tokens(&self) -> u64 {
        self.tokens_per_answer.saturating_sub(self.max_output_tokens + FRAME_TOKENS)
    }

    /// Returns the spent and reserved tokens of the current UTC day.
    pub fn spent_today(&self) -> u64 {
        self.budget.spent(today())
    }

    /// Completes a prompt, and calls `progress` with each piece of text as it arrives.
    ///
    /// Ends before `deadline` and within the configured timeout. One retry follows if the service is unreachable,
    /// fails, asks for a wait that ends before the deadline, or sends a response that ends before its first piece; so
    /// `progress` gets no piece twice. Dropping the future cancels the request.
    pub async fn complete(
        &self,
        prompt: &Prompt<'_>,
        deadline: Instant,
        progress: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Completion, CompletionFailure> {
        let _permit = self.permits.try_acquire().map_err(|_| CompletionFailure::Busy)?;
        let estimate = self.estimate(prompt);
        if estimate.total() > self.tokens_per_answer {
            return Err(CompletionFailure::OverBudget(Limit::Answer));
        }
        let reservation =
            self.budget.reserve(today(), estimate.total()).ok_or(CompletionFailure::OverBudget(Limit::Day))?;
        let deadline = deadline.min(Instant::now() + self.timeout);
        let completed = self.complete_with_retry(prompt, estimate, deadline, progress);
        let result = match timeout_at(deadline, completed).await {
            Ok((result, spent)) => {
                reservation.settle(spent);
                result
            }
            // The actual usage is unknown, so the reserved tokens count.
            Err(_) => Err(CompletionFailure::TimedOut),
        };
        if let Err(failure) = &result {
            tracing::warn!(provider = self.id, %failure, "the completion failed");
        }
        result
    }

    /// Returns the result of at most two attempts, and the total token usage.
    ///
    /// A loop rather than a retry library: the failed attempt determines the wait, and the usage of attempts adds up.
    async fn complete_with_retry(
        &self,
        prompt: &Prompt<'_>,
        estimate: Usage,
        deadline: Instant,
        progress: &mut (dyn FnMut(&str) + Send),
    ) -> (Result<Completion, CompletionFailure>, u64) {
        let (mut spent, mut n_attempts) = (0_u64, 0);
        loop {
            n_attempts += 1;
            let Attempt { result, spent: attempt_tokens, retry_after } =
                self.service.complete(prompt, estimate.input_tokens, progress).await;
            spent = spent.saturating_add(attempt_tokens);
            let is_in_time = |wait: &Duration| Instant::now().checked_add(*wait).is_some_and(|then| then < deadline);
            let is_useful = |wait: &Duration| n_attempts < MAX_ATTEMPTS && is_in_time(wait);
            let (Err(failure), Some(wait)) = (&result, retry_after.filter(is_useful)) else { return (result, spent) };
            tracing::debug!(provider = self.id, %failure, ?wait, "retrying the request");
            sleep(wait).await;
        }
    }

    /// Returns an upper estimate of the token usage.
    fn estimate(&self, prompt: &Prompt<'_>) -> Usage {
        let n_tokens = text::estimate_tokens(prompt.system).saturating_add(text::estimate_tokens(prompt.user));
        let input_tokens = (n_tokens as u64).saturating_add(FRAME_TOKENS);
        Usage { input_tokens, output_tokens: self.max_output_tokens }
    }
}

/// Returns the current UTC day as days since 1970-01-01.
fn today() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / SECONDS_PER_DAY)
}
