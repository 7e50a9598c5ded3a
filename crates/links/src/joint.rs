//! Joint linking: the uses of one repository are resolved as if the repositories that it depends on were beside it in one
//! build.
//!
//! The inference that resolves calls inside a repository reads the facts of the providers, too. Imports, re-exports, generics,
//! inheritance and closures therefore have the same rules on both sides of the border.

mod compiler_targets;
mod copies;
mod dependencies;
mod dispatch;
mod importer_uses;
mod imports;
mod known_types;
mod layout;
mod link_trace;
mod mentions;
mod provider_view;
mod providers;
mod renumbering;
mod rounds;
#[cfg(test)]
mod tests;
mod traced_links;
mod unfollowed_imports;
mod unresolved;
mod unresolved_accesses;

use std::{
    borrow::Cow,
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet},
};

use graph::{Edge, EdgeKind, FileIdx, ManifestFile, Resolution, uses};
use model::SymbolKind;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use crate::{
    contract::ContractKind,
    join::{ContractLink, ContractSite},
    link_facts::LinkFacts,
    manifests::DeclaredPackages,
    shared_text::SharedTexts,
};
use compiler_targets::CompilerTargets;
use dependencies::Dependencies;
use imports::{ImportScope, by_folder, defined_names};
use layout::JointLayout;
use unresolved::{FileReach, UnresolvedUses};

pub use dependencies::PackageDependency;
pub(crate) use dependencies::ecosystem_of;
pub use importer_uses::{ImporterUse, importer_uses};
pub use imports::ImportedName;
pub use link_trace::{LinkTrace, Renumbered, RenumberedProvider};
pub use mentions::Mentions;
pub use provider_view::ProviderView;
pub use providers::{PackageProvider, SurfaceOfRepository, provider_closures};
pub use traced_links::TracedLinks;
pub use unfollowed_imports::UnfollowedImports;
pub use unresolved::{NamedDefinition, TakenArguments, UnresolvedCallSite, UnresolvedName};
pub use unresolved_accesses::{MembersOfName, UnresolvedMemberName, UnresolvedMemberSite};

/// Version of the encoding of links, and of rules by which they are found here. Cached links of other versions are made again.
pub const FORMAT: u8 = 12;

/// The links of one repository to its providers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ImporterLinks {
    /// By file of the user; within a file by user, provider, target and kind, each once. The overrides of methods follow.
    pub links: Vec<SymbolLink>,
    /// The packages of the providers that manifests of the repository require.
    pub dependencies: Vec<PackageDependency>,
    /// By name of the callee: the calls whose target is not known, and the definitions that they may mean.
    pub unresolved: BTreeMap<String, UnresolvedName>,
    /// By name of the member: the accesses to members of values of an unknown type.
    pub unresolved_accesses: BTreeMap<String, UnresolvedMemberName>,
    /// The imports of packages of the providers whose file or definition was not found.
    pub unfollowed_imports: UnfollowedImports,
    /// The uses of names that their package does not have. They break with the indexed version of the package.
    pub stale_imports: Vec<ImportedName>,
    /// True if there are other uses that were not looked at, or more unresolved calls than those listed.
    pub may_miss_any: bool,
    /// By provider: the paths of the files that inference looked into, in order.
    pub consulted: Vec<Vec<String>>,
    /// The names that the importer and these files mention.
    pub mentions: Mentions,
}

/// The uses of one definition of another repository by one definition or file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SymbolLink {
    /// The index of the provider.
    pub provider: u32,
    /// The index of the dependency by which the user knows the package; `None` if no manifest requires it.
    pub dependency: Option<u32>,
    /// The relation between the ends.
    pub kind: EdgeKind,
    /// The way in which the target was found.
    pub resolution: Resolution,
    /// The innermost definition that contains the uses; otherwise the file. The line is the first of `lines`.
    pub user: ContractSite,
    /// The qualified name of the user; `None` for a file.
    pub user_name: Option<String>,
    /// The used definition or file.
    pub target: ContractSite,
    /// The number of the target within its file; `None` for a file.
    pub target_definition: Option<u32>,
    /// The qualified name of the target; `None` for a file.
    pub target_name: Option<String>,
    /// The kind of the target; `None` for a file.
    pub target_kind: Option<SymbolKind>,
    /// The line of each use, ascending. A line with several uses occurs once.
    pub lines: Vec<u32>,
    /// The number of uses.
    pub n_sites: u32,
}

