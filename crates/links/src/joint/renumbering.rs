//! The numbers and lines of the targets in a provider at another generation of it.

use std::collections::BTreeMap;

use super::{NamedDefinition, UnresolvedName, provider_view::ProviderView};

/// A provider at two generations, at which the links to it have the same ends.
pub(super) struct ProviderRenumbering<'a> {
    /// The index of the provider.
    pub(super) provider: usize,
    /// By path of the file of a target: the hash over the names of its definitions at the former generation.
    pub(super) names_before: &'a dyn Fn(&str) -> Option<u64>,
    /// The provider at the new generation.
    pub(super) view: &'a ProviderView,
}

/// The place of a target at the new generation.
pub(super) struct TargetPlace {
    /// The number of the definition within its file; `None` for a file.
    pub(super) definition: Option<u32>,
    pub(super) node: u32,
    pub(super) line: u32,
}

impl ProviderRenumbering<'_> {
    /// Returns the new place of a definition, given its former number and its qualified name, or of a whole file. `None` if it is not known
    /// which definition it is now.
    pub(super) fn target(&self, path: &str, definition: Option<(u32, &str)>) -> Option<TargetPlace> {
        let file = self.view.file(path)?;
        let definition = match definition {
            Some((before, qualified)) => Some(file.moved((self.names_before)(path)?, before, qualified)?),
            None => None,
        };
        let (node, line) = self.view.place(file, definition)?;
        Some(TargetPlace { definition, node, line })
    }

    /// Returns the new nodes of the definitions of the provider that unresolved calls may mean, in their order. `None` if the file of one has
    /// other definitions: its number among them is not known.
    pub(super) fn nodes(&self, unresolved: &BTreeMap<String, UnresolvedName>) -> Option<Vec<u32>> {
        let node = |definition: &NamedDefinition| {
            let is_same = (self.names_before)(&definition.path)? == self.names_hash(&definition.path)?;
            self.view.node(&definition.path, definition.definition).filter(|_| is_same)
        };
        definitions_of(unresolved, self.provider).map(node).collect()
    }

    /// Returns the hash over the names of the definitions of a file at the new generation.
    pub(super) fn names_hash(&self, path: &str) -> Option<u64> {
        Some(self.view.file(path)?.names_hash())
    }
}

/// Sets the nodes of the definitions of a provider that unresolved calls may mean, in their order.
pub(super) fn set_nodes(unresolved: &mut BTreeMap<String, UnresolvedName>, provider: usize, nodes: Vec<u32>) {
    let definitions = unresolved.values_mut().flat_map(|of_name| &mut of_name.definitions);
    let of_provider = definitions.filter(|definition| is_of(definition, provider));
    of_provider.zip(nodes).for_each(|(definition, node)| definition.node = node);
}

/// Returns the definitions of a provider that unresolved calls may mean, in their order.
pub(super) fn definitions_of(
    unresolved: &BTreeMap<String, UnresolvedName>,
    provider: usize,
) -> impl Iterator<Item = &NamedDefinition> {
    let definitions = unresolved.values().flat_map(|of_name| &of_name.definitions);
    definitions.filter(move |definition| is_of(definition, provider))
}

/// Returns true for a definition of the provider with this index.
fn is_of(definition: &NamedDefinition, provider: usize) -> bool {
    definition.repository as usize == provider + 1
}
