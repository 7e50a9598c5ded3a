//! The content of the page of the repository.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use ::pages::{DocSource, InfraKind, Introduction, LanguagePart, MemberPart, OverviewPart};
use links::ContractKind;
use model::{FileClass, Language, SymbolKind};

use super::{
    context::PageContext,
    file_relations::{class, folder, of_file, without_ecosystem},
    modules::{ModuleFiles, doc_source_of, is_code},
    sections::{relations, summed_relations},
};
use crate::{error::IndexError, overview::QuotedText, records::tables::FileRecord};

/// Maximum number of modules that are passed to a page. It exceeds the space of a page.
const MAX_MODULES: usize = 60;

/// Maximum length of a heading that is used as the name of the repository. A longer heading is a slogan.
const MAX_NAME_BYTES: usize = 60;

/// Name and descriptions of a repository, quoted from its own files.
#[derive(Default)]
pub(super) struct RepositoryIntroduction {
    /// The name; empty if no file has one.
    pub(super) heading: String,
    /// The descriptions, in order of preference.
    pub(super) paragraphs: Vec<QuotedText>,
}

impl<'a> PageContext<'a> {
    /// Returns name and descriptions of the repository from the README, module and manifest at its root. The description of
    /// the manifest precedes a paragraph of the README that neither defines nor introduces the project.
    pub(super) fn introduction(&self) -> Result<RepositoryIntroduction, IndexError> {
        let files = &self.generation.tables.files;
        let at_root = (0..files.len()).filter(|file_idx| folder(&files[*file_idx].path).is_empty());
        let mut doc_sources: Vec<(DocSource, usize)> =
            at_root.filter_map(|file_idx| Some((doc_source_of(&files[file_idx])?, file_idx))).collect();
        doc_sources.sort();
        let mut introduction = RepositoryIntroduction::default();
        let mut ranked: Vec<(u8, QuotedText)> = Vec::new();
        for (doc_source, file_idx) in doc_sources {
            let found = match doc_source {
                DocSource::Readme => ::pages::introduction(&self.generation.source_text(file_idx)?),
                DocSource::Module => Introduction { paragraph: files[file_idx].doc.clone(), ..Introduction::default() },
                DocSource::Manifest => {
                    let text = self.generation.source_text(file_idx)?;
                    let paragraph = ::pages::description(&files[file_idx].path, &text).unwrap_or_default();
                    Introduction { paragraph, ..Introduction::default() }
                }
            };
            if introduction.heading.is_empty() && found.heading.len() <= MAX_NAME_BYTES {
                introduction.heading = found.heading;
            }
            if !found.paragraph.is_empty() {
                let rank = match doc_source {
                    DocSource::Readme if !found.is_candidate => 0,
                    DocSource::Module => 1,
                    DocSource::Manifest => 2,
                    DocSource::Readme => 3,
                };
                ranked.push((rank, QuotedText { text: found.paragraph, path: files[file_idx].path.clone() }));
            }
        }
        ranked.sort_by_key(|(rank, _)| *rank);
        introduction.paragraphs = ranked.into_iter().map(|(_, paragraph)| paragraph).collect();
        Ok(introduction)
    }

