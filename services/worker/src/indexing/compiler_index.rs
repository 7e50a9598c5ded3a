//! The SCIP indexes of a repository: files `index.scip` in the tree, and one that was pushed to the worker.
//!
//! An index may be of another commit, damaged, or of another project. Each document is therefore compared with the text of its file,
//! and nothing of an index is believed that the text does not confirm. The first index that fits a file describes it; a pushed one
//! comes first.

mod builder;

use std::{
    collections::HashMap,
    fs::File,
    io::{BufRead, BufReader},
};

use compiler_index::{DocumentError, IndexDocument, IndexReader, fit};
use links::compiler_facts::CompilerFacts;
use model::{BlobId, CommitId, FileClass};
use source::{BlobReader, BlobSource, Head, Tree, TreeFile};

use super::{IndexingRun, RunError, link::FileToLink};
use crate::repositories::PushedIndex;
use builder::CompilerFactsBuilder;

/// The name of an index in a tree. The paths of its documents are relative to its folder.
const FILE_NAME: &str = "index.scip";

/// Maximum size of an index in a tree. Git holds it in memory as a whole.
const MAX_TREE_INDEX_BYTES: u64 = 60 << 20;

/// Maximum number of indexes in a tree that are read: one for each part of a monorepo.
const MAX_TREE_INDEXES: usize = 64;

/// Maximum number of occurrences that are kept of a repository. Each takes 12 bytes.
const MAX_OCCURRENCES: usize = 40_000_000;

/// The answers of compilers about a tree, and problems of their indexes.
#[derive(Default)]
pub(super) struct CompilerIndexes {
    pub(super) facts: CompilerFacts,
    pub(super) diagnostics: Vec<String>,
}

/// Reads the indexes of a repository. `is_changed` is true if the tree differs from its commit. Whatever is wrong with an index only costs its own documents.
pub(super) fn read(
    run: &IndexingRun<'_>,
    tree: &Tree,
    files: &[FileToLink],
    pushed: Option<&PushedIndex>,
    is_changed: bool,
) -> Result<CompilerIndexes, RunError> {
    let in_tree: Vec<&TreeFile> = tree.files.iter().filter(|file| is_index(&file.path)).collect();
    if pushed.is_none() && in_tree.is_empty() {
        return Ok(CompilerIndexes::default());
    }
    let blobs = BlobSource::open(run.checkout)?.with_contents_of(tree);
    let mut reading = Reading {
        tree,
        is_changed,
        reader: blobs.reader(),
        files,
        builder: CompilerFactsBuilder::default(),
        n_occurrences: 0,
        diagnostics: Vec::new(),
    };
    if let Some(pushed) = pushed {
        reading.read_pushed(run, pushed)?;
    }
    if in_tree.len() > MAX_TREE_INDEXES {
        let n_left = in_tree.len() - MAX_TREE_INDEXES;
        reading.diagnostics.push(format!("{n_left} of {} SCIP indexes are not read", in_tree.len()));
    }
    for file in in_tree.into_iter().take(MAX_TREE_INDEXES) {
        run.check_stopped()?;
        match reading.reader.read_up_to(file, MAX_TREE_INDEX_BYTES) {
            Ok(bytes) => {
                let folder = file.path.strip_suffix(FILE_NAME).unwrap_or_default();
                reading.read_index(run, &file.path, folder, &mut &bytes[..], &|_| true)?;
            }
            Err(error) => reading.diagnostics.push(format!("the SCIP index is not read: {error}")),
        }
    }
    for diagnostic in &reading.diagnostics {
        tracing::warn!(alias = %run.checkout.alias, "{diagnostic}");
    }
    let facts = reading.builder.finish(files);
    let n_files = facts.files.len();
    tracing::info!(alias = %run.checkout.alias, n_files, "the uses in these files are those that a compiler found");
    Ok(CompilerIndexes { facts, diagnostics: reading.diagnostics })
}

fn is_index(path: &str) -> bool {
    path.strip_suffix(FILE_NAME).is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
}

/// The state while the indexes of a repository are read.
struct Reading<'a> {
    tree: &'a Tree,
    /// True if the tree differs from its commit.
    is_changed: bool,
    reader: BlobReader,
    files: &'a [FileToLink],
    builder: CompilerFactsBuilder,
    n_occurrences: usize,
    diagnostics: Vec<String>,
}

/// The fate of the documents of one index.
#[derive(Default)]
struct DocumentCounts {
    used: usize,
    /// Their files are not in the tree, or have no facts.
    unknown: usize,
    /// Their texts have changed since.
    stale: usize,
    refused: usize,
    first_refusal: Option<DocumentError>,
}

