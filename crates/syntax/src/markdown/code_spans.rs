//! Symbol names in the prose of Markdown: text between backticks that looks like a name.

use model::{Definition, Reference, ReferenceKind};

use super::{Fence, next_fence};
use crate::{names, walk::collected::MAX_REFERENCES};

/// Returns one reference for each name between backticks outside of fenced code. `sections` are the definitions of the
/// file.
pub(crate) fn references(bytes: &[u8], sections: &[Definition]) -> Vec<Reference> {
    let mut found = Vec::new();
    let mut fence: Fence = None;
    for (row, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let trimmed = line.trim_ascii();
        let was_fenced = fence.is_some();
        fence = next_fence(fence, trimmed, line.len() - line.trim_ascii_start().len());
        if was_fenced || fence.is_some() || found.len() >= MAX_REFERENCES {
            continue;
        }
        let line_number = row as u32 + 1;
        // Every other piece between backticks is code.
        let codes =
            trimmed.split(|&byte| byte == b'`').skip(1).step_by(2).filter_map(|code| std::str::from_utf8(code).ok());
        for (receiver, name) in codes.filter_map(split_name) {
            found.push(Reference {
                kind: ReferenceKind::Mention,
                name: name.to_owned(),
                receiver: receiver.to_owned(),
                line: line_number,
                enclosing: innermost_section(sections, line_number),
            });
        }
    }
    found
}

/// Splits a code span that is a name, such as `a.b`, `A::b()` or `c`, into receiver and name. Returns `None` for other
/// code.
fn split_name(code: &str) -> Option<(&str, &str)> {
    let code = code.trim();
    let code = code.split('(').next().unwrap_or(code).trim_end_matches(['!', '?']);
    let is_name = |name: &str| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | ':' | '#'))
    };
    if !is_name(code) || code.len() > names::MAX_NAME_BYTES {
        return None;
    }
    let at = code.rfind(['.', ':', '#']);
    let (receiver, name) = at.map_or(("", code), |at| (code[..at].trim_end_matches(':'), &code[at + 1..]));
    (!name.is_empty()).then_some((receiver, name))
}

/// Returns the innermost section that contains a line. Sections are sorted by line.
fn innermost_section(sections: &[Definition], line: u32) -> Option<u32> {
    let before = sections.partition_point(|section| section.lines.start <= line);
    let mut at = before.checked_sub(1).map(|last| last as u32);
    while let Some(section) = at {
        if sections[section as usize].lines.end >= line {
            return at;
        }
        at = sections[section as usize].parent;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_between_backticks_are_found() {
        let text = b"# A\nuse `Flask.run()` and `x = 1`, `cli`\n```\n`no`\n```\n## B\n`a::B`\n";
        let sections = crate::markdown::sections(text);
        let shown: Vec<String> = references(text, &sections)
            .iter()
            .map(|one| format!("{}|{} {} {:?}", one.receiver, one.name, one.line, one.enclosing))
            .collect();
        assert_eq!(shown, ["Flask|run 2 Some(0)", "|cli 2 Some(0)", "a|B 7 Some(1)"]);
    }
}
