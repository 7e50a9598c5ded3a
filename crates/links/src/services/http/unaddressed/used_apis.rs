//! The APIs that clients use at addresses which lead to no repository: the requests that the routes of one repository answer.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::{
    super::{
        SentRequest,
        placed_routes::{PlacedRoute, Routes, is_telling},
        route_match::last_constants,
    },
    ScoredRoute, base_of, is_version,
};
use crate::services::{EvidenceStep, network::Route};

/// Minimum number of different requests to one address that tell an API, and of different constant segments in them.
const MIN_OF_API: usize = 3;

/// An API tells the service if its requests are this many times those that another repository with the same route answers.
const MIN_RATIO: usize = 2;

/// Maximum number of other requests that are shown as evidence.
const MAX_SHOWN: usize = 2;

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

/// The requests whose address leads to no repository, by client and repository.
pub(super) struct UsedApis<'a> {
    uses: FxHashMap<(usize, usize), ApiUses<'a>>,
}

impl<'a> UsedApis<'a> {
    pub(super) fn new(routes: &Routes<'_>, sent: &'a [SentRequest<'a>]) -> UsedApis<'a> {
        let mut uses: FxHashMap<(usize, usize), ApiUses<'_>> = FxHashMap::default();
        let unknown =
            sent.iter().filter(|one| one.route == Route::Unknown && is_telling(&one.key.method, &one.key.path));
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
        UsedApis { uses }
    }

    /// Returns the route of the repository of which the client uses an API.
    pub(super) fn answer<'s, 'o>(
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
    pub(super) fn most_used<'s, 'o>(
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
