//! The table `[repositories]` of a worker's configuration.

use std::{num::NonZeroU32, path::PathBuf, time::Duration};

use serde::Deserialize;
use source::mirror::Credential;

/// Seconds between two polls of a remote, unless configured.
const DEFAULT_POLL_SECONDS: u64 = 60;

/// The repositories by URL of a worker.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RepositoriesSettings {
    /// A file that lists repositories; it is read again when it changes.
    pub listing: Option<PathBuf>,
    /// Patterns of repositories on local disks, such as `file:///srv/git/*/*.git`.
    pub patterns: Vec<String>,
    /// Seconds between two polls of a remote; 60 unless configured, at least 1.
    pub poll_seconds: u64,
    /// Commits that are fetched of each repository; left out, all.
    pub depth: Option<NonZeroU32>,
    /// Credentials by host.
    pub credentials: Vec<CredentialSettings>,
}

impl Default for RepositoriesSettings {
    fn default() -> Self {
        let (listing, patterns, depth, credentials) = Default::default();
        RepositoriesSettings { listing, patterns, poll_seconds: DEFAULT_POLL_SECONDS, depth, credentials }
    }
}

/// One `[[repositories.credentials]]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CredentialSettings {
    /// The host, with its port if it has one.
    pub host: String,
    /// The user name; most hosts accept any beside a token.
    #[serde(default = "any_user")]
    pub username: String,
    /// The file of the token. It is read for each use, so that a token may be replaced.
    pub token_file: PathBuf,
}

fn any_user() -> String {
    "git".to_owned()
}

impl RepositoriesSettings {
    /// Returns true if any repositories by URL are configured.
    pub fn is_used(&self) -> bool {
        self.listing.is_some() || !self.patterns.is_empty()
    }

    pub(super) fn check(&self) -> Result<(), String> {
        if let Some(credential) = self.credentials.iter().find(|credential| !is_plain(&credential.host)) {
            return Err(format!(
                "`{}` is not a valid host: write it like `github.com` or `git.acme.dev:8443`",
                credential.host
            ));
        }
        if let Some(credential) = self.credentials.iter().find(|credential| !is_plain(&credential.username)) {
            return Err(format!("`{}` is not a valid user name", credential.username));
        }
        if self.poll_seconds == 0 {
            return Err("`poll_seconds` must be 1 at least".to_owned());
        }
        Ok(())
    }

    pub(super) fn poll_interval(&self) -> Duration {
        Duration::from_secs(self.poll_seconds)
    }

    pub(super) fn credentials(&self) -> Vec<Credential> {
        let credential = |settings: &CredentialSettings| Credential {
            host: settings.host.clone(),
            username: settings.username.clone(),
            token_file: settings.token_file.clone(),
        };
        self.credentials.iter().map(credential).collect()
    }
}

/// Returns true if a text needs no quoting in a URL or a shell.
fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_graphic() && !"/\"'`@$\\".contains(c))
}
