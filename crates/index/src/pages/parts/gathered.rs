//! What is known of a repository as a whole, field by field.

mod map;
mod people;
mod surface;

use std::cmp::Reverse;

use ::pages::{InfraKind, PromiseKind, infra_says, promises};
use model::{FileClass, Language, SymbolId, SymbolKind, symbol::qualify};
use rustc_hash::FxHashMap;

use super::{Told, overview::Introduced};
use crate::{
    IndexError,
    overview::{Group, Hotspot, Infra, LanguageShare, Listed, Named, Overview, Said, Spot, Start, StartKind},
    pages::{
        ground::class,
        modules::{Module, is_code, speaker_of},
    },
};

// Lists are kept as long as somebody reads them who wants more than an answer shows by itself.
const MAX_MODULES: usize = 120;
const MAX_PACKAGES: usize = 200;
const MAX_ROUTES: usize = 120;
const MAX_MOST_USED: usize = 60;
const MAX_OTHERS: usize = 40;

/// The longest text that a repository says of itself.
const MAX_PURPOSE_BYTES: usize = 1_500;

/// Files of one community that are named, and what one file of infrastructure can be asked for.
const MAX_MEMBERS: usize = 5;
const MAX_SAYS: usize = 12;

/// What is used once belongs to its user.
const MIN_USES: u32 = 2;

/// What is no more of a hotspot than the middle of all files is none.
const MIN_HOTSPOT: f32 = 5.0;

/// Languages whose main functions are methods.
const IN_CLASSES: [Language; 4] = [Language::Java, Language::Kotlin, Language::CSharp, Language::Scala];

/// How sentences begin that say what to do, or what is allowed, rather than what something is.
const NO_PURPOSE: [&str; 9] =
    ["please ", "note:", "note that", "copy the ", "see ", "for full", "for more", "unless you", "warning:"];

/// What stands in sentences about licences.
const OF_LICENCES: [&str; 3] = ["distributed under", "licensed under", "dual licensed"];

/// A group of fewer files of code is no group.
const MIN_GROUP: u32 = 2;

