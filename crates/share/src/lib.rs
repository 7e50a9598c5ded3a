//! Sealed generations in an object store, so that one worker indexes a repository and the others load its generation.
//!
//! A file is stored under the hash of its content. The manifest is the seal: it is written after all files, and removed before
//! them. Therefore no reader sees an incomplete upload, and two workers may export one generation at the same time even if
//! their files differ. Loaded files are compared with their checksums before the generation is published.
//!
//! This crate knows objects and generations. It deliberately does not know when to load, export or sweep: the worker decides
//! that.
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
