//! The page of a repository.

use model::PageType;

use crate::{
    Page,
    module::{MemberPart, write_members},
    part::{NamePart, PastPart, Relations, write_names, write_past, write_relations},
    prose,
    sheet::Sheet,
};

/// There is one per repository, and it is what somebody new reads first: about 1,300 tokens.
const MAX_BYTES: usize = 5_000;

const MAX_PURPOSE_BYTES: usize = 900;

const MAX_MODULES_BYTES: usize = 1_800;

const MAX_NAMES_BYTES: usize = 1_000;

const MAX_RELATION_BYTES: usize = 400;

/// A repository, as far as its page tells of it.
#[derive(Debug, Clone, Default)]
pub struct OverviewPart<'a> {
    /// What it calls itself; empty where it does not.
    pub name: &'a str,
    /// What it says of itself: running text.
    pub purpose: &'a str,
    /// Most files first.
    pub languages: Vec<LanguagePart<'a>>,
    /// Its packages and folders of code, the most used first.
    pub modules: Vec<MemberPart<'a>>,
    /// Packages that it makes.
    pub makes: Relations<'a>,
    /// Packages of others that it uses.
    pub packages: Relations<'a>,
    /// Where runs begin.
    pub entry_points: Relations<'a>,
    /// HTTP routes that it answers.
    pub routes: Relations<'a>,
    /// Services of protobuf that it defines.
    pub services: Relations<'a>,
    pub names: Vec<NamePart<'a>>,
    /// Files that say how it is built, tested, deployed and run.
    pub infra: Relations<'a>,
    /// Files by commits of the last 13 weeks.
    pub busiest: Relations<'a>,
    pub past: PastPart<'a>,
}

/// Files of one language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LanguagePart<'a> {
    pub name: &'a str,
    pub n_files: u32,
}

/// Renders the page of a repository.
pub fn overview(part: &OverviewPart<'_>) -> Page {
    let mut sheet = Sheet::new(if part.name.is_empty() { "Repository" } else { part.name }, MAX_BYTES);
    sheet.paragraph(&prose::first_paragraph(part.purpose), MAX_PURPOSE_BYTES);
    let languages = part.languages.iter().map(|language| format!("{} ({})", language.name, language.n_files));
    sheet.list("Languages", languages, part.languages.len(), MAX_RELATION_BYTES);
    write_members(&mut sheet, "Modules", &part.modules, MAX_MODULES_BYTES);
    write_names(&mut sheet, "API", &part.names, MAX_NAMES_BYTES);
    for (label, relations) in [
        ("Entry points", &part.entry_points),
        ("Routes", &part.routes),
        ("Services", &part.services),
        ("Makes", &part.makes),
        ("Packages", &part.packages),
        ("Built and run by", &part.infra),
        ("Most changed", &part.busiest),
    ] {
        write_relations(&mut sheet, label, relations, MAX_RELATION_BYTES);
    }
    write_past(&mut sheet, &part.past, MAX_RELATION_BYTES);
    Page { page_type: PageType::Overview, path: String::new(), title: part.name.to_owned(), text: sheet.finish() }
}
