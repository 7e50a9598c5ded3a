//! From what is known of one target to what is told of it.

use std::collections::BTreeSet;

use model::{Direction, FileClass, Language};
use proto::v1;

use super::{
    gather::{File, Gathered, Subject, partners, users},
    reviewers::{Affected, reviewers},
    score::{Figures, score},
    view::{BlastRadius, Dependents, HistoryView, HotspotView, Lists, Partner, Risk, SecurityView, Tests, User, tenth},
};
use crate::{
    nodes::At,
    plan::Plan,
    render::rounded,
    tools::get_context::{
        item::{Item, Tie, lines_of},
        past::change,
    },
    walk::{
        Relation,
        tiers::{Hit, Tier},
    },
};

/// What is said of a target that no worker could tell of.
pub(super) const UNTOLD: &str = "its repository could not tell of it; see coverage";

const NO_HISTORY: &str = "no commit of a person to it is known: a plain folder, a new file, a clone without its past, or one dated decades ago";
const SHALLOW: &str = "the clone is shallow: older commits and their authors are not known";
const BOUNDED: &str = "only the newest commits of the repository are looked at";

/// Entries of each list at most; the budget cuts more.
const MAX_USERS: usize = 60;
const MAX_TESTS: usize = 30;
const MAX_PARTNERS: usize = 12;
const MAX_UNTESTED: usize = 20;
const MAX_SIGNALS: usize = 20;

/// What is told of one target; nothing if nobody told of it.
pub(super) fn assess(plan: &Plan, gathered: &Gathered, at: At) -> Option<Risk> {
    let (card, subject) = (gathered.cards.get(&at)?, gathered.subjects.get(&at)?);
    let hits = subject.hits();
    let history = gathered.histories.get(&subject.file);
    let tested = tested(gathered, subject, card, &hits);
    let dependents = dependents(plan, gathered, subject, &hits);
    let blast_radius = blast_radius(subject, &hits);
    let security = security(plan, gathered, subject, card);
    let figures = Figures {
        tests: hits.iter().filter(|hit| is_run(gathered, hit)).count(),
        is_part: card.symbol.is_some(),
        ..figures(history, &dependents, &blast_radius, &tested, security.len())
    };
    let (score, why) = score(&figures);
    let item = Item::of(plan, at, card);
    let untested: Vec<String> =
        tested.untested.iter().filter_map(|at| Some(Item::of(plan, *at, gathered.cards.get(at)?).id)).collect();
    let lists = Lists {
        security,
        may_break: listed(plan, gathered, hits.iter().filter(|hit| !hit.is_test), MAX_USERS),
        tests_to_run: listed(plan, gathered, tests(gathered, &[&subject.file], &hits).into_iter(), MAX_TESTS),
        changes_with: changes_with(plan, gathered, &subject.file),
        reviewers: reviewers(&affected(plan, gathered, &[subject])),
        untested: untested.into_iter().take(MAX_UNTESTED).collect(),
        ..Lists::default()
    };
    Some(Risk {
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
        tests: Some(Tests {
            reached_by: hits.iter().filter(|hit| is_run(gathered, hit)).count(),
            offered: tested.offered,
            untested: tested.offered.map(|_| tested.untested.len()),
        }),
        lists,
    })
}

fn figures(
    history: Option<&v1::FileHistory>,
    dependents: &Dependents,
    blast_radius: &BlastRadius,
    tested: &Tested,
    signals: usize,
) -> Figures {
    let known = history.cloned().unwrap_or_default();
    let untested = tested.offered.filter(|offered| *offered > 0);
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
        untested: untested.map(|offered| tested.untested.len() as f64 / offered as f64),
        signals,
        ..Figures::default()
    }
}

/// Says whether what is affected is a test that can be run: examples and benchmarks count as tests elsewhere.
pub(super) fn is_run(gathered: &Gathered, hit: &Hit<'_>) -> bool {
    const OTHERS: [&str; 4] = ["example", "bench", "sample", "demo"];
    let path = gathered.cards.get(&hit.at).and_then(|card| card.file.as_ref()).map_or("", |file| file.path.as_str());
    let is_other = |part: &str| OTHERS.iter().any(|other| part.starts_with(other));
    hit.is_test && !path.split('/').any(is_other)
}

