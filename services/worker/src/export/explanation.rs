//! Why two repositories of a data folder are linked, or what is missing for a link.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use graph::Family;
use links::{
    ContractKind,
    join::{ContractLink, ContractSite, LocatedMembers, SurfaceUse, join_pair},
    joint::{ImportedName, ImporterLinks, PackageDependency, SurfaceOfRepository, provider_closures},
    rules::LinkRules,
};
use model::Language;
use ranking::edit_distance::edit_distance;

use super::{
    ExportError,
    cross_repo::{Exported, exported, links_of, packages_of},
    explained_services::{ExplainedServiceLink, explain_services},
};

/// Maximum number of sites, names or links of one kind in an explanation; the others are counted.
const MAX_SHOWN: usize = 5;

/// Maximum edit distance between names of packages that resemble each other.
const MAX_DISTANCE: u32 = 3;

/// The links from one repository to another, and the reasons for missing ones.
#[derive(Debug, Clone, Default)]
pub struct LinkExplanation {
    /// The packages that the user uses and the provider makes.
    pub packages: Vec<PackageExplanation>,
    /// Number of uses that were resolved by type.
    pub n_resolved_uses: u32,
    /// Number of definitions of the provider that they use.
    pub n_definitions: usize,
    /// Repositories through which the user depends on the provider, if it uses none of its packages.
    pub through: Vec<String>,
    /// The first links by equal keys (rpcs, routes, names of packages), the surest first.
    pub key_links: Vec<ContractLink>,
    /// Number of links by equal keys.
    pub n_key_links: usize,
    /// The first links between services, the surest first.
    pub service_links: Vec<ExplainedServiceLink>,
    /// Number of links between services.
    pub n_service_links: usize,
    /// The names of contracts whose links a rule forbids.
    pub ignored: Vec<String>,
    /// The first uses of services in the user that lead to no repository, or to the provider without a match: each with its place and
    /// the missing evidence.
    pub missing: Vec<String>,
    /// Number of these uses.
    pub n_missing: usize,
    /// The first imports of packages of the provider that could not be followed.
    pub unfollowed: Vec<ImportedName>,
    /// Number of these imports.
    pub n_unfollowed: usize,
    /// The first uses of names that packages of the provider do not have.
    pub stale: Vec<ImportedName>,
    /// Number of these uses.
    pub n_stale: usize,
    /// Languages of files that use packages of the provider, and whose calls are not resolved by type.
    pub languages_without_types: Vec<&'static str>,
    /// True if a rule forbids links from the user to the provider.
    pub is_forbidden: bool,
    /// If no package is used: the packages that the provider makes, those with a name like a used one first, at most `MAX_SHOWN`.
    pub nearest_packages: Vec<String>,
    /// Number of packages that the provider makes.
    pub n_made_packages: usize,
    /// The indexed commit of the provider.
    pub provider_commit: String,
}

/// A package that one repository uses and another one makes.
#[derive(Debug, Clone)]
pub struct PackageExplanation {
    /// The key of the package.
    pub package: String,
    /// The definition of the package in the provider; `None` if only a rule names the provider as its maker.
    pub made_at: Option<ContractSite>,
    /// The requirements in manifests of the user, with their versions.
    pub required: Vec<PackageDependency>,
    /// The first lines that declare or use the package.
    pub used_at: Vec<ContractSite>,
    /// Number of uses of the package, those in manifests included.
    pub n_uses: usize,
    /// Other repositories that make a package of this name.
    pub other_makers: Vec<String>,
    /// The repository that makes the package by a rule of the user.
    pub maker_by_rule: Option<String>,
}

impl LinkExplanation {
    /// Returns true if there is a link.
    pub fn is_linked(&self) -> bool {
        self.n_resolved_uses > 0 || self.n_key_links > 0 || self.n_service_links > 0
    }
}

