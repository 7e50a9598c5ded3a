//! A worker: it finds repositories, keeps a sealed generation of each, and answers for them over gRPC.
//!
//! In reading order: the folder that it owns (`data_dir`), what it holds (`catalog`), who decides what is indexed next
//! (`supervisor`), what is brought here from elsewhere (`listing`, `mirrors`) and which of it is held here (`placement`,
//! `handover`), one indexing run (`indexing`), what is shared with other workers (`sharing`), the services (`serving`), what
//! operators look at (`lifecycle`, `metrics`, `operators`), and all of it together (`server`); beside them what can be read of a
//! data folder without owning it (`export`).
//!
//! A worker answers for its own repositories alone. It deliberately knows nothing of MCP, of callers, or of what other workers
//! answer: statistics and limits come with each request.

mod catalog;
mod data_dir;
pub mod export;
mod handover;
pub mod indexing;
mod lifecycle;
mod listing;
mod metrics;
mod mirrors;
mod names_file;
mod operators;
mod placement;
mod replace;
mod server;
mod serving;
mod settings;
mod sharing;
mod supervisor;

pub use data_dir::{DATA_VERSION, DataDirError, DataDirState};
pub use listing::{CredentialSettings, RepositoriesSettings};
pub use placement::PlacementSettings;
pub use server::{Config, StartError, Worker};
pub use settings::Settings;
pub use sharing::{GenerationsSettings, Role, Sharing};
