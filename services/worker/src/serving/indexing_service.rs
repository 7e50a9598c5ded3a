//! `IndexingService`: what to index, and how that goes.

use std::{pin::Pin, sync::Arc, time::Duration};

use futures::{Stream, StreamExt, stream};
use model::RepoId;
use proto::v1::{self, indexing_service_server::IndexingService};
use tokio_stream::wrappers::WatchStream;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status};

use crate::supervisor::Supervisor;

/// Progress is sent this often at most; in between, it is only looked at.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(50);

pub(crate) struct IndexingApi {
    pub(crate) supervisor: Arc<Supervisor>,
    pub(crate) stop: CancellationToken,
}

#[tonic::async_trait]
impl IndexingService for IndexingApi {
    type StatusStream = Pin<Box<dyn Stream<Item = Result<v1::StatusResponse, Status>> + Send>>;

    async fn enqueue(&self, request: Request<v1::EnqueueRequest>) -> Result<Response<v1::EnqueueResponse>, Status> {
        let request = request.into_inner();
        let held: Vec<(RepoId, String)> = {
            let entries = self.supervisor.catalog.entries();
            entries.iter().map(|(repo, entry)| (*repo, entry.checkout.alias.clone())).collect()
        };
        let is_named = |name: &str, repo: &RepoId, alias: &str| name == alias || name == repo.to_string();
        let is_for_all = request.repositories.is_empty() && request.urls.is_empty();
        let mut response = v1::EnqueueResponse::default();
        let mut fetched = Vec::new();
        for (repo, alias) in &held {
            if is_for_all || request.repositories.iter().any(|name| is_named(name, repo, alias)) {
                self.supervisor.enqueue(*repo, request.force);
                fetched.push(*repo);
                response.queued.push(alias.clone());
            }
        }
        for url in request.urls {
            let meant = self.supervisor.mirrors.named(&url);
            let aliases = held.iter().filter(|(repo, _)| meant.contains(repo)).map(|(_, alias)| alias.clone());
            response.queued.extend(aliases);
            if meant.is_empty() {
                response.unknown.push(url);
            }
            fetched.extend(meant);
        }
        self.supervisor.mirrors.fetch_now(fetched);
        let is_held = |name: &String| held.iter().any(|(repo, alias)| is_named(name, repo, alias));
        response.unknown.extend(request.repositories.into_iter().filter(|name| !is_held(name)));
        response.queued.sort();
        response.queued.dedup();
        Ok(Response::new(response))
    }

    async fn status(&self, request: Request<v1::StatusRequest>) -> Result<Response<Self::StatusStream>, Status> {
        let follow = request.into_inner().follow;
        let catalog = self.supervisor.catalog.clone();
        let changes = WatchStream::new(catalog.watch_progress());
        let replies = tokio_stream::StreamExt::throttle(changes, PROGRESS_INTERVAL).map(move |_| catalog.progress());
        // The reply that says that nothing is left to do is the last one: there may be no further change to wake for.
        let replies = stream::unfold(Some(Box::pin(replies)), move |replies| async move {
            let mut replies = replies?;
            let status = replies.next().await?;
            let goes_on = follow || !status.idle;
            Some((status, goes_on.then_some(replies)))
        });
        let stopped = self.stop.clone().cancelled_owned();
        Ok(Response::new(Box::pin(replies.map(Ok).take_until(stopped))))
    }
}