    /// Returns the content of the page of the repository.
    pub(super) fn overview_part<'p>(
        &self,
        introduction: &'p RepositoryIntroduction,
        modules: &'p [ModuleFiles<'a>],
        purposes: &'p [QuotedText],
        kinds: &[Option<InfraKind>],
    ) -> OverviewPart<'p>
    where
        'a: 'p,
    {
        let files = &self.generation.tables.files;
        let code: Vec<u32> = (0..files.len() as u32).filter(|file| is_code(&files[*file as usize])).collect();
        let published: BTreeSet<&str> = self
            .offered_keys(ContractKind::Package, |file| doc_source_of(file) == Some(DocSource::Manifest))
            .into_iter()
            .map(without_ecosystem)
            .collect();
        let first_package = published.first().copied().unwrap_or_default();
        let is_infra = |file: &u32| {
            let is_product = !matches!(class(&files[*file as usize]), FileClass::Test | FileClass::Vendored);
            kinds[*file as usize].is_some() && is_product
        };
        let infra = (0..files.len() as u32).filter(is_infra).map(|file| (self.path(file), 1));
        OverviewPart {
            name: if introduction.heading.is_empty() { first_package } else { &introduction.heading },
            purpose: introduction.paragraphs.first().map_or("", |first| &first.text),
            languages: languages(&code, |file| files[file as usize].language),
            modules: self.module_parts(modules, purposes),
            makes: relations(published.into_iter().map(|name| (name, 1))),
            packages: self.required_packages_by_uses(),
            entry_points: self.entry_point_files(),
            routes: self.route_keys(),
            services: self.service_names(&code),
            names: self.names_of_files(&code, |symbol| self.relations.uses[symbol]),
            infra: relations(infra),
            busiest: self.active_files(&code),
            past: self.history_part(&code),
        }
    }

    fn module_parts<'p>(&self, modules: &'p [ModuleFiles<'a>], purposes: &'p [QuotedText]) -> Vec<MemberPart<'p>> {
        let mut order = self.module_order(modules);
        order.truncate(MAX_MODULES);
        order.into_iter().map(|idx| MemberPart { path: modules[idx].path, doc: &purposes[idx].text }).collect()
    }

    /// Returns the indices of modules: packages first, then the most used.
    pub(super) fn module_order(&self, modules: &[ModuleFiles<'a>]) -> Vec<usize> {
        let n_users = |module: &ModuleFiles<'_>| -> usize {
            module.members.iter().map(|file| of_file(&self.relations.used_by, *file).len()).sum()
        };
        let mut order: Vec<usize> = (0..modules.len()).collect();
        order.sort_by_cached_key(|idx| {
            let module = &modules[*idx];
            (Reverse(module.package.is_some()), Reverse(n_users(module)), *idx)
        });
        order
    }

    /// Returns the distinct keys of offers of the product, sorted.
    fn offered_keys(&self, kind: ContractKind, is_selected: impl Fn(&FileRecord) -> bool) -> BTreeSet<&'a str> {
        let files = &self.generation.tables.files;
        let is_product = |file: &usize| {
            matches!(class(&files[*file]), FileClass::Source | FileClass::Config) && is_selected(&files[*file])
        };
        let of_product = self.generation.graph.files.iter().enumerate().filter(|(file, _)| is_product(file));
        let all = of_product.flat_map(|(_, file)| &file.contracts.offers);
        all.filter(|offer| offer.kind == kind).map(|offer| offer.key.as_str()).collect()
    }

    /// Returns the packages that the product requires, the most used first.
    fn required_packages_by_uses(&self) -> ::pages::RelatedItems<'a> {
        let files = &self.generation.tables.files;
        let selected =
            (0..files.len()).filter(|file| !matches!(class(&files[*file]), FileClass::Test | FileClass::Docs));
        summed_relations(selected.flat_map(|file| self.relations.packages[file].iter().copied()))
    }

    fn entry_point_files(&self) -> ::pages::RelatedItems<'a> {
        let symbols = &self.generation.tables.symbols;
        let structure = self.generation.graph.structure;
        let files = structure.entry_points.iter().filter_map(|node| match symbols.get(node.0 as usize) {
            Some(symbol) => Some(symbol.file),
            None => node.0.checked_sub(structure.n_symbols).filter(|file| *file < structure.n_files),
        });
        let of_product = files.filter(|file| is_code(&self.generation.tables.files[*file as usize]));
        let mut files: Vec<u32> = of_product.collect();
        files.dedup();
        relations(files.into_iter().map(|file| (self.path(file), 1)))
    }

    fn route_keys(&self) -> ::pages::RelatedItems<'a> {
        relations(self.offered_keys(ContractKind::Http, |_| true).into_iter().map(|route| (route, 1)))
    }

    fn service_names(&self, code: &[u32]) -> ::pages::RelatedItems<'a> {
        let symbols = code.iter().flat_map(|file| self.symbols_of(*file));
        let services = symbols.map(|symbol| &self.generation.tables.symbols[symbol as usize]);
        let services = services.filter(|symbol| symbol.kind == SymbolKind::Service as u8);
        relations(services.map(|symbol| (symbol.name.as_str(), 1)))
    }

    fn active_files(&self, code: &[u32]) -> ::pages::RelatedItems<'a> {
        let n_recent = |file: u32| Some(self.generation.history.files.get(file as usize)?.as_ref()?.n_recent);
        let counted = code.iter().filter_map(|file| Some((self.path(*file), n_recent(*file)?)));
        relations(counted.filter(|(_, n_recent)| *n_recent > 1))
    }
}

fn languages(code: &[u32], language: impl Fn(u32) -> u8) -> Vec<LanguagePart<'static>> {
    let names =
        code.iter().map(|file| Language::ALL.get(language(*file) as usize).map_or("text", |found| found.name()));
    let mut counts = BTreeMap::new();
    names.for_each(|name| *counts.entry(name).or_insert(0) += 1);
    let mut languages: Vec<LanguagePart<'_>> =
        counts.into_iter().map(|(name, n_files)| LanguagePart { name, n_files }).collect();
    languages.sort_by(|a, b| b.n_files.cmp(&a.n_files).then_with(|| a.name.cmp(b.name)));
    languages
}
