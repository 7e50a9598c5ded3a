//! The manifest of a new generation.

use std::collections::BTreeMap;

use model::{FileClass, Language};
use ranking::ANALYSER_VERSION;

use super::row_index::RowCounts;
use crate::{
    generation::{FORMAT_VERSION, GenerationProvenance},
    manifest::{GenerationManifest, LanguageCount},
    records::tables::{FileRecord, Tables},
};

/// Maximum number of diagnostics in the manifest.
const MAX_DIAGNOSTICS: usize = 20;

/// Returns the manifest, without checksums.
pub(super) fn manifest(
    provenance: GenerationProvenance,
    tables: &Tables,
    history_diagnostics: &[String],
    rows: RowCounts,
    compiler_files: u64,
) -> GenerationManifest {
    GenerationManifest {
        format: FORMAT_VERSION,
        analyser: ANALYSER_VERSION,
        extractor: provenance.extractor,
        generation: provenance.generation(),
        repo: provenance.repo,
        commit: provenance.commit,
        changes: provenance.changes.clone(),
        committed_at: provenance.committed_at,
        indexed_at: provenance.indexed_at,
        files: tables.files.len() as u64,
        symbols: tables.symbols.len() as u64,
        source_bytes: tables.files.iter().map(|file| u64::from(file.source.n_raw)).sum(),
        pushed_index: provenance.pushed_index.clone(),
        version_tags: provenance.version_tags.clone(),
        compiler_files,
        rows: rows.n_rows,
        model: provenance.model.as_ref().map(|model| model.as_str().to_owned()),
        dead_rows: rows.n_dead_rows,
        next_slot: rows.next_slot,
        languages: languages(&tables.files),
        diagnostics: diagnostics(&provenance.diagnostics, history_diagnostics, &tables.files),
        branch: provenance.branch,
        checksums: BTreeMap::new(),
    }
}

/// Returns the number of files and symbols by language, most files first.
fn languages(files: &[FileRecord]) -> Vec<LanguageCount> {
    let mut counts: BTreeMap<u8, (u64, u64)> = BTreeMap::new();
    for file in files.iter().filter(|file| FileClass::from_index(file.class) != Some(FileClass::Binary)) {
        let (n_files, n_symbols) = counts.entry(file.language).or_default();
        *n_files += 1;
        *n_symbols += u64::from(file.n_symbols);
    }
    let mut languages: Vec<LanguageCount> = counts
        .into_iter()
        .map(|(language, (files, symbols))| LanguageCount {
            language: Language::ALL.get(language as usize).copied().unwrap_or(Language::Text).name().to_owned(),
            files,
            symbols,
        })
        .collect();
    languages.sort_by(|a, b| b.files.cmp(&a.files).then_with(|| a.language.cmp(&b.language)));
    languages
}

/// Returns the first diagnostics: those of the repository, of its history, and of its files.
fn diagnostics(of_repository: &[String], of_history: &[String], files: &[FileRecord]) -> Vec<String> {
    let of_files =
        files.iter().flat_map(|file| file.diagnostics.iter().map(move |line| format!("{}: {line}", file.path)));
    of_repository.iter().chain(of_history).cloned().chain(of_files).take(MAX_DIAGNOSTICS).collect()
}
