//! The rows of a file, which are the units of text scoring: one per symbol with text of its own, one per chunk, and one for
//! the text outside of both.

use std::borrow::Cow;

use model::{ByteSpan, FileFacts, SymbolKind};
use ranking::{Field, N_FIELDS, analyser::Analyser};

/// Maximum number of tokens per field and row. A longer row is data, not code.
const MAX_FIELD_TOKENS: usize = 20_000;

/// The parts of a file that its rows are made from.
pub(crate) struct RowSource<'a> {
    pub(crate) path: &'a str,
    pub(crate) doc: &'a str,
    pub(crate) bytes: &'a [u8],
    pub(crate) symbols: Vec<SymbolSource<'a>>,
    pub(crate) chunks: Vec<ByteSpan>,
}

/// The parts of a symbol that its row is made from.
pub(crate) struct SymbolSource<'a> {
    pub(crate) kind: SymbolKind,
    pub(crate) name: &'a str,
    pub(crate) container: &'a str,
    pub(crate) signature: &'a str,
    pub(crate) doc: &'a str,
    pub(crate) span: ByteSpan,
}

/// The texts of one row, by field.
pub(crate) struct RowText<'a> {
    /// 0 for the text outside of symbols and chunks, then the symbols from 1 on, then the chunks.
    pub(crate) number: u32,
    pub(crate) name: &'a str,
    pub(crate) parent: &'a str,
    pub(crate) signature: Cow<'a, str>,
    pub(crate) doc: &'a str,
    /// Its own text: that of its span, without the spans of nested symbols.
    pub(crate) body: Vec<Cow<'a, str>>,
}

impl<'a> RowSource<'a> {
    /// Returns the row source of a file, given its facts.
    pub(crate) fn from_facts(path: &'a str, facts: &'a FileFacts, bytes: &'a [u8]) -> RowSource<'a> {
        let symbols = facts.definitions.iter().map(|definition| SymbolSource {
            kind: definition.kind,
            name: &definition.name,
            container: &definition.container,
            signature: &definition.signature,
            doc: &definition.doc,
            span: definition.bytes,
        });
        let chunks = facts.chunks.iter().map(|chunk| chunk.bytes).collect();
        RowSource { path, doc: &facts.doc, bytes, symbols: symbols.collect(), chunks }
    }

    /// Returns the rows, sorted by number.
    pub(crate) fn rows(&self) -> impl Iterator<Item = RowText<'a>> {
        self.rows_where(|_| true)
    }

    /// Returns the rows with selected numbers, sorted by number.
    pub(crate) fn rows_where(&self, is_selected: impl Fn(u32) -> bool) -> impl Iterator<Item = RowText<'a>> {
        let with_rows: Vec<usize> =
            (0..self.symbols.len()).filter(|idx| self.symbols[*idx].kind.has_text_row()).collect();
        let outside = is_selected(0).then(|| self.outside_row(&with_rows));
        let symbols: Vec<RowText<'a>> = (0..with_rows.len())
            .filter(|nth| is_selected(with_rows[*nth] as u32 + 1))
            .map(|nth| self.symbol_row(with_rows[nth], &with_rows[nth + 1..]))
            .collect();
        let first_chunk = self.symbols.len() + 1;
        let chunks: Vec<RowText<'a>> = (self.chunks.iter().enumerate())
            .map(|(chunk_idx, chunk)| ((first_chunk + chunk_idx) as u32, chunk))
            .filter(|(number, _)| is_selected(*number))
            .map(|(number, chunk)| RowText {
                number,
                name: "",
                parent: "",
                signature: Cow::Borrowed(""),
                doc: "",
                body: own_text(self.bytes, *chunk, &[]),
            })
            .collect();
        outside.into_iter().chain(symbols).chain(chunks)
    }

    /// Returns the row of the text outside of symbols and chunks.
    fn outside_row(&self, with_rows: &[usize]) -> RowText<'a> {
        let covered: Vec<ByteSpan> =
            with_rows.iter().map(|idx| self.symbols[*idx].span).chain(self.chunks.iter().copied()).collect();
        let whole = ByteSpan { start: 0, end: self.bytes.len() as u32 };
        let file_name = self.path.rsplit('/').next().unwrap_or(self.path);
        let outline: Vec<&str> = self.symbols.iter().map(|symbol| symbol.name).collect();
        RowText {
            number: 0,
            name: file_name.rsplit_once('.').map_or(file_name, |(stem, _)| stem),
            parent: "",
            signature: Cow::Owned(outline.join(" ")),
            doc: self.doc,
            body: own_text(self.bytes, whole, &covered),
        }
    }

    /// Returns the row of a symbol. `following` are the later symbols with rows.
    fn symbol_row(&self, symbol_idx: usize, following: &[usize]) -> RowText<'a> {
        let symbol = &self.symbols[symbol_idx];
        let nested: Vec<ByteSpan> = following
            .iter()
            .map(|idx| self.symbols[*idx].span)
            .take_while(|span| span.start < symbol.span.end)
            .filter(|span| symbol.span.contains(*span))
            .collect();
        RowText {
            number: symbol_idx as u32 + 1,
            name: symbol.name,
            parent: symbol.container,
            signature: Cow::Borrowed(symbol.signature),
            doc: symbol.doc,
            body: own_text(self.bytes, symbol.span, &nested),
        }
    }
}

