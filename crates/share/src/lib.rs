//! Sealed generations in an object store, so that one worker indexes and the others load.
//!
//! In reading order: where a store is (`place`), what the objects of a generation are called (`keys`), the object that is
//! written last (`seal`), how a generation leaves (`export`), arrives (`load`) and is swept (`sweep`); beside them how bytes
//! go between the network and the threads that pack them (`pipe`), and how long anything may take (`limits`).
//!
//! A file is stored under the hash of its content, and what names the files of a generation is written after all of them. So half
//! an upload is never seen, and two workers that export the same generation do not get in each other's way, though their
//! files differ. Nothing that is loaded is believed before it is compared with its checksums.
//!
//! This crate knows objects and generations. It knows nothing of when to load or to export: that is the worker's.

mod error;
mod export;
mod keys;
mod limits;
mod load;
mod pipe;
mod place;
mod seal;
mod sweep;

pub use error::ShareError;
pub use export::Exported;
pub use limits::Limits;
pub use load::Loaded;
pub use place::{Place, Share};
pub use sweep::Swept;
