//! Definitions and files of one name, as the index knows them.

use std::collections::BTreeSet;

use model::{FileClass, Filter, Language};
use proto::v1;

use super::{
    IntentContext,
    subject::{MAX_DEFINITIONS, SubjectNode},
    subject_words::{has_words_in_forms, is_path, pattern_of_forms},
};
use federation::{
    answer::{Answer, Shortfalls},
    entity,
    nodes::NodeRef,
    plan::Plan,
    repo_idx::RepoIdx,
    symbol_matches::{DefinitionMatch, rank},
};

/// Limit of a look-up per worker.
const MAX_ASKED: u32 = 40;

/// Endings of the file of a module.
const MODULE_ENDINGS: [&str; 12] =
    [".py", ".rs", ".ts", ".js", ".go", ".java", ".kt", ".cs", ".rb", ".tsx", "/mod.rs", "/__init__.py"];

/// The repositories in which a name is looked up.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LookupScope {
    /// Those that the question names, or else all.
    NamedRepositories,
    /// First those that the question names, then all: the name is certainly one.
    Everywhere,
}

/// The way in which a question has a name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// As it is written in the code, if there is such a definition.
    Written,
    /// By its words: every notation is as good.
    OfWords,
}

/// Returns the nodes of one name: a file, or its definitions.
pub(super) async fn look_up(
    context: IntentContext<'_, '_>,
    name: &str,
    hints: &[&str],
    named: &BTreeSet<RepoIdx>,
    (asks_for_file, scope, spelling): (bool, LookupScope, Spelling),
) -> Answer<Vec<SubjectNode>> {
    if name.contains('/') || is_path(name) {
        let found = resolve_entity(context, &with_alias(context, named, name)).await;
        return found.map_or_else(|| Answer::complete(Vec::new()), |found| found.map(|node| vec![node]));
    }
    for path in module_paths(name) {
        let written = with_alias(context, named, &path);
        // A path that only ends like the module is of another one.
        let found = resolve_entity(context, &written).await.filter(|found| found.value.path() == path);
        if let Some(found) = found {
            return found.map(|node| vec![node]);
        }
    }
    if asks_for_file {
        for ending in MODULE_ENDINGS {
            let path = with_alias(context, named, &format!("{name}{ending}"));
            if let Some(found) = resolve_entity(context, &path).await {
                return found.map(|node| vec![node]);
            }
        }
    }
    let all = context.plan.asked.clone();
    let limited = context.call.visible.plan_for(named.iter().copied().collect(), false);
    let plans = if named.is_empty() {
        vec![context.plan.clone()]
    } else if scope == LookupScope::NamedRepositories {
        vec![limited]
    } else {
        vec![limited, context.call.visible.plan_for(all, context.plan.is_everything())]
    };
    let mut shortfalls = Shortfalls::default();
    for plan in plans {
        let found = definitions(context, &plan.without(&shortfalls), (name, spelling), hints).await;
        shortfalls.extend(found.shortfalls);
        if !found.value.is_empty() {
            return Answer { value: found.value, shortfalls };
        }
    }
    Answer { value: Vec::new(), shortfalls }
}

/// Returns the types and functions of the product whose names have the words of a description in their order, each in any form; nothing if they
/// are too many to be one thing.
pub(super) async fn look_up_by_forms(
    context: IntentContext<'_, '_>,
    words: &[String],
    named: &BTreeSet<RepoIdx>,
) -> Answer<Vec<SubjectNode>> {
    let Some(pattern) = pattern_of_forms(words) else { return Answer::complete(Vec::new()) };
    let asked = if named.is_empty() { context.plan.asked.clone() } else { named.iter().copied().collect() };
    let plan = context.call.visible.plan_for(asked, named.is_empty() && context.plan.is_everything());
    let query = Some(v1::symbols_request::Query::Regex(pattern));
    let request =
        v1::SymbolsRequest { query, filter: Some((&Filter::default()).into()), limit: MAX_ASKED, ..Default::default() };
    let Answer { value: replies, shortfalls } = context.call.symbols(&plan, &request).await;
    let mut found = rank(&plan, replies);
    let is_meant = |found: &DefinitionMatch| {
        found.class == FileClass::Source && !is_value(found) && has_words_in_forms(&found.symbol.name, words)
    };
    found.retain(is_meant);
    if found.iter().any(has_name_of_file) {
        found.retain(has_name_of_file);
    }
    if found.len() > MAX_DEFINITIONS {
        found.clear();
    }
    described(context, &plan.without(&shortfalls), &found).await.after(shortfalls)
}

