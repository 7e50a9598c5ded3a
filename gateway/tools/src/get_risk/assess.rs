//! Assessment of one target from its facts.

use std::collections::BTreeSet;

use model::{Direction, FileClass, Language};
use proto::v1;

use super::{
    answer::{
        BlastRadius, CoChangePartner, Dependents, HistoryView, HotspotView, Lists, RiskDependent, SecurityView,
        TargetRisk, TestCoverage, tenth,
    },
    facts::{RepoFile, RiskFacts, RiskSubject, partners, users},
    reviewers::{FileInvolvement, reviewers},
    score::{Figures, score},
};
use crate::{
    get_context::{
        file_history::change,
        item::{ContextItem, ItemLink, lines_of},
    },
    render::rounded,
};
use federation::{
    nodes::NodeRef,
    plan::Plan,
    repo_idx::RepoIdx,
    walk::{
        Relation,
        tiers::{ImpactHit, ImpactTier},
    },
};

/// Error for a target that no worker described.
pub(super) const NOT_DESCRIBED: &str = "its repository did not describe it; see `_meta.coverage`";

const NO_HISTORY: &str = "no commit of a person to it is known: a plain folder, a new file, a clone without its past, or one dated decades ago";
const SHALLOW: &str = "the clone is shallow: older commits and their authors are not known";
const BOUNDED: &str = "only the newest commits of the repository are looked at";

/// Maximum length of each list before the budget cuts it.
const MAX_USERS: usize = 60;
const MAX_TESTS: usize = 30;
const MAX_PARTNERS: usize = 12;
const MAX_UNTESTED: usize = 20;
const MAX_SIGNALS: usize = 20;

/// Returns the assessment of one target; nothing if no worker described it.
pub(super) fn assess(plan: &Plan, facts: &RiskFacts, at: NodeRef) -> Option<TargetRisk> {
    let (card, subject) = (facts.cards.get(&at)?, facts.subjects.get(&at)?);
    let hits = subject.hits();
    let history = facts.histories.get(&subject.file);
    let test_reach = test_reach(facts, subject, card, &hits);
    let dependents = dependents(plan, facts, subject, &hits);
    let blast_radius = blast_radius(subject, &hits);
    let security = security(plan, facts, subject, card);
    let figures = Figures {
        tests: hits.iter().filter(|hit| is_runnable_test(facts, hit)).count(),
        is_part: card.symbol.is_some(),
        ..figures(history, &dependents, &blast_radius, &test_reach, security.len())
    };
    let (score, why) = score(&figures);
    let item = ContextItem::of(plan, at, card);
    let untested: Vec<String> =
        test_reach.untested.iter().filter_map(|at| Some(ContextItem::of(plan, *at, facts.cards.get(at)?).id)).collect();
    let lists = Lists {
        security,
        contracts: facts.contracts.get(&subject.file).filter(|_| card.symbol.is_none()).cloned().unwrap_or_default(),
        may_break: risk_dependents(plan, facts, hits.iter().filter(|hit| !hit.is_test), MAX_USERS),
        tests_to_run: risk_dependents(plan, facts, tests(facts, &[&subject.file], &hits).into_iter(), MAX_TESTS),
        changes_with: changes_with(plan, facts, &subject.file),
        reviewers: reviewers(&affected_files(plan, facts, &[subject])),
        untested: untested.into_iter().take(MAX_UNTESTED).collect(),
        ..Lists::default()
    };
    Some(TargetRisk {
        target: String::new(),
        error: None,
        id: item.id,
        kind: item.kind,
        score: Some(score),
        why,
        hotspot: history.and_then(|history| history.hotspot.as_ref()).map(HotspotView::of),
        history: history.map(history_view),
        history_note: history_note(history),
        dependents: Some(dependents),
        blast_radius: Some(blast_radius),
        tests: Some(TestCoverage {
            reached_by: hits.iter().filter(|hit| is_runnable_test(facts, hit)).count(),
            offered: test_reach.n_callable,
            untested: test_reach.n_callable.map(|_| test_reach.untested.len()),
        }),
        lists,
    })
}

