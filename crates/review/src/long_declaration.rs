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
    let mut is_in_comment = false;
    let cut = |line: &str| {
        let (code, is_open) = code_of(line, is_in_comment);
        is_in_comment = is_open;
        code
    };
    text.lines().map(cut).collect::<Vec<String>>().join("\n")
}

/// Returns the code of a line, given that it begins in a comment between marks, and true if it ends in one.
fn code_of(line: &str, is_in_comment: bool) -> (String, bool) {
    let behind_mark = |text: &'_ str| text.find("*/").map(|at| at + "*/".len());
    let mut code = String::new();
    let mut from = if is_in_comment { behind_mark(line) } else { Some(0) };
    while let Some(start) = from {
        let rest = &line[start..];
        let at = comment(rest);
        code.push_str(&rest[..at.unwrap_or(rest.len())]);
        match at {
            Some(at) if rest[at..].starts_with("/*") => {
                let inside = start + at + "/*".len();
                from = behind_mark(&line[inside..]).map(|end| inside + end);
            }
            _ => return (code, false),
        }
    }
    (code, true)
}

/// Returns the position of the first comment outside of quotes. That at the end of a line follows white space or a comma.
fn comment(line: &str) -> Option<usize> {
    let follows_code = |at: usize| at == 0 || line[..at].ends_with([' ', '\t', ',']);
    let is_end = |at: usize| ["//", "# "].iter().any(|mark| line[at..].starts_with(mark)) && follows_code(at);
    let (mut quote, mut is_escaped) = (None, false);
    for (at, character) in line.char_indices() {
        match quote {
            Some(_) if is_escaped => is_escaped = false,
            Some(_) if character == '\\' => is_escaped = true,
            Some(open) if character == open => quote = None,
            Some(_) => {}
            None if line[at..].starts_with("/*") || is_end(at) => return Some(at),
            None if character == '"' || character == '\'' && !is_lifetime(line, at) => quote = Some(character),
            None => {}
        }
    }
    None
}

/// Returns true if a quote begins a lifetime (`&'a str`, `<'a, 'b>`).
fn is_lifetime(line: &str, at: usize) -> bool {
    let (before, behind) = (&line[..at], &line[at + 1..]);
    let rest = behind.trim_start_matches(|character: char| character.is_alphanumeric() || character == '_');
    let has_name = rest.len() < behind.len() && !rest.starts_with('\'');
    let is_next = [", ", ": "].iter().any(|mark| before.ends_with(mark));
    has_name
        && (["&", "<", "+ "].iter().any(|mark| before.ends_with(mark)) || is_next && rest.starts_with([',', ':', '>']))
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
            (
                "pub fn f<'a, 'b>( name: &'a str, // the name size: &'b u8, )",
                "pub fn f<'a, 'b>(\n    name: &'a str, // the name\n    size: &'b u8, // it's /* big\n) {\n}\n",
                "pub fn f<'a, 'b>( name: &'a str, size: &'b u8, )",
            ),
            (
                "def f(a=\"**/*.py\", b='**/*.txt', c=1)",
                "def f(a=\"**/*.py\", b='**/*.txt', c=1):\n    pass\n",
                "def f(a=\"**/*.py\", b='**/*.txt', c=1)",
            ),
            (
                "def f( a=', ', # it's b='x y', )",
                "def f(\n    a=', ', # it's\n    b='x y',\n):\n    pass\n",
                "def f( a=', ', b='x y', )",
            ),
            ("void f(char a /* one two */)", "void f(char a /* one\n two */) {\n}\n", "void f(char a )"),
            ("class f: # g", "class f: # g\n    def h(a): pass\n", "class f: # g"),
        ] {
            assert_eq!(complete(signature, "f", text), expected, "{signature}");
        }
    }
}
