//! Uses that may mean a definition and could not be resolved.

use graph::EdgeKind;
use links::{
    join::ContractLink,
    joint::{NamedDefinition, UnfollowedImports, UnresolvedSite},
};

use super::Overlay;
use crate::{nodes::NodeRef, repo_idx::RepoIdx};

/// Uses that may mean a definition, in several repositories.
#[derive(Debug, Default)]
pub struct PossibleUses<'a> {
    /// In the order of repositories, paths and lines.
    pub sites: Vec<(RepoIdx, &'a UnresolvedSite)>,
    /// The number of them that are expected to mean it.
    pub n_expected: f32,
}

/// A use of a definition that a declaration file describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeclaredUse<'a> {
    /// The repository of the use.
    pub repo_idx: RepoIdx,
    /// The path of its file.
    pub path: &'a str,
    /// The line.
    pub line: u32,
    /// True for a call.
    pub is_call: bool,
}

impl Overlay {
    /// Returns the uses in other repositories of declarations of a qualified name that may describe a definition in the file at `path` of
    /// `provider`, in order. A package with declarations of its own (`"types": "types.d.ts"`) is used through them, and inference does not
    /// know which code they describe.
    pub fn declared_uses(&self, provider: RepoIdx, path: &str, name: &str) -> Vec<DeclaredUse<'_>> {
        let mut found: Vec<DeclaredUse<'_>> = Vec::new();
        for (repo_idx, linked) in &self.linked {
            let links = linked.links_to(provider).map_or(&[][..], |links| links.links());
            // A method that overrides a declared one uses nothing.
            let is_use = |link: &&ContractLink| link.use_kind != Some(EdgeKind::Dispatch);
            let of_name = links.iter().filter(|link| *link.member == *name && may_describe(&link.offer.path, path));
            found.extend(of_name.filter(is_use).flat_map(|link| {
                let is_call = link.use_kind == Some(EdgeKind::Calls);
                link.lines.iter().map(move |line| DeclaredUse {
                    repo_idx: *repo_idx,
                    path: &link.user.path,
                    line: *line,
                    is_call,
                })
            }));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Returns the calls that could not be resolved and may mean a definition, given its name: those of its repository and of the
    /// repositories that depend on it, in order.
    pub fn unresolved_calls(&self, target: NodeRef, name: &str) -> PossibleUses<'_> {
        let mut found = PossibleUses::default();
        for (repo_idx, linked) in &self.linked {
            let Some(of_name) = linked.links.unresolved.get(name) else { continue };
            let Some(repository) = linked.number_of(*repo_idx, target.repo_idx) else { continue };
            let is_target = |one: &NamedDefinition| one.repository == repository && one.node == target.node;
            let Some(definition_idx) = of_name.definitions.iter().position(is_target) else { continue };
            found.sites.extend(of_name.calls_of(definition_idx).map(|call| (*repo_idx, &call.site)));
            found.n_expected += of_name.expected_calls_of(definition_idx);
        }
        found
    }

    /// Returns all calls that could not be resolved, in each of the repositories that depend on others, in order.
    pub fn all_unresolved_calls(&self) -> impl Iterator<Item = (RepoIdx, &UnresolvedSite)> {
        self.linked.iter().flat_map(|(repo_idx, linked)| {
            let calls = linked.links.unresolved.values().flat_map(|of_name| &of_name.sites);
            calls.map(|call| (*repo_idx, &call.site))
        })
    }

