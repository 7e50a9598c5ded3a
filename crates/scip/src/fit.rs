//! TextComparison of a document with the text of its file. An index has no hash of the files that it describes: whether a range holds the
//! name of its symbol shows that the text is still the same.

use std::collections::HashMap;

use crate::{
    DescriptorKind, GlobalSymbol, IndexDocument, Occurrence, PositionEncoding, Relationship,
    position::{is_whole_token, slice},
};

/// A document that fits the text of its file.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedDocument {
    /// The occurrences whose range holds a name of their symbol, in the order of the index.
    pub occurrences: Vec<FittedOccurrence>,
    /// The relationships of the document.
    pub relationships: Vec<Relationship>,
}

/// An occurrence of a global symbol in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FittedOccurrence {
    /// The line, from 1.
    pub line: u32,
    /// The text of the range.
    pub name: String,
    /// The symbol.
    pub symbol: String,
    /// True if the symbol is defined here.
    pub is_definition: bool,
}

/// Why a document does not describe a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Misfit {
    /// The index has another text.
    Text,
    /// Ranges do not hold the names of their symbols.
    Names {
        /// The number of such ranges.
        n_misfits: usize,
        /// The number of ranges that were compared.
        n_compared: usize,
    },
}

/// Occurrences per allowed misfit: indexers write some ranges that hold no name, such as that of an anonymous default export. After
/// an edit, far more ranges are wrong.
const OCCURRENCES_PER_MISFIT: usize = 20;

/// Compares a document with the text of its file.
pub fn fit(document: IndexDocument, text: &str) -> Result<FittedDocument, Misfit> {
    if document.text.as_deref().is_some_and(|indexed| indexed != text) {
        return Err(Misfit::Text);
    }
    let lines: Vec<&str> = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    let names = WrittenNames::of(&document);
    let encodings: &[PositionEncoding] = match document.encoding {
        // On texts of ASCII, all give the same.
        PositionEncoding::Unspecified => &[PositionEncoding::Utf16, PositionEncoding::Utf8, PositionEncoding::Utf32],
        _ => std::slice::from_ref(&document.encoding),
    };
    let compared = encodings.iter().map(|encoding| TextComparison::new(&document, &lines, &names, *encoding));
    let best = compared.min_by_key(|comparison| comparison.n_misfits).expect("there is at least one encoding");
    let TextComparison { occurrences, n_misfits, n_compared } = best;
    if n_misfits * OCCURRENCES_PER_MISFIT > n_compared {
        return Err(Misfit::Names { n_misfits, n_compared });
    }
    Ok(FittedDocument { occurrences, relationships: document.relationships })
}

/// The occurrences of a document in a text, in one encoding.
struct TextComparison {
    occurrences: Vec<FittedOccurrence>,
    n_misfits: usize,
    n_compared: usize,
}

impl TextComparison {
    fn new(
        document: &IndexDocument,
        lines: &[&str],
        names: &WrittenNames<'_>,
        encoding: PositionEncoding,
    ) -> TextComparison {
        let written: Vec<Option<&str>> = document.occurrences.iter().map(|one| written(one, lines, encoding)).collect();
        let mut n_uses: HashMap<(&str, &str), u32> = HashMap::new();
        for (occurrence, text) in document.occurrences.iter().zip(&written) {
            if let Some(text) = text.filter(|text| !text.is_empty()) {
                *n_uses.entry((text, &occurrence.symbol)).or_default() += 1;
            }
        }
        let mut comparison = TextComparison { occurrences: Vec::new(), n_misfits: 0, n_compared: 0 };
        for (occurrence, text) in document.occurrences.iter().zip(written) {
            // The definition of a file as a whole has an empty range at its start.
            if text == Some("") {
                continue;
            }
            // An alias occurs where it is bound, and where it is used.
            let fits = |text: &&str| {
                let is_alias = || n_uses.get(&(*text, occurrence.symbol.as_str())).is_some_and(|n_uses| *n_uses > 1);
                names.has(&occurrence.symbol, text) || !occurrence.is_definition && is_alias()
            };
            comparison.n_compared += 1;
            match text.filter(fits) {
                Some(text) => comparison.occurrences.push(FittedOccurrence {
                    line: occurrence.range.line + 1,
                    name: text.to_owned(),
                    symbol: occurrence.symbol.clone(),
                    is_definition: occurrence.is_definition,
                }),
                None => comparison.n_misfits += 1,
            }
        }
        comparison
    }
}

/// Returns the text of an occurrence; `None` if the range is outside of the text or divides an identifier.
fn written<'a>(occurrence: &Occurrence, lines: &[&'a str], encoding: PositionEncoding) -> Option<&'a str> {
    let range = occurrence.range;
    let line = lines.get(usize::try_from(range.line).ok()?)?;
    slice(line, range.start, range.end, encoding).filter(|part| is_whole_token(line, part))
}

/// The texts that may stand for the symbols of a document.
struct WrittenNames<'a>(HashMap<&'a str, AcceptedNames>);

/// The texts that may stand for one symbol.
enum AcceptedNames {
    /// One of these.
    These(Vec<String>),
    /// Any: the path of a module, a part of a type.
    Any,
}

