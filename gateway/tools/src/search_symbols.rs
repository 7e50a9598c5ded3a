//! `search_symbols`: every definition with a matching name, exact matches first.

use futures::FutureExt as _;
use model::{Filter, symbol::qualify};
use proto::v1;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Tool,
    filters::{language, symbol_kind},
};
use crate::{
    arguments::{self, suggested},
    limits::clamp,
    meta::{AnswerExtent, Meta, Remarks},
    render::{self, RenderedAnswer, RepositoryCount},
    schema,
};
use federation::{
    call::CallContext,
    coverage::Coverage,
    outline::{self, span},
    plan::Plan,
    refusal::{Refusal, echo, quoted},
    symbol_matches::{DefinitionMatch, rank},
    symbol_ref,
};

pub(crate) const NAME: &str = "search_symbols";

const DEFAULT_LIMIT: usize = 25;
const MAX_LIMIT: usize = 500;

/// Symbols to request from each worker per result, and their minimum. Workers cut by the same order as the merge. But
/// the gateway lengthens an alias that two workers use, which moves its symbols among those with equal rank.
const OVER_FETCH: usize = 4;
const MIN_ASKED: usize = 200;

/// Maximum length of a pattern in bytes: a longer one is neither a name nor a sensible regular expression.
const MAX_PATTERN_BYTES: usize = 1_000;

