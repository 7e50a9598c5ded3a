//! Uses that an answer may miss: calls that could not be resolved, and repositories that were not looked at.

use federation::{nodes::NodeRef, overlay::Overlay, plan::Plan, repo_idx::RepoIdx, walk::impact::is_part_of_type};
use model::Language;
use proto::v1;
use schemars::JsonSchema;
use serde::Serialize;

/// Maximum number of listed call sites; the others are counted.
const MAX_LISTED_SITES: usize = 5;

/// The uses of an entity that an answer may miss.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct MayMiss {
    /// Number of calls of the name whose target is unknown.
    #[serde(skip_serializing_if = "is_zero")]
    pub unresolved_calls: usize,
    /// The first of these calls, as `repo:path:line`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sites: Vec<String>,
    /// Repositories with uses that were not looked at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repositories: Vec<String>,
    /// True if uses of the kind of entity are not indexed.
    #[serde(skip_serializing_if = "is_false")]
    pub uses_not_indexed: bool,
}

impl MayMiss {
    /// Returns what an answer about the users of an entity may miss; `None` if nothing.
    pub(crate) fn of(plan: &Plan, overlay: &Overlay, target: NodeRef, card: &v1::NodeCard) -> Option<MayMiss> {
        let repositories: Vec<String> =
            overlay.partly_linked(target.repo_idx).map(|repo_idx| plan.alias(repo_idx).to_owned()).collect();
        let sites = unresolved_calls(plan, overlay, target, card);
        let missing = MayMiss {
            unresolved_calls: sites.len(),
            sites: sites.into_iter().take(MAX_LISTED_SITES).collect(),
            repositories,
            uses_not_indexed: is_part_of_type(card),
        };
        let is_nothing = missing.unresolved_calls == 0 && missing.repositories.is_empty() && !missing.uses_not_indexed;
        (!is_nothing).then_some(missing)
    }

    /// Returns the fact as a part of a line.
    pub(crate) fn footer(&self) -> String {
        let calls = (self.unresolved_calls > 0)
            .then(|| format!("{} calls of the name are unresolved, such as {}", self.unresolved_calls, self.sites[0]));
        let repositories =
            (!self.repositories.is_empty()).then(|| format!("{} is partly read", self.repositories.join(", ")));
        let kind = self.uses_not_indexed.then(|| "uses of fields and members are not indexed".to_owned());
        let parts: Vec<String> = [calls, repositories, kind].into_iter().flatten().collect();
        format!("may miss users: {}", parts.join("; "))
    }
}

/// Returns the unresolved calls of the name of a definition, in files whose language can call it.
fn unresolved_calls(plan: &Plan, overlay: &Overlay, target: NodeRef, card: &v1::NodeCard) -> Vec<String> {
    let (Some(symbol), Some(file)) = (&card.symbol, &card.file) else { return Vec::new() };
    let family = |path: &str| graph::Family::of(Language::of_path(path));
    let own_family = family(&file.path);
    let site = |repo_idx: RepoIdx, path: &str, line: u32| {
        let repo = plan.alias(repo_idx);
        format!("{repo}:{}:{line}", text::sanitise_name(path))
    };
    let calls = overlay.unresolved_calls(target.repo_idx, &symbol.name);
    let sites = calls.flat_map(|(repo_idx, sites)| {
        let callers = sites.iter().filter(|call| family(&call.path) == own_family);
        callers.map(move |call| (repo_idx, call))
    });
    sites.map(|(repo_idx, call)| site(repo_idx, &call.path, call.line)).collect()
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

fn is_false(value: &bool) -> bool {
    !value
}
