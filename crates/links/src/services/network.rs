//! The network of a system: which repository is behind a host, a variable or a workload, as deployments say.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::{
    EvidenceStep, ServiceRepository, address,
    address::AddressTemplate,
    images::{self, BuiltImages, ImageView},
};
use crate::{
    contract::ContractKind,
    contracts::{SERVER_OF_PROXY, key_of_local},
    join::{ContractSite, SurfaceOffer, SurfaceUse},
    rules::LinkRules,
    shared_text::SharedText,
};

/// Maximum number of settings of one variable that are looked at.
const MAX_SETTINGS: usize = 1_000;

/// Maximum number of deployments of one workload or host that are looked at.
const MAX_PLACES: usize = 50;

/// Maximum number of variables behind each other in a value.
const MAX_EXPANSIONS: u32 = 4;

/// Maximum number of variables that the settings of one variable take their values from.
const MAX_PASSED_ON: usize = 4;

/// Maximum number of variables behind each other that settings of an application and of its workload pass on.
const MAX_VARIABLES: u32 = 2;

/// Maximum number of addresses in one value.
const MAX_ADDRESSES: usize = 20;

/// The hosts, workloads, images and settings of all repositories. It holds places and borrows nothing: one that is built once serves
/// every look-up in the same repositories.
#[derive(Debug, Default)]
pub struct NetworkIndex {
    /// By host: the workloads behind it.
    hosts: FxHashMap<SharedText, Vec<ContractPlace>>,
    /// By repository of the deployment and name of the workload, in order.
    workloads: BTreeMap<usize, FxHashMap<SharedText, Vec<ContractPlace>>>,
    images: BuiltImages,
    /// By variable in its relaxed form: its settings.
    settings: FxHashMap<String, Vec<ContractPlace>>,
    /// By repository and variable in its relaxed form: the code that reads it.
    variables: FxHashMap<(usize, String), ContractPlace>,
}

/// The place of an offer or a use in a list of repositories.
#[derive(Debug, Clone, Copy)]
pub(super) struct ContractPlace {
    pub(super) repository: usize,
    /// The index among the offers or the uses of the repository.
    pub(super) idx: usize,
}

/// The network of some repositories.
#[derive(Clone, Copy)]
pub(super) struct Network<'a> {
    repositories: &'a [ServiceRepository<'a>],
    index: &'a NetworkIndex,
    rules: &'a LinkRules,
}

/// An offer in a repository.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlacedOffer<'a> {
    pub(super) repository: usize,
    pub(super) offer: &'a SurfaceOffer,
}

/// The value of a variable for a workload.
#[derive(Debug, Clone, Copy)]
pub(super) struct DeployedSetting<'a> {
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
    /// The place in the repository that builds the service.
    pub(super) site: ContractSite,
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

impl Destination {
    fn with_first_step(mut self, step: EvidenceStep) -> Destination {
        self.evidence.insert(0, step);
        self
    }
}

