//! `search_symbols`: every definition whose name matches, exact ones first.

use std::cmp::Ordering;

use futures::FutureExt as _;
use model::{FileClass, Filter, SymbolKind, symbol::qualify};
use proto::v1;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Tool,
    filters::{language, span, symbol_kind},
};
use crate::{
    arguments,
    call::{Call, Replies},
    limits::clamp,
    meta::{Extent, Meta, Remarks, nothing_found},
    plan::Plan,
    refusal::{Refusal, quoted},
    render::{self, Rendered, RepositoryCount},
    schema, symbol_ref,
};

const NAME: &str = "search_symbols";

const DEFAULT_LIMIT: usize = 25;
const MAX_LIMIT: usize = 500;

/// Symbols asked of each worker for every one that is returned, and at least. Workers cut by the order that is made
/// here; but an alias that two of them use is longer here, which moves its symbols among those that tie before it.
const OVER_FETCH: usize = 4;
const MIN_ASKED: usize = 200;

/// A longer pattern is no name and no sensible regular expression, in bytes.
const MAX_PATTERN_BYTES: usize = 1_000;

#[derive(Debug, Deserialize, JsonSchema)]
struct Arguments {
    /// A name, whole or in part; with mode regex, a regular expression on the name, qualified or not.
    pattern: String,
    /// Default fts: exact, prefix, word and fuzzy matches.
    mode: Option<Mode>,
    /// Such as function, method, class, interface.
    kind: Option<String>,
    /// A glob, such as src/**/*.rs.
    #[serde(rename = "filePattern")]
    file_pattern: Option<String>,
    /// Such as rust or python.
    language: Option<String>,
    /// How many symbols, 1 to 500. Default 25.
    limit: Option<i64>,
    /// Default all.
    repo: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Fts,
    Regex,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Answer {
    symbols: Vec<Entry>,
    /// All that matched, listed or not.
    matched: u64,
    /// Of those listed.
    by_repo: Vec<RepositoryCount>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    _meta: Meta,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Entry {
    repo: String,
    symbol_id: String,
    name: String,
    kind: String,
    path: String,
    start_line: u32,
    end_line: u32,
    signature: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    doc: String,
    /// How the name matched.
    #[serde(rename = "match")]
    tier: &'static str,
}

pub(crate) fn tool() -> Tool {
    Tool {
        name: NAME,
        title: "Find definitions by name",
        description: "Finds definitions (functions, methods, types, constants, routes, sections) by name or \
                      regular expression, over all repositories: exact names first, then prefixes, parts and near \
                      misses. Use it when a name is known, or to enumerate.",
        input: schema::of_arguments::<Arguments>(),
        output: Some(schema::of_answer::<Answer>()),
        run: |call, arguments| answer(call, arguments).boxed(),
    }
}

async fn answer(call: &Call<'_>, arguments: Value) -> Result<Rendered, Refusal> {
    let understood = arguments::read::<Arguments>(super::schema_of(NAME), arguments)?;
    let (arguments, mut ignored, mut notes) = (understood.arguments, understood.ignored, Vec::new());
    let limit = clamp("limit", arguments.limit, DEFAULT_LIMIT, 1..=MAX_LIMIT, &mut notes);
    let (file_alias, file_pattern) = match arguments.file_pattern.as_deref() {
        Some(file_pattern) => call.visible.split_prefix(file_pattern)?,
        None => (None, ""),
    };
    let mode = arguments.mode.unwrap_or(Mode::Fts);
    let (name_alias, pattern) = match mode {
        Mode::Fts => call.visible.split_prefix(arguments.pattern.trim())?,
        Mode::Regex => (None, arguments.pattern.as_str()),
    };
    let filter = Filter {
        symbol_kind: symbol_kind(arguments.kind.as_deref(), "kind", &mut ignored),
        language: language(arguments.language.as_deref(), &mut ignored),
        ..Filter::default()
    };
    let request = v1::SymbolsRequest {
        query: Some(query(pattern, mode)?),
        filter: Some((&filter).into()),
        file_pattern: file_pattern.to_owned(),
        limit: u32::try_from((limit * OVER_FETCH).max(MIN_ASKED)).unwrap_or(u32::MAX),
        targets: Vec::new(),
    };
    let mut plan = call.visible.plan(file_alias.or(name_alias).or(arguments.repo.as_deref()))?;

    let replies = call.symbols(&mut plan, &request).await;
    refuse_if_refused(&plan)?;
    let matched = replies.iter().fold(0u64, |sum, (_, reply)| sum.saturating_add(reply.matched));
    let ranked = rank(&plan, replies);
    let hint = (ranked.is_empty() && mode == Mode::Fts).then(|| hint_on_nothing(pattern)).flatten();
    let remarks = |extent| Remarks { hint, extent, ignored_arguments: ignored, notes };
    Ok(render(call, &plan, &ranked[..limit.min(ranked.len())], matched, remarks))
}

fn query(pattern: &str, mode: Mode) -> Result<v1::symbols_request::Query, Refusal> {
    if pattern.len() > MAX_PATTERN_BYTES {
        return Err(Refusal::new(format!(
            "`pattern` is longer than {MAX_PATTERN_BYTES} bytes: give a name, or a part of one"
        )));
    }
    match mode {
        Mode::Fts if !pattern.chars().any(|c| c.is_alphanumeric() || c == '_') => Err(Refusal::new(
            "`pattern` holds no letter, digit or underscore: give a name or a part of one, or mode=\"regex\"",
        )),
        Mode::Regex if pattern.is_empty() => {
            Err(Refusal::new("`pattern` is empty: `.` matches every definition there is"))
        }
        Mode::Fts => Ok(v1::symbols_request::Query::Name(pattern.to_owned())),
        Mode::Regex => Ok(v1::symbols_request::Query::Regex(pattern.to_owned())),
    }
}

/// Returns the call that was meant where a name reads like a regular expression.
fn hint_on_nothing(pattern: &str) -> Option<String> {
    let pattern = quoted(pattern);
    pattern.contains(['^', '$', '*', '+', '?', '[', ']', '(', ')', '|', '\\']).then(|| {
        format!(
            "`{pattern}` was read as a name: search_symbols pattern=\"{pattern}\" mode=\"regex\" reads it as a pattern"
        )
    })
}

/// Passes on that a pattern or glob cannot be understood: then every worker refuses for that reason alone.
fn refuse_if_refused(plan: &Plan) -> Result<(), Refusal> {
    let refused = format!(" ({})", tonic::Code::InvalidArgument.description());
    let reasons = plan.shortfalls.iter().filter_map(|(_, _, reason)| reason.strip_suffix(refused.as_str()));
    let Some(reason) = reasons.map(|reason| reason.split_once(": ").map_or(reason, |(_worker, reason)| reason)).next()
    else {
        return Ok(());
    };
    Err(Refusal::new(format!(
        "`pattern` or `filePattern` cannot be understood: {reason}; `pattern` is a name, or with mode=\"regex\" a regular \
         expression such as ^parse_.*, and `filePattern` a glob such as src/**/*.rs"
    )))
}

/// A definition that matched.
pub(crate) struct Match {
    pub(crate) position: usize,
    pub(crate) path: String,
    /// What the content of the file is told from other content by.
    pub(crate) blob: String,
    pub(crate) class: FileClass,
    pub(crate) symbol: v1::Symbol,
    pub(crate) tier: v1::NameTier,
    distance: u32,
}

/// Returns all hits, best first: by tier, product before tests, what most others use, types before what is called before
/// values, place.
pub(crate) fn rank(plan: &Plan, replies: Replies<v1::SymbolsResponse>) -> Vec<Match> {
    let of_hit = |position: Option<&usize>, hit: v1::SymbolHit| {
        let (tier, file) = (hit.tier(), hit.file?);
        let class = file.class().into();
        Some(Match {
            position: *position?,
            path: file.path,
            blob: file.blob,
            class,
            symbol: hit.symbol?,
            tier,
            distance: hit.distance,
        })
    };
    let mut matches: Vec<Match> = Vec::new();
    for (group, reply) in replies {
        let positions = plan.by_id(&group);
        let hits = reply.hits.into_iter();
        matches.extend(hits.filter_map(|hit| of_hit(positions.get(hit.repository.as_str()), hit)));
    }
    matches.sort_by(by_rank);
    matches
}

fn by_rank(a: &Match, b: &Match) -> Ordering {
    let name = |found: &Match| (found.tier, found.distance, found.class != FileClass::Source);
    let kind = |found: &Match| ranking::name::kind_order(SymbolKind::parse(&found.symbol.kind));
    let place = |found: &Match| (found.symbol.lines.unwrap_or_default().start, found.symbol.ordinal);
    let by_use = || b.symbol.used_by.cmp(&a.symbol.used_by);
    let by_place = || a.path.cmp(&b.path).then_with(|| place(a).cmp(&place(b)));
    let by_kind = || (kind(a), a.position).cmp(&(kind(b), b.position));
    name(a).cmp(&name(b)).then_with(by_use).then_with(by_kind).then_with(by_place)
}

fn render(
    call: &Call<'_>,
    plan: &Plan,
    shown: &[Match],
    matched: u64,
    remarks: impl FnOnce(Extent) -> Remarks,
) -> Rendered {
    let symbols: Vec<Entry> = shown.iter().map(|found| entry(plan, found)).collect();
    let truncated = matched > shown.len() as u64;
    let extent = Extent {
        truncated,
        total_items: matched,
        returned_items: shown.len() as u64,
        more: truncated
            .then(|| format!("a limit of up to {MAX_LIMIT}, or a narrower pattern, kind, filePattern or repo")),
    };
    let note = if shown.is_empty() {
        Some(nothing_found(plan).unwrap_or_else(|| "no definition matches".to_owned()))
    } else {
        None
    };
    let by_repo = render::by_repo(plan, shown.iter().map(|found| found.position));
    let _meta = Meta::new(call, plan, shown.iter().map(|found| found.position), remarks(extent));
    Rendered::json(&Answer { symbols, matched, by_repo, note, _meta }, plan)
}

fn entry(plan: &Plan, found: &Match) -> Entry {
    let lines = span(found.symbol.lines.unwrap_or_default());
    Entry {
        repo: plan.alias(found.position).to_owned(),
        symbol_id: symbol_ref::id(&found.path, &found.symbol),
        name: text::sanitise_name(&qualify(&found.symbol.container, &found.symbol.name)).into_owned(),
        kind: text::sanitise_name(&found.symbol.kind).into_owned(),
        path: text::sanitise_name(&found.path).into_owned(),
        start_line: lines.start,
        end_line: lines.end,
        signature: render::signature(&found.symbol.signature),
        doc: render::first_sentence(&found.symbol.doc),
        tier: tier_name(found.tier),
    }
}

fn tier_name(tier: v1::NameTier) -> &'static str {
    match tier {
        v1::NameTier::Exact => "exact",
        v1::NameTier::Folded => "folded",
        v1::NameTier::Prefix => "prefix",
        v1::NameTier::SubWord => "sub_word",
        v1::NameTier::Fuzzy => "fuzzy",
        v1::NameTier::Unspecified => "pattern",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_are_broken_one_after_the_other() {
        use v1::NameTier::*;
        let found = |tier, distance, class, used_by, kind: SymbolKind, position, path: &str, line| Match {
            position,
            path: path.to_owned(),
            blob: String::new(),
            class,
            symbol: v1::Symbol {
                kind: kind.name().to_owned(),
                used_by,
                lines: Some(v1::Lines { start: line, end: line }),
                ..Default::default()
            },
            tier,
            distance,
        };
        // Each differs from the one before by the next part of the order, and would come first by all that follow.
        let in_order = [
            found(Exact, 2, FileClass::Test, 0, SymbolKind::Field, 9, "z", 9),
            found(Fuzzy, 1, FileClass::Test, 0, SymbolKind::Field, 9, "z", 9),
            found(Fuzzy, 2, FileClass::Source, 0, SymbolKind::Field, 9, "z", 9),
            found(Fuzzy, 2, FileClass::Test, 1, SymbolKind::Field, 9, "z", 9),
            found(Fuzzy, 2, FileClass::Test, 0, SymbolKind::Class, 9, "z", 9),
            // No class but source is better than any other.
            found(Fuzzy, 2, FileClass::Docs, 0, SymbolKind::Field, 1, "z", 9),
            found(Fuzzy, 2, FileClass::Test, 0, SymbolKind::Field, 2, "a", 9),
            found(Fuzzy, 2, FileClass::Test, 0, SymbolKind::Field, 2, "b", 1),
            found(Fuzzy, 2, FileClass::Test, 0, SymbolKind::Field, 2, "b", 2),
        ];
        assert!(in_order.is_sorted_by(|a, b| by_rank(a, b) == Ordering::Less));
    }
}
