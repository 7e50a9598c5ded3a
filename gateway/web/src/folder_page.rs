//! The page of a folder: the folders and files directly in it.

use maud::{Markup, html};

use crate::{
    address,
    answer::{counted, grouped},
    error_page::readable_message,
    file_page::crumbs,
    frame::{Frame, Section},
};

/// The content of a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FolderListing {
    /// Names of folders, with the number of files below them.
    pub folders: Vec<(String, u64)>,
    /// Names of files.
    pub files: Vec<String>,
    /// Number of further folders and files.
    pub n_more: u64,
}

impl FolderListing {
    fn is_empty(&self) -> bool {
        self.folders.is_empty() && self.files.is_empty()
    }
}

/// Renders a folder from its content, or from the reason why that is unknown; `None` if there is no such folder. `folder` is its path
/// without a slash at the end, empty for the root of the repository.
pub fn render(frame: &Frame, repo: &str, folder: &str, listing: &Result<FolderListing, String>) -> Option<String> {
    // A repository without files has a root.
    if !folder.is_empty() && listing.as_ref().is_ok_and(FolderListing::is_empty) {
        return None;
    }
    let name = if folder.is_empty() { repo } else { folder.rsplit('/').next().unwrap_or(folder) };
    let path = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let body = html! {
        (crumbs(repo, &path))
        div.head {
            h1.file { (name) "/" }
            @if folder.is_empty() { div.actions { a.button href=(address::repository(repo)) { "Overview of the repository" } } }
        }
        @match listing {
            Ok(listing) if listing.is_empty() => p { "No file of this repository is indexed." },
            Ok(listing) => (entries(repo, folder, listing)),
            Err(reason) => (unknown_files_notice(reason)),
        }
    };
    Some(frame.page(Section::Search, &format!("{name} · {repo}"), body))
}

/// Returns a notice that the files of a folder are unknown.
pub(crate) fn unknown_files_notice(reason: &str) -> Markup {
    html! {
        div.notice.error role="alert" { p { "The files of this folder are not known now. " (readable_message(reason)) } }
        p { a href="/health" { "See the state of all repositories" } }
    }
}

/// Returns the folders and the files, each with a heading.
pub(crate) fn entries(repo: &str, folder: &str, listing: &FolderListing) -> Markup {
    let path = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
    html! {
        @if !listing.folders.is_empty() {
            section.folder {
                h2 { "Folders" span.badge { (listing.folders.len()) } }
                ul.people {
                    @for (name, n_files) in &listing.folders {
                        li { a href=(address::folder(repo, &path(name))) { (name) "/" } " " span.where { (counted(*n_files, "file")) } }
                    }
                }
            }
        }
        @if !listing.files.is_empty() {
            section.folder {
                h2 { "Files" span.badge { (listing.files.len()) } }
                ul.people { @for name in &listing.files { li { a href=(address::file(repo, &path(name), 0)) { (name) } } } }
            }
        }
        @if listing.n_more > 0 { p.hint { (grouped(listing.n_more)) " more: search finds them by their paths." } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(folders: &[(&str, u64)], files: &[&str]) -> FolderListing {
        FolderListing {
            folders: folders.iter().map(|(name, n_files)| ((*name).to_owned(), *n_files)).collect(),
            files: files.iter().map(|name| (*name).to_owned()).collect(),
            n_more: 0,
        }
    }

    #[test]
    fn entries_lead_to_folders_and_files() {
        let known = Ok(FolderListing { n_more: 1_002, ..listing(&[("http", 2)], &["a.go", "<b>.go"]) });
        for (folder, parts) in [
            ("src", ["href=\"/r/api/-/src/http/\"", "href=\"/r/api/-/src/a.go\"", ">src/</h1>"]),
            ("", ["href=\"/r/api/-/http/\"", "href=\"/r/api/-/a.go\"", ">api/</h1>"]),
        ] {
            let shown = render(&Frame::default(), "api", folder, &known).unwrap();
            for part in parts.iter().chain(&["2 files", "&lt;b&gt;.go", "1\u{202f}002 more"]) {
                assert!(shown.contains(part), "{part}: {shown}");
            }
        }
    }

    #[test]
    fn unknown_content_is_not_none() {
        let shown =
            |folder: &str, listing: Result<FolderListing, String>| render(&Frame::default(), "api", folder, &listing);
        assert_eq!(shown("nosuch", Ok(FolderListing::default())), None);
        let empty = shown("", Ok(FolderListing::default())).unwrap();
        assert!(empty.contains("No file of this repository is indexed."), "{empty}");
        for folder in ["src", ""] {
            let unknown = shown(folder, Err("unreachable: no connection".to_owned())).unwrap();
            assert!(unknown.contains("are not known now. unreachable: no connection."), "{unknown}");
        }
    }
}
