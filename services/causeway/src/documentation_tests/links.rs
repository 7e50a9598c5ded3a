//! Tests of links and of paths in pages.

use std::path::{Component, Path, PathBuf};

use super::{
    markdown::{anchors, code_spans, link_targets},
    pages::{DocumentationPage, all_pages, page, root},
};

/// Folders of the project; inline code that begins with one of them is a path.
const FOLDERS: [&str; 8] = ["crates", "gateway", "services", "proto", "tests", "fuzz", "deploy", "docs"];

/// Parts of paths that stand for something else.
const PLACEHOLDERS: [&str; 3] = ["TARGET", "NNNN", "NAME"];

#[test]
fn relative_links_resolve() {
    let mut n_links = 0;
    for page in all_pages() {
        for target in link_targets(&page.text) {
            if target.starts_with("https://") || target.starts_with("mailto:") {
                continue;
            }
            check_link(&page, &target);
            n_links += 1;
        }
    }
    assert!(n_links >= 100, "{n_links}");
}

fn check_link(from: &DocumentationPage, target: &str) {
    let place = format!("{}: {target}", from.path.display());
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let linked = match path {
        "" => from.path.clone(),
        path => normalize(&from.path.parent().expect("a page is a file").join(path)),
    };
    assert!(root().join(&linked).exists(), "{place}: there is no such file");
    // The book holds the pages of `docs` alone.
    assert!(!from.path.starts_with("docs") || linked.starts_with("docs"), "{place}: the link leaves the book");
    if !anchor.is_empty() {
        let headings = anchors(&page(&linked.display().to_string()).text);
        assert!(headings.iter().any(|heading| heading == anchor), "{place}: there is no such heading");
    }
}

/// Resolves `..` without the file system.
fn normalize(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => assert!(normal.pop(), "{}: the path leaves the project", path.display()),
            Component::CurDir => {}
            other => normal.push(other),
        }
    }
    normal
}

#[test]
fn paths_in_pages_exist() {
    for page in all_pages() {
        for span in code_spans(&page.text) {
            let is_plain = span.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
            let is_path = span.split_once('/').is_some_and(|(folder, _)| FOLDERS.contains(&folder));
            if is_plain && is_path && !PLACEHOLDERS.iter().any(|placeholder| span.contains(placeholder)) {
                assert!(root().join(span).exists(), "{}: `{span}` does not exist", page.path.display());
            }
        }
    }
}
