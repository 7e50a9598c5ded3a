//! A provider as the links of its importers depend on it.
//!
//! Links of an importer stay exact while three things of each provider stay the same: its *outline*, the state of each of its files that
//! inference looked into, and its definitions whose names the importer mentions. Node numbers and lines of targets may change: they are
//! read from the newest view.

use std::collections::BTreeMap;

use graph::{InterfaceHash, extensions_hash, interface_parts};
use model::{Language, SymbolKind, symbol::qualify};

use super::mentions::{Mentions, innermost, name_hash};
use crate::link_facts::{LinkFacts, LinkFactsFile};

/// Offset of the part of an interface that any file of the same language family can depend on.
const PASSAGES: usize = 8;

/// A provider at one generation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProviderView {
    /// A hash over manifests, paths, passages and extensions: whatever can change the meaning of any import or name, except for definitions.
    outline: [u8; 32],
    n_symbols: u32,
    files: BTreeMap<String, ProviderFile>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProviderFile {
    /// A hash of the interface without definitions that are compared for themselves.
    state: InterfaceHash,
    /// A hash over the names of all definitions.
    names_hash: u64,
    file_idx: u32,
    first_symbol: u32,
    definitions: Box<[ProviderDefinition]>,
}

/// A definition of a provider. Names are hashes.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ProviderDefinition {
    name_line: u32,
    name: u32,
    container: u32,
    qualified: u32,
    /// The number of the block that adds it to a type, from 1; 0 if it is in no such block.
    block: u32,
    /// A hash over its declaration; 0 if the state of the file has it.
    declaration: u64,
    /// True for a part of an interface that types implement without naming it.
    is_structural: bool,
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
            add(file.path.as_bytes());
            add(&file.interface[PASSAGES..]);
            if !file.facts.code.extensions.is_empty() {
                add(&extensions_hash(&file.facts).to_le_bytes());
            }
            files.insert(file.path.clone(), ProviderFile::new(file));
        }
        // The definitions that its compiler knows are targets, too.
        add(&postcard::to_allocvec(&facts.compiler).unwrap_or_default());
        facts.version_tags.iter().for_each(|tag| add(tag.as_bytes()));
        let n_symbols = facts.n_symbols;
        ProviderView { outline: hasher.finalize().into(), n_symbols, files }
    }

    /// Returns the approximate size of the view in memory.
    pub fn n_bytes(&self) -> usize {
        let of_file = |(path, file): (&String, &ProviderFile)| {
            path.len() + size_of::<(String, ProviderFile)>() + size_of_val(&*file.definitions)
        };
        size_of::<ProviderView>() + self.files.iter().map(of_file).sum::<usize>()
    }

    /// Returns a file.
    pub(super) fn file(&self, path: &str) -> Option<&ProviderFile> {
        self.files.get(path)
    }

    /// Returns the state of the provider that links depend on, given the paths of the files that inference looked into, ascending.
    pub(super) fn state<'p>(
        &self,
        consulted: impl Iterator<Item = &'p str> + Clone,
        mentions: &Mentions,
    ) -> Option<[u8; 32]> {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.outline);
        for path in consulted.clone() {
            hasher.update(&self.files.get(path)?.state);
        }
        let mut consulted = consulted.peekable();
        for (path, file) in &self.files {
            while consulted.next_if(|one| *one < path.as_str()).is_some() {}
            let is_consulted = consulted.peek() == Some(&path.as_str());
            file.add_mentioned(&mut hasher, (path, is_consulted), mentions);
        }
        Some(hasher.finalize().into())
    }

    /// Returns the node number of a definition in this view.
    pub(super) fn node(&self, path: &str, definition: u32) -> Option<u32> {
        Some(self.files.get(path)?.first_symbol + definition)
    }

    /// Returns the node number and the line of a definition of a file, or of the file as a whole.
    pub(super) fn place(&self, file: &ProviderFile, definition: Option<u32>) -> Option<(u32, u32)> {
        match definition {
            Some(definition) => {
                let name_line = file.definitions.get(definition as usize)?.name_line;
                Some((file.first_symbol + definition, name_line))
            }
            None => Some((self.n_symbols + file.file_idx, 1)),
        }
    }
}

impl ProviderFile {
    fn new(file: &LinkFactsFile) -> ProviderFile {
        let facts = &file.facts;
        let parts = interface_parts(facts);
        let is_interface =
            |idx: u32| facts.definitions.get(idx as usize).is_some_and(|one| one.kind == SymbolKind::Interface);
        let mut blocks = vec![0; facts.definitions.len()];
        for (extension, number) in facts.code.extensions.iter().zip(1..) {
            for member in &extension.members {
                if let Some(block) = blocks.get_mut(member.index()) {
                    *block = number;
                }
            }
        }
        let definitions = (0..).zip(&facts.definitions).map(|(idx, definition)| ProviderDefinition {
            name_line: definition.name_line,
            name: name_hash(&definition.name),
            container: name_hash(innermost(&definition.container)),
            qualified: name_hash(&qualify(&definition.container, &definition.name)),
            block: blocks[idx as usize],
            declaration: parts.as_ref().map_or(0, |parts| parts.definitions[idx as usize]),
            is_structural: facts.language == Language::Go
                && (is_interface(idx) || definition.parent.is_some_and(is_interface)),
        });
        let definitions: Box<[ProviderDefinition]> = definitions.collect();
        let mut hasher = blake3::Hasher::new();
        definitions.iter().for_each(|one| _ = hasher.update(&one.qualified.to_le_bytes()));
        let names_hash = hasher.finalize().as_bytes().first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        let state = parts.map_or(file.interface, |parts| parts.rest);
        ProviderFile { state, names_hash, file_idx: file.file_idx, first_symbol: file.first_symbol, definitions }
    }

    /// Hashes the definitions that an importer mentions by their name or that of their type, with their blocks. The declaration of one counts
    /// if inference looked into the file.
    fn add_mentioned(&self, hasher: &mut blake3::Hasher, (path, is_consulted): (&str, bool), mentions: &Mentions) {
        let is_mentioned =
            |one: &&ProviderDefinition| one.is_structural || mentions.has(one.name) || mentions.has(one.container);
        let mut has_any = false;
        for one in self.definitions.iter().filter(is_mentioned) {
            if !has_any {
                hasher.update(path.as_bytes());
                has_any = true;
            }
            hasher.update(&one.qualified.to_le_bytes());
            hasher.update(&one.block.to_le_bytes());
            if is_consulted || one.is_structural {
                hasher.update(&one.declaration.to_le_bytes());
            }
        }
    }

    /// Returns the hash over the names of all definitions.
    pub(super) fn names_hash(&self) -> u64 {
        self.names_hash
    }

    /// Returns the number of a definition that had another number when the file had other definitions, with names of the hash `before`.
    /// `None` if no definition, or more than one, has its name.
    pub(super) fn moved(&self, before: u64, definition: u32, qualified: &str) -> Option<u32> {
        if self.names_hash == before {
            return Some(definition);
        }
        let name = name_hash(qualified);
        let mut same = (0..).zip(&self.definitions).filter(|(_, one)| one.qualified == name).map(|(idx, _)| idx);
        same.next().filter(|_| same.next().is_none())
    }
}
