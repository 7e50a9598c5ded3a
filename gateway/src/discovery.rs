//! The workers: one channel and one watching task each.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use arc_swap::ArcSwap;
use proto::v1::{self, shard_service_client::ShardServiceClient};
use tokio::{sync::watch, time::Instant};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tonic::transport::{Channel, Endpoint};

use crate::{
    config::ConfigError,
    directory::{Directory, Reach, WorkerView},
};

/// How long a connection may take to come about; a worker is on the same network, or gone.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// How often an idle connection is checked, and how long the check may take: finds a worker that vanished without a
/// word, which TCP alone does not for many minutes.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(10);
const KEEP_ALIVE_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a worker may take to say for the first time what it holds, which it knows at once.
const INVENTORY_DEADLINE: Duration = Duration::from_secs(10);

/// The first and the longest pause between two tries to reach a worker.
const MIN_BACK_OFF: Duration = Duration::from_millis(50);
const MAX_BACK_OFF: Duration = Duration::from_secs(5);

/// A worker, and the way to it. The channel may well be an in-memory one.
#[derive(Debug, Clone)]
pub struct WorkerEndpoint {
    /// Shown to people; part of an alias where two workers use the same one.
    pub name: String,
    pub channel: Channel,
}

impl WorkerEndpoint {
    /// Returns the worker at `uri`, which is dialled when it is first needed.
    pub fn dial(uri: &str) -> Result<WorkerEndpoint, ConfigError> {
        let invalid = || ConfigError::Worker { uri: uri.to_owned() };
        let endpoint = Endpoint::from_shared(uri.to_owned()).map_err(|_| invalid())?;
        let name = endpoint.uri().authority().ok_or_else(invalid)?.to_string();
        if endpoint.uri().scheme_str() != Some("http") {
            return Err(invalid());
        }
        let channel = endpoint
            .connect_timeout(CONNECT_TIMEOUT)
            .http2_keep_alive_interval(KEEP_ALIVE_INTERVAL)
            .keep_alive_timeout(KEEP_ALIVE_TIMEOUT)
            .keep_alive_while_idle(true)
            .tcp_nodelay(true)
            .connect_lazy();
        Ok(WorkerEndpoint { name, channel })
    }
}

pub(crate) type ShardClient = ShardServiceClient<Channel>;

/// All workers, and the directory of what they hold.
pub(crate) struct Federation {
    pub(crate) clients: Vec<ShardClient>,
    directory: ArcSwap<Directory>,
    views: Mutex<Vec<WorkerView>>,
    heard: watch::Sender<Heard>,
}

/// What there is to wait for.
#[derive(Debug, Clone, Copy)]
struct Heard {
    /// How many workers have not yet said what they hold.
    n_unknown: usize,
}

impl Federation {
    /// Starts to watch every worker, in tasks of `tasks` that end with `stop`.
    pub(crate) fn watch(workers: Vec<WorkerEndpoint>, tasks: &TaskTracker, stop: &CancellationToken) -> Arc<Self> {
        let unheard = |endpoint: &WorkerEndpoint| WorkerView {
            name: endpoint.name.clone(),
            reach: Reach::Unreachable("it has not answered yet".to_owned()),
            inventory: None,
        };
        let views: Vec<WorkerView> = workers.iter().map(unheard).collect();
        let federation = Arc::new(Federation {
            clients: workers.into_iter().map(|worker| client(worker.channel)).collect(),
            directory: ArcSwap::from_pointee(Directory::build(&views)),
            heard: watch::Sender::new(Heard { n_unknown: views.len() }),
            views: Mutex::new(views),
        });
        for worker_idx in 0..federation.clients.len() {
            let watching = Arc::clone(&federation).follow(worker_idx);
            tasks.spawn(stop.clone().run_until_cancelled_owned(watching));
        }
        federation
    }

    /// Returns what is known now; one request uses one directory from its beginning to its end.
    pub(crate) fn directory(&self) -> Arc<Directory> {
        self.directory.load_full()
    }

    /// Waits until every worker has said what it holds; says whether that came about in time.
    pub(crate) async fn settled(&self, timeout: Duration) -> bool {
        let mut heard = self.heard.subscribe();
        tokio::time::timeout(timeout, heard.wait_for(|heard| heard.n_unknown == 0)).await.is_ok()
    }