/// Explains the links from the repository `user` to `provider`. Other repositories of the folder are read as far as links depend on
/// them; with `aliases`, only those.
pub fn explain_link(
    data: &Path,
    aliases: &[String],
    user: &str,
    provider: &str,
    rules: &LinkRules,
) -> Result<LinkExplanation, ExportError> {
    let repositories = exported(data, aliases)?;
    let position = |alias: &str| {
        let known = || repositories.iter().map(|one| one.alias.clone()).collect();
        let found = repositories.iter().position(|one| one.alias == alias);
        found.ok_or_else(|| ExportError::Unknown { alias: alias.to_owned(), known: known() })
    };
    let (user_idx, provider_idx) = (position(user)?, position(provider)?);
    let (user, provider) = (&repositories[user_idx], &repositories[provider_idx]);
    let surfaces: Vec<SurfaceOfRepository<'_>> = repositories.iter().map(Exported::surface_of).collect();
    let closures = provider_closures(&surfaces, rules);
    let closure = &closures[user_idx];
    let makers: Vec<&Exported> = closure.iter().map(|one| &repositories[one.repository]).collect();
    let place = closure.iter().position(|one| one.repository == provider_idx);
    let found = if place.is_some() { links_of(user, &makers, rules)? } else { ImporterLinks::default() };
    let is_of_provider = |other: u32| place == Some(other as usize);

    let used: BTreeSet<&str> = user.surface.used_packages().collect();
    let made: BTreeSet<&str> = provider.surface.offered_packages().chain(packages_of(provider, rules)).collect();
    let common: Vec<&str> = made.intersection(&used).copied().collect();
    let makes = |one: &Exported, package: &str| one.surface.offered_packages().any(|made| made == package);
    let package = |package: &&str| {
        let other_makers = repositories.iter().filter(|one| one.alias != provider.alias && makes(one, package));
        let uses = uses_of(user, package);
        PackageExplanation {
            package: (*package).to_owned(),
            made_at: made_at(provider, package),
            required: dependencies_of(&found, package, is_of_provider),
            n_uses: uses.len(),
            used_at: uses.into_iter().take(MAX_SHOWN).map(|used| used.site.clone()).collect(),
            other_makers: other_makers.map(|one| one.alias.clone()).collect(),
            maker_by_rule: rules.maker_of(package).map(str::to_owned),
        }
    };
    let services = explain_services(&repositories, (user_idx, provider_idx), rules);
    let key_links = key_links(user, provider, rules);
    let resolved: Vec<_> = found.links.iter().filter(|link| is_of_provider(link.provider)).collect();
    let definitions: BTreeSet<u32> = resolved.iter().map(|link| link.target.node).collect();
    let is_of_made = |one: &&ImportedName| made.contains(one.package.as_str());
    let unfollowed: Vec<&ImportedName> = found.unfollowed_imports.imports.iter().filter(is_of_made).collect();
    let stale: Vec<&ImportedName> = found.stale_imports.iter().filter(is_of_made).collect();
    let first = |names: &[&ImportedName]| names.iter().take(MAX_SHOWN).map(|one| (*one).clone()).collect();
    let is_through = |middle: &usize| {
        let reaches = |idx: usize, other: usize| closures[idx].iter().any(|one| one.repository == other);
        common.is_empty() && place.is_some() && reaches(*middle, provider_idx)
    };
    Ok(LinkExplanation {
        n_resolved_uses: resolved.iter().map(|link| link.n_sites).sum(),
        n_definitions: definitions.len(),
        through: closure
            .iter()
            .map(|one| one.repository)
            .filter(is_through)
            .map(|middle| repositories[middle].alias.clone())
            .collect(),
        n_key_links: key_links.len(),
        key_links: key_links.into_iter().take(MAX_SHOWN).collect(),
        n_service_links: services.links.len(),
        service_links: services.links.into_iter().take(MAX_SHOWN).collect(),
        ignored: services.ignored,
        n_missing: services.missing.len(),
        missing: services.missing.into_iter().take(MAX_SHOWN).collect(),
        n_unfollowed: unfollowed.len(),
        unfollowed: first(&unfollowed),
        n_stale: stale.len(),
        stale: first(&stale),
        languages_without_types: languages_without_types(user, &common),
        is_forbidden: !rules.may_link(&user.alias, &provider.alias),
        nearest_packages: if common.is_empty() { nearest_packages(&made, &used) } else { Vec::new() },
        n_made_packages: made.len(),
        provider_commit: provider.commit(),
        packages: common.iter().map(package).collect(),
    })
}

