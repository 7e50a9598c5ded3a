//! The page of a repository.

use model::PageType;

use crate::{
    Page,
    bounded_markdown::BoundedMarkdown,
    module::{MemberPart, write_members},
    part::{NamePart, PastPart, RelatedItems, write_names, write_past, write_relations},
    prose,
};

/// Maximum size in bytes: about 1,300 tokens. There is one such page per repository, and newcomers read it first.
const MAX_BYTES: usize = 5_000;

const MAX_PURPOSE_BYTES: usize = 900;

const MAX_MODULES_BYTES: usize = 1_800;

const MAX_NAMES_BYTES: usize = 1_000;

const MAX_RELATION_BYTES: usize = 400;

/// The input of the page of a repository.
#[derive(Debug, Clone, Default)]
pub struct OverviewPart<'a> {
    /// Its name; empty if unknown.
    pub name: &'a str,
    /// Its purpose in prose.
    pub purpose: &'a str,
    /// Its languages, most files first.
    pub languages: Vec<LanguagePart<'a>>,
    /// Its packages and code folders, the most used first.
    pub modules: Vec<MemberPart<'a>>,
    /// Packages that it publishes.
    pub makes: RelatedItems<'a>,
    /// External packages that it uses.
    pub packages: RelatedItems<'a>,
    /// Entry points of programs.
    pub entry_points: RelatedItems<'a>,
    /// HTTP routes that it serves.
    pub routes: RelatedItems<'a>,
    /// Protobuf services that it defines.
    pub services: RelatedItems<'a>,
    /// Its definitions, the most used first.
    pub names: Vec<NamePart<'a>>,
    /// Infrastructure files: how it is built, tested, deployed and run.
    pub infra: RelatedItems<'a>,
    /// Files with most commits in the last 13 weeks.
    pub busiest: RelatedItems<'a>,
    /// Its history.
    pub past: PastPart<'a>,
}

/// The number of files of one language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LanguagePart<'a> {
    /// The name of the language.
    pub name: &'a str,
    /// Number of files.
    pub n_files: u32,
}

/// Renders the page of a repository.
pub fn overview(part: &OverviewPart<'_>) -> Page {
    let mut markdown = BoundedMarkdown::new(if part.name.is_empty() { "Repository" } else { part.name }, MAX_BYTES);
    markdown.paragraph(&prose::first_paragraph(part.purpose), MAX_PURPOSE_BYTES);
    let languages = part.languages.iter().map(|language| format!("{} ({})", language.name, language.n_files));
    markdown.list("Languages", languages, part.languages.len(), MAX_RELATION_BYTES);
    write_members(&mut markdown, "Modules", &part.modules, MAX_MODULES_BYTES);
    write_names(&mut markdown, "API", &part.names, MAX_NAMES_BYTES);
    for (label, relations) in [
        ("Entry points", &part.entry_points),
        ("Routes", &part.routes),
        ("Services", &part.services),
        ("Makes", &part.makes),
        ("Packages", &part.packages),
        ("Built and run by", &part.infra),
        ("Most changed", &part.busiest),
    ] {
        write_relations(&mut markdown, label, relations, MAX_RELATION_BYTES);
    }
    write_past(&mut markdown, &part.past, MAX_RELATION_BYTES);
    Page { page_type: PageType::Overview, path: String::new(), title: part.name.to_owned(), text: markdown.finish() }
}
