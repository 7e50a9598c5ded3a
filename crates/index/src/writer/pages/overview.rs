//! The overview of a repository, field by field.

mod module_map;
mod owners;
mod surface;

use std::cmp::Reverse;

use ::pages::{InfraKind, ManifestTargetKind, infra_items, manifest_targets};
use model::{FileClass, Language, SymbolId, SymbolKind, symbol::qualify};
use rustc_hash::FxHashMap;

use super::{
    context::PageContext,
    file_relations::class,
    modules::{ModuleFiles, doc_source_of, is_code},
    repository::RepositoryIntroduction,
};
use crate::{
    error::IndexError,
    overview::{
        BoundedList, DefinitionSummary, EntryPoint, EntryPointKind, FileCommunity, FileLine, HotspotFile, InfraFile,
        LanguageShare, Overview, QuotedText,
    },
};

// Maximum lengths of the lists. They exceed the length that an answer shows by default, for callers that request more.
const MAX_MODULES: usize = 120;
const MAX_PACKAGES: usize = 200;
const MAX_ROUTES: usize = 120;
const MAX_MOST_USED: usize = 60;
const MAX_OTHERS: usize = 40;

/// Maximum length of a description of the repository.
const MAX_PURPOSE_BYTES: usize = 1_500;

/// Maximum number of listed files per community.
const MAX_MEMBERS: usize = 5;

/// Maximum number of targets per file of infrastructure.
const MAX_TARGETS: usize = 12;

/// Minimum number of users of a listed definition. A definition with one user belongs to it.
const MIN_USES: u32 = 2;

/// Minimum score of a hotspot: that of a file with median churn and complexity.
const MIN_HOTSPOT_SCORE: f32 = 5.0;

/// Languages in which a main function is a method.
const LANGUAGES_WITH_MAIN_METHODS: [Language; 4] =
    [Language::Java, Language::Kotlin, Language::CSharp, Language::Scala];

/// Starts of sentences that instruct or permit rather than describe.
const NON_DESCRIPTIVE_STARTS: [&str; 9] =
    ["please ", "note:", "note that", "copy the ", "see ", "for full", "for more", "unless you", "warning:"];

/// Phrases of sentences about licences.
const LICENCE_PHRASES: [&str; 3] = ["distributed under", "licensed under", "dual licensed"];

/// Minimum number of code files of a listed community.
const MIN_COMMUNITY_FILES: u32 = 2;

