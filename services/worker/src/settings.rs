//! The configuration file of a worker.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use embed::ModelConfig;
use runtime::tls::ServerFiles;
use serde::Deserialize;

use crate::{listing::RepositoriesSettings, placement::PlacementSettings, sharing::GenerationsSettings};

/// Seconds for which a worker goes on answering once it is told to stop: longer than gateways and load balancers take to
/// notice that it should not be asked any more.
const DEFAULT_DRAIN_SECONDS: u8 = 5;

/// The keys of the configuration file. Every one may be left out.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// What vectors are made by; gateways need the same.
    pub model: ModelConfig,
    /// The address of `/livez`, `/readyz` and `/metrics`. Left out: there is none.
    pub operators: Option<SocketAddr>,
    /// Seconds for which it goes on answering once it is told to stop.
    pub drain_seconds: u8,
    /// Who the worker is, and whose word it takes for who a gateway is. Left out: no TLS.
    pub tls: Option<ServerFiles>,
    /// The file with the key that requests are signed with, the same as in the gateways' configuration. Left out: requests
    /// need no grant.
    pub grant_key_file: Option<PathBuf>,
    /// Where generations are shared with other workers; nowhere unless the file says so.
    pub generations: Option<GenerationsSettings>,
    /// Repositories by URL, beside those of folders.
    pub repositories: RepositoriesSettings,
    /// Which of those this worker holds.
    pub placement: PlacementSettings,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            model: ModelConfig::default(),
            operators: None,
            drain_seconds: DEFAULT_DRAIN_SECONDS,
            tls: None,
            grant_key_file: None,
            generations: None,
            repositories: RepositoriesSettings::default(),
            placement: PlacementSettings::default(),
        }
    }
}

impl Settings {
    /// Reads a configuration file. An unknown key is an error that names the known ones.
    pub fn from_toml(text: &str) -> Result<Settings, toml::de::Error> {
        toml::from_str(text)
    }

    /// Returns how long it goes on answering once it is told to stop.
    pub fn drain(&self) -> Duration {
        Duration::from_secs(self.drain_seconds.into())
    }
}
