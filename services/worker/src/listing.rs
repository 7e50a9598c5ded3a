//! Which repositories there are by URL: those of a file that may be edited at any time, and those that patterns find.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    num::NonZeroU32,
    path::{Path, PathBuf},
    time::Duration,
};

use serde::Deserialize;
use source::{
    PathDiagnostic,
    mirror::{Credential, Mirror, RemoteUrl, is_alias, is_branch},
};

use crate::{
    placement::{Placement, PlacementSettings, SharedPlacement},
    replace::replace,
};

/// How often remotes are asked whether they have moved, unless configured.
const DEFAULT_POLL_SECONDS: u64 = 60;

/// Folders that are looked into for one pattern; more is a pattern that begins too early.
const MAX_FOLDERS: usize = 10_000;

/// Bytes of a listing that are read: some ten thousand repositories take a tenth of it.
const MAX_LISTING_BYTES: u64 = 16 << 20;

/// The table `[repositories]` of a worker's configuration.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RepositoriesSettings {
    /// A file that lists repositories, read again whenever it changes.
    pub listing: Option<PathBuf>,
    /// Where repositories lie on disks that this worker reaches, such as `file:///srv/git/*/*.git`.
    pub patterns: Vec<String>,
    pub poll_seconds: u64,
    /// Commits that are fetched of each; left out, all.
    pub depth: Option<NonZeroU32>,
    pub credentials: Vec<CredentialSettings>,
}

impl Default for RepositoriesSettings {
    fn default() -> Self {
        let (listing, patterns, depth, credentials) = Default::default();
        RepositoriesSettings { listing, patterns, poll_seconds: DEFAULT_POLL_SECONDS, depth, credentials }
    }
}

/// One `[[repositories.credentials]]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CredentialSettings {
    pub host: String,
    /// Most hosts take any name beside a token.
    #[serde(default = "any_user")]
    pub username: String,
    /// Read each time that it is needed, so that a token may be replaced.
    pub token_file: PathBuf,
}

fn any_user() -> String {
    "git".to_owned()
}

impl RepositoriesSettings {
    /// Says whether there is anything that tells of repositories by URL.
    pub fn is_used(&self) -> bool {
        self.listing.is_some() || !self.patterns.is_empty()
    }

    pub(crate) fn poll_interval(&self) -> Duration {
        Duration::from_secs(self.poll_seconds)
    }

    pub(crate) fn credentials(&self) -> Vec<Credential> {
        let credential = |settings: &CredentialSettings| Credential {
            host: settings.host.clone(),
            username: settings.username.clone(),
            token_file: settings.token_file.clone(),
        };
        self.credentials.iter().map(credential).collect()
    }
}

/// What is listed, and how that is known.
#[derive(Debug)]
pub(crate) struct Listing {
    settings: RepositoriesSettings,
    patterns: Vec<Pattern>,
    /// As it is configured; none where this worker is alone.
    placement: Option<Placement>,
    /// Where the file is kept as it was when it was last believed: a worker that is started while there is a mistake in it goes
    /// on with that.
    kept: PathBuf,
    /// The file as it was when it was last believed; none if it never was.
    text: Option<String>,
    /// What it said then.
    listed: Listed,
    /// The file as it was read last, where that would take something away: it may have been read in the middle of a save.
    doubted: Option<String>,
    /// What is wrong with it now.
    mistake: Option<String>,
}

/// The name of the file that is kept.
const KEPT_FILE: &str = "listing.toml";

/// How a listing stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Standing {
    #[default]
    Good,
    /// It is wrong, and what it said before holds.
    Wrong,
    /// It is wrong, and it is not known what it said before.
    Unknown,
}

/// What a listing says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) mirrors: Vec<Mirror>,
    /// In place of what is configured, since it has to change for all workers at once.
    pub(crate) placement: Option<SharedPlacement>,
}

impl Listed {
    /// Says whether nothing of `other` is missing, or is another way.
    fn has_all_of(&self, other: &Listed) -> bool {
        self.placement == other.placement && other.mirrors.iter().all(|mirror| self.mirrors.contains(mirror))
    }
}