impl<'a> PageContext<'a> {
    /// Returns the overview of the repository.
    pub(super) fn overview(
        &self,
        introduction: &RepositoryIntroduction,
        modules: &[ModuleFiles<'a>],
        purposes: &[QuotedText],
        kinds: &[Option<InfraKind>],
    ) -> Result<Overview, IndexError> {
        let files = &self.generation.tables.files;
        let code: Vec<u32> = (0..files.len() as u32).filter(|file| is_code(&files[*file as usize])).collect();
        let (published, required) = (self.published_packages(), self.required_packages());
        let first_package = published.first().map(|package| package.key.split_once(':').map_or("", |(_, name)| name));
        let (declared, scripts) = self.declared_entry_points()?;
        let mut entry_points = declared;
        entry_points.extend(self.main_functions());
        entry_points.sort_by_key(|entry| (entry.kind, entry.at.path.matches('/').count()));
        let mut infra = self.infra_files(kinds)?;
        infra.extend(scripts);
        infra.sort_by_key(|file| (file.path.matches('/').count(), file.path.clone()));
        Ok(Overview {
            name: if introduction.heading.is_empty() {
                first_package.unwrap_or_default()
            } else {
                &introduction.heading
            }
            .to_owned(),
            purposes: descriptions(introduction),
            languages: BoundedList::truncated(self.languages(&code), MAX_OTHERS),
            n_code_lines: code.iter().map(|file| u64::from(files[*file as usize].n_lines)).sum(),
            modules: BoundedList::truncated(self.module_overviews(&code, modules, purposes), MAX_MODULES),
            makes: BoundedList::truncated(published, MAX_PACKAGES),
            requires: BoundedList::truncated(required, MAX_PACKAGES),
            starts: BoundedList::truncated(entry_points, MAX_OTHERS),
            routes: BoundedList::truncated(self.served_routes(), MAX_ROUTES),
            services: BoundedList::truncated(self.offered_services(&code), MAX_OTHERS),
            most_used: self.most_used(&code),
            hotspots: BoundedList::truncated(self.hotspot_files(&code), MAX_OTHERS),
            communities: BoundedList::truncated(self.file_communities(&code), MAX_OTHERS),
            infra: BoundedList::truncated(infra, MAX_OTHERS),
            past: self.history_summary(),
        })
    }

    fn languages(&self, code: &[u32]) -> Vec<LanguageShare> {
        let mut counts: FxHashMap<&str, (u32, u64)> = FxHashMap::default();
        for file in code.iter().map(|file| &self.generation.tables.files[*file as usize]) {
            let name = Language::ALL.get(file.language as usize).map_or("text", |language| language.name());
            let (n_files, n_lines) = counts.entry(name).or_default();
            *n_files += 1;
            *n_lines += u64::from(file.n_lines);
        }
        let share =
            |(name, (n_files, n_lines)): (&str, (u32, u64))| LanguageShare { name: name.to_owned(), n_files, n_lines };
        let mut languages: Vec<LanguageShare> = counts.into_iter().map(share).collect();
        languages.sort_by(|a, b| b.n_lines.cmp(&a.n_lines).then_with(|| a.name.cmp(&b.name)));
        languages
    }

    /// Returns the commands and exports that manifests declare, and the manifests with scripts.
    fn declared_entry_points(&self) -> Result<(Vec<EntryPoint>, Vec<InfraFile>), IndexError> {
        let files = &self.generation.tables.files;
        let (mut entry_points, mut scripts) = (Vec::new(), Vec::new());
        for (file_idx, file) in files.iter().enumerate() {
            if doc_source_of(file) != Some(::pages::DocSource::Manifest) || class(file) != FileClass::Config {
                continue;
            }
            let targets = manifest_targets(&file.path, &self.generation.source_text(file_idx)?);
            let declared = targets.iter().filter(|target| target.kind == ManifestTargetKind::Script);
            let says: Vec<String> = declared.map(|script| script.name.clone()).take(MAX_TARGETS).collect();
            if !says.is_empty() {
                scripts.push(InfraFile { path: file.path.clone(), kind: "scripts".to_owned(), says });
            }
            entry_points.extend(targets.into_iter().filter_map(|target| {
                let kind = match target.kind {
                    ManifestTargetKind::Command => EntryPointKind::Command,
                    ManifestTargetKind::Export => EntryPointKind::Export,
                    ManifestTargetKind::Script => return None,
                };
                let at = FileLine { path: file.path.clone(), line: target.line };
                Some(EntryPoint { kind, name: target.name, target: target.reference, at })
            }));
        }
        Ok((entry_points, scripts))
    }

    /// Returns the main functions of the product. Route handlers are listed with the routes.
    fn main_functions(&self) -> impl Iterator<Item = EntryPoint> {
        let symbols = &self.generation.tables.symbols;
        let mains = self.generation.graph.structure.entry_points.iter().map(|node| node.0);
        let mains = mains.filter(|node| symbols.get(*node as usize).is_some_and(|symbol| symbol.name == "main"));
        let is_main = move |node: &u32| {
            let symbol = &symbols[*node as usize];
            let file = &self.generation.tables.files[symbol.file as usize];
            let has_main_methods = Language::ALL
                .get(file.language as usize)
                .is_some_and(|language| LANGUAGES_WITH_MAIN_METHODS.contains(language));
            is_code(file) && (symbol.kind == SymbolKind::Function as u8 || has_main_methods)
        };
        mains.filter(is_main).map(|node| EntryPoint {
            kind: EntryPointKind::Main,
            name: self.symbol_id(node),
            target: String::new(),
            at: self.symbol_line(node),
        })
    }

    /// Returns the public definitions with the most users.
    fn most_used(&self, code: &[u32]) -> BoundedList<DefinitionSummary> {
        let used_by = &self.generation.graph.structure.used_by;
        let symbols = code.iter().flat_map(|file| self.symbols_of(*file));
        let is_listed = |symbol: &u32| used_by[*symbol as usize] >= MIN_USES && self.is_public(*symbol);
        let mut symbols: Vec<u32> = symbols.filter(is_listed).collect();
        let n_all = symbols.len() as u32;
        symbols.sort_by_key(|symbol| (Reverse(used_by[*symbol as usize]), *symbol));
        let first = symbols.into_iter().take(MAX_MOST_USED).map(|symbol| self.definition_summary(symbol)).collect();
        BoundedList { first, n_all }
    }

    /// Returns the hotspots with several recent commits, highest score first.
    fn hotspot_files(&self, code: &[u32]) -> Vec<HotspotFile> {
        let history = |file: u32| self.generation.history.files.get(file as usize)?.as_ref();
        let mut hot: Vec<(f32, u32)> = code
            .iter()
            .filter_map(|file| Some((history(*file)?, *file)))
            .filter(|(record, _)| record.n_recent > 1)
            .filter_map(|(_, file)| Some((self.generation.hotspots.get(file as usize)?.as_ref()?.score, file)))
            .collect();
        hot.retain(|(score, _)| *score >= MIN_HOTSPOT_SCORE);
        hot.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let hotspot = |(score, file): (f32, u32)| {
            let record = history(file)?;
            Some(HotspotFile {
                path: self.path(file).to_owned(),
                n_lines: self.generation.tables.files[file as usize].n_lines,
                score,
                n_recent: record.n_recent,
                n_fixes: record.n_fixes,
                owner: self.main_owner(&[file]),
            })
        };
        hot.into_iter().filter_map(hotspot).collect()
    }

    fn file_communities(&self, code: &[u32]) -> Vec<FileCommunity> {
        let structure = self.generation.graph.structure;
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); structure.communities.len()];
        for file in code {
            let community = structure.community_of.get(*file as usize).and_then(|of| members.get_mut(*of as usize));
            community.into_iter().for_each(|members| members.push(*file));
        }
        let importance = |file: &u32| structure.importance[(structure.n_symbols + file) as usize];
        let mut communities: Vec<FileCommunity> = Vec::new();
        for (community, mut members) in structure.communities.iter().zip(members) {
            let n_files = members.len() as u32;
            if n_files < MIN_COMMUNITY_FILES {
                continue;
            }
            members.sort_by(|a, b| importance(b).total_cmp(&importance(a)).then(a.cmp(b)));
            members.truncate(MAX_MEMBERS);
            let members = members.into_iter().map(|file| self.path(file).to_owned()).collect();
            communities.push(FileCommunity {
                label: community.label.clone(),
                n_files,
                cohesion: community.cohesion,
                members,
            });
        }
        communities.sort_by_key(|community| Reverse(community.n_files));
        communities
    }

    fn infra_files(&self, kinds: &[Option<InfraKind>]) -> Result<Vec<InfraFile>, IndexError> {
        let files = &self.generation.tables.files;
        let mut infra = Vec::new();
        for (file_idx, kind) in kinds.iter().enumerate() {
            let Some(kind) = kind else { continue };
            if matches!(class(&files[file_idx]), FileClass::Test | FileClass::Vendored) {
                continue;
            }
            let mut says = infra_items(*kind, &self.generation.source_text(file_idx)?);
            says.truncate(MAX_TARGETS);
            infra.push(InfraFile { path: files[file_idx].path.clone(), kind: kind.name().to_owned(), says });
        }
        Ok(infra)
    }

    /// Returns a definition as lists show it.
    fn definition_summary(&self, symbol: u32) -> DefinitionSummary {
        let record = &self.generation.tables.symbols[symbol as usize];
        DefinitionSummary {
            id: self.symbol_id(symbol),
            kind: SymbolKind::from_index(record.kind).map_or("symbol", SymbolKind::name).to_owned(),
            signature: self.texts.get(symbol).signature.to_owned(),
            at: self.symbol_line(symbol),
            used_by: self.generation.graph.structure.used_by[symbol as usize],
        }
    }

    pub(super) fn symbol_id(&self, symbol: u32) -> String {
        let record = &self.generation.tables.symbols[symbol as usize];
        let id = SymbolId {
            path: self.path(record.file).to_owned(),
            qualified: qualify(&record.container, &record.name),
            ordinal: record.ordinal,
        };
        id.to_string()
    }

    fn symbol_line(&self, symbol: u32) -> FileLine {
        let record = &self.generation.tables.symbols[symbol as usize];
        FileLine { path: self.path(record.file).to_owned(), line: record.name_line }
    }
}

