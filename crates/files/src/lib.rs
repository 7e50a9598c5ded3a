//! Files that are read by name: of repositories and the data folder, which others may write, and those that settings name. Such a name
//! may be a pipe, which blocks whoever opens it, a device without an end, or a file of any size.
//!
//! It knows nothing of the contents.
//!
//! ```
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("CURRENT");
//! files::replace(&path, b"generation 7")?;
//! assert_eq!(files::read_text(&path, 64)?, "generation 7");
//! assert_eq!(files::read(folder.path(), 64).unwrap_err().to_string(), "it is a folder, not a regular file");
//! # Ok::<(), std::io::Error>(())
//! ```

#![warn(missing_docs)]

mod atomic_file;
mod regular_file;

/// Maximum size in bytes of a file that an operator writes: settings, certificates, keys and tokens.
pub const MAX_SETTINGS_BYTES: u64 = 16 << 20;

pub use atomic_file::{create, replace};
pub use regular_file::{check, check_if_present, is_missing, open, read, read_open, read_text, refused};
