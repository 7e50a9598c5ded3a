//! The repositories that exist for one caller, and the resolution of the `repo` argument to them.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use proto::v1;

use super::{Group, Plan, Readable};
use crate::{
    answer::Shortfalls,
    client_views::ClientViews,
    did_you_mean,
    directory::{Availability, Directory, DraftReads},
    principal::Principal,
    refusal::{Refusal, echo, quoted},
    repo_idx::RepoIdx,
};

/// Maximum number of aliases that an error lists.
const MAX_LISTED_ALIASES: usize = 30;

/// The repositories of one directory that exist for one caller.
#[derive(Clone)]
pub struct Visible {
    /// The directory with all repositories, readable or not.
    pub directory: Arc<Directory>,
    /// The directory of the workers, which `directory` may be a copy of with drafts; see [`Visible::with_drafts`].
    pub announced: Arc<Directory>,
    readable: Arc<Readable>,
}

impl Visible {
    /// Applies the access rule of a caller to a directory.
    pub fn new(directory: Arc<Directory>, principal: &Principal) -> Visible {
        let readable = Arc::new(Readable::new(&directory, principal));
        Visible { announced: directory.clone(), directory, readable }
    }

    /// Returns the same repositories, with the drafts of those that are being edited in the place of their generations.
    pub fn with_drafts(self, reads: DraftReads) -> Visible {
        match self.announced.with_drafts(reads) {
            Some(drafts) => Visible { directory: Arc::new(drafts), ..self },
            None => self,
        }
    }

    /// Returns the same repositories in their generations, whose graphs describe them, and which replicas may also hold.
    pub fn without_drafts(&self) -> Visible {
        Visible { directory: self.announced.clone(), ..self.clone() }
    }

    /// Returns a plan with the generations in the place of its drafts, to ask for nodes.
    pub fn with_generations_of(&self, plan: &Plan) -> Plan {
        Plan { directory: self.announced.clone(), ..plan.clone() }
    }

    /// Returns the same repositories, each in the view that one of these texts names, by itself, in a list, or as a prefix of a
    /// path or symbol. The default views of the client count for the other repositories.
    pub fn with_named_views(self, texts: &[&str], client: &ClientViews) -> Result<Visible, Refusal> {
        let repository_of = |view: &RepoIdx| self.directory.repository_of_view(*view).unwrap_or(*view);
        let others = |chosen: &[RepoIdx], views: Vec<RepoIdx>| {
            let taken: Vec<RepoIdx> = chosen.iter().map(repository_of).collect();
            views.into_iter().filter(move |view| !taken.contains(&repository_of(view))).collect::<Vec<_>>()
        };
        let mut chosen = self.named_views(texts);
        chosen.extend(others(&chosen, self.named_views(&[&client.names])));
        for root in &client.roots {
            chosen.extend(others(&chosen, self.view_at(root).into_iter().collect()));
        }
        if chosen.is_empty() {
            return Ok(self);
        }
        match self.readable.with_views(&chosen) {
            Ok(readable) => Ok(Visible { readable: Arc::new(readable), ..self }),
            Err(repo_idx) => {
                let alias = quoted(self.readable.alias(&self.directory, repo_idx));
                Err(Refusal::new(format!("one call reads one view of {alias}: name one, and call again for the other")))
            }
        }
    }

    /// Returns the view whose work tree contains a path: the innermost one.
    fn view_at(&self, path: &Path) -> Option<RepoIdx> {
        let views = || self.readable.views().map(|(view, _)| view).chain(self.readable.repo_idxs().iter().copied());
        path.ancestors().find_map(|folder| {
            let digest = proto::work_tree_digest(folder);
            views().find(|view| self.directory[*view].advertised.work_tree_digest == digest)
        })
    }

    /// Returns the views that texts name.
    fn named_views(&self, texts: &[&str]) -> Vec<RepoIdx> {
        let texts: Vec<&str> = texts.iter().copied().filter(|text| text.contains('@')).collect();
        let is_named = |view: &RepoIdx| {
            let alias = self.readable.alias(&self.directory, *view);
            texts.iter().any(|text| names_view(text, alias))
        };
        self.readable.views().map(|(view, _)| view).filter(is_named).collect()
    }

