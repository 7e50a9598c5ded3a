//! The placement of repositories by URL: the owners of each repository among the workers.
//!
//! Placement uses the configured workers, whether they are alive or not. While a worker is down its replicas answer, and no other
//! worker clones repositories that the returning worker still holds.

use std::collections::BTreeMap;

use serde::Deserialize;
use source::mirror::Mirror;

/// Maximum number of workers in one range. A larger range is a typing error.
const MAX_RANGE: u32 = 1_000;

/// Environment variables with the name of the machine; the first that is set counts.
const NAME_VARIABLES: [&str; 2] = ["POD_NAME", "HOSTNAME"];

/// The table `[placement]`.
#[derive(Debug, Clone, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields, default)]
pub struct PlacementSettings {
    /// Addresses of all workers, with this one; `{0..3}` stands for 0, 1, 2 and 3. Left out, this worker holds everything.
    pub workers: Vec<String>,
    /// The address of this worker; left out, the one whose host is the name of the machine.
    #[serde(rename = "self")]
    pub own: Option<String>,
    /// Number of workers that hold each repository; at least 1.
    pub replicas: usize,
}

impl Default for PlacementSettings {
    fn default() -> Self {
        PlacementSettings { workers: Vec::new(), own: None, replicas: 1 }
    }
}

/// The placement in a listing: the part that all workers have to agree on.
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

/// The workers, with the index of this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Placement {
    workers: Vec<String>,
    replicas: usize,
    own: String,
}

impl Placement {
    /// Checks the settings; `None` if this worker is alone.
    pub(crate) fn new(settings: &PlacementSettings) -> Result<Option<Placement>, String> {
        let name = NAME_VARIABLES.iter().find_map(|name| std::env::var(name).ok().filter(|name| !name.is_empty()));
        Placement::on_machine(settings, name.as_deref())
    }

    fn on_machine(settings: &PlacementSettings, machine: Option<&str>) -> Result<Option<Placement>, String> {
        let replicas = positive(settings.replicas)?;
        if settings.workers.is_empty() {
            return Ok(None);
        }
        let workers = expand_all(&settings.workers)?;
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
                        "none of the workers is on a machine called `{}`: set `self` or --self to the address of this worker",
                        machine.unwrap_or_default()
                    ));
                }
            },
        };
        Ok(Some(Placement { workers, replicas, own }))
    }

    /// Returns the placement of this worker among the workers of a listing.
    pub(crate) fn among(&self, shared: &SharedPlacement) -> Result<Placement, String> {
        let (workers, replicas) = (expand_all(&shared.workers)?, positive(shared.replicas)?);
        Ok(Placement { workers, replicas, own: self.own.clone() })
    }

    /// Warns of settings that are valid, but mostly errors.
    pub(crate) fn log_warnings(&self) {
        self.warnings().iter().for_each(|warning| tracing::warn!("`[placement]`: {warning}"));
    }

    fn warnings(&self) -> Vec<String> {
        let Placement { workers, replicas, own } = self;
        let mut warnings = Vec::new();
        if !workers.contains(own) {
            warnings
                .push(format!("this worker is `{own}`, which is none of `workers`: it hands over all repositories"));
        }
        if *replicas > workers.len() {
            warnings.push(format!("`replicas` is {replicas}, and there are only {} workers", workers.len()));
        }
        warnings
    }

    /// Returns the owners of each repository that belongs to other workers, by alias.
    pub(crate) fn owners_elsewhere(&self, mirrors: &[Mirror]) -> BTreeMap<String, Vec<String>> {
        let aliases: Vec<String> = mirrors.iter().map(|mirror| mirror.alias.clone()).collect();
        let mut owners = model::placement::owners(&aliases, &self.workers, self.replicas);
        owners.retain(|_, owners| !owners.contains(&self.own));
        owners
    }
}

fn positive(replicas: usize) -> Result<usize, String> {
    if replicas > 0 { Ok(replicas) } else { Err("`replicas` of `[placement]` must be at least 1".to_owned()) }
}

fn host(worker: &str) -> &str {
    let authority = worker.split_once("://").map_or(worker, |(_, rest)| rest);
    authority.rsplit_once(':').map_or(authority, |(host, _)| host)
}

fn expand_all(workers: &[String]) -> Result<Vec<String>, String> {
    let mut expanded = Vec::new();
    for worker in workers {
        expanded.extend(expand(worker).filter(|all| all.iter().all(|one| is_address(one))).ok_or_else(|| {
            format!("`{worker}` is not a valid address of a worker: write it like `http://worker-0:7475`, or `http://worker-{{0..3}}:7475`")
        })?);
    }
    expanded.sort();
    expanded.dedup();
    if expanded.is_empty() { Err("no worker is named".to_owned()) } else { Ok(expanded) }
}

/// Expands a range, with both of its ends.
fn expand(worker: &str) -> Option<Vec<String>> {
    let worker = worker.trim_end_matches('/');
    let Some((before, rest)) = worker.split_once('{') else { return Some(vec![worker.to_owned()]) };
    let (range, after) = rest.split_once('}')?;
    let (first, last) = range.split_once("..")?;
    let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
    let is_valid = first <= last && last - first < MAX_RANGE && !after.contains('{');
    is_valid.then(|| (first..=last).map(|number| format!("{before}{number}{after}")).collect())
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
        Placement::on_machine(&settings, machine)
    }

    #[test]
    fn ranges_are_expanded() {
        let found = placement(&["http://w-{0..2}.w:7475", "http://w-1.w:7475/"], None, Some("w-1")).unwrap().unwrap();
        assert_eq!(found.workers, ["http://w-0.w:7475", "http://w-1.w:7475", "http://w-2.w:7475"]);
        assert_eq!(found.own, "http://w-1.w:7475");
        assert_eq!(placement(&[], None, None), Ok(None));
    }

    #[test]
    fn invalid_settings_are_named() {
        for (workers, own, machine, expected) in [
            (&["http://w-0:1"][..], None, None, "`self`"),
            (&["http://w-0:1"], None, Some("x"), "called `x`"),
            (&["http://w-0:1", "http://w-0:2"], None, Some("w-0"), "`self`"),
            (&["w-0:1"], Some("x"), None, "`w-0:1` is not a valid address"),
            (&["http://w-0"], Some("x"), None, "not a valid address"),
            (&["http://w-{3..1}:1"], Some("x"), None, "not a valid address"),
            (&["http://w-{0..99999}:1"], Some("x"), None, "not a valid address"),
        ] {
            let error = placement(workers, own, machine).unwrap_err();
            assert!(error.contains(expected), "{workers:?}: {error}");
        }
        let nowhere = PlacementSettings { replicas: 0, ..PlacementSettings::default() };
        let error = Placement::on_machine(&nowhere, None).unwrap_err();
        assert!(error.contains("`replicas` of `[placement]` must be at least 1"), "{error}");
        let leaving = placement(&["http://w-0:1"], Some("http://gone:1"), None).unwrap().unwrap();
        assert!(leaving.warnings()[0].contains("none of `workers`"), "a worker that leaves hands over");
        let too_many =
            Placement { replicas: 3, ..placement(&["http://w-{0..1}:1"], None, Some("w-0")).unwrap().unwrap() };
        assert!(too_many.warnings()[0].contains("`replicas` is 3"));
        assert_eq!(Placement { replicas: 2, ..too_many }.warnings(), [""; 0]);
    }
}
