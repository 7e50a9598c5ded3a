//! Addresses of pages. Each is relative to the server, and every name in it is encoded.

use std::fmt::Write as _;

/// Separates the alias of a repository from a path: no path component of a repository's alias is a hyphen alone.
pub const SEPARATOR: &str = "/-/";

/// Encodes a text for a query or a path. `is_path` keeps slashes.
fn encoded(written: &str, is_path: bool) -> String {
    let mut encoded = String::with_capacity(written.len());
    for byte in written.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => encoded.push(byte as char),
            b'/' if is_path => encoded.push('/'),
            b':' | b'@' | b',' => encoded.push(byte as char),
            _ => write!(encoded, "%{byte:02X}").expect("writing to a string cannot fail"),
        }
    }
    encoded
}

/// Returns an address with a query of the parameters that are not empty.
pub fn with_query(path: &str, parameters: &[(&str, &str)]) -> String {
    let given: Vec<String> = parameters
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("{name}={}", encoded(value, true)))
        .collect();
    if given.is_empty() { path.to_owned() } else { format!("{path}?{}", given.join("&")) }
}

/// Returns the page of a repository.
pub fn repository(alias: &str) -> String {
    format!("/r/{}", encoded(alias, true))
}

/// Returns the page of a file, at a line unless it is 0.
pub fn file(alias: &str, path: &str, line: u32) -> String {
    let page = format!("/r/{}{SEPARATOR}{}", encoded(alias, true), encoded(path, true));
    if line == 0 { page } else { format!("{page}?at={line}#L{line}") }
}

/// Returns the page of a folder, which ends with a slash. An empty path is the root of the repository.
pub fn folder(alias: &str, path: &str) -> String {
    let folder = format!("/r/{}{SEPARATOR}{}", encoded(alias, true), encoded(path, true));
    if path.is_empty() { folder } else { format!("{folder}/") }
}

/// Returns the page of a definition. `id` has the alias.
pub fn symbol(id: &str) -> String {
    with_query("/symbol", &[("id", id)])
}

/// Returns the page of an entity: of a definition, or of a file such as `alias:path`.
pub fn entity(id: &str) -> String {
    match (id.contains("//"), crate::answer::CodePlace::parse(id)) {
        (false, Some(place)) => file(&place.repo, &place.path, place.line),
        _ => symbol(id),
    }
}

/// Returns the page with the effects of a change of an entity.
pub fn impact(target: &str) -> String {
    with_query("/impact", &[("target", target)])
}

/// Returns the page with the links of one repository to another.
pub fn evidence(user: &str, provider: &str, kind: &str) -> String {
    with_query("/links", &[("user", user), ("provider", provider), ("kind", kind)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_encoded() {
        assert_eq!(repository("acme/api"), "/r/acme/api");
        assert_eq!(file("api", "src/a b?.rs", 3), "/r/api/-/src/a%20b%3F.rs?at=3#L3");
        assert_eq!(folder("api", "src/a b"), "/r/api/-/src/a%20b/");
        assert_eq!(symbol("api//src/a.rs::<T>"), "/symbol?id=api//src/a.rs::%3CT%3E");
        assert_eq!(entity("api:src/a.rs:3"), file("api", "src/a.rs", 3));
        assert_eq!(evidence("a", "b", ""), "/links?user=a&provider=b");
    }
}
