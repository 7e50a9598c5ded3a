//! Requests whose address leads to no repository.
//!
//! Five things tell the service all the same, the strongest first. The host or the variable has the name of a repository that has such a
//! route; the address is of the own machine, and the application of the repository listens on its port; a deployment runs the client beside
//! services of which only one has it; the client sends several requests to the same address, and they are the API of one repository; a proxy
//! takes the path, and the service behind it has the route. The more is known of the host, the fewer of them count ([`HostKnowledge`]).

mod client_names;
mod used_apis;

use super::{
    SentRequest,
    context_paths::ContextPaths,
    placed_routes::{PlacedRoute, Routes, is_common, is_telling},
    proxies::RouteAnswer,
    route_match::{RouteScore, n_constant},
};
use crate::services::{
    CANDIDATE, EvidenceStep,
    address::{self, AddressPart, AddressTemplate},
    network::{DeployedSetting, Network, Route},
    service_name::{ServiceNames, WrittenName},
    systems::Systems,
};
use used_apis::UsedApis;

/// Confidence of a link that other requests, a deployment or a name tell, and no address. Of 150 such links in public systems that were
/// read, 149 were right (ADR 115); a written address is the stronger evidence all the same.
pub(super) const DEDUCED: f32 = 0.7;

/// Minimum number of different requests that tell one of the services that are deployed with the client.
const MIN_OF_NEIGHBOUR: usize = 2;

/// The path of a request that writes nothing but its address. Only a name tells its service, if the address is known to have no path.
const ROOT: &str = "/";

/// The kinds of evidence that tell the service of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EvidenceKind {
    /// The host or the variable has the name of a repository.
    Name,
    /// The file of the client has the name of a repository.
    ClientFile,
    /// The application of the service listens on the port, which is one of the own machine.
    Port,
    /// A deployment runs the client beside the service.
    Neighbour,
    /// Other requests to the same address.
    Api,
    /// A proxy takes the path.
    Proxy,
}

/// The part of the network that knows the host of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HostKnowledge {
    /// No host is written or set.
    NoHost,
    /// No deployment names the host, which may be of another system.
    Foreign,
    /// A deployment names the host, and no repository is known to build it.
    Deployed,
    /// The host leads to repositories of which a proxy for all paths takes the request.
    Proxied,
    /// The host leads to repositories that have no such route.
    Unanswered,
}

impl HostKnowledge {
    /// Returns what is known of the host of a request that leads to no repository.
    pub(super) fn of_unknown(network: &Network<'_>, sent: &SentRequest<'_>) -> HostKnowledge {
        let hosts = network.named_hosts(sent.user, &sent.used.member);
        match hosts.iter().any(|host| network.knows_host(host)) {
            _ if hosts.is_empty() => HostKnowledge::NoHost,
            true => HostKnowledge::Deployed,
            false => HostKnowledge::Foreign,
        }
    }

    /// Returns the evidence that counts, the strongest first. A deployed host is another service, even if no repository builds it.
    fn evidence(self) -> &'static [EvidenceKind] {
        use EvidenceKind::*;
        match self {
            HostKnowledge::NoHost => &[Name, ClientFile, Port, Neighbour, Api, Proxy],
            HostKnowledge::Foreign => &[Name, Port, Api],
            HostKnowledge::Deployed | HostKnowledge::Proxied | HostKnowledge::Unanswered => &[Name],
        }
    }
}

/// A route that answers a request, and how well.
type ScoredRoute<'s, 'o> = (RouteScore, &'s PlacedRoute<'o>);

/// The requests whose address leads to no repository, by client and address.
pub(super) struct UnaddressedRequests<'a, 'r> {
    systems: Systems<'r>,
    names: ServiceNames,
    contexts: ContextPaths<'r>,
    apis: UsedApis<'a>,
}

