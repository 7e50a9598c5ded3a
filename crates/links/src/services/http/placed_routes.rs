//! The routes of all repositories, and those that may answer a request.

use rustc_hash::FxHashMap;

use super::{
    route_match::{self, BasePath, RouteScore, last_constants},
    unaddressed::is_version,
};
use crate::{
    contract::ContractKind,
    join::{RouteKey, SurfaceOffer, SurfaceUse, route_key},
    services::{EvidenceStep, ServiceLink, ServiceRepository, link, network::Network},
};

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

/// Segments that name an area of all services.
const AREAS: [&str; 4] = ["api", "rest", "internal", "public"];

/// A route of a repository.
pub(super) struct PlacedRoute<'a> {
    pub(super) repository: usize,
    pub(super) key: RouteKey,
    pub(super) offer: &'a SurfaceOffer,
}

/// The routes of all repositories.
pub(super) struct Routes<'a> {
    pub(super) all: Vec<PlacedRoute<'a>>,
    by_repository: FxHashMap<usize, Vec<u32>>,
    /// By last constant segment of the path; those without one are no candidates.
    by_last_segment: FxHashMap<String, Vec<u32>>,
    /// The routes of the path `/` that code handles.
    roots: Vec<u32>,
    /// By first segment of the path: the routes of proxies that take a part of the paths.
    pub(super) proxies_by_first_segment: FxHashMap<String, Vec<u32>>,
    /// By repository: those of the proxies that forward requests to it.
    pub(super) fronts: FxHashMap<usize, Vec<usize>>,
}

impl<'a> Routes<'a> {
    pub(super) fn new(repositories: &[ServiceRepository<'a>], network: &Network<'_>) -> Routes<'a> {
        let mut routes = Routes {
            all: Vec::new(),
            by_repository: FxHashMap::default(),
            by_last_segment: FxHashMap::default(),
            roots: Vec::new(),
            proxies_by_first_segment: FxHashMap::default(),
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
                let first = key.path.split('/').find(|segment| !segment.is_empty());
                if let Some(first) = first.filter(|first| !offer.member.is_empty() && !first.starts_with('{')) {
                    routes.proxies_by_first_segment.entry(first.to_ascii_lowercase()).or_default().push(idx);
                }
                let placed = PlacedRoute { repository, key, offer };
                if placed.key.path == "/" && placed.is_handled() {
                    routes.roots.push(idx);
                }
                routes.all.push(placed);
            }
        }
        routes.fronts = routes.fronts(network);
        routes
    }

    pub(super) fn of_repository(&self, repository: usize) -> impl Iterator<Item = &PlacedRoute<'a>> {
        self.by_repository.get(&repository).into_iter().flatten().map(|idx| &self.all[*idx as usize])
    }

    /// Returns the route of each repository for exactly the path `/` and the method of a request.
    pub(super) fn at_root(&self, request: &RouteKey) -> Vec<(RouteScore, &PlacedRoute<'a>)> {
        let roots = self.roots.iter().map(|idx| &self.all[*idx as usize]);
        let roots: Vec<&PlacedRoute<'_>> = roots.filter(|route| route.key.method == request.method).collect();
        let of_each = roots.chunk_by(|a, b| a.repository == b.repository);
        of_each.filter_map(|same| best(same.iter().copied(), request, BasePath::None)).collect()
    }

    /// Returns the route of each repository that answers a request best, whichever service is asked.
    pub(super) fn alike(&self, request: &RouteKey) -> Vec<(RouteScore, &PlacedRoute<'a>)> {
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
}

/// Returns true if a path ends with a segment that nearly every service has, such as that of a probe, or has no segment.
pub(super) fn is_common(path: &str) -> bool {
    path.rsplit('/').find(|segment| !segment.is_empty()).is_none_or(|last| COMMON_SEGMENTS.contains(&last))
}

/// Returns true unless nearly every service has a route with the last constant segment of a path. Such routes only read, and have no
/// variables: a change below another name is telling, as `PUT /orders/status`, and so is a part of one item, as `GET /orders/{}/status`.
pub(super) fn is_telling(method: &str, path: &str) -> bool {
    let is_common = |segment: &str| COMMON_SEGMENTS.contains(&segment);
    let is_change = matches!(method, "POST" | "PUT" | "PATCH" | "DELETE");
    let is_of_item = path
        .rsplit('/')
        .find(|segment| !segment.is_empty() && !is_common(segment))
        .is_some_and(|segment| segment.starts_with('{'));
    let mut constants = last_constants(path);
    match constants.next() {
        Some(last) if is_common(last) => {
            (is_change || is_of_item)
                && constants.any(|segment| !is_version(segment) && !AREAS.contains(&segment) && !is_common(segment))
        }
        last => last.is_some(),
    }
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
            let has_longer = same.iter().any(|other| {
                let longer = &routes[*other].1.path;
                longer.len() > path.len() && path.len() > 1 && longer.ends_with(path.as_str())
            });
            // A router that is mounted under a prefix and under none has the bare path from its own file and from the mount.
            let n_equal = same.iter().filter(|other| routes[**other].1.path == *path).count();
            is_bare[*one] = has_longer && n_equal == 1;
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
    pub(super) fn is_handled(&self) -> bool {
        let path = &self.offer.site.path;
        self.offer.member.is_empty() && ![".yaml", ".yml", ".json"].iter().any(|end| path.ends_with(end))
    }

    pub(super) fn link(
        &self,
        user: usize,
        used: &SurfaceUse,
        confidence: f32,
        evidence: Vec<EvidenceStep>,
    ) -> ServiceLink {
        let link = link(used, &self.offer.key, &self.offer.site, confidence, evidence);
        ServiceLink { user, provider: self.repository, link }
    }
}

/// Returns the route that answers a request best, the first of equal ones, with its score.
pub(super) fn best<'r, 'a: 'r>(
    routes: impl Iterator<Item = &'r PlacedRoute<'a>>,
    request: &RouteKey,
    base: BasePath,
) -> Option<(RouteScore, &'r PlacedRoute<'a>)> {
    let scored = routes.filter_map(|route| Some((route_match::score(request, &route.key, base)?, route)));
    scored.reduce(|best, next| if (next.0, next.1.is_handled()) > (best.0, best.1.is_handled()) { next } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probes_are_not_telling_and_changes_are() {
        for (method, path, expected) in [
            ("GET", "/items", true),
            ("GET", "/items/{}", true),
            ("PUT", "/orders/status", true),
            ("POST", "/orders/{}/status", true),
            ("GET", "/orders/{}/status", true),
            ("GET", "/v1/orders/{}/status", true),
            ("GET", "/orders/status", false),
            ("GET", "/{}/status", false),
            ("GET", "/v1/{}/status", false),
            ("GET", "/api/{}/status", false),
            ("GET", "/rest/v2/{}/status", false),
            ("GET", "/internal/{}/status", false),
            ("GET", "/public/api/{}/status", false),
            ("GET", "/internal/orders/{}/status", true),
            ("GET", "/{}/orders/status", false),
            ("*", "/orders/status", false),
            ("GET", "/health", false),
            ("POST", "/health", false),
            ("POST", "/api/v1/status", false),
            ("POST", "/health/status", false),
            ("POST", "/{}", false),
        ] {
            assert_eq!(is_telling(method, path), expected, "{method} {path}");
        }
    }
}
