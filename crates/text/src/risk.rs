//! Finds lines that put something at risk: secrets, unsafe deserialisation, commands and queries built from values,
//! disabled TLS checks, and evaluation of data as code.
//!
//! The rules prefer few false positives to completeness: each states what must be present and what must not. Comments and
//! string contents are not code (`code_view`). Secrets are searched everywhere, since they are also disclosed by a comment.
//! The shown lines are masked. Indexed text is masked already; there, a mask is evidence of a secret.

mod code_view;
mod expressions;
mod rules;
mod sql;

use model::Language;

use crate::{MASK, line::shorten, mask_secrets, sanitise};
use code_view::CodeView;

/// Maximum number of signals of one file. More are a single finding.
pub const MAX_SIGNALS: usize = 50;

/// Maximum number of bytes examined of a file. Larger files are generated.
const MAX_BYTES: usize = 1 << 20;

/// The kinds of risk, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RiskKind {
    /// A secret in the source.
    Secret,
    /// A shell command built from values.
    Shell,
    /// A query built from values.
    Sql,
    /// Deserialisation that can run code.
    Deserialisation,
    /// A value that is run as code.
    Eval,
    /// A disabled TLS check.
    Tls,
}

/// A line that a reviewer should examine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RiskSignal {
    /// The line number, counted from 1.
    pub line: u32,
    /// The kind of risk.
    pub kind: RiskKind,
    /// The line, masked and without indentation.
    pub shown: String,
}

impl RiskKind {
    /// Returns the name for users.
    pub fn name(self) -> &'static str {
        match self {
            RiskKind::Secret => "secret_in_source",
            RiskKind::Shell => "shell_from_string",
            RiskKind::Sql => "sql_from_string",
            RiskKind::Deserialisation => "unsafe_deserialisation",
            RiskKind::Eval => "eval_of_data",
            RiskKind::Tls => "tls_check_disabled",
        }
    }

    /// Returns one sentence on the consequence.
    pub fn consequence(self) -> &'static str {
        match self {
            RiskKind::Secret => {
                "the line contains what looks like a secret; everyone who can read the repository or its history has it"
            }
            RiskKind::Shell => {
                "a shell runs a command that is built from values; a value can end the command and start another one"
            }
            RiskKind::Sql => "a query is built from values instead of taking them as parameters",
            RiskKind::Deserialisation => "this deserialisation can run code that the data names",
            RiskKind::Eval => "a value that is not a literal is run as code",
            RiskKind::Tls => "a connection accepts any certificate or any host, so others can intercept it",
        }
    }
}

/// Returns the lines of a file that a reviewer should examine, in order; each kind once a line.
pub fn find_signals(language: Language, source: &str) -> Vec<RiskSignal> {
    let source = match source.char_indices().map(|(at, _)| at).find(|at| *at >= MAX_BYTES) {
        Some(end) => &source[..end],
        None => source,
    };
    let sanitised = sanitise(source);
    let masked = mask_secrets(&sanitised);
    let lines: Vec<&str> = masked.lines().collect();
    let nth = |line: u32| lines.get(line as usize - 1).copied().unwrap_or_default();
    let mut found: Vec<(u32, RiskKind)> = Vec::new();
    for (line, shown) in (1..).zip(&lines) {
        if shown.contains(MASK) {
            found.push((line, RiskKind::Secret));
        }
    }
    if let Some(view) = CodeView::new(language, &sanitised) {
        // Addresses with a password in documentation are examples.
        let is_example = |line: u32| view.is_comment_or_string(line) && nth(line).contains(&format!(":{MASK}@"));
        found.retain(|(line, _)| !is_example(*line));
        let at = rules::find(&view).into_iter().chain(sql::find(&view));
        found.extend(at.map(|(offset, kind)| (view.line_of(offset), kind)));
        let first_test_line = view.first_test_line();
        found.retain(|(line, _)| *line < first_test_line);
    }
    found.sort_unstable();
    found.dedup();
    found.truncate(MAX_SIGNALS);
    let shown = |line| shorten(nth(line).trim()).into_owned();
    found.into_iter().map(|(line, kind)| RiskSignal { line, kind, shown: shown(line) }).collect()
}

#[cfg(test)]
mod tests;
