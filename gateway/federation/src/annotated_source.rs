//! Source for display: its tokens with their classes, and the definitions that they name, also in other repositories.

use std::collections::{BTreeMap, BTreeSet};

use model::{LineSpan, SymbolId};
use proto::v1;

use crate::{
    answer::Answer,
    call::CallContext,
    fetch::{FetchedSource, RawText, SourceRequest, show, source_item},
    overlay::Overlay,
    plan::Plan,
};

/// Maximum number of tokens of one reply that are looked at.
const MAX_TOKENS: usize = 50_000;

/// Minimum confidence of a link that a name leads along: less certain ones are candidates.
const MIN_CONFIDENCE: f32 = 0.6;

/// Source with its tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnnotatedSource {
    /// The text and its lines.
    pub source: FetchedSource,
    /// Its tokens, in order, without overlaps. Each is within a line of the text, between characters.
    pub tokens: Vec<AnnotatedToken>,
}

/// A token of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnnotatedToken {
    /// The line in the file.
    pub line: u32,
    /// Bytes of the line.
    pub range: std::ops::Range<usize>,
    /// The class.
    pub class: v1::TokenClass,
    /// The definition that the token names, if it is known.
    pub target: Option<TokenDefinition>,
}

/// A definition that a token names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenDefinition {
    /// In the repository of the source: its id.
    Own(String),
    /// In another repository.
    Foreign {
        /// The alias of the repository.
        repo: String,
        /// The path of its file.
        path: String,
        /// The line of its name.
        line: u32,
    },
}

impl CallContext<'_> {
    /// Fetches source with its tokens, one call per worker. Unreadable items are `None`, with a shortfall.
    #[tracing::instrument(skip_all, fields(items = wanted.len()))]
    pub async fn fetch_annotated(&self, plan: &Plan, wanted: &[SourceRequest]) -> Answer<Vec<Option<AnnotatedSource>>> {
        let item = |want: &SourceRequest| (want.repo_idx, v1::FetchItem { annotated: true, ..source_item(plan, want) });
        let overlay = self.overlay().await;
        let texts = self.fetch_texts(plan, wanted.iter().map(item).collect()).await;
        texts.map(|texts| {
            let annotate =
                |(text, want): (Option<RawText>, &SourceRequest)| annotate(self, plan, &overlay, text?, want);
            texts.into_iter().zip(wanted).map(annotate).collect()
        })
    }
}

/// The definitions of names that other repositories make, by line, and by the name alone.
struct ForeignNames {
    by_line: BTreeMap<(u32, String), TokenDefinition>,
    /// `None` for a name with several definitions.
    by_name: BTreeMap<String, Option<TokenDefinition>>,
}

impl ForeignNames {
    /// Collects the definitions that a file uses.
    fn of(call: &CallContext<'_>, plan: &Plan, overlay: &Overlay, want: &SourceRequest) -> ForeignNames {
        let mut names = ForeignNames { by_line: BTreeMap::new(), by_name: BTreeMap::new() };
        for edge in overlay.of_user_file(want.repo_idx, &want.path, &call.visible) {
            let link = edge.link;
            if !link.is_exact || edge.confidence < MIN_CONFIDENCE {
                continue;
            }
            let written = if link.member.is_empty() { &link.key } else { &link.member };
            let last =
                written.rsplit(|letter: char| !letter.is_alphanumeric() && letter != '_').next().unwrap_or_default();
            if last.is_empty() {
                continue;
            }
            let definition = TokenDefinition::Foreign {
                repo: plan.alias(edge.provider).to_owned(),
                path: text::sanitise_name(&link.offer.path).into_owned(),
                line: link.offer.line,
            };
            for line in [link.user.line].iter().chain(&link.lines) {
                names.by_line.entry((*line, last.to_owned())).or_insert_with(|| definition.clone());
            }
            let known = names.by_name.entry(last.to_owned()).or_insert_with(|| Some(definition.clone()));
            if known.as_ref().is_some_and(|known| *known != definition) {
                *known = None;
            }
        }
        names
    }

