//! A static model from a directory in model2vec's layout: `tokenizer.json` and `model.safetensors`.
//!
//! The tokenizer file is parsed here, since a tokenizer library would add some thirty packages. The available tables
//! for English and code all use word pieces, like the built-in one.

use std::{borrow::Cow, collections::HashMap, path::Path};

use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use serde::Deserialize;

use crate::{EmbedError, ModelId, StaticModel, config::MAX_DIMS, word_pieces::WordPieces};

/// The supported tokenizer type.
const WORD_PIECE: &str = "WordPiece";

/// The relevant part of `tokenizer.json`.
#[derive(Deserialize)]
struct Tokenizer {
    model: Vocabulary,
}

/// Maximum size in bytes of each file of a model.
const MAX_MODEL_BYTES: u64 = 2 << 30;

#[derive(Deserialize)]
struct Vocabulary {
    #[serde(rename = "type")]
    kind: String,
    /// Token ids by text; a list for other tokenizer types.
    vocab: serde_json::Value,
}

/// Reads the model of a directory.
pub(crate) fn open(directory: &Path) -> Result<StaticModel, EmbedError> {
    let read = |name: &str| {
        files::read(&directory.join(name), MAX_MODEL_BYTES).map_err(|error| format!("`{name}` cannot be read: {error}"))
    };
    let model = read("tokenizer.json").and_then(|tokenizer| model(&tokenizer, &read("model.safetensors")?));
    model.map_err(|reason| {
        let directory = directory.display();
        EmbedError::Misconfigured(format!("the model in `{directory}` cannot be used: {reason}"))
    })
}

fn model(tokenizer_bytes: &[u8], tensor_bytes: &[u8]) -> Result<StaticModel, String> {
    let token_ids = token_ids(tokenizer_bytes)?;
    let tensors =
        SafeTensors::deserialize(tensor_bytes).map_err(|error| format!("`model.safetensors` is damaged: {error}"))?;
    let vectors = tensors.tensor("embeddings").map_err(|_| "`model.safetensors` has no tensor `embeddings`")?;
    let [n_rows, n_dims] = *vectors.shape() else {
        return Err("the tensor `embeddings` is not a table of tokens and dimensions".to_owned());
    };
    if !(1..=MAX_DIMS).contains(&n_dims) {
        return Err(format!("it has {n_dims} dimensions; there may be 1 to {MAX_DIMS}"));
    }
    let n_tokens = token_ids.values().max().map_or(0, |largest| *largest as usize + 1);
    // Models with shared rows have a mapping from tokens to rows; otherwise each token has its own row.
    let rows = match tensors.tensor("mapping") {
        Ok(mapping) => Some(row_indices(&mapping)?),
        Err(_) => None,
    };
    let weights = match tensors.tensor("weights") {
        Ok(weights) => Some(numbers(&weights, weights.data())?),
        Err(_) => None,
    };

    let (mut scales, mut codes) = (Vec::with_capacity(n_tokens), Vec::with_capacity(n_tokens * n_dims));
    let row_bytes = vectors.data().len() / n_rows.max(1);
    for token_id in 0..n_tokens {
        let row_idx = rows.as_ref().map_or(Some(token_id), |rows| rows.get(token_id).copied());
        let row = row_idx.filter(|row_idx| *row_idx < n_rows).ok_or("it has more tokens than vectors")?;
        let weight = weights.as_ref().map_or(Some(1.0), |weights| weights.get(token_id).copied());
        let weight = weight.ok_or("it has more tokens than weights")?;
        let vector = numbers(&vectors, &vectors.data()[row * row_bytes..(row + 1) * row_bytes])?;
        let largest = vector.iter().fold(0.0_f32, |largest, number| largest.max(number.abs()));
        if !weight.is_finite() || vector.iter().any(|number| !number.is_finite()) {
            return Err(format!("the vector of token {token_id} is not finite"));
        }
        let code = |number: &f32| if largest > 0.0 { (number / largest * 127.0).round() as i8 as u8 } else { 0 };
        codes.extend(vector.iter().map(code));
        scales.push(largest / 127.0 * weight);
    }

    let mut hasher = blake3::Hasher::new();
    hasher.update(blake3::hash(tokenizer_bytes).as_bytes()).update(blake3::hash(tensor_bytes).as_bytes());
    let id = ModelId::of_content("local", n_dims, &hasher.finalize());
    let pieces = WordPieces::new(token_ids.iter().map(|(token, token_id)| (token.as_str(), *token_id)));
    Ok(StaticModel { id, n_dims, scales, codes: Cow::Owned(codes), pieces })
}

