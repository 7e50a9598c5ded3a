//! The retrieved evidence: files, spans in them, and their documentation.

use model::{LineSpan, symbol::qualify};
use proto::v1;

use federation::{repo_idx::RepoIdx, symbol_ref};

/// A file that may answer the question.
#[derive(Debug, Clone)]
pub(super) struct EvidenceHit {
    /// The index of its repository in the directory.
    pub(super) repo_idx: RepoIdx,
    pub(super) file: v1::File,
    /// 0 to 10, comparable between questions and repositories; doubled if both sides of a question found it.
    pub(super) relevance: f32,
    /// The best first.
    pub(super) places: Vec<EvidencePlace>,
    /// The sides of the question that found it; neither for a question without sides.
    pub(super) found_by_sides: [bool; 2],
    /// Its purpose according to its page; empty if unknown.
    pub(super) purpose: String,
}

/// A definition, or a span outside definitions.
#[derive(Debug, Clone)]
pub(super) struct EvidencePlace {
    pub(super) symbol: Option<v1::Symbol>,
    pub(super) lines: LineSpan,
    /// Its rank among all retrieved spans, from 0.
    pub(super) rank: usize,
    /// True if the question names it.
    pub(super) is_named: bool,
    /// The lines that were read; empty if none were.
    pub(super) source: String,
}

impl EvidencePlace {
    /// Returns its qualified name; nothing for a span outside definitions.
    pub(super) fn name(&self) -> Option<String> {
        let symbol = self.symbol.as_ref()?;
        Some(text::sanitise_name(&qualify(&symbol.container, &symbol.name)).into_owned())
    }

    /// Returns the symbol id within its repository.
    pub(super) fn symbol_id(&self, path: &str) -> Option<String> {
        self.symbol.as_ref().map(|symbol| symbol_ref::id(path, symbol))
    }

    /// Returns its cleaned documentation.
    pub(super) fn doc(&self) -> String {
        self.symbol.as_ref().map(|symbol| text::clean(&symbol.doc).into_owned()).unwrap_or_default()
    }
}

impl EvidenceHit {
    /// Returns its sanitised path.
    pub(super) fn path(&self) -> String {
        text::sanitise_name(&self.file.path).into_owned()
    }

    /// Returns true if it is prose rather than code.
    pub(super) fn is_prose(&self) -> bool {
        matches!(self.file.class(), v1::FileClass::Docs)
    }
}
