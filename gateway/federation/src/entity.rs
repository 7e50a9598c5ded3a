//! Resolves a name to a node of the code graph: a definition, a file, a module, a route or an rpc.

use std::cmp::Ordering;

use model::{FileClass, Filter, Language, SymbolKind, symbol::qualify};
use proto::v1;

use crate::{
    answer::{Answer, Shortfalls},
    call::CallContext,
    coverage::Coverage,
    did_you_mean,
    nodes::NodeRef,
    outline::{OutlinedFile, files},
    overlay::Overlay,
    plan::Plan,
    refusal::{Refusal, echo, quoted},
    scope::GraphScope,
    symbol_matches::{DefinitionMatch, rank},
    symbol_ref::{self, SymbolRefReading},
};

/// Maximum number of listed alternatives to the best match.
const MAX_OTHERS: usize = 20;

/// Maximum number of suggested names if nothing matches.
const MAX_NEAREST: usize = 5;

/// Maximum number of symbols per worker: far more than are listed.
const MAX_ASKED: u32 = 200;

/// Path endings to try for a module name with dots.
const MODULE_ENDINGS: [&str; 9] = [".py", "/__init__.py", ".rs", "/mod.rs", ".ts", "/index.ts", ".js", ".go", ".java"];

/// The entity that a name refers to.
#[derive(Debug, Clone, PartialEq)]
pub struct ResolvedEntity {
    /// The best match.
    pub at: NodeRef,
    /// Other entities with this name, best first and at most a few, each in a form that the argument accepts.
    pub others: Vec<String>,
    /// Number of other matches, listed or not.
    pub n_others: usize,
    /// Set if the entity was found outside of the lookup scope; names its repository.
    pub note: Option<String>,
}

/// Finds the best entity with this name. `file` is the path of its file, or the end of that path.
///
/// The shortfalls are those of the repositories that were searched.
pub async fn resolve(
    call: &CallContext<'_>,
    scope: &GraphScope,
    overlay: &Overlay,
    argument: &str,
    written: &str,
    file: Option<&str>,
) -> Result<Answer<ResolvedEntity>, Refusal> {
    let written = written.trim();
    if written.is_empty() {
        return Err(empty(argument));
    }
    let is_route = written.starts_with('/') || written.split_once(' ').is_some_and(|(_, path)| path.starts_with('/'));
    let (alias, name) = if is_route { (None, written) } else { call.visible.split_prefix(written)? };
    if name.trim().is_empty() {
        return Err(empty(argument));
    }
    let (file_alias, file) = match file.map(str::trim).filter(|file| !file.is_empty()) {
        Some(file) => call.visible.split_prefix(file).map(|(alias, file)| (alias, Some(file)))?,
        None => (None, None),
    };
    let alias = alias.or(file_alias);
    let plan = scope.lookup_plan(&call.visible, alias)?;
    let found = find(call, &plan, overlay, name, file).await.after(plan.shortfalls.clone());
    if let Some(entity) = found.value {
        return Ok(Answer { value: entity, shortfalls: found.shortfalls });
    }
    if alias.is_none()
        && let Some(fallback) = scope.fallback_plan(&call.visible)
    {
        let found = find(call, &fallback, overlay, name, file).await.after(fallback.shortfalls.clone());
        if let Some(entity) = found.value {
            let alias = text::quote_name(fallback.alias(entity.at.repo_idx)).into_owned();
            let alone = format!("{} is in {alias} alone", quoted(written));
            let entity = ResolvedEntity { note: Some(alone), ..entity };
            return Ok(Answer { value: entity, shortfalls: found.shortfalls });
        }
    }
    Err(not_found(call, &plan.without(&found.shortfalls), overlay, argument, name, file).await)
}

/// Returns the refusal of a text that names nothing: it is empty, or only the prefix of a repository.
pub fn empty(argument: &str) -> Refusal {
    Refusal::new(format!("`{argument}` is empty: give the name of a definition, a path or a route"))
}

