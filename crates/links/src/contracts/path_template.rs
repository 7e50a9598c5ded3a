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
    let mut parts: Vec<&str> = path[1..].split('/').map(segment_template).collect();
    if path.rsplit('/').next().is_some_and(is_catch_all) {
        parts.pop();
        parts.push("{*}");
    }
    Some(format!("/{}", parts.join("/")))
}

/// Returns the number of constant segments of a normalized path.
pub(super) fn n_constant(normal: &str) -> usize {
    normal.split('/').filter(|part| !part.is_empty() && !matches!(*part, "{}" | "{*}")).count()
}

/// Returns the paths that a path with an optional end stands for: `/x/:id?`, `/x/{id?}`, `/x(/:id)`, `/x/[[...id]]`.
pub(super) fn expand_optional(path: &str) -> Vec<String> {
    let path = path.replace("(.:format)", "");
    let (before, last) = path.rsplit_once('/').unwrap_or(("", &path));
    if let Some((start, inner)) = path.strip_suffix(')').and_then(|path| path.split_once("(/")) {
        return vec![start.to_owned(), format!("{start}/{inner}")];
    }
    let is_optional = last.starts_with(':') && last.ends_with('?')
        || last.starts_with('{') && last.ends_with("?}")
        || last.starts_with("[[...");
    if !is_optional {
        return vec![path];
    }
    let whole = format!("{before}/{}", last.replace('?', ""));
    vec![if before.is_empty() { "/".to_owned() } else { before.to_owned() }, whole]
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

/// Returns `{}` for a variable segment, in the notation of any framework; any other segment as it is.
pub(super) fn segment_template(part: &str) -> &str {
    if is_variable(part) { "{}" } else { part }
}

/// Returns true for a segment that stands for the rest of a path: `*rest`, `**`, `{rest...}`, `{*rest}`, `{path:path}`,
/// `<path:rest>`, `[...rest]`, `:rest*`, `(.*)`.
fn is_catch_all(part: &str) -> bool {
    let part = part.trim_start_matches('[');
    part.starts_with('*')
        || part.starts_with("{*")
        || part.starts_with("...")
        || part.starts_with("<path:")
        || part.starts_with('{') && (part.ends_with("...}") || part.ends_with(":path}") || part.ends_with(":.*}"))
        || part.starts_with(':') && (part.ends_with('*') || part.contains("(.*)"))
        || part == "(.*)"
}

fn is_variable(part: &str) -> bool {
    part.contains('{') || part.contains('$') || part.starts_with([':', '*', '<', '[', '('])
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
            ("/files/*path", Some("/files/{*}")),
            ("/a/*/b", Some("/a/{}/b")),
            ("/files/{path...}", Some("/files/{*}")),
            ("/files/<path:rest>", Some("/files/{*}")),
            ("/shop/[...slug]", Some("/shop/{*}")),
            ("/", Some("/")),
            ("parcels", None),
            ("//cdn/x", None),
            ("/a b", None),
        ] {
            assert_eq!(normalize(text).as_deref(), expected, "{text}");
        }
        assert_eq!(n_constant("/a/{}/b"), 2);
    }

    #[test]
    fn optional_ends_give_two_paths() {
        for (path, expected) in [
            ("/x/:id?", &["/x", "/x/:id"][..]),
            ("/x/{id?}", &["/x", "/x/{id}"]),
            ("/x(/:id)", &["/x", "/x/:id"]),
            ("/:id?", &["/", "/:id"]),
            ("/x(.:format)", &["/x"]),
            ("/x", &["/x"]),
        ] {
            assert_eq!(expand_optional(path), expected, "{path}");
        }
    }
}
