//! The page of a symbol. None is stored: it is rendered when it is asked for.

use model::{LineSpan, PageType, SymbolKind};

use crate::{
    Page,
    part::{Relations, write_relations},
    prose,
    sheet::Sheet,
};

/// As much as the page of a file: a symbol has fewer names and more to say about its one.
const MAX_BYTES: usize = 1_500;

const MAX_DOC_BYTES: usize = 600;

const MAX_RELATION_BYTES: usize = 400;

/// A symbol, as far as its page tells of it.
#[derive(Debug, Clone)]
pub struct SpotlightPart<'a> {
    pub path: &'a str,
    /// Container and name, joined by dots.
    pub qualified: &'a str,
    pub kind: SymbolKind,
    pub lines: LineSpan,
    pub signature: &'a str,
    pub doc: &'a str,
    pub used_by: Relations<'a>,
    pub uses: Relations<'a>,
}

/// Renders the page of a symbol.
pub fn spotlight(part: &SpotlightPart<'_>) -> Page {
    let mut sheet = Sheet::new(part.qualified, MAX_BYTES);
    sheet.line(&format!("{} at {}:{}-{}", part.kind.name(), part.path, part.lines.start, part.lines.end));
    if !part.signature.is_empty() {
        sheet.paragraph(&format!("`{}`", part.signature), MAX_RELATION_BYTES);
    }
    sheet.paragraph(&prose::first_paragraph(part.doc), MAX_DOC_BYTES);
    write_relations(&mut sheet, "Used by", &part.used_by, MAX_RELATION_BYTES);
    write_relations(&mut sheet, "Uses", &part.uses, MAX_RELATION_BYTES);
    let (path, title) = (part.path.to_owned(), part.qualified.to_owned());
    Page { page_type: PageType::Symbol, path, title, text: sheet.finish() }
}
