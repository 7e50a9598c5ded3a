//! Referential integrity of the archives of a generation: every stored index refers to an existing record, and no range
//! exceeds its file. It is checked once on opening, so that readers may index without checks.
//!
//! Checksums prove that the files are the sealed ones, but not who sealed them: a generation may come from another machine.

use rkyv::{rend::u32_le, vec::ArchivedVec};

use crate::{
    archives::Archives,
    records::{
        graph::ArchivedGraphTables,
        messages::ArchivedMessageTables,
        tables::{ArchivedCompressedRange, ArchivedTables},
        term_bags::ArchivedTermBags,
        vectors::{ArchivedVectorTables, GenerationVectors, VectorPlace},
    },
};

/// Returns the first inconsistency, if there is one.
pub(crate) fn find_inconsistency(archives: &Archives) -> Option<&'static str> {
    let tables = archives.tables.get();
    let words = [archives.message_words.get(), archives.page_words.get()];
    check_tables(tables)
        .or_else(|| check_ranges(archives, archives.source_lens(), archives.pages().len()))
        .or_else(|| check_graph(archives.graph.get(), tables))
        .or_else(|| check_vectors(archives.vectors(), tables.files.len()))
        .or_else(|| check_messages(archives.messages.get(), tables.files.len()))
        .or_else(|| (!words.into_iter().all(is_consistent)).then_some("term bags out of range"))
}

fn check_tables(tables: &ArchivedTables) -> Option<&'static str> {
    let (n_files, n_symbols) = (tables.files.len(), tables.symbols.len());
    let has_symbol = |symbol: &u32_le| (symbol.to_native() as usize) < n_symbols;
    let symbols_end = |first: u32_le, n: u32_le| first.to_native() as usize + n.to_native() as usize;
    if tables.files.iter().any(|file| symbols_end(file.first_symbol, file.n_symbols) > n_symbols) {
        return Some("a file refers to missing symbols");
    }
    if tables.symbols.iter().any(|symbol| symbol.file.to_native() as usize >= n_files) {
        return Some("a symbol refers to a missing file");
    }
    if tables.names.iter().any(|name| !name.symbols.iter().all(has_symbol)) {
        return Some("a name refers to a missing symbol");
    }
    None
}

fn check_ranges(
    archives: &Archives,
    (n_linked, n_changed): (usize, usize),
    n_page_bytes: usize,
) -> Option<&'static str> {
    let is_within = |range: &ArchivedCompressedRange, n_bytes: usize| {
        let end = range.offset.to_native().checked_add(u64::from(range.n_compressed.to_native()));
        end.is_some_and(|end| end <= n_bytes as u64)
    };
    let is_in_one_file = |range: &ArchivedCompressedRange| {
        is_within(range, n_linked) || range.n_compressed == 0 || range.offset.to_native() >= n_linked as u64
    };
    let has_texts = |range: &ArchivedCompressedRange| is_within(range, n_linked + n_changed) && is_in_one_file(range);
    if !archives.tables.get().files.iter().all(|file| has_texts(&file.source) && has_texts(&file.symbol_texts)) {
        return Some("a file refers past the end of the source");
    }
    if !archives.page_tables.get().blocks.iter().all(|block| is_within(block, n_page_bytes)) {
        return Some("a page refers past the end of the pages");
    }
    None
}

