//! The registry of aliases: an assigned alias is never reassigned to another repository.
//!
//! Access rules may name an alias, so a reused alias would grant access to the wrong repository. A repository keeps its alias
//! when another one with the same folder name appears. The alias of a removed repository stays reserved for its return. A
//! repository with an origin or a first commit is recognised by that at any path; all others are recognised by their path.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use model::RepoId;
use serde::{Deserialize, Serialize};

use crate::{CheckoutKind, alias::aliases, identity};

/// All assigned aliases. The caller passes the registry from one discovery to the next.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AliasRegistry {
    /// Distinguishes repositories of two machines that have no identity except their alias.
    namespace: String,
    #[serde(rename = "given")]
    assigned: Vec<AssignedAlias>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct AssignedAlias {
    alias: String,
    repo: RepoId,
    /// The identity by origin or first commit; `None` if the repository has neither.
    identity: Option<RepoId>,
    path: String,
}

/// A checkout that needs an alias.
pub(crate) struct UnnamedCheckout<'a> {
    pub(crate) path: &'a Path,
    pub(crate) kind: CheckoutKind,
    pub(crate) identity: Option<RepoId>,
}

impl AliasRegistry {
    /// Returns an empty registry. Repositories without origin and commits get different identities in different namespaces.
    pub fn new(namespace: impl Into<String>) -> AliasRegistry {
        AliasRegistry { namespace: namespace.into(), assigned: Vec::new() }
    }

    /// Returns each assigned alias and its repository, sorted by alias.
    pub fn assigned(&self) -> impl Iterator<Item = (&str, RepoId)> {
        let mut assigned: Vec<&AssignedAlias> = self.assigned.iter().collect();
        assigned.sort_by(|a, b| a.alias.cmp(&b.alias));
        assigned.into_iter().map(|entry| (entry.alias.as_str(), entry.repo))
    }