impl<'a, 'r> UnaddressedRequests<'a, 'r> {
    pub(super) fn new(
        routes: &Routes<'_>,
        systems: Systems<'r>,
        names: ServiceNames,
        contexts: ContextPaths<'r>,
        sent: &'a [SentRequest<'a>],
    ) -> UnaddressedRequests<'a, 'r> {
        UnaddressedRequests { systems, names, contexts, apis: UsedApis::new(routes, sent) }
    }

    /// Returns the route that answers a request whose address leads to none; `None` if nothing tells it.
    pub(super) fn answer<'s, 'o>(
        &self,
        routes: &'s Routes<'o>,
        network: &Network<'_>,
        sent: &SentRequest<'_>,
        host: HostKnowledge,
    ) -> Option<RouteAnswer<'s, 'o>> {
        if sent.key.path == ROOT {
            if !is_without_path(network, sent) {
                return None;
            }
            let ((score, route), evidence) =
                self.route_by_service_name(network, sent, &routes.at_root(&sent.key), host)?;
            return Some(RouteAnswer { score, route, proxy: None, evidence });
        }
        // Variables alone tell no service, but the port of one does.
        let is_telling = is_telling(&sent.key.method, &sent.key.path);
        if !is_telling && is_common(&sent.key.path) {
            return None;
        }
        let declared: Vec<ScoredRoute<'s, 'o>> = routes.alike(&sent.key);
        let alike: Vec<ScoredRoute<'s, 'o>> =
            declared.iter().copied().filter(|(_, route)| route.is_handled()).collect();
        // The repository itself precedes all others, unless the address leads to them.
        let may_be_own = sent.leads_home() || sent.route == Route::Unknown;
        if may_be_own && alike.iter().any(|(_, route)| route.repository == sent.user) {
            // A gateway has the routes of the services behind it, and a client of each. A page asks its own server by a path, or on the own
            // machine.
            if !is_telling {
                return None;
            }
            let is_computed = host == HostKnowledge::NoHost && has_computed_host(&sent.used.member);
            let named = match is_computed {
                true => self.named_by_file(network, sent, &declared),
                false if host == HostKnowledge::NoHost => self.route_by_service_name(network, sent, &declared, host),
                false => None,
            };
            return named.map(|((score, route), evidence)| RouteAnswer { score, route, proxy: None, evidence });
        }
        let mut evidence = host.evidence().iter().filter(|kind| is_telling || **kind == EvidenceKind::Port);
        evidence.find_map(|kind| {
            let ((score, route), evidence) = match kind {
                EvidenceKind::Name => self.route_by_service_name(network, sent, &declared, host)?,
                EvidenceKind::ClientFile => self.named_by_file(network, sent, &declared)?,
                EvidenceKind::Port => self.listening(network, sent, &alike)?,
                EvidenceKind::Neighbour => self.deployed_with(sent, &alike)?,
                EvidenceKind::Api => self.apis.answer(sent, &alike)?,
                EvidenceKind::Proxy => return routes.answer_through_proxy(network, &self.systems, sent),
            };
            Some(RouteAnswer { score, route, proxy: None, evidence })
        })
    }

    /// Returns the settings that say that a repository runs under a path, and nothing more if the path has its name; `None` if nothing says so.
    pub(super) fn context_evidence(
        &self,
        network: &Network<'_>,
        path: &str,
        repository: usize,
    ) -> Option<Vec<EvidenceStep>> {
        if self.names.is_name_of(&WrittenName::of(path), repository) {
            return Some(Vec::new());
        }
        let mut settings = self.contexts.settings(path);
        let setting = settings.find(|setting| self.systems.may_be_one(setting.repository, repository))?;
        Some(vec![network.setting_evidence(setting)])
    }

    /// Returns true if a repository may be the service behind a host that others know. Names of services are the same in many systems.
    fn may_be_behind(&self, sent: &SentRequest<'_>, host: HostKnowledge, repository: usize) -> bool {
        match host {
            // The name may be that of a variable of the code, whose value is of another system.
            HostKnowledge::NoHost => self.systems.is_likely_one(sent.user, repository),
            HostKnowledge::Foreign => true,
            HostKnowledge::Deployed => self.systems.may_be_one(sent.user, repository),
            HostKnowledge::Proxied => {
                let mut destinations = sent.destinations().iter();
                self.systems.may_be_one(sent.user, repository)
                    && destinations.all(|to| self.systems.may_be_one(to.repository, repository))
            }
            // The deployment contradicts the name.
            HostKnowledge::Unanswered => {
                sent.destinations().iter().any(|to| self.systems.is_likely_one(to.repository, repository))
            }
        }
    }

    /// Returns the route of the only repository that has the name of the host or the variable of an address; `None` if the address leads
    /// to a repository of this name.
    fn route_by_service_name<'s, 'o>(
        &self,
        network: &Network<'_>,
        sent: &SentRequest<'_>,
        alike: &[ScoredRoute<'s, 'o>],
        host: HostKnowledge,
    ) -> Option<(ScoredRoute<'s, 'o>, Vec<EvidenceStep>)> {
        let template = AddressTemplate::parse(&sent.used.member);
        let hosts = template.network_names().filter(|name| !name.starts_with("localhost"));
        let hosts = hosts.map(|host| (WrittenName::of(&host), host));
        let variables =
            template.host_variables().map(|variable| (WrittenName::of_variable(variable), variable.to_owned()));
        let written: Vec<(WrittenName, String)> = hosts.chain(variables).collect();
        let name_of = |repository: usize| {
            let named = written.iter().find(|(words, _)| self.names.is_name_of(words, repository));
            named.map(|(_, name)| name)
        };
        if sent.destinations().iter().any(|to| name_of(to.repository).is_some()) {
            return None;
        }
        // A repository may implement the operations of its document by an interface that a generator makes.
        let is_other = |one: &&ScoredRoute<'_, '_>| one.1.repository != sent.user && one.1.offer.member.is_empty();
        let mut named = alike
            .iter()
            .filter(is_other)
            .filter(|one| is_whole(**one, sent))
            .filter(|one| self.may_be_behind(sent, host, one.1.repository))
            .filter_map(|one| Some((*one, name_of(one.1.repository)?)));
        let (Some((found, name)), None) = (named.next(), named.next()) else { return None };
        let step = EvidenceStep {
            repository: sent.user,
            path: sent.used.site.path.clone(),
            line: sent.used.site.line,
            content: format!("{name} has the name of {}", network.alias(found.1.repository)),
        };
        Some((found, vec![step]))
    }

    /// Returns a route of the only repository to which a proxy forwards all paths, by the name of the variable with its address, the
    /// evidence of it, and the confidence. A repository without a route below the path is a candidate.
    pub(super) fn forwarded<'s, 'o>(
        &self,
        routes: &'s Routes<'o>,
        network: &Network<'_>,
        sent: &SentRequest<'_>,
    ) -> Option<(&'s PlacedRoute<'o>, Vec<EvidenceStep>, f32)> {
        let template = AddressTemplate::parse(&sent.used.member);
        let variables: Vec<&str> = template.host_variables().collect();
        let written: Vec<WrittenName> = variables.iter().map(|variable| WrittenName::of_variable(variable)).collect();
        let is_named = |repository: usize| written.iter().any(|name| self.names.is_name_of(name, repository));
        let named = routes.all.iter().filter(|route| {
            let repository = route.repository;
            repository != sent.user
                && route.is_handled()
                && is_named(repository)
                && self.systems.is_likely_one(sent.user, repository)
        });
        let named: Vec<&PlacedRoute<'_>> = named.collect();
        let first = *named.first()?;
        named.iter().all(|other| other.repository == first.repository).then_some(())?;
        let below = named.iter().copied().find(|route| is_below(&route.key.path, &sent.key.path));
        let (found, confidence) = below.map_or((first, CANDIDATE), |below| (below, DEDUCED));
        let step = EvidenceStep {
            repository: sent.user,
            path: sent.used.site.path.clone(),
            line: sent.used.site.line,
            content: format!("{} has the name of {}", variables.join(", "), network.alias(first.repository)),
        };
        Some((found, vec![step], confidence))
    }

    /// Returns the route of the only repository that has the name of the file of the client: `clients/billing/client.go`.
    fn named_by_file<'s, 'o>(
        &self,
        network: &Network<'_>,
        sent: &SentRequest<'_>,
        alike: &[ScoredRoute<'s, 'o>],
    ) -> Option<(ScoredRoute<'s, 'o>, Vec<EvidenceStep>)> {
        let names = client_names::names(&sent.used.site.path);
        let is_named = |repository: usize| names.iter().any(|name| self.names.is_name_of(name, repository));
        let mut found = alike.iter().filter(|one| {
            let (_, route) = **one;
            let is_other = route.repository != sent.user && route.offer.member.is_empty();
            let is_near = self.systems.is_likely_one(sent.user, route.repository);
            is_other && is_near && is_whole(**one, sent) && is_named(route.repository)
        });
        let (Some(found), None) = (found.next(), found.next()) else { return None };
        let step = EvidenceStep {
            repository: sent.user,
            path: sent.used.site.path.clone(),
            line: sent.used.site.line,
            content: format!("the file of the client has the name of {}", network.alias(found.1.repository)),
        };
        Some((*found, vec![step]))
    }

    /// Returns the route of the only repository whose application listens on the port of an address of the own machine.
    fn listening<'s, 'o>(
        &self,
        network: &Network<'_>,
        sent: &SentRequest<'_>,
        alike: &[ScoredRoute<'s, 'o>],
    ) -> Option<(ScoredRoute<'s, 'o>, Vec<EvidenceStep>)> {
        let listeners = network.listeners(sent.user, &sent.used.member);
        // Unrelated applications listen on the same ports.
        let is_near =
            |one: &ScoredRoute<'_, '_>| is_whole(*one, sent) && self.systems.is_likely_one(sent.user, one.1.repository);
        let mut found = alike.iter().filter(|one| is_near(one)).filter_map(|one| {
            let listener = listeners.iter().find(|listener| listener.repository == one.1.repository)?;
            Some((*one, listener))
        });
        let ((route, listener), None) = (found.next()?, found.next()) else { return None };
        let step = EvidenceStep {
            repository: listener.repository,
            path: listener.offer.site.path.clone(),
            line: listener.offer.site.line,
            content: format!("listens on {}", listener.offer.key),
        };
        Some((route, vec![step]))
    }

    /// Returns the route of the only service beside the client in a deployment that answers a request.
    fn deployed_with<'s, 'o>(
        &self,
        sent: &SentRequest<'_>,
        alike: &[ScoredRoute<'s, 'o>],
    ) -> Option<(ScoredRoute<'s, 'o>, Vec<EvidenceStep>)> {
        let of_system = || alike.iter().filter(|(_, route)| self.systems.may_be_one(sent.user, route.repository));
        // A route of this very path precedes those that take many, even in a repository of which no deployment is known.
        let best = of_system().map(|(score, _)| *score).max();
        let n_best = of_system().filter(|(score, _)| Some(*score) == best).count();
        let neighbours: Vec<ScoredRoute<'_, '_>> = alike
            .iter()
            .copied()
            .filter(|one| Some(one.0) == best && is_whole(*one, sent))
            .filter(|one| self.systems.deployed_together(sent.user, one.1.repository).is_some())
            .collect();
        // A single segment, which another repository serves too, is no evidence.
        let is_ambiguous = n_constant(&sent.key.path) == 1 && n_best > neighbours.len();
        let found = match neighbours[..] {
            _ if is_ambiguous => None,
            [only] => Some(only),
            _ => self.apis.most_used(sent, &neighbours).filter(|(n, _)| *n >= MIN_OF_NEIGHBOUR).map(|(_, found)| found),
        }?;
        let workloads = self.systems.deployed_together(sent.user, found.1.repository)?;
        Some((found, workloads.to_vec()))
    }
}

