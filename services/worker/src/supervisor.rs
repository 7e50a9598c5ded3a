//! Who decides what is indexed, and when: it finds repositories, notices that a `HEAD` has moved, and runs the queue.
//!
//! The queue is the catalog itself: a repository is queued once, however often it is asked for. A few runners take from
//! it. A repository that fails is tried again after a while that grows, so that it does not hold up the others.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use embed::Embedder;
use index::{IndexError, RepositoryDir, Snapshot};
use model::{CommitId, RepoId};
use rayon::{ThreadPool, prelude::*};
use source::{Checkout, CheckoutKind, Discovery, HeadSignature, PathDiagnostic};
use tokio::sync::Notify;
use tokio_util::task::TaskTracker;

use crate::{
    catalog::{Activity, Catalog, Entry},
    handover::Credentials,
    indexing::{self, Awaits, FactsCache, Lack, Outcome, Run, RunError, Step},
    lifecycle::Lifecycle,
    metrics::{Metrics, RunOutcome},
    mirrors::{Found, Mirrors},
    names_file::NamesFile,
    sharing::Sharing,
};

/// How often the heads of repositories are looked at: a few small files each.
const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// Every so many polls, plain folders are looked at: that takes a walk of all their files.
const FOLDER_POLLS: u32 = 5;

/// Every so many polls, new repositories are looked for.
const DISCOVERY_POLLS: u32 = 15;

/// Every so many polls, which are some hours, what is not used any more is swept.
const SWEEP_POLLS: u32 = 10_000;

/// After the n-th failure in a row a repository waits n times this long.
const RETRY_STEP: Duration = Duration::from_secs(10);

/// It never waits longer than this.
const RETRY_MAX: Duration = Duration::from_secs(600);

/// What another worker is to store is asked for again after so long, and after n times this long the n-th time.
const AWAIT_STEP: Duration = Duration::from_secs(2);

/// It is asked for no more rarely than this.
const AWAIT_MAX: Duration = Duration::from_secs(60);

/// A worker that loads what others index is ready after this time, be everything loaded or not.
const FIRST_LOADS: Duration = Duration::from_secs(300);

/// The index of a repository that is not found any more is kept this long.
pub(crate) const KEEP_UNUSED: Duration = Duration::from_secs(30 * 24 * 3600);

/// Repositories indexed at the same time. Extraction is parallel within one; a second fills the gaps while one writes.
const N_RUNNERS: usize = 2;

/// Repositories whose vectors a service is asked for at the same time, beside those: such a run waits more than it works,
/// and must not keep the text of others waiting.
const N_VECTOR_RUNNERS: usize = 2;

/// What a runner takes from the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lane {
    /// What has moved.
    Text,
    /// What is searched by text, and waits for its vectors.
    Vectors,
}

impl Entry {
    /// Notes a failure, and when it is tried again.
    fn retry_later(&mut self) {
        self.n_failures += 1;
        self.retry_at = Some(Instant::now() + retry_after(self.n_failures));
    }

    /// Notes what another worker is to store first, and when to ask for it again.
    fn await_other(&mut self, awaits: Awaits) {
        let n_asked = match &self.awaits {
            Some((before, n_asked)) if before.commit == awaits.commit => n_asked + 1,
            _ => 1,
        };
        self.retry_at = Some(Instant::now() + (AWAIT_STEP * n_asked).min(AWAIT_MAX));
        self.awaits = Some((awaits, n_asked));
    }
}

/// Returns how long what failed so many times in a row is left alone.
pub(crate) fn retry_after(n_failures: u32) -> Duration {
    RETRY_STEP.saturating_mul(n_failures).min(RETRY_MAX)
}

/// Finds, watches and indexes repositories until it is told to stop.
pub(crate) struct Supervisor {
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) mirrors: Mirrors,
    pub(crate) generations: PathBuf,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) facts: FactsCache,
    pub(crate) model: Embedder,
    /// Where generations are shared with other workers, if they are.
    pub(crate) sharing: Option<Arc<Sharing>>,
    /// What runs share: as many threads as there are cores.
    pub(crate) threads: ThreadPool,
    pub(crate) wake: Notify,
    pub(crate) lifecycle: Lifecycle,
    pub(crate) metrics: Arc<Metrics>,
    /// The last discovery: the names in it are kept, and what it had to leave out is told once.
    pub(crate) found: Mutex<Discovery>,
    pub(crate) names_file: NamesFile,
    /// Repositories that are being indexed, whatever has become of their entries.
    pub(crate) running: Mutex<BTreeSet<RepoId>>,
    /// How it shows other workers who it is.
    pub(crate) credentials: Credentials,
}

