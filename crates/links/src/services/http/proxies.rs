//! Proxies: a request that a route of a proxy takes is answered by the service behind it.

use rustc_hash::FxHashMap;

use super::{
    SentRequest,
    placed_routes::{PlacedRoute, Routes, best, is_telling},
    route_match,
    route_match::{BasePath, REST, RouteScore, n_constant},
    unaddressed::is_version,
};
use crate::{
    join::RouteKey,
    services::{
        END_OF_PATH, EvidenceStep,
        network::{Destination, Network, Route},
        systems::Systems,
    },
};

/// Maximum number of proxies between a client and a service.
const MAX_PROXIES: u32 = 4;

/// Maximum number of repositories with a proxy that takes the path of a request.
const MAX_PLACES: usize = 20;

/// Maximum number of routes of proxies that are searched for the services behind them.
const MAX_PROXY_ROUTES: usize = 20_000;

/// A route that answers a request.
#[derive(Clone)]
pub(super) struct RouteAnswer<'r, 'a> {
    pub(super) score: RouteScore,
    pub(super) route: &'r PlacedRoute<'a>,
    /// The first proxy before it.
    pub(super) proxy: Option<&'r PlacedRoute<'a>>,
    /// The proxies before it, and what leads from one to the next.
    pub(super) evidence: Vec<EvidenceStep>,
}

impl RouteAnswer<'_, '_> {
    /// Returns the answer with evidence before its own.
    pub(super) fn with_prior_evidence(self, before: &[EvidenceStep]) -> Self {
        let evidence = before.iter().cloned().chain(self.evidence).collect();
        RouteAnswer { evidence, ..self }
    }
}

/// The address of the service behind a proxy, and the path that replaces the prefix of the route.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Forwarding<'a> {
    address: &'a str,
    path: &'a str,
}

impl<'a> PlacedRoute<'a> {
    /// Returns the service behind a route of a proxy; `None` for a route that the repository answers itself.
    pub(super) fn forwarding(&self) -> Option<Forwarding<'a>> {
        let (address, path) = self.offer.member.split_once(' ')?;
        Some(Forwarding { address, path })
    }

    fn step(&self, forwarding: Forwarding<'_>) -> EvidenceStep {
        let prefix = self.key.path.trim_end_matches("{*}");
        let content = format!("{prefix} -> {}{}", forwarding.address, forwarding.path.trim_end_matches(END_OF_PATH));
        EvidenceStep {
            repository: self.repository,
            path: self.offer.site.path.clone(),
            line: self.offer.site.line,
            content,
        }
    }
}

impl<'a> Routes<'a> {
    /// Returns the routes that answer a request to a repository, through its proxies. A proxy answers itself if the service behind
    /// it has no such route.
    pub(super) fn answers(
        &self,
        network: &Network<'_>,
        repository: usize,
        request: &RouteKey,
        base: BasePath,
        depth: u32,
    ) -> Vec<RouteAnswer<'_, 'a>> {
        let Some((score, route)) = best(self.of_repository(repository), request, base) else { return Vec::new() };
        let direct = RouteAnswer { score, route, proxy: None, evidence: Vec::new() };
        let Some(forwarding) = route.forwarding() else { return vec![direct] };
        let destinations = match network.route(repository, forwarding.address) {
            Route::To(destinations) if depth < MAX_PROXIES => destinations,
            _ => return vec![direct],
        };
        // The key has the names of variables.
        let written = route.offer.key.split_once(' ').map_or(&*route.offer.key, |(_, path)| path);
        let written = written.strip_prefix("{}").filter(|rest| rest.starts_with('/')).unwrap_or(written);
        let path = forwarded(written, &request.path, forwarding.path);
        let mut found = Vec::new();
        for to in destinations.into_iter().filter(|to| to.repository != repository) {
            let behind = RouteKey { path: format!("{}{path}", to.base_path), ..request.clone() };
            let mut answers = self.answers(network, to.repository, &behind, base, depth + 1);
            if answers.is_empty() {
                answers.extend(self.behind_prefix(network, route, request, &to, depth + 1));
            }
            for answer in answers {
                let steps = std::iter::once(route.step(forwarding)).chain(to.evidence.clone()).chain(answer.evidence);
                let evidence = steps.collect();
                found.push(RouteAnswer { proxy: Some(route), evidence, ..answer });
            }
        }
        if found.is_empty() { vec![direct] } else { found }
    }