/// Tries every reading of a name, the likeliest first, until one has a match.
async fn find(
    call: &CallContext<'_>,
    plan: &Plan,
    overlay: &Overlay,
    name: &str,
    file: Option<&str>,
) -> Answer<Option<ResolvedEntity>> {
    if let Some(entity) = find_offer(call, plan, overlay, name) {
        return Answer::complete(Some(entity));
    }
    let looks_like_a_path = !name.contains("::") && (name.contains('/') || Language::of_path(name) != Language::Text);
    let mut shortfalls = Shortfalls::default();
    for attempt in attempts(name, looks_like_a_path) {
        let plan = &plan.without(&shortfalls);
        let found = match attempt {
            LookupAttempt::File => find_file(call, plan, name).await,
            LookupAttempt::Definition(lookup, kind) => {
                let filter = Filter { symbol_kind: kind, ..Filter::default() };
                let query = v1::symbols_request::Query::Lookup(lookup);
                find_definition(call, plan, overlay, query, &filter, file).await
            }
            LookupAttempt::Line(path, line) => find_at_line(call, plan, &path, line).await,
            LookupAttempt::Module => find_module(call, plan, name).await,
        };
        shortfalls.extend(found.shortfalls);
        if found.value.is_some() {
            return Answer { value: found.value, shortfalls };
        }
    }
    Answer { value: None, shortfalls }
}

/// One attempt to look up a name.
enum LookupAttempt {
    File,
    Definition(v1::SymbolLookup, Option<SymbolKind>),
    Line(String, u32),
    Module,
}

/// Returns the attempts for a name, the likeliest first.
fn attempts(name: &str, looks_like_a_path: bool) -> Vec<LookupAttempt> {
    let reading = |reading: SymbolRefReading| match reading {
        SymbolRefReading::Lookup { path, qualified, ordinal, kind } => {
            LookupAttempt::Definition(v1::SymbolLookup { path, qualified, ordinal }, kind)
        }
        SymbolRefReading::Lines { path, lines } => LookupAttempt::Line(path, lines.start),
    };
    let as_path = looks_like_a_path.then_some(LookupAttempt::File);
    let as_path_after_all = (!looks_like_a_path).then_some(LookupAttempt::File);
    let readings = symbol_ref::readings(name).into_iter().map(reading);
    as_path.into_iter().chain(readings).chain(as_path_after_all).chain([LookupAttempt::Module]).collect()
}

/// Finds the route, rpc, service or message with this name that a repository provides.
fn find_offer(call: &CallContext<'_>, plan: &Plan, overlay: &Overlay, name: &str) -> Option<ResolvedEntity> {
    let offered: Vec<NodeRef> =
        overlay.offers(name, &call.visible).into_iter().filter(|at| plan.asked.contains(&at.repo_idx)).collect();
    let (at, others) = offered.split_first()?;
    let other = |at: &NodeRef| format!("repo=\"{}\" {name}", plan.alias(at.repo_idx));
    Some(ResolvedEntity {
        at: *at,
        others: others.iter().take(MAX_OTHERS).map(other).collect(),
        n_others: others.len(),
        note: None,
    })
}

async fn find_definition(
    call: &CallContext<'_>,
    plan: &Plan,
    overlay: &Overlay,
    query: v1::symbols_request::Query,
    filter: &Filter,
    file: Option<&str>,
) -> Answer<Option<ResolvedEntity>> {
    let id = match &query {
        v1::symbols_request::Query::Lookup(lookup) => Some(lookup.clone()),
        _ => None,
    };
    let request =
        v1::SymbolsRequest { query: Some(query), filter: Some(filter.into()), limit: MAX_ASKED, ..Default::default() };
    let replies = call.symbols(plan, &request).await;
    let is_copy = |at: NodeRef| overlay.is_copy(at, &call.visible);
    replies.map(|replies| best_definition(plan, rank(plan, replies), id.as_ref(), file, is_copy))
}