impl Supervisor {
    /// Finds the repositories and opens their current generations. Blocking.
    pub(crate) fn discover(&self) -> Discovery {
        let discovery = self.find();
        let mut found: BTreeMap<RepoId, Checkout> =
            discovery.checkouts.iter().map(|checkout| (checkout.repo, checkout.clone())).collect();
        let mut changed = false;
        {
            let mut entries = self.catalog.entries();
            let gone: Vec<RepoId> = entries.keys().filter(|repo| !found.contains_key(repo)).copied().collect();
            let gone: Vec<Entry> = gone.iter().filter_map(|repo| entries.remove(repo)).collect();
            gone.iter().for_each(|entry| tracing::info!(alias = %entry.checkout.alias, "repository is gone"));
            changed |= !gone.is_empty();
            self.catalog.leave(gone);
            for entry in entries.values_mut() {
                if let Some(checkout) = found.remove(&entry.checkout.repo)
                    && checkout != entry.checkout
                {
                    entry.is_there = self.is_there(&checkout);
                    entry.checkout = checkout;
                    changed = true;
                }
            }
        }
        let new: Vec<Checkout> = found.into_values().collect();
        let opened: Vec<Entry> = new.into_par_iter().map(|checkout| self.open(checkout)).collect();
        changed |= !opened.is_empty();
        {
            let mut entries = self.catalog.entries();
            entries.extend(opened.into_iter().map(|entry| (entry.checkout.repo, entry)));
            // One may have been cloned before there was an entry to note it in; the next poll queues it.
            entries.values_mut().for_each(|entry| entry.is_there = entry.is_there || self.is_there(&entry.checkout));
        }
        if changed {
            self.catalog.inventory_changed();
            self.wake.notify_waiters();
        }
        discovery
    }

    /// Looks for repositories, keeps the names that they were given, and tells what is new of what was left out.
    fn find(&self) -> Discovery {
        let mut last = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let mut discovery = source::discover(&self.roots, last.names.clone());
        self.add_mirrors(&mut discovery);
        if discovery.names != last.names {
            self.names_file.write(&discovery.names);
        }
        for diagnostic in discovery.diagnostics.iter().filter(|diagnostic| !last.diagnostics.contains(diagnostic)) {
            tracing::warn!(path = %diagnostic.path, "{}", diagnostic.message);
        }
        last.clone_from(&discovery);
        discovery
    }

    /// Adds the repositories by URL. Whoever listed them has named them, so that a folder of the same name is left out.
    fn add_mirrors(&self, discovery: &mut Discovery) {
        let Found { checkouts: mirrors, leaving, expected, diagnostics } = self.mirrors.discover();
        self.catalog.expect(expected, leaving);
        self.lifecycle.note_listing(self.mirrors.listing_standing());
        discovery.diagnostics.extend(diagnostics);
        // A root may hold the data folder.
        discovery.checkouts.retain(|found| !self.mirrors.is_mirror(found));
        discovery.checkouts.retain(|found| {
            let listed = mirrors.iter().find(|mirror| mirror.repo == found.repo || mirror.alias == found.alias);
            if let Some(listed) = listed {
                let message =
                    format!("the repository is listed by its URL as well, or its name is: `{}`", listed.alias);
                let path = found.path.to_string_lossy().into_owned();
                discovery.diagnostics.push(PathDiagnostic { path, message });
            }
            listed.is_none()
        });
        discovery.checkouts.extend(mirrors);
    }

    /// Opens what is there of a repository, and queues it: the run tells whether that is up to date.
    fn open(&self, checkout: Checkout) -> Entry {
        let mut entry = Entry::new(checkout);
        match self.current(entry.checkout.repo) {
            Ok(snapshot) => {
                entry.served = snapshot.map(Arc::new);
                if let Some(commit) = entry.served.as_ref().map(|served| served.manifest().commit) {
                    let seen_at = self.remote_seen_at(&entry.checkout, commit).or_else(|| entry.indexed_at(commit));
                    entry.served_since = seen_at.unwrap_or_default();
                }
            }
            Err(error) => {
                tracing::warn!(alias = %entry.checkout.alias, %error, "the generation is made anew");
            }
        }
        entry.is_there = self.is_there(&entry.checkout);
        if entry.is_there {
            entry.signature = Some(source::head_signature(&entry.checkout));
            entry.activity = Activity::Queued { force: false };
        }
        entry
    }

