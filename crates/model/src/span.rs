//! Ranges within one file.

use serde::{Deserialize, Serialize};

/// Lines, counted from 1, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LineSpan {
    pub start: u32,
    pub end: u32,
}

impl LineSpan {
    /// Returns how many lines this is.
    pub fn len(self) -> u32 {
        self.end.checked_sub(self.start).map_or(0, |n_after_first| n_after_first.saturating_add(1))
    }

    /// Says whether this holds no line at all.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// Bytes, counted from 0, the end excluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ByteSpan {
    pub start: u32,
    pub end: u32,
}

impl ByteSpan {
    /// Returns the part of `bytes` that this names; the nearest there is where it reaches past the end.
    pub fn of(self, bytes: &[u8]) -> &[u8] {
        let end = (self.end as usize).min(bytes.len());
        &bytes[(self.start as usize).min(end)..end]
    }

    /// Says whether `other` lies wholly within this.
    pub fn contains(self, other: ByteSpan) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}
