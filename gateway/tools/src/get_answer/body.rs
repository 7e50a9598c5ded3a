//! The body of an answer, without `_meta`: the rendered and cached part.

use serde::{Deserialize, Serialize};

use super::{confidence::Confidence, links::AnswerLink};

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct AnswerBody {
    /// Up to five sentences with their citations.
    pub(super) answer: String,
    #[serde(default)]
    pub(super) citations: Vec<Citation>,
    pub(super) confidence: Confidence,
    /// The reason why no model wrote it: `no-llm-provider`, `llm-unavailable`, `draft-discarded`, `not-dominant`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) degraded: Option<String>,
    /// Targets to read next, as `get_context` and `get_file_context` accept them.
    #[serde(default)]
    pub(super) fallback_targets: Vec<String>,
    /// Links between the repositories of the two sides of a question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) links: Vec<AnswerLink>,
    #[serde(default)]
    pub(super) retrieval: Vec<Retrieval>,
    #[serde(default)]
    pub(super) candidates: Vec<AnswerCandidate>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) search_method: String,
    /// The reason why there is no better answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<String>,
}

/// Maximum number of hits beside an answer that names its places.
const MAX_BESIDE: usize = 2;

/// Maximum number of hits and of candidates beside quotations.
const MAX_HITS: usize = 3;
const MAX_CANDIDATES: usize = 6;

impl AnswerBody {
    /// Drops the hits and candidates that a reader of quotations seldom opens.
    pub(super) fn shorten_beside_quotations(&mut self) {
        self.retrieval.truncate(MAX_HITS);
        self.candidates.truncate(MAX_CANDIDATES);
    }

    /// Keeps the hits in cited files, if there are any. The other files remain as candidates.
    pub(super) fn keep_cited_hits(&mut self) {
        let citations = &self.citations;
        let is_cited = |hit: &Retrieval| citations.iter().any(|one| one.repo == hit.repo && one.path == hit.path);
        if self.retrieval.iter().any(is_cited) {
            self.retrieval.retain(is_cited);
        }
    }

    /// Keeps the evidence from cited files. Without any, the first hit remains, since the answer stands for itself.
    pub(super) fn with_cited_evidence(mut self, citations: &[Citation]) -> AnswerBody {
        let is_cited = |repo: &str, path: &str| citations.iter().any(|one| one.repo == repo && one.path == path);
        let has_cited = self.retrieval.iter().any(|hit| is_cited(&hit.repo, &hit.path));
        if has_cited {
            self.retrieval.retain(|hit| is_cited(&hit.repo, &hit.path));
        }
        self.retrieval.truncate(if has_cited { MAX_BESIDE } else { 1 });
        self.candidates.retain(|candidate| is_cited(&candidate.repo, &candidate.path));
        let mut targets: Vec<String> = Vec::new();
        for target in citations.iter().map(|one| format!("{}:{}", one.repo, one.path)) {
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
        if !targets.is_empty() {
            targets.truncate(MAX_TARGETS);
            self.fallback_targets = targets;
        }
        self
    }
}

/// Maximum number of places to read next.
const MAX_TARGETS: usize = 5;

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
    /// Returns it in the notation of answers.
    pub(super) fn mark(&self) -> String {
        let Citation { repo, path, start_line, end_line, .. } = self;
        let end = if end_line > start_line { format!("-{end_line}") } else { String::new() };
        format!("[{}]", text::quote_name(&format!("{repo}:{path}:{start_line}{end}")))
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
    pub(super) symbols: Vec<AnswerSymbol>,
    /// The code of the best span, if it has no symbol.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) snippet: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct AnswerSymbol {
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
pub(super) struct AnswerCandidate {
    pub(super) repo: String,
    pub(super) path: String,
    pub(super) start_line: u32,
    pub(super) end_line: u32,
    pub(super) relevance_score: f64,
}
