//! Anthropic's Messages API.

use serde::{Deserialize, Serialize};

use super::{EventError, RequestTarget, StopReason, StreamEvent};
use crate::{Ending, Prompt};

/// Protocol version, sent with every request; the latest one.
const VERSION: &str = "2023-06-01";

#[derive(Serialize)]
struct MessagesRequest<'a> {
    model: &'a str,
    system: &'a str,
    messages: [InputMessage<'a>; 1],
    max_tokens: u64,
    stream: bool,
}

#[derive(Serialize)]
struct InputMessage<'a> {
    role: &'a str,
    content: &'a str,
}

/// A stream event, by the type in its data.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum MessagesEvent {
    MessageStart {
        message: MessageStart,
    },
    ContentBlockDelta {
        delta: ContentDelta,
    },
    MessageDelta {
        delta: StopDelta,
        usage: Option<MessagesUsage>,
    },
    MessageStop,
    Error {
        error: MessagesError,
    },
    /// Keep-alive events, block boundaries, and event types that are not known here.
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct MessageStart {
    usage: Option<MessagesUsage>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ContentDelta {
    TextDelta {
        text: String,
    },
    /// Reasoning and signatures.
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct StopDelta {
    stop_reason: Option<String>,
}

/// Cumulative token counts. `input_tokens` excludes tokens that were read from a cache or written to one.
#[derive(Deserialize)]
struct MessagesUsage {
    input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct MessagesError {
    r#type: String,
}

pub(super) fn headers(key: Option<&str>) -> Vec<(&'static str, String)> {
    let key = key.map(|key| ("x-api-key", key.to_owned()));
    [("anthropic-version", VERSION.to_owned())].into_iter().chain(key).collect()
}

pub(super) fn body(target: &RequestTarget, prompt: &Prompt<'_>) -> Vec<u8> {
    let request = MessagesRequest {
        model: &target.model,
        system: prompt.system,
        messages: [InputMessage { role: "user", content: prompt.user }],
        max_tokens: target.max_output_tokens,
        stream: true,
    };
    serde_json::to_vec(&request).expect("text and numbers are JSON")
}

pub(super) fn parse_event(data: &str) -> Result<StreamEvent, EventError> {
    let event: MessagesEvent = serde_json::from_str(data).map_err(|_| EventError::Malformed)?;
    let mut parsed = StreamEvent::default();
    match event {
        MessagesEvent::MessageStart { message } => parsed.set_usage(message.usage),
        MessagesEvent::ContentBlockDelta { delta: ContentDelta::TextDelta { text } } => parsed.text = text,
        MessagesEvent::MessageDelta { delta, usage } => {
            parsed.stop = delta.stop_reason.as_deref().map(stop);
            parsed.set_usage(usage);
        }
        MessagesEvent::MessageStop => parsed.is_last = true,
        MessagesEvent::Error { error } if error.r#type == "rate_limit_error" => return Err(EventError::RateLimited),
        MessagesEvent::Error { .. } => return Err(EventError::ServerError),
        MessagesEvent::ContentBlockDelta { delta: ContentDelta::Other } | MessagesEvent::Other => {}
    }
    Ok(parsed)
}

impl StreamEvent {
    fn set_usage(&mut self, counts: Option<MessagesUsage>) {
        let Some(counts) = counts else { return };
        let cached = [counts.cache_creation_input_tokens, counts.cache_read_input_tokens].into_iter().flatten();
        self.input_tokens = counts.input_tokens.map(|tokens| cached.fold(tokens, u64::saturating_add));
        self.output_tokens = counts.output_tokens;
    }
}

fn stop(stop_reason: &str) -> StopReason {
    match stop_reason {
        "end_turn" | "stop_sequence" => StopReason::Ended(Ending::Whole),
        "max_tokens" | "model_context_window_exceeded" => StopReason::Ended(Ending::CutAtLimit),
        "refusal" => StopReason::Ended(Ending::Refused),
        _ => StopReason::Unsupported,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_parsed() {
        let nothing = || Ok(StreamEvent::default());
        let ended = |stop| Ok(StreamEvent { stop: Some(stop), ..StreamEvent::default() });
        let stop = |reason: &str| format!(r#"{{"type":"message_delta","delta":{{"stop_reason":"{reason}"}}}}"#);
        let error = |kind: &str| format!(r#"{{"type":"error","error":{{"type":"{kind}","message":"m"}}}}"#);
        let start = r#"{"type":"message_start","message":{"id":"m","usage":
            {"input_tokens":5,"cache_read_input_tokens":2,"output_tokens":1}}}"#;
        let text = r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"ab"}}"#;
        let thought = r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}"#;
        let block = r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#;
        for (data, expected) in [
            (
                start.to_owned(),
                Ok(StreamEvent { input_tokens: Some(7), output_tokens: Some(1), ..StreamEvent::default() }),
            ),
            (text.to_owned(), Ok(StreamEvent { text: "ab".to_owned(), ..StreamEvent::default() })),
            (thought.to_owned(), nothing()),
            (block.to_owned(), nothing()),
            (r#"{"type":"ping"}"#.to_owned(), nothing()),
            (r#"{"type":"of_tomorrow","what":1}"#.to_owned(), nothing()),
            (r#"{"type":"message_stop"}"#.to_owned(), Ok(StreamEvent { is_last: true, ..StreamEvent::default() })),
            (stop("end_turn"), ended(StopReason::Ended(Ending::Whole))),
            (stop("max_tokens"), ended(StopReason::Ended(Ending::CutAtLimit))),
            (stop("refusal"), ended(StopReason::Ended(Ending::Refused))),
            (stop("tool_use"), ended(StopReason::Unsupported)),
            (error("rate_limit_error"), Err(EventError::RateLimited)),
            (error("overloaded_error"), Err(EventError::ServerError)),
            (r#"{"type":"content_block_delta","delta":{"type":"text_delta"}}"#.to_owned(), Err(EventError::Malformed)),
            ("{}".to_owned(), Err(EventError::Malformed)),
            ("<html>".to_owned(), Err(EventError::Malformed)),
        ] {
            assert_eq!(parse_event(&data), expected, "{data}");
        }
    }
}
