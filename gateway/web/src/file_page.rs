//! The page of a file: its source and its outline.

use maud::{Markup, html};
use serde_json::Value;

use crate::{
    address::{self, SEPARATOR},
    answer::{counted, grouped, list, number, text, texts},
    code::{LineLinks, SourceView, code},
    coverage_notice::coverage_notice,
    frame::{Frame, PageShell, Section},
    symbol_page::plain,
};

/// Number of lines of a page: more would be slow to load.
pub const LINES_PER_PAGE: u32 = 500;

/// Returns the lines of the page that has a line.
pub fn page_with(line: u32) -> (u32, u32) {
    let start = line.saturating_sub(1) / LINES_PER_PAGE * LINES_PER_PAGE + 1;
    (start, start + LINES_PER_PAGE - 1)
}

/// Renders the page of a file without its content.
pub fn shell(frame: &Frame, repo: &str, path: &str) -> PageShell {
    frame.shell(Section::Search, &format!("{} · {repo}", file_name(path)))
}

/// Renders the content from the answer of `get_file_context` and the source; `None` if the file has no line or could not be read.
/// `line` stands out; 0 for none.
pub fn content(repo: &str, path: &str, outline: &Value, source: Option<&SourceView>, line: u32) -> String {
    let n_lines = source.map_or(number(outline, "lines"), |source| u64::from(source.n_file_lines));
    html! {
        (crumbs(repo, path))
        div.head {
            div {
                h1.file { (file_name(path)) }
                p.lead {
                    (text(outline, "language")) ", " (counted(n_lines, "line")) ", used by " (counted(number(outline, "used_by"), "file"))
                }
                @if !text(outline, "doc").is_empty() { p.doc { (plain(text(outline, "doc"))) } }
            }
            div.actions { a.button href=(address::impact(&format!("{repo}:{path}"))) { "Impact of a change" } }
        }
        (coverage_notice(outline))
        div.columns.wide-left {
            @match source {
                Some(source) => div.source { (pages(source, "Lines of the file")) (code(source, LineLinks::Anchors, line, &[])) (pages(source, "Lines of the file, below")) },
                None => div.source { p.hint { (why_no_source(outline)) } },
            }
            (definitions(repo, outline))
        }
    }
    .into_string()
}

