//! The normal form of HTTP paths, in which both sides of a contract are compared.

/// Maximum length of the path of a route.
const MAX_PATH_BYTES: usize = 300;

/// Returns a path with `{}` for each variable segment; `None` if the text is not a path.
///
/// Each framework has its own notation of a variable: `{id}`, `:id`, `<int:id>`, `*rest`, `${id}`. A host before the path, a
/// query after it and a trailing slash do not belong to the route.
pub(super) fn normalize(text: &str) -> Option<String> {
    let path = without_host(text)?;
    let path = path.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    if path.len() > MAX_PATH_BYTES || path.contains(char::is_whitespace) {
        return None;
    }
    if path.is_empty() {
        return Some("/".to_owned());
    }
    let parts: Vec<&str> = path[1..].split('/').map(|part| if is_variable(part) { "{}" } else { part }).collect();
    Some(format!("/{}", parts.join("/")))
}

/// Returns the number of constant segments of a normalized path.
pub(super) fn n_constant(normal: &str) -> usize {
    normal.split('/').filter(|part| !part.is_empty() && *part != "{}").count()
}

fn without_host(text: &str) -> Option<&str> {
    if text.starts_with('/') {
        return Some(text).filter(|text| !text.starts_with("//"));
    }
    if let Some(rest) = text.strip_prefix("http://").or(text.strip_prefix("https://")) {
        return rest.find('/').map(|at| &rest[at..]);
    }
    // A computed prefix is the host.
    text.strip_prefix("{}").filter(|rest| rest.starts_with('/'))
}

fn is_variable(part: &str) -> bool {
    part.contains('{') || part.starts_with([':', '*', '<']) || part.contains('$')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notations_of_frameworks_have_one_normal_form() {
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
            assert_eq!(normalize(text).as_deref(), expected, "{text}");
        }
        assert_eq!(n_constant("/a/{}/b"), 2);
    }
}
