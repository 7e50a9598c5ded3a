//! Reading files, masking their secrets and extracting their facts, in parallel. No later step sees a secret.

use std::{borrow::Cow, ops::Range, sync::Arc};

use embed::Vector;
use model::{Diagnostic, FileClass, FileFacts, Language};
use rayon::prelude::*;
use source::{BlobReader, BlobSource, ReadError, TreeFile};

use super::{facts_cache::FactsCache, row_vectors::RowVectors};
use crate::repositories::WarmFacts;

/// Maximum number of source bytes in memory, per run.
const BATCH_BYTES: u64 = 16 << 20;

/// Maximum number of files of a batch. Progress is reported between batches.
const BATCH_FILES: usize = 512;

/// Maximum size of a document of an API. Generated ones are above the size of other files; only their operations are read.
const MAX_API_BYTES: u64 = 8 << 20;

/// A file to extract.
pub(super) struct FileInput<'a> {
    pub(super) file: &'a TreeFile,
    /// True if the generation that is extended holds it unchanged.
    pub(super) is_unchanged: bool,
}

/// A file that was read, with its secrets masked. A file that is no text or cannot be read has no bytes, and a diagnostic if it
/// should have had some.
pub(super) struct ExtractedFile {
    /// The facts; all spans are of `bytes`. Those of an unchanged file may lack their texts.
    pub(super) facts: Arc<FileFacts>,
    /// The masked bytes; none of an unchanged file whose facts are cached.
    pub(super) bytes: Vec<u8>,
    /// The masked bytes of an API document that is too large to be indexed. The manifests are read from it.
    pub(super) oversized: Vec<u8>,
    pub(super) class: FileClass,
    /// True if the facts were not in the cache.
    pub(super) is_fresh: bool,
    /// The vector of each row; none of an unchanged file.
    pub(super) vectors: Vec<Vector>,
}

/// Divides files into batches of limited total size.
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

/// Reads and extracts files in parallel, in their order. The bytes of an unchanged file are read only if its facts are not
/// cached or linking needs its text. Fails if the process has too many open files.
pub(super) fn extract_all(
    blobs: &BlobSource,
    cache: &FactsCache,
    warm: &WarmFacts,
    vectors: &RowVectors<'_>,
    files: &[FileInput<'_>],
) -> Result<Vec<ExtractedFile>, ReadError> {
    let with_vectors = |reader: &mut BlobReader, input: &FileInput<'_>| {
        let extracted = extract(reader, cache, warm, input)?;
        if input.is_unchanged {
            return Ok(extracted);
        }
        let vectors = vectors.of_file(&input.file.path, &extracted.facts, &extracted.bytes);
        Ok(ExtractedFile { vectors, ..extracted })
    };
    let extracted = files.par_iter().map_init(|| blobs.reader(), with_vectors);
    let extracted: Vec<ExtractedFile> = extracted.collect::<Result<_, ReadError>>()?;
    let fresh = extracted.iter().zip(files).filter(|(extracted, _)| extracted.is_fresh);
    let fresh =
        fresh.map(|(extracted, input)| (input.file.blob, Language::of_path(&input.file.path), &*extracted.facts));
    cache.put(&fresh.collect::<Vec<_>>());
    Ok(extracted)
}

fn extract(
    reader: &mut BlobReader,
    cache: &FactsCache,
    warm: &WarmFacts,
    input: &FileInput<'_>,
) -> Result<ExtractedFile, ReadError> {
    let file = input.file;
    let language = Language::of_path(&file.path);
    if file.class == FileClass::Binary {
        return Ok(unread_file(language, file.class, None));
    }
    if !file.is_readable() {
        let unread = unread_file(language, file.class, Some(format!("{} bytes: too large to be read", file.size)));
        let is_api = graph::is_openapi_document(&file.path);
        let oversized = is_api.then(|| reader.read_up_to(file, MAX_API_BYTES).ok()).flatten().unwrap_or_default();
        return Ok(ExtractedFile { oversized: mask_secrets(oversized), ..unread });
    }
    if input.is_unchanged
        && graph::is_manifest(&file.path)
        && let Some((facts, text)) = warm.manifest(file.blob, language)
    {
        let (bytes, class) = (text.as_bytes().to_vec(), file.class);
        return Ok(ExtractedFile { facts, bytes, oversized: Vec::new(), class, is_fresh: false, vectors: Vec::new() });
    }
    if input.is_unchanged
        && !graph::is_manifest(&file.path)
        && let Some(facts) = warm.get(file.blob, language).or_else(|| cache.get(file.blob, language).map(Arc::new))
    {
        return Ok(ExtractedFile {
            facts,
            bytes: Vec::new(),
            oversized: Vec::new(),
            class: file.class,
            is_fresh: false,
            vectors: Vec::new(),
        });
    }
    let bytes = match reader.read(file) {
        Ok(bytes) => bytes,
        Err(error) if source::is_out_of_files(&error) => return Err(error),
        Err(error) => return Ok(unread_file(language, file.class, Some(error.to_string()))),
    };
    let class = source::refine(file.class, &file.path, &bytes);
    if class == FileClass::Binary {
        return Ok(unread_file(language, class, None));
    }
    let bytes = mask_secrets(bytes);
    if let Some(facts) = cache.get(file.blob, language).map(Arc::new) {
        return Ok(ExtractedFile { facts, bytes, oversized: Vec::new(), class, is_fresh: false, vectors: Vec::new() });
    }
    let facts = Arc::new(syntax::extract(language, &bytes));
    Ok(ExtractedFile { facts, bytes, oversized: Vec::new(), class, is_fresh: true, vectors: Vec::new() })
}

/// Masks the secrets of a file. A file without secrets keeps its bytes, including invalid UTF-8.
pub(crate) fn mask_secrets(bytes: Vec<u8>) -> Vec<u8> {
    match text::without_secrets(&String::from_utf8_lossy(&bytes)) {
        Cow::Borrowed(_) => bytes,
        Cow::Owned(masked) => masked.into_bytes(),
    }
}

/// Returns a file without bytes, and a diagnostic with the reason.
fn unread_file(language: Language, class: FileClass, reason: Option<String>) -> ExtractedFile {
    let mut facts = FileFacts::empty(language, 0);
    facts.diagnostics.extend(reason.map(|message| Diagnostic { line: 0, message }));
    ExtractedFile {
        facts: Arc::new(facts),
        bytes: Vec::new(),
        oversized: Vec::new(),
        class,
        is_fresh: false,
        vectors: Vec::new(),
    }
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
