//! Context paths: a service runs under a path that the settings of another repository may have.

use rustc_hash::FxHashMap;

use super::{
    SentRequest,
    placed_routes::{PlacedRoute, Routes, is_telling},
    proxies::RouteAnswer,
    route_match::{BasePath, n_constant},
    unaddressed::{DEDUCED, HostKnowledge, UnaddressedRequests, is_version},
};
use crate::{
    contracts::is_context_path,
    join::RouteKey,
    services::{
        AddressTemplate, CANDIDATE, EvidenceStep,
        network::{DeployedSetting, Destination, Network, Route},
    },
};

/// The settings of paths under which services run, by path without its slashes.
pub(super) struct ContextPaths<'a>(FxHashMap<String, Vec<DeployedSetting<'a>>>);

impl<'a> ContextPaths<'a> {
    pub(super) fn new(network: &Network<'a>) -> ContextPaths<'a> {
        let mut by_path: FxHashMap<String, Vec<DeployedSetting<'a>>> = FxHashMap::default();
        for setting in network.settings().filter(|one| is_context_path(one.variable, &one.used.member)) {
            let path = setting.used.member.trim_matches('/').to_ascii_lowercase();
            by_path.entry(path).or_default().push(setting);
        }
        for settings in by_path.values_mut() {
            settings.sort_by(|a, b| (a.repository, &a.used.site).cmp(&(b.repository, &b.used.site)));
        }
        ContextPaths(by_path)
    }

    /// Returns the settings of a path, in order.
    pub(super) fn settings(&self, path: &str) -> impl Iterator<Item = &DeployedSetting<'a>> {
        self.0.get(&path.to_ascii_lowercase()).into_iter().flatten()
    }
}

impl<'a> Routes<'a> {
    /// Returns the answer to a request whose address has a default with the path under which the service runs: the path of the default is no
    /// part of that of the route. `http://gateway/cart` is such a default for `cart`.
    pub(super) fn behind_default_base(
        &self,
        network: &Network<'_>,
        unaddressed: &UnaddressedRequests<'_, '_>,
        sent: &SentRequest<'_>,
        host: HostKnowledge,
    ) -> Option<RouteAnswer<'_, 'a>> {
        let template = AddressTemplate::parse(&sent.used.member);
        let base = template.base_paths().next()?;
        let rest = sent.key.path.strip_prefix(base.as_str()).filter(|rest| rest.starts_with('/'))?;
        let context = base.rsplit('/').find(|segment| !segment.is_empty())?;
        let key = RouteKey { path: rest.to_owned(), ..sent.key.clone() };
        let behind = SentRequest { user: sent.user, used: sent.used, key, route: Route::Unknown };
        let answer = unaddressed.answer(self, network, &behind, host)?;
        let evidence = unaddressed.context_evidence(network, context, answer.route.repository)?;
        Some(answer.with_prior_evidence(&evidence))
    }

    /// Returns the answer of the only service behind an address whose routes lack the version that the request begins with: `/items` for
    /// `/api/v1/items`. Settings may have the prefix of the routes, which the code does not tell; none of them may have this one, or a
    /// number of a version (`v1`).
    pub(super) fn behind_version(
        &self,
        network: &Network<'_>,
        sent: &SentRequest<'_>,
        destinations: &[Destination],
    ) -> Option<RouteAnswer<'_, 'a>> {
        // A setting that has a base path asks for it.
        let [to] = destinations else { return None };
        let segments: Vec<&str> = sent.key.path.split('/').filter(|segment| !segment.is_empty()).collect();
        let n_version = segments.iter().take_while(|segment| is_version(segment)).count();
        let (version, rest) = segments.split_at(n_version);
        let rest = format!("/{}", rest.join("/"));
        let is_telling_rest = n_constant(&rest) > 0 && is_telling(&sent.key.method, &rest);
        if version.is_empty() || !to.base_path.is_empty() || !is_telling_rest {
            return None;
        }
        let has_version = |route: &PlacedRoute<'_>| {
            let mut of_route = route.key.path.split('/').filter(|segment| !segment.is_empty());
            // The code tells the versions of a service whose other routes have one.
            let is_number = |segment: &str| is_version(segment) && segment.ends_with(|c: char| c.is_ascii_digit());
            route.is_handled()
                && (of_route.clone().any(is_number) || version.iter().all(|segment| of_route.next() == Some(segment)))
        };
        if to.repository == sent.user || self.of_repository(to.repository).any(has_version) {
            return None;
        }
        let request = RouteKey { path: rest, ..sent.key.clone() };
        let mut answers = self.answers(network, to.repository, &request, BasePath::None, 0).into_iter();
        let answer = answers.next().filter(|answer| answer.route.is_handled() && answers.next().is_none())?;
        Some(answer.with_prior_evidence(&to.evidence))
    }

    /// Returns the answer of the only service behind an address if the request begins with the path under which the service runs, with its
    /// confidence. Without the name of the service or a setting for the path, the answer is a candidate, and the rest must be telling.
    pub(super) fn behind_context_path(
        &self,
        network: &Network<'_>,
        unaddressed: &UnaddressedRequests<'_, '_>,
        sent: &SentRequest<'_>,
        destinations: &[Destination],
    ) -> Option<(RouteAnswer<'_, 'a>, f32)> {
        let each = destinations.iter().filter_map(|to| {
            let (answer, known) = self.behind_context_path_of(network, unaddressed, sent, to)?;
            // One of several addresses must be that of the service.
            (known.is_some() || destinations.len() == 1).then_some((to, answer, known))
        });
        let mut found: Vec<_> = each.collect();
        let (to, answer, known) = found.pop().filter(|_| found.is_empty())?;
        let confidence = if known.is_some() { DEDUCED } else { CANDIDATE };
        let evidence = [to.evidence.clone(), known.unwrap_or_default()].concat();
        Some((answer.with_prior_evidence(&evidence), confidence))
    }

    /// Returns the answer of one service, and the evidence that it runs under the first segment of the path.
    fn behind_context_path_of(
        &self,
        network: &Network<'_>,
        unaddressed: &UnaddressedRequests<'_, '_>,
        sent: &SentRequest<'_>,
        to: &Destination,
    ) -> Option<(RouteAnswer<'_, 'a>, Option<Vec<EvidenceStep>>)> {
        let path = format!("{}{}", to.base_path, sent.key.path);
        let (context, rest) = path.trim_start_matches('/').split_once('/')?;
        if context.contains('{') || to.repository == sent.user {
            return None;
        }
        let known = unaddressed.context_evidence(network, context, to.repository);
        let is_telling_path = n_constant(rest) > 0 && is_telling(&sent.key.method, rest);
        // A setting that has a base path asks for it.
        if known.is_none() && !(is_telling_path && to.base_path.is_empty()) {
            return None;
        }
        let request = RouteKey { path: format!("/{rest}"), ..sent.key.clone() };
        let mut answers = self.answers(network, to.repository, &request, BasePath::None, 0).into_iter();
        let answer = answers.next().filter(|answer| answer.route.is_handled() && answers.next().is_none())?;
        Some((answer, known))
    }
}
