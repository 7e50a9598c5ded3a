//! Macros without which a declaration is complete, recognized by the tokens around them.

use super::keywords::{
    COMPILER_KEYWORDS, DECLARATION_STARTS, SPECIFIERS, STATEMENT_KEYWORDS, TYPE_KEYWORDS, VALUE_PREFIXES,
};
use super::tokens::{Token, TokenKind};

/// Maximum number of tokens that a run of macros before a declaration may have, including macro arguments.
const MAX_MACROS_IN_A_ROW: usize = 200;

/// Maximum number of tokens that are searched for template parameters or macro arguments.
const MAX_TEMPLATE_TOKENS: usize = 60;

/// Maximum number of tokens that are searched for a closing angle bracket.
const MAX_ANGLE_TOKENS: usize = 100;

/// Returns the byte ranges of the macros without which the declarations are complete.
pub(super) fn macros(source: &[u8], tokens: &[Token]) -> Vec<(usize, usize)> {
    let mut removable: Vec<(usize, usize)> = Vec::new();
    let mut before: Option<usize> = None;
    let mut token_idx = 0;
    while token_idx < tokens.len() {
        let view = TokenView { source, tokens };
        match view.macro_end(token_idx, before) {
            Some(end) => {
                // A macro in a template parameter list is blanked together with the comma before it.
                let comma = before.filter(|before| view.text(*before) == ",");
                removable.push((tokens[comma.unwrap_or(token_idx)].start, tokens[end].end));
                token_idx = end + 1;
            }
            None => {
                before = Some(token_idx);
                token_idx += 1;
            }
        }
    }
    removable
}

/// The tokens of a file with their text.
struct TokenView<'s> {
    source: &'s [u8],
    tokens: &'s [Token],
}

