//! `search_codebase`: files and definitions by text, name and path, ranked over all repositories as if they were one.

mod page;
mod render;
mod request;

use futures::FutureExt as _;
use model::{LineSpan, PageType};
use serde_json::Value;

use super::Tool;
use crate::{
    call::Call,
    cursor::Binding,
    fetch::{Fetched, WantedPage},
    merge::{self, Item},
    pack::{self, Passage},
    plan::Plan,
    refusal::Refusal,
    render::Rendered,
    retrieval::Wish,
    schema,
};

use page::Page;
use request::{Arguments, Request};

const NAME: &str = "search_codebase";

/// Tokens of code in one answer, however many results it has.
const SNIPPET_BUDGET: usize = 4_000;

/// Lines of code in one result.
const MAX_SNIPPET_LINES: usize = 40;

pub(crate) fn tool() -> Tool {
    Tool {
        name: NAME,
        title: "Search the code of all repositories",
        description: "Finds where something is done, decided or described, over all repositories as one index, by \
                      a question, identifiers or a path. Hits carry repository, path, lines, signature and code; \
                      `candidates` lists further files worth opening. search_symbols lists every definition of a \
                      name or pattern.",
        input: schema::of_arguments::<Arguments>(),
        output: None,
        run: |call, arguments| answer(call, arguments).boxed(),
    }
}

pub(crate) async fn answer(call: &Call<'_>, arguments: Value) -> Result<Rendered, Refusal> {
    let mut request = Request::read(call, arguments.clone())?;
    let mut plan = call.visible.plan(request.repo.as_deref())?;
    let binding = Binding::new(call.principal, NAME, &arguments, &plan);
    let offset = request.cursor.as_deref().map_or(Ok(0), |cursor| binding.offset(cursor))?;

    let wish = Wish {
        text: &request.text,
        parts: std::mem::take(&mut request.parts),
        filter: &request.filter,
        depth: request.depth,
        corrects_typos: true,
    };
    let mut found = call.retrieve(&mut plan, wish).await;
    request.take(&found.corrections);
    let mut pages = std::mem::take(&mut found.pages);
    let (ranking, scale) = (&found.ranking, found.scale());
    let wants_files = matches!(request.filter.page_type, Some(PageType::File | PageType::Infra));
    let of_files = if wants_files { merge::file_pages(&ranking.files) } else { Vec::new() };
    let spots = merge::spots(&ranking.files, scale);
    let items = match request.filter.page_type {
        None => merge::items(spots, &mut pages, scale),
        // Workers sent no other files than those with such a page.
        Some(PageType::File | PageType::Infra) => {
            of_files.iter().map(|(page, relevance)| Item::Page(page, *relevance)).collect()
        }
        Some(PageType::Symbol) => spots.into_iter().filter(|spot| spot.spot.symbol.is_some()).map(Item::Spot).collect(),
        Some(wanted @ (PageType::Module | PageType::Overview)) => {
            pages.retain(|page| page.page_type == wanted);
            merge::items(Vec::new(), &mut pages, scale)
        }
    };
    let page = Page::of(ranking, &items, offset, request.limit);
    let fetched = read(call, &mut plan, &page).await;
    let snippets = snippets(&page, &fetched, &request);
    Ok(render::render(call, &plan, &page, snippets, &binding, request, &found.method))
}

/// Reads what is shown: source, or the text of a page.
async fn read(call: &Call<'_>, plan: &mut Plan, page: &Page<'_>) -> Vec<Option<Fetched>> {
    let (mut source, mut texts) = (Vec::new(), Vec::new());
    for item in page.shown {
        match item {
            Item::Spot(spot) => source.push(page.wanted(spot)),
            Item::Page(found, _) => {
                let (position, page_type) = (found.position, found.page_type);
                texts.push(WantedPage { position, page_type, path: found.hit.path.clone() });
            }
        }
    }
    let mut source = call.fetch(plan, &source).await.into_iter();
    let texts = if texts.is_empty() { Vec::new() } else { call.fetch_pages(plan, &texts).await };
    let mut texts = texts.into_iter();
    let whole = |text: String| {
        let n_lines = text.lines().count() as u32;
        Fetched { text, lines: LineSpan { start: 1, end: n_lines.max(1) }, file_lines: n_lines }
    };
    let fetched = page.shown.iter().map(|item| match item {
        Item::Spot(_) => source.next().flatten(),
        Item::Page(..) => texts.next().flatten().map(whole),
    });
    fetched.collect()
}

fn snippets(page: &Page<'_>, fetched: &[Option<Fetched>], request: &Request) -> Vec<String> {
    let name_line = |item: &Item<'_>| match item {
        Item::Spot(spot) => spot.spot.symbol.map_or(0, |symbol| symbol.name_line),
        Item::Page(..) => 0,
    };
    let passage = |(item, fetched): (&Item<'_>, &'_ Option<Fetched>)| (name_line(item), fetched.clone());
    let read: Vec<(u32, Option<Fetched>)> = page.shown.iter().zip(fetched).map(passage).collect();
    let passages: Vec<Option<Passage<'_>>> = read
        .iter()
        .map(|(name_line, fetched)| fetched.as_ref().map(|fetched| Passage { fetched, name_line: *name_line }))
        .collect();
    let words: Vec<&str> = request.words.iter().map(String::as_str).collect();
    pack::snippets(&passages, &words, SNIPPET_BUDGET, MAX_SNIPPET_LINES)
}
