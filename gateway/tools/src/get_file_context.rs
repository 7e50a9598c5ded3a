//! `get_file_context`: the outline of one file.

use futures::FutureExt as _;
use model::{SymbolKind, symbol::qualify};
use proto::v1;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Tool;
use crate::{
    arguments::{self, suggested},
    limits::token_budget,
    may_miss::MayMiss,
    meta::{AnswerExtent, Meta, Remarks},
    pack,
    render::{self, Format, RenderedAnswer},
    schema,
};
use federation::{
    call::CallContext,
    coverage::Coverage,
    nodes::NodeRef,
    outline::{self, OutlinedFile, UNSEEN, files, span},
    overlay::Overlay,
    plan::Plan,
    refusal::{Refusal, echo, quoted},
    repo_idx::RepoIdx,
    symbol_ref,
};

pub(crate) const NAME: &str = "get_file_context";

/// Maximum number of listed files for an ambiguous path.
const MAX_LISTED: usize = 50;

#[derive(Debug, Deserialize, JsonSchema)]
struct GetFileContextArguments {
    /// A path or its end; `alias:` selects a repository.
    file: String,
    /// At least 100. Default 4000.
    token_budget: Option<i64>,
    /// Default all.
    repo: Option<String>,
    /// Default compact.
    format: Option<Format>,
}

#[derive(Debug, Clone, Serialize)]
struct OutlineAnswer {
    repo: String,
    path: String,
    language: String,
    class: &'static str,
    lines: u32,
    /// Other files that use it, plus uses in other repositories.
    #[serde(skip_serializing_if = "is_zero")]
    used_by: u32,
    #[serde(skip_serializing_if = "String::is_empty")]
    doc: String,
    entities: Vec<OutlinedDefinition>,
    total_entities: usize,
    truncated: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    diagnostics: Vec<String>,
    _meta: Meta,
}