/// Returns the paths of the Python module that a dotted name in lower case may stand for; none for another name. The packages of a
/// repository are at its root or in `src`.
fn module_paths(name: &str) -> Vec<String> {
    let is_part = |part: &str| {
        let is_plain = part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        is_plain && part.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
    };
    if !name.contains('.') || !name.split('.').all(is_part) {
        return Vec::new();
    }
    let path = name.replace('.', "/");
    ["", "src/"].into_iter().flat_map(|root| ["", "/__init__"].map(|end| format!("{root}{path}{end}.py"))).collect()
}

fn with_alias(context: IntentContext<'_, '_>, named: &BTreeSet<RepoIdx>, path: &str) -> String {
    match named.first().filter(|_| named.len() == 1) {
        Some(repo_idx) => format!("{}:{path}", context.plan.alias(*repo_idx)),
        None => path.to_owned(),
    }
}

/// Maximum number of namesakes that are tried if the best match of a name is a heading.
const MAX_NAMESAKES: usize = 3;

/// Returns the entity that an argument of another tool would name. A heading of a document is none: it may have the name of a package
/// or a route.
pub(super) async fn resolve_entity(context: IntentContext<'_, '_>, written: &str) -> Option<Answer<SubjectNode>> {
    let IntentContext { call, scope, overlay, .. } = context;
    let mut shortfalls = Shortfalls::default();
    let mut names: Vec<String> = vec![written.to_owned()];
    let mut at = 0;
    while let Some(name) = names.get(at).cloned() {
        at += 1;
        let Ok(found) = entity::resolve(call, scope, overlay, "question", &name, None).await else { continue };
        shortfalls.extend(found.shortfalls);
        if at == 1 {
            names.extend(found.value.others.into_iter().take(MAX_NAMESAKES));
        }
        let at = found.value.at;
        let plan = call.visible.plan_for(vec![at.repo_idx], false);
        let mut cards = call.describe(&plan, &BTreeSet::from([at])).await;
        shortfalls.extend(cards.shortfalls);
        let node = cards.value.remove(&at).map(|card| SubjectNode { at, card });
        if let Some(node) = node.filter(|node| !is_heading(node)) {
            return Some(Answer { value: node, shortfalls });
        }
    }
    None
}

fn is_heading(node: &SubjectNode) -> bool {
    !node.is_file() && matches!(Language::of_path(node.path()), Language::Markdown)
}

