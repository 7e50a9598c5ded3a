//! One question to a service, and its answer as it comes: read no further than an answer may be long, and whole only when
//! the service says so.

use std::{error::Error as StdError, fmt, net::IpAddr, pin::pin, time::Duration};

use futures::{Stream, StreamExt as _};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use reqwest::{
    Body, Client, Response, StatusCode, Url,
    header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER},
    redirect::Policy,
};
use sse_stream::{Sse, SseStream};
use tokio::time::{Instant, timeout, timeout_at};

use crate::{
    Completion, Ending, Failure, Kind, Prompt, ProviderError, ProviderSettings, Usage,
    protocol::{self, End, Model, Said, Trouble},
};

/// What one attempt came to, what it took, and after which wait another one may go better.
pub(crate) struct Attempt {
    pub(crate) result: Result<Completion, Failure>,
    pub(crate) spent: u64,
    pub(crate) again: Option<Duration>,
}

/// Wait before a question is sent again, where the service names none.
const WAIT: Duration = Duration::from_millis(250);

/// Statuses of a service that has a fault, or is overloaded (529), and may be well in a moment. That it waited in vain for
/// another one (504) is none of them.
const PASSING: [u16; 4] = [500, 502, 503, 529];

/// How long is waited for what follows the end of a text: counts of tokens, and a mark that nothing follows.
const TAIL_PATIENCE: Duration = Duration::from_secs(1);

/// Bytes of text for each token that a model may write. Tokens of code have 4, and rare ones, such as runs of spaces, some
/// 100.
const TEXT_BYTES_PER_TOKEN: u64 = 32;

/// Bytes that a service may send for each token, and beside them. An event around one token takes 200 to 400.
const STREAM_BYTES_PER_TOKEN: u64 = 2_048;
const STREAM_BYTES: u64 = 256 * 1024;

/// Bytes of a refusal that are read, and characters of it that are told on.
const MAX_REFUSAL_BYTES: usize = 4_096;
const MAX_REASON_CHARS: usize = 160;

/// A service, and how it is asked.
pub(crate) struct Service {
    model: Model,
    headers: HeaderMap,
    /// Shown to nobody but the service.
    key: Option<String>,
    client: Client,
}

impl Service {
    pub(crate) fn new(settings: &ProviderSettings) -> Result<Service, ProviderError> {
        let base = settings.base_url()?;
        let url = format!("{}{}", base.as_str().trim_end_matches('/'), settings.kind.path());
        let model = Model {
            kind: settings.kind,
            name: settings.model.clone(),
            max_output_tokens: settings.max_output_tokens,
            url: url.parse().map_err(|error| ProviderError(format!("`url` is not one: {error}")))?,
        };
        let key = settings.read_key()?;
        let headers = headers(settings.kind, key.as_deref())?;
        let client = client(&model.url)?;
        Ok(Service { model, headers, key, client })
    }

    /// Sends a question, and reads the answer to its end.
    pub(crate) async fn ask(
        &self,
        prompt: &Prompt<'_>,
        input_tokens: u64,
        progress: &mut (dyn FnMut(&str) + Send),
    ) -> Attempt {
        let request = self.client.post(self.model.url.clone()).headers(self.headers.clone());
        let response = match request.body(protocol::body(&self.model, prompt)).send().await {
            Ok(response) => response,
            Err(error) => {
                tracing::debug!(error = %with_causes(&error.without_url()), "no answer of a model's service");
                return Attempt::unasked(Failure::Unreachable, Some(WAIT));
            }
        };
        if response.status() != StatusCode::OK {
            return self.refusal(response).await;
        }
        let mut answer = Answer::new(&self.model);
        let events = SseStream::new(Limited::new(Body::from(response), answer.max_stream_bytes()).map_err(Broken));
        let read = answer.read(pin!(events), progress).await;
        let usage = answer.usage(input_tokens);
        let has_begun = !answer.text.is_empty();
        match read {
            Ok(ending) => {
                let completion = Completion { text: answer.text, ending, usage };
                Attempt { result: Ok(completion), spent: usage.total(), again: None }
            }
            Err(Flaw { failure, is_passing }) => {
                let again = (is_passing && !has_begun).then_some(WAIT);
                Attempt { result: Err(failure), spent: usage.total(), again }
            }
        }
    }

