//! Uses that an answer may miss: calls that could not be resolved, and repositories that were not looked at.

use std::collections::BTreeSet;

use federation::{
    call::CallContext,
    directory::Availability,
    nodes::NodeRef,
    overlay::{Overlay, PossibleUses},
    plan::Plan,
    repo_idx::RepoIdx,
    walk::impact::{has_indexed_uses, is_part_of_type},
};
use graph::Family;
use links::joint::{ImportedName, UnfollowedImports};
use model::{Language, symbol::qualify};
use proto::v1;
use schemars::JsonSchema;
use serde::Serialize;

/// Maximum number of listed call sites; the others are counted.
const MAX_LISTED_SITES: usize = 5;

/// Maximum number of listed repositories.
const MAX_LISTED_REPOSITORIES: usize = 20;

/// The uses of an entity that an answer may miss.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct MayMiss {
    /// Number of missed uses to be expected: the share of the entity in the resolved calls and accesses of the name, of those below, and one
    /// behind each import of it, or of a type or module around it.
    #[serde(skip_serializing_if = "is_zero")]
    pub expected_uses: usize,
    /// Number of calls of the name whose target is unknown, or a declaration that may describe the entity.
    #[serde(skip_serializing_if = "is_zero")]
    pub unresolved_calls: usize,
    /// Number of accesses to a member of the name whose receiver type is unknown, and of other uses of such a declaration.
    #[serde(skip_serializing_if = "is_zero")]
    pub unresolved_accesses: usize,
    /// Number of imports of packages of the repository that could not be followed.
    #[serde(skip_serializing_if = "is_zero")]
    pub unfollowed_imports: usize,
    /// Number of requests and calls between services whose other side is unknown.
    #[serde(skip_serializing_if = "is_zero")]
    pub unlinked_uses: usize,
    /// The first of these calls, accesses, imports and requests, as `repo:path:line`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sites: Vec<String>,
    /// Repositories with uses that were not looked at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repositories: Vec<String>,
    /// True if uses of the kind of entity are not indexed.
    #[serde(skip_serializing_if = "is_false")]
    pub uses_not_indexed: bool,
    /// True if the answer quotes passages and does not list the users.
    #[serde(skip_serializing_if = "is_false")]
    pub users_not_listed: bool,
}

impl MayMiss {
    /// Returns what an answer about the users of an entity may miss; `None` if nothing.
    pub(crate) fn of(plan: &Plan, overlay: &Overlay, target: NodeRef, card: &v1::NodeCard) -> Option<MayMiss> {
        MayMiss::of_all(plan, overlay, std::iter::once((target, card)))
    }

    /// Returns what an answer about the users of an entity may miss without `expected_uses`, and what this is made of.
    fn of_target(plan: &Plan, overlay: &Overlay, target: NodeRef, card: &v1::NodeCard) -> (MayMiss, ExpectedUses) {
        let (declared_calls, declared_others) = declared_uses(plan, overlay, target, card);
        let calls = unresolved_calls(plan, overlay, target, card).and(declared_calls);
        let own = own_accesses(plan, target, card);
        let accesses = unresolved_accesses(plan, overlay, target, card).and(declared_others);
        let imports = unfollowed_imports(plan, overlay, target, card);
        let partly_linked = overlay.partly_linked(target.repo_idx);
        let of_sites = calls.n_expected + card.expected_accesses + accesses.n_expected;
        let expected = ExpectedUses { of_sites, of_imports: imports.n_expected };
        let (calls, accesses) = (calls.sites, accesses.sites);
        let missing = MayMiss {
            unresolved_calls: calls.len(),
            unresolved_accesses: card.unresolved_accesses as usize + accesses.len(),
            unfollowed_imports: imports.sites.len(),
            sites: calls.into_iter().chain(own).chain(accesses).chain(imports.sites).take(MAX_LISTED_SITES).collect(),
            repositories: aliases(plan, partly_linked.chain(unread_repositories(plan, overlay))),
            uses_not_indexed: !has_indexed_uses(card),
            ..MayMiss::default()
        };
        (missing, expected)
    }

    /// Returns what an answer from links between services may miss: the uses in some repositories whose other side is unknown, and
    /// the repositories that were not looked at.
    pub(crate) fn of_services(
        call: &CallContext<'_>,
        plan: &Plan,
        overlay: &Overlay,
        is_user: impl Fn(RepoIdx) -> bool,
    ) -> Option<MayMiss> {
        let unlinked = overlay.unlinked(&call.visible);
        let unlinked = unlinked.filter(|one| is_user(one.repo_idx) && !one.contract.reason.is_dangling());
        let sites: Vec<String> = unlinked
            .map(|one| shown_site(plan, one.repo_idx, &one.contract.site.path, one.contract.site.line))
            .collect();
        let missing = MayMiss {
            unlinked_uses: sites.len(),
            sites: sites.into_iter().take(MAX_LISTED_SITES).collect(),
            repositories: aliases(plan, unread_repositories(plan, overlay)),
            ..MayMiss::default()
        };
        missing.unless_empty()
    }