/// Returns the reason why a file has no source to show.
fn why_no_source(outline: &Value) -> String {
    let diagnostic = texts(outline, "diagnostics").next();
    match (diagnostic, number(outline, "lines")) {
        (Some(diagnostic), 0) => format!("The text of this file is not indexed: {}.", plain(diagnostic)),
        (None, 0) => "This file has no line of text: it is empty or binary.".to_owned(),
        _ => "The source could not be read.".to_owned(),
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns the path with links to the repository and to its folders. The path of a folder ends with a slash.
pub(crate) fn crumbs(repo: &str, path: &str) -> Markup {
    let folders = path.match_indices('/').map(|(end, _)| &path[..end]).filter(|folder| !folder.is_empty());
    let file_name = file_name(path);
    html! {
        nav.crumbs aria-label="Breadcrumb" {
            a href=(address::repository(repo)) { (repo) }
            @for folder in folders { a href=(address::folder(repo, folder)) { (folder.rsplit('/').next().unwrap_or(folder)) } }
            @if !file_name.is_empty() { a href=(address::file(repo, path, 0)) { (file_name) } }
        }
    }
}

/// Returns the links to the other lines. Each landmark of a page has a name of its own.
fn pages(source: &SourceView, label: &str) -> Markup {
    let (first, last) = match (source.lines.first(), source.lines.last()) {
        (Some(first), Some(last)) => (first.number, last.number),
        _ => return html! {},
    };
    let href = |line: u32| address::file(&source.repo, &source.path, line);
    html! {
        @if first > 1 || last < source.n_file_lines {
            nav.pages aria-label=(label) {
                @if first > 1 { a.button href=(href(first.saturating_sub(LINES_PER_PAGE).max(1))) { "Earlier lines" } }
                span.hint { "Lines " (grouped(first.into())) " to " (grouped(last.into())) " of " (grouped(source.n_file_lines.into())) }
                @if last < source.n_file_lines { a.button href=(href(last + 1)) { "Later lines" } }
            }
        }
    }
}

fn definitions(repo: &str, outline: &Value) -> Markup {
    let entities = list(outline, "entities");
    html! {
        aside.outline aria-label="Definitions of the file" {
            h2 { "Definitions" span.badge { (entities.len()) } }
            ul {
                @for entity in entities {
                    li {
                        a href=(address::symbol(&format!("{repo}//{}", text(entity, "symbol_id")))) title=(text(entity, "signature")) {
                            span.kind { (text(entity, "kind")) } " " (text(entity, "name"))
                        }
                        @if number(entity, "used_by") > 0 { span.num title="Number of users" { (number(entity, "used_by")) } }
                    }
                }
            }
            @if entities.is_empty() { p.hint { "No definition was found in this file." } }
        }
    }
}

/// Splits the rest of an address of a repository or file into the alias and the path. The path of a folder ends with a slash, that of
/// the root of a repository is a slash, and that of the repository itself is empty.
pub fn split_address(rest: &str) -> (&str, &str) {
    match rest.split_once(SEPARATOR) {
        Some((repo, "")) => (repo, "/"),
        Some(parts) => parts,
        None => (rest.trim_end_matches('/'), ""),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_page_has_its_line() {
        for (line, expected) in [(0, (1, 500)), (1, (1, 500)), (500, (1, 500)), (501, (501, 1_000))] {
            assert_eq!(page_with(line), expected, "{line}");
        }
    }

    #[test]
    fn folders_of_a_path_are_links() {
        let file = crumbs("api", "src/http/b.go").into_string();
        for part in [
            "href=\"/r/api/-/src/\">src<",
            "href=\"/r/api/-/src/http/\">http<",
            "href=\"/r/api/-/src/http/b.go\">b.go<",
        ] {
            assert!(file.contains(part), "{part}: {file}");
        }
        let folder = crumbs("api", "src/http/").into_string();
        assert!(folder.ends_with("href=\"/r/api/-/src/http/\">http</a></nav>"), "{folder}");
        assert_eq!(crumbs("api", "Makefile").into_string().matches("<a ").count(), 2);
    }

    #[test]
    fn a_long_file_has_two_landmarks_of_different_names() {
        let lines = (1..=2).map(|number| crate::code::CodeLine { number, ..Default::default() }).collect();
        let source = SourceView { n_file_lines: 900, lines, ..SourceView::default() };
        let shown = content("api", "a.rs", &Value::Null, Some(&source), 0);
        assert_eq!(shown.matches("aria-label=\"Lines of the file\"").count(), 1, "{shown}");
        assert_eq!(shown.matches("aria-label=\"Lines of the file, below\"").count(), 1, "{shown}");
    }

    #[test]
    fn a_file_without_source_says_why() {
        let shown = |outline: Value| content("api", "pkg/__init__.py", &outline, None, 0);
        for (outline, expected) in [
            (json!({"language": "python", "lines": 0}), "it is empty or binary"),
            (json!({"lines": 0, "diagnostics": ["a file of `9` MB"]}), "is not indexed: a file of 9 MB."),
            (json!({"lines": 7}), "could not be read"),
        ] {
            let page = shown(outline);
            assert!(
                page.contains(expected) && page.contains("<h1 class=\"file\">__init__.py</h1>"),
                "{expected}: {page}"
            );
        }
    }

    #[test]
    fn addresses_have_a_repository_and_a_path() {
        assert_eq!(split_address("acme/api/-/src/a-b.rs"), ("acme/api", "src/a-b.rs"));
        assert_eq!(split_address("acme/api/"), ("acme/api", ""));
        assert_eq!(split_address("acme/api/-/src/http/"), ("acme/api", "src/http/"));
        assert_eq!(split_address("acme/api/-/"), ("acme/api", "/"));
    }
}
