//! The rows of a file: one per definition that has text of its own, one per chunk, and one for the rest of the file.

use model::{ByteSpan, SymbolKind};
use ranking::{Field, N_FIELDS, analyser::Analyser};

/// More tokens of one field of one row are left out: such a row is data.
const MAX_FIELD_TOKENS: usize = 20_000;

/// What a row is made from.
pub(crate) struct RowSource<'a> {
    pub(crate) path: &'a str,
    pub(crate) doc: &'a str,
    pub(crate) bytes: &'a [u8],
    pub(crate) symbols: Vec<SymbolText<'a>>,
    pub(crate) chunks: Vec<ByteSpan>,
}

/// The part of a symbol that its row is made from.
pub(crate) struct SymbolText<'a> {
    pub(crate) kind: SymbolKind,
    pub(crate) name: &'a str,
    pub(crate) container: &'a str,
    pub(crate) signature: &'a str,
    pub(crate) doc: &'a str,
    pub(crate) span: ByteSpan,
}

/// The terms of one row, by field, as the analyser numbers them.
#[derive(Default)]
pub(crate) struct RowTerms {
    /// 0 for the rest of the file, then the symbols from 1 on, then the chunks.
    pub(crate) number: u32,
    pub(crate) fields: [Vec<u32>; N_FIELDS],
}

/// Calls `visit` with each row of a file, in the order of their numbers.
pub(crate) fn for_each_row(
    source: &RowSource<'_>,
    analyser: &mut Analyser,
    mut visit: impl FnMut(&RowTerms, &Analyser),
) {
    let with_rows: Vec<usize> =
        (0..source.symbols.len()).filter(|idx| source.symbols[*idx].kind.has_text_row()).collect();
    let mut path_terms = Vec::new();
    analyser.analyse(source.path, &mut path_terms);
    let mut row = RowTerms::default();
    row.fields[Field::Path as usize] = path_terms;

    let outer: Vec<ByteSpan> =
        with_rows.iter().map(|idx| source.symbols[*idx].span).chain(source.chunks.iter().copied()).collect();
    let whole = ByteSpan { start: 0, end: source.bytes.len() as u32 };
    let file_name = source.path.rsplit('/').next().unwrap_or(source.path);
    let outline: Vec<&str> = source.symbols.iter().map(|symbol| symbol.name).collect();
    set(&mut row, analyser, Field::Name, file_name.rsplit_once('.').map_or(file_name, |(stem, _)| stem));
    set(&mut row, analyser, Field::Signature, &outline.join(" "));
    set(&mut row, analyser, Field::Doc, source.doc);
    set_own_text(&mut row, analyser, source.bytes, whole, &outer);
    visit(&row, analyser);

    for (place, symbol_idx) in with_rows.iter().enumerate() {
        let symbol = &source.symbols[*symbol_idx];
        let inner: Vec<ByteSpan> = with_rows[place + 1..]
            .iter()
            .map(|idx| source.symbols[*idx].span)
            .take_while(|span| span.start < symbol.span.end)
            .filter(|span| symbol.span.contains(*span))
            .collect();
        row.number = *symbol_idx as u32 + 1;
        set(&mut row, analyser, Field::Name, symbol.name);
        set(&mut row, analyser, Field::Parent, symbol.container);
        set(&mut row, analyser, Field::Signature, symbol.signature);
        set(&mut row, analyser, Field::Doc, symbol.doc);
        set_own_text(&mut row, analyser, source.bytes, symbol.span, &inner);
        visit(&row, analyser);
    }

    for field in [Field::Name, Field::Parent, Field::Signature, Field::Doc] {
        row.fields[field as usize].clear();
    }
    for (chunk_idx, chunk) in source.chunks.iter().enumerate() {
        row.number = (source.symbols.len() + 1 + chunk_idx) as u32;
        set_own_text(&mut row, analyser, source.bytes, *chunk, &[]);
        visit(&row, analyser);
    }
}

fn set(row: &mut RowTerms, analyser: &mut Analyser, field: Field, text: &str) {
    let terms = &mut row.fields[field as usize];
    terms.clear();
    analyser.analyse(text, terms);
    terms.truncate(MAX_FIELD_TOKENS);
}

/// Sets the body to the text of `span` without the text of the spans inside it, which are in the order of their start.
fn set_own_text(row: &mut RowTerms, analyser: &mut Analyser, bytes: &[u8], span: ByteSpan, inner: &[ByteSpan]) {
    let terms = &mut row.fields[Field::Body as usize];
    terms.clear();
    let mut at = span.start;
    for hole in inner {
        if hole.start > at {
            analyser.analyse(&String::from_utf8_lossy(ByteSpan { start: at, end: hole.start }.of(bytes)), terms);
        }
        at = at.max(hole.end);
    }
    if at < span.end {
        analyser.analyse(&String::from_utf8_lossy(ByteSpan { start: at, end: span.end }.of(bytes)), terms);
    }
    terms.truncate(MAX_FIELD_TOKENS);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_hold_their_own_text_alone() {
        let bytes = b"import os\nclass Cart:\n  def add(item): keep\n";
        let symbol = |kind, name, container, start: usize, end: usize| SymbolText {
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
