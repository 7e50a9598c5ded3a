//! `IndexingService`: requests to index, and the status of indexing.

use std::{pin::Pin, sync::Arc, time::Duration};

use futures::{Stream, StreamExt, stream};
use model::RepoId;
use proto::v1::{self, indexing_service_server::IndexingService};
use tokio_stream::wrappers::WatchStream;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status};

use crate::repositories::Repositories;

/// Minimum interval of status messages.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(50);

/// The implementation of `IndexingService`.
pub(crate) struct IndexingApi {
    pub(crate) repositories: Arc<Repositories>,
    pub(crate) stop: CancellationToken,
}

#[tonic::async_trait]
impl IndexingService for IndexingApi {
    type StatusStream = Pin<Box<dyn Stream<Item = Result<v1::StatusResponse, Status>> + Send>>;

    async fn enqueue(&self, request: Request<v1::EnqueueRequest>) -> Result<Response<v1::EnqueueResponse>, Status> {
        let request = request.into_inner();
        let held: Vec<(RepoId, String)> = {
            let entries = self.repositories.catalog.entries();
            entries.iter().map(|(repo, entry)| (*repo, entry.checkout.alias.clone())).collect()
        };
        let is_named = |name: &str, repo: &RepoId, alias: &str| name == alias || name == repo.to_string();
        let is_for_all = request.repositories.is_empty() && request.urls.is_empty();
        let mut response = v1::EnqueueResponse::default();
        let mut fetched = Vec::new();
        for (repo, alias) in &held {
            if is_for_all || request.repositories.iter().any(|name| is_named(name, repo, alias)) {
                self.repositories.catalog.enqueue(*repo, request.force);
                fetched.push(*repo);
                response.queued.push(alias.clone());
            }
        }
        for url in request.urls {
            let with_url = self.repositories.mirrors.with_url(&url);
            let aliases = held.iter().filter(|(repo, _)| with_url.contains(repo)).map(|(_, alias)| alias.clone());
            response.queued.extend(aliases);
            if with_url.is_empty() {
                response.unknown.push(url);
            }
            fetched.extend(with_url);
        }
        self.repositories.mirrors.fetch_now(fetched);
        let is_held = |name: &String| held.iter().any(|(repo, alias)| is_named(name, repo, alias));
        response.unknown.extend(request.repositories.into_iter().filter(|name| !is_held(name)));
        response.queued.sort();
        response.queued.dedup();
        Ok(Response::new(response))
    }

    async fn status(&self, request: Request<v1::StatusRequest>) -> Result<Response<Self::StatusStream>, Status> {
        let follow = request.into_inner().follow;
        let catalog = self.repositories.catalog.clone();
        let changes = WatchStream::new(catalog.watch_progress());
        let replies = tokio_stream::StreamExt::throttle(changes, PROGRESS_INTERVAL).map(move |_| catalog.status());
        // The idle reply is the last one, since no further change may wake the stream.
        let replies = stream::unfold(Some(Box::pin(replies)), move |replies| async move {
            let mut replies = replies?;
            let status = replies.next().await?;
            let continues = follow || !status.idle;
            Some((status, continues.then_some(replies)))
        });
        let stopped = self.stop.clone().cancelled_owned();
        Ok(Response::new(Box::pin(replies.map(Ok).take_until(stopped))))
    }
}
