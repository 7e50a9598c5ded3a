//! Anthropic's messages.

use serde::{Deserialize, Serialize};

use super::{End, Model, Said, Trouble};
use crate::{Ending, Prompt};

/// The version of the protocol, sent with every request; the latest that there is.
const VERSION: &str = "2023-06-01";

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    system: &'a str,
    messages: [Message<'a>; 1],
    max_tokens: u64,
    stream: bool,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'a str,
    content: &'a str,
}

/// An event by the type that its data names.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Event {
    MessageStart {
        message: Start,
    },
    ContentBlockDelta {
        delta: Delta,
    },
    MessageDelta {
        delta: Stop,
        usage: Option<TokenCounts>,
    },
    MessageStop,
    Error {
        error: ErrorBody,
    },
    /// Signs of life, the bounds of a block, and what comes to be added to the protocol.
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Start {
    usage: Option<TokenCounts>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Delta {
    TextDelta {
        text: String,
    },
    /// Thoughts and signatures.
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Stop {
    stop_reason: Option<String>,
}

/// Tokens so far. What was read from a cache, or written to one, is not among the input.
#[derive(Deserialize)]
struct TokenCounts {
    input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct ErrorBody {
    r#type: String,
}

pub(super) fn headers(key: Option<&str>) -> Vec<(&'static str, String)> {
    let key = key.map(|key| ("x-api-key", key.to_owned()));
    [("anthropic-version", VERSION.to_owned())].into_iter().chain(key).collect()
}

pub(super) fn body(model: &Model, prompt: &Prompt<'_>) -> Vec<u8> {
    let request = Request {
        model: &model.name,
        system: prompt.system,
        messages: [Message { role: "user", content: prompt.user }],
        max_tokens: model.max_output_tokens,
        stream: true,
    };
    serde_json::to_vec(&request).expect("text and numbers are JSON")
}

pub(super) fn read(data: &str) -> Result<Said, Trouble> {
    let event: Event = serde_json::from_str(data).map_err(|_| Trouble::NotUnderstood)?;
    let mut said = Said::default();
    match event {
        Event::MessageStart { message } => said.count(message.usage),
        Event::ContentBlockDelta { delta: Delta::TextDelta { text } } => said.piece = text,
        Event::MessageDelta { delta, usage } => {
            said.end = delta.stop_reason.as_deref().map(end);
            said.count(usage);
        }
        Event::MessageStop => said.is_last = true,
        Event::Error { error } if error.r#type == "rate_limit_error" => return Err(Trouble::RateLimited),
        Event::Error { .. } => return Err(Trouble::Failing),
        Event::ContentBlockDelta { delta: Delta::Other } | Event::Other => {}
    }
    Ok(said)
}

impl Said {
    fn count(&mut self, counts: Option<TokenCounts>) {
        let Some(counts) = counts else { return };
        let cached = [counts.cache_creation_input_tokens, counts.cache_read_input_tokens].into_iter().flatten();
        self.input_tokens = counts.input_tokens.map(|tokens| cached.fold(tokens, u64::saturating_add));
        self.output_tokens = counts.output_tokens;
    }
}

fn end(stop_reason: &str) -> End {
    match stop_reason {
        "end_turn" | "stop_sequence" => End::Proper(Ending::Whole),
        "max_tokens" | "model_context_window_exceeded" => End::Proper(Ending::CutAtLimit),
        "refusal" => End::Proper(Ending::Refused),
        _ => End::Strange,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read() {
        let nothing = || Ok(Said::default());
        let ended = |end| Ok(Said { end: Some(end), ..Said::default() });
        let stop = |reason: &str| format!(r#"{{"type":"message_delta","delta":{{"stop_reason":"{reason}"}}}}"#);
        let error = |kind: &str| format!(r#"{{"type":"error","error":{{"type":"{kind}","message":"m"}}}}"#);
        let start = r#"{"type":"message_start","message":{"id":"m","usage":
            {"input_tokens":5,"cache_read_input_tokens":2,"output_tokens":1}}}"#;
        let piece = r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"ab"}}"#;
        let thought = r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}"#;
        let block = r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#;
        for (data, expected) in [
            (start.to_owned(), Ok(Said { input_tokens: Some(7), output_tokens: Some(1), ..Said::default() })),
            (piece.to_owned(), Ok(Said { piece: "ab".to_owned(), ..Said::default() })),
            (thought.to_owned(), nothing()),
            (block.to_owned(), nothing()),
            (r#"{"type":"ping"}"#.to_owned(), nothing()),
            (r#"{"type":"of_tomorrow","what":1}"#.to_owned(), nothing()),
            (r#"{"type":"message_stop"}"#.to_owned(), Ok(Said { is_last: true, ..Said::default() })),
            (stop("end_turn"), ended(End::Proper(Ending::Whole))),
            (stop("max_tokens"), ended(End::Proper(Ending::CutAtLimit))),
            (stop("refusal"), ended(End::Proper(Ending::Refused))),
            (stop("tool_use"), ended(End::Strange)),
            (error("rate_limit_error"), Err(Trouble::RateLimited)),
            (error("overloaded_error"), Err(Trouble::Failing)),
            (r#"{"type":"content_block_delta","delta":{"type":"text_delta"}}"#.to_owned(), Err(Trouble::NotUnderstood)),
            ("{}".to_owned(), Err(Trouble::NotUnderstood)),
            ("<html>".to_owned(), Err(Trouble::NotUnderstood)),
        ] {
            assert_eq!(read(&data), expected, "{data}");
        }
    }
}
