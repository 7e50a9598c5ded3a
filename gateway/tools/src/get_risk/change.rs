//! Assessment of a change set.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    answer::{ChangeRisk, ChangedFile, CoChangePartner, CoChangedRepository, Lists, NotFound, tenth},
    assess::{affected_files, assess, changes_with, risk_dependents, shown, tests},
    facts::{RepoFile, RiskFacts, RiskSubject},
    reviewers::reviewers,
    score::{change_score, counted},
};
use crate::{get_context::item::path_of, render::rounded};
use federation::{
    answer::Answer,
    call::CallContext,
    co_change::RepositoryCoChange,
    coverage::Coverage,
    nodes::NodeRef,
    outline::{OutlinedFile, files},
    plan::Plan,
    refusal::echo,
    repo_idx::RepoIdx,
    scope::GraphScope,
    walk::tiers::ImpactHit,
};

/// Maximum number of suggested files for an unknown path.
const MAX_NEAREST: usize = 5;

/// Maximum length of each list before the budget cuts it.
const MAX_USERS: usize = 100;
const MAX_TESTS: usize = 60;
const MAX_MISSING: usize = 20;

/// Minimum number of common commits, and share of the commits of one file, for which an unchanged partner counts as
/// missing.
const MIN_SUPPORT: u32 = 3;
const MIN_CONFIDENCE: f64 = 0.3;

/// Maximum number of listed co-changed repositories.
const MAX_BESIDE: usize = 3;

/// Maximum number of reasons shown with the score of a file.
const MAX_REASONS: usize = 2;

/// The resolution of a changed path.
pub(super) enum ChangedPath {
    File(NodeRef),
    Missing(NotFound),
}

impl ChangedPath {
    pub(super) fn at(&self) -> Option<NodeRef> {
        match self {
            ChangedPath::File(at) => Some(*at),
            ChangedPath::Missing(_) => None,
        }
    }
}

/// Resolves a changed path, which must match in full.
pub(super) async fn find(call: &CallContext<'_>, scope: &GraphScope, path_argument: &str) -> Answer<ChangedPath> {
    let missing = |note: String, nearest| NotFound { path: echo(path_argument), note, nearest };
    let lookup = call.visible.split_prefix(path_argument).and_then(|(alias, path)| {
        let path = path.trim_start_matches("./").trim_matches('/');
        Ok((scope.lookup_plan(&call.visible, alias)?, path))
    });
    let (plan, path) = match lookup {
        Ok(lookup) => lookup,
        Err(refusal) => return Answer::complete(ChangedPath::Missing(missing(refusal.to_string(), Vec::new()))),
    };
    let outlined = call.outline(&plan, path, 0).await.after(plan.shortfalls.clone());
    let remaining = plan.without(&outlined.shortfalls);
    let Answer { value: replies, shortfalls } = outlined;
    let matching_files = files(&plan, replies);
    let exact: Vec<&_> = matching_files.iter().filter(|file| file.path == path).collect();
    let named = |file: &OutlinedFile| shown(&plan, &(file.repo_idx, file.path.clone()));
    if let [file] = exact.as_slice() {
        let at = NodeRef { repo_idx: file.repo_idx, node: file.node() };
        return Answer { value: ChangedPath::File(at), shortfalls };
    }
    let (note, nearest): (String, Vec<String>) = if exact.is_empty() {
        let note = match Coverage::of(&remaining).unknown_note() {
            Some(unknown) => format!("not found ({unknown})"),
            None => "no such file is indexed: it may be new, deleted, or at another path".to_owned(),
        };
        let mut nearest: Vec<String> = matching_files.iter().take(MAX_NEAREST).map(named).collect();
        if nearest.is_empty() {
            let file_name = path.rsplit('/').next().unwrap_or(path);
            let same_name = call.outline(&remaining, file_name, 0).await;
            nearest = files(&plan, same_name.value).iter().take(MAX_NEAREST).map(named).collect();
        }
        (note, nearest)
    } else {
        let listed = exact.iter().take(MAX_NEAREST).map(|file| named(file)).collect();
        (format!("{} repositories have this file: choose one with `repo` or `alias:path`", exact.len()), listed)
    };
    Answer { value: ChangedPath::Missing(missing(note, nearest)), shortfalls }
}

