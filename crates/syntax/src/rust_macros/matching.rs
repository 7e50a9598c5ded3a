//! Matching of the arguments of a macro with the pattern of a rule.

use std::collections::BTreeMap;
use std::ops::Range;

use super::fragments::{TokenList, UnknownFragment};
use super::tokens::RustTokenKind;

/// Maximum depth of brackets and repetitions in a pattern.
const MAX_DEPTH: u32 = 16;

/// The variables of a pattern and the arguments that they stand for.
pub(super) type Bindings<'s> = BTreeMap<&'s [u8], BoundArgument<'s>>;

/// The tokens that a variable of a pattern stands for.
#[derive(Debug, Clone)]
pub(super) enum BoundArgument<'s> {
    /// Indices of tokens of the arguments.
    Tokens { range: Range<usize>, kind: &'s [u8] },
    /// One value for each pass of a repetition.
    Repeated(Vec<BoundArgument<'s>>),
}

/// A pattern with the arguments that it is matched with.
#[derive(Clone, Copy)]
pub(super) struct PatternMatch<'s> {
    pub(super) pattern: TokenList<'s>,
    pub(super) arguments: TokenList<'s>,
}

/// One element of a pattern.
pub(super) enum PatternElement<'s> {
    Variable { name: &'s [u8], kind: &'s [u8], end: usize },
    Repetition(Repetition<'s>),
    Group { inside: Range<usize> },
    Token,
}

/// `$( inside ) separator operator`.
pub(super) struct Repetition<'s> {
    pub(super) inside: Range<usize>,
    pub(super) separator: Option<usize>,
    pub(super) operator: &'s [u8],
    /// Index of the token after it.
    pub(super) end: usize,
}

impl<'s> TokenList<'s> {
    /// Returns the repetition at an index.
    pub(super) fn repetition(self, at: usize, end: usize) -> Option<Repetition<'s>> {
        if self.text(at, end) != b"$" || self.text(at + 1, end) != b"(" {
            return None;
        }
        let close = self.tokens.get(at + 1)?.partner;
        let is_operator = |text: &[u8]| matches!(text, b"*" | b"+" | b"?");
        let (separator, operator) = match self.text(close + 1, end) {
            text if is_operator(text) && !is_operator(self.text(close + 2, end)) => (None, close + 1),
            text if is_operator(text) && self.tokens[close + 1].end != self.tokens[close + 2].start => {
                (None, close + 1)
            }
            _ => (Some(close + 1), close + 2),
        };
        let text = self.text(operator, end);
        is_operator(text).then_some(Repetition { inside: at + 2..close, separator, operator: text, end: operator + 1 })
    }

    fn pattern_element(self, at: usize, end: usize) -> Option<PatternElement<'s>> {
        if let Some(repetition) = self.repetition(at, end) {
            return Some(PatternElement::Repetition(repetition));
        }
        if self.text(at, end) == b"$" {
            let is_variable = self.text(at + 2, end) == b":";
            let (name, kind) = (self.text(at + 1, end), self.text(at + 3, end));
            return is_variable.then_some(PatternElement::Variable { name, kind, end: at + 4 });
        }
        let token = self.tokens.get(at)?;
        Some(match token.kind {
            RustTokenKind::Open => PatternElement::Group { inside: at + 1..token.partner },
            _ => PatternElement::Token,
        })
    }
}

