//! Users of a thing: callers, other references, and tests, as `get_impact` lists them.

use std::collections::{BTreeMap, BTreeSet};

use proto::v1;

use super::super::{
    confidence::Confidence,
    link_answer::{self, LinkOutcome},
    link_question::LinkQuestion,
};
use super::{
    IntentAnswer, IntentContext,
    cited_text::{CitedText, citation, counted},
    mentions,
    subject::{Subject, SubjectNode, name_of},
};
use crate::{
    arguments::suggested,
    get_context::{
        context::base_plan,
        item::{lines_of, path_of},
    },
    may_miss::MayMiss,
};
use federation::{
    answer::Answer,
    nodes::NodeRef,
    plan::Plan,
    repo_idx::RepoIdx,
    walk::{
        Relation, WalkScope, impact,
        tiers::{self, ImpactHit, ImpactTier},
        walk_users,
        weights::{Intent, Weights},
    },
};

/// Maximum number of users of each tier that are described.
const MAX_DESCRIBED: usize = 60;

/// Maximum number of tests that are described: those that are named like the definition may be far from it.
const MAX_DESCRIBED_TESTS: usize = 300;

/// Maximum number of users in a sentence.
pub(super) const MAX_LISTED: usize = 6;

/// Depth of the walk from a definition to its tests. Answers about tests and about impact share it, so that they agree.
pub(super) const TEST_DEPTH: usize = 4;

/// Maximum number of tests in a sentence.
pub(super) const MAX_TESTS: usize = 4;

/// The users of some definitions.
pub(super) struct DefinitionUsers {
    /// Users in the product, the surest first.
    pub(super) direct: Vec<DefinitionUser>,
    /// Users of these, the nearest first.
    pub(super) indirect: Vec<DefinitionUser>,
    /// Tests that reach it, the nearest first.
    pub(super) tests: Vec<DefinitionUser>,
    /// Helpers, fixtures and routes of tests that reach it.
    pub(super) test_helpers: Vec<DefinitionUser>,
    /// Number of indirect users, described or not.
    pub(super) n_indirect: usize,
    pub(super) n_tests: usize,
    /// The repositories of all users.
    pub(super) repositories: BTreeSet<RepoIdx>,
    /// Uses that may be missing, in words.
    pub(super) may_miss: Option<String>,
}

/// A user, with the line of its use.
pub(super) struct DefinitionUser {
    pub(super) at: NodeRef,
    pub(super) name: String,
    pub(super) path: String,
    pub(super) line: u32,
    /// Further lines of its uses.
    pub(super) lines: Vec<u32>,
    pub(super) hops: u32,
    is_file: bool,
    /// Kind of its symbol; empty for files and routes.
    kind: String,
    passive: &'static str,
}

impl DefinitionUser {
    /// Returns true for a type that extends or implements the definition.
    pub(super) fn is_subtype(&self) -> bool {
        matches!(self.passive, "extended by" | "implemented by") && !self.is_file
    }

    pub(super) fn cited(&self, plan: &Plan) -> CitedText {
        let place = citation(plan, self.at.repo_idx, &self.path, (self.line, self.line));
        CitedText::cited(text::quote(&self.name), place)
    }
}

/// Answers who uses a thing.
pub(super) async fn answer(context: IntentContext<'_, '_>, subject: &Subject) -> Option<IntentAnswer> {
    let nodes = match subject {
        Subject::Nodes(nodes) => nodes,
        Subject::Repositories(named) => return of_repositories(context, named).await,
        Subject::Module(_) | Subject::Description(_) => return None,
    };
    let Answer { value: users, mut shortfalls } = of_nodes(context, nodes, 1).await;
    let mut sentences = direct_sentences(context.plan, nodes, &users);
    if sentences.is_empty() && users.tests.is_empty() && !users.test_helpers.is_empty() {
        let lead = format!("Only code of tests uses {}: ", text::quote(&nodes[0].name()));
        sentences.push(CitedText::listed(&lead, cited(context.plan, &users.test_helpers), MAX_LISTED, "."));
    } else if sentences.is_empty() && users.tests.is_empty() {
        let mentioned = mentions::sentence(context, nodes).await;
        shortfalls.extend(mentioned.shortfalls);
        sentences.push(mentioned.value.unwrap_or_else(|| no_user(context, nodes, &users)));
    } else if sentences.is_empty() {
        let name = text::quote(&nodes[0].name());
        let lead = format!("Only tests use {name}: ");
        sentences.push(CitedText::listed(&lead, cited(context.plan, &users.tests), MAX_LISTED, "."));
    } else if !users.tests.is_empty() {
        let lead = format!(
            "{} it: ",
            if users.n_tests == 1 { "1 test uses".to_owned() } else { format!("{} tests use", users.n_tests) }
        );
        sentences.push(CitedText::listed(&lead, cited(context.plan, &users.tests), MAX_TESTS, "."));
    }
    sentences.extend(missed_sentence(&users));
    let note = format!("get_impact {} lists every user", suggested("target", &nodes[0].id(context.plan)));
    let confidence = confidence(nodes, &users);
    Some(IntentAnswer::new(sentences, confidence, note).with_shortfalls(shortfalls))
}

