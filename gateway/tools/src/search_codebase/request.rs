//! The request of a search: its arguments, and their validated form.

use model::{ContentKind, Filter, PageType};
use ranking::query::{self, QueryParts};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::NAME;
use crate::{
    arguments,
    filters::{language, symbol_kind},
    limits::clamp,
    render::Format,
    schema_of,
    seen::SeenCode,
};
use federation::retrieval::RetrievalRequest;
use federation::{
    call::CallContext,
    refusal::Refusal,
    typo::{self, Correction},
};

/// Default and maximum number of results.
const DEFAULT_LIMIT: usize = 5;
const MAX_LIMIT: usize = 100;

/// Files to request from each ranker per result; a filter removes some, so more are requested with one.
const OVER_FETCH: usize = 3;
const OVER_FETCH_FILTERED: usize = 6;

/// Minimum number of results for which rankers are queried. Fusion needs several, and up to this number the order does
/// not depend on `limit`.
const MIN_LIMIT: usize = 20;

/// Maximum number of characters to read of a query: far more than its terms need.
const MAX_QUERY_CHARS: usize = 16_000;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SearchCodebaseArguments {
    /// A question, words, an identifier or a path.
    query: String,
    /// Maximum number, 1 to 100. Default 5.
    limit: Option<i64>,
    /// Default auto: by the shape of the query.
    mode: Option<CodeSearchMode>,
    kind: Option<CodeSearchKind>,
    page_type: Option<PageKind>,
    /// Such as function, class, interface.
    symbol_kind: Option<String>,
    /// Only files below this path.
    scope: Option<String>,
    /// Such as rust or python.
    language: Option<String>,
    /// Default all.
    repo: Option<String>,
    /// Default json.
    format: Option<Format>,
    /// For the next page: the one in `_meta.more`.
    cursor: Option<String>,
    seen: Option<Vec<String>>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum CodeSearchMode {
    Auto,
    Concept,
    Symbol,
    Path,
    Hybrid,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum CodeSearchKind {
    Implementation,
    Test,
    Config,
    Doc,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum PageKind {
    FilePage,
    ModulePage,
    SymbolSpotlight,
    RepoOverview,
    InfraPage,
}

/// A validated request.
pub(super) struct CodeSearchRequest {
    pub(super) parts: QueryParts,
    /// The query, cut to its maximum length.
    pub(super) text: String,
    /// Words that choose the lines of a snippet.
    pub(super) words: Vec<String>,
    pub(super) repo: Option<String>,
    pub(super) filter: Filter,
    pub(super) limit: usize,
    pub(super) depth: usize,
    pub(super) format: Format,
    pub(super) cursor: Option<String>,
    pub(super) seen: SeenCode,
    pub(super) ignored: Vec<String>,
    pub(super) notes: Vec<String>,
}

impl CodeSearchRequest {
    pub(super) fn read(call: &CallContext<'_>, arguments: Value) -> Result<CodeSearchRequest, Refusal> {
        let parsed = arguments::read::<SearchCodebaseArguments>(schema_of(NAME), arguments)?;
        let (arguments, mut ignored, mut notes) = (parsed.arguments, parsed.ignored, Vec::new());
        let query_text = arguments.query.as_str();
        let max_end = query_text.char_indices().nth(MAX_QUERY_CHARS).map(|(end, _)| end);
        let read = &query_text[..max_end.unwrap_or(query_text.len())];
        let parts = query::parse(read, mode(arguments.mode));
        if parts.is_empty() {
            return Err(Refusal::new(
                "`query` has nothing to search for: give a word, an identifier or a path, such as {\"query\": \"retry with \
                 back-off\"}; list_repos lists the repositories",
            ));
        }
        if parts.is_truncated || max_end.is_some() {
            notes.push("the query is very long: only its beginning was used".to_owned());
        }
        let limit = clamp("limit", arguments.limit, DEFAULT_LIMIT, 1..=MAX_LIMIT, &mut notes);
        let (alias, scope) = match arguments.scope.as_deref() {
            Some(scope) => call.visible.split_prefix(scope)?,
            None => (None, ""),
        };
        let requested_repo = arguments.repo;
        if let (Some(alias), Some(repo)) = (alias, requested_repo.as_deref())
            && repo != alias
            && repo != "all"
        {
            let alias = text::quote_name(alias);
            notes.push(format!("`scope` names {alias}: only this repository was searched, and `repo` was ignored"));
        }
        let filter = Filter {
            content: arguments.kind.map(content),
            symbol_kind: symbol_kind(arguments.symbol_kind.as_deref(), "symbol_kind", &mut ignored),
            language: language(arguments.language.as_deref(), &mut ignored),
            scope: scope.trim_start_matches("./").to_owned(),
            page_type: arguments.page_type.map(page_type),
        };
        let is_filtered = filter != Filter::default();
        let over_fetch = if !is_filtered { OVER_FETCH } else { OVER_FETCH_FILTERED };
        let words = read.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        Ok(CodeSearchRequest {
            words: words.filter(|word| word.len() > 2).take(query::MAX_TERMS).map(str::to_owned).collect(),
            repo: alias.map(str::to_owned).or(requested_repo),
            format: arguments.format.unwrap_or(Format::Json),
            depth: over_fetch * limit.max(MIN_LIMIT),
            parts,
            text: read.to_owned(),
            filter,
            limit,
            cursor: arguments.cursor,
            seen: SeenCode::new(arguments.seen),
            ignored,
            notes,
        })
    }

    /// Returns the query of the retrieval.
    pub(super) fn retrieval_request(&self) -> RetrievalRequest<'_> {
        let (text, parts, filter, depth) = (self.text.as_str(), self.parts.clone(), &self.filter, self.depth);
        RetrievalRequest { text, parts, filter, depth, corrects_typos: true }
    }

    /// Returns the request with corrected typos.
    pub(super) fn with_corrections(mut self, corrections: &[Correction]) -> CodeSearchRequest {
        self.text = typo::corrected(&self.text, corrections);
        self.words.extend(corrections.iter().map(|correction| correction.to.clone()));
        self.notes.extend(corrections.iter().map(Correction::note));
        self
    }
}

fn mode(mode: Option<CodeSearchMode>) -> query::QueryMode {
    match mode {
        None | Some(CodeSearchMode::Auto) => query::QueryMode::Auto,
        Some(CodeSearchMode::Concept) => query::QueryMode::Concept,
        Some(CodeSearchMode::Symbol) => query::QueryMode::Symbol,
        Some(CodeSearchMode::Path) => query::QueryMode::Path,
        Some(CodeSearchMode::Hybrid) => query::QueryMode::Hybrid,
    }
}

fn page_type(kind: PageKind) -> PageType {
    match kind {
        PageKind::FilePage => PageType::File,
        PageKind::ModulePage => PageType::Module,
        PageKind::SymbolSpotlight => PageType::Symbol,
        PageKind::RepoOverview => PageType::Overview,
        PageKind::InfraPage => PageType::Infra,
    }
}

fn content(kind: CodeSearchKind) -> ContentKind {
    match kind {
        CodeSearchKind::Implementation => ContentKind::Implementation,
        CodeSearchKind::Test => ContentKind::Test,
        CodeSearchKind::Config => ContentKind::Config,
        CodeSearchKind::Doc => ContentKind::Doc,
    }
}
