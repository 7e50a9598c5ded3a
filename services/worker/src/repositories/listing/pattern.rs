//! Patterns that find repositories on disks, such as `file:///srv/git/*/*.git`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use source::mirror::is_alias;

/// Maximum number of folders to read for one pattern. A pattern with more is too general.
const MAX_FOLDERS: usize = 10_000;

/// A path with stars, each of which stands for a part of one name.
#[derive(Debug)]
pub(super) struct RepositoryPattern {
    /// The pattern as it was written.
    pub(super) text: String,
    /// The folder before the first star.
    pub(super) root: PathBuf,
    /// The patterns of the names below it.
    parts: Vec<String>,
}

impl RepositoryPattern {
    pub(super) fn parse(text: &str) -> Result<RepositoryPattern, String> {
        let path = text.strip_prefix("file://").unwrap_or(text);
        let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
        let first_star = names.iter().position(|name| name.contains('*'));
        match first_star {
            Some(first) if path.starts_with('/') && !names.contains(&"..") && !path.contains("**") => {
                Ok(RepositoryPattern {
                    text: text.to_owned(),
                    root: Path::new("/").join(names[..first].join("/")),
                    parts: names[first..].iter().map(|name| (*name).to_owned()).collect(),
                })
            }
            _ => Err(format!("`{text}` is not a valid pattern: write it like `file:///srv/git/*/*.git`")),
        }
    }

    /// Returns the repositories that match, in the order of their paths, each with its alias and path. None if there are too
    /// many folders.
    ///
    /// An alias is the part of the path that the pattern leaves open, so that it depends on no other repository.
    pub(super) fn find(&self) -> Option<Vec<(String, String)>> {
        let mut found: Vec<(String, PathBuf)> = vec![(String::new(), self.root.clone())];
        let mut n_folders = 0;
        for part in &self.parts {
            n_folders += found.len();
            if n_folders > MAX_FOLDERS {
                return None;
            }
            found = found.iter().flat_map(|(alias, folder)| matching_folders(alias, folder, part)).collect();
        }
        // Anything may have the name of a file of git: the repository is checked when it is fetched, and says what is odd.
        let has = |path: &Path, name: &str| path.join(name).symlink_metadata().is_ok();
        let is_repository = |path: &Path| has(path, "HEAD") || has(path, ".git");
        let repositories = found.into_iter().filter(|(_, path)| is_repository(path));
        let mut named: Vec<(String, String)> = repositories
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

/// Returns the folders directly in `folder` whose names match, each with its alias. An unreadable folder has none.
fn matching_folders(alias: &str, folder: &Path, pattern: &str) -> Vec<(String, PathBuf)> {
    let children = fs::read_dir(folder).into_iter().flatten().flatten();
    let named = children.filter_map(|child| Some((child.file_name().into_string().ok()?, child.path())));
    let is_match = |name: &str| matches_name(pattern, name) && (!name.starts_with('.') || pattern.starts_with('.'));
    let folders = named.filter(|(name, path)| is_match(name) && path.is_dir());
    let with_alias = |(name, path)| (if alias.is_empty() { name } else { format!("{alias}/{name}") }, path);
    folders.map(with_alias).collect()
}

/// Returns true if a name matches a pattern in which `*` stands for any characters.
fn matches_name(pattern: &str, name: &str) -> bool {
    let Some((before, after)) = pattern.split_once('*') else { return pattern == name };
    let Some(rest) = name.strip_prefix(before) else { return false };
    (0..=rest.len()).filter(|at| rest.is_char_boundary(*at)).any(|at| matches_name(after, &rest[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_find_and_name_repositories() {
        let folder = tempfile::tempdir().unwrap();
        for path in ["a/api.git", "b/api.git", "b/notes", "b/.hidden.git", "web.git"] {
            fs::create_dir_all(folder.path().join(path)).unwrap();
            fs::write(folder.path().join(path).join("HEAD"), "").unwrap();
        }
        let root = folder.path().display().to_string();
        let found = |pattern: &str| -> Vec<String> {
            let pattern = RepositoryPattern::parse(&format!("file://{root}/{pattern}")).unwrap();
            pattern.find().unwrap().into_iter().map(|(alias, _)| alias).collect()
        };
        assert_eq!(found("*/*.git"), ["a/api", "b/api"]);
        assert_eq!(found("*.git"), ["web"]);
        assert_eq!(found("b/*"), ["api", "notes"]);
        assert_eq!(found("none/*"), [""; 0]);
        for pattern in ["relative/*", "file:///srv/git/api.git", "file:///srv/**/x", "file:///a/../*"] {
            assert!(RepositoryPattern::parse(pattern).is_err(), "{pattern}");
        }
    }
}
