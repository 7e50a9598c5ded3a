//! The files of objects that the library for git maps: packs, their indexes and commit graphs.
//!
//! Git replaces such a file, and never writes into it. One that has shrunk was truncated by something else, and its objects seem to be
//! missing. Its length tells so also where the cut is within a page, which reads as zeros without a signal.

use std::{
    fs, io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use crate::{Checkout, CheckoutKind};

/// The folders within a folder of objects that have mapped files.
const FOLDERS: [&str; 3] = ["pack", "info", "info/commit-graphs"];

/// The beginnings of the names of mapped files.
const MAPPED_NAMES: [&str; 4] = ["pack-", "multi-pack-index", "commit-graph", "graph-"];

/// The mapped files of a repository, with their lengths before it is read.
#[derive(Debug, Default)]
pub struct ObjectFiles {
    folders: Vec<PathBuf>,
    has_links: bool,
    files: Vec<MappedFile>,
}

#[derive(Debug)]
struct MappedFile {
    path: PathBuf,
    /// Device and inode. Another file with the same name is a replacement.
    id: (u64, u64),
    n_bytes: u64,
}

impl ObjectFiles {
    /// Lists the files of a checkout; none for a plain folder.
    pub fn list(checkout: &Checkout) -> io::Result<ObjectFiles> {
        let mut listed = ObjectFiles::default();
        if checkout.kind == CheckoutKind::Folder {
            return Ok(listed);
        }
        listed.folders = checkout.dirs.folders()?;
        for objects in checkout.dirs.object_folders()? {
            listed.add_folder(&objects, &|_| false);
            for folder in FOLDERS {
                let is_mapped = |name: &str| MAPPED_NAMES.iter().any(|mapped| name.starts_with(mapped));
                listed.add_folder(&objects.join(folder), &is_mapped);
            }
        }
        Ok(listed)
    }

    /// Returns the canonical folders of all files; `None` if one of the files is a link, which may lead to any folder.
    pub fn folders(&self) -> Option<&[PathBuf]> {
        (!self.has_links).then_some(self.folders.as_slice())
    }

    /// Returns true if a file is shorter than before.
    pub fn has_shrunk(&self) -> bool {
        self.files.iter().any(|file| {
            fs::metadata(&file.path).is_ok_and(|now| (now.dev(), now.ino()) == file.id && now.len() < file.n_bytes)
        })
    }

    /// Adds the mapped files of a folder. A folder that cannot be listed has none.
    fn add_folder(&mut self, folder: &Path, is_mapped: &dyn Fn(&str) -> bool) {
        for entry in fs::read_dir(folder).into_iter().flatten().map_while(Result::ok) {
            self.has_links |= entry.file_type().is_ok_and(|kind| kind.is_symlink());
            if entry.file_name().to_str().is_some_and(is_mapped)
                && let Ok(found) = fs::metadata(entry.path())
                && found.is_file()
            {
                let id = (found.dev(), found.ino());
                self.files.push(MappedFile { path: entry.path(), id, n_bytes: found.len() });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Sandbox;

    fn packs(sandbox: &Sandbox, extension: &str) -> Vec<PathBuf> {
        let entries = fs::read_dir(sandbox.path("app/.git/objects/pack")).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.extension().is_some_and(|found| found == extension)).collect()
    }

    fn cut(path: &Path, n_bytes: u64) {
        fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_len(file.metadata().unwrap().len() - n_bytes).unwrap();
    }

    #[test]
    fn a_file_that_shrinks_is_noticed() {
        for (extension, n_bytes, is_noticed) in
            [("pack", 1, true), ("idx", 1, true), ("idx", 300, true), ("pack", 0, false)]
        {
            let sandbox = Sandbox::new();
            sandbox.repository("app", &[("a.rs", "fn a() {}")]);
            sandbox.run("app", "git gc -q");
            let listed = ObjectFiles::list(&sandbox.checkout("app")).unwrap();
            assert!(!listed.has_shrunk() && listed.folders().is_some());
            packs(&sandbox, extension).iter().for_each(|path| cut(path, n_bytes));
            assert_eq!(listed.has_shrunk(), is_noticed, "{extension} {n_bytes}");
        }
    }

    #[test]
    fn replaced_files_have_not_shrunk() {
        let sandbox = Sandbox::new();
        sandbox.repository("app", &[("a.rs", "fn a() {}")]);
        sandbox.run("app", "git gc -q");
        let listed = ObjectFiles::list(&sandbox.checkout("app")).unwrap();
        sandbox.commit("app");
        sandbox.run("app", "git repack -q -a -d");
        assert!(!listed.has_shrunk());
    }

    #[test]
    fn borrowed_objects_count_and_links_may_lead_anywhere() {
        let sandbox = Sandbox::new();
        sandbox.repository("app", &[("a.rs", "fn a() {}")]);
        sandbox.run("app", "git gc -q");
        sandbox.run("", &format!("git clone -q --shared {} borrower", sandbox.path("app").display()));
        let listed = ObjectFiles::list(&sandbox.checkout("borrower")).unwrap();
        let lender = fs::canonicalize(sandbox.path("app/.git/objects")).unwrap();
        assert!(listed.folders().unwrap().contains(&lender), "{listed:?}");
        packs(&sandbox, "pack").iter().for_each(|path| cut(path, 1));
        assert!(listed.has_shrunk());

        std::os::unix::fs::symlink("/srv/packs/pack-1.pack", sandbox.path("app/.git/objects/pack/pack-1.pack"))
            .unwrap();
        assert_eq!(ObjectFiles::list(&sandbox.checkout("app")).unwrap().folders(), None);
    }
}
