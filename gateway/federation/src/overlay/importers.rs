//! Joint links: the uses of each repository, resolved together with the link facts of the repositories that it depends on.
//!
//! A repository is linked once for each set of providers. The set has only repositories that the caller may read: a chain of types
//! ends at a repository that the caller may not read, and nothing tells of it. Linking runs in tasks of its own. A call waits for
//! them within its deadline, and what is not finished then serves a later call.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use links::{
    joint::{ImporterLinks, ProviderView, TracedLinks, link_importer},
    link_facts::{LinkFacts, LinkFactsError, decode_importer},
    rules::LinkRules,
};
use tokio::{
    sync::{Notify, Semaphore},
    time::Instant,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    facts_source::{FactsSource, WorkerFacts},
    link_store::{self, LinkStore},
    linked_importer::LinkedImporter,
    parts::RepositoryKey,
    provider_cache::{DecodedProvider, ProviderCache},
};
use crate::{connection::WorkerConnections, plan::Plan, repo_idx::RepoIdx};

/// Maximum time to fetch the link facts of a repository and of its providers.
const FETCH_DEADLINE: Duration = Duration::from_secs(60);

/// Maximum total of the encoded sizes of the facts of an importer's providers. Decoded, they take about ten times as much memory. The uses
/// of further providers stay unknown.
const MAX_FACTS_BYTES: usize = 64 << 20;

/// Back-off after link facts could not be fetched or read for the first time. It doubles with each further failure: a busy worker misses
/// a deadline once, while damaged facts stay damaged.
const FIRST_RETRY_PAUSE: Duration = Duration::from_secs(1);

/// Maximum back-off after link facts could not be fetched or read.
const MAX_RETRY_PAUSE: Duration = Duration::from_secs(30);

/// Time for which decoded providers stay after the last repository was linked: the next commit often follows soon.
const PROVIDERS_KEPT: Duration = Duration::from_secs(5);

/// Stack size of the thread that links. Inference recurses into nested code, as on workers.
const STACK_BYTES: usize = 32 << 20;

/// Time for which links of replaced generations stay. The call that notices new generations asks for their links at once.
const REPLACED_KEPT: Duration = Duration::from_secs(60);

/// A repository at a generation.
pub(super) type GenerationRef = (RepositoryKey, String);

/// A repository and those that it depends on, at their generations.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ImporterKey {
    pub(super) importer: GenerationRef,
    pub(super) providers: Vec<GenerationRef>,
}

impl ImporterKey {
    /// Returns the generations of the providers.
    fn generations(&self) -> impl Iterator<Item = &str> {
        self.providers.iter().map(|(_, generation)| generation.as_str())
    }
}

/// A repository to link.
pub(super) struct ImporterToLink {
    pub(super) key: ImporterKey,
    /// The importer first, then the providers in the order of the key.
    pub(super) repo_idxs: Vec<RepoIdx>,
    /// By provider, in the order of the key.
    pub(super) packages: Vec<ProviderPackage>,
    /// The keys of all packages that the providers make.
    pub(super) offered: BTreeSet<String>,
}

/// The package that links to a provider name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProviderPackage {
    pub(super) key: String,
    /// The number of repositories that make a package of this name.
    pub(super) n_makers: usize,
}

enum LinkState {
    Running,
    Linked(Arc<LinkedImporter>),
    /// It is tried again after a pause.
    Failed {
        failed_at: Instant,
        pause: Duration,
        reason: String,
    },
}

impl LinkState {
    fn is_wanted(&self) -> bool {
        matches!(self, LinkState::Failed { failed_at, pause, .. } if failed_at.elapsed() >= *pause)
    }

    /// Returns the pause after another failure.
    fn next_pause(state: Option<&LinkState>) -> Duration {
        match state {
            Some(LinkState::Failed { pause, .. }) => (*pause * 2).min(MAX_RETRY_PAUSE),
            _ => FIRST_RETRY_PAUSE,
        }
    }
}

/// Links to a replaced generation of a provider. The links to its next generation are mostly the same.
struct ReplacedLinks {
    replaced_at: Instant,
    /// By provider.
    generations: Vec<String>,
    links: Arc<LinkedImporter>,
}

