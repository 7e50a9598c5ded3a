//! Configuration: `GatewaySettings` as in the file, and `GatewayConfig` after validation.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use embed::{EmbedError, Embedder, ModelConfig};
use links::rules::{LinkRuleError, LinkRules, LinkRulesSettings};
use proto::grant::GrantKeys;
use provider::{Provider, ProviderError, ProviderSettings};
use runtime::tls::{ClientFiles, TlsClient, TlsError};
use serde::Deserialize;

use crate::{
    access::{Access, AccessError, AccessSettings},
    webhooks::{WebhookSecret, WebhooksSettings},
};
use federation::query_vector;

/// Default listen address, which only this machine can reach.
pub const DEFAULT_LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 7474);

/// Host names of clients on this machine.
const LOOPBACK_HOSTS: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// The keys of the configuration file; all are optional.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GatewaySettings {
    /// Listen address of `/mcp`, `/livez` and `/readyz`.
    pub listen: SocketAddr,
    /// Listen address of `/metrics` and the detailed `/readyz`. Default: they are served at `listen` if callers need no
    /// token, and not at all otherwise.
    pub operators: Option<SocketAddr>,
    /// Addresses of workers, such as `http://worker-0:7475`.
    pub workers: Vec<String>,
    /// Client certificate and certificate authority for connections to workers. Default: no TLS.
    pub worker_tls: Option<ClientFiles>,
    /// File with the key that signs requests to workers; workers need the same key. Default: requests are not signed.
    pub grant_key_file: Option<PathBuf>,
    /// Accepted values of the `Host` header, in addition to loopback names and `listen`.
    pub allowed_hosts: Vec<String>,
    /// Accepted values of the `Origin` header, each with a scheme and a port or `:*`. Requests without the header are
    /// always accepted, since only browsers send it.
    pub allowed_origins: Vec<String>,
    /// Default depth of `get_context` in edges.
    pub context_depth: u8,
    /// Folder of agent tasks, feedback and daily token usage. Each process needs its own. Default: `causeway up` uses
    /// its data folder, and `causeway gateway` keeps this state in memory.
    pub state: Option<PathBuf>,
    /// Drain time in seconds: after a stop request, `/readyz` fails and calls are still answered.
    pub drain_seconds: u8,
    /// Embedding model of queries; workers need the same model.
    pub model: ModelConfig,
    /// Generation of answers.
    pub answers: AnswersSettings,
    /// Authentication and rate limits.
    pub access: AccessSettings,
    /// Push webhooks of code hosts.
    pub webhooks: WebhooksSettings,
    /// Rules about links between repositories.
    pub links: LinkRulesSettings,
    /// The contents that the laptop mode serves of repositories with a work tree.
    pub views: ServedViews,
}

/// The contents that the laptop mode serves of repositories with a work tree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServedViews {
    /// Their files, with uncommitted and untracked ones.
    #[default]
    WorkTree,
    /// Their commits.
    Commit,
}

/// Default depth of `get_context`: users and dependencies of a definition, and theirs.
const DEFAULT_CONTEXT_DEPTH: u8 = 2;

/// Default drain time: longer than the probe interval of load balancers.
const DEFAULT_DRAIN_SECONDS: u8 = 5;

/// The table `[answers]`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AnswersSettings {
    /// Language model that writes answers. Default: answers are extracted from search results.
    pub provider: Option<ProviderSettings>,
}

impl Default for GatewaySettings {
    fn default() -> Self {
        GatewaySettings {
            listen: DEFAULT_LISTEN,
            operators: None,
            workers: Vec::new(),
            worker_tls: None,
            grant_key_file: None,
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            context_depth: DEFAULT_CONTEXT_DEPTH,
            state: None,
            drain_seconds: DEFAULT_DRAIN_SECONDS,
            model: ModelConfig::default(),
            answers: AnswersSettings::default(),
            access: AccessSettings::default(),
            webhooks: WebhooksSettings::default(),
            links: LinkRulesSettings::default(),
            views: ServedViews::default(),
        }
    }
}

impl GatewaySettings {
    /// Reads a configuration file. An unknown key is an error that names the known ones.
    pub fn from_toml(text: &str) -> Result<GatewaySettings, ConfigError> {
        Ok(toml::from_str(text)?)
    }
}

