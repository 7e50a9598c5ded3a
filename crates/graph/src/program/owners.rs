//! The owners of definitions within one file.

use std::cell::OnceCell;

use model::{FileFacts, symbol::qualify};
use rustc_hash::FxHashMap;

/// Finds the owner of a definition in its file: the definition around it, or the type that its container names, as for
/// methods of Go and Rust.
pub(super) struct OwnersInFile<'a> {
    facts: &'a FileFacts,
    /// By container and name. Most files have no definition whose container is elsewhere.
    types: OnceCell<FxHashMap<String, u32>>,
}

impl<'a> OwnersInFile<'a> {
    pub(super) fn new(facts: &'a FileFacts) -> OwnersInFile<'a> {
        OwnersInFile { facts, types: OnceCell::new() }
    }

    fn types(&self) -> &FxHashMap<String, u32> {
        self.types.get_or_init(|| {
            let types = self.facts.definitions.iter().enumerate().filter(|(_, definition)| definition.kind.is_type());
            let mut by_name = FxHashMap::default();
            for (index, definition) in types {
                by_name.entry(qualify(&definition.container, &definition.name)).or_insert(index as u32);
            }
            by_name
        })
    }

    /// Returns the owner of a definition; `None` if it is at the top.
    pub(super) fn of(&self, index: usize) -> Option<u32> {
        let definition = &self.facts.definitions[index];
        let enclosing = definition.parent.map(|parent| &self.facts.definitions[parent as usize]);
        let expected = definition.container.rsplit('.').next().unwrap_or_default();
        if expected.is_empty() || enclosing.is_some_and(|enclosing| enclosing.name == expected) {
            return definition.parent;
        }
        let sibling = self.types().get(&definition.container).copied().filter(|owner| *owner as usize != index);
        sibling.or(definition.parent)
    }
}
