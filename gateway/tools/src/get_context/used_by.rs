//! Usage counts of an entity.

use serde::Serialize;

/// Usage counts of the entity, shown or not.
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
    /// Files that import it, as far as the walk reached them.
    #[serde(skip_serializing_if = "is_none")]
    pub(super) importers: u32,
    /// Uses in other repositories.
    #[serde(skip_serializing_if = "is_none")]
    pub(super) links: u32,
    #[serde(skip_serializing_if = "is_none")]
    pub(super) callees: u32,
}

impl UsedBy {
    pub(super) fn compact(&self) -> String {
        let UsedBy { callers, references, tests, subtypes, importers, links, callees } = self;
        let counts = [
            (*callers, "callers"),
            (*references, "references"),
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