    /// Returns what counts of users in other repositories may miss: the repositories beyond the plan that were not looked at.
    pub(crate) fn of_counts(plan: &Plan, overlay: &Overlay) -> Option<MayMiss> {
        let repositories = aliases(plan, unread_repositories(plan, overlay));
        MayMiss { repositories, ..MayMiss::default() }.unless_empty()
    }

    fn unless_empty(self) -> Option<MayMiss> {
        (self != MayMiss::default()).then_some(self)
    }

    /// Returns what an answer about the users of several entities may miss; `None` if nothing.
    pub(crate) fn of_all<'a>(
        plan: &Plan,
        overlay: &Overlay,
        targets: impl Iterator<Item = (NodeRef, &'a v1::NodeCard)>,
    ) -> Option<MayMiss> {
        MayMiss::sum(targets.map(|(target, card)| MayMiss::of_target(plan, overlay, target, card)))
    }

    /// Returns the sum for several entities. An import that may lead to several of them counts once, so the expected uses behind imports are
    /// a lower bound.
    fn sum(of_targets: impl Iterator<Item = (MayMiss, ExpectedUses)>) -> Option<MayMiss> {
        let (mut missing, mut expected) = (MayMiss::default(), ExpectedUses::default());
        for (of_target, of_entity) in of_targets {
            missing = missing.and(of_target);
            expected.of_sites += of_entity.of_sites;
            expected.of_imports = expected.of_imports.max(of_entity.of_imports);
        }
        // Small shares of many entities would be lost if each were rounded.
        let expected_uses = (expected.of_sites + expected.of_imports).round() as usize;
        MayMiss { expected_uses, ..missing }.unless_empty()
    }

    fn and(mut self, other: MayMiss) -> MayMiss {
        let add = |known: &mut Vec<String>, more: Vec<String>| {
            let new: Vec<String> = more.into_iter().filter(|one| !known.contains(one)).collect();
            known.extend(new);
        };
        self.unresolved_calls += other.unresolved_calls;
        self.unresolved_accesses += other.unresolved_accesses;
        self.unlinked_uses = self.unlinked_uses.max(other.unlinked_uses);
        self.unfollowed_imports = self.unfollowed_imports.max(other.unfollowed_imports);
        add(&mut self.sites, other.sites);
        add(&mut self.repositories, other.repositories);
        self.sites.truncate(MAX_LISTED_SITES);
        self.uses_not_indexed |= other.uses_not_indexed;
        self.users_not_listed |= other.users_not_listed;
        self
    }

    /// Returns the fact as a part of a line.
    pub(crate) fn footer(&self) -> String {
        let calls =
            (self.unresolved_calls > 0).then(|| format!("{} calls of the name are unresolved", self.unresolved_calls));
        let accesses = (self.unresolved_accesses > 0)
            .then(|| format!("{} accesses of the name are unresolved", self.unresolved_accesses));
        let imports =
            (self.unfollowed_imports > 0).then(|| format!("{} imports could not be followed", self.unfollowed_imports));
        let unlinked = (self.unlinked_uses > 0)
            .then(|| format!("the other side of {} uses of services is unknown", self.unlinked_uses));
        let repositories =
            (!self.repositories.is_empty()).then(|| format!("{} is not or partly read", self.repositories.join(", ")));
        let kind =
            self.uses_not_indexed.then(|| "reads and writes of members are not indexed in this language".to_owned());
        let listed = self.users_not_listed.then(|| "the answer quotes passages".to_owned());
        let parts = [calls, accesses, imports, unlinked, repositories, kind, listed].into_iter().flatten();
        let parts: Vec<String> = parts.collect();
        let has_possible_uses = self.unresolved_calls + self.unresolved_accesses + self.unfollowed_imports > 0;
        let number = match self.expected_uses {
            _ if self.has_uses_without_estimate() => "users".to_owned(),
            0 if has_possible_uses => "users (probably none)".to_owned(),
            0 => "users".to_owned(),
            1 => "about one use".to_owned(),
            n_uses => format!("about {n_uses} uses"),
        };
        format!("may miss {number}: {}", parts.join("; "))
    }

