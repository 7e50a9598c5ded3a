//! The page of a symbol. It is rendered on demand and never stored.

use model::{LineSpan, PageType, SymbolKind};

use crate::{
    Page,
    bounded_markdown::BoundedMarkdown,
    part::{RelatedItems, write_relations},
    prose,
};

/// Maximum size in bytes, as of the page of a file.
const MAX_BYTES: usize = 1_500;

const MAX_DOC_BYTES: usize = 600;

const MAX_RELATION_BYTES: usize = 400;

/// The input of the page of a symbol.
#[derive(Debug, Clone)]
pub struct SymbolPart<'a> {
    /// The path of its file.
    pub path: &'a str,
    /// Container and name, joined by dots.
    pub qualified_name: &'a str,
    /// The kind of symbol.
    pub kind: SymbolKind,
    /// The lines of its definition.
    pub lines: LineSpan,
    /// Its signature; may be empty.
    pub signature: &'a str,
    /// Its doc comment.
    pub doc: &'a str,
    /// Symbols that use it.
    pub used_by: RelatedItems<'a>,
    /// Symbols that it uses.
    pub uses: RelatedItems<'a>,
}

/// Renders the page of a symbol.
pub fn symbol(part: &SymbolPart<'_>) -> Page {
    let mut markdown = BoundedMarkdown::new(part.qualified_name, MAX_BYTES);
    markdown.line(&format!("{} at {}:{}-{}", part.kind.name(), part.path, part.lines.start, part.lines.end));
    if !part.signature.is_empty() {
        markdown.paragraph(&format!("`{}`", part.signature), MAX_RELATION_BYTES);
    }
    markdown.paragraph(&prose::first_paragraph(part.doc), MAX_DOC_BYTES);
    write_relations(&mut markdown, "Used by", &part.used_by, MAX_RELATION_BYTES);
    write_relations(&mut markdown, "Uses", &part.uses, MAX_RELATION_BYTES);
    let (path, title) = (part.path.to_owned(), part.qualified_name.to_owned());
    Page { page_type: PageType::Symbol, path, title, text: markdown.finish() }
}
