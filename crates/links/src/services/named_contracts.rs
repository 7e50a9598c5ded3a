//! Contracts by their names: a variable of the environment, a host, a topic, a table, a request or an rpc, with everything that
//! depends on it.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    AddressTemplate, CONFIRMED, EvidenceStep, ServiceLink, ServiceRepository, address, config, grpc, http, link,
    network::{DeployedSetting, Network, NetworkIndex, Route, host_names, relaxed},
    tables, topics, uses_of,
};
use crate::{
    contract::ContractKind,
    join::{ContractSite, SurfaceUse, route_key},
    rpc_name,
    rules::LinkRules,
};

/// Maximum number of users of one contract.
const MAX_USERS: usize = 10_000;

/// Maximum number of names of all repositories.
const MAX_NAMES: usize = 1_000_000;

/// The kinds of contracts with names, the likeliest first, and the prefixes by which people select one.
const KINDS: [(ContractKind, &str); 6] = [
    (ContractKind::Grpc, "rpc"),
    (ContractKind::Http, "route"),
    (ContractKind::Variable, "variable"),
    (ContractKind::Topic, "topic"),
    (ContractKind::Table, "table"),
    (ContractKind::Host, "host"),
];

/// The names of contracts in all repositories.
#[derive(Debug, Default)]
pub struct ContractNames {
    /// By kind and comparable form: the names as written.
    names: BTreeMap<(ContractKind, String), BTreeSet<String>>,
}

/// A contract that is known by a name, and everything that depends on it.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedContract {
    /// The kind of boundary.
    pub kind: ContractKind,
    /// The name, as written in one of the repositories.
    pub name: String,
    /// The places that define it, by repository: settings of a variable, deployments of a host, definitions of a table, routes.
    pub defined_at: Vec<(usize, ContractSite)>,
    /// Everything that depends on it. The offer of a link is the other side, or the place itself if the other side is unknown.
    pub users: Vec<ServiceLink>,
}