/// Returns the best match. A copy of the definition of an rpc or message comes after the definition.
fn best_definition(
    plan: &Plan,
    mut matches: Vec<DefinitionMatch>,
    id: Option<&v1::SymbolLookup>,
    file: Option<&str>,
    is_copy: impl Fn(NodeRef) -> bool,
) -> Option<ResolvedEntity> {
    matches.retain(|found| file.is_none_or(|file| is_in(&found.path, file)));
    matches.sort_by(by_match_quality);
    // The id of the first of several definitions of a name has no number.
    matches.sort_by_key(|found| !id.is_some_and(|id| has_id(found, id)));
    let at = |found: &DefinitionMatch| NodeRef { repo_idx: found.repo_idx, node: found.symbol.node };
    let best_tier = matches.first()?.tier;
    matches.sort_by_key(|found| (found.tier != best_tier, is_copy(at(found))));
    let (best, others) = matches.split_first()?;
    let id = |found: &DefinitionMatch| symbol_ref::full_id(plan.alias(found.repo_idx), &found.path, &found.symbol);
    Some(ResolvedEntity {
        at: at(best),
        others: others.iter().take(MAX_OTHERS).map(id).collect(),
        n_others: others.len(),
        note: None,
    })
}

/// Returns true for the definition with an id, and not for others of its name.
fn has_id(found: &DefinitionMatch, id: &v1::SymbolLookup) -> bool {
    let symbol = &found.symbol;
    found.path == id.path
        && qualify(&symbol.container, &symbol.name) == id.qualified
        && symbol.ordinal.max(1) == id.ordinal.max(1)
}

/// Orders definitions of one name: by how well the name matches, the product before tests, what is used most.
fn by_match_quality(a: &DefinitionMatch, b: &DefinitionMatch) -> Ordering {
    let key = |found: &DefinitionMatch| (found.tier, found.class != FileClass::Source);
    key(a).cmp(&key(b)).then_with(|| b.symbol.importance.total_cmp(&a.symbol.importance))
}

