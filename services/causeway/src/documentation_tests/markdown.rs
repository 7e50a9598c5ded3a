//! The parts of a Markdown page that the tests look at.

/// A fenced code block.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CodeBlock<'a> {
    /// The text after the opening fence.
    pub(super) info: &'a str,
    /// The lines, without the indentation of the fence's list item.
    pub(super) lines: Vec<&'a str>,
}

/// Returns the code blocks of a page.
pub(super) fn code_blocks(text: &str) -> Vec<CodeBlock<'_>> {
    let mut blocks = Vec::new();
    let mut open: Option<CodeBlock<'_>> = None;
    for line in text.lines() {
        match (line.trim_start().strip_prefix("```"), open.as_mut()) {
            (Some(info), None) => open = Some(CodeBlock { info, lines: Vec::new() }),
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some(block)) => block.lines.push(line),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "the last code block is not closed");
    blocks
}

/// Returns the lines of a page outside of code blocks.
pub(super) fn prose(text: &str) -> Vec<&str> {
    let mut is_code = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            lines.push(line);
        }
    }
    lines
}

/// Returns the inline code of a page.
pub(super) fn code_spans(text: &str) -> Vec<&str> {
    prose(text).into_iter().flat_map(|line| line.split('`').skip(1).step_by(2)).collect()
}

/// Returns the targets of the links of a page.
pub(super) fn link_targets(text: &str) -> Vec<String> {
    let without_code = prose(text).into_iter().map(|line| line.split('`').step_by(2).collect::<String>());
    let targets = |line: String| -> Vec<String> {
        line.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0.to_owned())).collect()
    };
    without_code.flat_map(targets).collect()
}

/// Returns the anchors of the headings of a page, as mdBook and code hosts make them.
pub(super) fn anchors(text: &str) -> Vec<String> {
    let headings = prose(text).into_iter().filter(|line| line.starts_with('#'));
    headings.map(|line| anchor(line.trim_start_matches('#').trim())).collect()
}

fn anchor(heading: &str) -> String {
    let slug = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    slug.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

#[test]
fn a_page_is_split_into_its_parts() {
    let text = "# Set-up: a `b`\n\nSee [`x`](y.md#z), `[a](b)`.\n\n   ```sh\n   run\n   ```\n";
    assert_eq!(code_blocks(text), [CodeBlock { info: "sh", lines: vec!["   run"] }]);
    assert_eq!(link_targets(text), ["y.md#z"]);
    assert_eq!(code_spans(text), ["b", "x", "[a](b)"]);
    assert_eq!(anchors(text), ["set-up-a-b"]);
}
