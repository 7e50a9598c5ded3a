//! The open connections of one port, and the choice of the one to close.

use std::{
    cmp::Reverse,
    collections::BTreeMap,
    net::{IpAddr, Ipv6Addr},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::file_limit;

use super::{FIRST_REQUEST_DEADLINE, IDLE_DEADLINE, PART_DEADLINE, SENDING_DEADLINE, TAKING_TIME};

/// Maximum numbers of open connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// Of all clients.
    pub n_open: usize,
    /// Of one address; with IPv6, of one /64 network.
    pub n_per_address: usize,
}

impl ConnectionLimits {
    /// Returns limits with which one address takes at most half of the places.
    pub fn of(n_open: usize) -> ConnectionLimits {
        ConnectionLimits { n_open, n_per_address: n_open.div_ceil(2) }
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
    open: Arc<Mutex<BTreeMap<u64, ConnectionState>>>,
    n_admitted: Arc<AtomicU64>,
}

/// State of a connection.
#[derive(Debug)]
struct ConnectionState {
    address: Option<IpAddr>,
    is_authenticated: bool,
    has_had_request: bool,
    /// The requests in flight.
    in_flight: BTreeMap<u64, RequestState>,
    n_requests: u64,
    /// When bytes were last written.
    written_at: Instant,
    /// Start of the idle time, if no request is in flight.
    idle_since: Instant,
    close: CancellationToken,
}

/// State of a request in flight.
#[derive(Debug, Clone, Copy)]
struct RequestState {
    /// True if the connection sends one response at a time, so that written bytes are progress of this one. With HTTP/2 they may
    /// be answers to pings.
    is_alone: bool,
    /// Since when a part of the response is ready to be taken; `None` while the client waits for the server.
    ready_since: Option<Instant>,
}

impl RequestState {
    fn is_stalled(&self, written_at: Instant, now: Instant) -> bool {
        let is_late = self.ready_since.is_some_and(|since| now.duration_since(since) >= PART_DEADLINE);
        is_late || self.is_without_progress(SENDING_DEADLINE, written_at, now)
    }

    /// Returns true if the client has taken nothing of a ready response for longer than a response is on its way.
    fn is_untaken(&self, written_at: Instant, now: Instant) -> bool {
        self.is_without_progress(TAKING_TIME, written_at, now)
    }

    /// Returns true if a response is ready, and the client has taken nothing of it for this time.
    fn is_without_progress(&self, time: Duration, written_at: Instant, now: Instant) -> bool {
        let progress_at = self.ready_since.map(|since| if self.is_alone { since.max(written_at) } else { since });
        progress_at.is_some_and(|progress_at| now.duration_since(progress_at) >= time)
    }
}

impl ConnectionState {
    fn is_idle(&self) -> bool {
        self.in_flight.is_empty()
    }

    fn is_overdue(&self, now: Instant) -> bool {
        let idle_deadline = if self.has_had_request { IDLE_DEADLINE } else { FIRST_REQUEST_DEADLINE };
        let is_idle_too_long = self.is_idle() && now.duration_since(self.idle_since) >= idle_deadline;
        is_idle_too_long || self.in_flight.values().any(|request| request.is_stalled(self.written_at, now))
    }

    /// Returns true if the connection may be closed to make room.
    fn may_give_way(&self, now: Instant) -> bool {
        self.is_idle() || !self.is_authenticated || self.is_waited_for(now)
    }

    /// Returns true if the server only waits until the client takes its responses.
    fn is_waited_for(&self, now: Instant) -> bool {
        !self.is_idle() && self.in_flight.values().all(|request| request.is_untaken(self.written_at, now))
    }
}

impl ConnectionPool {
    /// Creates an empty pool.
    pub fn new(limits: ConnectionLimits) -> ConnectionPool {
        ConnectionPool { limits, open: Arc::default(), n_admitted: Arc::default() }
    }

