//! A completion that arrives as server-sent events: bounded in length, and valid only with a proper end.

use std::{error::Error as StdError, time::Duration};

use futures::{Stream, StreamExt as _};
use http_body_util::LengthLimitError;
use sse_stream::Sse;
use tokio::time::{Instant, timeout_at};

use crate::{
    CompletionFailure, Ending, Usage,
    protocol::{self, EventError, RequestTarget, StopReason, StreamEvent},
};

/// Wait for the events after the stop reason: token counts and the end-of-stream marker.
const TAIL_TIMEOUT: Duration = Duration::from_secs(1);

/// Maximum bytes of text per output token. Tokens of code have 4 bytes; rare ones, such as runs of spaces, some 100.
const TEXT_BYTES_PER_TOKEN: u64 = 32;

/// Maximum bytes of a stream: per output token, and in addition. An event for one token has 200 to 400 bytes.
const STREAM_BYTES_PER_TOKEN: u64 = 2_048;
const STREAM_BYTES: u64 = 256 * 1024;

/// The completion as received so far.
pub(crate) struct CompletionStream<'t> {
    target: &'t RequestTarget,
    pub(crate) text: String,
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

/// A stream that yielded no valid completion.
pub(crate) struct StreamFailure {
    pub(crate) failure: CompletionFailure,
    /// True if another attempt may succeed.
    pub(crate) is_transient: bool,
}

const TRUNCATED: StreamFailure = StreamFailure { failure: CompletionFailure::Malformed, is_transient: true };
const MALFORMED: StreamFailure = StreamFailure { failure: CompletionFailure::Malformed, is_transient: false };

impl<'t> CompletionStream<'t> {
    pub(crate) fn new(target: &'t RequestTarget) -> CompletionStream<'t> {
        CompletionStream { target, text: String::new(), input_tokens: None, output_tokens: None }
    }

    /// Reads events until the completion has ended, and passes each piece of text to `progress`.
    pub(crate) async fn read(
        &mut self,
        mut events: impl Stream<Item = Result<Sse, sse_stream::Error>> + Unpin,
        progress: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Ending, StreamFailure> {
        let mut stop: Option<(StopReason, Instant)> = None;
        loop {
            let event = match stop {
                None => events.next().await,
                Some((_, tail_deadline)) => timeout_at(tail_deadline, events.next()).await.unwrap_or(None),
            };
            let parsed = match (event, stop) {
                // The text is complete; only token counts may be missing.
                (None | Some(Err(_)), Some(_)) => break,
                (None, None) => return Err(TRUNCATED),
                (Some(Err(error)), None) => return Err(stream_failure(&error)),
                (Some(Ok(Sse { data: None, .. })), _) => continue,
                (Some(Ok(Sse { data: Some(data), .. })), _) => protocol::parse_event(self.target.kind, &data),
            };
            match parsed {
                Ok(event) => {
                    self.append(&event, progress)?;
                    stop = stop.or_else(|| event.stop.map(|reason| (reason, Instant::now() + TAIL_TIMEOUT)));
                    if event.is_last {
                        break;
                    }
                }
                Err(_) if stop.is_some() => break,
                Err(error) => return Err(error.into()),
            }
        }
        match stop {
            Some((StopReason::Ended(Ending::Whole), _)) if self.text.trim().is_empty() => Err(MALFORMED),
            Some((StopReason::Ended(ending), _)) => Ok(ending),
            Some((StopReason::Unsupported, _)) | None => Err(MALFORMED),
        }
    }

    fn append(&mut self, event: &StreamEvent, progress: &mut (dyn FnMut(&str) + Send)) -> Result<(), StreamFailure> {
        self.input_tokens = event.input_tokens.or(self.input_tokens);
        self.output_tokens = event.output_tokens.or(self.output_tokens);
        if event.text.is_empty() {
            return Ok(());
        }
        self.text.push_str(&event.text);
        if self.text.len() as u64 > self.target.max_output_tokens.saturating_mul(TEXT_BYTES_PER_TOKEN) {
            return Err(MALFORMED);
        }
        progress(&event.text);
        Ok(())
    }

    /// Returns the token counts of the service, or estimates where it gave none.
    pub(crate) fn usage(&self, input_tokens: u64) -> Usage {
        Usage {
            input_tokens: self.input_tokens.unwrap_or(input_tokens),
            output_tokens: self.output_tokens.unwrap_or_else(|| text::estimate_tokens(&self.text) as u64),
        }
    }

    pub(crate) fn max_stream_bytes(&self) -> usize {
        let token_bytes = self.target.max_output_tokens.saturating_mul(STREAM_BYTES_PER_TOKEN);
        usize::try_from(token_bytes.saturating_add(STREAM_BYTES)).unwrap_or(usize::MAX)
    }
}

impl From<EventError> for StreamFailure {
    fn from(error: EventError) -> StreamFailure {
        match error {
            EventError::RateLimited => {
                StreamFailure { failure: CompletionFailure::RateLimited { retry_after: None }, is_transient: false }
            }
            EventError::ServerError => TRUNCATED,
            EventError::Malformed => MALFORMED,
        }
    }
}

/// A response body that ended early or exceeds its limit.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(crate) struct BodyError(pub(crate) Box<dyn StdError + Send + Sync>);

fn stream_failure(error: &sse_stream::Error) -> StreamFailure {
    let sse_stream::Error::Body(body) = error else { return MALFORMED };
    let is_too_long = body.downcast_ref::<BodyError>().is_some_and(|BodyError(cause)| cause.is::<LengthLimitError>());
    if is_too_long { MALFORMED } else { TRUNCATED }
}
