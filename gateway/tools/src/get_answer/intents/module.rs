//! A package or another folder of code that a question names: `the parser package`, `packages/cli`, `the web app`.

use std::{cmp::Reverse, collections::BTreeSet};

use model::{ContentKind, Filter};
use proto::v1;

use super::{IntentContext, cited_text::CitedText, events::terms};
use federation::{
    answer::{Answer, Shortfalls},
    plan::Plan,
    repo_idx::RepoIdx,
    symbol_matches::rank,
};

/// Modules of a repository that are compared with a name.
const MAX_READ: u32 = 1_000;

/// Definitions of a module by which its files are known.
const MAX_DEFINITIONS: u32 = 2_000;

/// Words for a package or folder beside its name.
#[rustfmt::skip]
const KINDS: [&str; 20] = [
    "package", "packages", "module", "folder", "directory", "component", "app", "application", "crate", "library", "tool", "service",
    "binary", "command", "daemon", "workspace", "plugin", "subsystem", "program", "utility",
];

/// Words before the name of the place of a thing.
const PLACE_WORDS: [&str; 4] = ["in", "of", "inside", "within"];

/// A package or another folder of code.
#[derive(Clone)]
pub(super) struct AskedModule {
    pub(super) repo_idx: RepoIdx,
    pub(super) module: v1::Module,
    /// Other modules that the name stands for just as well.
    pub(super) namesakes: Vec<AskedModule>,
}

/// The files of a module that have definitions.
pub(super) struct FilesOfModule {
    pub(super) paths: BTreeSet<String>,
    /// True if the module may have further ones.
    pub(super) is_partial: bool,
}

impl AskedModule {
    /// Returns true for a file below the module.
    pub(super) fn contains(&self, repo_idx: RepoIdx, path: &str) -> bool {
        let rest = path.strip_prefix(self.module.path.as_str());
        self.repo_idx == repo_idx && rest.is_some_and(|rest| rest.starts_with('/'))
    }

    /// Returns its name as answers show it.
    pub(super) fn name(&self) -> String {
        text::quote(&text::sanitise_name(&self.module.path))
    }

    /// Returns its name with its package and repository.
    pub(super) fn full_name(&self, plan: &Plan) -> String {
        let alias = text::quote(plan.alias(self.repo_idx));
        if self.module.package.is_empty() {
            return format!("the folder {} of {alias}", self.name());
        }
        format!("the package {} in {} of {alias}", text::quote(&text::sanitise_name(&self.module.package)), self.name())
    }

    /// Returns the modules that its name stands for, itself first, as an answer lists them.
    pub(super) fn candidates(&self, plan: &Plan) -> Vec<CitedText> {
        let all = std::iter::once(self).chain(&self.namesakes);
        all.map(|one| CitedText::plain(one.full_name(plan))).collect()
    }
}

/// Returns true for a word that says that its neighbour names a module.
pub(super) fn is_kind(word: &str) -> bool {
    KINDS.contains(&word.to_lowercase().as_str())
}

/// Returns the modules of the named repositories, or else of all.
pub(super) async fn modules_in_scope(
    context: IntentContext<'_, '_>,
    named: &BTreeSet<RepoIdx>,
) -> Answer<Vec<AskedModule>> {
    let asked = if named.is_empty() { context.plan.asked.clone() } else { named.iter().copied().collect() };
    let plan = context.call.visible.plan_for(asked, named.is_empty() && context.plan.is_everything());
    let overviews = context.call.overviews(&plan, MAX_READ).await;
    overviews.map(|overviews| {
        let of_repository = |(repo_idx, overview): (RepoIdx, v1::RepositoryOverview)| {
            let named = move |module| AskedModule { repo_idx, module, namesakes: Vec::new() };
            overview.modules.into_iter().map(named)
        };
        overviews.into_iter().flat_map(of_repository).collect()
    })
}

/// Returns the module that the first of some names stands for that names one, with those that match as well: of its repository, those
/// as deep as it.
pub(super) fn find(known: &[AskedModule], names: &[&str]) -> Option<AskedModule> {
    names.iter().find_map(|name| {
        let depth = |one: &AskedModule| one.module.path.matches('/').count();
        let ranked = known.iter().filter_map(|one| Some((match_rank(&one.module, name)?, one)));
        let mut ranked: Vec<(u8, &AskedModule)> = ranked.collect();
        ranked
            .sort_by_key(|(rank, one)| (*rank, depth(one), Reverse(one.module.files), one.repo_idx, &one.module.path));
        let ((best_rank, best), others) = ranked.split_first()?;
        let is_as_good = |(rank, one): &&(u8, &AskedModule)| {
            rank == best_rank && (one.repo_idx != best.repo_idx || depth(one) == depth(best))
        };
        let namesakes = others.iter().filter(is_as_good).map(|(_, one)| (*one).clone()).collect();
        Some(AskedModule { namesakes, ..(*best).clone() })
    })
}

