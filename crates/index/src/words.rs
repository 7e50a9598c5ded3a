//! Words about files and modules that do not stand in them: those of the messages of the commits that touched a file, and
//! those of the pages of modules and of the repository. One archive, which is mapped and read where it lies.
//!
//! Terms are kept as hashes of 32 bits. Two terms of one hash in one file are rarer than a mistyped message, and do as much.

use model::{Message, PageType};
use ranking::{
    analyser::Analyser,
    blend::{message_score, message_terms},
};
use rkyv::{Archive, Deserialize, Serialize};
use rustc_hash::FxHashMap;

use crate::{SearchQuery, Snapshot, messages::MAX_FILES_OF_A_COMMIT};

/// Different terms kept of one file, those that are said most.
const MAX_TERMS: usize = 400;

/// Steps that a frequency is counted in: a sixteenth, which tells a commit of one file from one of two.
const STEPS: f32 = 16.0;

/// What a word in the title of a page counts beside one in its text.
const TITLE_WEIGHT: f32 = 4.0;

#[derive(Archive, Serialize, Deserialize, Debug, Default)]
pub(crate) struct WordTables {
    /// By index of the file.
    pub(crate) messages: Bags,
    /// By place among the pages; empty for pages of files.
    pub(crate) pages: Bags,
}

/// Texts as the words that stand in them.
#[derive(Archive, Serialize, Deserialize, Debug, Default)]
pub(crate) struct Bags {
    /// By text: its first term here; and, last, how many terms there are.
    pub(crate) first_terms: Vec<u32>,
    /// Hashes, ascending within a text.
    pub(crate) terms: Vec<u32>,
    /// How often each term stands there, in steps.
    pub(crate) frequencies: Vec<u8>,
    /// By text: its tokens.
    pub(crate) lengths: Vec<f32>,
}

impl Bags {
    /// Adds the messages of the next file.
    pub(crate) fn push_messages(&mut self, messages: &[Message<'_>], analyser: &mut Analyser) {
        let telling = messages.iter().filter(|message| message.n_files <= MAX_FILES_OF_A_COMMIT);
        let analysed: Vec<(Vec<u32>, u32)> = telling
            .map(|message| {
                let mut terms = Vec::new();
                analyser.analyse(message.subject, &mut terms);
                analyser.analyse(message.body, &mut terms);
                (terms, message.n_files)
            })
            .collect();
        let (frequencies, length) = message_terms(analysed.iter().map(|(terms, n_files)| (terms.as_slice(), *n_files)));
        self.push(frequencies, length, analyser);
    }

    /// Adds a page.
    pub(crate) fn push_page(&mut self, title: &str, text: &str, analyser: &mut Analyser) {
        let mut frequencies: FxHashMap<u32, f32> = FxHashMap::default();
        let mut length = 0.0;
        for (part, weight) in [(title, TITLE_WEIGHT), (text, 1.0)] {
            let mut terms = Vec::new();
            analyser.analyse(part, &mut terms);
            length += terms.len() as f32;
            terms.into_iter().for_each(|term| *frequencies.entry(term).or_default() += weight);
        }
        self.push(frequencies, length, analyser);
    }

    /// Adds a text without words.
    pub(crate) fn push_none(&mut self) {
        self.first_terms.push(self.terms.len() as u32);
        self.lengths.push(0.0);
    }

    fn push(&mut self, frequencies: FxHashMap<u32, f32>, length: f32, analyser: &Analyser) {
        self.first_terms.push(self.terms.len() as u32);
        let mut counted: Vec<(u8, u32)> = frequencies
            .into_iter()
            .map(|(term, frequency)| ((frequency * STEPS).round().clamp(1.0, 255.0) as u8, hash(analyser.term(term))))
            .collect();
        counted.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        counted.truncate(MAX_TERMS);
        counted.sort_unstable_by_key(|(_, hash)| *hash);
        counted.dedup_by_key(|(_, hash)| *hash);
        self.terms.extend(counted.iter().map(|(_, hash)| *hash));
        self.frequencies.extend(counted.iter().map(|(frequency, _)| *frequency));
        self.lengths.push(length);
    }

    pub(crate) fn end(&mut self) {
        self.first_terms.push(self.terms.len() as u32);
    }
}

impl ArchivedBags {
    /// Returns how well a text matches: terms and their weights.
    fn score(&self, text_idx: usize, terms: &[(String, f32)]) -> f32 {
        let at = |idx: usize| self.first_terms.get(idx).map_or(0, |first| first.to_native() as usize);
        let (first, end) = (at(text_idx), at(text_idx + 1));
        if first >= end {
            return 0.0;
        }
        let length = self.lengths[text_idx].to_native();
        let said = &self.terms[first..end];
        let mut score = 0.0;
        for (term, weight) in terms {
            if let Ok(place) = said.binary_search_by(|known| known.to_native().cmp(&hash(term))) {
                score += message_score(*weight, f32::from(self.frequencies[first + place]) / STEPS, length);
            }
        }
        score
    }
}

/// A page of a module or of the repository, and how well it matches.
#[derive(Debug, Clone, PartialEq)]
pub struct PageHit {
    pub page_type: PageType,
    /// Of the folder; empty for the page of the repository.
    pub path: String,
    pub title: String,
    pub score: f32,
}

impl Snapshot {
    /// Returns how well the messages of a file match.
    pub(crate) fn history_score(&self, file_idx: usize, terms: &[(String, f32)]) -> f32 {
        self.word_tables().messages.score(file_idx, terms)
    }

    /// Returns the pages of modules and of the repository that match best, best first.
    pub fn rank_pages(&self, query: &SearchQuery<'_>) -> Vec<PageHit> {
        let filter = query.filter;
        if filter.content.is_some() || filter.symbol_kind.is_some() || filter.language.is_some() {
            return Vec::new();
        }
        let words = self.word_tables();
        let mut found: Vec<(f32, usize)> = (self.tables().pages.iter().enumerate())
            .filter(|(_, page)| filter.admits_path(&page.path))
            .map(|(page_idx, page)| {
                let score = words.pages.score(page_idx, query.terms);
                // The page of a repository answers to its name alone, that of a module to what else is said.
                let is_named = score > 0.0 || PageType::from_index(page.page_type) == Some(PageType::Overview);
                (score + if is_named { query.name_weight } else { 0.0 }, page_idx)
            })
            .filter(|(score, _)| *score > 0.0)
            .collect();
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        found.truncate(query.limit);
        let hit = |(score, page_idx): (f32, usize)| {
            let page = &self.tables().pages[page_idx];
            let title = if page.title.is_empty() { &page.path } else { &page.title };
            PageHit {
                page_type: PageType::from_index(page.page_type).unwrap_or(PageType::Module),
                path: page.path.as_str().to_owned(),
                title: title.as_str().to_owned(),
                score,
            }
        };
        found.into_iter().map(hit).collect()
    }
}

/// FNV-1a of 32 bits.
fn hash(term: &str) -> u32 {
    term.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
