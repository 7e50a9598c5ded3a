//! `search_codebase`: files and definitions by text, name and path, ranked over all repositories as if they were one.

mod page;
mod render;
mod request;

use futures::FutureExt as _;
use model::{LineSpan, PageType};
use proto::v1;
use serde_json::Value;

use super::Tool;
use crate::{
    call::{Call, Replies},
    cursor::Binding,
    fetch::{Fetched, WantedPage},
    meaning::Meaning,
    merge::{self, Found, FoundPage, Item, Ranking, Scale, merge},
    pack::{self, Passage},
    plan::Plan,
    refusal::Refusal,
    render::Rendered,
    schema, typo,
};

use page::Page;
use request::{Arguments, Request};

pub(super) use request::wire;

const NAME: &str = "search_codebase";

/// Tokens of code in one answer, however many results it has.
const SNIPPET_BUDGET: usize = 4_000;

/// Lines of code in one result.
const MAX_SNIPPET_LINES: usize = 40;

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

pub(crate) async fn answer(call: &Call<'_>, arguments: Value) -> Result<Rendered, Refusal> {
    let mut request = Request::read(call, arguments.clone())?;
    let mut plan = call.visible.plan(request.repo.as_deref())?;
    let binding = Binding::new(call.principal, NAME, &arguments, &plan);
    let offset = request.cursor.as_deref().map_or(Ok(0), |cursor| binding.offset(cursor))?;

    let mut statistics = call.statistics(&mut plan, &request.parts).await;
    let corrections = typo::correct(call, &mut plan, &request.text, &mut request.parts, &mut statistics).await;
    request.take(&corrections);
    let weighted = statistics.weigh(&request.parts.terms);
    let meaning = call.meaning(&request.text).await;
    let replies = call.search(&mut plan, &request.to_wire(&statistics, &weighted, meaning.vector())).await;
    let scale = Scale {
        total_weight: request.parts.total_weight(weighted.total),
        name_counts: &statistics.name_counts,
        kept: request.parts.kept,
        depth: request.depth,
        newest: plan.newest_commit(),
    };
    let Merged { ranking, mut pages, without_vectors } = merged(&mut plan, replies, scale);
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
    let page = Page::of(&ranking, &items, offset, request.limit);
    let fetched = read(call, &mut plan, &page).await;
    let snippets = snippets(&page, &fetched, &request);
    let method = Method { meaning, without_vectors };
    Ok(render::render(call, &plan, &page, snippets, &binding, request, method))
}

/// How the search was done.
struct Method {
    meaning: Meaning,
    /// Aliases of the repositories that were searched by text alone.
    without_vectors: Vec<String>,
}

pub(super) struct Merged {
    pub(super) ranking: Ranking,
    pub(super) pages: Vec<FoundPage>,
    pub(super) without_vectors: Vec<String>,
}

pub(super) fn merged(plan: &mut Plan, replies: Replies<v1::SearchResponse>, scale: Scale<'_>) -> Merged {
    let mut found: Vec<Found> = Vec::new();
    let (mut pages, mut without_vectors) = (Vec::new(), Vec::new());
    for (group, reply) in replies {
        let positions = plan.by_id(&group);
        let hits = reply.hits.into_iter();
        found.extend(hits.filter_map(|hit| Some(Found { position: *positions.get(hit.repository.as_str())?, hit })));
        pages.extend(reply.pages.into_iter().filter_map(|hit| {
            let page_type = PageType::parse(&hit.page_type)?;
            Some(FoundPage { position: *positions.get(hit.repository.as_str())?, page_type, hit })
        }));
        let of_another = reply.without_vectors.iter().filter_map(|id| positions.get(id.as_str()));
        without_vectors.extend(of_another.map(|position| plan.alias(*position).to_owned()));
        let n_pruned = reply.pruned.iter().filter(|id| positions.contains_key(id.as_str())).count();
        plan.n_pruned += n_pruned;
    }
    without_vectors.sort();
    Merged { ranking: merge(found, scale), pages, without_vectors }
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