/// Validated settings.
#[derive(Debug, Clone)]
pub struct GatewayConfig {
    listen: SocketAddr,
    operators: Option<SocketAddr>,
    pub(crate) allowed_hosts: Vec<String>,
    pub(crate) allowed_origins: Vec<String>,
    pub(crate) context_depth: u8,
    pub(crate) state: Option<PathBuf>,
    pub(crate) drain: Duration,
    model: ModelConfig,
    pub(crate) embedder: Arc<Embedder>,
    pub(crate) vector_deadline: Duration,
    pub(crate) provider: Option<Provider>,
    worker_tls: Option<TlsClient>,
    pub(crate) grant_keys: Option<Arc<GrantKeys>>,
    pub(crate) access: Access,
    pub(crate) webhooks: Option<WebhookSecret>,
    pub(crate) link_rules: LinkRules,
    views: ServedViews,
}

/// Invalid configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// Not TOML, an unknown key, or a value of the wrong type.
    #[error(transparent)]
    Syntax(#[from] toml::de::Error),
    /// Other machines can reach the gateway without a token.
    #[error(
        "`{listen}` is reachable from other machines, but callers need no token: add an `[[access.token]]` or \
         `[access.oauth]` to the configuration, or listen on {DEFAULT_LISTEN}"
    )]
    OpenToAll {
        /// The configured address, which is no loopback address.
        listen: SocketAddr,
    },
    /// Invalid tokens, or invalid settings of the authorisation server.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// An allowed origin without a scheme.
    #[error("allowed origin `{origin}` has no scheme: write it like `https://app.example.com:443`")]
    Origin {
        /// The entry as configured.
        origin: String,
    },
    /// The embedding model cannot be opened.
    #[error("`model`: {0}")]
    Model(EmbedError),
    /// The file of the webhook secret is unusable; with the reason.
    #[error("`webhooks`: {0}")]
    Webhooks(String),
    /// The language model's settings are invalid.
    #[error("`answers.provider`: {0}")]
    Provider(ProviderError),
    /// The file of grant keys cannot be read or parsed.
    #[error("`grant_key_file` `{}` cannot be used: {reason}", path.display())]
    GrantKeys {
        /// The configured file.
        path: PathBuf,
        /// The error as one line.
        reason: String,
    },
    /// A rule about links is invalid.
    #[error("`[links]`: {0}")]
    Links(LinkRuleError),
    /// A certificate or key file is unusable.
    #[error("`[worker_tls]`: {0}")]
    WorkerTls(TlsError),
}

impl GatewayConfig {
    /// Returns the configuration of a gateway that only this machine can reach.
    pub fn laptop() -> GatewayConfig {
        GatewayConfig::try_from(GatewaySettings::default())
            .expect("the loopback interface needs no token")
            .without_drain()
    }

    /// Disables draining: no load balancer sends calls to a laptop.
    pub fn without_drain(self) -> GatewayConfig {
        GatewayConfig { drain: Duration::ZERO, ..self }
    }

    /// Stores tasks and feedback in `folder`, unless another one is configured.
    pub fn with_default_state(self, folder: PathBuf) -> GatewayConfig {
        GatewayConfig { state: self.state.or(Some(folder)), ..self }
    }

    /// Stores nothing.
    pub fn without_state(self) -> GatewayConfig {
        GatewayConfig { state: None, ..self }
    }

    /// Sets the deadline of embedding a query.
    pub fn with_vector_deadline(self, deadline: Duration) -> GatewayConfig {
        GatewayConfig { vector_deadline: deadline, ..self }
    }

    /// Returns the time for which the gateway still answers after a shutdown signal.
    pub fn drain(&self) -> Duration {
        self.drain
    }

    /// Returns the rules about links between repositories.
    pub fn link_rules(&self) -> &LinkRules {
        &self.link_rules
    }

    /// Returns the contents that the laptop mode serves of repositories with a work tree.
    pub fn views(&self) -> ServedViews {
        self.views
    }

    /// Sets the contents that the laptop mode serves, if there are any.
    pub fn with_views(self, views: Option<ServedViews>) -> GatewayConfig {
        GatewayConfig { views: views.unwrap_or(self.views), ..self }
    }

    /// Returns the embedding model.
    pub fn model(&self) -> &ModelConfig {
        &self.model
    }

    /// Returns the TLS configuration for workers, if any.
    pub fn worker_tls(&self) -> Option<&TlsClient> {
        self.worker_tls.as_ref()
    }

    /// Returns the listen address of operator endpoints, if separate.
    pub fn operators(&self) -> Option<SocketAddr> {
        self.operators
    }

