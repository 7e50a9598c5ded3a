//! Worker discovery: every configured or resolved worker, and the directory of their repositories.
//!
//! Each worker has one channel and one watching task (`follow`). DNS names of a headless service are resolved periodically
//! (`names`); a worker that leaves the DNS records stays in use while it answers. A call takes one immutable snapshot
//! ([`KnownWorkers`]) and keeps it.

use std::{
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use arc_swap::ArcSwap;
use tokio::sync::watch;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    connection::{WorkerConnection, WorkerConnections},
    directory::{Directory, Reachability, WorkerView},
    grants::Grants,
};

mod address;
mod follow;
mod names;

use address::DialWorker;
pub use address::{InvalidAddress, WorkerEndpoint, WorkerName, WorkerSource, with_keep_alive};

/// All workers, and the directory of their repositories.
pub struct Workers {
    known: ArcSwap<KnownWorkers>,
    members: Mutex<Vec<WatchedWorker>>,
    /// The number of workers that have joined; each gets the next number.
    n_joined: AtomicU64,
    /// The number of DNS names that were never resolved successfully.
    n_unresolved: AtomicUsize,
    progress: watch::Sender<DiscoveryProgress>,
    tasks: TaskTracker,
    stop: CancellationToken,
}

/// An immutable snapshot: the connections are in the order of the directory's workers.
#[derive(Default)]
pub struct KnownWorkers {
    /// The repositories of all workers.
    pub directory: Arc<Directory>,
    /// One connection per worker, with the shared hedge budget.
    pub connections: WorkerConnections,
}

/// A worker that is watched.
struct WatchedWorker {
    connection: Arc<WorkerConnection>,
    dial: DialWorker,
    view: WorkerView,
    /// Cancels its watching task.
    leave: CancellationToken,
}

impl WatchedWorker {
    /// Returns its number and its worker id, once the worker has reported one.
    fn identity(&self) -> Option<(u64, String)> {
        Some((self.connection.member, self.view.inventory.as_ref()?.worker.clone()))
    }
}

/// The progress of discovery.
#[derive(Debug, Clone, Copy)]
struct DiscoveryProgress {
    /// The number of workers without an inventory, plus the number of unresolved names.
    n_unknown: usize,
}

impl Workers {
    /// Starts to watch every worker, in tasks of `tasks` that end with `stop`.
    pub fn watch(
        sources: Vec<WorkerSource>,
        grants: Grants,
        tasks: &TaskTracker,
        stop: &CancellationToken,
    ) -> Arc<Self> {
        let n_names = sources.iter().filter(|source| matches!(source, WorkerSource::Name(_))).count();
        let workers = Arc::new(Workers {
            known: ArcSwap::from_pointee(KnownWorkers {
                connections: WorkerConnections::signing(grants),
                ..KnownWorkers::default()
            }),
            members: Mutex::default(),
            n_joined: AtomicU64::new(0),
            n_unresolved: AtomicUsize::new(n_names),
            progress: watch::Sender::new(DiscoveryProgress { n_unknown: sources.len() }),
            tasks: tasks.clone(),
            stop: stop.clone(),
        });
        for source in sources {
            match source {
                WorkerSource::Fixed(endpoint) => _ = workers.join(endpoint),
                WorkerSource::Name(name) => {
                    let resolving = names::resolve_periodically(Arc::clone(&workers), name);
                    tasks.spawn(stop.clone().run_until_cancelled_owned(resolving));
                }
            }
        }
        workers.publish(&workers.members());
        workers
    }

    /// Returns the current snapshot. A request uses one snapshot from its beginning to its end.
    pub fn known(&self) -> Arc<KnownWorkers> {
        self.known.load_full()
    }

    /// Returns the current directory.
    pub fn directory(&self) -> Arc<Directory> {
        Arc::clone(&self.known.load().directory)
    }

    /// Waits until every worker has sent its inventory. Returns false on timeout.
    pub async fn wait_for_inventories(&self, timeout: Duration) -> bool {
        let mut progress = self.progress.subscribe();
        tokio::time::timeout(timeout, progress.wait_for(|progress| progress.n_unknown == 0)).await.is_ok()
    }

