//! Usage counts of an entity.

use proto::v1;
use serde::Serialize;

use federation::{call::CallContext, nodes::NodeRef, overlay::Overlay};

/// Usage counts of the entity, shown or not.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct UsedBy {
    #[serde(skip_serializing_if = "is_none")]
    pub(crate) callers: u32,
    #[serde(skip_serializing_if = "is_none")]
    pub(crate) references: u32,
    /// Functions of all repositories that access a field or an enum member, as far as the walk reached them.
    #[serde(skip_serializing_if = "is_none")]
    pub(crate) accesses: u32,
    #[serde(skip_serializing_if = "is_none")]
    pub(crate) tests: u32,
    #[serde(skip_serializing_if = "is_none")]
    pub(crate) subtypes: u32,
    /// Files that import it, as far as the walk reached them.
    #[serde(skip_serializing_if = "is_none")]
    pub(crate) importers: u32,
    /// Uses in other repositories.
    #[serde(skip_serializing_if = "is_none")]
    pub(crate) links: u32,
    #[serde(skip_serializing_if = "is_none")]
    pub(crate) callees: u32,
}

impl UsedBy {
    /// Returns the counts of an entity that its card and the links between repositories have.
    pub(crate) fn of(call: &CallContext<'_>, overlay: &Overlay, at: NodeRef, card: &v1::NodeCard) -> UsedBy {
        let links = overlay
            .edges_at(at, &call.visible)
            .filter(|cross_edge| cross_edge.provider == at.repo_idx && cross_edge.is_counted());
        UsedBy {
            callers: card.callers,
            references: card.references,
            accesses: 0,
            tests: card.tests,
            subtypes: card.subtypes,
            importers: 0,
            links: links.count() as u32,
            callees: card.callees,
        }
    }

    pub(crate) fn compact(&self) -> String {
        let UsedBy { callers, references, accesses, tests, subtypes, importers, links, callees } = self;
        let counts = [
            (*callers, "callers"),
            (*references, "references"),
            (*accesses, "accessing functions"),
            (*tests, "tests"),
            (*subtypes, "subtypes"),
            (*importers, "importing files"),
            (*links, "in other repositories"),
        ];
        let shown: Vec<String> =
            counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
        let used = if shown.is_empty() { "nobody that is known".to_owned() } else { shown.join(", ") };
        format!("used by {used}; calls {callees}")
    }
}

fn is_none(count: &u32) -> bool {
    *count == 0
}
