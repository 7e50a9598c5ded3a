//! The two protocols: what is sent, and what each event of an answer says. Nothing here waits or fails.

mod anthropic;
mod openai;

use reqwest::Url;

use crate::{Ending, Kind, Prompt};

/// A model as its protocol names it.
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) kind: Kind,
    pub(crate) name: String,
    pub(crate) max_output_tokens: u64,
    /// Where it is asked.
    pub(crate) url: Url,
}

/// What one event says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Said {
    /// The next piece of the text, often empty.
    pub(crate) piece: String,
    pub(crate) end: Option<End>,
    pub(crate) input_tokens: Option<u64>,
    pub(crate) output_tokens: Option<u64>,
    /// Nothing follows.
    pub(crate) is_last: bool,
}

/// Why no more pieces come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Proper(Ending),
    /// For a reason that a text has none of: the call of a tool, or one that is not known here.
    Strange,
}

/// An event that is no part of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The service says in the middle of its answer that it is busy.
    RateLimited,
    /// It says that it failed.
    Failing,
    NotUnderstood,
}

/// Returns the headers of a request beside those of every protocol.
pub(crate) fn headers(kind: Kind, key: Option<&str>) -> Vec<(&'static str, String)> {
    match kind {
        Kind::OpenAi => openai::headers(key),
        Kind::Anthropic => anthropic::headers(key),
    }
}

/// Returns the body of a request.
pub(crate) fn body(model: &Model, prompt: &Prompt<'_>) -> Vec<u8> {
    match model.kind {
        Kind::OpenAi => openai::body(model, prompt),
        Kind::Anthropic => anthropic::body(model, prompt),
    }
}

/// Reads the data of one event.
pub(crate) fn read(kind: Kind, data: &str) -> Result<Said, Trouble> {
    match kind {
        Kind::OpenAi => openai::read(data),
        Kind::Anthropic => anthropic::read(data),
    }
}
