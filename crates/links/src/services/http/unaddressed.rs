//! Requests whose address leads to no repository.
//!
//! Two things tell the service all the same. A deployment runs the client beside services of which only one has such a route; or the
//! client sends several requests to the same address, and they are the API of one repository.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::{
    PlacedRoute, Routes, SentRequest, is_telling,
    proxies::RouteAnswer,
    route_match::{RouteScore, last_constants, n_constant},
};
use crate::services::{
    EvidenceStep,
    network::{Network, Route},
    systems::Systems,
};

/// Confidence of a link that other requests or a deployment tell, and no address. Of such links over public systems nine in ten were
/// right, and the written address of a client is the stronger evidence.
pub(super) const DEDUCED: f32 = 0.7;

/// Minimum number of different requests to one address that tell an API, and of different constant segments in them.
const MIN_OF_API: usize = 3;

/// Minimum number of different requests that tell one of the services that are deployed with the client.
const MIN_OF_NEIGHBOUR: usize = 2;

/// An API tells the service if its requests are this many times those that another repository with the same route answers.
const MIN_RATIO: usize = 2;

/// Maximum number of other requests that are shown as evidence.
const MAX_SHOWN: usize = 2;

/// The requests of one repository to one address that the routes of another repository answer.
#[derive(Default)]
struct ApiUse<'a> {
    /// Method, path, and the first place.
    requests: BTreeSet<(&'a str, &'a str)>,
    /// The constant segments of their paths, without those of versions.
    segments: BTreeSet<&'a str>,
    /// The first places that send them, each with another request.
    sites: Vec<&'a SentRequest<'a>>,
}

/// The requests whose address leads to no repository, by client and address.
pub(super) struct UnaddressedRequests<'a, 'r> {
    systems: Systems<'r>,
    /// By client and repository, by address and the part of the routes before the path of the requests.
    uses: FxHashMap<(usize, usize), FxHashMap<(&'a str, String), ApiUse<'a>>>,
}

impl<'a, 'r> UnaddressedRequests<'a, 'r> {
    pub(super) fn new(
        routes: &Routes<'_>,
        systems: Systems<'r>,
        sent: &'a [SentRequest<'a>],
    ) -> UnaddressedRequests<'a, 'r> {
        let mut uses: FxHashMap<(usize, usize), FxHashMap<(&str, String), ApiUse<'_>>> = FxHashMap::default();
        let unknown = sent.iter().filter(|one| one.route == Route::Unknown && is_telling(&one.key.path));
        for one in unknown {
            for (_, route) in routes.alike(&one.key).into_iter().filter(|(_, route)| route.is_handled()) {
                let of_both = uses.entry((one.user, route.repository)).or_default();
                let base = base_of(route, one);
                let of_api = of_both.entry((one.used.member.as_str(), base)).or_default();
                if of_api.requests.insert((&one.key.method, &one.key.path)) {
                    of_api.segments.extend(last_constants(&one.key.path).filter(|segment| !is_version(segment)));
                    of_api.sites.push(one);
                }
            }
        }
        UnaddressedRequests { systems, uses }
    }

    /// Returns the route that answers a request without a known address; `None` if nothing tells it.
    pub(super) fn answer<'s, 'o>(
        &self,
        routes: &'s Routes<'o>,
        network: &Network<'_>,
        sent: &SentRequest<'_>,
    ) -> Option<RouteAnswer<'s, 'o>> {
        if !is_telling(&sent.key.path) {
            return None;
        }
        let hosts = network.named_hosts(sent.user, &sent.used.member);
        if hosts.iter().any(|host| network.knows_host(host)) {
            return None;
        }
        let alike: Vec<(RouteScore, &PlacedRoute<'o>)> =
            routes.alike(&sent.key).into_iter().filter(|(_, route)| route.is_handled()).collect();
        if alike.iter().any(|(_, route)| route.repository == sent.user) {
            return None;
        }
        let of_system = || alike.iter().filter(|(_, route)| self.systems.may_be_one(sent.user, route.repository));
        // A route of this very path precedes those that take many, even in a repository of which no deployment is known.
        let best = of_system().map(|(score, _)| *score).max();
        let n_best = of_system().filter(|(score, _)| Some(*score) == best).count();
        let neighbours = alike.iter().filter(|(score, _)| Some(*score) == best);
        let neighbours: Vec<_> = neighbours.filter_map(|one| self.neighbour(sent, *one)).collect();
        // A single segment, which another repository serves too, is no evidence.
        let is_ambiguous = n_constant(&sent.key.path) == 1 && n_best > neighbours.len();
        let found = match &neighbours[..] {
            // A written host that no deployment names may be of another system.
            _ if !hosts.is_empty() || is_ambiguous => None,
            [only] => Some((only.0, only.1.to_vec())),
            several => {
                let of_api = self.api(sent, several.iter().map(|(one, _)| *one), MIN_OF_NEIGHBOUR);
                let steps = |route: &PlacedRoute<'_>| {
                    let (_, steps) = several.iter().find(|(one, _)| one.1.repository == route.repository)?;
                    Some(steps.to_vec())
                };
                of_api.map(|one| (one, steps(one.1).unwrap_or_default()))
            }
        };
        let found = found.or_else(|| {
            let one = self.api(sent, alike.iter().copied(), MIN_OF_API).filter(|(_, route)| {
                let of_api = self.api_of(sent, route);
                of_api.is_some_and(|of_api| of_api.segments.len() >= MIN_OF_API)
            })?;
            Some((one, self.other_requests(sent, one.1)))
        });
        found.map(|((score, route), evidence)| RouteAnswer { score, route, proxy: None, evidence })
    }

