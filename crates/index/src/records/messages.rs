//! Commit messages as packed vectors, each with the files that its commits touched.
//!
//! Commits with equal messages are one entry, which lists the files of all of them.
//!
//! The vectors always come from the built-in token table, independently of the model of the rows. There are thousands of messages,
//! and they are compared only with each other; calling an embedding service for them is not worth it.

use embed::{ModelId, packed_len};
use rkyv::{Archive, Deserialize, Serialize};

/// Commits that touch more files than this are ignored: their message describes no single file well.
pub(crate) const MAX_FILES_OF_A_COMMIT: u32 = 12;

#[derive(Archive, Serialize, Deserialize, Debug, Default)]
pub(crate) struct MessageTables {
    /// The token table that made the vectors; empty if there are none.
    pub(crate) model: String,
    pub(crate) n_dims: u32,
    /// By message: the hash of its text. The next generation finds the vector by it.
    pub(crate) keys: Vec<u64>,
    pub(crate) inverse_norms: Vec<f32>,
    /// The packed vectors, concatenated.
    pub(crate) vectors: Vec<u8>,
    /// By message: number of files that it touched, deleted files included.
    pub(crate) n_files: Vec<u32>,
    /// By message: start of its range in `files`. The last entry is the length of `files`.
    pub(crate) first_files: Vec<u32>,
    /// File indices, ascending within a message.
    pub(crate) files: Vec<u32>,
}

impl ArchivedMessageTables {
    /// Returns the packed vector of a message.
    pub(crate) fn vector(&self, message_idx: usize) -> &[u8] {
        let n_bytes = packed_len(self.n_dims.to_native() as usize);
        &self.vectors[message_idx * n_bytes..(message_idx + 1) * n_bytes]
    }

    /// Returns true if the vectors are of this model and dimension.
    pub(crate) fn is_of(&self, model: &ModelId, n_dims: usize) -> bool {
        self.model == *model.as_str() && self.n_dims.to_native() as usize == n_dims
    }

    /// Returns the files that a message touched, as far as they still exist.
    pub(crate) fn files_of(&self, message_idx: usize) -> impl Iterator<Item = u32> {
        let start = |idx: usize| self.first_files[idx].to_native() as usize;
        self.files[start(message_idx)..start(message_idx + 1)].iter().map(|file_idx| file_idx.to_native())
    }
}