    /// Returns the answer of the only service behind a route of a proxy to the path behind the prefix of the route, which something between
    /// them takes away. The rest of the path must tell the route.
    fn behind_prefix(
        &self,
        network: &Network<'_>,
        route: &PlacedRoute<'a>,
        request: &RouteKey,
        to: &Destination,
        depth: u32,
    ) -> Option<RouteAnswer<'_, 'a>> {
        let is_kept = route.forwarding().is_some_and(|forwarding| !forwarding.path.trim_matches('/').is_empty());
        let rest = forwarded(&route.key.path, &request.path, "");
        if !is_kept || !has_prefix(route) || n_constant(&rest) == 0 || !is_telling(&request.method, &rest) {
            return None;
        }
        let behind = RouteKey { path: format!("{}{rest}", to.base_path), ..request.clone() };
        let mut answers = self.answers(network, to.repository, &behind, BasePath::None, depth).into_iter();
        answers.next().filter(|answer| answer.route.is_handled() && answers.next().is_none())
    }

    /// Returns the answers to a request of a page, which goes to the host that serves the page: to a proxy in the repository of the page,
    /// or to one that forwards other paths to that repository. None if the repository answers itself.
    pub(super) fn answers_to_page(
        &self,
        network: &Network<'_>,
        page: usize,
        request: &RouteKey,
    ) -> Vec<RouteAnswer<'_, 'a>> {
        let own = best(self.of_repository(page), request, BasePath::None);
        let is_answered = own.is_some_and(|(_, route)| route.is_handled());
        if is_answered {
            return Vec::new();
        }
        let fronts = self.fronts.get(&page).into_iter().flatten().copied();
        let proxies = own.is_some().then_some(page).into_iter().chain(fronts);
        let mut of_proxies = proxies.map(|proxy| {
            let answers = self.answers(network, proxy, request, BasePath::None, 0).into_iter();
            let is_forwarded =
                |answer: &RouteAnswer<'_, '_>| answer.proxy.is_some_and(has_prefix) && answer.route.repository != page;
            answers.filter(is_forwarded).collect::<Vec<_>>()
        });
        of_proxies.find(|answers| !answers.is_empty()).unwrap_or_default()
    }

    /// Returns the answer to a request without an address of the service behind the only proxy that takes its path. The proxy is deployed with
    /// the client, or its prefix is more than a version.
    pub(super) fn answer_through_proxy(
        &self,
        network: &Network<'_>,
        systems: &Systems<'_>,
        sent: &SentRequest<'_>,
    ) -> Option<RouteAnswer<'_, 'a>> {
        let first = sent.key.path.split('/').find(|segment| !segment.is_empty())?;
        let takes = |idx: &&u32| {
            let proxy = &self.all[**idx as usize];
            let has_name = proxy.key.path.split('/').any(|segment| segment != REST && !is_version(segment));
            proxy.repository != sent.user
                && route_match::score(&sent.key, &proxy.key, BasePath::None).is_some()
                && (has_name || systems.deployed_together(sent.user, proxy.repository).is_some())
        };
        let proxies = self.proxies_by_first_segment.get(&first.to_ascii_lowercase()).into_iter().flatten();
        let mut repositories: Vec<usize> =
            proxies.filter(takes).map(|idx| self.all[*idx as usize].repository).collect();
        repositories.sort_unstable();
        repositories.dedup();
        let answers = repositories.into_iter().take(MAX_PLACES).flat_map(|proxy| {
            let answers = self.answers(network, proxy, &sent.key, BasePath::None, 0).into_iter();
            answers.filter(|answer| answer.proxy.is_some() && answer.route.is_handled())
        });
        let mut answers: Vec<RouteAnswer<'_, '_>> =
            answers.filter(|answer| answer.route.repository != sent.user).collect();
        // Several proxies may lead to the same service.
        answers.dedup_by_key(|answer| answer.route.repository);
        answers.pop().filter(|_| answers.is_empty())
    }

