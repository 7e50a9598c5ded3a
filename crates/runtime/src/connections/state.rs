//! States of a connection and of its requests.

use std::{collections::BTreeMap, net::IpAddr, time::Duration};

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{FIRST_REQUEST_DEADLINE, FIRST_REQUEST_TIME, IDLE_DEADLINE, PART_DEADLINE, SENDING_DEADLINE, TAKING_TIME};

/// State of a connection.
#[derive(Debug)]
pub(super) struct ConnectionState {
    pub(super) address: Option<IpAddr>,
    pub(super) is_authenticated: bool,
    has_had_request: bool,
    /// The requests in flight.
    in_flight: BTreeMap<u64, RequestState>,
    n_requests: u64,
    /// Estimated memory of the requests in flight.
    n_bytes: usize,
    /// When bytes were last written.
    written_at: Instant,
    /// Start of the idle time, if no request is in flight.
    pub(super) idle_since: Instant,
    pub(super) close: CancellationToken,
}

/// The party of a connection that acts next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NextParty {
    /// Nobody soon: the connection is idle, or its client leaves ready responses alone.
    Nobody,
    /// The client: to send its first request, or to take a response.
    Client,
    /// The server.
    Server,
}

/// State of a request in flight.
#[derive(Debug, Clone, Copy)]
struct RequestState {
    /// True if the connection sends one response at a time, so that written bytes are progress of this one. With HTTP/2 they may
    /// be answers to pings.
    is_alone: bool,
    /// Since when a part of the response is ready to be taken; `None` while the client waits for the server.
    ready_since: Option<Instant>,
    /// Estimated memory.
    n_bytes: usize,
}

/// The resources that the requests of connections take.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct RequestLoad {
    /// Estimated memory of unauthenticated requests, without those of connections that are to be closed.
    pub(super) n_unauthenticated_bytes: usize,
    /// Number of authenticated requests.
    pub(super) n_authenticated: usize,
}

impl RequestLoad {
    /// Replaces the part of one connection.
    pub(super) fn replace(&mut self, before: RequestLoad, after: RequestLoad) {
        self.n_unauthenticated_bytes =
            self.n_unauthenticated_bytes - before.n_unauthenticated_bytes + after.n_unauthenticated_bytes;
        self.n_authenticated = self.n_authenticated - before.n_authenticated + after.n_authenticated;
    }
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
    pub(super) fn new(address: Option<IpAddr>, now: Instant) -> ConnectionState {
        ConnectionState {
            address,
            is_authenticated: false,
            has_had_request: false,
            in_flight: BTreeMap::new(),
            n_requests: 0,
            n_bytes: 0,
            written_at: now,
            idle_since: now,
            close: CancellationToken::new(),
        }
    }

    /// Begins a request, and returns its number.
    pub(super) fn begin_request(&mut self, is_alone: bool) -> u64 {
        let number = self.n_requests;
        self.n_requests += 1;
        self.has_had_request = true;
        self.in_flight.insert(number, RequestState { is_alone, ready_since: None, n_bytes: 0 });
        number
    }

    /// Returns true if others have a turn before a request: one without authentication of HTTP/1, but for the first of its connection,
    /// which may have a token. Of pipelined requests, up to sixteen would be served at once.
    pub(super) fn gives_turn(&self, number: u64) -> bool {
        !self.is_authenticated && number > 0 && self.in_flight.get(&number).is_some_and(|request| request.is_alone)
    }

    pub(super) fn end_request(&mut self, number: u64, now: Instant) {
        let ended = self.in_flight.remove(&number);
        self.n_bytes -= ended.map_or(0, |request| request.n_bytes);
        self.idle_since = now;
    }

    pub(super) fn set_ready_since(&mut self, number: u64, ready_since: Option<Instant>) {
        if let Some(request) = self.in_flight.get_mut(&number) {
            request.ready_since = ready_since;
        }
    }

    /// Adds bytes to the estimated memory of a request in flight.
    pub(super) fn add_bytes(&mut self, number: u64, n_bytes: usize) {
        if let Some(request) = self.in_flight.get_mut(&number) {
            request.n_bytes += n_bytes;
            self.n_bytes += n_bytes;
        }
    }

    /// Removes bytes that were added to a request in flight.
    pub(super) fn remove_bytes(&mut self, number: u64, n_bytes: usize) {
        if let Some(request) = self.in_flight.get_mut(&number) {
            request.n_bytes -= n_bytes;
            self.n_bytes -= n_bytes;
        }
    }

    pub(super) fn has_written(&mut self, now: Instant) {
        self.written_at = now;
    }

    pub(super) fn is_idle(&self) -> bool {
        self.in_flight.is_empty()
    }

    /// Returns true if a client may be about to send its first request.
    pub(super) fn is_new(&self, now: Instant) -> bool {
        !self.has_had_request && now.duration_since(self.idle_since) < FIRST_REQUEST_TIME
    }

    pub(super) fn next_party(&self, now: Instant) -> NextParty {
        let is_in_use = if self.is_idle() { self.is_new(now) } else { !self.is_waited_for(now) };
        if !is_in_use {
            NextParty::Nobody
        } else if self.in_flight.values().all(|request| request.ready_since.is_some()) {
            NextParty::Client
        } else {
            NextParty::Server
        }
    }

    /// Returns what the requests in flight take.
    pub(super) fn load(&self) -> RequestLoad {
        match (self.is_authenticated, self.close.is_cancelled()) {
            (true, _) => RequestLoad { n_authenticated: self.in_flight.len(), ..RequestLoad::default() },
            (false, true) => RequestLoad::default(),
            (false, false) => RequestLoad { n_unauthenticated_bytes: self.n_bytes, ..RequestLoad::default() },
        }
    }

    pub(super) fn is_overdue(&self, now: Instant) -> bool {
        let idle_deadline = if self.has_had_request { IDLE_DEADLINE } else { FIRST_REQUEST_DEADLINE };
        let is_idle_too_long = self.is_idle() && now.duration_since(self.idle_since) >= idle_deadline;
        is_idle_too_long || self.in_flight.values().any(|request| request.is_stalled(self.written_at, now))
    }

    /// Returns true if the connection may be closed to make room.
    pub(super) fn may_give_way(&self, now: Instant) -> bool {
        self.is_idle() || !self.is_authenticated || self.is_waited_for(now)
    }

    /// Returns true if the server only waits until the client takes its responses.
    pub(super) fn is_waited_for(&self, now: Instant) -> bool {
        !self.is_idle() && self.in_flight.values().all(|request| request.is_untaken(self.written_at, now))
    }
}
