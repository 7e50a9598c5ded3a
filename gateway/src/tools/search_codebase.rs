//! `search_codebase`: files and definitions by text, name and path, ranked over all repositories as if they were one.

use std::collections::BTreeMap;

use futures::FutureExt as _;
use model::{ContentKind, Filter, Language, LineSpan, SymbolKind, symbol::qualify};
use proto::v1;
use ranking::query::{self, QueryParts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Refusal, Tool, clamp};
use crate::{
    arguments::{self, not_listed},
    call::Call,
    cursor::Binding,
    fetch::{Fetched, Wanted},
    merge::{Found, Ranked, Scale, merge},
    meta::{Extent, Meta, Remarks, nothing_found},
    pack::{self, Passage},
    plan::Plan,
    render::{self, Format, Rendered},
    schema, statistics, symbol_ref,
};

const NAME: &str = "search_codebase";

/// How many results there are unless the caller says so, and at most.
const DEFAULT_LIMIT: usize = 5;
const MAX_LIMIT: usize = 100;

/// Files asked of each ranker for every one that is returned; more with a filter, which takes some away.
const OVER_FETCH: usize = 3;
const OVER_FETCH_FILTERED: usize = 6;

/// Files asked of each ranker at least, so that fusion has something to fuse.
const MIN_DEPTH: usize = 100;

/// Openable files listed beside the results at least.
const MIN_CANDIDATES: usize = 10;

/// Tokens of code in one answer, however many results it has.
const SNIPPET_BUDGET: usize = 4_000;

/// Lines of code in one result.
const MAX_SNIPPET_LINES: usize = 40;

/// Lines read of one result, to choose the snippet from.
const MAX_READ_LINES: u32 = 400;

/// Places of identical content that are listed with one result.
const MAX_ALSO_IN: usize = 10;

