//! From the `repo` argument to what is asked of which worker: every generation pinned, every absence accounted for.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use model::ShardState;
use proto::v1;

use crate::{
    access::Principal,
    arguments,
    connection::Connections,
    directory::{Directory, Reach, Repository, Standing},
    nearest,
    refusal::{Refusal, quoted},
};

mod readable;

pub(crate) use readable::Readable;

/// More aliases than this are not listed in an error.
const MAX_LISTED_ALIASES: usize = 30;

/// The repositories that exist for one caller, as one directory has them.
#[derive(Clone)]
pub(crate) struct Visible {
    pub(crate) directory: Arc<Directory>,
    readable: Arc<Readable>,
}

/// What a request asks of whom.
#[derive(Clone)]
pub(crate) struct Plan {
    pub(crate) directory: Arc<Directory>,
    /// What the caller may read, whatever is asked: requests are signed by it.
    readable: Arc<Readable>,
    /// Positions of the repositories asked, ascending, which is the order of their aliases.
    pub(crate) asked: Vec<usize>,
    /// The serving ones among them, by the worker that serves them.
    pub(crate) groups: Vec<Group>,
    pub(crate) shortfalls: Shortfalls,
    /// Workers that may hold more repositories, but never said so.
    pub(crate) unknown_workers: Vec<usize>,
    /// Repositories whose text was not searched, since that provably could not have changed the answer.
    pub(crate) n_pruned: usize,
}

/// Repositories that one call to one worker is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) worker_idx: usize,
    /// Ascending.
    pub(crate) positions: Vec<usize>,
}

/// A group, given to other workers that hold the same generations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Elsewhere {
    pub(crate) groups: Vec<Group>,
    /// Positions of what nobody else holds.
    pub(crate) left: Vec<usize>,
}

/// Repositories that did not answer fully, each with the first reason there was.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Shortfalls(BTreeMap<usize, (ShardState, String)>);

impl Shortfalls {
    pub(crate) fn note(&mut self, position: usize, state: ShardState, reason: impl Into<String>) {
        self.0.entry(position).or_insert_with(|| (state, reason.into()));
    }

    pub(crate) fn extend(&mut self, others: Shortfalls) {
        others.0.into_iter().for_each(|(position, (state, reason))| self.note(position, state, reason));
    }

    pub(crate) fn get(&self, position: usize) -> Option<ShardState> {
        self.0.get(&position).map(|(state, _)| *state)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, ShardState, &str)> {
        self.0.iter().map(|(position, (state, reason))| (*position, *state, reason.as_str()))
    }

