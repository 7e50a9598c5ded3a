//! Reading an index document by document, from any bytes. Every size and count is bounded.

use std::io::BufRead;

use protobuf::{CodedInputStream, Enum as _, Message};
use scip::types::{self, occurrence::Typed_range};

use crate::{IndexDocument, Occurrence, OccurrenceRange, PositionEncoding, Relationship};

/// Maximum size of an index. A repository of 100,000 files has about half of it.
pub const MAX_INDEX_BYTES: u64 = 1 << 30;

/// Maximum size of one document. A document of a file of two megabytes, the largest that is indexed, has a tenth of it.
const MAX_DOCUMENT_BYTES: u64 = 64 << 20;

/// Maximum number of occurrences of one document that are kept.
const MAX_OCCURRENCES: usize = 500_000;

/// Maximum number of relationships of one document that are kept.
const MAX_RELATIONSHIPS: usize = 100_000;

/// Maximum size of one occurrence or description of a symbol. Its decoded form may have fifty times its size.
const MAX_MESSAGE_BYTES: u64 = 256 << 10;

/// Maximum length of a symbol. Symbols of code have some hundred bytes.
pub const MAX_SYMBOL_BYTES: usize = 4 << 10;

/// Maximum length of a path.
const MAX_PATH_BYTES: usize = 4 << 10;

/// Numbers of the fields of `Index`.
const INDEX_DOCUMENTS: u32 = 2;

/// Numbers of the fields of `Document`.
const DOCUMENT_PATH: u32 = 1;
const DOCUMENT_OCCURRENCES: u32 = 2;
const DOCUMENT_SYMBOLS: u32 = 3;
const DOCUMENT_TEXT: u32 = 5;
const DOCUMENT_ENCODING: u32 = 6;

/// The wire types of protobuf that the fields above have.
const WIRE_VARINT: u32 = 0;
const WIRE_BYTES: u32 = 2;

/// Why an index cannot be read further. The documents before are valid.
#[derive(Debug, thiserror::Error)]
pub enum IndexReadError {
    /// The bytes are no SCIP index, or end too early.
    #[error("it is damaged or no SCIP index: {0}")]
    Damaged(String),
    /// There are more bytes than allowed.
    #[error("it has more than {MAX_INDEX_BYTES} bytes")]
    TooLong,
}

/// Why a document is left out. The documents behind it are read.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum DocumentError {
    /// Its bytes cannot be decoded.
    #[error("a document is damaged")]
    Damaged,
    /// It is too long.
    #[error("a document has more than {MAX_DOCUMENT_BYTES} bytes")]
    TooLong,
    /// Its path is absolute, leads out of the repository, or is no text.
    #[error("a document has the path `{0}`, which is not within the repository")]
    Path(String),
}

/// Reads an index.
pub struct IndexReader<'a> {
    input: CodedInputStream<'a>,
}

impl<'a> IndexReader<'a> {
    /// Reads from bytes or a buffered file.
    pub fn new(input: &'a mut dyn BufRead) -> IndexReader<'a> {
        IndexReader { input: CodedInputStream::from_buf_read(input) }
    }

    /// Returns the documents in the order of the index, or why one is left out. Ends after an [`IndexReadError`].
    pub fn documents(self) -> impl Iterator<Item = Result<Result<IndexDocument, DocumentError>, IndexReadError>> + 'a {
        let mut reader = Some(self);
        std::iter::from_fn(move || {
            let next = reader.as_mut()?.next_document();
            if !matches!(next, Ok(Some(_))) {
                reader = None;
            }
            next.transpose()
        })
    }

    fn next_document(&mut self) -> Result<Option<Result<IndexDocument, DocumentError>>, IndexReadError> {
        loop {
            let Some(tag) = self.input.read_raw_tag_or_eof().map_err(damaged)? else { return Ok(None) };
            if self.input.pos() > MAX_INDEX_BYTES {
                return Err(IndexReadError::TooLong);
            }
            if tag & 7 != WIRE_BYTES {
                protobuf::rt::skip_field_for_tag(tag, &mut self.input).map_err(damaged)?;
                continue;
            }
            let length = self.input.read_raw_varint64().map_err(damaged)?;
            if self.input.pos().saturating_add(length) > MAX_INDEX_BYTES {
                return Err(IndexReadError::TooLong);
            }
            // The sum is below the maximum length of an index.
            let length = length as u32;
            if tag >> 3 != INDEX_DOCUMENTS {
                self.input.skip_raw_bytes(length).map_err(damaged)?;
            } else if u64::from(length) > MAX_DOCUMENT_BYTES {
                self.input.skip_raw_bytes(length).map_err(damaged)?;
                return Ok(Some(Err(DocumentError::TooLong)));
            } else {
                let bytes = self.input.read_raw_bytes(length).map_err(damaged)?;
                return Ok(Some(document(&bytes)));
            }
        }
    }
}

fn damaged(error: protobuf::Error) -> IndexReadError {
    IndexReadError::Damaged(error.to_string().to_lowercase())
}

