//! Lengths of the fragments that the variables of a macro stand for (`ty`, `expr`, …).
//!
//! Types and paths are read by their grammar, since lists of types have no separators. An expression or a pattern ends before a
//! token that may follow one in the pattern of a macro.

use super::tokens::{MacroToken, RustTokenKind};

/// Maximum depth of types inside the result types of functions (`Fn() -> Fn() -> A`).
const MAX_TYPE_DEPTH: u32 = 64;

/// Keywords that neither an expression nor a type begins with.
const RESERVED_WORDS: [&[u8]; 15] = [
    b"as", b"else", b"enum", b"in", b"mod", b"mut", b"pub", b"ref", b"struct", b"trait", b"type", b"use", b"where",
    b"virtual", b"macro",
];

/// Keywords that a type may begin with, but no expression.
const TYPE_WORDS: [&[u8]; 4] = [b"dyn", b"extern", b"fn", b"impl"];

/// Keywords that an expression may begin with, and that are no value themselves: what follows them is part of the expression.
const EXPRESSION_WORDS: [&[u8]; 18] = [
    b"async",
    b"become",
    b"break",
    b"const",
    b"continue",
    b"do",
    b"for",
    b"gen",
    b"if",
    b"let",
    b"loop",
    b"match",
    b"move",
    b"return",
    b"static",
    b"unsafe",
    b"while",
    b"yield",
];

/// Keywords that may follow an operand of an expression.
const WORDS_AFTER_OPERAND: [&[u8]; 5] = [b"as", b"const", b"else", b"in", b"mut"];

/// Operators that an expression may begin with.
const EXPRESSION_OPERATORS: [&[u8]; 12] =
    [b"!", b"-", b"*", b"|", b"||", b"&", b"&&", b"..", b"...", b"..=", b"<", b"::"];

/// A list of tokens with the source that they refer to.
#[derive(Clone, Copy)]
pub(super) struct TokenList<'s> {
    pub(super) source: &'s [u8],
    pub(super) tokens: &'s [MacroToken],
}

