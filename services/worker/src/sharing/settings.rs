//! `[generations]` of the configuration file.

use serde::Deserialize;
use share::Place;

/// Newest generations of a repository that stay in the store unless the file says otherwise: the current one, and those
/// that a worker which lags behind, or was rolled back, may ask for.
const DEFAULT_KEEP: usize = 3;

/// What a worker does of the work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// It loads what is stored, indexes what is not, and stores that.
    #[default]
    Both,
    /// It indexes and stores; it loads only where it has nothing to go on from.
    Index,
    /// It loads, and waits for what is not stored. It never extracts anything.
    Query,
}

impl Role {
    /// Says whether the worker makes generations.
    pub fn indexes(self) -> bool {
        self != Role::Query
    }
}

/// Where generations are shared, and what this worker does of it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Raw")]
pub struct GenerationsSettings {
    place: Place,
    role: Role,
    keep: usize,
}

/// The keys as they stand in the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    url: String,
    #[serde(default)]
    role: Role,
    #[serde(default = "default_keep")]
    keep: usize,
}

fn default_keep() -> usize {
    DEFAULT_KEEP
}

impl TryFrom<Raw> for GenerationsSettings {
    type Error = String;

    fn try_from(raw: Raw) -> Result<GenerationsSettings, String> {
        let place = Place::parse(&raw.url).map_err(|error| format!("[generations] {error}"))?;
        if raw.keep == 0 {
            return Err("[generations] `keep` is at least 1".to_owned());
        }
        Ok(GenerationsSettings { place, role: raw.role, keep: raw.keep })
    }
}

impl GenerationsSettings {
    pub(super) fn place(&self) -> &Place {
        &self.place
    }

    pub(super) fn role(&self) -> Role {
        self.role
    }

    pub(super) fn keep(&self) -> usize {
        self.keep
    }
}

#[cfg(test)]
mod tests {
    use crate::Settings;

    use super::*;

    #[test]
    fn the_file_says_where_and_what() {
        let read = |keys: &str| Settings::from_toml(&format!("[generations]\n{keys}")).map(|file| file.generations);
        let settings = read("url = 's3://bucket/team'\nrole = 'query'\nkeep = 5").unwrap().unwrap();
        assert_eq!((settings.role(), settings.keep()), (Role::Query, 5));
        let settings = read("url = 'file:///srv/generations'").unwrap().unwrap();
        assert_eq!((settings.role(), settings.keep()), (Role::Both, DEFAULT_KEEP));
        for (keys, said) in [
            ("role = 'both'", "missing field `url`"),
            ("url = 'http://host'", "unknown scheme `http`"),
            ("url = 'file:///a'\nkeep = 0", "`keep` is at least 1"),
            ("url = 'file:///a'\nrole = 'idle'", "unknown variant `idle`"),
            ("url = 'file:///a'\nkeeps = 1", "unknown field `keeps`"),
        ] {
            let error = read(keys).unwrap_err().to_string();
            assert!(error.contains(said), "{keys}: {error}");
        }
    }
}
