//! The repositories that one caller may read, with names that are unique among them.

use std::collections::{BTreeMap, HashSet};

use crate::{
    directory::{Directory, RepositoryEntry},
    principal::Principal,
    repo_idx::RepoIdx,
};

/// The readable repositories of one caller, and their names. A name is unique among them, and independent of repositories that
/// the caller may not read. Each repository has one view in a call.
#[derive(Debug, Default, Clone)]
pub struct Readable {
    /// The view of each repository in this call, ascending.
    repo_idxs: Vec<RepoIdx>,
    /// The other views that the caller may read, each with the default view of its repository.
    views: BTreeMap<RepoIdx, RepoIdx>,
    /// Qualified names of repositories that share an alias with another readable one.
    qualified: BTreeMap<RepoIdx, String>,
    /// True if the caller may read every repository, present and future.
    pub(super) is_everything: bool,
}

impl Readable {
    pub(crate) fn new(directory: &Directory, principal: &Principal) -> Readable {
        let is_readable = |repo_idx: &RepoIdx| {
            let repository = &directory[*repo_idx];
            principal.may_read(&repository.own_alias, directory.advertisers(repository))
        };
        let is_default = |repo_idx: &RepoIdx| directory[*repo_idx].view_of.is_none();
        let repo_idxs: Vec<RepoIdx> = directory.repo_idxs().filter(is_default).filter(is_readable).collect();
        let mut qualified = qualified(directory, &repo_idxs);
        // A view is readable if its repository is.
        let views = directory.repo_idxs().filter_map(|view| Some((view, directory.repository_of_view(view)?)));
        let views: BTreeMap<RepoIdx, RepoIdx> =
            views.filter(|(_, repo_idx)| repo_idxs.binary_search(repo_idx).is_ok()).collect();
        for (view, repo_idx) in &views {
            let name = text::sanitise_name(&directory[*view].advertised.view);
            let of_view = qualified.get(repo_idx).map(|repository| format!("{repository}@{name}"));
            qualified.extend(of_view.map(|of_view| (*view, of_view)));
        }
        Readable { repo_idxs, views, qualified, is_everything: principal.reads_everything() }
    }

    /// Returns the same repositories, some of them in other views. The error is a repository of which two views are named.
    pub(crate) fn with_views(&self, views: &[RepoIdx]) -> Result<Readable, RepoIdx> {
        let mut readable = self.clone();
        for view in views {
            let Some(repo_idx) = self.views.get(view) else { continue };
            let Ok(at) = readable.repo_idxs.binary_search(repo_idx) else { return Err(*repo_idx) };
            readable.repo_idxs.remove(at);
            let at = readable.repo_idxs.partition_point(|other| other < view);
            readable.repo_idxs.insert(at, *view);
        }
        Ok(readable)
    }

    /// Returns the other views of all repositories, each with the default view of its repository.
    pub fn views(&self) -> impl Iterator<Item = (RepoIdx, RepoIdx)> {
        self.views.iter().map(|(view, repo_idx)| (*view, *repo_idx))
    }

    /// Returns the repositories, ascending.
    pub fn repo_idxs(&self) -> &[RepoIdx] {
        &self.repo_idxs
    }

    pub(crate) fn contains(&self, repo_idx: RepoIdx) -> bool {
        self.repo_idxs.binary_search(&repo_idx).is_ok()
    }

    /// Returns the name of the repository for this caller, which is unique.
    pub fn alias<'a>(&'a self, directory: &'a Directory, repo_idx: RepoIdx) -> &'a str {
        let qualified = self.qualified.get(&repo_idx);
        qualified.map_or(&directory[repo_idx].own_alias, |name| name)
    }

    /// Returns the repository with this name for this caller.
    pub fn repo_idx(&self, directory: &Directory, alias: &str) -> Option<RepoIdx> {
        let is_bare = |repo_idx: &RepoIdx| self.contains(*repo_idx) && !self.qualified.contains_key(repo_idx);
        let qualified = || self.qualified.iter().find(|(_, name)| *name == alias).map(|(repo_idx, _)| *repo_idx);
        let found = directory.called(alias).find(is_bare);
        let replaced = || self.replacing_view(directory, alias);
        found.or_else(|| qualified().filter(|repo_idx| self.contains(*repo_idx))).or_else(replaced)
    }