/// Assesses a change set.
pub(super) fn assess_change(
    plan: &Plan,
    facts: &RiskFacts,
    changed: &[ChangedPath],
    co_changes: &[RepositoryCoChange],
) -> ChangeRisk {
    let nodes: Vec<NodeRef> = changed.iter().filter_map(ChangedPath::at).collect();
    let subjects: Vec<&RiskSubject> = nodes.iter().filter_map(|at| facts.subjects.get(at)).collect();
    let changed_set: BTreeSet<RepoFile> = subjects.iter().map(|subject| subject.file.clone()).collect();
    let (mut files, mut security, mut contracts) = (Vec::new(), Vec::new(), Vec::new());
    for at in &nodes {
        let Some(risk) = assess(plan, facts, *at) else { continue };
        security.extend(risk.lists.security);
        contracts.extend(risk.lists.contracts);
        let why = risk.why.into_iter().take(MAX_REASONS).collect();
        files.push(ChangedFile { file: risk.id, score: risk.score.unwrap_or_default(), why });
    }
    files.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.file.cmp(&b.file)));
    let users = users(facts, &subjects, &changed_set);
    let changed_files: Vec<&RepoFile> = changed_set.iter().collect();
    let n_users = users.iter().filter(|hit| !hit.is_test).count();
    let n_tests = users.len() - n_users;
    let repositories: BTreeSet<RepoIdx> = users.iter().map(|hit| hit.at.repo_idx).collect();
    let n_elsewhere =
        repositories.iter().filter(|repo_idx| !changed_set.iter().any(|file| file.0 == **repo_idx)).count();
    let missing = missing(plan, facts, &changed_set);
    let scores: Vec<f64> = files.iter().map(|file| file.score).collect();
    let mut why = Vec::new();
    why.extend(
        files
            .first()
            .map(|file| format!("the riskiest file is {} ({} of 10)", text::quote_name(&file.file), file.score)),
    );
    let mut add = |count: usize, what: String| why.extend((count > 0).then_some(what));
    add(
        n_users,
        format!(
            "{} outside the change may break, in {}",
            counted(n_users, "user"),
            counted(n_elsewhere, "other repository")
        ),
    );
    add(
        contracts.len(),
        format!("{} of the changed files with users in other repositories", counted(contracts.len(), "contract")),
    );
    add(missing.len(), format!("{} missing that usually change with these", counted(missing.len(), "file")));
    add(security.len(), format!("{} in the changed files", counted(security.len(), "security signal")));
    add(usize::from(n_tests == 0 && !nodes.is_empty()), "no known test reaches the changed files".to_owned());
    let not_found: Vec<NotFound> = changed
        .iter()
        .filter_map(|found| match found {
            ChangedPath::Missing(missing) => Some(missing.clone()),
            ChangedPath::File(_) => None,
        })
        .collect();
    add(not_found.len(), format!("{} not assessed", counted(not_found.len(), "path")));
    let lists = Lists {
        files,
        security,
        contracts,
        may_break: risk_dependents(plan, facts, users.iter().filter(|hit| !hit.is_test), MAX_USERS),
        tests_to_run: risk_dependents(plan, facts, tests(facts, &changed_files, &users).into_iter(), MAX_TESTS),
        reviewers: reviewers(&affected_files(plan, facts, &subjects)),
        ..Lists::default()
    };
    let score = (!scores.is_empty()).then(|| change_score(&scores, missing.len()));
    let worked_on_together = co_changed_repositories(plan, &changed_set, co_changes);
    ChangeRisk {
        score,
        why,
        not_found,
        worked_on_together,
        review: None,
        lists: Lists { missing_co_changes: missing, ..lists },
    }
}

/// Returns the repositories that people change together with one of the changed ones.
fn co_changed_repositories(
    plan: &Plan,
    changed_set: &BTreeSet<RepoFile>,
    co_changes: &[RepositoryCoChange],
) -> Vec<CoChangedRepository> {
    let is_changed = |repo_idx: RepoIdx| changed_set.iter().any(|file| file.0 == repo_idx);
    let co_changed_repository = |pair: &RepositoryCoChange| {
        let (with, repo) = match (is_changed(pair.a), is_changed(pair.b)) {
            (true, false) => (pair.a, pair.b),
            (false, true) => (pair.b, pair.a),
            _ => return None,
        };
        Some(CoChangedRepository {
            repo: plan.alias(repo).to_owned(),
            with: plan.alias(with).to_owned(),
            days: pair.days,
            authors: pair.authors,
            lift: tenth(pair.lift as f32),
            share: rounded(pair.share as f32),
            evidence: pair.evidence.iter().take(1).cloned().collect(),
        })
    };
    co_changes.iter().filter_map(co_changed_repository).take(MAX_BESIDE).collect()
}

/// Returns the users of the definitions in the changed files that are in none of them, the most certain first. Each is
/// described by its most certain path.
fn users(facts: &RiskFacts, subjects: &[&RiskSubject], changed_set: &BTreeSet<RepoFile>) -> Vec<ImpactHit> {
    let mut best: BTreeMap<NodeRef, ImpactHit> = BTreeMap::new();
    for subject in subjects {
        for hit in subject.hits() {
            let path = facts.cards.get(&hit.at).map(path_of);
            let is_own = path.is_some_and(|path| changed_set.contains(&(hit.at.repo_idx, path.to_owned())));
            let is_better = best.get(&hit.at).is_none_or(|known| {
                (hit.tier, known.confidence).partial_cmp(&(known.tier, hit.confidence))
                    == Some(std::cmp::Ordering::Less)
            });
            if !is_own && is_better {
                best.insert(hit.at, hit);
            }
        }
    }
    let mut users: Vec<ImpactHit> = best.into_values().collect();
    users.sort_by(|a, b| {
        (a.tier, a.hops).cmp(&(b.tier, b.hops)).then(b.confidence.total_cmp(&a.confidence)).then(a.at.cmp(&b.at))
    });
    users
}

/// Returns the files that usually change with a changed file and did not change; the strongest first.
fn missing(plan: &Plan, facts: &RiskFacts, changed_set: &BTreeSet<RepoFile>) -> Vec<CoChangePartner> {
    let names: BTreeSet<String> = changed_set.iter().map(|file| shown(plan, file)).collect();
    let mut best: BTreeMap<String, CoChangePartner> = BTreeMap::new();
    for file in changed_set {
        for partner in changes_with(plan, facts, file) {
            let is_usual =
                partner.lift.is_some() || partner.support >= MIN_SUPPORT && partner.confidence >= MIN_CONFIDENCE;
            let is_better = best.get(&partner.file).is_none_or(|known| partner.confidence > known.confidence);
            if is_usual && is_better && !names.contains(&partner.file) {
                let with = Some(shown(plan, file));
                best.insert(partner.file.clone(), CoChangePartner { with, ..partner });
            }
        }
    }
    let mut missing: Vec<CoChangePartner> = best.into_values().collect();
    missing.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then_with(|| a.file.cmp(&b.file)));
    missing.truncate(MAX_MISSING);
    missing
}
