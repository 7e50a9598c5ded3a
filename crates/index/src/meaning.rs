//! What the rows of a file mean, as vectors.

use embed::{Vector, WordCache};
use model::FileFacts;
use ranking::{Field, N_FIELDS, analyser::words};
use rustc_hash::FxHashMap;

use crate::row::{Row, RowSource};

/// Words of a field that count at most: what a long function is about shows in its first page.
const MAX_WORDS: usize = 1_000;

/// Characters of a row's body in the text of a row, for models that take text: about what such models read.
const MAX_BODY_CHARS: usize = 1_500;

/// What the direction of each field counts in the vector of a row, as `Field::ALL` counts.
const FIELD_WEIGHTS: [f32; N_FIELDS] = [1.0, 1.0, 0.5, 1.0, 1.0, 1.0];

/// Returns the vector of each row of a file, in the order of the rows.
///
/// A field has the direction of the sum of its words, and a row that of the sum of its fields: so no field speaks louder
/// for being longer. Words that repeat in a body count as the root of how often they do.
pub fn row_vectors(path: &str, facts: &FileFacts, bytes: &[u8], cache: &mut WordCache<'_>) -> Vec<Vector> {
    let source = RowSource::of_facts(path, facts, bytes);
    let of_path = direction(cache, &[without_extension(path)], false);
    source.rows().map(|row| row_vector(&row, &of_path, cache)).collect()
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

fn row_vector(row: &Row<'_>, of_path: &[f32], cache: &mut WordCache<'_>) -> Vector {
    let body: Vec<&str> = row.body.iter().map(AsRef::as_ref).collect();
    let mut sum = vec![0.0; of_path.len()];
    for (field, weight) in Field::ALL.into_iter().zip(FIELD_WEIGHTS) {
        let of_field = match field {
            Field::Name => direction(cache, &[row.name], false),
            Field::Path => of_path.to_vec(),
            Field::Parent => direction(cache, &[row.parent], false),
            Field::Signature => direction(cache, &[&row.signature], false),
            Field::Doc => direction(cache, &[row.doc], false),
            Field::Body => direction(cache, &body, true),
        };
        sum.iter_mut().zip(of_field).for_each(|(sum, part)| *sum += weight * part);
    }
    Vector::quantise(&sum)
}

/// Returns the vector of length 1 in the direction of the sum of the words of some texts; zeros if they say nothing.
fn direction(cache: &mut WordCache<'_>, texts: &[&str], damps_repetition: bool) -> Vec<f32> {
    let all: Vec<String> = texts.iter().flat_map(|text| words(text)).take(MAX_WORDS).collect();
    let mut counts: FxHashMap<&str, f32> = FxHashMap::default();
    let mut in_order: Vec<&str> = Vec::new();
    for word in &all {
        let count = counts.entry(word).or_default();
        if *count == 0.0 {
            in_order.push(word);
        }
        *count += 1.0;
    }
    let mut sum = cache.start();
    for word in in_order {
        let count = counts[word];
        sum.add(word, if damps_repetition { count.sqrt() } else { count });
    }
    let mut numbers = sum.into_numbers();
    let length = numbers.iter().map(|number| number * number).sum::<f32>().sqrt();
    if length > 0.0 {
        numbers.iter_mut().for_each(|number| *number /= length);
    }
    numbers
}

fn without_extension(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |(stem, _)| stem)
}
