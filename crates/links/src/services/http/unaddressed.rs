//! Requests whose address leads to no repository.
//!
//! Five things tell the service all the same, the strongest first. The host or the variable has the name of a repository that has such a
//! route; the address is of the own machine, and the application of the repository listens on its port; a deployment runs the client beside
//! services of which only one has it; the client sends several requests to the same address, and they are the API of one repository; a proxy
//! takes the path, and the service behind it has the route. The more is known of the host, the fewer of them count ([`HostKnowledge`]).

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::{
    SentRequest,
    context_paths::ContextPaths,
    placed_routes::{PlacedRoute, Routes, is_telling},
    proxies::RouteAnswer,
    route_match::{RouteScore, last_constants, n_constant},
};
use crate::services::{
    CANDIDATE, EvidenceStep,
    address::{AddressPart, AddressTemplate},
    network::{Network, Route},
    service_name::{ServiceNames, WrittenName},
    systems::Systems,
};

/// Confidence of a link that other requests, a deployment or a name tell, and no address. Of 150 such links in public systems that were
/// read, 149 were right (ADR 115); a written address is the stronger evidence all the same.
pub(super) const DEDUCED: f32 = 0.7;

/// Minimum number of different requests to one address that tell an API, and of different constant segments in them.
const MIN_OF_API: usize = 3;

/// Minimum number of different requests that tell one of the services that are deployed with the client.
const MIN_OF_NEIGHBOUR: usize = 2;

/// An API tells the service if its requests are this many times those that another repository with the same route answers.
const MIN_RATIO: usize = 2;

/// Maximum number of other requests that are shown as evidence.
const MAX_SHOWN: usize = 2;

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

/// The requests of one repository to one address that the routes of another repository answer.
#[derive(Default)]
struct ApiUse<'a> {
    /// Method, path, and the first place.
    requests: BTreeSet<(&'a str, &'a str)>,
    /// The constant segments of their paths that the routes have too, without those of versions.
    segments: BTreeSet<&'a str>,
    /// The first places that send them, each with another request.
    sites: Vec<&'a SentRequest<'a>>,
}

/// By address, and by the part of the routes before the path of the requests.
type ApiUses<'a> = FxHashMap<(&'a str, String), ApiUse<'a>>;

/// The requests whose address leads to no repository, by client and address.
pub(super) struct UnaddressedRequests<'a, 'r> {
    systems: Systems<'r>,
    names: ServiceNames,
    contexts: ContextPaths<'r>,
    /// By client and repository.
    uses: FxHashMap<(usize, usize), ApiUses<'a>>,
}

