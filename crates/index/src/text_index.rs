//! The text index: postings of the rows in tantivy, with one text field per ranking field.
//!
//! The analyser makes the terms, and they are passed to tantivy joined by spaces. Postings have frequencies but no positions,
//! since there are no phrase queries. Two numeric fields exist beside the text: the slot of the file, by which its rows are
//! deleted, and the row number.

mod sealed_directory;
mod staging_directory;

use std::{fs, path::Path};

use ranking::{Field, N_FIELDS, analyser::Analyser};
use tantivy::{
    Index, IndexReader, IndexSettings, IndexWriter, ReloadPolicy, TantivyDocument, TantivyError, Term,
    indexer::{NoMergePolicy, SingleSegmentIndexWriter},
    schema::{FAST, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions},
    store::Compressor,
    tokenizer::{Token, TokenStream, Tokenizer},
};

use crate::{
    error::{IndexError, io_error},
    rows::RowTerms,
    writer::link_file,
};
use sealed_directory::SealedDirectory;
use staging_directory::StagingDirectory;

const TOKENIZER: &str = "terms";

/// Initial memory of a writer. The minimum of tantivy is 15 MB per thread.
const WRITER_BYTES: usize = 20_000_000;

/// Number of segments of an extended index at which the small ones are merged. Every query looks up each term in every segment.
const N_SEGMENTS_TO_MERGE: usize = 5;

/// Number of low bits of a stored row number that hold the number within the file. The high bits hold the slot.
const ROW_BITS: u32 = 24;

/// The fields of the schema.
pub(crate) struct TextIndexFields {
    pub(crate) text: [tantivy::schema::Field; N_FIELDS],
    slot: tantivy::schema::Field,
    row: tantivy::schema::Field,
}

/// Splits a stored row number into slot and number within the file.
pub(crate) fn split_row(row: u64) -> (u64, u32) {
    (row >> ROW_BITS, (row & ((1 << ROW_BITS) - 1)) as u32)
}

fn schema() -> (Schema, TextIndexFields) {
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(TOKENIZER)
        .set_index_option(IndexRecordOption::WithFreqs)
        .set_fieldnorms(true);
    let options = TextOptions::default().set_indexing_options(indexing);
    let mut builder = Schema::builder();
    let text = Field::ALL.map(|field| builder.add_text_field(field.name(), options.clone()));
    let slot = builder.add_u64_field("slot", INDEXED);
    let row = builder.add_u64_field("row", FAST);
    (builder.build(), TextIndexFields { text, slot, row })
}

/// Writes rows into a new index, or into an extended copy of a previous one.
pub(crate) struct TextWriter {
    fields: TextIndexFields,
    kind: WriterKind,
}

enum WriterKind {
    New(Box<SingleSegmentIndexWriter>),
    Extend(Box<IndexWriter>),
}

