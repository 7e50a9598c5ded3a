//! The thing that a question names: repositories, a module, definitions, a file, or nothing that is known by name.

use std::collections::BTreeSet;

use model::{FileClass, Filter, Language};
use proto::v1;
use ranking::query::{is_identifier, is_stop_word};

use super::{
    IntentContext,
    cited_text::{CitedText, citation},
    module::{self, AskedModule},
};
use crate::get_context::item::{lines_of, path_of};
use federation::{
    answer::{Answer, Shortfalls},
    entity,
    nodes::NodeRef,
    plan::Plan,
    repo_idx::RepoIdx,
    repo_mentions,
    symbol_matches::{DefinitionMatch, rank},
};

/// Maximum number of definitions of one name that an answer is about.
pub(super) const MAX_DEFINITIONS: usize = 4;

/// Maximum number of words of a subject that are looked up: each is a query to every worker.
const MAX_CANDIDATES: usize = 4;

/// Limit of a look-up per worker.
const MAX_ASKED: u32 = 40;

/// Endings of the file of a module.
const MODULE_ENDINGS: [&str; 12] =
    [".py", ".rs", ".ts", ".js", ".go", ".java", ".kt", ".cs", ".rb", ".tsx", "/mod.rs", "/__init__.py"];

/// Words about the kind of a thing.
#[rustfmt::skip]
const KINDS: &[&str] = &[
    "function", "functions", "method", "class", "type", "struct", "enum", "trait", "interface", "module", "file", "repo",
    "repository", "project", "package", "component", "service", "variable", "constant", "code", "library", "endpoint", "route",
    "rpc", "symbol", "definition", "exception", "field", "macro", "folder", "directory", "crate", "logic", "signature", "value",
    "environment", "env", "setting", "settings", "option", "called", "named", "property", "hook", "helper", "error", "part", "parts",
    "database", "table", "topic", "queue", "behaviour", "behavior", "whole", "thing", "stuff", "everything",
];

/// Further words about the kind of a repository, if one is named.
const REPOSITORY_KINDS: [&str; 6] = ["client", "sdk", "framework", "tool", "plugin", "app"];

/// The thing that a question names.
pub(super) enum Subject {
    Repositories(BTreeSet<RepoIdx>),
    Module(AskedModule),
    /// The definitions of one name, or one file; the best first, and never empty.
    Nodes(Vec<SubjectNode>),
    /// Nothing with a name that is known.
    Description(Description),
}

/// A definition or a file.
#[derive(Clone)]
pub(super) struct SubjectNode {
    pub(super) at: NodeRef,
    pub(super) card: v1::NodeCard,
}

/// A thing that is described rather than named.
pub(super) struct Description {
    /// The repositories that it is in; empty for all.
    pub(super) named: BTreeSet<RepoIdx>,
    /// The module that it is in, if the question names one.
    pub(super) within: Option<AskedModule>,
    /// Its words, without those about repositories and kinds.
    pub(super) words: Vec<String>,
}

impl SubjectNode {
    pub(super) fn path(&self) -> &str {
        path_of(&self.card)
    }

    /// Returns its name as answers show it.
    pub(super) fn name(&self) -> String {
        name_of(&self.card)
    }

    pub(super) fn is_file(&self) -> bool {
        self.card.symbol.is_none() && self.card.route.is_none()
    }

    /// Returns the kind of a definition, such as `function`; empty for a file.
    pub(super) fn kind(&self) -> &str {
        self.card.symbol.as_ref().map_or("", |symbol| symbol.kind.as_str())
    }

    /// Returns true for a definition that runs.
    pub(super) fn is_callable(&self) -> bool {
        matches!(self.kind(), "function" | "method" | "constructor" | "rpc")
    }

    /// Returns its name, with the place where it is defined.
    pub(super) fn cited(&self, plan: &Plan) -> CitedText {
        let lines = lines_of(&self.card);
        let place = citation(plan, self.at.repo_idx, self.path(), (lines.start, lines.end));
        CitedText::cited(text::quote(&self.name()), place)
    }

    /// Returns an argument for other tools.
    pub(super) fn id(&self, plan: &Plan) -> String {
        crate::get_context::item::ContextItem::of(plan, self.at, &self.card).id
    }
}

