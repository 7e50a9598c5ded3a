//! What was retrieved for a question: files, places in them, and what is said of them.

use model::{LineSpan, symbol::qualify};
use proto::v1;

use crate::symbol_ref;

/// A file that may answer the question.
#[derive(Debug, Clone)]
pub(super) struct Hit {
    /// The position of its repository in the directory.
    pub(super) position: usize,
    pub(super) file: v1::File,
    /// 0 to 10, comparable between questions and repositories; twice that for what both sides of a question found.
    pub(super) relevance: f32,
    /// The best first.
    pub(super) places: Vec<Place>,
    /// Which sides of the question it was found for; neither for a question without sides.
    pub(super) of_sides: [bool; 2],
    /// What its page says it is for; empty where that is not known.
    pub(super) purpose: String,
}

/// A definition, or a part of a file outside of any.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) symbol: Option<v1::Symbol>,
    pub(super) lines: LineSpan,
    /// Its number among all places that were found, from 0.
    pub(super) rank: usize,
    /// Whether the question names it.
    pub(super) is_named: bool,
    /// Its lines, as many as were read; empty where none were.
    pub(super) source: String,
}

impl Place {
    /// Returns what people call it: container and name; nothing for the rest of a file.
    pub(super) fn name(&self) -> Option<String> {
        let symbol = self.symbol.as_ref()?;
        Some(text::sanitise_name(&qualify(&symbol.container, &symbol.name)).into_owned())
    }

    /// Returns the symbol id within its repository.
    pub(super) fn symbol_id(&self, path: &str) -> Option<String> {
        self.symbol.as_ref().map(|symbol| symbol_ref::id(path, symbol))
    }

    /// Returns what it says of itself, cleaned.
    pub(super) fn doc(&self) -> String {
        self.symbol.as_ref().map(|symbol| text::clean(&symbol.doc).into_owned()).unwrap_or_default()
    }
}

impl Hit {
    /// Returns its path, fit to be shown.
    pub(super) fn path(&self) -> String {
        text::sanitise_name(&self.file.path).into_owned()
    }

    /// Says whether it is prose rather than code.
    pub(super) fn is_prose(&self) -> bool {
        matches!(self.file.class(), v1::FileClass::Docs)
    }
}
