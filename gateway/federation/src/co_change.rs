//! Co-change between repositories: repositories, and files, that the same people change at the same time.
//!
//! The active days of people are fetched once per generation and cached. Commits are fetched only for a finding.
//! `history::cross_repo_co_change` decides what is a finding.

mod commits;
mod files;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use history::cross_repo_co_change::{CoChangeEvidence, REPOSITORY_THRESHOLDS, SAME_DAY};
use proto::v1;

pub use commits::CommitPair;
pub use files::FileCoChange;

use crate::{
    cache::RecentCache,
    call::CallContext,
    connection::ShardClient,
    fan_out::fan_out,
    nodes,
    plan::{Group, Plan},
    reply_checks,
    repo_idx::RepoIdx,
};

/// Capacity of each generation of the cache, in repositories. An entry takes a few kilobytes.
const MAX_CACHED: usize = 1_000;

/// Maximum number of repositories of one person: somebody with more works on all of them, not on a pair.
const MAX_REPOSITORIES_OF_PERSON: usize = 50;

/// Maximum number of reported pairs, by likelihood ratio.
const MAX_PAIRS: usize = 100;

/// Maximum number of example commits per finding, latest first.
const MAX_EVIDENCE: usize = 3;

/// A hash over a repository and its generation.
type ActivityKey = [u8; 32];

/// The days of each person of a repository, ascending.
type DaysByAuthor = BTreeMap<String, (String, Vec<i64>)>;

/// The days of people, by generation.
pub struct ActivityCache(RecentCache<ActivityKey, Arc<DaysByAuthor>>);

impl Default for ActivityCache {
    fn default() -> ActivityCache {
        ActivityCache(RecentCache::new(MAX_CACHED))
    }
}

/// Two repositories on which the same people work on the same days more often than by chance.
#[derive(Debug, Clone, PartialEq)]
pub struct RepositoryCoChange {
    /// The repository with the smaller index.
    pub a: RepoIdx,
    /// The repository with the larger index.
    pub b: RepoIdx,
    /// People who were active in both on one day.
    pub authors: usize,
    /// Distinct days on which somebody was active in both.
    pub days: usize,
    /// The ratio of observed to expected coincidences.
    pub lift: f64,
    /// The share of common days, of the days of the repository with fewer days.
    pub share: f64,
    /// Example commits of one person on one day, latest first.
    pub evidence: Vec<CommitPair>,
}

impl CallContext<'_> {
    /// Returns the co-changing pairs of repositories of a plan, highest likelihood ratio first. Repositories that do not answer
    /// are absent, without a shortfall.
    pub async fn repository_co_changes(&self, plan: &Plan) -> Vec<RepositoryCoChange> {
        let days = self.active_days(plan, &plan.asked).await;
        let found = tokio::task::spawn_blocking(move || pairs(&days)).await;
        let found = found.expect("the comparison is total, and nobody cancels it");
        let evidence = self.evidence(plan, &found).await;
        let together = |(pair, evidence): (CoChangePair, Vec<CommitPair>)| RepositoryCoChange {
            a: pair.a,
            b: pair.b,
            authors: pair.evidence.n_people,
            days: pair.evidence.days.len(),
            lift: pair.evidence.lift(),
            share: share(&pair.evidence),
            evidence,
        };
        found.into_iter().zip(evidence).map(together).collect()
    }

    /// Returns the active days of people by repository, from the cache or with one call per worker.
    async fn active_days(&self, plan: &Plan, repo_idxs: &[RepoIdx]) -> BTreeMap<RepoIdx, Arc<DaysByAuthor>> {
        let cache = &self.federation.activity.0;
        let mut known: BTreeMap<RepoIdx, Arc<DaysByAuthor>> = BTreeMap::new();
        let mut unknown: BTreeSet<RepoIdx> = BTreeSet::new();
        for repo_idx in repo_idxs {
            match cache.get(key(plan, *repo_idx)) {
                Some(days) => _ = known.insert(*repo_idx, days),
                None => _ = unknown.insert(*repo_idx),
            }
        }
        let is_served = |repo_idx: &RepoIdx| plan.groups.iter().any(|group| group.repo_idxs.contains(repo_idx));
        let groups = nodes::groups(plan, unknown.into_iter().filter(is_served));
        let message = |group: &Group| v1::ActivityRequest {
            targets: group.repo_idxs.iter().map(|repo_idx| plan.target(*repo_idx)).collect(),
        };
        let rpc = |mut client: ShardClient, request| async move { client.activity(request).await };
        let faults = reply_checks::activity_faults;
        let answered = fan_out(plan, &groups, &self.connections, self.hard_deadline(), message, rpc, faults).await;
        for (group, reply) in answered.value {
            let repo_idxs = plan.by_id(&group);
            for activity in reply.activities {
                let Some(repo_idx) = repo_idxs.get(activity.repository.as_str()).copied() else { continue };
                let days = Arc::new(days(activity.authors));
                cache.insert(key(plan, repo_idx), Arc::clone(&days));
                known.insert(repo_idx, days);
            }
        }
        known
    }
}

