//! Server side of the two protocols.

use hyper::HeaderMap;
use serde_json::{Value, json};

use super::{MODEL, ReceivedRequest};

/// Reported token count of every prompt.
pub const INPUT_TOKENS: u64 = 120;

/// A protocol of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    OpenAi,
    Anthropic,
}

/// Stop reason of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Whole,
    Cut,
    Refusal,
}

impl Protocol {
    pub const ALL: [Protocol; 2] = [Protocol::OpenAi, Protocol::Anthropic];

    /// Returns the name in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Protocol::OpenAi => "openai",
            Protocol::Anthropic => "anthropic",
        }
    }

    pub(super) fn of_path(path: &str) -> Option<Protocol> {
        match path {
            "/v1/chat/completions" => Some(Protocol::OpenAi),
            "/v1/messages" => Some(Protocol::Anthropic),
            _ => None,
        }
    }

    pub(super) fn has_key(self, headers: &HeaderMap, key: &str) -> bool {
        let is = |name: &str, expected: &str| headers.get(name).is_some_and(|value| value == expected);
        match self {
            Protocol::OpenAi => is("authorization", &format!("Bearer {key}")),
            Protocol::Anthropic => is("x-api-key", key) && is("anthropic-version", "2023-06-01"),
        }
    }

    /// Parses a request; `None` if a required field is missing.
    pub(super) fn read(self, body: &[u8]) -> Option<ReceivedRequest> {
        let body: Value = serde_json::from_slice(body).ok()?;
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let (system, user) = match self {
            Protocol::OpenAi => {
                let of_role = |role: &str| {
                    let message = body["messages"].as_array()?.iter().find(|message| message["role"] == role)?;
                    text(&message["content"])
                };
                (of_role("system")?, of_role("user")?)
            }
            Protocol::Anthropic => {
                body["max_tokens"].as_u64()?;
                (text(&body["system"])?, text(&body["messages"][0]["content"])?)
            }
        };
        (body["model"] == MODEL).then_some(())?;
        Some(ReceivedRequest { protocol: self, system, user, body })
    }

    /// Returns the events before the first piece.
    pub(super) fn beginning(self) -> Vec<String> {
        match self {
            Protocol::OpenAi => vec![chunk(&json!({"role": "assistant", "content": ""}), &Value::Null)],
            Protocol::Anthropic => {
                let usage = json!({"input_tokens": INPUT_TOKENS, "output_tokens": 1});
                let message = json!({"id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": MODEL,
                    "stop_reason": null, "usage": usage});
                let block = json!({"type": "text", "text": ""});
                vec![
                    event(&json!({"type": "message_start", "message": message})),
                    event(&json!({"type": "content_block_start", "index": 0, "content_block": block})),
                    event(&json!({"type": "ping"})),
                ]
            }
        }
    }

    pub(super) fn piece(self, text: &str) -> String {
        match self {
            Protocol::OpenAi => chunk(&json!({"content": text}), &Value::Null),
            Protocol::Anthropic => {
                let delta = json!({"type": "text_delta", "text": text});
                event(&json!({"type": "content_block_delta", "index": 0, "delta": delta}))
            }
        }
    }

    /// Returns the events with the stop reason.
    pub(super) fn end(self, end: End, output_tokens: usize) -> Vec<String> {
        match self {
            Protocol::OpenAi => vec![chunk(&json!({}), &self.reason(end))],
            Protocol::Anthropic => {
                let delta = json!({"stop_reason": self.reason(end), "stop_sequence": null});
                let usage = json!({"output_tokens": output_tokens});
                vec![
                    event(&json!({"type": "content_block_stop", "index": 0})),
                    event(&json!({"type": "message_delta", "delta": delta, "usage": usage})),
                ]
            }
        }
    }

    /// Returns the events after the stop reason.
    pub(super) fn tail(self, received: &ReceivedRequest, output_tokens: usize) -> Vec<String> {
        match self {
            Protocol::OpenAi => {
                let usage = json!({"id": "c1", "object": "chat.completion.chunk", "choices": [], "usage": usage(output_tokens)});
                let is_counted = received.body["stream_options"]["include_usage"] == true;
                is_counted.then(|| data(&usage)).into_iter().chain(["data: [DONE]\n\n".to_owned()]).collect()
            }
            Protocol::Anthropic => vec![event(&json!({"type": "message_stop"}))],
        }
    }

    /// Returns an error event.
    pub(super) fn error(self, kind: &str) -> String {
        let error = json!({"type": kind, "message": "something is wrong"});
        match self {
            Protocol::OpenAi => data(&json!({"error": error})),
            Protocol::Anthropic => event(&json!({"type": "error", "error": error})),
        }
    }

    /// Returns a response without streaming.
    pub(super) fn document(self, text: &str, output_tokens: usize) -> Value {
        match self {
            Protocol::OpenAi => {
                let message = json!({"role": "assistant", "content": text});
                let choice = json!({"index": 0, "message": message, "finish_reason": "stop"});
                json!({"id": "c1", "object": "chat.completion", "choices": [choice], "usage": usage(output_tokens)})
            }
            Protocol::Anthropic => {
                let usage = json!({"input_tokens": INPUT_TOKENS, "output_tokens": output_tokens});
                json!({"id": "msg_1", "type": "message", "role": "assistant", "content": [{"type": "text", "text": text}],
                    "stop_reason": "end_turn", "usage": usage})
            }
        }
    }

    fn reason(self, end: End) -> Value {
        json!(match (self, end) {
            (Protocol::OpenAi, End::Whole) => "stop",
            (Protocol::OpenAi, End::Cut) => "length",
            (Protocol::OpenAi, End::Refusal) => "content_filter",
            (Protocol::Anthropic, End::Whole) => "end_turn",
            (Protocol::Anthropic, End::Cut) => "max_tokens",
            (Protocol::Anthropic, End::Refusal) => "refusal",
        })
    }
}

fn usage(output_tokens: usize) -> Value {
    let total = INPUT_TOKENS as usize + output_tokens;
    json!({"prompt_tokens": INPUT_TOKENS, "completion_tokens": output_tokens, "total_tokens": total})
}

fn chunk(delta: &Value, finish_reason: &Value) -> String {
    let choice = json!({"index": 0, "delta": delta, "finish_reason": finish_reason});
    data(&json!({"id": "c1", "object": "chat.completion.chunk", "model": MODEL, "choices": [choice]}))
}

fn data(value: &Value) -> String {
    format!("data: {value}\n\n")
}

fn event(value: &Value) -> String {
    format!("event: {}\r\ndata: {value}\r\n\r\n", value["type"].as_str().unwrap_or_default())
}
