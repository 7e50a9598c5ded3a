//! A model that answers: within its time, its budget and its number of questions at once; asked again where that may help.

use std::{
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use tokio::{
    sync::Semaphore,
    time::{Instant, sleep, timeout_at},
};

use crate::{
    Budget, Completion, Failure, Limit, Prompt, ProviderError, ProviderSettings, Usage,
    attempt::{Attempt, Service},
};

/// Answers that are written at once. A service is slow, and those who ask wait; whoever comes next gets what is found without
/// a model, at once.
pub const MAX_CONCURRENT: usize = 8;

/// How often one question is sent at most.
const MAX_ATTEMPTS: u32 = 2;

/// Tokens around a prompt: roles, separators, what a service adds. More than any known one takes.
const FRAME_TOKENS: u64 = 32;

const SECONDS_PER_DAY: u64 = 86_400;

/// A model that a configuration names. Clones share their budget.
#[derive(Debug, Clone)]
pub struct Provider {
    id: String,
    service: Arc<Service>,
    timeout: Duration,
    max_output_tokens: u64,
    tokens_per_answer: u64,
    budget: Arc<Budget>,
    turns: Arc<Semaphore>,
}

impl Provider {
    /// Reads the key and prepares to ask. Whether the service is there shows only when it is asked.
    pub fn open(settings: &ProviderSettings) -> Result<Provider, ProviderError> {
        settings.check()?;
        Ok(Provider {
            id: format!("{}:{}", settings.kind.name(), settings.model),
            service: Arc::new(Service::new(settings)?),
            timeout: Duration::from_secs(settings.timeout_seconds),
            max_output_tokens: settings.max_output_tokens,
            tokens_per_answer: settings.tokens_per_answer,
            budget: Arc::new(Budget::new(settings.tokens_per_day)),
            turns: Arc::new(Semaphore::new(MAX_CONCURRENT)),
        })
    }

    /// Goes on with the day's spending as `keep` was told it last; see [`Budget::kept_by`].
    pub fn with_spending(self, kept: Option<&[u8]>, keep: impl Fn(&[u8]) + Send + Sync + 'static) -> Provider {
        let budget = Budget::new(self.budget.tokens_per_day()).kept_by(kept, keep);
        Provider { budget: Arc::new(budget), ..self }
    }

    /// Returns the protocol and the model, such as `openai:gpt-5-mini`: for notes and keys, and no secret.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns how many tokens a prompt may take, as [`text::estimate_tokens`] counts them.
    pub fn input_tokens(&self) -> u64 {
        self.tokens_per_answer.saturating_sub(self.max_output_tokens + FRAME_TOKENS)
    }

    /// Returns the tokens that were spent on this day in UTC.
    pub fn spent_today(&self) -> u64 {
        self.budget.spent(today())
    }

    /// Asks the model, and tells `progress` each piece of its text as it comes.
    ///
    /// Ends before `deadline`, and before the configured time is over. A question is sent again, once, when the service could
    /// not be reached, has a fault, asks to wait for a time that is left, or broke off before its first piece; so no piece is
    /// told twice. Dropping the future ends the request.
    pub async fn complete(
        &self,
        prompt: &Prompt<'_>,
        deadline: Instant,
        progress: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Completion, Failure> {
        let _turn = self.turns.try_acquire().map_err(|_| Failure::Busy)?;
        let estimate = self.estimate(prompt);
        if estimate.total() > self.tokens_per_answer {
            return Err(Failure::OverBudget(Limit::Answer));
        }
        let reservation = self.budget.reserve(today(), estimate.total()).ok_or(Failure::OverBudget(Limit::Day))?;
        let deadline = deadline.min(Instant::now() + self.timeout);
        let asked = self.ask(prompt, estimate, deadline, progress);
        let result = match timeout_at(deadline, asked).await {
            Ok((result, spent)) => {
                reservation.settle(spent);
                result
            }
            // What the model had written is not known: what was set aside counts.
            Err(_) => Err(Failure::TimedOut),
        };
        if let Err(failure) = &result {
            tracing::warn!(provider = self.id, %failure, "a model gave no answer");
        }
        result
    }

    /// Returns what comes of at most two attempts, and the tokens that they took together.
    async fn ask(
        &self,
        prompt: &Prompt<'_>,
        estimate: Usage,
        deadline: Instant,
        progress: &mut (dyn FnMut(&str) + Send),
    ) -> (Result<Completion, Failure>, u64) {
        let (mut spent, mut n_attempts) = (0_u64, 0);
        loop {
            n_attempts += 1;
            let Attempt { result, spent: of_attempt, again } =
                self.service.ask(prompt, estimate.input_tokens, progress).await;
            spent = spent.saturating_add(of_attempt);
            let is_in_time = |wait: &Duration| Instant::now().checked_add(*wait).is_some_and(|then| then < deadline);
            let is_worth = |wait: &Duration| n_attempts < MAX_ATTEMPTS && is_in_time(wait);
            let (Err(failure), Some(wait)) = (&result, again.filter(is_worth)) else { return (result, spent) };
            tracing::debug!(provider = self.id, %failure, ?wait, "asking again");
            sleep(wait).await;
        }
    }

    /// Returns what a question takes at most, by an estimate that leans upwards.
    fn estimate(&self, prompt: &Prompt<'_>) -> Usage {
        let n_tokens = text::estimate_tokens(prompt.system).saturating_add(text::estimate_tokens(prompt.user));
        let input_tokens = (n_tokens as u64).saturating_add(FRAME_TOKENS);
        Usage { input_tokens, output_tokens: self.max_output_tokens }
    }
}

/// Returns the days since the beginning of 1970, in UTC.
fn today() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / SECONDS_PER_DAY)
}