    /// Returns the other views of a repository that the caller may read, with their names.
    pub fn views_of(&self, repo_idx: RepoIdx) -> impl Iterator<Item = (RepoIdx, &str)> {
        let of_repository = self.readable.views().filter(move |(_, of)| *of == repo_idx);
        of_repository.map(|(view, _)| (view, self.readable.alias(&self.directory, view)))
    }

    /// Plans a request for `repo`: an alias, several joined by commas, or everything.
    pub fn plan(&self, repo: Option<&str>) -> Result<Plan, Refusal> {
        Ok(self.plan_for(self.resolve(repo)?, is_everything(repo)))
    }

    /// Takes an `alias:` or `alias//` prefix off a path or symbol id. Returns the alias and the rest.
    ///
    /// `src/a.c:10-60` and `a::b` have no prefix. A prefix that names no repository is an error where the rest looks
    /// like a path or id.
    pub fn split_prefix<'a>(&self, text: &'a str) -> Result<(Option<&'a str>, &'a str), Refusal> {
        if let Some((alias, rest)) = text.split_once("//") {
            self.repo_idx(alias)?;
            return Ok((Some(alias), rest));
        }
        // Search no further than the longest alias: the text may hold any number of colons.
        let longest_alias = self.aliases().map(str::len).max().unwrap_or(0);
        let mut alias_ends = single_colons(text).take_while(|at| *at <= longest_alias);
        if let Some(at) = alias_ends.find(|at| self.known_repo_idx(&text[..*at]).is_some()) {
            return Ok((Some(&text[..at]), &text[at + 1..]));
        }
        let Some(at) = single_colons(text).next() else { return Ok((None, text)) };
        let (prefix, rest) = (&text[..at], &text[at + 1..]);
        let names_a_path = rest.contains("::") || rest.contains('/') || rest.contains('.');
        if names_a_path && !prefix.contains(['/', '.']) {
            return Err(self.unknown_alias(prefix));
        }
        Ok((None, text))
    }

    /// Returns true if the caller may read the repository.
    pub fn may_read(&self, repo_idx: RepoIdx) -> bool {
        self.readable.contains(repo_idx)
    }

    /// Returns the repositories that exist for the caller, ascending.
    pub fn repo_idxs(&self) -> &[RepoIdx] {
        self.readable.repo_idxs()
    }

    /// Returns the aliases that the caller sees, in the order of the directory.
    pub fn aliases(&self) -> impl Iterator<Item = &str> {
        self.repo_idxs().iter().map(|repo_idx| self.readable.alias(&self.directory, *repo_idx))
    }

    /// Returns true if a file of one of these repositories was saved after its generation was made, and the next one is expected soon: a
    /// failed run is repeated with a delay. A `repo` that names none is like everything.
    pub fn is_being_edited(&self, repo: Option<&str>) -> bool {
        let asked = self.resolve(repo).unwrap_or_else(|_| self.repo_idxs().to_vec());
        let is_edited = |repo_idx: &RepoIdx| {
            let repository = &self.directory[*repo_idx];
            matches!(repository.availability, Availability::Serving(_))
                && !repository.advertised.newer_paths.is_empty()
                && repository.advertised.state() != v1::RepositoryState::Failed
        };
        asked.iter().any(is_edited)
    }

    fn resolve(&self, repo: Option<&str>) -> Result<Vec<RepoIdx>, Refusal> {
        let Some(repo) = repo.filter(|_| !is_everything(repo)) else { return Ok(self.repo_idxs().to_vec()) };
        if let Some(repo_idx) = self.known_repo_idx(repo.trim()) {
            return Ok(vec![repo_idx]);
        }
        let aliases: Vec<&str> = repo.split(',').map(str::trim).filter(|alias| !alias.is_empty()).collect();
        if aliases.is_empty() {
            return Err(no_aliases());
        }
        if aliases.iter().any(|alias| is_everything(Some(alias))) {
            return Err(Refusal::new("`all` in `repo` cannot be combined with aliases: give either `all` or aliases"));
        }
        let mut repo_idxs =
            aliases.into_iter().map(|alias| self.repo_idx(alias)).collect::<Result<Vec<RepoIdx>, Refusal>>()?;
        repo_idxs.sort_unstable();
        repo_idxs.dedup();
        Ok(repo_idxs)
    }

    /// Plans a request for the repositories `asked`, ascending. If it is for everything, workers without an inventory count as
    /// well.
    #[tracing::instrument(name = "plan", skip_all, fields(repositories = asked.len()))]
    pub fn plan_for(&self, asked: Vec<RepoIdx>, everything: bool) -> Plan {
        let mut shortfalls = Shortfalls::default();
        let mut by_worker: BTreeMap<usize, Vec<RepoIdx>> = BTreeMap::new();
        for repo_idx in &asked {
            let repository = &self.directory[*repo_idx];
            match &repository.availability {
                Availability::Serving(_) => by_worker.entry(repository.worker_idx).or_default().push(*repo_idx),
                Availability::Short(state, reason) => shortfalls.note(*repo_idx, *state, reason),
            }
        }
        let groups = by_worker.into_iter().map(|(worker_idx, repo_idxs)| Group { worker_idx, repo_idxs }).collect();
        let is_unknown = |worker_idx: &usize| everything && !self.directory.workers[*worker_idx].is_known;
        let unknown_workers = (0..self.directory.workers.len()).filter(is_unknown).collect();
        let readable = Arc::clone(&self.readable);
        Plan { directory: Arc::clone(&self.directory), readable, asked, groups, shortfalls, unknown_workers }
    }

    /// Returns the repository with this name for the caller; `None` if the caller can read none.
    pub fn known_repo_idx(&self, alias: &str) -> Option<RepoIdx> {
        self.readable.repo_idx(&self.directory, alias)
    }

    /// Returns the repository with this name for the caller; the error suggests similar names.
    pub fn repo_idx(&self, alias: &str) -> Result<RepoIdx, Refusal> {
        self.known_repo_idx(alias).ok_or_else(|| self.unknown_alias(alias))
    }

    /// Returns the names of the views of the repository that an unknown view is of.
    fn views_like(&self, alias: &str) -> impl Iterator<Item = &str> {
        let repo_idx = alias.split_once('@').and_then(|(repository, _)| self.known_repo_idx(repository));
        repo_idx.into_iter().flat_map(|repo_idx| self.views_of(repo_idx)).map(|(_, name)| name)
    }

    /// Returns the error for an unknown alias. It does not reveal whether other callers know the alias.
    fn unknown_alias(&self, alias: &str) -> Refusal {
        let shown = quoted(alias);
        // This hint is the same for every caller, whatever the worker holds.
        let has_unknown_worker = self.directory.workers.iter().any(|worker| !worker.is_known);
        let yet =
            if has_unknown_worker { "; some workers have not sent their inventory yet, so try again" } else { "" };
        let known: Vec<&str> = self.aliases().chain(self.views_like(alias)).collect();
        if known.is_empty() {
            return Refusal::new(format!(
                "no repository {shown}: you can read none yet; list_repos shows the state of the workers{yet}"
            ));
        }
        let listed = did_you_mean::first(&echo(alias), &known, MAX_LISTED_ALIASES);
        let rest = match known.len() - listed.len() {
            0 => String::new(),
            n_more => format!(" and {n_more} more, which list_repos lists"),
        };
        let listed = text::quote_names(listed);
        Refusal::new(format!("no repository {shown}; known are: {listed}{rest}; or `all`{yet}"))
    }
}

