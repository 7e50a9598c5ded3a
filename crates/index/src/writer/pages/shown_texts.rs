//! Signatures and doc comments of the symbols that pages show. A file that the previous generation has, too, was reused without them.

use std::cell::{OnceCell, RefCell};

use super::context::UnsealedGeneration;
use crate::{
    error::IndexError,
    records::symbol_texts::{SymbolText, SymbolTexts},
};

/// The texts of symbols, which are read with the first symbol of a file that is shown.
pub(super) struct ShownTexts<'a> {
    generation: &'a UnsealedGeneration<'a>,
    by_file: Vec<OnceCell<SymbolTexts>>,
    first_error: RefCell<Option<IndexError>>,
}

impl<'a> ShownTexts<'a> {
    pub(super) fn new(generation: &'a UnsealedGeneration<'a>) -> ShownTexts<'a> {
        let by_file = generation.tables.files.iter().map(|_| OnceCell::new()).collect();
        ShownTexts { generation, by_file, first_error: RefCell::default() }
    }

    /// Returns the texts of a symbol; empty if they cannot be read, which [`ShownTexts::finish`] reports.
    pub(super) fn get(&self, symbol: u32) -> SymbolText<'_> {
        let tables = self.generation.tables;
        let record = &tables.symbols[symbol as usize];
        if !record.signature.is_empty() || !record.doc.is_empty() {
            return SymbolText { signature: &record.signature, doc: &record.doc };
        }
        let file = &tables.files[record.file as usize];
        let of_file = self.by_file[record.file as usize].get_or_init(|| {
            let texts = (self.generation.read_source)(file.symbol_texts);
            texts.map(SymbolTexts::parse).unwrap_or_else(|error| {
                self.first_error.borrow_mut().get_or_insert(error);
                SymbolTexts::default()
            })
        });
        of_file.get((symbol - file.first_symbol) as usize)
    }

    /// Returns the first error of the texts that were read.
    pub(super) fn finish(&self) -> Result<(), IndexError> {
        self.first_error.take().map_or(Ok(()), Err)
    }
}