impl ContractNames {
    pub(super) fn new(repositories: &[ServiceRepository<'_>], network: &Network<'_>) -> ContractNames {
        let mut names = ContractNames::default();
        for one in repositories {
            for offer in &one.surface.offers {
                match offer.kind {
                    ContractKind::Table => names.add(offer.kind, &offer.key),
                    ContractKind::Host => names.add_host(&offer.key),
                    _ => {}
                }
            }
            for used in &one.surface.uses {
                match used.kind {
                    ContractKind::Variable | ContractKind::Table => names.add(used.kind, &used.key),
                    ContractKind::Http => {
                        names.add(used.kind, used.key.trim_start_matches("{}"));
                        names.add_hosts(&AddressTemplate::parse(&used.member));
                    }
                    ContractKind::Grpc if used.key.contains('/') => {
                        names.add(used.kind, used.key.trim_start_matches(rpc_name::HINT));
                        names.add_hosts(&AddressTemplate::parse(&used.member));
                    }
                    _ => {}
                }
            }
        }
        for setting in network.settings() {
            names.add(ContractKind::Variable, setting.variable);
            hosts_of(&setting).iter().for_each(|host| names.add_host(host));
        }
        topics::names_of_topics(repositories, network).iter().for_each(|topic| names.add(ContractKind::Topic, topic));
        names
    }

    fn add(&mut self, kind: ContractKind, name: &str) {
        if self.names.len() < MAX_NAMES && !name.is_empty() {
            self.names.entry((kind, normal(kind, name))).or_default().insert(name.to_owned());
        }
    }

    fn add_hosts(&mut self, address: &AddressTemplate) {
        address.hosts().for_each(|host| self.add_host(&host));
    }

    fn add_host(&mut self, host: &str) {
        host_names(host).into_iter().for_each(|name| self.add(ContractKind::Host, name));
    }

    /// Returns the contracts that a text names, the likeliest first. A prefix such as `topic:` selects a kind.
    pub fn find(&self, written: &str) -> Vec<(ContractKind, &str)> {
        let (kind, name) = without_prefix(written.trim());
        if name.is_empty() {
            // The route `/` has the same comparable form.
            return Vec::new();
        }
        let kinds = KINDS.iter().map(|(kind, _)| *kind).filter(|one| kind.is_none_or(|kind| kind == *one));
        let found = kinds.flat_map(|kind| {
            let alike = self.names.get(&(kind, normal(kind, name)));
            alike.into_iter().flatten().map(move |name| (kind, name.as_str()))
        });
        // A name with a schema or a broker means no other one.
        let is_meant = |kind: ContractKind, found: &str| match kind {
            ContractKind::Topic if name.contains(':') => found.eq_ignore_ascii_case(name),
            ContractKind::Table if name.contains('.') => found.eq_ignore_ascii_case(name),
            _ => true,
        };
        found.filter(|(kind, found)| is_meant(*kind, found)).collect()
    }

    /// Returns all names, by kind.
    pub fn all(&self) -> impl Iterator<Item = (ContractKind, &str)> {
        self.names.iter().filter_map(|((kind, _), names)| Some((*kind, names.first()?.as_str())))
    }

    /// Returns true if a text begins with the prefix of a kind.
    pub fn has_prefix(written: &str) -> bool {
        without_prefix(written.trim()).0.is_some()
    }

    /// Returns the notation that selects one contract.
    pub fn with_prefix(kind: ContractKind, name: &str) -> String {
        let prefix = KINDS.iter().find(|(of, _)| *of == kind).map_or("", |(_, prefix)| prefix);
        format!("{prefix}:{name}")
    }
}

/// Takes the prefix of a kind off a name.
fn without_prefix(written: &str) -> (Option<ContractKind>, &str) {
    let Some((prefix, name)) = written.split_once(':') else { return (None, written) };
    let prefix = if prefix == "env" { "variable" } else { prefix };
    let kind = KINDS.iter().find(|(_, of_kind)| *of_kind == prefix).map(|(kind, _)| *kind);
    kind.map_or((None, written), |kind| (Some(kind), name.trim()))
}

/// Returns the form of a name in which the notations of people are equal.
fn normal(kind: ContractKind, name: &str) -> String {
    match kind {
        ContractKind::Variable => relaxed(name),
        ContractKind::Topic => name.rsplit(':').next().unwrap_or(name).to_ascii_lowercase(),
        ContractKind::Table => name.rsplit(['.', ':']).next().unwrap_or(name).to_ascii_lowercase(),
        ContractKind::Http => {
            // A path without a method means every method.
            route_key(name).path.to_ascii_lowercase()
        }
        ContractKind::Grpc => rpc_name::normal_end(&name.replace("Service.", "Service/")),
        _ => name.to_ascii_lowercase(),
    }
}

fn hosts_of(setting: &DeployedSetting<'_>) -> Vec<String> {
    let value = &setting.used.member;
    value.split(',').filter(|one| one.contains(':')).filter_map(address::host).collect()
}

/// Returns a contract with everything that depends on it; `None` if nothing does.
pub fn named_contract(
    repositories: &[ServiceRepository<'_>],
    index: &NetworkIndex,
    rules: &LinkRules,
    kind: ContractKind,
    name: &str,
) -> Option<NamedContract> {
    let network = Network::new(repositories, index, rules);
    let mut contract = NamedContract { kind, name: name.to_owned(), defined_at: Vec::new(), users: Vec::new() };
    match kind {
        ContractKind::Variable => {
            let is_meant = |variable: &str| relaxed(variable) == relaxed(name);
            let settings = network.settings().filter(|setting| is_meant(setting.variable)).collect::<Vec<_>>();
            contract.defined_at = settings.iter().map(|one| (one.repository, one.used.site.clone())).collect();
            contract.users = settings.iter().flat_map(|setting| users_of_setting(&network, setting)).collect();
            contract.users.extend(readers(repositories, &network, is_meant));
            let is_addressed = |_: usize, address: &AddressTemplate| address.variables().any(is_meant);
            contract.users.extend(clients(repositories, &network, is_addressed));
        }
        ContractKind::Host => {
            let is_meant = |host: &str| host_names(host).iter().any(|one| one.eq_ignore_ascii_case(name));
            contract.defined_at = offers(repositories, &[ContractKind::Host], is_meant);
            let settings: Vec<DeployedSetting<'_>> =
                network.settings().filter(|one| hosts_of(one).iter().any(|host| is_meant(host))).collect();
            contract.users = settings.iter().flat_map(|setting| users_of_setting(&network, setting)).collect();
            let is_set = |client: usize, variable: &str| {
                let mut settings = network.settings_for(client, variable).into_iter();
                settings.any(|one| hosts_of(&one).iter().any(|host| is_meant(host)))
            };
            let is_addressed = |client: usize, address: &AddressTemplate| {
                address.hosts().any(|host| is_meant(&host))
                    || address.variables().any(|variable| is_set(client, variable))
            };
            contract.users.extend(clients(repositories, &network, is_addressed));
            let variables: BTreeSet<String> = settings.iter().map(|one| relaxed(one.variable)).collect();
            let of_host =
                readers(repositories, &network, |variable| variables.contains(&relaxed(variable))).into_iter();
            let is_told = |one: &ServiceLink| {
                let mut settings =
                    settings.iter().filter(|setting| relaxed(setting.variable) == relaxed(&one.link.key));
                settings.any(|setting| network.is_of(setting, one.user))
            };
            contract.users.extend(of_host.filter(is_told));
        }
        ContractKind::Topic => contract.users = topics::users(repositories, &network, name),
        ContractKind::Table => {
            contract.defined_at = offers(repositories, &[kind], |key| key == name);
            let links = tables::links(repositories, &network).into_iter().chain(tables::own_links(repositories));
            contract.users = links.filter(|one| &*one.link.key == name).collect();
            contract.users.extend(unlinked_users(repositories, kind, &contract.users, |used| &*used.key == name));
        }
        ContractKind::Http => {
            let route = route_key(name);
            let is_meant = |key: &str| {
                let key = route_key(key);
                key.path.eq_ignore_ascii_case(&route.path)
                    && (key.method == route.method || route.method == "*" || key.method == "*")
            };
            let links = http::links(repositories, &network).requests.into_iter();
            let requests: BTreeSet<(usize, &ContractSite)> = uses_of(repositories, kind)
                .filter(|(_, used)| is_meant(&used.key))
                .map(|(user, used)| (user, &used.site))
                .collect();
            contract.users = links.filter(|one| requests.contains(&(one.user, &one.link.user))).collect();
            contract.users.extend(unlinked_users(repositories, kind, &contract.users, |used| is_meant(&used.key)));
        }
        ContractKind::Grpc => {
            let end = rpc_name::normal_end(name);
            let is_meant = |used: &SurfaceUse| rpc_name::normal_end(&used.key) == end;
            let links = grpc::links(repositories, &network).into_iter();
            contract.users = links.filter(|one| rpc_name::normal_end(&one.link.key) == end).collect();
            contract.users.extend(unlinked_users(repositories, kind, &contract.users, is_meant));
        }
        _ => return None,
    }
    for one in &mut contract.users {
        if one.user != one.provider && !super::may_link(repositories, rules, one) {
            // The user of the contract stays; a rule of the configuration forbids the link.
            one.provider = one.user;
            one.link.offer = one.link.user.clone();
            one.link.evidence.clear();
        }
    }
    contract.defined_at.sort();
    contract.defined_at.dedup();
    contract.users.sort_by(|a, b| super::order(a).cmp(&super::order(b)));
    contract.users.dedup_by(|b, a| super::order(a) == super::order(b));
    contract.users.truncate(MAX_USERS);
    (!contract.users.is_empty() || !contract.defined_at.is_empty()).then_some(contract)
}

fn offers(
    repositories: &[ServiceRepository<'_>],
    kinds: &[ContractKind],
    is_meant: impl Fn(&str) -> bool,
) -> Vec<(usize, ContractSite)> {
    let all = repositories.iter().enumerate();
    let all = all.flat_map(|(idx, one)| one.surface.offers.iter().map(move |offer| (idx, offer)));
    let meant = all.filter(|(_, offer)| kinds.contains(&offer.kind) && is_meant(&offer.key));
    meant.map(|(idx, offer)| (idx, offer.site.clone())).collect()
}

/// Returns the links of a setting to the repositories behind its value, or one to itself if it leads to none.
fn users_of_setting(network: &Network<'_>, setting: &DeployedSetting<'_>) -> Vec<ServiceLink> {
    let links = config::setting_links(network, setting);
    if !links.is_empty() {
        return links;
    }
    let evidence = vec![network.setting_evidence(setting)];
    vec![own_place(setting.repository, setting.used, setting.variable, evidence)]
}

/// Returns the code that reads a variable, each with the first setting that gives it a value.
fn readers(
    repositories: &[ServiceRepository<'_>],
    network: &Network<'_>,
    is_meant: impl Fn(&str) -> bool,
) -> Vec<ServiceLink> {
    let reads = uses_of(repositories, ContractKind::Variable).filter(|(_, used)| is_meant(&used.key));
    let reads = reads.map(|(user, used)| {
        let settings = network.settings_for(user, &used.key).into_iter().filter(|one| network.is_of(one, user));
        let settings: Vec<DeployedSetting<'_>> = settings.collect();
        let evidence = settings.iter().map(|setting| network.setting_evidence(setting)).collect();
        match settings.first() {
            Some(setting) => {
                let found = link(used, &used.key, &setting.used.site, CONFIRMED, evidence);
                ServiceLink { user, provider: setting.repository, link: found }
            }
            None => own_place(user, used, &used.key, evidence),
        }
    });
    reads.collect()
}

/// Returns the requests and calls whose address is meant, each with the service that it leads to.
fn clients(
    repositories: &[ServiceRepository<'_>],
    network: &Network<'_>,
    is_meant: impl Fn(usize, &AddressTemplate) -> bool,
) -> Vec<ServiceLink> {
    let kinds = [ContractKind::Grpc, ContractKind::Http];
    let uses = kinds.into_iter().flat_map(|kind| uses_of(repositories, kind));
    let meant = uses.filter(|(user, used)| {
        !used.serves && !used.member.is_empty() && is_meant(*user, &AddressTemplate::parse(&used.member))
    });
    let links = meant.flat_map(|(user, used)| match network.route(user, &used.member) {
        Route::To(destinations) => {
            let of_each = destinations.into_iter().map(|to| ServiceLink {
                user,
                provider: to.repository,
                link: link(used, shown_key(used), &to.site, CONFIRMED, to.evidence),
            });
            of_each.collect()
        }
        Route::Unknown | Route::Elsewhere => vec![own_place(user, used, shown_key(used), Vec::new())],
    });
    links.collect()
}

/// Returns the uses that no link of `known` begins at.
fn unlinked_users(
    repositories: &[ServiceRepository<'_>],
    kind: ContractKind,
    known: &[ServiceLink],
    is_meant: impl Fn(&SurfaceUse) -> bool,
) -> Vec<ServiceLink> {
    let linked: BTreeSet<(usize, &ContractSite)> = known.iter().map(|one| (one.user, &one.link.user)).collect();
    let uses =
        uses_of(repositories, kind).filter(|(user, used)| is_meant(used) && !linked.contains(&(*user, &used.site)));
    uses.map(|(user, used)| own_place(user, used, shown_key(used), Vec::new())).collect()
}

/// Returns the link of a use whose other side is unknown.
fn own_place(repository: usize, used: &SurfaceUse, key: &str, evidence: Vec<EvidenceStep>) -> ServiceLink {
    let found = link(used, key, &used.site, CONFIRMED, evidence);
    ServiceLink { user: repository, provider: repository, link: found }
}

fn shown_key(used: &SurfaceUse) -> &str {
    used.key.trim_start_matches(rpc_name::HINT)
}
