//! Indexing the rows of files: text index, term counts and row numbers.

use std::path::Path;

use model::FileClass;
use ranking::{RequestedClasses, aggregate::class_factor, analyser::Analyser};

use super::file_records::{PreviousFileRecords, row_source};
use crate::{
    error::{IndexError, damaged},
    records::{TEXT_DIR, tables::FileRecord},
    rows::{RowSource, for_each_row},
    snapshot::Snapshot,
    term_counts::TermCounts,
    text_index::TextWriter,
};

/// Writes the text index and the term counts of a generation.
pub(super) struct RowIndexWriter {
    text: TextWriter,
    analyser: Analyser,
    counts: TermCounts,
    is_extension: bool,
    n_rows: i64,
    next_slot: u64,
}

/// The row counts that the manifest stores.
pub(super) struct RowCounts {
    /// Number of rows of existing files.
    pub(super) n_rows: u64,
    /// Number of rows in the text index whose files were removed or replaced.
    pub(super) n_dead_rows: u64,
    /// The slot of the next file that is added.
    pub(super) next_slot: u64,
    /// True if the term counts of the previous generation are linked.
    pub(super) has_linked_terms: bool,
}

impl RowIndexWriter {
    /// Begins a new text index, or extends that of a generation if its files can be linked.
    pub(super) fn create(dir: &Path, extended: Option<&Snapshot>) -> Result<RowIndexWriter, IndexError> {
        let text_dir = dir.join(TEXT_DIR);
        let extension = extended.and_then(|extended| {
            let extension = extend(extended, &text_dir);
            extension.inspect_err(|error| tracing::warn!(%error, "the text index is built again from nothing")).ok()
        });
        let manifest = extended.filter(|_| extension.is_some()).map(Snapshot::manifest);
        let text = match extension {
            Some(extension) => extension,
            None => TextWriter::create(&text_dir)?,
        };
        Ok(RowIndexWriter {
            text,
            analyser: Analyser::default(),
            counts: TermCounts::default(),
            is_extension: manifest.is_some(),
            n_rows: manifest.map_or(0, |manifest| manifest.rows as i64),
            next_slot: manifest.map_or(0, |manifest| manifest.next_slot),
        })
    }

    /// Returns true if the text index of the previous generation is extended.
    pub(super) fn is_extension(&self) -> bool {
        self.is_extension
    }

    /// Assigns the next slot.
    pub(super) fn take_slot(&mut self) -> u64 {
        self.next_slot += 1;
        self.next_slot - 1
    }

    /// Adds the rows of a file, and returns their number.
    pub(super) fn add_file(&mut self, file: &FileRecord, source: &RowSource<'_>) -> Result<u32, IndexError> {
        let class = FileClass::from_index(file.class).unwrap_or(FileClass::Source);
        let factor = class_factor(class, RequestedClasses::default());
        let mut n_rows = 0;
        let mut first_error = None;
        for_each_row(source, &mut self.analyser, |row, analyser| {
            n_rows += 1;
            self.counts.add(row, analyser);
            // A text index that failed to take a row panics at the next one.
            if first_error.is_none() {
                first_error = self.text.add(file.slot, row, analyser).err();
            }
        });
        self.counts.end_file(factor);
        self.n_rows += i64::from(n_rows);
        first_error.map_or(Ok(n_rows), Err)
    }

    /// Removes the rows of files that were not reused, if the text index of the previous generation is extended.
    pub(super) fn remove_dropped_files(
        &mut self,
        previous: Option<&Snapshot>,
        is_reused: &[bool],
    ) -> Result<(), IndexError> {
        let Some(previous) = previous.filter(|_| self.is_extension) else { return Ok(()) };
        for file_idx in (0..is_reused.len()).filter(|file_idx| !is_reused[*file_idx]) {
            let PreviousFileRecords { record, symbols } = PreviousFileRecords::read(previous, file_idx)?;
            let bytes = previous.source_bytes(file_idx)?;
            for_each_row(&row_source(&record, &symbols, &bytes), &mut self.analyser, |row, analyser| {
                self.counts.remove(row, analyser);
            });
            self.n_rows -= i64::from(record.n_rows);
            self.text.remove(record.slot);
        }
        Ok(())
    }

    /// Writes term counts and text index. With `can_link`, the term counts of the previous generation may be linked.
    pub(super) fn finish(
        self,
        dir: &Path,
        previous: Option<&Snapshot>,
        can_link: bool,
    ) -> Result<RowCounts, IndexError> {
        let extended = previous.filter(|_| self.is_extension);
        let has_linked_terms = self.counts.write(&self.analyser, extended, can_link, dir)?;
        let n_dead_rows = self.text.finish()?;
        let n_rows = self.n_rows.max(0) as u64;
        Ok(RowCounts { n_rows, n_dead_rows, next_slot: self.next_slot, has_linked_terms })
    }
}

/// Extends a copy of the text index of a generation, whose files may have been removed or changed since it was opened.
fn extend(extended: &Snapshot, text_dir: &Path) -> Result<TextWriter, IndexError> {
    if let Some(loss) = extended.manifest().find_loss(extended.dir()) {
        return Err(damaged(extended.dir(), loss.reason));
    }
    TextWriter::extend(&extended.dir().join(TEXT_DIR), text_dir)
}
