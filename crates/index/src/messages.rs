//! The words of the messages of the commits that touched a file: one archive, which is mapped and read where it lies.
//!
//! Terms are kept as hashes of 32 bits. Two terms of one hash in one file are rarer than a mistyped message, and do as much.

use model::Message;
use ranking::{
    analyser::Analyser,
    blend::{message_score, message_terms},
};
use rkyv::{Archive, Deserialize, Serialize};

use crate::Snapshot;

/// Commits of more files than this say too little of each.
const MAX_FILES_OF_A_COMMIT: u32 = 12;

/// Different terms kept of one file, those that are said most.
const MAX_TERMS: usize = 400;

/// Steps that a frequency is counted in: a sixteenth, which tells a commit of one file from one of two.
const STEPS: f32 = 16.0;

#[derive(Archive, Serialize, Deserialize, Debug, Default)]
pub(crate) struct MessageTables {
    /// By index of the file: its first term here; and, last, how many terms there are.
    first_terms: Vec<u32>,
    /// Hashes, ascending within a file.
    terms: Vec<u32>,
    /// How often each term stands in the messages, in steps.
    frequencies: Vec<u8>,
    /// By index of the file: tokens of all messages.
    lengths: Vec<f32>,
}

impl MessageTables {
    /// Adds the messages of the next file.
    pub(crate) fn push(&mut self, messages: &[Message<'_>], analyser: &mut Analyser) {
        self.first_terms.push(self.terms.len() as u32);
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

impl Snapshot {
    /// Returns how well the messages of a file match: terms and their weights.
    pub(crate) fn history_score(&self, file_idx: usize, terms: &[(String, f32)]) -> f32 {
        let tables = self.message_tables();
        let at = |idx: usize| tables.first_terms.get(idx).map_or(0, |first| first.to_native() as usize);
        let (first, end) = (at(file_idx), at(file_idx + 1));
        if first >= end {
            return 0.0;
        }
        let length = tables.lengths[file_idx].to_native();
        let said = &tables.terms[first..end];
        let mut score = 0.0;
        for (term, weight) in terms {
            if let Ok(place) = said.binary_search_by(|known| known.to_native().cmp(&hash(term))) {
                score += message_score(*weight, f32::from(tables.frequencies[first + place]) / STEPS, length);
            }
        }
        score
    }
}

/// FNV-1a of 32 bits.
fn hash(term: &str) -> u32 {
    term.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
