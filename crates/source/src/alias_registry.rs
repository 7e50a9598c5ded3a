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
    /// Empty if another repository has taken its place.
    path: String,
    /// True until the repository was read once: its id is not derived from its identity yet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_provisional: bool,
}

/// A checkout that needs an alias.
pub(crate) struct UnnamedCheckout<'a> {
    pub(crate) path: &'a Path,
    pub(crate) kind: CheckoutKind,
    pub(crate) identity: CheckoutIdentity,
}

/// The identity of a checkout, independent of its alias.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckoutIdentity {
    /// It has an origin or a first commit.
    Repository(RepoId),
    /// It has neither, and is recognised by its path.
    Path,
    /// It cannot be read: whatever was at its path last is there still.
    Unknown,
}

impl CheckoutIdentity {
    fn id(self) -> Option<RepoId> {
        match self {
            CheckoutIdentity::Repository(id) => Some(id),
            CheckoutIdentity::Path | CheckoutIdentity::Unknown => None,
        }
    }
}

/// The rounds of the assignment: an earlier one takes precedence for all checkouts.
#[derive(Debug, Clone, Copy)]
enum AssignmentRound {
    /// A repository is where it was.
    SamePath,
    /// A repository was moved.
    OtherPath,
    /// A repository could not be read before.
    FirstRead,
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

    /// Returns the alias of the repository that was at a path at the last discovery.
    pub fn alias_at(&self, path: &Path) -> Option<&str> {
        let path = lossy_text(path);
        self.assigned.iter().find(|entry| entry.path == path).map(|entry| entry.alias.as_str())
    }

    /// Returns the alias and identity of each checkout, in their order, and records them.
    pub(crate) fn assign(&mut self, checkouts: &[UnnamedCheckout<'_>]) -> Vec<(String, RepoId)> {
        let present: BTreeSet<String> = checkouts.iter().map(|checkout| lossy_text(checkout.path)).collect();
        let mut by_checkout: BTreeMap<usize, usize> = BTreeMap::new();
        for round in [AssignmentRound::SamePath, AssignmentRound::OtherPath, AssignmentRound::FirstRead] {
            for (checkout_idx, checkout) in checkouts.iter().enumerate() {
                if by_checkout.contains_key(&checkout_idx) {
                    continue;
                }
                let is_free = |assigned_idx: &usize| !by_checkout.values().any(|taken| taken == assigned_idx);
                let found = (0..self.assigned.len())
                    .filter(is_free)
                    .find(|assigned_idx| self.assigned[*assigned_idx].is_of(checkout, round, &present));
                by_checkout.extend(found.map(|assigned_idx| (checkout_idx, assigned_idx)));
            }
        }
        self.assign_new(checkouts, &mut by_checkout);
        let present_entries: BTreeSet<usize> = by_checkout.values().copied().collect();
        for (assigned_idx, entry) in self.assigned.iter_mut().enumerate() {
            if !present_entries.contains(&assigned_idx) && present.contains(&entry.path) {
                entry.path.clear();
            }
        }
        (0..checkouts.len())
            .map(|checkout_idx| self.record(&checkouts[checkout_idx], by_checkout[&checkout_idx]))
            .collect()
    }

    /// Returns true if an alias is assigned to a repository at this path.
    pub(crate) fn has_path(&self, path: &Path) -> bool {
        let path = lossy_text(path);
        self.assigned.iter().any(|entry| entry.path == path)
    }

    /// Records where a checkout is. Returns its alias and identity.
    fn record(&mut self, checkout: &UnnamedCheckout<'_>, assigned_idx: usize) -> (String, RepoId) {
        let is_known = checkout.identity != CheckoutIdentity::Unknown;
        if is_known && self.assigned[assigned_idx].is_provisional {
            self.assigned[assigned_idx].repo = self.repo_id(checkout.identity.id(), assigned_idx);
            self.assigned[assigned_idx].is_provisional = false;
        }
        let entry = &mut self.assigned[assigned_idx];
        entry.path = lossy_text(checkout.path);
        if is_known {
            entry.identity = checkout.identity.id();
        }
        (entry.alias.clone(), entry.repo)
    }

    /// Returns the identity of the repository of an entry, which differs from those of all other entries.
    fn repo_id(&self, identity: Option<RepoId>, assigned_idx: usize) -> RepoId {
        let alias = &self.assigned[assigned_idx].alias;
        let own_id = identity.unwrap_or_else(|| identity::of_name(&self.namespace, alias));
        let mut others = self.assigned.iter().enumerate().filter(|(idx, _)| *idx != assigned_idx);
        let is_taken = others.any(|(_, entry)| entry.repo == own_id);
        if is_taken { identity::with_part(own_id, "alias", alias) } else { own_id }
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
            let UnnamedCheckout { path, identity, .. } = &checkouts[checkout_idx];
            let assigned_idx = self.assigned.len();
            by_checkout.insert(checkout_idx, assigned_idx);
            self.assigned.push(AssignedAlias {
                repo: identity::of_name(&self.namespace, &alias),
                alias,
                identity: identity.id(),
                path: lossy_text(path),
                is_provisional: *identity == CheckoutIdentity::Unknown,
            });
            self.assigned[assigned_idx].repo = self.repo_id(identity.id(), assigned_idx);
        }
    }
}

