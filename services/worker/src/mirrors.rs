//! Repositories by URL: which are due to be fetched, a few at a time, and what came of it.
//!
//! A fetch that moves a head puts the repository into the queue of runs, which is the catalog. One that fails is told as
//! the reason of its repository, takes nothing away that is served, and is tried again after a while that grows.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use model::RepoId;
use source::{
    Checkout, PathDiagnostic,
    mirror::{self, Credential, Deadlines, Mirror, MirrorError, Synced},
};
use tokio::{sync::Notify, task::JoinSet};

use crate::{
    catalog::FetchFailure,
    handover::Leaving,
    listing::{Listing, RepositoriesSettings, Standing},
    placement::PlacementSettings,
    supervisor::{KEEP_UNUSED, Supervisor, retry_after},
};

/// Fetches at the same time that nobody asked for. They wait for the network; more would only share it.
const N_POLLS: usize = 6;

/// Fetches at the same time in all: some are kept for what was pushed.
const N_FETCHES: usize = 8;

/// Polls of one host at the same time, and one more fetch where something was pushed there: a host that takes connections and
/// says nothing holds up its own repositories alone.
const N_POLLS_OF_HOST: usize = 2;

/// A fetch that failed after so long did so since its host does not answer; one that is refused is refused at once.
const UNANSWERED: Duration = Duration::from_secs(10);

/// How long nothing is looked at when nothing is due.
const LONGEST_NAP: Duration = Duration::from_secs(1);

/// Two polls of a repository lie between this part of the interval and the whole of it apart, each repository at a
/// distance of its own, so that not all hosts are asked at once.
const SHORTEST_INTERVAL: f64 = 0.8;

/// The repositories by URL of a worker.
pub(crate) struct Mirrors {
    folder: PathBuf,
    credentials: Vec<Credential>,
    poll_interval: Duration,
    listing: Mutex<Listing>,
    followed: Mutex<BTreeMap<RepoId, Followed>>,
    /// Hosts that did not answer the last time: how often in a row, and until when they are not polled.
    away: Mutex<BTreeMap<String, (u32, Instant)>>,
    /// Whether something was handed over since the last discovery.
    handed_over: AtomicBool,
    wake: Notify,
}

/// One of them.
struct Followed {
    mirror: Mirror,
    due: Instant,
    /// Whether somebody asked for it, since something was pushed.
    is_pushed: bool,
    n_failures: u32,
    fetch: Fetch,
    /// To whom it goes, if it is not this worker's any more.
    leaving: Option<Leaving>,
}

/// The repositories by URL, as they stand in a discovery.
#[derive(Default)]
pub(crate) struct Found {
    /// Of those that are held here, be they cloned yet or not.
    pub(crate) checkouts: Vec<Checkout>,
    /// Of those that are about to be held elsewhere alone.
    pub(crate) leaving: BTreeSet<RepoId>,
    /// The aliases of all that are listed, held here or elsewhere.
    pub(crate) expected: Vec<String>,
    pub(crate) diagnostics: Vec<PathDiagnostic>,
}

impl Followed {
    fn host(&self) -> Option<String> {
        self.mirror.url.asked_host()
    }
}

/// What is being fetched now.
struct Running {
    n_fetches: usize,
    by_host: BTreeMap<String, usize>,
}