impl ReplacedLinks {
    /// Returns the indices of the providers that are at other generations in a key.
    fn changed(&self, key: &ImporterKey) -> Vec<usize> {
        let pairs = self.generations.iter().zip(key.generations()).enumerate();
        pairs.filter(|(_, (before, now))| before != now).map(|(provider, _)| provider).collect()
    }

    /// Returns the links in the numbers of the new views of the changed providers; `None` if the importer must be linked again.
    fn renewed(&self, views: &[(usize, Arc<ProviderView>)]) -> Option<LinkedImporter> {
        let links = LinkedImporter::clone(&self.links);
        views.iter().try_fold(links, |links, (provider, view)| links.renewed(*provider, view))
    }
}

/// The result of the renewal of links in memory.
enum Renewal {
    /// The links in the numbers of the new generations.
    Links(Box<LinkedImporter>),
    /// A change of a provider matters: the repository must be linked again.
    Outdated,
    /// There are no links in memory.
    Unknown,
}

/// The joint links of all repositories, and the tasks that make them.
#[derive(Clone)]
pub(super) struct JointLinks {
    states: Arc<Mutex<BTreeMap<ImporterKey, LinkState>>>,
    /// By importer at its generation and providers: the links to replaced generations of providers.
    replaced: Arc<Mutex<HashMap<[u8; 32], ReplacedLinks>>>,
    /// It increases with every change of a state.
    version: Arc<AtomicU64>,
    changed: Arc<Notify>,
    /// One repository is linked at a time: the others have their turn later.
    turn: Arc<Semaphore>,
    store: LinkStore,
    providers: ProviderCache,
    rules: Arc<LinkRules>,
    tasks: TaskTracker,
    stop: CancellationToken,
}

impl JointLinks {
    pub(super) fn new(
        store: LinkStore,
        rules: Arc<LinkRules>,
        tasks: &TaskTracker,
        stop: &CancellationToken,
    ) -> JointLinks {
        JointLinks {
            states: Arc::default(),
            replaced: Arc::default(),
            version: Arc::default(),
            changed: Arc::default(),
            turn: Arc::new(Semaphore::new(1)),
            store,
            providers: ProviderCache::default(),
            rules,
            tasks: tasks.clone(),
            stop: stop.clone(),
        }
    }

    /// Forgets the links of generations that are no longer served. If only providers changed, the links stay for a moment, to be renewed.
    pub(super) fn forget_changed(&self, is_served: impl Fn(&GenerationRef) -> bool) {
        let now = Instant::now();
        let mut replaced = self.replaced.lock().unwrap_or_else(PoisonError::into_inner);
        let mut has_more = false;
        self.lock().retain(|key, state| {
            let has_importer = is_served(&key.importer);
            let is_kept = has_importer && key.providers.iter().all(&is_served);
            if let LinkState::Linked(links) = state
                && has_importer
                && !is_kept
            {
                let generations = key.generations().map(str::to_owned).collect();
                let links = ReplacedLinks { replaced_at: now, generations, links: Arc::clone(links) };
                replaced.insert(link_store::hash(key, &self.rules), links);
                has_more = true;
            }
            is_kept
        });
        drop(replaced);
        self.providers.forget_changed(is_served);
        if has_more {
            let joint = self.clone();
            self.tasks.spawn(async move { joint.stop.run_until_cancelled(joint.forget_replaced_later()).await });
        }
    }

    /// Forgets the links of replaced generations once they were kept for long enough.
    async fn forget_replaced_later(&self) {
        tokio::time::sleep(REPLACED_KEPT).await;
        let now = Instant::now();
        let mut replaced = self.replaced.lock().unwrap_or_else(PoisonError::into_inner);
        replaced.retain(|_, links| links.replaced_at + REPLACED_KEPT > now);
    }

    /// Returns true if a repository is not linked yet.
    pub(super) fn is_wanted(&self, key: &ImporterKey) -> bool {
        self.lock().get(key).is_none_or(LinkState::is_wanted)
    }

