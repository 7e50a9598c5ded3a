//! The configuration file of a worker.

use embed::ModelConfig;
use serde::Deserialize;

use crate::{listing::RepositoriesSettings, placement::PlacementSettings};

/// The keys of the configuration file. Every one may be left out.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// What vectors are made by; gateways need the same.
    pub model: ModelConfig,
    /// Repositories by URL, beside those of folders.
    pub repositories: RepositoriesSettings,
    /// Which of those this worker holds.
    pub placement: PlacementSettings,
}

impl Settings {
    /// Reads a configuration file. An unknown key is an error that names the known ones.
    pub fn from_toml(text: &str) -> Result<Settings, toml::de::Error> {
        toml::from_str(text)
    }
}
