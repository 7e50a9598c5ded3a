//! The watching task of one worker: its inventory, its readiness and its liveness.
//!
//! The task also drives the circuit breaker. A call that exceeds the usual latency requests a health check. A worker that does
//! not answer the check is marked unreachable at once: pending calls move to other replicas, and no call waits for the worker
//! until it answers again.

use std::{sync::Arc, time::Duration};

use futures::{Stream, StreamExt as _, future::Either, stream};
use proto::v1;
use tokio::time::Instant;
use tonic_health::pb::{HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient};

use super::{Workers, one_line};
use crate::{connection::WorkerConnection, directory::Reachability};

/// Deadline of the first inventory, connecting included: a worker has its inventory in memory.
const INVENTORY_DEADLINE: Duration = Duration::from_secs(2);

/// Deadline of a health check, which needs no query thread. It is much longer than a busy machine needs, and short enough
/// for another replica to answer before the soft deadline.
const HEALTH_DEADLINE: Duration = Duration::from_millis(500);

/// The first and the longest back-off between two connection attempts. With the deadline above, a worker that is back is in
/// use again within five seconds.
const MIN_BACK_OFF: Duration = Duration::from_millis(50);
const MAX_BACK_OFF: Duration = Duration::from_secs(2);

/// The reason why a watch ended.
enum FollowOutcome {
    /// The inventory stream ended after at least one message.
    Ended,
    /// No inventory arrived, or the worker failed a health check.
    Lost(String),
}

/// Watches a worker until the task is cancelled.
pub(super) async fn follow(workers: Arc<Workers>, mut connection: Arc<WorkerConnection>) {
    let mut back_off = MIN_BACK_OFF;
    loop {
        let was_reached = connection.worker().is_some();
        match watch_inventory(&workers, &connection).await {
            // The worker was reachable a moment ago: retry once before it counts as unreachable.
            FollowOutcome::Ended => back_off = MIN_BACK_OFF,
            FollowOutcome::Lost(reason) => {
                connection = workers.mark_unreachable(connection, reason);
                back_off = if was_reached { MIN_BACK_OFF } else { (back_off * 2).min(MAX_BACK_OFF) };
            }
        }
        tokio::time::sleep(back_off).await;
    }
}

/// Applies the inventories and the health of a worker until its stream ends.
async fn watch_inventory(workers: &Workers, connection: &Arc<WorkerConnection>) -> FollowOutcome {
    let deadline = Instant::now() + INVENTORY_DEADLINE;
    let mut client = connection.client.clone();
    let request = workers.known().connections.grants.signed(v1::InventoryRequest {});
    let mut inventories = match with_deadline(deadline, client.inventory(request)).await {
        Ok(stream) => stream.into_inner(),
        Err(status) => return FollowOutcome::Lost(one_line(&status)),
    };
    let first = match with_deadline(deadline, inventories.message()).await {
        Ok(Some(inventory)) => inventory,
        Ok(None) => return FollowOutcome::Lost("it closed the stream before it sent its inventory".to_owned()),
        Err(status) => return FollowOutcome::Lost(one_line(&status)),
    };
    apply_inventory(workers, connection, first);
    let mut health = std::pin::pin!(readiness_changes(connection));
    loop {
        tokio::select! {
            // A fixed order keeps simulations deterministic.
            biased;
            // After the first inventory, the worker sends one for each change.
            message = inventories.message() => match message {
                Ok(Some(inventory)) => apply_inventory(workers, connection, inventory),
                Ok(None) => return FollowOutcome::Ended,
                Err(status) => {
                    tracing::debug!(worker = connection.name, %status, "the inventory stream broke off");
                    return FollowOutcome::Ended;
                }
            },
            Some(is_serving) = health.next() => {
                let reach = if is_serving { Reachability::Reachable } else { Reachability::Draining };
                workers.change(connection, |member| member.view.reach = reach);
            }
            () = connection.health_check_requested() => match check_liveness(connection).await {
                Ok(()) => connection.close_breaker(),
                Err(reason) => return FollowOutcome::Lost(reason),
            },
        }
    }
}

fn apply_inventory(workers: &Workers, connection: &Arc<WorkerConnection>, inventory: v1::InventoryResponse) {
    connection.close_breaker();
    connection.set_worker_id(&inventory.worker);
    workers.change(connection, |member| {
        member.view.reach = reach_after(&member.view.reach, &inventory);
        member.view.inventory = Some(inventory);
    });
}

/// Returns the reachability of a worker that has sent an inventory. A drain ends with the worker, and the readiness stream alone reports
/// that an unready worker becomes ready.
fn reach_after(before: &Reachability, inventory: &v1::InventoryResponse) -> Reachability {
    match inventory.draining {
        true => Reachability::Draining,
        false if before.is_gone() => Reachability::Reachable,
        false => before.clone(),
    }
}

/// Streams the readiness of the worker: its current value, then each change. Empty if the worker has no health service.
fn readiness_changes(connection: &WorkerConnection) -> impl Stream<Item = bool> + use<> {
    let mut client = HealthClient::new(connection.channel.clone());
    let request = HealthCheckRequest { service: proto::READINESS_SERVICE.to_owned() };
    let watched = async move {
        match client.watch(request).await {
            Ok(statuses) => Either::Left(statuses.into_inner()),
            Err(_) => Either::Right(stream::pending()),
        }
    };
    let statuses = stream::once(watched).flatten();
    // A broken readiness stream is ignored: the inventory stream detects a lost worker.
    let known = statuses.take_while(|status| std::future::ready(status.is_ok()));
    let is_serving = known.filter_map(async |status| match status.ok()?.status() {
        ServingStatus::Serving => Some(true),
        ServingStatus::NotServing => Some(false),
        ServingStatus::Unknown | ServingStatus::ServiceUnknown => None,
    });
    is_serving.chain(stream::pending())
}

/// Checks the liveness of a worker. An `Unimplemented` reply counts as alive.
async fn check_liveness(connection: &WorkerConnection) -> Result<(), String> {
    let mut client = HealthClient::new(connection.channel.clone());
    let request = HealthCheckRequest { service: proto::LIVENESS_SERVICE.to_owned() };
    match tokio::time::timeout(HEALTH_DEADLINE, client.check(request)).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(status)) if status.code() == tonic::Code::Unavailable => Err(one_line(&status)),
        Ok(Err(_)) => Ok(()),
        Err(_) => Err("it stopped responding; calls resume after its next health check".to_owned()),
    }
}

async fn with_deadline<T>(
    deadline: Instant,
    hearing: impl Future<Output = Result<T, tonic::Status>>,
) -> Result<T, tonic::Status> {
    let too_late = |_| Err(tonic::Status::deadline_exceeded("it sent no inventory in time"));
    tokio::time::timeout_at(deadline, hearing).await.unwrap_or_else(too_late)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draining_inventory_is_enough_for_a_draining_worker() {
        use Reachability::{Draining, Reachable};
        let lost = Reachability::Unreachable("it is down".to_owned());
        for (before, draining, expected) in [
            (&Reachable, false, Reachable),
            (&Reachable, true, Draining),
            (&lost, false, Reachable),
            (&lost, true, Draining),
            // The readiness stream has reported it.
            (&Draining, false, Draining),
        ] {
            let inventory = v1::InventoryResponse { draining, ..Default::default() };
            assert_eq!(reach_after(before, &inventory), expected, "{before:?}, {draining}");
        }
    }
}
