//! The definitions and uses of sealed generations as a SCIP index.
//!
//! A symbol has the package of its repository and the path of its file, so that the exports of two repositories name it alike. It has
//! no version: an importer and the package itself are indexed at different commits.

mod names;
mod occurrences;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use compiler_index::{ExportedDocument, ExportedSymbol};
use graph::{EdgeKind, ManifestFile};
use links::{
    RepositoryManifests,
    joint::{ImporterUse, importer_uses, provider_closures},
    link_facts::{LinkFacts, LinkFactsFile, decode_importer, decode_provider},
    rules::LinkRules,
};

use super::{
    ExportError,
    cross_repo::{Exported, exported, read},
};
use names::FileSymbols;
use occurrences::{LineNames, NamedUse};

/// Returns the SCIP index of the repositories with these aliases, or of all if there are none. The paths of several repositories begin
/// with their aliases.
pub fn scip_index(data: &Path, aliases: &[String], rules: &LinkRules, version: &str) -> Result<Vec<u8>, ExportError> {
    // Symbols of a repository that is not exported are named, too.
    let repositories = exported(data, &[])?;
    let is_exported = |one: &&Exported| aliases.is_empty() || aliases.contains(&one.alias);
    let n_exported = repositories.iter().filter(is_exported).count();
    if n_exported < aliases.len().max(1) {
        let is_unknown = |alias: &&String| repositories.iter().all(|one| one.alias != **alias);
        let alias = aliases.iter().find(is_unknown).cloned().unwrap_or_default();
        let known = repositories.iter().map(|one| one.alias.clone()).collect();
        return Err(ExportError::Unknown { alias, known });
    }
    let surfaces: Vec<_> = repositories.iter().map(Exported::surface_of).collect();
    let closures = provider_closures(&surfaces, rules);
    let mut documents = Vec::new();
    let mut external = BTreeMap::new();
    for (importer, providers) in repositories.iter().zip(closures).filter(|(one, _)| is_exported(one)) {
        let providers: Vec<&Exported> = providers.iter().map(|provider| &repositories[provider.repository]).collect();
        let prefix = if n_exported > 1 { format!("{}/", importer.alias) } else { String::new() };
        let Some(exported) = export(importer, &providers, rules, &prefix)? else { continue };
        documents.extend(exported.documents);
        external.extend(exported.external.into_iter().map(|symbol| (symbol.symbol.clone(), symbol)));
    }
    let defined: BTreeSet<&str> =
        documents.iter().flat_map(|document| &document.symbols).map(|symbol| symbol.symbol.as_str()).collect();
    let external: Vec<ExportedSymbol> =
        external.into_values().filter(|symbol| !defined.contains(symbol.symbol.as_str())).collect();
    Ok(compiler_index::write(version, documents, external)?)
}

/// The part of an index that is about one repository.
struct RepositoryExport {
    documents: Vec<ExportedDocument>,
    /// The used symbols of other repositories.
    external: Vec<ExportedSymbol>,
}

/// Exports a repository; `None` if it has no file in a language with type inference.
fn export(
    importer: &Exported,
    providers: &[&Exported],
    rules: &LinkRules,
    prefix: &str,
) -> Result<Option<RepositoryExport>, ExportError> {
    let Some(facts) = read(importer, decode_importer)? else { return Ok(None) };
    let others = providers.iter().map(|provider| {
        let facts = read(provider, decode_provider)?.unwrap_or_default();
        Ok(facts.by_rules(&provider.alias, rules))
    });
    let others: Vec<LinkFacts> = others.collect::<Result<_, ExportError>>()?;
    let uses = importer_uses(&facts, &others);
    let symbols: Vec<RepositorySymbols<'_>> =
        std::iter::once(&facts).chain(&others).map(RepositorySymbols::new).collect();
    let mut external = BTreeMap::new();
    for one in uses.iter().filter(|one| one.repository != 0) {
        if let Some((symbol, name)) = symbols[one.repository as usize].symbol(one) {
            external.entry(symbol).or_insert(name);
        }
    }
    let mut documents = Vec::new();
    for file in &facts.files {
        let source = importer.snapshot.source(&file.path, None)?;
        let text = source.map(|source| source.text).unwrap_or_default();
        let of_file = uses.partition_point(|one| one.file_idx < file.file_idx);
        let uses = uses[of_file..].iter().take_while(|one| one.file_idx == file.file_idx);
        documents.push(document(file, &text, uses.copied(), &symbols, prefix));
    }
    let external = external.into_iter().map(|(symbol, display_name)| ExportedSymbol {
        symbol,
        display_name,
        documentation: String::new(),
        implements: Vec::new(),
    });
    Ok(Some(RepositoryExport { documents, external: external.collect() }))
}

