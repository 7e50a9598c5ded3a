//! The network of a system: which repository is behind a host, a variable or a workload, as deployments say.

use rustc_hash::FxHashMap;

use super::{EvidenceStep, ServiceRepository, address, address::AddressTemplate, uses_of};
use crate::{
    contract::ContractKind,
    join::{ContractSite, SurfaceOffer, SurfaceUse},
};

/// Maximum number of settings of one variable that are looked at.
const MAX_SETTINGS: usize = 1_000;

/// The hosts, workloads, images and settings of all repositories.
pub(super) struct Network<'a> {
    repositories: &'a [ServiceRepository<'a>],
    /// By host: the workloads behind it.
    hosts: FxHashMap<&'a str, Vec<Placed<'a>>>,
    /// By repository of the deployment and name of the workload.
    workloads: FxHashMap<(usize, &'a str), Vec<Placed<'a>>>,
    /// By name of an image: the repositories that build it.
    images: FxHashMap<String, Vec<Placed<'a>>>,
    /// By variable: its settings.
    settings: FxHashMap<&'a str, Vec<Setting<'a>>>,
}

/// An offer in a repository.
#[derive(Debug, Clone, Copy)]
struct Placed<'a> {
    repository: usize,
    offer: &'a SurfaceOffer,
}

/// The value of a variable for a workload.
#[derive(Debug, Clone, Copy)]
pub(super) struct Setting<'a> {
    /// The repository of the deployment.
    pub(super) repository: usize,
    /// The workload that reads the variable.
    pub(super) workload: &'a str,
    /// The name of the variable.
    pub(super) variable: &'a str,
    /// The setting.
    pub(super) used: &'a SurfaceUse,
}

/// A repository that an address leads to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Destination {
    pub(super) repository: usize,
    /// The path before that of the request: `/api` of `http://cart/api`.
    pub(super) base_path: String,
    pub(super) evidence: Vec<EvidenceStep>,
}

/// The destinations of an address.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Route {
    /// Nothing says which service is called.
    Unknown,
    /// A host that belongs to no repository.
    Elsewhere,
    /// These repositories, each once.
    To(Vec<Destination>),
}

