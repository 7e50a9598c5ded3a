//! What stands before the services: a worker with a key answers nobody whose request carries no grant for it.
//!
//! The wrapper implements the whole service, so that no call can be added that goes past it.

use std::{pin::Pin, sync::Arc, time::SystemTime};

use futures::Stream;
use proto::{
    grant::{GRANT_METADATA, GrantError, GrantKeys, Targeted},
    v1::{self, indexing_service_server::IndexingService, shard_service_server::ShardService},
};
use tonic::{Request, Response, Status};

/// A service, and the keys of the grants that it asks for; without keys, it asks for none.
pub(crate) struct Guarded<S> {
    pub(crate) service: S,
    pub(crate) keys: Option<Arc<GrantKeys>>,
}

impl<S> Guarded<S> {
    fn check<Q: Targeted>(&self, request: &Request<Q>) -> Result<(), Status> {
        let Some(keys) = &self.keys else { return Ok(()) };
        let bytes = request.metadata().get_bin(GRANT_METADATA).map(|value| value.to_bytes());
        let bytes = bytes.transpose().map_err(|_| refusal(GrantError::Wrong))?;
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
        keys.verify(bytes.as_deref(), &request.get_ref().repositories(), now).map_err(refusal)
    }
}

fn refusal(error: GrantError) -> Status {
    tracing::warn!(%error, "a request was refused");
    Status::permission_denied(error.to_string())
}

type Replies<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

macro_rules! guarded {
    ($service:ident { $($stream:ident: $item:ident;)* } $($rpc:ident: $request:ident -> $reply:ty;)*) => {
        #[tonic::async_trait]
        impl<S> $service for Guarded<S>
        where
            S: $service<$($stream = Replies<v1::$item>)*>,
        {
            $(type $stream = Replies<v1::$item>;)*

            $(async fn $rpc(&self, request: Request<v1::$request>) -> Result<Response<$reply>, Status> {
                self.check(&request)?;
                self.service.$rpc(request).await
            })*
        }
    };
}

guarded! {
    ShardService { InventoryStream: InventoryResponse; }
    inventory: InventoryRequest -> Replies<v1::InventoryResponse>;
    statistics: StatisticsRequest -> v1::StatisticsResponse;
    suggest: SuggestRequest -> v1::SuggestResponse;
    search: SearchRequest -> v1::SearchResponse;
    symbols: SymbolsRequest -> v1::SymbolsResponse;
    outline: OutlineRequest -> v1::OutlineResponse;
    fetch: FetchRequest -> v1::FetchResponse;
    neighbours: NeighboursRequest -> v1::NeighboursResponse;
    describe: DescribeRequest -> v1::DescribeResponse;
    surface: SurfaceRequest -> v1::SurfaceResponse;
    locate: LocateRequest -> v1::LocateResponse;
    history: HistoryRequest -> v1::HistoryResponse;
    activity: ActivityRequest -> v1::ActivityResponse;
    active_commits: ActiveCommitsRequest -> v1::ActiveCommitsResponse;
    overview: OverviewRequest -> v1::OverviewResponse;
}

guarded! {
    IndexingService { StatusStream: StatusResponse; }
    enqueue: EnqueueRequest -> v1::EnqueueResponse;
    status: StatusRequest -> Replies<v1::StatusResponse>;
}
