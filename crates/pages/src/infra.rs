//! The page of a file that says how things are built, tested, deployed or run.

mod facts;
mod kind;
mod yaml;

use model::PageType;

use crate::{
    Page,
    part::{NamePart, PastPart, Relations, write_names, write_past, write_relations},
    prose,
    sheet::Sheet,
};

pub use kind::InfraKind;

/// As much as the page of any file.
const MAX_BYTES: usize = 1_500;

const MAX_PURPOSE_BYTES: usize = 300;

/// Of one kind of fact: images, services, jobs, targets.
const MAX_FACT_BYTES: usize = 260;

const MAX_NAMES_BYTES: usize = 500;

const MAX_RELATION_BYTES: usize = 200;

const MAX_PAST_BYTES: usize = 220;

/// Such a file, as far as its page tells of it.
#[derive(Debug, Clone)]
pub struct InfraPart<'a> {
    pub path: &'a str,
    pub kind: InfraKind,
    pub text: &'a str,
    /// What it says of itself.
    pub doc: &'a str,
    /// What it defines, where its language is read so far.
    pub names: Vec<NamePart<'a>>,
    pub used_by: Relations<'a>,
    pub depends_on: Relations<'a>,
    pub past: PastPart<'a>,
}

/// Sorts of facts that say what such a file can be asked for, rather than what it is made of.
const ASKED_FOR: [&str; 9] =
    ["Targets", "Jobs", "Services", "Stages", "Processes", "Resources", "Programs", "Libraries", "Runs"];

/// Returns what such a file can be asked for, in its order: targets, jobs, services.
pub fn infra_says(kind: InfraKind, text: &str) -> Vec<String> {
    let facts = facts::facts(kind, text).into_iter();
    facts.filter(|fact| ASKED_FOR.contains(&fact.label)).flat_map(|fact| fact.items).collect()
}

/// Renders the page of a file of infrastructure.
pub fn infra(part: &InfraPart<'_>) -> Page {
    let mut sheet = Sheet::new(part.path, MAX_BYTES);
    sheet.line(part.kind.name());
    sheet.paragraph(&prose::first_paragraph(part.doc), MAX_PURPOSE_BYTES);
    for fact in facts::facts(part.kind, part.text) {
        let n_items = fact.items.len();
        sheet.list(fact.label, fact.items.into_iter(), n_items, MAX_FACT_BYTES);
    }
    write_names(&mut sheet, "Defines", &part.names, MAX_NAMES_BYTES);
    write_relations(&mut sheet, "Used by", &part.used_by, MAX_RELATION_BYTES);
    write_relations(&mut sheet, "Depends on", &part.depends_on, MAX_RELATION_BYTES);
    write_past(&mut sheet, &part.past, MAX_PAST_BYTES);
    Page { page_type: PageType::Infra, path: part.path.to_owned(), title: part.path.to_owned(), text: sheet.finish() }
}