    /// Tells a service that is busy or has a fault from one that refuses.
    async fn refusal(&self, response: Response) -> Attempt {
        let (status, retry_after) = (response.status(), asked_wait(response.headers()));
        let code = status.as_u16();
        if status == StatusCode::TOO_MANY_REQUESTS {
            return Attempt::unasked(Failure::RateLimited { retry_after }, retry_after);
        }
        if status.is_server_error() {
            let again = PASSING.contains(&code).then(|| retry_after.unwrap_or(WAIT));
            return Attempt::unasked(Failure::Failing { status: code }, again);
        }
        if status.is_success() {
            return Attempt::unasked(Failure::Garbage, None);
        }
        let said = match status {
            // Services repeat a part of the key here.
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => "check `key_env` or `key_file`".to_owned(),
            status if status.is_redirection() => "it leads elsewhere: check `url`".to_owned(),
            _ => self.reason(response).await,
        };
        Attempt::unasked(Failure::Rejected { status: code, said }, None)
    }

    /// Returns what a service gives as the reason of a refusal: one short line without secrets.
    async fn reason(&self, response: Response) -> String {
        let body = Limited::new(Body::from(response), MAX_REFUSAL_BYTES);
        let Ok(Ok(body)) = timeout(TAIL_PATIENCE, body.collect()).await else { return String::new() };
        let body = String::from_utf8_lossy(&body.to_bytes()).into_owned();
        let parsed: Option<serde_json::Value> = serde_json::from_str(&body).ok();
        let message = parsed.as_ref().and_then(|parsed| {
            ["/error/message", "/error", "/message", "/detail"].iter().find_map(|at| parsed.pointer(at)?.as_str())
        });
        let line = text::sanitise_name(message.unwrap_or_default());
        let line = self.key.as_ref().map_or_else(|| line.to_string(), |key| line.replace(key.as_str(), text::MASK));
        text::mask_secrets(&line).chars().take(MAX_REASON_CHARS).collect()
    }
}

impl fmt::Debug for Service {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Service").field("model", &self.model).finish_non_exhaustive()
    }
}

impl Attempt {
    /// Returns an attempt that no model heard of.
    fn unasked(failure: Failure, again: Option<Duration>) -> Attempt {
        Attempt { result: Err(failure), spent: 0, again }
    }
}

/// An answer as far as it came.
struct Answer<'m> {
    model: &'m Model,
    text: String,
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

/// Why an answer is none, and whether the next one may be.
struct Flaw {
    failure: Failure,
    is_passing: bool,
}

const BROKEN_OFF: Flaw = Flaw { failure: Failure::Garbage, is_passing: true };
const NOT_UNDERSTOOD: Flaw = Flaw { failure: Failure::Garbage, is_passing: false };

