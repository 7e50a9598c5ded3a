//! Which of the repositories by URL are this worker's to hold.
//!
//! The workers are those that are configured, whether or not they are alive: while one is away its replicas answer, and
//! nobody clones what it will hold again in a minute.

use std::collections::BTreeMap;

use serde::Deserialize;
use source::mirror::Mirror;

/// Workers that one range may stand for; more is a slip.
const MAX_RANGE: u32 = 1_000;

/// Variables of the environment that say what the machine is called, the first that is set.
const NAME_VARIABLES: [&str; 2] = ["POD_NAME", "HOSTNAME"];

/// The table `[placement]`.
#[derive(Debug, Clone, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields, default)]
pub struct PlacementSettings {
    /// Addresses of all workers, this one among them; `{0..3}` stands for 0, 1, 2 and 3. Left out, this one holds everything.
    pub workers: Vec<String>,
    /// The address of this one; left out, the one whose host is that of the machine.
    #[serde(rename = "self")]
    pub own: Option<String>,
    /// Workers that hold each repository.
    pub replicas: usize,
}

impl Default for PlacementSettings {
    fn default() -> Self {
        PlacementSettings { workers: Vec::new(), own: None, replicas: 1 }
    }
}

/// What a listing may say of it: what all workers have to agree on.
#[derive(Debug, Clone, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(crate) struct SharedPlacement {
    pub(crate) workers: Vec<String>,
    #[serde(default = "one")]
    pub(crate) replicas: usize,
}

fn one() -> usize {
    1
}

/// Who there is, and who this is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Placement {
    workers: Vec<String>,
    replicas: usize,
    own: String,
}

impl Placement {
    /// Returns none where this worker is alone.
    pub(crate) fn new(settings: &PlacementSettings) -> Result<Option<Placement>, String> {
        let name = NAME_VARIABLES.iter().find_map(|name| std::env::var(name).ok().filter(|name| !name.is_empty()));
        Placement::known_as(settings, name.as_deref())
    }

    fn known_as(settings: &PlacementSettings, machine: Option<&str>) -> Result<Option<Placement>, String> {
        if settings.workers.is_empty() {
            return Ok(None);
        }
        let (workers, replicas) = (expand_all(&settings.workers)?, positive(settings.replicas)?);
        let is_here = |worker: &&String| {
            let host = host(worker);
            machine.is_some_and(|machine| host == machine || host.split('.').next() == Some(machine))
        };
        let own = match &settings.own {
            Some(own) => own.trim_end_matches('/').to_owned(),
            None => match workers.iter().filter(is_here).collect::<Vec<_>>()[..] {
                [own] => own.clone(),
                _ => {
                    return Err(format!(
                        "none of the workers is on a machine called `{}`: name the one that this is with `self`, or --self",
                        machine.unwrap_or_default()
                    ));
                }
            },
        };
        Ok(Some(Placement { workers, replicas, own }))
    }

    /// Returns the same worker among others.
    pub(crate) fn among(&self, shared: &SharedPlacement) -> Result<Placement, String> {
        let (workers, replicas) = (expand_all(&shared.workers)?, positive(shared.replicas)?);
        Ok(Placement { workers, replicas, own: self.own.clone() })
    }

    /// Tells what is odd, and may be meant.
    pub(crate) fn tell_doubts(&self) {
        self.doubts().iter().for_each(|doubt| tracing::warn!("`[placement]`: {doubt}"));
    }

    fn doubts(&self) -> Vec<String> {
        let Placement { workers, replicas, own } = self;
        let mut doubts = Vec::new();
        if !workers.contains(own) {
            doubts.push(format!("this worker is `{own}`, which is none of `workers`: it hands over all that it holds"));
        }
        if *replicas > workers.len() {
            doubts.push(format!("`replicas` is {replicas}, and there are {} workers to hold them", workers.len()));
        }
        doubts
    }

    /// Returns who holds each repository instead of this worker; nothing for those that are its own.
    pub(crate) fn elsewhere(&self, mirrors: &[Mirror]) -> BTreeMap<String, Vec<String>> {
        let aliases: Vec<String> = mirrors.iter().map(|mirror| mirror.alias.clone()).collect();
        let mut owners = model::placement::owners(&aliases, &self.workers, self.replicas);
        owners.retain(|_, owners| !owners.contains(&self.own));
        owners
    }
}