    /// Returns when the remote of a repository was first seen at a commit, as [`crate::catalog::Seen::at`] tells it; none
    /// where there is no remote.
    fn remote_seen_at(&self, checkout: &Checkout, commit: CommitId) -> Option<i64> {
        let is_followed = self.mirrors.is_mirror(checkout);
        is_followed.then(|| source::mirror::seen_at(&checkout.path, commit).unwrap_or_default())
    }

    /// Says whether there is something to read of a repository.
    fn is_there(&self, checkout: &Checkout) -> bool {
        !self.mirrors.is_mirror(checkout) || self.mirrors.is_cloned(checkout.repo)
    }

    /// Opens the current generation of a repository after sweeping its folder; one that went and came back while a run
    /// of it was on is that run's to sweep.
    fn current(&self, repo: RepoId) -> Result<Option<Snapshot>, IndexError> {
        let repository = RepositoryDir::open(&self.generations, repo)?;
        if !self.running().contains(&repo) {
            repository.sweep()?;
        }
        repository.current()
    }

    /// Removes the indexes of repositories that have been gone for long. Blocking.
    pub(crate) fn sweep(&self) {
        let known = self.catalog.entries().keys().copied().collect();
        index::sweep_unknown(&self.generations, &known, KEEP_UNUSED);
        self.mirrors.sweep();
    }

    /// Starts the tasks that watch and index; `tasks` owns them.
    ///
    /// A worker that loads what others index is not ready before it has tried to: until then, whoever holds it is asked.
    pub(crate) fn start(self: &Arc<Self>, tasks: &TaskTracker) {
        match &self.sharing {
            Some(sharing) if !sharing.role().indexes() => _ = tasks.spawn(self.clone().load_first()),
            _ => self.lifecycle.found(),
        }
        tasks.spawn(self.clone().watch());
        if let Some(sharing) = self.sharing.clone().filter(|sharing| sharing.role().indexes()) {
            tasks.spawn(sharing.export_offers());
        }
        tasks.spawn(self.clone().fetch());
        tasks.spawn(self.clone().hand_over());
        let n_vector_runners = if self.model.static_model().is_some() { 0 } else { N_VECTOR_RUNNERS };
        for (lane, n_runners) in [(Lane::Text, N_RUNNERS), (Lane::Vectors, n_vector_runners)] {
            for _ in 0..n_runners {
                tasks.spawn(self.clone().run_queue(lane));
            }
        }
    }

    /// Waits until every repository is served, or it is known why not; no longer than a deadline.
    async fn load_first(self: Arc<Self>) {
        let mut changes = self.catalog.watch_progress();
        let loading = async { while !self.catalog.is_settled() && changes.changed().await.is_ok() {} };
        let loaded = tokio::time::timeout(FIRST_LOADS, self.lifecycle.stop.run_until_cancelled(loading)).await;
        if loaded.is_err() {
            tracing::warn!("not everything is loaded yet, and the worker is ready all the same");
        }
        self.lifecycle.found();
    }

    /// Puts a repository into the queue, if it is held and not there yet.
    pub(crate) fn enqueue(&self, repo: RepoId, force: bool) {
        if let Some(entry) = self.catalog.entries().get_mut(&repo).filter(|entry| entry.is_there) {
            entry.activity = match entry.activity {
                Activity::Idle => Activity::Queued { force },
                Activity::Queued { force: forced } => Activity::Queued { force: force || forced },
                Activity::Running { .. } => Activity::Running { again: true },
            };
            entry.retry_at = None;
        }
        self.catalog.progress_changed();
        self.wake.notify_waiters();
    }

    async fn watch(self: Arc<Self>) {
        let mut n_polls: u32 = 0;
        let mut ticks = tokio::time::interval(POLL_INTERVAL);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        ticks.tick().await;
        loop {
            tokio::select! {
                _ = ticks.tick() => {}
                () = self.lifecycle.draining.cancelled() => return,
            }
            n_polls = n_polls.wrapping_add(1);
            let supervisor = self.clone();
            let polled = tokio::task::spawn_blocking(move || supervisor.poll(n_polls)).await;
            if let Err(error) = polled {
                tracing::error!(%error, "looking at the repositories failed");
            }
        }
    }