fn key(plan: &Plan, repo_idx: RepoIdx) -> ActivityKey {
    let advertised = &plan.repository(repo_idx).advertised;
    let mut hasher = blake3::Hasher::new();
    // Ids have a fixed length. Two repositories under two aliases may share one.
    hasher.update(advertised.id.as_bytes()).update(advertised.generation.as_bytes());
    hasher.update(plan.alias(repo_idx).as_bytes());
    hasher.finalize().into()
}

fn days(authors: Vec<v1::ActiveAuthor>) -> DaysByAuthor {
    let one = |author: v1::ActiveAuthor| {
        let days = author.days.into_iter().map(i64::from).collect();
        (author.name.to_lowercase(), (author.name, days))
    };
    authors.into_iter().map(one).collect()
}

/// Two repositories with the evidence of their co-change.
struct CoChangePair {
    a: RepoIdx,
    b: RepoIdx,
    evidence: CoChangeEvidence,
    /// People, each with the days on which they were active in both.
    people: Vec<(String, BTreeSet<i64>)>,
}

/// Compares all pairs of repositories that share a person.
fn pairs(days: &BTreeMap<RepoIdx, Arc<DaysByAuthor>>) -> Vec<CoChangePair> {
    let mut by_person: BTreeMap<&str, Vec<RepoIdx>> = BTreeMap::new();
    for (repo_idx, days) in days {
        days.keys().for_each(|person| by_person.entry(person).or_default().push(*repo_idx));
    }
    let mut found: HashMap<(RepoIdx, RepoIdx), CoChangePair> = HashMap::new();
    for (person, repo_idxs) in by_person.iter().filter(|(_, repo_idxs)| repo_idxs.len() <= MAX_REPOSITORIES_OF_PERSON) {
        for (idx, a) in repo_idxs.iter().enumerate() {
            for b in &repo_idxs[idx + 1..] {
                let ((name, first), (_, second)) = (&days[a][*person], &days[b][*person]);
                let evidence = CoChangeEvidence::of(first, second, SAME_DAY);
                if evidence.n_matches == 0 {
                    continue;
                }
                let pair = found.entry((*a, *b)).or_insert_with(|| CoChangePair {
                    a: *a,
                    b: *b,
                    evidence: CoChangeEvidence::default(),
                    people: Vec::new(),
                });
                pair.people.push((name.clone(), evidence.days.clone()));
                pair.evidence.add(evidence);
            }
        }
    }
    let mut strong: Vec<CoChangePair> =
        found.into_values().filter(|pair| pair.evidence.is_strong(REPOSITORY_THRESHOLDS)).collect();
    strong.sort_by(|a, b| {
        let by_ratio = b.evidence.log_likelihood_ratio().total_cmp(&a.evidence.log_likelihood_ratio());
        by_ratio.then((a.a, a.b).cmp(&(b.a, b.b)))
    });
    strong.truncate(MAX_PAIRS);
    strong
}

fn share(evidence: &CoChangeEvidence) -> f64 {
    evidence.n_matches as f64 / evidence.n_first.min(evidence.n_second).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository(people: &[(&str, Vec<i64>)]) -> Arc<DaysByAuthor> {
        let author = |(name, days): &(&str, Vec<i64>)| v1::ActiveAuthor {
            name: (*name).to_owned(),
            days: days.iter().map(|day| *day as i32).collect(),
        };
        Arc::new(days(people.iter().map(author).collect()))
    }

    #[test]
    fn pairs_are_those_with_strong_evidence() {
        let every = |n: i64| (0..200).filter(|day| day % n == 0).collect::<Vec<i64>>();
        let all = BTreeMap::from([
            (RepoIdx(0), repository(&[("Ada", every(11)), ("Grace", every(1)), ("Tom", vec![1, 2])])),
            (RepoIdx(1), repository(&[("ada", every(11)), ("Grace", every(1))])),
            (RepoIdx(2), repository(&[("Grace", every(1)), ("Tom", vec![1, 2])])),
        ]);
        let found: Vec<(RepoIdx, RepoIdx)> = pairs(&all).iter().map(|pair| (pair.a, pair.b)).collect();
        assert!(found.is_empty(), "one person who commits every day is no evidence: {found:?}");
        let all = BTreeMap::from([
            (RepoIdx(0), repository(&[("Ada", every(11)), ("Tom", vec![1, 2])])),
            (RepoIdx(1), repository(&[("ada", every(11)), ("Grace", every(1))])),
            (RepoIdx(2), repository(&[("Grace", every(1)), ("Tom", vec![1, 2])])),
        ]);
        let found: Vec<(RepoIdx, RepoIdx)> = pairs(&all).iter().map(|pair| (pair.a, pair.b)).collect();
        assert_eq!(found, [(RepoIdx(0), RepoIdx(1))]);
    }
}