    /// Returns the listen address: a loopback address, unless callers need tokens.
    pub fn listen(&self) -> SocketAddr {
        self.listen
    }
}

impl TryFrom<GatewaySettings> for GatewayConfig {
    type Error = ConfigError;

    fn try_from(settings: GatewaySettings) -> Result<GatewayConfig, ConfigError> {
        let listen = settings.listen;
        let access = Access::new(&settings.access)?;
        if access.is_open() && !listen.ip().is_loopback() {
            return Err(ConfigError::OpenToAll { listen });
        }
        if let Some(origin) = settings.allowed_origins.iter().find(|origin| !origin.contains("://")) {
            return Err(ConfigError::Origin { origin: origin.clone() });
        }
        let own_hosts = LOOPBACK_HOSTS.iter().map(|host| (*host).to_owned()).chain([listen.ip().to_string()]);
        let mut allowed_hosts: Vec<String> = own_hosts.chain(settings.allowed_hosts.iter().cloned()).collect();
        allowed_hosts.sort();
        allowed_hosts.dedup();
        let drain = Duration::from_secs(settings.drain_seconds.into());
        let grant_keys = settings.grant_key_file.as_deref().map(grant_keys).transpose()?;
        let worker_tls =
            settings.worker_tls.as_ref().map(TlsClient::open).transpose().map_err(ConfigError::WorkerTls)?;
        let webhooks = WebhookSecret::read(&settings.webhooks).map_err(ConfigError::Webhooks)?;
        let GatewaySettings { allowed_origins, context_depth, state, model, answers, links, views, .. } = settings;
        let link_rules = LinkRules::new(links).map_err(ConfigError::Links)?;
        let embedder = Arc::new(Embedder::open(&model, None).map_err(ConfigError::Model)?);
        let vector_deadline = query_vector::DEADLINE;
        let provider = answers.provider.as_ref().map(Provider::open).transpose().map_err(ConfigError::Provider)?;
        Ok(GatewayConfig {
            listen,
            operators: settings.operators,
            allowed_hosts,
            allowed_origins,
            context_depth,
            state,
            drain,
            model,
            views,
            embedder,
            vector_deadline,
            provider,
            worker_tls,
            grant_keys,
            access,
            webhooks,
            link_rules,
        })
    }
}

