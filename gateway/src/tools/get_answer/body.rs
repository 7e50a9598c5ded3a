//! An answer without its `_meta`: what is laid out, and what the cache keeps.

use serde::{Deserialize, Serialize};

use super::{confidence::Confidence, links::Tie};

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Body {
    /// Up to five sentences, each with the places that it rests on.
    pub(super) answer: String,
    #[serde(default)]
    pub(super) citations: Vec<Citation>,
    pub(super) confidence: Confidence,
    /// Why no model wrote it, where none did: `no-llm-provider`, `llm-unavailable`, `draft-discarded`, `not-dominant`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) degraded: Option<String>,
    /// What to read next, as `get_context` and `get_file_context` take it.
    #[serde(default)]
    pub(super) fallback_targets: Vec<String>,
    /// Links between the repositories of the two sides of a question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) links: Vec<Tie>,
    #[serde(default)]
    pub(super) retrieval: Vec<Retrieval>,
    #[serde(default)]
    pub(super) candidates: Vec<Candidate>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) search_method: String,
    /// Why there is no better answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Citation {
    pub(super) repo: String,
    pub(super) path: String,
    pub(super) start_line: u32,
    pub(super) end_line: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) symbol_id: Option<String>,
}

impl Citation {
    /// Returns it as answers write it.
    pub(super) fn mark(&self) -> String {
        let Citation { repo, path, start_line, end_line, .. } = self;
        if end_line > start_line {
            format!("[{repo}:{path}:{start_line}-{end_line}]")
        } else {
            format!("[{repo}:{path}:{start_line}]")
        }
    }
}

/// One of the best files.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Retrieval {
    pub(super) title: String,
    pub(super) target_path: String,
    pub(super) repo: String,
    pub(super) path: String,
    pub(super) page_type: String,
    /// 0 to 10; comparable between questions.
    pub(super) score: f64,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) summary: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) symbols: Vec<Symbol>,
    /// The code of the best place, where no symbol stands for it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) snippet: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Symbol {
    pub(super) symbol_id: String,
    pub(super) kind: String,
    pub(super) signature: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) doc: String,
    pub(super) start_line: u32,
    pub(super) end_line: u32,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) source: String,
}

/// A file worth opening.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Candidate {
    pub(super) repo: String,
    pub(super) path: String,
    pub(super) start_line: u32,
    pub(super) end_line: u32,
    pub(super) relevance_score: f64,
}
