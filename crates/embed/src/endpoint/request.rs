//! One question to a service, asked again while it is busy.

use std::{
    io, thread,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};
use ureq::{
    Agent,
    http::{Response, StatusCode, header},
};

use super::{away::Away, pace::Pace};
use crate::{EmbedError, Vector, config::EndpointConfig};

/// How often one question is asked at most; fewer times where somebody waits for the answer, and has another way.
pub(super) const MAX_ATTEMPTS: u32 = 5;
pub(super) const MAX_ATTEMPTS_OF_A_QUERY: u32 = 2;

/// Wait before the first repetition, where the service names none; doubled for each that follows.
const FIRST_WAIT: Duration = Duration::from_millis(500);

/// How long one attempt may take: a batch on a server without a graphics card takes some seconds.
const ATTEMPT_PATIENCE: Duration = Duration::from_secs(60);

/// Bytes of an answer for each number in it, and for all around the numbers. Numbers take 12 to 25 bytes as text.
const ANSWER_BYTES_PER_NUMBER: u64 = 40;
const ANSWER_BYTES: u64 = 64 * 1024;

/// Characters of a refusal that are told on.
const MAX_REASON_CHARS: usize = 200;

/// A service, its model, and how it is asked.
pub(super) struct Service {
    url: String,
    name: String,
    n_dims: usize,
    /// Shown to nobody but the service.
    key: Option<String>,
    agent: Agent,
    pace: Pace,
    pub(super) away: Away,
    pub(super) first_wait: Duration,
}

#[derive(Serialize)]
struct Question<'a> {
    model: &'a str,
    input: &'a [&'a str],
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Embedding>,
}

#[derive(Deserialize)]
struct Embedding {
    /// Which text it is of; in the order of the texts where it is left out.
    index: Option<usize>,
    embedding: Vec<f32>,
}

/// Why one attempt failed.
enum Failure {
    /// It would fail again.
    Lasting(String),
    /// It may go well after a while; the service may have said which.
    Passing(String, Option<Duration>),
}

impl Service {
    pub(super) fn new(config: &EndpointConfig) -> Result<Service, EmbedError> {
        // What a redirection leads to is not what was configured; it is reported instead.
        let agent = Agent::config_builder().http_status_as_error(false).max_redirects(0).build().new_agent();
        Ok(Service {
            url: format!("{}/embeddings", config.url),
            name: config.name.clone(),
            n_dims: config.n_dims,
            key: config.key.read()?,
            agent,
            pace: Pace::new(config.requests_per_second),
            away: Away::default(),
            first_wait: FIRST_WAIT,
        })
    }

    /// Returns the vector of each text, or says before the deadline why there is none: at once, if the service failed a
    /// moment ago.
    pub(super) fn ask(&self, texts: &[&str], deadline: Instant, max_attempts: u32) -> Result<Vec<Vector>, EmbedError> {
        if let Some(reason) = self.away.reason(Instant::now()) {
            return Err(reason);
        }
        let question = serde_json::to_vec(&Question { model: &self.name, input: texts }).expect("texts are JSON");
        let mut n_attempts = 0;
        loop {
            if !self.pace.wait(deadline) {
                // That is no fault of the service.
                return Err(self.unavailable("`requests_per_second` allows no request before the deadline"));
            }
            let (reason, asked_wait) = match self.attempt(&question, texts.len(), deadline) {
                Ok(vectors) => {
                    self.away.end();
                    return Ok(vectors);
                }
                Err(Failure::Lasting(reason)) => {
                    let Service { url, name, .. } = self;
                    return Err(self.failed(EmbedError::Misconfigured(format!("model `{name}` at {url}: {reason}"))));
                }
                Err(Failure::Passing(reason, asked_wait)) => (reason, asked_wait),
            };
            let wait = asked_wait.unwrap_or(self.first_wait * 2_u32.pow(n_attempts));
            n_attempts += 1;
            if n_attempts == max_attempts {
                return Err(self.failed(self.unavailable(&format!("{reason}, {max_attempts} times"))));
            }
            if deadline.saturating_duration_since(Instant::now()) <= wait {
                return Err(self.failed(self.unavailable(&format!("{reason}, and no time is left to ask again"))));
            }
            tracing::debug!(url = self.url, reason, n_attempts, "asking again");
            thread::sleep(wait);
        }
    }

