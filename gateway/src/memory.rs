//! What callers said and asked of late: the entities of a task, feedback of agents, who asked for the same.
//!
//! All of it is kept by principal, bounded, and written to the gateway's folder where it has one; without one, a gateway
//! that starts anew has forgotten it. It changes the answers of requests that carry a task or an agent, and of no others.

mod disk;
mod kept;
mod spending;

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, Mutex},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use tokio::time::Instant;

use disk::Disk;
use kept::Kept;

use crate::recent::Recent;

/// Entities of one task, or with feedback of one agent.
const MAX_ENTITIES: usize = 100;

/// Agents that are remembered of one entity.
const MAX_PEERS: usize = 20;

/// How long agents that asked for the same count as peers.
const PEER_LIFETIME: Duration = Duration::from_secs(3_600);

/// How much more relevant an earlier entity of the task is.
const TASK_BOOST: f64 = 1.5;

/// What one vote of feedback changes of the relevance, and how many count in one direction.
const VOTE: f64 = 0.1;
const MAX_VOTES: i32 = 3;

/// Answers held in memory per half of the cache. One takes up to 30 kB.
const MAX_ANSWERS: usize = 300;

/// The space of answers on disk.
const ANSWERS: &str = "answers";

/// Who asks: the name of a principal, and a task or agent of theirs.
pub(crate) type Owner = (String, String);

/// What is remembered, each kind under a lock of its own.
pub(crate) struct Memory {
    tasks: Mutex<Kept<Vec<String>>>,
    feedback: Mutex<Kept<BTreeMap<String, i32>>>,
    /// By principal and entity: the agents that asked, and when.
    asked: Mutex<Kept<Vec<(String, u64)>>>,
    /// Answers of `get_answer`, by the hash of what was asked of whom; who may have one is checked by who reads it.
    answers: Recent<[u8; 32], Arc<Vec<u8>>>,
    disk: Arc<Disk>,
    clock: Clock,
}

impl Memory {
    /// Keeps what is remembered in `folder`; without one, or where it cannot be opened, in memory alone.
    pub(crate) fn open(folder: Option<&Path>) -> Memory {
        let disk = Arc::new(Disk::open(folder));
        Memory {
            tasks: Mutex::new(Kept::new("tasks", &disk)),
            feedback: Mutex::new(Kept::new("feedback", &disk)),
            asked: Mutex::new(Kept::new("asked", &disk)),
            answers: Recent::new(MAX_ANSWERS),
            disk,
            clock: Clock::new(),
        }
    }

    /// Says whether what is remembered outlives this process.
    pub(crate) fn is_on_disk(&self) -> bool {
        self.disk.is_there()
    }

    /// Waits until all of it is on disk.
    pub(crate) fn flush(&self) {
        self.disk.flush();
    }

    /// Returns what was kept under this key.
    pub(crate) fn answer(&self, key: &[u8; 32]) -> Option<Arc<Vec<u8>>> {
        if let Some(answer) = self.answers.get(*key) {
            return Some(answer);
        }
        let answer = Arc::new(self.disk.get(ANSWERS, key)?);
        self.answers.insert(*key, Arc::clone(&answer));
        Some(answer)
    }

    /// Keeps an answer.
    pub(crate) fn keep_answer(&self, key: [u8; 32], answer: Vec<u8>) {
        self.disk.put(ANSWERS, &key, &answer);
        self.answers.insert(key, Arc::new(answer));
    }

    /// Adds an entity to a task, and returns those that were asked for before.
    pub(crate) fn work_on(&self, task: Owner, entity: &str) -> Vec<String> {
        self.tasks.lock().expect("no holder of this lock panics").change(task, self.clock.now(), |entities| {
            let before = entities.clone();
            if !entities.iter().any(|known| known == entity) {
                entities.push(entity.to_owned());
            }
            let n_over = entities.len().saturating_sub(MAX_ENTITIES);
            entities.drain(..n_over);
            before
        })
    }

    /// Counts a vote of an agent on an entity.
    pub(crate) fn vote(&self, agent: Owner, entity: &str, is_helpful: bool) {
        self.feedback.lock().expect("no holder of this lock panics").change(agent, self.clock.now(), |votes| {
            if votes.len() >= MAX_ENTITIES && !votes.contains_key(entity) {
                return;
            }
            let vote = votes.entry(entity.to_owned()).or_default();
            *vote = (*vote + if is_helpful { 1 } else { -1 }).clamp(-MAX_VOTES, MAX_VOTES);
        });
    }

