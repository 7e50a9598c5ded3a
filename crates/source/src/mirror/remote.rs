//! URLs of remotes, aliases and branches, as a configuration may contain them.

use std::{fmt, path::PathBuf};

use super::local_remotes::path_of;
use crate::identity;

/// A URL with a supported protocol and without secrets.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RemoteUrl {
    text: String,
    scheme: Scheme,
}

/// A supported protocol. None of them can run a program that the URL names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Scheme {
    Https,
    /// Unencrypted; used only if the URL requests it.
    Http,
    Ssh,
    File,
}

/// The reason why a URL is rejected. It does not repeat the URL, since that may contain a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RemoteError {
    /// The URL is empty, or contains whitespace or control characters.
    #[error("its URL is empty, or contains whitespace or a control character")]
    Malformed,
    /// The protocol is not supported.
    #[error("its URL must begin with `https://`, `ssh://`, `file:///` or `http://`, or look like `git@host:path`")]
    Scheme,
    /// The host or the path is missing.
    #[error("its URL names no host, or no path")]
    Incomplete,
    /// The URL contains a user or a password.
    #[error(
        "its URL contains a user or a password; configure the user and a `token_file` for its host under \
         `[[repositories.credentials]]`"
    )]
    Secret,
    /// The URL contains a query or a fragment.
    #[error("its URL contains a `?` or a `#`, which no remote needs")]
    Query,
}

impl RemoteUrl {
    /// Parses a URL. Local paths must be absolute.
    pub fn parse(text: &str) -> Result<RemoteUrl, RemoteError> {
        if text.is_empty() || text.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err(RemoteError::Malformed);
        }
        let scheme = scheme(text)?;
        let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
        if scheme != Scheme::File && rest.contains(['?', '#']) {
            return Err(RemoteError::Query);
        }
        let authority = rest.split('/').next().unwrap_or_default();
        let user = authority.rsplit_once('@').map(|(user, _)| user);
        let is_secret = match scheme {
            Scheme::Https | Scheme::Http => user.is_some(),
            Scheme::Ssh => user.is_some_and(|user| user.contains(':')),
            Scheme::File => false,
        };
        if is_secret {
            return Err(RemoteError::Secret);
        }
        let is_complete = match scheme {
            Scheme::File => rest.starts_with('/') && !rest.trim_matches('/').is_empty(),
            _ => !authority.starts_with('-') && identity::normalise_url(text).is_some(),
        };
        if is_complete { Ok(RemoteUrl { text: text.to_owned(), scheme }) } else { Err(RemoteError::Incomplete) }
    }

    /// Returns the URL as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the normalised location, which is equal for all protocols.
    pub fn location(&self) -> String {
        identity::normalise_url(&self.text).unwrap_or_else(|| {
            let path = self.text.strip_prefix("file://").unwrap_or(&self.text).trim_end_matches('/');
            format!("file:{}", path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/'))
        })
    }

    /// Returns the host, with its port unless that is a default one; `None` for a local path.
    pub fn network_host(&self) -> Option<String> {
        let place = identity::normalise_url(&self.text)?;
        place.split('/').next().map(str::to_owned)
    }

    /// Returns true if `text` names this repository: by any of its URLs, or by its path without a host. The comparison ignores
    /// case, as code hosts do.
    pub fn is_same_repository(&self, text: &str) -> bool {
        let place = self.location().to_lowercase();
        match RemoteUrl::parse(text) {
            Ok(url) => url.location().to_lowercase() == place,
            Err(_) => {
                let path = text.trim_matches('/').trim_end_matches(".git").to_lowercase();
                // A single name is ambiguous; a folder and a name are required.
                path.contains('/') && place.strip_suffix(&path).is_some_and(|before| before.ends_with('/'))
            }
        }
    }

    /// Returns the path of a repository on this disk; `None` for another one.
    pub(super) fn local_path(&self) -> Option<PathBuf> {
        (self.scheme == Scheme::File).then(|| path_of(&self.text))
    }

    pub(super) fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Returns host and port as written in the URL.
    pub(super) fn host(&self) -> &str {
        let rest = self.text.split_once("://").map_or("", |(_, rest)| rest);
        rest.split('/').next().unwrap_or_default()
    }
}

impl fmt::Display for RemoteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn scheme(text: &str) -> Result<Scheme, RemoteError> {
    match text.split_once("://") {
        Some(("https", _)) => Ok(Scheme::Https),
        Some(("http", _)) => Ok(Scheme::Http),
        Some(("ssh", _)) => Ok(Scheme::Ssh),
        Some(("file", _)) => Ok(Scheme::File),
        Some(_) => Err(RemoteError::Scheme),
        None if text.starts_with('/') => Ok(Scheme::File),
        // `ext::program` would run a program.
        None if text.contains("::") || !text.contains(':') || text.starts_with(['-', '.']) => Err(RemoteError::Scheme),
        None => Ok(Scheme::Ssh),
    }
}