fn document(bytes: &[u8]) -> Result<IndexDocument, DocumentError> {
    let document = decode(bytes).map_err(|_| DocumentError::Damaged)?;
    if is_within_repository(&document.path) {
        Ok(document)
    } else {
        Err(DocumentError::Path(document.path.chars().take(100).collect()))
    }
}

/// Decodes a document. Each of its messages is decoded alone, so that only one has its decoded size.
fn decode(bytes: &[u8]) -> protobuf::Result<IndexDocument> {
    let mut input = CodedInputStream::from_bytes(bytes);
    let mut document = IndexDocument::default();
    while let Some(tag) = input.read_raw_tag_or_eof()? {
        match (tag >> 3, tag & 7) {
            (DOCUMENT_PATH, WIRE_BYTES) => document.path = input.read_string()?,
            (DOCUMENT_TEXT, WIRE_BYTES) => document.text = Some(input.read_string()?).filter(|text| !text.is_empty()),
            (DOCUMENT_ENCODING, WIRE_VARINT) => document.encoding = encoding(input.read_int32()?),
            (DOCUMENT_OCCURRENCES, WIRE_BYTES) => {
                let occurrence = message::<types::Occurrence>(&mut input)?.and_then(occurrence);
                if document.occurrences.len() < MAX_OCCURRENCES {
                    document.occurrences.extend(occurrence);
                }
            }
            (DOCUMENT_SYMBOLS, WIRE_BYTES) => {
                let described = message::<types::SymbolInformation>(&mut input)?;
                let related = described.into_iter().flat_map(relationships);
                let n_left = MAX_RELATIONSHIPS - document.relationships.len();
                document.relationships.extend(related.take(n_left));
            }
            _ => protobuf::rt::skip_field_for_tag(tag, &mut input)?,
        }
    }
    Ok(document)
}

/// Reads a nested message; `None` if it is too long.
fn message<M: Message>(input: &mut CodedInputStream<'_>) -> protobuf::Result<Option<M>> {
    let length = input.read_raw_varint32()?;
    if u64::from(length) > MAX_MESSAGE_BYTES {
        input.skip_raw_bytes(length)?;
        return Ok(None);
    }
    M::parse_from_bytes(&input.read_raw_bytes(length)?).map(Some)
}

fn encoding(number: i32) -> PositionEncoding {
    match types::PositionEncoding::from_i32(number) {
        Some(types::PositionEncoding::UTF8CodeUnitOffsetFromLineStart) => PositionEncoding::Utf8,
        Some(types::PositionEncoding::UTF16CodeUnitOffsetFromLineStart) => PositionEncoding::Utf16,
        Some(types::PositionEncoding::UTF32CodeUnitOffsetFromLineStart) => PositionEncoding::Utf32,
        _ => PositionEncoding::Unspecified,
    }
}

/// Returns an occurrence of a global symbol within one line. Names do not extend over lines.
fn occurrence(message: types::Occurrence) -> Option<Occurrence> {
    let range = match (&message.typed_range, message.range.as_slice()) {
        (Some(Typed_range::SingleLineRange(range)), _) => [range.line, range.start_character, range.end_character],
        (Some(Typed_range::MultiLineRange(range)), _) if range.start_line == range.end_line => {
            [range.start_line, range.start_character, range.end_character]
        }
        (None, &[line, start, end]) => [line, start, end],
        (None, &[line, start, end_line, end]) if line == end_line => [line, start, end],
        _ => return None,
    };
    let [line, start, end] = range.map(u32::try_from);
    let range = OccurrenceRange { line: line.ok()?, start: start.ok()?, end: end.ok()? };
    let forward = types::SymbolRole::ForwardDefinition as i32;
    let definition = types::SymbolRole::Definition as i32;
    let is_kept = is_kept(&message.symbol) && message.symbol_roles & forward == 0;
    is_kept.then_some(Occurrence {
        range,
        symbol: message.symbol,
        is_definition: message.symbol_roles & definition != 0,
    })
}

fn relationships(message: types::SymbolInformation) -> impl Iterator<Item = Relationship> {
    let from = message.symbol;
    let is_described = is_kept(&from);
    let related = message
        .relationships
        .into_iter()
        .filter(move |related| is_described && related.is_implementation && is_kept(&related.symbol));
    related.map(move |related| Relationship { from: from.clone(), to: related.symbol })
}

/// Returns true for a global symbol of a usual length. Local symbols are not visible outside of their file, and mostly variables.
fn is_kept(symbol: &str) -> bool {
    !symbol.is_empty() && symbol.len() <= MAX_SYMBOL_BYTES && !scip::symbol::is_local_symbol(symbol)
}

fn is_within_repository(path: &str) -> bool {
    let is_name = |part: &str| !matches!(part, "" | "." | "..");
    path.len() <= MAX_PATH_BYTES && path.split('/').all(is_name) && !path.contains(['\\', '\0', ':'])
}

#[cfg(test)]
mod tests {
    use protobuf::MessageField;
    use scip::types::{Document, Index, Metadata, MultiLineRange, SingleLineRange, SymbolInformation};

    use super::*;

    type Read = Vec<Result<Result<IndexDocument, DocumentError>, IndexReadError>>;

