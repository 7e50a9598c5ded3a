//! Workers of a few lines each, behind real channels over an in-memory stream.

pub(super) mod endpoint;
mod graph;
mod overview;
mod repository;

use std::{collections::BTreeMap, pin::Pin, sync::Arc, time::Duration};

use futures::{Stream, StreamExt as _, stream};
use model::RepoId;
use proto::{
    grant::GrantError,
    v1::{self, shard_service_server::ShardService},
};
use ranking::typo::Suspect;
use tokio::sync::watch;
use tonic::{Request, Response, Status};

use federation::discovery::WorkerEndpoint;
use graph::Graph;
pub(super) use repository::FakeRepository;
use repository::{contains_term, file, name_tier, rows, symbols, text_of};

/// Skip reason of minified files.
const TOO_LARGE: &str = "9000000 bytes: too large to be read";

/// Behaviour of a fake worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WorkerBehaviour {
    Healthy,
    /// Never answers a search.
    Silent,
    /// Answers nothing except inventory requests.
    Dead,
    /// Rejects every search.
    Failing,
    /// Rejects every search, since its clock is wrong and the grant seems expired.
    ClockOff,
    /// Denies holding the generation of this repository that its inventory lists.
    Forgets(u8),
    /// Answers searches under the name of another worker.
    Stranger,
    /// Accepts calls, and never sends its inventory.
    Mute,
    /// Never answers comparisons.
    Uncomparing,
    /// Never answers for the facts that links are resolved from.
    Unlinking,
    /// Reports that all repositories are being indexed for the first time.
    Indexing,
    /// Reports that indexing failed for all repositories.
    Broken,
    /// Scores the hits of this repository with NaN, and adds a hit of an unrequested repository.
    Garbage(u8),
    /// Fails graph walks in this repository.
    Lost(u8),
    /// Sends replies late and in reverse order.
    Shuffled,
    /// Publishes this newer generation when the older one is requested.
    Publishes(u8),
}

#[derive(Clone)]
pub(super) struct FakeWorker {
    name: &'static str,
    repositories: watch::Sender<Vec<FakeRepository>>,
    behaviour: WorkerBehaviour,
    searches_in_flight: watch::Sender<usize>,
}

/// Counts a search for as long as the server goes on with it.
struct InFlight(watch::Sender<usize>);

impl InFlight {
    fn begin(counter: &watch::Sender<usize>) -> InFlight {
        counter.send_modify(|n_searches| *n_searches += 1);
        InFlight(counter.clone())
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.send_modify(|n_searches| *n_searches -= 1);
    }
}

impl FakeWorker {
    pub(super) fn new(name: &'static str, repositories: Vec<FakeRepository>, behaviour: WorkerBehaviour) -> FakeWorker {
        FakeWorker { behaviour, ..FakeWorker::with_repositories(name, watch::Sender::new(repositories)) }
    }

    /// Returns a healthy worker with these repositories.
    pub(super) fn with_repositories(
        name: &'static str,
        repositories: watch::Sender<Vec<FakeRepository>>,
    ) -> FakeWorker {
        FakeWorker {
            name,
            repositories,
            behaviour: WorkerBehaviour::Healthy,
            searches_in_flight: watch::Sender::new(0),
        }
    }

    fn inventory_now(&self) -> v1::InventoryResponse {
        let current = self.repositories.borrow();
        let mut repositories: Vec<v1::Repository> =
            current.iter().filter(|repository| !repository.is_given_away).map(FakeRepository::advertise).collect();
        let state = match self.behaviour {
            WorkerBehaviour::Indexing => Some(v1::RepositoryState::Indexing),
            WorkerBehaviour::Broken => Some(v1::RepositoryState::Failed),
            _ => None,
        };
        for repository in repositories.iter_mut().filter(|_| state.is_some()) {
            repository.generation.clear();
            repository.reason = format!("{} is not there", repository.alias);
            repository.state = state.unwrap_or_default().into();
        }
        let analyser_version = ranking::ANALYSER_VERSION;
        v1::InventoryResponse {
            worker: self.name.to_owned(),
            epoch: 1,
            analyser_version,
            repositories,
            ..Default::default()
        }
    }

