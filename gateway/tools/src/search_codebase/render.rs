//! Rendering of search results.

use model::{ContentKind, Filter, Language, PageType, SymbolKind, symbol::qualify};
use proto::v1;
use serde::Serialize;

use super::{
    page::{ResultPage, path_of},
    request::CodeSearchRequest,
};
use crate::{
    arguments::suggested,
    cursor::CursorBinding,
    meta::{AnswerExtent, Meta, Remarks},
    render::{self, Format, RenderedAnswer},
};
use federation::{
    coverage::Coverage,
    merge::{CodePassage, FoundPage, RankedFile, RankedPassage, ResultItem},
    outline,
    plan::Plan,
    repo_idx::RepoIdx,
    retrieval::RetrievalResult,
    symbol_ref,
};

/// Maximum number of listed copies of one result.
const MAX_ALSO_IN: usize = 10;

#[derive(Debug, Serialize)]
struct SearchAnswer {
    results: Vec<CodeSearchHit>,
    candidates: Vec<CodeSearchCandidate>,
    by_repo: Vec<render::RepositoryCount>,
    search_method: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    _meta: Meta,
}

#[derive(Debug, Serialize)]
struct CodeSearchHit {
    page_id: String,
    title: String,
    page_type: &'static str,
    repo: String,
    path: String,
    /// Unset for the page of a folder or repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    start_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<u32>,
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
    also_in: Vec<DuplicateLocation>,
}

#[derive(Debug, Serialize)]
struct DuplicateLocation {
    repo: String,
    path: String,
}

#[derive(Debug, Serialize)]
struct CodeSearchCandidate {
    repo: String,
    path: String,
    start_line: u32,
    end_line: u32,
}

pub(super) fn render(
    plan: &Plan,
    page: &ResultPage<'_>,
    snippets: Vec<String>,
    binding: &CursorBinding,
    mut request: CodeSearchRequest,
    retrieved: &RetrievalResult,
) -> RenderedAnswer {
    let results: Vec<CodeSearchHit> = (page.shown.iter().zip(snippets).zip(&page.confidences))
        .map(|((item, snippet), confidence)| match item {
            ResultItem::Passage(ranked_passage) => {
                result(plan, page.file_of(ranked_passage), ranked_passage, snippet, *confidence)
            }
            ResultItem::Page(found, relevance) => page_result(plan, found, *relevance, snippet, *confidence),
        })
        .collect();
    let candidates = page.candidates.iter().map(|ranked| candidate(plan, ranked)).collect();
    let note = if page.items.is_empty() { Some(no_results_note(plan, &request.filter)) } else { None };
    let next = page.next.map(|next| format!("the same request with cursor=\"{}\"", binding.cursor(next)));
    let narrower_request = || "a narrower query, scope or repo".to_owned();
    let more = next.or_else(|| page.is_capped.then(narrower_request));
    let (search_method, notes) = retrieved.method.describe(plan);
    request.notes.extend(notes);
    let extent = AnswerExtent {
        truncated: more.is_some(),
        total_items: page.items.len() as u64,
        returned_items: results.len() as u64,
        more,
    };
    let remarks = Remarks {
        hint: results.first().map(next_call),
        extent,
        ignored_arguments: request.ignored,
        notes: request.notes,
        may_miss: None,
        n_pruned: retrieved.n_pruned,
    };
    let shown = page.shown.iter().map(|item| match item {
        ResultItem::Passage(ranked_passage) => page.file_of(ranked_passage).found.repo_idx,
        ResultItem::Page(found, _) => found.repo_idx,
    });
    let quoted = page.candidates.iter().map(|ranked| ranked.found.repo_idx).chain(shown);
    let _meta = Meta::new(plan, quoted, remarks);
    let by_repo = render::by_repo(plan, page.repo_idxs());
    let answer = SearchAnswer { results, candidates, by_repo, search_method, note, _meta };
    match request.format {
        Format::Json => RenderedAnswer::json(&answer, plan),
        Format::Compact => RenderedAnswer::compact(compact(&answer), plan),
    }
}

/// Returns the tool call that reads more of a hit.
fn next_call(hit: &CodeSearchHit) -> String {
    let CodeSearchHit { page_id, repo, .. } = hit;
    match (&hit.symbol_id, PageType::parse(hit.page_type)) {
        (Some(_), _) => format!("get_symbol {} returns its full source", suggested("symbol_id", page_id)),
        (None, Some(PageType::Module)) => {
            format!("search_codebase {} searches only this folder", suggested("scope", page_id))
        }
        (None, Some(PageType::Overview)) => format!("list_repos {} shows its state", suggested("repo", repo)),
        (None, _) => format!("get_file_context {} lists its definitions", suggested("file", page_id)),
    }
}

fn no_results_note(plan: &Plan, filter: &Filter) -> String {
    Coverage::of(plan).unknown_note().unwrap_or_else(|| {
        if plan.asked.is_empty() {
            "no repository is available to search yet; list_repos shows the state".to_owned()
        } else {
            match filters(filter).as_slice() {
                [] => "nothing found; try other words".to_owned(),
                filters => format!("nothing found with {}; try fewer filters or other words", filters.join(", ")),
            }
        }
    })
}

