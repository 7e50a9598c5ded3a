//! A provider as the links of its importers depend on it.
//!
//! Links of an importer stay exact while two things stay the same: the *outline* of each provider, and the interface of each of its
//! files that inference looked into. Node numbers and lines of targets may change: they are read from the newest view.

use std::collections::BTreeMap;

use graph::{InterfaceHash, interface_hash};
use serde::{Deserialize, Serialize};

use super::{ImporterLinks, SymbolLink};
use crate::{
    join::ContractSite,
    link_facts::{self, LinkFacts, LinkFactsError, LinkFactsFile},
};

/// Offset of the part of an interface that any file of the same language family can depend on.
const PASSAGES: usize = 8;

/// A provider at one generation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProviderView {
    /// A hash over manifests, paths, names of definitions, and passages: whatever can change the meaning of any import or name.
    outline: [u8; 32],
    n_symbols: u32,
    files: BTreeMap<String, ProviderFile>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct ProviderFile {
    interface: InterfaceHash,
    file_idx: u32,
    first_symbol: u32,
    /// By definition: the line of its name.
    name_lines: Vec<u32>,
}

impl ProviderView {
    /// Returns the view of a provider with these facts.
    pub fn new(facts: &LinkFacts) -> ProviderView {
        let mut hasher = blake3::Hasher::new();
        let mut add = |bytes: &[u8]| {
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        for (path, text) in &facts.manifests {
            add(path.as_bytes());
            add(text.as_bytes());
        }
        let mut files = BTreeMap::new();
        for file in &facts.files {
            let view = ProviderFile::new(file);
            add(file.path.as_bytes());
            add(&view.interface[PASSAGES..]);
            for definition in &file.facts.definitions {
                add(definition.container.as_bytes());
                add(definition.name.as_bytes());
            }
            files.insert(file.path.clone(), view);
        }
        // The definitions that its compiler knows are targets, too.
        add(&postcard::to_allocvec(&facts.compiler).unwrap_or_default());
        facts.version_tags.iter().for_each(|tag| add(tag.as_bytes()));
        let n_symbols = facts.n_symbols;
        ProviderView { outline: hasher.finalize().into(), n_symbols, files }
    }

    /// Returns the node number of a definition in this view.
    fn node(&self, path: &str, definition: u32) -> Option<u32> {
        Some(self.files.get(path)?.first_symbol + definition)
    }

    /// Returns a target with the node number and the line that it has in this view.
    fn target(&self, link: &SymbolLink) -> Option<ContractSite> {
        let file = self.files.get(&*link.target.path)?;
        let (node, line) = match link.target_definition {
            Some(definition) => (file.first_symbol + definition, *file.name_lines.get(definition as usize)?),
            None => (self.n_symbols + file.file_idx, 1),
        };
        Some(ContractSite { node, path: link.target.path.clone(), line })
    }
}

impl ProviderFile {
    fn new(file: &LinkFactsFile) -> ProviderFile {
        ProviderFile {
            interface: interface_hash(&file.facts),
            file_idx: file.file_idx,
            first_symbol: file.first_symbol,
            name_lines: file.facts.definitions.iter().map(|definition| definition.name_line).collect(),
        }
    }
}

/// The links of an importer, and the state of its providers that they depend on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TracedLinks {
    /// By provider: the generation.
    generations: Vec<String>,
    /// By provider: the state.
    traces: Vec<ProviderTrace>,
    /// The links, in the numbers of these generations.
    pub links: ImporterLinks,
}

/// The state of one provider that links depend on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct ProviderTrace {
    outline: [u8; 32],
    /// The interface of each file that inference looked into, by path.
    interfaces: Vec<(String, InterfaceHash)>,
}

impl TracedLinks {
    /// Traces links that were made of providers with these views at these generations.
    pub fn new(links: ImporterLinks, views: &[&ProviderView], generations: Vec<String>) -> TracedLinks {
        let trace = |(view, consulted): (&&ProviderView, &Vec<String>)| ProviderTrace {
            outline: view.outline,
            interfaces: consulted
                .iter()
                .filter_map(|path| Some((path.clone(), view.files.get(path)?.interface)))
                .collect(),
        };
        let traces = views.iter().zip(&links.consulted).map(trace).collect();
        TracedLinks { generations, traces, links }
    }

    /// Returns the indices of the providers that are at other generations now; `None` if these are other providers.
    pub fn changed(&self, generations: &[&str]) -> Option<Vec<usize>> {
        let is_same = self.generations.len() == generations.len() && self.traces.len() == generations.len();
        let pairs = self.generations.iter().zip(generations).enumerate();
        is_same.then(|| pairs.filter(|(_, (before, now))| before != *now).map(|(provider, _)| provider).collect())
    }

    /// Returns the links in the numbers of a new generation of one provider; `None` if the importer must be linked again.
    pub fn renewed(mut self, provider: usize, view: &ProviderView, generation: &str) -> Option<TracedLinks> {
        let trace = self.traces.get(provider)?;
        let has_same = |(path, interface): &(String, InterfaceHash)| {
            view.files.get(path).is_some_and(|file| file.interface == *interface)
        };
        if trace.outline != view.outline || !trace.interfaces.iter().all(has_same) {
            return None;
        }
        for link in self.links.links.iter_mut().filter(|link| link.provider as usize == provider) {
            link.target = view.target(link)?;
        }
        let unresolved = self.links.unresolved.values_mut().flat_map(|of_name| &mut of_name.definitions);
        for definition in unresolved.filter(|definition| definition.repository as usize == provider + 1) {
            definition.node = view.node(&definition.path, definition.definition)?;
        }
        self.generations[provider] = generation.to_owned();
        Some(self)
    }

    /// Encodes the links for a cache; `None` if they are too long.
    pub fn encode(&self) -> Option<Vec<u8>> {
        link_facts::section(self)
    }

    /// Decodes the links of a cache.
    pub fn decode(bytes: &[u8]) -> Result<TracedLinks, LinkFactsError> {
        link_facts::read_section(bytes)
    }
}
