//! Following one worker: what it holds, whether it wants to be asked, and whether it is there at all.
//!
//! This is the breaker as well. A call that waits for longer than usual has the worker asked whether it is well; one that does
//! not answer that is marked unreachable at once: calls that wait for it go elsewhere, and it costs no call anything until it
//! answers again.

use std::{sync::Arc, time::Duration};

use futures::{Stream, StreamExt as _, future::Either, stream};
use proto::v1;
use tokio::time::Instant;
use tonic_health::pb::{HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient};

use super::{Federation, one_line};
use crate::{connection::Connection, directory::Reach};

/// How long a worker may take to say for the first time what it holds, the connection included: it knows that at once.
const INVENTORY_DEADLINE: Duration = Duration::from_secs(2);

/// How long a worker may take to say that it is well: a question that needs no thread of those that queries run on. Much
/// longer than a busy machine needs for it, and so much shorter than the soft deadline that another one answers in time.
const HEALTH_DEADLINE: Duration = Duration::from_millis(500);

/// The first and the longest pause between two tries to reach a worker: with the deadline above, one that is back is asked
/// again within five seconds.
const MIN_BACK_OFF: Duration = Duration::from_millis(50);
const MAX_BACK_OFF: Duration = Duration::from_secs(2);

/// How following a worker came to its end.
enum Followed {
    /// It told something, then ended.
    Ended,
    /// It never told anything, or it was there and stopped answering.
    Lost(String),
}

/// Follows a worker for ever.
pub(super) async fn follow(federation: Arc<Federation>, mut connection: Arc<Connection>) {
    let mut back_off = MIN_BACK_OFF;
    loop {
        let was_reached = connection.worker().is_some();
        match listen(&federation, &connection).await {
            // It was there a moment ago: one more try before it counts as gone.
            Followed::Ended => back_off = MIN_BACK_OFF,
            Followed::Lost(reason) => {
                connection = federation.lose(connection, reason);
                back_off = if was_reached { MIN_BACK_OFF } else { (back_off * 2).min(MAX_BACK_OFF) };
            }
        }
        tokio::time::sleep(back_off).await;
    }
}

/// Listens to what a worker says of itself, until it stops.
async fn listen(federation: &Federation, connection: &Arc<Connection>) -> Followed {
    let deadline = Instant::now() + INVENTORY_DEADLINE;
    let mut client = connection.client.clone();
    let request = federation.known().connections.grants.signed(v1::InventoryRequest {});
    let mut inventories = match in_time(deadline, client.inventory(request)).await {
        Ok(stream) => stream.into_inner(),
        Err(status) => return Followed::Lost(one_line(&status)),
    };
    let first = match in_time(deadline, inventories.message()).await {
        Ok(Some(inventory)) => inventory,
        Ok(None) => return Followed::Lost("it closed the stream before it said what it holds".to_owned()),
        Err(status) => return Followed::Lost(one_line(&status)),
    };
    hear(federation, connection, first);
    let mut health = std::pin::pin!(serving(connection));
    loop {
        tokio::select! {
            // In this order, so that a simulation of it runs the same way twice.
            biased;
            // From now on it speaks when something changes.
            message = inventories.message() => match message {
                Ok(Some(inventory)) => hear(federation, connection, inventory),
                Ok(None) => return Followed::Ended,
                Err(status) => {
                    tracing::debug!(worker = connection.name, %status, "the inventory stream broke off");
                    return Followed::Ended;
                }
            },
            Some(is_serving) = health.next() => {
                let reach = if is_serving { Reach::Reachable } else { Reach::Draining };
                federation.change(connection, |member| member.view.reach = reach);
            }
            () = connection.checked() => match is_well(connection).await {
                Ok(()) => connection.trust(),
                Err(reason) => return Followed::Lost(reason),
            },
        }
    }
}

fn hear(federation: &Federation, connection: &Arc<Connection>, inventory: v1::InventoryResponse) {
    connection.trust();
    connection.met(&inventory.worker);
    federation.change(connection, |member| {
        // A worker that leaves says so by its health; what it holds does not change that.
        if member.view.reach.is_gone() {
            member.view.reach = Reach::Reachable;
        }
        member.view.inventory = Some(inventory);
    });
}

/// Returns whether the worker wants to be asked, at once and whenever that changes; nothing from one that does not tell.
fn serving(connection: &Connection) -> impl Stream<Item = bool> + use<> {
    let mut client = HealthClient::new(connection.channel.clone());
    let request = HealthCheckRequest { service: proto::READINESS_SERVICE.to_owned() };
    let told = async move {
        match client.watch(request).await {
            Ok(statuses) => Either::Left(statuses.into_inner()),
            Err(_) => Either::Right(stream::pending()),
        }
    };
    let statuses = stream::once(told).flatten();
    // A stream that breaks off says nothing of the worker: that of inventories does.
    let known = statuses.take_while(|status| std::future::ready(status.is_ok()));
    let is_serving = known.filter_map(async |status| match status.ok()?.status() {
        ServingStatus::Serving => Some(true),
        ServingStatus::NotServing => Some(false),
        ServingStatus::Unknown | ServingStatus::ServiceUnknown => None,
    });
    is_serving.chain(stream::pending())
}

/// Asks a worker whether it is well. One that knows no such question has answered, too.
async fn is_well(connection: &Connection) -> Result<(), String> {
    let mut client = HealthClient::new(connection.channel.clone());
    let request = HealthCheckRequest { service: proto::LIVENESS_SERVICE.to_owned() };
    match tokio::time::timeout(HEALTH_DEADLINE, client.check(request)).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(status)) if status.code() == tonic::Code::Unavailable => Err(one_line(&status)),
        Ok(Err(_)) => Ok(()),
        Err(_) => Err("it stopped answering; it is asked again once it does".to_owned()),
    }
}

async fn in_time<T>(
    deadline: Instant,
    hearing: impl Future<Output = Result<T, tonic::Status>>,
) -> Result<T, tonic::Status> {
    let too_late = |_| Err(tonic::Status::deadline_exceeded("it did not say what it holds"));
    tokio::time::timeout_at(deadline, hearing).await.unwrap_or_else(too_late)
}
