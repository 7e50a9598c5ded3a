//! Keys of the join, in a form that is equal on both sides.

use super::{SurfaceOffer, SurfaceUse};
use crate::contract::ContractKind;

/// A key of the join. A link needs equal keys; HTTP methods are compared afterwards.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum JoinKey {
    Package(String),
    Rpc(String),
    /// A whole path.
    Route(String),
    /// A path suffix, for clients that have the first segments in their base URL.
    RouteSuffix(String),
}

impl JoinKey {
    /// Returns the key of a package.
    pub(super) fn package(&self) -> Option<&str> {
        match self {
            JoinKey::Package(key) => Some(key),
            _ => None,
        }
    }
}

/// A route in comparable form: `{}` for each variable segment, without trailing slash, query and unknown base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteKey {
    /// In capitals; `*` for every method.
    pub method: String,
    /// The normalized path.
    pub path: String,
    /// True if the path begins with a base that only the running client knows.
    pub has_unknown_base: bool,
}

/// Maximum number of path suffixes to try: a route is mounted under a few prefix segments.
const MAX_PATH_SUFFIXES: usize = 8;

/// Returns the keys under which an offer is found.
pub(super) fn offer_keys(offer: &SurfaceOffer) -> impl Iterator<Item = JoinKey> {
    let mut keys = Vec::new();
    match offer.kind {
        ContractKind::Package => keys.push(JoinKey::Package(offer.key.clone())),
        ContractKind::Grpc => keys.push(JoinKey::Rpc(offer.key.clone())),
        ContractKind::Http => {
            let route = route_key(&offer.key);
            keys.extend(path_suffixes(&route.path).map(|suffix| JoinKey::RouteSuffix(suffix.to_owned())));
            keys.push(JoinKey::Route(route.path));
        }
        // The provider looks these up on request.
        ContractKind::PackageSymbol => {}
    }
    keys.into_iter()
}

/// Returns the keys that a use is joined by.
pub(super) fn use_keys(used: &SurfaceUse) -> impl Iterator<Item = JoinKey> {
    let mut keys = Vec::new();
    match used.kind {
        ContractKind::Package | ContractKind::PackageSymbol => keys.push(JoinKey::Package(used.key.clone())),
        ContractKind::Grpc => keys.push(JoinKey::Rpc(used.key.clone())),
        ContractKind::Http => {
            let route = route_key(&used.key);
            if route.has_unknown_base && is_specific(&route.path) {
                keys.push(JoinKey::RouteSuffix(route.path.clone()));
            }
            if !route.has_unknown_base || has_constant_segment(&route.path) {
                keys.push(JoinKey::Route(route.path));
            }
        }
    }
    keys.into_iter()
}

/// Parses a route in any notation of people and frameworks: `GET /parcels/{id}`, `/parcels/:id`, `get {}/parcels/<int:id>/`.
pub fn route_key(written: &str) -> RouteKey {
    let written = written.trim();
    let (method, path) = match written.split_once(' ') {
        Some((method, path)) if !method.contains('/') => (method.to_ascii_uppercase(), path.trim()),
        _ => ("*".to_owned(), written),
    };
    let path = path.split(['?', '#']).next().unwrap_or(path);
    let (path, has_unknown_base) = match path.strip_prefix("{}") {
        Some(rest) if rest.starts_with('/') => (rest, true),
        _ => (path, false),
    };
    let segments = path.split('/').filter(|segment| !segment.is_empty());
    let templates: Vec<&str> = segments.map(|segment| if is_variable(segment) { "{}" } else { segment }).collect();
    RouteKey { method, path: format!("/{}", templates.join("/")), has_unknown_base }
}

fn is_variable(segment: &str) -> bool {
    segment.starts_with([':', '*'])
        || (segment.starts_with('{') && segment.ends_with('}'))
        || (segment.starts_with('<') && segment.ends_with('>'))
}

/// Returns the proper suffixes of a path that are specific enough to be keys.
fn path_suffixes(path: &str) -> impl Iterator<Item = &str> {
    let starts = path.match_indices('/').map(|(at, _)| at).skip(1).take(MAX_PATH_SUFFIXES);
    starts.map(|at| &path[at..]).filter(|suffix| is_specific(suffix))
}

/// Returns true if a path has a constant segment.
fn has_constant_segment(path: &str) -> bool {
    path.split('/').any(|segment| !segment.is_empty() && segment != "{}")
}

/// Returns true if a path suffix is specific enough: it has two segments, at least one of them constant.
fn is_specific(path: &str) -> bool {
    path.matches('/').count() >= 2 && has_constant_segment(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_route_notation_is_parsed() {
        for (written, method, path, has_unknown_base) in [
            ("GET /parcels/{id}", "GET", "/parcels/{}", false),
            ("post /parcels/:id/", "POST", "/parcels/{}", false),
            ("/parcels/<int:id>?a=1", "*", "/parcels/{}", false),
            ("DELETE {}/parcels//{}", "DELETE", "/parcels/{}", true),
            ("{}", "*", "/{}", false),
            ("", "*", "/", false),
            ("* /", "*", "/", false),
        ] {
            let expected = RouteKey { method: method.to_owned(), path: path.to_owned(), has_unknown_base };
            assert_eq!(route_key(written), expected, "{written}");
        }
    }

    #[test]
    fn path_suffixes_are_few_and_specific() {
        assert_eq!(path_suffixes("/api/v1/parcels/{}").collect::<Vec<_>>(), ["/v1/parcels/{}", "/parcels/{}"]);
        assert_eq!(path_suffixes(&"/a".repeat(10_000)).count(), MAX_PATH_SUFFIXES);
    }
}