/// Returns the quality of a match between a module and a name; a lower one is better. Names are compared without case and separators.
fn match_rank(module: &v1::Module, name: &str) -> Option<u8> {
    let folded = |name: &str| name.replace(['-', '_'], "").to_lowercase();
    let last = |name: &str| folded(name.rsplit('/').next().unwrap_or(name));
    let wanted = folded(name.trim_matches('/'));
    let (package, path) = (folded(&module.package), folded(&module.path));
    let is_path = wanted.contains('/');
    if wanted.len() < 2 || module.path.is_empty() {
        None
    } else if path == wanted || package == wanted {
        Some(0)
    } else if is_path {
        path.ends_with(&format!("/{wanted}")).then_some(1)
    } else if !package.is_empty() && last(&package) == wanted {
        Some(1)
    } else if last(&path) == wanted {
        Some(2)
    } else {
        // The fingerprinting code is the folder `fingerprint`.
        let stem = |name: &str| terms(name);
        let is_inflected = wanted.len() >= MIN_STEM_CHARS && stem(name) == stem(last_part(&module.path));
        is_inflected.then_some(3)
    }
}

/// Minimum length of a name that may be another form of the name of a folder.
const MIN_STEM_CHARS: usize = 6;

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Kinds that may stand before a name.
const LEADING_KINDS: [&str; 6] = ["package", "module", "folder", "directory", "crate", "workspace"];

/// Maximum number of words of a name.
const MAX_NAME_WORDS: usize = 4;

/// Returns the names that stand beside a kind, such as `parser` in `the parser package` and `the package parser`: the longest first, with
/// their words joined.
pub(super) fn names_beside_kinds(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
    let is_part = |at: usize| words.get(at).is_some_and(|word| !ranking::query::is_stop_word(word));
    let mut names: Vec<String> = Vec::new();
    for kind in (0..words.len()).filter(|at| is_kind(words[*at])) {
        let starts = kind.saturating_sub(MAX_NAME_WORDS)..kind;
        names.extend(starts.filter(|start| (*start..kind).all(is_part)).map(|start| words[start..kind].join("_")));
        let is_leading = LEADING_KINDS.contains(&words[kind].to_lowercase().as_str());
        names.extend((is_leading && is_part(kind + 1)).then(|| words[kind + 1].to_owned()));
    }
    names
}

/// Returns the words of a text that may name the place of a described thing: those after `in`, then those beside a kind, then the first
/// if it may be one.
pub(super) fn place_names(text: &str, may_be_first: bool) -> Vec<&str> {
    let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
    let is_article = |word: &str| matches!(word.to_lowercase().as_str(), "the" | "our" | "this" | "a");
    let is_after_place_word = |at: usize| {
        let before = words[..at].iter().rev().find(|word| !is_article(word));
        before.is_some_and(|word| PLACE_WORDS.contains(&word.to_lowercase().as_str()))
    };
    let has_kind = |at: usize| words.get(at + 1).is_some_and(|next| is_kind(next));
    let is_name = |at: &usize| !ranking::query::is_stop_word(words[*at]) && (!is_kind(words[*at]) || has_kind(*at));
    let rank = |at: usize| (!is_after_place_word(at), !has_kind(at), at);
    let is_named = |at: &usize| (may_be_first && *at == 0) || is_after_place_word(*at) || has_kind(*at);
    let mut places: Vec<usize> = (0..words.len()).filter(is_name).filter(is_named).collect();
    places.sort_by_key(|at| rank(*at));
    places.into_iter().map(|at| words[at]).collect()
}

/// Returns the paths of the files of a module that have definitions, by kind of content.
pub(super) async fn files(
    context: IntentContext<'_, '_>,
    module: &AskedModule,
    content: ContentKind,
) -> Answer<FilesOfModule> {
    let plan = context.call.visible.plan_for(vec![module.repo_idx], false);
    let filter = Filter { content: Some(content), scope: module.module.path.clone(), ..Filter::default() };
    let query = Some(v1::symbols_request::Query::Regex(".".to_owned()));
    let request =
        v1::SymbolsRequest { query, filter: Some((&filter).into()), limit: MAX_DEFINITIONS, ..Default::default() };
    let replies = context.call.symbols(&plan, &request).await;
    replies.map(|replies| {
        let is_cut = replies.iter().any(|(_, reply)| reply.matched > reply.hits.len() as u64);
        let paths: BTreeSet<String> = rank(&plan, replies).into_iter().map(|found| found.path).collect();
        // A file of tests often has no definition, and the number of such files is not known.
        let is_known = content == ContentKind::Implementation && paths.len() >= module.module.files as usize;
        FilesOfModule { paths, is_partial: is_cut || !is_known }
    })
}

