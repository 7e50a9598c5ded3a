//! Rendering of a definition within its budget.

use model::{Language, LineSpan, symbol::qualify};
use serde::Serialize;
use text::{ExcerptLimits, ExcerptSource, Interest};

use super::{
    MAX_CANDIDATES, MAX_CONTEXT_LINES, SymbolOptions,
    callees::Callee,
    find::{SymbolCandidate, SymbolLocation},
};
use crate::{
    arguments::suggested,
    get_context::{
        item::ContextItem,
        packing::{SHARES, pack},
        used_by::UsedBy,
    },
    may_miss::MayMiss,
    meta::{AnswerExtent, Meta, Remarks},
    pack,
    render::{self, Format, RenderedAnswer},
};
use federation::{fetch::FetchedSource, outline, plan::Plan, symbol_ref};

#[derive(Debug, Clone, Serialize)]
struct SymbolAnswer {
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
    /// Numbered lines.
    source: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    overloads: Vec<String>,
    /// Absent for lines outside of definitions.
    #[serde(skip_serializing_if = "Option::is_none")]
    used_by: Option<UsedBy>,
    /// The callees, with code as far as it fits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    calls: Vec<ContextItem>,
    _meta: Meta,
}

/// Percentage of the budget that the definition may take if callees are shown with it.
const OWN_SHARE: usize = 60;

/// The answer for an ambiguous id.
#[derive(Debug, Serialize)]
struct AmbiguousSymbol {
    ambiguous: bool,
    /// Each has a complete id.
    candidates: Vec<SymbolCandidate>,
    total: u64,
    _meta: Meta,
}

pub(super) fn render(
    plan: &Plan,
    location: &SymbolLocation,
    fetched: &FetchedSource,
    callees: &[Callee],
    users: Option<(UsedBy, Option<MayMiss>)>,
    options: SymbolOptions,
) -> RenderedAnswer {
    let (used_by, may_miss) = users.unzip();
    let symbol = location.symbol.as_ref();
    let doc = symbol.map(|symbol| text::clean(&symbol.doc).trim().to_owned()).filter(|doc| !doc.is_empty());
    let remarks = Remarks {
        hint: None,
        extent: AnswerExtent::default(),
        ignored_arguments: options.ignored,
        notes: options.notes,
        may_miss: may_miss.flatten(),
        ..Remarks::default()
    };
    let full = SymbolAnswer {
        repo: plan.alias(location.repo_idx).to_owned(),
        path: text::sanitise_name(&location.path).into_owned(),
        start_line: symbol.map_or(fetched.lines.start, |_| location.lines.start),
        end_line: symbol.map_or(fetched.lines.end, |_| location.lines.end),
        symbol_id: symbol.map(|symbol| symbol_ref::id(&location.path, symbol)),
        name: symbol.map(|symbol| text::sanitise_name(&qualify(&symbol.container, &symbol.name)).into_owned()),
        kind: symbol.map(|symbol| text::sanitise_name(&symbol.kind).into_owned()),
        signature: symbol.map(|symbol| outline::signature(&symbol.signature)),
        doc,
        source: String::new(),
        overloads: location.overloads.iter().take(MAX_CANDIDATES).cloned().collect(),
        used_by,
        calls: Vec::new(),
        _meta: Meta::new(plan, callees.iter().map(|callee| callee.repo_idx).chain([location.repo_idx]), remarks),
    };
    let lay_out = |answer: &SymbolAnswer| match options.format {
        Format::Json => render::to_json(answer),
        Format::Compact => compact(answer),
    };
    let own_budget = match callees {
        [] => options.token_budget,
        _ => (options.token_budget * OWN_SHARE / 100).max(options.token_budget.min(MIN_OWN_BUDGET)),
    };
    let definition_only = fit_source(full, fetched, location, own_budget, lay_out);
    let answer = with_calls(definition_only, callees, options.token_budget, options.format, lay_out);
    match options.format {
        Format::Json => RenderedAnswer::json(&answer, plan),
        Format::Compact => RenderedAnswer::compact(compact(&answer), plan),
    }
}

/// Minimum budget of the definition: less does not hold its metadata.
const MIN_OWN_BUDGET: usize = 300;

/// Returns the answer with as many callees as the remaining budget holds.
fn with_calls(
    definition_only: SymbolAnswer,
    callees: &[Callee],
    token_budget: usize,
    format: Format,
    lay_out: impl Fn(&SymbolAnswer) -> String,
) -> SymbolAnswer {
    /// Tokens of the heading or field name of the list.
    const HEADING: usize = 12;
    let room = token_budget.saturating_sub(text::estimate_tokens(&lay_out(&definition_only)) + HEADING);
    let price = |item: &ContextItem| match format {
        Format::Json => text::estimate_tokens(&format!("{},", render::to_json(item))),
        Format::Compact => text::estimate_tokens(&item.compact()),
    };
    let packed = pack(room, &SHARES, callees.iter().map(Callee::packing_item).collect(), price);
    let calls = packed.into_iter().map(|(_, item)| item).collect();
    let with_callees = SymbolAnswer { calls, ..definition_only.clone() };
    if text::estimate_tokens(&lay_out(&with_callees)) <= token_budget { with_callees } else { definition_only }
}

