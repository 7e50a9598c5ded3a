//! Lengths of the fragments that the variables of a macro stand for (`ty`, `expr`, …).
//!
//! Types and paths are read by their grammar, since lists of types have no separators. An expression or a pattern ends before a
//! token that may follow one in the pattern of a macro.

use super::tokens::{MacroToken, TokenKind};

/// Maximum number of results in results of functions (`fn() -> fn() -> A`).
const MAX_TYPE_DEPTH: u32 = 64;

/// A list of tokens with the source that they refer to.
#[derive(Clone, Copy)]
pub(super) struct TokenList<'s> {
    pub(super) source: &'s [u8],
    pub(super) tokens: &'s [MacroToken],
    /// Depth of the type that is read.
    pub(super) depth: u32,
}

impl<'s> TokenList<'s> {
    /// Returns the text of a token; empty at and after the end.
    pub(super) fn text(self, at: usize, end: usize) -> &'s [u8] {
        match self.tokens.get(at) {
            Some(token) if at < end => token.text(self.source),
            _ => b"",
        }
    }

    fn kind(self, at: usize, end: usize) -> Option<TokenKind> {
        self.tokens.get(at).filter(|_| at < end).map(|token| token.kind)
    }

    /// Returns the index after the token or bracketed group at an index.
    pub(super) fn after_tree(self, at: usize, end: usize) -> Option<usize> {
        let token = self.tokens.get(at).filter(|_| at < end)?;
        match token.kind {
            TokenKind::Close => None,
            _ => Some(token.partner.max(at) + 1),
        }
    }

    fn is_identifier(self, at: usize, end: usize) -> bool {
        self.kind(at, end) == Some(TokenKind::Identifier)
    }

    /// Returns the index after a fragment of this kind that starts at `at`; none if there is no such fragment.
    ///
    /// # Errors
    /// The kind is not supported, so that nobody knows whether it fits.
    pub(super) fn after_fragment(self, kind: &[u8], at: usize, end: usize) -> Result<Option<usize>, UnknownFragment> {
        let one = |is_fitting: bool| (at < end && is_fitting).then_some(at + 1);
        Ok(match kind {
            b"ident" => one(self.is_identifier(at, end) && self.text(at, end) != b"_"),
            b"lifetime" => one(self.kind(at, end) == Some(TokenKind::Lifetime)),
            b"tt" => self.after_tree(at, end),
            b"block" => self.after_tree(at, end).filter(|_| self.text(at, end) == b"{"),
            b"literal" => self.after_literal(at, end),
            b"vis" => Some(self.after_visibility(at, end)),
            b"ty" => self.after_type(at, end),
            b"path" => self.after_path(at, end),
            b"meta" => self.after_meta(at, end),
            b"expr" | b"expr_2021" => self.after_expression(at, end),
            _ => return Err(UnknownFragment),
        })
    }

    fn after_literal(self, at: usize, end: usize) -> Option<usize> {
        let start = at + usize::from(self.text(at, end) == b"-");
        let is_literal = self.kind(start, end) == Some(TokenKind::Literal)
            || start == at && matches!(self.text(at, end), b"true" | b"false");
        is_literal.then_some(start + 1)
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

    fn after_meta(self, at: usize, end: usize) -> Option<usize> {
        let path = self.after_path(at, end)?;
        match self.text(path, end) {
            b"(" | b"[" | b"{" => self.after_tree(path, end),
            b"=" => self.after_expression(path + 1, end),
            _ => Some(path),
        }
    }

    /// Skips tokens up to one that may follow an expression.
    fn after_expression(self, at: usize, end: usize) -> Option<usize> {
        if matches!(self.text(at, end), b"@" | b"=" | b"." | b">" | b":") {
            return None;
        }
        let mut next = at;
        while next < end && !matches!(self.text(next, end), b"," | b";" | b"=>") {
            let is_turbofish = self.text(next, end) == b"::" && self.text(next + 1, end) == b"<";
            next = match is_turbofish {
                true => self.after_angles(next + 1, end)?,
                false => self.after_tree(next, end)?,
            };
        }
        (next > at).then_some(next)
    }

    /// Returns the index after `<…>`.
    fn after_angles(self, at: usize, end: usize) -> Option<usize> {
        let mut depth = 0_u32;
        let mut next = at;
        loop {
            match self.text(next, end) {
                b"<" => depth += 1,
                b">" => depth = depth.checked_sub(1)?,
                b"" => return None,
                _ => {}
            }
            next = self.after_tree(next, end)?;
            if depth == 0 {
                return Some(next);
            }
        }
    }

    /// Returns the index after a path, with the arguments of its types: `a::B<C>`, `Fn(A) -> B`, `<A as B>::C`.
    fn after_path(self, at: usize, end: usize) -> Option<usize> {
        let mut next = at + usize::from(self.text(at, end) == b"::");
        if self.text(at, end) == b"<" {
            next = self.after_angles(at, end)?;
            if self.text(next, end) != b"::" {
                return None;
            }
            next += 1;
        }
        loop {
            if !self.is_identifier(next, end) {
                return None;
            }
            next += 1;
            let is_turbofish = self.text(next, end) == b"::" && self.text(next + 1, end) == b"<";
            next += usize::from(is_turbofish);
            match self.text(next, end) {
                b"<" => next = self.after_angles(next, end)?,
                b"(" => return self.after_signature(next, end),
                _ => {}
            }
            if self.text(next, end) != b"::" {
                return Some(next);
            }
            next += 1;
        }
    }

    /// Returns the index after `(A, B) -> C`.
    fn after_signature(self, at: usize, end: usize) -> Option<usize> {
        let next = self.after_tree(at, end).filter(|_| self.text(at, end) == b"(")?;
        if self.text(next, end) != b"->" {
            return Some(next);
        }
        let inner = TokenList { depth: self.depth + 1, ..self };
        if inner.depth > MAX_TYPE_DEPTH { None } else { inner.after_type(next + 1, end) }
    }

    /// Returns the index after a type.
    fn after_type(self, at: usize, end: usize) -> Option<usize> {
        let mut next = at;
        loop {
            match self.text(next, end) {
                b"&" | b"&&" => {
                    next += 1;
                    next += usize::from(self.kind(next, end) == Some(TokenKind::Lifetime));
                    next += usize::from(self.text(next, end) == b"mut");
                }
                b"*" if matches!(self.text(next + 1, end), b"const" | b"mut") => next += 2,
                b"for" => next = self.after_angles(next + 1, end)?,
                b"unsafe" => next += 1,
                b"extern" => next += 1 + usize::from(self.kind(next + 1, end) == Some(TokenKind::Literal)),
                b"dyn" | b"impl" => return self.after_bounds(next + 1, end),
                b"fn" => return self.after_signature(next + 1, end),
                b"(" | b"[" => return self.after_tree(next, end),
                b"!" | b"_" => return Some(next + 1),
                _ => return self.after_path(next, end),
            }
        }
    }

    /// Returns the index after `A + 'b + ?C`.
    fn after_bounds(self, at: usize, end: usize) -> Option<usize> {
        let mut next = at;
        loop {
            next += usize::from(self.text(next, end) == b"?");
            next = match self.kind(next, end) {
                Some(TokenKind::Lifetime) => next + 1,
                _ if self.text(next, end) == b"for" => {
                    let bound = self.after_angles(next + 1, end)?;
                    self.after_path(bound, end)?
                }
                _ => self.after_path(next, end)?,
            };
            if self.text(next, end) != b"+" {
                return Some(next);
            }
            next += 1;
        }
    }
}

/// A fragment specifier that is not supported.
pub(super) struct UnknownFragment;
