//! The mirrors of a worker: its repositories by URL, the schedule of their fetches, and their handover to other workers.

mod followed;
mod schedule;

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use model::RepoId;
use source::{
    Checkout, OutsideLinks, PathDiagnostic,
    mirror::{self, Credential, Deadlines, LocalRemotes, Mirror, MirrorError, SyncOutcome},
};
use tokio::sync::Notify;

use super::{
    listing::{ListingState, MirrorListing},
    placement::PlacementSettings,
    settings::RepositoriesSettings,
};
use followed::{FetchState, FollowedMirror};
use schedule::{EndedFetch, FetchSchedule};

pub(crate) use followed::Handover;

/// Maximum number of fetches in progress.
pub(super) const MAX_FETCHES: usize = followed::MAX_FETCHES;

/// The repositories by URL of a worker.
pub(crate) struct Mirrors {
    folder: PathBuf,
    credentials: Vec<Credential>,
    local: LocalRemotes,
    poll_interval: Duration,
    listing: Mutex<MirrorListing>,
    schedule: Mutex<FetchSchedule>,
    /// True if a repository was released since the last discovery.
    has_released: AtomicBool,
    /// Wakes the task that fetches.
    wake: Notify,
}

/// The result of a discovery of repositories by URL.
#[derive(Default)]
pub(crate) struct DiscoveredMirrors {
    /// Repositories that are held here, cloned or not.
    pub(crate) checkouts: Vec<Checkout>,
    /// Repositories that are held here and belong to other workers.
    pub(crate) leaving: BTreeSet<RepoId>,
    /// The aliases of all listed repositories, held here or elsewhere.
    pub(crate) expected: Vec<String>,
    pub(crate) diagnostics: Vec<PathDiagnostic>,
}

impl Mirrors {
    /// Reads the listing, and removes unfinished clones of an earlier process unless the folder is read-only. Blocking.
    pub(crate) fn open(
        settings: RepositoriesSettings,
        placement: &PlacementSettings,
        folder: PathBuf,
        outside_links: OutsideLinks,
        is_read_only: bool,
    ) -> Result<Mirrors, String> {
        let folder = match is_read_only {
            true => folder.canonicalize().unwrap_or(folder),
            false if settings.is_used() => created_folder(folder)?,
            false => folder,
        };
        if !is_read_only {
            mirror::remove_incomplete_clones(&folder);
        }
        let (credentials, poll_interval) = (settings.credentials(), settings.poll_interval());
        Ok(Mirrors {
            credentials,
            local: LocalRemotes::new(outside_links),
            poll_interval,
            listing: Mutex::new(MirrorListing::open(settings, placement, &folder)?),
            folder,
            schedule: Mutex::default(),
            has_released: AtomicBool::new(false),
            wake: Notify::new(),
        })
    }

    /// Reads the listing again; returns true if another discovery is needed.
    pub(crate) fn reload(&self) -> bool {
        let has_released = self.has_released.swap(false, Ordering::Relaxed);
        self.listing().reload() || has_released
    }

    pub(crate) fn listing_state(&self) -> ListingState {
        self.listing().state()
    }

    /// Returns the listed repositories that are held here, and begins to follow new ones.
    ///
    /// A repository of other workers stays here until they serve it.
    pub(crate) fn discover(&self) -> DiscoveredMirrors {
        let (mirrors, elsewhere, diagnostics) = {
            let listing = self.listing();
            let (mirrors, diagnostics) = listing.mirrors();
            let elsewhere = listing.owners_elsewhere(&mirrors);
            (mirrors, elsewhere, diagnostics)
        };
        let mut discovered = DiscoveredMirrors { diagnostics, ..DiscoveredMirrors::default() };
        discovered.expected = mirrors.iter().map(|mirror| mirror.alias.clone()).collect();
        let mut schedule = self.schedule();
        for mirror in mirrors {
            let owners = elsewhere.get(&mirror.alias);
            let is_here = mirror.is_cloned(&self.folder) && !mirror::is_released(&mirror.folder(&self.folder));
            if owners.is_some() && !is_here {
                continue;
            }
            discovered.checkouts.push(mirror.checkout(&self.folder));
            discovered.leaving.extend(owners.map(|_| mirror.repo()));
            self.follow(&mut schedule, mirror, owners);
        }
        // A mirror that is being fetched stays until the fetch has ended, so that no second one begins.
        let held: BTreeSet<RepoId> = discovered.checkouts.iter().map(|checkout| checkout.repo).collect();
        schedule.followed.retain(|repo, followed| held.contains(repo) || followed.fetch != FetchState::Idle);
        drop(schedule);
        self.wake.notify_one();
        discovered
    }

    /// Follows a mirror, or notes how it has changed.
    fn follow(&self, schedule: &mut FetchSchedule, mirror: Mirror, owners: Option<&Vec<String>>) {
        let (now, folder) = (Instant::now(), mirror.folder(&self.folder));
        let followed =
            schedule.followed.entry(mirror.repo()).or_insert_with(|| FollowedMirror::new(mirror.clone(), now));
        if owners.is_none() && (followed.handover.is_some() || mirror::is_released(&folder)) {
            mirror::reclaim(&folder);
            followed.due = now;
        }
        if followed.set_owners_elsewhere(owners) {
            tracing::info!(alias = mirror.alias, ?owners, "the repository is handed over");
        }
        if followed.mirror != mirror {
            (followed.mirror, followed.due) = (mirror, now);
            followed.repeat_running_fetch();
        }
    }

