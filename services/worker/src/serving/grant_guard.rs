//! The check of grants: a worker with a key refuses every request without a grant for exactly its repositories.
//!
//! The wrapper implements the whole service, so that no call can be added that bypasses it.

use std::{pin::Pin, sync::Arc, time::SystemTime};

use futures::Stream;
use proto::{
    grant::{GRANT_METADATA, GrantError, GrantKeys, Targeted},
    v1::{self, indexing_service_server::IndexingService, shard_service_server::ShardService},
};
use runtime::connections::Connection;
use tonic::{Request, Response, Status};

/// A service, and the keys of the grants that its requests need; without keys, requests need no grant.
pub(crate) struct GrantGuard<S> {
    pub(crate) service: S,
    pub(crate) keys: Option<Arc<GrantKeys>>,
}

impl<S> GrantGuard<S> {
    fn check<Q: Targeted>(&self, request: &Request<Q>) -> Result<(), Status> {
        let Some(keys) = &self.keys else { return Ok(()) };
        let bytes = request.metadata().get_bin(GRANT_METADATA).map(|value| value.to_bytes());
        let bytes = bytes.transpose().map_err(|_| refusal(GrantError::Wrong))?;
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
        keys.verify(bytes.as_deref(), &request.get_ref().repositories(), now).map_err(refusal)?;
        if let Some(connection) = request.extensions().get::<Connection>() {
            connection.authenticated();
        }
        Ok(())
    }
}

/// Returns the status for a caller. An expired grant may mean that the clock of this worker is off, so that another worker may
/// answer the same request.
fn refusal(error: GrantError) -> Status {
    tracing::warn!(%error, "a request was refused");
    match error {
        GrantError::Expired => Status::failed_precondition(error.to_string()),
        GrantError::Missing | GrantError::Wrong => Status::permission_denied(error.to_string()),
    }
}

type ReplyStream<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

macro_rules! guarded {
    ($service:ident { $($stream:ident: $item:ident;)* } $($rpc:ident: $request:ident -> $reply:ty;)*) => {
        #[tonic::async_trait]
        impl<S> $service for GrantGuard<S>
        where
            S: $service<$($stream = ReplyStream<v1::$item>)*>,
        {
            $(type $stream = ReplyStream<v1::$item>;)*

            $(async fn $rpc(&self, request: Request<v1::$request>) -> Result<Response<$reply>, Status> {
                self.check(&request)?;
                self.service.$rpc(request).await
            })*
        }
    };
}

guarded! {
    ShardService { InventoryStream: InventoryResponse; }
    inventory: InventoryRequest -> ReplyStream<v1::InventoryResponse>;
    statistics: StatisticsRequest -> v1::StatisticsResponse;
    suggest: SuggestRequest -> v1::SuggestResponse;
    search: SearchRequest -> v1::SearchResponse;
    compare: CompareRequest -> v1::CompareResponse;
    symbols: SymbolsRequest -> v1::SymbolsResponse;
    outline: OutlineRequest -> v1::OutlineResponse;
    fetch: FetchRequest -> v1::FetchResponse;
    neighbours: NeighboursRequest -> v1::NeighboursResponse;
    describe: DescribeRequest -> v1::DescribeResponse;
    surface: SurfaceRequest -> v1::SurfaceResponse;
    locate: LocateRequest -> v1::LocateResponse;
    link_facts: LinkFactsRequest -> v1::LinkFactsResponse;
    history: HistoryRequest -> v1::HistoryResponse;
    activity: ActivityRequest -> v1::ActivityResponse;
    active_commits: ActiveCommitsRequest -> v1::ActiveCommitsResponse;
    overview: OverviewRequest -> v1::OverviewResponse;
    changes: ChangesRequest -> v1::ChangesResponse;
    sites: SitesRequest -> v1::SitesResponse;
    ensure_view: EnsureViewRequest -> v1::EnsureViewResponse;
}

guarded! {
    IndexingService { StatusStream: StatusResponse; }
    enqueue: EnqueueRequest -> v1::EnqueueResponse;
    status: StatusRequest -> ReplyStream<v1::StatusResponse>;
}

#[cfg(test)]
mod tests {
    use tonic::{Code, metadata::MetadataValue};

    use super::*;

    #[test]
    fn clocks_may_differ_by_a_minute_and_expired_grants_are_not_denied() {
        let keys = Arc::new(GrantKeys::parse(&"k".repeat(32)).unwrap());
        let guarded = GrantGuard { service: (), keys: Some(keys.clone()) };
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
        let message =
            v1::SurfaceRequest { targets: vec![v1::Target { repository: "a".to_owned(), generation: String::new() }] };
        for (signed, at, expected) in [
            ("a", now, None),
            ("a", now - 50, None),
            ("a", now + 50, None),
            ("a", now - 3_600, Some(Code::FailedPrecondition)),
            ("a", now + 3_600, Some(Code::FailedPrecondition)),
            ("b", now, Some(Code::PermissionDenied)),
            ("b", now - 3_600, Some(Code::PermissionDenied)),
        ] {
            let mut request = Request::new(message.clone());
            let grant = keys.sign(&[signed].into(), at);
            request.metadata_mut().insert_bin(GRANT_METADATA, MetadataValue::from_bytes(&grant));
            let refused = guarded.check(&request).err();
            assert_eq!(refused.as_ref().map(Status::code), expected, "{signed} {at}");
            let names_clocks = refused.is_some_and(|status| status.message().contains("clocks"));
            assert_eq!(names_clocks, expected == Some(Code::FailedPrecondition), "{signed} {at}");
        }
    }
}
