//! The second half of a generation: graph, history and pages.

use std::{path::PathBuf, sync::Arc};

use super::{
    NewGraph, NewHistory,
    archive_file::{link_file, write_archive, write_file},
    graph::graph_tables,
    history::{history_tables, hotspots::hotspots, previous_history_tables},
    manifest::manifest,
    messages::commit_messages,
    pages::{UnsealedGeneration, write_pages},
    row_index::RowCounts,
    source_file::SourceFileReader,
};
use crate::{
    compression::compress_file,
    error::{IndexError, io_error},
    generation::GenerationProvenance,
    manifest::{GenerationManifest, LinkedFiles},
    records::{
        GRAPH_FILE, HISTORY_FILE, HISTORY_STATE_FILE, LINK_FACTS_FILE, MESSAGE_WORDS_FILE, MESSAGES_FILE,
        OVERVIEW_FILE, PAGE_TABLES_FILE, PAGE_WORDS_FILE,
        history::HistoryTables,
        page_tables::PageTables,
        tables::{CompressedRange, Tables},
    },
    snapshot::Snapshot,
};

/// The files of a generation that are linked if it has the history of the previous one.
const OF_HISTORY: [&str; 4] = [HISTORY_STATE_FILE, HISTORY_FILE, MESSAGES_FILE, MESSAGE_WORDS_FILE];

/// A generation whose tables, text index and vectors are written. It lacks the graph, the history and the pages.
pub struct WrittenRows {
    pub(super) dir: PathBuf,
    pub(super) provenance: GenerationProvenance,
    pub(super) previous: Option<Arc<Snapshot>>,
    pub(super) tables: Tables,
    pub(super) read_source: SourceFileReader,
    pub(super) row_counts: RowCounts,
    pub(super) compiler_files: u64,
    /// The names of the files that are linked so far.
    pub(super) linked_names: Vec<&'static str>,
}

impl WrittenRows {
    /// Writes the rest, in two threads, and seals the generation. It never changes afterwards.
    ///
    /// Without a history, it has that of the previous generation; see [`super::GenerationWriter::has_previous_history`].
    pub fn seal(
        self,
        graph: &NewGraph<'_>,
        history: Option<&NewHistory<'_>>,
    ) -> Result<GenerationManifest, IndexError> {
        let previous = self.previous.as_deref();
        let reused_history = previous.filter(|_| history.is_none());
        let no_history = NewHistory::none();
        let history = history.unwrap_or(&no_history);
        if let Some(previous) = reused_history {
            for name in OF_HISTORY {
                link_file(&previous.dir().join(name), &self.dir.join(name))?;
            }
        }
        let write_graph = || {
            write_archive(&self.dir, GRAPH_FILE, &graph_tables(graph, &self.tables.symbols))?;
            write_file(&self.dir, LINK_FACTS_FILE, graph.link_facts)?;
            if reused_history.is_none() {
                let (bags, message_tables) = commit_messages(history, &self.tables.files, previous);
                write_archive(&self.dir, MESSAGES_FILE, &message_tables)?;
                write_archive(&self.dir, MESSAGE_WORDS_FILE, &bags)?;
            }
            Ok::<_, IndexError>(())
        };
        let write_others = || match reused_history {
            Some(previous) => self.write_pages(graph, &previous_history_tables(previous)?, reused_history),
            None => self.write_pages(graph, &self.write_history(history)?, None),
        };
        let (written_graph, written_others) = rayon::join(write_graph, write_others);
        written_graph?;
        written_others?;
        let WrittenRows { dir, provenance, tables, row_counts, compiler_files, mut linked_names, .. } = self;
        linked_names.extend(OF_HISTORY.into_iter().filter(|_| reused_history.is_some()));
        let linked = LinkedFiles { from: previous.map(Snapshot::manifest), names: linked_names };
        let manifest = manifest(provenance, &tables, &history.diagnostics, row_counts, compiler_files);
        let sealed = manifest.seal(&dir, &linked);
        // Its many texts are freed beside the publication.
        rayon::spawn(move || drop(tables));
        sealed
    }

    fn write_history(&self, history: &NewHistory<'_>) -> Result<HistoryTables, IndexError> {
        let state = compress_file(history.state);
        let state = state.map_err(io_error("cannot compress the history for", &self.dir))?;
        write_file(&self.dir, HISTORY_STATE_FILE, &state)?;
        let history_tables = history_tables(history, &self.tables.files);
        write_archive(&self.dir, HISTORY_FILE, &history_tables)?;
        Ok(history_tables)
    }

    /// Writes the pages, and what depends on them. `previous` is a generation with the same paths, classes and history.
    fn write_pages(
        &self,
        graph: &NewGraph<'_>,
        history: &HistoryTables,
        previous: Option<&Snapshot>,
    ) -> Result<(), IndexError> {
        let hotspots = hotspots(&self.tables.files, &history.files);
        let read_source = |range: CompressedRange| self.read_source.read(range);
        let unsealed =
            UnsealedGeneration { tables: &self.tables, graph, history, hotspots: &hotspots, read_source: &read_source };
        let pages = write_pages(&self.dir, &unsealed, previous)?;
        write_archive(&self.dir, OVERVIEW_FILE, &pages.overview)?;
        write_archive(&self.dir, PAGE_WORDS_FILE, &pages.term_bags)?;
        let type_of_file = pages.type_of_file.into_iter().map(|page_type| page_type as u8).collect();
        let (pages, blocks) = (pages.records.pages, pages.records.blocks);
        write_archive(&self.dir, PAGE_TABLES_FILE, &PageTables { type_of_file, hotspots, pages, blocks })
    }
}