fn grant_keys(path: &Path) -> Result<Arc<GrantKeys>, ConfigError> {
    let unusable = |reason: String| ConfigError::GrantKeys { path: path.to_owned(), reason };
    let text = files::read_text(path, files::MAX_SETTINGS_BYTES).map_err(|error| unusable(error.to_string()))?;
    Ok(Arc::new(GrantKeys::parse(&text).map_err(|error| unusable(error.to_string()))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(toml: &str) -> Result<GatewayConfig, String> {
        GatewaySettings::from_toml(toml).and_then(GatewayConfig::try_from).map_err(|error| error.to_string())
    }

    #[test]
    fn default_configuration_listens_on_loopback() {
        let config = config("").unwrap();
        assert_eq!(config.listen(), DEFAULT_LISTEN);
        assert_eq!(config.allowed_hosts, ["127.0.0.1", "::1", "localhost"]);
    }

    #[test]
    fn rules_of_links_are_validated() {
        let rules = config("[links]\nmade_by = { 'npm:@acme/ui' = 'ui' }\nnever = [['a', 'b']]").unwrap().link_rules;
        assert_eq!(rules.maker_of("npm:@acme/ui"), Some("ui"));
        assert!(!rules.may_link("a", "b"));
        for (text, expected) in [
            ("[links]\nmade_by = { ui = 'ui' }", "`[links]`: `made_by`: `ui` is no package"),
            ("[links]\nnever = [['a', 'a']]", "no pair of repositories"),
            ("[links]\nnever = [['a', 'b', 'c', 'd']]", "[a, b, c, d] is no pair of repositories"),
            ("[links]\nalways = []", "unknown field `always`"),
        ] {
            let error = config(text).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn public_address_requires_authentication() {
        let public = "listen = \"0.0.0.0:7474\"\n";
        assert!(config(public).unwrap_err().contains("[[access.token]]"));
        let token = format!("[[access.token]]\nname = \"ci\"\nsha256 = \"{}\"\nrepositories = [\"*\"]", "0".repeat(64));
        assert!(config(&format!("{public}{token}")).unwrap().allowed_hosts.contains(&"0.0.0.0".to_owned()));
        let oauth = "[access.oauth]\nissuer = 'https://id.example.com'\nresource = 'https://code.example.com/mcp'\n\
                     jwks_url = 'https://id.example.com/keys'";
        assert!(config(&format!("{public}{oauth}")).is_ok());
        assert!(config(&format!("{public}[access.limits]\ncalls_per_minute = 60")).is_err());
    }

    #[test]
    fn configured_answer_model_is_opened() {
        let answers = "[answers.provider]\nkind = 'openai'\nurl = 'http://localhost:11434/v1'\nmodel = 'small'";
        let provider = config(answers).unwrap().provider;
        assert_eq!(provider.as_ref().map(Provider::id), Some("openai:small"));
        assert!(config("").unwrap().provider.is_none());
    }

    #[test]
    fn invalid_settings_are_reported() {
        for (toml, expected) in [
            ("lisen = 1", "unknown field `lisen`, expected one of `listen`, `operators`, `workers`"),
            ("allowed_origins = [\"app.example.com\"]", "has no scheme"),
            ("[[access.token]]\nname = \"a\"\nsha256 = \"12\"\nrepositories = []", "64 hexadecimal digits"),
            ("model = 'other'", "invalid value: string \"other\""),
            ("model = { url = 'http://host' }", "needs a `name`"),
            ("model = { directory = '/no/such/folder' }", "/no/such/folder"),
            (
                "model = { url = 'http://host', name = 'a', dimensions = 3, key_env = 'CAUSEWAY_NO_SUCH_KEY' }",
                "`model`: the API key cannot be read from the environment variable `CAUSEWAY_NO_SUCH_KEY`",
            ),
            ("[answers]\nprovider = { kind = 'openai' }", "missing field `model`"),
            ("[answers]\nproviders = []", "unknown field `providers`, expected `provider`"),
            (
                "[answers.provider]\nkind = 'anthropic'\nmodel = 'm'\nkey_env = 'CAUSEWAY_NO_SUCH_KEY'",
                "`answers.provider`: the API key cannot be read from the environment variable `CAUSEWAY_NO_SUCH_KEY`",
            ),
            (
                "[answers.provider]\nkind = 'openai'\nmodel = 'm'\nkey_file = '/no/such/key'",
                "`answers.provider`: the API key cannot be read from the file `/no/such/key`",
            ),
            ("grant_key_file = '/no/such/key'", "`grant_key_file` `/no/such/key` cannot be used"),
            ("[worker_tls]\nca = '/no/such/ca'", "missing field `cert`"),
            (
                "[worker_tls]\nca = '/no/such/ca'\ncert = '/no/such/cert'\nkey = '/no/such/key'",
                "`[worker_tls]`: `/no/such/cert` cannot be read",
            ),
            ("[access]\ntokens = []", "unknown field `tokens`, expected one of `token`, `oauth`, `limits`"),
            ("[access.oauth]\nissuer = 'i'", "missing field `resource`"),
            (
                "[access.oauth]\nissuer = 'https://i'\nresource = 'https://r/mcp'",
                "`[access.oauth]`: set either `jwks_url` or `jwks_file`",
            ),
            (
                "[access.oauth]\nissuer = 'https://i'\nresource = 'https://r/mcp'\njwks_url = 'http://i/keys'",
                "`[access.oauth]`: `http://i/keys` must begin with `https://`",
            ),
            (
                "[access.oauth]\nissuer = 'https://i'\nresource = 'r'\njwks_url = 'https://i/keys'",
                "`[access.oauth]`: `r` is not a valid URL",
            ),
            (
                "[access.oauth]\nissuer = 'https://i'\nresource = 'https://r/mcp'\njwks_file = '/no/such/keys'",
                "`[access.oauth]`: the key file `/no/such/keys`",
            ),
            ("[[access.token]]\nname = 'oauth:a'\nsha256 = '12'\nrepositories = []", "must not begin with `oauth:`"),
        ] {
            let error = config(toml).unwrap_err();
            assert!(error.contains(expected), "{toml}: {error}");
        }
    }

    #[test]
    fn syntax_error_is_reported_once() {
        use std::error::Error as _;

        let error = GatewaySettings::from_toml("lisen = 1").unwrap_err();
        assert!(error.to_string().contains("unknown field `lisen`"));
        // A source would repeat the message in a printed chain.
        assert!(error.source().is_none());
    }
}
