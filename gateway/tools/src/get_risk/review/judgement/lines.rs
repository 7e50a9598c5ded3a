//! The place of a line after a change.

use proto::v1;

use super::Evidence;
use crate::get_risk::review::uses::DefinitionUse;

/// The place of an old line in the new text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NewLine {
    Same(u32),
    /// The line is gone, or other lines are in its place.
    Replaced(std::ops::Range<u32>),
}

pub(super) fn new_line(hunks: &[v1::LineHunk], line: u32) -> NewLine {
    let mut shift = 0_i64;
    for hunk in hunks {
        let end = hunk.old_start.saturating_add(hunk.old_lines);
        if end <= line {
            shift += i64::from(hunk.new_lines) - i64::from(hunk.old_lines);
        } else if hunk.old_start <= line {
            return NewLine::Replaced(hunk.new_start..hunk.new_start.saturating_add(hunk.new_lines));
        }
    }
    NewLine::Same(u32::try_from(i64::from(line) + shift).unwrap_or(line))
}

impl Evidence<'_> {
    /// Returns the line of a use after the change; nothing if the change removed or wrote it.
    pub(in crate::get_risk::review) fn unchanged_line(&self, one: &DefinitionUse) -> Option<u32> {
        match self.changed_file(one) {
            None => Some(one.line),
            Some(changed) if changed.new_path.is_empty() => None,
            Some(_) if self.is_stale => Some(one.line),
            Some(changed) => match new_line(&changed.hunks, one.line) {
                NewLine::Same(line) => Some(line),
                NewLine::Replaced(_) => None,
            },
        }
    }

    /// Returns the imports of the file of a use, as far as they were read.
    pub(in crate::get_risk::review) fn imports_of(&self, one: &DefinitionUse) -> &[v1::ImportedName] {
        match self.changed_file(one) {
            Some(changed) => &changed.imports,
            None => self.sites.get(&one.file).map(|sites| sites.imports.as_slice()).unwrap_or_default(),
        }
    }

    /// Returns the file of a use if the change edits it.
    pub(super) fn changed_file(&self, one: &DefinitionUse) -> Option<&v1::ChangedPath> {
        let mut changed = self.response.files.iter().filter(|_| one.file.0 == self.repo_idx);
        changed.find(|file| file.old_path == one.file.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_move_with_the_text_before_them() {
        let hunk =
            |old_start, old_lines, new_start, new_lines| v1::LineHunk { old_start, old_lines, new_start, new_lines };
        let hunks = [hunk(2, 1, 2, 3), hunk(8, 0, 10, 1)];
        for (line, expected) in [
            (1, NewLine::Same(1)),
            (2, NewLine::Replaced(2..5)),
            (3, NewLine::Same(5)),
            (7, NewLine::Same(9)),
            (8, NewLine::Same(11)),
        ] {
            assert_eq!(new_line(&hunks, line), expected, "{line}");
        }
    }
}
