//! A small key-value store on disk for data that can be recomputed: checksummed, bounded in size, and self-repairing. It is
//! the only crate that uses sled.
//!
//! [`Store`] keeps opaque values by space and key. It may evict any value at any time. It never returns a value that differs
//! from the stored one: every entry has a checksum, and a mismatch is a miss. A part that cannot be opened is moved aside and
//! replaced by an empty one, which [`OpenReport`] lists.
//!
//! Entries live in two generations, a young and an old one. Each is a directory with a file of values (`values`) and a sled
//! database, which maps keys to positions in that file; small values are in the database itself. Writes go to the young
//! generation, and a hit in the old one is copied to it. When the young generation outgrows half of the cap, the old one is
//! deleted, the young one becomes the old one, and an empty one begins. So entries in use stay, and deleting a directory returns
//! space to the disk at once, which deleting keys in sled does not do.
//!
//! The crate deliberately does not know what the values mean.
//!
//! ```
//! # fn main() -> Result<(), store::StoreError> {
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("cache");
//! use store::{MIN_CAP_BYTES, Store};
//!
//! let (store, report) = Store::open(&path, MIN_CAP_BYTES)?;
//! assert!(report.is_new);
//! store.put_batch("facts", [(&b"key"[..], &b"value"[..])])?;
//! assert_eq!(store.get("facts", b"key").as_deref(), Some(&b"value"[..]));
//! assert_eq!(store.get("vectors", b"key"), None);
//! # Ok(())
//! # }
//! ```
#![warn(missing_docs)]

mod database;
mod deadline;
mod entry;
mod error;
mod generation;
mod open;
mod store;
mod values;

pub use error::StoreError;
pub use open::{OpenReport, QuarantinedGeneration};
pub use store::{MAX_VALUE_BYTES, MIN_CAP_BYTES, Store};
