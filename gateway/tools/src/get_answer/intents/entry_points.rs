//! Entry points of a repository: commands, exports, main functions, HTTP routes and rpcs.

use std::collections::BTreeSet;

use model::{ContentKind, Filter, LineSpan, SymbolKind};
use proto::v1;
use ranking::query::content_words;

use super::super::{confidence::Confidence, side_folders::is_in_side_folder};
use super::{
    IntentAnswer, IntentContext,
    cited_text::{CitedText, citation, counted},
    exported_names,
    module::{self, AskedModule},
    module_answers::of_sentences,
    named_commands,
    source_lines::retrieved_product_files,
    subcommands,
    subject::Subject,
};
use crate::arguments::suggested;
use federation::{
    answer::Answer,
    fetch::SourceRequest,
    repo_idx::RepoIdx,
    repo_mentions,
    symbol_matches::{DefinitionMatch, rank},
};

/// Entries of each list of an overview to read.
const MAX_READ: u32 = 30;

/// Maximum number of items in a sentence.
const MAX_LISTED: usize = 6;
const MAX_ROUTES: usize = 12;

/// Words that ask for routes, and for rpcs.
const ROUTE_WORDS: [&str; 8] = ["route", "routes", "endpoint", "endpoints", "url", "urls", "paths", "pages"];
const RPC_WORDS: [&str; 3] = ["rpc", "rpcs", "grpc"];

/// Words that ask whether there is a program at all.
const PROGRAM_WORDS: [&str; 8] =
    ["program", "programs", "binary", "binaries", "executable", "executables", "cli", "runnable"];

/// Maximum number of routes to read if only those about a word are asked for.
const MAX_READ_ROUTES: u32 = 1_000;

pub(super) async fn answer(context: IntentContext<'_, '_>, subject: &Subject, question: &str) -> Option<IntentAnswer> {
    let lower = question.to_lowercase();
    let has_word = |words: &[&str]| lower.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word));
    // The path of an import is no route.
    let is_of_imports = ["import path", "subpath", "package exports"].iter().any(|words| lower.contains(words));
    let (asks_routes, asks_rpcs) = (has_word(&ROUTE_WORDS) && !is_of_imports, has_word(&RPC_WORDS));
    let Subject::Repositories(named) = subject else {
        return if asks_routes {
            routes_about(context, question).await
        } else {
            named_commands::answer(context, question).await
        };
    };
    let plan = context.call.visible.plan_for(named.iter().copied().collect(), false);
    let Answer { value: overviews, mut shortfalls } = context.call.overviews(&plan, MAX_READ).await;
    let mut all: Vec<CitedText> = Vec::new();
    let mut has_read_commands = false;
    for (repo_idx, overview) in &overviews {
        let rpcs = rpcs(context, *repo_idx).await;
        shortfalls.extend(rpcs.shortfalls);
        let alias = text::quote(context.plan.alias(*repo_idx));
        let own = without_side_routes(overview);
        let is_cut = own.routes.len() < overview.routes.len();
        let known = if is_cut { KnownRoutes::Some } else { KnownRoutes::All };
        let (routes, rpcs) = (routes(context, (*repo_idx, &alias), &own, known), rpcs.value);
        let starts = starts(context, (*repo_idx, &alias), overview);
        match (asks_routes, asks_rpcs) {
            (true, _) if routes.is_some() || rpcs.is_none() => {
                all.extend(routes.or_else(|| Some(nothing(context, *repo_idx, "HTTP route"))))
            }
            (true, _) | (_, true) => all.extend(rpcs.or_else(|| Some(nothing(context, *repo_idx, "rpc")))),
            _ => {
                // A library with a command serves no route by itself.
                let has_command = overview.starts.iter().any(|start| start.kind() == v1::StartKind::Command);
                let has_main = overview.starts.iter().any(|start| start.kind() == v1::StartKind::Main);
                let asks_program = has_word(&PROGRAM_WORDS) || lower.contains("command line");
                all.extend((asks_program && !has_command && !has_main).then(|| no_program(context, *repo_idx)));
                if subcommands::asks_for_commands(question) {
                    let files = retrieved_product_files(context, &BTreeSet::from([*repo_idx]));
                    let commands = subcommands::sentence(context, &alias, files).await;
                    shortfalls.extend(commands.shortfalls);
                    has_read_commands |= commands.value.is_some();
                    all.extend(commands.value);
                }
                all.extend(starts);
                let sources = source_of_exports(context, *repo_idx, overview).await;
                shortfalls.extend(sources.shortfalls);
                all.extend(sources.value);
                if asks_for_exports(question) {
                    let exported = exported_names::sentence(context, *repo_idx, overview).await;
                    shortfalls.extend(exported.shortfalls);
                    all.extend(exported.value);
                }
                all.extend([routes, rpcs].into_iter().flatten().filter(|_| !has_command && !asks_program));
            }
        }
    }
    let first = named.first().map(|repo_idx| suggested("repo", context.plan.alias(*repo_idx)))?;
    let note = format!("get_overview {first} has every entry point");
    let confidence = if has_read_commands { Confidence::Medium } else { Confidence::High };
    (!all.is_empty()).then(|| IntentAnswer::new(all, confidence, note).with_shortfalls(shortfalls))
}

