//! What goes into the page of a repository.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use ::graph::ContractKind;
use ::pages::{InfraKind, Introduction, LanguagePart, MemberPart, OverviewPart, Speaker};
use model::{FileClass, Language, SymbolKind};

use super::{
    Told,
    told::{relations, summed_relations},
};
use crate::{
    IndexError,
    overview::Said,
    pages::{
        ground::{class, folder, of_file, without_ecosystem},
        modules::{Module, is_code, speaker_of},
    },
    table::FileRecord,
};

/// Modules that are handed to a page: more than it has room for.
const MAX_MODULES: usize = 60;

/// Longer names of a repository are slogans.
const MAX_NAME_BYTES: usize = 60;

/// What a repository says of itself.
#[derive(Default)]
pub(super) struct Introduced {
    /// Empty where it calls itself nothing.
    pub(super) heading: String,
    /// What speaks first comes first.
    pub(super) paragraphs: Vec<Said>,
}

impl<'a> Told<'a> {
    /// Returns what the repository says of itself: in its README, in the module and in the manifest at its root.
    pub(super) fn introduced(&self) -> Result<Introduced, IndexError> {
        let files = &self.sealing.tables.files;
        let at_root = (0..files.len()).filter(|file_idx| folder(&files[*file_idx].path).is_empty());
        let mut speakers: Vec<(Speaker, usize)> =
            at_root.filter_map(|file_idx| Some((speaker_of(&files[file_idx])?, file_idx))).collect();
        speakers.sort();
        let mut introduced = Introduced::default();
        for (speaker, file_idx) in speakers {
            let said = match speaker {
                Speaker::Readme => ::pages::introduction(&self.sealing.text(file_idx)?),
                Speaker::Module => Introduction { paragraph: files[file_idx].doc.clone(), ..Introduction::default() },
                Speaker::Manifest => {
                    let text = self.sealing.text(file_idx)?;
                    let paragraph = ::pages::description(&files[file_idx].path, &text).unwrap_or_default();
                    Introduction { paragraph, ..Introduction::default() }
                }
            };
            if introduced.heading.is_empty() && said.heading.len() <= MAX_NAME_BYTES {
                introduced.heading = said.heading;
            }
            if !said.paragraph.is_empty() {
                introduced.paragraphs.push(Said { text: said.paragraph, path: files[file_idx].path.clone() });
            }
        }
        Ok(introduced)
    }

    pub(super) fn overview<'p>(
        &self,
        introduced: &'p Introduced,
        modules: &'p [Module<'a>],
        purposes: &'p [Said],
        kinds: &[Option<InfraKind>],
    ) -> OverviewPart<'p>
    where
        'a: 'p,
    {
        let files = &self.sealing.tables.files;
        let code: Vec<u32> = (0..files.len() as u32).filter(|file| is_code(&files[*file as usize])).collect();
        let makes: BTreeSet<&str> = self
            .offers(ContractKind::Package, |file| speaker_of(file) == Some(Speaker::Manifest))
            .into_iter()
            .map(without_ecosystem)
            .collect();
        let first_package = makes.first().copied().unwrap_or_default();
        let is_infra = |file: &u32| {
            let is_own = !matches!(class(&files[*file as usize]), FileClass::Test | FileClass::Vendored);
            kinds[*file as usize].is_some() && is_own
        };
        let infra = (0..files.len() as u32).filter(is_infra).map(|file| (self.path(file), 1));
        OverviewPart {
            name: if introduced.heading.is_empty() { first_package } else { &introduced.heading },
            purpose: introduced.paragraphs.first().map_or("", |said| &said.text),
            languages: languages(&code, |file| files[file as usize].language),
            modules: self.modules(modules, purposes),
            makes: relations(makes.into_iter().map(|name| (name, 1))),
            packages: self.required(),
            entry_points: self.entry_points(),
            routes: self.routes(),
            services: self.services(&code),
            names: self.names_of_files(&code, |symbol| self.ground.uses[symbol]),
            infra: relations(infra),
            busiest: self.busiest(&code),
            past: self.past(&code),
        }
    }

    fn modules<'p>(&self, modules: &'p [Module<'a>], purposes: &'p [Said]) -> Vec<MemberPart<'p>> {
        let mut order = self.order(modules);
        order.truncate(MAX_MODULES);
        order.into_iter().map(|place| MemberPart { path: modules[place].path, doc: &purposes[place].text }).collect()
    }

    /// Returns the places of modules: packages first, then the most used.
    pub(super) fn order(&self, modules: &[Module<'a>]) -> Vec<usize> {
        let n_users = |module: &Module<'_>| -> usize {
            module.members.iter().map(|file| of_file(&self.ground.used_by, *file).len()).sum()
        };
        let mut order: Vec<usize> = (0..modules.len()).collect();
        order.sort_by_cached_key(|place| {
            let module = &modules[*place];
            (Reverse(module.package.is_some()), Reverse(n_users(module)), *place)
        });
        order
    }

    /// Returns what the product offers to others, each once and in order.
    fn offers(&self, kind: ContractKind, is_wanted: impl Fn(&FileRecord) -> bool) -> BTreeSet<&'a str> {
        let files = &self.sealing.tables.files;
        let is_product = |file: &usize| {
            matches!(class(&files[*file]), FileClass::Source | FileClass::Config) && is_wanted(&files[*file])
        };
        let own = self.sealing.graph.resolved.iter().enumerate().filter(|(file, _)| is_product(file));
        let all = own.flat_map(|(_, resolved)| &resolved.contracts.offers);
        all.filter(|offer| offer.kind == kind).map(|offer| offer.key.as_str()).collect()
    }

    /// Returns the packages that manifests of the product require, the most used first.
    fn required(&self) -> ::pages::Relations<'a> {
        let files = &self.sealing.tables.files;
        let wanted = (0..files.len()).filter(|file| !matches!(class(&files[*file]), FileClass::Test | FileClass::Docs));
        summed_relations(wanted.flat_map(|file| self.ground.packages[file].iter().copied()))
    }

    fn entry_points(&self) -> ::pages::Relations<'a> {
        let symbols = &self.sealing.tables.symbols;
        let structure = self.sealing.graph.structure;
        let files = structure.entry_points.iter().filter_map(|node| match symbols.get(node.0 as usize) {
            Some(symbol) => Some(symbol.file),
            None => node.0.checked_sub(structure.n_symbols).filter(|file| *file < structure.n_files),
        });
        let of_product = files.filter(|file| is_code(&self.sealing.tables.files[*file as usize]));
        let mut files: Vec<u32> = of_product.collect();
        files.dedup();
        relations(files.into_iter().map(|file| (self.path(file), 1)))
    }

    fn routes(&self) -> ::pages::Relations<'a> {
        relations(self.offers(ContractKind::Http, |_| true).into_iter().map(|route| (route, 1)))
    }

    fn services(&self, code: &[u32]) -> ::pages::Relations<'a> {
        let symbols = code.iter().flat_map(|file| self.symbols_of(*file));
        let services = symbols.map(|symbol| &self.sealing.tables.symbols[symbol as usize]);
        let services = services.filter(|symbol| symbol.kind == SymbolKind::Service as u8);
        relations(services.map(|symbol| (symbol.name.as_str(), 1)))
    }

    fn busiest(&self, code: &[u32]) -> ::pages::Relations<'a> {
        let n_recent = |file: u32| Some(self.sealing.past.files.get(file as usize)?.as_ref()?.n_recent);
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