/// Answers who uses repositories, from the links between them.
pub(super) async fn of_repositories(context: IntentContext<'_, '_>, named: &BTreeSet<RepoIdx>) -> Option<IntentAnswer> {
    let aliases: Vec<&str> = named.iter().map(|repo_idx| context.plan.alias(*repo_idx)).collect();
    let asked = LinkQuestion::Users(aliases.join(" "));
    match link_answer::answer(context.call, context.plan, context.overlay, &asked).await {
        LinkOutcome::Linked(found) => Some(IntentAnswer::of_links(found)),
        LinkOutcome::Unlinked(nothing, may_miss) => {
            let sentences = vec![CitedText::plain(nothing)];
            let note = "get_overview repo=\"all\" has every link";
            Some(IntentAnswer::new(sentences, Confidence::Medium, note).with_may_miss(may_miss))
        }
        LinkOutcome::NotAboutLinks => None,
    }
}

/// Returns the users of definitions of one name, walking `depth` steps. If it is more than the direct users, tests are searched
/// to the depth of tests.
pub(super) async fn of_nodes(
    context: IntentContext<'_, '_>,
    nodes: &[SubjectNode],
    depth: usize,
) -> Answer<DefinitionUsers> {
    let IntentContext { call, overlay, scope, .. } = context;
    let repo_idxs: Vec<RepoIdx> = nodes.iter().map(|node| node.at.repo_idx).collect();
    let (plan, enter) = base_plan(call, scope, overlay, &repo_idxs, []);
    let mut roots: Vec<NodeRef> = Vec::new();
    let mut shortfalls = federation::answer::Shortfalls::default();
    for node in nodes {
        let found = impact::roots(call, &plan.without(&shortfalls), overlay, node.at, &node.card, &enter).await;
        shortfalls.extend(found.shortfalls);
        roots.extend(found.value.nodes);
    }
    let weights = Weights::new(Some(Intent::Modify));
    let walk_scope = WalkScope {
        depth: if depth > 1 { depth.max(TEST_DEPTH) } else { depth },
        direction: v1::Direction::In,
        kinds: nodes.first().map_or(impact::CODE_KINDS, |node| impact::kinds(&node.card)),
        include_inferred: true,
        enter: &enter,
        weights: &weights,
    };
    let walked = walk_users(call, &plan.without(&shortfalls), overlay, &roots, &walk_scope).await.after(shortfalls);
    let own: BTreeSet<NodeRef> = nodes.iter().map(|node| node.at).collect();
    let hits: Vec<ImpactHit> =
        tiers::hits(&walked.value, &roots).into_iter().filter(|hit| !own.contains(&hit.at)).collect();
    let hits: Vec<ImpactHit> = hits.into_iter().filter(|hit| hit.is_test || hit.hops as usize <= depth).collect();
    let of = |is_wanted: fn(&&ImpactHit) -> bool| hits.iter().filter(is_wanted).collect::<Vec<&ImpactHit>>();
    let direct = of(|hit| !hit.is_test && hit.tier == ImpactTier::Direct);
    let indirect = of(|hit| !hit.is_test && hit.tier != ImpactTier::Direct);
    let tests = of(|hit| hit.is_test);
    let shown = |hits: &[&ImpactHit]| hits.iter().take(MAX_DESCRIBED).map(|hit| hit.at).collect::<Vec<NodeRef>>();
    let mut described: BTreeSet<NodeRef> = [&direct, &indirect].into_iter().flat_map(|hits| shown(hits)).collect();
    described.extend(tests.iter().take(MAX_DESCRIBED_TESTS).map(|hit| hit.at));
    let cards = call.describe(&plan.without(&walked.shortfalls), &described).await.after(walked.shortfalls);
    let users = |hits: &[&ImpactHit]| -> Vec<DefinitionUser> {
        hits.iter().filter_map(|hit| user(hit, &cards.value)).collect()
    };
    let (runnable, test_helpers) = runnable_tests(nodes, without_repeated_files(users(&tests)));
    let missed = MayMiss::of_all(&plan, overlay, nodes.iter().map(|node| (node.at, &node.card)));
    let value = DefinitionUsers {
        direct: without_repeated_files(users(&direct)),
        indirect: users(&indirect),
        n_indirect: indirect.len(),
        n_tests: runnable.len() + tests.len().saturating_sub(MAX_DESCRIBED_TESTS),
        tests: runnable,
        test_helpers,
        repositories: hits.iter().filter(|hit| !hit.is_test).map(|hit| hit.at.repo_idx).collect(),
        may_miss: missed.map(|missed| missed.footer()),
    };
    Answer { value, shortfalls: cards.shortfalls }
}

