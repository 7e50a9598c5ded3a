//! The plan of a request: resolves the `repo` argument to repositories at pinned generations, grouped by worker. The plan lists
//! every repository that cannot be asked.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use model::ShardState;
use proto::v1;

use crate::{
    answer::Shortfalls,
    connection::WorkerConnections,
    did_you_mean,
    directory::{Availability, Directory, RepositoryEntry},
    principal::Principal,
    refusal::{Refusal, quoted},
    repo_idx::RepoIdx,
};

mod readable;

pub use readable::Readable;

/// Maximum number of aliases that an error lists.
const MAX_LISTED_ALIASES: usize = 30;

/// The repositories that exist for one caller, as one directory has them.
#[derive(Clone)]
pub struct Visible {
    pub directory: Arc<Directory>,
    readable: Arc<Readable>,
}

/// The repositories that a request asks, by the worker that answers for each. It never changes: a step that falls short leads to
/// another plan ([`Plan::without`]).
#[derive(Clone)]
pub struct Plan {
    pub directory: Arc<Directory>,
    /// The repositories that the caller may read, asked or not: requests are signed for them.
    readable: Arc<Readable>,
    /// The repositories asked, ascending, which is the order of their aliases.
    pub asked: Vec<RepoIdx>,
    /// The serving ones among them, by the worker that serves them.
    pub groups: Vec<Group>,
    /// Repositories that fell short before this plan, or cannot be asked at all.
    pub shortfalls: Shortfalls,
    /// Workers that may hold more repositories, but never said so.
    pub unknown_workers: Vec<usize>,
}

/// The repositories of one call to one worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    pub worker_idx: usize,
    /// Ascending.
    pub repo_idxs: Vec<RepoIdx>,
}

/// A group, reassigned to other workers that hold the same generations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReplicaGroups {
    pub groups: Vec<Group>,
    /// The repositories without another replica.
    pub unassigned: Vec<RepoIdx>,
}

impl Visible {
    pub fn new(directory: Arc<Directory>, principal: &Principal) -> Visible {
        let readable = Arc::new(Readable::new(&directory, principal));
        Visible { directory, readable }
    }

    /// Plans a request for `repo`: an alias, several joined by commas, or everything.
    pub fn plan(&self, repo: Option<&str>) -> Result<Plan, Refusal> {
        Ok(self.plan_for(self.resolve(repo)?, is_everything(repo)))
    }