fn check_graph(graph: &ArchivedGraphTables, tables: &ArchivedTables) -> Option<&'static str> {
    let has_equal_counts = graph.n_symbols.to_native() as usize == tables.symbols.len()
        && graph.n_files.to_native() as usize == tables.files.len()
        && graph.files.len() == tables.files.len();
    if !has_equal_counts {
        return Some("graph and tables differ in their number of symbols or files");
    }
    let has_edges = are_range_starts(&graph.out_starts, graph.edges.len())
        && are_range_starts(&graph.in_starts, graph.incoming.len());
    if !has_edges {
        return Some("a node refers to missing edges");
    }
    let n_edges = graph.edges.len() + graph.attributed_edges.len();
    let has_lines = graph.further_lines.iter().all(|further| (further.edge.to_native() as usize) < n_edges)
        && graph.further_lines.is_sorted_by_key(|further| (further.edge.to_native(), further.line.to_native()));
    if !has_lines {
        return Some("a line refers to a missing edge");
    }
    let has_name = |index: &u32_le| (index.to_native() as usize) < graph.names.len();
    let has_names = graph.offers.iter().all(|offer| has_name(&offer.key) && has_name(&offer.member))
        && graph.uses.iter().all(|one| has_name(&one.key) && has_name(&one.member));
    let has_names = has_names
        && graph
            .unresolved_members
            .iter()
            .all(|one| has_name(&one.name) && (one.file.to_native() as usize) < tables.files.len());
    let has_names = has_names
        && graph.known_members.iter().all(|one| has_name(&one.name))
        && graph.known_members.is_sorted_by_key(|one| one.name.to_native());
    if !has_names || !graph.names.iter().is_sorted() {
        return Some("a contract refers to a missing name");
    }
    let has_offer = |member: &u32_le| (member.to_native() as usize) < graph.offers.len();
    (!graph.members.iter().all(has_offer)).then_some("a package member refers to a missing offer")
}

fn check_vectors(vectors: GenerationVectors<'_>, n_files: usize) -> Option<&'static str> {
    if !vectors.layers().all(is_consistent_layer) {
        return Some("the vector tables differ in their number of rows");
    }
    let changes = vectors.changes?;
    let n_files_of = |tables: &ArchivedVectorTables| tables.first_rows.len().saturating_sub(1);
    let has_place = |file_idx: usize| match vectors.place(file_idx) {
        VectorPlace::Linked(idx) => (idx as usize) < n_files_of(vectors.tables),
        VectorPlace::Changed(idx) => (idx as usize) < n_files_of(&changes.changed),
    };
    let n_dims = |tables: &ArchivedVectorTables| (tables.n_rows() > 0).then(|| tables.n_dims.to_native());
    let is_consistent = changes.places.len() == n_files
        && (0..n_files).all(has_place)
        && vectors.layers().filter_map(n_dims).all(|of_layer| of_layer == vectors.n_dims());
    (!is_consistent).then_some("a file refers to missing vectors")
}

fn is_consistent_layer(vectors: &ArchivedVectorTables) -> bool {
    let n_rows = vectors.numbers.len();
    vectors.inverse_norms.len() == n_rows
        && n_rows.checked_mul(vectors.n_dims.to_native() as usize) == Some(vectors.codes.len())
        && are_range_starts(&vectors.first_rows, n_rows)
}

fn check_messages(messages: &ArchivedMessageTables, n_files: usize) -> Option<&'static str> {
    let n_messages = messages.keys.len();
    let n_bytes = embed::packed_len(messages.n_dims.to_native() as usize);
    let is_consistent = messages.inverse_norms.len() == n_messages
        && messages.n_files.len() == n_messages
        && n_messages.checked_mul(n_bytes) == Some(messages.vectors.len())
        && messages.first_files.len() == n_messages + 1
        && are_range_starts(&messages.first_files, messages.files.len())
        && messages.files.iter().all(|file_idx| (file_idx.to_native() as usize) < n_files);
    (!is_consistent).then_some("a commit message refers to a missing file")
}

fn is_consistent(bags: &ArchivedTermBags) -> bool {
    let n_texts = bags.first_terms.len().saturating_sub(1);
    bags.frequencies.len() == bags.terms.len()
        && bags.lengths.len() >= n_texts
        && are_range_starts(&bags.first_terms, bags.terms.len())
}

/// Returns true if these are the starts of consecutive ranges within `0..end`.
fn are_range_starts(starts: &ArchivedVec<u32_le>, end: usize) -> bool {
    starts.is_sorted() && starts.last().is_none_or(|last| last.to_native() as usize <= end)
}
