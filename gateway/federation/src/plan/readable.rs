//! What exists for one caller, and what it is called there.

use std::collections::{BTreeMap, HashSet};

use crate::{
    directory::{Directory, RepositoryEntry},
    principal::Principal,
};

/// The repositories that exist for one caller, and their names: unique among these, and the same whatever else there is.
#[derive(Debug, Default)]
pub struct Readable {
    /// Ascending.
    positions: Vec<usize>,
    /// Names of those that share their own alias with another one that the caller may read.
    qualified: BTreeMap<usize, String>,
    /// Whether whatever there may be exists for the caller.
    pub(super) is_everything: bool,
}

impl Readable {
    pub fn new(directory: &Directory, principal: &Principal) -> Readable {
        let is_readable = |position: &usize| {
            let repository = &directory.repositories[*position];
            principal.may_read(&repository.own_alias, directory.advertisers(repository))
        };
        let positions: Vec<usize> = (0..directory.repositories.len()).filter(is_readable).collect();
        let qualified = qualified(directory, &positions);
        Readable { positions, qualified, is_everything: principal.reads_everything() }
    }

    /// Returns the positions, ascending.
    pub fn positions(&self) -> &[usize] {
        &self.positions
    }

    pub fn contains(&self, position: usize) -> bool {
        self.positions.binary_search(&position).is_ok()
    }

    /// Returns what the caller knows the repository at this position by.
    pub fn alias<'a>(&'a self, directory: &'a Directory, position: usize) -> &'a str {
        let qualified = self.qualified.get(&position);
        qualified.map_or(&directory.repositories[position].own_alias, |name| name)
    }

    /// Returns the position of the repository that the caller knows by this name.
    pub fn position(&self, directory: &Directory, alias: &str) -> Option<usize> {
        let is_bare = |position: &usize| self.contains(*position) && !self.qualified.contains_key(position);
        let qualified = || self.qualified.iter().find(|(_, name)| *name == alias).map(|(position, _)| *position);
        directory.called(alias).find(is_bare).or_else(qualified)
    }
}

/// Gives repositories that share an alias the name of a worker as a suffix, and their id where that is not enough.
fn qualified(directory: &Directory, positions: &[usize]) -> BTreeMap<usize, String> {
    let repository = |position: &usize| -> &RepositoryEntry { &directory.repositories[*position] };
    // Equal aliases are neighbours.
    let twins = positions.chunk_by(|a, b| repository(a).own_alias == repository(b).own_alias);
    let twins: Vec<usize> = twins.filter(|twins| twins.len() > 1).flatten().copied().collect();
    // A qualified name may be somebody's own alias, and worker names may be equal, too.
    let mut taken: HashSet<String> = HashSet::new();
    let is_own = |name: &str| directory.called(name).any(|position| positions.binary_search(&position).is_ok());
    let mut qualified = BTreeMap::new();
    for position in twins {
        let twin = repository(&position);
        let mut name = match directory.advertisers(twin).next() {
            Some(worker) => format!("{}@{worker}", twin.own_alias),
            None => format!("{}@{}", twin.own_alias, twin.id.short()),
        };
        while is_own(&name) || !taken.insert(name.clone()) {
            name = format!("{name}@{}", twin.id.short());
        }
        qualified.insert(position, name);
    }
    qualified
}

#[cfg(test)]
mod tests {
    use model::RepoId;
    use proto::v1;

    use super::*;
    use crate::directory::{Reachability, WorkerView};

    /// Workers, each with the first byte of the id of what it holds, and its alias.
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

    /// Compares what a caller with this rule reads, each as its name, the first byte of its id, with what is expected.
    fn check(workers: Held<'_>, rule: &[&str], expected: &str) {
        let directory = directory(workers);
        let principal = Principal::limited("ci", rule.iter().map(|pattern| (*pattern).to_owned()));
        let readable = Readable::new(&directory, &principal);
        let named = readable.positions().iter().map(|position| {
            let alias = readable.alias(&directory, *position);
            assert_eq!(readable.position(&directory, alias), Some(*position), "{alias}");
            format!("{alias}={}", directory.repositories[*position].id.0[0])
        });
        assert_eq!(named.collect::<Vec<_>>().join(" "), expected, "{workers:?} {rule:?}");
    }

    const TEAM_A: (&str, &[(u8, &str)]) = ("w1:1", &[(1, "api"), (3, "web")]);
    const TEAM_B: (&str, &[(u8, &str)]) = ("w2", &[(2, "api")]);

    #[test]
    fn equal_aliases_are_told_apart() {
        check(&[TEAM_A, TEAM_B], &["*"], "api@w1-1=1 api@w2=2 web=3");
        check(&[("w", &[(1, "api")]), ("w", &[(2, "api")])], &["*"], "api@w=1 api@w@020202020202=2");
        // However odd the names are, none goes.
        let odd: Held<'_> = &[("w", &[(1, "api"), (2, "api@w")]), ("w", &[(3, "api"), (2, "api@w@030303030303")])];
        check(odd, &["*"], "api@w@010101010101=1 api@w@030303030303@030303030303=3 api@w=2 api@w@030303030303=2");
        assert_eq!(Readable::default().position(&directory(&[TEAM_A]), "api"), None);
    }

    #[test]
    fn what_a_rule_covers_depends_on_nothing_else_that_there_is() {
        for (rule, of_a, of_b, of_both) in [
            // Whoever gives rights by an alias gives them for everything of this alias.
            ("api", "api=1", "api=2", "api@w1-1=1 api@w2=2"),
            ("api@w1-1", "api=1", "", "api=1"),
            ("api@w2", "", "api=2", "api=2"),
            ("*@w1-*", "api=1 web=3", "", "api=1 web=3"),
            ("w*", "web=3", "", "web=3"),
            // A star of an alias never stands for a part of a worker's name.
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
