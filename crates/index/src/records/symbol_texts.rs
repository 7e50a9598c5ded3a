//! Signatures and doc comments of the symbols of a file, stored compressed behind the source of the file.

use std::str;

use memchr::memchr_iter;
use rustc_hash::FxHashMap;

use super::tables::SymbolRecord;

/// Terminates a signature or a doc comment. The byte does not occur in UTF-8.
const TERMINATOR: u8 = 0xff;

/// Signature and doc comment of one symbol.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct SymbolText<'a> {
    pub(crate) signature: &'a str,
    pub(crate) doc: &'a str,
}

/// Signatures and doc comments of all symbols of a file.
#[derive(Debug, Default)]
pub(crate) struct SymbolTexts {
    bytes: Vec<u8>,
    /// Position of the terminator of each text.
    ends: Vec<usize>,
}

/// Symbol texts that one request has decompressed, by file index.
pub(crate) type SymbolTextsByFile = FxHashMap<u32, SymbolTexts>;

impl SymbolTexts {
    /// Serialises the texts of the symbols of a file.
    pub(crate) fn serialise(symbols: &[SymbolRecord]) -> Vec<u8> {
        let texts = symbols.iter().flat_map(|symbol| [&symbol.signature, &symbol.doc]);
        texts.flat_map(|text| text.bytes().chain([TERMINATOR])).collect()
    }

    /// Parses the output of `serialise`.
    pub(crate) fn parse(bytes: Vec<u8>) -> SymbolTexts {
        SymbolTexts { ends: memchr_iter(TERMINATOR, &bytes).collect(), bytes }
    }

    /// Returns the texts of the nth symbol of the file; empty if there is no such symbol.
    pub(crate) fn get(&self, nth_symbol: usize) -> SymbolText<'_> {
        SymbolText { signature: self.text(2 * nth_symbol), doc: self.text(2 * nth_symbol + 1) }
    }

    fn text(&self, nth: usize) -> &str {
        let start = if nth == 0 { 0 } else { self.ends.get(nth - 1).map_or(self.bytes.len(), |end| end + 1) };
        let text = self.ends.get(nth).map(|end| &self.bytes[start..*end]);
        text.and_then(|text| str::from_utf8(text).ok()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_survive_a_round_trip() {
        let long = "Does.\n\nMore: \u{0} é".repeat(40);
        for expected in [&[("fn f()", long.as_str()), ("", ""), ("struct S", "")][..], &[("", "")], &[]] {
            let symbol = |(signature, doc): &(&str, &str)| SymbolRecord {
                signature: (*signature).to_owned(),
                doc: (*doc).to_owned(),
                ..SymbolRecord::default()
            };
            let bytes = SymbolTexts::serialise(&expected.iter().map(symbol).collect::<Vec<_>>());
            let texts = SymbolTexts::parse(bytes);
            for (nth_symbol, (signature, doc)) in expected.iter().enumerate() {
                assert_eq!(texts.get(nth_symbol), SymbolText { signature, doc });
            }
            assert_eq!(texts.get(expected.len()), SymbolText::default());
        }
    }

    #[test]
    fn invalid_utf8_reads_as_empty() {
        let texts = SymbolTexts::parse(b"a\xfe\xffb\xffc".to_vec());
        assert_eq!(texts.get(0), SymbolText { signature: "", doc: "b" });
        assert_eq!((texts.get(1), texts.get(7)), (SymbolText::default(), SymbolText::default()));
    }
}
