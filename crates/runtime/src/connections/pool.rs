//! The connections of one port: their limits, their registration, and the notes of their requests.

use std::{
    net::{IpAddr, Ipv6Addr},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::file_limit;

use super::{
    UNAUTHENTICATED_BYTES,
    open_connections::{OpenConnections, ReadPace},
    pool_tasks::PoolTasks,
    state::ConnectionState,
};

/// Maximum numbers of open connections, and the memory of requests without authentication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// Of all clients.
    pub n_open: usize,
    /// Of one address; with IPv6, of one /64 network.
    pub n_per_address: usize,
    /// Estimated memory in bytes that the requests in flight of unauthenticated connections may take together.
    pub n_unauthenticated_bytes: usize,
}

impl ConnectionLimits {
    /// Returns limits with which one address takes at most half of the places.
    pub fn of(n_open: usize) -> ConnectionLimits {
        let n_per_address = n_open.div_ceil(2);
        ConnectionLimits { n_open, n_per_address, n_unauthenticated_bytes: UNAUTHENTICATED_BYTES }
    }

    /// Returns limits for at most `n_open` connections, or fewer if the process may open too few files. `n_reserved` of those
    /// are for other uses.
    pub fn within_open_files(n_open: usize, n_reserved: usize) -> ConnectionLimits {
        let n_files = file_limit::raise_limit().saturating_sub(n_reserved).max(1);
        ConnectionLimits::of(n_open.min(n_files))
    }
}

/// The open connections of one port.
#[derive(Debug, Clone)]
pub struct ConnectionPool {
    limits: ConnectionLimits,
    open: Arc<Mutex<OpenConnections>>,
    /// The tasks of its requests, if its server spawns them there.
    tasks: Arc<OnceLock<PoolTasks>>,
}

impl ConnectionPool {
    /// Creates an empty pool.
    pub fn new(limits: ConnectionLimits) -> ConnectionPool {
        ConnectionPool { limits, open: Arc::default(), tasks: Arc::default() }
    }

    /// Registers a connection. If its address has too many, or the pool is full, another one is closed first; returns `None`
    /// if none may be closed.
    pub fn admit(&self, address: Option<IpAddr>, now: Instant) -> Option<Connection> {
        let address = address.map(network_of);
        let mut open = self.open();
        let n_of_address = open.staying().filter(|(_, state)| address.is_some() && state.address == address).count();
        let victim = if n_of_address >= self.limits.n_per_address {
            open.least_deserving(now, self.limits.n_per_address, |state| state.address == address).map(Some)?
        } else if open.staying().count() >= self.limits.n_open {
            open.least_deserving(now, self.limits.n_open, |_| true).map(Some)?
        } else {
            None
        };
        victim.into_iter().for_each(|number| open.close(number));
        let state = ConnectionState::new(address, now);
        let close = state.close.clone();
        let number = open.add(state);
        Some(Connection(Arc::new(RegisteredConnection { number, close, pool: self.clone() })))
    }

    /// Closes the connections that are idle for too long, and those whose clients do not take what is ready.
    pub fn close_overdue(&self, now: Instant) {
        self.open().close_overdue(now);
    }

    /// Closes one connection to make room. Returns false if none may be closed.
    pub fn close_one(&self) -> bool {
        let mut open = self.open();
        let victim = open.least_deserving(Instant::now(), self.limits.n_open, |_| true);
        victim.into_iter().for_each(|number| open.close(number));
        victim.is_some()
    }

    /// Returns the limits.
    pub fn limits(&self) -> ConnectionLimits {
        self.limits
    }

    fn open(&self) -> MutexGuard<'_, OpenConnections> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns what connections are counted by: with IPv6, the /64 network, since one host has all of it.
fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        v4 => v4,
    }
}

/// A connection of the pool. It leaves the pool when its last clone is dropped.
#[derive(Debug, Clone)]
pub struct Connection(Arc<RegisteredConnection>);

#[derive(Debug)]
struct RegisteredConnection {
    number: u64,
    close: CancellationToken,
    pool: ConnectionPool,
}

