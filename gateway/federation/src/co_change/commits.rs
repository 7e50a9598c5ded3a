//! Example commits of a finding: pairs of commits of one person within a day.

use std::collections::{BTreeMap, BTreeSet};

use history::cross_repo_co_change::day;
use proto::v1;
use serde::Serialize;

use super::{CoChangePair, MAX_EVIDENCE};
use crate::{
    call::CallContext,
    commit_id::short_commit,
    connection::ShardClient,
    fan_out::fan_out,
    instant::rfc3339,
    nodes,
    plan::{Group, Plan},
    reply_checks,
    repo_idx::RepoIdx,
};

/// Maximum number of commits per repository: a person makes a handful per day.
const MAX_COMMITS: u32 = 2_000;

/// Two commits of one person within a day.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct CommitPair {
    /// The name as the first commit has it, sanitised.
    pub author: String,
    /// The day of the later commit as `YYYY-MM-DD` (UTC).
    pub date: String,
    /// Alias of the repository, short id and subject of the first commit.
    pub first: String,
    /// The same for the second commit.
    pub second: String,
}

/// A commit with its author.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct AuthoredCommit {
    pub(super) author: String,
    pub(super) at: i64,
    pub(super) commit: String,
    pub(super) subject: String,
    pub(super) paths: Vec<String>,
}

impl CommitPair {
    pub(super) fn of(
        plan: &Plan,
        (a, first): (RepoIdx, &AuthoredCommit),
        (b, second): (RepoIdx, &AuthoredCommit),
    ) -> CommitPair {
        let date = rfc3339(first.at.max(second.at)).unwrap_or_default();
        let line = |repo_idx: RepoIdx, found: &AuthoredCommit| {
            let commit = text::sanitise_name(short_commit(&found.commit)).into_owned();
            let commit = text::quote_name(&format!("{}@{commit}", plan.alias(repo_idx))).into_owned();
            format!("{commit} {}", text::quote(&text::first_sentence(&found.subject)))
        };
        CommitPair {
            author: text::sanitise_name(&first.author).into_owned(),
            date: date.chars().take_while(|c| *c != 'T').collect(),
            first: line(a, first),
            second: line(b, second),
        }
    }
}

impl CallContext<'_> {
    /// Returns example commits of each pair, latest first: one call per worker.
    pub(super) async fn evidence(&self, plan: &Plan, pairs: &[CoChangePair]) -> Vec<Vec<CommitPair>> {
        let mut wanted: BTreeMap<RepoIdx, (BTreeSet<String>, BTreeSet<i64>)> = BTreeMap::new();
        for pair in pairs {
            for (name, day) in latest(pair) {
                for repo_idx in [pair.a, pair.b] {
                    let (names, days) = wanted.entry(repo_idx).or_default();
                    names.insert(name.to_owned());
                    days.insert(day);
                }
            }
        }
        let items = wanted.into_iter().map(|(repo_idx, (names, days))| {
            let days = days.into_iter().map(|day| (day, day)).collect();
            (repo_idx, ActiveCommitsQuery { authors: names.into_iter().collect(), paths: Vec::new(), days })
        });
        let found = self.active_commits(plan, &items.collect()).await;
        let of_pair = |pair: &CoChangePair| {
            let of = |repo_idx: RepoIdx, name: &str, on: i64| {
                let all = found.get(&repo_idx).into_iter().flatten();
                let is_it = |commit: &&AuthoredCommit| {
                    day(commit.at) == on && commit.author.to_lowercase() == name.to_lowercase()
                };
                all.filter(is_it).max_by(|a, b| (a.at, &a.commit).cmp(&(b.at, &b.commit)))
            };
            let both = |(name, day): (&str, i64)| {
                let (first, second) = (of(pair.a, name, day)?, of(pair.b, name, day)?);
                Some(CommitPair::of(plan, (pair.a, first), (pair.b, second)))
            };
            latest(pair).into_iter().filter_map(both).collect()
        };
        pairs.iter().map(of_pair).collect()
    }

    /// Fetches the queried commits of each repository: one call per worker.
    pub(super) async fn active_commits(
        &self,
        plan: &Plan,
        wanted: &BTreeMap<RepoIdx, ActiveCommitsQuery>,
    ) -> BTreeMap<RepoIdx, Vec<AuthoredCommit>> {
        let groups = nodes::groups(plan, wanted.keys().copied());
        let item = |repo_idx: &RepoIdx| {
            let ActiveCommitsQuery { authors, paths, days } = &wanted[repo_idx];
            let days = days.iter().filter_map(|(first, last)| {
                Some(v1::Days { first: i32::try_from(*first).ok()?, last: i32::try_from(*last).ok()? })
            });
            v1::ActiveCommitsItem {
                target: Some(plan.target(*repo_idx)),
                authors: authors.clone(),
                paths: paths.clone(),
                days: days.collect(),
                limit: MAX_COMMITS,
            }
        };
        let message = |group: &Group| v1::ActiveCommitsRequest { items: group.repo_idxs.iter().map(item).collect() };
        let rpc = |mut client: ShardClient, request| async move { client.active_commits(request).await };
        let faults = reply_checks::active_commits_faults;
        let answered = fan_out(plan, &groups, &self.connections, self.hard_deadline(), message, rpc, faults).await;
        let mut all = BTreeMap::new();
        for (group, reply) in answered.value {
            let repo_idxs = plan.by_id(&group);
            for found in reply.found {
                if let Some(repo_idx) = repo_idxs.get(found.repository.as_str()).copied() {
                    all.insert(repo_idx, commits(found));
                }
            }
        }
        all
    }
}

/// A query for commits of a repository. An empty list does not filter.
pub(super) struct ActiveCommitsQuery {
    pub(super) authors: Vec<String>,
    pub(super) paths: Vec<String>,
    pub(super) days: Vec<(i64, i64)>,
}

fn commits(found: v1::ActiveCommits) -> Vec<AuthoredCommit> {
    let v1::ActiveCommits { commits, paths, .. } = found;
    let commit = |commit: v1::ActiveCommit| {
        let change = commit.change?;
        let paths = commit.files.iter().filter_map(|file| paths.get(*file as usize).cloned()).collect();
        Some(AuthoredCommit {
            author: change.author,
            at: change.at,
            commit: change.commit,
            subject: change.subject,
            paths,
        })
    };
    commits.into_iter().filter_map(commit).collect()
}

/// Returns the latest common days, each with its person.
fn latest(pair: &CoChangePair) -> Vec<(&str, i64)> {
    let people = pair.people.iter();
    let mut days: Vec<(&str, i64)> =
        people.flat_map(|(name, days)| days.iter().map(move |day| (name.as_str(), *day))).collect();
    days.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    days.truncate(MAX_EVIDENCE);
    days
}
