//! The configuration file of a worker.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use embed::ModelConfig;
use runtime::tls::ServerFiles;
use serde::Deserialize;

use crate::{
    indexing::{MemoryBudget, ScipSettings},
    repositories::{PlacementSettings, RepositoriesSettings},
    sharing::GenerationsSettings,
};

/// Default drain period in seconds: longer than gateways and load balancers take to notice that the worker stops.
const DEFAULT_DRAIN_SECONDS: u8 = 5;

/// The keys of the configuration file. Every one may be left out.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WorkerSettings {
    /// The model that computes vectors; gateways need the same one.
    pub model: ModelConfig,
    /// The address of `/livez`, `/readyz` and `/metrics`; left out, there is none.
    pub operators: Option<SocketAddr>,
    /// Drain period in seconds: the worker still answers for this time after the shutdown signal.
    pub drain_seconds: u8,
    /// The certificate of the worker, and the authority of the certificates of gateways; left out, no TLS.
    pub tls: Option<ServerFiles>,
    /// The file with the key that requests are signed with, the same as in the configuration of the gateways; left out,
    /// requests need no grant.
    pub grant_key_file: Option<PathBuf>,
    /// The object store through which generations are shared; left out, none is.
    pub generations: Option<GenerationsSettings>,
    /// The places of SCIP indexes by alias: absolute paths, and URLs. Each is fetched when its repository is indexed.
    pub scip: ScipSettings,
    /// Repositories by URL, in addition to those of folders.
    pub repositories: RepositoriesSettings,
    /// The placement of repositories by URL on workers.
    pub placement: PlacementSettings,
    /// True if a repository in a folder may be elsewhere, or borrow objects from elsewhere, through `.git` files, alternates or
    /// symbolic links. Whoever can write to one of the folders can then read every repository that the worker can read.
    pub follow_outside_links: bool,
    /// True if repositories in folders are served as their work trees are, with uncommitted and untracked files; otherwise their
    /// commits are served.
    pub work_trees: bool,
    /// Memory in MiB that indexing may take: runs whose estimates exceed it together follow each other. Left out, half of the
    /// limit of the control group, or of the memory of the machine.
    pub indexing_memory_mib: Option<u64>,
}

impl Default for WorkerSettings {
    fn default() -> Self {
        WorkerSettings {
            model: ModelConfig::default(),
            operators: None,
            drain_seconds: DEFAULT_DRAIN_SECONDS,
            tls: None,
            grant_key_file: None,
            generations: None,
            scip: ScipSettings::default(),
            repositories: RepositoriesSettings::default(),
            placement: PlacementSettings::default(),
            follow_outside_links: false,
            work_trees: false,
            indexing_memory_mib: None,
        }
    }
}

impl WorkerSettings {
    /// Reads a configuration file. The error for an unknown key names the known ones.
    ///
    /// ```
    /// let settings = worker::WorkerSettings::from_toml("drain_seconds = 2\n[repositories]\npoll_seconds = 30\n")?;
    /// assert_eq!(settings.repositories.poll_seconds, 30);
    /// assert!(worker::WorkerSettings::from_toml("drain = 2").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_toml(text: &str) -> Result<WorkerSettings, toml::de::Error> {
        toml::from_str(text)
    }

    /// Returns the memory budget of indexing.
    pub(crate) fn memory_budget(&self) -> MemoryBudget {
        self.indexing_memory_mib
            .map_or_else(MemoryBudget::of_system, |mib| MemoryBudget::new(mib.saturating_mul(1 << 20)))
    }

    /// Returns the drain period.
    pub fn drain(&self) -> Duration {
        Duration::from_secs(self.drain_seconds.into())
    }
}
