//! The step of extraction: files are extracted in batches, and their rows are written in the order of the tree.

use std::sync::Arc;

use graph::Family;
use index::{GenerationWriter, IndexError, NewFile, ReusedFile, Snapshot};
use model::FileFacts;
use rayon::prelude::*;
use source::{BlobSource, Tree};

use super::{
    IndexingRun, RunError, RunStep,
    diff::GenerationDiff,
    extract::{self, ExtractedFile, FileInput},
    link::{ExtractedTree, FileToLink, ManifestText},
    row_vectors::RowVectors,
};

/// Writes the rows of every file of the tree, and returns the writer and the facts that linking needs.
///
/// Files are extracted in parallel, a batch at a time, and written one by one.
pub(super) fn write_rows(
    run: &IndexingRun<'_>,
    tree: &Tree,
    changes: &GenerationDiff,
    base: Option<&Snapshot>,
    mut writer: GenerationWriter,
) -> Result<(GenerationWriter, ExtractedTree), RunError> {
    let mut read = ExtractedTree::default();
    if tree.files.is_empty() {
        return Ok((writer, read));
    }
    let blobs = BlobSource::open(run.checkout)?.with_contents_of(tree);
    let vectors = if writer.has_vectors() { RowVectors::of(run.model) } else { RowVectors::None };
    let read_reused: fn(&Snapshot, &str) -> Result<ReusedFile, IndexError> =
        if writer.is_incremental() { ReusedFile::read_without_texts } else { ReusedFile::read };
    for batch in extract::batches(&tree.files) {
        run.check_stopped()?;
        run.progress(RunStep::Extract, read.files.len(), tree.files.len());
        let inputs: Vec<FileInput<'_>> = batch
            .map(|file_idx| FileInput { file: &tree.files[file_idx], is_unchanged: changes.is_unchanged[file_idx] })
            .collect();
        let extract = || extract::extract_all(&blobs, run.facts, run.warm_facts, &vectors, &inputs);
        let read_previous = |input: &FileInput<'_>| {
            let base = base.filter(|_| input.is_unchanged);
            base.map(|base| read_reused(base, &input.file.path)).transpose()
        };
        let previous = || inputs.par_iter().map(read_previous).collect::<Result<_, _>>();
        let (extracted, previous) = run.threads.install(|| (extract(), previous()));
        let (extracted, previous): (_, Vec<Option<ReusedFile>>) = (extracted?, previous?);
        for ((extracted, previous), FileInput { file, is_unchanged }) in extracted.into_iter().zip(previous).zip(inputs)
        {
            let ExtractedFile { facts, bytes, oversized, class, is_fresh, vectors } = extracted;
            read.n_extracted += u64::from(is_fresh && !is_unchanged);
            // The class of a file may depend on its content, which is not read again if it is unchanged.
            let known_class = base.filter(|_| is_unchanged).and_then(|base| base.file_class(&file.path));
            let class = known_class.unwrap_or(class);
            match previous {
                Some(previous) => writer.reuse_file(previous)?,
                None => writer.add_file(NewFile {
                    path: &file.path,
                    blob: file.blob,
                    class,
                    n_bytes: file.size,
                    facts: &facts,
                    bytes: &bytes,
                    vectors: &vectors,
                })?,
            }
            if graph::is_manifest(&file.path) {
                let declared = if oversized.is_empty() { &bytes } else { &oversized };
                let text = String::from_utf8_lossy(declared).into_owned();
                read.manifests.push(ManifestText { path: file.path.clone(), text, is_unchanged });
            }
            let facts = without_texts(facts);
            read.files.push(FileToLink { path: file.path.clone(), facts, class, is_unchanged });
        }
    }
    Ok((writer, read))
}

/// Drops the texts of facts but those that links are read from, since a large repository has many. Facts that are kept have none.
fn without_texts(facts: Arc<FileFacts>) -> Arc<FileFacts> {
    let mut facts = match Arc::try_unwrap(facts) {
        Ok(facts) => facts,
        Err(kept) => return kept,
    };
    facts.doc = links::linked_file_doc(&facts.doc).to_owned();
    facts.chunks = Vec::new();
    // The rules of C read in signatures which namespaces a macro opens.
    let keeps_signatures = Family::of(facts.language) == Family::C;
    for definition in &mut facts.definitions {
        if !keeps_signatures {
            definition.signature = String::new();
        }
        if !links::has_linked_annotations(facts.language, &definition.doc) {
            definition.doc = String::new();
        }
    }
    Arc::new(facts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Language;

    #[test]
    fn texts_that_links_are_read_from_stay() {
        let texts = |language, text: &str| {
            let facts = without_texts(Arc::new(syntax::extract(language, text.as_bytes())));
            (facts.doc.clone(), facts.definitions[0].doc.clone())
        };
        let generated = "// Code generated by protoc-gen-x. DO NOT EDIT.\n\n/** Shows. */\nfunction show() {}\n";
        let header = "Code generated by protoc-gen-x. DO NOT EDIT.".to_owned();
        assert_eq!(texts(Language::TypeScript, generated), (header, String::new()));
        let written = "// Shows items.\n\n/** Shows. */\nfunction show() {}\n";
        assert_eq!(texts(Language::TypeScript, written), (String::new(), String::new()));
        let (_, annotated) = texts(Language::Php, "<?php\n/** @Route(\"/items\") */\nfunction show() {}\n");
        assert!(annotated.contains("@Route"), "{annotated}");
    }
}