#[derive(Debug, Deserialize, JsonSchema)]
struct SearchSymbolsArguments {
    /// A name or a part of one; with mode regex, a regular expression on the bare or qualified name.
    pattern: String,
    /// Default fts: exact, prefix, word and fuzzy matches.
    mode: Option<SymbolPatternMode>,
    /// Such as function, class, interface.
    kind: Option<String>,
    /// A glob, such as src/**/*.rs.
    #[serde(rename = "filePattern")]
    file_pattern: Option<String>,
    /// Such as rust or python.
    language: Option<String>,
    /// Maximum number, 1 to 500. Default 25.
    limit: Option<i64>,
    /// Default all.
    repo: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum SymbolPatternMode {
    Fts,
    Regex,
}

#[derive(Debug, Serialize, JsonSchema)]
struct SymbolListAnswer {
    symbols: Vec<SymbolRow>,
    /// The number of matches, listed or not.
    matched: u64,
    /// Counts of the listed symbols.
    by_repo: Vec<RepositoryCount>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    _meta: Meta,
}

#[derive(Debug, Serialize, JsonSchema)]
struct SymbolRow {
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
    /// The kind of name match.
    #[serde(rename = "match")]
    tier: &'static str,
}

pub(crate) fn tool() -> Tool {
    Tool {
        name: NAME,
        title: "Find definitions by name",
        description: "Finds definitions (functions, methods, types, constants, routes, sections) by name or \
                      regular expression, over all repositories: exact names first, then prefixes, word parts and \
                      similar names.",
        input: schema::of_arguments::<SearchSymbolsArguments>(),
        output: None,
        run: |call, arguments| answer(&call.context, arguments).boxed(),
    }
}

async fn answer(call: &CallContext<'_>, arguments: Value) -> Result<RenderedAnswer, Refusal> {
    let parsed = arguments::read::<SearchSymbolsArguments>(super::schema_of(NAME), arguments)?;
    let (arguments, mut ignored, mut notes) = (parsed.arguments, parsed.ignored, Vec::new());
    let limit = clamp("limit", arguments.limit, DEFAULT_LIMIT, 1..=MAX_LIMIT, &mut notes);
    let (file_alias, file_pattern) = match arguments.file_pattern.as_deref() {
        Some(file_pattern) => call.visible.split_prefix(file_pattern)?,
        None => (None, ""),
    };
    let mode = arguments.mode.unwrap_or(SymbolPatternMode::Fts);
    let (name_alias, pattern) = match mode {
        SymbolPatternMode::Fts => call.visible.split_prefix(arguments.pattern.trim())?,
        SymbolPatternMode::Regex => (None, arguments.pattern.as_str()),
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
    let plan = call.visible.plan(file_alias.or(name_alias).or(arguments.repo.as_deref()))?;

    let matched = call.symbols(&plan, &request).await;
    let answered = plan.without(&matched.shortfalls);
    refuse_if_refused(&answered)?;
    let n_matched = matched.value.iter().fold(0u64, |sum, (_, reply)| sum.saturating_add(reply.matched));
    let ranked = rank(&plan, matched.value);
    let hint = (ranked.is_empty() && mode == SymbolPatternMode::Fts).then(|| no_matches_hint(pattern)).flatten();
    let remarks = |extent| Remarks { hint, extent, ignored_arguments: ignored, notes, ..Remarks::default() };
    Ok(render(&answered, &ranked[..limit.min(ranked.len())], n_matched, remarks))
}

fn query(pattern: &str, mode: SymbolPatternMode) -> Result<v1::symbols_request::Query, Refusal> {
    if pattern.len() > MAX_PATTERN_BYTES {
        return Err(Refusal::new(format!(
            "`pattern` is longer than {MAX_PATTERN_BYTES} bytes: give a name, or a part of one"
        )));
    }
    match mode {
        SymbolPatternMode::Fts if !pattern.chars().any(|c| c.is_alphanumeric() || c == '_') => Err(Refusal::new(
            "`pattern` has no letter, digit or underscore: give a name or a part of one, or set mode=\"regex\"",
        )),
        SymbolPatternMode::Regex if pattern.is_empty() => {
            Err(Refusal::new("`pattern` is empty: give `.` to match every definition"))
        }
        SymbolPatternMode::Fts => Ok(v1::symbols_request::Query::Name(pattern.to_owned())),
        SymbolPatternMode::Regex => Ok(v1::symbols_request::Query::Regex(pattern.to_owned())),
    }
}

/// Returns the intended call if a name looks like a regular expression.
fn no_matches_hint(pattern: &str) -> Option<String> {
    let is_regex = pattern.contains(['^', '$', '*', '+', '?', '[', ']', '(', ')', '|', '\\']);
    is_regex.then(|| {
        format!(
            "{} was searched as a name; as a regular expression: search_symbols {} mode=\"regex\"",
            quoted(pattern),
            suggested("pattern", &echo(pattern))
        )
    })
}

/// Returns the refusal of the workers if the pattern or glob is invalid: then all refuse for that reason.
fn refuse_if_refused(plan: &Plan) -> Result<(), Refusal> {
    let Some(reason) = plan.shortfalls.refusal_of_worker() else { return Ok(()) };
    Err(Refusal::new(format!(
        "`pattern` or `filePattern` is invalid: {}; `pattern` is a name, or with mode=\"regex\" a regular \
         expression such as ^parse_.*, and `filePattern` is a glob such as src/**/*.rs",
        text::quote(reason)
    )))
}

fn render(
    plan: &Plan,
    shown: &[DefinitionMatch],
    matched: u64,
    remarks: impl FnOnce(AnswerExtent) -> Remarks,
) -> RenderedAnswer {
    let symbols: Vec<SymbolRow> = shown.iter().map(|found| entry(plan, found)).collect();
    let truncated = matched > shown.len() as u64;
    let extent = AnswerExtent {
        truncated,
        total_items: matched,
        returned_items: shown.len() as u64,
        more: truncated
            .then(|| format!("a larger limit, up to {MAX_LIMIT}, or a narrower pattern, kind, filePattern or repo")),
    };
    let note = if shown.is_empty() {
        Some(
            Coverage::of(plan)
                .unknown_note()
                .unwrap_or_else(|| "no definition matches; try a part of the name, or search_codebase".to_owned()),
        )
    } else {
        None
    };
    let by_repo = render::by_repo(plan, shown.iter().map(|found| found.repo_idx));
    let _meta = Meta::new(plan, shown.iter().map(|found| found.repo_idx), remarks(extent));
    RenderedAnswer::json(&SymbolListAnswer { symbols, matched, by_repo, note, _meta }, plan)
}

fn entry(plan: &Plan, found: &DefinitionMatch) -> SymbolRow {
    let lines = span(found.symbol.lines.unwrap_or_default());
    SymbolRow {
        repo: plan.alias(found.repo_idx).to_owned(),
        symbol_id: symbol_ref::id(&found.path, &found.symbol),
        name: text::sanitise_name(&qualify(&found.symbol.container, &found.symbol.name)).into_owned(),
        kind: text::sanitise_name(&found.symbol.kind).into_owned(),
        path: text::sanitise_name(&found.path).into_owned(),
        start_line: lines.start,
        end_line: lines.end,
        signature: outline::signature(&found.symbol.signature),
        doc: text::first_sentence(&found.symbol.doc),
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
