//! The file history that a task needs.

use proto::v1;
use serde::Serialize;

use super::item::commit;
use federation::{instant::rfc3339, walk::weights::Intent};

/// Maximum number of entries of each kind.
const MAX_OWNERS: usize = 3;
const MAX_CHANGES: usize = 5;
const MAX_CO_CHANGES: usize = 8;

/// The history of the entity's file.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct FileHistoryView {
    commits: u32,
    /// Set if the history is incomplete, with the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    cut: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fixes: Option<u32>,
    /// Commits weighted by age, and the trend of recent ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    churn: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trend: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    owners: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recent_owner: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bus_factor: Option<u32>,
    /// Newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changes: Vec<String>,
    /// Files that change with it, with the number of common commits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changes_with: Vec<String>,
}

impl FileHistoryView {
    /// Selects the fields for an intent: a review weighs risk, debugging looks for changes, and a modification must
    /// not forget co-changed files.
    pub(super) fn of(history: &v1::FileHistory, intent: Intent) -> FileHistoryView {
        let (weighs_risk, is_debugging) = (intent == Intent::Review, intent == Intent::Debug);
        let needs_partners = matches!(intent, Intent::Modify | Intent::Review | Intent::Add | Intent::Plan);
        let n_changes = if weighs_risk || is_debugging { MAX_CHANGES } else { 1 };
        let changes = match history.changes.as_slice() {
            [] => history.last_change.as_slice(),
            changes => changes,
        };
        let owner = |owner: &v1::Owner| format!("{} {:.0}%", text::quote_name(&owner.name), owner.share * 100.0);
        let partner = |other: &v1::CoChange| format!("{} ({})", text::quote_name(&other.path), other.support);
        let figure = |value: f32| weighs_risk.then(|| crate::render::rounded(value));
        let is_shallow = history.extent() == v1::HistoryExtent::Shallow;
        FileHistoryView {
            cut: is_shallow.then_some("the clone is shallow: older commits and their authors are not known"),
            commits: history.commits,
            fixes: (weighs_risk || is_debugging).then_some(history.fixes),
            churn: figure(history.churn),
            trend: figure(history.trend),
            owners: history.owners.iter().take(MAX_OWNERS).map(owner).collect(),
            recent_owner: Some(text::sanitise_name(&history.recent_owner).into_owned()).filter(|name| !name.is_empty()),
            bus_factor: weighs_risk.then_some(history.bus_factor),
            changes: changes.iter().take(n_changes).map(change).collect(),
            changes_with: history
                .co_changes
                .iter()
                .take(if needs_partners { MAX_CO_CHANGES } else { 0 })
                .map(partner)
                .collect(),
        }
    }

    pub(super) fn compact(&self) -> String {
        let mut parts = vec![format!("{} commits", self.commits)];
        parts.extend(self.cut.map(str::to_owned));
        parts.extend(self.fixes.map(|fixes| format!("{fixes} fixes")));
        parts.extend(self.churn.map(|churn| format!("churn {churn}")));
        parts.extend(self.trend.map(|trend| format!("trend {trend}")));
        parts.extend(self.bus_factor.map(|bus_factor| format!("bus factor {bus_factor}")));
        if !self.owners.is_empty() {
            parts.push(format!("owners {}", self.owners.join(", ")));
        }
        parts.extend(self.recent_owner.as_ref().map(|owner| format!("of late {}", text::quote_name(owner))));
        let mut text = format!("past: {}\n", parts.join("; "));
        self.changes.iter().for_each(|change| text += &format!("  {change}\n"));
        if !self.changes_with.is_empty() {
            text += &format!("changes with: {}\n", self.changes_with.join(", "));
        }
        text
    }
}

pub(crate) fn change(change: &v1::Change) -> String {
    let subject = text::quote(&text::first_sentence(&change.subject));
    let day = rfc3339(change.at).map(|at| at.chars().take_while(|c| *c != 'T').collect::<String>()).unwrap_or_default();
    format!("{} {day} {}: {subject}", commit(&change.commit), text::quote_name(&change.author))
}
