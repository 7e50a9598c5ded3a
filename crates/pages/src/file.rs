//! The page of a file.

use model::{FileClass, Language, PageType};

use crate::{
    Page,
    part::{NamePart, PastPart, Relations, write_names, write_past, write_relations},
    prose,
    sheet::Sheet,
};

/// A page of a file is read beside a dozen others: about 400 tokens.
const MAX_BYTES: usize = 1_500;

/// What a file says of itself, at most: two or three sentences.
const MAX_PURPOSE_BYTES: usize = 320;

/// Of code the names are what people look for.
const MAX_NAMES_BYTES: usize = 560;

/// Headings of a document, and tests of a test, tell by their names alone.
const MAX_TITLES_BYTES: usize = 320;

/// Of one kind of relation: four or five paths.
const MAX_RELATION_BYTES: usize = 180;

const MAX_PAST_BYTES: usize = 180;

/// A file, as far as its page tells of it.
#[derive(Debug, Clone)]
pub struct FilePart<'a> {
    pub path: &'a str,
    pub language: Language,
    pub class: FileClass,
    pub n_lines: u32,
    /// What it says of itself.
    pub doc: &'a str,
    /// Its definitions, the most used first.
    pub names: Vec<NamePart<'a>>,
    pub used_by: Relations<'a>,
    pub tested_by: Relations<'a>,
    pub documented_in: Relations<'a>,
    pub depends_on: Relations<'a>,
    /// Packages of others that it uses.
    pub packages: Relations<'a>,
    pub past: PastPart<'a>,
}

/// Renders the page of a file.
pub fn file(part: &FilePart<'_>) -> Page {
    let mut sheet = Sheet::new(part.path, MAX_BYTES);
    sheet.line(&format!("{} {}, {} lines", part.language.name(), part.class.name(), part.n_lines));
    let speaking = speaking_name(part);
    let doc = if part.doc.is_empty() { speaking.map_or("", |name| name.doc) } else { part.doc };
    sheet.paragraph(&prose::first_paragraph(doc), MAX_PURPOSE_BYTES);
    write_contents(&mut sheet, part, speaking.filter(|_| part.doc.is_empty()));
    write_surroundings(&mut sheet, part);
    Page { page_type: PageType::File, path: part.path.to_owned(), title: part.path.to_owned(), text: sheet.finish() }
}

/// Returns the definition that speaks for a file: the one that the file is called after.
fn speaking_name<'p, 'a>(part: &'p FilePart<'a>) -> Option<&'p NamePart<'a>> {
    let stem = stem(part.path);
    let bare =
        |name: &str| name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    let wanted = bare(stem);
    part.names.iter().find(|name| {
        name.container.is_empty() && !name.doc.is_empty() && name.kind.is_type() && bare(name.name) == wanted
    })
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').find(|piece| !piece.is_empty()).unwrap_or(name)
}

fn write_contents(sheet: &mut Sheet, part: &FilePart<'_>, told: Option<&NamePart<'_>>) {
    let is_prose = matches!(part.class, FileClass::Docs) || part.language == Language::Markdown;
    if is_prose || part.class == FileClass::Test {
        let label = if is_prose { "Sections" } else { "Tests" };
        let mut names = part.names.iter().map(|name| name.name.to_owned());
        return sheet.list(label, &mut names, part.names.len(), MAX_TITLES_BYTES);
    }
    let names: Vec<NamePart<'_>> = part
        .names
        .iter()
        .map(|name| NamePart { doc: if told == Some(name) { "" } else { name.doc }, ..name.clone() })
        .collect();
    write_names(sheet, "API", &names, MAX_NAMES_BYTES);
}

fn write_surroundings(sheet: &mut Sheet, part: &FilePart<'_>) {
    for (label, relations) in [
        ("Used by", &part.used_by),
        ("Depends on", &part.depends_on),
        ("Packages", &part.packages),
        ("Tested by", &part.tested_by),
        ("Documented in", &part.documented_in),
    ] {
        write_relations(sheet, label, relations, MAX_RELATION_BYTES);
    }
    write_past(sheet, &part.past, MAX_PAST_BYTES);
}
