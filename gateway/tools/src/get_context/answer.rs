//! The answer of mode=context, and its rendering.

use serde::{Serialize, Serializer};

use super::{coupling::Coupling, file_history::FileHistoryView, item::ContextItem, used_by::UsedBy};
use crate::meta::Meta;

#[derive(Debug, Clone, Serialize)]
pub(super) struct ContextAnswer {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mode: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) intent: Option<&'static str>,
    pub(super) entity: ContextItem,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) also_called_so: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) used_by: Option<UsedBy>,
    pub(super) hash: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) unchanged: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) past: Option<FileHistoryView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) coupling: Option<Coupling>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) risks: Vec<String>,
    /// The callee files that changed last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) changed_below: Vec<String>,
    /// The signatures of the file or type.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) skeleton: String,
    /// The items of each section, under its name.
    #[serde(flatten)]
    pub(super) sections: ContextSections,
    #[serde(skip_serializing_if = "SectionTotals::is_empty")]
    pub(super) totals: SectionTotals,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) projects: Vec<Project>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) peers: Vec<String>,
    pub(super) _meta: Meta,
}

/// The sections of an answer in order.
#[derive(Debug, Clone, Default)]
pub(super) struct ContextSections(pub(super) Vec<(&'static str, Vec<ContextItem>)>);

impl Serialize for ContextSections {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().filter(|(_, items)| !items.is_empty()).map(|(name, items)| (name, items)))
    }
}

/// The total number of items in each section, shown or not.
#[derive(Debug, Clone, Default)]
pub(super) struct SectionTotals(pub(super) Vec<(&'static str, usize)>);

impl SectionTotals {
    fn is_empty(&self) -> bool {
        self.0.iter().all(|(_, total)| *total == 0)
    }
}

impl Serialize for SectionTotals {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().filter(|(_, total)| *total > 0).map(|(name, total)| (name, total)))
    }
}

/// The state of a repository in the walk.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Project {
    pub(super) repo: String,
    /// `answered`, or the reason why not.
    pub(super) status: &'static str,
    /// The number of reached entities in this repository.
    pub(super) entities: usize,
}

/// Maximum number of other definitions of the same name in compact text.
const MAX_LISTED: usize = 5;

pub(super) fn compact(answer: &ContextAnswer) -> String {
    let mut text = head(answer);
    for (idx, (name, items)) in answer.sections.0.iter().enumerate().filter(|(_, (_, items))| !items.is_empty()) {
        let total = answer.totals.0.get(idx).map_or(items.len(), |(_, total)| *total);
        text += &format!("\n{}: {} of {total}\n", name.replace('_', " "), items.len());
        items.iter().for_each(|item| text += &item.compact());
    }
    if answer.projects.len() > 1 || answer.projects.iter().any(|project| project.status != "answered") {
        let shown = |project: &Project| match project.status {
            "answered" => format!("{} {}", text::quote_name(&project.repo), project.entities),
            status => format!("{} {} ({status})", text::quote_name(&project.repo), project.entities),
        };
        text += &format!("projects: {}\n", answer.projects.iter().map(shown).collect::<Vec<_>>().join(", "));
    }
    if !answer.peers.is_empty() {
        text += &format!("asked of late by: {}\n", text::quote_names(&answer.peers));
    }
    text + &answer._meta.footer()
}

fn head(answer: &ContextAnswer) -> String {
    let ContextItem { repo, path, start_line, end_line, kind, name, signature, doc, code, .. } = &answer.entity;
    let mut text = match name.as_str() {
        "" => format!("{kind} {}\n", text::quote_name(&answer.entity.id)),
        name => {
            let location = format!("{repo}:{path}:{start_line}-{end_line}");
            format!("{kind} {} {}\n", text::quote_name(name), text::quote_name(&location))
        }
    };
    for line in [signature, doc] {
        if !line.is_empty() {
            text += &format!("{}\n", text::quote(line));
        }
    }
    let used_by = answer.used_by.as_ref().map(|used_by| format!("{} | ", used_by.compact())).unwrap_or_default();
    text += &format!("{used_by}hash {}\n", answer.hash);
    if answer.unchanged == Some(true) {
        text += "unchanged since this hash\n";
    }
    if !answer.also_called_so.is_empty() {
        let listed = answer.also_called_so.iter().take(MAX_LISTED);
        text += &format!("also called so: {}\n", text::quote_names(listed));
    }
    text += &answer.coupling.as_ref().map(Coupling::compact).unwrap_or_default();
    if !answer.risks.is_empty() {
        text += &format!("risks: {}\n", answer.risks.join("; "));
    }
    text += &answer.past.as_ref().map(FileHistoryView::compact).unwrap_or_default();
    if !answer.changed_below.is_empty() {
        text += &format!("changed of late in what it calls:\n  {}\n", answer.changed_below.join("\n  "));
    }
    if !answer.skeleton.is_empty() {
        text += &format!("skeleton:\n{}\n", crate::render::code_fence(path, &answer.skeleton));
    }
    if let Some(code) = code {
        text += &format!("{}\n", crate::render::code_fence(path, code));
    }
    text
}
