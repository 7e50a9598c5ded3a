//! The listing: the repositories by URL of a file, and those that match patterns.
//!
//! The file may be edited at any time. An invalid file changes nothing: its last valid version stays in force, also after a
//! restart.

mod file;
mod pattern;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use source::{
    PathDiagnostic,
    mirror::{Mirror, RemoteUrl},
};

use super::{
    placement::{Placement, PlacementSettings},
    settings::RepositoriesSettings,
};
use file::ListingFile;
use pattern::RepositoryPattern;

/// The name of the copy of the last valid file.
const COPY_FILE: &str = "listing.toml";

/// The repositories by URL, as they are configured and listed.
#[derive(Debug)]
pub(crate) struct MirrorListing {
    settings: RepositoriesSettings,
    patterns: Vec<RepositoryPattern>,
    /// The configured placement; `None` if this worker is alone.
    placement: Option<Placement>,
    /// The path of the copy of the last valid file, with which a worker starts if the file is invalid then.
    copy_path: PathBuf,
    /// The text of the last valid file; `None` if there never was one.
    text: Option<String>,
    /// The content of the last valid file.
    content: ListingFile,
    /// A text that would remove entries and was read once. It may have been read in the middle of a save.
    unconfirmed: Option<String>,
    /// The error of the current file.
    error: Option<String>,
}

/// The state of the listing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum ListingState {
    /// The file is valid, or there is none.
    #[default]
    Valid,
    /// The file is invalid; its last valid version is in force.
    Outdated,
    /// The file is invalid, and no valid version is known.
    Unknown,
}

impl MirrorListing {
    /// Checks the configuration and reads the listing for the first time. An invalid configuration is an error; an invalid
    /// file is logged, and the copy of its last valid version in `folder` is in force.
    pub(crate) fn open(
        settings: RepositoriesSettings,
        placement: &PlacementSettings,
        folder: &Path,
    ) -> Result<MirrorListing, String> {
        settings.check()?;
        if !settings.is_used() && !placement.workers.is_empty() {
            return Err(
                "`[placement]` has nothing to place: name a `listing` or `patterns` under `[repositories]`, or remove it"
                    .to_owned(),
            );
        }
        let patterns =
            settings.patterns.iter().map(|pattern| RepositoryPattern::parse(pattern)).collect::<Result<_, _>>()?;
        let placement = Placement::new(placement)?;
        placement.iter().for_each(Placement::log_warnings);
        let copy_path = folder.join(COPY_FILE);
        let (text, content, unconfirmed, error) = Default::default();
        let mut listing = MirrorListing { settings, patterns, placement, copy_path, text, content, unconfirmed, error };
        if listing.settings.listing.is_some() {
            listing.read_copy();
            listing.reload();
        }
        Ok(listing)
    }

    /// Reads the file again; returns true if its content has changed. An error is logged once and changes nothing. A file
    /// that removes entries takes effect when it is read for the second time.
    pub(crate) fn reload(&mut self) -> bool {
        let Some(path) = self.settings.listing.clone() else { return false };
        let text = match file::read_text(&path) {
            Ok(text) => text,
            Err(error) => return self.refuse(&path, error),
        };
        if self.text.as_ref() == Some(&text) {
            (self.unconfirmed, self.error) = (None, None);
            return false;
        }
        let content = match self.parse(&text) {
            Ok(content) => content,
            Err(error) => return self.refuse(&path, error),
        };
        let removes_entries = self.text.is_some() && !content.includes(&self.content);
        if removes_entries && self.unconfirmed.as_ref() != Some(&text) {
            self.unconfirmed = Some(text);
            return false;
        }
        self.accept(text, content)
    }

    pub(crate) fn state(&self) -> ListingState {
        match (&self.error, &self.text) {
            (None, _) => ListingState::Valid,
            (Some(_), Some(_)) => ListingState::Outdated,
            (Some(_), None) => ListingState::Unknown,
        }
    }

    /// Returns the owners of each repository that belongs to other workers, by alias.
    pub(crate) fn owners_elsewhere(&self, mirrors: &[Mirror]) -> BTreeMap<String, Vec<String>> {
        let Some(placement) = &self.placement else { return BTreeMap::new() };
        // A placement of the listing was checked when the listing was parsed.
        let shared = self.content.placement.as_ref().and_then(|shared| placement.among(shared).ok());
        shared.as_ref().unwrap_or(placement).owners_elsewhere(mirrors)
    }

    /// Returns every repository that is listed or matches a pattern. Of entries with an equal name or repository, the first
    /// one counts.
    pub(crate) fn mirrors(&self) -> (Vec<Mirror>, Vec<PathDiagnostic>) {
        let mut diagnostics = Vec::new();
        let mut mirrors = self.content.mirrors.clone();
        for pattern in &self.patterns {
            let Some(found) = pattern.find() else {
                let message = "the pattern matches too many folders; write out more of its beginning".to_owned();
                diagnostics.push(PathDiagnostic { path: pattern.text.clone(), message });
                continue;
            };
            for (alias, path) in found {
                let Ok(url) = RemoteUrl::parse(&format!("file://{path}")) else { continue };
                let within = Some(pattern.root.clone());
                mirrors.push(Mirror { alias, url, branch: None, depth: self.settings.depth, within });
            }
        }
        let (mut aliases, mut repos) = (BTreeSet::new(), BTreeSet::new());
        mirrors.retain(|mirror| {
            let is_new = !aliases.contains(&mirror.alias) && !repos.contains(&mirror.repo());
            if is_new {
                aliases.insert(mirror.alias.clone());
                repos.insert(mirror.repo());
            } else {
                let message = format!("`{}`, or its name, is listed already", mirror.alias);
                diagnostics.push(PathDiagnostic { path: mirror.url.to_string(), message });
            }
            is_new
        });
        (mirrors, diagnostics)
    }

