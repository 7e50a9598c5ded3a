//! Lines of tests within files of the product, such as those of a `mod tests` at its end.

use super::source_lines::SourceLine;

/// Beginnings of lines that mark or begin a test.
const BEGINNINGS: [&str; 9] = [
    "#[cfg(test)]",
    "#[test]",
    "#[tokio::test",
    "mod tests {",
    "mod test {",
    "def test_",
    "async def test_",
    "class Test",
    "@Test",
];

/// Returns for each line whether it is within the definition of a test.
pub(super) fn within_tests(lines: &[SourceLine]) -> Vec<bool> {
    let mut found = vec![false; lines.len()];
    let mut at = 0;
    while at < lines.len() {
        if !BEGINNINGS.iter().any(|start| lines[at].text.starts_with(start)) {
            at += 1;
            continue;
        }
        let end = end_of_definition(lines, at);
        found[at..end].fill(true);
        at = end;
    }
    found
}

/// Returns the index behind the definition that begins with a line or is marked by it.
fn end_of_definition(lines: &[SourceLine], start: usize) -> usize {
    let first = &lines[start];
    let is_here =
        |at: usize| lines.get(at).is_some_and(|line| (line.repo_idx, &line.path) == (first.repo_idx, &first.path));
    let is_mark = |text: &str| text.starts_with(['@', '#']) || text.starts_with("//");
    let mut head = start;
    while is_here(head) && is_mark(&lines[head].text) {
        head += 1;
    }
    if !is_here(head) {
        return head;
    }
    let indent = lines[head].indent;
    let is_outside = |at: usize| lines[at].indent <= indent;
    // The head of a definition may have several lines, and begins its body with the last one.
    let opens = |at: usize| lines[at].text.ends_with(['{', ':']);
    let is_single = |at: usize| lines[at].text.ends_with([';', '}']);
    let mut body = head;
    while is_here(body) && !opens(body) {
        if is_single(body) && is_outside(body) {
            return body + 1;
        }
        body += 1;
    }
    if !is_here(body) {
        return head + 1;
    }
    let is_braced = lines[body].text.ends_with('{');
    let mut end = body + 1;
    while is_here(end) {
        // A text over several lines may have no indentation, so that a body in braces ends at its brace.
        if is_outside(end) && (!is_braced || lines[end].text.starts_with('}')) {
            return if is_braced { end + 1 } else { end };
        }
        end += 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::{super::source_lines::lines_of_text, *};

    #[test]
    fn lines_of_tests_are_known() {
        for (source, expected) in [
            ("a = 1\n#[cfg(test)]\nmod tests {\n  limit: 9,\n}\nb = 2", "-xxxx-"),
            ("#[cfg(test)]\nmod tests;\nb = 2", "xx-"),
            ("#[test]\nfn a(\n  b: u32,\n) {\n  limit: 9,\n}\nb = 2", "xxxxxx-"),
            ("mod tests {\n  a = \"\nlimit: 9\n\"\n}\nb = 2", "xxxxx-"),
            ("def test_berth():\n  limit = 9\nb = 2", "xx-"),
            ("class TestBerth(Case):\n  limit = 9\n\n  def test_a(self):\n    b = 3\nb = 2", "xxxx-"),
            ("mod testing {\n  limit: 9,\n}", "---"),
            ("#[cfg(feature = \"test\")]\nconst A: u32 = 9;", "--"),
        ] {
            let lines: Vec<SourceLine> =
                lines_of_text(source).into_iter().filter(|line| !line.text.is_empty()).collect();
            let shown: String = within_tests(&lines).iter().map(|is_in| if *is_in { 'x' } else { '-' }).collect();
            assert_eq!(shown, expected, "{source}");
        }
    }
}
