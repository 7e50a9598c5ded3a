//! Declarations that are too long for the facts, which cut them, and those with comments. They are read from the text.

/// The mark at the end of a cut declaration.
const CUT: char = '…';

/// Beginnings of comments between the parameters of a declaration on one line.
const COMMENTS: [&str; 3] = [" # ", " //", "/*"];

/// Maximum length of a declaration.
const MAX_BYTES: usize = 16 << 10;

/// Returns a declaration in full. `text` is the definition, from the line of its name.
pub(crate) fn complete(signature: &str, name: &str, text: &str) -> String {
    let parts = (|| {
        let (head, behind) = signature.split_once(name)?;
        let open = behind.find('(').unwrap_or(behind.len());
        let has_comment = || COMMENTS.iter().any(|mark| behind[open..].contains(mark));
        if !signature.ends_with(CUT) && !has_comment() {
            return None;
        }
        let text = &text[..floor_char_boundary(text, MAX_BYTES)];
        let at = text.find(name)?;
        Some((head, without_comments(&text[at..])))
    })();
    let Some((head, behind)) = parts else { return signature.to_owned() };
    // The parameters end at the parenthesis that closes the first one; the result ends where the body begins.
    let Some(end) = behind.find('(').and_then(|open| closing(&behind, open)) else { return signature.to_owned() };
    let is_body = |character: char| matches!(character, '{' | ';' | '\n' | '=');
    let tail = behind[end..].find(is_body).map_or(behind.len(), |at| end + at);
    let whole = format!("{head}{}", &behind[..tail]);
    whole.split_whitespace().collect::<Vec<&str>>().join(" ").trim_end_matches(':').to_owned()
}

fn floor_char_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// Returns the position behind the bracket that closes the one at `open`.
fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, character) in text[open..].char_indices() {
        match character {
            '(' => depth += 1,
            ')' if depth == 1 => return Some(open + at + 1),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Cuts comments: those between marks, and those at the ends of lines.
fn without_comments(text: &str) -> String {
    let mut outside = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("/*") {
        outside.push_str(before);
        rest = behind.split_once("*/").map_or("", |(_, behind)| behind);
    }
    outside.push_str(rest);
    let cut = |line: &str| line[..end_of_code(line)].to_owned();
    outside.lines().map(cut).collect::<Vec<String>>().join("\n")
}

/// Returns the position of the comment at the end of a line, or the length of the line. A comment follows white space or a comma, outside of
/// quotes.
fn end_of_code(line: &str) -> usize {
    let follows_code = |at: usize| at == 0 || line[..at].ends_with([' ', '\t', ',']);
    let is_quoted = |at: usize| ['"', '\''].iter().any(|quote| line[..at].matches(*quote).count() % 2 == 1);
    let starts = line.match_indices("//").chain(line.match_indices("# ")).map(|(at, _)| at);
    starts.filter(|at| follows_code(*at) && !is_quoted(*at)).min().unwrap_or(line.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_declarations_are_completed() {
        let python =
            "def f(\n    self,\n    a: int = 1,  # first\n    b: str = \"x\",\n) -> dict[str, int]:\n    return g()\n";
        assert_eq!(
            complete("async def f(self, a: i…", "f", &format!("async {python}")),
            "async def f( self, a: int = 1, b: str = \"x\", ) -> dict[str, int]"
        );
        let java = "public X f(int a,\n  /** doc */ int b) throws Y {\n return g();\n}";
        assert_eq!(complete("public X f(int…", "f", java), "public X f(int a, int b) throws Y");
        assert_eq!(complete("def f(a)", "f", "def f(a): pass"), "def f(a)");
    }

    #[test]
    fn comments_between_parameters_are_cut() {
        for (signature, text, expected) in [
            (
                "def f( a, # old, and gone b=None, )",
                "def f(\n    a,\n    # old, and gone\n    b=None,\n):\n    return g(1)\n",
                "def f( a, b=None, )",
            ),
            (
                "int f(int a /* (size) */, int b)",
                "int f(int a /* (size) */, int b) {\n g();\n}",
                "int f(int a , int b)",
            ),
            ("f(a: string, // one b: number)", "f(a: string, // one\n b: number) {\n}", "f(a: string, b: number)"),
            ("def f(a, b=\" # \")", "def f(a, b=\" # \"):\n    pass\n", "def f(a, b=\" # \")"),
            ("class f: # g", "class f: # g\n    def h(a): pass\n", "class f: # g"),
        ] {
            assert_eq!(complete(signature, "f", text), expected, "{signature}");
        }
    }
}
