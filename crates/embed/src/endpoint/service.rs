//! Requests to an embedding service, with retries.

use std::{
    io, thread,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};
use ureq::{
    Agent,
    http::{Response, StatusCode, header},
};

use super::{circuit_breaker::EndpointCircuitBreaker, rate_limiter::RateLimiter};
use crate::{EmbedError, Vector, config::EndpointConfig};

/// Maximum number of attempts for a batch; fewer for queries, whose callers wait and can continue without vectors.
pub(super) const MAX_ATTEMPTS: u32 = 5;
pub(super) const MAX_QUERY_ATTEMPTS: u32 = 2;

/// Wait before the first retry unless the service names one; doubled for each further retry.
const FIRST_WAIT: Duration = Duration::from_millis(500);

/// Timeout of one attempt: a batch on a server without a GPU takes some seconds.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(60);

/// Maximum bytes of a response: per number, and in addition. A number has 12 to 25 bytes as text.
const RESPONSE_BYTES_PER_NUMBER: u64 = 40;
const RESPONSE_BYTES: u64 = 64 * 1024;

/// Maximum number of characters of a service's reason in an error.
const MAX_REASON_CHARS: usize = 200;

/// A service with its model and credentials.
pub(super) struct EmbeddingService {
    url: String,
    name: String,
    n_dims: usize,
    /// Sent to the service only; never logged or shown.
    key: Option<String>,
    agent: Agent,
    rate_limiter: RateLimiter,
    pub(super) circuit_breaker: EndpointCircuitBreaker,
    pub(super) first_wait: Duration,
}

#[derive(Serialize)]
struct EmbeddingsRequest<'a> {
    model: &'a str,
    input: &'a [&'a str],
}

#[derive(Deserialize)]
struct EmbeddingsResponse {
    data: Vec<EmbeddingRow>,
}

#[derive(Deserialize)]
struct EmbeddingRow {
    /// Index of the text; if missing, the position in the list.
    index: Option<usize>,
    embedding: Vec<f32>,
}

/// Reason of a failed attempt.
enum RequestFailure {
    /// Another attempt would fail, too.
    Permanent(String),
    /// Another attempt may succeed, after a wait if the service names one.
    Transient(String, Option<Duration>),
}

impl EmbeddingService {
    pub(super) fn new(config: &EndpointConfig) -> Result<EmbeddingService, EmbedError> {
        // The target of a redirect was not configured; the redirect is reported instead.
        let agent = Agent::config_builder().http_status_as_error(false).max_redirects(0).build().new_agent();
        Ok(EmbeddingService {
            url: format!("{}/embeddings", config.url),
            name: config.name.clone(),
            n_dims: config.n_dims,
            key: config.key.read()?,
            agent,
            rate_limiter: RateLimiter::new(config.requests_per_second),
            circuit_breaker: EndpointCircuitBreaker::default(),
            first_wait: FIRST_WAIT,
        })
    }

    /// Returns the vectors of the texts, or an error before the deadline. Fails immediately while the circuit breaker
    /// is open.
    pub(super) fn embed(
        &self,
        texts: &[&str],
        deadline: Instant,
        max_attempts: u32,
    ) -> Result<Vec<Vector>, EmbedError> {
        if let Some(reason) = self.circuit_breaker.open_reason(Instant::now()) {
            return Err(reason);
        }
        let request_body =
            serde_json::to_vec(&EmbeddingsRequest { model: &self.name, input: texts }).expect("texts are JSON");
        let mut n_attempts = 0;
        loop {
            if !self.rate_limiter.wait(deadline) {
                // This is no failure of the service.
                return Err(self.unavailable("`requests_per_second` allows no request before the deadline"));
            }
            let (reason, retry_after) = match self.attempt(&request_body, texts.len(), deadline) {
                Ok(vectors) => {
                    self.circuit_breaker.close();
                    return Ok(vectors);
                }
                Err(RequestFailure::Permanent(reason)) => {
                    let EmbeddingService { url, name, .. } = self;
                    return Err(self.failed(EmbedError::Misconfigured(format!("model `{name}` at {url}: {reason}"))));
                }
                Err(RequestFailure::Transient(reason, retry_after)) => (reason, retry_after),
            };
            let wait = retry_after.unwrap_or(self.first_wait * 2_u32.pow(n_attempts));
            n_attempts += 1;
            if n_attempts == max_attempts {
                return Err(self.failed(self.unavailable(&format!("{reason}, {max_attempts} times"))));
            }
            if deadline.saturating_duration_since(Instant::now()) <= wait {
                return Err(self.failed(self.unavailable(&format!("{reason}, and no time is left for a retry"))));
            }
            tracing::debug!(url = self.url, reason, n_attempts, "retrying the request");
            thread::sleep(wait);
        }
    }

