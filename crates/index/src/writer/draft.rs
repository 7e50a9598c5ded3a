//! Writing a draft: an index of the edited files, and the term counts of the files that they replace.

use std::{fs, path::Path, sync::Arc};

use graph::{InterfaceHash, Structure};
use links::LinkedFile;
use model::Domain;
use ranking::analyser::Analyser;

use super::{
    GenerationWriter, NewFile, NewGraph, NewHistory,
    file_records::{PreviousFileRecords, row_source},
};
use crate::{
    error::IndexError,
    generation::GenerationProvenance,
    rows::for_each_row,
    snapshot::{FileState, GenerationDraft, ReplacedFiles, Snapshot},
    term_counts::TermCounts,
};

/// The differences between a generation and its draft.
pub struct DraftChanges<'a> {
    /// The files with other or new contents, sorted by path.
    pub files: &'a [NewFile<'a>],
    /// The paths of the files that are gone.
    pub gone: &'a [&'a str],
}

impl GenerationDraft {
    /// Makes the draft of a generation and of edits, whose contents have this provenance. The folder `dir` must be empty or absent, and is
    /// removed again: nothing of a draft outlives its process.
    pub fn write(
        dir: &Path,
        base: &Arc<Snapshot>,
        provenance: &GenerationProvenance,
        changes: &DraftChanges<'_>,
    ) -> Result<GenerationDraft, IndexError> {
        let replaced = replaced_files(base, changes)?;
        let edits = write_edits(dir, provenance, changes);
        // Its files are mapped. A folder that stays is removed before the next draft.
        if let Err(error) = fs::remove_dir_all(dir) {
            tracing::debug!(%error, "the folder of a draft cannot be removed");
        }
        let edits = edits?;
        Ok(GenerationDraft::new(base, &edits, replaced, provenance))
    }
}

/// Writes and opens an index of the edited files, without graph and history.
fn write_edits(
    dir: &Path,
    provenance: &GenerationProvenance,
    changes: &DraftChanges<'_>,
) -> Result<Snapshot, IndexError> {
    let n_files = changes.files.len();
    let mut writer = GenerationWriter::create(dir, provenance.clone(), None, n_files as u64)?;
    let mut n_symbols = 0;
    for file in changes.files {
        n_symbols += file.facts.definitions.len();
        writer.add_file(*file)?;
    }
    let structure = structure_without_edges(n_symbols, n_files);
    let graph = NewGraph {
        structure: &structure,
        files: &vec![LinkedFile::default(); n_files],
        interfaces: &vec![InterfaceHash::default(); n_files],
        domains: &vec![Domain::Code; n_files],
        link_facts: &[],
    };
    writer.seal(&graph, Some(&NewHistory::none()))?;
    Snapshot::open_sealed(dir)
}

fn structure_without_edges(n_symbols: usize, n_files: usize) -> Structure {
    let n_nodes = n_symbols + n_files;
    Structure {
        n_symbols: n_symbols as u32,
        n_files: n_files as u32,
        n_routes: 0,
        edges: Vec::new(),
        importance: vec![1.0; n_nodes],
        community_of: vec![0; n_files],
        communities: Vec::new(),
        cycles: vec![0; n_nodes],
        entry_points: Vec::new(),
        used_by: vec![0; n_nodes],
    }
}

/// Counts the rows and terms of the files that a draft replaces or lacks.
fn replaced_files(base: &Snapshot, changes: &DraftChanges<'_>) -> Result<ReplacedFiles, IndexError> {
    let mut states = vec![FileState::Unchanged; base.tables().files.len()];
    let edited = changes.files.iter().map(|file| (file.path, FileState::Edited));
    for (path, state) in edited.chain(changes.gone.iter().map(|path| (*path, FileState::Gone))) {
        if let Some(file_idx) = base.file_index(path) {
            states[file_idx] = state;
        }
    }
    let (mut analyser, mut counts, mut n_rows) = (Analyser::default(), TermCounts::default(), 0);
    for file_idx in (0..states.len()).filter(|file_idx| states[*file_idx] != FileState::Unchanged) {
        let PreviousFileRecords { record, symbols } = PreviousFileRecords::read(base, file_idx)?;
        let bytes = base.source_bytes(file_idx)?;
        for_each_row(&row_source(&record, &symbols, &bytes), &mut analyser, |row, analyser| {
            counts.remove(row, analyser);
        });
        n_rows += u64::from(record.n_rows);
    }
    let removed = counts.changes(&analyser).into_iter();
    let term_rows =
        removed.map(|(term, change)| (String::from_utf8_lossy(term).into_owned(), change.rows.unsigned_abs()));
    Ok(ReplacedFiles { term_rows: term_rows.collect(), states, n_rows })
}