fn history_view(history: &v1::FileHistory) -> HistoryView {
    let direction = Direction::of(history.recent, history.before).name();
    let owner = |owner: &v1::Owner| format!("{} {:.0} %", text::sanitise_name(&owner.name), owner.share * 100.0);
    HistoryView {
        commits: history.commits,
        fixes: history.fixes,
        churn: tenth(history.churn),
        trend: format!(
            "{direction}: {} commits in the last 91 days, {} in those before",
            history.recent, history.before
        ),
        owners: history.owners.iter().take(3).map(owner).collect(),
        bus_factor: history.bus_factor,
        recent_owner: text::sanitise_name(&history.recent_owner).into_owned(),
        last_change: history.last_change.as_ref().map(change).unwrap_or_default(),
    }
}

fn history_note(history: Option<&v1::FileHistory>) -> Option<&'static str> {
    let Some(history) = history else { return Some(NO_HISTORY) };
    match history.extent() {
        v1::HistoryExtent::Shallow => Some(SHALLOW),
        v1::HistoryExtent::Bounded => Some(BOUNDED),
        _ => None,
    }
}

fn dependents(plan: &Plan, gathered: &Gathered, subject: &Subject, hits: &[Hit<'_>]) -> Dependents {
    let direct = hits.iter().filter(|hit| hit.tier == Tier::Direct && !hit.is_test);
    let others: BTreeSet<usize> =
        direct.clone().map(|hit| hit.at.position).filter(|position| *position != subject.file.0).collect();
    Dependents {
        direct: direct.count(),
        files: users(gathered, subject).len(),
        other_repositories: others.into_iter().map(|position| plan.alias(position).to_owned()).collect(),
    }
}

fn blast_radius(subject: &Subject, hits: &[Hit<'_>]) -> BlastRadius {
    let count = |tier| hits.iter().filter(|hit| hit.tier == tier && !hit.is_test).count();
    let repositories: BTreeSet<usize> = hits.iter().filter(|hit| !hit.is_test).map(|hit| hit.at.position).collect();
    BlastRadius {
        direct: count(Tier::Direct),
        indirect: count(Tier::Indirect),
        peripheral: count(Tier::Peripheral),
        repositories: repositories.len(),
        at_least: subject.found.is_cut || subject.found.n_omitted > 0,
    }
}

/// What of a target tests reach.
struct Tested {
    /// Functions that others may call; none where there is nothing to test.
    offered: Option<usize>,
    untested: Vec<At>,
}

/// Follows the edges from tests to what they reach, over any number of steps that were walked.
fn tested(gathered: &Gathered, subject: &Subject, card: &v1::NodeCard, hits: &[Hit<'_>]) -> Tested {
    let is_source = card.file.as_ref().is_some_and(|file| FileClass::from(file.class()) == FileClass::Source);
    if !is_source {
        return Tested { offered: None, untested: Vec::new() };
    }
    let mut reached: BTreeSet<At> = hits.iter().filter(|hit| hit.is_test).map(|hit| hit.at).collect();
    let mut is_growing = !reached.is_empty();
    while is_growing {
        let ends = subject.found.edges.iter().filter(|edge| is_use(edge.relation) && reached.contains(&edge.from));
        let fresh: Vec<At> = ends.map(|edge| edge.to).filter(|at| !reached.contains(at)).collect();
        is_growing = !fresh.is_empty();
        reached.extend(fresh);
    }
    let language = Language::of_path(&subject.file.1);
    let is_offered = |at: &&At| gathered.cards.get(at).is_some_and(|card| is_offered(language, card));
    let offered: Vec<At> = subject.roots.iter().filter(is_offered).copied().collect();
    let is_reached = |at: &At| reached.contains(at) || gathered.cards.get(at).is_some_and(|card| card.tests > 0);
    let untested = offered.iter().filter(|at| !is_reached(at)).copied().collect();
    Tested { offered: (!offered.is_empty()).then_some(offered.len()), untested }
}

/// Files import each other without anything in them being exercised.
fn is_use(relation: Relation) -> bool {
    !matches!(relation, Relation::Within(v1::EdgeKind::Imports | v1::EdgeKind::Documents))
}

/// Says whether a definition is a function that others may call.
fn is_offered(language: Language, card: &v1::NodeCard) -> bool {
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

pub(super) fn listed<'a>(
    plan: &Plan,
    gathered: &Gathered,
    hits: impl Iterator<Item = &'a Hit<'a>>,
    limit: usize,
) -> Vec<User> {
    hits.filter_map(|hit| user(plan, gathered, hit)).take(limit).collect()
}

/// Returns the tests among what is affected, those first that change with one of some files.
pub(super) fn tests<'h, 'g>(gathered: &Gathered, files: &[&File], hits: &'h [Hit<'g>]) -> Vec<&'h Hit<'g>> {
    let changes_along = |hit: &Hit<'_>| {
        let path = gathered.cards.get(&hit.at).and_then(|card| card.file.as_ref()).map_or("", |file| &file.path);
        let histories = files.iter().filter(|file| file.0 == hit.at.position);
        let mut partners = histories.filter_map(|file| gathered.histories.get(*file)).flat_map(|past| &past.co_changes);
        partners.any(|partner| partner.path == path)
    };
    let mut tests: Vec<&Hit<'g>> = hits.iter().filter(|hit| is_run(gathered, hit)).collect();
    tests.sort_by_key(|hit| !changes_along(hit));
    tests
}

/// Returns a user with the edge that leads to it; nothing of those that nobody described.
fn user(plan: &Plan, gathered: &Gathered, hit: &Hit<'_>) -> Option<User> {
    let item = Item::of(plan, hit.at, gathered.cards.get(&hit.at)?);
    let how = Tie::of(plan, hit.edge, hit.at).compact(&format!("{}:{}", item.repo, item.path));
    Some(User { id: item.id, tier: hit.tier, how, confidence: rounded(hit.confidence as f32) })
}

/// Returns what changes with a file: of its own repository, then of others.
pub(super) fn changes_with(plan: &Plan, gathered: &Gathered, file: &File) -> Vec<Partner> {
    let own = gathered.histories.get(file).into_iter().flat_map(|history| &history.co_changes);
    let own = own.map(|other| Partner {
        file: shown(plan, &(file.0, other.path.clone())),
        with: None,
        support: other.support,
        confidence: rounded(other.confidence),
        lift: None,
        evidence: Vec::new(),
    });
    let others = gathered.elsewhere.get(file).into_iter().flatten();
    let others = others.map(|other| Partner {
        file: shown(plan, &(other.position, other.path.clone())),
        with: None,
        support: u32::try_from(other.support).unwrap_or(u32::MAX),
        confidence: rounded(other.confidence as f32),
        lift: Some(tenth(other.lift as f32)),
        evidence: other.evidence.clone(),
    });
    // The few of other repositories are those that nobody thinks of.
    others.chain(own).take(MAX_PARTNERS).collect()
}

/// Returns the files that a change of targets affects, each with how and its past.
pub(super) fn affected<'a>(
    plan: &Plan,
    gathered: &'a Gathered,
    subjects: &[&Subject],
) -> Vec<(Affected, String, &'a v1::FileHistory)> {
    let mut seen: BTreeSet<File> = BTreeSet::new();
    let mut found = Vec::new();
    let mut add = |affected: Affected, file: File| {
        if let Some(history) = gathered.histories.get(&file).filter(|_| seen.insert(file.clone())) {
            found.push((affected, shown(plan, &file), history));
        }
    };
    subjects.iter().for_each(|subject| add(Affected::Changed, subject.file.clone()));
    for subject in subjects {
        partners(gathered, subject).into_iter().for_each(|file| add(Affected::Partner, file));
        users(gathered, subject).into_iter().for_each(|file| add(Affected::Dependent, file));
    }
    found
}

pub(super) fn security(plan: &Plan, gathered: &Gathered, subject: &Subject, card: &v1::NodeCard) -> Vec<SecurityView> {
    let lines = lines_of(card);
    let is_within = |line: u32| card.symbol.is_none() || (lines.start..=lines.end).contains(&line);
    let found = gathered.signals.get(&subject.file).into_iter().flatten().filter(|signal| is_within(signal.line));
    let view = |signal: &text::danger::Signal| SecurityView {
        at: format!("{}:{}", shown(plan, &subject.file), signal.line),
        kind: signal.danger.name(),
        line: signal.shown.clone(),
        why: signal.danger.why(),
    };
    found.take(MAX_SIGNALS).map(view).collect()
}

/// Returns a file as other tools take it.
pub(super) fn shown(plan: &Plan, (position, path): &File) -> String {
    format!("{}:{}", plan.alias(*position), text::sanitise_name(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_may_call_is_told_by_language() {
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
            assert_eq!(is_offered(language, &card), expected, "{card:?}");
        }
    }
}
