//! Source as code alone: comments blanked, strings hollowed out. Offsets stay those of the source.

use model::Language;

/// Stands for a byte within a string.
pub(super) const INSIDE: char = '\u{1}';

/// Source, and the same without comments and without what is in strings.
pub(super) struct View<'a> {
    pub(super) language: Language,
    pub(super) raw: &'a str,
    pub(super) code: String,
    pub(super) literals: Vec<Literal>,
    starts_of_lines: Vec<usize>,
}

/// A string: where its inside lies, and which quote it has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Literal {
    pub(super) open: usize,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) quote: char,
}

/// How strings begin and end.
struct Quote {
    open: &'static str,
    close: &'static str,
    escapes: bool,
    spans_lines: bool,
}

const fn quote(open: &'static str, escapes: bool, spans_lines: bool) -> Quote {
    Quote { open, close: open, escapes, spans_lines }
}

/// How comments and strings are written in a family of languages.
struct Syntax {
    line_comments: &'static [&'static str],
    block_comment: Option<(&'static str, &'static str)>,
    /// The longest first.
    quotes: &'static [Quote],
}

const TRIPLE: Quote = quote("\"\"\"", true, true);
const DOUBLE: Quote = quote("\"", true, false);
const SINGLE: Quote = quote("'", true, false);
const TEMPLATE: Quote = quote("`", true, true);
const RAW: Quote = quote("`", false, true);
const C_BLOCK: Option<(&str, &str)> = Some(("/*", "*/"));

const C: Syntax = Syntax { line_comments: &["//"], block_comment: C_BLOCK, quotes: &[DOUBLE, SINGLE] };
const JAVA: Syntax = Syntax { line_comments: &["//"], block_comment: C_BLOCK, quotes: &[TRIPLE, DOUBLE, SINGLE] };
const GO: Syntax = Syntax { line_comments: &["//"], block_comment: C_BLOCK, quotes: &[DOUBLE, SINGLE, RAW] };
const RUST: Syntax = Syntax {
    line_comments: &["//"],
    block_comment: C_BLOCK,
    quotes: &[
        Quote { open: "r##\"", close: "\"##", escapes: false, spans_lines: true },
        Quote { open: "r#\"", close: "\"#", escapes: false, spans_lines: true },
        quote("\"", true, true),
    ],
};
const ECMASCRIPT: Syntax =
    Syntax { line_comments: &["//"], block_comment: C_BLOCK, quotes: &[DOUBLE, SINGLE, TEMPLATE] };
const CSHARP: Syntax = Syntax {
    line_comments: &["//"],
    block_comment: C_BLOCK,
    quotes: &[TRIPLE, Quote { open: "@\"", close: "\"", escapes: false, spans_lines: true }, DOUBLE, SINGLE],
};
const PHP: Syntax = Syntax {
    line_comments: &["//", "#"],
    block_comment: C_BLOCK,
    quotes: &[quote("\"", true, true), quote("'", true, true)],
};
const PYTHON: Syntax =
    Syntax { line_comments: &["#"], block_comment: None, quotes: &[TRIPLE, quote("'''", true, true), DOUBLE, SINGLE] };
const RUBY: Syntax = Syntax {
    line_comments: &["#"],
    block_comment: None,
    quotes: &[quote("\"", true, true), quote("'", true, true), TEMPLATE],
};

const BASH: Syntax = Syntax { line_comments: &["#"], block_comment: None, quotes: &[DOUBLE, quote("'", false, false)] };

fn syntax(language: Language) -> Option<&'static Syntax> {
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

