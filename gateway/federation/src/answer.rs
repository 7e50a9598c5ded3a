//! The result of one step: a value, and the repositories that did not fully contribute to it.

use std::collections::BTreeMap;

use model::ShardState;

use crate::repo_idx::RepoIdx;

/// A value of one step, and the repositories that did not fully contribute to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer<T> {
    /// The result over the repositories that answered.
    pub value: T,
    /// Empty if every requested repository contributed fully.
    pub shortfalls: Shortfalls,
}

impl<T> Answer<T> {
    /// Returns a value to which every requested repository contributed.
    pub fn complete(value: T) -> Answer<T> {
        Answer { value, shortfalls: Shortfalls::default() }
    }

    /// Converts the value and keeps the shortfalls.
    pub fn map<U>(self, make: impl FnOnce(T) -> U) -> Answer<U> {
        Answer { value: make(self.value), shortfalls: self.shortfalls }
    }

    /// Adds the shortfalls of the earlier steps.
    pub fn after(self, earlier: Shortfalls) -> Answer<T> {
        Answer { value: self.value, shortfalls: earlier.and(&self.shortfalls) }
    }
}

/// Repositories that did not fully contribute, each with its first state and reason.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shortfalls(BTreeMap<RepoIdx, (ShardState, String)>);

impl Shortfalls {
    /// Records a shortfall; the earlier state and reason of a repository win.
    pub fn note(&mut self, repo_idx: RepoIdx, state: ShardState, reason: impl Into<String>) {
        self.0.entry(repo_idx).or_insert_with(|| (state, reason.into()));
    }

    /// Records further shortfalls; the earlier state and reason of a repository win.
    pub fn extend(&mut self, others: Shortfalls) {
        others.0.into_iter().for_each(|(repo_idx, (state, reason))| self.note(repo_idx, state, reason));
    }

    /// Merges the shortfalls of a later step; the earlier reason of a repository wins.
    pub fn and(mut self, later: &Shortfalls) -> Shortfalls {
        later.iter().for_each(|(repo_idx, state, reason)| self.note(repo_idx, state, reason));
        self
    }

    /// Returns the state of a repository; `None` if it contributed fully.
    pub fn get(&self, repo_idx: RepoIdx) -> Option<ShardState> {
        self.0.get(&repo_idx).map(|(state, _)| *state)
    }

    /// Returns the reason of a worker that refused the request as malformed, if one did.
    pub fn refusal_of_worker(&self) -> Option<&str> {
        let refused = format!(" ({})", tonic::Code::InvalidArgument.description());
        let mut reasons = self.iter().filter_map(|(_, _, reason)| reason.strip_suffix(refused.as_str()));
        reasons.next().map(|reason| reason.split_once(": ").map_or(reason, |(_worker, reason)| reason))
    }

    /// Returns index, state and reason of each shortfall, ascending by index.
    pub fn iter(&self) -> impl Iterator<Item = (RepoIdx, ShardState, &str)> {
        self.0.iter().map(|(repo_idx, (state, reason))| (*repo_idx, *state, reason.as_str()))
    }

    /// Returns the shortfalls of the repositories for which `is_kept` is true.
    pub fn only(mut self, is_kept: impl Fn(RepoIdx) -> bool) -> Shortfalls {
        self.0.retain(|repo_idx, _| is_kept(*repo_idx));
        self
    }

    /// Returns true if every repository answered fully.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of repositories that fell short.
    pub fn len(&self) -> usize {
        self.0.len()
    }
}
