//! HTTP requests: a request is linked to the route that answers it, in the repository that its address leads to.

mod context_paths;
mod placed_routes;
mod proxies;
mod route_match;
mod unaddressed;

use super::{
    AddressPart, AddressTemplate, CANDIDATE, CONFIRMED, EvidenceStep, ServiceLink, ServiceRepository, link,
    network::{Destination, Network, Route},
    service_name::ServiceNames,
    systems::Systems,
    unlinked::{UnlinkedContract, UnlinkedReason},
    uses_of,
};
use crate::{
    contract::ContractKind,
    contracts::is_test_or_example,
    join::{RouteKey, SurfaceUse, route_key},
};
use context_paths::ContextPaths;
use placed_routes::{PlacedRoute, Routes, best, is_telling};
use proxies::RouteAnswer;
use route_match::{BasePath, RouteScore, n_constant};
use unaddressed::{HostKnowledge, UnaddressedRequests};

/// Minimum number of constant segments of a path that may be linked without evidence.
const MIN_CONSTANT_SEGMENTS: usize = 2;

/// Maximum number of repositories that a request without evidence is linked to; more carry no information.
const MAX_CANDIDATES: usize = 4;

/// The path of a route that takes every path.
const REST_OF_ALL: &str = "/{*}";

/// The links of requests.
#[derive(Default)]
pub(super) struct RequestLinks {
    /// From a request to the route that answers it, through proxies.
    pub(super) requests: Vec<ServiceLink>,
    /// From a request to the first proxy, and from a proxy to the service behind it.
    pub(super) hops: Vec<ServiceLink>,
}

impl RequestLinks {
    fn add(&mut self, user: usize, used: &SurfaceUse, answers: Vec<RouteAnswer<'_, '_>>, confidence: f32) {
        let confidence = if answers.len() == 1 { confidence } else { CANDIDATE / answers.len().max(1) as f32 };
        for answer in answers {
            let before = answer.proxy.filter(|proxy| proxy.repository != user);
            self.hops.extend(before.map(|proxy| proxy.link(user, used, confidence, Vec::new())));
            let found = answer.route.link(user, used, confidence, answer.evidence);
            // A proxy that leads to no known route is a hop without an end.
            let of_kind = if answer.route.forwarding().is_some() { &mut self.hops } else { &mut self.requests };
            of_kind.push(found);
        }
    }
}

/// A request of a repository, and what its address says.
struct SentRequest<'a> {
    user: usize,
    used: &'a SurfaceUse,
    key: RouteKey,
    route: Route,
}

impl SentRequest<'_> {
    /// Returns the repositories that the address leads to.
    fn destinations(&self) -> &[Destination] {
        match &self.route {
            Route::To(destinations) => destinations,
            Route::Unknown | Route::Elsewhere => &[],
        }
    }

    /// Returns true if the address leads to the repository of the request.
    fn leads_home(&self) -> bool {
        self.destinations().iter().any(|to| to.repository == self.user)
    }
}

/// The answer to a request.
enum RequestAnswer<'r, 'a> {
    /// The routes of other repositories, and the confidence that they answer.
    Routes(Vec<RouteAnswer<'r, 'a>>, f32),
    /// The repository may answer itself.
    Own,
    /// A service that no repository has, or the repository itself.
    Elsewhere,
    /// No route of the repositories that the address leads to, with the places that say so.
    NoRoute(Vec<EvidenceStep>),
    /// Nothing says which service is asked.
    NoAddress,
}

/// Returns the requests of all repositories to services.
fn sent_requests<'a>(repositories: &'a [ServiceRepository<'a>], network: &Network<'_>) -> Vec<SentRequest<'a>> {
    let sent = uses_of(repositories, ContractKind::Http).filter(|(_, used)| !is_unit_test(&used.site.path));
    sent.map(|(user, used)| {
        let route = network.route(user, &used.member);
        let mut key = route_key(&used.key);
        // Without a setting, a variable has its default, which may have a path.
        let default = AddressTemplate::parse(&used.member).base_paths().next();
        if let Some(base) = default.filter(|_| route == Route::Unknown) {
            key.path = format!("{base}{}", key.path.trim_end_matches('/'));
        }
        SentRequest { user, used, key, route }
    })
    .collect()
}

