//! What both sides of a link write alike.

use super::{Offer, Use};
use crate::contracts::ContractKind;

/// What offers and uses are found by. Equal keys are necessary for a link; methods are compared afterwards.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Package(String),
    Rpc(String),
    /// A whole path.
    Route(String),
    /// The end of a path: for clients that have its beginning in their base address.
    RouteEnd(String),
}

/// A route as it is compared: `{}` for whatever varies, without a slash at the end, a query or an unknown base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteKey {
    /// In capitals; `*` for any.
    pub method: String,
    pub path: String,
    /// Whether the path began with something that only the running client knows.
    pub is_base_unsaid: bool,
}

/// Ends of a path that are looked for: routes are mounted under a few segments, not under dozens.
const MAX_ENDS: usize = 8;

pub(super) fn offer_keys(offer: &Offer) -> impl Iterator<Item = Key> {
    let mut keys = Vec::new();
    match offer.kind {
        ContractKind::Package => keys.push(Key::Package(offer.key.clone())),
        ContractKind::Grpc => keys.push(Key::Rpc(offer.key.clone())),
        ContractKind::Http => {
            let route = route_key(&offer.key);
            keys.extend(ends(&route.path).map(|end| Key::RouteEnd(end.to_owned())));
            keys.push(Key::Route(route.path));
        }
        // They are found by asking for them.
        ContractKind::PackageSymbol => {}
    }
    keys.into_iter()
}

pub(super) fn use_keys(used: &Use) -> impl Iterator<Item = Key> {
    let mut keys = Vec::new();
    match used.kind {
        ContractKind::Package | ContractKind::PackageSymbol => keys.push(Key::Package(used.key.clone())),
        ContractKind::Grpc => keys.push(Key::Rpc(used.key.clone())),
        ContractKind::Http => {
            let route = route_key(&used.key);
            if route.is_base_unsaid && is_telling(&route.path) {
                keys.push(Key::RouteEnd(route.path.clone()));
            }
            if !route.is_base_unsaid || is_named(&route.path) {
                keys.push(Key::Route(route.path));
            }
        }
    }
    keys.into_iter()
}

/// Reads a route as people and frameworks write it: `GET /parcels/{id}`, `/parcels/:id`, `get {}/parcels/<int:id>/`.
pub fn route_key(written: &str) -> RouteKey {
    let written = written.trim();
    let (method, path) = match written.split_once(' ') {
        Some((method, path)) if !method.contains('/') => (method.to_ascii_uppercase(), path.trim()),
        _ => ("*".to_owned(), written),
    };
    let path = path.split(['?', '#']).next().unwrap_or(path);
    let (path, is_base_unsaid) = match path.strip_prefix("{}") {
        Some(rest) if rest.starts_with('/') => (rest, true),
        _ => (path, false),
    };
    let segments = path.split('/').filter(|segment| !segment.is_empty());
    let templates: Vec<&str> = segments.map(|segment| if varies(segment) { "{}" } else { segment }).collect();
    RouteKey { method, path: format!("/{}", templates.join("/")), is_base_unsaid }
}

fn varies(segment: &str) -> bool {
    segment.starts_with([':', '*'])
        || (segment.starts_with('{') && segment.ends_with('}'))
        || (segment.starts_with('<') && segment.ends_with('>'))
}

/// Returns the proper ends of a path that tell enough to be looked for.
fn ends(path: &str) -> impl Iterator<Item = &str> {
    let starts = path.match_indices('/').map(|(at, _)| at).skip(1).take(MAX_ENDS);
    starts.map(|at| &path[at..]).filter(|end| is_telling(end))
}

/// Says whether a path has a segment that does not vary.
fn is_named(path: &str) -> bool {
    path.split('/').any(|segment| !segment.is_empty() && segment != "{}")
}

/// Says whether the end of a path tells enough: two segments, one of which does not vary.
fn is_telling(path: &str) -> bool {
    path.matches('/').count() >= 2 && is_named(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_are_read_in_every_notation() {
        for (written, method, path, is_base_unsaid) in [
            ("GET /parcels/{id}", "GET", "/parcels/{}", false),
            ("post /parcels/:id/", "POST", "/parcels/{}", false),
            ("/parcels/<int:id>?a=1", "*", "/parcels/{}", false),
            ("DELETE {}/parcels//{}", "DELETE", "/parcels/{}", true),
            ("{}", "*", "/{}", false),
            ("", "*", "/", false),
            ("* /", "*", "/", false),
        ] {
            let expected = RouteKey { method: method.to_owned(), path: path.to_owned(), is_base_unsaid };
            assert_eq!(route_key(written), expected, "{written}");
        }
    }

    #[test]
    fn ends_are_few_and_tell_something() {
        assert_eq!(ends("/api/v1/parcels/{}").collect::<Vec<_>>(), ["/v1/parcels/{}", "/parcels/{}"]);
        assert_eq!(ends(&"/a".repeat(10_000)).count(), MAX_ENDS);
    }
}