impl<'a> View<'a> {
    /// Reads source; nothing for what is no code that rules are known for.
    pub(super) fn of(language: Language, raw: &'a str) -> Option<View<'a>> {
        let syntax = syntax(language)?;
        let mut reader = Reader { language, raw, code: raw.as_bytes().to_vec(), literals: Vec::new() };
        reader.read(syntax);
        // Only whole characters were overwritten, by characters of one byte each.
        let code = String::from_utf8_lossy(&reader.code).into_owned();
        let literals = reader.literals;
        let starts_of_lines = std::iter::once(0).chain(raw.match_indices('\n').map(|(at, _)| at + 1)).collect();
        (code.len() == raw.len()).then_some(View { language, raw, code, literals, starts_of_lines })
    }

    /// Returns the line that an offset lies on.
    pub(super) fn line_of(&self, offset: usize) -> u32 {
        self.starts_of_lines.partition_point(|start| *start <= offset) as u32
    }

    /// Returns the nearest place up to `at` where a character of the code begins.
    pub(super) fn floor(&self, at: usize) -> usize {
        let at = at.min(self.code.len());
        (0..=at).rev().find(|at| self.code.is_char_boundary(*at)).unwrap_or(0)
    }

    /// Says whether a line lies within a comment or a string as a whole.
    pub(super) fn is_prose(&self, line: u32) -> bool {
        let start = self.starts_of_lines.get(line as usize - 1).copied().unwrap_or(self.code.len());
        let line = self.code[start..].lines().next().unwrap_or_default();
        line.chars().all(|c| c.is_whitespace() || c == INSIDE)
    }

    /// Returns where the tests at the end of a file begin; a line that no file has where there are none.
    pub(super) fn first_line_of_tests(&self) -> u32 {
        let tests = (self.language == Language::Rust).then(|| self.code.find("#[cfg(test)]\nmod ")).flatten();
        tests.map_or(u32::MAX, |at| self.line_of(at))
    }
}

struct Reader<'a> {
    language: Language,
    raw: &'a str,
    code: Vec<u8>,
    literals: Vec<Literal>,
}

impl Reader<'_> {
    fn read(&mut self, syntax: &Syntax) {
        let mut at = 0;
        while at < self.raw.len() {
            at = self.step(syntax, at);
        }
    }

    /// Reads what begins at `at`; returns where it ends.
    fn step(&mut self, syntax: &Syntax, at: usize) -> usize {
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
            Language::Rust if rest.starts_with('\'') => at + length_of_char(rest),
            Language::Bash if rest.starts_with('\\') => self.after(next),
            Language::JavaScript | Language::TypeScript | Language::Tsx if rest.starts_with('/') => {
                self.regex_end(at).map_or(next, |end| self.blank(at + 1, end, INSIDE as u8) + 1)
            }
            _ => next,
        }
    }

    /// Says whether what looks like a comment is part of a word, as it can be for a shell: `$#`, `${name#prefix}`.
    fn is_within_word(&self, at: usize) -> bool {
        let before = self.raw[..at].chars().next_back();
        self.language == Language::Bash
            && before.is_some_and(|c| !c.is_whitespace() && !matches!(c, ';' | '&' | '|' | '('))
    }

    /// Says whether what looks like a prefix of a string is the end of a name.
    fn is_part_of_name(&self, at: usize, quote: &Quote) -> bool {
        quote.open.starts_with('r') && self.raw[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
    }

    fn literal(&mut self, at: usize, quote: &Quote) -> usize {
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
        self.blank(start, self.end_of_text(start, end, quote), INSIDE as u8);
        let quote_char = quote.close.chars().next().unwrap_or('"');
        self.literals.push(Literal { open: at, start, end, quote: quote_char });
        if self.raw[end..].starts_with(quote.close) { end + quote.close.len() } else { end }
    }

    /// Returns where the text of a string ends: what a shell runs within quotes is code.
    fn end_of_text(&self, start: usize, end: usize, quote: &Quote) -> usize {
        let command = self.raw[start..end].find("$(").filter(|_| self.language == Language::Bash && quote.escapes);
        command.map_or(end, |at| start + at)
    }

    /// Returns where the character at `at` ends.
    fn after(&self, at: usize) -> usize {
        self.raw.get(at..).and_then(|rest| rest.chars().next()).map_or(self.raw.len(), |c| at + c.len_utf8())
    }

    /// Returns where a regular expression ends that begins here; nothing if this divides.
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

    /// Overwrites everything but line feeds; returns `end`.
    fn blank(&mut self, start: usize, end: usize, with: u8) -> usize {
        self.code[start..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = with);
        end
    }
}

/// Returns how long a character literal of Rust is; of a lifetime its apostrophe.
fn length_of_char(rest: &str) -> usize {
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
        let view = View::of(language, raw).expect("a language with a view");
        assert_eq!(view.code.replace(INSIDE, "."), expected, "{raw}");
    }

    #[test]
    fn comments_are_blank_and_strings_hollow() {
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