/// The symbols of the files of a repository.
struct RepositorySymbols<'a> {
    facts: &'a LinkFacts,
    /// By file of the facts.
    names: Vec<FileSymbols>,
}

impl<'a> RepositorySymbols<'a> {
    fn new(facts: &'a LinkFacts) -> RepositorySymbols<'a> {
        let texts: Vec<ManifestFile<'_>> =
            facts.manifests.iter().map(|(path, text)| ManifestFile { path, text }).collect();
        let manifests = RepositoryManifests::read(&texts);
        RepositorySymbols { facts, names: facts.files.iter().map(|file| FileSymbols::new(file, &manifests)).collect() }
    }

    /// Returns the symbol of the target of a use, with its name.
    fn symbol(&self, used: &ImporterUse) -> Option<(String, String)> {
        let file = self.file(used.target.file_idx)?;
        let name = &self.facts.files[file].facts.definitions.get(used.target.definition as usize)?.name;
        Some((self.names[file].symbol(used.target.definition)?.to_owned(), name.clone()))
    }

    fn file(&self, file_idx: u32) -> Option<usize> {
        self.facts.files.binary_search_by_key(&file_idx, |file| file.file_idx).ok()
    }
}

fn document(
    file: &LinkFactsFile,
    text: &str,
    uses: impl Iterator<Item = ImporterUse>,
    symbols: &[RepositorySymbols<'_>],
    prefix: &str,
) -> ExportedDocument {
    let own = &symbols[0];
    let names = own.file(file.file_idx).map(|index| &own.names[index]);
    let symbol_of = |definition: u32| names.and_then(|names| names.symbol(definition)).map(str::to_owned);
    let mut lines = LineNames::new(text);
    let mut implemented: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
    let mut occurrences = Vec::new();
    for (definition, index) in file.facts.definitions.iter().zip(0..) {
        let Some(symbol) = symbol_of(index) else { continue };
        occurrences.extend(lines.occurrence(definition.name_line, &[&definition.name], symbol, true));
    }
    for one in uses {
        let Some((symbol, name)) = symbols[one.repository as usize].symbol(&one) else { continue };
        if let (Some(user), EdgeKind::Extends | EdgeKind::Implements) = (one.user, one.kind) {
            implemented.entry(user).or_default().insert(symbol.clone());
        }
        let written = NamedUse::new(&file.facts, &symbols[one.repository as usize], &one, &name);
        occurrences.extend(lines.occurrence(one.line, &written.names(), symbol, false));
    }
    occurrences.sort();
    occurrences.dedup();
    let mut described: BTreeMap<String, ExportedSymbol> = BTreeMap::new();
    for (definition, index) in file.facts.definitions.iter().zip(0..) {
        let Some(symbol) = symbol_of(index) else { continue };
        let implements = implemented.remove(&index).into_iter().flatten();
        let (display_name, documentation) = (definition.name.clone(), String::new());
        let entry = described.entry(symbol.clone());
        let described = entry.or_insert(ExportedSymbol { symbol, display_name, documentation, implements: Vec::new() });
        described.implements.extend(implements);
    }
    ExportedDocument {
        path: format!("{prefix}{}", file.path),
        language: file.facts.language.name().to_owned(),
        occurrences,
        symbols: described.into_values().collect(),
    }
}
