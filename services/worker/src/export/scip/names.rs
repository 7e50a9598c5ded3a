//! The symbols of the definitions of a file: package, path of the file, and the definitions around each.

use std::collections::HashMap;

use compiler_index::{DescriptorKind, GlobalSymbol, MAX_SYMBOL_BYTES, SymbolDescriptor};
use links::{RepositoryManifests, compiler_facts::package_manager, link_facts::LinkFactsFile};
use model::{Definition, SymbolKind, symbol::qualify};

/// The scheme of the symbols of an export.
const SCHEME: &str = "causeway";

/// The symbols of a file, by number of the definition. One that is too long is left out.
pub(super) struct FileSymbols(Vec<Option<String>>);

impl FileSymbols {
    pub(super) fn new(file: &LinkFactsFile, manifests: &RepositoryManifests) -> FileSymbols {
        let package = manifests.package_of(&file.path, file.facts.language).and_then(package_manager);
        let (manager, package) = package.unwrap_or_default();
        let namespace: Vec<SymbolDescriptor> =
            file.path.split('/').map(|part| descriptor(part, DescriptorKind::Namespace)).collect();
        let definitions = &file.facts.definitions;
        let kinds: HashMap<String, DescriptorKind> = definitions
            .iter()
            .map(|one| (qualify(&one.container, &one.name), kind_of(one.kind)))
            .filter(|(_, kind)| *kind != DescriptorKind::Term)
            .collect();
        let mut n_equal: HashMap<(String, DescriptorKind), u32> = HashMap::new();
        let symbols = definitions.iter().map(|definition| {
            let mut last = descriptor(&definition.name, kind_of(definition.kind));
            let before = n_equal.entry((qualify(&definition.container, &definition.name), last.kind)).or_default();
            if last.kind == DescriptorKind::Method && *before > 0 {
                last.disambiguator = format!("+{before}");
            }
            *before += 1;
            let around = containers(definition, &kinds);
            let symbol = GlobalSymbol {
                scheme: SCHEME.to_owned(),
                manager: manager.to_owned(),
                package: package.to_owned(),
                version: String::new(),
                descriptors: namespace.iter().cloned().chain(around).chain([last]).collect(),
            };
            Some(symbol.format()).filter(|text| text.len() <= MAX_SYMBOL_BYTES)
        });
        FileSymbols(symbols.collect())
    }

    pub(super) fn symbol(&self, definition: u32) -> Option<&str> {
        self.0.get(definition as usize)?.as_deref()
    }
}

fn descriptor(name: &str, kind: DescriptorKind) -> SymbolDescriptor {
    SymbolDescriptor { name: name.to_owned(), kind, disambiguator: String::new() }
}

/// Returns the descriptors of the definitions around another.
fn containers(definition: &Definition, kinds: &HashMap<String, DescriptorKind>) -> Vec<SymbolDescriptor> {
    let names = definition.container.split('.').filter(|name| !name.is_empty());
    let mut qualified = String::new();
    let around = names.map(|name| {
        qualified = qualify(&qualified, name);
        descriptor(name, kinds.get(&qualified).copied().unwrap_or(DescriptorKind::Type))
    });
    around.collect()
}

fn kind_of(kind: SymbolKind) -> DescriptorKind {
    use SymbolKind::*;
    match kind {
        Function | Method | Constructor | Rpc => DescriptorKind::Method,
        Macro => DescriptorKind::Macro,
        Module => DescriptorKind::Namespace,
        kind if kind.is_type() => DescriptorKind::Type,
        _ => DescriptorKind::Term,
    }
}
