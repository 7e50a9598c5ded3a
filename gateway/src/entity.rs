//! From what somebody calls a thing to its node: a definition, a file, a module, a route, an rpc.

use std::cmp::Ordering;

use model::{FileClass, Filter, Language};
use proto::v1;

use crate::{
    call::Call,
    meta::nothing_found,
    nearest,
    nodes::At,
    overlay::Overlay,
    plan::Plan,
    refusal::{Refusal, quoted},
    scope::Scope,
    symbol_ref::{self, Reading},
    tools::{
        get_file_context::{Outlined, files},
        search_symbols::{Match, rank},
    },
};

/// Definitions that answer to a name and are told beside the best one.
const MAX_OTHERS: usize = 20;

/// Names that are offered where nothing has the one asked for.
const MAX_NEAREST: usize = 5;

/// Symbols asked of each worker: far more than are told.
const MAX_ASKED: u32 = 200;

/// Endings under which a module is looked for whose name is written with dots.
const MODULE_ENDINGS: [&str; 9] = [".py", "/__init__.py", ".rs", "/mod.rs", ".ts", "/index.ts", ".js", ".go", ".java"];

/// What a name stands for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entity {
    pub(crate) at: At,
    /// Other things of this name, the best first, each as an argument of its own; at most a few.
    pub(crate) others: Vec<String>,
    pub(crate) n_others: usize,
    pub(crate) note: Option<String>,
}

/// Finds the best thing of this name. `file` is a path or the end of one that it is in.
pub(crate) async fn resolve(
    call: &Call<'_>,
    scope: &Scope,
    overlay: &Overlay,
    argument: &str,
    written: &str,
    file: Option<&str>,
) -> Result<(Entity, Plan), Refusal> {
    let written = written.trim();
    if written.is_empty() {
        return Err(Refusal::new(format!("`{argument}` is empty: give the name of a definition, a path or a route")));
    }
    let is_route = written.starts_with('/') || written.split_once(' ').is_some_and(|(_, path)| path.starts_with('/'));
    let (alias, name) = if is_route { (None, written) } else { call.visible.split_prefix(written)? };
    let (file_alias, file) = match file.map(str::trim).filter(|file| !file.is_empty()) {
        Some(file) => call.visible.split_prefix(file).map(|(alias, file)| (alias, Some(file)))?,
        None => (None, None),
    };
    let alias = alias.or(file_alias);
    let mut plan = scope.lookup_plan(&call.visible, alias)?;
    if let Some(entity) = find(call, &mut plan, overlay, name, file).await {
        return Ok((entity, plan));
    }
    if alias.is_none()
        && let Some(mut elsewhere) = scope.elsewhere(&call.visible)
        && let Some(mut entity) = find(call, &mut elsewhere, overlay, name, file).await
    {
        entity.note = Some(format!("`{}` is in {} alone", quoted(written), elsewhere.alias(entity.at.position)));
        return Ok((entity, elsewhere));
    }
    Err(not_found(call, &mut plan, overlay, argument, name, file).await)
}

async fn find(call: &Call<'_>, plan: &mut Plan, overlay: &Overlay, name: &str, file: Option<&str>) -> Option<Entity> {
    let offered: Vec<At> =
        overlay.offers(name, &call.visible).into_iter().filter(|at| plan.asked.contains(&at.position)).collect();
    if let Some((at, others)) = offered.split_first() {
        let other = |at: &At| format!("repo=\"{}\" {name}", plan.alias(at.position));
        return Some(Entity {
            at: *at,
            others: others.iter().take(MAX_OTHERS).map(other).collect(),
            n_others: others.len(),
            note: None,
        });
    }
    let looks_like_a_path = !name.contains("::") && (name.contains('/') || Language::of_path(name) != Language::Text);
    if looks_like_a_path && let Some(entity) = find_file(call, plan, name).await {
        return Some(entity);
    }
    for reading in symbol_ref::readings(name) {
        let found = match reading {
            Reading::Lookup { path, qualified, ordinal, kind } => {
                let lookup = v1::SymbolLookup { path, qualified, ordinal };
                let filter = Filter { symbol_kind: kind, ..Filter::default() };
                find_definition(call, plan, v1::symbols_request::Query::Lookup(lookup), &filter, file).await
            }
            Reading::Lines { path, lines } => find_at_line(call, plan, &path, lines.start).await,
        };
        if found.is_some() {
            return found;
        }
    }
    if !looks_like_a_path && let Some(entity) = find_file(call, plan, name).await {
        return Some(entity);
    }
    find_module(call, plan, name).await
}

async fn find_definition(
    call: &Call<'_>,
    plan: &mut Plan,
    query: v1::symbols_request::Query,
    filter: &Filter,
    file: Option<&str>,
) -> Option<Entity> {
    let request =
        v1::SymbolsRequest { query: Some(query), filter: Some(filter.into()), limit: MAX_ASKED, ..Default::default() };
    let replies = call.symbols(plan, &request).await;
    let mut matches = rank(plan, replies);
    matches.retain(|found| file.is_none_or(|file| is_in(&found.path, file)));
    matches.sort_by(by_standing);
    let (best, others) = matches.split_first()?;
    let id = |found: &Match| symbol_ref::full_id(plan.alias(found.position), &found.path, &found.symbol);
    Some(Entity {
        at: At { position: best.position, node: best.symbol.node },
        others: others.iter().take(MAX_OTHERS).map(id).collect(),
        n_others: others.len(),
        note: None,
    })
}