    /// Starts to link the repositories that are not linked yet.
    pub(super) fn start(&self, plan: &Plan, connections: &WorkerConnections, wanted: Vec<ImporterToLink>) {
        let mut states = self.lock();
        for importer in wanted {
            // A concurrent call may have started it.
            if !states.get(&importer.key).is_none_or(LinkState::is_wanted) {
                continue;
            }
            let pause = LinkState::next_pause(states.get(&importer.key));
            states.insert(importer.key.clone(), LinkState::Running);
            self.version.fetch_add(1, Ordering::AcqRel);
            let (joint, plan, connections) = (self.clone(), plan.clone(), connections.clone());
            self.tasks.spawn(async move {
                let key = importer.key.clone();
                let linking = joint.link_in_turn(&plan, &connections, importer);
                let Some(linked) = joint.stop.run_until_cancelled(linking).await else { return };
                let state = match linked {
                    Ok(linked) => LinkState::Linked(Arc::new(linked)),
                    Err(reason) => LinkState::Failed { failed_at: Instant::now(), pause, reason },
                };
                // Its generation may have been replaced meanwhile.
                if let Some(known) = joint.lock().get_mut(&key) {
                    *known = state;
                    joint.version.fetch_add(1, Ordering::AcqRel);
                }
                joint.changed.notify_waiters();
                joint.stop.run_until_cancelled(joint.forget_providers_when_idle()).await;
            });
        }
    }

    /// Gives the memory of decoded providers back if no repository is being linked any more, and none is a moment later.
    async fn forget_providers_when_idle(&self) {
        let version = self.version();
        if self.is_linking() {
            return;
        }
        tokio::time::sleep(PROVIDERS_KEPT).await;
        if self.version() == version && !self.is_linking() {
            self.providers.forget_facts();
        }
    }

    fn is_linking(&self) -> bool {
        self.lock().values().any(|state| matches!(state, LinkState::Running))
    }

    /// Waits until none of these repositories is being linked, at most until the deadline.
    pub(super) async fn settle(&self, keys: &[ImporterKey], deadline: Instant) {
        // Repositories are linked in the order of the keys.
        let mut n_settled = 0;
        loop {
            let changed = self.changed.notified();
            n_settled += {
                let states = self.lock();
                let is_settled = |key: &&ImporterKey| !matches!(states.get(*key), Some(LinkState::Running));
                keys[n_settled..].iter().take_while(is_settled).count()
            };
            if n_settled == keys.len() || tokio::time::timeout_at(deadline, changed).await.is_err() {
                return;
            }
        }
    }

    /// Returns the number of changes so far. Links read afterwards are at least of this version.
    pub(super) fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// Returns the links of a repository, or the reason why they are not known.
    pub(super) fn linked(&self, key: &ImporterKey) -> Result<Arc<LinkedImporter>, String> {
        match self.lock().get(key) {
            Some(LinkState::Linked(linked)) => Ok(Arc::clone(linked)),
            Some(LinkState::Failed { reason, .. }) => Err(reason.clone()),
            Some(LinkState::Running) | None => {
                Err("its uses of other repositories are still being resolved".to_owned())
            }
        }
    }

    async fn link_in_turn(
        &self,
        plan: &Plan,
        connections: &WorkerConnections,
        importer: ImporterToLink,
    ) -> Result<LinkedImporter, String> {
        let _turn = self.turn.acquire().await.map_err(|_| "the gateway is about to stop".to_owned())?;
        let deadline = Instant::now() + FETCH_DEADLINE;
        self.link(&WorkerFacts { plan, connections, deadline }, importer).await
    }