fn figures(
    history: Option<&v1::FileHistory>,
    dependents: &Dependents,
    blast_radius: &BlastRadius,
    test_reach: &TestReach,
    signals: usize,
) -> Figures {
    let known = history.cloned().unwrap_or_default();
    let n_callable = test_reach.n_callable.filter(|n_callable| *n_callable > 0);
    Figures {
        hotspot: known.hotspot.as_ref().map(|hotspot| f64::from(hotspot.score)),
        churn: f64::from(known.churn),
        commits: known.commits,
        fixes: known.fixes,
        is_rising: Direction::of(known.recent, known.before) == Direction::Rising,
        bus_factor: known.bus_factor,
        dependents: dependents.direct,
        reach: blast_radius.indirect + blast_radius.peripheral,
        other_repositories: dependents.other_repositories.len(),
        untested: n_callable.map(|n_callable| test_reach.untested.len() as f64 / n_callable as f64),
        signals,
        ..Figures::default()
    }
}

/// Returns true if an affected node is a runnable test. Elsewhere, examples and benchmarks count as tests.
pub(super) fn is_runnable_test(facts: &RiskFacts, hit: &ImpactHit) -> bool {
    const OTHERS: [&str; 4] = ["example", "bench", "sample", "demo"];
    let path = facts.cards.get(&hit.at).and_then(|card| card.file.as_ref()).map_or("", |file| file.path.as_str());
    let is_other = |part: &str| OTHERS.iter().any(|other| part.starts_with(other));
    hit.is_test && !path.split('/').any(is_other)
}

fn history_view(history: &v1::FileHistory) -> HistoryView {
    let direction = Direction::of(history.recent, history.before).name();
    let owner = |owner: &v1::Owner| format!("{} {:.0} %", text::quote_name(&owner.name), owner.share * 100.0);
    HistoryView {
        commits: history.commits,
        fixes: history.fixes,
        churn: tenth(history.churn),
        trend: format!(
            "{direction}: {} in the last 91 days, {} in those before",
            n_commits(history.recent),
            history.before
        ),
        owners: history.owners.iter().take(3).map(owner).collect(),
        bus_factor: history.bus_factor,
        recent_owner: text::sanitise_name(&history.recent_owner).into_owned(),
        last_change: history.last_change.as_ref().map(change).unwrap_or_default(),
    }
}

fn n_commits(count: u32) -> String {
    format!("{count} {}", if count == 1 { "commit" } else { "commits" })
}

fn history_note(history: Option<&v1::FileHistory>) -> Option<&'static str> {
    let Some(history) = history else { return Some(NO_HISTORY) };
    match history.extent() {
        v1::HistoryExtent::Shallow => Some(SHALLOW),
        v1::HistoryExtent::Bounded => Some(BOUNDED),
        _ => None,
    }
}

fn dependents(plan: &Plan, facts: &RiskFacts, subject: &RiskSubject, hits: &[ImpactHit]) -> Dependents {
    let direct = hits.iter().filter(|hit| hit.tier == ImpactTier::Direct && !hit.is_test);
    let others: BTreeSet<RepoIdx> =
        direct.clone().map(|hit| hit.at.repo_idx).filter(|repo_idx| *repo_idx != subject.file.0).collect();
    Dependents {
        direct: direct.count(),
        files: users(facts, subject).len(),
        other_repositories: others.into_iter().map(|repo_idx| plan.alias(repo_idx).to_owned()).collect(),
    }
}

fn blast_radius(subject: &RiskSubject, hits: &[ImpactHit]) -> BlastRadius {
    let count = |tier| hits.iter().filter(|hit| hit.tier == tier && !hit.is_test).count();
    let repositories: BTreeSet<RepoIdx> = hits.iter().filter(|hit| !hit.is_test).map(|hit| hit.at.repo_idx).collect();
    BlastRadius {
        direct: count(ImpactTier::Direct),
        indirect: count(ImpactTier::Indirect),
        peripheral: count(ImpactTier::Peripheral),
        repositories: repositories.len(),
        at_least: subject.found.is_cut || subject.found.n_omitted > 0,
    }
}

/// The test coverage of a target.
struct TestReach {
    /// Functions that other code may call; none if there is nothing to test.
    n_callable: Option<usize>,
    untested: Vec<NodeRef>,
}

