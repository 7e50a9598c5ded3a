//! A small checksummed, capped key-value store on disk, for what can be made again. The only crate that knows sled.
//!
//! [`Store`] keeps opaque values by space and key. It may forget any of them at any time, and never returns a value
//! that differs from the one that was put: every entry carries a checksum, and a mismatch is a miss. What cannot be
//! opened is set aside and begun anew, which [`OpenReport`] tells.
//!
//! Entries live in two generations, a young and an old one, each a directory with a file of values (`values`) and a sled
//! database that tells by key where a value lies; small values stand in the database itself. Writes go
//! to the young one; what is found in the old one is copied to the young one. When the young one outgrows half the cap,
//! the old one is deleted, the young one becomes the old one, and an empty one is begun. So the entries that are in use
//! stay, the others go, and what goes is given back to the disk at once, which dropping keys in sled does not do.
//!
//! The crate deliberately knows nothing of what the values mean; who needs one kept must be able to make it again.

mod database;
mod entry;
mod error;
mod generation;
mod open;
mod store;
mod values;

pub use error::StoreError;
pub use open::{OpenReport, SetAside};
pub use store::{MAX_VALUE_BYTES, MIN_CAP_BYTES, Store};