    /// Takes an `alias:` or `alias//` prefix off a path or symbol id. Returns the alias and the rest.
    ///
    /// `src/a.c:10-60` and `a::b` have no prefix. A prefix that names no repository is an error where the rest looks
    /// like a path or id.
    pub fn split_prefix<'a>(&self, text: &'a str) -> Result<(Option<&'a str>, &'a str), Refusal> {
        if let Some((alias, rest)) = text.split_once("//") {
            self.repo_idx(alias)?;
            return Ok((Some(alias), rest));
        }
        // Search no further than the longest alias: the text may hold any number of colons.
        let longest_alias = self.aliases().map(str::len).max().unwrap_or(0);
        let mut alias_ends = single_colons(text).take_while(|at| *at <= longest_alias);
        if let Some(at) = alias_ends.find(|at| self.known_repo_idx(&text[..*at]).is_some()) {
            return Ok((Some(&text[..at]), &text[at + 1..]));
        }
        let Some(at) = single_colons(text).next() else { return Ok((None, text)) };
        let (prefix, rest) = (&text[..at], &text[at + 1..]);
        let names_a_path = rest.contains("::") || rest.contains('/') || rest.contains('.');
        if names_a_path && !prefix.contains(['/', '.']) {
            return Err(self.unknown_alias(prefix));
        }
        Ok((None, text))
    }

    /// Returns true if the caller may read the repository.
    pub fn may_read(&self, repo_idx: RepoIdx) -> bool {
        self.readable.contains(repo_idx)
    }

    /// Returns the repositories that exist for the caller, ascending.
    pub fn repo_idxs(&self) -> &[RepoIdx] {
        self.readable.repo_idxs()
    }

    /// Returns the aliases that the caller sees, in the order of the directory.
    pub fn aliases(&self) -> impl Iterator<Item = &str> {
        self.repo_idxs().iter().map(|repo_idx| self.readable.alias(&self.directory, *repo_idx))
    }

    fn resolve(&self, repo: Option<&str>) -> Result<Vec<RepoIdx>, Refusal> {
        let Some(repo) = repo.filter(|_| !is_everything(repo)) else { return Ok(self.repo_idxs().to_vec()) };
        if let Some(repo_idx) = self.known_repo_idx(repo.trim()) {
            return Ok(vec![repo_idx]);
        }
        let aliases: Vec<&str> = repo.split(',').map(str::trim).filter(|alias| !alias.is_empty()).collect();
        if aliases.is_empty() {
            return Err(no_aliases());
        }
        if aliases.iter().any(|alias| is_everything(Some(alias))) {
            return Err(Refusal::new("`all` in `repo` stands alone: name either `all` or the aliases"));
        }
        let mut repo_idxs =
            aliases.into_iter().map(|alias| self.repo_idx(alias)).collect::<Result<Vec<RepoIdx>, Refusal>>()?;
        repo_idxs.sort_unstable();
        repo_idxs.dedup();
        Ok(repo_idxs)
    }

    /// Plans a request for the repositories at `asked`, ascending; for everything there is, workers that never said what
    /// they hold count as well.
    #[tracing::instrument(name = "plan", skip_all, fields(repositories = asked.len()))]
    pub fn plan_for(&self, asked: Vec<RepoIdx>, everything: bool) -> Plan {
        let mut shortfalls = Shortfalls::default();
        let mut by_worker: BTreeMap<usize, Vec<RepoIdx>> = BTreeMap::new();
        for repo_idx in &asked {
            let repository = &self.directory[*repo_idx];
            match &repository.availability {
                Availability::Serving(_) => by_worker.entry(repository.worker_idx).or_default().push(*repo_idx),
                Availability::Short(state, reason) => shortfalls.note(*repo_idx, *state, reason),
            }
        }
        let groups = by_worker.into_iter().map(|(worker_idx, repo_idxs)| Group { worker_idx, repo_idxs }).collect();
        let is_unknown = |worker_idx: &usize| everything && !self.directory.workers[*worker_idx].is_known;
        let unknown_workers = (0..self.directory.workers.len()).filter(is_unknown).collect();
        let readable = Arc::clone(&self.readable);
        Plan { directory: Arc::clone(&self.directory), readable, asked, groups, shortfalls, unknown_workers }
    }

    pub fn known_repo_idx(&self, alias: &str) -> Option<RepoIdx> {
        self.readable.repo_idx(&self.directory, alias)
    }

    pub fn repo_idx(&self, alias: &str) -> Result<RepoIdx, Refusal> {
        self.known_repo_idx(alias).ok_or_else(|| self.unknown_alias(alias))
    }

    /// Returns the error for an unknown alias. It does not reveal whether other callers know the alias.
    fn unknown_alias(&self, alias: &str) -> Refusal {
        let alias = quoted(alias);
        // This hint is the same for every caller, whatever the worker holds.
        let has_unknown_worker = self.directory.workers.iter().any(|worker| !worker.is_known);
        let yet = if has_unknown_worker {
            "; not every worker has said what it holds, so that it may be there: try again"
        } else {
            ""
        };
        let known: Vec<&str> = self.aliases().collect();
        if known.is_empty() {
            return Refusal::new(format!(
                "no repository `{alias}`: there is none to read yet; list_repos tells more{yet}"
            ));
        }
        let listed = did_you_mean::first(&alias, &known, MAX_LISTED_ALIASES);
        let rest = match known.len() - listed.len() {
            0 => String::new(),
            n_more => format!(" and {n_more} more, which list_repos lists"),
        };
        Refusal::new(format!("no repository `{alias}`; known are: {}{rest}; or `all`{yet}", listed.join(", ")))
    }
}

impl Plan {
    /// Returns true if the caller may read the repository.
    pub fn may_read(&self, repo_idx: RepoIdx) -> bool {
        self.readable.contains(repo_idx)
    }

    /// Returns true if the caller may read every repository there is.
    pub(crate) fn reads_everything(&self) -> bool {
        self.readable.is_everything
    }

