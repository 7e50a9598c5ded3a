//! A draft of a work tree: the served generation with the files that were edited since. A search reads it until the next generation is
//! made.

use std::{collections::HashSet, sync::Arc};

use index::{ChangedFiles, DraftChanges, GenerationDraft, GenerationProvenance, NewFile, Snapshot};
use model::FileClass;
use source::{BlobSource, Head, ListingTurn, Tree, TreeFile};

use super::{
    EXTRACTOR_VERSION, IndexingRun, RunError,
    extract::{self, ExtractedFile, FileInput},
    provenance,
    resolve::{NO_COMMITS, changed_files, list_work_tree, resolve_head},
    row_vectors::RowVectors,
};
use crate::{repositories::WorkTreeDraft, truncation::TruncationGuard};

/// Maximum number of edited files of a draft, and of their bytes. More are a switch of branches, and the next generation is made as for
/// a commit.
const MAX_FILES: usize = 100;
const MAX_BYTES: u64 = 8 << 20;

/// Makes a draft of the work tree; `None` if there is nothing to tell before the next generation, or a draft could not tell it.
///
/// A draft knows texts, names and vectors. It is not made if more than that differs: another commit, packages, or vectors of a service. The
/// turn is that of its listing.
pub fn make_draft(run: &IndexingRun<'_>, turn: ListingTurn<'_>) -> Result<Option<WorkTreeDraft>, RunError> {
    let guard = TruncationGuard::begin(run.checkout);
    let Some(served) = run.served.as_ref().filter(|served| has_drafts(run, served)) else { return Ok(None) };
    let head = resolve_head(run)?;
    if head == NO_COMMITS || head.commit != served.manifest().commit {
        return Ok(None);
    }
    let Some(work_tree) = list_work_tree(run, &head, turn)? else { return Ok(None) };
    let committed_paths = work_tree.changes.as_ref().map(|changes| changes.paths.clone()).unwrap_or_default();
    let changes = work_tree.changes.map(changed_files);
    let tree = work_tree.tree;
    let edits = source::diff(served.files(), tree.blobs());
    let changed: HashSet<&str> = edits.added.iter().chain(&edits.changed).copied().collect();
    let edited = || changed.iter().chain(&edits.removed).copied();
    let files: Vec<&TreeFile> = tree.files.iter().filter(|file| changed.contains(file.path.as_str())).collect();
    // A file that is as it was committed has a history again.
    let has_restored =
        edits.added.iter().any(|path| committed_paths.binary_search_by(|known| known.as_str().cmp(path)).is_err());
    let n_bytes: u64 = files.iter().filter(|file| file.is_readable()).map(|file| file.size).sum();
    let n_edited = edited().count();
    if !fits_draft(n_edited, n_bytes) || has_restored || edited().any(graph::is_manifest) {
        return Ok(None);
    }
    let provenance = draft_provenance(run, &head, &tree, changes, served);
    let Some(index) = write(run, &tree, served, &files, (&provenance, &edits.removed))? else { return Ok(None) };
    guard.check()?;
    let mut edited_paths: Vec<String> = edited().map(str::to_owned).collect();
    edited_paths.sort_unstable();
    Ok(Some(WorkTreeDraft { index, edited_paths }))
}

/// Returns true if a draft can have this number of edited files, and of bytes in those that are read.
fn fits_draft(n_files: usize, n_bytes: u64) -> bool {
    (1..=MAX_FILES).contains(&n_files) && n_bytes <= MAX_BYTES
}

/// Returns true if edits of a generation can have drafts.
fn has_drafts(run: &IndexingRun<'_>, served: &Snapshot) -> bool {
    let manifest = served.manifest();
    manifest.extractor == EXTRACTOR_VERSION
        && run.model.static_model().is_some()
        && manifest.model.as_deref() == Some(run.model.id().as_str())
}

fn draft_provenance(
    run: &IndexingRun<'_>,
    head: &Head,
    tree: &Tree,
    changes: Option<ChangedFiles>,
    served: &Snapshot,
) -> GenerationProvenance {
    let manifest = served.manifest();
    GenerationProvenance {
        changes,
        pushed_index: manifest.pushed_index.clone(),
        version_tags: manifest.version_tags.clone(),
        ..provenance(run, head, tree, true)
    }
}

/// Extracts the edited files, and writes their index.
fn write(
    run: &IndexingRun<'_>,
    tree: &Tree,
    served: &Arc<Snapshot>,
    files: &[&TreeFile],
    (provenance, gone): (&GenerationProvenance, &[&str]),
) -> Result<Option<GenerationDraft>, RunError> {
    let blobs = BlobSource::open(run.checkout)?.with_contents_of(tree);
    let vectors = RowVectors::of(run.model);
    let inputs: Vec<FileInput<'_>> = files.iter().map(|file| FileInput { file, is_unchanged: false }).collect();
    let dir = run.directory.draft_dir()?;
    run.threads.install(|| {
        let extracted = extract::extract_all(&blobs, run.facts, run.warm_facts, &vectors, &inputs)?;
        // A file that was saved again since it was listed has other contents than the id of the draft says.
        let is_unread = |(file, extracted): (&&TreeFile, &ExtractedFile)| {
            let has_text = file.is_readable() && file.size > 0 && extracted.class != FileClass::Binary;
            has_text && extracted.bytes.is_empty()
        };
        if files.iter().zip(&extracted).any(is_unread) {
            return Ok(None);
        }
        let new_files: Vec<NewFile<'_>> = files
            .iter()
            .zip(&extracted)
            .map(|(file, extracted)| NewFile {
                path: &file.path,
                blob: file.blob,
                class: extracted.class,
                n_bytes: file.size,
                facts: &extracted.facts,
                bytes: &extracted.bytes,
                vectors: &extracted.vectors,
            })
            .collect();
        Ok(Some(GenerationDraft::write(&dir, served, provenance, &DraftChanges { files: &new_files, gone })?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drafts_have_bounds() {
        for (n_files, n_bytes, fits) in [
            (0, 0, false),
            (1, 0, true),
            (99, 1, true),
            (100, 1, true),
            (101, 1, false),
            (1, (8 << 20) - 1, true),
            (1, 8 << 20, true),
            (1, (8 << 20) + 1, false),
            (100, 8 << 20, true),
        ] {
            assert_eq!(fits_draft(n_files, n_bytes), fits, "{n_files} files of {n_bytes} bytes");
        }
    }
}
