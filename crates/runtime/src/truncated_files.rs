//! Files of git that are truncated while they are mapped into memory.
//!
//! The library for git maps packs and their indexes. If another process truncates one, a read beyond its new end raises SIGBUS, which
//! would end the process with all its other repositories. After [`survive`], such a read returns zeros instead, which no object of git
//! consists of, and [`count`] tells that the repository was not read as it was. A truncated file of an index is different: its bytes are
//! trusted after they were verified once, so the process ends.

#[cfg(target_os = "linux")]
mod bus_error;

use std::{
    io,
    sync::atomic::{AtomicU64, Ordering},
};

/// Number of mappings whose truncated part was replaced.
static N_REPLACED: AtomicU64 = AtomicU64::new(0);

/// Returns how many mappings of files of git were found truncated since the start of the process.
pub fn count() -> u64 {
    N_REPLACED.load(Ordering::SeqCst)
}

/// Makes the process survive reads of truncated files of git. It has no effect on other systems than Linux.
pub fn survive() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    bus_error::handle()?;
    Ok(())
}