    /// Returns true if the plan asks every repository that the caller may read.
    pub fn is_everything(&self) -> bool {
        self.asked == self.readable.repo_idxs()
    }

    pub fn repository(&self, repo_idx: RepoIdx) -> &RepositoryEntry {
        &self.directory[repo_idx]
    }

    pub fn alias(&self, repo_idx: RepoIdx) -> &str {
        self.readable.alias(&self.directory, repo_idx)
    }

    /// Maps the repository ids of a worker's reply to indices: ids are unique only within one worker.
    pub fn by_id(&self, group: &Group) -> HashMap<&str, RepoIdx> {
        let repo_idxs = group.repo_idxs.iter().copied();
        repo_idxs.map(|repo_idx| (self.repository(repo_idx).advertised.id.as_str(), repo_idx)).collect()
    }

    /// Returns when the newest commit of all repositories asked was made, in seconds since the epoch.
    pub fn newest_commit(&self) -> i64 {
        self.asked.iter().map(|repo_idx| self.repository(*repo_idx).advertised.committed_at).max().unwrap_or(0)
    }

    /// Returns the wire form of a repository at its pinned generation.
    pub fn target(&self, repo_idx: RepoIdx) -> v1::Target {
        let repository = self.repository(repo_idx);
        v1::Target {
            repository: repository.advertised.id.clone(),
            generation: repository.advertised.generation.clone(),
        }
    }

    /// Returns the plan for the step after one with these shortfalls: repositories that fell short are asked nothing more, and
    /// partial answers are followed up.
    pub fn without(&self, shortfalls: &Shortfalls) -> Plan {
        let shortfalls = self.shortfalls.clone().and(shortfalls);
        let is_asked = |repo_idx: &RepoIdx| shortfalls.get(*repo_idx).is_none_or(|state| state == ShardState::Partial);
        let remaining = |group: &Group| Group {
            worker_idx: group.worker_idx,
            repo_idxs: group.repo_idxs.iter().copied().filter(is_asked).collect(),
        };
        let groups = self.groups.iter().map(remaining).filter(|group| !group.repo_idxs.is_empty()).collect();
        Plan { groups, shortfalls, ..self.clone() }
    }

    /// Returns the replicas for a hedged request. Workers with an open breaker are excluded.
    pub fn hedge_replicas(&self, group: &Group, connections: &WorkerConnections) -> ReplicaGroups {
        self.assign_to_replicas(group, |other| !connections[other].is_breaker_open(), |_| false)
    }

    /// Returns the replicas for a retry after a failure. Workers with an open breaker are used if there is no other replica, for
    /// most breakers open without need.
    pub fn retry_replicas(&self, group: &Group, connections: &WorkerConnections) -> ReplicaGroups {
        self.assign_to_replicas(group, |other| !connections[other].is_breaker_open(), |_| true)
    }

    /// Returns true if another worker holds a repository of the group.
    pub fn has_other_replica(&self, group: &Group) -> bool {
        group.repo_idxs.iter().any(|repo_idx| self.other_holders(*repo_idx, group).next().is_some())
    }

    /// Assigns each repository of a group to the first other holder that is `preferred`, else to the first `accepted` one.
    fn assign_to_replicas(
        &self,
        group: &Group,
        preferred: impl Fn(usize) -> bool,
        accepted: impl Fn(usize) -> bool,
    ) -> ReplicaGroups {
        let mut unassigned = Vec::new();
        let mut by_worker: BTreeMap<usize, Vec<RepoIdx>> = BTreeMap::new();
        for repo_idx in &group.repo_idxs {
            let first =
                |is_fit: &dyn Fn(usize) -> bool| self.other_holders(*repo_idx, group).find(|other| is_fit(*other));
            match first(&preferred).or_else(|| first(&accepted)) {
                Some(holder) => by_worker.entry(holder).or_default().push(*repo_idx),
                None => unassigned.push(*repo_idx),
            }
        }
        let groups = by_worker.into_iter().map(|(worker_idx, repo_idxs)| Group { worker_idx, repo_idxs });
        ReplicaGroups { groups: groups.collect(), unassigned }
    }