    /// Renews the known links of a repository, or links it from nothing.
    async fn link(&self, source: &impl FactsSource, importer: ImporterToLink) -> Result<LinkedImporter, String> {
        match self.renewed(source, &importer).await? {
            Renewal::Links(links) => return Ok(*links),
            Renewal::Outdated => {}
            Renewal::Unknown => {
                if let Some(links) = self.stored(source, &importer).await? {
                    return Ok(LinkedImporter::new(links, &importer.packages));
                }
            }
        }
        let own = source.fetch(importer.repo_idxs[0]).await?;
        let providers = self.providers_of(source, &importer).await?;
        let (store, rules) = (self.store.clone(), Arc::clone(&self.rules));
        let link = move || -> Result<LinkedImporter, LinkFactsError> {
            let links = link(&own, &providers, &importer.offered)?;
            let views: Vec<&ProviderView> = providers.iter().map(|provider| &*provider.view).collect();
            let generations = importer.key.generations().map(str::to_owned).collect();
            let traced = TracedLinks::new(links, &views, generations);
            store.put(&importer.key, &rules, &traced);
            Ok(LinkedImporter::new(traced, &importer.packages))
        };
        on_large_stack(link).await?.map_err(|error| error.to_string())
    }

    /// Removes the links of a repository to the replaced generations of its providers, if they name the same packages.
    fn take_replaced(&self, importer: &ImporterToLink) -> Option<ReplacedLinks> {
        let mut replaced = self.replaced.lock().unwrap_or_else(PoisonError::into_inner);
        let links = replaced.remove(&link_store::hash(&importer.key, &self.rules))?;
        links.links.has_packages(&importer.packages).then_some(links)
    }

    /// Renews the links of a repository to the replaced generations of its providers.
    ///
    /// They are not stored: after a restart, the stored links are renewed.
    async fn renewed(&self, source: &impl FactsSource, importer: &ImporterToLink) -> Result<Renewal, String> {
        let Some(replaced) = self.take_replaced(importer) else { return Ok(Renewal::Unknown) };
        let mut views = Vec::new();
        for provider in replaced.changed(&importer.key) {
            views.push((provider, self.view_of(source, importer, provider).await?));
        }
        let renew = move || replaced.renewed(&views).map_or(Renewal::Outdated, |links| Renewal::Links(Box::new(links)));
        tokio::task::spawn_blocking(renew).await.map_err(|error| error.to_string())
    }

    /// Returns the stored links of a repository, if its view of each changed provider is the same as before.
    async fn stored(
        &self,
        source: &impl FactsSource,
        importer: &ImporterToLink,
    ) -> Result<Option<TracedLinks>, String> {
        let (store, key, rules) = (self.store.clone(), importer.key.clone(), Arc::clone(&self.rules));
        let found = tokio::task::spawn_blocking(move || store.get(&key, &rules)).await.ok().flatten();
        let generations: Vec<&str> = importer.key.generations().collect();
        let Some((mut links, changed)) = found.and_then(|links| {
            let changed = links.changed(&generations)?;
            Some((links, changed))
        }) else {
            return Ok(None);
        };
        for provider in &changed {
            let view = self.view_of(source, importer, *provider).await?;
            match links.renewed(*provider, &view, generations[*provider]) {
                Some(renewed) => links = renewed,
                None => return Ok(None),
            }
        }
        if changed.is_empty() {
            return Ok(Some(links));
        }
        let (store, key, rules) = (self.store.clone(), importer.key.clone(), Arc::clone(&self.rules));
        let keep = move || {
            store.put(&key, &rules, &links);
            links
        };
        tokio::task::spawn_blocking(keep).await.map(Some).map_err(|error| error.to_string())
    }

    /// Returns the view of one provider.
    async fn view_of(
        &self,
        source: &impl FactsSource,
        importer: &ImporterToLink,
        provider: usize,
    ) -> Result<Arc<ProviderView>, String> {
        match self.providers.view(&importer.key.providers[provider]) {
            Some(view) => Ok(view),
            None => Ok(self.provider(source, importer, provider).await?.view),
        }
    }

    /// Returns the providers of a repository, in the order of its key.
    async fn providers_of(
        &self,
        source: &impl FactsSource,
        importer: &ImporterToLink,
    ) -> Result<Vec<DecodedProvider>, String> {
        let mut providers = Vec::with_capacity(importer.key.providers.len());
        let mut n_bytes = 0;
        for provider in 0..importer.key.providers.len() {
            let decoded = self.provider(source, importer, provider).await?;
            let fits = n_bytes + decoded.size <= MAX_FACTS_BYTES;
            n_bytes += if fits { decoded.size } else { 0 };
            providers.push(if fits { decoded } else { decoded.without_facts() });
        }
        Ok(providers)
    }

