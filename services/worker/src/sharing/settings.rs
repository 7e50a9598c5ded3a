//! The table `[generations]` of a worker's configuration.

use serde::Deserialize;
use share::StoreAddress;

/// Newest generations of a repository that stay in the store unless configured: the current one, and those that a worker which
/// lags behind or was rolled back may load.
const DEFAULT_KEEP: usize = 3;

/// The role of a worker in sharing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SharingRole {
    /// It loads stored generations, indexes the others, and stores those.
    #[default]
    Both,
    /// It indexes and stores; it loads only if it has no generation to extend.
    Index,
    /// It loads, and waits for generations that are not stored yet. It never indexes.
    Query,
}

impl SharingRole {
    /// Returns true if the worker makes generations.
    pub fn indexes(self) -> bool {
        self != SharingRole::Query
    }
}

/// The object store through which generations are shared, and the role of this worker.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "RawGenerationsSettings")]
pub struct GenerationsSettings {
    location: StoreAddress,
    role: SharingRole,
    keep: usize,
}

/// The keys of the table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawGenerationsSettings {
    url: String,
    #[serde(default)]
    role: SharingRole,
    #[serde(default = "default_keep")]
    keep: usize,
}

fn default_keep() -> usize {
    DEFAULT_KEEP
}

impl TryFrom<RawGenerationsSettings> for GenerationsSettings {
    type Error = String;

    fn try_from(raw: RawGenerationsSettings) -> Result<GenerationsSettings, String> {
        let location = StoreAddress::parse(&raw.url).map_err(|error| format!("[generations] {error}"))?;
        if raw.keep == 0 {
            return Err("[generations] `keep` is at least 1".to_owned());
        }
        Ok(GenerationsSettings { location, role: raw.role, keep: raw.keep })
    }
}

impl GenerationsSettings {
    pub(super) fn location(&self) -> &StoreAddress {
        &self.location
    }

    pub(super) fn role(&self) -> SharingRole {
        self.role
    }

    pub(super) fn keep(&self) -> usize {
        self.keep
    }
}

#[cfg(test)]
mod tests {
    use crate::WorkerSettings;

    use super::*;

    #[test]
    fn settings_are_read_and_checked() {
        let read =
            |keys: &str| WorkerSettings::from_toml(&format!("[generations]\n{keys}")).map(|file| file.generations);
        let settings = read("url = 's3://bucket/team'\nrole = 'query'\nkeep = 5").unwrap().unwrap();
        assert_eq!((settings.role(), settings.keep()), (SharingRole::Query, 5));
        let settings = read("url = 'file:///srv/generations'").unwrap().unwrap();
        assert_eq!((settings.role(), settings.keep()), (SharingRole::Both, DEFAULT_KEEP));
        for (keys, expected) in [
            ("role = 'both'", "missing field `url`"),
            ("url = 'http://host'", "unknown scheme `http`"),
            ("url = 'file:///a'\nkeep = 0", "`keep` is at least 1"),
            ("url = 'file:///a'\nrole = 'idle'", "unknown variant `idle`"),
            ("url = 'file:///a'\nkeeps = 1", "unknown field `keeps`"),
        ] {
            let error = read(keys).unwrap_err().to_string();
            assert!(error.contains(expected), "{keys}: {error}");
        }
    }
}
