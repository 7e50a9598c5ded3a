//! `get_symbol`: the source of one definition, or of a range of lines.

use futures::FutureExt as _;
use model::{Filter, LineSpan, symbol::qualify};
use proto::v1;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use text::{Interest, Source};

use super::{
    Refusal, Tool, clamp,
    search_codebase::span,
    search_symbols::{Match, rank},
    token_budget,
};
use crate::{
    arguments,
    call::Call,
    fetch::{Fetched, Wanted},
    meta::{Extent, Meta, Remarks, nothing_found},
    pack,
    plan::Plan,
    render::{self, Format, Rendered},
    schema,
    symbol_ref::{self, Reading},
};

const NAME: &str = "get_symbol";

const MAX_CONTEXT_LINES: usize = 50;

/// Candidates of an ambiguous id that are listed.
const MAX_CANDIDATES: usize = 50;

/// Nearest names that are offered for one that does not exist.
const MAX_NEAREST: usize = 5;

/// Lines read at most: more than any budget holds.
const MAX_READ_LINES: u32 = 5_000;

#[derive(Debug, Deserialize, JsonSchema)]
struct Arguments {
    /// path::Name, path::Type.method, Type.method, a bare name, or path:10-60; `alias//` or `alias:` before it names a
    /// repository.
    symbol_id: String,
    /// Lines shown before and after, 0 to 50. Default 0.
    context_lines: Option<i64>,
    /// Tokens of the whole answer, at least 100. Default 4000.
    token_budget: Option<i64>,
    /// An alias, several joined by commas, or all. Default: the one repository that has it.
    repo: Option<String>,
    /// Default json; compact is readable text.
    format: Option<Format>,
}

#[derive(Debug, Clone, Serialize)]
struct Answer {
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
    #[serde(skip_serializing_if = "Option::is_none")]
    doc: Option<String>,
    /// Lines with their numbers.
    source: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    overloads: Vec<String>,
    _meta: Meta,
}

/// What an id that several definitions answer to gives instead.
#[derive(Debug, Serialize)]
struct Ambiguous {
    ambiguous: bool,
    /// Each is an id of its own.
    candidates: Vec<Candidate>,
    total: u64,
    _meta: Meta,
}

#[derive(Debug, Serialize)]
struct Candidate {
    symbol_id: String,
    kind: String,
    start_line: u32,
    end_line: u32,
    signature: String,
}

pub(crate) fn tool() -> Tool {
    Tool {
        name: NAME,
        title: "Read a definition",
        description: "Returns the source of one definition with line numbers, its signature and documentation; or a range \
                      of lines (`path:10-60`). Takes the ids that other tools return. An id that several definitions \
                      answer to gives the list of them, each ready to be asked for.",
        input: schema::of_arguments::<Arguments>(),
        output: None,
        run: |call, arguments| answer(call, arguments).boxed(),
    }
}

async fn answer(call: &Call<'_>, arguments: Value) -> Result<Rendered, Refusal> {
    let understood = arguments::read::<Arguments>(super::schema_of(NAME), arguments)?;
    let (arguments, mut notes) = (understood.arguments, Vec::new());
    let options = Options {
        context_lines: clamp("context_lines", arguments.context_lines, 0, 0..=MAX_CONTEXT_LINES, &mut notes) as u32,
        token_budget: token_budget(arguments.token_budget, &mut notes)?,
        format: arguments.format.unwrap_or(Format::Json),
        ignored: understood.ignored,
        notes,
    };
    let (alias, id) = call.visible.split_prefix(arguments.symbol_id.trim())?;
    let mut plan = call.visible.plan(alias.or(arguments.repo.as_deref()))?;

    let found = find(call, &mut plan, id).await;
    match found {
        Found::One(spot) => {
            let fetched = call.fetch(&mut plan, &[spot.wanted(options.context_lines)]).await.pop().flatten();
            let fetched = fetched.ok_or_else(|| unreadable(&plan, &spot))?;
            Ok(render(call, &plan, &spot, &fetched, options))
        }
        Found::Several { candidates, total } => Ok(render_ambiguous(call, &plan, candidates, total, options)),
        Found::Nothing => Err(not_found(call, &mut plan, id).await),
    }
}

struct Options {
    context_lines: u32,
    token_budget: usize,
    format: Format,
    ignored: Vec<String>,
    notes: Vec<String>,
}

enum Found {
    One(Spot),
    Several { candidates: Vec<Candidate>, total: u64 },
    Nothing,
}

/// The one place that an id names.
struct Spot {
    position: usize,
    path: String,
    lines: LineSpan,
    symbol: Option<v1::Symbol>,
    /// Ids of other definitions of the same name in the same file.
    overloads: Vec<String>,
}

