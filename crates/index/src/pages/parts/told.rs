//! What pages of several types tell: names, relations, and the past.

use ::pages::{NamePart, PastPart, Relation, Relations};
use model::SymbolKind;
use rustc_hash::FxHashMap;

use super::Told;
use crate::{
    history::{CommitRecord, FileHistoryRecord},
    pages::ground::{Pair, of_file},
    table::SymbolRecord,
};

/// Relations of one kind that are handed to a page: more than it has room for.
const MAX_RELATIONS: usize = 12;

/// How far back what encloses a symbol is looked for: classes are longer than functions that define something.
const MAX_SIBLINGS: usize = 64;

/// Subjects of commits on one page.
const MAX_SUBJECTS: usize = 3;

/// Names that are handed to a page: more than it has room for.
pub(super) const MAX_NAMES: usize = 24;

impl<'a> Told<'a> {
    /// Returns a symbol as pages tell of it.
    pub(super) fn name(&self, symbol: u32) -> NamePart<'a> {
        let record = &self.sealing.tables.symbols[symbol as usize];
        NamePart {
            kind: kind(record.kind),
            name: &record.name,
            container: &record.container,
            signature: &record.signature,
            doc: &record.doc,
            n_uses: self.ground.uses[symbol as usize],
        }
    }

    /// Returns the symbols of a file.
    pub(super) fn symbols_of(&self, file_idx: u32) -> std::ops::Range<u32> {
        let file = &self.sealing.tables.files[file_idx as usize];
        file.first_symbol..file.first_symbol + file.n_symbols
    }

    /// Says whether a symbol is something that others may look for: not a part of something else, and not hidden.
    pub(super) fn is_public(&self, symbol: u32) -> bool {
        let record = &self.sealing.tables.symbols[symbol as usize];
        let is_part = matches!(
            kind(record.kind),
            SymbolKind::Field | SymbolKind::Variant | SymbolKind::Variable | SymbolKind::Module | SymbolKind::Property
        );
        let is_in_tests = matches!(record.container.split('.').next(), Some("tests" | "test"));
        let is_hidden = record.name.starts_with('_') || record.signature.starts_with("private ") || is_in_tests;
        !is_part && !is_hidden && !self.is_local(symbol)
    }

    /// Says whether a symbol stands within a function.
    fn is_local(&self, symbol: u32) -> bool {
        let symbols = &self.sealing.tables.symbols;
        let record = &symbols[symbol as usize];
        let before = symbols[..symbol as usize].iter().rev().take(MAX_SIBLINGS);
        let mut around = before.take_while(|other| other.file == record.file && !record.container.is_empty());
        let encloses = |other: &&SymbolRecord| other.span.end_byte >= record.span.end_byte;
        let parent = around.find(encloses).map(|parent| kind(parent.kind));
        matches!(parent, Some(SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor))
    }

    /// Returns the path of a file.
    pub(super) fn path(&self, file_idx: u32) -> &'a str {
        &self.sealing.tables.files[file_idx as usize].path
    }

    /// Returns those of the pairs of a file that are wanted, as relations.
    pub(super) fn files(&self, pairs: &[Pair], file_idx: u32, is_wanted: impl Fn(u32) -> bool) -> Relations<'a> {
        let wanted = of_file(pairs, file_idx).iter().filter(|pair| is_wanted(pair.other));
        relations(wanted.map(|pair| (self.path(pair.other), pair.count)))
    }

    /// Returns the past of files: that of one as it is known, that of several as far as their last commits tell.
    pub(super) fn past(&self, files: &[u32]) -> PastPart<'a> {
        let past = self.sealing.past;
        let known: Vec<&'a FileHistoryRecord> =
            files.iter().filter_map(|file| past.files.get(*file as usize)?.as_ref()).collect();
        let mut commits: Vec<u32> = known.iter().flat_map(|record| record.changes.iter().copied()).collect();
        // Commits are numbered as they are named first; of equal age, that is as good an order as any.
        commits.sort_unstable_by_key(|commit| (past.commits[*commit as usize].age, *commit));
        commits.dedup();
        let by_people = commits.iter().map(|commit| &past.commits[*commit as usize]).filter(|commit| !commit.is_robot);
        let mut part = PastPart { owners: self.owners(&known), ..PastPart::default() };
        match known.as_slice() {
            [one] => {
                part.n_recent = one.n_recent;
                part.changes_with = one.co_changes.iter().map(|other| self.path(other.file)).collect();
            }
            several => {
                part.n_recent =
                    by_people.clone().filter(|commit| commit.age < model::history::RECENT_SECONDS).count() as u32;
                part.is_at_least = several.iter().any(|record| record.n_recent as usize > record.changes.len());
            }
        }
        part.subjects = subjects(by_people);
        part
    }

    /// Returns who stands behind files, and to what share; the largest first.
    pub(super) fn owners(&self, known: &[&'a FileHistoryRecord]) -> Vec<(&'a str, f32)> {
        let mut shares: FxHashMap<u32, f32> = FxHashMap::default();
        let mut total = 0.0;
        for record in known {
            total += record.churn;
            for (author, share) in &record.owners {
                *shares.entry(*author).or_default() += share * record.churn;
            }
        }
        let name = |author: u32| self.sealing.past.authors[author as usize].as_str();
        let mut owners: Vec<(&str, f32)> =
            shares.into_iter().map(|(author, share)| (name(author), share / total)).collect();
        owners.retain(|(_, share)| share.is_finite());
        owners.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        owners
    }
}

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

/// Returns counted names as relations, the strongest first.
pub(super) fn relations<'a>(counted: impl Iterator<Item = (&'a str, u32)>) -> Relations<'a> {
    let mut all: Vec<(&str, u32)> = counted.collect();
    let n_all = all.len() as u32;
    all.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    all.truncate(MAX_RELATIONS);
    Relations { strongest: all.into_iter().map(|(name, count)| Relation { name, count }).collect(), n_all }
}

/// Returns counted names as relations after the counts of each were summed.
pub(super) fn summed_relations<'a>(counted: impl Iterator<Item = (&'a str, u32)>) -> Relations<'a> {
    let mut sums: FxHashMap<&str, u32> = FxHashMap::default();
    counted.for_each(|(name, count)| *sums.entry(name).or_default() += count);
    relations(sums.into_iter())
}

fn kind(index: u8) -> SymbolKind {
    SymbolKind::from_index(index).unwrap_or(SymbolKind::Function)
}