impl<'s> TokenList<'s> {
    /// Returns the text of a token; empty at and after the end.
    pub(super) fn text(self, at: usize, end: usize) -> &'s [u8] {
        match self.tokens.get(at) {
            Some(token) if at < end => token.text(self.source),
            _ => b"",
        }
    }

    fn kind(self, at: usize, end: usize) -> Option<RustTokenKind> {
        self.tokens.get(at).filter(|_| at < end).map(|token| token.kind)
    }

    /// Returns the index after the token or bracketed group at an index.
    pub(super) fn after_tree(self, at: usize, end: usize) -> Option<usize> {
        let token = self.tokens.get(at).filter(|_| at < end)?;
        match token.kind {
            RustTokenKind::Close => None,
            _ => Some(token.partner.max(at) + 1),
        }
    }

    fn is_identifier(self, at: usize, end: usize) -> bool {
        self.kind(at, end) == Some(RustTokenKind::Identifier)
    }

    /// Returns the index after a fragment of this kind that starts at `at`; none if there is no such fragment.
    ///
    /// # Errors
    /// The kind or the fragment is not supported, so that nobody knows whether it fits.
    pub(super) fn after_fragment(self, kind: &[u8], at: usize, end: usize) -> Result<Option<usize>, UnknownFragment> {
        let one = |is_fitting: bool| if at < end && is_fitting { Ok(at + 1) } else { Err(Mismatch::Other) };
        let after = match kind {
            b"ident" => one(self.is_identifier(at, end) && self.text(at, end) != b"_"),
            b"lifetime" => one(self.kind(at, end) == Some(RustTokenKind::Lifetime)),
            b"tt" => self.after_token(at, end),
            b"block" => self.after_tree(at, end).filter(|_| self.text(at, end) == b"{").ok_or(Mismatch::Other),
            b"literal" => self.after_literal(at, end),
            b"vis" => Ok(self.after_visibility(at, end)),
            b"ty" => self.after_type(at, end, 0),
            b"path" => self.after_path(at, end, 0),
            b"meta" => self.after_meta(at, end),
            // The kind of older editions.
            b"expr_2021" if matches!(self.text(at, end), b"_" | b"const") => Err(Mismatch::Other),
            b"expr" | b"expr_2021" => self.after_expression(at, end),
            _ => Err(Mismatch::Unknown),
        };
        match after {
            Ok(after) => Ok(Some(after)),
            Err(Mismatch::Other) => Ok(None),
            Err(Mismatch::Unknown) => Err(UnknownFragment),
        }
    }

    /// Returns the index after a token or bracketed group. Shifts are one token here, although the list has their characters.
    fn after_token(self, at: usize, end: usize) -> FragmentEnd {
        let is_adjacent = at + 1 < end && self.tokens[at].end == self.tokens[at + 1].start;
        let is_shift =
            matches!((self.text(at, end), self.text(at + 1, end)), (b"<", b"<" | b"<=" | b"-") | (b">", b">" | b">="));
        if is_adjacent && is_shift {
            return Ok(at + 2);
        }
        self.after_tree(at, end).ok_or(Mismatch::Other)
    }

    fn after_literal(self, at: usize, end: usize) -> FragmentEnd {
        let start = at + usize::from(self.text(at, end) == b"-");
        let is_literal = self.kind(start, end) == Some(RustTokenKind::Literal)
            || start == at && matches!(self.text(at, end), b"true" | b"false");
        if is_literal { Ok(start + 1) } else { Err(Mismatch::Other) }
    }

    fn after_visibility(self, at: usize, end: usize) -> usize {
        if self.text(at, end) != b"pub" {
            return at;
        }
        let is_restricted =
            self.text(at + 1, end) == b"(" && matches!(self.text(at + 2, end), b"crate" | b"self" | b"super" | b"in");
        match self.after_tree(at + 1, end).filter(|_| is_restricted) {
            Some(after) => after,
            None => at + 1,
        }
    }

    fn after_meta(self, at: usize, end: usize) -> FragmentEnd {
        let path = self.after_path(at, end, 0)?;
        match self.text(path, end) {
            b"(" | b"[" | b"{" => self.after_tree(path, end).ok_or(Mismatch::Other),
            b"=" => self.after_expression(path + 1, end),
            _ => Ok(path),
        }
    }

    /// Returns whether an expression may begin with a token.
    ///
    /// # Errors
    /// The answer depends on the edition of the package.
    fn begins_expression(self, at: usize, end: usize) -> Result<bool, Mismatch> {
        let text = self.text(at, end);
        Ok(match self.kind(at, end) {
            None | Some(RustTokenKind::Close) => false,
            Some(RustTokenKind::Identifier) if matches!(text, b"_" | b"const") => return Err(Mismatch::Unknown),
            Some(RustTokenKind::Identifier) => {
                text != b"let" && !RESERVED_WORDS.contains(&text) && !TYPE_WORDS.contains(&text)
            }
            Some(RustTokenKind::Operator) => text == b"#" || EXPRESSION_OPERATORS.contains(&text),
            Some(RustTokenKind::Lifetime | RustTokenKind::Literal | RustTokenKind::Open) => true,
        })
    }

    /// Skips tokens up to one that may follow an expression.
    fn after_expression(self, at: usize, end: usize) -> FragmentEnd {
        if !self.begins_expression(at, end)? {
            return Err(Mismatch::Other);
        }
        let mut next = at;
        let mut has_closure = false;
        while next < end && !matches!(self.text(next, end), b"," | b";" | b"=>") {
            if next > at && self.ends_expression(next - 1, end, has_closure) {
                return Err(Mismatch::Unknown);
            }
            has_closure |= self.text(next, end) == b"|";
            let is_turbofish = self.text(next, end) == b"::" && self.text(next + 1, end) == b"<";
            next = match is_turbofish {
                true => self.after_angles(next + 1, end)?,
                false => self.after_tree(next, end).ok_or(Mismatch::Other)?,
            };
        }
        Ok(next)
    }

    /// Returns true if the token after `before` is no part of the expression that `before` belongs to, so that the compiler would read a
    /// shorter one: `a b`, `a: T`, `a @ b`.
    fn ends_expression(self, before: usize, end: usize, has_closure: bool) -> bool {
        let (text, next) = (self.text(before, end), self.text(before + 1, end));
        let is_operand = match self.kind(before, end) {
            Some(RustTokenKind::Literal | RustTokenKind::Close) => true,
            Some(RustTokenKind::Identifier) => {
                !(EXPRESSION_WORDS.contains(&text) || RESERVED_WORDS.contains(&text) || TYPE_WORDS.contains(&text))
            }
            _ => false,
        };
        match self.kind(before + 1, end) {
            Some(RustTokenKind::Identifier) => is_operand && !WORDS_AFTER_OPERAND.contains(&next),
            Some(RustTokenKind::Literal) => is_operand,
            Some(RustTokenKind::Operator) if next == b":" => {
                !has_closure && self.kind(before, end) != Some(RustTokenKind::Lifetime)
            }
            Some(RustTokenKind::Operator) => matches!(next, b"@" | b"$"),
            _ => false,
        }
    }

    /// Returns the index after `<…>`.
    fn after_angles(self, at: usize, end: usize) -> FragmentEnd {
        let mut depth = 0_u32;
        let mut next = at;
        loop {
            match self.text(next, end) {
                b"<" => depth += 1,
                b">" => depth = depth.checked_sub(1).ok_or(Mismatch::Other)?,
                _ => {}
            }
            next = self.after_tree(next, end).ok_or(Mismatch::Other)?;
            if depth == 0 {
                return Ok(next);
            }
        }
    }

    /// Returns the index after a path, with the arguments of its types: `a::B<C>`, `Fn(A) -> B`, `<A as B>::C`.
    fn after_path(self, at: usize, end: usize, depth: u32) -> FragmentEnd {
        let mut next = at + usize::from(self.text(at, end) == b"::");
        if self.text(at, end) == b"<" {
            next = self.after_angles(at, end)?;
            if self.text(next, end) != b"::" {
                return Err(Mismatch::Other);
            }
            next += 1;
        }
        loop {
            if !self.is_identifier(next, end) {
                return Err(Mismatch::Other);
            }
            next += 1;
            let is_turbofish = self.text(next, end) == b"::" && self.text(next + 1, end) == b"<";
            next += usize::from(is_turbofish);
            match self.text(next, end) {
                b"<" => next = self.after_angles(next, end)?,
                b"(" => return self.after_signature(next, end, depth),
                _ => {}
            }
            if self.text(next, end) != b"::" {
                return Ok(next);
            }
            next += 1;
        }
    }

    /// Returns the index after `(A, B) -> C`.
    fn after_signature(self, at: usize, end: usize, depth: u32) -> FragmentEnd {
        let next = self.after_tree(at, end).filter(|_| self.text(at, end) == b"(").ok_or(Mismatch::Other)?;
        if self.text(next, end) == b"->" { self.after_type(next + 1, end, depth + 1) } else { Ok(next) }
    }

    /// Returns the index after a type.
    fn after_type(self, at: usize, end: usize, depth: u32) -> FragmentEnd {
        // A chain of result types may be as long as the file, and the stack is not.
        if depth > MAX_TYPE_DEPTH {
            return Err(Mismatch::Unknown);
        }
        let mut next = at;
        loop {
            match self.text(next, end) {
                b"&" | b"&&" => {
                    next += 1;
                    next += usize::from(self.kind(next, end) == Some(RustTokenKind::Lifetime));
                    next += usize::from(self.text(next, end) == b"mut");
                }
                b"*" if matches!(self.text(next + 1, end), b"const" | b"mut") => next += 2,
                b"for" => next = self.after_angles(next + 1, end)?,
                b"unsafe" => next += 1,
                b"extern" => next += 1 + usize::from(self.kind(next + 1, end) == Some(RustTokenKind::Literal)),
                b"dyn" | b"impl" => return self.after_bounds(next + 1, end, depth),
                b"fn" => return self.after_signature(next + 1, end, depth),
                b"(" | b"[" => return self.after_tree(next, end).ok_or(Mismatch::Other),
                b"!" | b"_" => return Ok(next + 1),
                word if RESERVED_WORDS.contains(&word) => return Err(Mismatch::Other),
                _ => return self.after_named_type(next, end, depth),
            }
        }
    }

    /// Returns the index after a type that begins with a path. A macro in place of a type is not supported.
    fn after_named_type(self, at: usize, end: usize, depth: u32) -> FragmentEnd {
        let next = self.after_path(at, end, depth)?;
        let is_macro = self.text(next, end) == b"!" && self.kind(next + 1, end) == Some(RustTokenKind::Open);
        if is_macro { Err(Mismatch::Unknown) } else { Ok(next) }
    }

    /// Returns the index after `A + 'b + ?C`.
    fn after_bounds(self, at: usize, end: usize, depth: u32) -> FragmentEnd {
        let mut next = at;
        loop {
            next += usize::from(self.text(next, end) == b"?");
            next = match self.kind(next, end) {
                Some(RustTokenKind::Lifetime) => next + 1,
                _ if self.text(next, end) == b"for" => {
                    let bound = self.after_angles(next + 1, end)?;
                    self.after_path(bound, end, depth)?
                }
                _ => self.after_path(next, end, depth)?,
            };
            if self.text(next, end) != b"+" {
                return Ok(next);
            }
            next += 1;
        }
    }
}