    /// Looks at every repository once, and queues those that have moved. Blocking.
    fn poll(&self, n_polls: u32) {
        let looked_at: Vec<(Checkout, Option<HeadSignature>)> = {
            let entries = self.catalog.entries();
            let due = |entry: &&Entry| {
                entry.is_there && (entry.checkout.kind != CheckoutKind::Folder || n_polls.is_multiple_of(FOLDER_POLLS))
            };
            entries.values().filter(due).map(|entry| (entry.checkout.clone(), entry.signature)).collect()
        };
        let mut some_gone = false;
        for (checkout, before) in looked_at {
            let signature = source::head_signature(&checkout);
            some_gone |= signature == HeadSignature::Gone;
            if before != Some(signature) {
                if let Some(entry) = self.catalog.entries().get_mut(&checkout.repo) {
                    (entry.signature, entry.awaits_vectors) = (Some(signature), false);
                    entry.behind_since.get_or_insert_with(Instant::now);
                }
                self.enqueue(checkout.repo, false);
            }
        }
        self.catalog.forget_left();
        self.offer_again();
        let now = Instant::now();
        let due: Vec<RepoId> = {
            let entries = self.catalog.entries();
            entries
                .iter()
                .filter(|(_, entry)| entry.retry_at.is_some_and(|at| at <= now))
                .map(|(repo, _)| *repo)
                .collect()
        };
        due.into_iter().for_each(|repo| self.enqueue(repo, false));
        let is_listed_anew = self.mirrors.reload();
        self.lifecycle.note_listing(self.mirrors.listing_standing());
        if is_listed_anew || some_gone || n_polls.is_multiple_of(DISCOVERY_POLLS) {
            self.discover();
        }
        if n_polls.is_multiple_of(SWEEP_POLLS) {
            self.sweep();
        }
    }

    /// Offers what is served to the object store, which may have lost it since.
    fn offer_again(&self) {
        let Some(sharing) = self.sharing.as_ref().filter(|sharing| sharing.role().indexes()) else { return };
        sharing.doubt_next();
        let entries = self.catalog.entries();
        let settled = entries.values().filter(|entry| entry.activity == Activity::Idle && entry.awaits.is_none());
        for entry in settled {
            if let Some(served) = &entry.served {
                sharing.offer(&entry.checkout.alias, served, false);
            }
        }
    }

    async fn run_queue(self: Arc<Self>, lane: Lane) {
        loop {
            if self.lifecycle.is_draining() {
                return;
            }
            let woken = self.wake.notified();
            let Some(repo) = self.take_next(lane) else {
                tokio::select! {
                    () = woken => continue,
                    () = self.lifecycle.draining.cancelled() => return,
                }
            };
            let began = Instant::now();
            let supervisor = self.clone();
            let (checkout, served, force) = repo;
            let name = checkout.alias.clone();
            let id = checkout.repo;
            let result = tokio::task::spawn_blocking(move || supervisor.index(&checkout, served, force)).await;
            let result = result.unwrap_or_else(|error| Err(format!("the run panicked: {error}")));
            self.running().remove(&id);
            self.count(&result, began.elapsed());
            self.record(id, &name, result, force);
        }
    }

    /// Takes the next of the queue: those without any generation first, then by alias.
    fn take_next(&self, lane: Lane) -> Option<(Checkout, Option<Arc<Snapshot>>, bool)> {
        let mut entries = self.catalog.entries();
        let mut running = self.running();
        let queued = |entry: &&mut Entry| {
            let lane_of_entry = if entry.awaits_vectors { Lane::Vectors } else { Lane::Text };
            matches!(entry.activity, Activity::Queued { .. })
                && lane_of_entry == lane
                && !running.contains(&entry.checkout.repo)
        };
        let entry = entries
            .values_mut()
            .filter(queued)
            .min_by(|a, b| (a.served.is_some(), &a.checkout.alias).cmp(&(b.served.is_some(), &b.checkout.alias)))?;
        let force = matches!(entry.activity, Activity::Queued { force: true });
        entry.activity = Activity::Running { again: false };
        entry.step = Step::Resolve;
        running.insert(entry.checkout.repo);
        let taken = (entry.checkout.clone(), entry.served.clone(), force);
        drop(entries);
        self.catalog.progress_changed();
        Some(taken)
    }

