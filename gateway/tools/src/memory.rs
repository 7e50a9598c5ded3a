//! Memory of agents between calls: the entities of a task, feedback, and recent requests for the same entity.
//!
//! The memory is kept by principal, bounded, and written to the state folder of the gateway. Without a folder it is
//! lost at a restart. It changes only answers to requests that carry a task or an agent.

mod disk;
mod expiring_map;
mod spending;

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, Mutex},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use tokio::time::Instant;

use disk::Disk;
use expiring_map::ExpiringMap;

use federation::cache::RecentCache;

/// Maximum number of entities of one task, or with feedback of one agent.
const MAX_ENTITIES: usize = 100;

/// Maximum number of agents that are remembered for one entity.
const MAX_PEERS: usize = 20;

/// Time for which agents that requested the same entity count as peers.
const PEER_LIFETIME: Duration = Duration::from_secs(3_600);

/// Relevance factor of an earlier entity of the task.
const TASK_BOOST: f64 = 1.5;

/// Relevance change of one vote, and the maximum number of votes in one direction.
const VOTE: f64 = 0.1;
const MAX_VOTES: i32 = 3;

/// Number of cached answers in memory per half of the cache. One takes up to 30 kB.
const MAX_ANSWERS: usize = 300;

/// The store space of cached answers.
const ANSWERS: &str = "answers";

/// The owner of an entry: the name of a principal, and one of its tasks or agents.
pub type Owner = (String, String);

/// The memory; each kind has its own lock.
pub struct Memory {
    tasks: Mutex<ExpiringMap<Vec<String>>>,
    feedback: Mutex<ExpiringMap<BTreeMap<String, i32>>>,
    /// By principal and entity: the agents that requested it, and when.
    requests: Mutex<ExpiringMap<Vec<(String, u64)>>>,
    /// Cached answers of `get_answer`, by the hash of the caller and the request. The reader checks access.
    answers: RecentCache<[u8; 32], Arc<Vec<u8>>>,
    disk: Arc<Disk>,
    clock: Clock,
}

impl Memory {
    /// Opens the memory in `folder`. Without a folder, or if it cannot be opened, the memory is in the process only.
    pub fn open(folder: Option<&Path>) -> Memory {
        let disk = Arc::new(Disk::open(folder));
        Memory {
            tasks: Mutex::new(ExpiringMap::new("tasks", &disk)),
            feedback: Mutex::new(ExpiringMap::new("feedback", &disk)),
            requests: Mutex::new(ExpiringMap::new("asked", &disk)),
            answers: RecentCache::new(MAX_ANSWERS),
            disk,
            clock: Clock::new(),
        }
    }

    /// Returns true if the memory outlives this process.
    pub fn is_on_disk(&self) -> bool {
        self.disk.is_open()
    }

    /// Waits until everything is on disk.
    pub fn flush(&self) {
        self.disk.flush();
    }

    /// Returns the cached answer with this key.
    pub fn answer(&self, key: &[u8; 32]) -> Option<Arc<Vec<u8>>> {
        if let Some(answer) = self.answers.get(*key) {
            return Some(answer);
        }
        let answer = Arc::new(self.disk.get(ANSWERS, key)?);
        self.answers.insert(*key, Arc::clone(&answer));
        Some(answer)
    }

    /// Caches an answer.
    pub fn cache_answer(&self, key: [u8; 32], answer: Vec<u8>) {
        self.disk.put(ANSWERS, &key, &answer);
        self.answers.insert(key, Arc::new(answer));
    }

    /// Adds an entity to a task, and returns the earlier entities of the task.
    pub fn add_to_task(&self, task: Owner, entity: &str) -> Vec<String> {
        self.tasks.lock().expect("no holder of this lock panics").change(task, self.clock.now(), |entities| {
            let earlier = entities.clone();
            if !entities.iter().any(|known| known == entity) {
                entities.push(entity.to_owned());
            }
            let n_over = entities.len().saturating_sub(MAX_ENTITIES);
            entities.drain(..n_over);
            earlier
        })
    }

    /// Counts a vote of an agent on an entity.
    pub fn vote(&self, agent: Owner, entity: &str, is_helpful: bool) {
        self.feedback.lock().expect("no holder of this lock panics").change(agent, self.clock.now(), |votes| {
            if votes.len() >= MAX_ENTITIES && !votes.contains_key(entity) {
                return;
            }
            let vote = votes.entry(entity.to_owned()).or_default();
            *vote = (*vote + if is_helpful { 1 } else { -1 }).clamp(-MAX_VOTES, MAX_VOTES);
        });
    }

    /// Returns the votes of an agent by entity.
    pub fn votes(&self, agent: &Owner) -> BTreeMap<String, i32> {
        self.feedback.lock().expect("no holder of this lock panics").get(agent, self.clock.now())
    }

    /// Deletes the votes of an agent.
    pub fn clear_votes(&self, agent: &Owner) {
        let mut feedback = self.feedback.lock().expect("no holder of this lock panics");
        feedback.change(agent.clone(), self.clock.now(), BTreeMap::clear);
    }

