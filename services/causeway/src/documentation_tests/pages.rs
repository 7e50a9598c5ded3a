//! The pages of the documentation.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Pages outside of the folders.
const ROOT_PAGES: [&str; 6] =
    ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "deploy/README.md"];

/// Folders in which every Markdown file is a page.
const FOLDERS: [&str; 2] = ["docs", ".github"];

/// A Markdown file.
#[derive(Debug)]
pub(super) struct DocumentationPage {
    /// The path below the root of the project.
    pub(super) path: PathBuf,
    pub(super) text: String,
}

impl DocumentationPage {
    fn read(path: PathBuf) -> DocumentationPage {
        let text = fs::read_to_string(root().join(&path)).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        DocumentationPage { path, text }
    }
}

/// Returns the root of the project.
pub(super) fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Returns the page at a path below the root.
pub(super) fn page(path: &str) -> DocumentationPage {
    DocumentationPage::read(path.into())
}

/// Returns every page.
pub(super) fn all_pages() -> Vec<DocumentationPage> {
    let mut paths: Vec<PathBuf> = ROOT_PAGES.map(PathBuf::from).into();
    FOLDERS.iter().for_each(|folder| paths.extend(pages_below(Path::new(folder))));
    paths.into_iter().map(DocumentationPage::read).collect()
}

/// Returns the paths of the Markdown files below a folder.
pub(super) fn pages_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).expect("the folder exists");
    let mut names: Vec<_> = entries.map(|entry| entry.expect("the entry can be read").file_name()).collect();
    names.sort();
    let paths = names.into_iter().map(|name| folder.join(name));
    paths
        .flat_map(|path| match root().join(&path).is_dir() {
            true => pages_below(&path),
            false => vec![path],
        })
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect()
}
