//! The names that repositories were given: once given, a name is never another repository's.
//!
//! Somebody may have been let in by it. So a repository keeps its alias when another of the same folder name comes, and the alias
//! of one that is gone stays free for the day it comes back. What has an origin or a first commit is known again by
//! that, wherever it lies; what has nothing but a name, by its path.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use model::RepoId;
use serde::{Deserialize, Serialize};

use crate::{CheckoutKind, alias::aliases, identity};

/// The names that were given so far, to be kept from one discovery to the next.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Names {
    /// Tells apart what has nothing but a name in two places.
    namespace: String,
    given: Vec<Given>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Given {
    alias: String,
    repo: RepoId,
    /// What makes the repository this one, wherever it lies.
    identity: Option<RepoId>,
    path: String,
}

/// A place that needs a name.
pub(crate) struct Unnamed<'a> {
    pub(crate) path: &'a Path,
    pub(crate) kind: CheckoutKind,
    pub(crate) identity: Option<RepoId>,
}

impl Names {
    /// Returns the names of a place where none was given yet. What has nothing but a name is another repository in
    /// another namespace.
    pub fn new(namespace: impl Into<String>) -> Names {
        Names { namespace: namespace.into(), given: Vec::new() }
    }

    /// Returns each alias that was given and the repository that it is of, in the order of aliases.
    pub fn given(&self) -> impl Iterator<Item = (&str, RepoId)> {
        let mut given: Vec<&Given> = self.given.iter().collect();
        given.sort_by(|a, b| a.alias.cmp(&b.alias));
        given.into_iter().map(|given| (given.alias.as_str(), given.repo))
    }

    /// Returns alias and identity of each place, in their order, and keeps them in mind.
    pub(crate) fn give(&mut self, places: &[Unnamed<'_>]) -> Vec<(String, RepoId)> {
        let present: BTreeSet<String> = places.iter().map(|place| text(place.path)).collect();
        let mut by_place: BTreeMap<usize, usize> = BTreeMap::new();
        for stays in [true, false] {
            for (place_idx, place) in places.iter().enumerate() {
                if by_place.contains_key(&place_idx) {
                    continue;
                }
                let is_free = |given_idx: &usize| !by_place.values().any(|taken| taken == given_idx);
                let found = (0..self.given.len()).filter(is_free).find(|given_idx| {
                    let given = &self.given[*given_idx];
                    let is_same = given.identity == place.identity;
                    let is_there = given.path == text(place.path);
                    // Its first commit gives a repository an identity that it had not before.
                    let stayed = is_there && (is_same || given.identity.is_none());
                    let has_moved = is_same && given.identity.is_some() && !present.contains(&given.path);
                    if stays { stayed } else { has_moved }
                });
                by_place.extend(found.map(|given_idx| (place_idx, given_idx)));
            }
        }
        self.name_the_new(places, &mut by_place);
        (0..places.len())
            .map(|place_idx| {
                let given = &mut self.given[by_place[&place_idx]];
                given.path = text(places[place_idx].path);
                given.identity = places[place_idx].identity;
                (given.alias.clone(), given.repo)
            })
            .collect()
    }

    fn name_the_new(&mut self, places: &[Unnamed<'_>], by_place: &mut BTreeMap<usize, usize>) {
        let new: Vec<usize> = (0..places.len()).filter(|place_idx| !by_place.contains_key(place_idx)).collect();
        let taken = self.given.iter().map(|given| given.alias.clone()).collect();
        let named = aliases(new.iter().map(|place_idx| (places[*place_idx].path, places[*place_idx].kind)), &taken);
        for (place_idx, alias) in new.into_iter().zip(named) {
            let place = &places[place_idx];
            let own_id = place.identity.unwrap_or_else(|| identity::of_name(&self.namespace, &alias));
            let is_taken = self.given.iter().any(|given| given.repo == own_id);
            let repo = if is_taken { identity::with_part(own_id, "alias", &alias) } else { own_id };
            by_place.insert(place_idx, self.given.len());
            self.given.push(Given { alias, repo, identity: place.identity, path: text(place.path) });
        }
    }
}

fn text(path: &Path) -> String {
    PathBuf::from(path).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn give(names: &mut Names, places: &[(&str, Option<u8>)]) -> Vec<(String, RepoId)> {
        let unnamed: Vec<Unnamed<'_>> = places
            .iter()
            .map(|(path, identity)| Unnamed {
                path: Path::new(path),
                kind: CheckoutKind::WorkTree,
                identity: identity.map(|byte| RepoId([byte; 16])),
            })
            .collect();
        names.give(&unnamed)
    }

    fn aliases_of(names: &mut Names, places: &[(&str, Option<u8>)]) -> Vec<String> {
        give(names, places).into_iter().map(|(alias, _)| alias).collect()
    }

    #[test]
    fn a_name_stays_with_what_it_was_given_to() {
        let names = &mut Names::default();
        assert_eq!(aliases_of(names, &[("/team1/api", Some(1))]), ["api"]);
        assert_eq!(aliases_of(names, &[("/team1/api", Some(1)), ("/team2/api", Some(2))]), ["api", "team2/api"]);
        assert_eq!(aliases_of(names, &[("/team2/api", Some(2))]), ["team2/api"]);
        assert_eq!(aliases_of(names, &[("/team2/api", Some(2)), ("/team3/api", Some(3))]), ["team2/api", "team3/api"]);
        assert_eq!(aliases_of(names, &[("/elsewhere/moved", Some(1))]), ["api"]);
    }

    #[test]
    fn a_first_commit_changes_no_name() {
        let names = &mut Names::default();
        let empty = give(names, &[("/w/new", None)]);
        assert_eq!(give(names, &[("/w/new", Some(1))]), empty);
        assert_eq!(aliases_of(names, &[("/moved", Some(1))]), ["new"]);
    }

    #[test]
    fn another_repository_in_the_same_place_gets_another_name() {
        let names = &mut Names::default();
        let first = give(names, &[("/w/api", Some(1))]);
        let second = give(names, &[("/w/api", Some(2))]);
        assert_ne!(first[0], second[0]);
        assert_eq!(second[0].0, "w/api");
    }

    #[test]
    fn clones_are_told_apart_and_stay_so() {
        let names = &mut Names::default();
        let both = give(names, &[("/w/a", Some(1)), ("/w/b", Some(1))]);
        assert_ne!(both[0].1, both[1].1);
        assert_eq!(give(names, &[("/w/b", Some(1))]), [both[1].clone()]);
        assert_eq!(give(names, &[("/w/a", Some(1)), ("/w/b", Some(1))]), both);
    }

    #[test]
    fn what_has_only_a_name_is_known_by_its_path_and_namespace() {
        let here = give(&mut Names::new("worker-1"), &[("/w/docs", None)]);
        let there = give(&mut Names::new("worker-2"), &[("/w/docs", None)]);
        assert_eq!(here[0].0, there[0].0);
        assert_ne!(here[0].1, there[0].1);
        let names = &mut Names::new("worker-1");
        assert_eq!(aliases_of(names, &[("/w/docs", None)]), ["docs"]);
        assert_eq!(aliases_of(names, &[("/v/docs", None)]), ["v/docs"]);
    }
}
