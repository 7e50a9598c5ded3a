//! HTTP routes in the form in which both sides are compared.

/// A route in comparable form: `{}` for each variable segment, `{*}` for the rest of a path, without trailing slash, query and unknown base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteKey {
    /// In capitals; `*` for every method.
    pub method: String,
    /// The normalized path.
    pub path: String,
    /// True if the path begins with a base that only the running client knows.
    pub has_unknown_base: bool,
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
    let templates: Vec<&str> = segments.map(template).collect();
    RouteKey { method, path: format!("/{}", templates.join("/")), has_unknown_base }
}

/// Returns `{}` for a variable segment, and `{*}` for one that stands for the rest of a path.
fn template(segment: &str) -> &str {
    match segment {
        "{*}" | "**" => "{*}",
        segment if is_variable(segment) => "{}",
        segment => segment,
    }
}

fn is_variable(segment: &str) -> bool {
    segment.starts_with([':', '*'])
        || (segment.starts_with('{') && segment.ends_with('}'))
        || (segment.starts_with('<') && segment.ends_with('>'))
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
            ("GET /files/{*}", "GET", "/files/{*}", false),
            ("", "*", "/", false),
            ("* /", "*", "/", false),
        ] {
            let expected = RouteKey { method: method.to_owned(), path: path.to_owned(), has_unknown_base };
            assert_eq!(route_key(written), expected, "{written}");
        }
    }
}
