//! The state of the providers that the links of an importer depend on, in the form that stays in memory beside the links.
//!
//! After a commit of a provider, most links stay as they are. A trace tells whether they do, and finds the new places of targets,
//! without the link facts of either generation.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    SymbolLink, UnresolvedName,
    mentions::Mentions,
    provider_view::ProviderView,
    renumbering::{ProviderRenumbering, definitions_of, set_nodes},
};
use crate::{
    join::ContractLink,
    shared_text::{SharedText, SharedTexts},
};

/// The state of all providers of an importer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LinkTrace {
    providers: Vec<Arc<TracedProvider>>,
    mentions: Arc<Mentions>,
}

/// The state of one provider.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TracedProvider {
    state: [u8; 32],
    /// The files that inference looked into, by path.
    consulted: Box<[SharedText]>,
    /// The files with targets of links or with definitions that unresolved calls may mean, by path.
    targets: Box<[TargetFile]>,
}

/// A file in the node numbers of its generation.
#[derive(Debug, Clone, PartialEq)]
struct TargetFile {
    path: SharedText,
    /// The hash over the names of its definitions.
    names_hash: u64,
    /// The node of its first definition, if one of them is a target.
    first_symbol: Option<u32>,
    /// The node of the file, if it is a target.
    node: Option<u32>,
}

/// A provider at another generation at which all its links have the same ends.
pub struct RenumberedProvider<'a> {
    trace: &'a LinkTrace,
    provider: usize,
    view: &'a ProviderView,
}

/// A value in the numbers of another generation.
#[derive(Debug, PartialEq)]
pub enum Renumbered<T> {
    /// The value is the same in these numbers.
    Unchanged,
    /// The new value.
    Changed(T),
}

impl LinkTrace {
    pub(super) fn new(providers: Vec<TracedProvider>, mentions: Mentions) -> LinkTrace {
        LinkTrace { providers: providers.into_iter().map(Arc::new).collect(), mentions: Arc::new(mentions) }
    }

    /// Compares a provider with its view at another generation; `None` if the importer must be linked again.
    pub fn renumbered<'a>(&'a self, provider: usize, view: &'a ProviderView) -> Option<RenumberedProvider<'a>> {
        let traced = self.providers.get(provider)?;
        let state = view.state(traced.consulted.iter().map(AsRef::as_ref), &self.mentions)?;
        (traced.state == state).then_some(RenumberedProvider { trace: self, provider, view })
    }
}

impl TracedProvider {
    /// Traces a provider in this state with the links to it. `names_hashes` has the hashes over the names of definitions, by path.
    pub(super) fn new<'l>(
        state: [u8; 32],
        (consulted, names_hashes): (&[String], &BTreeMap<String, u64>),
        links: impl Iterator<Item = &'l SymbolLink>,
        texts: &SharedTexts,
    ) -> TracedProvider {
        let mut targets: BTreeMap<&str, TargetFile> = BTreeMap::new();
        for (path, names_hash) in names_hashes {
            let target =
                TargetFile { path: texts.share(path), names_hash: *names_hash, first_symbol: None, node: None };
            targets.insert(path, target);
        }
        for link in links {
            let Some(target) = targets.get_mut(&*link.target.path) else { continue };
            match link.target_definition {
                Some(definition) => target.first_symbol = link.target.node.checked_sub(definition),
                None => target.node = Some(link.target.node),
            }
        }
        TracedProvider {
            state,
            consulted: consulted.iter().map(|path| texts.share(path)).collect(),
            targets: targets.into_values().collect(),
        }
    }

    fn target(&self, path: &str) -> Option<&TargetFile> {
        let place = self.targets.binary_search_by(|target| (*target.path).cmp(path)).ok()?;
        Some(&self.targets[place])
    }
}

impl RenumberedProvider<'_> {
    fn traced(&self) -> &TracedProvider {
        &self.trace.providers[self.provider]
    }

    /// Calls a function with the renumbering of the provider.
    fn with_renumbering<T>(&self, ask: impl FnOnce(&ProviderRenumbering<'_>) -> T) -> T {
        let names_before = |path: &str| Some(self.traced().target(path)?.names_hash);
        ask(&ProviderRenumbering { provider: self.provider, names_before: &names_before, view: self.view })
    }

    /// Returns the links to the provider with the new nodes and lines of their targets; `None` if it is not known which definition a
    /// target is now.
    pub fn links(&self, links: &[ContractLink]) -> Option<Renumbered<Vec<ContractLink>>> {
        let place = |renumbering: &ProviderRenumbering<'_>, link: &ContractLink| {
            let target = self.traced().target(&link.offer.path)?;
            let definition = match target.node == Some(link.offer.node) {
                true => None,
                false => Some((link.offer.node.checked_sub(target.first_symbol?)?, &*link.member)),
            };
            let place = renumbering.target(&link.offer.path, definition)?;
            Some((place.node, place.line))
        };
        let places: Vec<(u32, u32)> = self.with_renumbering(|renumbering| {
            links.iter().map(|link| place(renumbering, link)).collect::<Option<Vec<(u32, u32)>>>()
        })?;
        let is_same = links.iter().zip(&places).all(|(link, place)| (link.offer.node, link.offer.line) == *place);
        if is_same {
            return Some(Renumbered::Unchanged);
        }
        let mut links = links.to_vec();
        for (link, (node, line)) in links.iter_mut().zip(places) {
            (link.offer.node, link.offer.line) = (node, line);
        }
        Some(Renumbered::Changed(links))
    }

    /// Returns the unresolved calls with the new nodes of the definitions of the provider; `None` if it is not known which definition one
    /// is now.
    pub fn unresolved(
        &self,
        unresolved: &BTreeMap<String, UnresolvedName>,
    ) -> Option<Renumbered<BTreeMap<String, UnresolvedName>>> {
        let nodes = self.with_renumbering(|renumbering| renumbering.nodes(unresolved))?;
        if definitions_of(unresolved, self.provider).map(|definition| definition.node).eq(nodes.iter().copied()) {
            return Some(Renumbered::Unchanged);
        }
        let mut renumbered = unresolved.clone();
        set_nodes(&mut renumbered, self.provider, nodes);
        Some(Renumbered::Changed(renumbered))
    }

    /// Returns the trace in the numbers of the new generation; `None` if a file of a target is gone.
    pub fn trace(&self) -> Option<LinkTrace> {
        let mut traced = self.traced().clone();
        for target in &mut traced.targets {
            let file = self.view.file(&target.path)?;
            target.names_hash = file.names_hash();
            if let Some(first_symbol) = &mut target.first_symbol {
                *first_symbol = self.view.node(&target.path, 0)?;
            }
            if let Some(node) = &mut target.node {
                *node = self.view.place(file, None)?.0;
            }
        }
        let mut trace = self.trace.clone();
        trace.providers[self.provider] = Arc::new(traced);
        Some(trace)
    }
}
