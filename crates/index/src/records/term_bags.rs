//! Texts about files and modules as bags of terms: the messages of the commits that touched a file, and the pages of modules
//! and of the repository.
//!
//! A term is stored as a hash of 32 bits. A collision within one file is rarer than a typo in a message, and as harmless.

use model::Message;
use ranking::{
    analyser::Analyser,
    blend::{message_score, message_terms},
};
use rkyv::{Archive, Deserialize, Serialize};
use rustc_hash::FxHashMap;

use super::messages::MAX_FILES_OF_A_COMMIT;

/// Maximum number of distinct terms per bag; the most frequent ones stay.
const MAX_TERMS: usize = 400;

/// Steps per unit of a stored frequency. Sixteenths distinguish a commit of one file from a commit of two.
const FREQUENCY_STEPS: f32 = 16.0;

/// Weight of a term in the title of a page, relative to one in its text.
const TITLE_WEIGHT: f32 = 4.0;

/// Terms and their frequencies, text by text.
#[derive(Archive, Serialize, Deserialize, Debug, Default)]
pub(crate) struct TermBags {
    /// By text: start of its range in `terms`. The last entry is the length of `terms`.
    pub(crate) first_terms: Vec<u32>,
    /// Term hashes, ascending within a text.
    pub(crate) terms: Vec<u32>,
    /// Frequency of each term in its text, in steps.
    pub(crate) frequencies: Vec<u8>,
    /// By text: number of tokens.
    pub(crate) lengths: Vec<f32>,
}

impl TermBags {
    /// Adds the messages of the next file.
    pub(crate) fn push_messages(&mut self, messages: &[Message<'_>], analyser: &mut Analyser) {
        let specific = messages.iter().filter(|message| message.n_files <= MAX_FILES_OF_A_COMMIT);
        let analysed: Vec<(Vec<u32>, u32)> = specific
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

    /// Adds a bag of another generation.
    pub(crate) fn push_stored(&mut self, bags: &ArchivedTermBags, text_idx: usize) {
        let (first, end) = bags.range(text_idx);
        self.first_terms.push(self.terms.len() as u32);
        self.terms.extend(bags.terms[first..end].iter().map(|term| term.to_native()));
        self.frequencies.extend_from_slice(&bags.frequencies[first..end]);
        self.lengths.push(bags.lengths.get(text_idx).map_or(0.0, |length| length.to_native()));
    }

    /// Adds an empty bag.
    pub(crate) fn push_empty(&mut self) {
        self.first_terms.push(self.terms.len() as u32);
        self.lengths.push(0.0);
    }

    fn push(&mut self, frequencies: FxHashMap<u32, f32>, length: f32, analyser: &Analyser) {
        self.first_terms.push(self.terms.len() as u32);
        let mut counted: Vec<(u8, u32)> = frequencies
            .into_iter()
            .map(|(term, frequency)| {
                ((frequency * FREQUENCY_STEPS).round().clamp(1.0, 255.0) as u8, hash(analyser.term(term)))
            })
            .collect();
        counted.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        counted.truncate(MAX_TERMS);
        counted.sort_unstable_by_key(|(_, hash)| *hash);
        counted.dedup_by_key(|(_, hash)| *hash);
        self.terms.extend(counted.iter().map(|(_, hash)| *hash));
        self.frequencies.extend(counted.iter().map(|(frequency, _)| *frequency));
        self.lengths.push(length);
    }

    /// Writes the end of the last range. Nothing may be added after it.
    pub(crate) fn finish(&mut self) {
        self.first_terms.push(self.terms.len() as u32);
    }
}

impl ArchivedTermBags {
    /// Returns the score of a text for weighted terms.
    pub(crate) fn score(&self, text_idx: usize, terms: &[(String, f32)]) -> f32 {
        let (first, end) = self.range(text_idx);
        if first == end {
            return 0.0;
        }
        let length = self.lengths[text_idx].to_native();
        let stored = &self.terms[first..end];
        let mut score = 0.0;
        for (term, weight) in terms {
            if let Ok(term_idx) = stored.binary_search_by(|known| known.to_native().cmp(&hash(term))) {
                score +=
                    message_score(*weight, f32::from(self.frequencies[first + term_idx]) / FREQUENCY_STEPS, length);
            }
        }
        score
    }

    /// Returns the range of the terms of a text; an empty one if there is no such text.
    fn range(&self, text_idx: usize) -> (usize, usize) {
        let start = |idx: usize| self.first_terms.get(idx).map_or(0, |first| first.to_native() as usize);
        let (first, end) = (start(text_idx), start(text_idx + 1));
        if first < end { (first, end) } else { (0, 0) }
    }
}

/// Returns the FNV-1a hash of 32 bits.
fn hash(term: &str) -> u32 {
    term.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
