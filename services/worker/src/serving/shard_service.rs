//! `ShardService`: each call looks up its targets, queries them on the query pool, and has an outcome for every one of them.

use std::{pin::Pin, sync::Arc, time::Duration};

use futures::{Stream, StreamExt};
use index::{IndexError, Snapshot, SourceExcerpt, SymbolHit, SymbolQuery, SymbolSelector};
use model::{Filter, LineSpan, PageType};
use proto::v1::{self, shard_service_server::ShardService};
use tokio_stream::wrappers::WatchStream;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status};

use super::{
    QueryPool, changes, compare, graph, history, messages, overview,
    query_pool::{self, QueryContext},
    search, sites, suggest,
    targets::{self, TargetSnapshot},
    tokens,
};
use crate::repositories::{Catalog, Repositories, ViewLookup};

/// Maximum number of symbols of a reply.
const MAX_SYMBOLS: u32 = 1_000;

/// Maximum number of items of a request.
const MAX_ITEMS: usize = 1_000;

/// Maximum length of names, patterns and paths.
const MAX_PATTERN_BYTES: usize = 4_096;

/// Minimum interval of inventories. While hundreds of repositories are indexed, each of them is a change.
const INVENTORY_INTERVAL: Duration = Duration::from_millis(20);

/// The implementation of `ShardService`.
pub(crate) struct ShardApi {
    pub(crate) worker: String,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) repositories: Arc<Repositories>,
    pub(crate) pool: QueryPool,
    pub(crate) draining: CancellationToken,
    pub(crate) stop: CancellationToken,
}

#[tonic::async_trait]
impl ShardService for ShardApi {
    type InventoryStream = Pin<Box<dyn Stream<Item = Result<v1::InventoryResponse, Status>> + Send>>;

    async fn inventory(&self, _: Request<v1::InventoryRequest>) -> Result<Response<Self::InventoryStream>, Status> {
        let (catalog, worker, draining) = (self.catalog.clone(), self.worker.clone(), self.draining.clone());
        let changes =
            tokio_stream::StreamExt::throttle(WatchStream::new(self.catalog.watch_inventory()), INVENTORY_INTERVAL);
        let replies = changes.map(move |_| {
            Ok(v1::InventoryResponse { draining: draining.is_cancelled(), ..catalog.inventory(&worker) })
        });
        Ok(Response::new(Box::pin(replies.take_until(self.stop.clone().cancelled_owned()))))
    }

    async fn ensure_view(
        &self,
        request: Request<v1::EnsureViewRequest>,
    ) -> Result<Response<v1::EnsureViewResponse>, Status> {
        let v1::EnsureViewRequest { target, reference } = request.into_inner();
        let (repo, _) = target.unwrap_or_default().parse()?;
        if reference.len() > MAX_PATTERN_BYTES {
            return Err(Status::invalid_argument("the name of the reference is too long"));
        }
        let repositories = self.repositories.clone();
        let ensured = tokio::task::spawn_blocking(move || repositories.ensure_view(repo, &reference));
        let reply = match ensured.await.map_err(|error| Status::internal(error.to_string()))? {
            ViewLookup::Held { alias } => v1::EnsureViewResponse { alias, ..Default::default() },
            ViewLookup::UnknownReference(known) => {
                let known = known.iter().map(|name| text::mask_secrets(name).into_owned()).collect();
                v1::EnsureViewResponse { known, ..Default::default() }
            }
            ViewLookup::Unreadable(reason) => {
                v1::EnsureViewResponse { failure: text::mask_secrets(&reason).into_owned(), ..Default::default() }
            }
        };
        Ok(Response::new(reply))
    }

