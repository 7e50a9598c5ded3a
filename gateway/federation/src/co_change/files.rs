//! Co-change of files across repositories: files that the same people change within a day of each other.

use std::collections::{BTreeMap, BTreeSet};

use history::cross_repo_co_change::{CoChangeEvidence, FILE_THRESHOLDS, MIN_SPREAD_DAYS, WITHIN_A_DAY, day};

use super::{
    DaysByAuthor, MAX_EVIDENCE,
    commits::{ActiveCommitsQuery, AuthoredCommit, CommitPair},
};
use crate::{call::CallContext, plan::Plan, repo_idx::RepoIdx};

/// Maximum number of reported files per file, by likelihood ratio.
const MAX_FILES: usize = 8;

/// A file of another repository that co-changes with a file.
#[derive(Debug, Clone, PartialEq)]
pub struct FileCoChange {
    /// The repository of the other file.
    pub repo_idx: RepoIdx,
    /// The path of the other file from the root of its repository.
    pub path: String,
    /// Days on which both changed.
    pub support: usize,
    /// The share of the file's days on which the other file changed, too.
    pub confidence: f64,
    /// The ratio of observed to expected coincidences.
    pub lift: f64,
    /// Example commits of one person within a day, latest first; the first commit is to the queried file.
    pub evidence: Vec<CommitPair>,
}

/// Days of people.
type ByPerson = BTreeMap<String, BTreeSet<i64>>;

impl CallContext<'_> {
    /// Returns the co-changing files of other repositories for each file, by repository and path. Commits of a repository are
    /// fetched only if people who changed a file were active there within a day, often enough.
    pub async fn file_co_changes(
        &self,
        plan: &Plan,
        files: &BTreeSet<(RepoIdx, String)>,
    ) -> BTreeMap<(RepoIdx, String), Vec<FileCoChange>> {
        let everywhere = self.visible.plan(None).map(|plan| plan.asked).unwrap_or_default();
        if everywhere.len() < 2 || files.is_empty() {
            return BTreeMap::new();
        }
        let days = self.active_days(plan, &everywhere).await;
        let mut own: BTreeMap<RepoIdx, ActiveCommitsQuery> = BTreeMap::new();
        for (repo_idx, path) in files.iter().filter(|(repo_idx, _)| shares_people(&days, *repo_idx)) {
            let wanted = own.entry(*repo_idx);
            let none = || ActiveCommitsQuery { authors: Vec::new(), paths: Vec::new(), days: Vec::new() };
            wanted.or_insert_with(none).paths.push(path.clone());
        }
        let changes = self.active_commits(plan, &own).await;
        let mut of_files: BTreeMap<&(RepoIdx, String), ByPerson> = BTreeMap::new();
        for file in files {
            for change in changes.get(&file.0).into_iter().flatten().filter(|change| change.paths.contains(&file.1)) {
                let people = of_files.entry(file).or_default();
                people.entry(change.author.to_lowercase()).or_default().insert(day(change.at));
            }
        }
        let queries = evidence_queries(&days, &of_files);
        let elsewhere = self.active_commits(plan, &queries).await;
        let mut found = BTreeMap::new();
        for (file, people) in &of_files {
            let own = changes.get(&file.0).map(Vec::as_slice).unwrap_or_default();
            let partners = co_changing_files(plan, file, people, own, &elsewhere);
            if !partners.is_empty() {
                found.insert((*file).clone(), partners);
            }
        }
        found
    }
}

/// Returns true if a person of a repository is active in another one as well.
fn shares_people(days: &BTreeMap<RepoIdx, std::sync::Arc<DaysByAuthor>>, repo_idx: RepoIdx) -> bool {
    let Some(own) = days.get(&repo_idx) else { return false };
    let others = || days.iter().filter(|(other, _)| **other != repo_idx);
    own.keys().any(|person| others().any(|(_, days)| days.contains_key(person)))
}

/// Returns the queries for commits that may be evidence.
fn evidence_queries(
    days: &BTreeMap<RepoIdx, std::sync::Arc<DaysByAuthor>>,
    of_files: &BTreeMap<&(RepoIdx, String), ByPerson>,
) -> BTreeMap<RepoIdx, ActiveCommitsQuery> {
    let mut wanted: BTreeMap<RepoIdx, (BTreeSet<String>, BTreeSet<i64>)> = BTreeMap::new();
    for (file, people) in of_files {
        for (repo_idx, there) in days.iter().filter(|(repo_idx, _)| **repo_idx != file.0) {
            let mut near: BTreeSet<i64> = BTreeSet::new();
            let mut names: BTreeSet<String> = BTreeSet::new();
            for (person, own) in people {
                let Some((name, active)) = there.get(person) else { continue };
                let is_near = |day: &&i64| (**day - 1..=**day + 1).any(|day| active.binary_search(&day).is_ok());
                let own: Vec<i64> = own.iter().filter(is_near).copied().collect();
                if !own.is_empty() {
                    near.extend(own);
                    names.insert(name.clone());
                }
            }
            let spread = near.last().zip(near.first()).map_or(0, |(last, first)| last - first);
            if near.len() >= FILE_THRESHOLDS.days && spread >= MIN_SPREAD_DAYS {
                let entry = wanted.entry(*repo_idx).or_default();
                entry.0.extend(names);
                entry.1.extend(people.values().flatten());
            }
        }
    }
    let item = |(repo_idx, (authors, days)): (RepoIdx, (BTreeSet<String>, BTreeSet<i64>))| {
        let days = spans(&days, WITHIN_A_DAY.comparison_distance);
        (repo_idx, ActiveCommitsQuery { authors: authors.into_iter().collect(), paths: Vec::new(), days })
    };
    wanted.into_iter().map(item).collect()
}