impl Spot {
    fn wanted(&self, context_lines: u32) -> Wanted {
        let start = self.lines.start.saturating_sub(context_lines).max(1);
        let end = self.lines.end.saturating_add(context_lines).min(start.saturating_add(MAX_READ_LINES - 1));
        Wanted { position: self.position, path: self.path.clone(), lines: LineSpan { start, end } }
    }
}

/// Tries the ways to understand an id, until one of them finds something.
async fn find(call: &Call<'_>, plan: &mut Plan, id: &str) -> Found {
    for reading in symbol_ref::readings(id) {
        let found = match reading {
            Reading::Lookup { path, qualified, ordinal, kind } => {
                let lookup = v1::SymbolLookup { path, qualified, ordinal };
                let filter = Filter { symbol_kind: kind, ..Filter::default() };
                find_definition(call, plan, lookup, &filter).await
            }
            Reading::Lines { path, lines } => find_lines(call, plan, &path, lines).await,
        };
        if !matches!(found, Found::Nothing) {
            return found;
        }
    }
    Found::Nothing
}

async fn find_definition(call: &Call<'_>, plan: &mut Plan, lookup: v1::SymbolLookup, filter: &Filter) -> Found {
    let request = v1::SymbolsRequest {
        query: Some(v1::symbols_request::Query::Lookup(lookup.clone())),
        filter: Some(filter.into()),
        limit: MAX_CANDIDATES as u32,
        ..Default::default()
    };
    let replies = call.symbols(plan, &request).await;
    let total = replies.iter().fold(0u64, |sum, reply| sum.saturating_add(reply.matched));
    choose(plan, rank(plan, replies), &lookup, total)
}

/// Chooses the definition that an id names exactly; otherwise the only one that answers to it; otherwise none.
fn choose(plan: &Plan, mut matches: Vec<Match>, lookup: &v1::SymbolLookup, total: u64) -> Found {
    let qualified = |found: &Match| qualify(&found.symbol.container, &found.symbol.name);
    let is_exact = |found: &Match| found.path == lookup.path && qualified(found) == lookup.qualified;
    if matches.iter().any(is_exact) {
        matches.retain(is_exact);
    }
    let Some(first) = matches.first() else { return Found::Nothing };
    let same_name = |found: &Match| {
        found.position == first.position && found.path == first.path && qualified(found) == qualified(first)
    };
    if !matches.iter().all(same_name) {
        let total = total.max(matches.len() as u64);
        let candidates = matches.iter().take(MAX_CANDIDATES).map(|found| candidate(plan, found)).collect();
        return Found::Several { candidates, total };
    }
    matches.sort_by_key(|found| found.symbol.ordinal);
    let chosen = matches.remove(0);
    let overload = |found: &Match| symbol_ref::full_id(plan.alias(found.position), &found.path, &found.symbol);
    Found::One(Spot {
        position: chosen.position,
        lines: span(chosen.symbol.lines.unwrap_or_default()),
        overloads: matches.iter().map(overload).collect(),
        path: chosen.path,
        symbol: Some(chosen.symbol),
    })
}

fn candidate(plan: &Plan, found: &Match) -> Candidate {
    let lines = span(found.symbol.lines.unwrap_or_default());
    Candidate {
        symbol_id: symbol_ref::full_id(plan.alias(found.position), &found.path, &found.symbol),
        kind: text::sanitise_name(&found.symbol.kind).into_owned(),
        start_line: lines.start,
        end_line: lines.end,
        signature: render::signature(&found.symbol.signature),
    }
}

async fn find_lines(call: &Call<'_>, plan: &mut Plan, path: &str, lines: LineSpan) -> Found {
    let replies = call.outline(plan, path, 0).await;
    let mut files = super::get_file_context::files(plan, replies);
    if files.iter().any(|file| file.path == path) {
        files.retain(|file| file.path == path);
    }
    let total = files.len() as u64;
    match files.as_slice() {
        [] => Found::Nothing,
        [file] => Found::One(Spot {
            position: file.position,
            path: file.path.clone(),
            lines,
            symbol: None,
            overloads: Vec::new(),
        }),
        several => {
            let candidate = |file: &super::get_file_context::Outlined| {
                let path = text::sanitise_name(&file.path);
                Candidate {
                    symbol_id: format!("{}:{path}:{}-{}", plan.alias(file.position), lines.start, lines.end),
                    kind: "lines".to_owned(),
                    start_line: lines.start,
                    end_line: lines.end,
                    signature: String::new(),
                }
            };
            Found::Several { candidates: several.iter().take(MAX_CANDIDATES).map(candidate).collect(), total }
        }
    }
}

