//! A lexer of C and C++ that knows just enough to tell words from what stands between them.

/// A token. Comments, literals and the preprocessor's lines are none.
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
    Mark,
}

/// A line of the preprocessor.
pub(super) struct Directive {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: DirectiveKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DirectiveKind {
    /// `#if`, `#ifdef`, `#ifndef`.
    If {
        is_never: bool,
    },
    /// `#else`, `#elif`.
    Else,
    End,
    Define,
    /// What defines nothing: `#include`, `#undef`, `#pragma`, `#line`.
    Aside,
}

/// Returns the tokens of a file, and the lines of the preprocessor between them.
pub(super) fn of(source: &[u8]) -> (Vec<Token>, Vec<Directive>) {
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
            b':' if rest.starts_with(b"::") => (2, TokenKind::Mark),
            b'-' if rest.starts_with(b"->") => (2, TokenKind::Mark),
            _ => (1, TokenKind::Mark),
        };
        at_line_start = false;
        let index = tokens.len() as u32;
        let mut opens = None;
        match rest[0] {
            b'(' => open.push(index),
            b')' => opens = open.pop(),
            // A brace at the level of statements closes whatever was left open in it.
            b';' if open.len() > 64 => open.clear(),
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
        b"if" | b"ifdef" => Some(DirectiveKind::If { is_never: is_never(condition.trim_ascii()) }),
        b"ifndef" => Some(DirectiveKind::If { is_never: false }),
        b"else" | b"elif" | b"elifdef" | b"elifndef" => Some(DirectiveKind::Else),
        b"endif" => Some(DirectiveKind::End),
        b"define" => Some(DirectiveKind::Define),
        b"include" | b"undef" | b"pragma" | b"line" => Some(DirectiveKind::Aside),
        _ => None,
    }
}

/// Says whether a condition holds nowhere, or on Windows alone: of two branches, the other is the one that is built most.
fn is_never(condition: &[u8]) -> bool {
    matches!(
        condition,
        b"0" | b"WIN32" | b"_WIN32" | b"_MSC_VER" | b"defined(_WIN32)" | b"defined(WIN32)" | b"defined(_MSC_VER)"
    )
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Returns the length of a number or name, digit separators included.
fn word_length(rest: &[u8]) -> usize {
    let is_number = rest[0].is_ascii_digit();
    rest.iter().position(|&byte| !(is_word(byte) || is_number && matches!(byte, b'.' | b'\''))).unwrap_or(rest.len())
}

/// Returns the length of a line, with the lines that it continues on.
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

/// Returns the length of a string or character, which ends with its line at the latest.
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
    let Some(open) = rest.iter().take(20).position(|&byte| byte == b'(') else {
        return quoted_length(&rest[1..], b'"') + 1;
    };
    let close = [b")", &rest[2..open], b"\""].concat();
    find(&rest[open..], &close).map_or(rest.len(), |end| open + end + close.len())
}

fn find(text: &[u8], needle: &[u8]) -> Option<usize> {
    text.windows(needle.len()).position(|window| window == needle)
}
