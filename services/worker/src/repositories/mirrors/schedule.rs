//! The schedule of fetches: a pure value that decides which mirror is fetched next.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use model::RepoId;
use source::mirror::Mirror;

use super::followed::{FetchState, FollowedMirror, RunningFetches};
use crate::repositories::lifecycle::RETRY_BACKOFF;

/// Duration of a failed fetch from which its host counts as silent. A host that refuses answers sooner.
const UNANSWERED: Duration = Duration::from_secs(10);

/// Minimum fraction of the poll interval between two polls. The fraction differs by repository, to spread the polls over
/// time.
const SHORTEST_INTERVAL: f64 = 0.8;

/// The mirrors that are followed, and the hosts that do not answer.
#[derive(Default)]
pub(super) struct FetchSchedule {
    pub(super) followed: BTreeMap<RepoId, FollowedMirror>,
    silent_hosts: BTreeMap<String, SilentHost>,
}

/// A host that did not answer the last fetch.
struct SilentHost {
    n_failures: u32,
    /// No poll of it begins before this time.
    until: Instant,
}

/// A fetch that has ended.
pub(super) struct EndedFetch {
    pub(super) has_failed: bool,
    pub(super) took: Duration,
}

impl FetchSchedule {
    /// Takes the next mirror that is due and for which there is room: pushed ones first, then the longest overdue.
    pub(super) fn take_due(&mut self, now: Instant) -> Option<(RepoId, Mirror)> {
        let running = RunningFetches::of(self.followed.values());
        let silent_hosts = &self.silent_hosts;
        let is_silent = |host: String| silent_hosts.get(&host).is_some_and(|silent| silent.until > now);
        let due = self.followed.iter_mut().filter(|(_, followed)| {
            followed.fetch == FetchState::Idle
                && followed.due <= now
                && running.has_room(followed)
                && (followed.is_pushed || !followed.host().is_some_and(is_silent))
        });
        let (repo, next) = due.min_by_key(|(_, followed)| (!followed.is_pushed, followed.due))?;
        next.fetch = FetchState::Running { again: false };
        Some((*repo, next.mirror.clone()))
    }

    /// Notes the end of a fetch, and plans the next one.
    pub(super) fn note_end(&mut self, repo: RepoId, ended: &EndedFetch, poll_interval: Duration, now: Instant) {
        let Some(followed) = self.followed.get_mut(&repo) else { return };
        let host = followed.host();
        followed.n_failures = if ended.has_failed { followed.n_failures + 1 } else { 0 };
        let pause = match followed.n_failures {
            0 => interval_of(&followed.mirror.alias, poll_interval),
            n => RETRY_BACKOFF.pause(n),
        };
        let again = std::mem::replace(&mut followed.fetch, FetchState::Idle) == FetchState::Running { again: true };
        followed.is_pushed = again;
        followed.due = now + if again && !ended.has_failed { Duration::ZERO } else { pause };
        if let Some(host) = host {
            self.note_host(host, ended, now);
        }
    }

    /// Schedules a mirror for the next possible fetch.
    pub(super) fn request(&mut self, repo: RepoId, now: Instant) {
        if let Some(followed) = self.followed.get_mut(&repo) {
            (followed.due, followed.is_pushed) = (now, true);
            followed.repeat_running_fetch();
        }
    }

    /// Pauses the polls of a host that does not answer.
    fn note_host(&mut self, host: String, ended: &EndedFetch, now: Instant) {
        if !ended.has_failed {
            self.silent_hosts.remove(&host);
        } else if ended.took >= UNANSWERED {
            let n_failures = self.silent_hosts.get(&host).map_or(1, |silent| silent.n_failures + 1);
            if n_failures == 1 {
                tracing::warn!(host, "the host does not answer, and its repositories are polled less often");
            }
            let until = now + RETRY_BACKOFF.pause(n_failures);
            self.silent_hosts.insert(host, SilentHost { n_failures, until });
        }
    }
}

/// Returns the poll interval of one repository.
fn interval_of(alias: &str, poll_interval: Duration) -> Duration {
    let part = f64::from(model::placement::hash_of(alias) as u32) / f64::from(u32::MAX);
    poll_interval.mul_f64(SHORTEST_INTERVAL + (1.0 - SHORTEST_INTERVAL) * part)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use source::mirror::RemoteUrl;

    use super::{super::followed::MAX_POLLS_OF_HOST, *};

    const MINUTE: Duration = Duration::from_secs(60);

    fn followed(url: &str, due: Instant) -> (RepoId, FollowedMirror) {
        let url = RemoteUrl::parse(url).unwrap();
        let mirror = Mirror { alias: url.as_str().to_owned(), url, branch: None, depth: None, within: None };
        (mirror.repo(), FollowedMirror::new(mirror, due))
    }

    #[test]
    fn a_silent_host_delays_its_own_repositories_only() {
        let now = Instant::now();
        let stalled: Vec<String> = (0..24).map(|n| format!("https://stalled.example.com/team/r{n}")).collect();
        let mirrors = stalled.iter().map(|url| followed(url, now)).collect();
        let mut schedule = FetchSchedule { followed: mirrors, ..FetchSchedule::default() };
        let take = |schedule: &mut FetchSchedule, now: Instant| {
            schedule.take_due(now).map(|(repo, mirror)| (repo, mirror.alias))
        };
        let begun: Vec<RepoId> = std::iter::from_fn(|| take(&mut schedule, now)).map(|(repo, _)| repo).collect();
        assert_eq!(begun.len(), MAX_POLLS_OF_HOST);
        // Pushed repositories go first, also those of the host, and others go on.
        let others = ["https://well.example.com/a/b", "https://well.example.com/a/c"].map(|url| followed(url, now));
        let pushed = others[1].0;
        schedule.followed.extend(others);
        schedule.request(followed(&stalled[20], now).0, now);
        schedule.request(pushed, now + Duration::from_nanos(1));
        let later = now + Duration::from_nanos(1);
        let next: Vec<String> = std::iter::from_fn(|| take(&mut schedule, later)).map(|(_, alias)| alias).collect();
        assert_eq!(next, [&stalled[20], "https://well.example.com/a/c", "https://well.example.com/a/b"]);
        // A host that is known not to answer is polled again after a pause.
        for repo in &begun {
            schedule.note_end(*repo, &EndedFetch { has_failed: true, took: UNANSWERED }, MINUTE, later);
        }
        assert_eq!(take(&mut schedule, later), None);
        schedule.note_end(pushed, &EndedFetch { has_failed: false, took: Duration::ZERO }, MINUTE, later);
        let after_pause = later + RETRY_BACKOFF.pause(2);
        assert!(take(&mut schedule, after_pause).is_some_and(|(_, alias)| alias.starts_with("https://stalled")));
    }

    #[test]
    fn each_repository_has_an_interval_of_its_own() {
        let intervals: BTreeSet<Duration> = (0..50).map(|n| interval_of(&format!("repo-{n}"), MINUTE)).collect();
        assert_eq!(intervals.len(), 50);
        assert!(intervals.iter().all(|interval| *interval <= MINUTE && *interval >= MINUTE.mul_f64(SHORTEST_INTERVAL)));
        assert_eq!(interval_of("api", MINUTE), interval_of("api", MINUTE));
    }
}
