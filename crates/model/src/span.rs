//! Ranges within a file.

use serde::{Deserialize, Serialize};

/// Lines counted from 1, both ends inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LineSpan {
    /// First line.
    pub start: u32,
    /// Last line.
    pub end: u32,
}

impl LineSpan {
    /// Returns the number of lines.
    pub fn len(self) -> u32 {
        self.end.checked_sub(self.start).map_or(0, |n_after_first| n_after_first.saturating_add(1))
    }

    /// Returns true if there is no line.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// Bytes counted from 0, end exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ByteSpan {
    /// First byte.
    pub start: u32,
    /// Byte after the last one.
    pub end: u32,
}

impl ByteSpan {
    /// Returns this range of `bytes`, clamped to its length.
    pub fn of(self, bytes: &[u8]) -> &[u8] {
        let end = (self.end as usize).min(bytes.len());
        &bytes[(self.start as usize).min(end)..end]
    }

    /// Returns true if `other` lies within this range.
    pub fn contains(self, other: ByteSpan) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}
