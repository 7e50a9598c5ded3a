//! OpenAI's chat completions, as the many compatible services implement them: optional fields may be missing.

use reqwest::Url;
use serde::{Deserialize, Serialize};

use super::{EventError, RequestTarget, StopReason, StreamEvent};
use crate::{Ending, Prompt};

/// Data of the event that ends a stream.
const DONE: &str = "[DONE]";

/// Hosts that call the limit `max_completion_tokens`; their newer models reject the old name `max_tokens`. Other
/// services know the old name, and some of them only that.
const MAX_COMPLETION_TOKENS_HOSTS: [&str; 2] = ["api.openai.com", "openai.azure.com"];

#[derive(Serialize)]
struct ChatRequest<'a> {
    model: &'a str,
    messages: [ChatMessage<'a>; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u64>,
    stream: bool,
    stream_options: StreamOptions,
}

#[derive(Serialize)]
struct ChatMessage<'a> {
    role: &'a str,
    content: &'a str,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Deserialize)]
struct ChatChunk {
    #[serde(default)]
    choices: Vec<ChatChoice>,
    usage: Option<ChatUsage>,
    error: Option<ChatError>,
}

#[derive(Deserialize)]
struct ChatChoice {
    delta: Option<ChatDelta>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct ChatDelta {
    content: Option<String>,
    /// Text in place of content if the model declines.
    refusal: Option<String>,
}

#[derive(Deserialize)]
struct ChatUsage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
}

/// An error during a stream. Some services send a bare string.
#[derive(Deserialize)]
#[serde(untagged)]
enum ChatError {
    Described {
        #[serde(default)]
        r#type: serde_json::Value,
        #[serde(default)]
        code: serde_json::Value,
    },
    Other(serde::de::IgnoredAny),
}

pub(super) fn headers(key: Option<&str>) -> Vec<(&'static str, String)> {
    key.map(|key| ("authorization", format!("Bearer {key}"))).into_iter().collect()
}

pub(super) fn body(target: &RequestTarget, prompt: &Prompt<'_>) -> Vec<u8> {
    let (system, user) = (("system", prompt.system), ("user", prompt.user));
    let (max_tokens, max_completion_tokens) = match wants_max_completion_tokens(&target.url) {
        true => (None, Some(target.max_output_tokens)),
        false => (Some(target.max_output_tokens), None),
    };
    let request = ChatRequest {
        model: &target.model,
        messages: [system, user].map(|(role, content)| ChatMessage { role, content }),
        max_tokens,
        max_completion_tokens,
        stream: true,
        stream_options: StreamOptions { include_usage: true },
    };
    serde_json::to_vec(&request).expect("text and numbers are JSON")
}

fn wants_max_completion_tokens(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    MAX_COMPLETION_TOKENS_HOSTS.iter().any(|known| host == *known || host.ends_with(&format!(".{known}")))
}

pub(super) fn parse_event(data: &str) -> Result<StreamEvent, EventError> {
    if data.trim() == DONE {
        return Ok(StreamEvent { is_last: true, ..StreamEvent::default() });
    }
    let chunk: ChatChunk = serde_json::from_str(data).map_err(|_| EventError::Malformed)?;
    if let Some(error) = chunk.error {
        return Err(event_error(&error));
    }
    let mut parsed = StreamEvent::default();
    if let Some(choice) = chunk.choices.into_iter().next() {
        let delta = choice.delta.unwrap_or(ChatDelta { content: None, refusal: None });
        parsed.text = delta.content.unwrap_or_default();
        let is_refusal = delta.refusal.is_some_and(|refusal| !refusal.is_empty());
        parsed.stop = if is_refusal {
            Some(StopReason::Ended(Ending::Refused))
        } else {
            choice.finish_reason.as_deref().map(stop)
        };
    }
    if let Some(usage) = chunk.usage {
        (parsed.input_tokens, parsed.output_tokens) = (usage.prompt_tokens, usage.completion_tokens);
    }
    Ok(parsed)
}