impl TokenView<'_> {
    /// Returns the last token of the macro to blank that starts at token `at`; `None` if there is none. `before` is the
    /// previous token that stays.
    fn macro_end(&self, at: usize, before: Option<usize>) -> Option<usize> {
        if COMPILER_KEYWORDS.contains(&self.text(at)) {
            return Some(self.end_of_arguments(at));
        }
        if !self.is_capitals(at) {
            return None;
        }
        let last = self.end_of_arguments(at);
        let next = last + 1;
        let is_removable = match before.map(|before| (self.text(before), self.tokens[before].kind)) {
            Some((word, _)) if TYPE_KEYWORDS.contains(&word) => self.is_name(next) && self.text(next) != "final",
            Some((">", _)) if !self.closes_template_parameters(before?) && self.is_member_function(next) => true,
            None | Some((";" | "{" | "}" | ":" | ">" | "]", _)) => self.is_removable_before(at, next, before),
            Some(("const" | "noexcept", _)) if self.has_parameters_before(before?) => true,
            Some((word, _)) if SPECIFIERS.contains(&word) => self.is_removable_before(at, next, before),
            Some((")", _)) => self.follows_parameters(before?, next),
            Some((",", _)) => last > at && matches!(self.text(next), ">" | ",") && self.is_in_template(before?),
            Some(("*" | "&", _)) => last == at && self.is_name(next),
            Some((word, TokenKind::Word)) if !VALUE_PREFIXES.contains(&word) => match last == at {
                true => self.is_name(next),
                false => self.follows_variable(before?, next),
            },
            _ => false,
        };
        let is_label = before.is_some_and(|before| matches!(self.text(before), ";" | "{" | "}" | ":"));
        let takes_colon = is_removable && is_label && last == at && self.text(next) == ":";
        is_removable.then_some(if takes_colon { next } else { last })
    }

    /// Returns true if the declaration is complete without the macro before `next`.
    fn is_removable_before(&self, at: usize, next: usize, before: Option<usize>) -> bool {
        let next = self.end_of_run(next);
        let Some(token) = self.tokens.get(next) else { return before.is_some_and(|b| self.text(b) != "{") };
        match self.text(next) {
            word if DECLARATION_STARTS.contains(&word) => true,
            ":" => next == at + 1 && before.is_some(),
            "{" => {
                before.is_some_and(|before| matches!(self.text(before), ";" | "{" | "}"))
                    && !self.has_value_arguments(at)
            }
            "}" => {
                before.is_some_and(|before| matches!(self.text(before), ";" | "}")) && !self.has_call_in_arguments(at)
            }
            "~" => next == at + 1 && self.is_name(next + 1) && self.text(next + 2) == "(" && before.is_some(),
            _ if token.kind == TokenKind::Word => self.is_declaration(next),
            _ => false,
        }
    }

    /// Returns true if these angle brackets belong to `template <…>` rather than to a type.
    fn closes_template_parameters(&self, close: usize) -> bool {
        let mut n_open = 0usize;
        for at in (0..=close).rev().take(MAX_TEMPLATE_TOKENS) {
            match self.text(at) {
                ">" => n_open += 1,
                "<" if n_open == 1 => return at.checked_sub(1).is_some_and(|head| self.text(head) == "template"),
                "<" => n_open -= 1,
                ";" | "{" | "}" => break,
                _ => {}
            }
        }
        true
    }

    /// Returns true if the name of an out-of-line member function starts here: `A::f(`.
    fn is_member_function(&self, start: usize) -> bool {
        let mut at = start;
        while self.is_name(at) && self.text(at + 1) == "::" {
            at += 2;
        }
        at > start && self.is_name(at) && self.text(at + 1) == "("
    }

    /// Returns true if a comma separates template parameters.
    fn is_in_template(&self, comma: usize) -> bool {
        let mut at = comma;
        for _ in 0..MAX_TEMPLATE_TOKENS {
            let Some(before) = at.checked_sub(1) else { return false };
            at = self.tokens[before].opens.map_or(before, |open| open as usize);
            match self.text(at) {
                "template" => return self.text(at + 1) == "<",
                ";" | "{" | "}" | "(" => return false,
                _ => {}
            }
        }
        false
    }

    /// Returns true if `name` ends a type and a name, and `next` ends the declaration: `int a GUARDED_BY(b);`.
    fn follows_variable(&self, name: usize, next: usize) -> bool {
        let Some(of) = name.checked_sub(1).filter(|_| matches!(self.text(next), ";" | "=")) else { return false };
        let is_pointed_at = |star: usize| matches!(self.text(star), "*" | "&");
        let ends_type = match self.text(of) {
            "*" | "&" | ">" => true,
            // `A *const a` has a pointer before `const`. In `static A B(c)` and `const A B(c)`, which construct a `B`,
            // no name precedes `A`.
            "const" => of.checked_sub(1).is_some_and(is_pointed_at),
            word if TYPE_KEYWORDS.contains(&word) || SPECIFIERS.contains(&word) || VALUE_PREFIXES.contains(&word) => {
                false
            }
            _ => self.tokens[of].kind == TokenKind::Word && !self.is_capitals(of),
        };
        ends_type && !DECLARATION_STARTS.contains(&self.text(name)) && !SPECIFIERS.contains(&self.text(name))
    }

    /// Returns the token after a run of macros that starts here.
    fn end_of_run(&self, start: usize) -> usize {
        let mut at = start;
        let limit = self.tokens.len().min(start + MAX_MACROS_IN_A_ROW);
        while at < limit && self.is_capitals(at) && (self.text(at + 1) == "(" || self.is_name(at + 1)) {
            at = self.end_of_arguments(at) + 1;
        }
        at
    }

    /// Returns true if the macro has arguments that could be expressions, as in `TEST_CASE("a") {` but not in
    /// `CATCH(A&) {`.
    fn has_value_arguments(&self, at: usize) -> bool {
        let close = self.end_of_arguments(at);
        close > at && !matches!(self.text(close - 1), "&" | "*")
    }

    /// Returns true if the arguments of a macro contain a call, so that the macro is itself a statement.
    fn has_call_in_arguments(&self, at: usize) -> bool {
        let close = self.end_of_arguments(at);
        (at + 2..close).take(MAX_TEMPLATE_TOKENS).any(|inner| self.text(inner) == "(" && self.is_name(inner - 1))
    }

    /// Returns true if a type and a name start here, or a constructor name after its type.
    fn is_declaration(&self, start: usize) -> bool {
        let mut at = start;
        let mut last_name = "";
        while matches!(self.text(at), "const" | "volatile") {
            at += 1;
        }
        if !self.is_name(at) {
            return false;
        }
        loop {
            let name = self.text(at);
            let is_constructor = !last_name.is_empty() && name == last_name;
            last_name = name;
            at += 1;
            if self.text(at) == "<" {
                at = self.end_of_angles(at) + 1;
            }
            if self.text(at) != "::" {
                if self.text(at) == "(" && (is_constructor || self.is_constructor_tail(at)) {
                    return true;
                }
                break;
            }
            at += 1;
            if self.text(at) == "~" {
                return true;
            }
        }
        while matches!(self.text(at), "*" | "&" | "const") {
            at += 1;
        }
        self.is_name(at) || self.text(at) == "operator"
    }

    /// Returns true if the tokens after these parentheses can only follow a constructor: initializers, or `= default`.
    fn is_constructor_tail(&self, open: usize) -> bool {
        let Some(close) = self.tokens[open].closes.map(|close| close as usize) else { return false };
        let next = match self.tokens.get(close + 1) {
            Some(_) if self.is_capitals(close + 1) => close + 2,
            Some(_) if self.text(close + 1) == "noexcept" => self.end_of_arguments(close + 1) + 1,
            _ => close + 1,
        };
        match self.text(next) {
            ":" => true,
            "=" => matches!(self.text(next + 1), "default" | "delete"),
            _ => false,
        }
    }

    /// Returns true if the parentheses that end at `close` are parameters, and the token after them ends a declaration.
    fn follows_parameters(&self, close: usize, next: usize) -> bool {
        let ends =
            matches!(self.text(next), "{" | ";" | "=" | "->" | ":" | "override" | "final" | "const" | "noexcept");
        let head = self.tokens[close].opens.and_then(|open| (open as usize).checked_sub(1));
        ends && head.is_some_and(|head| {
            self.tokens[head].kind == TokenKind::Word
                && !STATEMENT_KEYWORDS.contains(&self.text(head))
                && !self.is_capitals(head)
        })
    }

    /// Returns true if the word follows parentheses, as the `const` of a method does.
    fn has_parameters_before(&self, word: usize) -> bool {
        word.checked_sub(1).is_some_and(|close| self.text(close) == ")")
    }

    /// Returns the last token of a macro's arguments, or the macro itself if it has none.
    fn end_of_arguments(&self, at: usize) -> usize {
        match self.tokens.get(at + 1).and_then(|open| open.closes) {
            Some(close) if self.text(at + 1) == "(" => close as usize,
            _ => at,
        }
    }

    /// Returns the token that closes these angle brackets by nesting, or the opening one if none does.
    fn end_of_angles(&self, open: usize) -> usize {
        let mut n_open = 0usize;
        for at in open..self.tokens.len().min(open + MAX_ANGLE_TOKENS) {
            match self.text(at) {
                "<" => n_open += 1,
                ">" if n_open == 1 => return at,
                ">" => n_open -= 1,
                ";" | "{" | "}" => break,
                _ => {}
            }
        }
        open
    }

    fn is_capitals(&self, at: usize) -> bool {
        let token = &self.tokens[at];
        let text = &self.source[token.start..token.end];
        token.kind == TokenKind::Word
            && text.len() >= 3
            && text.iter().any(u8::is_ascii_uppercase)
            && !text.iter().any(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() && text.len() < 5)
    }

    fn is_name(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == TokenKind::Word)
    }

    fn text(&self, at: usize) -> &str {
        let bytes = self.tokens.get(at).map_or(&b""[..], |token| &self.source[token.start..token.end]);
        std::str::from_utf8(bytes).unwrap_or("?")
    }
}
