//! Where the index is kept, and which folders are looked through.

use std::path::{Path, PathBuf};

use crate::{
    cli::Global,
    exit::{Exit, Failure},
};

/// Returns the data folder: `--data`, or the place where a user's data belongs.
pub(crate) fn folder(global: &Global) -> Result<PathBuf, Failure> {
    let given = global.data.clone().filter(|path| !path.as_os_str().is_empty());
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    given.or_else(|| default_folder(variable("XDG_DATA_HOME"), variable("HOME"))).ok_or_else(|| {
        Failure::new(Exit::Usage, "there is no home folder to keep the index in: name a folder with --data DIR")
    })
}

fn default_folder(data_home: Option<PathBuf>, home: Option<PathBuf>) -> Option<PathBuf> {
    let data_home = data_home.or_else(|| Some(home?.join(".local/share")))?;
    Some(data_home.join("causeway"))
}

/// Says whether every root is a folder, before anything is made.
pub(crate) fn check_roots(roots: &[PathBuf]) -> Result<(), Failure> {
    roots.iter().try_for_each(|root| check_root(root))
}

fn check_root(root: &Path) -> Result<(), Failure> {
    let refused = |what: String| Err(Failure::new(Exit::NothingToIndex, what));
    match root.metadata() {
        Ok(metadata) if metadata.is_dir() => Ok(()),
        Ok(_) => refused(format!("`{}` is a file: name the folder that holds it", root.display())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            refused(format!("there is no folder `{}`: name one that holds repositories", root.display()))
        }
        Err(error) => refused(format!("the folder `{}` cannot be read: {error}", root.display())),
    }
}

/// Returns the folder within a data folder where the gateway of a laptop remembers tasks and feedback.
pub(crate) fn of_gateway(data: &Path) -> PathBuf {
    data.join("gateway")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_is_kept_where_data_belongs() {
        let path = |text: &str| Some(PathBuf::from(text));
        assert_eq!(default_folder(path("/xdg"), path("/home/me")), path("/xdg/causeway"));
        assert_eq!(default_folder(None, path("/home/me")), path("/home/me/.local/share/causeway"));
        assert_eq!(default_folder(None, None), None);
    }

    #[test]
    fn roots_that_are_no_folders_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let (file, missing) = (folder.path().join("file"), folder.path().join("missing"));
        std::fs::write(&file, "").unwrap();
        assert!(check_roots(&[folder.path().to_owned()]).is_ok());
        for (root, expected) in [(file, "is a file"), (missing, "there is no folder")] {
            let failure = check_roots(&[root]).unwrap_err();
            assert!(failure.exit == Exit::NothingToIndex && failure.message.contains(expected), "{failure}");
        }
    }
}
