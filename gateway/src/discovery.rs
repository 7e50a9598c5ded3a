//! Whom to ask: every worker that is configured or found, and the directory of what they hold.
//!
//! Each worker has one channel and one watching task (`follow`). Names of a headless service are looked up again and again
//! (`names`); whoever leaves its records is asked while it answers. What is known at an instant is one immutable [`Known`], which a call
//! takes once and keeps.

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
    connection::{Connection, Connections},
    directory::{Directory, Reach, WorkerView},
    grants::Grants,
};

mod address;
mod follow;
mod names;

use address::Dial;
#[cfg(test)]
pub(crate) use address::watchful;
pub use address::{WorkerEndpoint, WorkerSource};

/// All workers, and the directory of what they hold.
pub(crate) struct Federation {
    known: ArcSwap<Known>,
    members: Mutex<Vec<Member>>,
    /// How many have joined: each gets a number.
    n_joined: AtomicU64,
    /// Names that have not been looked up with success yet.
    n_unresolved: AtomicUsize,
    heard: watch::Sender<Heard>,
    tasks: TaskTracker,
    stop: CancellationToken,
}

/// What is known at an instant: the connections are in the order of the directory's workers.
#[derive(Default)]
pub(crate) struct Known {
    pub(crate) directory: Arc<Directory>,
    pub(crate) connections: Connections,
}

/// A worker that is watched.
struct Member {
    connection: Arc<Connection>,
    dial: Dial,
    view: WorkerView,
    /// Ends its watching.
    leave: CancellationToken,
}

impl Member {
    /// Returns its number, and the id of the worker, once it has said it.
    fn identity(&self) -> Option<(u64, String)> {
        Some((self.connection.member, self.view.inventory.as_ref()?.worker.clone()))
    }
}

/// What there is to wait for.
#[derive(Debug, Clone, Copy)]
struct Heard {
    /// How many workers have not yet said what they hold, and names have not been looked up.
    n_unknown: usize,
}

impl Federation {
    /// Starts to watch every worker, in tasks of `tasks` that end with `stop`.
    pub(crate) fn watch(
        sources: Vec<WorkerSource>,
        grants: Grants,
        tasks: &TaskTracker,
        stop: &CancellationToken,
    ) -> Arc<Self> {
        let n_names = sources.iter().filter(|source| matches!(source, WorkerSource::Name(_))).count();
        let federation = Arc::new(Federation {
            known: ArcSwap::from_pointee(Known { connections: Connections::signing(grants), ..Known::default() }),
            members: Mutex::default(),
            n_joined: AtomicU64::new(0),
            n_unresolved: AtomicUsize::new(n_names),
            heard: watch::Sender::new(Heard { n_unknown: sources.len() }),
            tasks: tasks.clone(),
            stop: stop.clone(),
        });
        for source in sources {
            match source {
                WorkerSource::Fixed(endpoint) => _ = federation.join(endpoint),
                WorkerSource::Name(name) => {
                    let looking = names::keep_looking(Arc::clone(&federation), name);
                    tasks.spawn(stop.clone().run_until_cancelled_owned(looking));
                }
            }
        }
        federation.publish(&federation.members());
        federation
    }

    /// Returns what is known now; one request uses one directory from its beginning to its end.
    pub(crate) fn known(&self) -> Arc<Known> {
        self.known.load_full()
    }

    /// Returns the directory as it is now.
    pub(crate) fn directory(&self) -> Arc<Directory> {
        Arc::clone(&self.known.load().directory)
    }

    /// Waits until every worker has said what it holds; says whether that came about in time.
    pub(crate) async fn settled(&self, timeout: Duration) -> bool {
        let mut heard = self.heard.subscribe();
        tokio::time::timeout(timeout, heard.wait_for(|heard| heard.n_unknown == 0)).await.is_ok()
    }

