//! Source for pages: tokens become parts of lines, and definitions become addresses.

use ::web::{
    address,
    code::{CodeLine, CodePiece, SourceView},
};
use federation::{
    annotated_source::{AnnotatedSource, AnnotatedToken, TokenDefinition},
    call::CallContext,
    fetch::SourceRequest,
};
use model::LineSpan;
use proto::v1::TokenClass;
use tokio::time::Instant;

use super::viewer::Viewer;

/// Maximum number of places of one page.
const MAX_PLACES: usize = 100;

/// Lines of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SourcePlace {
    pub(super) repo: String,
    pub(super) path: String,
    pub(super) lines: LineSpan,
}

impl Viewer {
    /// Returns whether the caller may read a repository of this alias.
    pub(super) fn may_read(&self, alias: &str) -> bool {
        let call = CallContext::new(&self.core.toolbox.federation, &self.principal, Instant::now());
        call.visible.known_repo_idx(alias).is_some()
    }

    /// Reads source, one call per worker. A place that cannot be read has none.
    pub(super) async fn sources(&self, places: &[SourcePlace]) -> Vec<Option<SourceView>> {
        let call = CallContext::new(&self.core.toolbox.federation, &self.principal, Instant::now());
        let mut views: Vec<Option<SourceView>> = vec![None; places.len()];
        let readable = places.iter().enumerate().take(MAX_PLACES);
        let wanted: Vec<(usize, SourceRequest)> = readable
            .filter_map(|(place_idx, place)| {
                let repo_idx = call.visible.known_repo_idx(&place.repo)?;
                Some((place_idx, SourceRequest { repo_idx, path: place.path.clone(), lines: place.lines }))
            })
            .collect();
        let mut asked: Vec<_> = wanted.iter().map(|(_, request)| request.repo_idx).collect();
        asked.sort_unstable();
        asked.dedup();
        let plan = call.visible.plan_for(asked, false);
        let requests: Vec<SourceRequest> = wanted.iter().map(|(_, request)| request.clone()).collect();
        let fetched = call.fetch_annotated(&plan, &requests).await.value;
        for ((place_idx, _), source) in wanted.iter().zip(fetched) {
            let SourcePlace { repo, path, .. } = &places[*place_idx];
            views[*place_idx] = source.map(|source| view(repo, path, source));
        }
        views
    }

    /// Reads one place.
    pub(super) async fn source(&self, place: SourcePlace) -> Option<SourceView> {
        self.sources(&[place]).await.pop().flatten()
    }
}

fn view(repo: &str, path: &str, annotated: AnnotatedSource) -> SourceView {
    let AnnotatedSource { source, tokens } = annotated;
    let mut tokens = tokens.as_slice();
    let line = |(number, text): (u32, &str)| {
        let n_own = tokens.iter().take_while(|token| token.line <= number).count();
        let (own, rest) = tokens.split_at(n_own);
        tokens = rest;
        CodeLine { number, pieces: pieces(repo, text, own) }
    };
    SourceView {
        repo: repo.to_owned(),
        path: path.to_owned(),
        n_file_lines: source.file_lines,
        lines: (source.lines.start..).zip(source.text.lines()).map(line).collect(),
    }
}

/// Cuts a line at its tokens. Neighbours of one class without a link are one piece.
fn pieces(repo: &str, text: &str, tokens: &[AnnotatedToken]) -> Vec<CodePiece> {
    let mut pieces: Vec<CodePiece> = Vec::new();
    let mut add = |text: &str, class: &'static str, href: String| {
        if text.is_empty() {
            return;
        }
        match pieces.last_mut() {
            Some(last) if last.class == class && last.href.is_empty() && href.is_empty() => last.text.push_str(text),
            _ => pieces.push(CodePiece { text: text.to_owned(), class, href }),
        }
    };
    let mut at = 0;
    for token in tokens {
        add(&text[at..token.range.start], "", String::new());
        add(
            &text[token.range.clone()],
            class(token.class),
            token.target.as_ref().map(|target| href(repo, target)).unwrap_or_default(),
        );
        at = token.range.end;
    }
    add(&text[at..], "", String::new());
    pieces
}

fn href(repo: &str, target: &TokenDefinition) -> String {
    match target {
        TokenDefinition::Own(id) => address::symbol(&format!("{repo}//{id}")),
        TokenDefinition::Foreign { repo, path, line } => address::file(repo, path, *line),
    }
}

/// Returns the style class of a token; names without a call have none.
fn class(class: TokenClass) -> &'static str {
    match class {
        TokenClass::Keyword => "k",
        TokenClass::String => "s",
        TokenClass::Comment => "c",
        TokenClass::Number => "u",
        TokenClass::Type => "t",
        TokenClass::Function => "f",
        TokenClass::Identifier | TokenClass::Unspecified => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_at_tokens() {
        let token = |start, end, class, target| AnnotatedToken { line: 1, range: start..end, class, target };
        let own = Some(TokenDefinition::Own("a.rs::f".to_owned()));
        let tokens = [
            token(0, 3, TokenClass::Keyword, None),
            token(4, 5, TokenClass::Identifier, None),
            token(8, 9, TokenClass::Function, own),
        ];
        let shown: Vec<(String, &str, String)> = pieces(
            "api",
            "let é = f()",
            &[
                tokens[0].clone(),
                token(4, 6, TokenClass::Identifier, None),
                token(9, 10, TokenClass::Function, tokens[2].target.clone()),
            ],
        )
        .into_iter()
        .map(|piece| (piece.text, piece.class, piece.href))
        .collect();
        let expected = [("let", "k", ""), (" é = ", "", ""), ("f", "f", "/symbol?id=api//a.rs::f"), ("()", "", "")];
        let expected: Vec<(String, &str, String)> =
            expected.iter().map(|(text, class, href)| ((*text).to_owned(), *class, (*href).to_owned())).collect();
        assert_eq!(shown, expected);
    }
}