fn unreadable(plan: &Plan, spot: &Spot) -> Refusal {
    let (alias, path) = (plan.alias(spot.position), text::sanitise_name(&spot.path));
    let reason = plan.shortfalls.iter().find(|(position, ..)| *position == spot.position);
    match reason {
        Some((_, state, reason)) => {
            let advice = if state.is_retryable() { "try again" } else { "get_file_context shows its outline" };
            Refusal::new(format!("{alias}:{path} could not be read: {}: {reason}; {advice}", state.name()))
        }
        None => Refusal::new(format!(
            "{alias}:{path} has no line {}; get_file_context tells how many it has",
            spot.lines.start
        )),
    }
}

/// Returns the error for an id that nothing answers to, with the names nearest to it.
async fn not_found(call: &Call<'_>, plan: &mut Plan, id: &str) -> Refusal {
    let shown = text::sanitise_name(id).into_owned();
    let mut message = match nothing_found(plan) {
        Some(unknown) => format!("`{shown}` was not found, which is {unknown}"),
        None => format!("nothing answers to `{shown}`"),
    };
    let nearest = nearest_ids(call, plan, id).await;
    if !nearest.is_empty() {
        message += &format!("; nearest are: {}", nearest.join(", "));
    }
    Refusal::new(format!("{message}; search_symbols finds names, search_codebase finds code by what it does"))
}

/// Returns ids of definitions with a similar name; where there are none, of ones like what should hold it.
async fn nearest_ids(call: &Call<'_>, plan: &mut Plan, id: &str) -> Vec<String> {
    let Some(Reading::Lookup { qualified, .. }) = symbol_ref::readings(id).into_iter().next() else {
        return Vec::new();
    };
    for name in qualified.rsplit('.').take(2).filter(|name| !name.is_empty()) {
        let query = Some(v1::symbols_request::Query::Name(name.to_owned()));
        let request = v1::SymbolsRequest { query, limit: MAX_CANDIDATES as u32, ..Default::default() };
        let replies = call.symbols(plan, &request).await;
        let full_id = |found: &Match| symbol_ref::full_id(plan.alias(found.position), &found.path, &found.symbol);
        let ids: Vec<String> = rank(plan, replies).iter().take(MAX_NEAREST).map(full_id).collect();
        if !ids.is_empty() {
            return ids;
        }
    }
    Vec::new()
}

fn render(call: &Call<'_>, plan: &Plan, spot: &Spot, fetched: &Fetched, options: Options) -> Rendered {
    let symbol = spot.symbol.as_ref();
    let doc = symbol.map(|symbol| text::clean(&symbol.doc).trim().to_owned()).filter(|doc| !doc.is_empty());
    let remarks =
        Remarks { hint: None, extent: Extent::default(), ignored_arguments: options.ignored, notes: options.notes };
    let whole = Answer {
        repo: plan.alias(spot.position).to_owned(),
        path: text::sanitise_name(&spot.path).into_owned(),
        start_line: symbol.map_or(fetched.lines.start, |_| spot.lines.start),
        end_line: symbol.map_or(fetched.lines.end, |_| spot.lines.end),
        symbol_id: symbol.map(|symbol| symbol_ref::id(&spot.path, symbol)),
        name: symbol.map(|symbol| text::sanitise_name(&qualify(&symbol.container, &symbol.name)).into_owned()),
        kind: symbol.map(|symbol| text::sanitise_name(&symbol.kind).into_owned()),
        signature: symbol.map(|symbol| render::signature(&symbol.signature)),
        doc,
        source: String::new(),
        overloads: spot.overloads.iter().take(MAX_CANDIDATES).cloned().collect(),
        _meta: Meta::new(call, plan, [spot.position], remarks),
    };
    let answer = fit(whole, fetched, spot, options.token_budget, |answer| match options.format {
        Format::Json => render::to_json(answer),
        Format::Compact => compact(answer),
    });
    match options.format {
        Format::Json => Rendered::json(&answer, plan),
        Format::Compact => Rendered::compact(compact(&answer), plan),
    }
}