fn is_in(path: &str, file: &str) -> bool {
    let file = file.trim_start_matches("./").trim_matches('/');
    path.strip_suffix(file).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

async fn find_file(call: &CallContext<'_>, plan: &Plan, path: &str) -> Answer<Option<ResolvedEntity>> {
    let path = path.trim_start_matches("./").trim_matches('/');
    if path.is_empty() {
        return Answer::complete(None);
    }
    let replies = call.outline(plan, path, 0).await;
    replies.map(|replies| {
        let mut found = whole_paths_first(files(plan, replies), path);
        found.sort_by_key(|file| std::cmp::Reverse(file.used_by()));
        let (best, others) = found.split_first()?;
        let shown = |file: &OutlinedFile| format!("{}:{}", plan.alias(file.repo_idx), text::sanitise_name(&file.path));
        Some(ResolvedEntity {
            at: NodeRef { repo_idx: best.repo_idx, node: best.node() },
            others: others.iter().take(MAX_OTHERS).map(shown).collect(),
            n_others: others.len(),
            note: None,
        })
    })
}

/// Finds the innermost definition around a line, or the file if there is none.
async fn find_at_line(call: &CallContext<'_>, plan: &Plan, path: &str, line: u32) -> Answer<Option<ResolvedEntity>> {
    let replies = call.outline(plan, path, 1).await;
    replies.map(|replies| {
        let found = whole_paths_first(files(plan, replies), path);
        let (file, others) = found.split_first()?;
        let node = file.innermost(line).map_or(file.node(), |symbol| symbol.node);
        let shown =
            |file: &OutlinedFile| format!("{}:{}:{line}", plan.alias(file.repo_idx), text::sanitise_name(&file.path));
        Some(ResolvedEntity {
            at: NodeRef { repo_idx: file.repo_idx, node },
            others: others.iter().take(MAX_OTHERS).map(shown).collect(),
            n_others: others.len(),
            note: None,
        })
    })
}

/// Returns the files with exactly this path; if there are none, all files whose path ends in it.
fn whole_paths_first(mut found: Vec<OutlinedFile>, path: &str) -> Vec<OutlinedFile> {
    if found.iter().any(|file| file.path == path) {
        found.retain(|file| file.path == path);
    }
    found
}

/// Finds `package.module` and `crate::module` as files.
async fn find_module(call: &CallContext<'_>, plan: &Plan, name: &str) -> Answer<Option<ResolvedEntity>> {
    let path = name.replace("::", "/").replace('.', "/");
    if !path.chars().all(|c| c.is_alphanumeric() || matches!(c, '/' | '_' | '-')) {
        return Answer::complete(None);
    }
    let mut shortfalls = Shortfalls::default();
    for ending in MODULE_ENDINGS {
        let found = find_file(call, &plan.without(&shortfalls), &format!("{path}{ending}")).await;
        shortfalls.extend(found.shortfalls);
        if found.value.is_some() {
            return Answer { value: found.value, shortfalls };
        }
    }
    Answer { value: None, shortfalls }
}

/// Returns the error for a name without a match, with the nearest names.
async fn not_found(
    call: &CallContext<'_>,
    plan: &Plan,
    overlay: &Overlay,
    argument: &str,
    name: &str,
    file: Option<&str>,
) -> Refusal {
    let shown = quoted(name);
    let place = file.map(|file| format!(" in a file that ends in {}", quoted(file))).unwrap_or_default();
    let mut message = match Coverage::of(plan).unknown_note() {
        Some(unknown) => format!("`{argument}`: {shown} was not found{place}, which is {unknown}"),
        None => format!("`{argument}`: nothing is called {shown}{place}"),
    };
    let nearest = nearest_names(call, plan, overlay, name).await.value;
    if !nearest.is_empty() {
        message += &format!("; nearest are: {}", text::quote_names(&nearest));
    }
    Refusal::new(format!("{message}; search_symbols finds names, search_codebase finds code by what it does"))
}

/// Returns the ids of definitions, or the keys of routes, with the smallest edit distance to a name.
pub async fn nearest_names(call: &CallContext<'_>, plan: &Plan, overlay: &Overlay, name: &str) -> Answer<Vec<String>> {
    if name.contains('/') {
        let names = overlay.names(&call.visible);
        let nearest = did_you_mean::first(name, &names, MAX_NEAREST).into_iter().map(echo).collect();
        return Answer::complete(nearest);
    }
    let Some(SymbolRefReading::Lookup { qualified, .. }) = symbol_ref::readings(name).into_iter().next() else {
        return Answer::complete(Vec::new());
    };
    let mut shortfalls = Shortfalls::default();
    for part in qualified.rsplit('.').take(2).filter(|part| !part.is_empty()) {
        let query = Some(v1::symbols_request::Query::Name(part.to_owned()));
        let request = v1::SymbolsRequest { query, limit: MAX_ASKED, ..Default::default() };
        let replies = call.symbols(&plan.without(&shortfalls), &request).await;
        shortfalls.extend(replies.shortfalls);
        let id = |found: &DefinitionMatch| symbol_ref::full_id(plan.alias(found.repo_idx), &found.path, &found.symbol);
        let ids: Vec<String> = rank(plan, replies.value).iter().take(MAX_NEAREST).map(id).collect();
        if !ids.is_empty() {
            return Answer { value: ids, shortfalls };
        }
    }
    Answer { value: Vec::new(), shortfalls }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_without_a_number_is_that_of_the_first_definition() {
        let found = |path: &str, ordinal| DefinitionMatch {
            repo_idx: crate::repo_idx::RepoIdx(0),
            path: path.to_owned(),
            blob: String::new(),
            class: FileClass::Source,
            symbol: v1::Symbol { container: "A".to_owned(), name: "f".to_owned(), ordinal, ..Default::default() },
            tier: v1::NameTier::Exact,
            distance: 0,
        };
        for (path, ordinal, id_path, qualified, id_ordinal, expected) in [
            ("a/b.java", 1, "a/b.java", "A.f", 0, true),
            ("a/b.java", 2, "a/b.java", "A.f", 0, false),
            ("a/b.java", 2, "a/b.java", "A.f", 2, true),
            ("a/b.java", 1, "a/b.java", "A.f", 1, true),
            // The ends of a path and of a name are no id.
            ("a/b.java", 1, "b.java", "A.f", 0, false),
            ("a/b.java", 1, "a/b.java", "f", 0, false),
            ("a/b.java", 1, "", "A.f", 0, false),
        ] {
            let id =
                v1::SymbolLookup { path: id_path.to_owned(), qualified: qualified.to_owned(), ordinal: id_ordinal };
            assert_eq!(has_id(&found(path, ordinal), &id), expected, "{id:?}");
        }
    }
}
