//! `ShardService`: each call looks its targets up, asks them on the query pool, and answers for every one of them.

use std::{pin::Pin, sync::Arc, time::Duration};

use futures::{Stream, StreamExt};
use index::{IndexError, Snapshot, Source, SymbolHit, SymbolQuery, Wanted as WantedSymbols};
use model::{Filter, LineSpan, PageType};
use proto::v1::{self, shard_service_server::ShardService};
use tokio_stream::wrappers::WatchStream;
use tonic::{Request, Response, Status};

use super::{
    QueryPool, compare, graph, history, overview,
    pool::{self, Wanted},
    search, suggest,
    targets::{self, Asked},
    wire,
};
use crate::{catalog::Catalog, lifecycle::Lifecycle};

/// Symbols that are returned at most, whatever is asked for.
const MAX_SYMBOLS: u32 = 1_000;

/// Items that one request may ask for.
const MAX_ITEMS: usize = 1_000;

/// Longer names, patterns and paths are refused: nothing is called that.
const MAX_PATTERN_BYTES: usize = 4_096;

/// Changes that come closer together are sent as one: while hundreds of repositories are indexed, each of them is one.
const INVENTORY_INTERVAL: Duration = Duration::from_millis(20);

pub(crate) struct ShardApi {
    pub(crate) worker: String,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) pool: QueryPool,
    pub(crate) lifecycle: Lifecycle,
}

#[tonic::async_trait]
impl ShardService for ShardApi {
    type InventoryStream = Pin<Box<dyn Stream<Item = Result<v1::InventoryResponse, Status>> + Send>>;

    async fn inventory(&self, _: Request<v1::InventoryRequest>) -> Result<Response<Self::InventoryStream>, Status> {
        let (catalog, worker, lifecycle) = (self.catalog.clone(), self.worker.clone(), self.lifecycle.clone());
        let changes =
            tokio_stream::StreamExt::throttle(WatchStream::new(self.catalog.watch_inventory()), INVENTORY_INTERVAL);
        let replies = changes.map(move |_| {
            Ok(v1::InventoryResponse { draining: lifecycle.is_draining(), ..catalog.inventory(&worker) })
        });
        Ok(Response::new(Box::pin(replies.take_until(self.lifecycle.stop.clone().cancelled_owned()))))
    }

    async fn statistics(
        &self,
        request: Request<v1::StatisticsRequest>,
    ) -> Result<Response<v1::StatisticsResponse>, Status> {
        let deadline = pool::deadline(&request);
        let request = request.into_inner();
        let targets = targets::find(&self.catalog, &request.targets)?;
        let answer = move |wanted: &Wanted| {
            let (replies, outcomes) = targets::ask(&targets, wanted, |asked| {
                Ok(asked.snapshot.statistics(&request.terms, &request.identifiers))
            });
            let mut sum = ranking::Statistics::zero(request.terms.len(), request.identifiers.len());
            replies.iter().for_each(|(_, statistics)| sum.add(statistics));
            let statistics = v1::CorpusStatistics {
                rows: sum.rows,
                document_frequencies: sum.document_frequencies,
                name_counts: sum.name_counts,
            };
            v1::StatisticsResponse { statistics: Some(statistics), outcomes }
        };
        Ok(Response::new(self.pool.run(deadline, answer).await?))
    }

    async fn suggest(&self, request: Request<v1::SuggestRequest>) -> Result<Response<v1::SuggestResponse>, Status> {
        let deadline = pool::deadline(&request);
        let request = request.into_inner();
        let targets = targets::find(&self.catalog, &request.targets)?;
        let suspects = suggest::suspects(&request.words)?;
        let answer = move |wanted: &Wanted| suggest::suggest(&suspects, &targets, wanted);
        Ok(Response::new(self.pool.run(deadline, answer).await?))
    }

    async fn search(&self, request: Request<v1::SearchRequest>) -> Result<Response<v1::SearchResponse>, Status> {
        let deadline = pool::deadline(&request);
        let request = request.into_inner();
        let targets = targets::find(&self.catalog, &request.targets)?;
        let answer = self.pool.run(deadline, move |wanted| search::search(&request, &targets, wanted)).await?;
        Ok(Response::new(answer?))
    }