    /// Registers a connection. If its address has too many, or the pool is full, another one is closed first; returns `None`
    /// if none may be closed.
    pub fn admit(&self, address: Option<IpAddr>, now: Instant) -> Option<Connection> {
        let address = address.map(network_of);
        let mut open = self.open();
        let staying = || open.values().filter(|state| !state.close.is_cancelled());
        let n_of_address = staying().filter(|state| address.is_some() && state.address == address).count();
        let victim = if n_of_address >= self.limits.n_per_address {
            least_deserving(&open, now, |state| state.address == address).map(Some)?
        } else if staying().count() >= self.limits.n_open {
            least_deserving(&open, now, |_| true).map(Some)?
        } else {
            None
        };
        victim.into_iter().for_each(|number| open[&number].close.cancel());
        let number = self.n_admitted.fetch_add(1, Ordering::Relaxed);
        let close = CancellationToken::new();
        let state = ConnectionState {
            address,
            is_authenticated: false,
            has_had_request: false,
            in_flight: BTreeMap::new(),
            n_requests: 0,
            written_at: now,
            idle_since: now,
            close: close.clone(),
        };
        open.insert(number, state);
        Some(Connection(Arc::new(RegisteredConnection { number, close, pool: self.clone() })))
    }

    /// Closes the connections that are idle for too long, and those whose clients do not take what is ready.
    pub fn close_overdue(&self, now: Instant) {
        self.open().values().filter(|state| state.is_overdue(now)).for_each(|state| state.close.cancel());
    }

    /// Closes one connection to make room. Returns false if none may be closed.
    pub fn close_one(&self) -> bool {
        let open = self.open();
        let victim = least_deserving(&open, Instant::now(), |_| true);
        victim.into_iter().for_each(|number| open[&number].close.cancel());
        victim.is_some()
    }

    /// Returns the limits.
    pub fn limits(&self) -> ConnectionLimits {
        self.limits
    }

    fn open(&self) -> MutexGuard<'_, BTreeMap<u64, ConnectionState>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the connection to close: an unauthenticated one, or one whose client takes no response, before others; of the address
/// with the most; an idle one before a busy one; the longest idle.
fn least_deserving(
    open: &BTreeMap<u64, ConnectionState>,
    now: Instant,
    among: impl Fn(&ConnectionState) -> bool,
) -> Option<u64> {
    let staying = || open.iter().filter(|(_, state)| !state.close.is_cancelled());
    let mut n_by_address: BTreeMap<Option<IpAddr>, usize> = BTreeMap::new();
    staying().for_each(|(_, state)| *n_by_address.entry(state.address).or_default() += 1);
    let candidates = staying().filter(|(_, state)| state.may_give_way(now) && among(state));
    let rank = |state: &ConnectionState| {
        let is_deserving = state.is_authenticated && !state.is_waited_for(now);
        (is_deserving, Reverse(n_by_address[&state.address]), !state.is_idle(), state.idle_since)
    };
    candidates.min_by_key(|(number, state)| (rank(state), **number)).map(|(number, _)| *number)
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
        let mut number = 0;
        self.update(|state| {
            number = state.n_requests;
            state.n_requests += 1;
            state.has_had_request = true;
            state.in_flight.insert(number, RequestState { is_alone, ready_since: None });
        });
        RequestInFlight { connection: self.clone(), number }
    }

    /// Notes that bytes were written.
    pub(super) fn has_written(&self) {
        self.update(|state| state.written_at = Instant::now());
    }

    fn update(&self, change: impl FnOnce(&mut ConnectionState)) {
        if let Some(state) = self.0.pool.open().get_mut(&self.0.number) {
            change(state);
        }
    }
}

impl Drop for RegisteredConnection {
    fn drop(&mut self) {
        self.pool.open().remove(&self.number);
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

    fn set_ready_since(&self, ready_since: Option<Instant>) {
        self.connection.update(|state| {
            if let Some(request) = state.in_flight.get_mut(&self.number) {
                request.ready_since = ready_since;
            }
        });
    }
}

impl Drop for RequestInFlight {
    fn drop(&mut self) {
        self.connection.update(|state| {
            state.in_flight.remove(&self.number);
            state.idle_since = Instant::now();
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let pool = ConnectionPool::new(ConnectionLimits { n_open: 3, n_per_address: 3 });
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
            let limits = ConnectionLimits { n_open: connections.len(), n_per_address: connections.len() };
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
    fn one_ipv6_network_is_one_address() {
        let same = ["2001:db8::1", "2001:db8::ffff"].map(|address| network_of(address.parse().unwrap()));
        assert_eq!(same[0], same[1]);
        assert_ne!(same[0], network_of("2001:db9::1".parse().unwrap()));
        assert_eq!(network_of("::ffff:192.0.2.1".parse().unwrap()), address(1).unwrap());
    }
}
