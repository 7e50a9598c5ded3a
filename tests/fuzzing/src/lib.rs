//! What is fuzzed: one function for each part that reads what others wrote, from any bytes to no panic.
//!
//! A [`Target`] takes bytes, gives them to a part of the product, and panics where the part breaks a promise. `fuzz/` lets
//! libFuzzer find such bytes; `tests/found.rs` replays those that were found, and all seeds, without it. In most
//! targets the first byte of an input chooses what the rest is read as, from a table that only ever grows at its end, so that
//! an input that was found means the same for good.
//!
//! This crate deliberately knows no libFuzzer, and nothing that waits: no target opens a connection.

mod extract;
mod generation;
mod manifest;
mod query;
mod resolve;
mod seeds;
mod text;
mod wire;

pub use seeds::seeds;

/// A part of the product that takes any bytes.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    pub name: &'static str,
    /// Inputs are not made longer than this.
    pub max_bytes: usize,
    /// Panics where the part breaks a promise.
    pub run: fn(&[u8]),
}

/// Every target, in the order in which they are run.
pub const TARGETS: &[Target] = &[
    Target { name: "wire", max_bytes: 4 << 10, run: wire::run },
    Target { name: "query", max_bytes: 4 << 10, run: query::run },
    Target { name: "manifest", max_bytes: 16 << 10, run: manifest::run },
    Target { name: "extract", max_bytes: 32 << 10, run: extract::run },
    Target { name: "resolve", max_bytes: 16 << 10, run: resolve::run },
    Target { name: "text", max_bytes: 16 << 10, run: text::run },
    Target { name: "generation", max_bytes: 512, run: generation::run },
];

/// Returns the target with this name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

/// The first choice of a table is written as this byte, the next one as the byte after it, so that inputs can be
/// written by hand.
const FIRST_CHOICE: u8 = b'A';

/// Returns what the first byte of an input chooses of `table`, and the rest; any byte chooses something.
fn choose<'a, T>(input: &'a [u8], table: &'a [T]) -> Option<(&'a T, &'a [u8])> {
    let (first, rest) = input.split_first()?;
    let choice = first.wrapping_sub(FIRST_CHOICE) as usize % table.len();
    Some((&table[choice], rest))
}