    /// Returns true if there may be uses that `expected_uses` does not cover.
    fn has_uses_without_estimate(&self) -> bool {
        !self.repositories.is_empty() || self.unlinked_uses > 0 || self.uses_not_indexed || self.users_not_listed
    }
}

/// The numbers of missed uses to be expected.
#[derive(Debug, Clone, Copy, Default)]
struct ExpectedUses {
    /// Among calls and accesses.
    of_sites: f32,
    /// Behind imports that could not be followed: one behind each that binds the entity, or a type or module around it.
    of_imports: f32,
}

/// Returns the repositories beyond the plan that may have users: they cannot be asked, or their links are not known.
fn unread_repositories(plan: &Plan, overlay: &Overlay) -> impl Iterator<Item = RepoIdx> {
    plan.unqueried().filter(|repo_idx| {
        let is_serving = matches!(plan.directory[*repo_idx].availability, Availability::Serving(_));
        !is_serving || overlay.missing.contains_key(repo_idx)
    })
}

/// Returns the aliases of repositories, each once, the first ones if there are many.
fn aliases(plan: &Plan, repo_idxs: impl Iterator<Item = RepoIdx>) -> Vec<String> {
    let distinct: BTreeSet<RepoIdx> = repo_idxs.collect();
    distinct.into_iter().take(MAX_LISTED_REPOSITORIES).map(|repo_idx| plan.alias(repo_idx).to_owned()).collect()
}

/// Possible uses of an entity as shown sites.
#[derive(Default)]
struct ShownUses {
    sites: Vec<String>,
    n_expected: f32,
}

impl ShownUses {
    fn and(mut self, other: ShownUses) -> ShownUses {
        self.sites.extend(other.sites);
        ShownUses { n_expected: self.n_expected + other.n_expected, ..self }
    }
}

/// Returns the calls, and the other uses, of declarations that may describe a definition. All of them are expected to mean it. No declaration
/// describes a test.
fn declared_uses(plan: &Plan, overlay: &Overlay, target: NodeRef, card: &v1::NodeCard) -> (ShownUses, ShownUses) {
    let is_test = card.node.as_ref().is_some_and(|node| node.is_test);
    let (Some(symbol), Some(file), false) = (&card.symbol, &card.file, is_test) else { return Default::default() };
    let all = overlay.declared_uses(target.repo_idx, &file.path, &qualify(&symbol.container, &symbol.name));
    let shown = |is_call: bool| {
        let uses = all.iter().filter(|one| one.is_call == is_call).map(|one| (one.repo_idx, one.path, one.line));
        let sites = in_own_family(plan, card, uses);
        ShownUses { n_expected: sites.len() as f32, sites }
    };
    (shown(true), shown(false))
}

/// Returns the unresolved calls that may mean a definition, in files whose language can call it.
fn unresolved_calls(plan: &Plan, overlay: &Overlay, target: NodeRef, card: &v1::NodeCard) -> ShownUses {
    let Some(symbol) = &card.symbol else { return ShownUses::default() };
    shown_uses(plan, card, &overlay.unresolved_calls(target, used_name(symbol)))
}

/// Returns the name by which code uses a definition: that of its type for a constructor.
fn used_name(symbol: &v1::Symbol) -> &str {
    match symbol.kind.as_str() {
        "constructor" => symbol.container.rsplit('.').next().unwrap_or_default(),
        _ => &symbol.name,
    }
}

/// Returns the first unresolved accesses to members of the name in the repository of the entity itself.
fn own_accesses(plan: &Plan, target: NodeRef, card: &v1::NodeCard) -> Vec<String> {
    let sites = card.unresolved_access_sites.iter().map(|site| (site.path.as_str(), site.line));
    sites.map(|(path, line)| shown_site(plan, target.repo_idx, path, line)).collect()
}

/// Returns the unresolved accesses to members of the name of a field, property or enum member, in files whose language can use it.
fn unresolved_accesses(plan: &Plan, overlay: &Overlay, target: NodeRef, card: &v1::NodeCard) -> ShownUses {
    let Some(symbol) = card.symbol.as_ref().filter(|_| is_part_of_type(card)) else { return ShownUses::default() };
    shown_uses(plan, card, &overlay.unresolved_accesses(target.repo_idx, &symbol.name))
}

