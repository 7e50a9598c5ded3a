//! The thing that a question names: repositories, a module, definitions, a file, or nothing that is known by name.

use std::collections::BTreeSet;

use proto::v1;
use ranking::query::is_stop_word;

use super::{
    IntentContext,
    cited_text::{CitedText, citation},
    module::{self, AskedModule},
    subject_lookup::{LookupScope, Spelling, look_up, look_up_by_forms, resolve_entity},
    subject_words::{KINDS, REPOSITORY_KINDS, has_prefix_of_words, is_name, joined_names, whole_name},
};
use crate::get_context::item::{lines_of, path_of};
use federation::{
    answer::{Answer, Shortfalls},
    nodes::NodeRef,
    plan::Plan,
    repo_idx::RepoIdx,
    repo_mentions,
};

/// Maximum number of definitions of one name that an answer is about.
pub(super) const MAX_DEFINITIONS: usize = 4;

/// Maximum number of words of a subject that are looked up: each is a query to every worker.
const MAX_CANDIDATES: usize = 4;

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
    resolve_spelled(context, written, Spelling::OfWords).await
}

/// Finds the thing that a text names. A single plain word is a name in the given spelling.
pub(super) async fn resolve_spelled(
    context: IntentContext<'_, '_>,
    written: &str,
    of_word: Spelling,
) -> Answer<Subject> {
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
    let others = |name: &str| n_words_outside_name(names.iter().chain(&words).map(String::as_str), name);
    let is_no_kind = |word: &&str| !module::is_kind(word);
    let others_but_kinds =
        |name: &str| n_words_outside_name(names.iter().chain(&words).map(String::as_str).filter(is_no_kind), name);
    // A definition is named by its words: the zone tracker is `zoneTracker`.
    let whole = whole_name(written);
    let joined: Vec<String> = match candidates.is_empty() {
        true => joined_names(&prose, &words),
        false => whole.iter().cloned().collect(),
    };
    let module_names: Vec<&str> = {
        let all = names.iter().chain(&joined).chain(&words).map(String::as_str);
        all.filter(|name| others(name) == 0).collect()
    };
    // All words are a better name than one of them.
    candidates.splice(0..0, &joined);
    candidates.extend(words.iter().filter(|_| is_single));
    let asks_for_file = kinds.iter().any(|kind| matches!(kind.to_lowercase().as_str(), "module" | "file"));
    let beside_kinds = if asks_for_file { Vec::new() } else { module::names_beside_kinds(written) };
    let beside_kinds: Vec<&str> =
        beside_kinds.iter().map(String::as_str).filter(|name| others_but_kinds(name) == 0).collect();
    let mut modules: Option<Vec<AskedModule>> = None;
    let mut shortfalls = Shortfalls::default();
    if !beside_kinds.is_empty() {
        // A definition may have the word for its kind in its name.
        if let Some(whole) = &whole {
            let spelling = (asks_for_file, LookupScope::NamedRepositories, Spelling::OfWords);
            let found = look_up(context, whole, &[], &named, spelling).await;
            shortfalls.extend(found.shortfalls);
            if !found.value.is_empty() {
                return Answer { value: Subject::Nodes(found.value), shortfalls };
            }
        }
        let known = module::modules_in_scope(context, &named).await;
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
        let lookup_scope =
            if names.contains(candidate) { LookupScope::Everywhere } else { LookupScope::NamedRepositories };
        // A plain word means the type that is written with a capital as well.
        let is_word = is_single && candidate.chars().all(|c| c.is_ascii_lowercase());
        let spelling = match joined.contains(candidate) {
            true => Spelling::OfWords,
            false if is_word => of_word,
            false => Spelling::Written,
        };
        let found = look_up(context, candidate, &hints, &named, (asks_for_file, lookup_scope, spelling)).await;
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
            let known = module::modules_in_scope(context, &named).await;
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
    if names.is_empty() {
        let found = look_up_by_forms(context, &words, &named).await;
        shortfalls.extend(found.shortfalls);
        if !found.value.is_empty() {
            return Answer { value: Subject::Nodes(found.value), shortfalls };
        }
    }
    described(module::find(&modules, &places).filter(|found| found.namesakes.is_empty()), shortfalls)
}

/// Returns the number of words of a subject that are not in the name of a module: they are about something else.
fn n_words_outside_name<'w>(words: impl Iterator<Item = &'w str>, name: &str) -> usize {
    let is_in = |word: &str| name == word || name.split('_').any(|part| part == word);
    words.filter(|word| !is_in(word)).count()
}

/// Returns true for a definition that gives way to a module of the same name: a value, or a definition whose name is not written
/// as in the question.
fn is_less_than_module(node: &SubjectNode, written: &str) -> bool {
    let Some(symbol) = &node.card.symbol else { return false };
    matches!(node.kind(), "field" | "variable" | "property" | "parameter") || !written.contains(&symbol.name)
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(n_words_outside_name(words.iter().copied(), name), expected, "{name} of {words:?}");
        }
    }
}