    async fn compare(&self, request: Request<v1::CompareRequest>) -> Result<Response<v1::CompareResponse>, Status> {
        let deadline = pool::deadline(&request);
        let request = request.into_inner();
        let wanted_targets: Vec<v1::Target> =
            request.rows.iter().map(|set| set.target.clone().unwrap_or_default()).collect();
        let targets = targets::find(&self.catalog, &wanted_targets)?;
        let words = compare::checked(&request)?;
        let answer = move |wanted: &Wanted| compare::compare(&request, &words, &targets, wanted);
        Ok(Response::new(self.pool.run(deadline, answer).await?))
    }

    async fn symbols(&self, request: Request<v1::SymbolsRequest>) -> Result<Response<v1::SymbolsResponse>, Status> {
        let deadline = pool::deadline(&request);
        let request = request.into_inner();
        let targets = targets::find(&self.catalog, &request.targets)?;
        let query = symbol_query(&request)?;
        let answer = move |wanted: &Wanted| {
            let (replies, outcomes) = targets::ask(&targets, wanted, |asked| asked.snapshot.symbols(&query));
            let matched = replies.iter().map(|(_, found)| found.matched).sum();
            let mut hits: Vec<(&Asked<'_>, &SymbolHit)> =
                replies.iter().flat_map(|(asked, found)| found.hits.iter().map(move |hit| (asked, hit))).collect();
            // Within a snapshot ties are in the order of path and line, which a stable sort keeps.
            hits.sort_by(|a, b| (a.1.order, a.0.alias).cmp(&(b.1.order, b.0.alias)));
            hits.truncate(query.limit);
            let hits = hits.into_iter().map(|(asked, hit)| symbol_hit(asked, hit.clone())).collect();
            v1::SymbolsResponse { hits, matched, outcomes }
        };
        Ok(Response::new(self.pool.run(deadline, answer).await?))
    }

    async fn outline(&self, request: Request<v1::OutlineRequest>) -> Result<Response<v1::OutlineResponse>, Status> {
        let deadline = pool::deadline(&request);
        let request = request.into_inner();
        check_length("path", &request.path)?;
        let targets = targets::find(&self.catalog, &request.targets)?;
        let answer = move |wanted: &Wanted| {
            let (replies, outcomes) =
                targets::ask(&targets, wanted, |asked| asked.snapshot.outline(&request.path, request.limit as usize));
            let files = replies
                .into_iter()
                .flat_map(|(asked, outlines)| outlines.into_iter().map(move |outline| file_outline(&asked, outline)))
                .collect();
            v1::OutlineResponse { files, outcomes }
        };
        Ok(Response::new(self.pool.run(deadline, answer).await?))
    }

    async fn fetch(&self, request: Request<v1::FetchRequest>) -> Result<Response<v1::FetchResponse>, Status> {
        let deadline = pool::deadline(&request);
        let request = request.into_inner();
        if request.items.len() > MAX_ITEMS {
            return Err(Status::invalid_argument(format!("at most {MAX_ITEMS} items can be fetched at once")));
        }
        // A file that several items want is read once for each: rare, and simpler than sharing it.
        let wanted_targets: Vec<v1::Target> =
            request.items.iter().map(|item| item.target.clone().unwrap_or_default()).collect();
        let targets = targets::find(&self.catalog, &wanted_targets)?;
        let pages = request.items.iter().map(v1::FetchItem::wanted_page).collect::<Result<Vec<_>, _>>()?;
        let answer = move |wanted: &Wanted| {
            let items: Vec<(&targets::Target, Text<'_>)> =
                targets.iter().zip(request.items.iter().zip(pages).map(|(item, page)| Text::of(item, page))).collect();
            v1::FetchResponse { results: pool::map(&items, |(target, text)| fetch_one(target, text, wanted)) }
        };
        Ok(Response::new(self.pool.run(deadline, answer).await?))
    }

    async fn neighbours(
        &self,
        request: Request<v1::NeighboursRequest>,
    ) -> Result<Response<v1::NeighboursResponse>, Status> {
        let deadline = pool::deadline(&request);
        let request = request.into_inner();
        let targets = targets::find(&self.catalog, &graph::checked(&request.frontier)?)?;
        let query = graph::edge_query(&request)?;
        let answer = move |wanted: &Wanted| graph::neighbours(&request, &query, &targets, wanted);
        Ok(Response::new(self.pool.run(deadline, answer).await?))
    }

    async fn describe(&self, request: Request<v1::DescribeRequest>) -> Result<Response<v1::DescribeResponse>, Status> {
        let deadline = pool::deadline(&request);
        let request = request.into_inner();
        let targets = targets::find(&self.catalog, &graph::checked(&request.nodes)?)?;
        let answer = move |wanted: &Wanted| graph::describe(&request, &targets, wanted);
        Ok(Response::new(self.pool.run(deadline, answer).await?))
    }

    async fn surface(&self, request: Request<v1::SurfaceRequest>) -> Result<Response<v1::SurfaceResponse>, Status> {
        let deadline = pool::deadline(&request);
        let targets = targets::find(&self.catalog, &request.into_inner().targets)?;
        let answer = move |wanted: &Wanted| graph::surface(&targets, wanted);
        Ok(Response::new(self.pool.run(deadline, answer).await?))
    }

    async fn locate(&self, request: Request<v1::LocateRequest>) -> Result<Response<v1::LocateResponse>, Status> {
        let deadline = pool::deadline(&request);
        let request = request.into_inner();
        if request.members.len() > graph::MAX_MEMBERS {
            let message = format!("at most {} names can be located at once", graph::MAX_MEMBERS);
            return Err(Status::invalid_argument(message));
        }
        let targets = targets::find(&self.catalog, &[request.target.clone().unwrap_or_default()])?;
        let answer = move |wanted: &Wanted| graph::locate(&request, &targets, wanted);
        Ok(Response::new(self.pool.run(deadline, answer).await?))
    }

    async fn history(&self, request: Request<v1::HistoryRequest>) -> Result<Response<v1::HistoryResponse>, Status> {
        let deadline = pool::deadline(&request);
        let request = request.into_inner();
        if request.items.len() > MAX_ITEMS {
            return Err(Status::invalid_argument(format!("at most {MAX_ITEMS} files can be asked for at once")));
        }
        let wanted_targets: Vec<v1::Target> =
            request.items.iter().map(|item| item.target.clone().unwrap_or_default()).collect();
        let targets = targets::find(&self.catalog, &wanted_targets)?;
        let answer = move |wanted: &Wanted| history::histories(&request.items, &targets, wanted);
        Ok(Response::new(self.pool.run(deadline, answer).await?))
    }

    async fn activity(&self, request: Request<v1::ActivityRequest>) -> Result<Response<v1::ActivityResponse>, Status> {
        let deadline = pool::deadline(&request);
        let targets = targets::find(&self.catalog, &request.into_inner().targets)?;
        let answer = move |wanted: &Wanted| history::activity(&targets, wanted);
        Ok(Response::new(self.pool.run(deadline, answer).await?))
    }

    async fn active_commits(
        &self,
        request: Request<v1::ActiveCommitsRequest>,
    ) -> Result<Response<v1::ActiveCommitsResponse>, Status> {
        let deadline = pool::deadline(&request);
        let request = request.into_inner();
        let wanted_targets: Vec<v1::Target> =
            request.items.iter().map(|item| item.target.clone().unwrap_or_default()).collect();
        let targets = targets::find(&self.catalog, &wanted_targets)?;
        let answer = move |wanted: &Wanted| history::active_commits(&request.items, &targets, wanted);
        Ok(Response::new(self.pool.run(deadline, answer).await?))
    }

    async fn overview(&self, request: Request<v1::OverviewRequest>) -> Result<Response<v1::OverviewResponse>, Status> {
        let deadline = pool::deadline(&request);
        let request = request.into_inner();
        let targets = targets::find(&self.catalog, &request.targets)?;
        let limit = request.limit.max(1) as usize;
        let answer = move |wanted: &Wanted| overview::overviews(&targets, limit, wanted);
        Ok(Response::new(self.pool.run(deadline, answer).await?))
    }
}

/// A text that can be fetched.
enum Text<'a> {
    Source { path: &'a str, lines: Option<LineSpan> },
    Page { path: &'a str, page_type: PageType },
}

impl Text<'_> {
    fn of(item: &v1::FetchItem, page: Option<PageType>) -> Text<'_> {
        let path = item.path.as_str();
        match page {
            Some(page_type) => Text::Page { path, page_type },
            None => Text::Source { path, lines: item.lines.map(LineSpan::from) },
        }
    }

    /// Reads it; nothing where there is no such file or page.
    fn read(&self, snapshot: &Snapshot) -> Result<Option<Source>, IndexError> {
        match self {
            Text::Source { path, lines } => snapshot.source(path, *lines),
            Text::Page { path, page_type } => Ok(snapshot.page(*page_type, path)?.map(|page| {
                let n_file_lines = page.text.lines().count() as u32;
                Source { text: page.text, lines: LineSpan { start: 1, end: n_file_lines }, n_file_lines }
            })),
        }
    }
}

fn fetch_one(target: &targets::Target, text: &Text<'_>, wanted: &Wanted) -> v1::FetchResult {
    let targets = std::slice::from_ref(target);
    let (replies, mut outcomes) = targets::ask(targets, wanted, |asked| text.read(asked.snapshot));
    let mut outcome = outcomes.pop().unwrap_or_default();
    match replies.into_iter().next() {
        Some((_, Some(source))) => v1::FetchResult {
            outcome: Some(outcome),
            text: source.text,
            lines: Some(source.lines.into()),
            file_lines: source.n_file_lines,
        },
        Some((_, None)) if matches!(text, Text::Source { .. }) => {
            outcome.state = v1::TargetState::Failed.into();
            outcome.reason = "there is no such file".to_owned();
            v1::FetchResult { outcome: Some(outcome), ..Default::default() }
        }
        // Not every folder has a page: that there is none is an answer.
        Some((_, None)) | None => v1::FetchResult { outcome: Some(outcome), ..Default::default() },
    }
}

fn symbol_query(request: &v1::SymbolsRequest) -> Result<SymbolQuery, Status> {
    use v1::symbols_request::Query;
    check_length("file pattern", &request.file_pattern)?;
    let wanted = match &request.query {
        Some(Query::Name(name)) => {
            check_length("name", name)?;
            WantedSymbols::Name(name.clone())
        }
        Some(Query::Regex(regex)) => {
            check_length("regular expression", regex)?;
            WantedSymbols::Regex(regex.clone())
        }
        Some(Query::Lookup(lookup)) => {
            check_length("symbol id", &lookup.qualified)?;
            WantedSymbols::Id {
                path: lookup.path.clone(),
                qualified: lookup.qualified.clone(),
                ordinal: lookup.ordinal,
            }
        }
        None => return Err(Status::invalid_argument("a name, a regular expression or a symbol id is needed")),
    };
    let filter = Filter::try_from(&request.filter.clone().unwrap_or_default())?;
    let query = SymbolQuery {
        wanted,
        filter,
        file_pattern: request.file_pattern.clone(),
        limit: request.limit.clamp(1, MAX_SYMBOLS) as usize,
    };
    query.check().map_err(|error| Status::invalid_argument(error.to_string()))?;
    Ok(query)
}

fn check_length(what: &str, text: &str) -> Result<(), Status> {
    if text.len() > MAX_PATTERN_BYTES {
        return Err(Status::invalid_argument(format!("the {what} is longer than {MAX_PATTERN_BYTES} bytes")));
    }
    Ok(())
}

fn symbol_hit(asked: &Asked<'_>, hit: SymbolHit) -> v1::SymbolHit {
    v1::SymbolHit {
        repository: asked.repository.to_owned(),
        file: Some(wire::file(hit.file)),
        symbol: Some(wire::symbol(hit.symbol)),
        tier: wire::tier(hit.tier).into(),
        distance: hit.distance,
    }
}

fn file_outline(asked: &Asked<'_>, outline: index::FileOutline) -> v1::FileOutline {
    v1::FileOutline {
        repository: asked.repository.to_owned(),
        file: Some(wire::file(outline.file)),
        doc: outline.doc,
        symbols: outline.symbols.into_iter().map(wire::symbol).collect(),
        diagnostics: outline.diagnostics,
        bare: outline.bare,
    }
}