    /// Puts the copy of the last valid file into force, if there is one.
    fn read_copy(&mut self) {
        let Ok(text) = files::read_text(&self.copy_path, file::MAX_LISTING_BYTES) else { return };
        if let Ok(content) = self.parse(&text) {
            (self.text, self.content) = (Some(text), content);
        }
    }

    fn parse(&self, text: &str) -> Result<ListingFile, String> {
        let content = ListingFile::parse(text, self.settings.depth)?;
        match (&self.placement, &content.placement) {
            (Some(placement), Some(shared)) => drop(placement.among(shared)?),
            (None, Some(_)) => {
                return Err("`[placement]` is also needed in the configuration of the worker: `workers`, and which \
                            of them it is (`self`)"
                    .to_owned());
            }
            (_, None) => {}
        }
        Ok(content)
    }

    /// Notes that the file is invalid. Returns false: the content has not changed.
    fn refuse(&mut self, path: &Path, error: String) -> bool {
        self.unconfirmed = None;
        if self.error.as_ref() != Some(&error) {
            let in_force =
                if self.text.is_some() { "its last valid version stays in force" } else { "no valid version is known" };
            tracing::error!(listing = %path.display(), error, "the listing is invalid, and {in_force}");
            self.error = Some(error);
        }
        false
    }

    /// Puts a file into force; returns true if its content differs.
    fn accept(&mut self, text: String, content: ListingFile) -> bool {
        (self.unconfirmed, self.error) = (None, None);
        if let Err(error) = files::replace(&self.copy_path, text.as_bytes()) {
            tracing::warn!(path = %self.copy_path.display(), %error, "cannot write the copy of the listing");
        }
        self.text = Some(text);
        let has_changed = content != self.content;
        if has_changed {
            tracing::info!(repositories = content.mirrors.len(), "the listing has changed");
            if let (Some(placement), Some(shared)) = (&self.placement, &content.placement) {
                placement.among(shared).iter().for_each(Placement::log_warnings);
            }
        }
        self.content = content;
        has_changed
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const ALONE: PlacementSettings = PlacementSettings { workers: Vec::new(), own: None, replicas: 1 };

    const LISTING: &str = "[[repository]]\nname = 'acme/api'\nurl = 'https://github.com/acme/api'\n";

    #[test]
    fn an_invalid_listing_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("edited.toml");
        let settings = RepositoriesSettings { listing: Some(path.clone()), ..Default::default() };
        let open = || MirrorListing::open(settings.clone(), &ALONE, folder.path()).unwrap();
        assert_eq!(open().state(), ListingState::Unknown, "there is no such file");
        fs::write(&path, "name = 1").unwrap();
        assert_eq!(open().state(), ListingState::Unknown);
        fs::write(&path, "").unwrap();
        let mut listing = open();
        let mut after = |text: Option<&str>| {
            match text {
                Some(text) => fs::write(&path, text).unwrap(),
                None => fs::remove_file(&path).unwrap(),
            }
            (listing.reload(), listing.mirrors().0.len(), listing.state())
        };
        let both = LISTING.to_owned() + &LISTING.replace("api", "web");
        for (text, expected) in [
            (Some(LISTING), (true, 1, ListingState::Valid)),
            (Some(LISTING), (false, 1, ListingState::Valid)),
            (Some(both.as_str()), (true, 2, ListingState::Valid)),
            (Some("[[repository]]"), (false, 2, ListingState::Outdated)),
            (Some("[[repository]]"), (false, 2, ListingState::Outdated)),
            (None, (false, 2, ListingState::Outdated)),
            (Some(both.as_str()), (false, 2, ListingState::Valid)),
            // Read in the middle of a save.
            (Some(""), (false, 2, ListingState::Valid)),
            (Some(LISTING), (false, 2, ListingState::Valid)),
            (Some(both.as_str()), (false, 2, ListingState::Valid)),
            (Some(""), (false, 2, ListingState::Valid)),
            (Some(both.as_str()), (false, 2, ListingState::Valid)),
            // Read twice, so it is intended.
            (Some(LISTING), (false, 2, ListingState::Valid)),
            (Some(LISTING), (true, 1, ListingState::Valid)),
        ] {
            assert_eq!(after(text), expected, "{text:?}");
        }
        // A worker that starts with an invalid file uses the copy.
        fs::write(&path, "name = 1").unwrap();
        assert_eq!((open().mirrors().0.len(), open().state()), (1, ListingState::Outdated));
        fs::write(&path, &both).unwrap();
        assert_eq!((open().mirrors().0.len(), open().state()), (2, ListingState::Valid));
    }

    #[test]
    fn errors_of_the_configuration_are_errors_of_the_start() {
        let folder = tempfile::tempdir().unwrap();
        let error = |settings: RepositoriesSettings, placement: &PlacementSettings| {
            MirrorListing::open(settings, placement, folder.path()).unwrap_err()
        };
        let never = RepositoriesSettings { poll_seconds: 0, ..Default::default() };
        assert!(error(never, &ALONE).contains("`poll_seconds`"));
        let workers = vec!["http://w-0:1".to_owned()];
        let among = PlacementSettings { workers, own: Some("http://w-0:1".to_owned()), replicas: 1 };
        assert!(error(RepositoriesSettings::default(), &among).contains("nothing to place"));
    }
}
