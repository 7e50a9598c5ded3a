//! What the definitions of a file say of themselves, their signatures and doc comments: packed together, behind the source
//! of the file.

use std::str;

use memchr::memchr_iter;
use rustc_hash::FxHashMap;

use crate::table::SymbolRecord;

/// Ends a signature or a doc comment: a byte that is in no text.
const END: u8 = 0xff;

/// What one definition says of itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Wording<'a> {
    pub(crate) signature: &'a str,
    pub(crate) doc: &'a str,
}

/// What all definitions of a file say of themselves.
#[derive(Debug, Default)]
pub(crate) struct Wordings {
    bytes: Vec<u8>,
    /// Where each text ends.
    ends: Vec<usize>,
}

/// The wordings of files that were read for one request, by index of the file.
pub(crate) type WordingsByFile = FxHashMap<u32, Wordings>;

impl Wordings {
    /// Returns what is to be packed for the symbols of a file.
    pub(crate) fn to_bytes(symbols: &[SymbolRecord]) -> Vec<u8> {
        let texts = symbols.iter().flat_map(|symbol| [&symbol.signature, &symbol.doc]);
        texts.flat_map(|text| text.bytes().chain([END])).collect()
    }

    /// Reads what `to_bytes` has returned.
    pub(crate) fn new(bytes: Vec<u8>) -> Wordings {
        Wordings { ends: memchr_iter(END, &bytes).collect(), bytes }
    }

    /// Returns the wording of the symbol at a place among those of the file; empty where there is none.
    pub(crate) fn at(&self, place: usize) -> Wording<'_> {
        Wording { signature: self.text(2 * place), doc: self.text(2 * place + 1) }
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
    fn every_symbol_gets_its_own_back() {
        let long = "Does.\n\nMore: \u{0} é".repeat(40);
        for texts in [&[("fn f()", long.as_str()), ("", ""), ("struct S", "")][..], &[("", "")], &[]] {
            let symbol = |(signature, doc): &(&str, &str)| SymbolRecord {
                signature: (*signature).to_owned(),
                doc: (*doc).to_owned(),
                ..SymbolRecord::default()
            };
            let bytes = Wordings::to_bytes(&texts.iter().map(symbol).collect::<Vec<_>>());
            let wordings = Wordings::new(bytes);
            for (place, (signature, doc)) in texts.iter().enumerate() {
                assert_eq!(wordings.at(place), Wording { signature, doc });
            }
            assert_eq!(wordings.at(texts.len()), Wording::default());
        }
    }

    #[test]
    fn what_is_no_text_says_nothing() {
        let wordings = Wordings::new(b"a\xfe\xffb\xffc".to_vec());
        assert_eq!(wordings.at(0), Wording { signature: "", doc: "b" });
        assert_eq!((wordings.at(1), wordings.at(7)), (Wording::default(), Wording::default()));
    }
}