    /// Returns the requested repositories that are current, and the outcome of every target.
    async fn current_repositories(&self, targets: &[v1::Target]) -> (Vec<FakeRepository>, Vec<v1::Outcome>) {
        if self.behaviour == WorkerBehaviour::Dead {
            std::future::pending::<()>().await;
        }
        if let WorkerBehaviour::Publishes(generation) = self.behaviour {
            self.repositories.send_if_modified(|repositories| {
                let outdated = repositories.iter_mut().filter(|repo| repo.generation != generation);
                outdated.map(|repo| repo.generation = generation).count() > 0
            });
        }
        let repositories = self.repositories.borrow();
        let (mut current, mut outcomes) = (Vec::new(), Vec::new());
        for target in targets {
            let repository = repositories.iter().find(|repository| repository.hex() == target.repository);
            let Some(repository) = repository else {
                let state = v1::TargetState::Stale.into();
                outcomes.push(v1::Outcome { repository: target.repository.clone(), state, ..Default::default() });
                continue;
            };
            let is_forgotten = self.behaviour == WorkerBehaviour::Forgets(repository.id);
            let is_current = target.generation == repository.generation() && !is_forgotten;
            let state = if is_current { v1::TargetState::Ok } else { v1::TargetState::Stale };
            outcomes.push(v1::Outcome {
                repository: target.repository.clone(),
                generation: if is_current { repository.generation() } else { String::new() },
                state: state.into(),
                reason: String::new(),
            });
            current.extend(is_current.then(|| repository.clone()));
        }
        (current, outcomes)
    }
}

#[tonic::async_trait]
impl ShardService for FakeWorker {
    type InventoryStream = Pin<Box<dyn Stream<Item = Result<v1::InventoryResponse, Status>> + Send>>;

    async fn inventory(&self, _: Request<v1::InventoryRequest>) -> Result<Response<Self::InventoryStream>, Status> {
        if self.behaviour == WorkerBehaviour::Mute {
            return Ok(Response::new(Box::pin(stream::pending())));
        }
        let worker = self.clone();
        let changes = tokio_stream::wrappers::WatchStream::new(self.repositories.subscribe());
        Ok(Response::new(Box::pin(changes.map(move |_| Ok(worker.inventory_now())).chain(stream::pending()))))
    }

    async fn statistics(
        &self,
        request: Request<v1::StatisticsRequest>,
    ) -> Result<Response<v1::StatisticsResponse>, Status> {
        let request = request.into_inner();
        let (current, outcomes) = self.current_repositories(&request.targets).await;
        let rows: Vec<_> = current.iter().flat_map(rows).collect();
        let count = |term: &String| rows.iter().filter(|row| contains_term(term, row)).count() as u64;
        let count_named = |typed: &String| rows.iter().filter(|row| row.2.name == *typed).count() as u64;
        let statistics = v1::CorpusStatistics {
            rows: rows.len() as u64,
            document_frequencies: request.terms.iter().map(count).collect(),
            name_counts: request.identifiers.iter().map(count_named).collect(),
        };
        Ok(Response::new(v1::StatisticsResponse { statistics: Some(statistics), outcomes }))
    }

    async fn suggest(&self, request: Request<v1::SuggestRequest>) -> Result<Response<v1::SuggestResponse>, Status> {
        let request = request.into_inner();
        let (current, outcomes) = self.current_repositories(&request.targets).await;
        let rows: Vec<_> = current.iter().flat_map(rows).collect();
        let mut suggestions = Vec::new();
        for (word_idx, word) in request.words.iter().enumerate() {
            let suspect = Suspect::new(word).expect("the gateway asks about suspects");
            let mut counts: BTreeMap<String, u64> = BTreeMap::new();
            for row in &rows {
                let terms = ranking::analyser::terms(&text_of(&row.2, row.1)).into_iter();
                terms.for_each(|term| *counts.entry(term).or_default() += 1);
            }
            let similar_terms =
                counts.into_iter().filter_map(|(term, rows)| Some((suspect.distance_of_term(&term)?, term, rows)));
            suggestions.extend(similar_terms.map(|(distance, term, rows)| v1::Suggestion {
                word: word_idx as u32,
                term,
                distance,
                rows,
                spelling: String::new(),
            }));
        }
        Ok(Response::new(v1::SuggestResponse { suggestions, outcomes }))
    }

