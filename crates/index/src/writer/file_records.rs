//! Conversions between facts, records and the source of rows.

use model::{ByteSpan, FileFacts, SymbolKind, symbol::qualify};
use rkyv::rancor;
use rustc_hash::FxHashMap;

use super::{NewFile, complexity::indentation_complexity};
use crate::{
    error::{IndexError, damaged},
    records::tables::{CompressedRange, FileRecord, SpanRecord, SymbolRecord},
    rows::{RowSource, SymbolSource},
    snapshot::Snapshot,
};

/// A file of the previous generation, with its symbols and their texts.
pub(super) struct PreviousFileRecords {
    pub(super) record: FileRecord,
    pub(super) symbols: Vec<SymbolRecord>,
}

impl PreviousFileRecords {
    pub(super) fn read(previous: &Snapshot, file_idx: usize) -> Result<PreviousFileRecords, IndexError> {
        let mut records = PreviousFileRecords::read_without_texts(previous, file_idx)?;
        let texts = previous.symbol_texts(file_idx)?;
        for (nth, symbol) in records.symbols.iter_mut().enumerate() {
            let text = texts.get(nth);
            (symbol.signature, symbol.doc) = (text.signature.to_owned(), text.doc.to_owned());
        }
        Ok(records)
    }

    /// Reads a file and its symbols, whose signatures and doc comments are empty.
    pub(super) fn read_without_texts(previous: &Snapshot, file_idx: usize) -> Result<PreviousFileRecords, IndexError> {
        let record = rkyv::deserialize::<FileRecord, rancor::Error>(&previous.tables().files[file_idx]);
        let symbols = previous.symbols_of(file_idx).iter().map(rkyv::deserialize::<SymbolRecord, rancor::Error>);
        let symbols: Result<Vec<SymbolRecord>, rancor::Error> = symbols.collect();
        let to_damaged = |error: rancor::Error| damaged(previous.dir(), error.to_string());
        Ok(PreviousFileRecords { record: record.map_err(to_damaged)?, symbols: symbols.map_err(to_damaged)? })
    }
}

/// Returns the record of a new file. The writer sets slot, ranges and row count.
pub(super) fn file_record(file: &NewFile<'_>) -> FileRecord {
    let NewFile { facts, .. } = file;
    let diagnostics = facts.diagnostics.iter();
    FileRecord {
        path: file.path.to_owned(),
        blob: file.blob.0,
        class: file.class as u8,
        language: facts.language as u8,
        n_lines: facts.n_lines,
        n_bytes: file.n_bytes,
        complexity: indentation_complexity(file.bytes),
        doc: facts.doc.clone(),
        slot: 0,
        n_rows: 0,
        first_symbol: 0,
        n_symbols: facts.definitions.len() as u32,
        chunks: facts.chunks.iter().map(|chunk| span_record(chunk.lines, chunk.bytes)).collect(),
        diagnostics: diagnostics.map(|diagnostic| diagnostic_line(diagnostic.line, &diagnostic.message)).collect(),
        source: CompressedRange::default(),
        symbol_texts: CompressedRange::default(),
    }
}

/// Returns the row source of a file, given its records.
pub(super) fn row_source<'a>(file: &'a FileRecord, symbols: &'a [SymbolRecord], bytes: &'a [u8]) -> RowSource<'a> {
    RowSource {
        path: &file.path,
        doc: &file.doc,
        bytes,
        symbols: symbols
            .iter()
            .map(|symbol| SymbolSource {
                kind: SymbolKind::from_index(symbol.kind).unwrap_or(SymbolKind::Function),
                name: &symbol.name,
                container: &symbol.container,
                signature: &symbol.signature,
                doc: &symbol.doc,
                span: byte_span(symbol.span),
            })
            .collect(),
        chunks: file.chunks.iter().map(|chunk| byte_span(*chunk)).collect(),
    }
}

fn byte_span(span: SpanRecord) -> ByteSpan {
    ByteSpan { start: span.first_byte, end: span.end_byte }
}

fn span_record(lines: model::LineSpan, bytes: ByteSpan) -> SpanRecord {
    SpanRecord { first_line: lines.start, last_line: lines.end, first_byte: bytes.start, end_byte: bytes.end }
}

/// Returns the records of the definitions of a file. `push` in the writer sets the file.
pub(super) fn symbol_records(facts: &FileFacts) -> Vec<SymbolRecord> {
    let mut seen: FxHashMap<String, u32> = FxHashMap::default();
    facts
        .definitions
        .iter()
        .map(|definition| {
            let ordinal = seen.entry(qualify(&definition.container, &definition.name)).or_default();
            *ordinal += 1;
            SymbolRecord {
                file: 0,
                kind: definition.kind as u8,
                is_private: definition.signature.starts_with("private "),
                name: definition.name.clone(),
                container: definition.container.clone(),
                signature: definition.signature.clone(),
                doc: definition.doc.clone(),
                span: span_record(definition.lines, definition.bytes),
                name_line: definition.name_line,
                ordinal: *ordinal,
            }
        })
        .collect()
}

/// Returns slot and index of each file, sorted by slot.
pub(super) fn slot_records(files: &[FileRecord]) -> Vec<(u64, u32)> {
    let mut slots: Vec<(u64, u32)> =
        files.iter().enumerate().map(|(file_idx, file)| (file.slot, file_idx as u32)).collect();
    slots.sort_unstable();
    slots
}

fn diagnostic_line(line: u32, message: &str) -> String {
    if line == 0 { message.to_owned() } else { format!("line {line}: {message}") }
}
