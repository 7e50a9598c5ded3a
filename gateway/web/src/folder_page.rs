//! The page of a folder: its folders and files, as far as search knows them.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};
use serde_json::Value;

use crate::{
    address,
    answer::{counted, list, number, text},
    coverage_notice::coverage_notice,
    error_page::readable_message,
    file_page::crumbs,
    frame::{Frame, Section},
};

/// The content of a folder.
#[derive(Debug, Default, PartialEq, Eq)]
struct FolderContent<'a> {
    /// Names of folders, with the number of files below them.
    folders: BTreeMap<&'a str, usize>,
    /// Names of files.
    files: BTreeSet<&'a str>,
}

/// Renders a folder from answers of `search_codebase` about its files, or their errors; `None` if all answers are complete and have no
/// file. `folder` is its path without a slash at the end.
pub fn render(frame: &Frame, repo: &str, folder: &str, results: &[Result<Value, String>]) -> Option<String> {
    let answers: Vec<&Value> = results.iter().filter_map(|result| result.as_ref().ok()).collect();
    let FolderContent { folders, files } = content(repo, folder, &answers);
    let is_empty = folders.is_empty() && files.is_empty();
    let is_complete = |answer: &&Value| answer["_meta"]["coverage"]["complete"].as_bool() != Some(false);
    if is_empty && answers.len() == results.len() && answers.iter().all(is_complete) {
        return None;
    }
    let name = folder.rsplit('/').next().unwrap_or(folder);
    let is_cut = answers.iter().any(|answer| answer["_meta"]["truncated"].as_bool() == Some(true));
    let body = html! {
        (crumbs(repo, &format!("{folder}/")))
        h1.file { (name) }
        @for notice in notices(results) { (notice) }
        @if is_empty { p { "No file of this folder is known." } }
        @if !folders.is_empty() {
            section {
                h2 { "Folders" span.badge { (folders.len()) } }
                ul.people {
                    @for (name, n_files) in &folders {
                        li { a href=(address::folder(repo, &format!("{folder}/{name}"))) { (name) "/" } " " span.where { (counted(*n_files as u64, "file")) } }
                    }
                }
            }
        }
        @if !files.is_empty() {
            section {
                h2 { "Files" span.badge { (files.len()) } }
                ul.people { @for name in &files { li { a href=(address::file(repo, &format!("{folder}/{name}"), 0)) { (name) } } } }
            }
        }
        @if is_cut { p.hint { "The folder may have more files: search finds them by their paths." } }
    };
    Some(frame.page(Section::Search, &format!("{name} · {repo}"), body))
}

/// Returns the errors and the coverage of the answers. Equal ones are shown once.
fn notices(results: &[Result<Value, String>]) -> Vec<Markup> {
    let mut notices: Vec<Markup> = Vec::new();
    for result in results {
        let notice = match result {
            Ok(answer) => coverage_notice(answer),
            Err(message) => html! { div.notice.error role="alert" { p { (readable_message(message)) } } },
        };
        if notices.iter().all(|shown| shown.0 != notice.0) {
            notices.push(notice);
        }
    }
    notices
}

fn content<'a>(repo: &str, folder: &str, answers: &[&'a Value]) -> FolderContent<'a> {
    // A hit without a line is a page about a folder.
    let is_file = |row: &&Value| text(row, "repo") == repo && number(row, "start_line") > 0;
    let rows = answers.iter().flat_map(|answer| list(answer, "results")).filter(is_file);
    let below: BTreeSet<&str> =
        rows.filter_map(|row| text(row, "path").strip_prefix(folder)?.strip_prefix('/')).collect();
    let mut content = FolderContent::default();
    for path in below {
        match path.split_once('/') {
            Some((name, _)) => *content.folders.entry(name).or_default() += 1,
            None => drop(content.files.insert(path)),
        }
    }
    content
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn hits_become_folders_and_files() {
        let hit = |repo: &str, path: &str, line: u32| json!({"repo": repo, "path": path, "start_line": line});
        let answers = vec![
            json!({"results": [hit("api", "src/a.go", 1), hit("api", "src/http/b.go", 1), hit("api", "src/http", 0)]}),
            json!({"results": [
                hit("api", "src/a.go", 7), hit("api", "src/http/c.go", 1), hit("api", "src2/x.go", 1),
                hit("web", "src/w.ts", 1), hit("api", "src/<b>.go", 1)
            ], "_meta": {"truncated": true}}),
        ];
        let expected =
            FolderContent { folders: BTreeMap::from([("http", 2)]), files: BTreeSet::from(["<b>.go", "a.go"]) };
        assert_eq!(content("api", "src", &answers.iter().collect::<Vec<_>>()), expected);
        let answers: Vec<Result<Value, String>> = answers.into_iter().map(Ok).collect();
        let shown = render(&Frame::default(), "api", "src", &answers).unwrap();
        for part in ["href=\"/r/api/-/src/http/\"", "href=\"/r/api/-/src/a.go\"", "&lt;b&gt;.go", "may have more files"]
        {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        assert!(render(&Frame::default(), "api", "nosuch", &answers).is_none());
    }

    #[test]
    fn unknown_content_is_not_none() {
        let hits = json!([{"repo": "api", "path": "src/a.go", "start_line": 1}]);
        let complete = |results: Value| Ok(json!({"results": results, "_meta": {"coverage": {"complete": true}}}));
        let short = |results: Value, state: &str| {
            let shortfalls = json!([{"repo": "api", "state": state}]);
            let coverage = json!({"complete": false, "asked": 1, "answered": 0, "shortfalls": shortfalls});
            Ok(json!({"results": results, "_meta": {"coverage": coverage}}))
        };
        let failed = || Err("the search took too long".to_owned());
        let none = || json!([]);
        let no_page: &[&str] = &[];
        for (results, expected) in [
            (vec![complete(none()), complete(none())], no_page),
            (
                vec![short(none(), "unreachable"), short(none(), "unreachable")],
                &["may be incomplete", "unreachable", "No file of this folder is known"],
            ),
            (vec![complete(none()), failed()], &["The search took too long.", "No file of this folder is known"]),
            (vec![complete(hits.clone()), short(none(), "timed_out")], &["timed out", "a.go"]),
            (vec![short(hits.clone(), "failed"), short(none(), "stale")], &["failed", "stale", "a.go"]),
            (vec![failed(), complete(hits.clone())], &["The search took too long.", "a.go"]),
        ] {
            let shown = render(&Frame::default(), "api", "src", &results);
            assert_eq!(shown.is_some(), !expected.is_empty(), "{results:?}");
            for part in expected {
                assert!(shown.as_ref().is_some_and(|shown| shown.contains(part)), "{part}: {shown:?}");
            }
        }
        let same = vec![short(none(), "unreachable"), short(none(), "unreachable")];
        let shown = render(&Frame::default(), "api", "src", &same).unwrap();
        assert_eq!(shown.matches("may be incomplete").count(), 1, "{shown}");
    }
}