    async fn search(&self, request: Request<v1::SearchRequest>) -> Result<Response<v1::SearchResponse>, Status> {
        assert!(request.metadata().contains_key("grpc-timeout"));
        let _in_flight = InFlight::begin(&self.searches_in_flight);
        match self.behaviour {
            WorkerBehaviour::Silent => std::future::pending::<()>().await,
            WorkerBehaviour::Failing => return Err(Status::unavailable("not now")),
            WorkerBehaviour::ClockOff => return Err(Status::failed_precondition(GrantError::Expired.to_string())),
            _ => {}
        }
        let request = request.into_inner();
        let (current, outcomes) = self.current_repositories(&request.targets).await;
        let score = |row: &(&str, &str, v1::Symbol)| -> f32 {
            request.terms.iter().filter(|term| contains_term(&term.text, row)).map(|term| term.weight / 2.0).sum()
        };
        let mut hits = Vec::new();
        for repository in &current {
            let graph = Graph::of(repository);
            for (path, text) in &repository.files {
                let of_file: Vec<_> = rows(repository).into_iter().filter(|row| row.0 == *path).collect();
                let mut scored: Vec<(f32, v1::Symbol)> =
                    of_file.iter().map(|row| (score(row), row.2.clone())).collect();
                scored.retain(|(score, _)| *score > 0.0);
                scored.sort_by(|a, b| b.0.total_cmp(&a.0));
                let mut name = None;
                for (identifier, typed) in request.identifiers.iter().enumerate() {
                    let matched = of_file.iter().find(|row| row.2.name == typed.name);
                    name = name.or(matched.map(|row| v1::NameMatch {
                        identifier: identifier as u32,
                        tier: v1::NameTier::Exact.into(),
                        symbol: Some(row.2.clone()),
                    }));
                }
                let best = scored.first().map_or(0.0, |(score, _)| *score);
                let is_garbage = self.behaviour == WorkerBehaviour::Garbage(repository.id);
                let path_score = request.paths.iter().map(|typed| ranking::path::path_score(typed, path));
                let hit = v1::FileHit {
                    repository: repository.hex(),
                    file: Some(file(path, text)),
                    lexical: if is_garbage { f32::NAN } else { best },
                    best_row: best,
                    path: path_score.fold(0.0, f32::max),
                    rows: scored
                        .iter()
                        .map(|(score, symbol)| v1::Row {
                            symbol: graph.symbol(path, &symbol.name, symbol.ordinal),
                            lines: symbol.lines,
                            lexical: *score,
                            cosine: 0.0,
                            number: 0,
                        })
                        .collect(),
                    name,
                    ..Default::default()
                };
                if best > 0.0 || hit.name.is_some() || hit.path > 0.0 {
                    hits.push(hit);
                }
            }
        }
        if let (WorkerBehaviour::Garbage(_), Some(hit)) = (self.behaviour, hits.first().cloned()) {
            hits.push(v1::FileHit { repository: RepoId([0xff; 16]).to_string(), lexical: 1e30, ..hit });
        }
        let mut response = Response::new(v1::SearchResponse { hits, outcomes, ..Default::default() });
        let name = if self.behaviour == WorkerBehaviour::Stranger { "somebody else" } else { self.name };
        response.metadata_mut().insert(proto::WORKER_HEADER, name.parse().expect("a name in ASCII"));
        Ok(response)
    }

    async fn compare(&self, request: Request<v1::CompareRequest>) -> Result<Response<v1::CompareResponse>, Status> {
        if self.behaviour == WorkerBehaviour::Uncomparing {
            std::future::pending::<()>().await;
        }
        let request = request.into_inner();
        let targets: Vec<v1::Target> = request.rows.iter().filter_map(|set| set.target.clone()).collect();
        let (current, outcomes) = self.current_repositories(&targets).await;
        let total: f32 = request.words.iter().map(|word| word.weight).sum();
        let mut nearness = Vec::new();
        for set in &request.rows {
            let hex = &set.target.as_ref().expect("sets have targets").repository;
            let Some(repository) = current.iter().find(|repository| repository.hex() == *hex) else { continue };
            for (path, text) in &repository.files {
                let matched_weights =
                    request.words.iter().filter(|word| text.contains(&word.text)).map(|word| word.weight);
                if set.files.iter().any(|file| file.path == *path) {
                    let (repository, path) = (hex.clone(), (*path).to_owned());
                    nearness.push(v1::Nearness { repository, path, nearness: matched_weights.sum::<f32>() / total });
                }
            }
        }
        Ok(Response::new(v1::CompareResponse { nearness, outcomes }))
    }