/// Returns the answer with as much source as the budget holds: of the fullest form that leaves room for any.
fn fit(
    whole: Answer,
    fetched: &Fetched,
    spot: &Spot,
    token_budget: usize,
    lay_out: impl Fn(&Answer) -> String,
) -> Answer {
    let numbered = numbered(fetched);
    let with_room = |form: &Answer, room: usize| with_source(form, fetched, &numbered, room, spot);
    let fitted = |form: &Answer| {
        let room = pack::room_that_fits(token_budget, |room| lay_out(&with_room(form, room)));
        with_room(form, room)
    };
    let without_doc = Answer { doc: None, overloads: Vec::new(), ..whole.clone() };
    let mut bare = Answer { name: None, kind: None, signature: None, ..without_doc.clone() };
    bare._meta.shorten();
    let mut answer = fitted(&whole);
    for form in [without_doc, bare] {
        if !answer.source.is_empty() {
            break;
        }
        answer = fitted(&form);
    }
    if text::estimate_tokens(&lay_out(&answer)) > token_budget {
        answer._meta.extent.more = None;
    }
    answer
}

/// Returns the answer with as much of the source as there is room for.
fn with_source(whole: &Answer, fetched: &Fetched, numbered: &str, room: usize, spot: &Spot) -> Answer {
    let wanted_end = spot.lines.end.min(fetched.file_lines.max(1));
    let name_line = spot.symbol.as_ref().map_or(fetched.lines.start, |symbol| symbol.name_line);
    let n_head_lines = (name_line.saturating_sub(fetched.lines.start) as usize).min(MAX_CONTEXT_LINES) + 1;
    let source = Source { text: numbered, first_line: fetched.lines.start, n_head_lines };
    let excerpt = text::excerpt(source, Interest::default(), room);
    let n_lines = u64::from(wanted_end.max(fetched.lines.end).saturating_sub(fetched.lines.start) + 1);
    let returned_items = excerpt.shown.iter().map(|span| u64::from(span.len())).sum();
    let truncated = excerpt.cut || fetched.lines.end < wanted_end;
    let mut answer = whole.clone();
    answer._meta.extent = Extent {
        truncated,
        total_items: n_lines,
        returned_items,
        more: truncated.then(|| more(whole, &excerpt.shown, wanted_end)),
    };
    answer.source = excerpt.text;
    answer
}

fn more(whole: &Answer, shown: &[LineSpan], wanted_end: u32) -> String {
    let first_end = shown.first().map_or(whole.start_line.saturating_sub(1), |span| span.end);
    let next = (first_end + 1).min(wanted_end);
    format!("get_symbol symbol_id=\"{}:{}:{next}-{wanted_end}\", or a larger token_budget", whole.repo, whole.path)
}

fn numbered(fetched: &Fetched) -> String {
    let width = fetched.lines.end.to_string().len();
    let lines = fetched.text.split('\n').zip(fetched.lines.start..);
    lines.map(|(line, number)| format!("{number:>width$}  {line}")).collect::<Vec<_>>().join("\n")
}

fn compact(answer: &Answer) -> String {
    let Answer { repo, path, start_line, end_line, .. } = answer;
    let mut text = format!("{repo}:{path}:{start_line}-{end_line}");
    if let (Some(kind), Some(name)) = (&answer.kind, &answer.name) {
        text += &format!(" {kind} {name}");
    }
    text.push('\n');
    if let Some(doc) = &answer.doc {
        text += &format!("{doc}\n");
    }
    text += &render::fenced(path, &answer.source);
    text.push('\n');
    if !answer.overloads.is_empty() {
        text += &format!("overloads: {}\n", answer.overloads.join(", "));
    }
    text + &answer._meta.footer()
}

fn render_ambiguous(
    call: &Call<'_>,
    plan: &Plan,
    candidates: Vec<Candidate>,
    total: u64,
    options: Options,
) -> Rendered {
    let returned = candidates.len() as u64;
    let truncated = total > returned;
    let extent = Extent {
        truncated,
        total_items: total,
        returned_items: returned,
        more: truncated.then(|| "a longer path, a container, or `repo` narrows it down".to_owned()),
    };
    let hint = candidates.first().map(|candidate| format!("get_symbol symbol_id=\"{}\"", candidate.symbol_id));
    let remarks = Remarks { hint, extent, ignored_arguments: options.ignored, notes: options.notes };
    let _meta = Meta::new(call, plan, [], remarks);
    let answer = Ambiguous { ambiguous: true, candidates, total, _meta };
    match options.format {
        Format::Json => Rendered::json(&answer, plan),
        Format::Compact => {
            let line = |candidate: &Candidate| {
                let Candidate { symbol_id, kind, start_line, end_line, signature } = candidate;
                format!("{symbol_id} {kind} {start_line}-{end_line} {signature}\n")
            };
            let lines: String = answer.candidates.iter().map(line).collect();
            let text = format!("{total} definitions answer to this id:\n{lines}{}", answer._meta.footer());
            Rendered::compact(text, plan)
        }
    }
}