    /// Returns the definition of a name in a line.
    fn find(&self, line: u32, name: &str) -> Option<&TokenDefinition> {
        let in_line = self.by_line.get(&(line, name.to_owned()));
        in_line.or_else(|| self.by_name.get(name).and_then(Option::as_ref))
    }
}

/// Validates the tokens of a worker and adds the definitions in other repositories. A line that was sanitised has no tokens.
fn annotate(
    call: &CallContext<'_>,
    plan: &Plan,
    overlay: &Overlay,
    raw: RawText,
    want: &SourceRequest,
) -> Option<AnnotatedSource> {
    let (shown, lines) = show(&raw.text, raw.lines, want.lines)?;
    let foreign = ForeignNames::of(call, plan, overlay, want);
    let tokens = valid_tokens(&raw, &shown, lines);
    let target = |token: &v1::SourceToken, name: &str| {
        let own = (token.target as usize).checked_sub(1).and_then(|idx| raw.targets.get(idx));
        own.map(|own| TokenDefinition::Own(own_id(own))).or_else(|| {
            let may_name =
                matches!(token.class(), v1::TokenClass::Type | v1::TokenClass::Function | v1::TokenClass::Identifier);
            may_name.then(|| foreign.find(token.line, name)).flatten().cloned()
        })
    };
    let tokens = tokens
        .into_iter()
        .map(|(token, name)| AnnotatedToken {
            line: token.line,
            range: token.start as usize..token.end as usize,
            class: token.class(),
            target: target(token, name),
        })
        .collect();
    Some(AnnotatedSource { source: FetchedSource { text: shown, lines, file_lines: raw.file_lines }, tokens })
}

/// Returns the tokens that are within their lines and in order, each with its text.
fn valid_tokens<'a>(raw: &'a RawText, shown: &str, lines: LineSpan) -> Vec<(&'a v1::SourceToken, &'a str)> {
    let raw_lines: Vec<&str> = raw.text.lines().collect();
    let same: BTreeSet<u32> = (lines.start..)
        .zip(shown.lines())
        .filter(|(number, line)| raw_lines.get((number - raw.lines.start) as usize) == Some(line))
        .map(|(number, _)| number)
        .collect();
    let mut end = (0, 0);
    let mut valid = Vec::new();
    for token in raw.tokens.iter().take(MAX_TOKENS).filter(|token| same.contains(&token.line)) {
        let line = raw_lines[(token.line - raw.lines.start) as usize];
        let text = line.get(token.start as usize..token.end as usize).filter(|text| !text.is_empty());
        if let Some(text) = text.filter(|_| (token.line, token.start) >= end) {
            end = (token.line, token.end);
            valid.push((token, text));
        }
    }
    valid
}

fn own_id(target: &v1::TokenTarget) -> String {
    let v1::TokenTarget { path, qualified, ordinal, .. } = target.clone();
    text::sanitise_name(&SymbolId { path, qualified, ordinal }.to_string()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_a_worker_are_validated() {
        let token = |line, start, end| v1::SourceToken { line, start, end, ..Default::default() };
        let tokens = vec![
            token(1, 0, 1),
            token(2, 0, 2),
            token(2, 1, 3),
            token(2, 3, 9),
            token(3, 1, 2),
            token(3, 0, 2),
            token(9, 0, 1),
        ];
        let text = "a\nabc\né\u{7}\n".to_owned();
        let raw = RawText { text, lines: LineSpan { start: 1, end: 3 }, file_lines: 3, tokens, targets: Vec::new() };
        let lines = LineSpan { start: 2, end: 3 };
        let valid: Vec<&str> = valid_tokens(&raw, "abc\né", lines).into_iter().map(|(_, text)| text).collect();
        assert_eq!(valid, ["ab"], "overlaps, ends behind the line, and sanitised lines are left out");
    }
}