fn unaddressed_requests<'a, 'r>(
    repositories: &[ServiceRepository<'r>],
    network: &Network<'r>,
    routes: &Routes<'_>,
    sent: &'a [SentRequest<'a>],
) -> UnaddressedRequests<'a, 'r> {
    let systems = Systems::new(repositories, network);
    let names = ServiceNames::new(repositories.iter().map(|one| one.alias), &systems.groups());
    UnaddressedRequests::new(routes, systems, names, ContextPaths::new(network), sent)
}

/// Returns the links from requests to routes of other repositories.
pub(super) fn links(repositories: &[ServiceRepository<'_>], network: &Network<'_>) -> RequestLinks {
    let routes = Routes::new(repositories, network);
    let sent = sent_requests(repositories, network);
    let unaddressed = unaddressed_requests(repositories, network, &routes, &sent);
    let mut links = RequestLinks::default();
    for one in &sent {
        if one.key.path.ends_with("{*}") {
            let forwarded = forwarded_links(one);
            if forwarded.is_empty() && one.route == Route::Unknown {
                let named =
                    unaddressed.forwarded(&routes, network, one).map(|(route, evidence, confidence)| ServiceLink {
                        user: one.user,
                        provider: route.repository,
                        link: link(one.used, &one.used.key, &route.offer.site, confidence, evidence),
                    });
                links.hops.extend(named);
            }
            links.hops.extend(forwarded);
            continue;
        }
        match routes.answer(network, &unaddressed, one) {
            RequestAnswer::Routes(answers, confidence) => links.add(one.user, one.used, answers, confidence),
            RequestAnswer::Own | RequestAnswer::NoAddress => {
                links.requests.extend(routes.candidates(one.user, one.used, &one.key))
            }
            RequestAnswer::Elsewhere | RequestAnswer::NoRoute(_) => {}
        }
    }
    links
}

/// Returns the links from a route of a proxy to the services behind it.
fn forwarded_links(forwarding: &SentRequest<'_>) -> Vec<ServiceLink> {
    let (user, used) = (forwarding.user, forwarding.used);
    let Route::To(destinations) = &forwarding.route else { return Vec::new() };
    let destinations: Vec<&Destination> = destinations.iter().filter(|to| to.repository != user).collect();
    let confidence = if destinations.len() == 1 { CONFIRMED } else { CANDIDATE / destinations.len().max(1) as f32 };
    let link_of = |to: &Destination| ServiceLink {
        user,
        provider: to.repository,
        link: link(used, &used.key, &to.site, confidence, to.evidence.clone()),
    };
    destinations.into_iter().map(link_of).collect()
}

/// Returns the requests that no route answers: those to a repository without such a route, and those whose address is unknown.
pub(super) fn unlinked(repositories: &[ServiceRepository<'_>], network: &Network<'_>) -> Vec<UnlinkedContract> {
    let routes = Routes::new(repositories, network);
    let sent = sent_requests(repositories, network);
    let unaddressed = unaddressed_requests(repositories, network, &routes, &sent);
    // A proxy passes on every method, and calls no route.
    let calls = sent
        .iter()
        .filter(|one| one.key.method != "*" && !one.key.path.ends_with("{*}") && n_constant(&one.key.path) > 0);
    let unanswered = calls.filter_map(|one| {
        let (reason, evidence) = match routes.answer(network, &unaddressed, one) {
            RequestAnswer::Routes(..) | RequestAnswer::Own | RequestAnswer::Elsewhere => return None,
            RequestAnswer::NoRoute(evidence) => (UnlinkedReason::NoRoute, evidence),
            RequestAnswer::NoAddress => (UnlinkedReason::NoAddress, Vec::new()),
        };
        Some(UnlinkedContract { evidence, ..UnlinkedContract::of_use(one.user, one.used, reason) })
    });
    unanswered.collect()
}

/// Returns true for a file of unit tests, whose requests go to doubles. Load tests send theirs to the services.
fn is_unit_test(path: &str) -> bool {
    const LOAD: [&str; 6] = ["load", "k6", "locust", "perf", "stress", "gatling"];
    let lower = path.to_ascii_lowercase();
    is_test_or_example(path) && !LOAD.iter().any(|word| lower.contains(word))
}

/// Returns true for an address of which nothing is written, though the client has one: `{}`.
fn is_wholly_unknown(address: &AddressTemplate) -> bool {
    let mut parts = address.alternatives.iter().flatten().peekable();
    parts.peek().is_some() && parts.all(|part| *part == AddressPart::Computed)
}

impl<'a> Routes<'a> {
    /// Returns the route of the repository of a request that answers it.
    fn own_route(&self, user: usize, used: &SurfaceUse) -> Option<(RouteScore, &PlacedRoute<'a>)> {
        let request = route_key(&used.key);
        let base = if request.has_unknown_base { BasePath::Possible } else { BasePath::None };
        best(self.of_repository(user), &request, base)
    }

    /// Returns what answers a request, the strongest evidence first: its address, the settings of its client, the proxy of its page, and
    /// the system of which its client is a part.
    fn answer(
        &self,
        network: &Network<'_>,
        unaddressed: &UnaddressedRequests<'_, '_>,
        sent: &SentRequest<'_>,
    ) -> RequestAnswer<'_, 'a> {
        let (user, used, request) = (sent.user, sent.used, &sent.key);
        match &sent.route {
            Route::Elsewhere => RequestAnswer::Elsewhere,
            Route::To(destinations) => {
                let answers = self.confirmed(network, user, request, destinations);
                let is_proxy = |route: &PlacedRoute<'_>| route.key.path == REST_OF_ALL;
                if answers.iter().any(|answer| !is_proxy(answer.route)) {
                    return RequestAnswer::Routes(answers, CONFIRMED);
                }
                let own = self.own_route(user, used).map(|(_, route)| route).filter(|_| sent.leads_home());
                if own.is_some_and(|route| !is_proxy(route)) {
                    return RequestAnswer::Elsewhere;
                }
                // A host may lead to the deployment of a service, whose ingress takes every path.
                let host = if answers.is_empty() { HostKnowledge::Unanswered } else { HostKnowledge::Proxied };
                if let Some(answer) = unaddressed.answer(self, network, sent, host) {
                    return RequestAnswer::Routes(vec![answer], unaddressed::DEDUCED);
                }
                if answers.is_empty()
                    && let Some(answer) = self.behind_version(network, sent, destinations)
                {
                    return RequestAnswer::Routes(vec![answer], unaddressed::DEDUCED);
                }
                if answers.is_empty()
                    && let Some((answer, confidence)) =
                        self.behind_context_path(network, unaddressed, sent, destinations)
                {
                    return RequestAnswer::Routes(vec![answer], confidence);
                }
                match (answers.is_empty(), own) {
                    (false, _) => RequestAnswer::Routes(answers, CONFIRMED),
                    (true, Some(_)) => RequestAnswer::Elsewhere,
                    (true, None) => {
                        let first = destinations.first().map(|to| to.evidence.clone());
                        RequestAnswer::NoRoute(first.unwrap_or_default())
                    }
                }
            }
            Route::Unknown => {
                let is_unknown = is_wholly_unknown(&AddressTemplate::parse(&used.member));
                let by_setting = if is_unknown { network.destinations_of_client(user) } else { Vec::new() };
                let mut answers = self.by_setting(network, request, &by_setting);
                if used.member.is_empty() {
                    answers = self.answers_to_page(network, user, request);
                }
                if !answers.is_empty() {
                    return RequestAnswer::Routes(answers, CONFIRMED);
                }
                let host = HostKnowledge::of_unknown(network, sent);
                // The base of a variable may be a part of the path that a proxy takes.
                let template = AddressTemplate::parse(&used.member);
                let with_bases = || {
                    template.bases_of_variables().find_map(|base| {
                        let key = RouteKey { path: format!("{base}{}", request.path), ..request.clone() };
                        unaddressed.answer(self, network, &SentRequest { user, used, key, route: Route::Unknown }, host)
                    })
                };
                let without_base = || self.behind_default_base(network, unaddressed, sent, host);
                match unaddressed.answer(self, network, sent, host).or_else(with_bases).or_else(without_base) {
                    Some(answer) => RequestAnswer::Routes(vec![answer], unaddressed::DEDUCED),
                    None if self.own_route(user, used).is_some() => RequestAnswer::Own,
                    None => RequestAnswer::NoAddress,
                }
            }
        }
    }

    /// Returns the answers to a request of the repositories that its address leads to, one of each.
    fn confirmed(
        &self,
        network: &Network<'_>,
        user: usize,
        request: &RouteKey,
        destinations: &[Destination],
    ) -> Vec<RouteAnswer<'_, 'a>> {
        let mut found: Vec<RouteAnswer<'_, 'a>> = Vec::new();
        for to in destinations.iter().filter(|to| to.repository != user) {
            let request = RouteKey { path: format!("{}{}", to.base_path, request.path), ..request.clone() };
            let answers = self.answers(network, to.repository, &request, BasePath::Possible, 0);
            found.extend(answers.into_iter().map(|answer| answer.with_prior_evidence(&to.evidence)));
        }
        found.retain(|answer| answer.route.repository != user);
        found.sort_by_key(|answer| (answer.route.repository, std::cmp::Reverse(answer.score)));
        found.dedup_by_key(|answer| answer.route.repository);
        found
    }

    /// Returns the answer to a request whose host only the command line of its client has: that of the only service that the settings
    /// of the client name, or of the only one of them that serves the path. It must serve exactly this path.
    fn by_setting(
        &self,
        network: &Network<'_>,
        request: &RouteKey,
        destinations: &[Destination],
    ) -> Vec<RouteAnswer<'_, 'a>> {
        let mut services: Vec<usize> = destinations.iter().map(|to| to.repository).collect();
        services.sort_unstable();
        services.dedup();
        if services.len() > 1 && !is_telling(&request.method, &request.path) {
            return Vec::new();
        }
        let request = RouteKey { has_unknown_base: false, ..request.clone() };
        let mut serving = services.into_iter().filter_map(|service| {
            let answers = self.answers(network, service, &request, BasePath::None, 0);
            Some((service, answers)).filter(|(_, answers)| !answers.is_empty())
        });
        let (Some((service, answers)), None) = (serving.next(), serving.next()) else { return Vec::new() };
        let to = destinations.iter().find(|to| to.repository == service);
        let evidence = to.map_or(&[][..], |to| to.evidence.as_slice());
        answers.into_iter().map(|answer| answer.with_prior_evidence(evidence)).collect()
    }

    /// Returns the links of a request without evidence: none if its own repository has such a route.
    fn candidates(&self, user: usize, used: &SurfaceUse, request: &RouteKey) -> Vec<ServiceLink> {
        if n_constant(&request.path) < MIN_CONSTANT_SEGMENTS {
            return Vec::new();
        }
        if !is_telling(&request.method, &request.path) {
            return Vec::new();
        }
        let mut by_repository: Vec<&PlacedRoute<'_>> =
            self.alike(request).into_iter().map(|(_, route)| route).collect();
        let is_own = by_repository.iter().any(|route| route.repository == user && route.is_handled());
        by_repository.retain(|route| route.repository != user);
        if is_own || by_repository.len() > MAX_CANDIDATES {
            return Vec::new();
        }
        let confidence = CANDIDATE / by_repository.len().max(1) as f32;
        by_repository.into_iter().map(|route| route.link(user, used, confidence, Vec::new())).collect()
    }
}
