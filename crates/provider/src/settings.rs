//! Which model answers, and what it may cost, as a configuration says it.
//!
//! ```toml
//! [answers.provider]
//! kind = "openai"
//! url = "http://localhost:11434/v1"
//! model = "qwen2.5-coder:14b"
//! ```

use std::{fs, path::PathBuf};

use reqwest::Url;
use serde::Deserialize;

/// How long an answer may take unless it is configured: about what a person waits for a page.
const TIMEOUT_SECONDS: u64 = 30;

/// The longest that may be configured: an hour.
const MAX_TIMEOUT_SECONDS: u64 = 3_600;

/// Tokens that a model may write unless it is configured: some 500 words.
const MAX_OUTPUT_TOKENS: u64 = 700;

/// Tokens of one question and its answer unless it is configured: an answer is made from some 6,000 tokens, and asked for
/// again at most once.
const TOKENS_PER_ANSWER: u64 = 12_000;

/// Tokens of a day unless it is configured: some 250 answers.
const TOKENS_PER_DAY: u64 = 2_000_000;

/// More tokens than any model writes or reads at once.
const MAX_TOKENS: u64 = 10_000_000;

/// A model, the service behind which it is, and what it may cost.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderSettings {
    pub kind: Kind,
    /// What `/chat/completions` or `/messages` is appended to. Left out, that of the company that made the protocol.
    pub url: Option<String>,
    /// The name that the service knows the model by.
    pub model: String,
    /// The environment variable that holds the key.
    pub key_env: Option<String>,
    /// The file that holds the key.
    pub key_file: Option<PathBuf>,
    #[serde(default = "timeout_seconds")]
    pub timeout_seconds: u64,
    #[serde(default = "max_output_tokens")]
    pub max_output_tokens: u64,
    /// Tokens of one question with its answer, estimated before it is sent.
    #[serde(default = "tokens_per_answer")]
    pub tokens_per_answer: u64,
    /// Tokens of one day in UTC; 0 for no limit.
    #[serde(default = "tokens_per_day")]
    pub tokens_per_day: u64,
}

/// The protocol that a service speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Chat completions, as OpenAI, vLLM, Ollama, LM Studio and many others have them.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
}

/// Settings that no provider can be made of.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ProviderError(pub(crate) String);

impl ProviderSettings {
    /// Returns what paths are appended to, without a slash at its end.
    pub(crate) fn base_url(&self) -> Result<Url, ProviderError> {
        let refuse = |reason: &str| Err(ProviderError(format!("`url` {reason}")));
        let given = self.url.as_deref().unwrap_or(self.kind.default_url());
        let base = given.trim_end_matches('/').trim_end_matches(self.kind.path());
        let url: Url = match base.parse() {
            Ok(url) => url,
            Err(error) => return refuse(&format!("is not one: {error}")),
        };
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return refuse("begins with `http://` or `https://` and a host, as in `http://localhost:11434/v1`");
        }
        if !url.username().is_empty() || url.password().is_some() {
            return refuse("must not hold a key: name where the key is by `key_env` or `key_file`");
        }
        if url.query().is_some() || url.fragment().is_some() {
            return refuse(&format!("must end in a path: `{}` is appended to it", self.kind.path()));
        }
        Ok(url)
    }

    /// Returns the key, to be sent and never to be shown.
    pub(crate) fn read_key(&self) -> Result<Option<String>, ProviderError> {
        let (key, place) = match (&self.key_env, &self.key_file) {
            (None, None) => return Ok(None),
            (Some(_), Some(_)) => {
                return Err(ProviderError("a key comes from `key_env` or `key_file`, not both".to_owned()));
            }
            (Some(name), None) => {
                (std::env::var(name).map_err(|error| error.to_string()), format!("the environment variable `{name}`"))
            }
            (None, Some(path)) => {
                (fs::read_to_string(path).map_err(|error| error.to_string()), format!("the file `{}`", path.display()))
            }
        };
        match key.as_deref().map(str::trim) {
            Ok("") => Err(ProviderError(format!("{place}, which should hold the key of the model, is empty"))),
            Ok(key) if !key.chars().all(|c| c.is_ascii_graphic()) => {
                Err(ProviderError(format!("{place} holds more than a key: one word without special characters")))
            }
            Ok(key) => Ok(Some(key.to_owned())),
            Err(error) => {
                Err(ProviderError(format!("{place}, which should hold the key of the model, gives none: {error}")))
            }
        }
    }

    /// Says what does not make sense in names and numbers.
    pub(crate) fn check(&self) -> Result<(), ProviderError> {
        if self.model.trim().is_empty() || self.model.chars().any(char::is_control) {
            return Err(ProviderError("`model` is the name that the service knows the model by".to_owned()));
        }
        let between = |name: &str, value: u64, least: u64, most: u64| match value {
            value if (least..=most).contains(&value) => Ok(()),
            value => Err(ProviderError(format!("`{name}` is {value}; it is between {least} and {most}"))),
        };
        between("timeout_seconds", self.timeout_seconds, 1, MAX_TIMEOUT_SECONDS)?;
        between("max_output_tokens", self.max_output_tokens, 1, MAX_TOKENS)?;
        between("tokens_per_answer", self.tokens_per_answer, self.max_output_tokens.saturating_add(1), MAX_TOKENS)?;
        if self.tokens_per_day > 0 && self.tokens_per_day < self.tokens_per_answer {
            return Err(ProviderError("`tokens_per_day` does not hold one answer of `tokens_per_answer`".to_owned()));
        }
        Ok(())
    }
}