    /// Returns those of the repositories for which `is_kept` holds.
    pub(crate) fn only(mut self, is_kept: impl Fn(usize) -> bool) -> Shortfalls {
        self.0.retain(|position, _| is_kept(*position));
        self
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

impl Visible {
    pub(crate) fn new(directory: Arc<Directory>, principal: &Principal) -> Visible {
        let readable = Arc::new(Readable::new(&directory, principal));
        Visible { directory, readable }
    }

    /// Plans a request for `repo`: an alias, several joined by commas, or everything.
    pub(crate) fn plan(&self, repo: Option<&str>) -> Result<Plan, Refusal> {
        Ok(self.plan_for(self.resolve(repo)?, is_everything(repo)))
    }

    /// Takes an `alias:` or `alias//` prefix off a path or symbol id: what is left, and the alias.
    ///
    /// `src/a.c:10-60` and `a::b` have no prefix. A prefix that names no repository is an error where the rest looks
    /// like a path or id.
    pub(crate) fn split_prefix<'a>(&self, text: &'a str) -> Result<(Option<&'a str>, &'a str), Refusal> {
        if let Some((alias, rest)) = text.split_once("//") {
            self.position(alias)?;
            return Ok((Some(alias), rest));
        }
        // Only as far as an alias can reach: the text may hold any number of colons.
        let longest_alias = self.aliases().map(str::len).max().unwrap_or(0);
        let mut alias_ends = single_colons(text).take_while(|at| *at <= longest_alias);
        if let Some(at) = alias_ends.find(|at| self.known_position(&text[..*at]).is_some()) {
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

    /// Says whether the repository at this position exists for the caller.
    pub(crate) fn may_read(&self, position: usize) -> bool {
        self.readable.contains(position)
    }

    /// Returns the positions of the repositories that exist for the caller, ascending.
    pub(crate) fn positions(&self) -> &[usize] {
        self.readable.positions()
    }

    /// Returns what the caller knows its repositories by, in their order.
    pub(crate) fn aliases(&self) -> impl Iterator<Item = &str> {
        self.positions().iter().map(|position| self.readable.alias(&self.directory, *position))
    }

    fn resolve(&self, repo: Option<&str>) -> Result<Vec<usize>, Refusal> {
        let Some(repo) = repo.filter(|_| !is_everything(repo)) else { return Ok(self.positions().to_vec()) };
        if let Some(position) = self.known_position(repo.trim()) {
            return Ok(vec![position]);
        }
        let aliases: Vec<&str> = repo.split(',').map(str::trim).filter(|alias| !alias.is_empty()).collect();
        if aliases.is_empty() {
            return Err(arguments::no_aliases());
        }
        if aliases.iter().any(|alias| is_everything(Some(alias))) {
            return Err(Refusal::new("`all` in `repo` stands alone: name either `all` or the aliases"));
        }
        let mut positions =
            aliases.into_iter().map(|alias| self.position(alias)).collect::<Result<Vec<usize>, Refusal>>()?;
        positions.sort_unstable();
        positions.dedup();
        Ok(positions)
    }

    /// Plans a request for the repositories at `asked`, ascending; for everything there is, workers that never said what
    /// they hold count as well.
    #[tracing::instrument(name = "plan", skip_all, fields(repositories = asked.len()))]
    pub(crate) fn plan_for(&self, asked: Vec<usize>, everything: bool) -> Plan {
        let mut shortfalls = Shortfalls::default();
        let mut by_worker: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for position in &asked {
            let repository = &self.directory.repositories[*position];
            match &repository.standing {
                Standing::Serving(_) => by_worker.entry(repository.worker_idx).or_default().push(*position),
                Standing::Short(state, reason) => shortfalls.note(*position, *state, reason),
            }
        }
        let groups = by_worker.into_iter().map(|(worker_idx, positions)| Group { worker_idx, positions }).collect();
        let is_unknown = |worker_idx: &usize| everything && !self.directory.workers[*worker_idx].is_known;
        let unknown_workers = (0..self.directory.workers.len()).filter(is_unknown).collect();
        let readable = Arc::clone(&self.readable);
        Plan {
            directory: Arc::clone(&self.directory),
            readable,
            asked,
            groups,
            shortfalls,
            unknown_workers,
            n_pruned: 0,
        }
    }

    pub(crate) fn known_position(&self, alias: &str) -> Option<usize> {
        self.readable.position(&self.directory, alias)
    }

    pub(crate) fn position(&self, alias: &str) -> Result<usize, Refusal> {
        self.known_position(alias).ok_or_else(|| self.unknown_alias(alias))
    }

    /// Returns the error for an alias that does not exist for the caller, which is all that it tells.
    fn unknown_alias(&self, alias: &str) -> Refusal {
        let alias = quoted(alias);
        // Whatever it holds, and for whom: it is the same for every caller.
        let is_unheard = self.directory.workers.iter().any(|worker| !worker.is_known);
        let yet = if is_unheard {
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
        let listed = nearest::first(&alias, &known, MAX_LISTED_ALIASES);
        let rest = match known.len() - listed.len() {
            0 => String::new(),
            n_more => format!(" and {n_more} more, which list_repos lists"),
        };
        Refusal::new(format!("no repository `{alias}`; known are: {}{rest}; or `all`{yet}", listed.join(", ")))
    }
}

impl Plan {
    /// Says whether the repository at this position exists for the caller.
    pub(crate) fn may_read(&self, position: usize) -> bool {
        self.readable.contains(position)
    }

    /// Returns why nothing is known of what a worker holds, as far as the caller may know it: what is wrong between gateway and
    /// worker is for those who may read everything.
    pub(crate) fn unknown_since(&self, worker_idx: usize) -> String {
        let worker = &self.directory.workers[worker_idx];
        let unknown = format!("worker {} has never said what it holds", worker.name);
        match &worker.reach {
            Reach::Unreachable(reason) if self.readable.is_everything => format!("{unknown}: {reason}"),
            _ => unknown,
        }
    }

    /// Says whether everything is asked that exists for the caller.
    pub(crate) fn is_everything(&self) -> bool {
        self.asked == self.readable.positions()
    }

    pub(crate) fn repository(&self, position: usize) -> &Repository {
        &self.directory.repositories[position]
    }

    pub(crate) fn alias(&self, position: usize) -> &str {
        self.readable.alias(&self.directory, position)
    }

    /// Returns the positions that the ids of a worker's reply stand for: ids are unique within one worker alone.
    pub(crate) fn by_id(&self, group: &Group) -> HashMap<&str, usize> {
        let positions = group.positions.iter().copied();
        positions.map(|position| (self.repository(position).advertised.id.as_str(), position)).collect()
    }

    /// Returns when the newest commit of all repositories asked was made, in seconds since the epoch.
    pub(crate) fn newest_commit(&self) -> i64 {
        self.asked.iter().map(|position| self.repository(*position).advertised.committed_at).max().unwrap_or(0)
    }

    /// Returns the wire form of a repository at its pinned generation.
    pub(crate) fn target(&self, position: usize) -> v1::Target {
        let repository = self.repository(position);
        v1::Target {
            repository: repository.advertised.id.clone(),
            generation: repository.advertised.generation.clone(),
        }
    }

    /// Takes note of shortfalls, and asks those repositories nothing more; partial answers are followed up.
    pub(crate) fn fall_short(&mut self, shortfalls: Shortfalls) {
        self.shortfalls.extend(shortfalls);
        for group in &mut self.groups {
            group.positions.retain(|position| self.shortfalls.get(*position).is_none_or(|s| s == ShardState::Partial));
        }
        self.groups.retain(|group| !group.positions.is_empty());
    }

    /// Returns who else may be asked for the repositories of a group that need not be asked: those who are doubted are left
    /// in peace.
    pub(crate) fn elsewhere(&self, group: &Group, connections: &Connections) -> Elsewhere {
        self.held_by(group, |other| !connections[other].is_doubted(), |_| false)
    }

    /// Returns who else may be asked for the repositories of a group whose worker has failed: those who are doubted if there
    /// is nobody else, for most doubts turn out to be groundless.
    pub(crate) fn instead(&self, group: &Group, connections: &Connections) -> Elsewhere {
        self.held_by(group, |other| !connections[other].is_doubted(), |_| true)
    }

    /// Says whether somebody else holds some of a group.
    pub(crate) fn has_others(&self, group: &Group) -> bool {
        group.positions.iter().any(|position| self.others(*position, group).next().is_some())
    }

    /// Gives each repository of a group to the first other holder that is `preferred`, or `accepted` if there is none.
    fn held_by(&self, group: &Group, preferred: impl Fn(usize) -> bool, accepted: impl Fn(usize) -> bool) -> Elsewhere {
        let mut left = Vec::new();
        let mut by_worker: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for position in &group.positions {
            let first = |is_fit: &dyn Fn(usize) -> bool| self.others(*position, group).find(|other| is_fit(*other));
            match first(&preferred).or_else(|| first(&accepted)) {
                Some(holder) => by_worker.entry(holder).or_default().push(*position),
                None => left.push(*position),
            }
        }
        let groups = by_worker.into_iter().map(|(worker_idx, positions)| Group { worker_idx, positions });
        Elsewhere { groups: groups.collect(), left }
    }

    /// Returns the workers that hold a repository of a group besides the group's own.
    fn others(&self, position: usize, group: &Group) -> impl Iterator<Item = usize> {
        self.repository(position).holders.iter().copied().filter(|holder| *holder != group.worker_idx)
    }

    /// Returns the group, or others in its place as far as its worker is doubted and they can stand in for it.
    pub(crate) fn trusted(&self, group: &Group, connections: &Connections) -> Vec<Group> {
        if !connections[group.worker_idx].is_doubted() {
            return vec![group.clone()];
        }
        let Elsewhere { mut groups, left } = self.elsewhere(group, connections);
        if !left.is_empty() {
            groups.push(Group { worker_idx: group.worker_idx, positions: left });
        }
        groups
    }

    /// Says whether everything that was asked stands behind the answer.
    pub(crate) fn is_complete(&self) -> bool {
        self.shortfalls.len() == 0 && self.unknown_workers.is_empty()
    }
}

fn is_everything(repo: Option<&str>) -> bool {
    repo.is_none_or(|repo| matches!(repo.trim(), "" | "all" | "*"))
}

/// Returns where a colon stands before the first `::` that is not part of one.
fn single_colons(text: &str) -> impl Iterator<Item = usize> {
    let head = text.split("::").next().unwrap_or(text);
    head.match_indices(':').map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use model::{GenerationId, RepoId};

    use super::*;
    use crate::{
        connection::Connection,
        directory::{Reach, WorkerView},
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
            reach: Reach::Reachable,
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
        Ok(plan.asked.iter().map(|position| plan.alias(*position)).collect::<Vec<_>>().join(" "))
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
    fn what_may_not_be_read_does_not_exist() {
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
        let groups: Vec<(usize, usize)> = plan.groups.iter().map(|g| (g.worker_idx, g.positions.len())).collect();
        assert_eq!(groups, [(0, 1), (1, 2)]);
        let short: Vec<&str> = plan.shortfalls.iter().map(|(position, ..)| plan.alias(position)).collect();
        assert_eq!(short, ["new"]);
        assert!(!plan.is_complete());
    }

    #[test]
    fn what_is_wrong_with_a_worker_is_for_those_who_may_read_everything() {
        let reach = Reach::Unreachable("the grant is not signed by a key that is known here".to_owned());
        let view = WorkerView { name: "w1".to_owned(), reach, inventory: None };
        let directory = Arc::new(Directory::build(&[view]));
        for (pattern, is_told) in [("*", true), ("api", false)] {
            let principal = Principal::limited("ci", [pattern.to_owned()]);
            let plan = Visible::new(Arc::clone(&directory), &principal).plan(None).unwrap();
            assert_eq!(plan.unknown_since(0).contains("is not signed"), is_told, "{pattern}");
        }
    }

    #[tokio::test]
    async fn the_doubted_are_asked_where_nobody_else_is_left() {
        let api = v1::Repository {
            id: RepoId([1; 16]).to_string(),
            alias: "api".to_owned(),
            generation: GenerationId([1; 16]).to_string(),
            ..Default::default()
        };
        let view = |name: &str| WorkerView {
            name: name.to_owned(),
            reach: Reach::Reachable,
            inventory: Some(v1::InventoryResponse {
                analyser_version: ranking::ANALYSER_VERSION,
                repositories: vec![api.clone()],
                ..Default::default()
            }),
        };
        let directory = Directory::build(&[view("w1"), view("w2")]);
        let plan = Visible::new(Arc::new(directory), &Principal::local()).plan(None).unwrap();
        let channel = tonic::transport::Endpoint::from_static("http://nobody").connect_lazy();
        let connection = |number| Arc::new(Connection::new(number, "w".to_owned(), channel.clone()));
        let connections = Connections::default().with(vec![connection(0), connection(1)]);
        let failed = &plan.groups[0];
        let other = Group { worker_idx: 1 - failed.worker_idx, positions: vec![0] };
        let asked = Elsewhere { groups: vec![other.clone()], left: Vec::new() };
        assert_eq!(
            (plan.elsewhere(failed, &connections), plan.instead(failed, &connections)),
            (asked.clone(), asked.clone())
        );
        connections[other.worker_idx].doubt();
        assert_eq!(plan.elsewhere(failed, &connections), Elsewhere { groups: Vec::new(), left: vec![0] });
        assert_eq!(plan.instead(failed, &connections), asked);
    }

    #[test]
    fn colons_beyond_the_longest_alias_cost_nothing() {
        let visible = visible(&["api", "odd:name"], &Principal::local());
        // 4 MB, which took hours when every prefix was tried.
        let colons = "a:".repeat(2 << 20);
        assert_eq!(visible.split_prefix(&colons).unwrap(), (None, colons.as_str()));
    }

    #[test]
    fn prefixes_are_told_from_paths() {
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