/// Returns the name of a node: that of its definition, its route, or its path.
pub(super) fn name_of(card: &v1::NodeCard) -> String {
    match (&card.symbol, &card.route) {
        (Some(symbol), _) => text::sanitise_name(&model::symbol::qualify(&symbol.container, &symbol.name)).into_owned(),
        (None, Some(route)) => text::sanitise_name(&format!("{} {}", route.method, route.path)).into_owned(),
        (None, None) => text::sanitise_name(path_of(card)).into_owned(),
    }
}

/// Finds the thing that a text names.
pub(super) async fn resolve(context: IntentContext<'_, '_>, written: &str) -> Answer<Subject> {
    let all: Vec<&str> = written.split(' ').filter(|word| !word.is_empty()).collect();
    let (names, prose): (Vec<&str>, Vec<&str>) = all.iter().copied().partition(|word| is_name(word));
    let prose_text = prose.join(" ");
    let named = repo_mentions::services_named(context.plan, &prose_text);
    let is_of_alias = |word: &&&str| {
        let mut aliases = named.iter().map(|repo_idx| context.plan.alias(*repo_idx).to_lowercase());
        let word = word.to_lowercase();
        aliases.any(|alias| alias.contains(&word) || has_prefix_of_words(&word, &alias))
    };
    let is_kind = |word: &&str| {
        let word = word.to_lowercase();
        KINDS.contains(&word.as_str()) || (!named.is_empty() && REPOSITORY_KINDS.contains(&word.as_str()))
    };
    let content = prose.iter().filter(|word| !is_stop_word(word) && !is_of_alias(word));
    let (kinds, words): (Vec<&str>, Vec<&str>) = content.copied().partition(is_kind);
    let (names, words) = (owned(&names), owned(&words));
    if names.is_empty() && words.is_empty() && !named.is_empty() {
        return Answer::complete(Subject::Repositories(named));
    }
    let described = |within, shortfalls| {
        let words = names.iter().chain(&words).cloned().collect();
        Answer { value: Subject::Description(Description { named: named.clone(), within, words }), shortfalls }
    };
    if written.split_once(' ').is_some_and(|(method, path)| path.starts_with('/') && method == method.to_uppercase()) {
        return match resolve_entity(context, written).await {
            Some(found) => found.map(|node| Subject::Nodes(vec![node])),
            None => described(None, Shortfalls::default()),
        };
    }
    let is_capital = |word: &&String| word.chars().next().is_some_and(char::is_uppercase);
    let mut candidates: Vec<&String> = names.iter().chain(words.iter().filter(is_capital).rev()).collect();
    // A single plain word is a name; several are a description.
    let is_single = candidates.is_empty() && words.len() == 1;
    let others = |name: &str| n_beside(names.iter().chain(&words).map(String::as_str), name);
    let is_no_kind = |word: &&str| !module::is_kind(word);
    let others_but_kinds =
        |name: &str| n_beside(names.iter().chain(&words).map(String::as_str).filter(is_no_kind), name);
    // A definition is named by its words: the zone tracker is `zoneTracker`.
    let joined: Vec<String> = if candidates.is_empty() { joined_names(&prose, &words) } else { Vec::new() };
    let module_names: Vec<&str> = {
        let all = names.iter().chain(&joined).chain(&words).map(String::as_str);
        all.filter(|name| others(name) == 0).collect()
    };
    candidates.extend(&joined);
    candidates.extend(words.iter().filter(|_| is_single));
    let asks_for_file = kinds.iter().any(|kind| matches!(kind.to_lowercase().as_str(), "module" | "file"));
    let beside_kinds = if asks_for_file { Vec::new() } else { module::names_beside_kinds(written) };
    let beside_kinds: Vec<&str> =
        beside_kinds.iter().map(String::as_str).filter(|name| others_but_kinds(name) == 0).collect();
    let mut modules: Option<Vec<AskedModule>> = None;
    let mut shortfalls = Shortfalls::default();
    if !beside_kinds.is_empty() {
        let known = module::known(context, &named).await;
        shortfalls.extend(known.shortfalls);
        if let Some(found) = module::find(&known.value, &beside_kinds) {
            return Answer { value: Subject::Module(found), shortfalls };
        }
        modules = Some(known.value);
    }
    let mut nodes: Vec<SubjectNode> = Vec::new();
    for candidate in candidates.iter().take(MAX_CANDIDATES) {
        let hints: Vec<&str> =
            names.iter().chain(&words).filter(|word| word != candidate).map(String::as_str).collect();
        let reach = if names.contains(candidate) { Reach::Everywhere } else { Reach::NamedRepositories };
        let spelling = if joined.contains(candidate) { Spelling::OfWords } else { Spelling::Written };
        let found = look_up(context, candidate, &hints, &named, (asks_for_file, reach, spelling)).await;
        shortfalls.extend(found.shortfalls);
        nodes = found.value;
        if !nodes.is_empty() {
            break;
        }
    }
    let is_sure =
        !nodes.is_empty() && (!kinds.is_empty() || nodes.iter().any(|node| !is_less_than_module(node, written)));
    if is_sure {
        return Answer { value: Subject::Nodes(nodes), shortfalls };
    }
    // The first word is the place of a thing only in a repository that is named.
    let places: Vec<&str> = module::place_names(written, !named.is_empty());
    let modules = match modules {
        Some(modules) => modules,
        None if module_names.is_empty() && places.is_empty() => Vec::new(),
        None => {
            let known = module::known(context, &named).await;
            shortfalls.extend(known.shortfalls);
            known.value
        }
    };
    if let Some(found) = module::find(&modules, &module_names) {
        return Answer { value: Subject::Module(found), shortfalls };
    }
    if !nodes.is_empty() {
        return Answer { value: Subject::Nodes(nodes), shortfalls };
    }
    described(module::find(&modules, &places).filter(|found| found.namesakes.is_empty()), shortfalls)
}