    async fn provider(
        &self,
        source: &impl FactsSource,
        importer: &ImporterToLink,
        provider: usize,
    ) -> Result<DecodedProvider, String> {
        let key = importer.key.providers[provider].clone();
        if let Some(provider) = self.providers.get(&key) {
            return Ok(provider);
        }
        let bytes = source.fetch(importer.repo_idxs[provider + 1]).await?;
        let (providers, rules) = (self.providers.clone(), Arc::clone(&self.rules));
        let decode = move || providers.decode(&key, &bytes, &rules);
        let decoded = tokio::task::spawn_blocking(decode).await.map_err(|error| error.to_string())?;
        decoded.map_err(|error| error.to_string())
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<ImporterKey, LinkState>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Links a repository. A repository without facts is too large for them.
fn link(
    importer: &[u8],
    providers: &[DecodedProvider],
    offered: &BTreeSet<String>,
) -> Result<ImporterLinks, LinkFactsError> {
    let lacks_facts = importer.is_empty() || providers.iter().any(|provider| *provider.facts == LinkFacts::default());
    let importer = if importer.is_empty() { LinkFacts::default() } else { decode_importer(importer)? };
    let facts: Vec<&LinkFacts> = providers.iter().map(|provider| &*provider.facts).collect();
    let links = link_importer(&importer, &facts, offered);
    Ok(ImporterLinks { may_miss_any: links.may_miss_any || lacks_facts, ..links })
}

/// Runs CPU-bound work on a thread with a large stack.
async fn on_large_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    let run = move || {
        let thread = std::thread::Builder::new().name("joint-links".to_owned()).stack_size(STACK_BYTES);
        let thread = thread.spawn(work).map_err(|error| format!("no thread can be started: {error}"))?;
        thread.join().map_err(|_| "resolving its uses of other repositories failed".to_owned())
    };
    tokio::task::spawn_blocking(run).await.map_err(|error| error.to_string())?
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// The link facts of a test.
    pub(super) struct GivenFacts<F> {
        pub(super) facts: F,
        pub(super) fetched: RefCell<Vec<RepoIdx>>,
    }

    impl<F: Fn(RepoIdx) -> Vec<u8>> FactsSource for GivenFacts<F> {
        async fn fetch(&self, repo_idx: RepoIdx) -> Result<Vec<u8>, String> {
            self.fetched.borrow_mut().push(repo_idx);
            Ok((self.facts)(repo_idx))
        }
    }

    impl JointLinks {
        /// Links a repository, as [`JointLinks::start`] does, from link facts that `facts` returns by repository. Returns true if it is not
        /// linked from nothing: known links were renewed.
        pub(in crate::overlay) async fn link_from(
            &self,
            importer: ImporterToLink,
            facts: impl Fn(RepoIdx) -> Vec<u8>,
        ) -> bool {
            let (key, own) = (importer.key.clone(), importer.repo_idxs[0]);
            let source = GivenFacts { facts, fetched: RefCell::default() };
            let linked = self.link(&source, importer).await.expect("facts of a test");
            self.lock().insert(key, LinkState::Linked(Arc::new(linked)));
            !source.fetched.borrow().contains(&own)
        }
    }

    #[test]
    fn the_pause_doubles_up_to_a_maximum() {
        let failed = |pause| LinkState::Failed { failed_at: Instant::now(), pause, reason: String::new() };
        assert_eq!(LinkState::next_pause(None), FIRST_RETRY_PAUSE);
        assert_eq!(LinkState::next_pause(Some(&LinkState::Running)), FIRST_RETRY_PAUSE);
        assert_eq!(LinkState::next_pause(Some(&failed(Duration::from_secs(4)))), Duration::from_secs(8));
        assert_eq!(LinkState::next_pause(Some(&failed(MAX_RETRY_PAUSE))), MAX_RETRY_PAUSE);
    }
}