/// Orders definitions of one name: by how well the name matches, the product before tests, what is used most.
fn by_standing(a: &Match, b: &Match) -> Ordering {
    let key = |found: &Match| (found.tier, found.class != FileClass::Source);
    key(a).cmp(&key(b)).then_with(|| b.symbol.importance.total_cmp(&a.symbol.importance))
}

fn is_in(path: &str, file: &str) -> bool {
    let file = file.trim_start_matches("./").trim_matches('/');
    path.strip_suffix(file).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

async fn find_file(call: &Call<'_>, plan: &mut Plan, path: &str) -> Option<Entity> {
    let path = path.trim_start_matches("./").trim_matches('/');
    if path.is_empty() {
        return None;
    }
    let replies = call.outline(plan, path, 0).await;
    let mut found = files(plan, replies);
    if found.iter().any(|file| file.path == path) {
        found.retain(|file| file.path == path);
    }
    found.sort_by_key(|file| std::cmp::Reverse(file.used_by()));
    let (best, others) = found.split_first()?;
    let shown = |file: &Outlined| format!("{}:{}", plan.alias(file.position), text::sanitise_name(&file.path));
    Some(Entity {
        at: At { position: best.position, node: best.node() },
        others: others.iter().take(MAX_OTHERS).map(shown).collect(),
        n_others: others.len(),
        note: None,
    })
}

/// Finds the innermost definition around a line; the file where there is none.
async fn find_at_line(call: &Call<'_>, plan: &mut Plan, path: &str, line: u32) -> Option<Entity> {
    let replies = call.outline(plan, path, 1).await;
    let mut found = files(plan, replies);
    if found.iter().any(|file| file.path == path) {
        found.retain(|file| file.path == path);
    }
    let file = found.first()?;
    let node = file.innermost(line).map_or(file.node(), |symbol| symbol.node);
    let others: Vec<String> = found
        .iter()
        .skip(1)
        .map(|file| format!("{}:{}:{line}", plan.alias(file.position), text::sanitise_name(&file.path)))
        .collect();
    let n_others = others.len();
    Some(Entity {
        at: At { position: file.position, node },
        others: others.into_iter().take(MAX_OTHERS).collect(),
        n_others,
        note: None,
    })
}

/// Finds `package.module` and `crate::module` as files.
async fn find_module(call: &Call<'_>, plan: &mut Plan, name: &str) -> Option<Entity> {
    let path = name.replace("::", "/").replace('.', "/");
    if !path.chars().all(|c| c.is_alphanumeric() || matches!(c, '/' | '_' | '-')) {
        return None;
    }
    for ending in MODULE_ENDINGS {
        if let Some(entity) = find_file(call, plan, &format!("{path}{ending}")).await {
            return Some(entity);
        }
    }
    None
}

/// Returns the error for a name that nothing has, with the nearest ones there are.
async fn not_found(
    call: &Call<'_>,
    plan: &mut Plan,
    overlay: &Overlay,
    argument: &str,
    name: &str,
    file: Option<&str>,
) -> Refusal {
    let shown = quoted(name);
    let place = file.map(|file| format!(" in a file that ends in `{}`", quoted(file))).unwrap_or_default();
    let mut message = match nothing_found(plan) {
        Some(unknown) => format!("`{argument}`: `{shown}` was not found{place}, which is {unknown}"),
        None => format!("`{argument}`: nothing is called `{shown}`{place}"),
    };
    let nearest = nearest_names(call, plan, overlay, name).await;
    if !nearest.is_empty() {
        message += &format!("; nearest are: {}", nearest.join(", "));
    }
    Refusal::new(format!("{message}; search_symbols finds names, search_codebase finds code by what it does"))
}

/// Returns ids of definitions, or keys of routes, whose names are near to one that nothing has.
pub(crate) async fn nearest_names(call: &Call<'_>, plan: &mut Plan, overlay: &Overlay, name: &str) -> Vec<String> {
    if name.contains('/') {
        let names = overlay.names(&call.visible);
        return nearest::first(name, &names, MAX_NEAREST).into_iter().map(quoted).collect();
    }
    let Some(Reading::Lookup { qualified, .. }) = symbol_ref::readings(name).into_iter().next() else {
        return Vec::new();
    };
    for part in qualified.rsplit('.').take(2).filter(|part| !part.is_empty()) {
        let query = Some(v1::symbols_request::Query::Name(part.to_owned()));
        let request = v1::SymbolsRequest { query, limit: MAX_ASKED, ..Default::default() };
        let replies = call.symbols(plan, &request).await;
        let id = |found: &Match| symbol_ref::full_id(plan.alias(found.position), &found.path, &found.symbol);
        let ids: Vec<String> = rank(plan, replies).iter().take(MAX_NEAREST).map(id).collect();
        if !ids.is_empty() {
            return ids;
        }
    }
    Vec::new()
}