impl<'a, 'r> UnaddressedRequests<'a, 'r> {
    pub(super) fn new(
        routes: &Routes<'_>,
        systems: Systems<'r>,
        names: ServiceNames,
        contexts: ContextPaths<'r>,
        sent: &'a [SentRequest<'a>],
    ) -> UnaddressedRequests<'a, 'r> {
        let mut uses: FxHashMap<(usize, usize), ApiUses<'_>> = FxHashMap::default();
        let unknown = sent.iter().filter(|one| one.route == Route::Unknown && is_telling(&one.key.path));
        for one in unknown {
            for (_, route) in routes.alike(&one.key).into_iter().filter(|(_, route)| route.is_handled()) {
                let mut segments = telling_segments(one, route).peekable();
                if segments.peek().is_none() {
                    continue;
                }
                let of_both = uses.entry((one.user, route.repository)).or_default();
                let base = base_of(route, one);
                let of_api = of_both.entry((&*one.used.member, base)).or_default();
                if of_api.requests.insert((&one.key.method, &one.key.path)) {
                    of_api.segments.extend(segments);
                    of_api.sites.push(one);
                }
            }
        }
        UnaddressedRequests { systems, names, contexts, uses }
    }

    /// Returns the route that answers a request whose address leads to none; `None` if nothing tells it.
    pub(super) fn answer<'s, 'o>(
        &self,
        routes: &'s Routes<'o>,
        network: &Network<'_>,
        sent: &SentRequest<'_>,
        host: HostKnowledge,
    ) -> Option<RouteAnswer<'s, 'o>> {
        if !is_telling(&sent.key.path) {
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
            let is_computed = host == HostKnowledge::NoHost && has_computed_host(&sent.used.member);
            let named = is_computed.then(|| self.named_by_file(network, sent, &declared)).flatten();
            return named.map(|((score, route), evidence)| RouteAnswer { score, route, proxy: None, evidence });
        }
        host.evidence().iter().find_map(|kind| {
            let ((score, route), evidence) = match kind {
                EvidenceKind::Name => self.named(network, sent, &declared, host)?,
                EvidenceKind::ClientFile => self.named_by_file(network, sent, &declared)?,
                EvidenceKind::Port => self.listening(network, sent, &alike)?,
                EvidenceKind::Neighbour => self.deployed_with(sent, &alike)?,
                EvidenceKind::Api => self.of_api(sent, &alike)?,
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
            HostKnowledge::NoHost | HostKnowledge::Foreign => true,
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
    fn named<'s, 'o>(
        &self,
        network: &Network<'_>,
        sent: &SentRequest<'_>,
        alike: &[ScoredRoute<'s, 'o>],
        host: HostKnowledge,
    ) -> Option<(ScoredRoute<'s, 'o>, Vec<EvidenceStep>)> {
        let template = AddressTemplate::parse(&sent.used.member);
        let hosts = template.network_names().filter(|name| !name.starts_with("localhost"));
        let written = hosts.chain(template.host_variables().map(str::to_owned));
        let written: Vec<(WrittenName, String)> = written.map(|name| (WrittenName::of(&name), name)).collect();
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
        let written: Vec<WrittenName> = variables.iter().map(|variable| WrittenName::of(variable)).collect();
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
        let names = client_names(&sent.used.site.path);
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
            _ => self.most_used(sent, &neighbours).filter(|(n, _)| *n >= MIN_OF_NEIGHBOUR).map(|(_, found)| found),
        }?;
        let workloads = self.systems.deployed_together(sent.user, found.1.repository)?;
        Some((found, workloads.to_vec()))
    }

    /// Returns the route of the repository of which the client uses an API.
    fn of_api<'s, 'o>(
        &self,
        sent: &SentRequest<'_>,
        alike: &[ScoredRoute<'s, 'o>],
    ) -> Option<(ScoredRoute<'s, 'o>, Vec<EvidenceStep>)> {
        let telling: Vec<ScoredRoute<'s, 'o>> =
            alike.iter().copied().filter(|(_, route)| telling_segments(sent, route).next().is_some()).collect();
        let (n_requests, found) = self.most_used(sent, &telling)?;
        let n_segments = self.api_of(sent, found.1)?.segments.len();
        let is_api = n_requests >= MIN_OF_API && n_segments >= MIN_OF_API
            || n_requests > MIN_OF_API && n_segments + 1 >= MIN_OF_API;
        is_api.then(|| (found, self.other_requests(sent, found.1)))
    }

    /// Returns the route of the repository whose API the client uses by far the most, with the number of its requests.
    fn most_used<'s, 'o>(
        &self,
        sent: &SentRequest<'_>,
        answers: &[ScoredRoute<'s, 'o>],
    ) -> Option<(usize, ScoredRoute<'s, 'o>)> {
        let n_requests = |route: &PlacedRoute<'_>| self.api_of(sent, route).map_or(0, |of_api| of_api.requests.len());
        let mut ranked: Vec<_> = answers.iter().map(|one| (n_requests(one.1), *one)).collect();
        ranked.sort_by_key(|(n, (_, route))| (std::cmp::Reverse(*n), route.repository));
        let (n_best, best) = *ranked.first()?;
        let n_second = ranked.get(1).map_or(0, |(n, _)| *n);
        (n_best >= MIN_RATIO * n_second).then_some((n_best, best))
    }

    fn api_of(&self, sent: &SentRequest<'_>, route: &PlacedRoute<'_>) -> Option<&ApiUse<'a>> {
        let of_both = self.uses.get(&(sent.user, route.repository))?;
        let base = base_of(route, sent);
        let of_address = |(address, before): &(&str, String)| *address == &*sent.used.member && *before == base;
        of_both.iter().find(|(key, _)| of_address(key)).map(|(_, of_api)| of_api)
    }

    /// Returns the places that send other requests to the same API.
    fn other_requests(&self, sent: &SentRequest<'_>, route: &PlacedRoute<'_>) -> Vec<EvidenceStep> {
        let sites = self.api_of(sent, route).into_iter().flat_map(|of_api| &of_api.sites);
        let others = sites.filter(|one| one.key.path != sent.key.path || one.key.method != sent.key.method);
        let step = |one: &SentRequest<'_>| EvidenceStep {
            repository: one.user,
            path: one.used.site.path.clone(),
            line: one.used.site.line,
            content: format!("the same address gets {} {}", one.key.method, one.key.path),
        };
        others.take(MAX_SHOWN).map(|one| step(one)).collect()
    }
}

