//! `search_codebase`: files and definitions by text, name and path, ranked over all repositories as if they were one.

mod page;
mod render;
mod request;

use futures::FutureExt as _;
use proto::v1;
use ranking::Statistics;
use serde_json::Value;

use super::Tool;
use crate::{
    call::{Call, Replies},
    cursor::Binding,
    fetch::{Fetched, Wanted},
    merge::{Found, Ranking, Scale, merge},
    pack::{self, Passage},
    plan::Plan,
    refusal::Refusal,
    render::Rendered,
    schema,
};

use page::{Page, Spot};
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
    let request = Request::read(call, arguments.clone())?;
    let mut plan = call.visible.plan(request.repo.as_deref())?;
    let binding = Binding::new(call.principal, NAME, &arguments, &plan);
    let offset = request.cursor.as_deref().map_or(Ok(0), |cursor| binding.offset(cursor))?;

    let statistics = call.statistics(&mut plan, &request.parts).await;
    let replies = call.search(&mut plan, &request.to_wire(&statistics)).await;
    let ranking = rank(&plan, replies, &request, &statistics);
    let page = Page::of(&ranking, offset, request.limit);
    let wanted: Vec<Wanted> = page.shown.iter().map(|ranked| Spot::of(&ranked.found.hit).wanted(ranked)).collect();
    let fetched = call.fetch(&mut plan, &wanted).await;
    let snippets = snippets(&page, &fetched, &request);
    Ok(render::render(call, &plan, &page, snippets, &binding, request))
}

fn rank(plan: &Plan, replies: Replies<v1::SearchResponse>, request: &Request, statistics: &Statistics) -> Ranking {
    let mut found: Vec<Found> = Vec::new();
    for (group, reply) in replies {
        let positions = plan.by_id(&group);
        let hits = reply.hits.into_iter();
        found.extend(hits.filter_map(|hit| Some(Found { position: *positions.get(hit.repository.as_str())?, hit })));
    }
    let scale = Scale {
        total_idf: statistics.total_idf(),
        name_counts: &statistics.name_counts,
        keeps_demoted: request.parts.keeps_demoted,
        depth: request.depth,
    };
    merge(found, scale)
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