impl<'s> PatternMatch<'s> {
    /// Matches all arguments with a pattern. Returns none if they do not match.
    ///
    /// # Errors
    /// The pattern has a part that is not supported, so that nobody knows whether the arguments match.
    pub(super) fn bind(self, pattern: Range<usize>) -> Result<Option<Bindings<'s>>, UnknownFragment> {
        self.bind_group(pattern, 0..self.arguments.tokens.len(), 0)
    }

    fn bind_group(
        self,
        pattern: Range<usize>,
        arguments: Range<usize>,
        depth: u32,
    ) -> Result<Option<Bindings<'s>>, UnknownFragment> {
        let bound = self.bind_sequence(pattern, arguments.clone(), depth)?;
        Ok(bound.filter(|(end, _)| *end == arguments.end).map(|(_, bindings)| bindings))
    }

    /// Matches a pattern with the start of the arguments. Returns the index of the argument after the match.
    fn bind_sequence(
        self,
        pattern: Range<usize>,
        arguments: Range<usize>,
        depth: u32,
    ) -> Result<Option<(usize, Bindings<'s>)>, UnknownFragment> {
        if depth > MAX_DEPTH {
            return Err(UnknownFragment);
        }
        let end = arguments.end;
        let mut bindings = Bindings::new();
        let (mut at, mut next) = (pattern.start, arguments.start);
        while at < pattern.end {
            let Some(element) = self.pattern.pattern_element(at, pattern.end) else { return Err(UnknownFragment) };
            match element {
                PatternElement::Variable { name, kind, end: after } => {
                    let Some(fragment_end) = self.arguments.after_fragment(kind, next, end)? else { return Ok(None) };
                    bindings.insert(name, BoundArgument::Tokens { range: next..fragment_end, kind });
                    (at, next) = (after, fragment_end);
                }
                PatternElement::Repetition(repetition) => {
                    let bound = self.bind_repetition(&repetition, next..end, depth)?;
                    let Some((after, passes)) = bound else { return Ok(None) };
                    bindings.extend(passes);
                    (at, next) = (repetition.end, after);
                }
                PatternElement::Group { inside } => {
                    if !self.is_same(at, next, end) {
                        return Ok(None);
                    }
                    let close = self.arguments.tokens[next].partner;
                    let Some(inner) = self.bind_group(inside.clone(), next + 1..close, depth + 1)? else {
                        return Ok(None);
                    };
                    bindings.extend(inner);
                    (at, next) = (inside.end + 1, close + 1);
                }
                PatternElement::Token if self.is_same(at, next, end) => (at, next) = (at + 1, next + 1),
                PatternElement::Token => return Ok(None),
            }
        }
        Ok(Some((next, bindings)))
    }

    /// Matches the passes of a repetition, as many as there are.
    fn bind_repetition(
        self,
        repetition: &Repetition<'s>,
        arguments: Range<usize>,
        depth: u32,
    ) -> Result<Option<(usize, Bindings<'s>)>, UnknownFragment> {
        let mut passes: Vec<Bindings<'s>> = Vec::new();
        let mut next = arguments.start;
        while repetition.operator != b"?" || passes.is_empty() {
            let mut start = next;
            if let Some(separator) = repetition.separator.filter(|_| !passes.is_empty()) {
                if !self.is_same(separator, start, arguments.end) {
                    break;
                }
                start += 1;
            }
            let bound = self.bind_sequence(repetition.inside.clone(), start..arguments.end, depth + 1)?;
            let Some((after, pass)) = bound.filter(|(after, _)| *after > start) else { break };
            passes.push(pass);
            next = after;
        }
        if repetition.operator == b"+" && passes.is_empty() {
            return Ok(None);
        }
        let values = |name: &'s [u8]| passes.iter().filter_map(|pass| pass.get(name).cloned()).collect();
        let names = self.variables(repetition.inside.clone());
        Ok(Some((next, names.map(|name| (name, BoundArgument::Repeated(values(name)))).collect())))
    }

    /// Returns the names of the variables of a part of a pattern.
    fn variables(self, pattern: Range<usize>) -> impl Iterator<Item = &'s [u8]> {
        let end = pattern.end;
        let is_variable =
            move |at: &usize| self.pattern.text(*at, end) == b"$" && self.pattern.text(*at + 2, end) == b":";
        pattern.filter(is_variable).map(move |at| self.pattern.text(at + 1, end))
    }

    fn is_same(self, pattern: usize, argument: usize, end: usize) -> bool {
        let expected = self.pattern.tokens[pattern].text(self.pattern.source);
        argument < end && self.arguments.text(argument, end) == expected
    }
}