    /// Returns a route of a repository that is deployed with the client, and the workloads of both.
    fn neighbour<'s, 'o>(
        &self,
        sent: &SentRequest<'_>,
        (score, route): (RouteScore, &'s PlacedRoute<'o>),
    ) -> Option<((RouteScore, &'s PlacedRoute<'o>), [EvidenceStep; 2])> {
        let steps = self.systems.deployed_together(sent.user, route.repository)?;
        // Only an API tells a base that the client does not write.
        let is_whole = score.is_whole() || base_of(route, sent).split('/').all(is_version);
        is_whole.then_some(((score, route), steps))
    }

    /// Returns the route of the repository whose API the client uses by far the most.
    fn api<'s, 'o>(
        &self,
        sent: &SentRequest<'_>,
        answers: impl Iterator<Item = (RouteScore, &'s PlacedRoute<'o>)>,
        min_requests: usize,
    ) -> Option<(RouteScore, &'s PlacedRoute<'o>)> {
        let n_requests = |route: &PlacedRoute<'_>| self.api_of(sent, route).map_or(0, |of_api| of_api.requests.len());
        let mut ranked: Vec<_> = answers.map(|one| (n_requests(one.1), one)).collect();
        ranked.sort_by_key(|(n, (_, route))| (std::cmp::Reverse(*n), route.repository));
        let (n_best, best) = *ranked.first()?;
        let n_second = ranked.get(1).map_or(0, |(n, _)| *n);
        (n_best >= min_requests && n_best >= MIN_RATIO * n_second).then_some(best)
    }

    fn api_of(&self, sent: &SentRequest<'_>, route: &PlacedRoute<'_>) -> Option<&ApiUse<'a>> {
        let of_both = self.uses.get(&(sent.user, route.repository))?;
        let base = base_of(route, sent);
        let of_address = |(address, before): &(&str, String)| *address == sent.used.member && *before == base;
        of_both.iter().find(|(key, _)| of_address(key)).map(|(_, of_api)| of_api)
    }

    /// Returns the places that send other requests to the same API.
    fn other_requests(&self, sent: &SentRequest<'_>, route: &PlacedRoute<'_>) -> Vec<EvidenceStep> {
        let sites = self.api_of(sent, route).into_iter().flat_map(|of_api| &of_api.sites);
        let others = sites.filter(|one| one.key.path != sent.key.path || one.key.method != sent.key.method);
        let step = |one: &&SentRequest<'_>| EvidenceStep {
            repository: one.user,
            path: one.used.site.path.clone(),
            line: one.used.site.line,
            content: format!("the same address gets {} {}", one.key.method, one.key.path),
        };
        others.take(MAX_SHOWN).map(|one| step(&one)).collect()
    }
}

/// Returns the part of a route before the path of a request that it answers: `api/v1` of `/api/v1/items` for `/items`.
fn base_of(route: &PlacedRoute<'_>, sent: &SentRequest<'_>) -> String {
    let segments = |path: &'_ str| path.split('/').filter(|segment| !segment.is_empty()).count();
    let n_before = segments(&route.key.path).saturating_sub(segments(&sent.key.path));
    let before = route.key.path.split('/').filter(|segment| !segment.is_empty()).take(n_before);
    before.collect::<Vec<_>>().join("/")
}

/// Returns true for a segment that says nothing of an API: `api`, `v1`.
fn is_version(segment: &str) -> bool {
    if segment.is_empty() {
        return true;
    }
    let digits = segment.strip_prefix(['v', 'V']).unwrap_or("-");
    segment.eq_ignore_ascii_case("api") || segment == "rest" || digits.chars().all(|c| c.is_ascii_digit())
}
