//! Routes that are files: handlers of Next.js, SvelteKit and Nuxt.

use graph::{FileIdx, Node, Program};
use model::{SymbolKind, code::Flags};

use super::FoundRoute;
use crate::{contract::HttpRoute, contracts::requests::methods};

/// Returns the routes that a file has by its path.
pub(super) fn routes(program: &Program<'_>, file: FileIdx) -> Vec<FoundRoute> {
    let path = program.path(file);
    let Some((stem, extension)) = path.rsplit_once('.') else { return Vec::new() };
    if !matches!(extension, "ts" | "js" | "tsx" | "jsx" | "mjs" | "mts") {
        return Vec::new();
    }
    // Next.js with an `app` folder, and SvelteKit: a function per method.
    let by_method = path_below(stem, "app").and_then(|inner| inner.strip_suffix("route").map(str::to_owned));
    let of_svelte = path_below(stem, "routes").and_then(|inner| inner.strip_suffix("+server").map(str::to_owned));
    if let Some(folder) = by_method.or(of_svelte).filter(|folder| folder.is_empty() || folder.ends_with('/')) {
        let symbols = program.symbols_of(file).filter(|symbol| program.parent(*symbol).is_none());
        let handlers = symbols.filter_map(|symbol| {
            let definition = program.definition(symbol);
            let is_exported = program.shape(symbol).flags.has(Flags::EXPORTED);
            let is_method = methods::METHODS.contains(&definition.name.as_str());
            (is_exported && is_method).then(|| found(&definition.name, &folder, Some(symbol), definition.name_line))
        });
        return handlers.collect();
    }
    let pages = path_below(stem, "pages").filter(|inner| inner.starts_with("api/"));
    let nuxt = path_below(stem, "server").filter(|inner| inner.starts_with("api/"));
    let is_nuxt = pages.is_none();
    let Some(inner) = pages.or(nuxt) else { return Vec::new() };
    let (inner, method) = match inner.rsplit_once('.').filter(|_| is_nuxt) {
        Some((inner, method)) => (inner.to_owned(), methods::of_name(method)),
        None => (inner, None),
    };
    let inner = inner.strip_suffix("index").map(str::to_owned).unwrap_or(inner);
    let default = program.symbols_of(file).find(|symbol| {
        let is_function = matches!(
            program.definition(*symbol).kind,
            SymbolKind::Function | SymbolKind::Variable | SymbolKind::Constant
        );
        is_function && program.shape(*symbol).flags.has(Flags::DEFAULT)
    });
    // Only a handler is exported by default; a folder `pages/api` may have helpers too.
    let has_default = default.is_some()
        || program.code(file).exports.iter().any(|one| program.code(file).name(one.name) == "default");
    let line = default.map_or(1, |default| program.definition(default).name_line);
    let method = method.unwrap_or_else(|| "*".to_owned());
    if has_default { vec![found(&method, &inner, default, line)] } else { Vec::new() }
}

/// Returns the part of a path behind a folder.
fn path_below(path: &str, folder: &str) -> Option<String> {
    let start = format!("{folder}/");
    if let Some(inner) = path.strip_prefix(&start) {
        return Some(inner.to_owned());
    }
    path.find(&format!("/{start}")).map(|at| path[at + start.len() + 1..].to_owned())
}

fn found(method: &str, folder: &str, symbol: Option<graph::SymbolIdx>, line: u32) -> FoundRoute {
    // Groups (`(shop)`) and slots (`@modal`) of Next.js are no segments.
    let is_group = |part: &str| part.starts_with('@') || part.starts_with('(') && part.ends_with(')');
    let segments = folder.split('/').filter(|part| !part.is_empty() && !is_group(part));
    let path = format!("/{}", segments.collect::<Vec<_>>().join("/"));
    let route = HttpRoute { method: method.to_owned(), path, line, handler: symbol.map(Node::Symbol) };
    FoundRoute { offer_node: route.handler, route, offer_line: line }
}