impl Reading<'_> {
    /// Reads a pushed index. If its commit is known, only files that have not changed since count.
    fn read_pushed(&mut self, run: &IndexingRun<'_>, pushed: &PushedIndex) -> Result<(), RunError> {
        let name = "the pushed SCIP index";
        let file = match files::open(&pushed.path) {
            Ok(file) => file,
            Err(error) => {
                self.diagnostics.push(format!("{name} is not read: {error}"));
                return Ok(());
            }
        };
        let mut input: BufReader<File> = BufReader::new(file);
        let is_tree = |commit: &CommitId| *commit == self.tree.commit && !self.is_changed;
        let described = pushed.commit.filter(|commit| !is_tree(commit)).map(|commit| {
            let head = Head { commit, branch: None, committed_at: 0 };
            (commit, source::list(run.checkout, &head))
        });
        match described {
            None => self.read_index(run, name, "", &mut input, &|_| true),
            Some((_, Ok(described))) => {
                let blobs: HashMap<&str, BlobId> = described.blobs().collect();
                self.read_index(run, name, "", &mut input, &|file| blobs.get(file.path.as_str()) == Some(&file.blob))
            }
            Some((commit, Err(_))) => {
                let commit = commit.short();
                let message = format!(
                    "{name} is of commit {commit}, which is not available: its files are compared by their texts"
                );
                self.diagnostics.push(message);
                self.read_index(run, name, "", &mut input, &|_| true)
            }
        }
    }

    /// Reads an index. `folder` is put before its paths, and `is_described` returns true for files that are as the index describes
    /// them, as far as that is known without their text.
    fn read_index(
        &mut self,
        run: &IndexingRun<'_>,
        name: &str,
        folder: &str,
        input: &mut dyn BufRead,
        is_described: &dyn Fn(&TreeFile) -> bool,
    ) -> Result<(), RunError> {
        let mut counts = DocumentCounts::default();
        for document in IndexReader::new(input).documents() {
            run.check_stopped()?;
            match document {
                Ok(Ok(document)) => self.read_document(document, folder, is_described, &mut counts)?,
                Ok(Err(refusal)) => {
                    counts.refused += 1;
                    counts.first_refusal.get_or_insert(refusal);
                }
                Err(error) => {
                    let used = counts.used;
                    self.diagnostics.push(format!("`{name}`: {error}; {used} documents before are used"));
                    break;
                }
            }
        }
        self.diagnostics.extend(counts.diagnostics(name));
        Ok(())
    }

    fn read_document(
        &mut self,
        document: IndexDocument,
        folder: &str,
        is_described: &dyn Fn(&TreeFile) -> bool,
        counts: &mut DocumentCounts,
    ) -> Result<(), RunError> {
        let path = format!("{folder}{}", document.path);
        let Ok(file_idx) = self.tree.files.binary_search_by(|file| file.path.as_str().cmp(&path)) else {
            counts.unknown += 1;
            return Ok(());
        };
        let file = &self.tree.files[file_idx];
        let is_text = file.is_readable() && self.files[file_idx].class != FileClass::Binary;
        if !is_text || self.builder.has_file(file_idx as u32) {
            counts.unknown += usize::from(!is_text);
            return Ok(());
        }
        if !is_described(file) || self.n_occurrences > MAX_OCCURRENCES {
            counts.stale += 1;
            return Ok(());
        }
        let text = match self.reader.read(file) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if source::is_out_of_files(&error) => return Err(error.into()),
            Err(_) => {
                counts.unknown += 1;
                return Ok(());
            }
        };
        match fit(document, &text) {
            Ok(fitted) => {
                counts.used += 1;
                self.n_occurrences += fitted.occurrences.len();
                self.builder.add(file_idx as u32, &self.files[file_idx].facts, fitted);
            }
            Err(_) => counts.stale += 1,
        }
        Ok(())
    }
}

impl DocumentCounts {
    /// Returns what users should know about the index `name`.
    fn diagnostics(self, name: &str) -> Vec<String> {
        let DocumentCounts { used, unknown, stale, refused, first_refusal } = self;
        let n_documents = used + unknown + stale + refused;
        let mut diagnostics = Vec::new();
        if n_documents > 0 && used == 0 && stale == 0 {
            diagnostics
                .push(format!("`{name}` is of another project: none of its {n_documents} files is in the repository"));
        }
        if stale > 0 {
            diagnostics
                .push(format!("`{name}` is stale for {stale} of {n_documents} files, which changed since it was made"));
        }
        if let Some(refusal) = first_refusal {
            diagnostics
                .push(format!("`{name}`: {refused} of {n_documents} documents are refused; the first: {refusal}"));
        }
        diagnostics
    }
}
