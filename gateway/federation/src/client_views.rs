//! The views that a client works in: by name, or by the folders that it has open.

use std::path::PathBuf;

/// Maximum number of folders of a client that are read.
const MAX_ROOTS: usize = 32;

/// Maximum length in bytes of the URI of a folder.
const MAX_URI_BYTES: usize = 8_192;

/// The default views of the calls of one client. A view that an argument names takes precedence, then one that is named here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClientViews {
    /// Names of views, separated by commas.
    pub names: String,
    /// Canonical paths of folders. Of the work trees of one repository, the first one counts.
    pub roots: Vec<PathBuf>,
}

impl ClientViews {
    /// Adds the folders of these URIs. Other URIs than those of local files are left out.
    pub fn with_roots<'u>(self, uris: impl IntoIterator<Item = &'u str>) -> ClientViews {
        let roots = uris.into_iter().take(MAX_ROOTS).filter_map(path_of_uri);
        ClientViews { roots: roots.collect(), ..self }
    }
}

/// Returns the path of a `file` URI of this machine.
fn path_of_uri(uri: &str) -> Option<PathBuf> {
    let rest = Some(uri).filter(|uri| uri.len() <= MAX_URI_BYTES)?.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let end = path.find(['?', '#']).unwrap_or(path.len());
    path.starts_with('/').then(|| percent_decoded(&path[..end])).flatten().map(PathBuf::from)
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok())?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &after[2..];
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_root_is_the_uri_of_a_local_folder() {
        for (uri, expected) in [
            ("file:///home/ada/api", Some("/home/ada/api")),
            ("file://localhost/home/ada", Some("/home/ada")),
            ("file:///home/ada/my%20code/%C3%A9", Some("/home/ada/my code/é")),
            ("file:///a#b", Some("/a")),
            ("file:///a%2", None),
            ("file:///a%ff", None),
            ("file://server/share", None),
            ("https://example.com/a", None),
            ("/home/ada", None),
        ] {
            assert_eq!(path_of_uri(uri).as_deref(), expected.map(Path::new), "{uri}");
        }
        let many = vec!["file:///a"; 100];
        assert_eq!(ClientViews::default().with_roots(many).roots.len(), MAX_ROOTS);
    }
}
