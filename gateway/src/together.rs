//! Repositories, and files of several, on which the same people work at the same time.
//!
//! Which days people were active on is asked once per generation, and kept. Everything else follows from them; the commits
//! behind a finding are asked for only where there is one. What takes to be a finding is decided in `history::together`.

mod commits;
mod files;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use history::together::{Evidence, OF_REPOSITORIES, SAME_DAY};
use proto::v1;

pub(crate) use commits::CommitPair;
pub(crate) use files::FileTogether;

use crate::{
    call::Call,
    connection::ShardClient,
    fan_out::fan_out,
    nodes,
    plan::{Group, Plan},
    recent::Recent,
    replies,
};

/// Repositories whose days are kept per half of the cache. One takes some kilobytes.
const MAX_CACHED: usize = 1_000;

/// Who is active in more of the repositories than this works on all of them, rather than on two.
const MAX_REPOSITORIES_OF_PERSON: usize = 50;

/// Pairs of repositories that are told at most, the most surprising first.
const MAX_PAIRS: usize = 100;

/// Pairs of commits that are shown for one finding, the latest first.
const MAX_EVIDENCE: usize = 3;

/// A hash over a repository and its generation.
type Key = [u8; 32];

/// The days of each person of a repository, ascending.
type Days = BTreeMap<String, (String, Vec<i64>)>;

/// The days of people, by generation.
pub(crate) struct ActivityCache(Recent<Key, Arc<Days>>);

impl Default for ActivityCache {
    fn default() -> ActivityCache {
        ActivityCache(Recent::new(MAX_CACHED))
    }
}

/// Two repositories on which the same people work on the same days, more than chance would have it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Together {
    /// Positions, the smaller first.
    pub(crate) a: usize,
    pub(crate) b: usize,
    /// People who were active in both on one day.
    pub(crate) authors: usize,
    /// Distinct days together.
    pub(crate) days: usize,
    /// How much more often than by chance.
    pub(crate) lift: f64,
    /// Of the days of the one with fewer days, the part that is together.
    pub(crate) share: f64,
    /// Commits of one person on one day, the latest first.
    pub(crate) evidence: Vec<CommitPair>,
}

