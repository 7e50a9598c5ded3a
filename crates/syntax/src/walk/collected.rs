//! The facts that a walk has collected, in the order in which it found them, within the limits of one file.

use model::{Import, ReferenceKind, SymbolKind};

use super::source_point::SourcePoint;

/// Maximum number of definitions of one file. Files with more are data tables written as code.
pub const MAX_DEFINITIONS: usize = 20_000;

/// Maximum number of references of one file; about as many as 2 MiB of dense code have.
pub const MAX_REFERENCES: usize = 200_000;

/// Maximum number of imports of one file.
pub const MAX_IMPORTS: usize = 20_000;

/// Definitions, references and imports, not yet sorted.
#[derive(Default)]
pub(crate) struct CollectedFacts {
    pub(crate) definitions: Vec<DefinitionDraft>,
    pub(crate) references: Vec<ReferenceDraft>,
    /// Each with its start byte.
    pub(crate) imports: Vec<(usize, Import)>,
    pub(crate) n_definitions_dropped: usize,
    /// Number of definitions that are left out since too many scopes are around them.
    pub(crate) n_definitions_too_deep: usize,
    pub(crate) n_references_dropped: usize,
    pub(crate) n_imports_dropped: usize,
}

/// A definition before its parent is known.
pub(crate) struct DefinitionDraft {
    pub(crate) kind: SymbolKind,
    pub(crate) name: String,
    pub(crate) container: String,
    pub(crate) signature: String,
    /// Documentation that is not a comment; takes precedence over the comment.
    pub(crate) doc: Option<String>,
    /// The byte range of the comment above.
    pub(crate) comment: Option<(usize, usize)>,
    pub(crate) start: SourcePoint,
    pub(crate) end: SourcePoint,
    pub(crate) name_start: usize,
    pub(crate) name_row: usize,
    pub(crate) is_prototype: bool,
}

/// A reference before its enclosing definition is known.
pub(crate) struct ReferenceDraft {
    pub(crate) kind: ReferenceKind,
    pub(crate) name: String,
    pub(crate) receiver: String,
    pub(crate) byte: usize,
    pub(crate) row: usize,
}

impl CollectedFacts {
    pub(crate) fn add_definition(&mut self, draft: DefinitionDraft) {
        if self.definitions.len() < MAX_DEFINITIONS {
            self.definitions.push(draft);
        } else {
            self.n_definitions_dropped += 1;
        }
    }

    pub(crate) fn add_import(&mut self, start: usize, import: Import) {
        if self.imports.len() < MAX_IMPORTS {
            self.imports.push((start, import));
        } else {
            self.n_imports_dropped += 1;
        }
    }

    pub(crate) fn add_reference(&mut self, draft: ReferenceDraft) {
        if self.references.len() < MAX_REFERENCES {
            self.references.push(draft);
        } else {
            self.n_references_dropped += 1;
        }
    }
}