fn token_ids(bytes: &[u8]) -> Result<HashMap<String, u32>, String> {
    let damaged = |error: serde_json::Error| format!("`tokenizer.json` cannot be parsed: {error}");
    let Tokenizer { model } = serde_json::from_slice(bytes).map_err(damaged)?;
    if model.kind != WORD_PIECE {
        return Err(format!(
            "its tokenizer has the type `{}`; only `{WORD_PIECE}` is supported, so serve this model by an endpoint",
            model.kind
        ));
    }
    serde_json::from_value(model.vocab).map_err(damaged)
}

fn numbers(tensor: &TensorView<'_>, bytes: &[u8]) -> Result<Vec<f32>, String> {
    let pairs = || bytes.as_chunks::<2>().0.iter().map(|pair| u16::from_le_bytes(*pair));
    match tensor.dtype() {
        Dtype::F64 => Ok(bytes.as_chunks::<8>().0.iter().map(|number| f64::from_le_bytes(*number) as f32).collect()),
        Dtype::F32 => Ok(bytes.as_chunks::<4>().0.iter().map(|number| f32::from_le_bytes(*number)).collect()),
        Dtype::F16 => Ok(pairs().map(binary16_to_f32).collect()),
        Dtype::BF16 => Ok(pairs().map(|bits| f32::from_bits(u32::from(bits) << 16)).collect()),
        Dtype::I8 => Ok(bytes.iter().map(|code| f32::from(*code as i8)).collect()),
        other => Err(format!("its numbers have the type {other:?}, which is not supported")),
    }
}

fn row_indices(tensor: &TensorView<'_>) -> Result<Vec<usize>, String> {
    let wide: Vec<i64> = match tensor.dtype() {
        Dtype::I64 => tensor.data().as_chunks::<8>().0.iter().map(|number| i64::from_le_bytes(*number)).collect(),
        Dtype::I32 => {
            tensor.data().as_chunks::<4>().0.iter().map(|number| i64::from(i32::from_le_bytes(*number))).collect()
        }
        other => return Err(format!("the tensor `mapping` has the type {other:?}, which is not supported")),
    };
    let rows: Result<Vec<usize>, _> = wide.into_iter().map(usize::try_from).collect();
    rows.map_err(|_| "the tensor `mapping` has a number below zero".to_owned())
}