    /// Returns the alias and identity of each checkout, in their order, and records them.
    pub(crate) fn assign(&mut self, checkouts: &[UnnamedCheckout<'_>]) -> Vec<(String, RepoId)> {
        let present: BTreeSet<String> = checkouts.iter().map(|checkout| lossy_text(checkout.path)).collect();
        let mut by_checkout: BTreeMap<usize, usize> = BTreeMap::new();
        for is_same_path_round in [true, false] {
            for (checkout_idx, checkout) in checkouts.iter().enumerate() {
                if by_checkout.contains_key(&checkout_idx) {
                    continue;
                }
                let is_free = |assigned_idx: &usize| !by_checkout.values().any(|taken| taken == assigned_idx);
                let found = (0..self.assigned.len()).filter(is_free).find(|assigned_idx| {
                    let entry = &self.assigned[*assigned_idx];
                    let is_same = entry.identity == checkout.identity;
                    let is_there = entry.path == lossy_text(checkout.path);
                    // A repository without commits gets an identity by its first commit; its alias stays.
                    let has_stayed = is_there && (is_same || entry.identity.is_none());
                    let has_moved = is_same && entry.identity.is_some() && !present.contains(&entry.path);
                    if is_same_path_round { has_stayed } else { has_moved }
                });
                by_checkout.extend(found.map(|assigned_idx| (checkout_idx, assigned_idx)));
            }
        }
        self.assign_new(checkouts, &mut by_checkout);
        (0..checkouts.len())
            .map(|checkout_idx| {
                let entry = &mut self.assigned[by_checkout[&checkout_idx]];
                entry.path = lossy_text(checkouts[checkout_idx].path);
                entry.identity = checkouts[checkout_idx].identity;
                (entry.alias.clone(), entry.repo)
            })
            .collect()
    }

    fn assign_new(&mut self, checkouts: &[UnnamedCheckout<'_>], by_checkout: &mut BTreeMap<usize, usize>) {
        let new: Vec<usize> =
            (0..checkouts.len()).filter(|checkout_idx| !by_checkout.contains_key(checkout_idx)).collect();
        let taken = self.assigned.iter().map(|entry| entry.alias.clone()).collect();
        let named = aliases(
            new.iter().map(|checkout_idx| (checkouts[*checkout_idx].path, checkouts[*checkout_idx].kind)),
            &taken,
        );
        for (checkout_idx, alias) in new.into_iter().zip(named) {
            let checkout = &checkouts[checkout_idx];
            let own_id = checkout.identity.unwrap_or_else(|| identity::of_name(&self.namespace, &alias));
            let is_taken = self.assigned.iter().any(|entry| entry.repo == own_id);
            let repo = if is_taken { identity::with_part(own_id, "alias", &alias) } else { own_id };
            by_checkout.insert(checkout_idx, self.assigned.len());
            self.assigned.push(AssignedAlias {
                alias,
                repo,
                identity: checkout.identity,
                path: lossy_text(checkout.path),
            });
        }
    }
}

fn lossy_text(path: &Path) -> String {
    PathBuf::from(path).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assign(registry: &mut AliasRegistry, checkouts: &[(&str, Option<u8>)]) -> Vec<(String, RepoId)> {
        let unnamed: Vec<UnnamedCheckout<'_>> = checkouts
            .iter()
            .map(|(path, identity)| UnnamedCheckout {
                path: Path::new(path),
                kind: CheckoutKind::WorkTree,
                identity: identity.map(|byte| RepoId([byte; 16])),
            })
            .collect();
        registry.assign(&unnamed)
    }

    fn aliases_of(registry: &mut AliasRegistry, checkouts: &[(&str, Option<u8>)]) -> Vec<String> {
        assign(registry, checkouts).into_iter().map(|(alias, _)| alias).collect()
    }

    #[test]
    fn a_repository_keeps_its_alias() {
        let registry = &mut AliasRegistry::default();
        assert_eq!(aliases_of(registry, &[("/team1/api", Some(1))]), ["api"]);
        assert_eq!(aliases_of(registry, &[("/team1/api", Some(1)), ("/team2/api", Some(2))]), ["api", "team2/api"]);
        assert_eq!(aliases_of(registry, &[("/team2/api", Some(2))]), ["team2/api"]);
        assert_eq!(
            aliases_of(registry, &[("/team2/api", Some(2)), ("/team3/api", Some(3))]),
            ["team2/api", "team3/api"]
        );
        assert_eq!(aliases_of(registry, &[("/elsewhere/moved", Some(1))]), ["api"]);
    }

    #[test]
    fn a_first_commit_changes_no_alias() {
        let registry = &mut AliasRegistry::default();
        let empty = assign(registry, &[("/w/new", None)]);
        assert_eq!(assign(registry, &[("/w/new", Some(1))]), empty);
        assert_eq!(aliases_of(registry, &[("/moved", Some(1))]), ["new"]);
    }

    #[test]
    fn another_repository_at_the_same_path_gets_another_alias() {
        let registry = &mut AliasRegistry::default();
        let first = assign(registry, &[("/w/api", Some(1))]);
        let second = assign(registry, &[("/w/api", Some(2))]);
        assert_ne!(first[0], second[0]);
        assert_eq!(second[0].0, "w/api");
    }

    #[test]
    fn clones_keep_distinct_identities() {
        let registry = &mut AliasRegistry::default();
        let both = assign(registry, &[("/w/a", Some(1)), ("/w/b", Some(1))]);
        assert_ne!(both[0].1, both[1].1);
        assert_eq!(assign(registry, &[("/w/b", Some(1))]), [both[1].clone()]);
        assert_eq!(assign(registry, &[("/w/a", Some(1)), ("/w/b", Some(1))]), both);
    }

    #[test]
    fn repositories_without_identity_are_recognised_by_path_and_namespace() {
        let here = assign(&mut AliasRegistry::new("worker-1"), &[("/w/docs", None)]);
        let there = assign(&mut AliasRegistry::new("worker-2"), &[("/w/docs", None)]);
        assert_eq!(here[0].0, there[0].0);
        assert_ne!(here[0].1, there[0].1);
        let registry = &mut AliasRegistry::new("worker-1");
        assert_eq!(aliases_of(registry, &[("/w/docs", None)]), ["docs"]);
        assert_eq!(aliases_of(registry, &[("/v/docs", None)]), ["v/docs"]);
    }
}
