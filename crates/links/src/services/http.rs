//! HTTP requests: a request is linked to the route that answers it, in the repository that its address leads to.

mod proxies;
mod route_match;
mod unaddressed;

use rustc_hash::FxHashMap;

use super::{
    AddressPart, AddressTemplate, CANDIDATE, CONFIRMED, EvidenceStep, ServiceLink, ServiceRepository, link,
    network::{Destination, Network, Route},
    systems::Systems,
    unlinked::{UnlinkedContract, UnlinkedReason},
    uses_of,
};
use crate::{
    contract::ContractKind,
    contracts::is_test_or_example,
    join::{RouteKey, SurfaceOffer, SurfaceUse, route_key},
};
use proxies::RouteAnswer;
use route_match::{BasePath, RouteScore, last_constants, n_constant};
use unaddressed::UnaddressedRequests;

/// Minimum number of constant segments of a path that may be linked without evidence.
const MIN_CONSTANT_SEGMENTS: usize = 2;

/// Maximum number of repositories that a request without evidence is linked to; more carry no information.
const MAX_CANDIDATES: usize = 4;

/// Last segments of routes that nearly every service has. Without an address they say nothing.
const COMMON_SEGMENTS: [&str; 20] = [
    "health",
    "healthz",
    "_healthz",
    "healthcheck",
    "health-check",
    "livez",
    "live",
    "liveness",
    "readyz",
    "ready",
    "readiness",
    "metrics",
    "prometheus",
    "ping",
    "status",
    "version",
    "info",
    "favicon.ico",
    "robots.txt",
    "docs",
];

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
        SentRequest { user, used, key: route_key(&used.key), route }
    })
    .collect()
}