fn user(hit: &ImpactHit, cards: &BTreeMap<NodeRef, v1::NodeCard>) -> Option<DefinitionUser> {
    let card = cards.get(&hit.at)?;
    let is_own_line = hit.edge.from == hit.at;
    let line = hit.lines.first().copied().filter(|_| is_own_line);
    Some(DefinitionUser {
        at: hit.at,
        name: name_of(card),
        path: path_of(card).to_owned(),
        line: line.unwrap_or_else(|| lines_of(card).start),
        lines: if is_own_line { hit.lines.clone() } else { Vec::new() },
        hops: hit.hops,
        is_file: card.symbol.is_none() && card.route.is_none(),
        kind: card.symbol.as_ref().map(|symbol| symbol.kind.clone()).unwrap_or_default(),
        passive: passive(hit.edge.relation),
    })
}

/// Returns the verb of a use, for its target.
fn passive(relation: Relation) -> &'static str {
    match relation {
        Relation::Within(kind) | Relation::Use(kind) => match kind {
            v1::EdgeKind::Calls | v1::EdgeKind::Dispatch => "called by",
            v1::EdgeKind::Extends => "extended by",
            v1::EdgeKind::Implements => "implemented by",
            v1::EdgeKind::Accesses => "read or written by",
            v1::EdgeKind::Imports => "imported by",
            v1::EdgeKind::Handles => "registered for",
            _ => "referenced by",
        },
        Relation::Across(..) => "used by",
    }
}

/// Folders of code that counts as tests elsewhere and is none.
const NO_TESTS: [&str; 6] = ["example", "_example", "bench", "sample", "demo", "fixture"];

/// Returns the tests that run, those that are named like the definition or its file first, then the nearest; and the other
/// code of tests.
fn runnable_tests(nodes: &[SubjectNode], tests: Vec<DefinitionUser>) -> (Vec<DefinitionUser>, Vec<DefinitionUser>) {
    let is_side = |path: &str| path.split('/').any(|part| NO_TESTS.iter().any(|start| part.starts_with(start)));
    let folded = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    let stem = |path: &str| path.rsplit('/').next().unwrap_or(path).split('.').next().unwrap_or_default().to_owned();
    let symbol_names = nodes.iter().filter_map(|node| Some(node.card.symbol.as_ref()?.name.clone()));
    let own: Vec<String> = symbol_names.map(|name| folded(&name)).collect();
    // A file with a common name says nothing.
    let stems = nodes.iter().map(|node| folded(&stem(node.path())));
    let stems: Vec<String> =
        stems.filter(|stem| stem.len() > 3 && !matches!(stem.as_str(), "index" | "main" | "init" | "utils")).collect();
    let affinity = |test: &DefinitionUser| {
        let name = folded(&format!("{}{}", test.path, test.name));
        (!own.iter().any(|own| name.contains(own)), !stems.iter().any(|stem| name.contains(stem)))
    };
    let tests = tests.into_iter().filter(|test| !is_side(&test.path));
    let (mut runnable, helpers): (Vec<DefinitionUser>, Vec<DefinitionUser>) = tests.partition(|test| {
        if test.is_file { has_tests_without_names(&test.path) } else { is_runnable(&test.path, &test.name, &test.kind) }
    });
    runnable.sort_by_cached_key(|test| (test.hops > 1, affinity(test), test.hops, test.at));
    (runnable, helpers)
}

/// Returns true if a definition in a test file may be a test, by the rules of the test runner of its language. A helper or a
/// variable runs only as a part of a test.
pub(super) fn is_runnable(path: &str, name: &str, kind: &str) -> bool {
    let last = name.rsplit(['.', ':', '#']).next().unwrap_or(name);
    let is_callable = matches!(kind, "function" | "method" | "class" | "test" | "macro");
    is_callable
        && match path.rsplit('.').next().unwrap_or_default() {
            // `go test` runs these prefixes if no lower-case letter follows.
            "go" => ["Test", "Benchmark", "Fuzz", "Example"].iter().any(|prefix| {
                last.strip_prefix(prefix).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_lowercase()))
            }),
            // pytest collects functions `test*` and classes `Test*`; unittest collects methods `test*`.
            "py" => last.starts_with("test") || (kind == "class" && last.starts_with("Test")),
            _ => true,
        }
}

/// Returns true if the tests of a language are calls without names, so that the file stands for them.
fn has_tests_without_names(path: &str) -> bool {
    !matches!(path.rsplit('.').next().unwrap_or_default(), "go" | "py" | "rs" | "java" | "kt" | "cs" | "php" | "swift")
}