impl Connection {
    /// Notes that the client has proved who it is. Its requests are not cut off to make room, unless it takes no response.
    pub fn authenticated(&self) {
        self.update(|state| state.is_authenticated = true);
    }

    /// Returns the token that is cancelled when the connection is to end.
    pub fn closing(&self) -> &CancellationToken {
        &self.0.close
    }

    /// Begins a request, which is in flight until the value is dropped. `is_alone` is true if the connection sends one response
    /// at a time.
    pub(super) fn begin_request(&self, is_alone: bool) -> RequestInFlight {
        let number = self.update(|state| state.begin_request(is_alone)).unwrap_or_default();
        RequestInFlight { connection: self.clone(), number }
    }

    /// Notes that bytes were written.
    pub(super) fn has_written(&self) {
        self.update(|state| state.has_written(Instant::now()));
    }

    /// Returns the executor of the tasks of its requests. From then on, only those decide how the connections of its pool are read.
    pub fn tasks(&self) -> PoolTasks {
        self.0.pool.tasks.get_or_init(PoolTasks::default).clone()
    }

    /// Returns how the connection may be read. `n_tasks` is the number of the tasks of the runtime, which counts if those of the pool are
    /// unknown.
    pub(super) fn read_pace(&self, n_tasks: usize) -> ReadPace {
        let open = self.0.pool.open();
        let n_tasks = self.0.pool.tasks.get().map_or(n_tasks, |tasks| tasks.count() + open.n_open());
        open.read_pace(self.0.number, n_tasks)
    }

    fn update<T>(&self, change: impl FnOnce(&mut ConnectionState) -> T) -> Option<T> {
        let mut open = self.0.pool.open();
        let changed = open.update(self.0.number, change);
        open.close_excess(self.0.pool.limits.n_unauthenticated_bytes);
        changed
    }
}

impl Drop for RegisteredConnection {
    fn drop(&mut self) {
        self.pool.open().remove(self.number);
    }
}

/// A request in flight.
#[derive(Debug)]
pub(super) struct RequestInFlight {
    connection: Connection,
    number: u64,
}

impl RequestInFlight {
    /// Notes that a part of the response is ready, and waits to be taken by the client.
    pub(super) fn is_ready(&self) {
        self.set_ready_since(Some(Instant::now()));
    }

    /// Notes that the client waits for the next part.
    pub(super) fn is_awaited(&self) {
        self.set_ready_since(None);
    }

    /// Returns true if the connection gives others a turn before this request.
    pub(super) fn gives_turn(&self) -> bool {
        self.connection.update(|state| state.gives_turn(self.number)).unwrap_or_default()
    }

    /// Returns the account of the memory of the request.
    pub(super) fn memory(&self) -> RequestMemory {
        RequestMemory { connection: self.connection.clone(), number: self.number }
    }

    fn set_ready_since(&self, ready_since: Option<Instant>) {
        self.connection.update(|state| state.set_ready_since(self.number, ready_since));
    }
}

impl Drop for RequestInFlight {
    fn drop(&mut self) {
        self.connection.update(|state| state.end_request(self.number, Instant::now()));
    }
}

/// The account of the memory of a request, until the request ends.
#[derive(Debug, Clone)]
pub(super) struct RequestMemory {
    connection: Connection,
    number: u64,
}

impl RequestMemory {
    /// Adds bytes. If unauthenticated requests take too many, connections are closed.
    pub(super) fn add(&self, n_bytes: usize) {
        self.connection.update(|state| state.add_bytes(self.number, n_bytes));
    }

