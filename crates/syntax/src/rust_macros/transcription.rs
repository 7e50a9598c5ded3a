//! Transcription: the body of a rule with the arguments in place of its variables.

use std::collections::BTreeMap;
use std::ops::Range;

use super::TokenOrigin;
use super::fragments::TokenList;
use super::matching::{Bindings, BoundArgument, PatternMatch};

/// The variables that a part of a body can use.
type VisibleBindings<'b, 's> = BTreeMap<&'s [u8], &'b BoundArgument<'s>>;

/// The text of an expansion. Every token remembers its place in the source.
#[derive(Default)]
pub(super) struct ExpandedText {
    pub(super) text: Vec<u8>,
    /// The tokens of the text, with their bytes in the text and in the source that they come from.
    pub(super) origins: Vec<TokenOrigin>,
    /// End of the latest token in its source.
    source_end: Option<usize>,
}

/// The reason why a body is not transcribed: a construct that is not supported, or the limit of the length.
pub(super) struct Untranscribed;

impl ExpandedText {
    fn push_token(&mut self, list: TokenList<'_>, at: usize) {
        let token = &list.tokens[at];
        // Characters of one operator or path stay adjacent.
        if !self.text.is_empty() && self.source_end != Some(token.start) {
            self.text.push(b' ');
        }
        let n_bytes = token.end - token.start;
        self.origins.push(TokenOrigin { start: self.text.len(), of: token.start, n_bytes });
        self.text.extend_from_slice(token.text(list.source));
        self.source_end = Some(token.end);
    }

    /// Adds text that no token of the source has.
    fn push_text(&mut self, text: &[u8]) {
        if !self.text.is_empty() {
            self.text.push(b' ');
        }
        self.text.extend_from_slice(text);
        self.source_end = None;
    }

    /// Adds a part of the body of a rule.
    fn write<'s>(
        &mut self,
        matched: PatternMatch<'s>,
        body: Range<usize>,
        bindings: &VisibleBindings<'_, 's>,
        max_bytes: usize,
    ) -> Result<(), Untranscribed> {
        let rule = matched.pattern;
        let mut at = body.start;
        while at < body.end {
            if self.text.len() > max_bytes {
                return Err(Untranscribed);
            }
            if rule.text(at, body.end) != b"$" {
                self.push_token(rule, at);
                at += 1;
                continue;
            }
            if let Some(repetition) = rule.repetition(at, body.end) {
                for (pass, inner) in passes(rule, repetition.inside.clone(), bindings)?.into_iter().enumerate() {
                    if let Some(separator) = repetition.separator.filter(|_| pass > 0) {
                        self.push_token(rule, separator);
                    }
                    self.write(matched, repetition.inside.clone(), &inner, max_bytes)?;
                }
                at = repetition.end;
                continue;
            }
            match (rule.text(at + 1, body.end), bindings.get(rule.text(at + 1, body.end))) {
                // The macro belongs to the crate of its file.
                (b"crate", _) => self.push_token(rule, at + 1),
                (_, Some(BoundArgument::Tokens { range, kind })) => {
                    let is_compound = range.len() > 1 && kind.starts_with(b"expr");
                    if is_compound {
                        self.push_text(b"(");
                    }
                    range.clone().for_each(|token| self.push_token(matched.arguments, token));
                    if is_compound {
                        self.push_text(b")");
                    }
                }
                _ => return Err(Untranscribed),
            }
            at += 2;
        }
        Ok(())
    }
}

/// Transcribes the body of a rule.
///
/// # Errors
/// The body has a construct that is not supported, or its text exceeds `max_bytes`.
pub(super) fn transcribe<'s>(
    matched: PatternMatch<'s>,
    body: Range<usize>,
    bindings: &Bindings<'s>,
    max_bytes: usize,
) -> Result<ExpandedText, Untranscribed> {
    let mut expanded = ExpandedText::default();
    let visible = bindings.iter().map(|(name, value)| (*name, value)).collect();
    expanded.write(matched, body, &visible, max_bytes)?;
    Ok(expanded)
}

/// Returns the bindings of each pass of a repetition.
fn passes<'b, 's>(
    rule: TokenList<'s>,
    inside: Range<usize>,
    bindings: &VisibleBindings<'b, 's>,
) -> Result<Vec<VisibleBindings<'b, 's>>, Untranscribed> {
    let end = inside.end;
    let names = inside.filter(|at| rule.text(*at, end) == b"$").map(|at| rule.text(at + 1, end));
    let repeated: Vec<(&'s [u8], &'b Vec<BoundArgument<'s>>)> = names
        .filter_map(|name| match bindings.get(name) {
            Some(BoundArgument::Repeated(values)) => Some((name, values)),
            _ => None,
        })
        .collect();
    let n_passes = repeated.first().map(|(_, values)| values.len()).ok_or(Untranscribed)?;
    if repeated.iter().any(|(_, values)| values.len() != n_passes) {
        return Err(Untranscribed);
    }
    let pass = |index: usize| {
        let own = repeated.iter().map(|(name, values)| (*name, &values[index]));
        bindings.iter().map(|(name, value)| (*name, *value)).chain(own).collect()
    };
    Ok((0..n_passes).map(pass).collect())
}
