//! The federation: runs one query over every repository that a caller may read, and merges the replies into one answer.
//!
//! A query is a chain of values: `plan -> statistics -> fan_out -> score -> merge -> fetch`. A plan never changes once it is made.
//! Each step takes a plan and the value before it, and returns a value with its shortfalls. A repository or a worker that does not
//! answer is part of that value, never an error.
//!
//! In reading order: the caller (`principal`), the workers (`discovery`, `directory`, `connection`), the repositories of a request
//! by worker (`plan`), the calls to workers (`call`, `fan_out`, `reply_checks`), a search (`statistics`, `typo`, `query_vector`,
//! `retrieval`, `merge`, `fetch`), names (`entity`, `symbol_ref`), and the code graph over all repositories (`overlay`, `nodes`,
//! `walk`, `co_change`).
//!
//! The crate knows neither MCP nor HTTP, and no tool. It knows nothing of git, of syntax or of an index, and reads no file of a
//! repository.
//!
//! A plan for every repository, of a directory that has none:
//!
//! ```
//! use std::sync::Arc;
//!
//! use federation::{coverage::Coverage, directory::Directory, plan::Visible, principal::Principal};
//!
//! let directory = Arc::new(Directory::build(&[]));
//! let visible = Visible::new(directory, &Principal::local());
//! let plan = visible.plan(Some("all"))?;
//! assert!(Coverage::of(&plan).is_complete());
//! assert!(visible.plan(Some("acme/api")).is_err());
//! # Ok::<(), federation::refusal::Refusal>(())
//! ```

#![warn(missing_docs)]

pub mod client_views;
pub mod principal;
pub mod refusal;

pub mod connection;
pub mod directory;
pub mod discovery;
pub mod grants;
pub mod repo_idx;
pub mod rpc_metrics;

pub mod answer;
pub mod coverage;
pub mod plan;

pub mod call;
mod changes;
pub mod fan_out;
mod reply_checks;

pub mod annotated_source;
pub mod cache;
pub mod did_you_mean;
pub mod fetch;
pub mod merge;
pub mod query_vector;
pub mod repo_mentions;
pub mod requested_views;
mod rerank;
pub mod retrieval;
pub mod statistics;
pub mod typo;

pub mod commit_id;
pub mod instant;

pub mod entity;
pub mod outline;
pub mod scope;
pub mod symbol_matches;
pub mod symbol_ref;

pub mod co_change;
pub mod nodes;
pub mod overlay;
pub mod walk;

use std::{sync::Arc, time::Duration};

use embed::Embedder;
use proto::grant::GrantKeys;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use discovery::{WorkerSource, Workers};

/// All workers, and the caches that all calls share. The caches are keyed by generation and never stale.
pub struct Federation {
    /// The workers, and the directory of their repositories.
    pub workers: Arc<Workers>,
    pub(crate) statistics: statistics::StatisticsCache,
    /// The model of query vectors.
    pub model: query_vector::QueryModel,
    pub(crate) overlay: overlay::OverlayCache,
    pub(crate) activity: co_change::ActivityCache,
}

impl Federation {
    /// Starts to watch the workers of `sources`, in tasks of `tasks` that end with `stop`. Must be called within a tokio runtime.
    ///
    /// Requests are signed with `grant_keys`, if there are any. No call waits longer than `vector_deadline` for the vector of its
    /// query, which `embedder` makes. `links` are the settings of links between
    /// repositories.
    pub fn start(
        sources: Vec<WorkerSource>,
        grant_keys: Option<Arc<GrantKeys>>,
        embedder: Arc<Embedder>,
        vector_deadline: Duration,
        links: overlay::OverlaySettings,
        tasks: &TaskTracker,
        stop: &CancellationToken,
    ) -> Federation {
        Federation {
            workers: Workers::watch(sources, grants::Grants::new(grant_keys), tasks, stop),
            statistics: statistics::cache(),
            model: query_vector::QueryModel::new(embedder, vector_deadline),
            overlay: overlay::OverlayCache::new(links, tasks, stop),
            activity: co_change::ActivityCache::default(),
        }
    }
}