    /// Records that an agent requests an entity. Returns the other agents of the last hour, sorted.
    pub fn record_request(&self, (principal, agent): &Owner, entity: &str) -> Vec<String> {
        let (key, now) = ((principal.clone(), entity.to_owned()), self.clock.now());
        self.requests.lock().expect("no holder of this lock panics").change(key, now, |agents| {
            agents.retain(|(known, at)| now.saturating_sub(*at) < PEER_LIFETIME.as_secs() && known != agent);
            let mut peers: Vec<String> = agents.iter().map(|(agent, _)| agent.clone()).collect();
            agents.push((agent.clone(), now));
            let n_over = agents.len().saturating_sub(MAX_PEERS);
            agents.drain(..n_over);
            peers.sort();
            peers
        })
    }
}

/// Returns the relevance factor of an entity for this task and agent, in [0.7, 1.95].
pub fn boost(entity: &str, task_entities: &[String], votes: &BTreeMap<String, i32>) -> f64 {
    let by_task = if task_entities.iter().any(|known| known == entity) { TASK_BOOST } else { 1.0 };
    let by_votes = votes.get(entity).map_or(0.0, |votes| f64::from(*votes) * VOTE);
    by_task * (1.0 + by_votes)
}

/// A monotonic clock of seconds since the epoch.
struct Clock {
    started: Instant,
    epoch_secs: u64,
}

impl Clock {
    fn new() -> Clock {
        let epoch_secs = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        Clock { started: Instant::now(), epoch_secs }
    }

    fn now(&self) -> u64 {
        self.epoch_secs.saturating_add(self.started.elapsed().as_secs())
    }
}

#[cfg(test)]
mod tests {
    use super::{
        expiring_map::{LIFETIME, MAX_REMEMBERED},
        *,
    };

    fn owner(name: &str) -> Owner {
        ("local".to_owned(), name.to_owned())
    }

    #[tokio::test(start_paused = true)]
    async fn everything_is_bounded_and_expires() {
        let memory = Memory::open(None);
        for n in 0..3 * MAX_REMEMBERED {
            memory.add_to_task(owner(&format!("t{n}")), "e");
        }
        assert!(memory.tasks.lock().unwrap().len() <= MAX_REMEMBERED);
        for n in 0..3 * MAX_ENTITIES {
            memory.vote(owner("a"), &format!("e{n}"), true);
            memory.add_to_task(owner("t"), &format!("e{n}"));
        }
        assert_eq!(memory.votes(&owner("a")).len(), MAX_ENTITIES);
        assert_eq!(memory.add_to_task(owner("t"), "e").len(), MAX_ENTITIES);
        tokio::time::advance(LIFETIME).await;
        assert!(memory.votes(&owner("a")).is_empty() && memory.add_to_task(owner("t"), "e").is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn peers_are_others_within_the_hour() {
        let memory = Memory::open(None);
        assert!(memory.record_request(&owner("a"), "e").is_empty());
        assert_eq!(memory.record_request(&owner("b"), "e"), ["a"]);
        assert_eq!(memory.record_request(&owner("a"), "e"), ["b"]);
        assert!(memory.record_request(&("other".to_owned(), "c".to_owned()), "e").is_empty());
        tokio::time::advance(PEER_LIFETIME).await;
        assert!(memory.record_request(&owner("b"), "e").is_empty());
    }

    #[test]
    fn votes_count_within_bounds() {
        let memory = Memory::open(None);
        (0..9).for_each(|_| memory.vote(owner("a"), "e", false));
        let votes = memory.votes(&owner("a"));
        assert!((boost("e", &[], &votes) - 0.7).abs() < 1e-9 && boost("other", &[], &votes) == 1.0);
        memory.clear_votes(&owner("a"));
        assert!(memory.votes(&owner("a")).is_empty());
        assert_eq!(boost("e", &["e".to_owned()], &BTreeMap::new()), TASK_BOOST);
    }

    #[tokio::test]
    async fn entries_on_disk_survive_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(Some(folder.path()));
        assert!(memory.is_on_disk());
        memory.vote(owner("a"), "e", true);
        memory.add_to_task(owner("t"), "e");
        memory.record_request(&owner("a"), "e");
        memory.vote(owner("b"), "e", true);
        memory.clear_votes(&owner("b"));
        memory.flush();
        drop(memory);
        let memory = Memory::open(Some(folder.path()));
        assert_eq!(memory.votes(&owner("a")), BTreeMap::from([("e".to_owned(), 1)]));
        assert_eq!(memory.add_to_task(owner("t"), "f"), ["e"]);
        assert_eq!(memory.record_request(&owner("b"), "e"), ["a"]);
        assert!(memory.votes(&owner("b")).is_empty() && memory.votes(&("other".to_owned(), "a".to_owned())).is_empty());
    }

    #[test]
    fn memory_works_without_an_accessible_folder() {
        let folder = tempfile::tempdir().unwrap();
        let taken = folder.path().join("taken");
        std::fs::write(&taken, "a file").unwrap();
        let memory = Memory::open(Some(&taken));
        memory.vote(owner("a"), "e", true);
        assert!(!memory.is_on_disk() && memory.votes(&owner("a")).len() == 1);
    }
}
