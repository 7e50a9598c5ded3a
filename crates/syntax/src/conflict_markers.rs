//! Files in the middle of a merge or a rebase. Git writes both sides of a conflict into the file, between lines of markers, so that
//! the file is no valid syntax until the conflict is resolved.

use std::{borrow::Cow, ops::Range};

use model::Diagnostic;

/// Length of a marker. Git can be told to write longer ones, which are not read.
const MARKER_CHARS: usize = 7;

/// A conflict that is not resolved.
#[derive(Debug, PartialEq, Eq)]
struct MergeConflict {
    /// The line of the first marker, in bytes.
    first_marker: Range<usize>,
    /// The lines from the end of the first side to the last marker, in bytes.
    other_sides: Range<usize>,
    /// The number of the first line, from 1.
    line: u32,
}

/// The kind of a line between the sides of a conflict.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ConflictMarker {
    Begin,
    /// The common ancestor follows, which git writes on request.
    Ancestor,
    Other,
    End,
}

/// Returns the file with the first side of each conflict: the markers and the other sides are spaces. Line breaks stay, so that all
/// offsets are valid.
pub(crate) fn first_sides(bytes: &[u8]) -> Cow<'_, [u8]> {
    let conflicts = conflicts(bytes);
    if conflicts.is_empty() {
        return Cow::Borrowed(bytes);
    }
    let mut plain = bytes.to_vec();
    for range in conflicts.into_iter().flat_map(|conflict| [conflict.first_marker, conflict.other_sides]) {
        plain[range].iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
    }
    Cow::Owned(plain)
}

/// Reports the conflicts of a file.
pub(crate) fn diagnostic(bytes: &[u8]) -> Option<Diagnostic> {
    let conflicts = conflicts(bytes);
    let line = conflicts.first()?.line;
    let message = match conflicts.len() {
        1 => "a conflict of a merge; definitions are those of its first side".to_owned(),
        n => format!("{n} conflicts of a merge; definitions are those of their first sides"),
    };
    Some(Diagnostic { line, message })
}

/// Finds the whole conflicts of a file. A marker that belongs to none is a line of the file.
fn conflicts(bytes: &[u8]) -> Vec<MergeConflict> {
    if !bytes.split(|byte| *byte == b'\n').any(|line| line.starts_with(b"<<<<<<< ")) {
        return Vec::new();
    }
    let mut conflicts = Vec::new();
    // The first marker, its line, the end of the first side, and whether the other side has begun.
    let mut open: Option<(Range<usize>, u32, Option<usize>, bool)> = None;
    let mut start = 0;
    for (line, text) in (1_u32..).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
        let range = start..start + text.len();
        start = range.end;
        let Some(marker) = marker(text) else { continue };
        open = match (marker, open) {
            (ConflictMarker::Begin, _) => Some((range, line, None, false)),
            (ConflictMarker::Ancestor, Some((first, line, None, false))) => {
                Some((first, line, Some(range.start), false))
            }
            (ConflictMarker::Other, Some((first, line, end, false))) => {
                Some((first, line, end.or(Some(range.start)), true))
            }
            (ConflictMarker::End, Some((first_marker, line, Some(end), true))) => {
                conflicts.push(MergeConflict { first_marker, other_sides: end..range.end, line });
                None
            }
            // A heading of the text is underlined like a marker.
            (ConflictMarker::Other, open @ Some(_)) => open,
            _ => None,
        };
    }
    conflicts
}

fn marker(line: &[u8]) -> Option<ConflictMarker> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let (marker, label) = line.split_at_checked(MARKER_CHARS)?;
    let has_label = label.first() == Some(&b' ');
    match marker {
        b"<<<<<<<" if has_label => Some(ConflictMarker::Begin),
        b"|||||||" if has_label || label.is_empty() => Some(ConflictMarker::Ancestor),
        b"=======" if label.is_empty() => Some(ConflictMarker::Other),
        b">>>>>>>" if has_label => Some(ConflictMarker::End),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use model::Language;

    use super::*;

    #[test]
    fn the_first_side_of_a_conflict_remains() {
        for (source, lines, n_conflicts) in [
            ("a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> other\nd\n", "a b d", 1),
            ("<<<<<<< HEAD\r\nb\r\n=======\r\nc\r\n>>>>>>> other\r\nd", "b d", 1),
            ("<<<<<<< HEAD\nb\n||||||| merged\nx\n=======\nc\n>>>>>>> other\n", "b", 1),
            ("<<<<<<< HEAD\nb\n|||||||\nx\n=======\nc\n>>>>>>> other", "b", 1),
            ("<<<<<<< HEAD\n=======\nc\n>>>>>>> o\n<<<<<<< HEAD\nb\n=======\n>>>>>>> o\n", "b", 2),
            // A heading in the other side.
            ("<<<<<<< HEAD\nb\n=======\nc\n=======\nd\n>>>>>>> o\ne\n", "b e", 1),
            // The first one has no end.
            ("<<<<<<< HEAD\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> o\n", "<<<<<<< HEAD b", 1),
            // These are no conflicts.
            ("Title\n=======\n\ntext\n", "Title ======= text", 0),
            ("<<<<<<< HEAD\nb\n=======\nc\n", "<<<<<<< HEAD b ======= c", 0),
            ("<<<<<<< HEAD\nb\n>>>>>>> o\n", "<<<<<<< HEAD b >>>>>>> o", 0),
            ("<<<<<<<< a\nb\n========\nc\n>>>>>>>> o\n", "<<<<<<<< a b ======== c >>>>>>>> o", 0),
            (" <<<<<<< a\nb\n=======\nc\n>>>>>>> o\n", "<<<<<<< a b ======= c >>>>>>> o", 0),
            ("x <<<<<<< y\n=======\n>>>>>>> z\n", "x <<<<<<< y ======= >>>>>>> z", 0),
            ("", "", 0),
        ] {
            let plain = first_sides(source.as_bytes());
            assert_eq!(plain.len(), source.len(), "{source}");
            let words = String::from_utf8_lossy(&plain).split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(words, lines, "{source}");
            assert_eq!(conflicts(source.as_bytes()).len(), n_conflicts, "{source}");
        }
    }

    #[test]
    fn a_file_with_a_conflict_has_the_facts_of_its_first_side() {
        let source = "def first():\n<<<<<<< HEAD\n    return one()\n=======\n    return two()\n>>>>>>> other\n\n\n\
                      def second():\n    return first()\n";
        let facts = crate::extract(Language::Python, source.as_bytes());
        let lines: Vec<_> = facts.definitions.iter().map(|found| (found.name.as_str(), found.lines.start)).collect();
        assert_eq!(lines, [("first", 1), ("second", 9)]);
        let called = |name: &str| facts.references.iter().any(|reference| reference.name == name);
        assert!(called("one") && called("first") && !called("two"));
        let diagnostics: Vec<_> = facts.diagnostics.iter().map(|found| (found.line, found.message.as_str())).collect();
        assert_eq!(diagnostics, [(2, "a conflict of a merge; definitions are those of its first side")]);
        // A conflict without an end is of the program.
        let quoted = "A = \"\"\"\n<<<<<<< HEAD\n=======\n\"\"\"\n\n\ndef second():\n    pass\n";
        let facts = crate::extract(Language::Python, quoted.as_bytes());
        assert!(facts.diagnostics.is_empty() && facts.definitions.iter().any(|found| found.name == "second"));
    }
}
