//! Markdown: the sections that headings form.
//!
//! A line scanner, not a grammar: only headings outside of fenced code are needed, and a scanner finds them in any
//! bytes.

mod code_spans;

use model::{ByteSpan, Definition, LineSpan, SymbolKind};

use crate::names;

pub(crate) use code_spans::references;

/// Returns one definition per heading. It extends to the next heading of the same or a higher level.
pub(crate) fn sections(bytes: &[u8]) -> Vec<Definition> {
    let headings = headings(bytes);
    let mut definitions: Vec<Definition> = Vec::with_capacity(headings.len());
    let mut open: Vec<usize> = Vec::new();
    for (index, heading) in headings.iter().enumerate() {
        while open.last().is_some_and(|&above| headings[above].level >= heading.level) {
            open.pop();
        }
        let next = headings[index + 1..].iter().find(|later| later.level <= heading.level);
        let end = next.map_or(bytes.len(), |later| later.start);
        let content_end = heading.start + bytes[heading.start..end].trim_ascii_end().len();
        let n_rows = bytes[heading.start..content_end].iter().filter(|&&byte| byte == b'\n').count();
        definitions.push(Definition {
            kind: SymbolKind::Section,
            name: heading.title.clone(),
            container: open.iter().map(|&above| headings[above].title.as_str()).collect::<Vec<_>>().join("."),
            parent: open.last().map(|&above| above as u32),
            signature: format!("{} {}", "#".repeat(heading.level), heading.title),
            doc: String::new(),
            lines: LineSpan { start: heading.line, end: heading.line + n_rows as u32 },
            name_line: heading.line,
            bytes: ByteSpan { start: heading.start as u32, end: content_end as u32 },
        });
        open.push(index);
    }
    definitions
}

struct Heading {
    level: usize,
    title: String,
    start: usize,
    line: u32,
}

/// An open fence: its character and the number of repetitions.
type Fence = Option<(u8, usize)>;

fn headings(bytes: &[u8]) -> Vec<Heading> {
    let mut headings = Vec::new();
    let mut fence: Fence = None;
    let mut in_front_matter = false;
    let mut paragraph: Option<(usize, u32)> = None;
    let mut start = 0;
    for (row, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let line_number = row as u32 + 1;
        let line_start = start;
        start += line.len();
        let text = line.trim_ascii_end();
        let trimmed = text.trim_ascii_start();
        let n_indent = text.len() - trimmed.len();
        if row == 0 && text == b"---" || in_front_matter {
            in_front_matter = row == 0 || !matches!(text, b"---" | b"...");
            continue;
        }
        let was_fenced = fence.is_some();
        fence = next_fence(fence, trimmed, n_indent);
        if was_fenced || fence.is_some() || n_indent > 3 && paragraph.is_none() || trimmed.is_empty() {
            paragraph = None;
            continue;
        }
        if let Some((level, title)) = parse_atx_heading(trimmed) {
            headings.push(Heading { level, title, start: line_start, line: line_number });
            paragraph = None;
        } else if let (Some(level), Some((above, above_line))) = (setext_level(trimmed), paragraph) {
            let title = plain_title(&bytes[above..line_start]);
            headings.push(Heading { level, title, start: above, line: above_line });
            paragraph = None;
        } else if !matches!(trimmed[0], b'|' | b'>' | b'<' | b'-' | b'*' | b'+' | b'=') {
            // A setext heading has a title of one line. A longer paragraph above a rule is not a heading.
            paragraph = if paragraph.is_none() { Some((line_start, line_number)) } else { None };
        } else {
            paragraph = None;
        }
    }
    headings.retain(|heading| !heading.title.is_empty() && heading.title.len() <= names::MAX_NAME_BYTES);
    headings
}

fn next_fence(open: Fence, trimmed: &[u8], n_indent: usize) -> Fence {
    let mark = *trimmed.first().unwrap_or(&b' ');
    let n_marks = trimmed.iter().take_while(|&&byte| byte == mark).count();
    let is_fence = matches!(mark, b'`' | b'~') && n_marks >= 3;
    match open {
        Some((open_mark, n_open)) if is_fence && mark == open_mark && n_marks >= n_open && n_marks == trimmed.len() => {
            None
        }
        Some(_) => open,
        None if is_fence && n_indent < 12 && !(mark == b'`' && trimmed[n_marks..].contains(&b'`')) => {
            Some((mark, n_marks))
        }
        None => None,
    }
}

fn parse_atx_heading(trimmed: &[u8]) -> Option<(usize, String)> {
    let level = trimmed.iter().take_while(|&&byte| byte == b'#').count();
    let rest = &trimmed[level..];
    let is_heading = (1..=6).contains(&level) && rest.first().is_none_or(|byte| byte.is_ascii_whitespace());
    is_heading.then(|| (level, plain_title(rest)))
}

fn setext_level(trimmed: &[u8]) -> Option<usize> {
    let is_all = |mark: u8| trimmed.len() >= 2 && trimmed.iter().all(|&byte| byte == mark);
    if is_all(b'=') { Some(1) } else { is_all(b'-').then_some(2) }
}

/// Returns a title without its markup: closing `#`, links, code and emphasis.
fn plain_title(bytes: &[u8]) -> String {
    let folded = names::collapse_white_space(bytes);
    let without_close = folded.trim_end_matches('#').trim_end();
    let mut title = String::with_capacity(without_close.len());
    let mut rest = without_close;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '`' | '*' | '[' | '!' if c != '!' || rest.starts_with('[') => {}
            ']' => rest = skip_link_target(rest),
            c => title.push(c),
        }
    }
    title.trim().to_owned()
}

/// Skips the target of a link: `(…)`.
fn skip_link_target(rest: &str) -> &str {
    match (rest.starts_with('('), rest.find(')')) {
        (true, Some(end)) => &rest[end + 1..],
        _ => rest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<String> = sections(text.as_bytes())
            .iter()
            .map(|s| format!("{}-{} {}", s.lines.start, s.lines.end, model::symbol::qualify(&s.container, &s.name)))
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn sections_nest_by_level() {
        check(
            "# A\r\ntext\r\n\r\n## B\r\n### C\r\n## D ##\r\nend\r\n# E\r\n",
            &["1-7 A", "4-5 A.B", "5-5 A.B.C", "6-7 A.D", "8-8 E"],
        );
    }

    #[test]
    fn underlined_titles_are_headings() {
        check("Title\n=====\n\nSub\n---\ntext\n\n---\n", &["1-8 Title", "4-8 Title.Sub"]);
    }

    #[test]
    fn code_and_front_matter_are_skipped() {
        check(
            "---\ntitle: x\n# no\n---\n~~~~\n# no\n~~~\n# no\n~~~~\n```sh\n# no\n```\n# yes\n    # no\n",
            &["13-14 yes"],
        );
        check("```\n# never closed\n", &[]);
    }

    #[test]
    fn titles_are_plain() {
        check("# The [`foo`](x.md) *bar* ![i](y)\n", &["1-1 The foo bar i"]);
        check("#hashtag\n#\n####### seven\n", &[]);
    }
}
