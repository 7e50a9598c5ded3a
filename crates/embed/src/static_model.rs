//! A model with a vector for each token.

use std::{borrow::Cow, sync::LazyLock};

use multiversion::multiversion;

use crate::{ModelId, table, word_pieces::WordPieces};

/// The built-in table; `model/NOTICE` describes its origin.
static BUILT_IN_TABLE: &[u8] = include_bytes!("../model/tokens.bin");

/// Name of the built-in table; the hash in its id identifies the version.
const BUILT_IN_NAME: &str = "built-in";

static BUILT_IN: LazyLock<StaticModel> = LazyLock::new(|| {
    let table = table::read(BUILT_IN_TABLE).expect("the table is part of the program, and a test reads it");
    StaticModel {
        id: ModelId::of_content(BUILT_IN_NAME, table.n_dims, &blake3::hash(BUILT_IN_TABLE)),
        n_dims: table.n_dims,
        scales: table.scales,
        codes: Cow::Borrowed(table.codes),
        pieces: WordPieces::new(table.tokens.into_iter().zip(0..)),
    }
});

/// A model in which the vector of a text is the sum of its tokens' vectors.
pub struct StaticModel {
    pub(crate) id: ModelId,
    pub(crate) n_dims: usize,
    /// Scale of each token's codes, including the weight of the token.
    pub(crate) scales: Vec<f32>,
    /// Codes of all tokens, concatenated: bytes that are signed numbers.
    pub(crate) codes: Cow<'static, [u8]>,
    pub(crate) pieces: WordPieces,
}

impl StaticModel {
    /// Returns the built-in model, loaded on first use.
    pub fn built_in() -> &'static StaticModel {
        &BUILT_IN
    }

    /// Returns the id of the model.
    pub fn id(&self) -> &ModelId {
        &self.id
    }

    /// Returns the number of dimensions of its vectors.
    pub fn n_dims(&self) -> usize {
        self.n_dims
    }

    /// Returns true if a word is a single token, like most English words.
    pub fn knows(&self, word: &str) -> bool {
        self.tokens_of(word) == 1
    }

    /// Returns true if the tokens of a word are long enough to carry its meaning; a word that is split into letters has
    /// none.
    pub fn makes_sense_of(&self, word: &str) -> bool {
        /// Average length of two tokens in letters: `deserialize` has four tokens, `jkgrv` has five. Words of two
        /// tokens are often abbreviations, such as `CR`.
        const MIN_LETTERS_OF_TWO: usize = 5;
        let n_tokens = self.tokens_of(word);
        matches!(n_tokens, 1 | 2) || n_tokens > 2 && 2 * word.chars().count() >= n_tokens * MIN_LETTERS_OF_TWO
    }

    fn tokens_of(&self, word: &str) -> usize {
        let mut tokens = Vec::new();
        self.tokenize(word, &mut tokens);
        tokens.len()
    }

    /// Appends the token ids of a word to `out`.
    pub(crate) fn tokenize(&self, word: &str, out: &mut Vec<u32>) {
        self.pieces.tokenize(word, out);
    }

    /// Returns the codes of a token.
    pub(crate) fn codes(&self, token_id: u32) -> impl Iterator<Item = i8> {
        let start = token_id as usize * self.n_dims;
        self.codes[start..start + self.n_dims].iter().map(|code| *code as i8)
    }

    /// Returns the scale of a token's codes.
    pub(crate) fn scale(&self, token_id: u32) -> f32 {
        self.scales[token_id as usize]
    }

    /// Adds the vector of a token to `sums`, with a factor.
    pub(crate) fn add(&self, token_id: u32, factor: f32, sums: &mut [f32]) {
        let start = token_id as usize * self.n_dims;
        add(&self.codes[start..start + self.n_dims], factor * self.scales[token_id as usize], sums);
    }
}