    /// Waits until there is a newer directory than `known`.
    pub async fn wait_for_newer(&self, known: &Arc<Directory>) {
        let mut progress = self.progress.subscribe();
        let newer = progress.wait_for(|_| !Arc::ptr_eq(known, &self.known.load().directory));
        newer.await.expect("the sender belongs to the workers, which outlive the wait");
    }

    /// Waits until there is a newer directory than `known`. Returns false on timeout.
    pub async fn wait_for_change(&self, known: &Arc<Directory>, timeout: Duration) -> bool {
        tokio::time::timeout(timeout, self.wait_for_newer(known)).await.is_ok()
    }

    /// Adds a worker, starts its watching task and returns its number.
    fn join(self: &Arc<Self>, endpoint: WorkerEndpoint) -> u64 {
        let WorkerEndpoint { name, dial } = endpoint;
        let number = self.n_joined.fetch_add(1, Ordering::Relaxed);
        let connection = Arc::new(WorkerConnection::new(number, name.clone(), dial()));
        let reach = Reachability::Unreachable("it has not answered yet".to_owned());
        let view = WorkerView { name, reach, inventory: None };
        let leave = self.stop.child_token();
        // Register the worker before its task starts: an earlier inventory would be lost.
        self.members().push(WatchedWorker { connection: Arc::clone(&connection), dial, view, leave: leave.clone() });
        let following = follow::follow(Arc::clone(self), connection);
        self.tasks.spawn(leave.run_until_cancelled_owned(following));
        number
    }

    /// Removes a worker and its repositories.
    fn remove_worker(&self, number: u64) {
        let mut members = self.members();
        members.retain(|member| {
            let stays = member.connection.member != number;
            if !stays {
                tracing::info!(worker = member.view.name, "a worker has left");
                member.leave.cancel();
            }
            stays
        });
        self.publish(&members);
    }

    /// Marks a worker as unreachable and returns a new connection to it: replies on the old one may never arrive.
    fn mark_unreachable(&self, connection: Arc<WorkerConnection>, reason: String) -> Arc<WorkerConnection> {
        let mut renewed = Arc::clone(&connection);
        connection.disconnect();
        self.change(&connection, |member| {
            member.view.reach = Reachability::Unreachable(reason);
            member.connection =
                Arc::new(WorkerConnection::new(connection.member, connection.name.clone(), (member.dial)()));
            member.connection.open_breaker();
            renewed = Arc::clone(&member.connection);
        });
        renewed
    }

    /// Changes the state of a worker for all calls that start from now on.
    fn change(&self, connection: &WorkerConnection, change: impl FnOnce(&mut WatchedWorker)) {
        let mut members = self.members();
        let Some(member) = members.iter_mut().find(|member| member.connection.member == connection.member) else {
            return;
        };
        let before = member.view.reach.clone();
        change(member);
        if before != member.view.reach {
            match &member.view.reach {
                Reachability::Unreachable(reason) => {
                    tracing::warn!(worker = member.view.name, reason, "a worker is unreachable")
                }
                reach => tracing::info!(worker = member.view.name, ?reach, "a worker's reachability changed"),
            }
        }
        self.publish(&members);
    }

    /// Builds the directory from the members' views. The caller holds their lock, so that the later change is published later.
    fn publish(&self, members: &[WatchedWorker]) {
        let views: Vec<WorkerView> = members.iter().map(|member| member.view.clone()).collect();
        let connections = members.iter().map(|member| Arc::clone(&member.connection)).collect();
        let known = self.known.load();
        let directory = Arc::new(Directory::build(&views));
        self.known.store(Arc::new(KnownWorkers { directory, connections: known.connections.with(connections) }));
        let n_without_inventory = views.iter().filter(|view| view.inventory.is_none()).count();
        let n_unknown = n_without_inventory + self.n_unresolved.load(Ordering::Relaxed);
        self.progress.send_replace(DiscoveryProgress { n_unknown });
    }

    fn members(&self) -> MutexGuard<'_, Vec<WatchedWorker>> {
        self.members.lock().expect("no holder of this lock panics")
    }
}

/// Formats a gRPC status as one line: its message, if any, and its code in words.
pub fn one_line(status: &tonic::Status) -> String {
    let code = status.code().description();
    match text::sanitise_name(status.message()) {
        message if message.is_empty() => code.to_owned(),
        message => format!("{message} ({code})"),
    }
}
