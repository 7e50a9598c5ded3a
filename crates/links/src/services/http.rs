//! HTTP requests: a request is linked to the route that answers it, in the repository that its address leads to.

use rustc_hash::FxHashMap;

use super::{
    CANDIDATE, CONFIRMED, EvidenceStep, ServiceLink, ServiceRepository, link,
    network::{Destination, Network, Route},
    uses_of,
};
use crate::{
    contract::ContractKind,
    join::{RouteKey, SurfaceOffer, SurfaceUse, route_key},
};

/// Minimum number of constant segments of a path that may be linked without evidence.
const MIN_CONSTANT_SEGMENTS: usize = 2;

/// Maximum number of repositories that a request without evidence is linked to; more carry no information.
const MAX_CANDIDATES: usize = 4;

/// Returns the links from requests to routes of other repositories.
pub(super) fn links(repositories: &[ServiceRepository<'_>], network: &Network<'_>) -> Vec<ServiceLink> {
    let routes = Routes::new(repositories);
    let mut links = Vec::new();
    for (user, used) in uses_of(repositories, ContractKind::Http) {
        let request = route_key(&used.key);
        match network.route(user, &used.member) {
            Route::To(destinations) => links.extend(routes.confirmed(user, used, &request, &destinations)),
            Route::Unknown => links.extend(routes.candidates(user, used, &request)),
            Route::Elsewhere => {}
        }
    }
    links
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
}

impl<'a> Routes<'a> {
    fn new(repositories: &[ServiceRepository<'a>]) -> Routes<'a> {
        let mut routes =
            Routes { all: Vec::new(), by_repository: FxHashMap::default(), by_last_segment: FxHashMap::default() };
        for (repository, one) in repositories.iter().enumerate() {
            for offer in one.surface.offers.iter().filter(|offer| offer.kind == ContractKind::Http) {
                let idx = routes.all.len() as u32;
                let key = route_key(&offer.key);
                routes.by_repository.entry(repository).or_default().push(idx);
                if let Some(last) = last_constant(&key.path) {
                    routes.by_last_segment.entry(last.to_owned()).or_default().push(idx);
                }
                routes.all.push(PlacedRoute { repository, key, offer });
            }
        }
        routes
    }

    /// Returns the links of a request to the repositories that its address leads to. If it leads to several that have such a
    /// route, each is a candidate.
    fn confirmed(
        &self,
        user: usize,
        used: &SurfaceUse,
        request: &RouteKey,
        destinations: &[Destination],
    ) -> Vec<ServiceLink> {
        let mut found: Vec<(&PlacedRoute<'_>, &[EvidenceStep])> = Vec::new();
        for to in destinations.iter().filter(|to| to.repository != user) {
            let request = RouteKey { path: format!("{}{}", to.base_path, request.path), ..request.clone() };
            let own = self.by_repository.get(&to.repository).into_iter().flatten().map(|idx| &self.all[*idx as usize]);
            found.extend(best(own, &request, true).map(|route| (route, to.evidence.as_slice())));
        }
        found.sort_by_key(|(route, _)| route.repository);
        found.dedup_by_key(|(route, _)| route.repository);
        let confidence = if found.len() == 1 { CONFIRMED } else { CANDIDATE / found.len().max(1) as f32 };
        found.into_iter().map(|(route, evidence)| route.link(user, used, confidence, evidence.to_vec())).collect()
    }

    /// Returns the links of a request without evidence: none if its own repository has such a route.
    fn candidates(&self, user: usize, used: &SurfaceUse, request: &RouteKey) -> Vec<ServiceLink> {
        if n_constant(&request.path) < MIN_CONSTANT_SEGMENTS {
            return Vec::new();
        }
        let Some(last) = last_constant(&request.path) else { return Vec::new() };
        let alike: Vec<&PlacedRoute<'_>> =
            self.by_last_segment.get(last).into_iter().flatten().map(|idx| &self.all[*idx as usize]).collect();
        let mut by_repository: Vec<&PlacedRoute<'_>> = Vec::new();
        for same in alike.chunk_by(|a, b| a.repository == b.repository) {
            by_repository.extend(best(same.iter().copied(), request, request.has_unknown_base));
        }
        if by_repository.iter().any(|route| route.repository == user) || by_repository.len() > MAX_CANDIDATES {
            return Vec::new();
        }
        let confidence = CANDIDATE / by_repository.len().max(1) as f32;
        by_repository.into_iter().map(|route| route.link(user, used, confidence, Vec::new())).collect()
    }
}

impl PlacedRoute<'_> {
    fn link(&self, user: usize, used: &SurfaceUse, confidence: f32, evidence: Vec<EvidenceStep>) -> ServiceLink {
        let link = link(used, &self.offer.key, &self.offer.site, confidence, evidence);
        ServiceLink { user, provider: self.repository, link }
    }
}

/// Returns the route that answers a request best: the one with the most constant segments, and with its method.
fn best<'r, 'a: 'r>(
    routes: impl Iterator<Item = &'r PlacedRoute<'a>>,
    request: &RouteKey,
    may_have_base: bool,
) -> Option<&'r PlacedRoute<'a>> {
    let scored = routes.filter_map(|route| Some((score(request, &route.key, may_have_base)?, route)));
    // The first of equal routes is kept.
    scored.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, route)| route)
}

/// Returns how well a route answers a request, the greatest being best; `None` if it does not.
fn score(request: &RouteKey, route: &RouteKey, may_have_base: bool) -> Option<(bool, usize, bool)> {
    let has_method = request.method == route.method;
    if !has_method && route.method != "*" && request.method != "*" {
        return None;
    }
    let (wanted, offered) = (segments(&request.path), segments(&route.path));
    // A base of the client that is not written may stand before the path of the request.
    let n_before = offered.len().checked_sub(wanted.len())?;
    let matches =
        wanted.iter().zip(&offered[n_before..]).all(|(wanted, offered)| wanted == offered || *offered == "{}");
    let n_same = wanted.iter().zip(&offered[n_before..]).filter(|(wanted, offered)| wanted == offered).count();
    let is_whole = n_before == 0;
    (matches && (is_whole || may_have_base && n_same > 0)).then_some((is_whole, n_same, has_method))
}

fn segments(path: &str) -> Vec<&str> {
    path.split('/').filter(|segment| !segment.is_empty()).collect()
}

fn n_constant(path: &str) -> usize {
    path.split('/').filter(|segment| !segment.is_empty() && *segment != "{}").count()
}

fn last_constant(path: &str) -> Option<&str> {
    path.rsplit('/').find(|segment| !segment.is_empty() && *segment != "{}")
}