/// Returns the definitions of a name, in the product if there are any; those whose place has the hints first.
async fn definitions(
    context: IntentContext<'_, '_>,
    plan: &Plan,
    (name, spelling): (&str, Spelling),
    hints: &[&str],
) -> Answer<Vec<SubjectNode>> {
    let qualified = name.replace("::", ".");
    let request = v1::SymbolsRequest {
        query: Some(v1::symbols_request::Query::Name(qualified.clone())),
        filter: Some((&Filter::default()).into()),
        limit: MAX_ASKED,
        ..Default::default()
    };
    let Answer { value: replies, mut shortfalls } = context.call.symbols(plan, &request).await;
    let mut found = named_exactly(rank(plan, replies), spelling);
    let (before, last) = qualified.rsplit_once('.').unwrap_or(("", &qualified));
    if found.is_empty() && !before.is_empty() {
        let query = Some(v1::symbols_request::Query::Name(last.to_owned()));
        let replies = context.call.symbols(&plan.without(&shortfalls), &v1::SymbolsRequest { query, ..request }).await;
        shortfalls.extend(replies.shortfalls);
        found = named_exactly(rank(plan, replies.value), spelling);
        found.retain(|found| has_hint(found, before));
    }
    let is_product = |found: &DefinitionMatch| found.class == FileClass::Source;
    if found.iter().any(is_product) {
        found.retain(is_product);
    }
    if spelling == Spelling::OfWords {
        keep_meant(&mut found);
    }
    found.sort_by_key(|found| std::cmp::Reverse(hints.iter().filter(|hint| has_hint(found, hint)).count()));
    if let Some(best) = found.first().map(|best| hints.iter().filter(|hint| has_hint(best, hint)).count()) {
        found.retain(|found| hints.iter().filter(|hint| has_hint(found, hint)).count() == best);
    }
    found.truncate(MAX_DEFINITIONS);
    described(context, &plan.without(&shortfalls), &found).await.after(shortfalls)
}

/// Returns definitions with what is known of them, in their order.
async fn described(context: IntentContext<'_, '_>, plan: &Plan, found: &[DefinitionMatch]) -> Answer<Vec<SubjectNode>> {
    let order: Vec<NodeRef> =
        found.iter().map(|found| NodeRef { repo_idx: found.repo_idx, node: found.symbol.node }).collect();
    let nodes: BTreeSet<NodeRef> = order.iter().copied().collect();
    let cards = context.call.describe(plan, &nodes).await;
    cards
        .map(|mut cards| order.iter().filter_map(|at| Some(SubjectNode { at: *at, card: cards.remove(at)? })).collect())
}

/// Returns true for a definition that neither runs nor is a type.
fn is_value(found: &DefinitionMatch) -> bool {
    matches!(found.symbol.kind.as_str(), "field" | "variable" | "property" | "parameter" | "constant")
}

/// Keeps the definitions that words mean: those that their files are named after, or else types and functions rather than values.
fn keep_meant(found: &mut Vec<DefinitionMatch>) {
    if found.iter().any(has_name_of_file) {
        found.retain(has_name_of_file);
    }
    if !found.iter().all(is_value) {
        found.retain(|one| !is_value(one));
    }
}

/// Returns true for a definition that its file is named after: that is the one that words mean.
fn has_name_of_file(found: &DefinitionMatch) -> bool {
    let stem = found.path.rsplit('/').next().unwrap_or_default().split('.').next().unwrap_or_default();
    ranking::analyser::fold(stem) == ranking::analyser::fold(&found.symbol.name)
}

/// Returns the matches that have exactly the name, or else those that have it in another case; both for a name that is written as words.
/// Headings are no definitions.
fn named_exactly(matches: Vec<DefinitionMatch>, spelling: Spelling) -> Vec<DefinitionMatch> {
    let is_code =
        |found: &DefinitionMatch| !matches!(found.class, FileClass::Docs | FileClass::Generated | FileClass::Vendored);
    if spelling == Spelling::OfWords {
        let is_named = |found: &DefinitionMatch| matches!(found.tier, v1::NameTier::Exact | v1::NameTier::Folded);
        return matches.into_iter().filter(|found| is_named(found) && is_code(found)).collect();
    }
    let of_tier = |tier| matches.iter().any(|found| found.tier == tier && is_code(found));
    let Some(tier) = [v1::NameTier::Exact, v1::NameTier::Folded].into_iter().find(|tier| of_tier(*tier)) else {
        return Vec::new();
    };
    matches.into_iter().filter(|found| found.tier == tier && is_code(found)).collect()
}

