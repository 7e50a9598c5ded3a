//! Reading files, masking their secrets, and extracting their facts, many at a time. Nothing behind this sees a secret.

use std::{borrow::Cow, ops::Range};

use embed::Vector;
use model::{Diagnostic, FileClass, FileFacts, Language};
use rayon::prelude::*;
use source::{BlobReader, BlobSource, TreeFile};

use super::{FactsCache, vectors::RowVectors};

/// Bytes of source that are held in memory at once, per run.
const BATCH_BYTES: u64 = 16 << 20;

/// Files of one batch at most: progress is told between batches.
const BATCH_FILES: usize = 512;

/// A file as it was read, its secrets masked. One that could not be, or is no text, has no bytes and says why in its
/// diagnostics.
pub(super) struct Extracted {
    pub(super) facts: FileFacts,
    /// What all spans of the facts are of.
    pub(super) bytes: Vec<u8>,
    pub(super) class: FileClass,
    /// The facts were not in the cache.
    pub(super) is_fresh: bool,
    /// The vector of each row; none of a file that is kept.
    pub(super) vectors: Vec<Vector>,
}

/// Returns runs of files whose bytes fit into memory together.
pub(super) fn batches(files: &[TreeFile]) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let mut end = start;
        let mut n_bytes = 0;
        while end < files.len()
            && end - start < BATCH_FILES
            && (end == start || n_bytes + files[end].size <= BATCH_BYTES)
        {
            n_bytes += files[end].size;
            end += 1;
        }
        let batch = start..end;
        start = end;
        (!batch.is_empty()).then_some(batch)
    })
}

/// Reads and extracts files in parallel; the result is in the order of the files. Of a file that is kept, which is the
/// second of each pair, the bytes are read only where somebody needs them.
pub(super) fn extract_all(
    blobs: &BlobSource,
    cache: &FactsCache,
    vectors: &RowVectors<'_>,
    files: &[(&TreeFile, bool)],
) -> Vec<Extracted> {
    let with_vectors = |reader: &mut BlobReader, (file, is_kept): &(&TreeFile, bool)| {
        let mut extracted = extract(reader, cache, file, *is_kept);
        if !is_kept {
            extracted.vectors = vectors.of_file(&file.path, &extracted.facts, &extracted.bytes);
        }
        extracted
    };
    let extracted: Vec<Extracted> = files.par_iter().map_init(|| blobs.reader(), with_vectors).collect();
    let fresh = extracted.iter().zip(files).filter(|(extracted, _)| extracted.is_fresh);
    let fresh = fresh.map(|(extracted, (file, _))| (file.blob, Language::of_path(&file.path), &extracted.facts));
    cache.put(&fresh.collect::<Vec<_>>());
    extracted
}

fn extract(reader: &mut BlobReader, cache: &FactsCache, file: &TreeFile, is_kept: bool) -> Extracted {
    let language = Language::of_path(&file.path);
    if file.class == FileClass::Binary {
        return unread(language, file.class, None);
    }
    if !file.is_readable() {
        return unread(language, file.class, Some(format!("{} bytes: too large to be read", file.size)));
    }
    if is_kept
        && !graph::is_manifest(&file.path)
        && let Some(facts) = cache.get(file.blob, language)
    {
        return Extracted { facts, bytes: Vec::new(), class: file.class, is_fresh: false, vectors: Vec::new() };
    }
    let bytes = match reader.read(file) {
        Ok(bytes) => bytes,
        Err(error) => return unread(language, file.class, Some(error.to_string())),
    };
    let class = source::refine(file.class, &file.path, &bytes);
    if class == FileClass::Binary {
        return unread(language, class, None);
    }
    let bytes = without_secrets(bytes);
    if let Some(facts) = cache.get(file.blob, language) {
        return Extracted { facts, bytes, class, is_fresh: false, vectors: Vec::new() };
    }
    Extracted { facts: syntax::extract(language, &bytes), bytes, class, is_fresh: true, vectors: Vec::new() }
}

/// Masks the secrets of a file. One without any keeps its bytes, also those that are no UTF-8.
fn without_secrets(bytes: Vec<u8>) -> Vec<u8> {
    match text::without_secrets(&String::from_utf8_lossy(&bytes)) {
        Cow::Borrowed(_) => bytes,
        Cow::Owned(masked) => masked.into_bytes(),
    }
}

fn unread(language: Language, class: FileClass, reason: Option<String>) -> Extracted {
    let mut facts = FileFacts::empty(language, 0);
    facts.diagnostics.extend(reason.map(|message| Diagnostic { line: 0, message }));
    Extracted { facts, bytes: Vec::new(), class, is_fresh: false, vectors: Vec::new() }
}

#[cfg(test)]
mod tests {
    use model::BlobId;
    use source::FileMode;

    use super::*;

    #[test]
    fn batches_cover_every_file_once() {
        let file = |size: u64| TreeFile {
            path: "a".into(),
            blob: BlobId([0; 20]),
            size,
            class: FileClass::Source,
            mode: FileMode::Regular,
        };
        let files: Vec<TreeFile> = [1, BATCH_BYTES * 2, 1, BATCH_BYTES - 1, 5].map(file).into();
        assert_eq!(batches(&files).collect::<Vec<_>>(), [0..1, 1..2, 2..4, 4..5]);
        assert_eq!(batches(&[]).count(), 0);
    }
}