impl Running {
    fn of<'a>(followed: impl Iterator<Item = &'a Followed>) -> Running {
        let mut running = Running { n_fetches: 0, by_host: BTreeMap::new() };
        for followed in followed.filter(|followed| followed.fetch != Fetch::Idle) {
            running.n_fetches += 1;
            if let Some(host) = followed.host() {
                *running.by_host.entry(host).or_default() += 1;
            }
        }
        running
    }

    fn has_room(&self, followed: &Followed) -> bool {
        let n_of_host = followed.host().and_then(|host| self.by_host.get(&host).copied()).unwrap_or_default();
        match followed.is_pushed {
            true => self.n_fetches < N_FETCHES && n_of_host <= N_POLLS_OF_HOST,
            false => self.n_fetches < N_POLLS && n_of_host < N_POLLS_OF_HOST,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fetch {
    Idle,
    /// Whether it was asked for again since it began.
    Running {
        again: bool,
    },
}

impl Mirrors {
    /// Reads what is listed, and sweeps what an earlier process left half done. Blocking.
    pub(crate) fn open(
        settings: RepositoriesSettings,
        placement: &PlacementSettings,
        folder: PathBuf,
    ) -> Result<Mirrors, String> {
        let folder = if settings.is_used() { own_folder(folder)? } else { folder };
        mirror::remove_incoming(&folder);
        let (credentials, poll_interval) = (settings.credentials(), settings.poll_interval());
        Ok(Mirrors {
            credentials,
            poll_interval,
            listing: Mutex::new(Listing::open(settings, placement, &folder)?),
            folder,
            followed: Mutex::default(),
            away: Mutex::default(),
            handed_over: AtomicBool::new(false),
            wake: Notify::new(),
        })
    }

    /// Reads the listing again; says whether another discovery is worth it.
    pub(crate) fn reload(&self) -> bool {
        let handed_over = self.handed_over.swap(false, Ordering::Relaxed);
        self.listing().reload() || handed_over
    }

    /// Says how the listing stands.
    pub(crate) fn listing_standing(&self) -> Standing {
        self.listing().standing()
    }

    /// Returns what is listed and held here, and begins to follow what is new of it.
    ///
    /// What is another worker's to hold stays until that serves it, if it is here.
    pub(crate) fn discover(&self) -> Found {
        let (mirrors, elsewhere, diagnostics) = {
            let listing = self.listing();
            let (mirrors, diagnostics) = listing.mirrors();
            let elsewhere = listing.elsewhere(&mirrors);
            (mirrors, elsewhere, diagnostics)
        };
        let mut found = Found { diagnostics, ..Found::default() };
        found.expected = mirrors.iter().map(|mirror| mirror.alias.clone()).collect();
        let mut followed = self.followed();
        let mut held: BTreeSet<RepoId> = BTreeSet::new();
        for mirror in mirrors {
            let (repo, folder) = (mirror.repo(), mirror.folder(&self.folder));
            let owners = elsewhere.get(&mirror.alias);
            let is_here = mirror.is_cloned(&self.folder) && !mirror::is_released(&folder);
            if owners.is_some() && !is_here {
                continue;
            }
            held.insert(repo);
            found.checkouts.push(mirror.checkout(&self.folder));
            let due = Instant::now();
            let known = followed.entry(repo).or_insert_with(|| Followed {
                mirror: mirror.clone(),
                due,
                is_pushed: false,
                n_failures: 0,
                fetch: Fetch::Idle,
                leaving: None,
            });
            match owners {
                None => {
                    if known.leaving.take().is_some() || mirror::is_released(&folder) {
                        mirror::take_back(&folder);
                        known.due = due;
                    }
                }
                Some(owners) => {
                    found.leaving.insert(repo);
                    if known.leaving.as_ref().is_none_or(|leaving| leaving.owners != *owners) {
                        tracing::info!(alias = mirror.alias, ?owners, "the repository is handed over");
                        known.leaving = Some(Leaving::to(owners.clone()));
                    }
                }
            }
            if known.mirror != mirror {
                (known.mirror, known.due) = (mirror, due);
                if let Fetch::Running { again } = &mut known.fetch {
                    *again = true;
                }
            }
        }
        // One that is being fetched stays until that has stopped, so that nobody else fetches it.
        followed.retain(|repo, followed| held.contains(repo) || followed.fetch != Fetch::Idle);
        drop(followed);
        self.wake.notify_one();
        found
    }

    /// Returns what leaves.
    pub(crate) fn leaving(&self) -> BTreeMap<RepoId, Leaving> {
        let followed = self.followed();
        followed.iter().filter_map(|(repo, followed)| Some((*repo, followed.leaving.clone()?))).collect()
    }

    /// Notes how often the owners have said that they serve a repository, and lets go of it if that is enough.
    pub(crate) fn assure(&self, repo: RepoId, owners: &[String], n_assurances: u32, is_enough: bool) {
        let mut followed = self.followed();
        let Some(followed) = followed.get_mut(&repo) else { return };
        // It may have come back in the meantime, or go to others.
        let Some(leaving) = followed.leaving.as_mut().filter(|leaving| leaving.owners == owners) else { return };
        leaving.n_assurances = n_assurances;
        if is_enough {
            tracing::info!(alias = followed.mirror.alias, "others serve the repository, and it is let go");
            mirror::release(&followed.mirror.folder(&self.folder));
            followed.leaving = None;
            self.handed_over.store(true, Ordering::Relaxed);
        }
    }

    /// Says whether a checkout is one of these.
    pub(crate) fn is_mirror(&self, checkout: &Checkout) -> bool {
        checkout.path.starts_with(&self.folder)
    }

    /// Says whether there is something to read.
    pub(crate) fn is_cloned(&self, repo: RepoId) -> bool {
        self.followed().get(&repo).is_some_and(|followed| followed.mirror.is_cloned(&self.folder))
    }

    /// Returns those that a URL, or the path of one, may stand for.
    pub(crate) fn named(&self, url: &str) -> Vec<RepoId> {
        let followed = self.followed();
        followed.iter().filter(|(_, followed)| followed.mirror.url.is_same(url)).map(|(repo, _)| *repo).collect()
    }

    /// Fetches these as soon as there is room.
    pub(crate) fn fetch_now(&self, repos: impl IntoIterator<Item = RepoId>) {
        {
            let mut followed = self.followed();
            for repo in repos {
                if let Some(followed) = followed.get_mut(&repo) {
                    (followed.due, followed.is_pushed) = (Instant::now(), true);
                    if let Fetch::Running { again } = &mut followed.fetch {
                        *again = true;
                    }
                }
            }
        }
        self.wake.notify_one();
    }

    /// Removes the mirrors of repositories that have not been listed for long. Blocking.
    pub(crate) fn sweep(&self) {
        let mut known = BTreeSet::new();
        for followed in self.followed().values() {
            known.insert(followed.mirror.folder(&self.folder));
        }
        for folder in mirror::mirrors_in(&self.folder) {
            if known.contains(&folder) {
                mirror::mark_used(&folder);
            } else if mirror::remove_unused(&folder, KEEP_UNUSED) {
                tracing::info!(mirror = %folder.display(), "the mirror of a repository that is long gone is removed");
            }
        }
    }

    /// Takes the next one that is due and for which there is room: what was pushed first, then the longest overdue.
    fn take_due(&self, now: Instant) -> Option<(RepoId, Mirror)> {
        let (mut followed, away) = (self.followed(), self.away());
        let running = Running::of(followed.values());
        let is_due = |followed: &Followed| followed.fetch == Fetch::Idle && followed.due <= now;
        let is_away = |host: &String| away.get(host).is_some_and(|(_, until)| *until > now);
        let due = followed.iter_mut().filter(|(_, followed)| {
            is_due(followed)
                && running.has_room(followed)
                && (followed.is_pushed || !followed.host().as_ref().is_some_and(is_away))
        });
        let (repo, next) = due.min_by_key(|(_, followed)| (!followed.is_pushed, followed.due))?;
        next.fetch = Fetch::Running { again: false };
        Some((*repo, next.mirror.clone()))
    }

    /// Notes what came of a fetch, and when the next one is due.
    fn note(&self, repo: RepoId, has_failed: bool, took: Duration) {
        let mut followed = self.followed();
        let Some(followed) = followed.get_mut(&repo) else { return };
        if let Some(host) = followed.host() {
            self.note_host(host, has_failed, took);
        }
        followed.n_failures = if has_failed { followed.n_failures + 1 } else { 0 };
        let pause = match followed.n_failures {
            0 => interval(self.poll_interval, &followed.mirror.alias),
            n => retry_after(n),
        };
        let again = std::mem::replace(&mut followed.fetch, Fetch::Idle) == Fetch::Running { again: true };
        followed.is_pushed = again;
        followed.due = Instant::now() + if again && !has_failed { Duration::ZERO } else { pause };
    }

    /// Leaves a host alone for a while that grows, as long as it does not answer.
    fn note_host(&self, host: String, has_failed: bool, took: Duration) {
        let mut away = self.away();
        if !has_failed {
            away.remove(&host);
        } else if took >= UNANSWERED {
            let (n_failures, until) = away.entry(host.clone()).or_insert((0, Instant::now()));
            *n_failures += 1;
            *until = Instant::now() + retry_after(*n_failures);
            if *n_failures == 1 {
                tracing::warn!(host, "it does not answer, and its repositories are fetched more rarely");
            }
        }
    }

    fn away(&self) -> MutexGuard<'_, BTreeMap<String, (u32, Instant)>> {
        self.away.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn listing(&self) -> MutexGuard<'_, Listing> {
        self.listing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn followed(&self) -> MutexGuard<'_, BTreeMap<RepoId, Followed>> {
        self.followed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Supervisor {
    /// Fetches what is due until it is told to stop, and then waits for what it began.
    pub(crate) async fn fetch(self: Arc<Self>) {
        let mut fetches = JoinSet::new();
        while !self.lifecycle.stop.is_cancelled() {
            while let Some((repo, mirror)) = self.mirrors.take_due(Instant::now()) {
                let supervisor = self.clone();
                fetches.spawn_blocking(move || {
                    let mirrors = &supervisor.mirrors;
                    let stopped = || supervisor.lifecycle.stop.is_cancelled();
                    let began = Instant::now();
                    let synced = mirror.sync(&mirrors.folder, &mirrors.credentials, Deadlines::default(), &stopped);
                    mirror::mark_used(&mirror.folder(&mirrors.folder));
                    mirrors.note(repo, synced.is_err(), began.elapsed());
                    supervisor.record_fetch(repo, synced);
                });
            }
            let is_full = fetches.len() == N_FETCHES;
            tokio::select! {
                ended = fetches.join_next(), if !fetches.is_empty() => {
                    if let Some(Err(error)) = ended {
                        tracing::error!(%error, "a fetch panicked");
                    }
                }
                () = self.mirrors.wake.notified(), if !is_full => {}
                () = tokio::time::sleep(LONGEST_NAP), if !is_full => {}
                () = self.lifecycle.stop.cancelled() => {}
            }
        }
        while fetches.join_next().await.is_some() {}
    }

    /// Writes down what came of a fetch, and queues what has moved.
    fn record_fetch(&self, repo: RepoId, synced: Result<Synced, MirrorError>) {
        let mut moved = false;
        let is_there = self.mirrors.is_cloned(repo);
        {
            let mut entries = self.catalog.entries();
            let Some(entry) = entries.get_mut(&repo) else { return };
            match synced {
                // Polls that find nothing new are told to nobody.
                Ok(Synced::Unchanged) if entry.is_there && is_there && entry.fetch_failure.is_none() => return,
                Ok(synced) => {
                    moved = synced == Synced::Moved || !entry.is_there;
                    (entry.is_there, entry.fetch_failure) = (is_there, None);
                    if moved && is_there {
                        entry.signature = Some(source::head_signature(&entry.checkout));
                        entry.awaits_vectors = false;
                    }
                }
                Err(MirrorError::Stopped) => return,
                Err(error) => {
                    let error = error.to_string();
                    let alias = &entry.checkout.alias;
                    let failure = entry.fetch_failure.get_or_insert_with(FetchFailure::first);
                    failure.n_in_a_row += 1;
                    if failure.error != error {
                        tracing::warn!(%alias, error, "fetching failed, and is tried again later");
                    }
                    failure.error = error;
                }
            }
        }
        self.catalog.inventory_changed();
        if moved {
            self.enqueue(repo, false);
        }
    }
}

/// Makes the folder, and returns it as discoveries find it.
fn own_folder(folder: PathBuf) -> Result<PathBuf, String> {
    std::fs::create_dir_all(&folder)
        .and_then(|()| folder.canonicalize())
        .map_err(|error| format!("the folder `{}` cannot be made: {error}", folder.display()))
}

/// Returns how long a repository is not asked for again.
fn interval(longest: Duration, alias: &str) -> Duration {
    let place = f64::from(model::placement::hash_of(alias) as u32) / f64::from(u32::MAX);
    longest.mul_f64(SHORTEST_INTERVAL + (1.0 - SHORTEST_INTERVAL) * place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn followed(url: &str) -> (RepoId, Followed) {
        let url = source::mirror::RemoteUrl::parse(url).unwrap();
        let mirror = Mirror { alias: url.as_str().to_owned(), url, branch: None, depth: None };
        let (due, is_pushed, n_failures) = (Instant::now(), false, 0);
        (mirror.repo(), Followed { mirror, due, is_pushed, n_failures, fetch: Fetch::Idle, leaving: None })
    }

    #[test]
    fn a_host_that_stands_still_holds_up_nobody_else() {
        let folder = tempfile::tempdir().unwrap();
        let placement = PlacementSettings::default();
        let mirrors = Mirrors::open(RepositoriesSettings::default(), &placement, folder.path().to_owned()).unwrap();
        let stalled: Vec<String> = (0..24).map(|n| format!("https://stalled.example.com/team/r{n}")).collect();
        *mirrors.followed() = stalled.iter().map(|url| followed(url)).collect();
        let begin = || mirrors.take_due(Instant::now()).map(|(repo, mirror)| (repo, mirror.alias));
        let begun: Vec<RepoId> = std::iter::from_fn(begin).map(|(repo, _)| repo).collect();
        assert_eq!(begun.len(), N_POLLS_OF_HOST);
        // What was pushed goes first, even there, and others go on.
        let others = ["https://well.example.com/a/b", "https://well.example.com/a/c"].map(followed);
        let pushed = others[1].0;
        mirrors.followed().extend(others);
        let pushed_there = mirrors.named(&stalled[20]);
        mirrors.fetch_now(pushed_there);
        mirrors.fetch_now([pushed]);
        let next: Vec<String> = std::iter::from_fn(begin).map(|(_, alias)| alias).collect();
        assert_eq!(next, [&stalled[20], "https://well.example.com/a/c", "https://well.example.com/a/b"]);
        // Once it is known not to answer, it is asked again after a pause.
        begun.iter().for_each(|repo| mirrors.note(*repo, true, UNANSWERED));
        assert_eq!(begin(), None);
        mirrors.note(pushed, false, Duration::ZERO);
        mirrors.away().values_mut().for_each(|(_, until)| *until = Instant::now());
        assert!(begin().is_some_and(|(_, alias)| alias.starts_with("https://stalled")));
    }

    #[test]
    fn each_repository_has_an_interval_of_its_own() {
        let minute = Duration::from_secs(60);
        let intervals: BTreeSet<Duration> = (0..50).map(|n| interval(minute, &format!("repo-{n}"))).collect();
        assert_eq!(intervals.len(), 50);
        assert!(intervals.iter().all(|interval| *interval <= minute && *interval >= minute.mul_f64(SHORTEST_INTERVAL)));
        assert_eq!(interval(minute, "api"), interval(minute, "api"));
    }
}
