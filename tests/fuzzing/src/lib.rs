//! Fuzz targets: one function for each part that reads foreign input, which must accept any bytes without a panic.
//!
//! A [`Target`] passes bytes to a part of the product, and panics if the part breaks a guarantee. `fuzz/` runs the
//! targets by libFuzzer; `tests/found.rs` replays the inputs that it found, and all seeds. In most targets the first
//! byte of an input selects an entry of an append-only table, so that inputs keep their meaning.
//!
//! The crate knows no libFuzzer, and no target performs IO over the network.

#![warn(missing_docs)]

mod extract;
mod generation;
mod manifest;
mod query;
mod resolve;
mod scip_index;
mod seeds;
mod shapes;
mod text;
mod wire;

pub use seeds::seeds;

/// A part of the product that accepts any bytes.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Name of the target.
    pub name: &'static str,
    /// Maximum length of an input.
    pub max_bytes: usize,
    /// Runs one input. Panics if a guarantee is broken.
    pub run: fn(&[u8]),
}

/// All targets, in the order in which they run.
pub const TARGETS: &[Target] = &[
    Target { name: "wire", max_bytes: 4 << 10, run: wire::run },
    Target { name: "query", max_bytes: 4 << 10, run: query::run },
    Target { name: "manifest", max_bytes: 16 << 10, run: manifest::run },
    Target { name: "extract", max_bytes: 32 << 10, run: extract::run },
    Target { name: "shapes", max_bytes: 64, run: shapes::run },
    Target { name: "resolve", max_bytes: 16 << 10, run: resolve::run },
    Target { name: "text", max_bytes: 16 << 10, run: text::run },
    Target { name: "scip", max_bytes: 16 << 10, run: scip_index::run },
    Target { name: "generation", max_bytes: 512, run: generation::run },
];

/// Returns the target with this name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

/// The first entry of a table has this byte, and the next entries have the next bytes, so that inputs can be written by
/// hand.
const FIRST_CHOICE: u8 = b'A';

/// Returns the entry of `table` that the first byte selects, and the other bytes. Every byte selects an entry.
fn choose<'a, T>(input: &'a [u8], table: &'a [T]) -> Option<(&'a T, &'a [u8])> {
    let (first, rest) = input.split_first()?;
    let choice = first.wrapping_sub(FIRST_CHOICE) as usize % table.len();
    Some((&table[choice], rest))
}