    /// Returns the repositories of the proxies that forward requests to a repository, by the latter.
    pub(super) fn fronts(&self, network: &Network<'_>) -> FxHashMap<usize, Vec<usize>> {
        let mut fronts: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for route in self.all.iter().filter(|route| route.forwarding().is_some()).take(MAX_PROXY_ROUTES) {
            let Some(forwarding) = route.forwarding() else { continue };
            let Route::To(destinations) = network.route(route.repository, forwarding.address) else { continue };
            for to in destinations.iter().filter(|to| to.repository != route.repository) {
                let of_service = fronts.entry(to.repository).or_default();
                if !of_service.contains(&route.repository) {
                    of_service.push(route.repository);
                }
            }
        }
        fronts
    }
}

/// Returns true if a route of a proxy takes a part of the paths.
fn has_prefix(route: &PlacedRoute<'_>) -> bool {
    n_constant(&route.key.path) > 0
}

/// Returns the path that a proxy asks of the service: that of the request, with the prefix of the route replaced. A variable has the
/// segment of the request at the place of its name in the route; `{}` has those of the variables in their order.
fn forwarded(route: &str, request: &str, target: &str) -> String {
    fn segments(path: &str) -> impl Iterator<Item = &str> {
        path.split('/').filter(|segment| !segment.is_empty())
    }
    let (target, keeps_rest) = target.strip_suffix(END_OF_PATH).map_or((target, true), |target| (target, false));
    let prefix: Vec<&str> = segments(route).filter(|segment| *segment != REST).collect();
    let asked: Vec<&str> = segments(request).collect();
    let mut unnamed = prefix
        .iter()
        .zip(&asked)
        .filter(|(of_route, _)| of_route.starts_with(['{', ':', '<']))
        .map(|(_, asked)| *asked);
    let target = segments(target).map(|segment| match segment {
        "{}" => unnamed.next().unwrap_or(segment),
        named if named.starts_with('{') && named.ends_with('}') => {
            let at = prefix.iter().position(|of_route| *of_route == named);
            at.and_then(|at| asked.get(at).copied()).unwrap_or("{}")
        }
        constant => constant,
    });
    let rest = asked.iter().skip(if keeps_rest { prefix.len() } else { asked.len() }).copied();
    let path: Vec<&str> = target.chain(rest).collect();
    if path.is_empty() { String::new() } else { format!("/{}", path.join("/")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_replaced() {
        for (route, request, target, expected) in [
            ("/api/cart/{*}", "/api/cart/items/{}", "", "/items/{}"),
            ("/api/cart/{*}", "/api/cart/items", "/v1", "/v1/items"),
            ("/api/{*}", "/api/items", "/api", "/api/items"),
            ("/{*}", "/items", "", "/items"),
            ("/api/cart/{*}", "/api/cart", "", ""),
            ("/api/{}/cart/{*}", "/api/v1/cart/items", "/api/{}/cart", "/api/v1/cart/items"),
            ("/api/{}/cart/{*}", "/api/v1/cart/items", "/cart", "/cart/items"),
            ("/api/:version/cart/{*}", "/api/v1/cart/items", "/{}", "/v1/items"),
            ("/a/{tenant}/{version}/{*}", "/a/t1/v2/items", "/{version}/{tenant}", "/v2/t1/items"),
            ("/a/{tenant}/{*}", "/a/t1/items", "/{other}", "/{}/items"),
            ("/a/{tenant}/{*}", "/a/t1/items", "/health$", "/health"),
            ("/a/{tenant}/{*}", "/a/t1/items", "/{tenant}/health$", "/t1/health"),
            ("/a/{*}", "/a/items", "/$", ""),
        ] {
            assert_eq!(forwarded(route, request, target), expected, "{route} {request}");
        }
    }
}
