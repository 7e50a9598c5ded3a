//! Source without comments and string contents: comments are blanked, strings are filled. Offsets stay those of the source.

use model::Language;

/// Replaces each byte within a string.
pub(super) const STRING_BYTE: char = '\u{1}';

/// Source text, and a copy of the same length without comments and string contents.
pub(super) struct CodeView<'a> {
    pub(super) language: Language,
    pub(super) raw: &'a str,
    pub(super) code: String,
    pub(super) literals: Vec<StringLiteral>,
    line_starts: Vec<usize>,
}

/// A string literal: the range of its content, and its quote character.
#[derive(Debug, Clone, Copy)]
pub(super) struct StringLiteral {
    pub(super) open: usize,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) quote: char,
}

/// The delimiters of a kind of string.
struct QuoteStyle {
    open: &'static str,
    close: &'static str,
    escapes: bool,
    spans_lines: bool,
}

const fn quote(open: &'static str, escapes: bool, spans_lines: bool) -> QuoteStyle {
    QuoteStyle { open, close: open, escapes, spans_lines }
}

/// The comment and string syntax of a family of languages.
struct LexicalSyntax {
    line_comments: &'static [&'static str],
    block_comment: Option<(&'static str, &'static str)>,
    /// Longest delimiter first.
    quotes: &'static [QuoteStyle],
}

const TRIPLE: QuoteStyle = quote("\"\"\"", true, true);
const DOUBLE: QuoteStyle = quote("\"", true, false);
const SINGLE: QuoteStyle = quote("'", true, false);
const TEMPLATE: QuoteStyle = quote("`", true, true);
const RAW: QuoteStyle = quote("`", false, true);
const C_BLOCK: Option<(&str, &str)> = Some(("/*", "*/"));

const C: LexicalSyntax = LexicalSyntax { line_comments: &["//"], block_comment: C_BLOCK, quotes: &[DOUBLE, SINGLE] };
const JAVA: LexicalSyntax =
    LexicalSyntax { line_comments: &["//"], block_comment: C_BLOCK, quotes: &[TRIPLE, DOUBLE, SINGLE] };
const GO: LexicalSyntax =
    LexicalSyntax { line_comments: &["//"], block_comment: C_BLOCK, quotes: &[DOUBLE, SINGLE, RAW] };
const RUST: LexicalSyntax = LexicalSyntax {
    line_comments: &["//"],
    block_comment: C_BLOCK,
    quotes: &[
        QuoteStyle { open: "r##\"", close: "\"##", escapes: false, spans_lines: true },
        QuoteStyle { open: "r#\"", close: "\"#", escapes: false, spans_lines: true },
        quote("\"", true, true),
    ],
};
const ECMASCRIPT: LexicalSyntax =
    LexicalSyntax { line_comments: &["//"], block_comment: C_BLOCK, quotes: &[DOUBLE, SINGLE, TEMPLATE] };
const CSHARP: LexicalSyntax = LexicalSyntax {
    line_comments: &["//"],
    block_comment: C_BLOCK,
    quotes: &[TRIPLE, QuoteStyle { open: "@\"", close: "\"", escapes: false, spans_lines: true }, DOUBLE, SINGLE],
};
const PHP: LexicalSyntax = LexicalSyntax {
    line_comments: &["//", "#"],
    block_comment: C_BLOCK,
    quotes: &[quote("\"", true, true), quote("'", true, true)],
};
const PYTHON: LexicalSyntax = LexicalSyntax {
    line_comments: &["#"],
    block_comment: None,
    quotes: &[TRIPLE, quote("'''", true, true), DOUBLE, SINGLE],
};
const RUBY: LexicalSyntax = LexicalSyntax {
    line_comments: &["#"],
    block_comment: None,
    quotes: &[quote("\"", true, true), quote("'", true, true), TEMPLATE],
};

const BASH: LexicalSyntax =
    LexicalSyntax { line_comments: &["#"], block_comment: None, quotes: &[DOUBLE, quote("'", false, false)] };

fn syntax(language: Language) -> Option<&'static LexicalSyntax> {
    Some(match language {
        Language::C | Language::Cpp => &C,
        Language::Java | Language::Kotlin | Language::Scala | Language::Swift | Language::Dart => &JAVA,
        Language::Go => &GO,
        Language::Rust => &RUST,
        Language::JavaScript | Language::TypeScript | Language::Tsx => &ECMASCRIPT,
        Language::CSharp => &CSHARP,
        Language::Php => &PHP,
        Language::Python => &PYTHON,
        Language::Ruby => &RUBY,
        Language::Bash => &BASH,
        _ => return None,
    })
}

