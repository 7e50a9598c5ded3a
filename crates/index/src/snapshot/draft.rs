//! A draft: a generation without the files that were edited since, and an index of their new contents. Both are searched as two parts
//! of one repository.
//!
//! A draft costs what its edits cost, so that a search finds an edit before the next generation is made. Names, texts, vectors and
//! counts are those of that generation. Uses of definitions, histories and pages are those of the generation below: they depend on the
//! whole repository.

use std::sync::Arc;

use model::GenerationId;
use rustc_hash::FxHashMap;

use super::Snapshot;
use crate::{generation::GenerationProvenance, manifest::GenerationManifest, records::graph::NO_NODE};

/// A generation with edited files.
#[derive(Clone)]
pub struct GenerationDraft {
    base_generation: GenerationId,
    base: Arc<Snapshot>,
    edits: Arc<Snapshot>,
}

impl GenerationDraft {
    /// Joins the index of edited files with the generation below. `edits` and `replaced` are of the same changes.
    pub(crate) fn new(
        base: &Arc<Snapshot>,
        edits: &Snapshot,
        replaced: ReplacedFiles,
        provenance: &GenerationProvenance,
    ) -> GenerationDraft {
        let generation = draft_id(base.manifest().generation, provenance.generation());
        let of_layer = |manifest: &GenerationManifest, rows: u64| GenerationManifest {
            generation,
            changes: provenance.changes.clone(),
            rows,
            ..manifest.clone()
        };
        let edited = EditedFiles::new(base, edits);
        let below = of_layer(base.manifest(), base.manifest().rows.saturating_sub(replaced.n_rows));
        let above = of_layer(edits.manifest(), edits.manifest().rows);
        GenerationDraft {
            base_generation: base.manifest().generation,
            base: Arc::new(base.as_layer(below, DraftLayer::Base(Arc::new(replaced)))),
            edits: Arc::new(edits.as_layer(above, DraftLayer::Edits(Arc::new(edited)))),
        }
    }

    /// Returns the id of the draft. It is not that of the generation with the same contents, whose answers may differ.
    pub fn generation(&self) -> GenerationId {
        self.base.manifest().generation
    }

    /// Returns the id of the generation below, whose nodes the definitions and files of the draft refer to.
    pub fn base_generation(&self) -> GenerationId {
        self.base_generation
    }

    /// Returns the manifest of the generation below, with the id, the changes and the remaining rows of the draft.
    pub fn manifest(&self) -> &GenerationManifest {
        self.base.manifest()
    }

    /// Returns the two parts: the generation below, and the edited files.
    pub fn parts(&self) -> [&Arc<Snapshot>; 2] {
        [&self.base, &self.edits]
    }
}

/// Returns the id of a draft.
fn draft_id(base: GenerationId, contents: GenerationId) -> GenerationId {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"draft").update(&base.0).update(&contents.0);
    let mut id = [0; 16];
    id.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    GenerationId(id)
}

/// The part of a draft that a snapshot is.
#[derive(Clone)]
pub(crate) enum DraftLayer {
    /// It is no part of a draft.
    None,
    /// The generation below.
    Base(Arc<ReplacedFiles>),
    /// The edited files.
    Edits(Arc<EditedFiles>),
}

/// The files of a generation that a draft replaces or lacks.
#[derive(Default)]
pub(crate) struct ReplacedFiles {
    /// By file of the generation.
    pub(crate) states: Vec<FileState>,
    /// The number of their rows, and of those with each term.
    pub(crate) n_rows: u64,
    pub(crate) term_rows: FxHashMap<String, u64>,
}

/// The state of a file of a generation in its draft.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum FileState {
    #[default]
    Unchanged,
    Edited,
    Gone,
}

/// The edited files, in the generation below.
pub(crate) struct EditedFiles {
    base: Arc<Snapshot>,
    /// By edited file: the file of this path.
    files: Vec<Option<u32>>,
    /// By definition of an edited file: the definition of this id.
    symbols: Vec<Option<u32>>,
}