impl<'a> WrittenNames<'a> {
    fn of(document: &'a IndexDocument) -> WrittenNames<'a> {
        let mut names = HashMap::new();
        for occurrence in &document.occurrences {
            names.entry(occurrence.symbol.as_str()).or_insert_with_key(|symbol| AcceptedNames::of(symbol));
        }
        WrittenNames(names)
    }

    fn has(&self, symbol: &str, text: &str) -> bool {
        match self.0.get(symbol) {
            Some(AcceptedNames::These(names)) => {
                let plain = text.trim_matches(['"', '\'', '`', '#', '@']);
                names.iter().any(|name| name == text || name == plain)
            }
            Some(AcceptedNames::Any) => true,
            None => false,
        }
    }
}

impl AcceptedNames {
    fn of(symbol: &str) -> AcceptedNames {
        let Some(GlobalSymbol { descriptors, .. }) = GlobalSymbol::parse(symbol) else {
            return AcceptedNames::These(Vec::new());
        };
        let Some((last, outer)) = descriptors.split_last() else { return AcceptedNames::Any };
        if matches!(last.kind, DescriptorKind::Namespace | DescriptorKind::Other) {
            return AcceptedNames::Any;
        }
        // Constructors and accessors have names that nobody writes, such as `<init>` and `<get>size`.
        let name = last.name.trim_start_matches('#');
        let behind_marker = name.split_once('>').map_or(name, |(_, name)| name);
        let outer = outer.last().map(|outer| outer.name.clone());
        let keyword = name.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
        let names = [Some(name.to_owned()), Some(behind_marker.to_owned()), keyword.map(str::to_owned), outer];
        AcceptedNames::These(names.into_iter().flatten().filter(|name| !name.is_empty()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OccurrenceRange;

    const TAKE: &str = "scip-typescript npm kit 1.0.0 `a.ts`/Pool#take().";
    const POOL: &str = "scip-typescript npm kit 1.0.0 `a.ts`/Pool#";
    const NEW: &str = "scip-typescript npm kit 1.0.0 `a.ts`/Pool#`<constructor>`().";

    fn document(occurrences: &[(u32, u32, u32, &str, bool)]) -> IndexDocument {
        let occurrence = |(line, start, end, symbol, is_definition): &(u32, u32, u32, &str, bool)| Occurrence {
            range: OccurrenceRange { line: *line, start: *start, end: *end },
            symbol: (*symbol).to_owned(),
            is_definition: *is_definition,
        };
        IndexDocument {
            path: "a.ts".into(),
            occurrences: occurrences.iter().map(occurrence).collect(),
            ..Default::default()
        }
    }

    fn names(document: IndexDocument, text: &str) -> Result<Vec<(u32, String)>, Misfit> {
        let fitted = fit(document, text)?;
        Ok(fitted.occurrences.into_iter().map(|one| (one.line, one.name)).collect())
    }

    const TEXT: &str = "class Pool {\r\n  constructor() {}\r\n  take() {}\r\n}\r\nnew Pool().take()\r\n";

    const FITTING: &[(u32, u32, u32, &str, bool)] = &[
        (0, 0, 0, "scip-typescript npm kit 1.0.0 `a.ts`/", true),
        (0, 6, 10, POOL, true),
        (1, 2, 13, NEW, true),
        (2, 2, 6, TAKE, true),
        (4, 4, 8, NEW, false),
        (4, 11, 15, TAKE, false),
    ];

    #[test]
    fn names_in_their_ranges_fit() {
        let expected = [(1, "Pool"), (2, "constructor"), (3, "take"), (5, "Pool"), (5, "take")];
        let expected = expected.map(|(line, name)| (line, name.to_owned()));
        assert_eq!(names(document(FITTING), TEXT).unwrap(), expected);
    }

    #[test]
    fn an_edited_text_does_not_fit() {
        for edited in [
            format!("// New.\n{TEXT}"),
            TEXT.replace("take() {}", "drop() {}"),
            TEXT.replace("new Pool", "new  Pool"),
            TEXT.replace("Pool {", "Pools {"),
            String::new(),
        ] {
            assert!(matches!(fit(document(FITTING), &edited), Err(Misfit::Names { .. })), "{edited}");
        }
        let with_text = IndexDocument { text: Some(format!("{TEXT}\n")), ..document(FITTING) };
        assert_eq!(fit(with_text, TEXT), Err(Misfit::Text));
        let with_text = IndexDocument { text: Some(TEXT.to_owned()), ..document(FITTING) };
        assert!(fit(with_text, TEXT).is_ok());
    }

    #[test]
    fn an_alias_fits_where_it_is_bound_and_used() {
        let text = "import { Pool as P } from 'kit';\nP; P;\nQ;\n";
        let uses = [(0, 9, 13, POOL, false), (0, 17, 18, POOL, false), (1, 0, 1, POOL, false), (1, 3, 4, POOL, false)];
        assert_eq!(names(document(&uses), text).unwrap().len(), 4);
        assert!(names(document(&[uses[0], (2, 0, 1, POOL, false)]), text).is_err());
    }

    #[test]
    fn an_index_without_encoding_is_read_in_the_one_that_fits() {
        let text = "'é😀'; Pool;\n";
        for start in [10, 7, 6] {
            assert_eq!(names(document(&[(0, start, start + 4, POOL, false)]), text).unwrap().len(), 1, "{start}");
        }
        let utf8 = IndexDocument { encoding: PositionEncoding::Utf8, ..document(&[(0, 7, 11, POOL, false)]) };
        assert!(fit(utf8, text).is_err());
    }
}
