//! Target: any bytes can be read as a SCIP index, and a document of it can be compared with any text.

use compiler_index::{GlobalSymbol, IndexReader, MAX_SYMBOL_BYTES, fit};

/// The text that documents are compared with: names of several widths on several lines.
const TEXT: &str =
    "class Pool:\n    def take(self):\n        return self\n\n# \u{e9}\u{1f600} Pool.take\nPool().take()\n";

pub(crate) fn run(input: &[u8]) {
    let mut bytes = input;
    for document in IndexReader::new(&mut bytes).documents().flatten().flatten() {
        let is_name = |part: &str| !matches!(part, "" | "." | "..");
        assert!(document.path.split('/').all(is_name), "{}", document.path);
        for occurrence in &document.occurrences {
            assert!(occurrence.symbol.len() <= MAX_SYMBOL_BYTES && !occurrence.symbol.starts_with("local "));
            if let Some(symbol) = GlobalSymbol::parse(&occurrence.symbol) {
                drop(symbol.format());
            }
        }
        let Ok(fitted) = fit(document, TEXT) else { continue };
        for occurrence in fitted.occurrences {
            let line = TEXT.lines().nth(occurrence.line as usize - 1).expect("the line exists");
            assert!(!occurrence.name.is_empty() && line.contains(&occurrence.name), "{occurrence:?}");
        }
    }
    drop(GlobalSymbol::parse(&String::from_utf8_lossy(input)));
}
