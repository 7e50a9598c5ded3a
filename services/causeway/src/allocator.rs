//! The memory allocator of the process, for Rust and for the C of its libraries.
//!
//! Indexing allocates hundreds of megabytes that are free when it ends. jemalloc returns free pages to the system on a thread of
//! its own; the allocator of glibc keeps most of them (`docs/decisions/0088-jemalloc.md`).
#![allow(unsafe_code)]

use tikv_jemallocator::Jemalloc;

#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

/// Configuration that jemalloc reads at its start: a thread that returns pages to the system half a second after they become free;
/// only small blocks are cached by each thread, and an extent is never split for a request of less than half its size, so that large
/// ones become free again as a whole. `docs/decisions/0088-jemalloc.md` has the measurements.
// SAFETY: jemalloc declares this symbol as a pointer to characters that end with a zero byte, and this reference begins with such a
// pointer.
#[unsafe(export_name = "malloc_conf")]
static MALLOC_CONF: &[u8] =
    b"background_thread:true,dirty_decay_ms:500,muzzy_decay_ms:0,tcache_max:2048,lg_extent_max_active_fit:1\0";
