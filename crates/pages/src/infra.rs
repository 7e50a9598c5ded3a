//! The page of an infrastructure file, which describes how a project is built, tested, deployed or run.

mod facts;
mod kind;
mod yaml;

use model::PageType;

use crate::{
    Page,
    bounded_markdown::BoundedMarkdown,
    part::{NamePart, PastPart, RelatedItems, write_names, write_past, write_relations},
    prose,
};

pub use kind::InfraKind;

/// Maximum size in bytes, as of any page of a file.
const MAX_BYTES: usize = 1_500;

const MAX_PURPOSE_BYTES: usize = 300;

/// Maximum size in bytes of one kind of fact: images, services, jobs, targets.
const MAX_FACT_BYTES: usize = 260;

const MAX_NAMES_BYTES: usize = 500;

const MAX_RELATION_BYTES: usize = 200;

const MAX_PAST_BYTES: usize = 220;

/// The input of the page of an infrastructure file.
#[derive(Debug, Clone)]
pub struct InfraPart<'a> {
    /// The path of the file.
    pub path: &'a str,
    /// The kind of infrastructure.
    pub kind: InfraKind,
    /// The content of the file.
    pub text: &'a str,
    /// Its doc comment.
    pub doc: &'a str,
    /// Its definitions, if its language is supported.
    pub names: Vec<NamePart<'a>>,
    /// Files that use it.
    pub used_by: RelatedItems<'a>,
    /// Files that it uses.
    pub depends_on: RelatedItems<'a>,
    /// Its history.
    pub past: PastPart<'a>,
}

/// Labels of facts that users can invoke or deploy, in contrast to details.
const USABLE_FACTS: [&str; 9] =
    ["Targets", "Jobs", "Services", "Stages", "Processes", "Resources", "Programs", "Libraries", "Runs"];

/// Returns the items of a file that users can invoke or deploy, in file order: targets, jobs, services.
pub fn infra_items(kind: InfraKind, text: &str) -> Vec<String> {
    let facts = facts::facts(kind, text).into_iter();
    facts.filter(|fact| USABLE_FACTS.contains(&fact.label)).flat_map(|fact| fact.items).collect()
}

/// Renders the page of an infrastructure file.
pub fn infra(part: &InfraPart<'_>) -> Page {
    let mut markdown = BoundedMarkdown::new(part.path, MAX_BYTES);
    markdown.line(part.kind.name());
    markdown.paragraph(&prose::first_paragraph(part.doc), MAX_PURPOSE_BYTES);
    for fact in facts::facts(part.kind, part.text) {
        let n_items = fact.items.len();
        markdown.list(fact.label, fact.items.into_iter(), n_items, MAX_FACT_BYTES);
    }
    write_names(&mut markdown, "Defines", &part.names, MAX_NAMES_BYTES);
    write_relations(&mut markdown, "Used by", &part.used_by, MAX_RELATION_BYTES);
    write_relations(&mut markdown, "Depends on", &part.depends_on, MAX_RELATION_BYTES);
    write_past(&mut markdown, &part.past, MAX_PAST_BYTES);
    Page {
        page_type: PageType::Infra,
        path: part.path.to_owned(),
        title: part.path.to_owned(),
        text: markdown.finish(),
    }
}