/// Converts an IEEE 754 binary16 number: 1 sign bit, 5 exponent bits, 10 fraction bits.
fn binary16_to_f32(bits: u16) -> f32 {
    let (sign, exponent, fraction) = (bits >> 15, (bits >> 10) & 0x1f, f32::from(bits & 0x3ff));
    let magnitude = match exponent {
        0 => fraction * 2.0_f32.powi(-24),
        0x1f if fraction == 0.0 => f32::INFINITY,
        0x1f => f32::NAN,
        _ => (1024.0 + fraction) * 2.0_f32.powi(i32::from(exponent) - 25),
    };
    if sign == 1 { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::{Vector, WordCache};

    const TOKENS: &str =
        r###"{"model": {"type": "WordPiece", "vocab": {"[UNK]": 0, "http": 1, "lock": 2, "##s": 3}}}"###;

    fn bytes(numbers: &[f32]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    /// Returns a safetensors file with these tensors: name, type, shape, bytes.
    fn file(tensors: &[(&str, Dtype, &[usize], Vec<u8>)]) -> Vec<u8> {
        let view = |(name, dtype, shape, data): &(&str, Dtype, &[usize], Vec<u8>)| {
            let view = TensorView::new(*dtype, shape.to_vec(), data).expect("the shape fits");
            ((*name).to_owned(), (view.dtype(), view.shape().to_vec(), view.data().to_vec()))
        };
        let owned: Vec<_> = tensors.iter().map(view).collect();
        let views = owned.iter().map(|(name, (dtype, shape, data))| {
            (name.clone(), TensorView::new(*dtype, shape.clone(), data).expect("the shape fits"))
        });
        safetensors::serialize(views, None).expect("it is written")
    }

    fn embed(model: &StaticModel, text: &str) -> Vector {
        WordCache::new(model).embed(text)
    }

    #[test]
    fn model_is_read_from_a_directory() {
        let dir = tempfile::tempdir().expect("a directory");
        let write = |name: &str, bytes: &[u8]| fs::write(dir.path().join(name), bytes).expect("a file");
        write("tokenizer.json", TOKENS.as_bytes());
        let table = bytes(&[0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 2.0]);
        write("model.safetensors", &file(&[("embeddings", Dtype::F32, &[4, 2], table)]));
        let model = open(dir.path()).expect("it is read");
        assert_eq!(model.n_dims(), 2);
        assert_eq!(embed(&model, "HTTP locks").codes(), [32, 127]);
        assert!(embed(&model, "nothing known").is_zero());
        assert!(model.id().as_str().starts_with("local/2/"), "{}", model.id());
    }

    #[test]
    fn rows_can_be_shared_and_weighted() {
        let halves = [0x3c00_u16, 0x0000, 0x0000, 0xbc00].iter().flat_map(|half| half.to_le_bytes()).collect();
        let mapping = [0_i64, 0, 1, 1].iter().flat_map(|row| row.to_le_bytes()).collect();
        let tensors = file(&[
            ("embeddings", Dtype::F16, &[2, 2], halves),
            ("mapping", Dtype::I64, &[4], mapping),
            ("weights", Dtype::F32, &[4], bytes(&[0.0, 1.0, 1.0, 3.0])),
        ]);
        let model = model(TOKENS.as_bytes(), &tensors).expect("it is read");
        assert_eq!(embed(&model, "http").codes(), [127, 0]);
        assert_eq!(embed(&model, "http locks").codes(), [32, -127]);
    }

    #[test]
    fn model_id_depends_on_the_files() {
        let table = |number: f32| file(&[("embeddings", Dtype::F32, &[4, 1], bytes(&[number; 4]))]);
        let id = |tokenizer: &str, number: f32| model(tokenizer.as_bytes(), &table(number)).expect("it is read").id;
        assert_eq!(id(TOKENS, 1.0), id(TOKENS, 1.0));
        assert_ne!(id(TOKENS, 1.0), id(TOKENS, 2.0));
        assert_ne!(id(TOKENS, 1.0), id(&TOKENS.replace("lock", "rock"), 1.0));
    }

    #[test]
    fn invalid_files_are_explained() {
        let table = |n_rows: usize| file(&[("embeddings", Dtype::F32, &[n_rows, 1], bytes(&vec![1.0; n_rows]))]);
        let unigram = r#"{"model": {"type": "Unigram", "vocab": [["a", -1.0]]}}"#;
        let infinite = file(&[("embeddings", Dtype::F32, &[4, 1], bytes(&[1.0, f32::NAN, 1.0, 1.0]))]);
        let cases = [
            ("{", table(4), "`tokenizer.json` cannot be parsed"),
            (unigram, table(4), "has the type `Unigram`"),
            (TOKENS, b"short".to_vec(), "`model.safetensors` is damaged"),
            (TOKENS, file(&[("other", Dtype::F32, &[1], bytes(&[1.0]))]), "no tensor `embeddings`"),
            (TOKENS, file(&[("embeddings", Dtype::F32, &[1], bytes(&[1.0]))]), "not a table"),
            (TOKENS, file(&[("embeddings", Dtype::U8, &[4, 1], vec![1; 4])]), "have the type U8"),
            (TOKENS, table(3), "more tokens than vectors"),
            (TOKENS, infinite, "token 1 is not finite"),
        ];
        for (tokenizer, tensors, expected) in cases {
            let error = model(tokenizer.as_bytes(), &tensors).err().expect(expected);
            assert!(error.contains(expected), "{error}");
        }
        let error = open(Path::new("/no/such/model")).err().expect("there is none").to_string();
        assert!(error.contains("/no/such/model") && error.contains("tokenizer.json"), "{error}");
    }

    #[test]
    fn binary16_is_converted() {
        let cases = [(0x0000, 0.0), (0x3c00, 1.0), (0xc000, -2.0), (0x7bff, 65504.0), (0x0001, 5.960_464_5e-8)];
        for (bits, expected) in cases {
            assert_eq!(binary16_to_f32(bits), expected);
        }
        assert!(binary16_to_f32(0x7c00).is_infinite() && binary16_to_f32(0x7e00).is_nan());
    }
}