/// Answers about the entry points of a module: those of its repository that lie in it.
pub(super) async fn of_module(
    context: IntentContext<'_, '_>,
    module: &AskedModule,
    question: &str,
) -> Option<IntentAnswer> {
    let lower = question.to_lowercase();
    let has_word = |words: &[&str]| lower.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word));
    let asks_routes = has_word(&ROUTE_WORDS);
    // The rpcs of a module are not known apart from those of its repository.
    if has_word(&RPC_WORDS) && !asks_routes {
        return None;
    }
    let plan = context.call.visible.plan_for(vec![module.repo_idx], false);
    let Answer { value: mut overviews, shortfalls } = context.call.overviews(&plan, MAX_READ_ROUTES).await;
    let mut own = overviews.remove(&module.repo_idx)?;
    let is_in = |at: &Option<v1::Spot>| at.as_ref().is_some_and(|at| module.contains(module.repo_idx, &at.path));
    // An overview has some routes alone if there are many.
    let is_cut = own.all_routes as usize > own.routes.len();
    own.starts.retain(|start| is_in(&start.at));
    own.routes.retain(|route| is_in(&route.at));
    own.all_routes = own.routes.len() as u32;
    let name = module.name();
    let mut all: Vec<CitedText> = Vec::new();
    let mut shortfalls = shortfalls;
    let mut confidence = if is_cut { Confidence::Medium } else { Confidence::High };
    if subcommands::asks_for_commands(question) {
        let files = module::files(context, module, ContentKind::Implementation).await;
        shortfalls.extend(files.shortfalls);
        let files = files.value.paths.into_iter().map(|path| (module.repo_idx, path)).collect();
        let commands = subcommands::sentence(context, &name, files).await;
        shortfalls.extend(commands.shortfalls);
        confidence = Confidence::Medium;
        let mut said = commands.value;
        if said.is_none() {
            // The main function of a program is often in a folder of its own, without the commands.
            let alias = text::quote(context.plan.alias(module.repo_idx));
            let files = retrieved_product_files(context, &BTreeSet::from([module.repo_idx]));
            let of_repository = subcommands::sentence(context, &alias, files).await;
            shortfalls.extend(of_repository.shortfalls);
            if of_repository.value.is_some() {
                confidence = Confidence::Low;
            }
            let absence = CitedText::plain(format!("No command was found in {name};"));
            said = of_repository.value.map(|commands| CitedText::join([absence, commands], " "));
        }
        all.extend(said);
    }
    if !asks_routes {
        all.extend(starts(context, (module.repo_idx, &name), &own));
    }
    let known = if is_cut { KnownRoutes::Some } else { KnownRoutes::All };
    all.extend(routes(context, (module.repo_idx, &name), &own, known));
    let answer = |all| IntentAnswer { confidence, ..of_sentences(context, module, all) };
    (!all.is_empty()).then(|| answer(all).with_shortfalls(shortfalls))
}