/// Returns the imports that could not be followed and may lead to the entity, in files whose language can use a definition.
fn unfollowed_imports(plan: &Plan, overlay: &Overlay, target: NodeRef, card: &v1::NodeCard) -> ShownUses {
    let path = card.file.as_ref().map_or("", |file| &file.path);
    let by_repo = overlay.unfollowed_imports(target.repo_idx);
    let all: Vec<_> = by_repo
        .flat_map(|(repo_idx, provider, unfollowed)| {
            let leads_there = move |import: &&ImportedName| match &card.symbol {
                Some(symbol) => unfollowed.may_lead_to(import, path, &symbol.container, used_name(symbol)),
                None => true,
            };
            unfollowed.of_provider(provider).filter(leads_there).map(move |import| (repo_idx, import))
        })
        .collect();
    let is_expected = |import: &ImportedName| match &card.symbol {
        Some(symbol) => UnfollowedImports::is_around(import, path, &symbol.container, used_name(symbol)),
        None => true,
    };
    let shown = |is_chosen: &dyn Fn(&ImportedName) -> bool| {
        let chosen = all.iter().filter(|(_, import)| is_chosen(import));
        in_own_family(plan, card, chosen.map(|(repo_idx, import)| (*repo_idx, import.path.as_str(), import.line)))
    };
    ShownUses { n_expected: shown(&is_expected).len() as f32, sites: shown(&|_| true) }
}

/// Returns the possible uses in files of the language family of an entity.
fn shown_uses(plan: &Plan, card: &v1::NodeCard, uses: &PossibleUses<'_>) -> ShownUses {
    let places = uses.sites.iter().map(|(repo_idx, site)| (*repo_idx, site.path.as_str(), site.line));
    let sites = in_own_family(plan, card, places);
    let share = sites.len() as f32 / uses.sites.len().max(1) as f32;
    ShownUses { sites, n_expected: uses.n_expected * share }
}

/// Returns the places, each a repository, path and line, in files of the language family of an entity.
fn in_own_family<'a>(
    plan: &Plan,
    card: &v1::NodeCard,
    all: impl Iterator<Item = (RepoIdx, &'a str, u32)>,
) -> Vec<String> {
    let family = |path: &str| Family::of(Language::of_path(path));
    let own_family = card.file.as_ref().map(|file| family(&file.path));
    all.filter(|(_, path, _)| Some(family(path)) == own_family)
        .map(|(repo_idx, path, line)| shown_site(plan, repo_idx, path, line))
        .collect()
}

fn shown_site(plan: &Plan, repo_idx: RepoIdx, path: &str, line: u32) -> String {
    format!("{}:{}:{line}", plan.alias(repo_idx), text::sanitise_name(path))
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

fn is_false(value: &bool) -> bool {
    !value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_several_entities_are_added_before_they_are_rounded() {
        let calls = MayMiss { unresolved_calls: 1, ..MayMiss::default() };
        let imports = MayMiss { unfollowed_imports: 3, ..MayMiss::default() };
        let of_calls = |of_sites: f32| (calls.clone(), ExpectedUses { of_sites, of_imports: 0.0 });
        let of_imports = |of_imports: f32| (imports.clone(), ExpectedUses { of_sites: 0.0, of_imports });
        for (of_targets, expected) in [
            (vec![of_calls(0.4)], (0, 1, 0)),
            (vec![of_calls(0.4); 10], (4, 10, 0)),
            // All of them are behind the same imports.
            (vec![of_imports(3.0); 5], (3, 0, 3)),
            (vec![of_imports(3.0), of_calls(0.6), of_calls(0.6)], (4, 2, 3)),
            // One of the imports may bind something around the entity.
            (vec![of_imports(1.0)], (1, 0, 3)),
            (vec![of_imports(0.0)], (0, 0, 3)),
        ] {
            let sum = MayMiss::sum(of_targets.into_iter()).unwrap();
            assert_eq!((sum.expected_uses, sum.unresolved_calls, sum.unfollowed_imports), expected);
        }
        assert_eq!(MayMiss::sum([(MayMiss::default(), ExpectedUses::default())].into_iter()), None);
    }

    #[test]
    fn the_footer_has_a_number_only_if_it_covers_all_uses() {
        let calls = |expected_uses: usize| MayMiss { expected_uses, unresolved_calls: 2, ..MayMiss::default() };
        for (may_miss, expected) in [
            (calls(0), "may miss users (probably none): "),
            (calls(1), "may miss about one use: "),
            (calls(2), "may miss about 2 uses: "),
            (MayMiss { repositories: vec!["app".to_owned()], ..calls(0) }, "may miss users: "),
            (MayMiss { repositories: vec!["app".to_owned()], ..calls(2) }, "may miss users: "),
            (MayMiss { uses_not_indexed: true, ..calls(0) }, "may miss users: "),
            (MayMiss { users_not_listed: true, ..calls(1) }, "may miss users: "),
            (MayMiss { unlinked_uses: 1, ..calls(0) }, "may miss users: "),
        ] {
            let footer = may_miss.footer();
            assert!(footer.starts_with(expected), "{footer}");
        }
    }
}