#[derive(Debug, Clone, Serialize)]
struct OutlinedDefinition {
    line: u32,
    end_line: u32,
    kind: String,
    name: String,
    symbol_id: String,
    signature: String,
    /// Definitions that use it, including those of other repositories. Those of a definition that is new in a draft are unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    used_by: Option<u32>,
    #[serde(skip_serializing_if = "String::is_empty")]
    doc: String,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// The answer for a path that matches several files.
#[derive(Debug, Serialize)]
struct AmbiguousPath {
    ambiguous: bool,
    /// Each is a valid `file` argument.
    candidates: Vec<String>,
    total: usize,
    _meta: Meta,
}

pub(crate) fn tool() -> Tool {
    Tool {
        name: NAME,
        title: "Outline a file",
        description: "Lists the definitions of a file by line: kind, signature, first sentence of the documentation, \
                      and number of users, without bodies. Use it before reading a large file.",
        input: schema::of_arguments::<GetFileContextArguments>(),
        output: None,
        run: |call, arguments| answer(&call.context, arguments).boxed(),
    }
}

async fn answer(call: &CallContext<'_>, arguments: Value) -> Result<RenderedAnswer, Refusal> {
    let parsed = arguments::read::<GetFileContextArguments>(super::schema_of(NAME), arguments)?;
    let (arguments, mut notes) = (parsed.arguments, Vec::new());
    let token_budget = token_budget(arguments.token_budget, &mut notes)?;
    let format = arguments.format.unwrap_or(Format::Compact);
    let (alias, path) = call.visible.split_prefix(arguments.file.trim())?;
    let path = path.trim_start_matches("./").trim_matches('/');
    if path.is_empty() {
        return Err(Refusal::new("`file` is empty: give a path or its end, such as src/main.rs"));
    }
    let plan = call.visible.plan(alias.or(arguments.repo.as_deref()))?;

    let outlined = call.outline(&plan, path, 1).await;
    let answered = plan.without(&outlined.shortfalls);
    let mut files = files(&plan, outlined.value);
    if files.iter().any(|file| file.path == path) {
        files.retain(|file| file.path == path);
    }
    let remarks = |extent| Remarks {
        hint: None,
        extent,
        ignored_arguments: parsed.ignored.clone(),
        notes: notes.clone(),
        ..Remarks::default()
    };
    match files.as_slice() {
        [] => Err(not_found(&answered, path)),
        [file] if file.outline.bare => Err(Refusal::new(format!(
            "{}: the worker sent no outline; repeat the call with the full path",
            text::quote_name(&format!("{}:{path}", plan.alias(file.repo_idx)))
        ))),
        [file] => {
            let overlay = call.overlay().await;
            let uses = |node| uses_elsewhere(call, &overlay, file.repo_idx, node);
            let answered = answered.without(&overlay.shortfalls(|repo_idx| plan.asked.contains(&repo_idx)));
            let may_miss = MayMiss::of_counts(&answered, &overlay);
            let remarks = |extent| Remarks { may_miss, ..remarks(extent) };
            Ok(render(&answered, file, uses, token_budget, format, remarks))
        }
        several => Ok(render_several(&answered, several, format, remarks)),
    }
}

fn not_found(plan: &Plan, path: &str) -> Refusal {
    let (shown, file_name) = (quoted(path), path.rsplit('/').next().unwrap_or(path));
    let found = match Coverage::of(plan).unknown_note() {
        Some(unknown) => format!("{shown} was not found ({unknown})"),
        None => format!("no path ends in {shown}"),
    };
    Refusal::new(format!(
        "{found}; {UNSEEN}; give fewer directories, or find similar paths with search_codebase {} mode=\"path\"",
        suggested("query", &echo(file_name))
    ))
}

fn render(
    plan: &Plan,
    file: &OutlinedFile,
    uses: impl Fn(u32) -> u32,
    token_budget: usize,
    format: Format,
    remarks: impl FnOnce(AnswerExtent) -> Remarks,
) -> RenderedAnswer {
    let whole = full_outline(plan, file, uses, remarks(AnswerExtent::default()));
    let lay_out = |answer: &OutlineAnswer| match format {
        Format::Json => render::to_json(answer),
        Format::Compact => compact(answer),
    };
    let fitted = |form: &OutlineAnswer| {
        let lay_out = |n_shown: usize| lay_out(&cut(form, n_shown));
        cut(form, pack::count_that_fits(token_budget, form.entities.len(), lay_out))
    };
    let exceeds = |answer: &OutlineAnswer| text::estimate_tokens(&lay_out(answer)) > token_budget;
    let mut answer = fitted(&whole);
    if exceeds(&answer) {
        let mut bare = OutlineAnswer { doc: String::new(), diagnostics: Vec::new(), ..whole };
        bare._meta.shorten();
        answer = fitted(&bare);
    }
    if exceeds(&answer) {
        answer._meta.extent.more = None;
    }
    match format {
        Format::Json => RenderedAnswer::json(&answer, plan),
        Format::Compact => RenderedAnswer::compact(compact(&answer), plan),
    }
}

/// Counts the links from other repositories to a node.
fn uses_elsewhere(call: &CallContext<'_>, overlay: &Overlay, repo_idx: RepoIdx, node: u32) -> u32 {
    let links = overlay.edges_at(NodeRef { repo_idx, node }, &call.visible);
    links.filter(|cross_edge| cross_edge.provider == repo_idx && cross_edge.user != repo_idx).count() as u32
}

fn full_outline(plan: &Plan, file: &OutlinedFile, uses: impl Fn(u32) -> u32, remarks: Remarks) -> OutlineAnswer {
    let wire = file.outline.file.clone().unwrap_or_default();
    let entities: Vec<OutlinedDefinition> =
        file.outline.symbols.iter().map(|symbol| entity(&file.path, symbol, uses(symbol.node))).collect();
    OutlineAnswer {
        repo: plan.alias(file.repo_idx).to_owned(),
        path: text::sanitise_name(&file.path).into_owned(),
        language: text::sanitise_name(&wire.language).into_owned(),
        class: model::FileClass::from(wire.class()).name(),
        lines: wire.lines,
        used_by: wire.used_by.saturating_add(uses(wire.node)),
        doc: text::first_sentence(&file.outline.doc),
        total_entities: entities.len(),
        entities,
        truncated: false,
        diagnostics: file.outline.diagnostics.iter().map(|line| text::sanitise_name(line).into_owned()).collect(),
        _meta: Meta::new(plan, [file.repo_idx], remarks),
    }
}

/// Returns the answer with its first entities only.
fn cut(whole: &OutlineAnswer, n_shown: usize) -> OutlineAnswer {
    let truncated = n_shown < whole.entities.len();
    let more = || {
        let next = whole.entities[n_shown].line;
        let location = format!("{}:{}:{next}-{}", whole.repo, whole.path, whole.lines);
        format!("a larger token_budget, or get_symbol {}", suggested("symbol_id", &location))
    };
    let mut answer = OutlineAnswer { entities: whole.entities[..n_shown].to_vec(), truncated, ..whole.clone() };
    answer._meta.extent = AnswerExtent {
        truncated,
        total_items: whole.entities.len() as u64,
        returned_items: n_shown as u64,
        more: truncated.then(more),
    };
    answer
}

fn entity(path: &str, symbol: &v1::Symbol, n_elsewhere: u32) -> OutlinedDefinition {
    let lines = span(symbol.lines.unwrap_or_default());
    OutlinedDefinition {
        line: lines.start,
        end_line: lines.end,
        kind: text::sanitise_name(&symbol.kind).into_owned(),
        name: text::sanitise_name(&qualify(&symbol.container, &symbol.name)).into_owned(),
        symbol_id: symbol_ref::id(path, symbol),
        signature: outline::signature(&symbol.signature),
        used_by: (symbol.node != proto::NO_NODE).then(|| symbol.used_by.saturating_add(n_elsewhere)),
        doc: text::first_sentence(&symbol.doc),
    }
}

fn compact(answer: &OutlineAnswer) -> String {
    let OutlineAnswer { repo, path, language, class, lines, .. } = answer;
    let used_by = if answer.used_by > 0 { format!(", used by {}", answer.used_by) } else { String::new() };
    let file = text::quote_name(&format!("{repo}:{path}")).into_owned();
    let mut text = format!("{file} ({language}, {class}, {lines} lines{used_by})\n");
    if !answer.doc.is_empty() {
        text += &format!("{}\n", text::quote(&answer.doc));
    }
    for diagnostic in &answer.diagnostics {
        text += &format!("! {}\n", text::quote(diagnostic));
    }
    for OutlinedDefinition { line, end_line, kind, name, signature, doc, used_by, .. } in &answer.entities {
        let indent = if SymbolKind::parse(kind) == Some(SymbolKind::Section) { 0 } else { name.matches('.').count() };
        let shown = if signature.is_empty() { text::quote_name(name) } else { text::quote(signature).into() };
        // The signature already begins with the kind: `class class A` would repeat it.
        let kind = if signature.starts_with(&format!("{kind} ")) { String::new() } else { format!("{kind} ") };
        text += &format!("{:indent$}{line}-{end_line} {kind}{shown}", "", indent = indent * 2);
        let used = used_by.filter(|n_users| *n_users > 0);
        text += &used.map_or_else(String::new, |n_users| format!(" (used by {n_users})"));
        text += &if doc.is_empty() { "\n".to_owned() } else { format!(" -- {}\n", text::quote(doc)) };
    }
    if answer.total_entities == 0 {
        text += "no definitions\n";
    }
    text + &answer._meta.footer()
}

fn render_several(
    plan: &Plan,
    files: &[OutlinedFile],
    format: Format,
    remarks: impl FnOnce(AnswerExtent) -> Remarks,
) -> RenderedAnswer {
    let path = |file: &OutlinedFile| format!("{}:{}", plan.alias(file.repo_idx), text::sanitise_name(&file.path));
    let candidates: Vec<String> = files.iter().take(MAX_LISTED).map(path).collect();
    let truncated = candidates.len() < files.len();
    let extent = AnswerExtent {
        truncated,
        total_items: files.len() as u64,
        returned_items: candidates.len() as u64,
        more: truncated.then(|| "a longer path, or `repo`".to_owned()),
    };
    let mut remarks = remarks(extent);
    remarks.hint = candidates.first().map(|candidate| format!("get_file_context {}", suggested("file", candidate)));
    let _meta = Meta::new(plan, [], remarks);
    let answer = AmbiguousPath { ambiguous: true, total: files.len(), candidates, _meta };
    match format {
        Format::Json => RenderedAnswer::json(&answer, plan),
        Format::Compact => {
            let list: Vec<_> = answer.candidates.iter().map(|candidate| text::quote_name(candidate)).collect();
            let list = list.join("\n");
            let text = format!("{} files match this path:\n{list}\n{}", answer.total, answer._meta.footer());
            RenderedAnswer::compact(text, plan)
        }
    }
}
