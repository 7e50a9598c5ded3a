//! Files of git that are truncated while they are mapped into memory.
//!
//! The library for git maps packs and their indexes. If another process truncates one, a read beyond its new end raises SIGBUS, which
//! would end the process with all its other repositories. After [`survive`], such a read returns zeros instead, which no object of git
//! consists of, and [`count_below`] tells that a repository was not read as it was. A truncated file of an index is different: its bytes are
//! trusted after they were verified once, so the process ends.

#[cfg(target_os = "linux")]
mod bus_error;

use std::{
    io,
    os::unix::ffi::OsStrExt as _,
    path::PathBuf,
    sync::atomic::{AtomicU64, Ordering},
};

/// Number of counters of folders. Two folders may share one: a read is then repeated for nothing.
const N_COUNTERS: usize = 4_096;

/// Number of mappings whose truncated part was replaced.
static N_REPLACED: AtomicU64 = AtomicU64::new(0);

/// The same for files below a folder, by the hash of its path. The handler of a signal can neither allocate nor lock.
static BY_FOLDER: [AtomicU64; N_COUNTERS] = [const { AtomicU64::new(0) }; N_COUNTERS];

/// The same for files without an absolute path, which may be below any folder.
static N_UNPLACED: AtomicU64 = AtomicU64::new(0);

/// Returns how many mappings of files of git were found truncated since the start of the process.
pub fn count() -> u64 {
    N_REPLACED.load(Ordering::SeqCst)
}

/// Returns how many of them were of files below some folders, which have to be canonical. The number may be too high, and is never too
/// low.
pub fn count_below(folders: &[PathBuf]) -> u64 {
    let hash = |folder: &PathBuf| {
        // The system writes a line feed in a path like this.
        let bytes = folder.as_os_str().as_bytes().split(|byte| *byte == b'\n');
        bytes.collect::<Vec<_>>().join(&b"\\012"[..]).iter().fold(HASH_START, |hash, byte| extend_hash(hash, *byte))
    };
    let n_placed: u64 = folders.iter().map(|folder| counter(hash(folder)).load(Ordering::SeqCst)).sum();
    n_placed + N_UNPLACED.load(Ordering::SeqCst)
}

/// Counts a truncated file by its path. It is called by the handler of a signal.
#[cfg(target_os = "linux")]
fn note(path: &[u8]) {
    N_REPLACED.fetch_add(1, Ordering::SeqCst);
    if path.first() != Some(&b'/') {
        N_UNPLACED.fetch_add(1, Ordering::SeqCst);
    }
    let mut hash = HASH_START;
    for (idx, byte) in path.iter().enumerate() {
        if *byte == b'/' && idx > 0 {
            counter(hash).fetch_add(1, Ordering::SeqCst);
        }
        hash = extend_hash(hash, *byte);
    }
}

/// FNV-1a, which needs no memory.
const HASH_START: u64 = 0xcbf2_9ce4_8422_2325;

fn extend_hash(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
}

fn counter(hash: u64) -> &'static AtomicU64 {
    &BY_FOLDER[(hash ^ (hash >> 32)) as usize % N_COUNTERS]
}

/// Makes the process survive reads of truncated files of git. It has no effect on other systems than Linux.
pub fn survive() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    bus_error::handle()?;
    Ok(())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn truncated_files_are_counted_by_repository() {
        let n_below = |folder: &str| count_below(&[PathBuf::from(folder)]);
        let folders = ["/srv/first/.git", "/srv/second/.git", "/srv/a\nb/.git", "/srv/first/.git/objects"];
        let before = folders.map(n_below);
        note(b"/srv/first/.git/objects/pack/pack-1.idx (deleted)");
        note(b"/srv/a\\012b/.git/objects/pack/pack-2.pack");
        let after = folders.map(n_below);
        assert_eq!(std::array::from_fn(|idx| after[idx] - before[idx]), [1, 0, 1, 1]);
        note(b"memfd:pack");
        assert_eq!(n_below("/srv/second/.git"), after[1] + 1, "it may be anywhere");
    }
}