    /// Returns the workers that hold a repository, except for the group's own worker.
    fn other_holders(&self, repo_idx: RepoIdx, group: &Group) -> impl Iterator<Item = usize> {
        self.repository(repo_idx).holders.iter().copied().filter(|holder| *holder != group.worker_idx)
    }

    /// Returns the group itself; if the breaker of its worker is open, moves its repositories to replicas as far as possible.
    pub fn route_around_open_breakers(&self, group: &Group, connections: &WorkerConnections) -> Vec<Group> {
        if !connections[group.worker_idx].is_breaker_open() {
            return vec![group.clone()];
        }
        let ReplicaGroups { mut groups, unassigned } = self.hedge_replicas(group, connections);
        if !unassigned.is_empty() {
            groups.push(Group { worker_idx: group.worker_idx, repo_idxs: unassigned });
        }
        groups
    }
}

/// Returns the error for an empty list of repositories.
pub fn no_aliases() -> Refusal {
    Refusal::new("`repo` is an empty list: name an alias, or leave it out; list_repos tells what there is")
}

fn is_everything(repo: Option<&str>) -> bool {
    repo.is_none_or(|repo| matches!(repo.trim(), "" | "all" | "*"))
}

/// Returns the byte offsets of the single colons before the first `::`.
fn single_colons(text: &str) -> impl Iterator<Item = usize> {
    let head = text.split("::").next().unwrap_or(text);
    head.match_indices(':').map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use model::{GenerationId, RepoId};

    use super::*;
    use crate::{
        connection::WorkerConnection,
        directory::{Reachability, WorkerView},
    };

    fn visible(aliases: &[&str], principal: &Principal) -> Visible {
        let repository = |(idx, alias): (usize, &&str)| v1::Repository {
            id: RepoId([idx as u8; 16]).to_string(),
            alias: (*alias).to_owned(),
            generation: if alias.starts_with("new") { String::new() } else { GenerationId([1; 16]).to_string() },
            ..Default::default()
        };
        let repositories: Vec<v1::Repository> = aliases.iter().enumerate().map(repository).collect();
        let half = repositories.len() / 2;
        let view = |name: &str, repositories: &[v1::Repository]| WorkerView {
            name: name.to_owned(),
            reach: Reachability::Reachable,
            inventory: Some(v1::InventoryResponse {
                analyser_version: ranking::ANALYSER_VERSION,
                repositories: repositories.to_vec(),
                ..Default::default()
            }),
        };
        let directory = Directory::build(&[view("w1", &repositories[..half]), view("w2", &repositories[half..])]);
        Visible::new(Arc::new(directory), principal)
    }

    fn asked(visible: &Visible, repo: Option<&str>) -> Result<String, String> {
        let plan = visible.plan(repo).map_err(|refusal| refusal.to_string())?;
        Ok(plan.asked.iter().map(|repo_idx| plan.alias(*repo_idx)).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn repo_names_repositories() {
        let visible = visible(&["api", "web", "lib", "a,b"], &Principal::local());
        for (repo, expected) in [
            (None, "a,b api lib web"),
            (Some("all"), "a,b api lib web"),
            (Some(""), "a,b api lib web"),
            (Some("web"), "web"),
            (Some(" web, api ,web,"), "api web"),
            (Some("a,b"), "a,b"),
        ] {
            assert_eq!(asked(&visible, repo).as_deref(), Ok(expected), "{repo:?}");
        }
        assert_eq!(
            asked(&visible, Some("wep")).unwrap_err(),
            "no repository `wep`; known are: web, a,b, api, lib; or `all`"
        );
        for (repo, expected) in
            [(",", "empty list"), (" , ", "empty list"), ("all,api", "stands alone"), ("*,*", "stands alone")]
        {
            let refusal = asked(&visible, Some(repo)).unwrap_err();
            assert!(refusal.contains(expected), "{repo}: {refusal}");
        }
    }

    #[test]
    fn unreadable_repositories_look_nonexistent() {
        let limited = Principal::limited("ci", ["api".to_owned()]);
        let with_secret = visible(&["api", "secret"], &limited);
        let without = visible(&["api", "other"], &limited);
        for repo in ["secret", "api,secret"] {
            assert_eq!(asked(&with_secret, Some(repo)), asked(&without, Some(repo)));
        }
        assert_eq!(asked(&with_secret, None).as_deref(), Ok("api"));
        let split = |visible: &Visible| visible.split_prefix("secret:src/a.rs").map_err(|refusal| refusal.to_string());
        assert_eq!(split(&with_secret).unwrap_err(), split(&without).unwrap_err());
    }

    #[test]
    fn groups_are_by_worker_and_absences_are_noted() {
        let plan = visible(&["api", "new", "lib", "web"], &Principal::local()).plan(None).unwrap();
        let groups: Vec<(usize, usize)> = plan.groups.iter().map(|g| (g.worker_idx, g.repo_idxs.len())).collect();
        assert_eq!(groups, [(0, 1), (1, 2)]);
        let short: Vec<&str> = plan.shortfalls.iter().map(|(repo_idx, ..)| plan.alias(repo_idx)).collect();
        assert_eq!(short, ["new"]);
    }

    #[tokio::test]
    async fn retries_use_open_breakers_only_without_an_alternative() {
        let api = v1::Repository {
            id: RepoId([1; 16]).to_string(),
            alias: "api".to_owned(),
            generation: GenerationId([1; 16]).to_string(),
            ..Default::default()
        };
        let view = |name: &str| WorkerView {
            name: name.to_owned(),
            reach: Reachability::Reachable,
            inventory: Some(v1::InventoryResponse {
                analyser_version: ranking::ANALYSER_VERSION,
                repositories: vec![api.clone()],
                ..Default::default()
            }),
        };
        let directory = Directory::build(&[view("w1"), view("w2")]);
        let plan = Visible::new(Arc::new(directory), &Principal::local()).plan(None).unwrap();
        let channel = tonic::transport::Endpoint::from_static("http://nobody").connect_lazy();
        let connection = |number| Arc::new(WorkerConnection::new(number, "w".to_owned(), channel.clone()));
        let connections = WorkerConnections::default().with(vec![connection(0), connection(1)]);
        let failed = &plan.groups[0];
        let other = Group { worker_idx: 1 - failed.worker_idx, repo_idxs: vec![RepoIdx(0)] };
        let asked = ReplicaGroups { groups: vec![other.clone()], unassigned: Vec::new() };
        assert_eq!(
            (plan.hedge_replicas(failed, &connections), plan.retry_replicas(failed, &connections)),
            (asked.clone(), asked.clone())
        );
        connections[other.worker_idx].open_breaker();
        assert_eq!(
            plan.hedge_replicas(failed, &connections),
            ReplicaGroups { groups: Vec::new(), unassigned: vec![RepoIdx(0)] }
        );
        assert_eq!(plan.retry_replicas(failed, &connections), asked);
    }

    #[test]
    fn colons_beyond_the_longest_alias_cost_nothing() {
        let visible = visible(&["api", "odd:name"], &Principal::local());
        // 4 MB, which took hours when every prefix was tried.
        let colons = "a:".repeat(2 << 20);
        assert_eq!(visible.split_prefix(&colons).unwrap(), (None, colons.as_str()));
    }

    #[test]
    fn prefixes_are_distinguished_from_paths() {
        let visible = visible(&["api", "odd:name"], &Principal::local());
        for (text, expected) in [
            ("api:src/a.rs", Ok((Some("api"), "src/a.rs"))),
            ("api//src/a.rs::X.y", Ok((Some("api"), "src/a.rs::X.y"))),
            ("api:src/a.rs::X", Ok((Some("api"), "src/a.rs::X"))),
            ("api:src/a.rs:10-60", Ok((Some("api"), "src/a.rs:10-60"))),
            ("odd:name:src/a.rs", Ok((Some("odd:name"), "src/a.rs"))),
            ("src/a.rs:10-60", Ok((None, "src/a.rs:10-60"))),
            ("src/a.rs::X", Ok((None, "src/a.rs::X"))),
            ("Type::method", Ok((None, "Type::method"))),
            ("Makefile:3", Ok((None, "Makefile:3"))),
            ("nope:src/a.rs", Err(())),
            ("nope//src/a.rs", Err(())),
        ] {
            assert_eq!(visible.split_prefix(text).map_err(|_| ()), expected, "{text}");
        }
    }
}