    /// Returns true if a checkout is a mirror.
    pub(crate) fn is_mirror(&self, checkout: &Checkout) -> bool {
        checkout.path.starts_with(&self.folder)
    }

    /// Returns true if the first clone of a repository has ended.
    pub(crate) fn is_cloned(&self, repo: RepoId) -> bool {
        self.schedule().followed.get(&repo).is_some_and(|followed| followed.mirror.is_cloned(&self.folder))
    }

    /// Returns the repositories with a URL, or with the path of one.
    pub(crate) fn with_url(&self, url: &str) -> Vec<RepoId> {
        let schedule = self.schedule();
        let followed = schedule.followed.iter().filter(|(_, followed)| followed.mirror.url.is_same_repository(url));
        followed.map(|(repo, _)| *repo).collect()
    }

    /// Removes the mirrors of repositories that have not been listed for `unused`. Blocking.
    pub(crate) fn sweep(&self, unused: Duration) {
        let known: BTreeSet<PathBuf> =
            self.schedule().followed.values().map(|followed| followed.mirror.folder(&self.folder)).collect();
        for folder in mirror::mirrors_in(&self.folder) {
            if known.contains(&folder) {
                mirror::mark_used(&folder);
            } else if mirror::remove_unused(&folder, unused) {
                tracing::info!(mirror = %folder.display(), "removed the mirror of a repository that was not found for a long time");
            }
        }
    }

    fn listing(&self) -> MutexGuard<'_, MirrorListing> {
        self.listing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn schedule(&self) -> MutexGuard<'_, FetchSchedule> {
        self.schedule.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Fetches.
impl Mirrors {
    /// Schedules repositories for the next possible fetch.
    pub(crate) fn fetch_now(&self, repos: impl IntoIterator<Item = RepoId>) {
        let now = Instant::now();
        {
            let mut schedule = self.schedule();
            repos.into_iter().for_each(|repo| schedule.request(repo, now));
        }
        self.wake.notify_one();
    }

    /// Takes the next mirror to fetch.
    pub(super) fn take_due(&self) -> Option<(RepoId, Mirror)> {
        self.schedule().take_due(Instant::now())
    }

    /// Fetches a mirror that was taken, and plans its next fetch. `refusal` is the reason why no mirror may be written now. Blocking.
    pub(super) fn fetch(
        &self,
        repo: RepoId,
        mirror: &Mirror,
        refusal: Option<String>,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<SyncOutcome, MirrorError> {
        let began = Instant::now();
        let synced = match refusal {
            Some(reason) => Err(MirrorError::Io(io::Error::new(io::ErrorKind::ReadOnlyFilesystem, reason))),
            None => {
                let syncing =
                    || mirror.sync(&self.folder, &self.credentials, &self.local, Deadlines::default(), is_stopped);
                let synced = catch_unwind(AssertUnwindSafe(syncing)).unwrap_or(Err(MirrorError::Panicked));
                mirror::mark_used(&mirror.folder(&self.folder));
                synced
            }
        };
        let ended = EndedFetch { has_failed: synced.is_err(), took: began.elapsed() };
        self.schedule().note_end(repo, &ended, self.poll_interval, Instant::now());
        synced
    }

    /// Waits until the schedule has changed.
    pub(super) async fn schedule_change(&self) {
        self.wake.notified().await;
    }
}

/// Handovers.
impl Mirrors {
    /// Returns the repositories that are handed over.
    pub(crate) fn handovers(&self) -> BTreeMap<RepoId, Handover> {
        let schedule = self.schedule();
        schedule.followed.iter().filter_map(|(repo, followed)| Some((*repo, followed.handover.clone()?))).collect()
    }

    /// Stores the number of confirmations by the owners of a repository, and releases it if they are enough.
    pub(crate) fn confirm_handover(&self, repo: RepoId, confirmed: &Handover, is_enough: bool) {
        let mut schedule = self.schedule();
        let Some(followed) = schedule.followed.get_mut(&repo) else { return };
        // Since then, this worker may own it again, or the owners may be others.
        let current = followed.handover.as_mut().filter(|handover| handover.owners == confirmed.owners);
        let Some(handover) = current else { return };
        handover.n_confirmations = confirmed.n_confirmations;
        if is_enough {
            tracing::info!(alias = followed.mirror.alias, "other workers serve the repository, and it is released");
            mirror::release(&followed.mirror.folder(&self.folder));
            followed.handover = None;
            self.has_released.store(true, Ordering::Relaxed);
        }
    }
}

/// Creates the folder of mirrors, and returns its canonical path, as discoveries find it.
fn created_folder(folder: PathBuf) -> Result<PathBuf, String> {
    std::fs::create_dir_all(&folder)
        .and_then(|()| folder.canonicalize())
        .map_err(|error| format!("cannot create the folder `{}`: {error}", folder.display()))
}