/// Returns the number of words of a subject that are not in the name of a module: they are about something else.
fn n_beside<'w>(words: impl Iterator<Item = &'w str>, name: &str) -> usize {
    let is_in = |word: &str| name == word || name.split('_').any(|part| part == word);
    words.filter(|word| !is_in(word)).count()
}

fn is_heading(node: &SubjectNode) -> bool {
    !node.is_file() && matches!(Language::of_path(node.path()), Language::Markdown)
}

/// Returns true for a definition that gives way to a module of the same name: a value, or a definition whose name is not written
/// as in the question.
fn is_less_than_module(node: &SubjectNode, written: &str) -> bool {
    let Some(symbol) = &node.card.symbol else { return false };
    matches!(node.kind(), "field" | "variable" | "property" | "parameter") || !written.contains(&symbol.name)
}

/// Returns true if a word is an alias with further words behind it, such as `shop-api` of `shop`.
fn has_prefix_of_words(word: &str, alias: &str) -> bool {
    word.strip_prefix(alias).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// Minimum share of the words of a description that a name of several words must have.
const MIN_NAMED_SHARE: f32 = 0.6;

/// Maximum number of words in such a name.
const MAX_JOINED: usize = 4;

/// Returns the names that adjacent words of a description may stand for, the longest first. `prose` are its words in order, and
/// `words` those that are neither of the grammar nor about kinds or repositories. Names are compared without case and separators.
fn joined_names(prose: &[&str], words: &[String]) -> Vec<String> {
    let is_content = |word: &&str| words.iter().any(|known| known == word);
    let is_part = |word: &&str| is_content(word) || KINDS.contains(&word.to_lowercase().as_str());
    let mut found: Vec<String> = Vec::new();
    for length in (2..=MAX_JOINED.min(prose.len())).rev() {
        for window in prose.windows(length).filter(|window| window.iter().all(is_part)) {
            let n_content = window.iter().filter(|word| is_content(word)).count();
            let is_plain = window.iter().all(|word| word.chars().all(char::is_alphanumeric));
            if is_plain && n_content > 0 && n_content as f32 >= MIN_NAMED_SHARE * words.len() as f32 {
                found.push(window.join("_"));
            }
        }
    }
    found
}

/// The repositories in which a name is looked up.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Those that the question names, or else all.
    NamedRepositories,
    /// First those that the question names, then all: the name is certainly one.
    Everywhere,
}

/// The way in which a question has a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spelling {
    /// As it is written in the code, if there is such a definition.
    Written,
    /// By its words: every notation is as good.
    OfWords,
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Returns true for a word that is a name of code or a path, whatever repositories it contains.
fn is_name(word: &str) -> bool {
    is_identifier(word) || word.contains('/') || is_path(word) || is_upper(word)
}

fn is_path(word: &str) -> bool {
    word.contains('.') && Language::of_path(word) != Language::Text
}

fn is_upper(word: &str) -> bool {
    word.contains('_') && !word.chars().any(char::is_lowercase)
}