/// Follows edges from tests to the code they reach, over all walked steps.
fn test_reach(facts: &RiskFacts, subject: &RiskSubject, card: &v1::NodeCard, hits: &[ImpactHit]) -> TestReach {
    let is_source = card.file.as_ref().is_some_and(|file| FileClass::from(file.class()) == FileClass::Source);
    if !is_source {
        return TestReach { n_callable: None, untested: Vec::new() };
    }
    let mut reached: BTreeSet<NodeRef> = hits.iter().filter(|hit| hit.is_test).map(|hit| hit.at).collect();
    let mut is_growing = !reached.is_empty();
    while is_growing {
        let ends = subject.found.edges.iter().filter(|edge| is_use(edge.relation) && reached.contains(&edge.from));
        let newly_reached: Vec<NodeRef> = ends.map(|edge| edge.to).filter(|at| !reached.contains(at)).collect();
        is_growing = !newly_reached.is_empty();
        reached.extend(newly_reached);
    }
    let language = Language::of_path(&subject.file.1);
    let is_callable = |at: &&NodeRef| facts.cards.get(at).is_some_and(|card| is_callable_function(language, card));
    let callable: Vec<NodeRef> = subject.roots.iter().filter(is_callable).copied().collect();
    let is_reached = |at: &NodeRef| reached.contains(at) || facts.cards.get(at).is_some_and(|card| card.tests > 0);
    let untested = callable.iter().filter(|at| !is_reached(at)).copied().collect();
    TestReach { n_callable: (!callable.is_empty()).then_some(callable.len()), untested }
}

/// An import between files does not execute their code.
fn is_use(relation: Relation) -> bool {
    !matches!(relation, Relation::Within(v1::EdgeKind::Imports | v1::EdgeKind::Documents))
}

/// Returns true if a definition is a function that other code may call.
fn is_callable_function(language: Language, card: &v1::NodeCard) -> bool {
    let Some(symbol) = &card.symbol else { return false };
    let is_function = matches!(symbol.kind.as_str(), "function" | "method" | "constructor");
    let signature = symbol.signature.trim_start();
    let is_open = match language {
        Language::Rust => signature.starts_with("pub"),
        Language::Go => symbol.name.starts_with(char::is_uppercase),
        _ => {
            !symbol.name.starts_with(['_', '#']) && !signature.contains("private ") && !signature.starts_with("static ")
        }
    };
    is_function && is_open
}

pub(super) fn risk_dependents<'a>(
    plan: &Plan,
    facts: &RiskFacts,
    hits: impl Iterator<Item = &'a ImpactHit>,
    limit: usize,
) -> Vec<RiskDependent> {
    hits.filter_map(|hit| risk_dependent(plan, facts, hit)).take(limit).collect()
}

/// Returns the affected tests, those first that co-change with one of the files.
pub(super) fn tests<'h>(facts: &RiskFacts, files: &[&RepoFile], hits: &'h [ImpactHit]) -> Vec<&'h ImpactHit> {
    let is_co_changed = |hit: &ImpactHit| {
        let path = facts.cards.get(&hit.at).and_then(|card| card.file.as_ref()).map_or("", |file| &file.path);
        let histories = files.iter().filter(|file| file.0 == hit.at.repo_idx);
        let mut partners = histories.filter_map(|file| facts.histories.get(*file)).flat_map(|past| &past.co_changes);
        partners.any(|partner| partner.path == path)
    };
    let mut tests: Vec<&ImpactHit> = hits.iter().filter(|hit| is_runnable_test(facts, hit)).collect();
    tests.sort_by_key(|hit| !is_co_changed(hit));
    tests
}

/// Returns a dependent with the edge that leads to it; nothing if no worker described it.
fn risk_dependent(plan: &Plan, facts: &RiskFacts, hit: &ImpactHit) -> Option<RiskDependent> {
    let item = ContextItem::of(plan, hit.at, facts.cards.get(&hit.at)?);
    let how = ItemLink::of(plan, &hit.edge, hit.at).compact(&format!("{}:{}", item.repo, item.path));
    Some(RiskDependent { id: item.id, tier: hit.tier, how, confidence: rounded(hit.confidence as f32) })
}