impl Listing {
    /// Reads the listing for the first time. What is wrong with the configuration is an error; what is wrong with the file is told,
    /// and what it said before holds, which is kept in `folder`.
    pub(crate) fn open(
        settings: RepositoriesSettings,
        placement: &PlacementSettings,
        folder: &Path,
    ) -> Result<Listing, String> {
        if let Some(credential) = settings.credentials.iter().find(|credential| !is_plain(&credential.host)) {
            return Err(format!("`{}` is no host: write it like `github.com` or `git.acme.dev:8443`", credential.host));
        }
        if let Some(credential) = settings.credentials.iter().find(|credential| !is_plain(&credential.username)) {
            return Err(format!("`{}` is no name of a user", credential.username));
        }
        if settings.poll_seconds == 0 {
            return Err("`poll_seconds` must be 1 at least".to_owned());
        }
        if !settings.is_used() && !placement.workers.is_empty() {
            return Err(
                "`[placement]` has nothing to place: name a `listing` or `patterns` under `[repositories]`, or take \
                        it out"
                    .to_owned(),
            );
        }
        let patterns = settings.patterns.iter().map(|pattern| Pattern::parse(pattern)).collect::<Result<_, _>>()?;
        let placement = Placement::new(placement)?;
        placement.iter().for_each(Placement::tell_doubts);
        let kept = folder.join(KEPT_FILE);
        let (text, listed, doubted, mistake) = Default::default();
        let mut listing = Listing { settings, patterns, placement, kept, text, listed, doubted, mistake };
        if listing.settings.listing.is_some() {
            let before = fs::read_to_string(&listing.kept).ok();
            if let Some((text, listed)) = before.and_then(|text| listing.parse(&text).ok().map(|listed| (text, listed)))
            {
                (listing.text, listing.listed) = (Some(text), listed);
            }
            listing.reload();
        }
        Ok(listing)
    }

    /// Reads the file again; says whether what is listed has changed. What is wrong is told once, and changes nothing. What
    /// takes something away is believed when it is read for the second time.
    pub(crate) fn reload(&mut self) -> bool {
        let Some(path) = self.settings.listing.clone() else { return false };
        let is_believed = |text: &String| self.text.as_ref() == Some(text);
        let parsed = read(&path).and_then(|text| match is_believed(&text) {
            true => Ok(None),
            false => Ok(Some((self.parse(&text)?, text))),
        });
        let (listed, text) = match parsed {
            Ok(Some(parsed)) => parsed,
            Ok(None) => {
                (self.doubted, self.mistake) = (None, None);
                return false;
            }
            Err(mistake) => {
                self.doubted = None;
                if self.mistake.as_ref() != Some(&mistake) {
                    let before =
                        if self.text.is_some() { "what it said before holds" } else { "nothing is known of before" };
                    tracing::error!(listing = %path.display(), mistake, "the listing is wrong, and {before}");
                    self.mistake = Some(mistake);
                }
                return false;
            }
        };
        let takes_away = self.text.is_some() && !listed.has_all_of(&self.listed);
        if takes_away && self.doubted.as_ref() != Some(&text) {
            self.doubted = Some(text);
            return false;
        }
        (self.doubted, self.mistake) = (None, None);
        self.keep(&text);
        self.text = Some(text);
        self.take(listed)
    }

    /// Says how the file stands.
    pub(crate) fn standing(&self) -> Standing {
        match (&self.mistake, &self.text) {
            (None, _) => Standing::Good,
            (Some(_), Some(_)) => Standing::Wrong,
            (Some(_), None) => Standing::Unknown,
        }
    }

    fn keep(&self, text: &str) {
        if let Err(error) = replace(&self.kept, text.as_bytes()) {
            tracing::warn!(path = %self.kept.display(), %error, "what the listing says is not kept");
        }
    }

    fn parse(&self, text: &str) -> Result<Listed, String> {
        let listed = parse(text, self.settings.depth)?;
        match (&self.placement, &listed.placement) {
            (Some(placement), Some(shared)) => drop(placement.among(shared)?),
            (None, Some(_)) => {
                return Err("`[placement]` needs one in the configuration of the worker as well: `workers`, and who \
                            it is (`self`)"
                    .to_owned());
            }
            (_, None) => {}
        }
        Ok(listed)
    }

