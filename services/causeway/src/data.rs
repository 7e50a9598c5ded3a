//! The data folder, and the folders with repositories.

use std::{
    io,
    path::{Path, PathBuf},
    sync::mpsc::sync_channel,
    thread,
    time::Duration,
};

use crate::{
    exit::{CommandError, Exit},
    options::GlobalOptions,
};

/// Time to wait for the folders with repositories. The worker reports one that does not answer.
const ROOT_PATIENCE: Duration = Duration::from_secs(2);

/// Returns the data folder: `--data`, or the default location of user data.
pub(crate) fn folder(global: &GlobalOptions) -> Result<PathBuf, CommandError> {
    let named = global.data.clone().filter(|path| !path.as_os_str().is_empty());
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    named.or_else(|| default_folder(variable("XDG_DATA_HOME"), variable("HOME"))).ok_or_else(|| {
        CommandError::new(Exit::Usage, "there is no home folder for the index: name a folder with --data DIR")
    })
}

fn default_folder(data_home: Option<PathBuf>, home: Option<PathBuf>) -> Option<PathBuf> {
    let data_home = data_home.or_else(|| Some(home?.join(".local/share")))?;
    Some(data_home.join("causeway"))
}

/// Checks that every root is a folder, before anything is created. A root on a file system that does not answer passes, and so does
/// one that is lost and whose repositories are indexed in the data folder: the worker serves those, and reports it.
pub(crate) fn check_roots(data: &Path, roots: &[PathBuf]) -> Result<(), CommandError> {
    let own_roots = roots.to_owned();
    let is_dir = |root: &PathBuf| root.metadata().map(|metadata| metadata.is_dir());
    let found = run_within(ROOT_PATIENCE, move || own_roots.iter().map(is_dir).collect::<Vec<_>>());
    roots.iter().zip(found.unwrap_or_default()).try_for_each(|(root, is_dir)| {
        let is_missing = is_dir.as_ref().is_err_and(files::is_missing);
        let checked = check_root(root, is_dir);
        if checked.is_err() && worker::keeps_lost_root(data, root, is_missing) { Ok(()) } else { checked }
    })
}

/// Runs a read on a thread of its own; `None` if it does not end in time.
fn run_within<T: Send + 'static>(patience: Duration, read: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (sender, receiver) = sync_channel(1);
    thread::Builder::new().name("check-roots".to_owned()).spawn(move || sender.send(read())).ok()?;
    receiver.recv_timeout(patience).ok()
}

fn check_root(root: &Path, is_dir: io::Result<bool>) -> Result<(), CommandError> {
    let invalid = |what: String| Err(CommandError::new(Exit::NothingToIndex, what));
    match is_dir {
        Ok(true) => Ok(()),
        Ok(false) => invalid(format!("`{}` is a file: name the folder that holds it", root.display())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            invalid(format!("there is no folder `{}`: name one that holds repositories", root.display()))
        }
        Err(error) => invalid(format!("the folder `{}` cannot be read: {error}", root.display())),
    }
}

/// Returns the folder of the laptop gateway's tasks and feedback, within a data folder.
pub(crate) fn gateway_folder(data: &Path) -> PathBuf {
    data.join("gateway")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_that_do_not_answer_are_left_to_the_worker() {
        let (blocked, release) = sync_channel::<()>(0);
        let waiting = move || release.recv().is_ok();
        assert_eq!(run_within(Duration::ZERO, waiting), None);
        drop(blocked);
        assert_eq!(run_within(Duration::from_secs(60), || 1), Some(1));
        let folder = tempfile::tempdir().unwrap();
        let (data, missing) = (folder.path(), folder.path().join("missing"));
        assert!(check_roots(data, &[folder.path().to_owned()]).is_ok());
        assert!(check_roots(data, &[folder.path().to_owned(), missing]).is_err());
    }

    #[test]
    fn default_folder_follows_the_xdg_specification() {
        let path = |text: &str| Some(PathBuf::from(text));
        assert_eq!(default_folder(path("/xdg"), path("/home/me")), path("/xdg/causeway"));
        assert_eq!(default_folder(None, path("/home/me")), path("/home/me/.local/share/causeway"));
        assert_eq!(default_folder(None, None), None);
    }

    #[test]
    fn invalid_roots_are_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let (file, missing) = (folder.path().join("file"), folder.path().join("missing"));
        std::fs::write(&file, "").unwrap();
        let data = folder.path();
        assert!(check_roots(data, &[folder.path().to_owned()]).is_ok());
        for (root, expected) in [(file, "is a file"), (missing, "there is no folder")] {
            let failure = check_roots(data, &[root]).unwrap_err();
            assert!(failure.exit == Exit::NothingToIndex && failure.message.contains(expected), "{failure}");
        }
    }
}
