//! Answers written by a language model: a prompt to text, or a reason why there is none.
//!
//! A [`Provider`] is the model that [`ProviderSettings`] name, behind a service that speaks the protocol of OpenAI or of
//! Anthropic. [`Provider::complete`] asks it once, and once more where that may help; it ends before its deadline, reads no
//! more than an answer may be long, and spends no more than its [`Budget`]. What comes of it is a [`Completion`] or a
//! [`Failure`], and every failure is a line that may be shown.
//!
//! The crate knows nothing of repositories and of what a good answer is: who asks writes the prompt, and judges the text.
//! Keys are read when a provider is opened; nothing that is logged or returned holds them, and neither prompts nor answers
//! are logged.

mod settings;

mod provider;

mod attempt;

mod protocol;

mod completion;

mod failure;

mod budget;

pub use budget::{Budget, Reservation};
pub use completion::{Completion, Ending, Prompt, Usage};
pub use failure::{Failure, Limit};
pub use provider::{MAX_CONCURRENT, Provider};
pub use settings::{Kind, ProviderError, ProviderSettings};