    /// Returns who holds each repository instead of this worker; nothing for those that are its own.
    pub(crate) fn elsewhere(&self, mirrors: &[Mirror]) -> BTreeMap<String, Vec<String>> {
        let Some(placement) = &self.placement else { return BTreeMap::new() };
        // What is listed was found to make sense.
        let shared = self.listed.placement.as_ref().and_then(|shared| placement.among(shared).ok());
        shared.as_ref().unwrap_or(placement).elsewhere(mirrors)
    }

    fn take(&mut self, listed: Listed) -> bool {
        let has_changed = listed != self.listed;
        if has_changed {
            tracing::info!(repositories = listed.mirrors.len(), "the listing has changed");
            if let (Some(placement), Some(shared)) = (&self.placement, &listed.placement) {
                placement.among(shared).iter().for_each(Placement::tell_doubts);
            }
        }
        self.listed = listed;
        has_changed
    }

    /// Returns every repository that is listed, or found by a pattern; a name is that of the first.
    pub(crate) fn mirrors(&self) -> (Vec<Mirror>, Vec<PathDiagnostic>) {
        let mut diagnostics = Vec::new();
        let mut mirrors = self.listed.mirrors.clone();
        for pattern in &self.patterns {
            let Some(found) = pattern.find() else {
                let message = "too many folders to look into all of them; begin with more that is fixed".to_owned();
                diagnostics.push(PathDiagnostic { path: pattern.text.clone(), message });
                continue;
            };
            for (alias, path) in found {
                let Ok(url) = RemoteUrl::parse(&format!("file://{path}")) else { continue };
                mirrors.push(Mirror { alias, url, branch: None, depth: self.settings.depth });
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
}

fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_graphic() && !"/\"'`@$\\".contains(c))
}

fn read(path: &Path) -> Result<String, String> {
    let unreadable = |reason: String| format!("the listing `{}` cannot be read: {reason}", path.display());
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => return Err(unreadable("it is no file".to_owned())),
        Ok(metadata) if metadata.len() > MAX_LISTING_BYTES => return Err(unreadable("it is too long".to_owned())),
        _ => {}
    }
    fs::read_to_string(path).map_err(|error| unreadable(error.kind().to_string()))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawListing {
    #[serde(default, rename = "repository")]
    repositories: Vec<RawRepository>,
    placement: Option<SharedPlacement>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRepository {
    name: String,
    url: String,
    depth: Option<NonZeroU32>,
    branch: Option<String>,
}

/// Reads a listing. One mistake spoils all of it: half a listing would drop the other half.
fn parse(text: &str, depth: Option<NonZeroU32>) -> Result<Listed, String> {
    // The error of the library draws the line, which may hold a secret.
    let raw: RawListing = toml::from_str(text).map_err(|error| on_line(text, &error))?;
    let mut listed = Listed { placement: raw.placement, ..Listed::default() };
    let (mut names, mut repos) = (BTreeSet::new(), BTreeSet::new());
    for RawRepository { name, url, depth: own_depth, branch } in raw.repositories {
        if !is_alias(&name) {
            return Err(format!("`{name}` cannot be a name: parts with `/` between them, no comma and no colon"));
        }
        if let Some(branch) = branch.as_ref().filter(|branch| !is_branch(branch)) {
            return Err(format!("`{name}`: `{branch}` cannot be a branch"));
        }
        let url = RemoteUrl::parse(&url).map_err(|error| format!("`{name}`: {error}"))?;
        let mirror = Mirror { alias: name, url, branch, depth: own_depth.or(depth) };
        if !repos.insert(mirror.repo()) {
            return Err(format!("`{}` is listed already, under another name; name another branch", mirror.alias));
        }
        if !names.insert(mirror.alias.clone()) {
            return Err(format!("`{}` is the name of two repositories", mirror.alias));
        }
        listed.mirrors.push(mirror);
    }
    Ok(listed)
}

fn on_line(text: &str, error: &toml::de::Error) -> String {
    let line = error.span().map_or(1, |span| 1 + text[..span.start.min(text.len())].matches('\n').count());
    format!("line {line}: {}", error.message().lines().next().unwrap_or_default())
}

/// Paths with stars in them, each of which stands for a part of one name.
#[derive(Debug)]
struct Pattern {
    text: String,
    /// The folder that is fixed.
    root: PathBuf,
    /// Names below it.
    parts: Vec<String>,
}

impl Pattern {
    fn parse(text: &str) -> Result<Pattern, String> {
        let path = text.strip_prefix("file://").unwrap_or(text);
        let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
        let first_star = names.iter().position(|name| name.contains('*'));
        match first_star {
            Some(first) if path.starts_with('/') && !names.contains(&"..") && !path.contains("**") => Ok(Pattern {
                text: text.to_owned(),
                root: Path::new("/").join(names[..first].join("/")),
                parts: names[first..].iter().map(|name| (*name).to_owned()).collect(),
            }),
            _ => Err(format!("`{text}` is no pattern: write it like `file:///srv/git/*/*.git`")),
        }
    }

    /// Returns what is there, in the order of paths, each with its name: what the pattern leaves open. So a name depends
    /// on where a repository lies, and on no other repository. None, if there is too much to look into.
    fn find(&self) -> Option<Vec<(String, String)>> {
        let mut found: Vec<(String, PathBuf)> = vec![(String::new(), self.root.clone())];
        let mut n_folders = 0;
        for part in &self.parts {
            let mut next = Vec::new();
            for (alias, folder) in found {
                n_folders += 1;
                if n_folders > MAX_FOLDERS {
                    return None;
                }
                // What cannot be read holds nothing.
                for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                    let Ok(name) = entry.file_name().into_string() else { continue };
                    let is_wanted = matches(part, &name) && (!name.starts_with('.') || part.starts_with('.'));
                    if is_wanted && entry.path().is_dir() {
                        let alias = if alias.is_empty() { name } else { format!("{alias}/{name}") };
                        next.push((alias, entry.path()));
                    }
                }
            }
            found = next;
        }
        let is_repository = |path: &Path| path.join("HEAD").is_file() || path.join(".git").exists();
        let mut named: Vec<(String, String)> = found
            .into_iter()
            .filter(|(_, path)| is_repository(path))
            .filter_map(|(alias, path)| {
                let alias = alias.strip_suffix(".git").filter(|stem| is_alias(stem)).unwrap_or(&alias).to_owned();
                is_alias(&alias).then_some(())?;
                Some((alias, path.to_str()?.to_owned()))
            })
            .collect();
        named.sort();
        Some(named)
    }
}

/// Says whether a name matches, with `*` for any characters.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((before, after)) = pattern.split_once('*') else { return pattern == name };
    let Some(rest) = name.strip_prefix(before) else { return false };
    (0..=rest.len()).filter(|at| rest.is_char_boundary(*at)).any(|at| matches(after, &rest[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALONE: PlacementSettings = PlacementSettings { workers: Vec::new(), own: None, replicas: 1 };

    const LISTING: &str = "[[repository]]\nname = 'acme/api'\nurl = 'https://github.com/acme/api'\n";

    #[test]
    fn mistakes_are_named_and_secrets_are_not() {
        let entry = |name: &str, rest: &str| format!("[[repository]]\nname = '{name}'\n{rest}\n");
        for (text, expected) in [
            (entry("a", "url = 'https://x:s3cret@h/a'"), "`a`: its URL holds a user or a password"),
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
            let mistake = parse(&text, None).unwrap_err();
            assert!(mistake.contains(expected) && !mistake.contains("s3cret"), "{text}: {mistake}");
        }
        let other_branch = LISTING.replace("acme/api'\nurl", "acme/api-1'\nbranch = 'v1'\nurl");
        assert_eq!(
            parse(&(LISTING.to_owned() + &other_branch), NonZeroU32::new(3)).unwrap().mirrors[1].depth,
            NonZeroU32::new(3)
        );
    }

    #[test]
    fn a_bad_listing_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("edited.toml");
        let settings = RepositoriesSettings { listing: Some(path.clone()), ..Default::default() };
        let open = || Listing::open(settings.clone(), &ALONE, folder.path()).unwrap();
        assert_eq!(open().standing(), Standing::Unknown, "there is no such file");
        fs::write(&path, "name = 1").unwrap();
        assert_eq!(open().standing(), Standing::Unknown);
        fs::write(&path, "").unwrap();
        let mut listing = open();
        let mut after = |text: Option<&str>| {
            match text {
                Some(text) => fs::write(&path, text).unwrap(),
                None => fs::remove_file(&path).unwrap(),
            }
            (listing.reload(), listing.mirrors().0.len(), listing.standing())
        };
        let both = LISTING.to_owned() + &LISTING.replace("api", "web");
        for (text, expected) in [
            (Some(LISTING), (true, 1, Standing::Good)),
            (Some(LISTING), (false, 1, Standing::Good)),
            (Some(both.as_str()), (true, 2, Standing::Good)),
            (Some("[[repository]]"), (false, 2, Standing::Wrong)),
            (Some("[[repository]]"), (false, 2, Standing::Wrong)),
            (None, (false, 2, Standing::Wrong)),
            (Some(both.as_str()), (false, 2, Standing::Good)),
            // In the middle of a save.
            (Some(""), (false, 2, Standing::Good)),
            (Some(LISTING), (false, 2, Standing::Good)),
            (Some(both.as_str()), (false, 2, Standing::Good)),
            (Some(""), (false, 2, Standing::Good)),
            (Some(both.as_str()), (false, 2, Standing::Good)),
            // Meant.
            (Some(LISTING), (false, 2, Standing::Good)),
            (Some(LISTING), (true, 1, Standing::Good)),
        ] {
            assert_eq!(after(text), expected, "{text:?}");
        }
        // Whoever starts with a mistake goes on with what was there.
        fs::write(&path, "name = 1").unwrap();
        assert_eq!((open().mirrors().0.len(), open().standing()), (1, Standing::Wrong));
        fs::write(&path, &both).unwrap();
        assert_eq!((open().mirrors().0.len(), open().standing()), (2, Standing::Good));
    }

    #[test]
    fn mistakes_in_the_configuration_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        let said = |settings: RepositoriesSettings, placement: &PlacementSettings| {
            Listing::open(settings, placement, folder.path()).unwrap_err()
        };
        let never = RepositoriesSettings { poll_seconds: 0, ..Default::default() };
        assert!(said(never, &ALONE).contains("`poll_seconds`"));
        let workers = vec!["http://w-0:1".to_owned()];
        let among = PlacementSettings { workers, own: Some("http://w-0:1".to_owned()), replicas: 1 };
        assert!(said(RepositoriesSettings::default(), &among).contains("nothing to place"));
    }

    #[test]
    fn patterns_find_what_is_there_and_name_it() {
        let folder = tempfile::tempdir().unwrap();
        for path in ["a/api.git", "b/api.git", "b/notes", "b/.hidden.git", "web.git"] {
            fs::create_dir_all(folder.path().join(path)).unwrap();
            fs::write(folder.path().join(path).join("HEAD"), "").unwrap();
        }
        let root = folder.path().display().to_string();
        let found = |pattern: &str| -> Vec<String> {
            let settings =
                RepositoriesSettings { patterns: vec![format!("file://{root}/{pattern}")], ..Default::default() };
            Listing::open(settings, &ALONE, folder.path())
                .unwrap()
                .mirrors()
                .0
                .into_iter()
                .map(|mirror| mirror.alias)
                .collect()
        };
        assert_eq!(found("*/*.git"), ["a/api", "b/api"]);
        assert_eq!(found("*.git"), ["web"]);
        assert_eq!(found("b/*"), ["api", "notes"]);
        assert_eq!(found("none/*"), [""; 0]);
        for pattern in ["relative/*", "file:///srv/git/api.git", "file:///srv/**/x", "file:///a/../*"] {
            assert!(Pattern::parse(pattern).is_err(), "{pattern}");
        }
    }
}