/// Returns the answer with as much source as the budget holds, in the fullest form that leaves room for some.
fn fit_source(
    full: SymbolAnswer,
    fetched: &FetchedSource,
    location: &SymbolLocation,
    token_budget: usize,
    lay_out: impl Fn(&SymbolAnswer) -> String,
) -> SymbolAnswer {
    let numbered = numbered_lines(fetched);
    let with_room = |form: &SymbolAnswer, room: usize| with_source(form, fetched, &numbered, room, location);
    let fit_form = |form: &SymbolAnswer| {
        let room = pack::largest_fitting_room(token_budget, |room| lay_out(&with_room(form, room)));
        with_room(form, room)
    };
    let without_doc = SymbolAnswer { doc: None, overloads: Vec::new(), ..full.clone() };
    let mut minimal = SymbolAnswer { name: None, kind: None, signature: None, used_by: None, ..without_doc.clone() };
    minimal._meta.shorten();
    let mut answer = fit_form(&full);
    for form in [without_doc, minimal] {
        if !answer.source.is_empty() {
            break;
        }
        answer = fit_form(&form);
    }
    if text::estimate_tokens(&lay_out(&answer)) > token_budget {
        answer._meta.extent.more = None;
    }
    answer
}

/// Returns the answer with as much source as fits into `room` tokens.
fn with_source(
    full: &SymbolAnswer,
    fetched: &FetchedSource,
    numbered: &str,
    room: usize,
    location: &SymbolLocation,
) -> SymbolAnswer {
    let wanted_end = location.lines.end.min(fetched.file_lines.max(1));
    let name_line = location.symbol.as_ref().map_or(fetched.lines.start, |symbol| symbol.name_line);
    let n_head_lines = (name_line.saturating_sub(fetched.lines.start) as usize).min(MAX_CONTEXT_LINES) + 1;
    let source = ExcerptSource { text: numbered, first_line: fetched.lines.start, n_head_lines };
    let excerpt = text::excerpt(source, Interest::default(), ExcerptLimits::of_tokens(room));
    let n_lines = u64::from(wanted_end.max(fetched.lines.end).saturating_sub(fetched.lines.start) + 1);
    let returned_items = excerpt.shown.iter().map(|span| u64::from(span.len())).sum();
    let truncated = excerpt.cut || fetched.lines.end < wanted_end;
    let mut answer = full.clone();
    answer._meta.extent = AnswerExtent {
        truncated,
        total_items: n_lines,
        returned_items,
        more: truncated.then(|| more(full, &excerpt.shown, wanted_end)),
    };
    answer.source = excerpt.text;
    answer
}

fn more(full: &SymbolAnswer, shown: &[LineSpan], wanted_end: u32) -> String {
    let first_end = shown.first().map_or(full.start_line.saturating_sub(1), |span| span.end);
    let next = (first_end + 1).min(wanted_end);
    let location = format!("{}:{}:{next}-{wanted_end}", full.repo, full.path);
    format!("get_symbol {}, or a larger token_budget", suggested("symbol_id", &location))
}

fn numbered_lines(fetched: &FetchedSource) -> String {
    let width = fetched.lines.end.to_string().len();
    let lines = fetched.text.split('\n').zip(fetched.lines.start..);
    lines.map(|(line, number)| format!("{number:>width$}  {line}")).collect::<Vec<_>>().join("\n")
}

fn compact(answer: &SymbolAnswer) -> String {
    let SymbolAnswer { repo, path, start_line, end_line, .. } = answer;
    let mut text = text::quote_name(&format!("{repo}:{path}:{start_line}-{end_line}")).into_owned();
    if let (Some(kind), Some(name)) = (&answer.kind, &answer.name) {
        text += &format!(" {kind} {}", text::quote_name(name));
    }
    text.push('\n');
    match &answer.doc {
        Some(doc) if doc.contains('\n') => text += &format!("{}\n", text::fence(Language::Text, doc)),
        Some(doc) => text += &format!("{}\n", text::quote(doc)),
        None => {}
    }
    text += &render::code_fence(path, &answer.source);
    text.push('\n');
    if let Some(used_by) = &answer.used_by {
        text += &format!("{}\n", used_by.compact());
    }
    if !answer.calls.is_empty() {
        text += "calls:\n";
        answer.calls.iter().for_each(|item| text += &item.compact());
    }
    if !answer.overloads.is_empty() {
        text += &format!("overloads: {}\n", text::quote_names(&answer.overloads));
    }
    text + &answer._meta.footer()
}

pub(super) fn render_ambiguous(
    plan: &Plan,
    candidates: Vec<SymbolCandidate>,
    total: u64,
    options: SymbolOptions,
) -> RenderedAnswer {
    let returned = candidates.len() as u64;
    let truncated = total > returned;
    let extent = AnswerExtent {
        truncated,
        total_items: total,
        returned_items: returned,
        more: truncated.then(|| "a longer path, a container, or `repo`".to_owned()),
    };
    let hint =
        candidates.first().map(|candidate| format!("get_symbol {}", suggested("symbol_id", &candidate.symbol_id)));
    let remarks =
        Remarks { hint, extent, ignored_arguments: options.ignored, notes: options.notes, ..Remarks::default() };
    let _meta = Meta::new(plan, [], remarks);
    let answer = AmbiguousSymbol { ambiguous: true, candidates, total, _meta };
    match options.format {
        Format::Json => RenderedAnswer::json(&answer, plan),
        Format::Compact => {
            let line = |candidate: &SymbolCandidate| {
                let SymbolCandidate { symbol_id, kind, start_line, end_line, signature } = candidate;
                let id = text::quote_name(symbol_id);
                let signature = if signature.is_empty() { String::new() } else { text::quote(signature) };
                format!("{id} {kind} {start_line}-{end_line} {signature}\n")
            };
            let lines: String = answer.candidates.iter().map(line).collect();
            let text = format!("{total} definitions match this id:\n{lines}{}", answer._meta.footer());
            RenderedAnswer::compact(text, plan)
        }
    }
}
