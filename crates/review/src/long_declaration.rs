//! Declarations that are too long for the facts, which cut them. The rest is read from the text.

/// The mark at the end of a cut declaration.
const CUT: char = '…';

/// Maximum length of a declaration.
const MAX_BYTES: usize = 16 << 10;

/// Returns a declaration in full. `text` is the definition, from the line of its name.
pub(crate) fn complete(signature: &str, name: &str, text: &str) -> String {
    let parts = (|| {
        let head = signature.strip_suffix(CUT).and_then(|cut| cut.split_once(name)).map(|(head, _)| head)?;
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

/// Cuts comments at the ends of lines.
fn without_comments(text: &str) -> String {
    let cut = |line: &str| {
        let is_comment = |(at, _): &(usize, &str)| line[..*at].ends_with([' ', '\t', ',']) || *at == 0;
        let starts = line.match_indices("//").chain(line.match_indices("# ")).filter(is_comment);
        let end = starts.map(|(at, _)| at).min().unwrap_or(line.len());
        line[..end].to_owned()
    };
    text.lines().map(cut).collect::<Vec<String>>().join("\n")
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
        assert_eq!(complete("public X f(int…", "f", java), "public X f(int a, /** doc */ int b) throws Y");
        assert_eq!(complete("def f(a)", "f", "def f(a): pass"), "def f(a)");
    }
}