/// Returns true if all alternatives of an address have a host that only the running client knows.
fn has_computed_host(address: &str) -> bool {
    let alternatives = AddressTemplate::parse(address).alternatives;
    let is_computed = |parts: &Vec<AddressPart>| match parts.as_slice() {
        [AddressPart::Computed, ..] => true,
        [AddressPart::Text(scheme), AddressPart::Computed, ..] => scheme.ends_with("://"),
        _ => false,
    };
    !alternatives.is_empty() && alternatives.iter().all(is_computed)
}

/// Returns true if an address is written out or set, and never with a path of its own: the variable of a webhook may hold a whole URL.
fn is_without_path(network: &Network<'_>, sent: &SentRequest<'_>) -> bool {
    let template = AddressTemplate::parse(&sent.used.member);
    let set = template.host_variables().flat_map(|variable| network.settings_for(sent.user, variable));
    let set = set.filter(|setting| network.is_of(setting, sent.user));
    let set: Vec<DeployedSetting<'_>> = set.collect();
    let is_known = template.network_names().next().is_some()
        || set.iter().any(|setting| address::network_name(&setting.used.member).is_some());
    let may_have_path = |setting: &DeployedSetting<'_>| {
        setting.used.member.contains('{') || !address::base_path(&setting.used.member).is_empty()
    };
    is_known && template.base_paths().next().is_none() && !set.iter().any(may_have_path)
}