impl EditedFiles {
    fn new(base: &Arc<Snapshot>, edits: &Snapshot) -> EditedFiles {
        let base_file = |path: &str| base.file_index(path);
        let mut symbols = Vec::with_capacity(edits.tables().symbols.len());
        let mut files = Vec::with_capacity(edits.tables().files.len());
        for (file_idx, file) in edits.tables().files.iter().enumerate() {
            let known = base_file(file.path.as_str());
            let definitions = known.map_or(&[][..], |known| base.symbols_of(known));
            let first = known.map_or(0, |known| base.tables().files[known].first_symbol.to_native());
            let by_id: FxHashMap<(String, u32), u32> = (first..)
                .zip(definitions)
                .map(|(idx, symbol)| ((symbol.qualified(), symbol.ordinal.to_native()), idx))
                .collect();
            let of_file = edits.symbols_of(file_idx).iter();
            symbols.extend(of_file.map(|symbol| by_id.get(&(symbol.qualified(), symbol.ordinal.to_native())).copied()));
            files.push(known.map(|known| known as u32));
        }
        EditedFiles { base: base.clone(), files, symbols }
    }
}

impl Snapshot {
    /// Returns true if a draft has another content of a file, or none.
    pub(crate) fn is_replaced(&self, file_idx: u32) -> bool {
        let DraftLayer::Base(replaced) = &self.layer else { return false };
        replaced.states.get(file_idx as usize).is_some_and(|state| *state != FileState::Unchanged)
    }

    /// Returns true if a draft lacks a file.
    pub(crate) fn is_gone(&self, file_idx: u32) -> bool {
        let DraftLayer::Base(replaced) = &self.layer else { return false };
        replaced.states.get(file_idx as usize) == Some(&FileState::Gone)
    }

    /// Returns true for the edited files of a draft.
    pub(crate) fn is_edits(&self) -> bool {
        matches!(self.layer, DraftLayer::Edits(_))
    }

    /// Returns the number of rows with a term.
    pub(crate) fn rows_with_term(&self, term: &str) -> u64 {
        self.terms().get(term).rows.saturating_sub(self.replaced_rows(term))
    }

    /// Returns the number of rows with a term that are in files which a draft replaces.
    pub(crate) fn replaced_rows(&self, term: &str) -> u64 {
        match &self.layer {
            DraftLayer::Base(replaced) => replaced.term_rows.get(term).copied().unwrap_or_default(),
            _ => 0,
        }
    }

    /// Returns the snapshot whose graph describes the repository.
    pub(crate) fn graph_snapshot(&self) -> &Snapshot {
        match &self.layer {
            DraftLayer::Edits(edited) => &edited.base,
            _ => self,
        }
    }

    /// Returns the generation below and its file of the same path, for a file of the edits of a draft; `None` in other snapshots.
    pub(crate) fn base_file(&self, file_idx: usize) -> Option<(&Snapshot, Option<usize>)> {
        let DraftLayer::Edits(edited) = &self.layer else { return None };
        let base: &Snapshot = &edited.base;
        Some((base, edited.files.get(file_idx).copied().flatten().map(|file_idx| file_idx as usize)))
    }

    /// Returns the generation below and its node of the same definition or file, for a node of the edits of a draft; `None` in other
    /// snapshots.
    pub(crate) fn base_node(&self, node: u32) -> Option<(&Snapshot, Option<u32>)> {
        let DraftLayer::Edits(edited) = &self.layer else { return None };
        let base: &Snapshot = &edited.base;
        let Some(file_idx) = (node as usize).checked_sub(edited.symbols.len()) else {
            return Some((base, edited.symbols[node as usize]));
        };
        let (_, known) = self.base_file(file_idx)?;
        Some((base, known.map(|known| base.file_node(known))))
    }

    /// Returns the number of a node in the graph that describes the repository; one that is no node for a definition or file that is
    /// new in a draft.
    pub(crate) fn graph_node(&self, node: u32) -> u32 {
        self.base_node(node).map_or(node, |(_, known)| known.unwrap_or(NO_NODE))
    }
}
