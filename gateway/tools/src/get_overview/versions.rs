//! Versions of packages that repositories make and others require, and uses that break with the indexed versions.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use links::{
    joint::PackageDependency,
    versions::{VersionFit, VersionPlace},
};

use super::{
    entry::{OverviewEntry, PackageVersionsEntry, RequirementEntry, StaleEntry},
    repository::shown,
};
use federation::{call::CallContext, commit_id::short_commit, overlay::Overlay, plan::Plan, repo_idx::RepoIdx};

/// Maximum number of requirements that one package is shown with.
const MAX_REQUIREMENTS: usize = 8;

/// Maximum number of uses that break: more than any budget holds.
const MAX_STALE: usize = 500;

/// Returns the packages that requested repositories make and others of them require, those with the most skewed requirements first.
pub(super) fn package_versions(
    call: &CallContext<'_>,
    plan: &Plan,
    overlay: &Overlay,
    requested: &BTreeSet<RepoIdx>,
) -> Vec<OverviewEntry> {
    let mut by_package: BTreeMap<(&str, RepoIdx), Vec<(RepoIdx, &PackageDependency)>> = BTreeMap::new();
    for (importer, provider, dependency) in overlay.dependencies(&call.visible) {
        let is_requested = requested.contains(&importer) && requested.contains(&provider);
        if is_requested && !dependency.required.is_empty() {
            by_package.entry((dependency.package.as_str(), provider)).or_default().push((importer, dependency));
        }
    }
    let entry = |((package, provider), mut requirements): ((&str, RepoIdx), Vec<(RepoIdx, &PackageDependency)>)| {
        requirements.sort_by_key(|(importer, one)| (severity(one.fit), *importer, &one.path));
        let indexed = requirements.iter().map(|(_, one)| one.indexed.as_str()).max().unwrap_or_default();
        PackageVersionsEntry {
            package: shown(package),
            made_by: plan.alias(provider).to_owned(),
            indexed: shown(indexed),
            indexed_commit: short_commit(&shown(&plan.repository(provider).advertised.commit)).to_owned(),
            n_skewed: requirements.iter().filter(|(_, one)| is_skewed(one.fit)).count(),
            more: requirements.len().saturating_sub(MAX_REQUIREMENTS),
            declared: requirements
                .into_iter()
                .take(MAX_REQUIREMENTS)
                .map(|(importer, one)| requirement(plan, importer, one))
                .collect(),
        }
    };
    let mut entries: Vec<PackageVersionsEntry> = by_package.into_iter().map(entry).collect();
    entries.sort_by_key(|entry| Reverse(entry.n_skewed));
    entries.into_iter().map(OverviewEntry::PackageVersions).collect()
}

/// Returns the uses in requested repositories of names that a package does not have at the indexed commit.
pub(super) fn breaks_on_upgrade(
    call: &CallContext<'_>,
    plan: &Plan,
    overlay: &Overlay,
    requested: &BTreeSet<RepoIdx>,
) -> Vec<OverviewEntry> {
    let of_requested = overlay.stale_imports(&call.visible).filter(|(importer, _)| requested.contains(importer));
    let all = of_requested.flat_map(|(importer, names)| names.iter().map(move |one| (importer, one)));
    let entry = |(importer, one): (RepoIdx, &links::joint::ImportedName)| {
        OverviewEntry::Stale(StaleEntry {
            at: format!("{}:{}:{}", plan.alias(importer), shown(&one.path), one.line),
            package: shown(&one.package),
            name: shown(&one.name),
            state: "stale",
        })
    };
    all.take(MAX_STALE).map(entry).collect()
}

fn requirement(plan: &Plan, importer: RepoIdx, one: &PackageDependency) -> RequirementEntry {
    RequirementEntry {
        repo: plan.alias(importer).to_owned(),
        version: shown(&one.required),
        at: format!("{}:{}", shown(&one.path), one.line),
        indexed_version: match one.fit {
            VersionFit::Admits => "admits",
            VersionFit::Behind(VersionPlace::Major) => "behind: major",
            VersionFit::Behind(VersionPlace::Minor) => "behind: minor",
            VersionFit::Behind(VersionPlace::Patch) => "behind: patch",
            VersionFit::Ahead => "ahead",
            VersionFit::Unknown => "unknown",
        },
    }
}

/// Returns the place of a requirement in a list: those that are furthest behind come first.
fn severity(fit: VersionFit) -> u8 {
    match fit {
        VersionFit::Behind(VersionPlace::Major) => 0,
        VersionFit::Behind(VersionPlace::Minor) => 1,
        VersionFit::Behind(VersionPlace::Patch) => 2,
        VersionFit::Ahead => 3,
        VersionFit::Admits => 4,
        VersionFit::Unknown => 5,
    }
}

fn is_skewed(fit: VersionFit) -> bool {
    matches!(fit, VersionFit::Behind(_) | VersionFit::Ahead)
}