impl ContractPlace {
    /// Returns the offer at this place.
    pub(super) fn offer<'a>(self, repositories: &'a [ServiceRepository<'a>]) -> PlacedOffer<'a> {
        PlacedOffer { repository: self.repository, offer: &repositories[self.repository].surface.offers[self.idx] }
    }

    fn used<'a>(self, repositories: &'a [ServiceRepository<'a>]) -> &'a SurfaceUse {
        &repositories[self.repository].surface.uses[self.idx]
    }
}

impl NetworkIndex {
    /// Builds the network of repositories. Look-ups in it take the same repositories in the same order.
    pub fn new(repositories: &[ServiceRepository<'_>]) -> NetworkIndex {
        let mut index = NetworkIndex { images: BuiltImages::new(repositories), ..NetworkIndex::default() };
        for (repository, one) in repositories.iter().enumerate() {
            for (idx, offer) in one.surface.offers.iter().enumerate() {
                let places = match offer.kind {
                    ContractKind::Host => index.hosts.entry(offer.key.clone()).or_default(),
                    ContractKind::Workload => {
                        index.workloads.entry(repository).or_default().entry(offer.key.clone()).or_default()
                    }
                    _ => continue,
                };
                if places.iter().filter(|place| place.repository == repository).count() < MAX_PLACES {
                    places.push(ContractPlace { repository, idx });
                }
            }
            for (idx, used) in one.surface.uses.iter().enumerate() {
                let place = ContractPlace { repository, idx };
                match (used.kind, used.key.rsplit_once('/')) {
                    (ContractKind::Config, Some((_, variable))) => {
                        let of_variable = index.settings.entry(relaxed(variable)).or_default();
                        if of_variable.len() < MAX_SETTINGS {
                            of_variable.push(place);
                        }
                    }
                    (ContractKind::Variable, _) => {
                        index.variables.entry((repository, relaxed(&used.key))).or_insert(place);
                    }
                    _ => {}
                }
            }
        }
        index
    }
}

impl<'a> Network<'a> {
    /// Returns the network of repositories, of which `index` was built.
    pub(super) fn new(
        repositories: &'a [ServiceRepository<'a>],
        index: &'a NetworkIndex,
        rules: &'a LinkRules,
    ) -> Network<'a> {
        Network { repositories, index, rules }
    }

    /// Returns true if a deployment or a rule knows a host.
    pub(super) fn knows_host(&self, host: &str) -> bool {
        self.rules.server_of(host).is_some() || host_names(host).iter().any(|name| self.index.hosts.contains_key(*name))
    }

    /// Returns the repositories whose application listens on a port of the own machine, by the addresses of a client, with the place that
    /// says so.
    pub(super) fn listeners(&self, client: usize, address: &str) -> Vec<PlacedOffer<'a>> {
        let template = AddressTemplate::parse(address);
        let set = template.host_variables().flat_map(|variable| self.settings_for(client, variable));
        let set = set.filter(|setting| self.is_of(setting, client));
        let set = set.filter_map(|setting| address::network_name(&setting.used.member));
        let keys = template.network_names().chain(set).filter_map(|name| key_of_local(&name));
        let places = keys.filter_map(|key| self.index.hosts.get(key.as_str())).flatten();
        places.map(|place| place.offer(self.repositories)).filter(|placed| placed.repository != client).collect()
    }