/// Returns disjoint spans, ascending, that contain each day and the days around it.
fn spans(days: &BTreeSet<i64>, around: i64) -> Vec<(i64, i64)> {
    let mut spans: Vec<(i64, i64)> = Vec::new();
    for day in days {
        let (first, last) = (day.saturating_sub(around), day.saturating_add(around));
        match spans.last_mut() {
            Some(span) if first <= span.1.saturating_add(1) => span.1 = last,
            _ => spans.push((first, last)),
        }
    }
    spans
}

/// Compares the days of a file with those of the files of other repositories that the same people changed.
fn co_changing_files(
    plan: &Plan,
    file: &(RepoIdx, String),
    people: &ByPerson,
    own: &[AuthoredCommit],
    elsewhere: &BTreeMap<RepoIdx, Vec<AuthoredCommit>>,
) -> Vec<FileCoChange> {
    let mut found: Vec<(f64, FileCoChange)> = Vec::new();
    for (repo_idx, commits) in elsewhere.iter().filter(|(repo_idx, _)| **repo_idx != file.0) {
        let mut by_path: BTreeMap<&str, ByPerson> = BTreeMap::new();
        for commit in commits {
            for path in &commit.paths {
                let people = by_path.entry(path).or_default();
                people.entry(commit.author.to_lowercase()).or_default().insert(day(commit.at));
            }
        }
        for (path, there) in by_path {
            let mut evidence = CoChangeEvidence::default();
            for (person, days) in people {
                let Some(others) = there.get(person) else { continue };
                let first: Vec<i64> = days.iter().copied().collect();
                let second: Vec<i64> = others.iter().copied().collect();
                evidence.add(CoChangeEvidence::of(&first, &second, WITHIN_A_DAY));
            }
            let n_changes: usize = people.values().map(BTreeSet::len).sum();
            let confidence = evidence.n_matches as f64 / n_changes.max(1) as f64;
            if !evidence.is_strong(FILE_THRESHOLDS) || confidence < FILE_THRESHOLDS.share {
                continue;
            }
            let pairs = pairs(plan, (file, own), (*repo_idx, path, commits), &evidence.days);
            let partner = FileCoChange {
                repo_idx: *repo_idx,
                path: path.to_owned(),
                support: evidence.days.len(),
                confidence,
                lift: evidence.lift(),
                evidence: pairs,
            };
            found.push((evidence.log_likelihood_ratio(), partner));
        }
    }
    found.sort_by(|(a_surprise, a), (b_surprise, b)| {
        b_surprise.total_cmp(a_surprise).then_with(|| (a.repo_idx, &a.path).cmp(&(b.repo_idx, &b.path)))
    });
    found.truncate(MAX_FILES);
    found.into_iter().map(|(_, partner)| partner).collect()
}

/// Returns the latest pairs of commits to both files, of one person and within a day.
fn pairs(
    plan: &Plan,
    (file, own): (&(RepoIdx, String), &[AuthoredCommit]),
    (repo_idx, path, commits): (RepoIdx, &str, &[AuthoredCommit]),
    days: &BTreeSet<i64>,
) -> Vec<CommitPair> {
    let mut pairs = Vec::new();
    for on in days.iter().rev() {
        let first = own.iter().filter(|change| day(change.at) == *on && change.paths.contains(&file.1));
        let both = first.filter_map(|change| {
            let is_theirs = |other: &&AuthoredCommit| {
                other.author.to_lowercase() == change.author.to_lowercase()
                    && (day(other.at) - on).abs() <= WITHIN_A_DAY.max_distance
                    && other.paths.iter().any(|touched| touched == path)
            };
            let other = commits.iter().filter(is_theirs).min_by_key(|other| (other.at - change.at).abs())?;
            Some(CommitPair::of(plan, (file.0, change), (repo_idx, other)))
        });
        pairs.extend(both.take(1));
        if pairs.len() >= MAX_EVIDENCE {
            break;
        }
    }
    pairs
}
