//! The two protocols: request bodies and stream events. Pure functions.

mod anthropic;
mod openai;

use reqwest::Url;

use crate::{Ending, ModelProtocol, Prompt};

/// The model and endpoint of a request.
#[derive(Debug)]
pub(crate) struct RequestTarget {
    pub(crate) kind: ModelProtocol,
    pub(crate) model: String,
    pub(crate) max_output_tokens: u64,
    /// The endpoint's URL.
    pub(crate) url: Url,
}

/// Content of one stream event.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct StreamEvent {
    /// The next piece of text, often empty.
    pub(crate) text: String,
    pub(crate) stop: Option<StopReason>,
    pub(crate) input_tokens: Option<u64>,
    pub(crate) output_tokens: Option<u64>,
    /// True for the end-of-stream marker.
    pub(crate) is_last: bool,
}

/// Reason why the text ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StopReason {
    Ended(Ending),
    /// A reason that no text completion has: a tool call, or an unknown one.
    Unsupported,
}

/// An event that reports an error or cannot be parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EventError {
    /// The service became rate limited during the response.
    RateLimited,
    /// The service failed during the response.
    ServerError,
    Malformed,
}

/// Returns the headers of this protocol, in addition to the common ones.
pub(crate) fn headers(kind: ModelProtocol, key: Option<&str>) -> Vec<(&'static str, String)> {
    match kind {
        ModelProtocol::OpenAi => openai::headers(key),
        ModelProtocol::Anthropic => anthropic::headers(key),
    }
}

/// Returns the body of a request.
pub(crate) fn body(target: &RequestTarget, prompt: &Prompt<'_>) -> Vec<u8> {
    match target.kind {
        ModelProtocol::OpenAi => openai::body(target, prompt),
        ModelProtocol::Anthropic => anthropic::body(target, prompt),
    }
}

/// Parses the data of one event.
pub(crate) fn parse_event(kind: ModelProtocol, data: &str) -> Result<StreamEvent, EventError> {
    match kind {
        ModelProtocol::OpenAi => openai::parse_event(data),
        ModelProtocol::Anthropic => anthropic::parse_event(data),
    }
}
