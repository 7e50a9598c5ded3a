//! A worker: it finds repositories, keeps a sealed generation of each, and answers for them over gRPC.
//!
//! Its modules import each other only downwards. In reading order, from the top:
//! - the worker as a whole (`server`, `lifecycle`, `settings`), the export of calls from a data folder (`export`), and the
//!   import of indexes into one (`import`);
//! - `serving`: the gRPC services over snapshots;
//! - `indexing`: the supervisor of runs, and one run;
//! - `repositories`: the catalog of snapshots with the life cycle of each repository, discovery, mirrors, placement, handover;
//! - `sharing`: sealed generations in an object store;
//! - `operators`: metrics and the status port.
//!
//! A worker answers for its own repositories only. It deliberately knows nothing of MCP, of callers, or of the answers of other
//! workers: statistics and limits come with each request.
//!
//! ```
//! # tokio::runtime::Runtime::new()?.block_on(async {
//! let scratch = tempfile::tempdir()?;
//! let project = scratch.path().join("project");
//! std::fs::create_dir(&project)?;
//! std::fs::write(project.join("README.md"), "# A small project\n")?;
//! let data = scratch.path().join("data");
//! let config = worker::WorkerConfig { data, roots: vec![project], settings: worker::WorkerSettings::default() };
//!
//! let worker = worker::Worker::start(config).await?;
//! assert_eq!(worker.discovery().checkouts[0].alias, "project");
//!
//! // It serves connections, here none, until the shutdown future ends.
//! let incoming = futures::stream::pending::<std::io::Result<tokio::io::DuplexStream>>();
//! worker.serve(incoming, async {}).await?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

mod server;

mod settings;
mod stages;
mod supervised_tasks;
mod truncation;

pub mod export;
pub mod import;

mod serving;

pub mod indexing;

mod repositories;

mod sharing;

mod operators;

mod backoff;

pub use repositories::{
    CredentialSettings, DATA_VERSION, DataDirError, DataDirState, PlacementSettings, RepositoriesSettings,
    keeps_lost_root,
};
pub use server::{StartError, Worker, WorkerConfig};
pub use settings::WorkerSettings;
pub use sharing::{GenerationsSettings, Sharing, SharingRole};
