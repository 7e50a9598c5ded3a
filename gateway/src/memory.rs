//! What callers said and asked of late: the entities of a task, feedback of agents, who asked for the same.
//!
//! All of it is kept by principal, bounded and in memory: a gateway that starts anew has forgotten it. It changes the
//! answers of requests that carry a task or an agent, and of no others.

use std::{
    collections::{BTreeMap, HashMap},
    hash::Hash,
    sync::Mutex,
    time::Duration,
};

use tokio::time::Instant;

/// Tasks, agents and entities that are remembered at most; the one not used for longest goes.
const MAX_REMEMBERED: usize = 2_000;

/// Entities of one task, or with feedback of one agent.
const MAX_ENTITIES: usize = 100;

/// Agents that are remembered of one entity.
const MAX_PEERS: usize = 20;

/// How long a task and feedback are remembered: longer than people work on one thing.
const LIFETIME: Duration = Duration::from_secs(7 * 24 * 3_600);

/// How long agents that asked for the same count as peers.
const PEER_LIFETIME: Duration = Duration::from_secs(3_600);

/// How much more relevant an earlier entity of the task is.
const TASK_BOOST: f64 = 1.5;

/// What one vote of feedback changes of the relevance, and how many count in one direction.
const VOTE: f64 = 0.1;
const MAX_VOTES: i32 = 3;

/// Who asks: the name of a principal, and a task or agent of theirs.
pub(crate) type Owner = (String, String);

#[derive(Default)]
pub(crate) struct Memory {
    tasks: Mutex<Bounded<Owner, Vec<String>>>,
    feedback: Mutex<Bounded<Owner, BTreeMap<String, i32>>>,
    /// By principal and entity.
    asked: Mutex<Bounded<Owner, Vec<(String, Instant)>>>,
}

/// Entries by key, with the time of their last use.
struct Bounded<K, V>(HashMap<K, (Instant, V)>);

impl<K, V> Default for Bounded<K, V> {
    fn default() -> Self {
        Bounded(HashMap::new())
    }
}

impl<K: Hash + Eq + Clone + Ord, V: Default> Bounded<K, V> {
    fn get(&self, key: &K) -> Option<&V> {
        self.0.get(key).filter(|(used, _)| used.elapsed() < LIFETIME).map(|(_, value)| value)
    }

    fn entry(&mut self, key: K) -> &mut V {
        if self.0.len() >= MAX_REMEMBERED && !self.0.contains_key(&key) {
            self.0.retain(|_, (used, _)| used.elapsed() < LIFETIME);
            let oldest = self.0.iter().min_by_key(|(key, (used, _))| (*used, *key)).map(|(key, _)| key.clone());
            oldest.filter(|_| self.0.len() >= MAX_REMEMBERED).map(|oldest| self.0.remove(&oldest));
        }
        let (used, value) = self.0.entry(key).or_insert_with(|| (Instant::now(), V::default()));
        if used.elapsed() >= LIFETIME {
            *value = V::default();
        }
        *used = Instant::now();
        value
    }
}

impl Memory {
    /// Adds an entity to a task, and returns those that were asked for before.
    pub(crate) fn work_on(&self, task: Owner, entity: &str) -> Vec<String> {
        let mut tasks = self.tasks.lock().expect("no holder of this lock panics");
        let entities = tasks.entry(task);
        let before = entities.clone();
        if !entities.iter().any(|known| known == entity) {
            entities.push(entity.to_owned());
        }
        let n_over = entities.len().saturating_sub(MAX_ENTITIES);
        entities.drain(..n_over);
        before
    }

    /// Counts a vote of an agent on an entity.
    pub(crate) fn vote(&self, agent: Owner, entity: &str, is_helpful: bool) {
        let mut feedback = self.feedback.lock().expect("no holder of this lock panics");
        let votes = feedback.entry(agent);
        if votes.len() >= MAX_ENTITIES && !votes.contains_key(entity) {
            return;
        }
        let vote = votes.entry(entity.to_owned()).or_default();
        *vote = (*vote + if is_helpful { 1 } else { -1 }).clamp(-MAX_VOTES, MAX_VOTES);
    }

    /// Returns the votes of an agent by entity.
    pub(crate) fn votes(&self, agent: &Owner) -> BTreeMap<String, i32> {
        self.feedback.lock().expect("no holder of this lock panics").get(agent).cloned().unwrap_or_default()
    }

    pub(crate) fn clear_votes(&self, agent: &Owner) {
        self.feedback.lock().expect("no holder of this lock panics").0.remove(agent);
    }

    /// Notes that an agent asks for an entity; returns the others who did within the hour, in order.
    pub(crate) fn ask(&self, (principal, agent): &Owner, entity: &str) -> Vec<String> {
        let mut asked = self.asked.lock().expect("no holder of this lock panics");
        let agents = asked.entry((principal.clone(), entity.to_owned()));
        agents.retain(|(known, at)| at.elapsed() < PEER_LIFETIME && known != agent);
        let mut peers: Vec<String> = agents.iter().map(|(agent, _)| agent.clone()).collect();
        agents.push((agent.clone(), Instant::now()));
        let n_over = agents.len().saturating_sub(MAX_PEERS);
        agents.drain(..n_over);
        peers.sort();
        peers
    }
}

/// Returns by how much more relevant an entity is to this task and agent, in [0.7, 1.95].
pub(crate) fn boost(entity: &str, of_task: &[String], votes: &BTreeMap<String, i32>) -> f64 {
    let by_task = if of_task.iter().any(|known| known == entity) { TASK_BOOST } else { 1.0 };
    let by_votes = votes.get(entity).map_or(0.0, |votes| f64::from(*votes) * VOTE);
    by_task * (1.0 + by_votes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(name: &str) -> Owner {
        ("local".to_owned(), name.to_owned())
    }

    #[tokio::test(start_paused = true)]
    async fn everything_is_bounded_and_expires() {
        let memory = Memory::default();
        for n in 0..3 * MAX_REMEMBERED {
            memory.work_on(owner(&format!("t{n}")), "e");
        }
        assert!(memory.tasks.lock().unwrap().0.len() <= MAX_REMEMBERED);
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
        let memory = Memory::default();
        assert!(memory.ask(&owner("a"), "e").is_empty());
        assert_eq!(memory.ask(&owner("b"), "e"), ["a"]);
        assert_eq!(memory.ask(&owner("a"), "e"), ["b"]);
        assert!(memory.ask(&("other".to_owned(), "c".to_owned()), "e").is_empty());
        tokio::time::advance(PEER_LIFETIME).await;
        assert!(memory.ask(&owner("b"), "e").is_empty());
    }

    #[test]
    fn votes_count_within_bounds() {
        let memory = Memory::default();
        (0..9).for_each(|_| memory.vote(owner("a"), "e", false));
        let votes = memory.votes(&owner("a"));
        assert!((boost("e", &[], &votes) - 0.7).abs() < 1e-9 && boost("other", &[], &votes) == 1.0);
        memory.clear_votes(&owner("a"));
        assert!(memory.votes(&owner("a")).is_empty());
        assert_eq!(boost("e", &["e".to_owned()], &BTreeMap::new()), TASK_BOOST);
    }
}
