//! What a search asks for, as callers write it and as it was understood.

use model::{ContentKind, Filter, PageType};
use ranking::query::{self, QueryParts};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::NAME;
use crate::{
    arguments,
    call::Call,
    limits::clamp,
    refusal::Refusal,
    render::Format,
    tools::{
        filters::{language, symbol_kind},
        schema_of,
    },
    typo::{self, Correction},
};

/// How many results there are unless the caller says so, and at most.
const DEFAULT_LIMIT: usize = 5;
const MAX_LIMIT: usize = 100;

/// Files asked of each ranker for every one that is returned; more with a filter, which takes some away.
const OVER_FETCH: usize = 3;
const OVER_FETCH_FILTERED: usize = 6;

/// As if so many results were asked for at least: fusion has something to fuse, and up to so many the order is the same, however
/// many are asked for.
const MIN_LIMIT: usize = 20;

/// Characters of a query that are read: many times what its terms take.
const MAX_QUERY_CHARS: usize = 16_000;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Arguments {
    /// A question, words, an identifier or a path.
    query: String,
    /// How many results, 1 to 100. Default 5.
    limit: Option<i64>,
    /// Default auto: by the shape of the query.
    mode: Option<Mode>,
    kind: Option<Kind>,
    page_type: Option<PageKind>,
    /// Such as function, method, class, interface.
    symbol_kind: Option<String>,
    /// Only files below this path.
    scope: Option<String>,
    /// Such as rust or python.
    language: Option<String>,
    /// Default all.
    repo: Option<String>,
    /// Default json.
    format: Option<Format>,
    /// From `_meta.more`: the next page.
    cursor: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Auto,
    Concept,
    Symbol,
    Path,
    Hybrid,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Kind {
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

/// A request that was understood.
pub(super) struct Request {
    pub(super) parts: QueryParts,
    /// What was asked, as far as it is read.
    pub(super) text: String,
    /// Words to choose lines of a snippet by.
    pub(super) words: Vec<String>,
    pub(super) repo: Option<String>,
    pub(super) filter: Filter,
    pub(super) limit: usize,
    pub(super) depth: usize,
    pub(super) format: Format,
    pub(super) cursor: Option<String>,
    pub(super) ignored: Vec<String>,
    pub(super) notes: Vec<String>,
}

impl Request {
    pub(super) fn read(call: &Call<'_>, arguments: Value) -> Result<Request, Refusal> {
        let understood = arguments::read::<Arguments>(schema_of(NAME), arguments)?;
        let (arguments, mut ignored, mut notes) = (understood.arguments, understood.ignored, Vec::new());
        let asked = arguments.query.as_str();
        let end_of_read = asked.char_indices().nth(MAX_QUERY_CHARS).map(|(end, _)| end);
        let read = &asked[..end_of_read.unwrap_or(asked.len())];
        let parts = query::read(read, mode(arguments.mode));
        if parts.is_empty() {
            return Err(Refusal::new(
                "`query` holds nothing to look for: give a word, an identifier or a path, such as {\"query\": \"retry \
                 with back-off\"}; list_repos tells what there is",
            ));
        }
        if parts.cut || end_of_read.is_some() {
            notes.push("the query is very long: only its beginning was read".to_owned());
        }
        let limit = clamp("limit", arguments.limit, DEFAULT_LIMIT, 1..=MAX_LIMIT, &mut notes);
        let (alias, scope) = match arguments.scope.as_deref() {
            Some(scope) => call.visible.split_prefix(scope)?,
            None => (None, ""),
        };
        let asked_repo = arguments.repo;
        if let (Some(alias), Some(repo)) = (alias, asked_repo.as_deref())
            && repo != alias
            && repo != "all"
        {
            notes.push(format!("`scope` names {alias}: only that is searched, whatever `repo` says"));
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
        Ok(Request {
            words: words.filter(|word| word.len() > 2).take(query::MAX_TERMS).map(str::to_owned).collect(),
            repo: alias.map(str::to_owned).or(asked_repo),
            format: arguments.format.unwrap_or(Format::Json),
            depth: over_fetch * limit.max(MIN_LIMIT),
            parts,
            text: read.to_owned(),
            filter,
            limit,
            cursor: arguments.cursor,
            ignored,
            notes,
        })
    }

    /// Takes words for what was probably meant by them.
    pub(super) fn take(&mut self, corrections: &[Correction]) {
        self.text = typo::corrected(&self.text, corrections);
        self.words.extend(corrections.iter().map(|correction| correction.to.clone()));
        self.notes.extend(corrections.iter().map(Correction::note));
    }
}

fn mode(mode: Option<Mode>) -> query::Mode {
    match mode {
        None | Some(Mode::Auto) => query::Mode::Auto,
        Some(Mode::Concept) => query::Mode::Concept,
        Some(Mode::Symbol) => query::Mode::Symbol,
        Some(Mode::Path) => query::Mode::Path,
        Some(Mode::Hybrid) => query::Mode::Hybrid,
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

fn content(kind: Kind) -> ContentKind {
    match kind {
        Kind::Implementation => ContentKind::Implementation,
        Kind::Test => ContentKind::Test,
        Kind::Config => ContentKind::Config,
        Kind::Doc => ContentKind::Doc,
    }
}
