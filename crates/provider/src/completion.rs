//! A prompt and its completion.

/// The input of a model.
#[derive(Debug, Clone, Copy)]
pub struct Prompt<'a> {
    /// The task.
    pub system: &'a str,
    /// The question, with all context for it.
    pub user: &'a str,
}

/// The output of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// The text.
    pub text: String,
    /// The reason why the text ended.
    pub ending: Ending,
    /// The token usage.
    pub usage: Usage,
}

/// Reason why a text ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The model finished.
    Whole,
    /// `max_output_tokens` or the model's context window was reached. The text may be empty.
    CutAtLimit,
    /// The model or a filter of the service declined. The text has the part before that.
    Refused,
}

/// Token usage of a completion as counted by the service, or estimated where it gives no counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Tokens of the prompt.
    pub input_tokens: u64,
    /// Tokens of the completion.
    pub output_tokens: u64,
}

impl Usage {
    /// Returns the sum of both.
    pub fn total(self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}
