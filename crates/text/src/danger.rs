//! Lines of source that a reviewer should look at for what they put at risk: secrets, unsafe deserialisation, commands and
//! queries built from strings, checks of TLS turned off, code made from data.
//!
//! Few false alarms matter more than to find everything: a rule says what must be there and what must not. Comments and
//! the insides of strings are no code (`view`); secrets are looked for everywhere, since they are secret in a comment too.
//! What is shown of a line is masked. Of text that comes from an index the secrets are masked already: then a mask tells
//! that there was one.

mod built;
mod rules;
mod sql;
mod view;

use model::Language;

use crate::{MASK, line::shorten, mask_secrets, sanitise};
use view::View;

/// Signals of one file that are told at most: more are one finding, not many.
pub const MAX_SIGNALS: usize = 50;

/// Bytes of a file that are read. Larger ones are made by programs.
const MAX_BYTES: usize = 1 << 20;

/// What a line puts at risk; the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Danger {
    Secret,
    Shell,
    Sql,
    Deserialisation,
    Eval,
    Tls,
}

/// A line that deserves a look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signal {
    /// Counted from 1.
    pub line: u32,
    pub danger: Danger,
    /// The line, masked, without what it is indented by.
    pub shown: String,
}

impl Danger {
    /// Returns the name that users read.
    pub fn name(self) -> &'static str {
        match self {
            Danger::Secret => "secret_in_source",
            Danger::Shell => "shell_from_string",
            Danger::Sql => "sql_from_string",
            Danger::Deserialisation => "unsafe_deserialisation",
            Danger::Eval => "eval_of_data",
            Danger::Tls => "tls_check_disabled",
        }
    }

    /// Returns in a sentence why it matters.
    pub fn why(self) -> &'static str {
        match self {
            Danger::Secret => "whoever reads the repository, or its history, has what looks like a secret",
            Danger::Shell => {
                "a shell gets a command that is put together from values: one of them may end it and begin another"
            }
            Danger::Sql => "a query is put together from values instead of taking them as parameters",
            Danger::Deserialisation => "reading data this way can run code that the data names",
            Danger::Eval => "what is run as code is not written here, but comes from a value",
            Danger::Tls => "a connection accepts any certificate, or any host, so that others can listen in",
        }
    }
}

/// Returns the lines of a file that deserve a look, in their order; each kind once a line.
pub fn signals(language: Language, source: &str) -> Vec<Signal> {
    let source = match source.char_indices().map(|(at, _)| at).find(|at| *at >= MAX_BYTES) {
        Some(end) => &source[..end],
        None => source,
    };
    let sanitised = sanitise(source);
    let masked = mask_secrets(&sanitised);
    let lines: Vec<&str> = masked.lines().collect();
    let nth = |line: u32| lines.get(line as usize - 1).copied().unwrap_or_default();
    let mut found: Vec<(u32, Danger)> = Vec::new();
    for (line, shown) in (1..).zip(&lines) {
        if shown.contains(MASK) {
            found.push((line, Danger::Secret));
        }
    }
    if let Some(view) = View::of(language, &sanitised) {
        // What documentation shows of addresses with a password in them are examples.
        let is_example = |line: u32| view.is_prose(line) && nth(line).contains(&format!(":{MASK}@"));
        found.retain(|(line, _)| !is_example(*line));
        let at = rules::found_in(&view).into_iter().chain(sql::found_in(&view));
        found.extend(at.map(|(offset, danger)| (view.line_of(offset), danger)));
        let first_line_of_tests = view.first_line_of_tests();
        found.retain(|(line, _)| *line < first_line_of_tests);
    }
    found.sort_unstable();
    found.dedup();
    found.truncate(MAX_SIGNALS);
    let shown = |line| shorten(nth(line).trim()).into_owned();
    found.into_iter().map(|(line, danger)| Signal { line, danger, shown: shown(line) }).collect()
}

#[cfg(test)]
mod tests;
