//! The name and the path by which this program is started.

use std::{
    env,
    io::Read as _,
    path::{Path, PathBuf},
};

const NAME: &str = "causeway";

/// Returns `causeway` if a shell starts this executable by that name, otherwise its path.
pub(crate) fn name() -> String {
    name_among(path_folders(), own_path().as_deref())
}

/// Returns the absolute path of this executable, for programs that do not have the `PATH` of a shell.
fn path() -> String {
    path_among(path_folders(), own_path().as_deref())
}

/// Returns the command that starts this program again later: its path, or the launcher of a package whose cache it runs from. A launcher
/// deletes old folders of its cache.
pub(crate) fn command() -> Vec<String> {
    let launched = own_path().and_then(|own| launcher_command(&own));
    launched.map_or_else(
        || vec![path()],
        |words| {
            let launcher = find(words[0]).map_or_else(|| words[0].to_owned(), |path| path.display().to_string());
            std::iter::once(launcher).chain(words[1..].iter().map(|word| (*word).to_owned())).collect()
        },
    )
}

/// Returns true if the words start a program of this name, directly or by the launcher of a package.
pub(crate) fn is_command(words: &[String]) -> bool {
    let [launcher @ .., program] = words else { return false };
    let file_name = Path::new(program).file_name().unwrap_or_default();
    let is_named =
        file_name.to_string_lossy().contains(NAME) || own_path().is_some_and(|own| own.file_name() == Some(file_name));
    is_named && launcher.first().is_none_or(|launcher| is_launcher(launcher))
}

/// Returns the command of the launcher that installed an executable in its cache; `None` for an executable at another place.
fn launcher_command(executable: &Path) -> Option<&'static [&'static str]> {
    let is_archive = |name: &str| name.strip_prefix("archive-v").is_some_and(|version| version.parse::<u32>().is_ok());
    executable.components().find_map(|component| match component.as_os_str().to_str()? {
        "_npx" => Some(NPX),
        name if is_archive(name) => Some(UVX),
        _ => None,
    })
}

/// Commands that start this program from its packages.
const NPX: &[&str] = &["npx", "-y", "@causeway-mcp/causeway"];
const UVX: &[&str] = &["uvx", "--from", "causeway-mcp", NAME];

/// Programs that start a program of a package.
const LAUNCHERS: [&str; 8] = ["uvx", "uv", "pipx", "npx", "pnpm", "bunx", "docker", "podman"];

/// Returns true for the name or the path of a program that starts programs of packages.
fn is_launcher(program: &str) -> bool {
    Path::new(program).file_stem().is_some_and(|stem| LAUNCHERS.iter().any(|launcher| stem == *launcher))
}

/// Returns the file that a shell starts for a name or a path; `None` if there is none.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    if Path::new(program).components().count() > 1 {
        return Some(PathBuf::from(program)).filter(|path| is_executable(path));
    }
    find_among(path_folders(), program)
}

/// Returns true if a file with the name of this program is another one. The script of a package is not: it starts this program.
pub(crate) fn is_other_program(path: &Path) -> bool {
    let is_named = path.file_stem().is_some_and(|stem| stem == NAME);
    is_named && !is_script(path) && own_path().is_none_or(|own| !is_same_file(path, &own))
}

fn is_script(path: &Path) -> bool {
    let mut start = [0; 2];
    let is_read = files::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok();
    is_read && start == *b"#!"
}

fn own_path() -> Option<PathBuf> {
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
    fn executables_in_caches_are_started_by_their_launchers() {
        for (path, expected) in [
            ("/home/u/.cache/uv/archive-v0/q1w2/bin/causeway", Some(UVX)),
            ("/home/u/.npm/_npx/8a/node_modules/@causeway-mcp/linux-x64/bin/causeway", Some(NPX)),
            ("/home/u/.local/share/uv/tools/causeway-mcp/bin/causeway", None),
            ("/usr/lib/node_modules/@causeway-mcp/linux-x64/bin/causeway", None),
            ("/srv/archive-vault/causeway", None),
            ("/usr/bin/causeway", None),
        ] {
            assert_eq!(launcher_command(Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn other_programs_have_the_same_name_and_are_no_scripts() {
        let home = tempfile::tempdir().unwrap();
        for (name, content, expected) in [
            (NAME, "\u{7f}ELF", true),
            // The link of npm, and the script of a wheel.
            (NAME, "#!/usr/bin/env node\n", false),
            (NAME, "", true),
            ("uvx", "\u{7f}ELF", false),
            ("causeway-mcp", "\u{7f}ELF", false),
        ] {
            let path = home.path().join(name);
            fs::write(&path, content).unwrap();
            assert_eq!(is_other_program(&path), expected, "{name} {content}");
        }
    }

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