fn made_at(provider: &Exported, package: &str) -> Option<ContractSite> {
    let offers = provider.surface.surface().offers.iter();
    let sites = offers.filter(|offer| offer.kind == ContractKind::Package && *offer.key == *package);
    sites.map(|offer| offer.site.clone()).min_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)))
}

/// Returns the uses of a package, those in manifests first.
fn uses_of<'a>(user: &'a Exported, package: &str) -> Vec<&'a SurfaceUse> {
    let is_package = |used: &&SurfaceUse| matches!(used.kind, ContractKind::Package | ContractKind::PackageSymbol);
    let uses = user.surface.surface().uses.iter().filter(is_package);
    let mut uses: Vec<&SurfaceUse> = uses.filter(|used| *used.key == *package).collect();
    uses.sort_by_key(|used| (used.kind != ContractKind::Package, &used.site.path, used.site.line));
    uses.dedup_by_key(|used| (&used.site.path, used.site.line));
    uses
}

/// Returns the requirements of a package. A module of Python is required by the name of its distribution.
fn dependencies_of(
    found: &ImporterLinks,
    package: &str,
    is_of_provider: impl Fn(u32) -> bool,
) -> Vec<PackageDependency> {
    let of_package = found.dependencies.iter().filter(|one| one.package == package && is_of_provider(one.provider));
    of_package.cloned().collect()
}

/// Returns the links by equal keys, the surest first. Names of packages count only in languages without types.
fn key_links(user: &Exported, provider: &Exported, rules: &LinkRules) -> Vec<ContractLink> {
    if !rules.may_link(&user.alias, &provider.alias) {
        return Vec::new();
    }
    let members = user.surface.members_to_locate(&provider.surface).into_iter();
    let located: LocatedMembers = members
        .map(|member| {
            let found = provider.snapshot.find_package_member(&member.package, &member.member);
            let site = found.map(|offer| ContractSite { node: offer.node, path: offer.path.into(), line: offer.line });
            (member, site)
        })
        .collect();
    let mut links = join_pair(&user.surface, &provider.surface, &located);
    links.retain(|link| rules.may_make(&link.key, &provider.alias));
    links.sort_by(|a, b| {
        let place = |link: &ContractLink| (link.user.clone(), link.offer.clone());
        b.confidence.total_cmp(&a.confidence).then_with(|| place(a).cmp(&place(b)))
    });
    links
}

/// Returns the languages of files that use these packages, and whose calls are not resolved by type.
fn languages_without_types(user: &Exported, packages: &[&str]) -> Vec<&'static str> {
    let uses = user.surface.surface().uses.iter().filter(|used| used.kind == ContractKind::PackageSymbol);
    let uses = uses.filter(|used| packages.contains(&&*used.key));
    let languages: BTreeMap<&str, Language> = uses
        .map(|used| Language::of_path(&used.site.path))
        .filter(|language| Family::of(*language) == Family::Other)
        .map(|language| (language.name(), language))
        .collect();
    languages.values().map(|language| language.name()).collect()
}

/// Returns packages that a repository makes, those whose name is like that of a used package first.
fn nearest_packages(made: &BTreeSet<&str>, used: &BTreeSet<&str>) -> Vec<String> {
    let distance = |package: &str| {
        let ecosystem = package.split_once(':').map_or("", |(ecosystem, _)| ecosystem);
        let of_ecosystem = used.iter().filter(|other| other.split(':').next() == Some(ecosystem));
        of_ecosystem.filter_map(|other| edit_distance(package, other, MAX_DISTANCE)).min().unwrap_or(u32::MAX)
    };
    let mut nearest: Vec<(u32, &str)> = made.iter().map(|package| (distance(package), *package)).collect();
    nearest.sort_unstable();
    nearest.into_iter().take(MAX_SHOWN).map(|(_, package)| package.to_owned()).collect()
}
