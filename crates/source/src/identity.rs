//! The identity of a repository: its origin, or its first commit; never its path.

use model::{CommitId, RepoId};

/// Returns the identity of a repository with this normalised origin.
pub(crate) fn of_origin(normalised_url: &str) -> RepoId {
    hash(&[b"origin", normalised_url.as_bytes()])
}

/// Returns the identity of a repository without an origin that starts with this commit.
pub(crate) fn of_first_commit(first_commit: CommitId) -> RepoId {
    hash(&[b"first commit", &first_commit.0])
}

/// Returns the identity of a plain folder or of a repository without commits, which have only an alias.
pub(crate) fn of_name(namespace: &str, alias: &str) -> RepoId {
    hash(&[b"name", namespace.as_bytes(), alias.as_bytes()])
}

/// Returns the identity of one of several checkouts of the same repository.
pub(crate) fn with_part(id: RepoId, what: &str, part: &str) -> RepoId {
    hash(&[&id.0, what.as_bytes(), part.as_bytes()])
}

fn hash(parts: &[&[u8]]) -> RepoId {
    let mut hasher = blake3::Hasher::new_derive_key("causeway repository id 1");
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    let mut id = [0; 16];
    hasher.finalize_xof().fill(&mut id);
    RepoId(id)
}

/// Normalises the URL of a remote to `host/path`, which is equal for all protocols. Returns none for a local path.
///
/// Removes scheme, user, password, default ports, query, `.git` and slashes around the path. The host becomes lower case.
pub(crate) fn normalise_url(url: &str) -> Option<String> {
    let url = url.trim();
    let (host, path) = match url.split_once("://") {
        Some((scheme, _)) if scheme.eq_ignore_ascii_case("file") => return None,
        Some((_, rest)) => rest.split_once('/')?,
        None => split_scp_like(url)?,
    };
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host).to_ascii_lowercase();
    let host = [":22", ":80", ":443", ":9418"].iter().find_map(|port| host.strip_suffix(port)).unwrap_or(&host);
    let path = path.split(['?', '#']).next().unwrap_or(path).trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path).trim_matches('/');
    if host.is_empty() || path.is_empty() { None } else { Some(format!("{host}/{path}")) }
}

/// Splits `user@host:path`. Text with a slash before the colon is a path, and so is a single letter (a drive).
fn split_scp_like(url: &str) -> Option<(&str, &str)> {
    let (host, path) = url.split_once(':')?;
    let is_host = !host.contains(['/', '\\']) && (host.len() > 1 || host.contains('@'));
    is_host.then_some((host, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_of_all_protocols_normalise_to_one_origin() {
        for url in [
            "git@github.com:acme/api.git",
            "git@GitHub.com:acme/api",
            "github.com:/acme/api/",
            "https://github.com/acme/api",
            "https://user:secret@github.com/acme/api.git/",
            "https://github.com:443/acme/api.git",
            "ssh://git@github.com:22/acme/api.git",
            "git://github.com/acme/api",
            "  https://github.com/acme/api?ref=x ",
        ] {
            assert_eq!(normalise_url(url).as_deref(), Some("github.com/acme/api"), "{url}");
        }
    }

    #[test]
    fn different_remotes_and_local_paths_stay_distinct() {
        for (url, expected) in [
            ("https://git.acme.dev:8443/a/B.git", Some("git.acme.dev:8443/a/B")),
            ("https://h/a/b.github", Some("h/a/b.github")),
            ("ssh://h/~me/x", Some("h/~me/x")),
            ("file:///srv/git/api.git", None),
            ("FILE:///srv/git/api.git", None),
            ("/srv/git/api.git", None),
            ("../lib.git", None),
            ("./a:b", None),
            ("C:\\git\\api", None),
            ("c:/git/api", None),
            ("https://host", None),
            ("https://host/", None),
            ("host:", None),
            ("", None),
        ] {
            assert_eq!(normalise_url(url).as_deref(), expected, "{url}");
        }
    }

    #[test]
    fn identities_of_different_kinds_differ_for_the_same_text() {
        let ids = [
            of_origin("a"),
            of_name("", "a"),
            of_first_commit(CommitId([0; 20])),
            with_part(of_name("", "a"), "alias", "a"),
        ];
        for (idx, id) in ids.iter().enumerate() {
            assert!(!ids[..idx].contains(id));
        }
    }
}