/// Returns true if a question asks for what is exported.
fn asks_for_exports(question: &str) -> bool {
    let lower = question.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).any(|word| matches!(word, "export" | "exports" | "exported"))
}

/// Returns an overview without the routes of code beside the product, unless there are no others.
fn without_side_routes(overview: &v1::RepositoryOverview) -> v1::RepositoryOverview {
    let is_side = |route: &v1::AnsweredRoute| route.at.as_ref().is_some_and(|at| is_in_side_folder(&at.path));
    let mut own = overview.clone();
    if own.routes.iter().all(is_side) {
        return own;
    }
    let n_before = own.routes.len();
    own.routes.retain(|route| !is_side(route));
    own.all_routes = own.all_routes.saturating_sub((n_before - own.routes.len()) as u32);
    own
}

fn no_program(context: IntentContext<'_, '_>, repo_idx: RepoIdx) -> CitedText {
    let alias = text::quote(context.plan.alias(repo_idx));
    CitedText::plain(format!("No command that the manifests of {alias} install and no main function of it is known."))
}

/// Answers which routes of the named repositories have a word of the question in their paths.
async fn routes_about(context: IntentContext<'_, '_>, question: &str) -> Option<IntentAnswer> {
    let named = repo_mentions::named(context.plan, question);
    let asked: Vec<String> = content_words(question).into_iter().map(str::to_owned).collect();
    let plan = context.call.visible.plan_for(named.iter().copied().collect(), false);
    let Answer { value: overviews, shortfalls } = context.call.overviews(&plan, MAX_READ_ROUTES).await;
    let mut all: Vec<CitedText> = Vec::new();
    for (repo_idx, overview) in &overviews {
        let words = words_of_paths(&asked, overview.routes.iter().map(|route| route.path.as_str()));
        let has_words = |route: &&v1::AnsweredRoute| words.iter().all(|word| has_segment(&route.path, word));
        let about: Vec<v1::AnsweredRoute> = overview.routes.iter().filter(has_words).cloned().collect();
        if words.is_empty() || about.is_empty() {
            continue;
        }
        let n_routes = about.len() as u32;
        let of_words = v1::RepositoryOverview { routes: about, all_routes: n_routes, ..Default::default() };
        let alias = text::quote(context.plan.alias(*repo_idx));
        let is_cut = overview.all_routes as usize > overview.routes.len();
        let known = if is_cut { KnownRoutes::Some } else { KnownRoutes::All };
        all.extend(routes(context, (*repo_idx, &alias), &of_words, known));
    }
    let first = named.first().map(|repo_idx| suggested("repo", context.plan.alias(*repo_idx)))?;
    let note = format!("get_overview {first} has every route");
    (!all.is_empty()).then(|| IntentAnswer::new(all, Confidence::High, note).with_shortfalls(shortfalls))
}

/// Returns the words that are in some path. A word that is in none describes all routes, such as `API` or `public`.
fn words_of_paths<'p>(words: &[String], paths: impl Iterator<Item = &'p str> + Clone) -> Vec<String> {
    let mut found: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let n_paths = paths.clone().count();
    // A word that is in nearly all paths tells nothing apart.
    found.retain(|word| {
        let n_of_word = paths.clone().filter(|path| has_segment(path, word)).count();
        n_of_word > 0 && n_of_word * 10 < n_paths * 9
    });
    found
}

/// Returns true if a part of a path is a word, or its plural or singular.
fn has_segment(path: &str, word: &str) -> bool {
    let bare = |text: &str| text.to_lowercase().trim_end_matches('s').to_owned();
    path.split(|c: char| !c.is_alphanumeric()).any(|part| !part.is_empty() && bare(part) == bare(word))
}

fn nothing(context: IntentContext<'_, '_>, repo_idx: RepoIdx, what: &str) -> CitedText {
    CitedText::plain(format!("No {what} of {} is known.", text::quote(context.plan.alias(repo_idx))))
}

