//! The way to one worker: its channel, how fast it has been, and whether it is doubted.

use std::{
    ops::Deref,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use arc_swap::ArcSwapOption;
use proto::v1::shard_service_client::ShardServiceClient;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tonic::{Status, metadata::MetadataMap, transport::Channel};

use crate::{
    fan_out::{latencies::Latencies, spare::Spare},
    grants::Grants,
    metrics::Rpcs,
};

pub(crate) type ShardClient = ShardServiceClient<Channel>;

/// The way to one worker.
pub(crate) struct Connection {
    /// Whose way it is: the same for all that were made to one worker, one after the other.
    pub(crate) member: u64,
    /// Shown to people.
    pub(crate) name: String,
    pub(crate) channel: Channel,
    pub(crate) client: ShardClient,
    pub(crate) latencies: Latencies,
    /// The id of the worker at its end, once it has said it.
    worker: ArcSwapOption<String>,
    is_doubted: AtomicBool,
    check: Notify,
    lost: CancellationToken,
}

impl Connection {
    pub(crate) fn new(member: u64, name: String, channel: Channel) -> Connection {
        let client = ShardServiceClient::new(channel.clone())
            .max_decoding_message_size(proto::MAX_MESSAGE_BYTES)
            .max_encoding_message_size(proto::MAX_MESSAGE_BYTES);
        Connection {
            member,
            name,
            channel,
            client,
            latencies: Latencies::default(),
            worker: ArcSwapOption::empty(),
            is_doubted: AtomicBool::new(false),
            check: Notify::new(),
            lost: CancellationToken::new(),
        }
    }

    /// Returns the id of the worker at the other end, once it has said it.
    pub(crate) fn worker(&self) -> Option<Arc<String>> {
        self.worker.load_full()
    }

    /// Takes note of who is at the other end.
    pub(crate) fn met(&self, worker: &str) {
        if self.worker().is_none_or(|known| *known != worker) {
            self.worker.store(Some(Arc::new(worker.to_owned())));
        }
    }

    /// Refuses a reply of another worker than the one that said what it holds: an address may be given to somebody else.
    pub(crate) fn recognise(&self, reply: &MetadataMap) -> Result<(), Status> {
        let Some(known) = self.worker() else { return Ok(()) };
        match reply.get(proto::WORKER_HEADER) {
            Some(worker) if worker.as_bytes() == known.as_bytes() => Ok(()),
            Some(_) => Err(Status::unavailable("another worker answers at its address")),
            None => Err(Status::unavailable("something answers at its address that does not say which worker it is")),
        }
    }

    /// Has the worker asked whether it is well, since it is late: mostly it is.
    pub(crate) fn check(&self) {
        self.check.notify_one();
    }

    /// Has the worker asked whether it is well; until that is known, whoever has a choice asks another one.
    pub(crate) fn doubt(&self) {
        self.is_doubted.store(true, Ordering::Relaxed);
        self.check();
    }

    /// Says that the worker is well.
    pub(crate) fn trust(&self) {
        self.is_doubted.store(false, Ordering::Relaxed);
    }

    pub(crate) fn is_doubted(&self) -> bool {
        self.is_doubted.load(Ordering::Relaxed)
    }

    /// Gives up: nothing that was sent this way is waited for any more.
    pub(crate) fn lose(&self) {
        self.doubt();
        self.lost.cancel();
    }

    /// Returns the reply, or a failure as soon as the worker is known to have stopped answering.
    pub(crate) async fn reply<T>(&self, reply: impl Future<Output = Result<T, Status>>) -> Result<T, Status> {
        let given_up = || Err(Status::unavailable("it stopped answering"));
        self.lost.run_until_cancelled(reply).await.unwrap_or_else(given_up)
    }

    /// Waits until somebody wants to know whether the worker is well.
    pub(crate) async fn checked(&self) {
        self.check.notified().await;
    }
}

/// The ways to the workers of one directory, in its order, and what all calls have spent on asking twice.
#[derive(Clone, Default)]
pub(crate) struct Connections {
    connections: Arc<[Arc<Connection>]>,
    pub(crate) spare: Arc<Spare>,
    /// How long calls to all of them took.
    pub(crate) rpcs: Rpcs,
    pub(crate) grants: Grants,
}

impl Connections {
    /// Returns no connections yet, to be asked with grants.
    pub(crate) fn signing(grants: Grants) -> Connections {
        Connections { grants, ..Connections::default() }
    }

    /// Returns the same with other workers.
    pub(crate) fn with(&self, connections: Vec<Arc<Connection>>) -> Connections {
        Connections {
            connections: connections.into(),
            spare: Arc::clone(&self.spare),
            rpcs: self.rpcs.clone(),
            grants: self.grants.clone(),
        }
    }
}

impl Deref for Connections {
    type Target = [Arc<Connection>];

    fn deref(&self) -> &Self::Target {
        &self.connections
    }
}
