//! The page of a module: a folder of code, or a package.

use model::PageType;

use crate::{
    Page,
    part::{NamePart, PastPart, Relations, write_names, write_past, write_relations},
    prose,
    sheet::{Sheet, shortened},
};

/// A module has more to tell than a file, and a repository has fewer: about 650 tokens.
const MAX_BYTES: usize = 2_500;

const MAX_PURPOSE_BYTES: usize = 500;

const MAX_MEMBERS_BYTES: usize = 700;

const MAX_NAMES_BYTES: usize = 800;

const MAX_RELATION_BYTES: usize = 250;

const MAX_PAST_BYTES: usize = 300;

/// What a member says of itself, at most.
const MAX_MEMBER_DOC_BYTES: usize = 90;

/// A module, as far as its page tells of it.
#[derive(Debug, Clone)]
pub struct ModulePart<'a> {
    /// Of its folder.
    pub path: &'a str,
    /// The name of the package, where it is one.
    pub package: Option<&'a str>,
    /// What it says of itself: running text.
    pub purpose: &'a str,
    /// Its files of code, the most used first.
    pub members: Vec<MemberPart<'a>>,
    pub n_members: u32,
    pub names: Vec<NamePart<'a>>,
    pub used_by: Relations<'a>,
    pub tested_by: Relations<'a>,
    pub depends_on: Relations<'a>,
    /// Packages of others that it uses.
    pub packages: Relations<'a>,
    pub past: PastPart<'a>,
}

/// A file of a module, or a module of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberPart<'a> {
    /// Within what it is a member of.
    pub path: &'a str,
    pub doc: &'a str,
}

/// Renders the page of a module.
pub fn module(part: &ModulePart<'_>) -> Page {
    let mut sheet = Sheet::new(part.path, MAX_BYTES);
    let package = part.package.map_or(String::new(), |package| format!("{package}, "));
    let files = if part.n_members == 1 { "file" } else { "files" };
    sheet.line(&format!("{package}{} {files}", part.n_members));
    sheet.paragraph(&prose::first_paragraph(part.purpose), MAX_PURPOSE_BYTES);
    write_names(&mut sheet, "API", &part.names, MAX_NAMES_BYTES);
    write_members(&mut sheet, "Files", &part.members, MAX_MEMBERS_BYTES);
    for (label, relations) in [
        ("Used by", &part.used_by),
        ("Depends on", &part.depends_on),
        ("Packages", &part.packages),
        ("Tested by", &part.tested_by),
    ] {
        write_relations(&mut sheet, label, relations, MAX_RELATION_BYTES);
    }
    write_past(&mut sheet, &part.past, MAX_PAST_BYTES);
    let title = part.package.unwrap_or(part.path).to_owned();
    Page { page_type: PageType::Module, path: part.path.to_owned(), title, text: sheet.finish() }
}

/// Writes members with what they say of themselves, a line each.
pub(crate) fn write_members(sheet: &mut Sheet, label: &str, members: &[MemberPart<'_>], max_bytes: usize) {
    let lines = members.iter().map(|member| {
        let sentence = prose::first_sentence(member.doc);
        if sentence.is_empty() {
            member.path.to_owned()
        } else {
            format!("{}: {}", member.path, shortened(&sentence, MAX_MEMBER_DOC_BYTES))
        }
    });
    sheet.lines(label, lines, max_bytes);
}