    fn running(&self) -> MutexGuard<'_, BTreeSet<RepoId>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn index(&self, checkout: &Checkout, served: Option<Arc<Snapshot>>, force: bool) -> Result<Outcome, String> {
        let progress = |step: Step, files_done: u64, files_total: u64| {
            if let Some(entry) = self.catalog.entries().get_mut(&checkout.repo) {
                (entry.step, entry.files_done, entry.files_total) = (step, files_done, files_total);
            }
            self.catalog.progress_changed();
        };
        let resolved = |commit: CommitId| {
            let remote_seen_at = self.remote_seen_at(checkout, commit);
            let mut entries = self.catalog.entries();
            let Some(entry) = entries.get_mut(&checkout.repo) else { return };
            let is_new = entry.see_head(commit, remote_seen_at);
            drop(entries);
            if is_new {
                self.catalog.inventory_changed();
            }
        };
        let run = || -> Result<Outcome, RunError> {
            indexing::run(&Run {
                checkout,
                repository: &RepositoryDir::open(&self.generations, checkout.repo)?,
                served,
                facts: &self.facts,
                threads: &self.threads,
                model: &self.model,
                sharing: self.sharing.as_deref(),
                force,
                progress: &progress,
                resolved: &resolved,
                stopped: &|| self.lifecycle.stop.is_cancelled(),
            })
        };
        run().map_err(|error| error.to_string())
    }

    fn count(&self, result: &Result<Outcome, String>, took: Duration) {
        let outcome = match result {
            Ok(Outcome::Published { .. }) => RunOutcome::Published,
            Ok(Outcome::UpToDate(_) | Outcome::Awaits(_)) => RunOutcome::UpToDate,
            Err(_) if self.lifecycle.stop.is_cancelled() => return,
            Err(_) => RunOutcome::Failed,
        };
        self.metrics.record_run(outcome, took);
    }

    /// Writes down what came of a run, and swaps the new snapshot in.
    fn record(&self, repo: RepoId, alias: &str, result: Result<Outcome, String>, force: bool) {
        let mut entries = self.catalog.entries();
        let Some(entry) = entries.get_mut(&repo) else { return };
        entry.activity = match entry.activity {
            Activity::Running { again: true } => Activity::Queued { force: false },
            // It went and came back during the run, and was queued as a new one.
            queued @ Activity::Queued { .. } => queued,
            Activity::Running { again: false } | Activity::Idle => Activity::Idle,
        };
        entry.step = Step::Idle;
        match result {
            Ok(outcome) => {
                (entry.error, entry.retry_at) = (None, None);
                if entry.activity == Activity::Idle && !matches!(outcome, Outcome::Awaits(_)) {
                    entry.behind_since = None;
                }
                let (published, lack, awaits) = match outcome {
                    Outcome::UpToDate(lack) => (None, lack, None),
                    Outcome::Awaits(awaits) => (None, None, Some(awaits)),
                    Outcome::Published { snapshot, figures, lack, awaits } => (Some((snapshot, figures)), lack, awaits),
                };
                let is_forced = force && published.is_some();
                if let Some((snapshot, figures)) = published {
                    tracing::info!(
                        alias,
                        files = figures.files,
                        symbols = figures.symbols,
                        extracted = figures.files_extracted,
                        ms = figures.milliseconds,
                        incremental = figures.incremental,
                        loaded_bytes = figures.loaded_bytes,
                        "{}",
                        if figures.loaded { "loaded" } else { "indexed" }
                    );
                    if let Some(sharing) = self.sharing.as_ref().filter(|_| figures.loaded) {
                        sharing.came_from_store(&snapshot);
                    }
                    let commit = snapshot.manifest().commit;
                    entry.before = entry.served.replace(snapshot);
                    // What `resolved` said of it, or a folder that changed while it was read.
                    let seen_at = entry.head.filter(|head| head.commit == commit).map(|head| head.at);
                    entry.see_head(commit, seen_at);
                    entry.last_run = Some(figures);
                }
                entry.awaits_vectors = lack.is_some() && entry.activity == Activity::Idle;
                match &lack {
                    None => entry.n_failures = 0,
                    Some(Lack::Pending) => {
                        entry.n_failures = 0;
                        if entry.activity == Activity::Idle {
                            entry.activity = Activity::Queued { force: false };
                        }
                    }
                    Some(Lack::Failed(error)) => {
                        if entry.lack != lack {
                            tracing::warn!(alias, %error, "it is searched by text alone, and tried again later");
                        }
                        entry.retry_later();
                    }
                }
                entry.lack = lack;
                match awaits {
                    Some(awaits) => entry.await_other(awaits),
                    None => entry.awaits = None,
                }
                if let (Some(sharing), Some(served), None) = (&self.sharing, &entry.served, &entry.awaits) {
                    sharing.offer(alias, served, is_forced);
                }
            }
            Err(reason) if self.lifecycle.stop.is_cancelled() => tracing::debug!(alias, reason, "run stopped"),
            Err(reason) => {
                tracing::warn!(alias, reason, "indexing failed");
                entry.retry_later();
                entry.error = Some(reason);
            }
        }
        drop(entries);
        self.catalog.inventory_changed();
        self.wake.notify_waiters();
    }
}