    /// Returns the view that stands for the repository with this name in this call.
    fn replacing_view(&self, directory: &Directory, alias: &str) -> Option<RepoIdx> {
        let is_of = |(view, repo_idx): &(&RepoIdx, &RepoIdx)| {
            self.contains(**view) && self.alias(directory, **repo_idx) == alias
        };
        self.views.iter().find(is_of).map(|(view, _)| *view)
    }
}

/// Gives repositories that share an alias the name of a worker as a suffix, and their id where that is not enough.
fn qualified(directory: &Directory, repo_idxs: &[RepoIdx]) -> BTreeMap<RepoIdx, String> {
    let repository = |repo_idx: &RepoIdx| -> &RepositoryEntry { &directory[*repo_idx] };
    // Equal aliases are adjacent.
    let groups = repo_idxs.chunk_by(|a, b| repository(a).own_alias == repository(b).own_alias);
    let duplicates: Vec<RepoIdx> = groups.filter(|group| group.len() > 1).flatten().copied().collect();
    // A qualified name may equal the alias of another repository, and two workers may have equal names.
    let mut taken: HashSet<String> = HashSet::new();
    let is_own = |name: &str| directory.called(name).any(|repo_idx| repo_idxs.binary_search(&repo_idx).is_ok());
    let mut qualified = BTreeMap::new();
    for repo_idx in duplicates {
        let entry = repository(&repo_idx);
        let mut name = match directory.advertisers(entry).next() {
            Some(worker) => format!("{}@{worker}", entry.own_alias),
            None => format!("{}@{}", entry.own_alias, entry.id.short()),
        };
        while is_own(&name) || !taken.insert(name.clone()) {
            name = format!("{name}@{}", entry.id.short());
        }
        qualified.insert(repo_idx, name);
    }
    qualified
}

#[cfg(test)]
mod tests {
    use model::RepoId;
    use proto::v1;

    use super::*;
    use crate::directory::{Reachability, WorkerView};