#[derive(Debug, Deserialize, JsonSchema)]
struct Arguments {
    /// What to look for: a question, words, an identifier or a path.
    query: String,
    /// How many results, 1 to 100. Default 5.
    limit: Option<i64>,
    /// How the query is meant. Default auto: by its shape.
    mode: Option<Mode>,
    /// Only content of this kind.
    kind: Option<Kind>,
    /// Only definitions of this kind, such as function, method, class, struct, interface.
    symbol_kind: Option<String>,
    /// Only files below this path.
    scope: Option<String>,
    /// Only files in this language, such as rust or python.
    language: Option<String>,
    /// An alias, several joined by commas, or all. Default all.
    repo: Option<String>,
    /// Default json; compact is readable text.
    format: Option<Format>,
    /// From `_meta.more` of the same request: the next page.
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

#[derive(Debug, Serialize)]
struct Answer {
    results: Vec<Hit>,
    candidates: Vec<Candidate>,
    by_repo: Vec<RepositoryCount>,
    search_method: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    _meta: Meta,
}

#[derive(Debug, Serialize)]
struct Hit {
    page_id: String,
    title: String,
    page_type: &'static str,
    repo: String,
    path: String,
    start_line: u32,
    end_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
    snippet: String,
    relevance_score: f64,
    confidence_score: f64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also_in: Vec<Place>,
}

#[derive(Debug, Serialize)]
struct Place {
    repo: String,
    path: String,
}

#[derive(Debug, Serialize)]
struct Candidate {
    repo: String,
    path: String,
    start_line: u32,
    end_line: u32,
}

#[derive(Debug, Serialize)]
struct RepositoryCount {
    repo: String,
    hits: usize,
}

pub(crate) fn tool() -> Tool {
    Tool {
        name: NAME,
        title: "Search the code of all repositories",
        description: "Finds where something is done, decided or described, over all repositories at once or those that \
                      `repo` names. Takes a question in plain words, identifiers, or a path. Results are ranked over \
                      all repositories as one index, and carry repository, path, lines, signature and code, so that \
                      most need no second read; `candidates` lists further files worth opening. Use search_symbols \
                      instead for every definition that matches a name or a pattern.",
        input: schema::of_arguments::<Arguments>(),
        output: None,
        run: |call, arguments| answer(call, arguments).boxed(),
    }
}

async fn answer(call: &Call<'_>, arguments: Value) -> Result<Rendered, Refusal> {
    let binding = Binding::new(call.principal, NAME, &arguments);
    let request = Request::read(call, arguments, binding)?;
    let mut plan = call.visible.plan(request.repo.as_deref())?;

    let statistics = call.statistics(&mut plan, &request.parts.terms).await;
    let replies = call.search(&mut plan, &request.to_wire(&statistics)).await;
    let ranked = rank(&plan, replies, &request, statistics.total_idf());
    let page = Page::of(&ranked, &request);
    let wanted: Vec<Wanted> = page.shown.iter().map(|ranked| Spot::of(&ranked.found.hit).wanted(ranked)).collect();
    let fetched = call.fetch(&mut plan, &wanted).await;
    let snippets = snippets(&page, &fetched, &request);
    Ok(render(call, &plan, &page, snippets, request))
}

/// A request that was understood.
struct Request {
    parts: QueryParts,
    /// Words to choose lines of a snippet by.
    words: Vec<String>,
    repo: Option<String>,
    filter: Filter,
    limit: usize,
    offset: usize,
    depth: usize,
    format: Format,
    binding: Binding,
    ignored: Vec<String>,
    notes: Vec<String>,
}

impl Request {
    fn read(call: &Call<'_>, arguments: Value, binding: Binding) -> Result<Request, Refusal> {
        let understood = arguments::read::<Arguments>(super::schema_of(NAME), arguments)?;
        let (arguments, mut ignored, mut notes) = (understood.arguments, understood.ignored, Vec::new());
        let parts = query::read(&arguments.query, mode(arguments.mode));
        if parts.is_empty() {
            return Err(Refusal::new(
                "`query` holds nothing to look for: give a word, an identifier or a path, such as {\"query\": \"retry \
                 with back-off\"}; list_repos tells what there is",
            ));
        }
        if parts.cut {
            let n_terms = query::MAX_TERMS;
            notes.push(format!("the query is long: its first words, at most {n_terms} different terms, were used"));
        }
        let limit = clamp("limit", arguments.limit, DEFAULT_LIMIT, 1..=MAX_LIMIT, &mut notes);
        let (alias, scope) = match arguments.scope.as_deref() {
            Some(scope) => call.visible.split_prefix(scope)?,
            None => (None, ""),
        };
        let filter = Filter {
            content: arguments.kind.map(content),
            symbol_kind: symbol_kind(arguments.symbol_kind.as_deref(), "symbol_kind", &mut ignored),
            language: language(arguments.language.as_deref(), &mut ignored),
            scope: scope.trim_start_matches("./").to_owned(),
        };
        let over_fetch = if filter == Filter::default() { OVER_FETCH } else { OVER_FETCH_FILTERED };
        let offset = match arguments.cursor.as_deref() {
            Some(cursor) => binding.offset(cursor)?,
            None => 0,
        };
        let words = arguments.query.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        Ok(Request {
            words: words.filter(|word| word.len() > 2).take(query::MAX_TERMS).map(str::to_owned).collect(),
            repo: alias.map(str::to_owned).or(arguments.repo),
            format: arguments.format.unwrap_or(Format::Json),
            depth: (limit * over_fetch).max(MIN_DEPTH),
            parts,
            filter,
            limit,
            offset,
            binding,
            ignored,
            notes,
        })
    }

