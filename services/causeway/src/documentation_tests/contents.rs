//! Tests of the table of contents, of the decision records, and of the sizes of the first two pages.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use super::{
    markdown::{anchors, link_targets},
    pages::{page, pages_below},
};

const MAX_README_BYTES: usize = 9_000;
const MAX_ARCHITECTURE_BYTES: usize = 15_000;

#[test]
fn the_first_pages_are_short() {
    for (path, max) in [("README.md", MAX_README_BYTES), ("ARCHITECTURE.md", MAX_ARCHITECTURE_BYTES)] {
        let n_bytes = page(path).text.len();
        assert!(n_bytes <= max, "{path} has {n_bytes} bytes; the maximum is {max}");
    }
}

#[test]
fn the_summary_lists_every_page_once() {
    let summary = PathBuf::from("docs/SUMMARY.md");
    let mut pages = pages_below(Path::new("docs"));
    pages.retain(|path| *path != summary);
    let targets = link_targets(&page("docs/SUMMARY.md").text);
    let listed: BTreeSet<PathBuf> = targets.iter().map(|target| Path::new("docs").join(target)).collect();
    assert_eq!(listed.len(), targets.len(), "a page is listed twice");
    assert_eq!(listed, pages.into_iter().collect());
}

#[test]
fn decision_records_are_numbered_and_complete() {
    let records = pages_below(Path::new("docs/decisions"));
    let records: Vec<&PathBuf> = records.iter().filter(|path| !path.ends_with("README.md")).collect();
    assert!(!records.is_empty());
    let index = link_targets(&page("docs/decisions/README.md").text);
    for (idx, path) in records.iter().enumerate() {
        let name = path.file_name().expect("a record is a file").to_string_lossy();
        assert!(name.starts_with(&format!("{:04}-", idx + 1)), "{name} does not have the next number");
        assert!(index.contains(&name.to_string()), "{name} is not in the index");
        let headings = anchors(&page(&path.display().to_string()).text);
        let sections = ["context", "decision", "consequences"];
        assert_eq!(headings[1..], sections, "{name}");
        assert!(headings[0].starts_with(&format!("{}-", idx + 1)), "{name}: the title has another number");
    }
}
