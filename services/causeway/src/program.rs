//! The name by which users run this program.

use std::path::{Path, PathBuf};

const NAME: &str = "causeway";

/// Returns `causeway` if a shell finds it, otherwise the path of this executable.
pub(crate) fn name() -> String {
    let path_folders = std::env::var_os("PATH").unwrap_or_default();
    let own = std::env::current_exe().ok();
    name_among(std::env::split_paths(&path_folders), own.as_deref())
}

fn name_among(mut path_folders: impl Iterator<Item = PathBuf>, own: Option<&Path>) -> String {
    match own {
        Some(own) if !path_folders.any(|folder| folder.join(NAME).is_file()) => own.display().to_string(),
        _ => NAME.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_is_used_if_it_is_on_the_path() {
        let folder = tempfile::tempdir().unwrap();
        let own = Path::new("/opt/causeway");
        let path_folders = || std::iter::once(folder.path().to_owned());
        assert_eq!(name_among(path_folders(), Some(own)), "/opt/causeway");
        std::fs::write(folder.path().join(NAME), "").unwrap();
        assert_eq!(name_among(path_folders(), Some(own)), "causeway");
        assert_eq!(name_among(std::iter::empty(), None), "causeway");
    }
}
