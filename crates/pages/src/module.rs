//! The page of a module: a folder of code, or a package.

use model::PageType;

use crate::{
    Page,
    bounded_markdown::{BoundedMarkdown, shorten},
    part::{NamePart, PastPart, RelatedItems, write_names, write_past, write_relations},
    prose,
};

/// Maximum size in bytes: about 650 tokens. A module has more content than a file, and a repository has fewer modules.
const MAX_BYTES: usize = 2_500;

const MAX_PURPOSE_BYTES: usize = 500;

const MAX_MEMBERS_BYTES: usize = 700;

const MAX_NAMES_BYTES: usize = 800;

const MAX_RELATION_BYTES: usize = 250;

const MAX_PAST_BYTES: usize = 300;

/// Maximum size in bytes of the doc of a member.
const MAX_MEMBER_DOC_BYTES: usize = 90;

/// The input of the page of a module.
#[derive(Debug, Clone)]
pub struct ModulePart<'a> {
    /// The path of its folder.
    pub path: &'a str,
    /// The name of the package, if the module is a package.
    pub package: Option<&'a str>,
    /// Its purpose in prose.
    pub purpose: &'a str,
    /// Its code files, the most used first.
    pub members: Vec<MemberPart<'a>>,
    /// Number of code files.
    pub n_members: u32,
    /// Its definitions, the most used first.
    pub names: Vec<NamePart<'a>>,
    /// Modules that use it.
    pub used_by: RelatedItems<'a>,
    /// Test modules that use it.
    pub tested_by: RelatedItems<'a>,
    /// Modules that it uses.
    pub depends_on: RelatedItems<'a>,
    /// External packages that it uses.
    pub packages: RelatedItems<'a>,
    /// Its history.
    pub past: PastPart<'a>,
}

/// A file of a module, or a module of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberPart<'a> {
    /// The path relative to the module or repository.
    pub path: &'a str,
    /// Its doc comment or purpose.
    pub doc: &'a str,
}

/// Renders the page of a module.
pub fn module(part: &ModulePart<'_>) -> Page {
    let mut markdown = BoundedMarkdown::new(part.path, MAX_BYTES);
    let package = part.package.map_or(String::new(), |package| format!("{package}, "));
    let files = if part.n_members == 1 { "file" } else { "files" };
    markdown.line(&format!("{package}{} {files}", part.n_members));
    markdown.paragraph(&prose::first_paragraph(part.purpose), MAX_PURPOSE_BYTES);
    write_names(&mut markdown, "API", &part.names, MAX_NAMES_BYTES);
    write_members(&mut markdown, "Files", &part.members, MAX_MEMBERS_BYTES);
    for (label, relations) in [
        ("Used by", &part.used_by),
        ("Depends on", &part.depends_on),
        ("Packages", &part.packages),
        ("Tested by", &part.tested_by),
    ] {
        write_relations(&mut markdown, label, relations, MAX_RELATION_BYTES);
    }
    write_past(&mut markdown, &part.past, MAX_PAST_BYTES);
    let title = part.package.unwrap_or(part.path).to_owned();
    Page { page_type: PageType::Module, path: part.path.to_owned(), title, text: markdown.finish() }
}

/// Writes members with their first sentence, one a line.
pub(crate) fn write_members(markdown: &mut BoundedMarkdown, label: &str, members: &[MemberPart<'_>], max_bytes: usize) {
    let lines = members.iter().map(|member| {
        let sentence = prose::first_sentence(member.doc);
        if sentence.is_empty() {
            member.path.to_owned()
        } else {
            format!("{}: {}", member.path, shorten(&sentence, MAX_MEMBER_DOC_BYTES))
        }
    });
    markdown.lines(label, lines, max_bytes);
}