    /// Returns the alias of a repository.
    pub(super) fn alias(&self, repository: usize) -> &'a str {
        self.repositories[repository].alias
    }

    /// Returns the hosts that an address writes, or that the settings of its variables name, except the own machine.
    pub(super) fn named_hosts(&self, client: usize, address: &str) -> Vec<String> {
        let template = AddressTemplate::parse(address);
        let settings = template.host_variables().flat_map(|variable| self.settings_for(client, variable));
        let set = settings.filter(|setting| self.is_of(setting, client)).flat_map(|setting| {
            let value = self.expanded(&setting, &setting.used.member, 0);
            value.split(',').take(MAX_ADDRESSES).filter_map(address::network_name).collect::<Vec<_>>()
        });
        template.network_names().chain(set).filter(|name| !name.starts_with("localhost")).collect()
    }

    /// Returns every setting, by variable.
    pub(super) fn settings(&self) -> impl Iterator<Item = DeployedSetting<'a>> + use<'a> {
        let network = *self;
        self.index.settings.values().flatten().map(move |place| network.setting(*place))
    }

    fn setting(&self, place: ContractPlace) -> DeployedSetting<'a> {
        let used = place.used(self.repositories);
        let (workload, variable) = used.key.rsplit_once('/').unwrap_or(("", &used.key));
        DeployedSetting { repository: place.repository, workload, variable, used }
    }

    /// Returns the repositories that an address of a client leads to.
    pub(super) fn route(&self, client: usize, address: &str) -> Route {
        let template = AddressTemplate::parse(address);
        let mut found: Vec<Destination> = Vec::new();
        let mut is_elsewhere = false;
        for variable in template.host_variables() {
            found.extend(self.of_variable(client, variable, 0));
        }
        if found.is_empty() {
            for name in template.network_names() {
                let of_host = self.of_host(client, &name);
                is_elsewhere |= of_host.is_empty() && is_public_name(&name);
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

    /// Returns the repositories that the settings of a variable name for a client. A setting of an application may take its value from a
    /// variable of the workload: `cart.url: ${CART_URL}`. Settings of others count only if those of the client lead to no repository.
    fn of_variable(&self, client: usize, variable: &str, depth: u32) -> Vec<Destination> {
        let mut found: Vec<Destination> = Vec::new();
        let mut passed_on: Vec<&str> = Vec::new();
        let settings = self.settings_for(client, variable).into_iter();
        let (own, others): (Vec<_>, Vec<_>) = settings.partition(|setting| self.is_of(setting, client));
        for settings in [own, others] {
            for setting in settings {
                let inner = only_variable(&setting.used.member).filter(|inner| *inner != variable);
                let destinations = match inner {
                    None => self.of_setting(&setting),
                    Some(inner) => {
                        let is_new = !passed_on.contains(&inner) && passed_on.len() < MAX_PASSED_ON;
                        passed_on.extend(is_new.then_some(inner));
                        let may_follow = is_new && depth < MAX_VARIABLES;
                        if may_follow { self.of_variable(client, inner, depth + 1) } else { Vec::new() }
                    }
                };
                found.extend(destinations.into_iter().map(|to| to.with_first_step(self.setting_evidence(&setting))));
            }
            if !found.is_empty() {
                return found;
            }
        }
        found
    }

    /// Returns the repositories that the settings of a client's own workloads name, except the client itself.
    pub(super) fn destinations_of_client(&self, client: usize) -> Vec<Destination> {
        let own = self.settings().filter(|setting| self.is_of(setting, client));
        let mut found: Vec<Destination> = Vec::new();
        for setting in own {
            found.extend(self.of_setting(&setting).into_iter().map(|mut to| {
                to.evidence.insert(0, self.setting_evidence(&setting));
                to
            }));
        }
        found.retain(|to| to.repository != client);
        found.sort_by(|a, b| (a.repository, &a.evidence).cmp(&(b.repository, &b.evidence)));
        found
    }

    /// Returns the settings of a variable for the workloads of a repository; those of all workloads if none is known to be its, or if its own
    /// ones only pass on other variables.
    pub(super) fn settings_for(&self, client: usize, variable: &str) -> Vec<DeployedSetting<'a>> {
        let places = self.index.settings.get(&relaxed(variable)).into_iter().flatten();
        let all: Vec<DeployedSetting<'a>> = places.map(|place| self.setting(*place)).collect();
        let own: Vec<DeployedSetting<'a>> = all.iter().copied().filter(|one| self.is_of(one, client)).collect();
        // A server of configurations may have the address for which the application itself has a variable only.
        let has_value = own.iter().any(|one| only_variable(&one.used.member).is_none());
        if has_value || all.len() == own.len() { own } else { all }
    }

    /// Returns true for a setting of a workload that a repository builds, or of the repository itself.
    pub(super) fn is_of(&self, setting: &DeployedSetting<'_>, client: usize) -> bool {
        setting.workload.is_empty() && setting.repository == client
            || self.of_workload(setting.repository, setting.workload).iter().any(|to| to.repository == client)
    }

    /// Returns the repositories behind the value of a setting.
    pub(super) fn of_setting(&self, setting: &DeployedSetting<'_>) -> Vec<Destination> {
        self.of_value(setting.repository, &self.expanded(setting, &setting.used.member, 0))
    }

    /// Returns a value with the variables in it that settings of the same workload, or of the same repository, give:
    /// `http://cart:{env:PORT}` of `http://{env:CART_ADDR}`. Of several values of a variable none is taken.
    fn expanded(&self, setting: &DeployedSetting<'_>, value: &str, depth: u32) -> String {
        let template = AddressTemplate::parse(value);
        let Some(name) = template.host_variables().next().filter(|_| depth < MAX_EXPANSIONS) else {
            return value.to_owned();
        };
        let same_repository = self.index.settings.get(&relaxed(name)).into_iter().flatten();
        let same_repository: Vec<DeployedSetting<'_>> = same_repository
            .filter(|place| place.repository == setting.repository)
            .map(|place| self.setting(*place))
            .filter(|one| one.workload.is_empty() || one.workload == setting.workload)
            .collect();
        let of_workload = same_repository.iter().filter(|one| !one.workload.is_empty());
        let mut values: Vec<&str> = of_workload.map(|one| &*one.used.member).collect();
        if values.is_empty() {
            values.extend(same_repository.iter().map(|one| &*one.used.member));
        }
        values.sort_unstable();
        values.dedup();
        let [inner] = values[..] else { return value.to_owned() };
        let inner = self.expanded(setting, inner, depth + 1);
        value.replacen(&format!("{{env:{name}}}"), &inner, 1)
    }

    /// Returns the repositories behind a value that a repository states: an address, a host, or several.
    pub(super) fn of_value(&self, stated_by: usize, value: &str) -> Vec<Destination> {
        let addresses = value.split(',').take(MAX_ADDRESSES);
        let found = addresses.flat_map(|one| {
            let base_path = address::base_path(one);
            let found = address::network_name(one).map_or_else(Vec::new, |name| self.of_host(stated_by, &name));
            found.into_iter().map(|to| Destination { base_path: base_path.to_owned(), ..to })
        });
        found.collect()
    }

    /// Returns the repositories behind a host. The deployment that states it is asked first: other systems have the same hosts.
    fn of_host(&self, stated_by: usize, host: &str) -> Vec<Destination> {
        let names = host_names(host);
        if let Some(found) = self.by_rule(host) {
            return vec![found];
        }
        for name in &names {
            let Some(places) = self.index.hosts.get(*name) else { continue };
            let mut places: Vec<PlacedOffer<'_>> = places.iter().map(|place| place.offer(self.repositories)).collect();
            // Many deployments publish the same port of the own machine.
            let is_one = places.iter().all(|placed| placed.repository == places[0].repository);
            if name.starts_with("localhost:") && !is_one {
                places.retain(|placed| self.deploys(placed.repository, stated_by));
            }
            let (registered, deployed): (Vec<PlacedOffer<'_>>, Vec<PlacedOffer<'_>>) =
                places.into_iter().partition(|placed| matches!(&*placed.offer.member, "" | SERVER_OF_PROXY));
            let deployed = self.nearest(stated_by, deployed);
            let found = deployed.into_iter().take(MAX_PLACES).flat_map(|placed| {
                let step = self.step(placed.repository, &placed.offer.site, format!("host {name}"));
                let workloads = self.of_workload(placed.repository, &placed.offer.member);
                workloads.into_iter().map(move |to| to.with_first_step(step.clone()))
            });
            let found: Vec<Destination> = found.collect();
            if found.is_empty() {
                let found = self
                    .nearest(stated_by, registered)
                    .into_iter()
                    .take(MAX_PLACES)
                    .map(|placed| self.registered(&placed));
                return distinct(found.collect());
            }
            // A known host without a repository is a foreign service, such as a database.
            return distinct(found);
        }
        // Without a deployment, a host has the name of the repository that is deployed under it.
        let built = names.first().map_or_else(Vec::new, |name| self.images().builders_of_image(stated_by, name, name));
        distinct(built.iter().map(|placed| self.builder(placed)).collect())
    }

    /// Returns the repository that a rule of the user names for a host.
    fn by_rule(&self, host: &str) -> Option<Destination> {
        let alias = self.rules.server_of(host)?;
        let repository = self.repositories.iter().position(|one| one.alias == alias)?;
        let offers = &self.repositories[repository].surface.offers;
        let offer = offers.iter().find(|offer| offer.kind == ContractKind::Image).or(offers.first())?;
        let content = format!("`[links] served_by`: {host} is {alias}");
        Some(Destination {
            repository,
            base_path: String::new(),
            evidence: vec![self.step(repository, &offer.site, content)],
            site: offer.site.clone(),
        })
    }

    /// Returns the repositories that build the images of a workload.
    pub(super) fn of_workload(&self, deployment: usize, workload: &str) -> Vec<Destination> {
        let places = self.index.workloads.get(&deployment).and_then(|of| of.get(workload)).into_iter().flatten();
        let found = places.flat_map(|place| {
            let placed = place.offer(self.repositories);
            let image = &*placed.offer.member;
            let step = self.step(deployment, &placed.offer.site, format!("workload {workload} runs {image}"));
            let built = self.images().of_workload(deployment, workload, image);
            let proxy = self.proxy(&placed).filter(|_| built.is_empty());
            built.into_iter().map(move |built| self.builder(&built).with_first_step(step.clone())).chain(proxy)
        });
        distinct(found.collect())
    }

    /// Returns true for a repository itself, and for one that deploys a workload of it.
    fn deploys(&self, deployment: usize, repository: usize) -> bool {
        let mut workloads = self.index.workloads.get(&deployment).into_iter().flat_map(|of| of.keys());
        deployment == repository
            || workloads.any(|one| self.of_workload(deployment, one).iter().any(|to| to.repository == repository))
    }

    /// Returns the deployment itself for a workload that runs a common proxy, since its configuration has the routes.
    fn proxy(&self, workload: &PlacedOffer<'_>) -> Option<Destination> {
        const PROXIES: [&str; 8] = ["nginx", "openresty", "traefik", "envoy", "haproxy", "caddy", "kong", "httpd"];
        let image = workload.offer.member.rsplit('/').next().unwrap_or_default();
        let name = image.split([':', '@']).next().unwrap_or(image);
        let is_proxy = name.split(['-', '_']).any(|word| PROXIES.contains(&word));
        is_proxy.then(|| {
            let site = &workload.offer.site;
            let content = format!("workload {} runs {}", workload.offer.key, workload.offer.member);
            Destination {
                repository: workload.repository,
                base_path: String::new(),
                evidence: vec![self.step(workload.repository, site, content)],
                site: site.clone(),
            }
        })
    }

    /// Returns every workload with the repositories that build one of its images.
    pub(super) fn workload_builders(&self) -> impl Iterator<Item = (usize, &'a SurfaceOffer, Vec<Destination>)> {
        self.index.workloads.iter().flat_map(move |(deployment, workloads)| {
            workloads.iter().flat_map(move |(workload, places)| {
                places.iter().map(move |place| {
                    let placed = place.offer(self.repositories);
                    let built = self.images().of_workload(*deployment, workload, &placed.offer.member);
                    let found = built.iter().map(|built| self.builder(built)).collect();
                    (*deployment, placed.offer, distinct(found))
                })
            })
        })
    }

    fn images(&self) -> ImageView<'a> {
        self.index.images.of(self.repositories)
    }

    /// Returns the places in a repository itself, else those of its owner, else those without an owner.
    fn nearest(&self, repository: usize, places: Vec<PlacedOffer<'a>>) -> Vec<PlacedOffer<'a>> {
        let owner_of = |repository: usize| images::owner(self.repositories[repository].alias);
        let own: Vec<PlacedOffer<'a>> =
            places.iter().copied().filter(|placed| placed.repository == repository).collect();
        if !own.is_empty() {
            return own;
        }
        let owner = owner_of(repository);
        let of_owner = places.iter().copied().filter(|placed| owner_of(placed.repository) == owner).collect::<Vec<_>>();
        if !of_owner.is_empty() {
            return of_owner;
        }
        let may_be_meant = |placed: &PlacedOffer<'_>| owner.is_empty() || owner_of(placed.repository).is_empty();
        places.into_iter().filter(may_be_meant).collect()
    }

    /// Returns the repository whose application registers itself under the name of a host, or whose proxy answers for it.
    fn registered(&self, placed: &PlacedOffer<'_>) -> Destination {
        let site = &placed.offer.site;
        let is_proxy = &*placed.offer.member == SERVER_OF_PROXY;
        let content = format!("{} {}", if is_proxy { "proxy answers for" } else { "registers as" }, placed.offer.key);
        Destination {
            repository: placed.repository,
            base_path: String::new(),
            evidence: vec![self.step(placed.repository, site, content)],
            site: site.clone(),
        }
    }

    fn builder(&self, built: &PlacedOffer<'_>) -> Destination {
        let alias = self.repositories[built.repository].alias;
        let content = match built.offer.kind {
            ContractKind::Image => format!("builds the image {}", images::names(alias, built.offer, true).join(", ")),
            _ => format!("{alias} has the name of the image"),
        };
        Destination {
            repository: built.repository,
            base_path: String::new(),
            evidence: vec![self.step(built.repository, &built.offer.site, content)],
            site: built.offer.site.clone(),
        }
    }

    /// Returns the step at which a repository reads a variable.
    pub(super) fn reader(&self, repository: usize, variable: &str) -> Option<EvidenceStep> {
        let used = self.index.variables.get(&(repository, relaxed(variable)))?.used(self.repositories);
        Some(self.step(repository, &used.site, format!("reads {}", used.key)))
    }

    pub(super) fn setting_evidence(&self, setting: &DeployedSetting<'_>) -> EvidenceStep {
        let content = format!("{} = {}", setting.variable, setting.used.member);
        self.step(setting.repository, &setting.used.site, content)
    }

    fn step(&self, repository: usize, site: &ContractSite, content: String) -> EvidenceStep {
        EvidenceStep { repository, path: site.path.clone(), line: site.line, content }
    }
}

/// Returns the names of a host in the network of a cluster: `cart.shop.svc.cluster.local` is `cart` in the namespace `shop`.
pub(super) fn host_names(host: &str) -> Vec<&str> {
    let first = host.split('.').next().unwrap_or(host);
    // `cart.service.consul`, `cart.service.dc1.consul`.
    let is_of_consul = host.contains(".service.") && host.ends_with(".consul");
    let is_in_cluster =
        host.contains(".svc") || is_of_consul || host.matches('.').count() == 1 && !is_public_name(host);
    if is_in_cluster && first != host { vec![first, host] } else { vec![host] }
}

/// Returns the variable that is the whole of a value: `CART_URL` of `{env:CART_URL}`.
fn only_variable(value: &str) -> Option<&str> {
    value.strip_prefix("{env:")?.strip_suffix('}').filter(|name| !name.contains(['{', '}']))
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

/// Returns each repository once, with its first evidence.
fn distinct(mut found: Vec<Destination>) -> Vec<Destination> {
    found.sort_by(|a, b| (a.repository, &a.evidence).cmp(&(b.repository, &b.evidence)));
    found.dedup_by(|b, a| a.repository == b.repository);
    found
}

/// Returns the form of a variable's name in which the notations of frameworks are equal: `cart.apiUrl`, `Cart:ApiUrl`, `Cart__ApiUrl`,
/// `cart.api-url` and `CART_API_URL`.
pub(super) fn relaxed(variable: &str) -> String {
    variable.chars().filter(|c| !matches!(c, '.' | ':' | '-' | '_')).map(|c| c.to_ascii_uppercase()).collect()
}
