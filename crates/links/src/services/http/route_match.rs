//! Comparison of a request with a route.

use crate::join::RouteKey;

/// The segment that stands for the rest of a path.
pub(super) const REST: &str = "{*}";

/// The path that a client or a proxy may have before that of the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BasePath {
    None,
    Possible,
}

/// The quality of a match, the greatest being best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RouteScore {
    /// True if the route has no segments before those of the request.
    is_whole: bool,
    /// True if the route has as many segments as the request.
    has_same_length: bool,
    /// Number of equal segments.
    n_same: usize,
    /// True if the route has the method of the request, and neither has any.
    has_method: bool,
}

impl RouteScore {
    /// Returns true if the route has no segments before those of the request.
    pub(super) fn is_whole(self) -> bool {
        self.is_whole
    }
}

/// Returns how well a route answers a request; `None` if it does not.
pub(super) fn score(request: &RouteKey, route: &RouteKey, base: BasePath) -> Option<RouteScore> {
    let is_same_method = request.method == route.method;
    let has_method = is_same_method && route.method != "*";
    // A route of GET answers HEAD too.
    let is_head = request.method == "HEAD" && route.method == "GET";
    if !is_same_method && !is_head && route.method != "*" && request.method != "*" {
        return None;
    }
    let (wanted, offered) = (segments(&request.path), segments(&route.path));
    let has_rest = offered.last() == Some(&REST);
    let fixed = if has_rest { &offered[..offered.len() - 1] } else { &offered[..] };
    let n_before =
        if has_rest { fixed.len().saturating_sub(wanted.len()) } else { fixed.len().checked_sub(wanted.len())? };
    let compared = &fixed[n_before..];
    let pairs = || wanted.iter().zip(compared);
    // Some servers do not tell the case of a path apart.
    let n_same = pairs().filter(|(wanted, offered)| wanted.eq_ignore_ascii_case(offered)).count();
    let matches = pairs().all(|(wanted, offered)| wanted.eq_ignore_ascii_case(offered) || *offered == "{}");
    let is_whole = n_before == 0;
    let may_have_base = base == BasePath::Possible
        && !has_rest
        && pairs().any(|(wanted, offered)| wanted.eq_ignore_ascii_case(offered) && *wanted != "{}");
    let has_same_length = !has_rest && wanted.len() == fixed.len();
    (matches && (is_whole || may_have_base)).then_some(RouteScore { is_whole, has_same_length, n_same, has_method })
}

/// Returns the number of constant segments of a path.
pub(super) fn n_constant(path: &str) -> usize {
    last_constants(path).count()
}

/// Returns the constant segments of a path, the last one first.
pub(super) fn last_constants(path: &str) -> impl Iterator<Item = &str> {
    path.rsplit('/').filter(|segment| !segment.is_empty() && !matches!(*segment, "{}" | REST))
}

fn segments(path: &str) -> Vec<&str> {
    path.split('/').filter(|segment| !segment.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::join::route_key;

    #[test]
    fn the_best_route_answers() {
        let routes = [
            "GET /items/{}",
            "GET /items/me",
            "POST /items/{}",
            "* /items/{}/rows",
            "GET /files/{*}",
            "GET /",
            "GET /v1/carts/{}",
        ];
        for (request, base, expected) in [
            ("GET /items/{}", BasePath::None, Some("GET /items/{}")),
            ("GET /items/7", BasePath::None, Some("GET /items/{}")),
            ("GET /Items/Me", BasePath::None, Some("GET /items/me")),
            ("GET /items/me", BasePath::None, Some("GET /items/me")),
            ("POST /items/me", BasePath::None, Some("POST /items/{}")),
            ("DELETE /items/7", BasePath::None, None),
            ("DELETE /items/7/rows", BasePath::None, Some("* /items/{}/rows")),
            ("HEAD /items/7", BasePath::None, Some("GET /items/{}")),
            ("GET /files/a/b/c", BasePath::None, Some("GET /files/{*}")),
            ("GET /files", BasePath::None, Some("GET /files/{*}")),
            ("GET /", BasePath::Possible, Some("GET /")),
            ("GET /carts/{}", BasePath::None, None),
            ("GET /carts/{}", BasePath::Possible, Some("GET /v1/carts/{}")),
            // An equal variable is no evidence for a base.
            ("GET /{}", BasePath::Possible, None),
        ] {
            let request_key = route_key(request);
            let scored =
                routes.iter().filter_map(|route| Some((score(&request_key, &route_key(route), base)?, *route)));
            let best = scored.reduce(|best, next| if next.0 > best.0 { next } else { best });
            assert_eq!(best.map(|(_, route)| route), expected, "{request}");
        }
    }
}
