//! Whether the archives of a generation fit each other: whatever one names by a number is there, and no range reaches past
//! its end. Checked once when a generation is opened, so that whoever reads it may follow the numbers.
//!
//! Checksums say that the files are those that were sealed, not who sealed them: a generation may come from elsewhere.

use rkyv::{rend::u32_le, vec::ArchivedVec};

use crate::{
    graph::ArchivedGraphTables,
    messages::ArchivedMessageTables,
    snapshot::Snapshot,
    table::{ArchivedStoredRecord, ArchivedTables},
    vectors::ArchivedVectorTables,
    words::ArchivedBags,
};

/// Says what does not fit, if anything.
pub(crate) fn fault(snapshot: &Snapshot) -> Option<&'static str> {
    let (tables, graph) = (snapshot.tables(), snapshot.graph());
    let words = snapshot.word_tables();
    of_tables(tables)
        .or_else(|| of_places(tables, snapshot.stored_sources().len(), snapshot.stored_pages().len()))
        .or_else(|| of_graph(graph, tables))
        .or_else(|| of_vectors(snapshot.vector_tables()))
        .or_else(|| of_messages(snapshot.message_tables(), tables.files.len()))
        .or_else(|| (!words.messages.is_sound() || !words.pages.is_sound()).then_some("words that are not there"))
}

fn of_tables(tables: &ArchivedTables) -> Option<&'static str> {
    let (n_files, n_symbols) = (tables.files.len(), tables.symbols.len());
    let has_symbol = |symbol: &u32_le| (symbol.to_native() as usize) < n_symbols;
    let symbols_end = |first: u32_le, n: u32_le| first.to_native() as usize + n.to_native() as usize;
    if tables.files.iter().any(|file| symbols_end(file.first_symbol, file.n_symbols) > n_symbols) {
        return Some("a file with symbols that are not there");
    }
    if tables.symbols.iter().any(|symbol| symbol.file.to_native() as usize >= n_files) {
        return Some("a symbol in a file that is not there");
    }
    if tables.names.iter().any(|name| !name.symbols.iter().all(has_symbol)) {
        return Some("a name of a symbol that is not there");
    }
    None
}

fn of_places(tables: &ArchivedTables, n_source: usize, n_pages: usize) -> Option<&'static str> {
    let lies_within = |stored: &ArchivedStoredRecord, n_bytes: usize| {
        let end = stored.offset.to_native().checked_add(u64::from(stored.n_stored.to_native()));
        end.is_some_and(|end| end <= n_bytes as u64)
    };
    if tables.files.iter().any(|file| !lies_within(&file.stored, n_source) || !lies_within(&file.wording, n_source)) {
        return Some("a source past the end of all sources");
    }
    if tables.page_blocks.iter().any(|block| !lies_within(block, n_pages)) {
        return Some("a page past the end of all pages");
    }
    None
}

fn of_graph(graph: &ArchivedGraphTables, tables: &ArchivedTables) -> Option<&'static str> {
    let is_numbered_alike = graph.n_symbols.to_native() as usize == tables.symbols.len()
        && graph.n_files.to_native() as usize == tables.files.len()
        && graph.files.len() == tables.files.len();
    if !is_numbered_alike {
        return Some("a graph of other symbols or files");
    }
    let has_edges =
        are_starts(&graph.out_starts, graph.edges.len()) && are_starts(&graph.in_starts, graph.incoming.len());
    if !has_edges {
        return Some("edges that are not there");
    }
    let has_name = |index: &u32_le| (index.to_native() as usize) < graph.names.len();
    let are_named = graph.offers.iter().all(|offer| has_name(&offer.key) && has_name(&offer.member))
        && graph.uses.iter().all(|one| has_name(&one.key) && has_name(&one.member));
    if !are_named || !graph.names.iter().is_sorted() {
        return Some("a contract of names that are not there");
    }
    let has_offer = |member: &u32_le| (member.to_native() as usize) < graph.offers.len();
    (!graph.members.iter().all(has_offer)).then_some("a member of no offer")
}

fn of_vectors(vectors: &ArchivedVectorTables) -> Option<&'static str> {
    let n_rows = vectors.numbers.len();
    let fits = vectors.inverse_norms.len() == n_rows
        && n_rows.checked_mul(vectors.n_dims.to_native() as usize) == Some(vectors.codes.len())
        && are_starts(&vectors.first_rows, n_rows);
    (!fits).then_some("vectors of rows that are not there")
}

fn of_messages(messages: &ArchivedMessageTables, n_files: usize) -> Option<&'static str> {
    let n_messages = messages.keys.len();
    let n_bytes = embed::packed_len(messages.n_dims.to_native() as usize);
    let fits = messages.inverse_norms.len() == n_messages
        && messages.n_files.len() == n_messages
        && n_messages.checked_mul(n_bytes) == Some(messages.vectors.len())
        && messages.first_files.len() == n_messages + 1
        && are_starts(&messages.first_files, messages.files.len())
        && messages.files.iter().all(|file_idx| (file_idx.to_native() as usize) < n_files);
    (!fits).then_some("messages of files that are not there")
}

impl ArchivedBags {
    fn is_sound(&self) -> bool {
        let n_texts = self.first_terms.len().saturating_sub(1);
        self.frequencies.len() == self.terms.len()
            && self.lengths.len() >= n_texts
            && are_starts(&self.first_terms, self.terms.len())
    }
}

/// Says whether each of these is where the part before it ends, and none lies past the `end`.
fn are_starts(starts: &ArchivedVec<u32_le>, end: usize) -> bool {
    starts.is_sorted() && starts.last().is_none_or(|last| last.to_native() as usize <= end)
}
