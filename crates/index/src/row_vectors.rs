//! Embedding of rows: as vectors by the static model, and as texts for other models.

use embed::{StaticModel, Vector, WordCache};
use model::FileFacts;
use ranking::{
    Field, N_FIELDS,
    analyser::{for_each_word, words},
};
use rustc_hash::FxHashMap;

use crate::rows::{RowSource, RowText};

/// Maximum number of words per field. The topic of a long function shows in its first page.
const MAX_WORDS: usize = 1_000;

/// Maximum length of the body in the text of a row. It is about the input length of embedding services.
const MAX_BODY_CHARS: usize = 1_500;

/// Weight of the direction of each field in the vector of a row, in the order of `Field::ALL`.
const FIELD_WEIGHTS: [f32; N_FIELDS] = [1.0, 1.0, 0.5, 1.0, 1.0, 1.0];

/// Embeds rows with the static model. It caches words, so each thread should reuse one.
///
/// ```
/// use embed::StaticModel;
/// use index::RowEmbedder;
/// use model::{FileFacts, Language};
///
/// let mut embedder = RowEmbedder::new(StaticModel::built_in());
/// let facts = FileFacts::empty(Language::Rust, 1);
/// let vectors = embedder.row_vectors("src/lib.rs", &facts, b"// Parses configuration files.");
/// assert_eq!(vectors.len(), 1, "a file without symbols and chunks has one row");
/// ```
pub struct RowEmbedder<'m> {
    cache: WordCache<'m>,
    /// By identifier: the range of its words in `identifier_parts`.
    identifiers: FxHashMap<Box<str>, (u32, u32)>,
    /// Ids of the words of all identifiers, concatenated.
    identifier_parts: Vec<u32>,
    part_ids: FxHashMap<Box<str>, u32>,
    parts: Vec<Box<str>>,
    /// By word id: number of occurrences in the current field.
    counts: Vec<f32>,
    /// Ids of the words of the current field, in the order of first occurrence.
    in_field: Vec<u32>,
}

impl<'m> RowEmbedder<'m> {
    /// Returns an embedder with an empty cache.
    pub fn new(model: &'m StaticModel) -> RowEmbedder<'m> {
        RowEmbedder {
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
    /// The direction of a field is that of the sum of its words, and the direction of a row is that of the sum of its fields.
    /// So the weight of a field is independent of its length. A word of a body has the square root of its count as weight.
    pub fn row_vectors(&mut self, path: &str, facts: &FileFacts, bytes: &[u8]) -> Vec<Vector> {
        let source = RowSource::from_facts(path, facts, bytes);
        let of_path = self.direction([without_extension(path)].into_iter(), std::convert::identity);
        source.rows().map(|row| self.row_vector(&row, &of_path)).collect()
    }

    fn row_vector(&mut self, row: &RowText<'_>, of_path: &[f32]) -> Vector {
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

    /// Returns the unit vector of the weighted sum of the words of texts; the zero vector if there is no known word. `weigh`
    /// maps the count of a word to its weight.
    fn direction<'t>(&mut self, texts: impl Iterator<Item = &'t str>, weigh: impl Fn(f32) -> f32) -> Vec<f32> {
        let mut n_words = 0;
        for text in texts {
            for_each_word(text, |identifier| {
                if n_words < MAX_WORDS {
                    n_words += self.count_words(identifier);
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

    /// Counts the words of an identifier, and returns their number.
    fn count_words(&mut self, identifier: &str) -> usize {
        let (start, end) = match self.identifiers.get(identifier) {
            Some(range) => *range,
            None => self.add_identifier(identifier),
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

    /// Caches an identifier, and returns the range of its words in `identifier_parts`.
    fn add_identifier(&mut self, identifier: &str) -> (u32, u32) {
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

/// Returns the text of each row of a file, in the order of the rows, for models that embed text.
pub fn row_texts(path: &str, facts: &FileFacts, bytes: &[u8]) -> Vec<String> {
    let text = |row: RowText<'_>| {
        let mut text = format!("{} {} {path}\n{}\n{}\n", row.parent, row.name, row.doc, row.signature);
        text.extend(row.body.iter().flat_map(|part| part.chars()).take(MAX_BODY_CHARS));
        text
    };
    RowSource::from_facts(path, facts, bytes).rows().map(text).collect()
}

fn without_extension(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |(stem, _)| stem)
}