    /// Removes bytes that were added.
    pub(super) fn remove(&self, n_bytes: usize) {
        self.connection.update(|state| state.remove_bytes(self.number, n_bytes));
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::connections::{
        FIRST_REQUEST_DEADLINE, FIRST_REQUEST_TIME, IDLE_DEADLINE, MAX_UNAUTHENTICATED_TASKS, PART_DEADLINE,
        SENDING_DEADLINE, TAKING_TIME, UNCONTENDED_TASKS,
    };

    const SECOND: Duration = Duration::from_secs(1);

    fn address(last: u8) -> Option<IpAddr> {
        Some(IpAddr::from([192, 0, 2, last]))
    }

    /// Returns which connections are to be closed.
    fn closing(connections: &[Connection]) -> Vec<usize> {
        (0..connections.len()).filter(|idx| connections[*idx].closing().is_cancelled()).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn idle_and_stalled_connections_are_overdue() {
        let pool = ConnectionPool::new(ConnectionLimits::of(10));
        let connections: Vec<Connection> =
            (0..7).map(|last| pool.admit(address(last), Instant::now()).unwrap()).collect();
        let [_silent, reused, computing, stalled, taking, written, pinged] = &connections[..] else { unreachable!() };
        drop(reused.begin_request(true));
        let waiting = computing.begin_request(true);
        let [ready, taken, alone, multiplexed] = [(stalled, true), (taking, false), (written, true), (pinged, false)]
            .map(|(connection, is_alone)| {
                let request = connection.begin_request(is_alone);
                request.is_ready();
                request
            });
        waiting.is_awaited();
        tokio::time::advance(FIRST_REQUEST_DEADLINE).await;
        pool.close_overdue(Instant::now());
        assert_eq!(closing(&connections), [0], "no first request");
        taken.is_ready();
        written.has_written();
        pinged.has_written();
        tokio::time::advance(SENDING_DEADLINE - FIRST_REQUEST_DEADLINE).await;
        pool.close_overdue(Instant::now());
        assert_eq!(closing(&connections), [0, 3, 6], "nothing was taken of a response");
        taken.is_awaited();
        written.has_written();
        tokio::time::advance(SENDING_DEADLINE - SECOND).await;
        pool.close_overdue(Instant::now());
        assert_eq!(closing(&connections), [0, 3, 6]);
        tokio::time::advance(IDLE_DEADLINE).await;
        pool.close_overdue(Instant::now());
        assert_eq!(closing(&connections), [0, 1, 3, 5, 6], "idle after a request, or stalled");
        drop((ready, alone, multiplexed));
    }

    #[tokio::test(start_paused = true)]
    async fn a_part_of_a_response_has_a_deadline_however_slowly_it_is_taken() {
        let pool = ConnectionPool::new(ConnectionLimits::of(1));
        let connection = pool.admit(address(1), Instant::now()).unwrap();
        let request = connection.begin_request(true);
        request.is_ready();
        let mut n_seconds = 0;
        while !connection.closing().is_cancelled() {
            connection.has_written();
            tokio::time::advance(SECOND).await;
            pool.close_overdue(Instant::now());
            n_seconds += 1;
        }
        assert_eq!(n_seconds, PART_DEADLINE.as_secs());
        drop(request);
    }

    #[tokio::test(start_paused = true)]
    async fn an_authenticated_client_that_takes_no_response_gives_way() {
        let pool = ConnectionPool::new(ConnectionLimits { n_per_address: 3, ..ConnectionLimits::of(3) });
        let connections: Vec<Connection> =
            [1, 2, 1].map(|last| pool.admit(address(last), Instant::now()).unwrap()).into();
        let requests: Vec<_> = connections
            .iter()
            .map(|connection| {
                let request = connection.begin_request(false);
                connection.authenticated();
                request
            })
            .collect();
        assert!(pool.admit(address(3), Instant::now()).is_none(), "all are busy");
        requests[0].is_ready();
        assert!(pool.admit(address(3), Instant::now()).is_none(), "the response is on its way");
        tokio::time::advance(TAKING_TIME).await;
        assert!(pool.admit(address(3), Instant::now()).is_some());
        assert_eq!(closing(&connections), [0]);
    }

    #[tokio::test(start_paused = true)]
    async fn the_least_deserving_connection_gives_way() {
        // Each connection: last byte of its address, authenticated, busy. Admitted a second apart.
        for (connections, victim) in [
            (&[(1, false, false), (2, false, false)][..], Some(0)),
            (&[(1, false, true), (2, false, false)][..], Some(1)),
            (&[(1, true, false), (2, false, false)][..], Some(1)),
            (&[(1, true, false), (2, false, true)][..], Some(1)),
            (&[(1, false, false), (2, false, false), (2, false, false)][..], Some(1)),
            (&[(1, false, false), (2, false, true), (2, false, true)][..], Some(1)),
            (&[(1, true, true), (2, true, false)][..], Some(1)),
            (&[(1, true, true), (2, true, true)][..], None),
            (&[(1, true, true), (1, true, true), (2, false, true)][..], Some(2)),
        ] {
            let limits =
                ConnectionLimits { n_per_address: connections.len(), ..ConnectionLimits::of(connections.len()) };
            let pool = ConnectionPool::new(limits);
            let mut requests = Vec::new();
            let mut open = Vec::new();
            for (last, is_authenticated, is_busy) in connections {
                let connection = pool.admit(address(*last), Instant::now()).unwrap();
                if *is_authenticated {
                    connection.authenticated();
                }
                requests.extend(is_busy.then(|| connection.begin_request(true)));
                open.push(connection);
                tokio::time::advance(SECOND).await;
            }
            let admitted = pool.admit(address(9), Instant::now());
            assert_eq!(admitted.is_some(), victim.is_some(), "{connections:?}");
            assert_eq!(closing(&open), victim.into_iter().collect::<Vec<_>>(), "{connections:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn idle_connections_of_token_holders_leave_places_to_new_clients() {
        for n_addresses in [1, 20] {
            let pool = ConnectionPool::new(ConnectionLimits::of(20));
            let admit = |nth: u8| {
                let connection = pool.admit(address(nth % n_addresses), Instant::now()).unwrap();
                connection.authenticated();
                connection
            };
            let held: Vec<Connection> = (0..20).map(admit).collect();
            tokio::time::advance(SECOND).await;
            let new = pool.admit(address(100), Instant::now()).unwrap();
            // The token holder opens connections faster than the new client sends its first request.
            let more: Vec<Connection> = (20..25).map(admit).collect();
            assert!(!new.closing().is_cancelled(), "{n_addresses}");
            assert!(more.iter().all(|connection| !connection.closing().is_cancelled()), "{n_addresses}");
            drop(held);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn clients_without_a_token_take_no_place_of_idle_token_holders() {
        let pool = ConnectionPool::new(ConnectionLimits::of(20));
        let admit = |last: u8| pool.admit(address(last), Instant::now()).unwrap();
        let token_holders: Vec<Connection> = (0..12).map(admit).collect();
        token_holders.iter().for_each(Connection::authenticated);
        let mut attackers: Vec<Connection> = (20..28).map(admit).collect();
        for nth in 0..40 {
            tokio::time::advance(FIRST_REQUEST_TIME).await;
            // They have requests all the time, so that they are idle for less time than any token holder.
            attackers.iter().for_each(|connection| drop(connection.begin_request(false)));
            attackers.push(admit(30 + nth));
            assert_eq!(closing(&token_holders), [0; 0], "{nth}");
            attackers.retain(|connection| !connection.closing().is_cancelled());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_new_client_has_time_for_its_first_request() {
        let pool = ConnectionPool::new(ConnectionLimits::of(20));
        let mut last = 0;
        let mut admit = || {
            last += 1;
            pool.admit(address(last), Instant::now()).unwrap()
        };
        // Their clients take no response.
        let mut attack = || {
            let connection = admit();
            let request = connection.begin_request(false);
            request.is_ready();
            (connection, request)
        };
        let before: Vec<_> = (0..20).map(|_| attack()).collect();
        let new = pool.admit(address(200), Instant::now()).unwrap();
        let after: Vec<_> = (0..15).map(|_| attack()).collect();
        assert!(!new.closing().is_cancelled());
        drop((before, after));
    }

    #[tokio::test(start_paused = true)]
    async fn one_address_cannot_take_all_places() {
        let pool = ConnectionPool::new(ConnectionLimits::of(8));
        let mut requests = Vec::new();
        let admit_busy = |address: Option<IpAddr>, requests: &mut Vec<(Connection, RequestInFlight)>| {
            let connection = pool.admit(address, Instant::now());
            connection.is_some_and(|connection| {
                connection.authenticated();
                let request = connection.begin_request(true);
                requests.push((connection, request));
                true
            })
        };
        let admitted: Vec<bool> = (0..6).map(|_| admit_busy(address(1), &mut requests)).collect();
        assert_eq!(admitted, [true, true, true, true, false, false]);
        assert!((0..4).all(|last| admit_busy(address(10 + last), &mut requests)));
        assert!(!admit_busy(address(20), &mut requests), "all places are taken by authenticated requests");
        requests.pop();
        assert!(admit_busy(address(20), &mut requests));
    }

    #[test]
    fn the_heaviest_unauthenticated_connection_is_closed_beyond_the_budget() {
        let limits = ConnectionLimits { n_unauthenticated_bytes: 100, ..ConnectionLimits::of(10) };
        let pool = ConnectionPool::new(limits);
        let connections: Vec<Connection> =
            [1, 2, 2, 3].map(|last| pool.admit(address(last), Instant::now()).unwrap()).into();
        let mut requests: Vec<_> = connections.iter().map(|connection| connection.begin_request(false)).collect();
        let memory: Vec<RequestMemory> = requests.iter().map(RequestInFlight::memory).collect();
        connections[3].authenticated();
        memory[3].add(1_000);
        memory[0].add(40);
        memory[1].add(30);
        memory[2].add(30);
        assert_eq!(closing(&connections), [0; 0], "the budget is not exceeded, and an authenticated request is free");
        memory[1].add(1);
        assert_eq!(closing(&connections), [1], "of the address that takes the most");
        memory[0].add(30);
        assert_eq!(closing(&connections), [1], "a closed connection takes nothing");
        memory[0].remove(30);
        memory[2].add(30);
        assert_eq!(closing(&connections), [1], "removed bytes are free");
        drop(requests.remove(2));
        memory[2].add(60);
        memory[0].add(60);
        assert_eq!(closing(&connections), [1], "an ended request takes nothing");
        memory[0].add(1);
        assert_eq!(closing(&connections), [0, 1]);
    }

    #[test]
    fn unauthenticated_connections_take_turns_while_many_tasks_serve_them() {
        let pool = ConnectionPool::new(ConnectionLimits::of(10));
        let [unknown, authenticated] = [1, 2].map(|last| pool.admit(address(last), Instant::now()).unwrap());
        authenticated.authenticated();
        // Each connection has a task.
        for (n_tasks, expected) in [
            (0, ReadPace::Full),
            (UNCONTENDED_TASKS + 2, ReadPace::Full),
            (UNCONTENDED_TASKS + 3, ReadPace::Short),
            (MAX_UNAUTHENTICATED_TASKS + 2, ReadPace::Short),
            (MAX_UNAUTHENTICATED_TASKS + 3, ReadPace::Later),
        ] {
            assert_eq!(unknown.read_pace(n_tasks), expected, "{n_tasks}");
            assert_eq!(authenticated.read_pace(n_tasks), ReadPace::Full, "{n_tasks}");
        }
        let requests = [unknown.begin_request(false), authenticated.begin_request(false)];
        let pace = unknown.read_pace(MAX_UNAUTHENTICATED_TASKS + 3);
        assert_eq!(pace, ReadPace::Short, "an authenticated request delays nobody");
        drop(requests);
    }

    #[test]
    fn one_ipv6_network_is_one_address() {
        let same = ["2001:db8::1", "2001:db8::ffff"].map(|address| network_of(address.parse().unwrap()));
        assert_eq!(same[0], same[1]);
        assert_ne!(same[0], network_of("2001:db9::1".parse().unwrap()));
        assert_eq!(network_of("::ffff:192.0.2.1".parse().unwrap()), address(1).unwrap());
    }
}