    /// Returns the votes of an agent by entity.
    pub(crate) fn votes(&self, agent: &Owner) -> BTreeMap<String, i32> {
        self.feedback.lock().expect("no holder of this lock panics").get(agent, self.clock.now())
    }

    /// Forgets the votes of an agent.
    pub(crate) fn clear_votes(&self, agent: &Owner) {
        let mut feedback = self.feedback.lock().expect("no holder of this lock panics");
        feedback.change(agent.clone(), self.clock.now(), BTreeMap::clear);
    }

    /// Notes that an agent asks for an entity; returns the others who did within the hour, in order.
    pub(crate) fn ask(&self, (principal, agent): &Owner, entity: &str) -> Vec<String> {
        let (key, now) = ((principal.clone(), entity.to_owned()), self.clock.now());
        self.asked.lock().expect("no holder of this lock panics").change(key, now, |agents| {
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

/// Returns by how much more relevant an entity is to this task and agent, in [0.7, 1.95].
pub(crate) fn boost(entity: &str, of_task: &[String], votes: &BTreeMap<String, i32>) -> f64 {
    let by_task = if of_task.iter().any(|known| known == entity) { TASK_BOOST } else { 1.0 };
    let by_votes = votes.get(entity).map_or(0.0, |votes| f64::from(*votes) * VOTE);
    by_task * (1.0 + by_votes)
}

/// Seconds since the epoch that never run backwards while the process runs.
struct Clock {
    began: Instant,
    epoch_secs: u64,
}

impl Clock {
    fn new() -> Clock {
        let epoch_secs = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        Clock { began: Instant::now(), epoch_secs }
    }

    fn now(&self) -> u64 {
        self.epoch_secs.saturating_add(self.began.elapsed().as_secs())
    }
}

#[cfg(test)]
mod tests {
    use super::{
        kept::{LIFETIME, MAX_REMEMBERED},
        *,
    };

    fn owner(name: &str) -> Owner {
        ("local".to_owned(), name.to_owned())
    }

    #[tokio::test(start_paused = true)]
    async fn everything_is_bounded_and_expires() {
        let memory = Memory::open(None);
        for n in 0..3 * MAX_REMEMBERED {
            memory.work_on(owner(&format!("t{n}")), "e");
        }
        assert!(memory.tasks.lock().unwrap().len() <= MAX_REMEMBERED);
        for n in 0..3 * MAX_ENTITIES {
            memory.vote(owner("a"), &format!("e{n}"), true);
            memory.work_on(owner("t"), &format!("e{n}"));
        }
        assert_eq!(memory.votes(&owner("a")).len(), MAX_ENTITIES);
        assert_eq!(memory.work_on(owner("t"), "e").len(), MAX_ENTITIES);
        tokio::time::advance(LIFETIME).await;
        assert!(memory.votes(&owner("a")).is_empty() && memory.work_on(owner("t"), "e").is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn peers_are_others_within_the_hour() {
        let memory = Memory::open(None);
        assert!(memory.ask(&owner("a"), "e").is_empty());
        assert_eq!(memory.ask(&owner("b"), "e"), ["a"]);
        assert_eq!(memory.ask(&owner("a"), "e"), ["b"]);
        assert!(memory.ask(&("other".to_owned(), "c".to_owned()), "e").is_empty());
        tokio::time::advance(PEER_LIFETIME).await;
        assert!(memory.ask(&owner("b"), "e").is_empty());
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
    async fn what_is_on_disk_outlives_the_process() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(Some(folder.path()));
        assert!(memory.is_on_disk());
        memory.vote(owner("a"), "e", true);
        memory.work_on(owner("t"), "e");
        memory.ask(&owner("a"), "e");
        memory.vote(owner("b"), "e", true);
        memory.clear_votes(&owner("b"));
        memory.flush();
        drop(memory);
        let memory = Memory::open(Some(folder.path()));
        assert_eq!(memory.votes(&owner("a")), BTreeMap::from([("e".to_owned(), 1)]));
        assert_eq!(memory.work_on(owner("t"), "f"), ["e"]);
        assert_eq!(memory.ask(&owner("b"), "e"), ["a"]);
        assert!(memory.votes(&owner("b")).is_empty() && memory.votes(&("other".to_owned(), "a".to_owned())).is_empty());
    }

    #[test]
    fn a_folder_that_cannot_be_opened_costs_the_disk_alone() {
        let folder = tempfile::tempdir().unwrap();
        let taken = folder.path().join("taken");
        std::fs::write(&taken, "a file").unwrap();
        let memory = Memory::open(Some(&taken));
        memory.vote(owner("a"), "e", true);
        assert!(!memory.is_on_disk() && memory.votes(&owner("a")).len() == 1);
    }
}