/// Returns true if a text is a valid alias: parts separated by slashes, of which none is hidden or leads to another folder.
pub fn is_alias(alias: &str) -> bool {
    /// An alias with its suffixes is a folder name.
    const MAX_BYTES: usize = 200;
    let is_part = |part: &str| !part.is_empty() && !part.starts_with(['.', '-']) && part.trim() == part;
    let is_plain = |c: char| !matches!(c, ',' | ':' | '\\' | '\u{fffd}') && !c.is_control();
    alias.len() <= MAX_BYTES
        && !alias.eq_ignore_ascii_case("all")
        && alias.chars().all(is_plain)
        && alias.split('/').all(is_part)
}

/// Returns true if a text is a valid branch name.
pub fn is_branch(branch: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock");
    let is_plain = |c: char| !c.is_control() && !c.is_whitespace() && !"~^:?*[\\".contains(c);
    !branch.starts_with('-')
        && !branch.ends_with('.')
        && !branch.contains("..")
        && !branch.contains("@{")
        && branch.chars().all(is_plain)
        && branch.split('/').all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn supported_urls_are_parsed() {
        for (url, expected) in [
            ("https://github.com/acme/api.git", Ok("github.com/acme/api")),
            ("http://127.0.0.1:8080/api.git", Ok("127.0.0.1:8080/api")),
            ("ssh://git@github.com/acme/api", Ok("github.com/acme/api")),
            ("git@github.com:acme/api.git", Ok("github.com/acme/api")),
            ("file:///srv/git/api.git", Ok("file:/srv/git/api")),
            ("/srv/git/api.git/", Ok("file:/srv/git/api")),
            ("", Err(RemoteError::Malformed)),
            ("https://host/a b", Err(RemoteError::Malformed)),
            ("ftp://host/a", Err(RemoteError::Scheme)),
            ("git://host/a", Err(RemoteError::Scheme)),
            ("ext::sh -c x", Err(RemoteError::Malformed)),
            ("ext::sh", Err(RemoteError::Scheme)),
            ("-oProxyCommand=x:y", Err(RemoteError::Scheme)),
            ("ssh://-oProxyCommand=x/y", Err(RemoteError::Incomplete)),
            ("../api", Err(RemoteError::Scheme)),
            ("https://host", Err(RemoteError::Incomplete)),
            ("file://relative/api", Err(RemoteError::Incomplete)),
            ("https://user:secret@host/a", Err(RemoteError::Secret)),
            ("https://token@host/a", Err(RemoteError::Secret)),
            ("ssh://git:secret@host/a", Err(RemoteError::Secret)),
            ("https://host/a?token=secret", Err(RemoteError::Query)),
        ] {
            let place = RemoteUrl::parse(url).map(|url| url.location());
            assert_eq!(place.as_deref(), expected.as_ref().map(|place| *place), "{url}");
        }
    }

    #[test]
    fn a_repository_matches_all_of_its_urls() {
        let url = RemoteUrl::parse("https://github.com/Acme/api.git").unwrap();
        for text in
            ["git@github.com:acme/api.git", "ssh://git@github.com/acme/API", "acme/api", "https://github.com/acme/api"]
        {
            assert!(url.is_same_repository(text), "{text}");
        }
        for text in ["api", "", "/", "me/api", "acme/apis", "https://gitlab.com/acme/api", "git@github.com:acme/web"] {
            assert!(!url.is_same_repository(text), "{text}");
        }
        assert!(RemoteUrl::parse("file:///srv/git/api.git").unwrap().is_same_repository("/srv/git/api"));
    }

    #[test]
    fn aliases_and_branches_stay_in_their_folder() {
        for alias in ["api", "acme/api", "a b", "日本", "a.b"] {
            assert!(is_alias(alias), "{alias}");
        }
        for alias in ["", "/a", "a/", "a//b", "../a", "a/..", ".git", "-a", "a,b", "a:b", "ALL", " a", "a\nb"] {
            assert!(!is_alias(alias), "{alias}");
        }
        for branch in ["main", "release/1.0", "ä"] {
            assert!(is_branch(branch), "{branch}");
        }
        for branch in ["", "-x", "a b", "a..b", "/a", "a/", "a.lock", "a:b", "+a*", "a@{1}"] {
            assert!(!is_branch(branch), "{branch}");
        }
    }
}