impl<'m> Answer<'m> {
    fn new(model: &'m Model) -> Answer<'m> {
        Answer { model, text: String::new(), input_tokens: None, output_tokens: None }
    }

    /// Reads events until the answer has ended properly.
    async fn read(
        &mut self,
        mut events: impl Stream<Item = Result<Sse, sse_stream::Error>> + Unpin,
        progress: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Ending, Flaw> {
        let mut end: Option<(End, Instant)> = None;
        loop {
            let event = match end {
                None => events.next().await,
                Some((_, patience)) => timeout_at(patience, events.next()).await.unwrap_or(None),
            };
            let said = match (event, end) {
                // The text is complete, whatever became of the counts behind it.
                (None | Some(Err(_)), Some(_)) => break,
                (None, None) => return Err(BROKEN_OFF),
                (Some(Err(error)), None) => return Err(flaw(&error)),
                (Some(Ok(Sse { data: None, .. })), _) => continue,
                (Some(Ok(Sse { data: Some(data), .. })), _) => protocol::read(self.model.kind, &data),
            };
            match said {
                Ok(said) => {
                    self.take(&said, progress)?;
                    end = end.or_else(|| said.end.map(|end| (end, Instant::now() + TAIL_PATIENCE)));
                    if said.is_last {
                        break;
                    }
                }
                Err(_) if end.is_some() => break,
                Err(trouble) => return Err(trouble.into()),
            }
        }
        match end {
            Some((End::Proper(Ending::Whole), _)) if self.text.trim().is_empty() => Err(NOT_UNDERSTOOD),
            Some((End::Proper(ending), _)) => Ok(ending),
            Some((End::Strange, _)) | None => Err(NOT_UNDERSTOOD),
        }
    }

    fn take(&mut self, said: &Said, progress: &mut (dyn FnMut(&str) + Send)) -> Result<(), Flaw> {
        self.input_tokens = said.input_tokens.or(self.input_tokens);
        self.output_tokens = said.output_tokens.or(self.output_tokens);
        if said.piece.is_empty() {
            return Ok(());
        }
        self.text.push_str(&said.piece);
        if self.text.len() as u64 > self.model.max_output_tokens.saturating_mul(TEXT_BYTES_PER_TOKEN) {
            return Err(NOT_UNDERSTOOD);
        }
        progress(&said.piece);
        Ok(())
    }

    /// Returns what the service counted, estimated where it counted nothing.
    fn usage(&self, input_tokens: u64) -> Usage {
        Usage {
            input_tokens: self.input_tokens.unwrap_or(input_tokens),
            output_tokens: self.output_tokens.unwrap_or_else(|| text::estimate_tokens(&self.text) as u64),
        }
    }

    fn max_stream_bytes(&self) -> usize {
        let of_tokens = self.model.max_output_tokens.saturating_mul(STREAM_BYTES_PER_TOKEN);
        usize::try_from(of_tokens.saturating_add(STREAM_BYTES)).unwrap_or(usize::MAX)
    }
}

impl From<Trouble> for Flaw {
    fn from(trouble: Trouble) -> Flaw {
        match trouble {
            Trouble::RateLimited => Flaw { failure: Failure::RateLimited { retry_after: None }, is_passing: false },
            Trouble::Failing => BROKEN_OFF,
            Trouble::NotUnderstood => NOT_UNDERSTOOD,
        }
    }
}

/// The body of an answer that broke off, or is too long.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
struct Broken(Box<dyn StdError + Send + Sync>);

fn flaw(error: &sse_stream::Error) -> Flaw {
    let sse_stream::Error::Body(body) = error else { return NOT_UNDERSTOOD };
    let is_too_long = body.downcast_ref::<Broken>().is_some_and(|Broken(cause)| cause.is::<LengthLimitError>());
    if is_too_long { NOT_UNDERSTOOD } else { BROKEN_OFF }
}

fn headers(kind: Kind, key: Option<&str>) -> Result<HeaderMap, ProviderError> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    for (name, value) in protocol::headers(kind, key) {
        let invalid = |_| ProviderError("the key of the model cannot be sent: it has special characters".to_owned());
        let mut value = HeaderValue::from_str(&value).map_err(invalid)?;
        value.set_sensitive(true);
        headers.insert(HeaderName::from_static(name), value);
    }
    Ok(headers)
}

fn client(url: &Url) -> Result<Client, ProviderError> {
    // One library for all TLS of the process, and one that needs nothing but a C compiler. Whoever was first is right.
    let _ = rustls::crypto::ring::default_provider().install_default();
    // Where a redirection leads to is not what was configured, and would get the key.
    let mut builder = Client::builder().redirect(Policy::none());
    if url.scheme() == "http" {
        // No certificate is looked at, and a machine may have none.
        builder = builder.tls_certs_only([]);
    }
    if is_loopback(url) {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| ProviderError(format!("no service can be asked: {}", with_causes(&error))))
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

/// Returns the wait that a service asks for, where it says so in seconds.
fn asked_wait(headers: &HeaderMap) -> Option<Duration> {
    let seconds: f64 = headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// Returns an error with what caused it, on one line.
fn with_causes(error: &dyn StdError) -> String {
    let causes = std::iter::successors(error.source(), |cause| (*cause).source());
    causes.fold(error.to_string(), |line, cause| format!("{line}: {cause}"))
}