impl<'a> Network<'a> {
    pub(super) fn new(repositories: &'a [ServiceRepository<'a>]) -> Network<'a> {
        let mut network = Network {
            repositories,
            hosts: FxHashMap::default(),
            workloads: FxHashMap::default(),
            images: FxHashMap::default(),
            settings: FxHashMap::default(),
        };
        for (repository, one) in repositories.iter().enumerate() {
            for offer in &one.surface.offers {
                let placed = Placed { repository, offer };
                match offer.kind {
                    ContractKind::Host => network.hosts.entry(&offer.key).or_default().push(placed),
                    ContractKind::Workload => {
                        network.workloads.entry((repository, &offer.key)).or_default().push(placed);
                    }
                    ContractKind::Image => {
                        let names = image_names(one.alias, offer);
                        names.into_iter().for_each(|name| network.images.entry(name).or_default().push(placed));
                    }
                    _ => {}
                }
            }
        }
        for (repository, used) in uses_of(repositories, ContractKind::Config) {
            if let Some((workload, variable)) = used.key.rsplit_once('/') {
                let of_variable = network.settings.entry(variable).or_default();
                if of_variable.len() < MAX_SETTINGS {
                    of_variable.push(Setting { repository, workload, variable, used });
                }
            }
        }
        network
    }

    /// Returns every setting, by variable.
    pub(super) fn settings(&self) -> impl Iterator<Item = &Setting<'a>> {
        self.settings.values().flatten()
    }

    /// Returns the repositories that an address of a client leads to.
    pub(super) fn route(&self, client: usize, address: &str) -> Route {
        let template = AddressTemplate::parse(address);
        let mut found: Vec<Destination> = Vec::new();
        let mut is_elsewhere = false;
        for variable in template.variables() {
            for setting in self.settings_for(client, variable) {
                found.extend(self.of_value(&setting.used.member).into_iter().map(|mut to| {
                    to.evidence.insert(0, self.setting_evidence(setting));
                    to
                }));
            }
        }
        if found.is_empty() {
            for text in template.hosts() {
                let of_host = self.of_value(&text);
                is_elsewhere |= of_host.is_empty() && is_public_name(&text);
                found.extend(of_host);
            }
        }
        found.sort_by(|a, b| (a.repository, &a.base_path, &a.evidence).cmp(&(b.repository, &b.base_path, &b.evidence)));
        found.dedup_by(|b, a| (a.repository, &a.base_path) == (b.repository, &b.base_path));
        match (found.is_empty(), is_elsewhere) {
            (false, _) => Route::To(found),
            (true, true) => Route::Elsewhere,
            (true, false) => Route::Unknown,
        }
    }

    /// Returns the repositories that the settings of a client's own workloads name, except the client itself.
    pub(super) fn destinations_of_client(&self, client: usize) -> Vec<Destination> {
        let own = self.settings.values().flatten().filter(|setting| self.is_of(setting, client));
        let mut found: Vec<Destination> = Vec::new();
        for setting in own {
            found.extend(self.of_value(&setting.used.member).into_iter().map(|mut to| {
                to.evidence.insert(0, self.setting_evidence(setting));
                to
            }));
        }
        found.retain(|to| to.repository != client);
        found.sort_by(|a, b| (a.repository, &a.evidence).cmp(&(b.repository, &b.evidence)));
        found
    }

    /// Returns the settings of a variable for the workloads of a repository; those of all workloads if none is known to be its.
    fn settings_for(&self, client: usize, variable: &str) -> Vec<&Setting<'a>> {
        let all: Vec<&Setting<'_>> = self.settings.get(variable).into_iter().flatten().collect();
        let own: Vec<&Setting<'_>> = all.iter().copied().filter(|setting| self.is_of(setting, client)).collect();
        if own.is_empty() { all } else { own }
    }

    fn is_of(&self, setting: &Setting<'_>, client: usize) -> bool {
        setting.workload.is_empty() && setting.repository == client
            || self.of_workload(setting.repository, setting.workload).iter().any(|to| to.repository == client)
    }

    /// Returns the repositories behind a value: an address or a host.
    pub(super) fn of_value(&self, value: &str) -> Vec<Destination> {
        let Some(host) = address::host(value) else { return Vec::new() };
        let base_path = address::base_path(value);
        let mut found = self.of_host(&host);
        found.iter_mut().for_each(|to| base_path.clone_into(&mut to.base_path));
        found
    }

    fn of_host(&self, host: &str) -> Vec<Destination> {
        let names = host_names(host);
        for name in &names {
            let mut found = Vec::new();
            for placed in self.hosts.get(name).into_iter().flatten() {
                let step = self.step(placed.repository, &placed.offer.site, format!("host {name}"));
                found.extend(self.of_workload(placed.repository, &placed.offer.member).into_iter().map(|mut to| {
                    to.evidence.insert(0, step.clone());
                    to
                }));
            }
            if !found.is_empty() {
                return found;
            }
        }
        // Without a deployment, a host has the name of the repository that is deployed under it.
        let built = names.first().and_then(|name| self.images.get(*name));
        built.into_iter().flatten().map(|placed| self.builder(placed)).collect()
    }

    /// Returns the repositories that build the images of a workload.
    pub(super) fn of_workload(&self, deployment: usize, workload: &str) -> Vec<Destination> {
        let mut found = Vec::new();
        for placed in self.workloads.get(&(deployment, workload)).into_iter().flatten() {
            let image = placed.offer.member.as_str();
            let step = self.step(deployment, &placed.offer.site, format!("workload {workload} runs {image}"));
            let name = image_name(image);
            found.extend(self.images.get(&name).into_iter().flatten().map(|built| {
                let mut to = self.builder(built);
                to.evidence.insert(0, step.clone());
                to
            }));
        }
        found
    }

    fn builder(&self, built: &Placed<'_>) -> Destination {
        let content = format!(
            "builds the image {}",
            image_names(self.repositories[built.repository].alias, built.offer).join(", ")
        );
        Destination {
            repository: built.repository,
            base_path: String::new(),
            evidence: vec![self.step(built.repository, &built.offer.site, content)],
        }
    }

    pub(super) fn setting_evidence(&self, setting: &Setting<'_>) -> EvidenceStep {
        let content = format!("{} = {}", setting.variable, setting.used.member);
        self.step(setting.repository, &setting.used.site, content)
    }

    fn step(&self, repository: usize, site: &ContractSite, content: String) -> EvidenceStep {
        EvidenceStep { repository, path: site.path.clone(), line: site.line, content }
    }
}

/// Returns the names under which a repository's image is known: as written, else those of its folder or of the repository.
fn image_names(alias: &str, offer: &SurfaceOffer) -> Vec<String> {
    if !offer.key.is_empty() {
        return vec![image_name(&offer.key)];
    }
    let folder = offer.member.trim_matches('/').rsplit('/').next().unwrap_or_default();
    let name = if folder.is_empty() { alias } else { folder };
    vec![name.rsplit('/').next().unwrap_or(name).to_ascii_lowercase()]
}

/// Returns the name of an image without registry and tag: `cart` of `gcr.io/acme/cart:1.2@sha256:…`; of a folder to build
/// (`build:./src/cart`) its last part.
fn image_name(image: &str) -> String {
    let image = image.strip_prefix("build:").unwrap_or(image);
    let image = image.split('@').next().unwrap_or(image).trim_end_matches('/');
    let last = image.rsplit('/').next().unwrap_or(image);
    last.split(':').next().unwrap_or(last).to_ascii_lowercase()
}

/// Returns the names of a host in the network of a cluster: `cart.shop.svc.cluster.local` is `cart` in the namespace `shop`.
fn host_names(host: &str) -> Vec<&str> {
    let first = host.split('.').next().unwrap_or(host);
    let is_in_cluster = host.contains(".svc") || host.matches('.').count() == 1 && !is_public_name(host);
    if is_in_cluster && first != host { vec![first, host] } else { vec![host] }
}

/// Returns true for a name of the public network, such as `api.github.com`.
fn is_public_name(host: &str) -> bool {
    const TOP_LEVEL: [&str; 12] =
        ["com", "org", "net", "io", "dev", "app", "ai", "co", "gov", "edu", "cloud", "example"];
    let is_address = host.chars().all(|c| c.is_ascii_digit() || c == '.');
    !is_address
        && host.contains('.')
        && host.rsplit('.').next().is_some_and(|last| TOP_LEVEL.contains(&last) || last.len() == 2)
}