/// Returns the nodes of one name: a file, or its definitions.
async fn look_up(
    context: IntentContext<'_, '_>,
    name: &str,
    hints: &[&str],
    named: &BTreeSet<RepoIdx>,
    (asks_for_file, reach, spelling): (bool, Reach, Spelling),
) -> Answer<Vec<SubjectNode>> {
    if name.contains('/') || is_path(name) {
        let found = resolve_entity(context, &with_alias(context, named, name)).await;
        return found.map_or_else(|| Answer::complete(Vec::new()), |found| found.map(|node| vec![node]));
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
    } else if reach == Reach::NamedRepositories {
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
async fn resolve_entity(context: IntentContext<'_, '_>, written: &str) -> Option<Answer<SubjectNode>> {
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
    if spelling == Spelling::OfWords && found.iter().any(has_name_of_file) {
        found.retain(has_name_of_file);
    }
    found.sort_by_key(|found| std::cmp::Reverse(hints.iter().filter(|hint| has_hint(found, hint)).count()));
    if let Some(best) = found.first().map(|best| hints.iter().filter(|hint| has_hint(best, hint)).count()) {
        found.retain(|found| hints.iter().filter(|hint| has_hint(found, hint)).count() == best);
    }
    found.truncate(MAX_DEFINITIONS);
    let order: Vec<NodeRef> =
        found.iter().map(|found| NodeRef { repo_idx: found.repo_idx, node: found.symbol.node }).collect();
    let nodes: BTreeSet<NodeRef> = order.iter().copied().collect();
    let mut cards = context.call.describe(&plan.without(&shortfalls), &nodes).await.after(shortfalls);
    let described =
        order.iter().filter_map(|at| Some(SubjectNode { at: *at, card: cards.value.remove(at)? })).collect();
    Answer { value: described, shortfalls: cards.shortfalls }
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
    fn an_alias_is_a_part_of_a_word_only_at_its_edges() {
        for (word, expected) in [("shop", true), ("shop-api", true), ("shopd", false), ("workshop", false)] {
            assert_eq!(has_prefix_of_words(word, "shop"), expected, "{word}");
        }
    }

    #[test]
    fn a_module_is_the_subject_only_if_no_other_thing_is_named() {
        for (words, name, expected) in [
            (vec!["requests"], "requests", 0),
            (vec!["Session.get", "requests"], "requests", 1),
            (vec!["user", "validation"], "user", 1),
            (vec!["user", "validation"], "user_validation", 0),
            (vec!["cache", "timeout"], "timeout", 1),
            (vec!["command", "parser"], "parser", 1),
            (vec!["apps/ship"], "apps/ship", 0),
        ] {
            assert_eq!(n_beside(words.iter().copied(), name), expected, "{name} of {words:?}");
        }
    }

    #[test]
    fn words_mean_the_definition_that_its_file_is_named_after() {
        for (path, name, expected) in [
            ("dock/berth_pool.py", "BerthPool", true),
            ("dock/cli.py", "berth_pool", false),
            ("dock/berth_pool.test.py", "pool", false),
        ] {
            let symbol = v1::Symbol { name: name.to_owned(), ..Default::default() };
            let (path, blob) = (path.to_owned(), String::new());
            let tier = v1::NameTier::Exact;
            let found = DefinitionMatch {
                repo_idx: RepoIdx(0),
                path,
                blob,
                class: FileClass::Source,
                symbol,
                tier,
                distance: 0,
            };
            assert_eq!(has_name_of_file(&found), expected, "{}", found.path);
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

    #[test]
    fn adjacent_words_may_be_the_name_of_a_definition() {
        for (prose, words, expected) in [
            ("the zone tracker", vec!["zone", "tracker"], vec!["zone_tracker"]),
            (
                "the main lease manager",
                vec!["main", "lease", "manager"],
                vec!["main_lease_manager", "main_lease", "lease_manager"],
            ),
            ("lease service", vec!["lease"], vec!["lease_service"]),
            ("retries of a request", vec!["retries", "request"], vec![]),
            ("old a of long words here and b", vec!["old", "long", "words", "here", "b"], vec!["long_words_here"]),
        ] {
            let prose: Vec<&str> = prose.split(' ').collect();
            let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
            assert_eq!(joined_names(&prose, &words), expected, "{prose:?}");
        }
    }
}
