//! The HTTP service behind a model: one attempt to complete a prompt.

use std::{fmt, pin::pin, time::Duration};

use http_body_util::{BodyExt as _, Limited};
use reqwest::{
    Body, Client, Response, StatusCode, Url,
    header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
};
use runtime::http_client;
use sse_stream::SseStream;
use tokio::time::timeout;

use crate::{
    Completion, CompletionFailure, ModelProtocol, Prompt, ProviderError, ProviderSettings,
    completion_stream::{BodyError, CompletionStream, StreamFailure},
    protocol::{self, RequestTarget},
};

/// Result of one attempt.
pub(crate) struct Attempt {
    pub(crate) result: Result<Completion, CompletionFailure>,
    /// Tokens that the attempt used.
    pub(crate) spent: u64,
    /// Wait before a second attempt; `None` if it would be useless.
    pub(crate) retry_after: Option<Duration>,
}

/// Wait before a second attempt, unless the service names one.
const RETRY_WAIT: Duration = Duration::from_millis(250);

/// Transient server errors; 529 means overloaded. A gateway timeout (504) is not one of them.
const TRANSIENT_STATUSES: [u16; 4] = [500, 502, 503, 529];

/// Limits of an error response: time to read it, bytes read, and characters of the reason that are reported.
const ERROR_BODY_TIMEOUT: Duration = Duration::from_secs(1);
const MAX_ERROR_BODY_BYTES: usize = 4_096;
const MAX_REASON_CHARS: usize = 160;

/// A model's service with its credentials.
pub(crate) struct CompletionService {
    target: RequestTarget,
    headers: HeaderMap,
    /// Sent to the service only; never logged or returned.
    key: Option<String>,
    client: Client,
}

impl CompletionService {
    pub(crate) fn new(settings: &ProviderSettings) -> Result<CompletionService, ProviderError> {
        let base = settings.base_url()?;
        let url = format!("{}{}", base.as_str().trim_end_matches('/'), settings.kind.path());
        let target = RequestTarget {
            kind: settings.kind,
            model: settings.model.clone(),
            max_output_tokens: settings.max_output_tokens,
            url: url.parse().map_err(|error| ProviderError(format!("`url` is not a URL: {error}")))?,
        };
        let key = settings.read_key()?;
        let headers = headers(settings.kind, key.as_deref())?;
        let client = client(&target.url)?;
        Ok(CompletionService { target, headers, key, client })
    }

    /// Sends a prompt and reads the completion to its end. Calls `progress` with each piece of text.
    pub(crate) async fn complete(
        &self,
        prompt: &Prompt<'_>,
        input_tokens: u64,
        progress: &mut (dyn FnMut(&str) + Send),
    ) -> Attempt {
        let request = self.client.post(self.target.url.clone()).headers(self.headers.clone());
        let response = match request.body(protocol::body(&self.target, prompt)).send().await {
            Ok(response) => response,
            Err(error) => {
                tracing::debug!(error = %http_client::error_chain(&error.without_url()), "request to the model failed");
                return Attempt::without_usage(CompletionFailure::Unreachable, Some(RETRY_WAIT));
            }
        };
        if response.status() != StatusCode::OK {
            return self.error_response(response).await;
        }
        let mut completion = CompletionStream::new(&self.target);
        let body = Limited::new(Body::from(response), completion.max_stream_bytes()).map_err(BodyError);
        let ending = completion.read(pin!(SseStream::new(body)), progress).await;
        let usage = completion.usage(input_tokens);
        let has_text = !completion.text.is_empty();
        match ending {
            Ok(ending) => {
                let completion = Completion { text: completion.text, ending, usage };
                Attempt { result: Ok(completion), spent: usage.total(), retry_after: None }
            }
            Err(StreamFailure { failure, is_transient }) => {
                // `progress` must not see a piece twice.
                let retry_after = (is_transient && !has_text).then_some(RETRY_WAIT);
                Attempt { result: Err(failure), spent: usage.total(), retry_after }
            }
        }
    }

    /// Classifies an error response as transient or permanent.
    async fn error_response(&self, response: Response) -> Attempt {
        let (status, retry_after) = (response.status(), http_client::retry_after(response.headers()));
        let code = status.as_u16();
        if status == StatusCode::TOO_MANY_REQUESTS {
            return Attempt::without_usage(CompletionFailure::RateLimited { retry_after }, retry_after);
        }
        if status.is_server_error() {
            let retry_after = TRANSIENT_STATUSES.contains(&code).then(|| retry_after.unwrap_or(RETRY_WAIT));
            return Attempt::without_usage(CompletionFailure::Failing { status: code }, retry_after);
        }
        if status.is_success() {
            return Attempt::without_usage(CompletionFailure::Malformed, None);
        }
        let reason = match status {
            // Services repeat a part of the key here.
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => "check `key_env` or `key_file`".to_owned(),
            status if status.is_redirection() => "it is a redirect: check `url`".to_owned(),
            _ => self.reason(response).await,
        };
        Attempt::without_usage(CompletionFailure::Rejected { status: code, reason }, None)
    }

    /// Returns the reason in an error response: one short line without secrets.
    async fn reason(&self, response: Response) -> String {
        let body = Limited::new(Body::from(response), MAX_ERROR_BODY_BYTES);
        let Ok(Ok(body)) = timeout(ERROR_BODY_TIMEOUT, body.collect()).await else { return String::new() };
        let body = String::from_utf8_lossy(&body.to_bytes()).into_owned();
        let parsed: Option<serde_json::Value> = serde_json::from_str(&body).ok();
        let message = parsed.as_ref().and_then(|parsed| {
            ["/error/message", "/error", "/message", "/detail"].iter().find_map(|path| parsed.pointer(path)?.as_str())
        });
        let line = text::sanitise_name(message.unwrap_or_default());
        let line = self.key.as_ref().map_or_else(|| line.to_string(), |key| line.replace(key.as_str(), text::MASK));
        text::mask_secrets(&line).chars().take(MAX_REASON_CHARS).collect()
    }
}

impl fmt::Debug for CompletionService {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CompletionService").field("target", &self.target).finish_non_exhaustive()
    }
}

impl Attempt {
    /// Returns a failed attempt that used no tokens.
    fn without_usage(failure: CompletionFailure, retry_after: Option<Duration>) -> Attempt {
        Attempt { result: Err(failure), spent: 0, retry_after }
    }
}

fn headers(kind: ModelProtocol, key: Option<&str>) -> Result<HeaderMap, ProviderError> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    for (name, value) in protocol::headers(kind, key) {
        let invalid = |_| ProviderError("the key of the model has characters that no header may have".to_owned());
        let mut value = HeaderValue::from_str(&value).map_err(invalid)?;
        value.set_sensitive(true);
        headers.insert(HeaderName::from_static(name), value);
    }
    Ok(headers)
}

fn client(url: &Url) -> Result<Client, ProviderError> {
    let built = http_client::builder(url).build();
    built.map_err(|error| {
        ProviderError(format!("the HTTP client cannot be built: {}", http_client::error_chain(&error)))
    })
}