/// Returns one sentence for commands and main functions, and one for exports. The name is that of the repository or module.
fn starts(
    context: IntentContext<'_, '_>,
    (repo_idx, name): (RepoIdx, &str),
    overview: &v1::RepositoryOverview,
) -> Vec<CitedText> {
    let is_side = |start: &v1::Start| start.at.as_ref().is_some_and(|at| is_in_side_folder(&at.path));
    let of_kind = |kind: v1::StartKind| -> Vec<&v1::Start> {
        let mut found: Vec<&v1::Start> = overview.starts.iter().filter(|start| start.kind() == kind).collect();
        // Beside the product, a main function of an example starts nothing of it.
        if found.iter().any(|start| !is_side(start)) {
            found.retain(|start| !is_side(start));
        }
        found
    };
    let cite = |start: &v1::Start, shown: String| match &start.at {
        Some(at) => CitedText::cited(shown, citation(context.plan, repo_idx, &at.path, (at.line, at.line))),
        None => CitedText::plain(shown),
    };
    let named = |start: &&v1::Start| {
        let name = text::quote(&text::sanitise_name(&start.name));
        let target = if start.target.is_empty() {
            String::new()
        } else {
            format!(", which is {}", text::quote(&text::sanitise_name(&start.target)))
        };
        cite(start, format!("{name}{target}"))
    };
    let main = |start: &&v1::Start| {
        cite(start, text::quote(&text::sanitise_name(start.name.rsplit("::").next().unwrap_or(&start.name))))
    };
    let commands: Vec<CitedText> = of_kind(v1::StartKind::Command).iter().map(named).collect();
    let mains = of_kind(v1::StartKind::Main);
    let mains: Vec<CitedText> = mains.iter().map(main).collect();
    let exports: Vec<CitedText> = without_manifest(of_kind(v1::StartKind::Export)).iter().map(named).collect();
    let noun =
        |items: &[CitedText], one: &str| if items.len() == 1 { format!("the {one} ") } else { format!("the {one}s ") };
    let mut all: Vec<CitedText> = Vec::new();
    if !commands.is_empty() {
        let lead = format!("{name} is started by {}", noun(&commands, "command"));
        all.push(CitedText::listed(&lead, commands, MAX_LISTED, "."));
    }
    if !mains.is_empty() {
        let lead =
            format!("{} begins in {}", if all.is_empty() { name } else { "Its code" }, noun(&mains, "main function"));
        all.push(CitedText::listed(&lead, mains, MAX_LISTED, "."));
    }
    if !exports.is_empty() {
        let lead = format!("{} exports ", if all.is_empty() { name } else { "Its manifest" });
        all.push(CitedText::listed(&lead, exports, MAX_LISTED, "."));
    }
    all
}

/// Drops the export of the manifest itself, unless nothing else is exported: it starts no code.
fn without_manifest(exports: Vec<&v1::Start>) -> Vec<&v1::Start> {
    let is_manifest = |start: &&v1::Start| start.target.trim_start_matches("./") == "package.json";
    if exports.iter().all(is_manifest) {
        return exports;
    }
    exports.into_iter().filter(|start| !is_manifest(start)).collect()
}

/// Folders of build outputs, and the extensions of their sources.
const BUILD_FOLDERS: [&str; 6] = ["dist", "lib", "build", "out", "esm", "cjs"];
const SOURCE_EXTENSIONS: [&str; 5] = ["ts", "tsx", "js", "mjs", "jsx"];

/// Returns the paths at which the source of a build output may be, relative to its manifest, the best guess first.
fn source_candidates(target: &str) -> Vec<String> {
    let parts: Vec<&str> = target.trim_start_matches("./").split('/').collect();
    let [folder, .., file] = parts.as_slice() else { return Vec::new() };
    if !BUILD_FOLDERS.contains(folder) {
        return Vec::new();
    }
    let stem = file.split('.').next().unwrap_or(file);
    let named = |stem: &str| SOURCE_EXTENSIONS.map(|extension| format!("src/{stem}.{extension}"));
    let mut candidates: Vec<String> = named(stem).into_iter().chain(named("index")).collect();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    candidates.retain(|path| seen.insert(path.clone()));
    candidates
}