    async fn symbols(&self, request: Request<v1::SymbolsRequest>) -> Result<Response<v1::SymbolsResponse>, Status> {
        use v1::symbols_request::Query;
        let request = request.into_inner();
        let (current, outcomes) = self.current_repositories(&request.targets).await;
        let mut hits = Vec::new();
        for repository in &current {
            let graph = Graph::of(repository);
            for (path, text, symbol) in rows(repository) {
                let tier = match request.query.as_ref().expect("the gateway sends a query") {
                    Query::Name(name) => name_tier(name, &symbol.name),
                    Query::Regex(regex) if regex == "(" => return Err(Status::invalid_argument("unclosed group")),
                    Query::Regex(regex) => {
                        let mut parts = regex.trim_start_matches("(?i)").split('|');
                        parts.any(|part| symbol.name.contains(part)).then_some(v1::NameTier::Exact)
                    }
                    Query::Lookup(lookup) => {
                        let in_file = lookup.path.is_empty() || path.ends_with(&lookup.path);
                        let is_it = symbol.name == lookup.qualified && [0, symbol.ordinal].contains(&lookup.ordinal);
                        (in_file && is_it).then_some(v1::NameTier::Exact)
                    }
                };
                let Some(tier) = tier else { continue };
                hits.push(v1::SymbolHit {
                    repository: repository.hex(),
                    file: Some(file(path, text)),
                    symbol: graph.symbol(path, &symbol.name, symbol.ordinal),
                    tier: tier.into(),
                    distance: 0,
                });
            }
        }
        let matched = hits.len() as u64;
        hits.truncate(request.limit as usize);
        Ok(Response::new(v1::SymbolsResponse { hits, matched, outcomes }))
    }

    async fn outline(&self, request: Request<v1::OutlineRequest>) -> Result<Response<v1::OutlineResponse>, Status> {
        let request = request.into_inner();
        let (current, outcomes) = self.current_repositories(&request.targets).await;
        if request.folder {
            let folders = current.iter().map(|repository| repository.folder(&request.path)).collect();
            return Ok(Response::new(v1::OutlineResponse { folders, outcomes, ..Default::default() }));
        }
        let mut files = Vec::new();
        for repository in &current {
            let mut found: Vec<_> = repository.files.iter().filter(|(path, _)| path.ends_with(&request.path)).collect();
            found.sort_by_key(|(path, _)| (*path != request.path, *path));
            let graph = Graph::of(repository);
            for (file_idx, (path, text)) in found.into_iter().enumerate() {
                let bare = file_idx >= request.limit as usize;
                files.push(v1::FileOutline {
                    repository: repository.hex(),
                    file: graph.cards.iter().filter_map(|card| card.file.clone()).find(|file| file.path == *path),
                    doc: repository.prose_or("What the file is for.\nMore of it."),
                    symbols: if bare {
                        Vec::new()
                    } else {
                        let own = symbols(text).into_iter();
                        own.filter_map(|symbol| graph.symbol(path, &symbol.name, symbol.ordinal)).collect()
                    },
                    bare,
                    diagnostics: path
                        .ends_with(".min.js")
                        .then(|| repository.prose_or(TOO_LARGE))
                        .into_iter()
                        .collect(),
                });
            }
        }
        Ok(Response::new(v1::OutlineResponse { files, outcomes, ..Default::default() }))
    }

    async fn fetch(&self, request: Request<v1::FetchRequest>) -> Result<Response<v1::FetchResponse>, Status> {
        let mut results = Vec::new();
        for item in request.into_inner().items {
            let (current, mut outcomes) = self.current_repositories(&[item.target.unwrap_or_default()]).await;
            let outcome = outcomes.pop();
            let text = current.first().and_then(|repo| repo.files.iter().find(|(path, _)| *path == item.path));
            let Some((_, text)) = text else {
                results.push(v1::FetchResult { outcome, ..Default::default() });
                continue;
            };
            let file_lines = text.lines().count() as u32;
            let requested_lines = item.lines.unwrap_or(v1::Lines { start: 1, end: file_lines });
            let lines = v1::Lines { start: requested_lines.start, end: requested_lines.end.min(file_lines) };
            let chosen =
                text.lines().skip(lines.start as usize - 1).take((lines.end + 1).saturating_sub(lines.start) as usize);
            let text = chosen.collect::<Vec<_>>().join("\n");
            results.push(v1::FetchResult { outcome, text, lines: Some(lines), file_lines, ..Default::default() });
        }
        Ok(Response::new(v1::FetchResponse { results }))
    }

