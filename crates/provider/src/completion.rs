//! What is asked, and what comes back.

/// What a model is asked: what it is to do, and the question with all that it may use.
#[derive(Debug, Clone, Copy)]
pub struct Prompt<'a> {
    pub system: &'a str,
    pub user: &'a str,
}

/// What a model wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    pub text: String,
    pub ending: Ending,
    pub usage: Usage,
}

/// How a text ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The model had said everything.
    Whole,
    /// `max_output_tokens`, or what the model can take, was reached; the text may be empty.
    CutAtLimit,
    /// The model or a filter of the service declined; the text is what came until then.
    Refused,
}

/// The tokens that an answer took, as the service counts them; estimated where it does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    pub input_tokens: u64,
    pub output_tokens: u64,
}

impl Usage {
    pub fn total(self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}