impl AssignedAlias {
    /// Returns true if it belongs to a checkout. `present` has the paths of all checkouts.
    fn is_of(&self, checkout: &UnnamedCheckout<'_>, round: AssignmentRound, present: &BTreeSet<String>) -> bool {
        let is_there = self.path == lossy_text(checkout.path);
        if checkout.identity == CheckoutIdentity::Unknown {
            return is_there;
        }
        let is_same = self.identity == checkout.identity.id();
        match round {
            // A repository without commits gets an identity by its first commit; its alias stays.
            AssignmentRound::SamePath => is_there && !self.is_provisional && (is_same || self.identity.is_none()),
            AssignmentRound::OtherPath => is_same && self.identity.is_some() && !present.contains(&self.path),
            AssignmentRound::FirstRead => is_there && self.is_provisional,
        }
    }
}

fn lossy_text(path: &Path) -> String {
    PathBuf::from(path).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Assigns aliases to checkouts with these identities; 0 stands for an unknown one.
    fn assign(registry: &mut AliasRegistry, checkouts: &[(&str, Option<u8>)]) -> Vec<(String, RepoId)> {
        let unnamed: Vec<UnnamedCheckout<'_>> = checkouts
            .iter()
            .map(|(path, identity)| UnnamedCheckout {
                path: Path::new(path),
                kind: CheckoutKind::WorkTree,
                identity: match identity {
                    Some(0) => CheckoutIdentity::Unknown,
                    Some(byte) => CheckoutIdentity::Repository(RepoId([*byte; 16])),
                    None => CheckoutIdentity::Path,
                },
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
        let of_path = ["/team1/api", "/team1", "/team1/api/core"].map(|path| registry.alias_at(Path::new(path)));
        assert_eq!(of_path, [Some("api"), None, None]);
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
    fn a_repository_that_cannot_be_read_keeps_its_alias() {
        let registry = &mut AliasRegistry::default();
        let good = assign(registry, &[("/w/api", Some(1)), ("/w/docs", None)]);
        assert_eq!(assign(registry, &[("/w/api", Some(0)), ("/w/docs", Some(0))]), good);
        assert_eq!(assign(registry, &[("/w/api", Some(1)), ("/w/docs", None)]), good);
        // The last repository at the path counts.
        let other = assign(registry, &[("/w/api", Some(2))]);
        assert_eq!(assign(registry, &[("/w/api", Some(0))]), other);
        assert_eq!(assign(registry, &[("/w/api", Some(1))])[0], good[0]);
        assert_eq!(assign(registry, &[("/w/api", Some(0))])[0], good[0]);
    }

    #[test]
    fn a_repository_that_could_not_be_read_gets_its_identity_later() {
        let registry = &mut AliasRegistry::default();
        let refused = assign(registry, &[("/w/api", Some(0))]);
        assert_eq!(assign(registry, &[("/w/api", Some(0)), ("/v/api", Some(3))])[0], refused[0]);
        let read = assign(registry, &[("/w/api", Some(1))]);
        assert_eq!(read, [(refused[0].0.clone(), RepoId([1; 16]))]);
        assert_eq!(assign(registry, &[("/w/api", Some(0))]), read);
        // A repository that was moved keeps the alias that it had.
        let moved = assign(registry, &[("/w/moved", Some(0))]);
        assert_eq!(moved[0].0, "moved");
        assert_eq!(assign(registry, &[("/w/moved", Some(1))]), read);
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