/// Drops the import of a file that has a user of its own.
fn without_repeated_files(users: Vec<DefinitionUser>) -> Vec<DefinitionUser> {
    let with_code: BTreeSet<(RepoIdx, String)> =
        users.iter().filter(|user| !user.is_file).map(|user| (user.at.repo_idx, user.path.clone())).collect();
    let is_needed =
        |user: &DefinitionUser| !user.is_file || !with_code.contains(&(user.at.repo_idx, user.path.clone()));
    users.into_iter().filter(is_needed).collect()
}

/// Returns one sentence for each way of use, the most frequent way first.
pub(super) fn direct_sentences(plan: &Plan, nodes: &[SubjectNode], users: &DefinitionUsers) -> Vec<CitedText> {
    let mut ways: Vec<(&'static str, Vec<&DefinitionUser>)> = Vec::new();
    for user in &users.direct {
        match ways.iter_mut().find(|(passive, _)| *passive == user.passive) {
            Some((_, of_way)) => of_way.push(user),
            None => ways.push((user.passive, vec![user])),
        }
    }
    // Calls say most, and imports least.
    ways.sort_by_key(|(passive, _)| (*passive == "imported by", *passive != "called by"));
    let n_ways = ways.len();
    let sentence = |(place, (passive, of_way)): (usize, (&'static str, Vec<&DefinitionUser>))| {
        let subject = if place == 0 { subject_text(nodes) } else { "It".to_owned() };
        let limit = if n_ways > 1 { MAX_LISTED / 2 + 1 } else { MAX_LISTED };
        let items = of_way.iter().map(|user| user.cited(plan)).collect();
        CitedText::listed(&format!("{subject} is {passive} "), items, limit, ".")
    };
    ways.into_iter().enumerate().map(sentence).collect()
}

/// Returns the name of the subject; of several definitions, with their number.
fn subject_text(nodes: &[SubjectNode]) -> String {
    let name = text::quote(&nodes[0].name());
    match nodes.len() {
        1 => name,
        n_nodes => format!("{name} ({n_nodes} definitions)"),
    }
}

pub(super) fn cited(plan: &Plan, users: &[DefinitionUser]) -> Vec<CitedText> {
    users.iter().map(|user| user.cited(plan)).collect()
}

/// Returns the statement that no user is known, with what may hide one.
pub(super) fn no_user(context: IntentContext<'_, '_>, nodes: &[SubjectNode], users: &DefinitionUsers) -> CitedText {
    let node = nodes[0].cited(context.plan);
    let n_repos = context.call.visible.repo_idxs().len();
    let doubt = if users.may_miss.is_some() { "" } else { "; code outside of these may use it" };
    let text = format!("No user of {} is known in the {}{doubt}.", node.text, counted(n_repos, "repository"));
    CitedText { text, citations: node.citations }
}

/// Returns the sentence about uses that may be missing.
pub(super) fn missed_sentence(users: &DefinitionUsers) -> Option<CitedText> {
    let missed = users.may_miss.as_ref()?;
    Some(CitedText::plain(format!("The list {missed}.")))
}

/// Returns the confidence of an answer about users.
pub(super) fn confidence(nodes: &[SubjectNode], users: &DefinitionUsers) -> Confidence {
    // A call that is not resolved is not known either.
    let has_users = !users.direct.is_empty() || !users.tests.is_empty();
    if nodes.len() == 1 && users.may_miss.is_none() && has_users { Confidence::High } else { Confidence::Medium }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_functions_that_a_test_runner_collects_are_tests() {
        for (path, name, kind, expected) in [
            ("a/store_test.go", "TestStore", "function", true),
            ("a/store_test.go", "Suite.TestStore", "method", true),
            ("a/store_test.go", "Testimony", "function", false),
            ("a/store_test.go", "newStore", "variable", false),
            ("a/store_test.go", "newStore", "function", false),
            ("a/logger_test.go", "GET /example", "", false),
            ("tests/test_app.py", "test_run", "function", true),
            ("tests/test_app.py", "TestApp.test_run", "method", true),
            ("tests/test_app.py", "TestApp", "class", true),
            ("tests/conftest.py", "client", "function", false),
            ("src/test/AppTest.java", "AppTest.runs", "method", true),
            ("src/test/AppTest.java", "AppTest.store", "field", false),
            ("src/lib.rs", "tests::runs", "function", true),
        ] {
            assert_eq!(is_runnable(path, name, kind), expected, "{path} {name}");
        }
    }

    #[test]
    fn a_file_stands_for_tests_without_names() {
        for (path, expected) in [("a.spec.ts", true), ("a_spec.rb", true), ("a_test.go", false), ("test_a.py", false)] {
            assert_eq!(has_tests_without_names(path), expected, "{path}");
        }
    }
}
