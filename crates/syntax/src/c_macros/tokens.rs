//! A lexer for C and C++ that separates words, literals and punctuation.

/// Maximum number of parentheses that are open at a semicolon; with more, one was left open.
const MAX_OPEN_PARENTHESES: usize = 64;

/// Maximum length in bytes of the start of a raw string, `R"x(`; the language allows a delimiter of 16.
const MAX_RAW_DELIMITER_BYTES: usize = 20;

/// A token. Comments, literals and preprocessor lines are not tokens.
pub(super) struct Token {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: TokenKind,
    /// For `(`: the index of its `)`.
    pub(super) closes: Option<u32>,
    /// For `)`: the index of its `(`.
    pub(super) opens: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    Word,
    Literal,
    Punctuation,
}

/// A preprocessor line.
pub(super) struct Directive {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: DirectiveKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DirectiveKind {
    /// `#if`, `#ifdef`, `#ifndef`.
    If {
        is_disabled: bool,
    },
    /// `#else`, `#elif`.
    Else,
    End,
    Define,
    /// A directive that neither defines a macro nor is conditional: `#include`, `#undef`, `#pragma`, `#line`.
    Other,
}

/// Returns the tokens of a file and its preprocessor lines.
pub(super) fn lex(source: &[u8]) -> (Vec<Token>, Vec<Directive>) {
    let mut directives = Vec::new();
    let mut tokens: Vec<Token> = Vec::with_capacity(source.len() / 6);
    let mut open: Vec<u32> = Vec::new();
    let mut at = 0;
    let mut at_line_start = true;
    while at < source.len() {
        let rest = &source[at..];
        let (length, kind) = match rest[0] {
            b'\n' => {
                at_line_start = true;
                at += 1;
                continue;
            }
            byte if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'/' if rest.starts_with(b"//") => {
                at += line_length(rest);
                continue;
            }
            b'/' if rest.starts_with(b"/*") => {
                at += 2 + find(&rest[2..], b"*/").map_or(rest.len() - 2, |end| end + 2);
                continue;
            }
            b'#' if at_line_start => {
                let length = line_length(rest);
                if let Some(kind) = directive_kind(&rest[1..length]) {
                    directives.push(Directive { start: at, end: at + length, kind });
                }
                at += length;
                continue;
            }
            b'R' if rest.starts_with(b"R\"") => (raw_string_length(rest), TokenKind::Literal),
            quote @ (b'"' | b'\'') => (quoted_length(rest, quote), TokenKind::Literal),
            byte if is_word(byte) => {
                (word_length(rest), if byte.is_ascii_digit() { TokenKind::Literal } else { TokenKind::Word })
            }
            b':' if rest.starts_with(b"::") => (2, TokenKind::Punctuation),
            b'-' if rest.starts_with(b"->") => (2, TokenKind::Punctuation),
            _ => (1, TokenKind::Punctuation),
        };
        at_line_start = false;
        let index = tokens.len() as u32;
        let mut opens = None;
        match rest[0] {
            b'(' => open.push(index),
            b')' => opens = open.pop(),
            b';' if open.len() > MAX_OPEN_PARENTHESES => open.clear(),
            _ => {}
        }
        if let Some(opening) = opens {
            tokens[opening as usize].closes = Some(index);
        }
        tokens.push(Token { start: at, end: at + length, kind, closes: None, opens });
        at += length;
    }
    (tokens, directives)
}

fn directive_kind(text: &[u8]) -> Option<DirectiveKind> {
    let text = text.trim_ascii();
    let n_letters = text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let (word, condition) = text.split_at(n_letters);
    match word {
        b"if" | b"ifdef" => Some(DirectiveKind::If { is_disabled: is_disabled(condition.trim_ascii()) }),
        b"ifndef" => Some(DirectiveKind::If { is_disabled: false }),
        b"else" | b"elif" | b"elifdef" | b"elifndef" => Some(DirectiveKind::Else),
        b"endif" => Some(DirectiveKind::End),
        b"define" => Some(DirectiveKind::Define),
        b"include" | b"undef" | b"pragma" | b"line" => Some(DirectiveKind::Other),
        _ => None,
    }
}

/// Returns true if a condition is always false, or true on Windows only. Most builds use the other branch.
fn is_disabled(condition: &[u8]) -> bool {
    matches!(
        condition,
        b"0" | b"WIN32" | b"_WIN32" | b"_MSC_VER" | b"defined(_WIN32)" | b"defined(WIN32)" | b"defined(_MSC_VER)"
    )
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Returns the length of a number or name, including digit separators.
fn word_length(rest: &[u8]) -> usize {
    let is_number = rest[0].is_ascii_digit();
    rest.iter().position(|&byte| !(is_word(byte) || is_number && matches!(byte, b'.' | b'\''))).unwrap_or(rest.len())
}

/// Returns the length of a line including its continuation lines.
fn line_length(rest: &[u8]) -> usize {
    let mut length = 0;
    while let Some(end) = rest[length..].iter().position(|&byte| byte == b'\n') {
        let line = rest[length..length + end].strip_suffix(b"\r").unwrap_or(&rest[length..length + end]);
        length += end;
        if !line.ends_with(b"\\") {
            return length;
        }
        length += 1;
    }
    rest.len()
}

/// Returns the length of a string or character literal, which ends at the end of its line at the latest.
fn quoted_length(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 1,
            b'\n' => return at,
            byte if byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    rest.len()
}

/// Returns the length of `R"x(…)x"`.
fn raw_string_length(rest: &[u8]) -> usize {
    let Some(open) = rest.iter().take(MAX_RAW_DELIMITER_BYTES).position(|&byte| byte == b'(') else {
        return quoted_length(&rest[1..], b'"') + 1;
    };
    let close = [b")", &rest[2..open], b"\""].concat();
    find(&rest[open..], &close).map_or(rest.len(), |end| open + end + close.len())
}

fn find(text: &[u8], needle: &[u8]) -> Option<usize> {
    text.windows(needle.len()).position(|window| window == needle)
}
