//! The state of one mirror: its next fetch, and its handover to other workers.

use std::{collections::BTreeMap, time::Instant};

use source::mirror::Mirror;

/// Maximum number of fetches in progress. Those above [`MAX_POLLS`] are for pushed repositories.
pub(super) const MAX_FETCHES: usize = 8;

/// Maximum number of polls in progress. The network limits them, so more would not be faster.
const MAX_POLLS: usize = 6;

/// Maximum number of polls in progress at one host; a pushed repository may have one more. A host that accepts connections and
/// does not answer delays its own repositories only.
pub(super) const MAX_POLLS_OF_HOST: usize = 2;

/// A mirror that is followed.
pub(super) struct FollowedMirror {
    pub(super) mirror: Mirror,
    /// Time at which the next fetch is due.
    pub(super) due: Instant,
    /// True if the next fetch was requested because of a push.
    pub(super) is_pushed: bool,
    /// Consecutive failed fetches.
    pub(super) n_failures: u32,
    pub(super) fetch: FetchState,
    /// The handover to its new owners; `None` while this worker is an owner.
    pub(super) handover: Option<Handover>,
}

/// The fetch of a mirror.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FetchState {
    Idle,
    /// A fetch is in progress.
    Running {
        /// True if another fetch was requested since it began.
        again: bool,
    },
}

/// The handover of a repository to its new owners.
#[derive(Debug, Clone)]
pub(crate) struct Handover {
    pub(crate) owners: Vec<String>,
    /// Number of consecutive times that all owners have confirmed that they serve it.
    pub(crate) n_confirmations: u32,
}

impl FollowedMirror {
    pub(super) fn new(mirror: Mirror, due: Instant) -> FollowedMirror {
        FollowedMirror { mirror, due, is_pushed: false, n_failures: 0, fetch: FetchState::Idle, handover: None }
    }

    pub(super) fn host(&self) -> Option<String> {
        self.mirror.url.network_host()
    }

    /// Repeats a fetch in progress when it ends, since it may have missed the change.
    pub(super) fn repeat_running_fetch(&mut self) {
        if let FetchState::Running { again } = &mut self.fetch {
            *again = true;
        }
    }

    /// Stores its owners; `None` if this worker is one of them. Returns true if a handover has begun.
    pub(super) fn set_owners_elsewhere(&mut self, owners: Option<&Vec<String>>) -> bool {
        let Some(owners) = owners else {
            self.handover = None;
            return false;
        };
        let is_new = self.handover.as_ref().is_none_or(|handover| handover.owners != *owners);
        if is_new {
            self.handover = Some(Handover { owners: owners.clone(), n_confirmations: 0 });
        }
        is_new
    }
}

/// The fetches in progress.
pub(super) struct RunningFetches {
    n_fetches: usize,
    by_host: BTreeMap<String, usize>,
}

impl RunningFetches {
    pub(super) fn of<'a>(followed: impl Iterator<Item = &'a FollowedMirror>) -> RunningFetches {
        let mut running = RunningFetches { n_fetches: 0, by_host: BTreeMap::new() };
        for followed in followed.filter(|followed| followed.fetch != FetchState::Idle) {
            running.n_fetches += 1;
            if let Some(host) = followed.host() {
                *running.by_host.entry(host).or_default() += 1;
            }
        }
        running
    }

    /// Returns true if the fetch of a mirror may begin.
    pub(super) fn has_room(&self, followed: &FollowedMirror) -> bool {
        let n_of_host = followed.host().and_then(|host| self.by_host.get(&host).copied()).unwrap_or_default();
        match followed.is_pushed {
            true => self.n_fetches < MAX_FETCHES && n_of_host <= MAX_POLLS_OF_HOST,
            false => self.n_fetches < MAX_POLLS && n_of_host < MAX_POLLS_OF_HOST,
        }
    }
}