/// Returns a sentence about the source of the first exported build output, which the repository does not contain itself.
async fn source_of_exports(
    context: IntentContext<'_, '_>,
    repo_idx: RepoIdx,
    overview: &v1::RepositoryOverview,
) -> Answer<Option<CitedText>> {
    let exports = overview.starts.iter().filter(|start| start.kind() == v1::StartKind::Export);
    let built = exports
        .filter_map(|start| Some((start.at.as_ref()?.path.as_str(), &start.target, source_candidates(&start.target))))
        .find(|(_, _, candidates)| !candidates.is_empty());
    let Some((manifest, output, candidates)) = built else { return Answer::complete(None) };
    let folder = manifest.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    let request = |path: &String| SourceRequest {
        repo_idx,
        path: format!("{folder}{path}"),
        lines: LineSpan { start: 1, end: 1 },
    };
    let output = output.trim_start_matches("./").to_owned();
    let requests: Vec<SourceRequest> = std::iter::once(&output).chain(&candidates).map(request).collect();
    let plan = context.call.visible.plan_for(vec![repo_idx], false);
    let fetched = context.call.fetch(&plan, &requests).await;
    fetched.map(|fetched| {
        let found = requests.iter().zip(fetched).find(|(_, source)| source.is_some())?.0;
        // A file that the repository has is no output of a build.
        if found.path == requests[0].path {
            return None;
        }
        let shown = text::quote(&text::sanitise_name(&found.path));
        let said = format!("This is built from the sources; their entry file is {shown}");
        Some(CitedText::cited(said, citation(context.plan, repo_idx, &found.path, (1, 1))).then("."))
    })
}

/// The part of the routes of a place that is known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KnownRoutes {
    All,
    Some,
}

fn routes(
    context: IntentContext<'_, '_>,
    (repo_idx, name): (RepoIdx, &str),
    overview: &v1::RepositoryOverview,
    known: KnownRoutes,
) -> Option<CitedText> {
    let route = |route: &v1::AnsweredRoute| {
        let shown = text::quote(&text::sanitise_name(&format!("{} {}", route.method, route.path)));
        match &route.at {
            Some(at) => CitedText::cited(shown, citation(context.plan, repo_idx, &at.path, (at.line, at.line))),
            None => CitedText::plain(shown),
        }
    };
    let n_routes = (overview.all_routes as usize).max(overview.routes.len());
    let items: Vec<CitedText> = overview.routes.iter().map(route).collect();
    let least = if known == KnownRoutes::Some { "at least " } else { "" };
    let lead = format!("{name} serves {least}{}: ", counted(n_routes, "HTTP route"));
    (!items.is_empty()).then(|| CitedText::listed(&lead, items, MAX_ROUTES, "."))
}

