//! What a walk has found so far, in the order in which it was found, within the limits of one file.

use model::{Import, ReferenceKind, SymbolKind};

use crate::leading::Spot;

/// The most definitions of one file. Files with more are data tables written as code.
pub const MAX_DEFINITIONS: usize = 20_000;

/// The most references of one file; about as many as 2 MiB of dense code have.
pub const MAX_REFERENCES: usize = 200_000;

/// The most imports of one file.
pub const MAX_IMPORTS: usize = 20_000;

/// Definitions, uses of names and imports, not yet in order.
#[derive(Default)]
pub(crate) struct Drafts {
    pub(crate) definitions: Vec<Draft>,
    pub(crate) mentions: Vec<Mention>,
    /// With the byte that each starts at.
    pub(crate) imports: Vec<(usize, Import)>,
    pub(crate) n_definitions_dropped: usize,
    pub(crate) n_references_dropped: usize,
    pub(crate) n_imports_dropped: usize,
}

/// A definition before it knows which others are around it.
pub(crate) struct Draft {
    pub(crate) kind: SymbolKind,
    pub(crate) name: String,
    pub(crate) container: String,
    pub(crate) signature: String,
    /// Doc that is no comment; wins over the comment.
    pub(crate) doc: Option<String>,
    /// The bytes of the comment above.
    pub(crate) comment: Option<(usize, usize)>,
    pub(crate) start: Spot,
    pub(crate) end: Spot,
    pub(crate) name_start: usize,
    pub(crate) name_row: usize,
    pub(crate) is_prototype: bool,
}

/// A use of a name before it knows which definition is around it.
pub(crate) struct Mention {
    pub(crate) kind: ReferenceKind,
    pub(crate) name: String,
    pub(crate) receiver: String,
    pub(crate) byte: usize,
    pub(crate) row: usize,
}

impl Drafts {
    pub(crate) fn define(&mut self, draft: Draft) {
        if self.definitions.len() < MAX_DEFINITIONS {
            self.definitions.push(draft);
        } else {
            self.n_definitions_dropped += 1;
        }
    }

    pub(crate) fn import(&mut self, start: usize, import: Import) {
        if self.imports.len() < MAX_IMPORTS {
            self.imports.push((start, import));
        } else {
            self.n_imports_dropped += 1;
        }
    }

    pub(crate) fn mention(&mut self, mention: Mention) {
        if self.mentions.len() < MAX_REFERENCES {
            self.mentions.push(mention);
        } else {
            self.n_references_dropped += 1;
        }
    }
}
