//! The file that lists repositories by URL.

use std::{collections::BTreeSet, io, num::NonZeroU32, path::Path};

use serde::Deserialize;
use source::mirror::{Mirror, RemoteUrl, is_alias, is_branch};

use crate::repositories::placement::SharedPlacement;

/// Maximum size of a listing. Ten thousand repositories take a tenth of it.
pub(super) const MAX_LISTING_BYTES: u64 = 16 << 20;

/// The content of a listing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ListingFile {
    pub(super) mirrors: Vec<Mirror>,
    /// In place of the configured placement, since it has to change for all workers at once.
    pub(super) placement: Option<SharedPlacement>,
}

impl ListingFile {
    /// Returns true if this listing has every entry of `other`, unchanged.
    pub(super) fn includes(&self, other: &ListingFile) -> bool {
        self.placement == other.placement && other.mirrors.iter().all(|mirror| self.mirrors.contains(mirror))
    }

    /// Parses a listing; `depth` is the default depth of its entries. One error makes all of it invalid, since half a
    /// listing would drop the other half.
    pub(super) fn parse(text: &str, depth: Option<NonZeroU32>) -> Result<ListingFile, String> {
        // The library's own error message quotes the line, which may hold a secret.
        let raw: RawListingFile = toml::from_str(text).map_err(|error| error_with_line(text, &error))?;
        let mirrors: Vec<Mirror> =
            raw.repositories.into_iter().map(|raw| raw.parse(depth)).collect::<Result<_, _>>()?;
        let (mut names, mut repos) = (BTreeSet::new(), BTreeSet::new());
        for mirror in &mirrors {
            if !repos.insert(mirror.repo()) {
                return Err(format!("`{}` is listed already, under another name; name another branch", mirror.alias));
            }
            if !names.insert(&mirror.alias) {
                return Err(format!("`{}` is the name of two repositories", mirror.alias));
            }
        }
        Ok(ListingFile { mirrors, placement: raw.placement })
    }
}

/// Reads the text of a listing.
pub(super) fn read_text(path: &Path) -> Result<String, String> {
    let unreadable = |reason: String| format!("the listing `{}` cannot be read: {reason}", path.display());
    files::read_text(path, MAX_LISTING_BYTES).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidInput => unreadable(error.to_string()),
        kind => unreadable(kind.to_string()),
    })
}

/// The keys of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawListingFile {
    #[serde(default, rename = "repository")]
    repositories: Vec<RawMirror>,
    placement: Option<SharedPlacement>,
}

/// The keys of one `[[repository]]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawMirror {
    name: String,
    url: String,
    depth: Option<NonZeroU32>,
    branch: Option<String>,
}

impl RawMirror {
    fn parse(self, depth: Option<NonZeroU32>) -> Result<Mirror, String> {
        let RawMirror { name, url, depth: own_depth, branch } = self;
        if !is_alias(&name) {
            return Err(format!("`{name}` cannot be a name: parts with `/` between them, no comma and no colon"));
        }
        if let Some(branch) = branch.as_ref().filter(|branch| !is_branch(branch)) {
            return Err(format!("`{name}`: `{branch}` cannot be a branch"));
        }
        let url = RemoteUrl::parse(&url).map_err(|error| format!("`{name}`: {error}"))?;
        Ok(Mirror { alias: name, url, branch, depth: own_depth.or(depth), within: None })
    }
}

fn error_with_line(text: &str, error: &toml::de::Error) -> String {
    let line = error.span().map_or(1, |span| 1 + text[..span.start.min(text.len())].matches('\n').count());
    format!("line {line}: {}", error.message().lines().next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTING: &str = "[[repository]]\nname = 'acme/api'\nurl = 'https://github.com/acme/api'\n";

    #[test]
    fn errors_name_the_entry_and_no_secret() {
        let entry = |name: &str, rest: &str| format!("[[repository]]\nname = '{name}'\n{rest}\n");
        for (text, expected) in [
            (entry("a", "url = 'https://x:s3cret@h/a'"), "`a`: its URL contains a user or a password"),
            (entry("a", "url = 'https://x:s3cret@h/a"), "line 3: "),
            (entry("a", ""), "line 1: missing field `url`"),
            (entry("../a", "url = '/srv/a'"), "cannot be a name"),
            (entry("a", "url = '/srv/a'\nbranch = '-x'"), "cannot be a branch"),
            (entry("a", "url = '/srv/a'\ndepth = 0"), "line 4: "),
            (entry("a", "url = 'ftp://h/a'"), "must begin with"),
            (LISTING.repeat(2), "listed already"),
            (LISTING.to_owned() + &entry("acme/api", "url = '/srv/a'"), "the name of two"),
            ("[[repositories]]".to_owned(), "unknown field `repositories`"),
        ] {
            let error = ListingFile::parse(&text, None).unwrap_err();
            assert!(error.contains(expected) && !error.contains("s3cret"), "{text}: {error}");
        }
        let other_branch = LISTING.replace("acme/api'\nurl", "acme/api-1'\nbranch = 'v1'\nurl");
        let listing = ListingFile::parse(&(LISTING.to_owned() + &other_branch), NonZeroU32::new(3)).unwrap();
        assert_eq!(listing.mirrors[1].depth, NonZeroU32::new(3));
    }
}