/// Returns the links from requests to routes of other repositories.
pub(super) fn links(repositories: &[ServiceRepository<'_>], network: &Network<'_>) -> RequestLinks {
    let routes = Routes::new(repositories, network);
    let sent = sent_requests(repositories, network);
    let unaddressed = UnaddressedRequests::new(&routes, Systems::new(repositories, network), &sent);
    let mut links = RequestLinks::default();
    for one in &sent {
        if one.key.path.ends_with("{*}") {
            links.hops.extend(forwarded_links(one));
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
    let unaddressed = UnaddressedRequests::new(&routes, Systems::new(repositories, network), &sent);
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

/// A route of a repository.
struct PlacedRoute<'a> {
    repository: usize,
    key: RouteKey,
    offer: &'a SurfaceOffer,
}

/// The routes of all repositories.
struct Routes<'a> {
    all: Vec<PlacedRoute<'a>>,
    by_repository: FxHashMap<usize, Vec<u32>>,
    /// By last constant segment of the path; those without one are no candidates.
    by_last_segment: FxHashMap<String, Vec<u32>>,
    /// By repository: those of the proxies that forward requests to it.
    fronts: FxHashMap<usize, Vec<usize>>,
}

impl<'a> Routes<'a> {
    fn new(repositories: &[ServiceRepository<'a>], network: &Network<'_>) -> Routes<'a> {
        let mut routes = Routes {
            all: Vec::new(),
            by_repository: FxHashMap::default(),
            by_last_segment: FxHashMap::default(),
            fronts: FxHashMap::default(),
        };
        for (repository, one) in repositories.iter().enumerate() {
            for (offer, key) in mounted_routes(one) {
                let idx = routes.all.len() as u32;
                routes.by_repository.entry(repository).or_default().push(idx);
                // Any path may be behind a prefix of a proxy.
                let last = last_constants(&key.path).next().filter(|_| offer.member.is_empty());
                if let Some(last) = last {
                    routes.by_last_segment.entry(last.to_ascii_lowercase()).or_default().push(idx);
                }
                routes.all.push(PlacedRoute { repository, key, offer });
            }
        }
        routes.fronts = routes.fronts(network);
        routes
    }

    fn of_repository(&self, repository: usize) -> impl Iterator<Item = &PlacedRoute<'a>> {
        self.by_repository.get(&repository).into_iter().flatten().map(|idx| &self.all[*idx as usize])
    }

    /// Returns the route of the repository of a request that answers it.
    fn own(&self, user: usize, used: &SurfaceUse) -> Option<(RouteScore, &PlacedRoute<'a>)> {
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
        let is_own = || self.own(user, used).is_some();
        match &sent.route {
            Route::Elsewhere => RequestAnswer::Elsewhere,
            Route::To(destinations) => {
                let answers = self.confirmed(network, user, request, destinations);
                let is_own = answers.is_empty() && destinations.iter().any(|to| to.repository == user) && is_own();
                match (answers.is_empty(), is_own) {
                    (false, _) => RequestAnswer::Routes(answers, CONFIRMED),
                    (true, true) => RequestAnswer::Elsewhere,
                    (true, false) => {
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
                match unaddressed.answer(self, network, sent) {
                    Some(answer) => RequestAnswer::Routes(vec![answer], unaddressed::DEDUCED),
                    None if is_own() => RequestAnswer::Own,
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
            found.extend(answers.into_iter().map(|answer| answer.after(&to.evidence)));
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
        if services.len() > 1 && n_constant(&request.path) < MIN_CONSTANT_SEGMENTS {
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
        answers.into_iter().map(|answer| answer.after(evidence)).collect()
    }

    /// Returns the route of each repository that answers a request best, whichever service is asked.
    fn alike(&self, request: &RouteKey) -> Vec<(RouteScore, &PlacedRoute<'a>)> {
        // A route may have a variable where the request has its last segment: `/users/{id}` answers `/users/me`.
        let alike = last_constants(&request.path)
            .take(2)
            .filter_map(|segment| self.by_last_segment.get(&segment.to_ascii_lowercase()));
        let mut alike: Vec<u32> = alike.flatten().copied().collect();
        alike.sort_unstable();
        alike.dedup();
        let alike: Vec<&PlacedRoute<'_>> = alike.into_iter().map(|idx| &self.all[idx as usize]).collect();
        let base = if request.has_unknown_base { BasePath::Possible } else { BasePath::None };
        let of_each = alike.chunk_by(|a, b| a.repository == b.repository);
        of_each.filter_map(|same| best(same.iter().copied(), request, base)).collect()
    }

    /// Returns the links of a request without evidence: none if its own repository has such a route.
    fn candidates(&self, user: usize, used: &SurfaceUse, request: &RouteKey) -> Vec<ServiceLink> {
        if n_constant(&request.path) < MIN_CONSTANT_SEGMENTS {
            return Vec::new();
        }
        if !is_telling(&request.path) {
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

/// Returns true unless nearly every service has a route with the last constant segment of a path.
fn is_telling(path: &str) -> bool {
    last_constants(path).next().is_some_and(|last| !COMMON_SEGMENTS.contains(&last))
}

/// Returns the routes of a repository. A router that one file makes and another mounts under a prefix has each route twice; the
/// one with the prefix is kept.
fn mounted_routes<'a>(repository: &ServiceRepository<'a>) -> Vec<(&'a SurfaceOffer, RouteKey)> {
    let offers = repository.surface.offers.iter().filter(|offer| offer.kind == ContractKind::Http);
    let mut routes: Vec<(&SurfaceOffer, RouteKey)> = offers.map(|offer| (offer, route_key(&offer.key))).collect();
    let mut order: Vec<usize> = (0..routes.len()).collect();
    let identity = |(offer, key): &(&'a SurfaceOffer, RouteKey)| (offer.site.node, offer.site.line, key.method.clone());
    order.sort_by_cached_key(|idx| identity(&routes[*idx]));
    let mut is_bare = vec![false; routes.len()];
    for same in order.chunk_by(|a, b| identity(&routes[*a]) == identity(&routes[*b])).filter(|same| same.len() < 16) {
        for one in same {
            let path = &routes[*one].1.path;
            is_bare[*one] = same.iter().any(|other| {
                let longer = &routes[*other].1.path;
                longer.len() > path.len() && path.len() > 1 && longer.ends_with(path.as_str())
            });
        }
    }
    let mut idx = 0;
    routes.retain(|_| {
        idx += 1;
        !is_bare[idx - 1]
    });
    routes
}

impl PlacedRoute<'_> {
    /// Returns true for a route in code; false for one that only a document declares, of which clients have copies.
    fn is_handled(&self) -> bool {
        let path = &self.offer.site.path;
        self.offer.member.is_empty() && ![".yaml", ".yml", ".json"].iter().any(|end| path.ends_with(end))
    }

    fn link(&self, user: usize, used: &SurfaceUse, confidence: f32, evidence: Vec<EvidenceStep>) -> ServiceLink {
        let link = link(used, &self.offer.key, &self.offer.site, confidence, evidence);
        ServiceLink { user, provider: self.repository, link }
    }
}

/// Returns the route that answers a request best, the first of equal ones, with its score.
fn best<'r, 'a: 'r>(
    routes: impl Iterator<Item = &'r PlacedRoute<'a>>,
    request: &RouteKey,
    base: BasePath,
) -> Option<(RouteScore, &'r PlacedRoute<'a>)> {
    let scored = routes.filter_map(|route| Some((route_match::score(request, &route.key, base)?, route)));
    scored.reduce(|best, next| if (next.0, next.1.is_handled()) > (best.0, best.1.is_handled()) { next } else { best })
}