    fn read(mut bytes: &[u8]) -> Read {
        IndexReader::new(&mut bytes).documents().collect()
    }

    fn index(documents: Vec<Document>) -> Vec<u8> {
        let metadata = MessageField::some(Metadata { project_root: "file:///a".into(), ..Metadata::default() });
        Index { metadata, documents, ..Index::default() }.write_to_bytes().unwrap()
    }

    fn named(path: &str) -> Document {
        Document { relative_path: path.into(), ..Document::default() }
    }

    #[test]
    fn ranges_have_several_forms() {
        let at =
            |range: Vec<i32>, symbol: &str| types::Occurrence { range, symbol: symbol.into(), ..Default::default() };
        let typed =
            |typed: Typed_range| types::Occurrence { typed_range: Some(typed), ..at(vec![9, 9, 9], "s p n v f().") };
        let single = SingleLineRange { line: 1, start_character: 2, end_character: 3, ..Default::default() };
        let multi =
            MultiLineRange { start_line: 1, start_character: 2, end_line: 1, end_character: 3, ..Default::default() };
        let occurrences = vec![
            at(vec![1, 2, 3], "s p n v f()."),
            at(vec![1, 2, 1, 3], "s p n v f()."),
            typed(Typed_range::SingleLineRange(single)),
            typed(Typed_range::MultiLineRange(multi)),
            // None of these is read.
            at(vec![1, 2, 2, 3], "s p n v f()."),
            at(vec![1, 2], "s p n v f()."),
            at(vec![1, -2, 3], "s p n v f()."),
            at(vec![1, 2, 3], "local 7"),
            at(vec![1, 2, 3], ""),
            at(vec![1, 2, 3], &"x".repeat(1 << 20)),
        ];
        let document = Document { occurrences, ..named("a.ts") };
        let read = read(&index(vec![document]));
        let document = read[0].as_ref().unwrap().as_ref().unwrap();
        let expected = OccurrenceRange { line: 1, start: 2, end: 3 };
        assert_eq!(document.occurrences.iter().map(|one| one.range).collect::<Vec<_>>(), [expected; 4]);
    }

    #[test]
    fn paths_outside_of_the_repository_are_refused() {
        for (path, is_read) in [
            ("src/a.ts", true),
            ("", false),
            ("/etc/passwd", false),
            ("../a.ts", false),
            ("a/../b.ts", false),
            ("./a.ts", false),
            ("a//b.ts", false),
            ("a\\b.ts", false),
            ("C:/a.ts", false),
        ] {
            let read = read(&index(vec![named(path), named("b.ts")]));
            assert_eq!(read.len(), 2, "{path}");
            assert_eq!(read[0].as_ref().unwrap().is_ok(), is_read, "{path}");
            assert_eq!(read[1].as_ref().unwrap().as_ref().unwrap().path, "b.ts");
        }
    }

    #[test]
    fn implementations_are_read() {
        let related = |is_implementation| types::Relationship {
            symbol: "s p n v B#".into(),
            is_implementation,
            is_reference: true,
            ..Default::default()
        };
        let symbol = SymbolInformation {
            symbol: "s p n v A#".into(),
            relationships: vec![related(true), related(false)],
            ..Default::default()
        };
        let read = read(&index(vec![Document { symbols: vec![symbol], ..named("a.ts") }]));
        let expected = Relationship { from: "s p n v A#".into(), to: "s p n v B#".into() };
        assert_eq!(read[0].as_ref().unwrap().as_ref().unwrap().relationships, [expected]);
    }

    #[test]
    fn a_damaged_index_keeps_the_documents_before() {
        let bytes = index(vec![named("a.ts"), named("b.ts")]);
        for length in 0..bytes.len() {
            let read = read(&bytes[..length]);
            assert!(read.iter().rev().skip(1).all(Result::is_ok), "{length}: {read:?}");
        }
        let cut = read(&bytes[..bytes.len() - 1]);
        assert!(cut[0].is_ok() && matches!(cut[1], Err(IndexReadError::Damaged(_))), "{cut:?}");
        // A document whose bytes are damaged, before a valid one.
        let mut bytes = vec![0x12, 2, 0x0a, 9];
        bytes.extend(index(vec![named("b.ts")]));
        let read = read(&bytes);
        assert_eq!(read[0].as_ref().unwrap().as_ref().unwrap_err(), &DocumentError::Damaged);
        assert!(read[1].as_ref().unwrap().is_ok());
    }

    #[test]
    fn declared_lengths_are_not_trusted() {
        // A document of 2^60 bytes.
        let huge = [0x12, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10];
        assert!(matches!(read(&huge)[..], [Err(IndexReadError::TooLong)]));
        // One of 900 MB, of which nothing follows.
        let long = [0x12, 0x80, 0xd2, 0x93, 0xad, 0x03];
        assert!(matches!(read(&long)[..], [Err(IndexReadError::Damaged(_))]));
        // One of 50 MB, of which nothing follows.
        let long = [0x12, 0x80, 0xe1, 0xeb, 0x17];
        assert!(matches!(read(&long)[..], [Err(IndexReadError::Damaged(_))]));
    }
}