/// Returns true if a route is below the path of a proxy for all that follow, but for its version: `/v1/orders/{}` for `/orders/{*}`.
fn is_below(route: &str, forwarded: &str) -> bool {
    let prefix: Vec<&str> = forwarded.split('/').filter(|segment| !segment.is_empty() && *segment != "{*}").collect();
    let segments: Vec<&str> = route.split('/').filter(|segment| !segment.is_empty()).collect();
    let n_version = segments.iter().take_while(|segment| is_version(segment)).count();
    segments.starts_with(&prefix) || segments[n_version..].starts_with(&prefix)
}

/// Returns true if a client writes the whole path of a route, but for its version. Only an API tells another base.
fn is_whole((score, route): ScoredRoute<'_, '_>, sent: &SentRequest<'_>) -> bool {
    score.is_whole() || base_of(route, sent).split('/').all(is_version)
}

/// Returns the part of a route before the path of a request that it answers: `api/v1` of `/api/v1/items` for `/items`.
fn base_of(route: &PlacedRoute<'_>, sent: &SentRequest<'_>) -> String {
    let segments = |path: &'_ str| path.split('/').filter(|segment| !segment.is_empty()).count();
    let n_before = segments(&route.key.path).saturating_sub(segments(&sent.key.path));
    let before = route.key.path.split('/').filter(|segment| !segment.is_empty()).take(n_before);
    before.collect::<Vec<_>>().join("/")
}

/// Returns true for a segment that says nothing of an API: `api`, `v1`.
pub(super) fn is_version(segment: &str) -> bool {
    if segment.is_empty() {
        return true;
    }
    let digits = segment.strip_prefix(['v', 'V']).unwrap_or("-");
    segment.eq_ignore_ascii_case("api") || segment == "rest" || digits.chars().all(|c| c.is_ascii_digit())
}
