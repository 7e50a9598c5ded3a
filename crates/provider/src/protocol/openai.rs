//! Chat completions of OpenAI, as the many services that follow it have them: what is not needed may be missing.

use reqwest::Url;
use serde::{Deserialize, Serialize};

use super::{End, Model, Said, Trouble};
use crate::{Ending, Prompt};

/// The data of the event that ends a stream.
const DONE: &str = "[DONE]";

/// Where `max_tokens` is called `max_completion_tokens`, and refused by newer models under its old name. Other services know
/// the old name, and some of them no other.
const HOSTS_OF_THE_NEW_NAME: [&str; 2] = ["api.openai.com", "openai.azure.com"];

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    messages: [Message<'a>; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u64>,
    stream: bool,
    stream_options: StreamOptions,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'a str,
    content: &'a str,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Vec<Choice>,
    usage: Option<TokenCounts>,
    error: Option<ErrorBody>,
}

#[derive(Deserialize)]
struct Choice {
    delta: Option<Delta>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Delta {
    content: Option<String>,
    /// What a model writes in the place of content when it declines.
    refusal: Option<String>,
}

#[derive(Deserialize)]
struct TokenCounts {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
}

/// An error in the middle of a stream. Some services give a bare line.
#[derive(Deserialize)]
#[serde(untagged)]
enum ErrorBody {
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

pub(super) fn body(model: &Model, prompt: &Prompt<'_>) -> Vec<u8> {
    let (system, user) = (("system", prompt.system), ("user", prompt.user));
    let (old_name, new_name) = match takes_the_new_name(&model.url) {
        true => (None, Some(model.max_output_tokens)),
        false => (Some(model.max_output_tokens), None),
    };
    let request = Request {
        model: &model.name,
        messages: [system, user].map(|(role, content)| Message { role, content }),
        max_tokens: old_name,
        max_completion_tokens: new_name,
        stream: true,
        stream_options: StreamOptions { include_usage: true },
    };
    serde_json::to_vec(&request).expect("text and numbers are JSON")
}

fn takes_the_new_name(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    HOSTS_OF_THE_NEW_NAME.iter().any(|known| host == *known || host.ends_with(&format!(".{known}")))
}

pub(super) fn read(data: &str) -> Result<Said, Trouble> {
    if data.trim() == DONE {
        return Ok(Said { is_last: true, ..Said::default() });
    }
    let chunk: Chunk = serde_json::from_str(data).map_err(|_| Trouble::NotUnderstood)?;
    if let Some(error) = chunk.error {
        return Err(trouble(&error));
    }
    let mut said = Said::default();
    if let Some(choice) = chunk.choices.into_iter().next() {
        let delta = choice.delta.unwrap_or(Delta { content: None, refusal: None });
        said.piece = delta.content.unwrap_or_default();
        let is_refusal = delta.refusal.is_some_and(|refusal| !refusal.is_empty());
        said.end =
            if is_refusal { Some(End::Proper(Ending::Refused)) } else { choice.finish_reason.as_deref().map(end) };
    }
    if let Some(usage) = chunk.usage {
        (said.input_tokens, said.output_tokens) = (usage.prompt_tokens, usage.completion_tokens);
    }
    Ok(said)
}

fn end(finish_reason: &str) -> End {
    match finish_reason {
        "stop" | "stop_sequence" | "eos" | "eos_token" | "end_turn" => End::Proper(Ending::Whole),
        "length" | "max_tokens" | "model_length" => End::Proper(Ending::CutAtLimit),
        "content_filter" | "refusal" | "safety" => End::Proper(Ending::Refused),
        _ => End::Strange,
    }
}

fn trouble(error: &ErrorBody) -> Trouble {
    let ErrorBody::Described { r#type, code } = error else { return Trouble::Failing };
    let says = |word: &str| [r#type, code].iter().any(|value| value.to_string().contains(word));
    if says("rate_limit") || says("429") { Trouble::RateLimited } else { Trouble::Failing }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_of_many_services_are_read() {
        let piece = |piece: &str| Ok(Said { piece: piece.to_owned(), ..Said::default() });
        let ended = |end| Ok(Said { end: Some(end), ..Said::default() });
        for (data, expected) in [
            ("[DONE]", Ok(Said { is_last: true, ..Said::default() })),
            (r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}"#, piece("")),
            (r#"{"choices":[{"delta":{"content":"ab"},"logprobs":null}],"usage":null}"#, piece("ab")),
            (r#"{"choices":[{"delta":{"reasoning_content":"hm","content":null}}]}"#, piece("")),
            (r#"{"choices":[],"prompt_filter_results":[]}"#, piece("")),
            (r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#, ended(End::Proper(Ending::Whole))),
            (r#"{"choices":[{"finish_reason":"length"}]}"#, ended(End::Proper(Ending::CutAtLimit))),
            (r#"{"choices":[{"delta":{},"finish_reason":"content_filter"}]}"#, ended(End::Proper(Ending::Refused))),
            (r#"{"choices":[{"delta":{"refusal":"no"},"finish_reason":null}]}"#, ended(End::Proper(Ending::Refused))),
            (r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#, ended(End::Strange)),
            (r#"{"error":{"message":"slow","type":"rate_limit_error","code":null}}"#, Err(Trouble::RateLimited)),
            (r#"{"error":{"message":"slow","code":429}}"#, Err(Trouble::RateLimited)),
            (r#"{"error":{"message":"broken"}}"#, Err(Trouble::Failing)),
            (r#"{"error":"out of memory"}"#, Err(Trouble::Failing)),
            (r#"{"choices":[{"delta":"#, Err(Trouble::NotUnderstood)),
            (r#"{"choices":"none"}"#, Err(Trouble::NotUnderstood)),
            ("<html>", Err(Trouble::NotUnderstood)),
        ] {
            assert_eq!(read(data), expected, "{data}");
        }
        let counted = read(r#"{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}}"#);
        assert_eq!(counted, Ok(Said { input_tokens: Some(7), output_tokens: Some(3), ..Said::default() }));
    }

    #[test]
    fn the_limit_has_the_name_that_the_service_knows() {
        for (url, expected) in [
            ("https://api.openai.com/v1", "max_completion_tokens"),
            ("https://mine.openai.azure.com/openai/v1", "max_completion_tokens"),
            ("http://localhost:11434/v1", "max_tokens"),
            ("https://notapi.openai.com.example/v1", "max_tokens"),
        ] {
            let (kind, name) = (crate::Kind::OpenAi, "m".to_owned());
            let model = Model { kind, name, max_output_tokens: 5, url: url.parse().unwrap() };
            let body: serde_json::Value =
                serde_json::from_slice(&body(&model, &Prompt { system: "s", user: "u" })).unwrap();
            assert_eq!(body[expected], 5, "{url}: {body}");
            assert!(body["max_tokens"].is_null() || body["max_completion_tokens"].is_null());
        }
    }
}