/// The histories of files of a module, with their paths.
pub(super) struct ModuleHistories {
    pub(super) files: Vec<(String, v1::FileHistory)>,
    /// True if further files of the module may have some.
    pub(super) is_partial: bool,
}

/// Returns the histories of the files of a module, with their paths.
pub(super) async fn histories(context: IntentContext<'_, '_>, module: &AskedModule) -> Answer<ModuleHistories> {
    let files = files(context, module, ContentKind::Implementation).await;
    let shortfalls: Shortfalls = files.shortfalls;
    let FilesOfModule { paths, is_partial } = files.value;
    let keys: BTreeSet<(RepoIdx, String)> = paths.into_iter().map(|path| (module.repo_idx, path)).collect();
    let plan = context.call.visible.plan_for(vec![module.repo_idx], false);
    let histories = context.call.history(&plan.without(&shortfalls), &keys).await.after(shortfalls);
    histories.map(|histories| {
        let is_partial = is_partial || histories.len() < keys.len();
        let files = histories.into_iter().map(|((_, path), history)| (path, history)).collect();
        ModuleHistories { files, is_partial }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(path: &str, package: &str) -> v1::Module {
        v1::Module { path: path.to_owned(), package: package.to_owned(), ..Default::default() }
    }

    fn named(repo_idx: usize, path: &str) -> AskedModule {
        AskedModule { repo_idx: RepoIdx(repo_idx), module: module(path, ""), namesakes: Vec::new() }
    }

    #[test]
    fn modules_that_match_as_well_are_kept() {
        let known = [named(0, "src/utils"), named(0, "src/a/utils"), named(1, "lib/b/utils"), named(1, "src/retry")];
        for (name, expected) in [
            ("utils", Some(("src/utils", vec!["lib/b/utils"]))),
            ("src/utils", Some(("src/utils", vec![]))),
            ("retry", Some(("src/retry", vec![]))),
            ("util", None),
        ] {
            let found = find(&known, &[name]);
            let shown = found.as_ref().map(|one| {
                let namesakes = one.namesakes.iter().map(|other| other.module.path.as_str()).collect();
                (one.module.path.as_str(), namesakes)
            });
            assert_eq!(shown, expected, "{name}");
        }
        let same_depth = [named(0, "a/utils"), named(0, "b/utils")];
        assert_eq!(find(&same_depth, &["utils"]).map(|one| one.namesakes.len()), Some(1));
    }

    #[test]
    fn modules_are_named_by_package_path_or_last_part() {
        let of_package = module("packages/route-table", "@acme/route-table");
        for (module, name, expected) in [
            (&of_package, "@acme/route-table", Some(0)),
            (&of_package, "packages/route-table", Some(0)),
            (&of_package, "route-table", Some(1)),
            (&of_package, "route_table", Some(1)),
            (&of_package, "table", None),
            (&of_package, "e/route-table", None),
            (&module("apps/ship_to_disk", ""), "ship_to_disk", Some(2)),
            (&module("apps/ship_to_disk", ""), "apps/ship_to_disk", Some(0)),
            (&module("a/apps/ship", ""), "apps/ship", Some(1)),
            (&module("", "acme"), "acme", None),
        ] {
            assert_eq!(match_rank(module, name), expected, "{name}");
        }
        let found = named(1, "apps/ship");
        assert!(found.contains(RepoIdx(1), "apps/ship/main.go"));
        assert!(!found.contains(RepoIdx(1), "apps/shipping/main.go") && !found.contains(RepoIdx(0), "apps/ship/a.go"));
    }

    #[test]
    fn names_beside_kinds_are_read() {
        for (text, expected) in [
            ("the parser package", vec!["parser"]),
            ("route table package of shop", vec!["route_table", "table"]),
            ("folder apps/ship", vec!["apps/ship"]),
            ("command parser", vec![]),
            ("the parser", vec![]),
        ] {
            assert_eq!(names_beside_kinds(text), expected, "{text}");
        }
    }

    #[test]
    fn the_place_of_a_thing_is_named_first_or_after_a_preposition() {
        for (text, may_be_first, expected) in [
            ("shipd client protocol", true, vec!["shipd"]),
            ("client protocol of shipd", true, vec!["shipd", "client"]),
            ("retry policy in the cli package", true, vec!["cli", "retry"]),
            ("the parser package", true, vec!["parser"]),
            ("retry policy in the cli package", false, vec!["cli"]),
            ("user validation", false, vec![]),
        ] {
            assert_eq!(place_names(text, may_be_first), expected, "{text}");
        }
    }
}
