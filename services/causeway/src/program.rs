//! The name and the path by which this program is started.

use std::{
    env,
    path::{Path, PathBuf},
};

const NAME: &str = "causeway";

/// Returns `causeway` if a shell starts this executable by that name, otherwise its path.
pub(crate) fn name() -> String {
    name_among(path_folders(), own().as_deref())
}

/// Returns the absolute path of this executable, for programs that do not have the `PATH` of a shell.
pub(crate) fn path() -> String {
    path_among(path_folders(), own().as_deref())
}

/// Returns the file that a shell starts for a name or a path; `None` if there is none.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    if Path::new(program).components().count() > 1 {
        return Some(PathBuf::from(program)).filter(|path| is_executable(path));
    }
    find_among(path_folders(), program)
}

/// Returns true if the path leads to this executable. A package may start it by a script, which is another file.
pub(crate) fn is_this(path: &Path) -> bool {
    own().is_some_and(|own| is_same_file(path, &own))
}

fn own() -> Option<PathBuf> {
    env::current_exe().ok()
}

fn path_folders() -> Vec<PathBuf> {
    env::split_paths(&env::var_os("PATH").unwrap_or_default()).collect()
}

fn name_among(path_folders: Vec<PathBuf>, own: Option<&Path>) -> String {
    let Some(own) = own else { return NAME.to_owned() };
    match find_among(path_folders, NAME) {
        Some(found) if is_same_file(&found, own) => NAME.to_owned(),
        _ => own.display().to_string(),
    }
}

fn path_among(path_folders: Vec<PathBuf>, own: Option<&Path>) -> String {
    let Some(own) = own else { return NAME.to_owned() };
    match find_among(path_folders, NAME) {
        // The link of a package manager survives an upgrade, unlike the folder of a version.
        Some(found) if found.is_absolute() && is_same_file(&found, own) => found.display().to_string(),
        _ => own.display().to_string(),
    }
}

fn find_among(path_folders: Vec<PathBuf>, program: &str) -> Option<PathBuf> {
    let file_name = match env::consts::EXE_SUFFIX {
        suffix if program.ends_with(suffix) => program.to_owned(),
        suffix => format!("{program}{suffix}"),
    };
    path_folders.into_iter().map(|folder| folder.join(&file_name)).find(|path| is_executable(path))
}

fn is_same_file(left: &Path, right: &Path) -> bool {
    match (left.canonicalize(), right.canonicalize()) {
        (Ok(left), Ok(right)) => left == right,
        _ => false,
    }
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        os::unix::fs::{PermissionsExt as _, symlink},
    };

    use super::*;

    #[test]
    fn name_is_used_only_if_the_path_leads_to_this_executable() {
        let home = tempfile::tempdir().unwrap();
        let folder = |name: &str| home.path().join(name);
        for name in ["own", "stranger", "link", "text", "empty"] {
            fs::create_dir(folder(name)).unwrap();
        }
        let own = folder("own").join(NAME);
        for (file, mode) in
            [(&own, 0o755), (&folder("stranger").join(NAME), 0o755), (&folder("text").join(NAME), 0o644)]
        {
            fs::write(file, "").unwrap();
            fs::set_permissions(file, fs::Permissions::from_mode(mode)).unwrap();
        }
        symlink(&own, folder("link").join(NAME)).unwrap();
        let path_of = |name: &str| folder(name).join(NAME).display().to_string();
        let (own_path, link) = (path_of("own"), path_of("link"));
        for (folders, name, path) in [
            (&["empty", "own"][..], NAME, &own_path),
            (&["link", "stranger"], NAME, &link),
            (&["text", "own"], NAME, &own_path),
            (&["stranger", "own"], own_path.as_str(), &own_path),
            (&["empty"], own_path.as_str(), &own_path),
            (&[], own_path.as_str(), &own_path),
        ] {
            let path_folders = || folders.iter().map(|name| folder(name)).collect::<Vec<_>>();
            assert_eq!(name_among(path_folders(), Some(&own)), name, "{folders:?}");
            assert_eq!(&path_among(path_folders(), Some(&own)), path, "{folders:?}");
        }
        assert_eq!(name_among(Vec::new(), None), NAME);
    }
}