    fn attempt(&self, question: &[u8], n_texts: usize, deadline: Instant) -> Result<Vec<Vector>, Failure> {
        let patience = deadline.saturating_duration_since(Instant::now()).min(ATTEMPT_PATIENCE);
        let mut request = self.agent.post(&self.url).header(header::CONTENT_TYPE, "application/json");
        if let Some(key) = &self.key {
            request = request.header(header::AUTHORIZATION, format!("Bearer {key}"));
        }
        let sent = request.config().timeout_global(Some(patience)).build().send(question);
        let mut response = sent.map_err(no_answer)?;
        let max_bytes = ANSWER_BYTES + ANSWER_BYTES_PER_NUMBER * (n_texts * self.n_dims) as u64;
        let body = response.body_mut().with_config().limit(max_bytes).read_to_vec().map_err(no_answer)?;
        match response.status() {
            StatusCode::OK => self.vectors(&body, n_texts),
            status => Err(refusal(status, &response, &self.without_key(&body))),
        }
    }

    fn vectors(&self, body: &[u8], n_texts: usize) -> Result<Vec<Vector>, Failure> {
        let passing = |reason: String| Failure::Passing(reason, None);
        let Answer { data } =
            serde_json::from_slice(body).map_err(|error| passing(format!("it gave no embeddings: {error}")))?;
        let mut vectors: Vec<Option<Vector>> = vec![None; n_texts];
        for (place, Embedding { index, embedding }) in data.into_iter().enumerate() {
            if embedding.len() != self.n_dims {
                let (expected, found) = (self.n_dims, embedding.len());
                let reason =
                    format!("its vectors have {found} dimensions, not {expected}; set `dimensions` to {found}");
                return Err(Failure::Lasting(reason));
            }
            if let Some(vector) = vectors.get_mut(index.unwrap_or(place)) {
                *vector = Some(Vector::quantise(&embedding));
            }
        }
        let n_found = vectors.iter().flatten().count();
        let complete: Option<Vec<Vector>> = vectors.into_iter().collect();
        complete.ok_or_else(|| passing(format!("it gave {n_found} vectors for {n_texts} texts")))
    }

    /// Returns what a service says, without the key that it may repeat.
    fn without_key(&self, body: &[u8]) -> String {
        let said = String::from_utf8_lossy(body);
        self.key.as_ref().map_or_else(|| said.clone().into_owned(), |key| said.replace(key.as_str(), "..."))
    }

    fn failed(&self, error: EmbedError) -> EmbedError {
        self.away.begin(&error, Instant::now());
        error
    }

    fn unavailable(&self, reason: &str) -> EmbedError {
        EmbedError::Unavailable(format!("model `{}` at {}: {reason}", self.name, self.url))
    }
}

/// Tells what was not heard of the service from what was never asked.
fn no_answer(error: ureq::Error) -> Failure {
    match error {
        ureq::Error::Timeout(_) => Failure::Passing("it did not answer in time".to_owned(), None),
        ureq::Error::Io(error) if error.kind() == io::ErrorKind::TimedOut => {
            Failure::Passing("it did not answer in time".to_owned(), None)
        }
        ureq::Error::BodyExceedsLimit(_) => {
            Failure::Lasting("its answer is far too long for what was asked".to_owned())
        }
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => Failure::Lasting(format!("it cannot be asked: {error}")),
        error => Failure::Passing(format!("it did not answer: {error}"), None),
    }
}

/// Tells a service that is busy from one that refuses. What it says of a key may repeat a part of it, and is left out.
fn refusal<T>(status: StatusCode, response: &Response<T>, body: &str) -> Failure {
    if status == StatusCode::TOO_MANY_REQUESTS || status == StatusCode::REQUEST_TIMEOUT || status.is_server_error() {
        return Failure::Passing(format!("it answered {status}"), asked_wait(response));
    }
    if status == StatusCode::UNAUTHORIZED || status == StatusCode::FORBIDDEN {
        return Failure::Lasting(format!("it answered {status}; check `key_env` or `key_file`"));
    }
    let reason: String = body.chars().filter(|c| !c.is_control()).take(MAX_REASON_CHARS).collect();
    Failure::Lasting(format!("it answered {status}: {reason}"))
}

/// Returns the wait that a busy service asks for, where it says so in seconds.
fn asked_wait<T>(response: &Response<T>) -> Option<Duration> {
    let seconds = response.headers().get(header::RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}
