//! The joint links of one repository as overlays read them, and their renewal after a commit of a provider.

use std::{collections::BTreeMap, sync::Arc};

use links::{
    SharedTexts,
    joint::{
        ImportedName, LinkTrace, PackageDependency, ProviderView, Renumbered, TracedLinks, UnfollowedImports,
        UnresolvedMemberName, UnresolvedName,
    },
};

use super::{importers::ProviderPackage, pair_index::PairIndex};

/// Indices of uses from here on are of joint links, so that they differ from those of links by key.
const FIRST_USE_IDX: u32 = 1 << 31;

/// The joint links of one repository. Generations share the parts that are the same in both.
#[derive(Debug, Clone, Default)]
pub(super) struct LinkedImporter {
    /// By provider, in the order of the key.
    pub(super) links: Vec<Arc<PairIndex>>,
    /// By name of the callee: the calls that could not be resolved.
    pub(super) unresolved: Arc<BTreeMap<String, UnresolvedName>>,
    /// By name of the member: the accesses that could not be resolved.
    pub(super) unresolved_accesses: Arc<BTreeMap<String, UnresolvedMemberName>>,
    /// The imports of packages of the providers that were not followed.
    pub(super) unfollowed_imports: Arc<UnfollowedImports>,
    /// The packages of the providers that manifests require.
    pub(super) dependencies: Arc<[PackageDependency]>,
    /// The uses of names that a package of a provider does not have.
    pub(super) stale_imports: Arc<[ImportedName]>,
    /// True if there may be more unresolved calls and accesses than those listed.
    pub(super) may_miss_any: bool,
    /// By provider, as for the links.
    packages: Arc<[ProviderPackage]>,
    trace: LinkTrace,
}

impl LinkedImporter {
    /// Indexes links, given the packages of the providers.
    pub(super) fn new(traced: TracedLinks, packages: &[ProviderPackage]) -> LinkedImporter {
        let (mut by_provider, texts) = (vec![Vec::new(); packages.len()], SharedTexts::default());
        let trace = traced.trace(&texts);
        let links = traced.links;
        for (link, use_idx) in links.links.into_iter().zip(FIRST_USE_IDX..) {
            let provider = link.provider as usize;
            let package = &packages[provider];
            let required = link.dependency.map(|number| &links.dependencies[number as usize].package);
            let key = required.unwrap_or(&package.key);
            by_provider[provider].push(link.into_contract(key, package.n_makers, use_idx, &texts));
        }
        LinkedImporter {
            links: by_provider.into_iter().map(|links| Arc::new(PairIndex::new(links))).collect(),
            unresolved: Arc::new(links.unresolved),
            unresolved_accesses: Arc::new(links.unresolved_accesses),
            unfollowed_imports: Arc::new(links.unfollowed_imports),
            dependencies: links.dependencies.into(),
            stale_imports: links.stale_imports.into(),
            may_miss_any: links.may_miss_any,
            packages: packages.into(),
            trace,
        }
    }

    /// Returns true if the links to the providers name these packages.
    pub(super) fn has_packages(&self, packages: &[ProviderPackage]) -> bool {
        *self.packages == *packages
    }

    /// Returns the links in the numbers of another generation of one provider; `None` if the importer must be linked again. Links to
    /// targets that did not move are shared.
    pub(super) fn renewed(&self, provider: usize, view: &ProviderView) -> Option<LinkedImporter> {
        let renumbered = self.trace.renumbered(provider, view)?;
        let mut renewed = self.clone();
        let index = renewed.links.get_mut(provider)?;
        if let Renumbered::Changed(links) = renumbered.links(index.links())? {
            *index = Arc::new(PairIndex::new(links));
        }
        if let Renumbered::Changed(unresolved) = renumbered.unresolved(&self.unresolved)? {
            renewed.unresolved = Arc::new(unresolved);
        }
        renewed.trace = renumbered.trace()?;
        Some(renewed)
    }
}