    /// Workers, each with the first byte of a repository id, and its alias.
    type Held<'a> = &'a [(&'a str, &'a [(u8, &'a str)])];

    fn directory(workers: Held<'_>) -> Directory {
        let repository = |(id, alias): &(u8, &str)| v1::Repository {
            id: RepoId([*id; 16]).to_string(),
            alias: (*alias).to_owned(),
            ..Default::default()
        };
        let view = |(name, held): &(&str, &[(u8, &str)])| WorkerView {
            name: (*name).to_owned(),
            reach: Reachability::Reachable,
            inventory: Some(v1::InventoryResponse {
                analyser_version: ranking::ANALYSER_VERSION,
                repositories: held.iter().map(repository).collect(),
                ..Default::default()
            }),
        };
        Directory::build(&workers.iter().map(view).collect::<Vec<_>>())
    }

    /// Checks the names of the repositories that a caller with this rule may read, each with the first byte of its id.
    fn check(workers: Held<'_>, rule: &[&str], expected: &str) {
        let directory = directory(workers);
        let principal = Principal::limited("ci", rule.iter().map(|pattern| (*pattern).to_owned()));
        let readable = Readable::new(&directory, &principal);
        let named = readable.repo_idxs().iter().map(|repo_idx| {
            let alias = readable.alias(&directory, *repo_idx);
            assert_eq!(readable.repo_idx(&directory, alias), Some(*repo_idx), "{alias}");
            format!("{alias}={}", directory[*repo_idx].id.0[0])
        });
        assert_eq!(named.collect::<Vec<_>>().join(" "), expected, "{workers:?} {rule:?}");
    }

    #[test]
    fn a_call_has_one_view_of_each_repository() {
        let row = |id: u8, alias: &str, view: &str| v1::Repository {
            id: RepoId([id; 16]).to_string(),
            alias: alias.to_owned(),
            view_of: if view.is_empty() { String::new() } else { RepoId([1; 16]).to_string() },
            view: view.to_owned(),
            ..Default::default()
        };
        let rows = vec![
            row(1, "api", ""),
            row(2, "api@worktree:a", "worktree:a"),
            row(3, "api@worktree:b", "worktree:b"),
            row(4, "web", ""),
        ];
        let view = WorkerView {
            name: "w".to_owned(),
            reach: Reachability::Reachable,
            inventory: Some(v1::InventoryResponse {
                analyser_version: ranking::ANALYSER_VERSION,
                repositories: rows,
                ..Default::default()
            }),
        };
        let directory = Directory::build(&[view]);
        let names = |readable: &Readable| {
            readable.repo_idxs().iter().map(|idx| readable.alias(&directory, *idx).to_owned()).collect::<Vec<_>>()
        };
        for (rule, all, n_views) in
            [("*", "api web", 2), ("api", "api", 2), ("web", "web", 0), ("api@worktree:*", "", 0)]
        {
            let readable = Readable::new(&directory, &Principal::limited("ci", [rule.to_owned()]));
            assert_eq!((names(&readable).join(" ").as_str(), readable.views().count()), (all, n_views), "{rule}");
            assert_eq!(readable.repo_idx(&directory, "api@worktree:a"), None, "{rule}: it is not chosen");
        }
        let readable = Readable::new(&directory, &Principal::local());
        let views: Vec<RepoIdx> = readable.views().map(|(view, _)| view).collect();
        let chosen = readable.with_views(&views[..1]).unwrap();
        assert_eq!(names(&chosen), ["api@worktree:a", "web"]);
        for alias in ["api", "api@worktree:a"] {
            assert_eq!(chosen.repo_idx(&directory, alias), Some(views[0]), "{alias}");
        }
        assert!(readable.with_views(&views).is_err());
    }

    const TEAM_A: (&str, &[(u8, &str)]) = ("w1:1", &[(1, "api"), (3, "web")]);
    const TEAM_B: (&str, &[(u8, &str)]) = ("w2", &[(2, "api")]);

    #[test]
    fn equal_aliases_are_told_apart() {
        check(&[TEAM_A, TEAM_B], &["*"], "api@w1-1=1 api@w2=2 web=3");
        check(&[("w", &[(1, "api")]), ("w", &[(2, "api")])], &["*"], "api@w=1 api@w@020202020202=2");
        // No repository is dropped, however odd the names are.
        let odd: Held<'_> = &[("w", &[(1, "api"), (2, "api@w")]), ("w", &[(3, "api"), (2, "api@w@030303030303")])];
        check(odd, &["*"], "api@w@010101010101=1 api@w@030303030303@030303030303=3 api@w=2 api@w@030303030303=2");
        assert_eq!(Readable::default().repo_idx(&directory(&[TEAM_A]), "api"), None);
    }

    #[test]
    fn what_a_rule_covers_depends_on_nothing_else_that_there_is() {
        for (rule, of_a, of_b, of_both) in [
            // A rule for an alias covers every repository with this alias.
            ("api", "api=1", "api=2", "api@w1-1=1 api@w2=2"),
            ("api@w1-1", "api=1", "", "api=1"),
            ("api@w2", "", "api=2", "api=2"),
            ("*@w1-*", "api=1 web=3", "", "api=1 web=3"),
            ("w*", "web=3", "", "web=3"),
            // A star in an alias never matches a part of a worker's name.
            ("*w2", "", "", ""),
            ("api@w3", "", "", ""),
        ] {
            check(&[TEAM_A], &[rule], of_a);
            check(&[TEAM_B], &[rule], of_b);
            check(&[TEAM_A, TEAM_B], &[rule], of_both);
            check(&[TEAM_B, TEAM_A], &[rule], of_both);
        }
    }

    #[test]
    fn a_replica_is_covered_by_the_name_of_any_worker_that_has_it() {
        let replicas: Held<'_> = &[("w2", &[(1, "api")]), ("w1", &[(1, "api")])];
        for rule in ["api", "api@w1", "api@w2"] {
            check(replicas, &[rule], "api=1");
        }
    }
}