impl<'a> CodeView<'a> {
    /// Parses source; `None` for languages without rules.
    pub(super) fn new(language: Language, raw: &'a str) -> Option<CodeView<'a>> {
        let syntax = syntax(language)?;
        let mut lexer = Lexer { language, raw, code: raw.as_bytes().to_vec(), literals: Vec::new() };
        lexer.run(syntax);
        // Only whole characters were overwritten, each byte with an ASCII character.
        let code = String::from_utf8_lossy(&lexer.code).into_owned();
        let literals = lexer.literals;
        let line_starts = std::iter::once(0).chain(raw.match_indices('\n').map(|(at, _)| at + 1)).collect();
        (code.len() == raw.len()).then_some(CodeView { language, raw, code, literals, line_starts })
    }

    /// Returns the line number of an offset, counted from 1.
    pub(super) fn line_of(&self, offset: usize) -> u32 {
        self.line_starts.partition_point(|start| *start <= offset) as u32
    }

    /// Returns the nearest character boundary at or before `at`.
    pub(super) fn floor(&self, at: usize) -> usize {
        let at = at.min(self.code.len());
        (0..=at).rev().find(|at| self.code.is_char_boundary(*at)).unwrap_or(0)
    }

    /// Returns true if a line consists only of comments and string contents.
    pub(super) fn is_comment_or_string(&self, line: u32) -> bool {
        let start = self.line_starts.get(line as usize - 1).copied().unwrap_or(self.code.len());
        let line = self.code[start..].lines().next().unwrap_or_default();
        line.chars().all(|c| c.is_whitespace() || c == STRING_BYTE)
    }

    /// Returns the first line of the test module at the end of a file; `u32::MAX` if there is none.
    pub(super) fn first_test_line(&self) -> u32 {
        let tests = (self.language == Language::Rust).then(|| self.code.find("#[cfg(test)]\nmod ")).flatten();
        tests.map_or(u32::MAX, |at| self.line_of(at))
    }
}

struct Lexer<'a> {
    language: Language,
    raw: &'a str,
    code: Vec<u8>,
    literals: Vec<StringLiteral>,
}

