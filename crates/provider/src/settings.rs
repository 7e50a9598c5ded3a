//! Settings of the model: protocol, endpoint, key, timeouts and token budgets.
//!
//! ```toml
//! [answers.provider]
//! kind = "openai"
//! url = "http://localhost:11434/v1"
//! model = "qwen2.5-coder:14b"
//! ```

use std::path::PathBuf;

use reqwest::Url;
use serde::Deserialize;

/// Default timeout: about as long as a person waits for a page.
const TIMEOUT_SECONDS: u64 = 30;

/// Maximum timeout: an hour.
const MAX_TIMEOUT_SECONDS: u64 = 3_600;

/// Default maximum length of a completion: some 500 words.
const MAX_OUTPUT_TOKENS: u64 = 700;

/// Default token budget of an answer: a prompt has some 6,000 tokens, and there is at most one retry.
const TOKENS_PER_ANSWER: u64 = 12_000;

/// Default token budget of a day: some 250 answers.
const TOKENS_PER_DAY: u64 = 2_000_000;

/// Upper bound of token settings, beyond the context window of any model.
const MAX_TOKENS: u64 = 10_000_000;

/// The model, its service, and its limits.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderSettings {
    /// Protocol of the service.
    pub kind: ModelProtocol,
    /// Base URL, to which `/chat/completions` or `/messages` is appended. The default is that of the protocol's vendor.
    pub url: Option<String>,
    /// Name of the model at the service.
    pub model: String,
    /// Environment variable with the API key.
    pub key_env: Option<String>,
    /// File with the API key.
    pub key_file: Option<PathBuf>,
    /// Timeout of an answer in seconds.
    #[serde(default = "timeout_seconds")]
    pub timeout_seconds: u64,
    /// Maximum length of a completion in tokens.
    #[serde(default = "max_output_tokens")]
    pub max_output_tokens: u64,
    /// Maximum tokens of a prompt and its completion, estimated before the request.
    #[serde(default = "tokens_per_answer")]
    pub tokens_per_answer: u64,
    /// Maximum tokens per UTC day; 0 means no limit.
    #[serde(default = "tokens_per_day")]
    pub tokens_per_day: u64,
}

/// Protocol of a model's service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelProtocol {
    /// Chat completions, as of OpenAI, vLLM, Ollama, LM Studio and many others.
    OpenAi,
    /// Anthropic's Messages API.
    Anthropic,
}

/// Invalid settings; the message names the key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ProviderError(pub(crate) String);

impl ProviderSettings {
    /// Returns the base URL without a trailing slash.
    pub(crate) fn base_url(&self) -> Result<Url, ProviderError> {
        let reject = |reason: &str| Err(ProviderError(format!("`url` {reason}")));
        let configured = self.url.as_deref().unwrap_or(self.kind.default_url());
        let base = configured.trim_end_matches('/').trim_end_matches(self.kind.path());
        let url: Url = match base.parse() {
            Ok(url) => url,
            Err(error) => return reject(&format!("is not a URL: {error}")),
        };
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return reject("must begin with `http://` or `https://` and a host, as in `http://localhost:11434/v1`");
        }
        if !url.username().is_empty() || url.password().is_some() {
            return reject("must not contain credentials: use `key_env` or `key_file`");
        }
        if url.query().is_some() || url.fragment().is_some() {
            return reject(&format!("must end in a path: `{}` is appended to it", self.kind.path()));
        }
        Ok(url)
    }

    /// Returns the API key. It must not be logged or shown.
    pub(crate) fn read_key(&self) -> Result<Option<String>, ProviderError> {
        let (key, source) = match (&self.key_env, &self.key_file) {
            (None, None) => return Ok(None),
            (Some(_), Some(_)) => {
                return Err(ProviderError("set `key_env` or `key_file`, not both".to_owned()));
            }
            // It may be a key in the wrong place, which the message must not repeat.
            (Some(name), None) if name.contains(|c: char| !c.is_ascii_alphanumeric() && c != '_') => {
                return Err(ProviderError(
                    "`key_env` is no name of an environment variable: give the name, and the key as its value"
                        .to_owned(),
                ));
            }
            (Some(name), None) => {
                (std::env::var(name).map_err(|error| error.to_string()), format!("the environment variable `{name}`"))
            }
            (None, Some(path)) => (
                files::read_text(path, files::MAX_SETTINGS_BYTES).map_err(|error| error.to_string()),
                format!("the file `{}`", path.display()),
            ),
        };
        match key.as_deref().map(str::trim) {
            Ok("") => Err(ProviderError(format!("the API key in {source} is empty"))),
            Ok(key) if !key.chars().all(|c| c.is_ascii_graphic()) => {
                Err(ProviderError(format!("the API key in {source} is not one word of printable ASCII characters")))
            }
            Ok(key) => Ok(Some(key.to_owned())),
            Err(error) => Err(ProviderError(format!("the API key cannot be read from {source}: {error}"))),
        }
    }

    /// Validates names and numbers.
    pub(crate) fn check(&self) -> Result<(), ProviderError> {
        if self.model.trim().is_empty() || self.model.chars().any(char::is_control) {
            return Err(ProviderError("`model` must be the name of the model at the service".to_owned()));
        }
        let between = |name: &str, value: u64, min: u64, max: u64| match value {
            value if (min..=max).contains(&value) => Ok(()),
            value => Err(ProviderError(format!("`{name}` is {value}; it must be between {min} and {max}"))),
        };
        between("timeout_seconds", self.timeout_seconds, 1, MAX_TIMEOUT_SECONDS)?;
        between("max_output_tokens", self.max_output_tokens, 1, MAX_TOKENS)?;
        between("tokens_per_answer", self.tokens_per_answer, self.max_output_tokens.saturating_add(1), MAX_TOKENS)?;
        if self.tokens_per_day > 0 && self.tokens_per_day < self.tokens_per_answer {
            return Err(ProviderError("`tokens_per_day` is below `tokens_per_answer`".to_owned()));
        }
        Ok(())
    }
}