/// Returns true if a word is in the path or the container of a definition.
fn has_hint(found: &DefinitionMatch, hint: &str) -> bool {
    let place = format!("{}/{}", found.path, found.symbol.container).to_lowercase();
    place.contains(&hint.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dotted_name_in_lower_case_may_be_a_module() {
        let paths = module_paths("dock.berth_plan");
        let expected = ["dock/berth_plan.py", "dock/berth_plan/__init__.py", "src/dock/berth_plan.py"];
        assert_eq!(paths[..3], expected);
        for name in ["dock", "Dock.open", "dock.Berth", "dock.", "1.2"] {
            assert_eq!(module_paths(name), Vec::<String>::new(), "{name}");
        }
    }

    #[test]
    fn words_mean_the_definition_that_its_file_is_named_after() {
        for (path, name, expected) in [
            ("dock/berth_pool.py", "BerthPool", true),
            ("dock/cli.py", "berth_pool", false),
            ("dock/berth_pool.test.py", "pool", false),
        ] {
            let found = definition(path, name, "class");
            assert_eq!(has_name_of_file(&found), expected, "{}", found.path);
        }
    }

    fn definition(path: &str, name: &str, kind: &str) -> DefinitionMatch {
        let symbol = v1::Symbol { name: name.to_owned(), kind: kind.to_owned(), ..Default::default() };
        let (path, blob, tier) = (path.to_owned(), String::new(), v1::NameTier::Exact);
        DefinitionMatch { repo_idx: RepoIdx(0), path, blob, class: FileClass::Source, symbol, tier, distance: 0 }
    }

    #[test]
    fn words_mean_types_and_functions_rather_than_values() {
        for (definitions, expected) in [
            (&[("pier/tls.rb", "berth", "method"), ("pier/berth.rb", "Berth", "class")][..], "Berth"),
            (&[("a.rb", "berth", "field"), ("b.rb", "berth", "method")], "berth"),
            (&[("a.rb", "berth", "field"), ("b.rb", "berth", "variable")], "berth berth"),
            (&[("berth.rb", "berth", "field"), ("berth.rb", "Berth", "class")], "Berth"),
        ] {
            let mut found: Vec<DefinitionMatch> =
                definitions.iter().map(|(path, name, kind)| definition(path, name, kind)).collect();
            keep_meant(&mut found);
            let names: Vec<&str> = found.iter().map(|one| one.symbol.name.as_str()).collect();
            assert_eq!(names.join(" "), expected);
        }
    }

    #[test]
    fn a_written_name_is_exact_if_there_is_such_a_definition() {
        let of = |names: &[&str], spelling: Spelling| {
            let tier = |name: &str| if name == "close" { v1::NameTier::Exact } else { v1::NameTier::Folded };
            let found =
                names.iter().map(|name| DefinitionMatch { tier: tier(name), ..definition("a.py", name, "class") });
            let kept = named_exactly(found.collect(), spelling);
            kept.iter().map(|one| one.symbol.name.clone()).collect::<Vec<_>>().join(" ")
        };
        for (names, spelling, expected) in [
            (&["Close", "close"][..], Spelling::Written, "close"),
            (&["Close"], Spelling::Written, "Close"),
            (&["Close", "close"], Spelling::OfWords, "Close close"),
        ] {
            assert_eq!(of(names, spelling), expected);
        }
    }

    #[test]
    fn headings_are_no_definitions() {
        let node = |path: &str, is_symbol: bool| {
            let file = Some(v1::File { path: path.to_owned(), ..Default::default() });
            let symbol = is_symbol.then(v1::Symbol::default);
            SubjectNode {
                at: NodeRef { repo_idx: RepoIdx(0), node: 0 },
                card: v1::NodeCard { file, symbol, ..Default::default() },
            }
        };
        for (path, is_symbol, expected) in
            [("a/CHANGELOG.md", true, true), ("a/CHANGELOG.md", false, false), ("a/errors.ts", true, false)]
        {
            assert_eq!(is_heading(&node(path, is_symbol)), expected, "{path}");
        }
    }
}