    async fn neighbours(
        &self,
        request: Request<v1::NeighboursRequest>,
    ) -> Result<Response<v1::NeighboursResponse>, Status> {
        let request = request.into_inner();
        let targets: Vec<v1::Target> = request.frontier.iter().filter_map(|set| set.target.clone()).collect();
        let (current, mut outcomes) = self.current_repositories(&targets).await;
        let mut neighbourhoods = Vec::new();
        for repository in &current {
            let hex = repository.hex();
            if self.behaviour == WorkerBehaviour::Lost(repository.id) {
                let own = outcomes.iter_mut().filter(|outcome| outcome.repository == hex);
                own.for_each(|outcome| outcome.set_state(v1::TargetState::Failed));
                continue;
            }
            let is_own = |set: &&v1::NodeSet| set.target.as_ref().is_some_and(|target| target.repository == hex);
            let set = request.frontier.iter().find(is_own).expect("every current repository was requested");
            let mut neighbourhood = Graph::of(repository).neighbourhood(set, &request);
            if self.behaviour == WorkerBehaviour::Shuffled {
                neighbourhood.edges.reverse();
                neighbourhood.nodes.reverse();
            }
            neighbourhoods.push(neighbourhood);
        }
        if self.behaviour == WorkerBehaviour::Shuffled {
            neighbourhoods.reverse();
            outcomes.reverse();
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Ok(Response::new(v1::NeighboursResponse { neighbourhoods, outcomes }))
    }

    async fn describe(&self, request: Request<v1::DescribeRequest>) -> Result<Response<v1::DescribeResponse>, Status> {
        let request = request.into_inner();
        let targets: Vec<v1::Target> = request.nodes.iter().filter_map(|set| set.target.clone()).collect();
        let (current, outcomes) = self.current_repositories(&targets).await;
        let mut cards = Vec::new();
        for set in &request.nodes {
            let hex = &set.target.as_ref().expect("sets have targets").repository;
            let Some(repository) = current.iter().find(|repository| repository.hex() == *hex) else { continue };
            let graph = Graph::of(repository);
            cards.extend(set.nodes.iter().filter_map(|node| graph.cards.get(*node as usize).cloned()));
        }
        if self.behaviour == WorkerBehaviour::Shuffled {
            cards.reverse();
        }
        Ok(Response::new(v1::DescribeResponse { cards, outcomes }))
    }

    async fn surface(&self, request: Request<v1::SurfaceRequest>) -> Result<Response<v1::SurfaceResponse>, Status> {
        let (current, outcomes) = self.current_repositories(&request.into_inner().targets).await;
        let surfaces = current.iter().map(|repository| Graph::of(repository).surface).collect();
        Ok(Response::new(v1::SurfaceResponse { surfaces, outcomes }))
    }

    async fn locate(&self, request: Request<v1::LocateRequest>) -> Result<Response<v1::LocateResponse>, Status> {
        let request = request.into_inner();
        let (current, mut outcomes) = self.current_repositories(&[request.target.unwrap_or_default()]).await;
        let graph = current.first().map(Graph::of);
        let locate = |member: &v1::PackageMember| {
            let graph = graph.as_ref()?;
            let node = *graph.members.get(&(member.package.clone(), member.member.clone()))?;
            Some(v1::Location { node: Some(node), path: graph.path(node), line: graph.line(node) })
        };
        let locations = request.members.iter().map(|member| locate(member).unwrap_or_default()).collect();
        Ok(Response::new(v1::LocateResponse { outcome: outcomes.pop(), locations }))
    }

    async fn changes(&self, request: Request<v1::ChangesRequest>) -> Result<Response<v1::ChangesResponse>, Status> {
        let target = request.into_inner().target.unwrap_or_default();
        let (_, mut outcomes) = self.current_repositories(&[target]).await;
        let error = "a fake worker reads no change".to_owned();
        Ok(Response::new(v1::ChangesResponse { outcome: outcomes.pop(), error, ..Default::default() }))
    }

    async fn sites(&self, request: Request<v1::SitesRequest>) -> Result<Response<v1::SitesResponse>, Status> {
        let request = request.into_inner();
        let (_, mut outcomes) = self.current_repositories(&[request.target.unwrap_or_default()]).await;
        let files = vec![v1::FileSites::default(); request.items.len()];
        Ok(Response::new(v1::SitesResponse { outcome: outcomes.pop(), files }))
    }

    async fn link_facts(
        &self,
        request: Request<v1::LinkFactsRequest>,
    ) -> Result<Response<v1::LinkFactsResponse>, Status> {
        if self.behaviour == WorkerBehaviour::Unlinking {
            std::future::pending::<()>().await;
        }
        let target = request.into_inner().target.unwrap_or_default();
        let (_, mut outcomes) = self.current_repositories(&[target]).await;
        Ok(Response::new(v1::LinkFactsResponse { outcome: outcomes.pop(), ..Default::default() }))
    }

    async fn ensure_view(&self, _: Request<v1::EnsureViewRequest>) -> Result<Response<v1::EnsureViewResponse>, Status> {
        Err(Status::unimplemented("this worker has no work trees"))
    }

    async fn overview(&self, request: Request<v1::OverviewRequest>) -> Result<Response<v1::OverviewResponse>, Status> {
        let request = request.into_inner();
        let (current, outcomes) = self.current_repositories(&request.targets).await;
        let mut overviews: Vec<v1::RepositoryOverview> =
            current.iter().map(|repository| overview::of(repository, request.limit as usize)).collect();
        for overview in &mut overviews {
            let is_garbled = current
                .iter()
                .any(|repo| repo.hex() == overview.repository && self.behaviour == WorkerBehaviour::Garbage(repo.id));
            overview.communities.iter_mut().filter(|_| is_garbled).for_each(|group| group.cohesion = f32::NAN);
        }
        if self.behaviour == WorkerBehaviour::Shuffled {
            overviews.reverse();
        }
        Ok(Response::new(v1::OverviewResponse { overviews, outcomes }))
    }

    async fn history(&self, request: Request<v1::HistoryRequest>) -> Result<Response<v1::HistoryResponse>, Status> {
        let mut histories = Vec::new();
        for item in request.into_inner().items {
            let (current, mut outcomes) = self.current_repositories(&[item.target.unwrap_or_default()]).await;
            let commits = current.first().and_then(|repo| Graph::of(repo).commits.get(&item.path).copied());
            let prose_or = |otherwise: &str| {
                current.first().map_or_else(|| otherwise.to_owned(), |repository| repository.prose_or(otherwise))
            };
            histories.push(v1::FileHistory {
                outcome: outcomes.pop(),
                commits: commits.unwrap_or_default(),
                owners: vec![v1::Owner { name: prose_or("Ada"), share: 0.75 }],
                recent_owner: prose_or("Grace"),
                last_change: Some(v1::Change {
                    commit: "ab".repeat(20),
                    at: 1_700_000_000,
                    author: prose_or("Grace"),
                    subject: prose_or("Mend the pause"),
                }),
                co_changes: vec![v1::CoChange { path: prose_or("docs/pause.md"), support: 3, confidence: 0.5 }],
                ..Default::default()
            });
        }
        Ok(Response::new(v1::HistoryResponse { histories }))
    }

    async fn activity(&self, request: Request<v1::ActivityRequest>) -> Result<Response<v1::ActivityResponse>, Status> {
        let (current, outcomes) = self.current_repositories(&request.into_inner().targets).await;
        let activity = |repository: &FakeRepository| v1::Activity {
            repository: repository.hex(),
            authors: Graph::of(repository).active_authors(),
        };
        Ok(Response::new(v1::ActivityResponse { activities: current.iter().map(activity).collect(), outcomes }))
    }

    async fn active_commits(
        &self,
        request: Request<v1::ActiveCommitsRequest>,
    ) -> Result<Response<v1::ActiveCommitsResponse>, Status> {
        let items = request.into_inner().items;
        let targets: Vec<v1::Target> = items.iter().filter_map(|item| item.target.clone()).collect();
        let (current, outcomes) = self.current_repositories(&targets).await;
        let found = |repository: &FakeRepository| {
            let is_own = |item: &&v1::ActiveCommitsItem| {
                item.target.as_ref().is_some_and(|target| target.repository == repository.hex())
            };
            let item = items.iter().find(is_own).expect("every current repository was requested");
            let (commits, paths) = Graph::of(repository).active_commits(item);
            v1::ActiveCommits { repository: repository.hex(), commits, paths }
        };
        Ok(Response::new(v1::ActiveCommitsResponse { found: current.iter().map(found).collect(), outcomes }))
    }
}

/// Starts a gateway over workers, and waits until it knows them.
pub(super) async fn gateway(workers: Vec<WorkerEndpoint>) -> Arc<crate::Gateway> {
    let gateway = crate::Gateway::start(crate::GatewayConfig::laptop(), workers);
    assert!(gateway.wait_for_workers(Duration::from_secs(5)).await);
    Arc::new(gateway)
}