impl TextWriter {
    /// Creates an index of one segment, with the rows in the order in which they are added. An unfinished extension in `dir` is removed.
    pub(crate) fn create(dir: &Path) -> Result<TextWriter, IndexError> {
        match fs::remove_dir_all(dir) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(io_error("cannot remove", dir)(error))?,
            _ => {}
        }
        fs::create_dir_all(dir).map_err(io_error("cannot create", dir))?;
        let (schema, fields) = schema();
        let settings = IndexSettings { docstore_compression: Compressor::None, ..IndexSettings::default() };
        let mut builder = Index::builder().schema(schema).settings(settings);
        builder = builder.tokenizers(tokenizers());
        let directory = StagingDirectory::open(dir).map_err(TantivyError::from)?;
        let writer = builder.single_segment_index_writer(directory, WRITER_BYTES)?;
        Ok(TextWriter { fields, kind: WriterKind::New(Box::new(writer)) })
    }

    /// Extends a copy of the index in `previous`. Its files are hard-linked rather than copied, since tantivy never changes
    /// a written file.
    pub(crate) fn extend(previous: &Path, dir: &Path) -> Result<TextWriter, IndexError> {
        fs::create_dir_all(dir).map_err(io_error("cannot create", dir))?;
        for entry in fs::read_dir(previous).map_err(io_error("cannot list", previous))? {
            let entry = entry.map_err(io_error("cannot list", previous))?;
            let target = dir.join(entry.file_name());
            if entry.file_name().to_string_lossy().ends_with(".lock") {
                continue;
            }
            link_file(&entry.path(), &target)?;
        }
        let mut index = Index::open(StagingDirectory::open(dir).map_err(TantivyError::from)?)?;
        index.set_tokenizers(tokenizers());
        let writer: IndexWriter = index.writer_with_num_threads(1, WRITER_BYTES)?;
        writer.set_merge_policy(Box::new(NoMergePolicy));
        Ok(TextWriter { fields: schema().1, kind: WriterKind::Extend(Box::new(writer)) })
    }

    /// Adds a row of the file with this slot.
    pub(crate) fn add(&mut self, slot: u64, row: &RowTerms, analyser: &Analyser) -> Result<(), IndexError> {
        let mut document = TantivyDocument::default();
        for (field, terms) in self.fields.text.iter().zip(&row.fields).filter(|(_, terms)| !terms.is_empty()) {
            let mut text = String::with_capacity(terms.len() * 8);
            for term in terms {
                text.push_str(analyser.term(*term));
                text.push(' ');
            }
            document.add_text(*field, text);
        }
        document.add_u64(self.fields.slot, slot);
        document.add_u64(self.fields.row, (slot << ROW_BITS) | u64::from(row.number));
        match &mut self.kind {
            WriterKind::New(writer) => writer.add_document(document)?,
            WriterKind::Extend(writer) => drop(writer.add_document(document)?),
        }
        Ok(())
    }

    /// Removes the rows of the file with this slot from an extended index.
    pub(crate) fn remove(&mut self, slot: u64) {
        if let WriterKind::Extend(writer) = &mut self.kind {
            writer.delete_term(Term::from_field_u64(self.fields.slot, slot));
        }
    }

    /// Commits all rows. Returns the number of removed ones that are still in the index.
    pub(crate) fn finish(self) -> Result<u64, IndexError> {
        match self.kind {
            WriterKind::New(writer) => {
                writer.finalize()?;
                Ok(0)
            }
            WriterKind::Extend(mut writer) => {
                writer.commit()?;
                merge_small_segments(&mut writer)?;
                let segments = writer.index().searchable_segment_metas()?;
                writer.wait_merging_threads()?;
                Ok(segments.iter().map(|segment| u64::from(segment.num_deleted_docs())).sum())
            }
        }
    }
}

/// Merges all segments but the largest if there are many. Each extension adds a segment with the rows of a few files.
fn merge_small_segments(writer: &mut IndexWriter) -> Result<(), IndexError> {
    let mut segments = writer.index().searchable_segment_metas()?;
    if segments.len() < N_SEGMENTS_TO_MERGE {
        return Ok(());
    }
    segments.sort_by_key(|segment| std::cmp::Reverse(segment.max_doc()));
    let small: Vec<_> = segments.iter().skip(1).map(tantivy::SegmentMeta::id).collect();
    writer.merge(&small).wait()?;
    writer.garbage_collect_files().wait()?;
    Ok(())
}

/// Opens the index in `dir` for reading.
pub(crate) fn open(dir: &Path) -> Result<(IndexReader, TextIndexFields), IndexError> {
    let index = Index::open(SealedDirectory::open(dir).map_err(TantivyError::from)?)?;
    let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
    Ok((reader, schema().1))
}

fn tokenizers() -> tantivy::tokenizer::TokenizerManager {
    let manager = tantivy::tokenizer::TokenizerManager::default();
    manager.register(TOKENIZER, TermTokenizer::default());
    manager
}

/// Splits at spaces.
#[derive(Clone, Default)]
struct TermTokenizer {
    token: Token,
}

struct TermStream<'a> {
    rest: &'a str,
    token: &'a mut Token,
}

impl Tokenizer for TermTokenizer {
    type TokenStream<'a> = TermStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> TermStream<'a> {
        self.token.reset();
        TermStream { rest: text, token: &mut self.token }
    }
}

impl TokenStream for TermStream<'_> {
    fn advance(&mut self) -> bool {
        let Some(end) = self.rest.bytes().position(|byte| byte == b' ') else { return false };
        self.token.text.clear();
        self.token.text.push_str(&self.rest[..end]);
        self.token.position = self.token.position.wrapping_add(1);
        self.rest = &self.rest[end + 1..];
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}