fn stop(finish_reason: &str) -> StopReason {
    match finish_reason {
        "stop" | "stop_sequence" | "eos" | "eos_token" | "end_turn" => StopReason::Ended(Ending::Whole),
        "length" | "max_tokens" | "model_length" => StopReason::Ended(Ending::CutAtLimit),
        "content_filter" | "refusal" | "safety" => StopReason::Ended(Ending::Refused),
        _ => StopReason::Unsupported,
    }
}

fn event_error(error: &ChatError) -> EventError {
    let ChatError::Described { r#type, code } = error else { return EventError::ServerError };
    let mentions = |word: &str| [r#type, code].iter().any(|value| value.to_string().contains(word));
    if mentions("rate_limit") || mentions("429") { EventError::RateLimited } else { EventError::ServerError }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_of_many_services_are_parsed() {
        let text = |text: &str| Ok(StreamEvent { text: text.to_owned(), ..StreamEvent::default() });
        let ended = |stop| Ok(StreamEvent { stop: Some(stop), ..StreamEvent::default() });
        for (data, expected) in [
            ("[DONE]", Ok(StreamEvent { is_last: true, ..StreamEvent::default() })),
            (r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}"#, text("")),
            (r#"{"choices":[{"delta":{"content":"ab"},"logprobs":null}],"usage":null}"#, text("ab")),
            (r#"{"choices":[{"delta":{"reasoning_content":"hm","content":null}}]}"#, text("")),
            (r#"{"choices":[],"prompt_filter_results":[]}"#, text("")),
            (r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#, ended(StopReason::Ended(Ending::Whole))),
            (r#"{"choices":[{"finish_reason":"length"}]}"#, ended(StopReason::Ended(Ending::CutAtLimit))),
            (
                r#"{"choices":[{"delta":{},"finish_reason":"content_filter"}]}"#,
                ended(StopReason::Ended(Ending::Refused)),
            ),
            (
                r#"{"choices":[{"delta":{"refusal":"no"},"finish_reason":null}]}"#,
                ended(StopReason::Ended(Ending::Refused)),
            ),
            (r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#, ended(StopReason::Unsupported)),
            (r#"{"error":{"message":"slow","type":"rate_limit_error","code":null}}"#, Err(EventError::RateLimited)),
            (r#"{"error":{"message":"slow","code":429}}"#, Err(EventError::RateLimited)),
            (r#"{"error":{"message":"broken"}}"#, Err(EventError::ServerError)),
            (r#"{"error":"out of memory"}"#, Err(EventError::ServerError)),
            (r#"{"choices":[{"delta":"#, Err(EventError::Malformed)),
            (r#"{"choices":"none"}"#, Err(EventError::Malformed)),
            ("<html>", Err(EventError::Malformed)),
        ] {
            assert_eq!(parse_event(data), expected, "{data}");
        }
        let counted =
            parse_event(r#"{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}}"#);
        assert_eq!(
            counted,
            Ok(StreamEvent { input_tokens: Some(7), output_tokens: Some(3), ..StreamEvent::default() })
        );
    }

    #[test]
    fn limit_has_the_name_that_the_host_knows() {
        for (url, expected) in [
            ("https://api.openai.com/v1", "max_completion_tokens"),
            ("https://mine.openai.azure.com/openai/v1", "max_completion_tokens"),
            ("http://localhost:11434/v1", "max_tokens"),
            ("https://notapi.openai.com.example/v1", "max_tokens"),
        ] {
            let (kind, model) = (crate::ModelProtocol::OpenAi, "m".to_owned());
            let target = RequestTarget { kind, model, max_output_tokens: 5, url: url.parse().unwrap() };
            let body: serde_json::Value =
                serde_json::from_slice(&body(&target, &Prompt { system: "s", user: "u" })).unwrap();
            assert_eq!(body[expected], 5, "{url}: {body}");
            assert!(body["max_tokens"].is_null() || body["max_completion_tokens"].is_null());
        }
    }
}