impl<'a> Told<'a> {
    pub(super) fn gathered(
        &self,
        introduced: &Introduced,
        modules: &[Module<'a>],
        purposes: &[Said],
        kinds: &[Option<InfraKind>],
    ) -> Result<Overview, IndexError> {
        let files = &self.sealing.tables.files;
        let code: Vec<u32> = (0..files.len() as u32).filter(|file| is_code(&files[*file as usize])).collect();
        let (makes, requires) = (self.makes(), self.requires());
        let first_package = makes.first().map(|package| package.key.split_once(':').map_or("", |(_, name)| name));
        let (promised, scripts) = self.promised()?;
        let mut starts = promised;
        starts.extend(self.mains());
        starts.sort_by_key(|start| (start.kind, start.at.path.matches('/').count()));
        let mut infra = self.infra_files(kinds)?;
        infra.extend(scripts);
        infra.sort_by_key(|file| (file.path.matches('/').count(), file.path.clone()));
        Ok(Overview {
            name: if introduced.heading.is_empty() { first_package.unwrap_or_default() } else { &introduced.heading }
                .to_owned(),
            purposes: purposes_of(introduced),
            languages: Listed::of(self.languages(&code), MAX_OTHERS),
            n_code_lines: code.iter().map(|file| u64::from(files[*file as usize].n_lines)).sum(),
            modules: Listed::of(self.map(&code, modules, purposes), MAX_MODULES),
            makes: Listed::of(makes, MAX_PACKAGES),
            requires: Listed::of(requires, MAX_PACKAGES),
            starts: Listed::of(starts, MAX_OTHERS),
            routes: Listed::of(self.answered_routes(), MAX_ROUTES),
            services: Listed::of(self.offered_services(&code), MAX_OTHERS),
            most_used: self.most_used(&code),
            hotspots: Listed::of(self.hotspots(&code), MAX_OTHERS),
            communities: Listed::of(self.groups(&code), MAX_OTHERS),
            infra: Listed::of(infra, MAX_OTHERS),
            past: self.people(),
        })
    }

    fn languages(&self, code: &[u32]) -> Vec<LanguageShare> {
        let mut counts: FxHashMap<&str, (u32, u64)> = FxHashMap::default();
        for file in code.iter().map(|file| &self.sealing.tables.files[*file as usize]) {
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

    /// Returns what manifests hand out, and the scripts that they have for those who work on the repository.
    fn promised(&self) -> Result<(Vec<Start>, Vec<Infra>), IndexError> {
        let files = &self.sealing.tables.files;
        let (mut starts, mut scripts) = (Vec::new(), Vec::new());
        for (file_idx, file) in files.iter().enumerate() {
            if speaker_of(file) != Some(::pages::Speaker::Manifest) || class(file) != FileClass::Config {
                continue;
            }
            let promises = promises(&file.path, &self.sealing.text(file_idx)?);
            let named = promises.iter().filter(|promise| promise.kind == PromiseKind::Script);
            let says: Vec<String> = named.map(|script| script.name.clone()).take(MAX_SAYS).collect();
            if !says.is_empty() {
                scripts.push(Infra { path: file.path.clone(), kind: "scripts".to_owned(), says });
            }
            starts.extend(promises.into_iter().filter_map(|promise| {
                let kind = match promise.kind {
                    PromiseKind::Command => StartKind::Command,
                    PromiseKind::Export => StartKind::Export,
                    PromiseKind::Script => return None,
                };
                let at = Spot { path: file.path.clone(), line: promise.line };
                Some(Start { kind, name: promise.name, target: promise.target, at })
            }));
        }
        Ok((starts, scripts))
    }

    /// Returns the main functions of the product; those that answer routes are told with these.
    fn mains(&self) -> impl Iterator<Item = Start> {
        let symbols = &self.sealing.tables.symbols;
        let mains = self.sealing.graph.structure.entry_points.iter().map(|node| node.0);
        let mains = mains.filter(|node| symbols.get(*node as usize).is_some_and(|symbol| symbol.name == "main"));
        let is_start = move |node: &u32| {
            let symbol = &symbols[*node as usize];
            let file = &self.sealing.tables.files[symbol.file as usize];
            let starts_in_classes =
                Language::ALL.get(file.language as usize).is_some_and(|own| IN_CLASSES.contains(own));
            is_code(file) && (symbol.kind == SymbolKind::Function as u8 || starts_in_classes)
        };
        mains.filter(is_start).map(|node| Start {
            kind: StartKind::Main,
            name: self.id(node),
            target: String::new(),
            at: self.spot(node),
        })
    }

    fn most_used(&self, code: &[u32]) -> Listed<Named> {
        let used_by = &self.sealing.graph.structure.used_by;
        let symbols = code.iter().flat_map(|file| self.symbols_of(*file));
        let is_told = |symbol: &u32| used_by[*symbol as usize] >= MIN_USES && self.is_public(*symbol);
        let mut symbols: Vec<u32> = symbols.filter(is_told).collect();
        let n_all = symbols.len() as u32;
        symbols.sort_by_key(|symbol| (Reverse(used_by[*symbol as usize]), *symbol));
        let first = symbols.into_iter().take(MAX_MOST_USED).map(|symbol| self.named(symbol)).collect();
        Listed { first, n_all }
    }

    /// Returns files that several commits changed of late, by how much of a hotspot they are.
    fn hotspots(&self, code: &[u32]) -> Vec<Hotspot> {
        let past = |file: u32| self.sealing.past.files.get(file as usize)?.as_ref();
        let mut hot: Vec<(f32, u32)> = code
            .iter()
            .filter_map(|file| Some((past(*file)?, *file)))
            .filter(|(record, _)| record.n_recent > 1)
            .filter_map(|(record, file)| Some((record.hotspot.as_ref()?.score, file)))
            .collect();
        hot.retain(|(score, _)| *score >= MIN_HOTSPOT);
        hot.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let hotspot = |(score, file): (f32, u32)| {
            let record = past(file)?;
            Some(Hotspot {
                path: self.path(file).to_owned(),
                n_lines: self.sealing.tables.files[file as usize].n_lines,
                score,
                n_recent: record.n_recent,
                n_fixes: record.n_fixes,
                owner: self.main_owner(&[file]),
            })
        };
        hot.into_iter().filter_map(hotspot).collect()
    }

    fn groups(&self, code: &[u32]) -> Vec<Group> {
        let structure = self.sealing.graph.structure;
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); structure.communities.len()];
        for file in code {
            let community = structure.community_of.get(*file as usize).and_then(|of| members.get_mut(*of as usize));
            community.into_iter().for_each(|members| members.push(*file));
        }
        let importance = |file: &u32| structure.importance[(structure.n_symbols + file) as usize];
        let mut groups: Vec<Group> = Vec::new();
        for (community, mut members) in structure.communities.iter().zip(members) {
            let n_files = members.len() as u32;
            if n_files < MIN_GROUP {
                continue;
            }
            members.sort_by(|a, b| importance(b).total_cmp(&importance(a)).then(a.cmp(b)));
            members.truncate(MAX_MEMBERS);
            let members = members.into_iter().map(|file| self.path(file).to_owned()).collect();
            groups.push(Group { label: community.label.clone(), n_files, cohesion: community.cohesion, members });
        }
        groups.sort_by_key(|group| Reverse(group.n_files));
        groups
    }

    fn infra_files(&self, kinds: &[Option<InfraKind>]) -> Result<Vec<Infra>, IndexError> {
        let files = &self.sealing.tables.files;
        let mut infra = Vec::new();
        for (file_idx, kind) in kinds.iter().enumerate() {
            let Some(kind) = kind else { continue };
            if matches!(class(&files[file_idx]), FileClass::Test | FileClass::Vendored) {
                continue;
            }
            let mut says = infra_says(*kind, &self.sealing.text(file_idx)?);
            says.truncate(MAX_SAYS);
            infra.push(Infra { path: files[file_idx].path.clone(), kind: kind.name().to_owned(), says });
        }
        Ok(infra)
    }

    /// Returns a definition as lists name it.
    fn named(&self, symbol: u32) -> Named {
        let record = &self.sealing.tables.symbols[symbol as usize];
        Named {
            id: self.id(symbol),
            kind: SymbolKind::from_index(record.kind).map_or("symbol", SymbolKind::name).to_owned(),
            signature: record.signature.clone(),
            at: self.spot(symbol),
            used_by: self.sealing.graph.structure.used_by[symbol as usize],
        }
    }

    fn id(&self, symbol: u32) -> String {
        let record = &self.sealing.tables.symbols[symbol as usize];
        let id = SymbolId {
            path: self.path(record.file).to_owned(),
            qualified: qualify(&record.container, &record.name),
            ordinal: record.ordinal,
        };
        id.to_string()
    }

    fn spot(&self, symbol: u32) -> Spot {
        let record = &self.sealing.tables.symbols[symbol as usize];
        Spot { path: self.path(record.file).to_owned(), line: record.name_line }
    }
}

/// Returns what a repository says of itself, each thing once.
fn purposes_of(introduced: &Introduced) -> Vec<Said> {
    let mut purposes: Vec<Said> = Vec::new();
    for said in &introduced.paragraphs {
        let mut text = purpose(::pages::first_paragraph(&said.text));
        let end = (0..=MAX_PURPOSE_BYTES.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
        text.truncate(end.unwrap_or(0));
        if !text.is_empty() && !purposes.iter().any(|other| other.text == text) {
            purposes.push(Said { text, path: said.path.clone() });
        }
    }
    purposes
}

/// Returns a text that says what something is for; nothing of one that says something else.
fn purpose(text: String) -> String {
    let lower = text.to_lowercase();
    let is_none =
        NO_PURPOSE.iter().any(|start| lower.starts_with(start)) || OF_LICENCES.iter().any(|mark| lower.contains(mark));
    if is_none { String::new() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_no_purpose_is_none() {
        for (text, is_purpose) in [
            ("Gin is a web framework.", true),
            ("Runs jobs at night.", true),
            ("Please follow the documentation.", false),
            ("NOTE: this is not ready.", false),
            ("It is distributed under the terms of both.", false),
        ] {
            assert_eq!(!purpose(text.to_owned()).is_empty(), is_purpose, "{text}");
        }
    }
}