/// A use whose target is not known.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct UnresolvedSite {
    /// The path of the file.
    pub path: String,
    /// The line of the call.
    pub line: u32,
}

/// Resolves the uses of `providers` in a repository. Uses within the repository are not repeated.
///
/// `packages` are the keys of the packages that the providers make. A definition is never linked by its name alone.
pub fn link_importer(importer: &LinkFacts, providers: &[&LinkFacts], packages: &BTreeSet<String>) -> ImporterLinks {
    let linked = copies::without_copies(importer, providers);
    // The definitions of a provider decide which files are copies of it.
    let of_copies = match &linked {
        Cow::Borrowed(_) => Mentions::default(),
        Cow::Owned(_) => Mentions::of(importer.files.iter().map(|file| &file.facts)),
    };
    let importer = &*linked;
    let declared = declared_packages(importer);
    let made: Vec<DeclaredPackages> = providers.iter().map(|provider| declared_packages(provider)).collect();
    let dependencies = Dependencies::new(&declared, &made);
    let nothing = (LinkFacts::default(), DeclaredPackages::default());
    let link = |left_out: BTreeSet<usize>| {
        let provider = |provider: usize| match left_out.contains(&provider) {
            true => (&nothing.0, &nothing.1),
            false => (providers[provider], &made[provider]),
        };
        let (beside, made): (Vec<&LinkFacts>, Vec<&DeclaredPackages>) = (0..providers.len()).map(provider).unzip();
        let links = link_round(importer, &beside, (&declared, &made), &dependencies, packages);
        (left_out, links)
    };
    let links = rounds::merge(rounds::left_out(&declared, &made).into_iter().map(link).collect());
    let mentions = links.mentions.and(of_copies);
    ImporterLinks { dependencies: dependencies.all, mentions, ..links }
}

