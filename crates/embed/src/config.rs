//! Model configuration.
//!
//! ```toml
//! model = "built-in"
//! model = { directory = "/models/potion" }
//! model = { url = "http://localhost:8080/v1", name = "bge-small", dimensions = 384, key_env = "KEY", requests_per_second = 5 }
//! ```

use std::{fmt, path::PathBuf};

use serde::{
    Deserialize, Deserializer,
    de::{self, MapAccess, Visitor, value::MapAccessDeserializer},
};
use ureq::http::Uri;

use crate::EmbedError;

/// Maximum number of dimensions: more than any model has, and few enough for exact sums of products.
pub(crate) const MAX_DIMS: usize = 16_384;

/// Default request rate: considerate of a shared service, and no limit for a slow one.
const REQUESTS_PER_SECOND: f64 = 10.0;

/// Bounds of the request rate: one request in a quarter of an hour, and more than a connection carries.
const RATE_BOUNDS: std::ops::RangeInclusive<f64> = 0.001..=10_000.0;

/// The configured model.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum ModelConfig {
    /// The table in the binary.
    #[default]
    BuiltIn,
    /// A directory in model2vec's layout.
    Local(PathBuf),
    /// A service with OpenAI's embeddings API.
    Endpoint(EndpointConfig),
}

/// A model behind OpenAI's embeddings API.
#[derive(Debug, Clone, PartialEq)]
pub struct EndpointConfig {
    /// Base URL, to which `/embeddings` is appended.
    pub url: String,
    /// Name of the model at the service.
    pub name: String,
    /// Number of dimensions of the vectors. It is configured so that it is known while the service is unavailable.
    pub n_dims: usize,
    /// Source of the API key.
    pub key: KeySource,
    /// Maximum request rate.
    pub requests_per_second: f64,
}

/// Source of an API key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// No key.
    None,
    /// An environment variable.
    Environment(String),
    /// A file.
    File(PathBuf),
}

impl KeySource {
    /// Returns the API key. It must not be logged or shown.
    pub(crate) fn read(&self) -> Result<Option<String>, EmbedError> {
        let (key, source) = match self {
            KeySource::None => return Ok(None),
            // It may be a key in the wrong place, which the message must not repeat.
            KeySource::Environment(name) if name.contains(|c: char| !c.is_ascii_alphanumeric() && c != '_') => {
                let reason = "`key_env` is no name of an environment variable: give the name, and the key as its value";
                return Err(EmbedError::Misconfigured(reason.to_owned()));
            }
            KeySource::Environment(name) => {
                (std::env::var(name).map_err(|error| error.to_string()), format!("the environment variable `{name}`"))
            }
            KeySource::File(path) => (
                files::read_text(path, files::MAX_SETTINGS_BYTES).map_err(|error| error.to_string()),
                format!("the file `{}`", path.display()),
            ),
        };
        match key.as_deref().map(str::trim) {
            Ok("") => Err(EmbedError::Misconfigured(format!("the API key in {source} is empty"))),
            Ok(key) => Ok(Some(key.to_owned())),
            Err(error) => Err(EmbedError::Misconfigured(format!("the API key cannot be read from {source}: {error}"))),
        }
    }
}

/// A model table as written in the configuration.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelTable {
    directory: Option<PathBuf>,
    url: Option<String>,
    name: Option<String>,
    dimensions: Option<usize>,
    key_env: Option<String>,
    key_file: Option<PathBuf>,
    requests_per_second: Option<f64>,
}

impl<'de> Deserialize<'de> for ModelConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ModelConfig, D::Error> {
        deserializer.deserialize_any(NameOrTable)
    }
}

struct NameOrTable;