/// Returns the filters of a search in the notation of the arguments.
fn filters(filter: &Filter) -> Vec<String> {
    let named = |name: &str, value: Option<&str>| value.map(|value| suggested(name, value));
    let scope = Some(text::sanitise_name(&filter.scope)).filter(|scope| !scope.is_empty());
    [
        named("scope", scope.as_deref()),
        named("language", filter.language.map(Language::name)),
        named("kind", filter.content.map(ContentKind::name)),
        named("symbol_kind", filter.symbol_kind.map(SymbolKind::name)),
        named("page_type", filter.page_type.map(PageType::name)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn result(
    plan: &Plan,
    ranked: &RankedFile,
    found: &RankedPassage<'_>,
    snippet: String,
    confidence: f32,
) -> CodeSearchHit {
    let repo = plan.alias(ranked.found.repo_idx).to_owned();
    let raw_path = path_of(ranked);
    let path = text::sanitise_name(raw_path).into_owned();
    let CodePassage { symbol, lines } = found.passage;
    let signature = symbol.map(|symbol| outline::signature(&symbol.signature));
    let name = |symbol: &v1::Symbol| text::sanitise_name(&qualify(&symbol.container, &symbol.name)).into_owned();
    CodeSearchHit {
        page_id: symbol.map_or_else(|| format!("{repo}:{path}"), |symbol| symbol_ref::full_id(&repo, raw_path, symbol)),
        title: symbol.map_or_else(|| path.clone(), name),
        page_type: if symbol.is_some() { PageType::Symbol } else { file_page_type(ranked) }.name(),
        start_line: Some(lines.start),
        end_line: Some(lines.end),
        symbol_id: symbol.map(|symbol| symbol_ref::id(raw_path, symbol)),
        name: symbol.map(|symbol| text::sanitise_name(&symbol.name).into_owned()),
        kind: symbol.map(|symbol| text::sanitise_name(&symbol.kind).into_owned()),
        signature: signature.filter(|signature| !shows(&snippet, signature)),
        snippet,
        relevance_score: render::hundredths(found.relevance),
        confidence_score: render::hundredths(confidence),
        also_in: ranked.also_in.iter().take(MAX_ALSO_IN).map(|(repo_idx, path)| place(plan, *repo_idx, path)).collect(),
        repo,
        path,
    }
}

/// Returns true if a snippet contains a signature, apart from white space.
fn shows(snippet: &str, signature: &str) -> bool {
    let bare = |code: &str| code.split_whitespace().collect::<String>();
    bare(snippet).contains(&bare(signature))
}

fn file_page_type(ranked: &RankedFile) -> PageType {
    let file = ranked.found.hit.file.as_ref();
    file.and_then(|file| PageType::parse(&file.page_type)).unwrap_or(PageType::File)
}

fn page_result(plan: &Plan, found: &FoundPage, relevance: f32, snippet: String, confidence: f32) -> CodeSearchHit {
    let repo = plan.alias(found.repo_idx).to_owned();
    let path = text::sanitise_name(&found.hit.path).into_owned();
    CodeSearchHit {
        page_id: format!("{repo}:{path}"),
        title: text::sanitise_name(&found.hit.title).into_owned(),
        page_type: found.page_type.name(),
        start_line: None,
        end_line: None,
        symbol_id: None,
        name: None,
        kind: None,
        signature: None,
        snippet,
        relevance_score: render::hundredths(relevance),
        confidence_score: render::hundredths(confidence),
        also_in: Vec::new(),
        repo,
        path,
    }
}

fn place(plan: &Plan, repo_idx: RepoIdx, path: &str) -> DuplicateLocation {
    DuplicateLocation { repo: plan.alias(repo_idx).to_owned(), path: text::sanitise_name(path).into_owned() }
}

fn candidate(plan: &Plan, ranked: &RankedFile) -> CodeSearchCandidate {
    let lines = CodePassage::of(&ranked.found.hit).lines;
    let DuplicateLocation { repo, path } = place(plan, ranked.found.repo_idx, path_of(ranked));
    CodeSearchCandidate { repo, path, start_line: lines.start, end_line: lines.end }
}

fn compact(answer: &SearchAnswer) -> String {
    let mut text = String::new();
    for (result_idx, hit) in answer.results.iter().enumerate() {
        let CodeSearchHit { repo, path, relevance_score, .. } = hit;
        let lines = hit.start_line.zip(hit.end_line).map(|(start, end)| format!(":{start}-{end}")).unwrap_or_default();
        let what = match (&hit.kind, &hit.symbol_id) {
            (Some(kind), Some(_)) => format!("{kind} {} ", text::quote_name(&hit.title)),
            _ => format!("{} ", hit.page_type),
        };
        let location = format!("{repo}:{path}{lines}");
        text += &format!("{}. {} {what}[{relevance_score}]\n", result_idx + 1, text::quote_name(&location));
        match &hit.signature {
            Some(signature) if hit.snippet.is_empty() => text += &format!("{}\n", text::quote(signature)),
            _ => {}
        }
        if !hit.snippet.is_empty() {
            text += &render::code_fence(path, &hit.snippet);
            text.push('\n');
        }
        for DuplicateLocation { repo, path } in &hit.also_in {
            text += &format!("also in {}\n", text::quote_name(&format!("{repo}:{path}")));
        }
    }
    let further_files = answer.candidates.iter().skip(answer.results.len());
    let further_files: Vec<String> = further_files
        .map(|CodeSearchCandidate { repo, path, start_line, end_line }| {
            format!("{repo}:{path}:{start_line}-{end_line}")
        })
        .collect();
    if !further_files.is_empty() {
        text += &format!("further files: {}\n", text::quote_names(&further_files));
    }
    if let Some(note) = &answer.note {
        text += &format!("{note}\n");
    }
    text + &answer._meta.footer()
}
