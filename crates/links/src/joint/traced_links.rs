//! The links of an importer with the state of its providers, as caches store them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    ImporterLinks, SymbolLink,
    link_trace::{LinkTrace, TracedProvider},
    provider_view::ProviderView,
    renumbering::{ProviderRenumbering, definitions_of, set_nodes},
};
use crate::{
    join::ContractSite,
    link_facts::{self, LinkFactsError},
    shared_text::SharedTexts,
};

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
    state: [u8; 32],
    /// The files that inference looked into, by path.
    consulted: Vec<String>,
    /// By path of the file of a target: the hash over the names of its definitions.
    names_hashes: BTreeMap<String, u64>,
}

impl TracedLinks {
    /// Traces links that were made of providers with these views at these generations.
    pub fn new(links: ImporterLinks, views: &[&ProviderView], generations: Vec<String>) -> TracedLinks {
        let trace = |((view, consulted), provider): ((&&ProviderView, &Vec<String>), usize)| {
            let is_known = |path: &&String| view.file(path).is_some();
            let consulted: Vec<String> = consulted.iter().filter(is_known).cloned().collect();
            let names_hash = |path: &str| Some((path.to_owned(), view.file(path)?.names_hash()));
            ProviderTrace {
                state: view.state(consulted.iter().map(String::as_str), &links.mentions).unwrap_or_default(),
                names_hashes: target_paths(&links, provider).filter_map(names_hash).collect(),
                consulted,
            }
        };
        let traces = views.iter().zip(&links.consulted).zip(0..).map(trace).collect();
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
        let trace = self.traces.get_mut(provider)?;
        if trace.state != view.state(trace.consulted.iter().map(String::as_str), &self.links.mentions)? {
            return None;
        }
        let names_before = |path: &str| trace.names_hashes.get(path).copied();
        let renumbering = ProviderRenumbering { provider, names_before: &names_before, view };
        for link in self.links.links.iter_mut().filter(|link| link.provider as usize == provider) {
            let definition = match link.target_definition {
                Some(before) => Some((before, link.target_name.as_deref()?)),
                None => None,
            };
            let place = renumbering.target(&link.target.path, definition)?;
            link.target_definition = place.definition;
            link.target = ContractSite { node: place.node, path: link.target.path.clone(), line: place.line };
        }
        let nodes = renumbering.nodes(&self.links.unresolved)?;
        set_nodes(&mut self.links.unresolved, provider, nodes);
        let now = |path: &String| Some((path.clone(), renumbering.names_hash(path)?));
        trace.names_hashes = trace.names_hashes.keys().map(now).collect::<Option<_>>()?;
        self.generations[provider] = generation.to_owned();
        Some(self)
    }

    /// Returns the trace of the links, which stays in memory with them. Its paths are those of `texts`.
    pub fn trace(&self, texts: &SharedTexts) -> LinkTrace {
        let traces = self.traces.iter().zip(0..);
        let provider = |(trace, provider): (&ProviderTrace, u32)| {
            let links = self.links.links.iter().filter(|link: &&SymbolLink| link.provider == provider);
            TracedProvider::new(trace.state, (&trace.consulted, &trace.names_hashes), links, texts)
        };
        LinkTrace::new(traces.map(provider).collect(), self.links.mentions.clone())
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

/// Returns the paths of the files of a provider that have targets of links, or definitions that unresolved calls may mean.
fn target_paths(links: &ImporterLinks, provider: usize) -> impl Iterator<Item = &str> {
    let of_links = links.links.iter().filter(move |link| link.provider as usize == provider);
    let of_named = definitions_of(&links.unresolved, provider);
    of_links.map(|link| &*link.target.path).chain(of_named.map(|definition| definition.path.as_str()))
}