impl Lexer<'_> {
    fn run(&mut self, syntax: &LexicalSyntax) {
        let mut at = 0;
        while at < self.raw.len() {
            at = self.step(syntax, at);
        }
    }

    /// Reads the token at `at`; returns its end.
    fn step(&mut self, syntax: &LexicalSyntax, at: usize) -> usize {
        let rest = &self.raw[at..];
        if syntax.line_comments.iter().any(|start| rest.starts_with(start)) && !self.is_within_word(at) {
            let end = rest.find('\n').map_or(self.raw.len(), |end| at + end);
            return self.blank(at, end, b' ');
        }
        if let Some((open, close)) = syntax.block_comment.filter(|(open, _)| rest.starts_with(open)) {
            let end = rest[open.len()..].find(close).map_or(self.raw.len(), |end| at + open.len() + end + close.len());
            return self.blank(at, end, b' ');
        }
        let opened =
            syntax.quotes.iter().find(|quote| rest.starts_with(quote.open) && !self.is_part_of_name(at, quote));
        if let Some(quote) = opened {
            return self.literal(at, quote);
        }
        let next = at + rest.chars().next().map_or(1, char::len_utf8);
        match self.language {
            Language::Rust if rest.starts_with('\'') => at + char_literal_len(rest),
            Language::Bash if rest.starts_with('\\') => self.after(next),
            Language::JavaScript | Language::TypeScript | Language::Tsx if rest.starts_with('/') => {
                self.regex_end(at).map_or(next, |end| self.blank(at + 1, end, STRING_BYTE as u8) + 1)
            }
            _ => next,
        }
    }

    /// Returns true if a comment sign is part of a shell word: `$#`, `${name#prefix}`.
    fn is_within_word(&self, at: usize) -> bool {
        let before = self.raw[..at].chars().next_back();
        self.language == Language::Bash
            && before.is_some_and(|c| !c.is_whitespace() && !matches!(c, ';' | '&' | '|' | '('))
    }

    /// Returns true if a string prefix is the end of a name.
    fn is_part_of_name(&self, at: usize, quote: &QuoteStyle) -> bool {
        quote.open.starts_with('r') && self.raw[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
    }

    fn literal(&mut self, at: usize, quote: &QuoteStyle) -> usize {
        let start = at + quote.open.len();
        let bytes = self.raw.as_bytes();
        let mut end = start;
        while end < bytes.len() {
            if self.raw[end..].starts_with(quote.close) || bytes[end] == b'\n' && !quote.spans_lines {
                break;
            }
            let is_escape = quote.escapes && bytes[end] == b'\\';
            end = self.after(if is_escape { end + 1 } else { end });
        }
        let end = end.min(bytes.len());
        self.blank(start, self.text_end(start, end, quote), STRING_BYTE as u8);
        let quote_char = quote.close.chars().next().unwrap_or('"');
        self.literals.push(StringLiteral { open: at, start, end, quote: quote_char });
        if self.raw[end..].starts_with(quote.close) { end + quote.close.len() } else { end }
    }

    /// Returns the end of the text of a string. A command substitution within double quotes of a shell is code.
    fn text_end(&self, start: usize, end: usize, quote: &QuoteStyle) -> usize {
        let command = self.raw[start..end].find("$(").filter(|_| self.language == Language::Bash && quote.escapes);
        command.map_or(end, |at| start + at)
    }

    /// Returns the end of the character at `at`.
    fn after(&self, at: usize) -> usize {
        self.raw.get(at..).and_then(|rest| rest.chars().next()).map_or(self.raw.len(), |c| at + c.len_utf8())
    }

    /// Returns the end of the regular expression that starts at `at`; `None` if the slash is a division.
    fn regex_end(&self, at: usize) -> Option<usize> {
        let before = self.raw[..at].trim_end_matches([' ', '\t']);
        let begins = before.is_empty()
            || before.ends_with(['(', ',', '=', ':', '[', '!', '&', '|', '?', '{', '}', ';', '\n', '>'])
            || before.ends_with("return");
        if !begins {
            return None;
        }
        let (mut is_escaped, mut is_class) = (false, false);
        for (offset, c) in self.raw[at + 1..].char_indices() {
            match c {
                '\n' => return None,
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '[' => is_class = true,
                ']' => is_class = false,
                '/' if !is_class => return Some(at + 1 + offset),
                _ => {}
            }
        }
        None
    }

    /// Overwrites all bytes except line feeds; returns `end`.
    fn blank(&mut self, start: usize, end: usize, with: u8) -> usize {
        self.code[start..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = with);
        end
    }
}

/// Returns the length of a Rust character literal, or of the apostrophe of a lifetime.
fn char_literal_len(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    match chars.next() {
        Some((_, '\\')) => rest[1..].find('\'').filter(|end| *end > 1 && *end < 12).map_or(1, |end| end + 2),
        Some(_) => chars.next().filter(|(_, c)| *c == '\'').map_or(1, |(at, _)| at + 1),
        None => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(language: Language, raw: &str, expected: &str) {
        let view = CodeView::new(language, raw).expect("the language is supported");
        assert_eq!(view.code.replace(STRING_BYTE, "."), expected, "{raw}");
    }

    #[test]
    fn comments_are_blanked_and_strings_are_filled() {
        check(Language::Python, "a = 'b' # c\n", "a = '.'    \n");
        check(Language::Python, "'''a\nb''' + \"\\\"\"", "'''.\n.''' + \"..\"");
        check(Language::Rust, "let a: &'b str = \"//c\"; // 'd\n", "let a: &'b str = \"...\";      \n");
        check(Language::Rust, "r#\"a\"b\"# '\"' 'x'", "r#\"...\"# '\"' 'x'");
        check(Language::JavaScript, "a = /[/'`]/g; `b${c}`", "a = /...../g; `.....`");
        check(Language::JavaScript, "a / b; c /* d */", "a / b; c        ");
        check(Language::Go, "`a\n\\`+\"b\"", "`.\n.`+\".\"");
        check(Language::C, "'\"' \"é\"", "'.' \"..\"");
        check(Language::Python, "'open\nnext", "'....\nnext");
        check(Language::Bash, "a $# ${b#c} # d 'e\n", "a $# ${b#c}       \n");
        check(Language::Bash, "'a\\' \\' \"b\\\"c $(d)\"", "'..' \\' \".....$(d)\"");
    }
}