fn positive(replicas: usize) -> Result<usize, String> {
    if replicas > 0 { Ok(replicas) } else { Err("`replicas` must be 1 at least".to_owned()) }
}

fn host(worker: &str) -> &str {
    let authority = worker.split_once("://").map_or(worker, |(_, rest)| rest);
    authority.rsplit_once(':').map_or(authority, |(host, _)| host)
}

fn expand_all(workers: &[String]) -> Result<Vec<String>, String> {
    let mut expanded = Vec::new();
    for worker in workers {
        expanded.extend(expand(worker).filter(|all| all.iter().all(|one| is_address(one))).ok_or_else(|| {
            format!("`{worker}` is no address of a worker: write it like `http://worker-0:7475`, or `http://worker-{{0..3}}:7475`")
        })?);
    }
    expanded.sort();
    expanded.dedup();
    if expanded.is_empty() { Err("no worker is named".to_owned()) } else { Ok(expanded) }
}

/// Returns what a range stands for: both ends are among it.
fn expand(worker: &str) -> Option<Vec<String>> {
    let worker = worker.trim_end_matches('/');
    let Some((before, rest)) = worker.split_once('{') else { return Some(vec![worker.to_owned()]) };
    let (range, after) = rest.split_once('}')?;
    let (first, last) = range.split_once("..")?;
    let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
    let is_sound = first <= last && last - first < MAX_RANGE && !after.contains('{');
    is_sound.then(|| (first..=last).map(|number| format!("{before}{number}{after}")).collect())
}

fn is_address(worker: &str) -> bool {
    let Some((scheme, authority)) = worker.split_once("://") else { return false };
    let port = authority.rsplit_once(':').and_then(|(host, port)| Some((host, port.parse::<u16>().ok()?)));
    matches!(scheme, "http" | "https") && port.is_some_and(|(host, _)| !host.is_empty() && !host.contains(['/', '@']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placement(workers: &[&str], own: Option<&str>, machine: Option<&str>) -> Result<Option<Placement>, String> {
        let workers = workers.iter().map(|worker| (*worker).to_owned()).collect();
        let settings = PlacementSettings { workers, own: own.map(str::to_owned), replicas: 1 };
        Placement::known_as(&settings, machine)
    }

    #[test]
    fn ranges_stand_for_all_in_them() {
        let found = placement(&["http://w-{0..2}.w:7475", "http://w-1.w:7475/"], None, Some("w-1")).unwrap().unwrap();
        assert_eq!(found.workers, ["http://w-0.w:7475", "http://w-1.w:7475", "http://w-2.w:7475"]);
        assert_eq!(found.own, "http://w-1.w:7475");
        assert_eq!(placement(&[], None, None), Ok(None));
    }

    #[test]
    fn mistakes_are_named() {
        for (workers, own, machine, expected) in [
            (&["http://w-0:1"][..], None, None, "`self`"),
            (&["http://w-0:1"], None, Some("x"), "called `x`"),
            (&["http://w-0:1", "http://w-0:2"], None, Some("w-0"), "`self`"),
            (&["w-0:1"], Some("x"), None, "`w-0:1` is no address"),
            (&["http://w-0"], Some("x"), None, "no address"),
            (&["http://w-{3..1}:1"], Some("x"), None, "no address"),
            (&["http://w-{0..99999}:1"], Some("x"), None, "no address"),
        ] {
            let mistake = placement(workers, own, machine).unwrap_err();
            assert!(mistake.contains(expected), "{workers:?}: {mistake}");
        }
        let leaving = placement(&["http://w-0:1"], Some("http://gone:1"), None).unwrap().unwrap();
        assert!(leaving.doubts()[0].contains("none of `workers`"), "it may be about to leave");
        let too_many =
            Placement { replicas: 3, ..placement(&["http://w-{0..1}:1"], None, Some("w-0")).unwrap().unwrap() };
        assert!(too_many.doubts()[0].contains("`replicas` is 3"));
        assert_eq!(Placement { replicas: 2, ..too_many }.doubts(), [""; 0]);
    }
}
