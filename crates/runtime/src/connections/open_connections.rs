//! The open connections of a pool with the memory of their requests, and the choice of the one to close.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
    net::IpAddr,
};

use tokio::time::Instant;

use super::{
    MAX_UNAUTHENTICATED_TASKS, UNCONTENDED_TASKS,
    state::{ConnectionState, RequestLoad},
};

/// The permitted reads of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadPace {
    Full,
    /// Few bytes at a time, so that others have a turn.
    Short,
    /// None for now.
    Later,
}

/// The open connections, by number. A connection that is to be closed stays until it has ended, and takes no place.
#[derive(Debug, Default)]
pub(super) struct OpenConnections {
    by_number: BTreeMap<u64, ConnectionState>,
    n_admitted: u64,
    /// Sum over all connections.
    load: RequestLoad,
}

impl OpenConnections {
    /// Adds a connection, and returns its number.
    pub(super) fn add(&mut self, state: ConnectionState) -> u64 {
        let number = self.n_admitted;
        self.n_admitted += 1;
        self.by_number.insert(number, state);
        number
    }

    pub(super) fn remove(&mut self, number: u64) {
        if let Some(removed) = self.by_number.remove(&number) {
            self.load.replace(removed.load(), RequestLoad::default());
        }
    }

    /// Changes the state of a connection.
    pub(super) fn update<T>(&mut self, number: u64, change: impl FnOnce(&mut ConnectionState) -> T) -> Option<T> {
        let state = self.by_number.get_mut(&number)?;
        let load_before = state.load();
        let changed = change(state);
        self.load.replace(load_before, state.load());
        Some(changed)
    }

    /// Has a connection end.
    pub(super) fn close(&mut self, number: u64) {
        self.update(number, |state| state.close.cancel());
    }

    /// Closes the connections that are idle for too long, and those whose clients do not take what is ready.
    pub(super) fn close_overdue(&mut self, now: Instant) {
        let overdue: Vec<u64> =
            self.by_number.iter().filter(|(_, state)| state.is_overdue(now)).map(|(number, _)| *number).collect();
        overdue.into_iter().for_each(|number| self.close(number));
    }

    /// Closes connections until unauthenticated requests take at most `max_bytes`.
    pub(super) fn close_excess(&mut self, max_bytes: usize) {
        while self.load.n_unauthenticated_bytes > max_bytes
            && let Some(number) = self.heaviest()
        {
            self.close(number);
        }
    }

    /// Returns the connections that are not to be closed.
    pub(super) fn staying(&self) -> impl Iterator<Item = (u64, &ConnectionState)> {
        let open = self.by_number.iter().map(|(number, state)| (*number, state));
        open.filter(|(_, state)| !state.close.is_cancelled())
    }

    /// Returns the connection to close: an unauthenticated one, or one whose client takes no response, before others; of the
    /// address with the most; an unused one before one whose client acts next, and that before one whose server does; the longest idle.
    ///
    /// While idle authenticated connections take more than half of the `n_places`, they have no precedence over new clients, which
    /// are unauthenticated until their first request: among few of its kind, a new client would give way before it could send one.
    pub(super) fn least_deserving(
        &self,
        now: Instant,
        n_places: usize,
        among: impl Fn(&ConnectionState) -> bool,
    ) -> Option<u64> {
        let mut n_by_address: HashMap<Option<IpAddr>, usize> = HashMap::new();
        self.staying().for_each(|(_, state)| *n_by_address.entry(state.address).or_default() += 1);
        let is_reserve = |state: &ConnectionState| state.is_authenticated && state.is_idle();
        let n_reserve = self.staying().filter(|(_, state)| is_reserve(state) && among(state)).count();
        let is_excess = n_reserve > n_places / 2;
        let candidates = self.staying().filter(|(_, state)| state.may_give_way(now) && among(state));
        let rank = |state: &ConnectionState| {
            let precedence = match state.is_authenticated {
                _ if state.is_waited_for(now) => 0,
                true => {
                    if is_excess && is_reserve(state) {
                        1
                    } else {
                        2
                    }
                }
                false => u8::from(is_excess && state.is_new(now)),
            };
            (precedence, Reverse(n_by_address[&state.address]), state.next_party(now), state.idle_since)
        };
        candidates.min_by_key(|(number, state)| (rank(state), *number)).map(|(number, _)| number)
    }

    /// Returns the number of connections that have not ended.
    pub(super) fn n_open(&self) -> usize {
        self.by_number.len()
    }

    /// Returns how a connection may be read while `n_tasks` tasks exist, one for each connection and others. If many of them may serve unauthenticated
    /// connections, these take turns, since the requests in more bytes would pile up. Those tasks end without any client: the
    /// budget ends the others.
    pub(super) fn read_pace(&self, number: u64, n_tasks: usize) -> ReadPace {
        if self.by_number.get(&number).is_none_or(|state| state.is_authenticated) {
            return ReadPace::Full;
        }
        let n_others = self.load.n_authenticated + self.n_open();
        let n_unauthenticated = n_tasks.saturating_sub(n_others);
        if n_unauthenticated > MAX_UNAUTHENTICATED_TASKS {
            ReadPace::Later
        } else if n_unauthenticated > UNCONTENDED_TASKS {
            ReadPace::Short
        } else {
            ReadPace::Full
        }
    }

    /// Returns the connection whose unauthenticated requests take the most memory, of the address whose requests do.
    fn heaviest(&self) -> Option<u64> {
        let mut n_bytes_by_address: HashMap<Option<IpAddr>, usize> = HashMap::new();
        let n_bytes = |state: &ConnectionState| state.load().n_unauthenticated_bytes;
        let heavy = || self.staying().filter(|(_, state)| n_bytes(state) > 0);
        heavy().for_each(|(_, state)| *n_bytes_by_address.entry(state.address).or_default() += n_bytes(state));
        let weight = |state: &ConnectionState| (n_bytes_by_address[&state.address], n_bytes(state));
        heavy().max_by_key(|(number, state)| (weight(state), *number)).map(|(number, _)| number)
    }
}
