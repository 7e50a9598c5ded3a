//! What to type to run this program.

use std::path::{Path, PathBuf};

const NAME: &str = "causeway";

/// Returns `causeway` where a shell finds it, and else where this program lies.
pub(crate) fn name() -> String {
    let searched = std::env::var_os("PATH").unwrap_or_default();
    let own = std::env::current_exe().ok();
    name_among(std::env::split_paths(&searched), own.as_deref())
}

fn name_among(mut searched: impl Iterator<Item = PathBuf>, own: Option<&Path>) -> String {
    match own {
        Some(own) if !searched.any(|folder| folder.join(NAME).is_file()) => own.display().to_string(),
        _ => NAME.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_suffices_where_a_shell_finds_it() {
        let folder = tempfile::tempdir().unwrap();
        let own = Path::new("/opt/causeway");
        let searched = || std::iter::once(folder.path().to_owned());
        assert_eq!(name_among(searched(), Some(own)), "/opt/causeway");
        std::fs::write(folder.path().join(NAME), "").unwrap();
        assert_eq!(name_among(searched(), Some(own)), "causeway");
        assert_eq!(name_among(std::iter::empty(), None), "causeway");
    }
}