/// Resolves the uses of some providers, of which no two make the same package.
fn link_round(
    importer: &LinkFacts,
    providers: &[&LinkFacts],
    (declared, made): (&DeclaredPackages, &[&DeclaredPackages]),
    dependencies: &Dependencies<'_>,
    packages: &BTreeSet<String>,
) -> ImporterLinks {
    let repositories: Vec<&LinkFacts> = std::iter::once(importer).chain(providers.iter().copied()).collect();
    let layout = JointLayout::new(&repositories);
    let codebase = layout.codebase();
    // The names of a large provider cost more than most imports need.
    let names: Vec<OnceCell<FxHashSet<&str>>> = vec![OnceCell::new(); providers.len()];
    let has_name = |provider: usize, name: &str| {
        let files = || providers[provider].files.iter().map(|file| &file.facts);
        names[provider].get_or_init(|| defined_names(files())).contains(name)
    };
    let program = codebase.program();
    let folders = OnceCell::new();
    let files_in = |folder: &str| folders.get_or_init(|| by_folder(program)).get(folder).map_or(&[][..], Vec::as_slice);
    let imports = ImportScope {
        declared,
        packages,
        providers: made,
        provider_of: &|file| layout.files[file.0 as usize].repository.checked_sub(1),
        path_of: &|file| layout.files[file.0 as usize].facts.path.clone(),
        files_in: &files_in,
        has_name: &has_name,
    };
    // Many links lead to the same file.
    let keys: Vec<OnceCell<Option<&str>>> = vec![OnceCell::new(); layout.files.len()];
    let package_of = |link: &SymbolLink| {
        let package = made[link.provider as usize].containing(&link.target.path, ecosystem_of(&link.target.path)?)?;
        Some(package.1.key.as_str())
    };
    let dependency_of = |target: FileIdx, link: &SymbolLink| {
        let key = (*keys[target.0 as usize].get_or_init(|| package_of(link)))?;
        dependencies.of_file(&link.user.path, link.provider, key)
    };
    let (mut found, mut unfollowed) = (ImporterLinks::default(), Vec::new());
    let n_own = importer.files.len() as u32;
    let mut inheritance: Vec<Edge> = Vec::new();
    let (mut consulted, mut reach): (BTreeSet<FileIdx>, FileReach) = (BTreeSet::new(), FileReach::default());
    let targets = CompilerTargets::new(codebase.program(), &repositories);
    for file in (0..n_own).map(FileIdx) {
        let file_idx = importer.files[file.0 as usize].file_idx;
        let compiler = importer.compiler.uses(codebase.program(), file, file_idx, |symbol| targets.of(symbol));
        let (uses, files, without_target) = uses(&codebase, file, compiler.as_ref(), |cx| imports.read(cx, file));
        consulted.extend(files);
        reach.add(codebase.program(), &layout, file, &uses, !without_target.unfollowed.is_empty());
        unfollowed.extend(without_target.unfollowed);
        found.stale_imports.extend(without_target.stale);
        let is_inheritance = |edge: &&Edge| matches!(edge.kind, EdgeKind::Extends | EdgeKind::Implements);
        inheritance.extend(uses.edges.iter().filter(is_inheritance).copied());
        let links = layout.links(codebase.program(), uses.edges).into_iter();
        found.links.extend(links.map(|(target, link)| SymbolLink { dependency: dependency_of(target, &link), ..link }));
    }
    let own_files = importer.files.iter().map(|file| &file.facts);
    found.unfollowed_imports = UnfollowedImports::new(unfollowed, made, own_files, &has_name);
    let UnresolvedUses { by_name, accesses, is_cut } = reach.into_uses(&codebase, &layout);
    let overrides = dispatch::overrides(&codebase, &layout, inheritance);
    found.links.extend(overrides.links);
    consulted.extend(overrides.consulted);
    // The numbers of parameters of definitions that unresolved calls may mean are of their files.
    let named = by_name.values().flat_map(|of_name| &of_name.definitions);
    let mentions = match importer.compiler.files.is_empty() {
        true => {
            let of_providers = consulted.iter().filter(|file| !layout.is_own(**file));
            let read = (0..n_own).map(FileIdx).chain(of_providers.copied());
            let of_read = Mentions::of(read.map(|file| codebase.program().facts(file)));
            let passed = layout.files.iter().filter(|file| file.repository != 0).map(|file| &file.facts.facts);
            of_read.and(Mentions::of_passages(passed))
        }
        false => Mentions::any(),
    };
    let consulted = layout.paths_of_providers(&consulted, named);
    ImporterLinks {
        mentions,
        unresolved: by_name,
        unresolved_accesses: accesses,
        may_miss_any: is_cut,
        consulted,
        ..found
    }
}

fn declared_packages(facts: &LinkFacts) -> DeclaredPackages {
    let texts: Vec<ManifestFile<'_>> = facts.manifests.iter().map(|(path, text)| ManifestFile { path, text }).collect();
    DeclaredPackages::new(&texts).with_version_tags(&facts.version_tags)
}

impl SymbolLink {
    /// Returns the confidence of the link, given the number of repositories that make the package.
    pub fn confidence(&self, n_makers: usize) -> f32 {
        self.resolution.confidence() / n_makers.max(1) as f32
    }

    /// Returns the link as a contract of the package with this key, which so many repositories make. `use_idx` identifies the link
    /// among the uses of the importer. Its texts are those of `texts`, which the contracts of an importer share.
    pub fn into_contract(self, package: &str, n_makers: usize, use_idx: u32, texts: &SharedTexts) -> ContractLink {
        let confidence = self.confidence(n_makers);
        ContractLink {
            kind: ContractKind::PackageSymbol,
            key: texts.share(package),
            member: texts.share(&self.target_name.unwrap_or_default()),
            use_idx,
            user: self.user.with_path_of(texts),
            offer: self.target.with_path_of(texts),
            confidence,
            n_sites: self.n_sites,
            // A call of the target may run the user.
            serves: self.kind == EdgeKind::Dispatch,
            is_exact: true,
            use_kind: Some(self.kind),
            lines: self.lines,
            evidence: Vec::new(),
        }
    }
}
