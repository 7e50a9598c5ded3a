//! `search_codebase`: full-text, symbol and path search over all repositories, ranked as one index.

mod page;
mod render;
mod request;

use futures::FutureExt as _;
use model::{LineSpan, PageType};
use serde_json::Value;

use super::Tool;
use crate::{
    cursor::CursorBinding,
    pack::{self, Passage},
    render::RenderedAnswer,
    schema,
};
use federation::{
    answer::Answer,
    call::CallContext,
    fetch::{FetchedSource, PageRequest},
    merge::{self, FoundPage, ResultItem},
    plan::Plan,
    refusal::Refusal,
    retrieval::RetrievalResult,
};

use page::ResultPage;
use request::{CodeSearchRequest, SearchCodebaseArguments};

pub(crate) const NAME: &str = "search_codebase";

/// Token budget of the snippets for each result, and of all snippets in one answer. A default answer then has fewer than 1,500 tokens.
const TOKENS_PER_SNIPPET: usize = 85;
const SNIPPET_BUDGET: usize = 4_000;

/// Maximum number of lines in one snippet.
const MAX_SNIPPET_LINES: usize = 40;

pub(crate) fn tool() -> Tool {
    Tool {
        name: NAME,
        title: "Search the code of all repositories",
        description: "Finds where something is done, decided or described, over all repositories as one index, by \
                      a question, identifiers or a path. Hits have repository, path, lines, signature and code; \
                      `candidates` lists further relevant files. search_symbols lists every definition of a name or \
                      pattern.",
        input: schema::of_arguments::<SearchCodebaseArguments>(),
        output: None,
        run: |call, arguments| answer(&call.context, arguments).boxed(),
    }
}

/// Searches, and renders one page of results.
pub(crate) async fn answer(call: &CallContext<'_>, arguments: Value) -> Result<RenderedAnswer, Refusal> {
    let request = CodeSearchRequest::read(call, arguments.clone())?;
    let plan = call.visible.plan(request.repo.as_deref())?;
    let binding = CursorBinding::new(call.principal, NAME, &arguments, &plan);
    let offset = request.cursor.as_deref().map_or(Ok(0), |cursor| binding.offset(cursor))?;

    let retrieved = call.retrieve(&plan, request.retrieval_request()).await;
    let request = request.with_corrections(&retrieved.value.corrections);
    let file_pages = file_pages(&retrieved.value, request.filter.page_type);
    let items = items(&retrieved.value, &file_pages, request.filter.page_type);
    let page = ResultPage::of(&retrieved.value.ranking, &items, offset, request.limit);
    let fetched = read(call, &plan.without(&retrieved.shortfalls), &page).await.after(retrieved.shortfalls);
    let snippets = snippets(&plan, &page, fetched.value, &request);
    let answered = plan.without(&fetched.shortfalls);
    Ok(render::render(&answered, &page, snippets, &binding, request, &retrieved.value))
}

/// Returns file pages if the request asks for them: workers then return only files that have a page.
fn file_pages(retrieved: &RetrievalResult, page_type: Option<PageType>) -> Vec<(FoundPage, f32)> {
    match page_type {
        Some(PageType::File | PageType::Infra) => merge::file_pages(&retrieved.ranking.files),
        _ => Vec::new(),
    }
}

/// Returns the results, best first: spans of files and pages, or pages of one type.
fn items<'a>(
    retrieved: &'a RetrievalResult,
    file_pages: &'a [(FoundPage, f32)],
    page_type: Option<PageType>,
) -> Vec<ResultItem<'a>> {
    let (ranking, scale) = (&retrieved.ranking, retrieved.scale());
    let ranked_passages = || merge::passages(&ranking.files, scale);
    match page_type {
        None => merge::items(ranked_passages(), retrieved.pages.iter().collect(), scale),
        Some(PageType::File | PageType::Infra) => {
            file_pages.iter().map(|(page, relevance)| ResultItem::Page(page, *relevance)).collect()
        }
        Some(PageType::Symbol) => ranked_passages()
            .into_iter()
            .filter(|ranked| ranked.passage.symbol.is_some())
            .map(ResultItem::Passage)
            .collect(),
        Some(only_type @ (PageType::Module | PageType::Overview)) => {
            let pages = retrieved.pages.iter().filter(|page| page.page_type == only_type).collect();
            merge::items(Vec::new(), pages, scale)
        }
    }
}

/// Reads the shown results: source, or page text.
async fn read(call: &CallContext<'_>, plan: &Plan, page: &ResultPage<'_>) -> Answer<Vec<Option<FetchedSource>>> {
    let (mut source, mut texts) = (Vec::new(), Vec::new());
    for item in page.shown {
        match item {
            ResultItem::Passage(ranked) => source.push(page.source_request(ranked)),
            ResultItem::Page(found, _) => {
                let (repo_idx, page_type) = (found.repo_idx, found.page_type);
                texts.push(PageRequest { repo_idx, page_type, path: found.hit.path.clone() });
            }
        }
    }
    let source = call.fetch(plan, &source).await;
    let texts = match texts.is_empty() {
        true => Answer { value: Vec::new(), shortfalls: source.shortfalls },
        false => call.fetch_pages(&plan.without(&source.shortfalls), &texts).await.after(source.shortfalls),
    };
    let as_source = |text: String| {
        let n_lines = text.lines().count() as u32;
        FetchedSource { text, lines: LineSpan { start: 1, end: n_lines.max(1) }, file_lines: n_lines }
    };
    let mut source = source.value.into_iter();
    texts.map(|texts| {
        let mut texts = texts.into_iter();
        let fetched = page.shown.iter().map(|item| match item {
            ResultItem::Passage(_) => source.next().flatten(),
            ResultItem::Page(..) => texts.next().flatten().map(as_source),
        });
        fetched.collect()
    })
}

fn snippets(
    plan: &Plan,
    page: &ResultPage<'_>,
    fetched: Vec<Option<FetchedSource>>,
    request: &CodeSearchRequest,
) -> Vec<String> {
    let name_line = |item: &ResultItem<'_>| match item {
        ResultItem::Passage(ranked) => ranked.passage.symbol.map_or(0, |symbol| symbol.name_line),
        ResultItem::Page(..) => 0,
    };
    let unless_seen = |item: &ResultItem<'_>, fetched: FetchedSource| match item {
        ResultItem::Passage(ranked) => {
            let file = page.file_of(ranked);
            request.seen.replace(plan.alias(file.found.repo_idx), page::path_of(file), ranked.passage.symbol, fetched)
        }
        ResultItem::Page(..) => fetched,
    };
    let passage = |(item, fetched): (&ResultItem<'_>, Option<FetchedSource>)| {
        (name_line(item), fetched.map(|fetched| unless_seen(item, fetched)))
    };
    let read: Vec<(u32, Option<FetchedSource>)> = page.shown.iter().zip(fetched).map(passage).collect();
    let passages: Vec<Option<Passage<'_>>> = read
        .iter()
        .map(|(name_line, fetched)| fetched.as_ref().map(|fetched| Passage { fetched, name_line: *name_line }))
        .collect();
    let words: Vec<&str> = request.words.iter().map(String::as_str).collect();
    // The text of pages is wanted itself.
    let budget = match request.filter.page_type {
        None => (request.limit * TOKENS_PER_SNIPPET).min(SNIPPET_BUDGET),
        Some(_) => SNIPPET_BUDGET,
    };
    pack::snippets(&passages, &words, budget, MAX_SNIPPET_LINES)
}
