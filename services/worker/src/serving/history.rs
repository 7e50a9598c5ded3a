//! The past of files.

use model::{Extent, FileChange, FileHistory};
use proto::v1;

use super::{
    pool::{self, Wanted},
    targets::{self, Target},
};

/// Answers for each item with the past of its file, in the order of the items.
pub(super) fn histories(items: &[v1::HistoryItem], targets: &[Target], wanted: &Wanted) -> v1::HistoryResponse {
    let items: Vec<(&Target, &v1::HistoryItem)> = targets.iter().zip(items).collect();
    v1::HistoryResponse { histories: pool::map(&items, |(target, item)| history(target, item, wanted)) }
}

fn history(target: &Target, item: &v1::HistoryItem, wanted: &Wanted) -> v1::FileHistory {
    let (replies, mut outcomes) = targets::ask(std::slice::from_ref(target), wanted, |asked| {
        let known = || (asked.snapshot.file_history(&item.path).unwrap_or_default(), asked.snapshot.history_extent());
        Ok(asked.snapshot.has_file(&item.path).then(known))
    });
    let mut outcome = outcomes.pop().unwrap_or_default();
    match replies.into_iter().next() {
        Some((_, Some((history, extent)))) => file_history(outcome, history, extent),
        Some((_, None)) => {
            outcome.state = v1::TargetState::Failed.into();
            outcome.reason = "there is no such file".to_owned();
            v1::FileHistory { outcome: Some(outcome), ..Default::default() }
        }
        None => v1::FileHistory { outcome: Some(outcome), ..Default::default() },
    }
}

fn file_history(outcome: v1::Outcome, history: FileHistory, extent: Extent) -> v1::FileHistory {
    v1::FileHistory {
        outcome: Some(outcome),
        commits: history.n_commits,
        fixes: history.n_fixes,
        churn: history.churn,
        trend: history.trend(),
        last_change: history.last_change().cloned().map(change),
        owners: history.owners.into_iter().map(|owner| v1::Owner { name: owner.author, share: owner.share }).collect(),
        recent_owner: history.recent_owner.unwrap_or_default(),
        bus_factor: history.bus_factor,
        changes: history.changes.into_iter().map(change).collect(),
        co_changes: history
            .co_changes
            .into_iter()
            .map(|other| v1::CoChange { path: other.path, support: other.support, confidence: other.confidence })
            .collect(),
        extent: match extent {
            Extent::Nothing => v1::HistoryExtent::Nothing,
            Extent::Whole => v1::HistoryExtent::Whole,
            Extent::Bounded => v1::HistoryExtent::Bounded,
            Extent::Shallow => v1::HistoryExtent::Shallow,
        }
        .into(),
    }
}

fn change(change: FileChange) -> v1::Change {
    v1::Change { commit: change.commit.to_string(), at: change.at, author: change.author, subject: change.subject }
}
