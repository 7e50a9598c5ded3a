//! The answer of mode=context, and how it is laid out.

use serde::Serialize;

use super::{item::Item, past::Past};
use crate::{meta::Meta, walk::weights::Intent};

#[derive(Debug, Clone, Serialize)]
pub(super) struct Answer {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mode: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) intent: Option<Intent>,
    pub(super) entity: Item,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) also_called_so: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) used_by: Option<UsedBy>,
    pub(super) hash: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) unchanged: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) past: Option<Past>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) callers: Vec<Item>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) callees: Vec<Item>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) related: Vec<Item>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) totals: Option<Totals>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) projects: Vec<Project>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) peers: Vec<String>,
    pub(super) _meta: Meta,
}

/// Who uses the entity, shown or not.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct UsedBy {
    #[serde(skip_serializing_if = "is_none")]
    pub(super) callers: u32,
    #[serde(skip_serializing_if = "is_none")]
    pub(super) references: u32,
    #[serde(skip_serializing_if = "is_none")]
    pub(super) tests: u32,
    #[serde(skip_serializing_if = "is_none")]
    pub(super) subtypes: u32,
    /// Uses in other repositories.
    #[serde(skip_serializing_if = "is_none")]
    pub(super) links: u32,
    #[serde(skip_serializing_if = "is_none")]
    pub(super) callees: u32,
}

/// What the walk met, shown or not.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Totals {
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) callers: usize,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) callees: usize,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) related: usize,
}

/// How a repository stood to the walk.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Project {
    pub(super) repo: String,
    /// `answered`, or why it did not.
    pub(super) status: &'static str,
    /// Of what the walk met, how much is here.
    pub(super) entities: usize,
}

/// Other definitions of the same name that one line of compact text lists.
const MAX_LISTED: usize = 5;

pub(super) fn compact(answer: &Answer) -> String {
    let mut text = head(answer);
    let totals = answer.totals.clone().unwrap_or_default();
    let sections = [
        ("callers", &answer.callers, totals.callers),
        ("callees", &answer.callees, totals.callees),
        ("related", &answer.related, totals.related),
    ];
    for (name, items, total) in sections {
        if items.is_empty() {
            continue;
        }
        text += &format!("\n{name}: {} of {total}\n", items.len());
        items.iter().for_each(|item| text += &item.compact());
    }
    if answer.projects.len() > 1 || answer.projects.iter().any(|project| project.status != "answered") {
        let shown = |project: &Project| match project.status {
            "answered" => format!("{} {}", project.repo, project.entities),
            status => format!("{} {} ({status})", project.repo, project.entities),
        };
        text += &format!("projects: {}\n", answer.projects.iter().map(shown).collect::<Vec<_>>().join(", "));
    }
    if !answer.peers.is_empty() {
        text += &format!("asked of late by: {}\n", answer.peers.join(", "));
    }
    text + &answer._meta.footer()
}

fn head(answer: &Answer) -> String {
    let Item { repo, path, start_line, end_line, kind, name, signature, doc, code, .. } = &answer.entity;
    let mut text = match name.as_str() {
        "" => format!("{kind} {}\n", answer.entity.id),
        name => format!("{kind} {name} {repo}:{path}:{start_line}-{end_line}\n"),
    };
    for line in [signature, doc] {
        if !line.is_empty() {
            text += &format!("{line}\n");
        }
    }
    let used_by = answer.used_by.as_ref().map(|used_by| format!("{} | ", used_by.compact())).unwrap_or_default();
    text += &format!("{used_by}hash {}\n", answer.hash);
    if answer.unchanged == Some(true) {
        text += "unchanged since this hash\n";
    }
    if !answer.also_called_so.is_empty() {
        let listed: Vec<&str> = answer.also_called_so.iter().take(MAX_LISTED).map(String::as_str).collect();
        text += &format!("also called so: {}\n", listed.join(", "));
    }
    text += &answer.past.as_ref().map(Past::compact).unwrap_or_default();
    if let Some(code) = code {
        text += &format!("{}\n", crate::render::fenced(path, code));
    }
    text
}

impl UsedBy {
    fn compact(&self) -> String {
        let UsedBy { callers, references, tests, subtypes, links, callees } = self;
        let counts = [
            (*callers, "callers"),
            (*references, "references"),
            (*tests, "tests"),
            (*subtypes, "subtypes"),
            (*links, "in other repositories"),
        ];
        let shown: Vec<String> =
            counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
        let used = if shown.is_empty() { "nobody that is known".to_owned() } else { shown.join(", ") };
        format!("used by {used}; calls {callees}")
    }
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

fn is_none(count: &u32) -> bool {
    *count == 0
}
