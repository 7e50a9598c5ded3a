//! Sealed generations in an object store, so that one worker indexes a repository and the others load its generation.
//!
//! A file is stored under the hash of its content. The manifest is the seal: it is written after all files, and removed before
//! them. Therefore no reader sees an incomplete upload, and two workers may export one generation at the same time even if
//! their files differ. Loaded files are compared with their checksums before the generation is published.
//!
//! This crate knows objects and generations. It deliberately does not know when to load, export or sweep: the worker decides
//! that.
//!
//! ```
//! use index::{GenerationKey, RepositoryDir};
//! use model::{CommitId, GenerationId, RepoId};
//! use share::{GenerationStore, StoreAddress};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let (shared, data) = (tempfile::tempdir()?, tempfile::tempdir()?);
//! let address = StoreAddress::parse(&format!("file://{}", shared.path().display()))?;
//! let store = GenerationStore::open(&address)?;
//!
//! let key = GenerationKey { repo: RepoId([1; 16]), commit: CommitId([2; 20]), generation: GenerationId([3; 16]) };
//! let repository = RepositoryDir::new(data.path(), key.repo);
//! // A worker that finds no generation indexes the repository, and then calls `export`.
//! assert!(store.load(&key, &repository).await?.is_none());
//! # Ok(())
//! # }
//! ```

#![warn(missing_docs)]

// The store: its address, its client, object names and deadlines.
mod address;
mod error;
mod generation_store;
mod keys;
mod limits;
mod seal;

// The operations.
mod export;
mod load;
mod pipe;
mod sweep;

pub use address::{BucketService, StoreAddress};
pub use error::ShareError;
pub use export::ExportOutcome;
pub use generation_store::GenerationStore;
pub use limits::TransferLimits;
pub use load::LoadedGeneration;
pub use sweep::SweepReport;