/// Returns the distinct descriptions of a repository.
fn descriptions(introduction: &RepositoryIntroduction) -> Vec<QuotedText> {
    let mut descriptions: Vec<QuotedText> = Vec::new();
    for paragraph in &introduction.paragraphs {
        let mut text = descriptive(::pages::first_paragraph(&paragraph.text));
        let end = (0..=MAX_PURPOSE_BYTES.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
        text.truncate(end.unwrap_or(0));
        if !text.is_empty() && !descriptions.iter().any(|other| other.text == text) {
            descriptions.push(QuotedText { text, path: paragraph.path.clone() });
        }
    }
    descriptions
}

/// Returns a text if it describes something; empty for an instruction or a licence.
fn descriptive(text: String) -> String {
    let lower = text.to_lowercase();
    let is_other = NON_DESCRIPTIVE_STARTS.iter().any(|start| lower.starts_with(start))
        || LICENCE_PHRASES.iter().any(|phrase| lower.contains(phrase));
    if is_other { String::new() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_and_licences_are_no_descriptions() {
        for (text, is_description) in [
            ("Gin is a web framework.", true),
            ("Runs jobs at night.", true),
            ("Please follow the documentation.", false),
            ("NOTE: this is not ready.", false),
            ("It is distributed under the terms of both.", false),
        ] {
            assert_eq!(!descriptive(text.to_owned()).is_empty(), is_description, "{text}");
        }
    }
}