    /// Waits until there is a newer directory than `known`; says whether that came about in time.
    pub(crate) async fn moved_on(&self, known: &Arc<Directory>, timeout: Duration) -> bool {
        let mut heard = self.heard.subscribe();
        let newer = heard.wait_for(|_| !Arc::ptr_eq(known, &self.directory.load()));
        tokio::time::timeout(timeout, newer).await.is_ok()
    }

    async fn follow(self: Arc<Self>, worker_idx: usize) {
        let mut back_off = MIN_BACK_OFF;
        loop {
            match self.follow_stream(worker_idx).await {
                // It was there a moment ago: one more try before it counts as gone.
                Followed::Ended => back_off = MIN_BACK_OFF,
                Followed::NeverBegan(reason) => {
                    self.change(worker_idx, |view| view.reach = Reach::Unreachable(reason));
                    back_off = (back_off * 2).min(MAX_BACK_OFF);
                }
            }
            tokio::time::sleep(back_off).await;
        }
    }

    async fn follow_stream(&self, worker_idx: usize) -> Followed {
        let mut client = self.clients[worker_idx].clone();
        let deadline = Instant::now() + INVENTORY_DEADLINE;
        let mut stream = match in_time(deadline, client.inventory(v1::InventoryRequest {})).await {
            Ok(response) => response.into_inner(),
            Err(status) => return Followed::NeverBegan(one_line(&status)),
        };
        let mut followed = Followed::NeverBegan("it closed the stream before it said what it holds".to_owned());
        loop {
            let message = match followed {
                Followed::NeverBegan(_) => in_time(deadline, stream.message()).await,
                // From now on it speaks when something changes.
                Followed::Ended => stream.message().await,
            };
            match message {
                Ok(Some(inventory)) => {
                    followed = Followed::Ended;
                    self.change(worker_idx, |view| {
                        view.reach = Reach::Reachable;
                        view.inventory = Some(inventory);
                    });
                }
                Ok(None) => return followed,
                Err(status) => {
                    tracing::debug!(worker_idx, %status, "the inventory stream broke off");
                    return match followed {
                        Followed::Ended => Followed::Ended,
                        Followed::NeverBegan(_) => Followed::NeverBegan(one_line(&status)),
                    };
                }
            }
        }
    }

    fn change(&self, worker_idx: usize, change: impl FnOnce(&mut WorkerView)) {
        let mut views = self.views.lock().expect("no holder of this lock panics");
        let before = views[worker_idx].reach.clone();
        change(&mut views[worker_idx]);
        let view = &views[worker_idx];
        if before != view.reach {
            tracing::info!(worker = view.name, reach = ?view.reach, "a worker's reachability changed");
        }
        // Under the lock, so that the later of two changes is also the later directory.
        self.directory.store(Arc::new(Directory::build(&views)));
        let n_unknown = views.iter().filter(|view| view.inventory.is_none()).count();
        self.heard.send_replace(Heard { n_unknown });
    }
}

async fn in_time<T>(
    deadline: Instant,
    hearing: impl Future<Output = Result<T, tonic::Status>>,
) -> Result<T, tonic::Status> {
    let too_late = |_| Err(tonic::Status::deadline_exceeded("it did not say what it holds"));
    tokio::time::timeout_at(deadline, hearing).await.unwrap_or_else(too_late)
}

/// How following an inventory stream came to its end.
enum Followed {
    /// It told something, then ended.
    Ended,
    NeverBegan(String),
}

fn client(channel: Channel) -> ShardClient {
    ShardServiceClient::new(channel)
        .max_decoding_message_size(proto::MAX_MESSAGE_BYTES)
        .max_encoding_message_size(proto::MAX_MESSAGE_BYTES)
}

/// Returns what a status says, for people: its code in words, and its message if there is one.
pub(crate) fn one_line(status: &tonic::Status) -> String {
    let code = status.code().description();
    match text::sanitise_name(status.message()) {
        message if message.is_empty() => code.to_owned(),
        message => format!("{message} ({code})"),
    }
}