/// Adds codes to sums, with a factor. Each sum is rounded twice, independent of CPU features.
#[multiversion(targets("x86_64+avx2"))]
fn add(codes: &[u8], factor: f32, sums: &mut [f32]) {
    for (sum, code) in sums.iter_mut().zip(codes) {
        *sum += factor * f32::from(*code as i8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WordCache;

    #[test]
    fn built_in_table_is_complete() {
        let table = table::read(BUILT_IN_TABLE).expect("the table is read");
        let header_bytes = BUILT_IN_TABLE.len()
            - table.scales.len() * 4
            - table.codes.len()
            - table.tokens.iter().map(|token| token.len() + 1).sum::<usize>();
        assert_eq!(table.checksum, crc32fast::hash(&BUILT_IN_TABLE[header_bytes..]));
        assert!(table.tokens.is_sorted() && table.scales.iter().all(|scale| scale.is_normal()));
        assert!(BUILT_IN_TABLE.len() < 8_000_000);
    }

    #[test]
    fn truncated_table_is_rejected() {
        assert!(table::read(&[]).is_none());
        assert!(table::read(&BUILT_IN_TABLE[..BUILT_IN_TABLE.len() - 1]).is_none());
        assert!(table::read(&[b"CWTOKENZ", &BUILT_IN_TABLE[8..]].concat()).is_none());
    }

    #[test]
    fn synonyms_are_similar() {
        let model = StaticModel::built_in();
        let mut cache = WordCache::new(model);
        let mut vector = |text: &str| cache.embed(text);
        let pairs = [
            ("delete", "remove", "compile"),
            ("parse url", "decode uri", "sort list"),
            ("configuration", "settings", "thread"),
            ("retry on failure", "try again after error", "html template"),
            ("readFile", "load from disk", "color theme"),
            ("sort list", "order array", "login"),
        ];
        for (text, near, far) in pairs {
            let (near_cosine, far_cosine) = (vector(text).cosine(&vector(near)), vector(text).cosine(&vector(far)));
            assert!(near_cosine > far_cosine + 0.1, "{text}: {near} {near_cosine}, {far} {far_cosine}");
        }
    }

    #[test]
    fn notation_of_an_identifier_is_irrelevant() {
        let model = StaticModel::built_in();
        let mut cache = WordCache::new(model);
        let notations = ["HTTPClientPool", "http_client_pool", "http client pool", "http-client-pool"];
        let vectors = notations.map(|notation| cache.embed(notation));
        assert!(vectors.iter().all(|vector| *vector == vectors[0]));
    }

    /// A failure means that vectors of existing generations and new queries differ: then the model id must change, too.
    #[test]
    fn vectors_are_bit_identical_on_all_machines() {
        let model = StaticModel::built_in();
        let vector = WordCache::new(model).embed("Opens the connection pool, and retries after a timeout.");
        let bytes: Vec<u8> = vector.codes().iter().map(|code| *code as u8).collect();
        let digest = blake3::hash(&bytes).to_hex();
        assert_eq!((model.id().as_str(), &digest[..16]), ("built-in/256/962306516b7b", "078090efaeff289d"));
    }

    #[test]
    fn words_differ_from_letter_sequences() {
        let model = StaticModel::built_in();
        for (word, is_known, makes_sense) in [
            ("beach", true, true),
            ("deserialize", false, true),
            ("typeadapterfactory", false, true),
            ("ruff", false, true),
            ("jkgrv", false, false),
            ("eltociear", false, false),
            ("", false, false),
        ] {
            assert_eq!((model.knows(word), model.makes_sense_of(word)), (is_known, makes_sense), "{word}");
        }
    }

    #[test]
    fn texts_without_known_words_have_the_zero_vector() {
        let model = StaticModel::built_in();
        for text in ["", " ", "-- !", "🦀", "中国"] {
            assert!(WordCache::new(model).embed(text).is_zero(), "{text}");
        }
    }
}
