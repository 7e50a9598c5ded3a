//! The page of a file.

use model::{FileClass, Language, PageType};

use crate::{
    Page,
    bounded_markdown::BoundedMarkdown,
    part::{NamePart, PastPart, RelatedItems, write_names, write_past, write_relations},
    prose,
};

/// Maximum size in bytes: about 400 tokens, since the page is read among a dozen others.
const MAX_BYTES: usize = 1_500;

/// Maximum size in bytes of the purpose: two or three sentences.
const MAX_PURPOSE_BYTES: usize = 320;

/// Maximum size in bytes of the definitions of code, which are the main content.
const MAX_NAMES_BYTES: usize = 560;

/// Maximum size in bytes of the headings of a document or the names of tests, which need no signatures.
const MAX_TITLES_BYTES: usize = 320;

/// Maximum size in bytes of one kind of relation: four or five paths.
const MAX_RELATION_BYTES: usize = 180;

const MAX_PAST_BYTES: usize = 180;

/// The input of the page of a file.
#[derive(Debug, Clone)]
pub struct FilePart<'a> {
    /// The path of the file.
    pub path: &'a str,
    /// The language of the file.
    pub language: Language,
    /// The class of the file.
    pub class: FileClass,
    /// Number of lines.
    pub n_lines: u32,
    /// Its doc comment.
    pub doc: &'a str,
    /// Its definitions, the most used first.
    pub names: Vec<NamePart<'a>>,
    /// Files that use it.
    pub used_by: RelatedItems<'a>,
    /// Tests that use it.
    pub tested_by: RelatedItems<'a>,
    /// Documents that mention it.
    pub documented_in: RelatedItems<'a>,
    /// Files that it uses.
    pub depends_on: RelatedItems<'a>,
    /// External packages that it uses.
    pub packages: RelatedItems<'a>,
    /// Its history.
    pub past: PastPart<'a>,
}

/// Renders the page of a file.
pub fn file(part: &FilePart<'_>) -> Page {
    let mut markdown = BoundedMarkdown::new(part.path, MAX_BYTES);
    markdown.line(&format!("{} {}, {} lines", part.language.name(), part.class.name(), part.n_lines));
    let namesake = namesake_type(part);
    let doc = if part.doc.is_empty() { namesake.map_or("", |name| name.doc) } else { part.doc };
    markdown.paragraph(&prose::first_paragraph(doc), MAX_PURPOSE_BYTES);
    write_contents(&mut markdown, part, namesake.filter(|_| part.doc.is_empty()));
    write_relations_and_past(&mut markdown, part);
    Page { page_type: PageType::File, path: part.path.to_owned(), title: part.path.to_owned(), text: markdown.finish() }
}

/// Returns the definition that documents a file without a doc comment: the type with the name of the file.
fn namesake_type<'p, 'a>(part: &'p FilePart<'a>) -> Option<&'p NamePart<'a>> {
    let stem = stem(part.path);
    let bare =
        |name: &str| name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    let expected = bare(stem);
    part.names.iter().find(|name| {
        name.container.is_empty() && !name.doc.is_empty() && name.kind.is_type() && bare(name.name) == expected
    })
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').find(|piece| !piece.is_empty()).unwrap_or(name)
}

fn write_contents(markdown: &mut BoundedMarkdown, part: &FilePart<'_>, shown: Option<&NamePart<'_>>) {
    let is_prose = matches!(part.class, FileClass::Docs) || part.language == Language::Markdown;
    if is_prose || part.class == FileClass::Test {
        let label = if is_prose { "Sections" } else { "Tests" };
        let mut names = part.names.iter().map(|name| name.name.to_owned());
        return markdown.list(label, &mut names, part.names.len(), MAX_TITLES_BYTES);
    }
    let names: Vec<NamePart<'_>> = part
        .names
        .iter()
        .map(|name| NamePart { doc: if shown == Some(name) { "" } else { name.doc }, ..name.clone() })
        .collect();
    write_names(markdown, "API", &names, MAX_NAMES_BYTES);
}

fn write_relations_and_past(markdown: &mut BoundedMarkdown, part: &FilePart<'_>) {
    for (label, relations) in [
        ("Used by", &part.used_by),
        ("Depends on", &part.depends_on),
        ("Packages", &part.packages),
        ("Tested by", &part.tested_by),
        ("Documented in", &part.documented_in),
    ] {
        write_relations(markdown, label, relations, MAX_RELATION_BYTES);
    }
    write_past(markdown, &part.past, MAX_PAST_BYTES);
}