/// Returns the rpcs that a repository serves: those that its functions implement, or else those that its proto files define.
pub(super) async fn rpcs(context: IntentContext<'_, '_>, repo_idx: RepoIdx) -> Answer<Option<CitedText>> {
    let served = super::super::links::facts(context.call, context.overlay).into_iter().filter(|fact| {
        let is_rpc = fact.link.kind == ::links::ContractKind::Grpc && fact.link.key.contains('/');
        is_rpc && (fact.provider == repo_idx && !fact.link.serves || fact.link.serves && fact.user == repo_idx)
    });
    let mut by_key: std::collections::BTreeMap<String, CitedText> = std::collections::BTreeMap::new();
    for fact in served {
        let (at, site) =
            if fact.link.serves { (fact.user, &fact.link.user) } else { (fact.provider, &fact.link.offer) };
        let key = fact.link.key.rsplit_once('.').map_or(&*fact.link.key, |(_, short)| short);
        let shown = text::quote(&text::sanitise_name(key));
        by_key
            .entry(key.to_owned())
            .or_insert_with(|| CitedText::cited(shown, citation(context.plan, at, &site.path, (site.line, site.line))));
    }
    let alias = text::quote(context.plan.alias(repo_idx));
    if !by_key.is_empty() {
        let lead = format!("{alias} serves {}: ", counted(by_key.len(), "rpc"));
        return Answer::complete(Some(CitedText::listed(&lead, by_key.into_values().collect(), MAX_ROUTES, ".")));
    }
    let plan = context.call.visible.plan_for(vec![repo_idx], false);
    let filter = Filter { symbol_kind: Some(SymbolKind::Rpc), ..Filter::default() };
    let query = Some(v1::symbols_request::Query::Regex(".".to_owned()));
    let request = v1::SymbolsRequest { query, filter: Some((&filter).into()), limit: MAX_READ, ..Default::default() };
    let replies = context.call.symbols(&plan, &request).await;
    replies.map(|replies| {
        let mut seen: BTreeSet<String> = BTreeSet::new();
        let item = |found: &DefinitionMatch| {
            let name = model::symbol::qualify(&found.symbol.container, &found.symbol.name);
            let lines = found.symbol.lines.unwrap_or_default();
            let shown = text::quote(&text::sanitise_name(&name));
            seen.insert(name).then(|| {
                CitedText::cited(shown, citation(context.plan, repo_idx, &found.path, (lines.start, lines.end)))
            })
        };
        let items: Vec<CitedText> = rank(&plan, replies).iter().filter_map(item).collect();
        let lead = format!("{alias} defines {}: ", counted(items.len(), "rpc"));
        (!items.is_empty()).then(|| CitedText::listed(&lead, items, MAX_ROUTES, "."))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_are_chosen_by_the_words_of_their_paths() {
        let paths = ["/api/auth/login", "/api/auth/logout", "/api/users/{id}"];
        for (words, expected) in
            [(vec!["auth", "API"], vec!["auth"]), (vec!["user"], vec!["user"]), (vec!["public"], vec![])]
        {
            let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
            assert_eq!(words_of_paths(&words, paths.into_iter()), expected, "{words:?}");
        }
        assert!(has_segment("/api/users/{id}", "user") && !has_segment("/api/superuser", "user"));
    }

    #[test]
    fn routes_beside_the_product_are_dropped() {
        let route = |path: &str| v1::AnsweredRoute {
            path: "/".to_owned(),
            at: Some(v1::Spot { path: path.to_owned(), line: 1 }),
            ..Default::default()
        };
        for (paths, n_all, expected) in
            [(vec!["e2e/a.js", "lib/b.js"], 9, (1, 8)), (vec!["e2e/a.js"], 1, (1, 1)), (vec!["lib/b.js"], 1, (1, 1))]
        {
            let routes = paths.iter().map(|path| route(path)).collect();
            let overview = v1::RepositoryOverview { routes, all_routes: n_all, ..Default::default() };
            let own = without_side_routes(&overview);
            assert_eq!((own.routes.len(), own.all_routes), expected, "{paths:?}");
        }
    }

    #[test]
    fn build_outputs_lead_to_sources() {
        for (target, expected) in [
            ("./dist/kit.mjs", Some("src/kit.ts")),
            ("dist/cjs/index.cjs", Some("src/index.ts")),
            ("./src/index.ts", None),
            ("./index.js", None),
            ("", None),
        ] {
            let found = source_candidates(target);
            assert_eq!(found.first().map(String::as_str), expected, "{target}");
            assert_eq!(found.is_empty(), !found.iter().any(|path| path == "src/index.ts"), "{target}");
        }
    }

    #[test]
    fn a_manifest_is_no_entry_point_beside_others() {
        for (targets, expected) in [
            (vec!["./dist/kit.mjs", "./package.json"], vec!["./dist/kit.mjs"]),
            (vec!["./package.json"], vec!["./package.json"]),
            (vec![], vec![]),
        ] {
            let starts: Vec<v1::Start> =
                targets.iter().map(|target| v1::Start { target: (*target).to_owned(), ..Default::default() }).collect();
            let shown = without_manifest(starts.iter().collect());
            assert_eq!(shown.iter().map(|start| start.target.as_str()).collect::<Vec<_>>(), expected);
        }
    }
}