    /// Returns the accesses to members of a name whose receiver type is unknown and that may mean a member of `provider`: those of the
    /// repositories that depend on it, in order.
    pub fn unresolved_accesses(&self, provider: RepoIdx, name: &str) -> PossibleUses<'_> {
        let mut found = PossibleUses::default();
        for (repo_idx, linked) in self.linked.iter().filter(|(repo_idx, _)| **repo_idx != provider) {
            let Some(of_name) = linked.links.unresolved_accesses.get(name) else { continue };
            let Some(repository) = linked.number_of(*repo_idx, provider) else { continue };
            found.sites.extend(of_name.sites_of(repository).map(|site| (*repo_idx, site)));
            found.n_expected += of_name.expected_of(repository);
        }
        found
    }

    /// Returns the imports that could not be followed, by each of the repositories that depend on a repository, in order, and the index
    /// of that repository among the providers of the importer.
    pub fn unfollowed_imports(&self, provider: RepoIdx) -> impl Iterator<Item = (RepoIdx, u32, &UnfollowedImports)> {
        self.linked.iter().filter_map(move |(repo_idx, linked)| {
            let place = linked.providers.iter().position(|other| *other == provider)?;
            Some((*repo_idx, place as u32, &*linked.links.unfollowed_imports))
        })
    }

    /// Returns the repositories that depend on `provider` and have uses that were not looked at.
    pub fn partly_linked(&self, provider: RepoIdx) -> impl Iterator<Item = RepoIdx> {
        let importers = self.linked.iter().filter(move |(_, linked)| linked.providers.contains(&provider));
        importers.filter(|(_, linked)| linked.links.may_miss_any).map(|(repo_idx, _)| *repo_idx)
    }
}

/// Returns true if the declaration file at a path may describe the code of the file at another: both are in the same package.
fn may_describe(declaration: &str, path: &str) -> bool {
    let is_declaration = |path: &str| [".d.ts", ".d.mts", ".d.cts"].iter().any(|end| path.ends_with(end));
    let folders: Vec<&str> = declaration.split('/').collect();
    let package = package_of(&folders[..folders.len() - 1]);
    let below: Vec<&str> = path.split('/').collect();
    // A package around others does not describe their code.
    let is_in_package =
        below.starts_with(package) && below.get(package.len()).is_none_or(|first| !GROUPS.contains(first));
    is_declaration(declaration) && !is_declaration(path) && is_in_package
}

/// Names of folders of packages.
const GROUPS: [&str; 3] = ["apps", "examples", "packages"];

/// Returns the folders of the package of a declaration, given its folders: those before one that builds fill. At the root, `lib` and `build`
/// are also the sources of a repository, and a folder in them may be a package.
fn package_of<'a, 'p>(folders: &'a [&'p str]) -> &'a [&'p str] {
    const BUILT: [&str; 6] = ["build", "dist", "lib", "out", "types", "typings"];
    let is_built = |at: &usize| {
        let may_be_source = *at == 0 && folders.len() > 1 && matches!(folders[0], "build" | "lib");
        BUILT.contains(&folders[*at]) && !may_be_source
    };
    &folders[..(0..folders.len()).find(is_built).unwrap_or(folders.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_declaration_file_describes_the_code_of_its_package() {
        for (declaration, path, expected) in [
            ("types.d.ts", "src/a.ts", true),
            ("packages/kit/types.d.ts", "packages/kit/src/a.ts", true),
            ("packages/kit/dist/esm/a.d.mts", "packages/kit/src/a.ts", true),
            ("packages/kit/types/a.d.ts", "packages/kit/lib/a.js", true),
            ("types.d.ts", "packages/kit/src/a.ts", false),
            ("dist/esm/a.d.ts", "src/a.ts", true),
            ("lib/index.d.ts", "src/a.ts", true),
            ("lib/kit/a.d.ts", "lib/kit/a.js", true),
            ("lib/kit/a.d.ts", "src/a.ts", false),
            ("lib/kit/dist/a.d.ts", "lib/kit/src/a.ts", true),
            ("lib/kit/dist/a.d.ts", "lib/other/src/a.ts", false),
            ("packages/kit/types.d.ts", "packages/other/src/a.ts", false),
            ("packages/kit/types.d.ts", "packages/a.ts", false),
            ("packages/kit/types.d.ts", "packages/kit/b.d.ts", false),
            ("packages/kit/types.ts", "packages/kit/src/a.ts", false),
        ] {
            assert_eq!(may_describe(declaration, path), expected, "{declaration} {path}");
        }
    }
}
