//! What the rows of a file mean, as vectors.

use embed::{StaticModel, Vector, WordCache};
use model::FileFacts;
use ranking::{
    Field, N_FIELDS,
    analyser::{for_each_word, words},
};
use rustc_hash::FxHashMap;

use crate::row::{Row, RowSource};

/// Words of a field that count at most: what a long function is about shows in its first page.
const MAX_WORDS: usize = 1_000;

/// Characters of a row's body in the text of a row, for models that take text: about what such models read.
const MAX_BODY_CHARS: usize = 1_500;

/// What the direction of each field counts in the vector of a row, as `Field::ALL` counts.
const FIELD_WEIGHTS: [f32; N_FIELDS] = [1.0, 1.0, 0.5, 1.0, 1.0, 1.0];

/// Makes vectors of rows, and remembers the words that it has met. One for each thread.
pub struct Meanings<'m> {
    cache: WordCache<'m>,
    /// Identifiers met before, with the place of their parts in `identifier_parts`.
    identifiers: FxHashMap<Box<str>, (u32, u32)>,
    identifier_parts: Vec<u32>,
    part_ids: FxHashMap<Box<str>, u32>,
    parts: Vec<Box<str>>,
    /// By part: how often it stands in the field at hand.
    counts: Vec<f32>,
    /// The parts of the field at hand, in the order in which they first stand there.
    in_field: Vec<u32>,
}

impl<'m> Meanings<'m> {
    pub fn new(model: &'m StaticModel) -> Meanings<'m> {
        Meanings {
            cache: WordCache::new(model),
            identifiers: FxHashMap::default(),
            identifier_parts: Vec::new(),
            part_ids: FxHashMap::default(),
            parts: Vec::new(),
            counts: Vec::new(),
            in_field: Vec::new(),
        }
    }

    /// Returns the vector of each row of a file, in the order of the rows.
    ///
    /// A field has the direction of the sum of its words, and a row that of the sum of its fields: so no field speaks
    /// louder for being longer. Words that repeat in a body count as the root of how often they do.
    pub fn row_vectors(&mut self, path: &str, facts: &FileFacts, bytes: &[u8]) -> Vec<Vector> {
        let source = RowSource::of_facts(path, facts, bytes);
        let of_path = self.direction([without_extension(path)].into_iter(), std::convert::identity);
        source.rows().map(|row| self.row_vector(&row, &of_path)).collect()
    }

    fn row_vector(&mut self, row: &Row<'_>, of_path: &[f32]) -> Vector {
        let mut sum = vec![0.0; of_path.len()];
        for (field, weight) in Field::ALL.into_iter().zip(FIELD_WEIGHTS) {
            let once = |text| std::iter::once(text);
            let of_field = match field {
                Field::Name => self.direction(once(row.name), std::convert::identity),
                Field::Path => of_path.to_vec(),
                Field::Parent => self.direction(once(row.parent), std::convert::identity),
                Field::Signature => self.direction(once(row.signature.as_ref()), std::convert::identity),
                Field::Doc => self.direction(once(row.doc), std::convert::identity),
                Field::Body => self.direction(row.body.iter().map(AsRef::as_ref), f32::sqrt),
            };
            sum.iter_mut().zip(of_field).for_each(|(sum, part)| *sum += weight * part);
        }
        Vector::quantise(&sum)
    }

    /// Returns the vector of length 1 in the direction of the sum of the words of some texts, each weighed by how often it
    /// stands there; nothing if they say nothing.
    fn direction<'t>(&mut self, texts: impl Iterator<Item = &'t str>, weigh: impl Fn(f32) -> f32) -> Vec<f32> {
        let mut n_words = 0;
        for text in texts {
            for_each_word(text, |identifier| {
                if n_words < MAX_WORDS {
                    n_words += self.count(identifier);
                }
            });
        }
        let mut sum = self.cache.start();
        for part in self.in_field.drain(..) {
            let count = std::mem::take(&mut self.counts[part as usize]);
            sum.add(&self.parts[part as usize], weigh(count));
        }
        let mut numbers = sum.into_numbers();
        let length = numbers.iter().map(|number| number * number).sum::<f32>().sqrt();
        if length > 0.0 {
            numbers.iter_mut().for_each(|number| *number /= length);
        }
        numbers
    }

    /// Counts the parts of an identifier, and returns how many there are.
    fn count(&mut self, identifier: &str) -> usize {
        let (start, end) = match self.identifiers.get(identifier) {
            Some(range) => *range,
            None => self.learn(identifier),
        };
        for part in &self.identifier_parts[start as usize..end as usize] {
            let count = &mut self.counts[*part as usize];
            if *count == 0.0 {
                self.in_field.push(*part);
            }
            *count += 1.0;
        }
        (end - start) as usize
    }

    fn learn(&mut self, identifier: &str) -> (u32, u32) {
        let start = self.identifier_parts.len() as u32;
        for part in words(identifier) {
            let part = part.into_boxed_str();
            let next = self.parts.len() as u32;
            let part_id = *self.part_ids.entry(part).or_insert_with_key(|part| {
                self.parts.push(part.clone());
                self.counts.push(0.0);
                next
            });
            self.identifier_parts.push(part_id);
        }
        let range = (start, self.identifier_parts.len() as u32);
        self.identifiers.insert(identifier.into(), range);
        range
    }
}

/// Returns the text of each row of a file, in the order of the rows, for models that take text.
pub fn row_texts(path: &str, facts: &FileFacts, bytes: &[u8]) -> Vec<String> {
    let text = |row: Row<'_>| {
        let mut text = format!("{} {} {path}\n{}\n{}\n", row.parent, row.name, row.doc, row.signature);
        text.extend(row.body.iter().flat_map(|part| part.chars()).take(MAX_BODY_CHARS));
        text
    };
    RowSource::of_facts(path, facts, bytes).rows().map(text).collect()
}

fn without_extension(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |(stem, _)| stem)
}
