//! Files of assignments: `.env`, `.properties`, environment files.

use model::DocumentFormat;

use super::builder::DraftDocument;

/// Returns true if nearly all lines of a text are assignments.
pub(super) fn are_assignments<'t>(lines: impl Iterator<Item = &'t str>) -> bool {
    let (mut n_assignments, mut n_lines) = (0, 0);
    for line in lines.take(200) {
        n_lines += 1;
        n_assignments += u32::from(assigned(line).is_some());
    }
    n_assignments > 0 && n_assignments * 10 >= n_lines * 8
}

/// Reads a file of assignments.
pub(super) fn read(text: &str) -> DraftDocument {
    let mut document = DraftDocument::new(DocumentFormat::Assignments);
    for (line, content) in (1..).zip(text.lines()) {
        if document.is_full() {
            break;
        }
        if let Some((name, value)) = assigned(content.trim()) {
            document.add(None, name, value.trim().trim_matches(['"', '\'']), line);
        }
    }
    document
}

/// Splits an assignment; `None` for a comment and for any other line.
pub(super) fn assigned(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=')?;
    let name = name.trim();
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '[' | ']');
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '%'));
    (starts && name.trim_start_matches('%').chars().all(is_name)).then_some((name, value))
}