impl Kind {
    /// Returns how settings and ids call it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::OpenAi => "openai",
            Kind::Anthropic => "anthropic",
        }
    }

    /// Returns what is appended to the address of a service.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Kind::OpenAi => "/chat/completions",
            Kind::Anthropic => "/messages",
        }
    }

    fn default_url(self) -> &'static str {
        match self {
            Kind::OpenAi => "https://api.openai.com/v1",
            Kind::Anthropic => "https://api.anthropic.com/v1",
        }
    }
}

fn timeout_seconds() -> u64 {
    TIMEOUT_SECONDS
}

fn max_output_tokens() -> u64 {
    MAX_OUTPUT_TOKENS
}

fn tokens_per_answer() -> u64 {
    TOKENS_PER_ANSWER
}

fn tokens_per_day() -> u64 {
    TOKENS_PER_DAY
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Provider;

    fn read(toml: &str) -> Result<ProviderSettings, String> {
        toml::from_str(toml).map_err(|error: toml::de::Error| error.message().to_owned())
    }

    fn refused(toml: &str) -> String {
        match read(toml).and_then(|settings| Provider::open(&settings).map_err(|error| error.to_string())) {
            Ok(provider) => panic!("{toml} gives {provider:?}"),
            Err(error) => error,
        }
    }

    #[test]
    fn little_has_to_be_said() {
        let settings = read("kind = 'anthropic'\nmodel = 'm'").unwrap();
        let numbers = (settings.timeout_seconds, settings.max_output_tokens, settings.tokens_per_answer);
        assert_eq!((numbers, settings.tokens_per_day), ((30, 700, 12_000), 2_000_000));
        assert_eq!(Provider::open(&settings).unwrap().id(), "anthropic:m");
    }

    #[test]
    fn addresses_lead_to_one_place() {
        for (kind, url, expected) in [
            ("openai", "", "https://api.openai.com/v1"),
            ("anthropic", "", "https://api.anthropic.com/v1"),
            ("openai", "http://localhost:11434/v1/", "http://localhost:11434/v1"),
            ("openai", "http://localhost:1234/v1/chat/completions", "http://localhost:1234/v1"),
            ("anthropic", "https://models.example/v1/messages/", "https://models.example/v1"),
        ] {
            let url = if url.is_empty() { String::new() } else { format!("url = '{url}'") };
            let settings = read(&format!("kind = '{kind}'\nmodel = 'm'\n{url}")).unwrap();
            assert_eq!(settings.base_url().unwrap().as_str(), expected);
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let openai = |rest: &str| format!("kind = 'openai'\nmodel = 'm'\n{rest}");
        for (toml, expected) in [
            ("model = 'm'".to_owned(), "missing field `kind`"),
            ("kind = 'openai'".to_owned(), "missing field `model`"),
            ("kind = 'other'\nmodel = 'm'".to_owned(), "unknown variant `other`, expected `openai` or `anthropic`"),
            ("kind = 'openai'\nmodel = ' '".to_owned(), "`model` is the name"),
            (openai("key = 'secret'"), "unknown field `key`"),
            (openai("url = 'host/v1'"), "`url` is not one"),
            (openai("url = 'ftp://host'"), "begins with `http://`"),
            (openai("url = 'http://me:secret@host'"), "must not hold a key"),
            (openai("url = 'http://host?a=b'"), "must end in a path"),
            (openai("key_env = 'A'\nkey_file = 'b'"), "not both"),
            (openai("key_env = 'CAUSEWAY_NO_SUCH_KEY'"), "the environment variable `CAUSEWAY_NO_SUCH_KEY`"),
            (openai("key_file = '/no/such/key'"), "the file `/no/such/key`"),
            (openai("timeout_seconds = 0"), "`timeout_seconds` is 0"),
            (openai("max_output_tokens = 0"), "`max_output_tokens` is 0"),
            (openai("tokens_per_answer = 700"), "`tokens_per_answer` is 700; it is between 701"),
            (openai("tokens_per_day = 5000"), "does not hold one answer"),
        ] {
            let error = refused(&toml);
            assert!(error.contains(expected), "{toml}: {error}");
            assert!(!error.contains("secret") || toml.contains("key = "), "{error}");
        }
    }

    #[test]
    fn keys_are_read_and_never_shown() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        let settings = read(&format!("kind = 'openai'\nmodel = 'm'\nkey_file = '{}'", file.display())).unwrap();
        fs::write(&file, "sk-hidden\n").unwrap();
        assert_eq!(settings.read_key().unwrap().as_deref(), Some("sk-hidden"));
        assert!(!format!("{:?}", Provider::open(&settings).unwrap()).contains("sk-hidden"));
        for (content, expected) in [("\n", "is empty"), ("sk-hidden\nsk-other", "holds more than a key")] {
            fs::write(&file, content).unwrap();
            let error = settings.read_key().unwrap_err().to_string();
            assert!(error.contains(expected) && !error.contains("sk-"), "{error}");
        }
    }
}