    fn attempt(&self, request_body: &[u8], n_texts: usize, deadline: Instant) -> Result<Vec<Vector>, RequestFailure> {
        let timeout = deadline.saturating_duration_since(Instant::now()).min(ATTEMPT_TIMEOUT);
        let mut request = self.agent.post(&self.url).header(header::CONTENT_TYPE, "application/json");
        if let Some(key) = &self.key {
            request = request.header(header::AUTHORIZATION, format!("Bearer {key}"));
        }
        let sent = request.config().timeout_global(Some(timeout)).build().send(request_body);
        let mut response = sent.map_err(transport_failure)?;
        let max_bytes = RESPONSE_BYTES + RESPONSE_BYTES_PER_NUMBER * (n_texts * self.n_dims) as u64;
        let body = response.body_mut().with_config().limit(max_bytes).read_to_vec().map_err(transport_failure)?;
        match response.status() {
            StatusCode::OK => self.vectors(&body, n_texts),
            status => Err(status_failure(status, &response, &self.without_key(&body))),
        }
    }

    fn vectors(&self, body: &[u8], n_texts: usize) -> Result<Vec<Vector>, RequestFailure> {
        let transient = |reason: String| RequestFailure::Transient(reason, None);
        let EmbeddingsResponse { data } = serde_json::from_slice(body)
            .map_err(|error| transient(format!("its response has no embeddings: {error}")))?;
        let mut vectors: Vec<Option<Vector>> = vec![None; n_texts];
        for (position, EmbeddingRow { index, embedding }) in data.into_iter().enumerate() {
            if embedding.len() != self.n_dims {
                let (expected, found) = (self.n_dims, embedding.len());
                let reason =
                    format!("its vectors have {found} dimensions, not {expected}; set `dimensions` to {found}");
                return Err(RequestFailure::Permanent(reason));
            }
            if let Some(vector) = vectors.get_mut(index.unwrap_or(position)) {
                *vector = Some(Vector::quantise(&embedding));
            }
        }
        let n_found = vectors.iter().flatten().count();
        let all_vectors: Option<Vec<Vector>> = vectors.into_iter().collect();
        all_vectors.ok_or_else(|| transient(format!("its response has {n_found} vectors for {n_texts} texts")))
    }

    /// Returns the text of a response without the API key, which it may repeat.
    fn without_key(&self, body: &[u8]) -> String {
        let text = String::from_utf8_lossy(body);
        self.key.as_ref().map_or_else(|| text.clone().into_owned(), |key| text.replace(key.as_str(), "..."))
    }

    fn failed(&self, error: EmbedError) -> EmbedError {
        self.circuit_breaker.open(&error, Instant::now());
        error
    }

    fn unavailable(&self, reason: &str) -> EmbedError {
        EmbedError::Unavailable(format!("model `{}` at {}: {reason}", self.name, self.url))
    }
}

/// Classifies errors without a response.
fn transport_failure(error: ureq::Error) -> RequestFailure {
    match error {
        ureq::Error::Timeout(_) => RequestFailure::Transient("it did not answer in time".to_owned(), None),
        ureq::Error::Io(error) if error.kind() == io::ErrorKind::TimedOut => {
            RequestFailure::Transient("it did not answer in time".to_owned(), None)
        }
        ureq::Error::BodyExceedsLimit(_) => {
            RequestFailure::Permanent("its response is far too long for the request".to_owned())
        }
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => {
            RequestFailure::Permanent(format!("the request is invalid: {error}"))
        }
        error => RequestFailure::Transient(format!("it did not answer: {error}"), None),
    }
}

/// Classifies error responses. Messages about authentication may repeat a part of the key and are omitted.
fn status_failure<T>(status: StatusCode, response: &Response<T>, body: &str) -> RequestFailure {
    if status == StatusCode::TOO_MANY_REQUESTS || status == StatusCode::REQUEST_TIMEOUT || status.is_server_error() {
        return RequestFailure::Transient(format!("it answered {status}"), retry_after(response));
    }
    if status == StatusCode::UNAUTHORIZED || status == StatusCode::FORBIDDEN {
        return RequestFailure::Permanent(format!("it answered {status}; check `key_env` or `key_file`"));
    }
    let reason: String = body.chars().filter(|c| !c.is_control()).take(MAX_REASON_CHARS).collect();
    RequestFailure::Permanent(format!("it answered {status}: {reason}"))
}

/// Returns the wait that the service asks for in seconds.
fn retry_after<T>(response: &Response<T>) -> Option<Duration> {
    let seconds = response.headers().get(header::RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}
