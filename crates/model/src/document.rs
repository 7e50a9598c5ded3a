//! Documents of settings: the content of deployment files as a tree of keys and values.

use serde::{Deserialize, Serialize};

/// One document of a file: a YAML document, a Dockerfile, a list of assignments.
///
/// It holds only values that are addresses, names, images or paths. A value that may be a secret is left out when the file is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingsDocument {
    /// The notation.
    pub format: DocumentFormat,
    /// The entries; a parent precedes its children.
    pub entries: Vec<DocumentEntry>,
}

/// The notation of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum DocumentFormat {
    /// YAML, and JSON, which is YAML too. Actions of Helm templates are kept as `{{ … }}`.
    Yaml,
    /// A Dockerfile: the key is the instruction, or that of `ENV`, `ARG` and `LABEL` with its name (`ENV PORT`).
    Dockerfile,
    /// Lines of `KEY=value`.
    Assignments,
    /// Nested blocks of directives, as nginx has them: the key is the directive, the value its arguments.
    Directives,
    /// Blocks and attributes of Terraform; the key of a block has its labels.
    Terraform,
    /// Commands that build images: the key is `build`, the value `NAME FOLDER`.
    Commands,
    /// Variables that code reads from its environment: the key is the name, the value its default.
    Variables,
    /// Messages that code sends or receives: the key is the broker and `publish` or `consume`, the value the topic, or `{env:NAME}`
    /// or `{name:NAME}`; with `bind` a queue and its topic.
    Messages,
    /// Tables of databases in code: the key is `define`, `model` or `use`, the value the table.
    Tables,
}

impl DocumentFormat {
    /// Returns true for facts about code, which no other file refers to.
    pub fn is_of_code(self) -> bool {
        matches!(self, DocumentFormat::Variables | DocumentFormat::Messages | DocumentFormat::Tables)
    }
}

/// An entry of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentEntry {
    /// The index of the enclosing entry.
    pub parent: Option<u32>,
    /// The key; empty for an item of a list.
    pub key: String,
    /// The value; empty for an entry with children, and for a value that is left out.
    pub value: String,
    /// The line, from 1.
    pub line: u32,
}
