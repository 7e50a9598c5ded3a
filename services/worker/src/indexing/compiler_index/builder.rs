//! From the occurrences of documents to the facts of a generation: symbols and names are numbered, and definitions are found.

use std::collections::HashMap;

use compiler_index::{DescriptorKind, FittedDocument, FittedOccurrence, GlobalSymbol, Relationship};
use links::compiler_facts::{
    CompilerFacts, CompilerFile, CompilerSymbol, DefinitionPlace, SymbolBase, SymbolUse, package_key,
};
use model::{Definition, FileFacts};

use super::FileToLink;

/// Maximum number of definitions of one symbol, such as overloads and parts of a namespace.
const MAX_DEFINITIONS: usize = 16;

/// Collects the documents of indexes.
#[derive(Default)]
pub(super) struct CompilerFactsBuilder {
    facts: CompilerFacts,
    /// By text: the index of the symbol.
    symbols: HashMap<String, u32>,
    /// By text: the index of the name.
    names: HashMap<String, u32>,
    /// By number of the file: its index among the described files.
    files: HashMap<u32, usize>,
    /// By index of the file: types with their bases.
    implementations: Vec<(u32, u32)>,
}

impl CompilerFactsBuilder {
    /// Returns true if a document of the file was added.
    pub(super) fn has_file(&self, file_idx: u32) -> bool {
        self.files.contains_key(&file_idx)
    }

    /// Adds the document of a file.
    pub(super) fn add(&mut self, file_idx: u32, facts: &FileFacts, document: FittedDocument) {
        let FittedDocument { occurrences, relationships } = document;
        let by_line = DefinitionsByLine::new(facts);
        let mut uses = Vec::new();
        for occurrence in occurrences {
            let symbol = self.symbol(&occurrence.symbol);
            if occurrence.is_definition {
                let known = &mut self.facts.symbols[symbol as usize];
                known.is_defined = true;
                let place = by_line.find(facts, &occurrence, known);
                let place = place.map(|definition| DefinitionPlace { file_idx, definition });
                if known.definitions.len() < MAX_DEFINITIONS {
                    known.definitions.extend(place);
                }
            } else {
                uses.push(SymbolUse { line: occurrence.line, name: self.name(occurrence.name), symbol });
            }
        }
        for Relationship { from, to } in relationships {
            let pair = (self.symbol(&from), self.symbol(&to));
            self.implementations.push(pair);
        }
        uses.sort_unstable();
        self.files.insert(file_idx, self.facts.files.len());
        self.facts.files.push(CompilerFile { file_idx, uses, bases: Vec::new() });
    }

    /// Returns the facts of all documents.
    pub(super) fn finish(self, files: &[FileToLink]) -> CompilerFacts {
        let CompilerFactsBuilder { mut facts, files: by_number, mut implementations, .. } = self;
        for symbol in &mut facts.symbols {
            symbol.definitions.sort_unstable();
            symbol.definitions.dedup();
        }
        implementations.sort_unstable();
        implementations.dedup();
        for (from, to) in implementations {
            let definitions = facts.symbols[from as usize].definitions.iter();
            let types = definitions.filter(|place| definition(files, **place).kind.is_type());
            for place in types {
                // The definitions of a symbol may be in several files.
                if let Some(file) = by_number.get(&place.file_idx) {
                    facts.files[*file].bases.push(SymbolBase { definition: place.definition, symbol: to });
                }
            }
        }
        facts.files.sort_unstable_by_key(|file| file.file_idx);
        facts
    }

    fn symbol(&mut self, text: &str) -> u32 {
        if let Some(known) = self.symbols.get(text) {
            return *known;
        }
        let number = self.facts.symbols.len() as u32;
        self.facts.symbols.push(new_symbol(text));
        self.symbols.insert(text.to_owned(), number);
        number
    }

    fn name(&mut self, name: String) -> u32 {
        let names = &mut self.facts.names;
        *self.names.entry(name).or_insert_with_key(|name| {
            names.push(name.clone());
            names.len() as u32 - 1
        })
    }
}

fn definition(files: &[FileToLink], place: DefinitionPlace) -> &Definition {
    &files[place.file_idx as usize].facts.definitions[place.definition as usize]
}

fn new_symbol(text: &str) -> CompilerSymbol {
    let parsed = GlobalSymbol::parse(text);
    let package = parsed.as_ref().map(|symbol| package_key(&symbol.manager, &symbol.package)).unwrap_or_default();
    let (mut namespace, mut path) = (Vec::new(), Vec::new());
    let mut is_part = false;
    for descriptor in parsed.into_iter().flat_map(|symbol| symbol.descriptors) {
        is_part = false;
        match descriptor.kind {
            DescriptorKind::Namespace => namespace.push(descriptor.name),
            DescriptorKind::Type | DescriptorKind::Term | DescriptorKind::Method | DescriptorKind::Macro => {
                path.push(plain_name(descriptor.name));
            }
            // Part of an implementation in Rust: `impl#[Type]method()`.
            DescriptorKind::Other if path.last().is_some_and(|last| last == "impl") => {
                path.pop();
                path.push(plain_name(descriptor.name));
            }
            DescriptorKind::Other => is_part = true,
        }
    }
    // Parameters and parts of types are no definitions here, and must not be taken for the function or type around them.
    let path = if is_part { Vec::new() } else { path };
    CompilerSymbol { text: text.to_owned(), package, namespace, path, is_defined: false, definitions: Vec::new() }
}

/// Returns the name in the source of a name in a symbol: `constructor` for `<constructor>`, `size` for `<get>size`, `Pool` for
/// `Pool<T>`.
fn plain_name(name: String) -> String {
    let plain = match name.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
        Some((marker, "")) => marker,
        Some((_, name)) => name,
        None => name.split('<').next().unwrap_or_default(),
    };
    plain.to_owned()
}

/// The definitions of a file by the line of their names.
struct DefinitionsByLine(HashMap<u32, Vec<u32>>);

impl DefinitionsByLine {
    fn new(facts: &FileFacts) -> DefinitionsByLine {
        let mut by_line: HashMap<u32, Vec<u32>> = HashMap::new();
        for (definition, index) in facts.definitions.iter().zip(0..) {
            by_line.entry(definition.name_line).or_default().push(index);
        }
        DefinitionsByLine(by_line)
    }

    /// Returns the definition at an occurrence: that of the same name and container if several are on the line.
    fn find(&self, facts: &FileFacts, occurrence: &FittedOccurrence, symbol: &CompilerSymbol) -> Option<u32> {
        let on_line = self.0.get(&occurrence.line)?;
        let name = symbol.path.last()?;
        let plain = occurrence.name.trim_matches(['"', '\'', '`', '#', '@']);
        let has_name = |index: &&u32| {
            let definition = &facts.definitions[**index as usize];
            definition.name == occurrence.name || definition.name == plain || definition.name == *name
        };
        let named: Vec<u32> = on_line.iter().filter(has_name).copied().collect();
        let container = symbol.path.len().checked_sub(2).map_or("", |owner| symbol.path[owner].as_str());
        let is_contained = |index: &&u32| {
            facts.definitions[**index as usize].container.rsplit('.').next().unwrap_or_default() == container
        };
        named.iter().find(is_contained).or_else(|| named.first()).copied()
    }
}