    /// Waits until there is a newer directory than `known`.
    pub(crate) async fn newer(&self, known: &Arc<Directory>) {
        let mut heard = self.heard.subscribe();
        let newer = heard.wait_for(|_| !Arc::ptr_eq(known, &self.known.load().directory));
        newer.await.expect("what is waited for is of the federation itself");
    }

    /// Waits until there is a newer directory than `known`; says whether that came about in time.
    pub(crate) async fn moved_on(&self, known: &Arc<Directory>, timeout: Duration) -> bool {
        tokio::time::timeout(timeout, self.newer(known)).await.is_ok()
    }

    /// Takes in a worker, and starts to follow it; returns its number.
    fn join(self: &Arc<Self>, endpoint: WorkerEndpoint) -> u64 {
        let WorkerEndpoint { name, dial } = endpoint;
        let number = self.n_joined.fetch_add(1, Ordering::Relaxed);
        let connection = Arc::new(Connection::new(number, name.clone(), dial()));
        let reach = Reach::Unreachable("it has not answered yet".to_owned());
        let view = WorkerView { name, reach, inventory: None };
        let leave = self.stop.child_token();
        // A member before anything is heard of it, which would be lost otherwise.
        self.members().push(Member { connection: Arc::clone(&connection), dial, view, leave: leave.clone() });
        let following = follow::follow(Arc::clone(self), connection);
        self.tasks.spawn(leave.run_until_cancelled_owned(following));
        number
    }

    /// Lets a worker go, with all that it held.
    fn leave(&self, number: u64) {
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

    /// Marks a worker as out of reach, and returns another way to it: what is on the old one may never arrive.
    fn lose(&self, connection: Arc<Connection>, reason: String) -> Arc<Connection> {
        let mut renewed = Arc::clone(&connection);
        connection.lose();
        self.change(&connection, |member| {
            member.view.reach = Reach::Unreachable(reason);
            member.connection = Arc::new(Connection::new(connection.member, connection.name.clone(), (member.dial)()));
            member.connection.doubt();
            renewed = Arc::clone(&member.connection);
        });
        renewed
    }

    /// Notes something about a worker, for all calls that begin from now on.
    fn change(&self, connection: &Connection, change: impl FnOnce(&mut Member)) {
        let mut members = self.members();
        let Some(member) = members.iter_mut().find(|member| member.connection.member == connection.member) else {
            return;
        };
        let before = member.view.reach.clone();
        change(member);
        if before != member.view.reach {
            match &member.view.reach {
                Reach::Unreachable(reason) => {
                    tracing::warn!(worker = member.view.name, reason, "a worker cannot be asked")
                }
                reach => tracing::info!(worker = member.view.name, ?reach, "a worker's reachability changed"),
            }
        }
        self.publish(&members);
    }

    /// Makes the members' views the directory. Under their lock, so that the later of two changes is also the later directory.
    fn publish(&self, members: &[Member]) {
        let views: Vec<WorkerView> = members.iter().map(|member| member.view.clone()).collect();
        let connections = members.iter().map(|member| Arc::clone(&member.connection)).collect();
        let known = self.known.load();
        let directory = Arc::new(Directory::build(&views));
        self.known.store(Arc::new(Known { directory, connections: known.connections.with(connections) }));
        let n_unheard = views.iter().filter(|view| view.inventory.is_none()).count();
        let n_unknown = n_unheard + self.n_unresolved.load(Ordering::Relaxed);
        self.heard.send_replace(Heard { n_unknown });
    }

    fn members(&self) -> MutexGuard<'_, Vec<Member>> {
        self.members.lock().expect("no holder of this lock panics")
    }
}

/// Returns what a status says, for people: its code in words, and its message if there is one.
pub(crate) fn one_line(status: &tonic::Status) -> String {
    let code = status.code().description();
    match text::sanitise_name(status.message()) {
        message if message.is_empty() => code.to_owned(),
        message => format!("{message} ({code})"),
    }
}