    async fn statistics(
        &self,
        request: Request<v1::StatisticsRequest>,
    ) -> Result<Response<v1::StatisticsResponse>, Status> {
        let deadline = query_pool::deadline(&request);
        let request = request.into_inner();
        let targets = targets::find_with_drafts(&self.catalog, &request.targets)?;
        let answer = move |context: &QueryContext| {
            let (replies, outcomes) = targets::query_all(&targets, context, |shard| {
                Ok(shard.snapshot.statistics(&request.terms, &request.identifiers))
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
        let deadline = query_pool::deadline(&request);
        let request = request.into_inner();
        let targets = targets::find_with_drafts(&self.catalog, &request.targets)?;
        let suspects = suggest::suspects(&request.words)?;
        let answer = move |context: &QueryContext| suggest::suggest(&suspects, &targets, context);
        Ok(Response::new(self.pool.run(deadline, answer).await?))
    }

    async fn search(&self, request: Request<v1::SearchRequest>) -> Result<Response<v1::SearchResponse>, Status> {
        let deadline = query_pool::deadline(&request);
        let request = request.into_inner();
        let targets = targets::find_with_drafts(&self.catalog, &request.targets)?;
        let answer = self.pool.run(deadline, move |context| search::search(&request, &targets, context)).await?;
        Ok(Response::new(answer?))
    }

    async fn compare(&self, request: Request<v1::CompareRequest>) -> Result<Response<v1::CompareResponse>, Status> {
        let deadline = query_pool::deadline(&request);
        let request = request.into_inner();
        let wanted_targets: Vec<v1::Target> =
            request.rows.iter().map(|set| set.target.clone().unwrap_or_default()).collect();
        let targets = targets::find_with_drafts(&self.catalog, &wanted_targets)?;
        let words = compare::check_words(&request)?;
        let answer = move |context: &QueryContext| compare::compare(&request, &words, &targets, context);
        Ok(Response::new(self.pool.run(deadline, answer).await?))
    }

    async fn symbols(&self, request: Request<v1::SymbolsRequest>) -> Result<Response<v1::SymbolsResponse>, Status> {
        let deadline = query_pool::deadline(&request);
        let request = request.into_inner();
        let targets = targets::find_with_drafts(&self.catalog, &request.targets)?;
        let query = symbol_query(&request)?;
        let answer = move |context: &QueryContext| {
            let (replies, outcomes) = targets::query_all(&targets, context, |shard| shard.snapshot.symbols(&query));
            let matched = replies.iter().map(|(_, found)| found.matched).sum();
            let mut hits: Vec<(&TargetSnapshot<'_>, &SymbolHit)> =
                replies.iter().flat_map(|(shard, found)| found.hits.iter().map(move |hit| (shard, hit))).collect();
            // Within a snapshot ties are in the order of path and line, which a stable sort keeps. A draft has two snapshots.
            hits.sort_by(|a, b| {
                let by_order = (a.1.order, a.0.alias).cmp(&(b.1.order, b.0.alias));
                by_order.then_with(|| a.1.file.path.cmp(&b.1.file.path))
            });
            hits.truncate(query.limit);
            let hits = hits.into_iter().map(|(shard, hit)| symbol_hit(shard, hit.clone())).collect();
            v1::SymbolsResponse { hits, matched, outcomes }
        };
        Ok(Response::new(self.pool.run(deadline, answer).await?))
    }

    async fn outline(&self, request: Request<v1::OutlineRequest>) -> Result<Response<v1::OutlineResponse>, Status> {
        let deadline = query_pool::deadline(&request);
        let request = request.into_inner();
        check_length("path", &request.path)?;
        if request.folder {
            let targets = targets::find(&self.catalog, &request.targets)?;
            let answer = move |context: &QueryContext| {
                let (replies, outcomes) =
                    targets::query_all(&targets, context, |shard| Ok(shard.snapshot.folder(&request.path)));
                let folders = replies.into_iter().map(|(shard, listed)| folder_listing(&shard, listed)).collect();
                v1::OutlineResponse { folders, outcomes, ..Default::default() }
            };
            return Ok(Response::new(self.pool.run(deadline, answer).await?));
        }
        let targets = targets::find_with_drafts(&self.catalog, &request.targets)?;
        let answer = move |context: &QueryContext| {
            let (replies, outcomes) = targets::query_all(&targets, context, |shard| {
                shard.snapshot.outline(&request.path, request.limit as usize)
            });
            let files = replies
                .into_iter()
                .flat_map(|(shard, outlines)| outlines.into_iter().map(move |outline| file_outline(&shard, outline)))
                .collect();
            v1::OutlineResponse { files, outcomes, ..Default::default() }
        };
        Ok(Response::new(self.pool.run(deadline, answer).await?))
    }

    async fn fetch(&self, request: Request<v1::FetchRequest>) -> Result<Response<v1::FetchResponse>, Status> {
        let deadline = query_pool::deadline(&request);
        let request = request.into_inner();
        if request.items.len() > MAX_ITEMS {
            return Err(Status::invalid_argument(format!("at most {MAX_ITEMS} items can be fetched at once")));
        }
        // A file of several items is read once for each of them: that is rare, and simpler than sharing it.
        let wanted_targets: Vec<v1::Target> =
            request.items.iter().map(|item| item.target.clone().unwrap_or_default()).collect();
        let targets = targets::find_with_drafts(&self.catalog, &wanted_targets)?;
        let pages = request.items.iter().map(v1::FetchItem::wanted_page).collect::<Result<Vec<_>, _>>()?;
        let answer = move |context: &QueryContext| {
            let items: Vec<(&targets::QueryTarget, FetchedText<'_>)> = targets
                .iter()
                .zip(request.items.iter().zip(pages).map(|(item, page)| FetchedText::of(item, page)))
                .collect();
            v1::FetchResponse { results: query_pool::map(&items, |(target, text)| fetch_one(target, text, context)) }
        };
        Ok(Response::new(self.pool.run(deadline, answer).await?))
    }

    async fn neighbours(
        &self,
        request: Request<v1::NeighboursRequest>,
    ) -> Result<Response<v1::NeighboursResponse>, Status> {
        let deadline = query_pool::deadline(&request);
        let request = request.into_inner();
        let targets = targets::find(&self.catalog, &graph::check_targets(&request.frontier)?)?;
        let query = graph::edge_query(&request)?;
        let answer = move |context: &QueryContext| graph::neighbours(&request, &query, &targets, context);
        Ok(Response::new(self.pool.run(deadline, answer).await?))
    }

    async fn describe(&self, request: Request<v1::DescribeRequest>) -> Result<Response<v1::DescribeResponse>, Status> {
        let deadline = query_pool::deadline(&request);
        let request = request.into_inner();
        let targets = targets::find(&self.catalog, &graph::check_targets(&request.nodes)?)?;
        let answer = move |context: &QueryContext| graph::describe(&request, &targets, context);
        Ok(Response::new(self.pool.run(deadline, answer).await?))
    }

    async fn surface(&self, request: Request<v1::SurfaceRequest>) -> Result<Response<v1::SurfaceResponse>, Status> {
        let deadline = query_pool::deadline(&request);
        let targets = targets::find(&self.catalog, &request.into_inner().targets)?;
        let answer = move |context: &QueryContext| graph::surface(&targets, context);
        Ok(Response::new(self.pool.run(deadline, answer).await?))
    }

    async fn locate(&self, request: Request<v1::LocateRequest>) -> Result<Response<v1::LocateResponse>, Status> {
        let deadline = query_pool::deadline(&request);
        let request = request.into_inner();
        if request.members.len() > graph::MAX_MEMBERS {
            let message = format!("at most {} names can be located at once", graph::MAX_MEMBERS);
            return Err(Status::invalid_argument(message));
        }
        let targets = targets::find(&self.catalog, &[request.target.clone().unwrap_or_default()])?;
        let answer = move |context: &QueryContext| graph::locate(&request, &targets, context);
        Ok(Response::new(self.pool.run(deadline, answer).await?))
    }

    async fn link_facts(
        &self,
        request: Request<v1::LinkFactsRequest>,
    ) -> Result<Response<v1::LinkFactsResponse>, Status> {
        let deadline = query_pool::deadline(&request);
        let request = request.into_inner();
        let targets = targets::find(&self.catalog, &[request.target.clone().unwrap_or_default()])?;
        let answer = move |context: &QueryContext| graph::link_facts(&request, &targets, context);
        Ok(Response::new(self.pool.run(deadline, answer).await?))
    }

    async fn history(&self, request: Request<v1::HistoryRequest>) -> Result<Response<v1::HistoryResponse>, Status> {
        let deadline = query_pool::deadline(&request);
        let request = request.into_inner();
        if request.items.len() > MAX_ITEMS {
            return Err(Status::invalid_argument(format!("a request may have at most {MAX_ITEMS} files")));
        }
        let wanted_targets: Vec<v1::Target> =
            request.items.iter().map(|item| item.target.clone().unwrap_or_default()).collect();
        let targets = targets::find(&self.catalog, &wanted_targets)?;
        let answer = move |context: &QueryContext| history::histories(&request.items, &targets, context);
        Ok(Response::new(self.pool.run(deadline, answer).await?))
    }

    async fn activity(&self, request: Request<v1::ActivityRequest>) -> Result<Response<v1::ActivityResponse>, Status> {
        let deadline = query_pool::deadline(&request);
        let targets = targets::find(&self.catalog, &request.into_inner().targets)?;
        let answer = move |context: &QueryContext| history::activity(&targets, context);
        Ok(Response::new(self.pool.run(deadline, answer).await?))
    }

    async fn active_commits(
        &self,
        request: Request<v1::ActiveCommitsRequest>,
    ) -> Result<Response<v1::ActiveCommitsResponse>, Status> {
        let deadline = query_pool::deadline(&request);
        let request = request.into_inner();
        let wanted_targets: Vec<v1::Target> =
            request.items.iter().map(|item| item.target.clone().unwrap_or_default()).collect();
        let targets = targets::find(&self.catalog, &wanted_targets)?;
        let answer = move |context: &QueryContext| history::active_commits(&request.items, &targets, context);
        Ok(Response::new(self.pool.run(deadline, answer).await?))
    }

    async fn changes(&self, request: Request<v1::ChangesRequest>) -> Result<Response<v1::ChangesResponse>, Status> {
        let deadline = query_pool::deadline(&request);
        let request = request.into_inner();
        let target = request.target.clone().unwrap_or_default();
        let checkout = self.catalog.checkout(target.parse()?.0);
        let targets = targets::find(&self.catalog, &[target])?;
        let answer =
            move |context: &QueryContext| changes::changes(&request.change, checkout.as_ref(), &targets, context);
        Ok(Response::new(self.pool.run(deadline, answer).await?))
    }

    async fn sites(&self, request: Request<v1::SitesRequest>) -> Result<Response<v1::SitesResponse>, Status> {
        let deadline = query_pool::deadline(&request);
        let request = request.into_inner();
        if request.items.len() > MAX_ITEMS {
            return Err(Status::invalid_argument(format!("a request may have at most {MAX_ITEMS} files")));
        }
        let targets = targets::find(&self.catalog, &[request.target.clone().unwrap_or_default()])?;
        let answer = move |context: &QueryContext| sites::sites(&request.items, &targets, context);
        Ok(Response::new(self.pool.run(deadline, answer).await?))
    }

    async fn overview(&self, request: Request<v1::OverviewRequest>) -> Result<Response<v1::OverviewResponse>, Status> {
        let deadline = query_pool::deadline(&request);
        let request = request.into_inner();
        let targets = targets::find(&self.catalog, &request.targets)?;
        let limit = request.limit.max(1) as usize;
        let answer = move |context: &QueryContext| overview::overviews(&targets, limit, context);
        Ok(Response::new(self.pool.run(deadline, answer).await?))
    }
}

/// A text to fetch.
enum FetchedText<'a> {
    Source { path: &'a str, lines: Option<LineSpan>, is_annotated: bool },
    Page { path: &'a str, page_type: PageType },
}

impl FetchedText<'_> {
    fn of(item: &v1::FetchItem, page: Option<PageType>) -> FetchedText<'_> {
        let path = item.path.as_str();
        match page {
            Some(page_type) => FetchedText::Page { path, page_type },
            None => FetchedText::Source { path, lines: item.lines.map(LineSpan::from), is_annotated: item.annotated },
        }
    }

    /// Reads the text; `None` if there is no such file or page.
    fn read(&self, snapshot: &Snapshot) -> Result<Option<SourceExcerpt>, IndexError> {
        match self {
            FetchedText::Source { path, lines, .. } => snapshot.source(path, *lines),
            FetchedText::Page { path, page_type } => Ok(snapshot.page(*page_type, path)?.map(|page| {
                let n_file_lines = page.text.lines().count() as u32;
                SourceExcerpt { text: page.text, lines: LineSpan { start: 1, end: n_file_lines }, n_file_lines }
            })),
        }
    }
}

fn fetch_one(target: &targets::QueryTarget, text: &FetchedText<'_>, context: &QueryContext) -> v1::FetchResult {
    let found_targets = std::slice::from_ref(target);
    let (replies, mut outcomes) = targets::query_all(found_targets, context, |shard| {
        let source = text.read(shard.snapshot)?;
        let annotation = match (text, &source) {
            (FetchedText::Source { path, is_annotated: true, .. }, Some(source)) => {
                tokens::annotate(shard.snapshot, path, source)?
            }
            _ => Default::default(),
        };
        Ok(source.map(|source| (source, annotation)))
    });
    let mut outcome = outcomes.pop().unwrap_or_default();
    let has_replied = !replies.is_empty();
    // A file of a draft is in one of its two parts.
    match replies.into_iter().find_map(|(_, read)| read) {
        Some((source, (tokens, targets))) => v1::FetchResult {
            outcome: Some(outcome),
            text: source.text,
            lines: Some(source.lines.into()),
            file_lines: source.n_file_lines,
            tokens,
            targets,
        },
        None if has_replied && matches!(text, FetchedText::Source { .. }) => {
            outcome.state = v1::TargetState::Failed.into();
            outcome.reason = "there is no such file".to_owned();
            v1::FetchResult { outcome: Some(outcome), ..Default::default() }
        }
        // Not every folder has a page, so that a missing one is no failure.
        None => v1::FetchResult { outcome: Some(outcome), ..Default::default() },
    }
}

fn symbol_query(request: &v1::SymbolsRequest) -> Result<SymbolQuery, Status> {
    use v1::symbols_request::Query;
    check_length("file pattern", &request.file_pattern)?;
    let selector = match &request.query {
        Some(Query::Name(name)) => {
            check_length("name", name)?;
            SymbolSelector::Name(name.clone())
        }
        Some(Query::Regex(regex)) => {
            check_length("regular expression", regex)?;
            SymbolSelector::Regex(regex.clone())
        }
        Some(Query::Lookup(lookup)) => {
            check_length("symbol id", &lookup.qualified)?;
            SymbolSelector::Id {
                path: lookup.path.clone(),
                qualified: lookup.qualified.clone(),
                ordinal: lookup.ordinal,
            }
        }
        None => return Err(Status::invalid_argument("a name, a regular expression or a symbol id is needed")),
    };
    let filter = Filter::try_from(&request.filter.clone().unwrap_or_default())?;
    let query = SymbolQuery {
        selector,
        filter,
        file_pattern: request.file_pattern.clone(),
        limit: request.limit.clamp(1, MAX_SYMBOLS) as usize,
    };
    query.validate().map_err(|error| Status::invalid_argument(error.to_string()))?;
    Ok(query)
}

fn check_length(name: &str, text: &str) -> Result<(), Status> {
    if text.len() > MAX_PATTERN_BYTES {
        return Err(Status::invalid_argument(format!("the {name} is longer than {MAX_PATTERN_BYTES} bytes")));
    }
    Ok(())
}

fn symbol_hit(shard: &TargetSnapshot<'_>, hit: SymbolHit) -> v1::SymbolHit {
    v1::SymbolHit {
        repository: shard.repository.to_owned(),
        file: Some(messages::file(hit.file)),
        symbol: Some(messages::symbol(hit.symbol)),
        tier: messages::tier(hit.tier).into(),
        distance: hit.distance,
    }
}

fn folder_listing(shard: &TargetSnapshot<'_>, listed: index::ListedFolder) -> v1::FolderListing {
    let entry = |entry: index::ListedEntry| v1::FolderEntry { name: entry.name, files: entry.n_files };
    v1::FolderListing {
        repository: shard.repository.to_owned(),
        entries: listed.entries.into_iter().map(entry).collect(),
        more: listed.n_more,
    }
}

fn file_outline(shard: &TargetSnapshot<'_>, outline: index::FileOutline) -> v1::FileOutline {
    v1::FileOutline {
        repository: shard.repository.to_owned(),
        file: Some(messages::file(outline.file)),
        doc: outline.doc,
        symbols: outline.symbols.into_iter().map(messages::symbol).collect(),
        diagnostics: outline.diagnostics,
        bare: outline.is_bare,
    }
}