/// Returns the constant segments of a request that its route writes too, without those of versions. A route that takes every path has none.
fn telling_segments<'s>(sent: &'s SentRequest<'_>, route: &PlacedRoute<'_>) -> impl Iterator<Item = &'s str> {
    let of_route: Vec<&str> = last_constants(&route.key.path).collect();
    let is_of_route = move |segment: &&str| of_route.iter().any(|one| one.eq_ignore_ascii_case(segment));
    last_constants(&sent.key.path).filter(|segment| !is_version(segment)).filter(is_of_route)
}

/// Maximum number of folders of the path of a client that may name the service.
const MAX_NAMING_FOLDERS: usize = 2;

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

/// Returns true if a route is below the path of a proxy for all that follow, but for its version: `/v1/orders/{}` for `/orders/{*}`.
fn is_below(route: &str, forwarded: &str) -> bool {
    let prefix: Vec<&str> = forwarded.split('/').filter(|segment| !segment.is_empty() && *segment != "{*}").collect();
    let segments: Vec<&str> = route.split('/').filter(|segment| !segment.is_empty()).collect();
    let n_version = segments.iter().take_while(|segment| is_version(segment)).count();
    segments.starts_with(&prefix) || segments[n_version..].starts_with(&prefix)
}

/// Returns the names of the last folders and of a file that are those of clients: the name itself or its folder says so, or a file that
/// is only called a client is in the folder.
fn client_names(path: &str) -> Vec<WrittenName> {
    const CLIENTS: [&str; 6] = ["client", "clients", "proxy", "proxies", "gateway", "connector"];
    let words = |part: &str| crate::contracts::words(part);
    let stem = |part: &str| part.split('.').next().unwrap_or(part).to_owned();
    let is_client = |part: &&str| words(part).iter().any(|word| CLIENTS.contains(&word.as_str()));
    let name_of = |part: &str| {
        let kept: Vec<String> =
            words(&stem(part)).into_iter().filter(|word| !CLIENTS.contains(&word.as_str())).collect();
        kept.join("-")
    };
    // From the file to its folders.
    let parts: Vec<&str> = path.rsplit('/').take(2 + MAX_NAMING_FOLDERS).collect();
    let is_of_client = |at: usize| {
        let is_of_file = at == 1 && is_client(&parts[0]) && name_of(parts[0]).is_empty();
        is_of_file || parts[at..].iter().take(2).any(is_client)
    };
    let named =
        (0..parts.len().min(1 + MAX_NAMING_FOLDERS)).filter(|at| is_of_client(*at)).map(|at| name_of(parts[at]));
    named.filter(|name| !name.is_empty()).map(|name| WrittenName::of(&name)).collect()
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