    fn to_wire(&self, statistics: &ranking::Statistics) -> v1::SearchRequest {
        v1::SearchRequest {
            targets: Vec::new(),
            terms: self.parts.terms.clone(),
            statistics: Some(statistics::to_wire(statistics)),
            identifiers: self.parts.identifiers.clone(),
            paths: self.parts.paths.clone(),
            filter: Some((&self.filter).into()),
            limit: u32::try_from(self.depth).unwrap_or(u32::MAX),
            keep_demoted: self.parts.keeps_demoted,
        }
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

fn content(kind: Kind) -> ContentKind {
    match kind {
        Kind::Implementation => ContentKind::Implementation,
        Kind::Test => ContentKind::Test,
        Kind::Config => ContentKind::Config,
        Kind::Doc => ContentKind::Doc,
    }
}

/// Returns the kind with this name; none, and a line on it, where there is no such kind.
pub(super) fn symbol_kind(name: Option<&str>, argument: &str, ignored: &mut Vec<String>) -> Option<SymbolKind> {
    let name = name.map(str::trim).filter(|name| !name.is_empty())?;
    let kind = SymbolKind::parse(&name.to_lowercase());
    if kind.is_none() {
        let known: Vec<&str> = SymbolKind::ALL.iter().map(|kind| kind.name()).collect();
        ignored.push(not_listed(argument, name, &known));
    }
    kind
}

/// Returns the language with this name; none, and a line on it, where there is no such language.
pub(super) fn language(name: Option<&str>, ignored: &mut Vec<String>) -> Option<Language> {
    let name = name.map(str::trim).filter(|name| !name.is_empty())?;
    let language = Language::parse(name);
    if language.is_none() {
        let known: Vec<&str> = Language::ALL.iter().map(|language| language.name()).collect();
        ignored.push(not_listed("language", name, &known));
    }
    language
}

fn rank(plan: &Plan, replies: Vec<v1::SearchResponse>, request: &Request, total_idf: f32) -> Vec<Ranked> {
    let positions: BTreeMap<&str, usize> =
        plan.asked.iter().map(|position| (plan.repository(*position).advertised.id.as_str(), *position)).collect();
    let mut identifier_counts = vec![0u64; request.parts.identifiers.len()];
    let mut found = Vec::new();
    for reply in replies {
        for (sum, count) in identifier_counts.iter_mut().zip(&reply.identifier_counts) {
            *sum = sum.saturating_add(*count);
        }
        let of_reply = reply.hits.into_iter();
        found
            .extend(of_reply.filter_map(|hit| Some(Found { position: *positions.get(hit.repository.as_str())?, hit })));
    }
    let scale = Scale {
        total_idf,
        identifier_counts: &identifier_counts,
        keeps_demoted: request.parts.keeps_demoted,
        depth: request.depth,
    };
    merge(found, scale)
}

/// The part of a ranking that one answer shows.
struct Page<'a> {
    all: &'a [Ranked],
    shown: &'a [Ranked],
    candidates: &'a [Ranked],
    /// Where the next page begins, if there is one.
    next: Option<usize>,
}

impl<'a> Page<'a> {
    fn of(all: &'a [Ranked], request: &Request) -> Page<'a> {
        let rest = &all[request.offset.min(all.len())..];
        let next = request.offset + request.limit;
        Page {
            all,
            shown: &rest[..request.limit.min(rest.len())],
            candidates: &rest[..request.limit.max(MIN_CANDIDATES).min(rest.len())],
            next: (next < all.len()).then_some(next),
        }
    }
}

/// What stands for a file: its best row, or the definition that was named.
struct Spot<'a> {
    symbol: Option<&'a v1::Symbol>,
    lines: LineSpan,
}

impl<'a> Spot<'a> {
    fn of(hit: &'a v1::FileHit) -> Spot<'a> {
        let named = hit.name.as_ref();
        let is_exact = named.is_some_and(|name| matches!(name.tier(), v1::NameTier::Exact | v1::NameTier::Folded));
        let by_name = named.and_then(|name| name.symbol.as_ref()).and_then(Spot::of_symbol);
        let by_text =
            hit.rows.first().and_then(|row| Some(Spot { symbol: row.symbol.as_ref(), lines: span(row.lines?) }));
        let chosen = if is_exact { by_name.or(by_text) } else { by_text.or(by_name) };
        let n_lines = hit.file.as_ref().map_or(1, |file| file.lines.max(1));
        chosen.unwrap_or(Spot { symbol: None, lines: LineSpan { start: 1, end: n_lines } })
    }

    fn of_symbol(symbol: &'a v1::Symbol) -> Option<Spot<'a>> {
        Some(Spot { symbol: Some(symbol), lines: span(symbol.lines?) })
    }

    fn wanted(&self, ranked: &Ranked) -> Wanted {
        let lines =
            LineSpan { end: self.lines.end.min(self.lines.start.saturating_add(MAX_READ_LINES - 1)), ..self.lines };
        Wanted { position: ranked.found.position, path: path_of(ranked).to_owned(), lines }
    }
}

/// Returns lines that make sense, whatever was sent.
pub(super) fn span(lines: v1::Lines) -> LineSpan {
    let start = lines.start.max(1);
    LineSpan { start, end: lines.end.max(start) }
}

fn path_of(ranked: &Ranked) -> &str {
    ranked.found.hit.file.as_ref().map_or("", |file| file.path.as_str())
}

fn snippets(page: &Page<'_>, fetched: &[Option<Fetched>], request: &Request) -> Vec<String> {
    let passages: Vec<Option<Passage<'_>>> = page
        .shown
        .iter()
        .zip(fetched)
        .map(|(ranked, fetched)| {
            let name_line = Spot::of(&ranked.found.hit).symbol.map_or(0, |symbol| symbol.name_line);
            fetched.as_ref().map(|fetched| Passage { fetched, name_line })
        })
        .collect();
    let words: Vec<&str> = request.words.iter().map(String::as_str).collect();
    pack::snippets(&passages, &words, SNIPPET_BUDGET, MAX_SNIPPET_LINES)
}

fn render(call: &Call<'_>, plan: &Plan, page: &Page<'_>, snippets: Vec<String>, request: Request) -> Rendered {
    let best = page.all.iter().map(|ranked| ranked.relevance).fold(0.0, f32::max);
    let results: Vec<Hit> =
        page.shown.iter().zip(snippets).map(|(ranked, snippet)| result(plan, ranked, snippet, best)).collect();
    let candidates = page.candidates.iter().map(|ranked| candidate(plan, ranked)).collect();
    let note = if page.all.is_empty() { Some(note_on_nothing(plan)) } else { None };
    let more = page.next.map(|next| format!("the same request with cursor=\"{}\"", request.binding.cursor(next)));
    let extent = Extent {
        truncated: page.next.is_some(),
        total_items: page.all.len() as u64,
        returned_items: results.len() as u64,
        more,
    };
    let hint = results.iter().find(|hit| hit.symbol_id.is_some()).map(|hit| &hit.page_id);
    let remarks = Remarks {
        hint: hint.map(|page_id| format!("get_symbol symbol_id=\"{page_id}\" reads all of it")),
        extent,
        ignored_arguments: request.ignored,
        notes: request.notes,
    };
    let quoted = page.candidates.iter().map(|ranked| ranked.found.position);
    let _meta = Meta::new(call, plan, quoted, remarks);
    let answer =
        Answer { results, candidates, by_repo: by_repo(plan, page.all), search_method: "full-text", note, _meta };
    match request.format {
        Format::Json => Rendered::json(&answer, plan),
        Format::Compact => Rendered::compact(compact(&answer), plan),
    }
}

fn note_on_nothing(plan: &Plan) -> String {
    nothing_found(plan).unwrap_or_else(|| {
        if plan.asked.is_empty() {
            "there is no repository to search yet; list_repos tells more".to_owned()
        } else {
            "nothing found; other words, or fewer filters, may".to_owned()
        }
    })
}

fn result(plan: &Plan, ranked: &Ranked, snippet: String, best: f32) -> Hit {
    let repo = plan.alias(ranked.found.position).to_owned();
    let raw_path = path_of(ranked);
    let path = text::sanitise_name(raw_path).into_owned();
    let Spot { symbol, lines } = Spot::of(&ranked.found.hit);
    let name = |symbol: &v1::Symbol| text::sanitise_name(&qualify(&symbol.container, &symbol.name)).into_owned();
    Hit {
        page_id: symbol.map_or_else(|| format!("{repo}:{path}"), |symbol| symbol_ref::full_id(&repo, raw_path, symbol)),
        title: symbol.map_or_else(|| path.clone(), name),
        page_type: if symbol.is_some() { "symbol_spotlight" } else { "file_page" },
        start_line: lines.start,
        end_line: lines.end,
        symbol_id: symbol.map(|symbol| symbol_ref::id(raw_path, symbol)),
        name: symbol.map(|symbol| text::sanitise_name(&symbol.name).into_owned()),
        kind: symbol.map(|symbol| text::sanitise_name(&symbol.kind).into_owned()),
        signature: symbol.map(|symbol| render::signature(&symbol.signature)),
        snippet,
        relevance_score: render::rounded(ranked.relevance),
        confidence_score: render::rounded(if best > 0.0 { ranked.relevance / best } else { 0.0 }),
        also_in: ranked.also_in.iter().take(MAX_ALSO_IN).map(|(position, path)| place(plan, *position, path)).collect(),
        repo,
        path,
    }
}

fn place(plan: &Plan, position: usize, path: &str) -> Place {
    Place { repo: plan.alias(position).to_owned(), path: text::sanitise_name(path).into_owned() }
}

fn candidate(plan: &Plan, ranked: &Ranked) -> Candidate {
    let lines = Spot::of(&ranked.found.hit).lines;
    let Place { repo, path } = place(plan, ranked.found.position, path_of(ranked));
    Candidate { repo, path, start_line: lines.start, end_line: lines.end }
}

/// Counts files by repository, most first.
fn by_repo(plan: &Plan, all: &[Ranked]) -> Vec<RepositoryCount> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for ranked in all {
        *counts.entry(ranked.found.position).or_default() += 1;
    }
    let mut by_repo: Vec<(usize, usize)> = counts.into_iter().collect();
    by_repo.sort_by_key(|(position, hits)| (std::cmp::Reverse(*hits), *position));
    by_repo
        .into_iter()
        .map(|(position, hits)| RepositoryCount { repo: plan.alias(position).to_owned(), hits })
        .collect()
}

fn compact(answer: &Answer) -> String {
    let mut text = String::new();
    for (result_idx, hit) in answer.results.iter().enumerate() {
        let Hit { repo, path, start_line, end_line, relevance_score, .. } = hit;
        let what = match (&hit.kind, &hit.symbol_id) {
            (Some(kind), Some(_)) => format!("{kind} {} ", hit.title),
            _ => String::new(),
        };
        text += &format!("{}. {repo}:{path}:{start_line}-{end_line} {what}[{relevance_score}]\n", result_idx + 1);
        match &hit.signature {
            Some(signature) if hit.snippet.is_empty() => text += &format!("{signature}\n"),
            _ => {}
        }
        if !hit.snippet.is_empty() {
            text += &render::fenced(path, &hit.snippet);
            text.push('\n');
        }
        for Place { repo, path } in &hit.also_in {
            text += &format!("also in {repo}:{path}\n");
        }
    }
    let others = answer.candidates.iter().skip(answer.results.len());
    let others: Vec<String> = others
        .map(|Candidate { repo, path, start_line, end_line }| format!("{repo}:{path}:{start_line}-{end_line}"))
        .collect();
    if !others.is_empty() {
        text += &format!("further files: {}\n", others.join(", "));
    }
    if let Some(note) = &answer.note {
        text += &format!("{note}\n");
    }
    text + &answer._meta.footer()
}