impl<'de> Visitor<'de> for NameOrTable {
    type Value = ModelConfig;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`\"built-in\"`, `{ directory = ... }`, or `{ url = ..., name = ..., dimensions = ... }`")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<ModelConfig, E> {
        match name {
            "built-in" => Ok(ModelConfig::BuiltIn),
            _ => Err(E::invalid_value(de::Unexpected::Str(name), &self)),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<ModelConfig, A::Error> {
        ModelTable::deserialize(MapAccessDeserializer::new(table))?.validated().map_err(de::Error::custom)
    }
}

impl ModelTable {
    fn validated(self) -> Result<ModelConfig, String> {
        match (self.directory, self.url) {
            (Some(_), Some(_)) => Err("set `directory` or `url` of the model, not both".to_owned()),
            (None, None) => Err("a model needs a `directory`, or a `url`, a `name` and `dimensions`".to_owned()),
            (Some(directory), None) => {
                let endpoint_keys = [
                    ("name", self.name.is_some()),
                    ("dimensions", self.dimensions.is_some()),
                    ("key_env", self.key_env.is_some()),
                    ("key_file", self.key_file.is_some()),
                    ("requests_per_second", self.requests_per_second.is_some()),
                ];
                match endpoint_keys.iter().find(|(_, is_set)| *is_set) {
                    Some((field, _)) => {
                        Err(format!("`{field}` is a key of models with a `url`, not of models with a `directory`"))
                    }
                    None => Ok(ModelConfig::Local(directory)),
                }
            }
            (None, Some(url)) => {
                let key = match (self.key_env, self.key_file) {
                    (Some(_), Some(_)) => return Err("set `key_env` or `key_file`, not both".to_owned()),
                    (Some(name), None) => KeySource::Environment(name),
                    (None, Some(path)) => KeySource::File(path),
                    (None, None) => KeySource::None,
                };
                let name = self.name.filter(|name| !name.trim().is_empty());
                Ok(ModelConfig::Endpoint(EndpointConfig {
                    url: validated_url(&url)?,
                    name: name.ok_or("a model with a `url` needs a `name`: its name at the service")?,
                    n_dims: validated_dims(self.dimensions)?,
                    key,
                    requests_per_second: validated_rate(self.requests_per_second.unwrap_or(REQUESTS_PER_SECOND))?,
                }))
            }
        }
    }
}

fn validated_url(url: &str) -> Result<String, String> {
    let parsed: Uri = url.parse().map_err(|error| format!("`url` is not a URL: {error}"))?;
    if !matches!(parsed.scheme_str(), Some("http" | "https")) || parsed.host().is_none_or(str::is_empty) {
        return Err(
            "`url` must begin with `http://` or `https://` and a host, as in `http://localhost:8080/v1`".to_owned()
        );
    }
    if parsed.authority().is_some_and(|authority| authority.as_str().contains('@')) {
        return Err("`url` must not contain credentials: use `key_env` or `key_file`".to_owned());
    }
    if parsed.query().is_some() {
        return Err("`url` must not have a query: `/embeddings` is appended to it".to_owned());
    }
    Ok(url.trim_end_matches('/').trim_end_matches("/embeddings").to_owned())
}

fn validated_dims(n_dims: Option<usize>) -> Result<usize, String> {
    match n_dims {
        None => Err("a model with a `url` needs `dimensions`: the number of dimensions of its vectors".to_owned()),
        Some(n_dims) if (1..=MAX_DIMS).contains(&n_dims) => Ok(n_dims),
        Some(n_dims) => Err(format!("`dimensions` is {n_dims}; it must be between 1 and {MAX_DIMS}")),
    }
}

fn validated_rate(requests_per_second: f64) -> Result<f64, String> {
    if RATE_BOUNDS.contains(&requests_per_second) {
        return Ok(requests_per_second);
    }
    let (min, max) = (RATE_BOUNDS.start(), RATE_BOUNDS.end());
    Err(format!("`requests_per_second` is {requests_per_second}; it must be between {min} and {max}"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[derive(Deserialize)]
    struct Section {
        model: ModelConfig,
    }

    fn read(model: &str) -> Result<ModelConfig, String> {
        let section = toml::from_str::<Section>(&format!("model = {model}"));
        section.map(|section| section.model).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn models_are_parsed() {
        assert_eq!(read("'built-in'"), Ok(ModelConfig::BuiltIn));
        assert_eq!(read("{ directory = '/models/a' }"), Ok(ModelConfig::Local("/models/a".into())));
        let endpoint = EndpointConfig {
            url: "https://models.example/v1".to_owned(),
            name: "small".to_owned(),
            n_dims: 384,
            key: KeySource::None,
            requests_per_second: REQUESTS_PER_SECOND,
        };
        let table = "{ url = 'https://models.example/v1/', name = 'small', dimensions = 384 }";
        assert_eq!(read(table), Ok(ModelConfig::Endpoint(endpoint.clone())));
        let table = "{ url = 'https://models.example/v1/embeddings', name = 'small', dimensions = 384, key_env = 'KEY', \
                     requests_per_second = 0.5 }";
        let key = KeySource::Environment("KEY".to_owned());
        assert_eq!(
            read(table),
            Ok(ModelConfig::Endpoint(EndpointConfig { key, requests_per_second: 0.5, ..endpoint }))
        );
    }

    #[test]
    fn invalid_configurations_are_explained() {
        let endpoint = |rest: &str| format!("{{ url = 'http://host/v1', name = 'a', {rest} }}");
        let cases = [
            ("'minilm'", "invalid value: string \"minilm\""),
            ("3", "invalid type: integer `3`"),
            ("{}", "needs a `directory`, or a `url`"),
            ("{ path = '/a' }", "unknown field `path`"),
            ("{ directory = '/a', url = 'http://host' }", "not both"),
            ("{ directory = '/a', key_env = 'KEY' }", "`key_env` is a key of models with a `url`"),
            ("{ url = 'host/v1', name = 'a', dimensions = 3 }", "`url` "),
            ("{ url = 'ftp://host', name = 'a', dimensions = 3 }", "must begin with `http://`"),
            ("{ url = 'http://me:key@host', name = 'a', dimensions = 3 }", "must not contain credentials"),
            ("{ url = 'http://host?a=b', name = 'a', dimensions = 3 }", "must not have a query"),
            ("{ url = 'http://host', dimensions = 3 }", "needs a `name`"),
            ("{ url = 'http://host', name = ' ', dimensions = 3 }", "needs a `name`"),
            (&endpoint(""), "needs `dimensions`"),
            (&endpoint("dimensions = 0"), "between 1 and 16384"),
            (&endpoint("dimensions = 3, key_env = 'A', key_file = 'b'"), "not both"),
            (&endpoint("dimensions = 3, requests_per_second = 0"), "`requests_per_second` is 0"),
            (&endpoint("dimensions = 3, requests_per_second = nan"), "`requests_per_second` is NaN"),
        ];
        for (model, expected) in cases {
            let error = read(model).expect_err(model);
            assert!(error.contains(expected), "{model}: {error}");
        }
    }

    #[test]
    fn keys_are_read_and_errors_name_the_source() {
        let dir = tempfile::tempdir().expect("a directory");
        let (full, empty) = (dir.path().join("full"), dir.path().join("empty"));
        fs::write(&full, "secret\n").expect("a file");
        fs::write(&empty, "\n").expect("a file");
        assert_eq!(KeySource::None.read().expect("no key"), None);
        assert_eq!(KeySource::File(full).read().expect("a key"), Some("secret".to_owned()));
        let missing = [
            (KeySource::File(empty), "is empty"),
            (KeySource::File(dir.path().join("none")), "cannot be read from the file"),
            (KeySource::Environment("CAUSEWAY_NO_SUCH_KEY".to_owned()), "`CAUSEWAY_NO_SUCH_KEY`"),
        ];
        for (source, expected) in missing {
            let error = source.read().expect_err(expected).to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