impl Call<'_> {
    /// Returns the pairs, of the repositories of a plan, that the same people work on at the same time; the most surprising
    /// first. Repositories that could not tell are missing from it, which costs the rest of the answer nothing.
    pub(crate) async fn works_together(&self, plan: &Plan) -> Vec<Together> {
        let mut plan = plan.clone();
        let asked = plan.asked.clone();
        let days = self.active_days(&mut plan, &asked).await;
        let found = tokio::task::spawn_blocking(move || pairs(&days)).await;
        let found = found.expect("the comparison is total, and nobody cancels it");
        let evidence = self.evidence(&mut plan, &found).await;
        let together = |(pair, evidence): (Pair, Vec<CommitPair>)| Together {
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

    /// Returns the days of people by the position of their repository; what is not known yet takes one call per worker.
    async fn active_days(&self, plan: &mut Plan, positions: &[usize]) -> BTreeMap<usize, Arc<Days>> {
        let cache = &self.core.activity.0;
        let mut known: BTreeMap<usize, Arc<Days>> = BTreeMap::new();
        let mut unknown: BTreeSet<usize> = BTreeSet::new();
        for position in positions {
            match cache.get(key(plan, *position)) {
                Some(days) => _ = known.insert(*position, days),
                None => _ = unknown.insert(*position),
            }
        }
        let is_served = |position: &usize| plan.groups.iter().any(|group| group.positions.contains(position));
        let groups = nodes::groups(plan, unknown.into_iter().filter(is_served));
        let message = |group: &Group| v1::ActivityRequest {
            targets: group.positions.iter().map(|position| plan.target(*position)).collect(),
        };
        let rpc = |mut client: ShardClient, request| async move { client.activity(request).await };
        let faults = replies::activity_faults;
        let answered = fan_out(plan, &groups, &self.connections, self.hard_deadline(), message, rpc, faults).await;
        for (group, reply) in answered.replies {
            let positions = plan.by_id(&group);
            for activity in reply.activities {
                let Some(position) = positions.get(activity.repository.as_str()).copied() else { continue };
                let days = Arc::new(days(activity.authors));
                cache.insert(key(plan, position), Arc::clone(&days));
                known.insert(position, days);
            }
        }
        known
    }
}

fn key(plan: &Plan, position: usize) -> Key {
    let advertised = &plan.repository(position).advertised;
    let mut hasher = blake3::Hasher::new();
    // Ids are of fixed length, and may be those of two repositories under two aliases.
    hasher.update(advertised.id.as_bytes()).update(advertised.generation.as_bytes());
    hasher.update(plan.alias(position).as_bytes());
    hasher.finalize().into()
}

fn days(authors: Vec<v1::ActiveAuthor>) -> Days {
    let one = |author: v1::ActiveAuthor| {
        let days = author.days.into_iter().map(i64::from).collect();
        (author.name.to_lowercase(), (author.name, days))
    };
    authors.into_iter().map(one).collect()
}

/// Two repositories, what speaks for them, and on which days of whom.
struct Pair {
    a: usize,
    b: usize,
    evidence: Evidence,
    /// People and their days together.
    people: Vec<(String, BTreeSet<i64>)>,
}

/// Compares all pairs of repositories that share a person.
fn pairs(days: &BTreeMap<usize, Arc<Days>>) -> Vec<Pair> {
    let mut by_person: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (position, days) in days {
        days.keys().for_each(|person| by_person.entry(person).or_default().push(*position));
    }
    let mut found: HashMap<(usize, usize), Pair> = HashMap::new();
    for (person, positions) in by_person.iter().filter(|(_, positions)| positions.len() <= MAX_REPOSITORIES_OF_PERSON) {
        for (idx, a) in positions.iter().enumerate() {
            for b in &positions[idx + 1..] {
                let ((name, first), (_, second)) = (&days[a][*person], &days[b][*person]);
                let evidence = Evidence::of(first, second, SAME_DAY);
                if evidence.n_together == 0 {
                    continue;
                }
                let pair = found.entry((*a, *b)).or_insert_with(|| Pair {
                    a: *a,
                    b: *b,
                    evidence: Evidence::default(),
                    people: Vec::new(),
                });
                pair.people.push((name.clone(), evidence.days.clone()));
                pair.evidence.add(evidence);
            }
        }
    }
    let mut strong: Vec<Pair> = found.into_values().filter(|pair| pair.evidence.is_strong(OF_REPOSITORIES)).collect();
    strong.sort_by(|a, b| {
        let by_surprise = b.evidence.surprise().total_cmp(&a.evidence.surprise());
        by_surprise.then((a.a, a.b).cmp(&(b.a, b.b)))
    });
    strong.truncate(MAX_PAIRS);
    strong
}

fn share(evidence: &Evidence) -> f64 {
    evidence.n_together as f64 / evidence.n_first.min(evidence.n_second).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository(people: &[(&str, Vec<i64>)]) -> Arc<Days> {
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
            (0, repository(&[("Ada", every(11)), ("Grace", every(1)), ("Tom", vec![1, 2])])),
            (1, repository(&[("ada", every(11)), ("Grace", every(1))])),
            (2, repository(&[("Grace", every(1)), ("Tom", vec![1, 2])])),
        ]);
        let found: Vec<(usize, usize)> = pairs(&all).iter().map(|pair| (pair.a, pair.b)).collect();
        assert!(found.is_empty(), "who commits to everything drowns who does not: {found:?}");
        let all = BTreeMap::from([
            (0, repository(&[("Ada", every(11)), ("Tom", vec![1, 2])])),
            (1, repository(&[("ada", every(11)), ("Grace", every(1))])),
            (2, repository(&[("Grace", every(1)), ("Tom", vec![1, 2])])),
        ]);
        let found: Vec<(usize, usize)> = pairs(&all).iter().map(|pair| (pair.a, pair.b)).collect();
        assert_eq!(found, [(0, 1)]);
    }
}
