//! Completions by a language model: a prompt to text, or to a reason why there is none.
//!
//! A [`Provider`] is the model of [`ProviderSettings`], behind a service with the protocol of OpenAI or Anthropic.
//! [`Provider::complete`] sends the prompt, with one retry after a transient failure. It respects its deadline, limits
//! the length of the response, and stays within its [`Budget`]. It returns a [`Completion`] or a [`CompletionFailure`], whose
//! message can be shown to users.
//!
//! The crate knows nothing of repositories, nor what a good answer is: the caller writes the prompt and judges the
//! text. Keys are read when a provider is opened. No log message or return value contains a key, a prompt or a
//! completion.
//!
//! ```
//! use provider::{CompletionFailure, Limit, Prompt, Provider, ProviderSettings};
//!
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! let settings = "kind = 'openai'\nmodel = 'm'\nmax_output_tokens = 10\ntokens_per_answer = 50";
//! let settings: ProviderSettings = toml::from_str(settings).unwrap();
//! let provider = Provider::open(&settings).unwrap();
//! let user = "where are requests retried? ".repeat(100);
//! let prompt = Prompt { system: "Answer from the code.", user: &user };
//! let deadline = tokio::time::Instant::now() + std::time::Duration::from_secs(5);
//! let completion = provider.complete(&prompt, deadline, &mut |piece| print!("{piece}")).await;
//! assert_eq!(completion, Err(CompletionFailure::OverBudget(Limit::Answer)));
//! # });
//! ```

#![warn(missing_docs)]

mod settings;

mod provider;

mod service;

mod completion_stream;

mod protocol;

mod completion;

mod failure;

mod budget;

pub use budget::{Budget, TokenReservation};
pub use completion::{Completion, Ending, Prompt, Usage};
pub use failure::{CompletionFailure, Limit};
pub use provider::{MAX_CONCURRENT, Provider};
pub use settings::{ModelProtocol, ProviderError, ProviderSettings};