impl ModelProtocol {
    /// Returns the name in settings and ids.
    pub fn name(self) -> &'static str {
        match self {
            ModelProtocol::OpenAi => "openai",
            ModelProtocol::Anthropic => "anthropic",
        }
    }

    /// Returns the path that is appended to the base URL.
    pub(crate) fn path(self) -> &'static str {
        match self {
            ModelProtocol::OpenAi => "/chat/completions",
            ModelProtocol::Anthropic => "/messages",
        }
    }

    fn default_url(self) -> &'static str {
        match self {
            ModelProtocol::OpenAi => "https://api.openai.com/v1",
            ModelProtocol::Anthropic => "https://api.anthropic.com/v1",
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
    use std::fs;

    use super::*;
    use crate::Provider;

    fn parse(toml: &str) -> Result<ProviderSettings, String> {
        toml::from_str(toml).map_err(|error: toml::de::Error| error.message().to_owned())
    }

    fn refused(toml: &str) -> String {
        match parse(toml).and_then(|settings| Provider::open(&settings).map_err(|error| error.to_string())) {
            Ok(provider) => panic!("{toml} gives {provider:?}"),
            Err(error) => error,
        }
    }

    #[test]
    fn defaults_apply() {
        let settings = parse("kind = 'anthropic'\nmodel = 'm'").unwrap();
        let numbers = (settings.timeout_seconds, settings.max_output_tokens, settings.tokens_per_answer);
        assert_eq!((numbers, settings.tokens_per_day), ((30, 700, 12_000), 2_000_000));
        assert_eq!(Provider::open(&settings).unwrap().id(), "anthropic:m");
    }

    #[test]
    fn urls_are_normalised() {
        for (kind, url, expected) in [
            ("openai", "", "https://api.openai.com/v1"),
            ("anthropic", "", "https://api.anthropic.com/v1"),
            ("openai", "http://localhost:11434/v1/", "http://localhost:11434/v1"),
            ("openai", "http://localhost:1234/v1/chat/completions", "http://localhost:1234/v1"),
            ("anthropic", "https://models.example/v1/messages/", "https://models.example/v1"),
        ] {
            let url = if url.is_empty() { String::new() } else { format!("url = '{url}'") };
            let settings = parse(&format!("kind = '{kind}'\nmodel = 'm'\n{url}")).unwrap();
            assert_eq!(settings.base_url().unwrap().as_str(), expected);
        }
    }

    #[test]
    fn invalid_settings_are_explained() {
        let openai = |rest: &str| format!("kind = 'openai'\nmodel = 'm'\n{rest}");
        for (toml, expected) in [
            ("model = 'm'".to_owned(), "missing field `kind`"),
            ("kind = 'openai'".to_owned(), "missing field `model`"),
            ("kind = 'other'\nmodel = 'm'".to_owned(), "unknown variant `other`, expected `openai` or `anthropic`"),
            ("kind = 'openai'\nmodel = ' '".to_owned(), "`model` must be the name"),
            (openai("key = 'secret'"), "unknown field `key`"),
            (openai("url = 'host/v1'"), "`url` is not a URL"),
            (openai("url = 'ftp://host'"), "must begin with `http://`"),
            (openai("url = 'http://me:secret@host'"), "must not contain credentials"),
            (openai("url = 'http://host?a=b'"), "must end in a path"),
            (openai("key_env = 'A'\nkey_file = 'b'"), "not both"),
            (openai("key_env = 'CAUSEWAY_NO_SUCH_KEY'"), "the environment variable `CAUSEWAY_NO_SUCH_KEY`"),
            (openai("key_env = 'sk-proj-a1b2c3'"), "`key_env` is no name of an environment variable: give"),
            (openai("key_file = '/no/such/key'"), "the file `/no/such/key`"),
            (openai("timeout_seconds = 0"), "`timeout_seconds` is 0"),
            (openai("max_output_tokens = 0"), "`max_output_tokens` is 0"),
            (openai("tokens_per_answer = 700"), "`tokens_per_answer` is 700; it must be between 701"),
            (openai("tokens_per_day = 5000"), "is below `tokens_per_answer`"),
        ] {
            let error = refused(&toml);
            assert!(error.contains(expected), "{toml}: {error}");
            assert!(!error.contains("secret") || toml.contains("key = "), "{error}");
        }
    }

    #[test]
    fn keys_are_read_and_not_shown() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        let settings = parse(&format!("kind = 'openai'\nmodel = 'm'\nkey_file = '{}'", file.display())).unwrap();
        fs::write(&file, "sk-hidden\n").unwrap();
        assert_eq!(settings.read_key().unwrap().as_deref(), Some("sk-hidden"));
        assert!(!format!("{:?}", Provider::open(&settings).unwrap()).contains("sk-hidden"));
        for (content, expected) in [("\n", "is empty"), ("sk-hidden\nsk-other", "is not one word")] {
            fs::write(&file, content).unwrap();
            let error = settings.read_key().unwrap_err().to_string();
            assert!(error.contains(expected) && !error.contains("sk-"), "{error}");
        }
    }
}
