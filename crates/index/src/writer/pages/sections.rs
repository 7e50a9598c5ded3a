//! The parts that several kinds of pages share: names, relations and history.

use ::pages::{NamePart, PastPart, RelatedItem, RelatedItems};
use model::SymbolKind;
use rustc_hash::FxHashMap;

use super::{
    context::PageContext,
    file_relations::{FileRelation, of_file},
};
use crate::records::{
    history::{CommitRecord, FileHistoryRecord},
    tables::SymbolRecord,
};

/// Maximum number of relations per kind that are passed to a page. It exceeds the space of a page.
const MAX_RELATIONS: usize = 12;

/// Maximum number of preceding symbols that are searched for the enclosing one. A function with nested definitions has fewer;
/// a class may have more.
const MAX_SIBLINGS: usize = 64;

/// Maximum number of commit subjects per page.
const MAX_SUBJECTS: usize = 3;

/// Maximum number of names that are passed to a page. It exceeds the space of a page.
pub(super) const MAX_NAMES: usize = 24;

impl<'a> PageContext<'a> {
    /// Returns a symbol as pages show it.
    pub(super) fn name_part(&self, symbol: u32) -> NamePart<'a> {
        let (record, texts) = (&self.generation.tables.symbols[symbol as usize], self.texts.get(symbol));
        NamePart {
            kind: kind(record.kind),
            name: &record.name,
            container: &record.container,
            signature: texts.signature,
            doc: texts.doc,
            n_uses: self.relations.uses[symbol as usize],
        }
    }

    /// Returns the symbols of a file.
    pub(super) fn symbols_of(&self, file_idx: u32) -> std::ops::Range<u32> {
        let file = &self.generation.tables.files[file_idx as usize];
        file.first_symbol..file.first_symbol + file.n_symbols
    }

    /// Returns true if other files may refer to a symbol: it is no part of another symbol, and not private.
    pub(super) fn is_public(&self, symbol: u32) -> bool {
        let record = &self.generation.tables.symbols[symbol as usize];
        let is_part = matches!(
            kind(record.kind),
            SymbolKind::Field | SymbolKind::Variant | SymbolKind::Variable | SymbolKind::Module | SymbolKind::Property
        );
        let is_in_tests = matches!(record.container.split('.').next(), Some("tests" | "test"));
        let is_hidden = record.name.starts_with('_') || record.is_private || is_in_tests;
        !is_part && !is_hidden && !self.is_local(symbol)
    }

    /// Returns true if a symbol is nested in a function.
    fn is_local(&self, symbol: u32) -> bool {
        let symbols = &self.generation.tables.symbols;
        let record = &symbols[symbol as usize];
        let before = symbols[..symbol as usize].iter().rev().take(MAX_SIBLINGS);
        let mut outer = before.take_while(|other| other.file == record.file && !record.container.is_empty());
        let encloses = |other: &&SymbolRecord| other.span.end_byte >= record.span.end_byte;
        let parent = outer.find(encloses).map(|parent| kind(parent.kind));
        matches!(parent, Some(SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor))
    }

    /// Returns the path of a file.
    pub(super) fn path(&self, file_idx: u32) -> &'a str {
        &self.generation.tables.files[file_idx as usize].path
    }

    /// Returns the files that selected relations of a file lead to.
    pub(super) fn related_files(
        &self,
        pairs: &[FileRelation],
        file_idx: u32,
        is_selected: impl Fn(u32) -> bool,
    ) -> RelatedItems<'a> {
        let selected = of_file(pairs, file_idx).iter().filter(|pair| is_selected(pair.other));
        relations(selected.map(|pair| (self.path(pair.other), pair.count)))
    }

    /// Returns the history of files. The history of several files only includes the stored commits of each.
    pub(super) fn history_part(&self, files: &[u32]) -> PastPart<'a> {
        let history = self.generation.history;
        let known: Vec<&'a FileHistoryRecord> =
            files.iter().filter_map(|file| history.files.get(*file as usize)?.as_ref()).collect();
        let mut commits: Vec<u32> = known.iter().flat_map(|record| record.changes.iter().copied()).collect();
        // Ties are broken by commit number, which is deterministic.
        commits.sort_unstable_by_key(|commit| (history.commits[*commit as usize].age, *commit));
        commits.dedup();
        let by_people =
            commits.iter().map(|commit| &history.commits[*commit as usize]).filter(|commit| !commit.is_robot);
        let mut part = PastPart { owners: self.owners(&known), ..PastPart::default() };
        match known.as_slice() {
            [record] => {
                part.n_recent = record.n_recent;
                part.changes_with = record.co_changes.iter().map(|other| self.path(other.file)).collect();
            }
            records => {
                part.n_recent =
                    by_people.clone().filter(|commit| commit.age < model::history::RECENT_SECONDS).count() as u32;
                part.is_at_least = records.iter().any(|record| record.n_recent as usize > record.changes.len());
            }
        }
        part.subjects = subjects(by_people);
        part
    }

    /// Returns the owners of files with their shares, largest share first.
    pub(super) fn owners(&self, known: &[&'a FileHistoryRecord]) -> Vec<(&'a str, f32)> {
        let mut shares: FxHashMap<u32, f32> = FxHashMap::default();
        let mut total = 0.0;
        for record in known {
            total += record.churn;
            for (author, share) in &record.owners {
                *shares.entry(*author).or_default() += share * record.churn;
            }
        }
        let name = |author: u32| self.generation.history.authors[author as usize].as_str();
        let mut owners: Vec<(&str, f32)> =
            shares.into_iter().map(|(author, share)| (name(author), share / total)).collect();
        owners.retain(|(_, share)| share.is_finite());
        owners.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        owners
    }
}

/// Returns the first distinct subjects of commits.
fn subjects<'a>(commits: impl Iterator<Item = &'a CommitRecord>) -> Vec<&'a str> {
    let mut subjects: Vec<&str> = Vec::new();
    for commit in commits.filter(|commit| !commit.subject.is_empty()) {
        if subjects.len() == MAX_SUBJECTS {
            break;
        }
        if !subjects.contains(&commit.subject.as_str()) {
            subjects.push(&commit.subject);
        }
    }
    subjects
}

/// Returns counted names as relations, largest count first.
pub(super) fn relations<'a>(counted: impl Iterator<Item = (&'a str, u32)>) -> RelatedItems<'a> {
    let mut all: Vec<(&str, u32)> = counted.collect();
    let n_all = all.len() as u32;
    all.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    all.truncate(MAX_RELATIONS);
    RelatedItems { strongest: all.into_iter().map(|(name, count)| RelatedItem { name, count }).collect(), n_all }
}

/// Returns counted names as relations, after summing the counts of equal names.
pub(super) fn summed_relations<'a>(counted: impl Iterator<Item = (&'a str, u32)>) -> RelatedItems<'a> {
    let mut sums: FxHashMap<&str, u32> = FxHashMap::default();
    counted.for_each(|(name, count)| *sums.entry(name).or_default() += count);
    relations(sums.into_iter())
}

fn kind(index: u8) -> SymbolKind {
    SymbolKind::from_index(index).unwrap_or(SymbolKind::Function)
}