/// A fragment specifier, or a fragment, that is not supported.
pub(super) struct UnknownFragment;

/// The index after a fragment.
type FragmentEnd = Result<usize, Mismatch>;

/// The reason why tokens are not read as a fragment.
enum Mismatch {
    /// They are none of this kind.
    Other,
    /// They may be one, but the reader does not support it.
    Unknown,
}

#[cfg(test)]
mod tests {
    use super::super::tokens;
    use super::*;

    /// Returns the number of tokens of a fragment at the start of a source; none if its kind may or may not fit.
    fn fragment_length(kind: &str, source: &str) -> Option<Option<usize>> {
        let tokens = tokens::read(source.as_bytes(), 0..source.len()).expect("the brackets match");
        let list = TokenList { source: source.as_bytes(), tokens: &tokens };
        list.after_fragment(kind.as_bytes(), 0, tokens.len()).ok()
    }

    #[test]
    fn fragments_end_as_for_the_compiler() {
        for (kind, source, expected) in [
            ("tt", "<< a", Some(Some(2))),
            ("tt", ">>= a", Some(Some(2))),
            ("tt", "< < a", Some(Some(1))),
            ("tt", "<A>", Some(Some(1))),
            ("tt", "(a b) c", Some(Some(4))),
            ("expr", "a + 1, b", Some(Some(3))),
            ("expr", "a as u8", Some(Some(3))),
            ("expr", "if a { b } else { c }", Some(Some(9))),
            ("expr", "|x: u8| x", Some(Some(6))),
            ("expr", "'a: loop {}", Some(Some(5))),
            ("expr", "&mut a.b", Some(Some(5))),
            ("expr", "@low u8", Some(None)),
            ("expr", "=> a", Some(None)),
            ("expr", ".a", Some(None)),
            ("expr", "fn a", Some(None)),
            ("expr", "struct A", Some(None)),
            ("expr", "let a = 1", Some(None)),
            ("expr_2021", "_", Some(None)),
            // The edition decides, or the compiler reads a shorter expression.
            ("expr", "_", None),
            ("expr", "const { 1 }", None),
            ("expr", "a b", None),
            ("expr", "a: u8", None),
            ("expr", "1 @ a", None),
            ("ty", "fn() -> A", Some(Some(5))),
            ("ty", "dyn Fn() + 'a", Some(Some(6))),
            ("ty", "struct A", Some(None)),
            ("ty", "a!()", None),
            ("pat", "a", None),
        ] {
            assert_eq!(fragment_length(kind, source), expected, "{kind} {source}");
        }
    }

    #[test]
    fn long_chains_of_result_types_are_not_read() {
        for link in ["dyn Fn() -> ", "fn() -> ", "A() -> ", "&impl Fn() -> "] {
            let n_tokens =
                |n_links: usize| tokens::read(link.as_bytes(), 0..link.len()).map(|of| of.len() * n_links + 1);
            let chain = |n_links: usize| link.repeat(n_links) + "u8";
            assert_eq!(fragment_length("ty", &chain(60)), Some(n_tokens(60)), "{link}");
            assert_eq!(fragment_length("ty", &chain(100_000)), None, "{link}");
        }
    }
}
