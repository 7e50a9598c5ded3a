//! From facts to the records of a generation, and from records to the source of rows.

use std::collections::BTreeMap;

use model::{ByteSpan, FileClass, FileFacts, Language, SymbolKind, symbol::qualify};
use ranking::analyser::fold;
use rkyv::rancor;
use rustc_hash::FxHashMap;

use super::Provenance;
use crate::{
    IndexError, LanguageCount, NewHistory, Snapshot,
    error::damaged,
    row::{RowSource, SymbolText},
    table::{FileRecord, NameRecord, SpanRecord, SymbolRecord},
};

/// More diagnostics than this are left out of the manifest.
const MAX_DIAGNOSTICS: usize = 20;

/// A file of the generation before.
pub(super) struct OlderFile {
    pub(super) record: FileRecord,
    pub(super) symbols: Vec<SymbolRecord>,
}

impl OlderFile {
    pub(super) fn read(previous: &Snapshot, file_idx: usize) -> Result<OlderFile, IndexError> {
        let record = rkyv::deserialize::<FileRecord, rancor::Error>(&previous.tables().files[file_idx]);
        let symbols = previous.symbols_of(file_idx).iter().map(rkyv::deserialize::<SymbolRecord, rancor::Error>);
        let symbols: Result<Vec<SymbolRecord>, rancor::Error> = symbols.collect();
        let of_archive = |error: rancor::Error| damaged(previous.dir(), error.to_string());
        let (record, mut symbols) = (record.map_err(of_archive)?, symbols.map_err(of_archive)?);
        let wordings = previous.wordings(file_idx)?;
        for (place, symbol) in symbols.iter_mut().enumerate() {
            let wording = wordings.at(place);
            (symbol.signature, symbol.doc) = (wording.signature.to_owned(), wording.doc.to_owned());
        }
        Ok(OlderFile { record, symbols })
    }
}

pub(super) fn row_source<'a>(file: &'a FileRecord, symbols: &'a [SymbolRecord], bytes: &'a [u8]) -> RowSource<'a> {
    RowSource {
        path: &file.path,
        doc: &file.doc,
        bytes,
        symbols: symbols
            .iter()
            .map(|symbol| SymbolText {
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

pub(super) fn byte_span(span: SpanRecord) -> ByteSpan {
    ByteSpan { start: span.first_byte, end: span.end_byte }
}

pub(super) fn span_record(lines: model::LineSpan, bytes: ByteSpan) -> SpanRecord {
    SpanRecord { first_line: lines.start, last_line: lines.end, first_byte: bytes.start, end_byte: bytes.end }
}

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

pub(super) fn names(symbols: &[SymbolRecord]) -> Vec<NameRecord> {
    let mut by_name: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for (symbol_idx, symbol) in symbols.iter().enumerate() {
        by_name.entry(fold(&symbol.name)).or_default().push(symbol_idx as u32);
    }
    by_name.into_iter().map(|(folded, symbols)| NameRecord { folded, symbols }).collect()
}

pub(super) fn languages(files: &[FileRecord]) -> Vec<LanguageCount> {
    let mut counts: BTreeMap<u8, (u64, u64)> = BTreeMap::new();
    for file in files.iter().filter(|file| FileClass::from_index(file.class) != Some(FileClass::Binary)) {
        let (n_files, n_symbols) = counts.entry(file.language).or_default();
        *n_files += 1;
        *n_symbols += u64::from(file.n_symbols);
    }
    let mut languages: Vec<LanguageCount> = counts
        .into_iter()
        .map(|(language, (files, symbols))| LanguageCount {
            language: Language::ALL.get(language as usize).copied().unwrap_or(Language::Text).name().to_owned(),
            files,
            symbols,
        })
        .collect();
    languages.sort_by(|a, b| b.files.cmp(&a.files).then_with(|| a.language.cmp(&b.language)));
    languages
}

pub(super) fn diagnostics(provenance: &Provenance, history: &NewHistory<'_>, files: &[FileRecord]) -> Vec<String> {
    let of_files =
        files.iter().flat_map(|file| file.diagnostics.iter().map(move |line| format!("{}: {line}", file.path)));
    let of_all = provenance.diagnostics.iter().chain(&history.diagnostics);
    of_all.cloned().chain(of_files).take(MAX_DIAGNOSTICS).collect()
}

pub(super) fn diagnostic_line(line: u32, message: &str) -> String {
    if line == 0 { message.to_owned() } else { format!("line {line}: {message}") }
}
