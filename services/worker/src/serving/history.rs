//! Queries of history: the history of files, and the activity of people.

use std::collections::{BTreeMap, BTreeSet};

use index::{ActiveDays, CommitQuery, FoundCommit};
use model::{Extent, FileChange, FileHistory};
use proto::v1;

use super::{
    query_pool::{self, QueryContext},
    targets::{self, QueryTarget, TargetSnapshot},
};

/// Maximum number of commits of a repository in a reply: all that a generation has.
const MAX_COMMITS: u32 = ::history::MAX_ACTIVE_COMMITS;

/// Returns the history of the file of each item, in the order of the items.
pub(super) fn histories(
    items: &[v1::HistoryItem],
    targets: &[QueryTarget],
    context: &QueryContext,
) -> v1::HistoryResponse {
    let items: Vec<(&QueryTarget, &v1::HistoryItem)> = targets.iter().zip(items).collect();
    v1::HistoryResponse { histories: query_pool::map(&items, |(target, item)| history(target, item, context)) }
}

/// Returns the days on which people were active.
pub(super) fn activity(targets: &[QueryTarget], context: &QueryContext) -> v1::ActivityResponse {
    let (replies, outcomes) = targets::query_all(targets, context, |shard| Ok(shard.snapshot.active_days()));
    let author = |active: ActiveDays| v1::ActiveAuthor {
        name: active.author,
        // A day outside the range of the message has no neighbouring days to compare with.
        days: active.days.into_iter().filter_map(|day| i32::try_from(day).ok()).collect(),
    };
    let activity = |(shard, authors): (TargetSnapshot<'_>, Vec<ActiveDays>)| v1::Activity {
        repository: shard.repository.to_owned(),
        authors: authors.into_iter().map(author).collect(),
    };
    v1::ActivityResponse { activities: replies.into_iter().map(activity).collect(), outcomes }
}

/// Returns the requested commits of each item.
pub(super) fn active_commits(
    items: &[v1::ActiveCommitsItem],
    targets: &[QueryTarget],
    context: &QueryContext,
) -> v1::ActiveCommitsResponse {
    let by_repository: BTreeMap<&str, &v1::ActiveCommitsItem> =
        targets.iter().map(|target| target.repository.as_str()).zip(items).collect();
    let (replies, outcomes) = targets::query_all(targets, context, |shard| {
        let Some(item) = by_repository.get(shard.repository) else { return Ok(Vec::new()) };
        let days: Vec<(i64, i64)> =
            item.days.iter().map(|days| (i64::from(days.first), i64::from(days.last))).collect();
        let limit = item.limit.clamp(1, MAX_COMMITS) as usize;
        Ok(shard.snapshot.active_commits(&CommitQuery {
            authors: &item.authors,
            paths: &item.paths,
            days: &days,
            limit,
        }))
    });
    let found = |(shard, commits): (TargetSnapshot<'_>, Vec<FoundCommit>)| {
        let mut numbers: BTreeMap<String, u32> = BTreeMap::new();
        let paths: BTreeSet<String> = commits.iter().flat_map(|commit| commit.paths.iter().cloned()).collect();
        let paths: Vec<String> = paths.into_iter().collect();
        numbers.extend(paths.iter().cloned().zip(0..));
        let commit = |found: FoundCommit| v1::ActiveCommit {
            files: found.paths.iter().filter_map(|path| numbers.get(path).copied()).collect(),
            change: Some(change(found.change)),
        };
        let commits = commits.into_iter().map(commit).collect();
        v1::ActiveCommits { repository: shard.repository.to_owned(), commits, paths }
    };
    v1::ActiveCommitsResponse { found: replies.into_iter().map(found).collect(), outcomes }
}

fn history(target: &QueryTarget, item: &v1::HistoryItem, context: &QueryContext) -> v1::FileHistory {
    let (replies, mut outcomes) = targets::query_all(std::slice::from_ref(target), context, |shard| {
        let known = || (shard.snapshot.file_history(&item.path).unwrap_or_default(), shard.snapshot.history_extent());
        Ok(shard.snapshot.has_file(&item.path).then(known))
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
        recent: history.n_recent,
        before: history.n_before,
        authors: history.n_authors,
        hotspot: history.hotspot.map(|hotspot| v1::Hotspot {
            score: hotspot.score,
            churn_share: hotspot.churn_share,
            complexity_share: hotspot.complexity_share,
        }),
        last_change: history.last_change().cloned().map(change),
        owners: history.owners.into_iter().map(|owner| v1::Owner { name: owner.author, share: owner.share }).collect(),
        recent_owner: history.recent_owner.unwrap_or_default(),
        bus_factor: history.bus_factor,
        changes: history.changes.into_iter().map(change).collect(),
        first_change: history.first_change.map(change),
        co_changes: history
            .co_changes
            .into_iter()
            .map(|other| v1::CoChange { path: other.path, support: other.support, confidence: other.confidence })
            .collect(),
        extent: wire_extent(extent).into(),
    }
}

/// Returns the extent of a known history as a message.
pub(super) fn wire_extent(extent: Extent) -> v1::HistoryExtent {
    match extent {
        Extent::Nothing => v1::HistoryExtent::Nothing,
        Extent::Whole => v1::HistoryExtent::Whole,
        Extent::Bounded => v1::HistoryExtent::Bounded,
        Extent::Shallow => v1::HistoryExtent::Shallow,
    }
}

fn change(change: FileChange) -> v1::Change {
    v1::Change { commit: change.commit.to_string(), at: change.at, author: change.author, subject: change.subject }
}