/// Returns the error for an empty list of repositories.
pub fn no_aliases() -> Refusal {
    Refusal::new("`repo` is an empty list: name an alias, or omit it for all; list_repos lists the aliases")
}

fn is_everything(repo: Option<&str>) -> bool {
    repo.is_none_or(|repo| matches!(repo.trim(), "" | "all" | "*"))
}

/// Returns the byte offsets of the single colons before the first `::`.
fn single_colons(text: &str) -> impl Iterator<Item = usize> {
    let head = text.split("::").next().unwrap_or(text);
    head.match_indices(':').map(|(at, _)| at)
}

/// Returns true if a text names a view by itself, in a list, or before a path or symbol.
fn names_view(text: &str, alias: &str) -> bool {
    let is_prefix = text.strip_prefix(alias).is_some_and(|rest| rest.starts_with([':', '/']));
    is_prefix || text.split(',').any(|item| item.trim() == alias)
}

#[cfg(test)]
mod tests {
    use model::{GenerationId, RepoId};

    use super::*;
    use crate::{
        directory::{Reachability, WorkerView},
        plan::tests::visible,
    };

    fn asked(visible: &Visible, repo: Option<&str>) -> Result<String, String> {
        let plan = visible.plan(repo).map_err(|refusal| refusal.to_string())?;
        Ok(plan.asked.iter().map(|repo_idx| plan.alias(*repo_idx)).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn a_client_works_in_the_innermost_work_tree_around_its_folders() {
        let row = |id: u8, alias: &str, view: &str, path: &str| v1::Repository {
            id: RepoId([id; 16]).to_string(),
            alias: alias.to_owned(),
            view_of: if view.is_empty() { String::new() } else { RepoId([1; 16]).to_string() },
            view: view.to_owned(),
            work_tree_digest: proto::work_tree_digest(Path::new(path)),
            ..Default::default()
        };
        let rows = vec![
            row(1, "api", "", "/code/api"),
            row(2, "api@worktree:a", "worktree:a", "/code/api/trees/a"),
            row(3, "api@worktree:b", "worktree:b", "/code/b"),
            row(4, "web", "", "/code/web"),
        ];
        let inventory = v1::InventoryResponse {
            analyser_version: ranking::ANALYSER_VERSION,
            repositories: rows,
            ..Default::default()
        };
        let view = WorkerView { name: "w".to_owned(), reach: Reachability::Reachable, inventory: Some(inventory) };
        let directory = Arc::new(Directory::build(&[view]));
        for (roots, names, expected) in [
            ("", "", "api web"),
            ("/code/api/src", "", "api web"),
            ("/code/api/trees/a", "", "web api@worktree:a"),
            ("/code/web /code/b/src/x /other", "", "web api@worktree:b"),
            ("/code/b /code/api", "", "web api@worktree:b"),
            ("/code/api /code/b", "", "api web"),
            ("/code/b", "api@worktree:a", "web api@worktree:a"),
        ] {
            let roots = roots.split_ascii_whitespace().map(Into::into).collect();
            let client = ClientViews { names: names.to_owned(), roots };
            let visible = Visible::new(directory.clone(), &Principal::local());
            let visible = visible.with_named_views(&[], &client).unwrap();
            let mut found: Vec<&str> = visible.aliases().collect();
            found.sort_by_key(|alias| (alias.contains('@'), *alias));
            assert_eq!(found.join(" "), expected, "{client:?}");
        }
    }

    #[test]
    fn an_edit_is_waited_for_unless_its_run_failed() {
        use v1::RepositoryState::{Failed, Indexing, Ready};
        let row = |id: u8, alias: &str, state: v1::RepositoryState, newer: &[&str]| v1::Repository {
            id: RepoId([id; 16]).to_string(),
            alias: alias.to_owned(),
            state: state.into(),
            generation: GenerationId([1; 16]).to_string(),
            newer_paths: newer.iter().map(|path| (*path).to_owned()).collect(),
            ..Default::default()
        };
        for (rows, repo, expected) in [
            (vec![row(1, "api", Ready, &[])], None, false),
            (vec![row(1, "api", Ready, &["a.rs"])], None, true),
            (vec![row(1, "api", Indexing, &["..."])], None, true),
            (vec![row(1, "api", Failed, &["..."])], None, false),
            (vec![row(1, "api", Failed, &["..."]), row(2, "web", Indexing, &["b.ts"])], None, true),
            (vec![row(1, "api", Ready, &[]), row(2, "web", Indexing, &["b.ts"])], Some("api"), false),
        ] {
            let inventory = v1::InventoryResponse {
                analyser_version: ranking::ANALYSER_VERSION,
                repositories: rows.clone(),
                ..Default::default()
            };
            let view = WorkerView { name: "w".to_owned(), reach: Reachability::Reachable, inventory: Some(inventory) };
            let visible = Visible::new(Arc::new(Directory::build(&[view])), &Principal::local());
            assert_eq!(visible.is_being_edited(repo), expected, "{rows:?} {repo:?}");
        }
    }

    #[test]
    fn repo_names_repositories() {
        let visible = visible(&["api", "web", "lib", "a,b"], &Principal::local());
        for (repo, expected) in [
            (None, "a,b api lib web"),
            (Some("all"), "a,b api lib web"),
            (Some(""), "a,b api lib web"),
            (Some("web"), "web"),
            (Some(" web, api ,web,"), "api web"),
            (Some("a,b"), "a,b"),
        ] {
            assert_eq!(asked(&visible, repo).as_deref(), Ok(expected), "{repo:?}");
        }
        assert_eq!(
            asked(&visible, Some("wep")).unwrap_err(),
            "no repository `wep`; known are: web, a,b, api, lib; or `all`"
        );
        for (repo, expected) in
            [(",", "empty list"), (" , ", "empty list"), ("all,api", "combined"), ("*,*", "combined")]
        {
            let refusal = asked(&visible, Some(repo)).unwrap_err();
            assert!(refusal.contains(expected), "{repo}: {refusal}");
        }
    }

    #[test]
    fn unreadable_repositories_look_nonexistent() {
        let limited = Principal::limited("ci", ["api".to_owned()]);
        let with_secret = visible(&["api", "secret"], &limited);
        let without = visible(&["api", "other"], &limited);
        for repo in ["secret", "api,secret"] {
            assert_eq!(asked(&with_secret, Some(repo)), asked(&without, Some(repo)));
        }
        assert_eq!(asked(&with_secret, None).as_deref(), Ok("api"));
        let split = |visible: &Visible| visible.split_prefix("secret:src/a.rs").map_err(|refusal| refusal.to_string());
        assert_eq!(split(&with_secret).unwrap_err(), split(&without).unwrap_err());
    }

    #[test]
    fn colons_beyond_the_longest_alias_cost_nothing() {
        let visible = visible(&["api", "odd:name"], &Principal::local());
        // 4 MB, which took hours when every prefix was tried.
        let colons = "a:".repeat(2 << 20);
        assert_eq!(visible.split_prefix(&colons).unwrap(), (None, colons.as_str()));
    }

    #[test]
    fn prefixes_are_distinguished_from_paths() {
        let visible = visible(&["api", "odd:name"], &Principal::local());
        for (text, expected) in [
            ("api:src/a.rs", Ok((Some("api"), "src/a.rs"))),
            ("api//src/a.rs::X.y", Ok((Some("api"), "src/a.rs::X.y"))),
            ("api:src/a.rs::X", Ok((Some("api"), "src/a.rs::X"))),
            ("api:src/a.rs:10-60", Ok((Some("api"), "src/a.rs:10-60"))),
            ("odd:name:src/a.rs", Ok((Some("odd:name"), "src/a.rs"))),
            ("src/a.rs:10-60", Ok((None, "src/a.rs:10-60"))),
            ("src/a.rs::X", Ok((None, "src/a.rs::X"))),
            ("Type::method", Ok((None, "Type::method"))),
            ("Makefile:3", Ok((None, "Makefile:3"))),
            ("nope:src/a.rs", Err(())),
            ("nope//src/a.rs", Err(())),
        ] {
            assert_eq!(visible.split_prefix(text).map_err(|_| ()), expected, "{text}");
        }
    }
}
