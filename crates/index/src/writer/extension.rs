//! The decision whether to extend the text index of the previous generation, or to rebuild it.

use ranking::ANALYSER_VERSION;

use crate::{generation::GenerationProvenance, snapshot::Snapshot};

/// The text index is rebuilt if more than one in this many files changed. A rebuild costs little more then, and its result is
/// smaller and faster to search.
const MIN_FILES_PER_CHANGE: u64 = 4;

/// The text index is rebuilt if more than one in this many rows is dead.
const MIN_ROWS_PER_DEAD_ROW: u64 = 5;

/// The text index is rebuilt at this number of segments. Every query looks up each term in every segment.
const MAX_SEGMENTS: usize = 8;

/// Returns true if the text index of the previous generation can be extended, and this is worthwhile.
pub(super) fn can_extend(previous: &Snapshot, provenance: &GenerationProvenance, n_changed: u64) -> bool {
    let manifest = previous.manifest();
    manifest.extractor == provenance.extractor
        && manifest.analyser == ANALYSER_VERSION
        && n_changed * MIN_FILES_PER_CHANGE <= manifest.files
        && manifest.dead_rows * MIN_ROWS_PER_DEAD_ROW <= manifest.rows
        && previous.n_segments() < MAX_SEGMENTS
}
