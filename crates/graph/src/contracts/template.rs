//! Paths of HTTP as both sides write them, brought to one form.

/// The longest path that is a route.
const MAX_PATH_BYTES: usize = 300;

/// A path with `{}` for each part that varies; nothing for a text that is no path.
///
/// Both sides write what varies in their own way: `{id}`, `:id`, `<int:id>`, `*rest`, `${id}`. A host before the path, a
/// question after it and a slash at its end say nothing about the route.
pub(super) fn normal(text: &str) -> Option<String> {
    let path = path_of(text)?;
    let path = path.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    if path.len() > MAX_PATH_BYTES || path.contains(char::is_whitespace) {
        return None;
    }
    if path.is_empty() {
        return Some("/".to_owned());
    }
    let parts: Vec<&str> = path[1..].split('/').map(|part| if varies(part) { "{}" } else { part }).collect();
    Some(format!("/{}", parts.join("/")))
}

/// Returns how many parts of a path do not vary.
pub(super) fn n_fixed(normal: &str) -> usize {
    normal.split('/').filter(|part| !part.is_empty() && *part != "{}").count()
}

fn path_of(text: &str) -> Option<&str> {
    if text.starts_with('/') {
        return Some(text).filter(|text| !text.starts_with("//"));
    }
    if let Some(rest) = text.strip_prefix("http://").or(text.strip_prefix("https://")) {
        return rest.find('/').map(|at| &rest[at..]);
    }
    // What is computed before the path is the host.
    text.strip_prefix("{}").filter(|rest| rest.starts_with('/'))
}

fn varies(part: &str) -> bool {
    part.contains('{') || part.starts_with([':', '*', '<']) || part.contains('$')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_meet_in_one_form() {
        for (text, expected) in [
            ("/parcels/{id}", Some("/parcels/{}")),
            ("/parcels/:id/events/", Some("/parcels/{}/events")),
            ("/u/<int:id>?x=1", Some("/u/{}")),
            ("https://a.example/x/{}", Some("/x/{}")),
            ("{}/api/v1/x", Some("/api/v1/x")),
            ("/files/*path", Some("/files/{}")),
            ("/", Some("/")),
            ("parcels", None),
            ("//cdn/x", None),
            ("/a b", None),
        ] {
            assert_eq!(normal(text).as_deref(), expected, "{text}");
        }
        assert_eq!(n_fixed("/a/{}/b"), 2);
    }
}