/// The term ids of one row, by field. The analyser assigns the ids.
#[derive(Default)]
pub(crate) struct RowTerms {
    pub(crate) number: u32,
    pub(crate) fields: [Vec<u32>; N_FIELDS],
}

/// Calls `visit` with the terms of each row of a file, sorted by row number.
pub(crate) fn for_each_row(
    source: &RowSource<'_>,
    analyser: &mut Analyser,
    mut visit: impl FnMut(&RowTerms, &Analyser),
) {
    let mut terms = RowTerms::default();
    analyser.analyse(source.path, &mut terms.fields[Field::Path as usize]);
    for row in source.rows() {
        terms.number = row.number;
        let mut set = |field: Field, texts: &[&str]| {
            let terms = &mut terms.fields[field as usize];
            terms.clear();
            texts.iter().for_each(|text| analyser.analyse(text, terms));
            terms.truncate(MAX_FIELD_TOKENS);
        };
        set(Field::Name, &[row.name]);
        set(Field::Parent, &[row.parent]);
        set(Field::Signature, &[&row.signature]);
        set(Field::Doc, &[row.doc]);
        set(Field::Body, &row.body.iter().map(AsRef::as_ref).collect::<Vec<_>>());
        visit(&terms, analyser);
    }
}

/// Returns the text of `span` without the spans inside it, which are sorted by start.
fn own_text<'a>(bytes: &'a [u8], span: ByteSpan, nested: &[ByteSpan]) -> Vec<Cow<'a, str>> {
    let mut texts = Vec::new();
    let mut start = span.start;
    for hole in nested {
        if hole.start > start {
            texts.push(String::from_utf8_lossy(ByteSpan { start, end: hole.start }.of(bytes)));
        }
        start = start.max(hole.end);
    }
    if start < span.end {
        texts.push(String::from_utf8_lossy(ByteSpan { start, end: span.end }.of(bytes)));
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_no_text_of_nested_symbols() {
        let bytes = b"import os\nclass Cart:\n  def add(item): keep\n";
        let symbol = |kind, name, container, start: usize, end: usize| SymbolSource {
            kind,
            name,
            container,
            signature: "",
            doc: "",
            span: ByteSpan { start: start as u32, end: end as u32 },
        };
        let source = RowSource {
            path: "shop/cart.py",
            doc: "",
            bytes,
            symbols: vec![
                symbol(SymbolKind::Class, "Cart", "", 10, bytes.len()),
                symbol(SymbolKind::Method, "add", "Cart", 24, bytes.len()),
            ],
            chunks: Vec::new(),
        };
        let mut analyser = Analyser::default();
        let mut rows = Vec::new();
        for_each_row(&source, &mut analyser, |row, analyser| {
            let text = |field: Field| {
                row.fields[field as usize].iter().map(|id| analyser.term(*id)).collect::<Vec<_>>().join(" ")
            };
            rows.push((row.number, text(Field::Name), text(Field::Parent), text(Field::Body)));
        });
        let expected =
            [(0, "cart", "", "import os"), (1, "cart", "", "class cart"), (2, "add", "cart", "def add item keep")];
        let expected =
            expected.map(|(number, name, parent, body)| (number, name.to_owned(), parent.to_owned(), body.to_owned()));
        assert_eq!(rows, expected);
    }
}