/// Returns the co-changed files: of its own repository, then of others.
pub(super) fn changes_with(plan: &Plan, facts: &RiskFacts, file: &RepoFile) -> Vec<CoChangePartner> {
    let own = facts.histories.get(file).into_iter().flat_map(|history| &history.co_changes);
    let own = own.map(|other| CoChangePartner {
        file: shown(plan, &(file.0, other.path.clone())),
        with: None,
        support: other.support,
        confidence: rounded(other.confidence),
        lift: None,
        evidence: Vec::new(),
    });
    let others = facts.cross_repo_co_changes.get(file).into_iter().flatten();
    let others = others.map(|other| CoChangePartner {
        file: shown(plan, &(other.repo_idx, other.path.clone())),
        with: None,
        support: u32::try_from(other.support).unwrap_or(u32::MAX),
        confidence: rounded(other.confidence as f32),
        lift: Some(tenth(other.lift as f32)),
        evidence: other.evidence.clone(),
    });
    // The few partners in other repositories come first: they are the easiest to overlook.
    others.chain(own).take(MAX_PARTNERS).collect()
}

/// Returns the affected files of a change, each with its involvement and history.
pub(super) fn affected_files<'a>(
    plan: &Plan,
    facts: &'a RiskFacts,
    subjects: &[&RiskSubject],
) -> Vec<(FileInvolvement, String, &'a v1::FileHistory)> {
    let mut seen: BTreeSet<RepoFile> = BTreeSet::new();
    let mut found = Vec::new();
    let mut add = |involvement: FileInvolvement, file: RepoFile| {
        if let Some(history) = facts.histories.get(&file).filter(|_| seen.insert(file.clone())) {
            found.push((involvement, shown(plan, &file), history));
        }
    };
    subjects.iter().for_each(|subject| add(FileInvolvement::Changed, subject.file.clone()));
    for subject in subjects {
        partners(facts, subject).into_iter().for_each(|file| add(FileInvolvement::Partner, file));
        users(facts, subject).into_iter().for_each(|file| add(FileInvolvement::Dependent, file));
    }
    found
}

pub(super) fn security(
    plan: &Plan,
    facts: &RiskFacts,
    subject: &RiskSubject,
    card: &v1::NodeCard,
) -> Vec<SecurityView> {
    let lines = lines_of(card);
    let is_within = |line: u32| card.symbol.is_none() || (lines.start..=lines.end).contains(&line);
    let found = facts.signals.get(&subject.file).into_iter().flatten().filter(|signal| is_within(signal.line));
    let security_view = |signal: &text::risk::RiskSignal| SecurityView {
        at: format!("{}:{}", shown(plan, &subject.file), signal.line),
        kind: signal.kind.name(),
        line: signal.shown.clone(),
        why: signal.kind.consequence(),
    };
    found.take(MAX_SIGNALS).map(security_view).collect()
}

/// Returns a file in the notation of other tools.
pub(super) fn shown(plan: &Plan, (repo_idx, path): &RepoFile) -> String {
    format!("{}:{}", plan.alias(*repo_idx), text::sanitise_name(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_commit_is_no_plural() {
        for (recent, expected) in [(0, "0 commits in"), (1, "1 commit in"), (2, "2 commits in")] {
            let view = history_view(&v1::FileHistory { recent, before: 1, ..Default::default() });
            assert!(view.trend.contains(expected), "{}", view.trend);
        }
    }

    #[test]
    fn callable_functions_depend_on_the_language() {
        for (language, name, signature, expected) in [
            (Language::Rust, "find", "pub fn find()", true),
            (Language::Rust, "find", "fn find()", false),
            (Language::Go, "Find", "func Find()", true),
            (Language::Go, "find", "func find()", false),
            (Language::Python, "find", "def find()", true),
            (Language::Python, "_find", "def _find()", false),
            (Language::Java, "find", "private void find()", false),
            (Language::TypeScript, "find", "export function find()", true),
        ] {
            let (name, signature, kind) = (name.to_owned(), signature.to_owned(), "function".to_owned());
            let symbol = Some(v1::Symbol { name, signature, kind, ..Default::default() });
            let card = v1::NodeCard { symbol, ..Default::default() };
            assert_eq!(is_callable_function(language, &card), expected, "{card:?}");
        }
    }
}
