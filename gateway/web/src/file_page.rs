//! The page of a file: its source and its outline.

use maud::{Markup, html};
use serde_json::Value;

use crate::{
    address::{self, SEPARATOR},
    answer::{counted, list, number, text},
    code::{LineLinks, SourceView, code},
    coverage_notice::coverage_notice,
    frame::{Frame, Section},
};

/// Number of lines of a page: more would be slow to load.
pub const LINES_PER_PAGE: u32 = 500;

/// Returns the lines of the page that has a line.
pub fn page_with(line: u32) -> (u32, u32) {
    let start = line.saturating_sub(1) / LINES_PER_PAGE * LINES_PER_PAGE + 1;
    (start, start + LINES_PER_PAGE - 1)
}

/// Renders a file from the answer of `get_file_context`. `line` stands out; 0 for none.
pub fn render(frame: &Frame, outline: &Value, source: &SourceView, line: u32) -> String {
    let SourceView { repo, path, .. } = source;
    let file_name = path.rsplit('/').next().unwrap_or(path);
    let body = html! {
        (crumbs(repo, path))
        div.head {
            div {
                h1.file { (file_name) }
                p.lead {
                    (text(outline, "language")) ", " (counted(u64::from(source.n_file_lines), "line")) ", used by " (counted(number(outline, "used_by"), "file"))
                }
                @if !text(outline, "doc").is_empty() { p.doc { (text(outline, "doc")) } }
            }
            div.actions { a.button href=(address::impact(&format!("{repo}:{path}"))) { "Impact of a change" } }
        }
        (coverage_notice(outline))
        div.columns.wide-left {
            div.source { (pages(source, "Lines of the file")) (code(source, LineLinks::Anchors, line, &[])) (pages(source, "Lines of the file, below")) }
            (definitions(repo, outline))
        }
    };
    frame.page(Section::Search, &format!("{file_name} · {repo}"), body)
}

/// Returns the path with links to the repository and to its folders. The path of a folder ends with a slash.
pub(crate) fn crumbs(repo: &str, path: &str) -> Markup {
    let folders = path.match_indices('/').map(|(end, _)| &path[..end]).filter(|folder| !folder.is_empty());
    let file_name = path.rsplit('/').next().unwrap_or(path);
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
                span.hint { "Lines " (first) " to " (last) " of " (source.n_file_lines) }
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

/// Splits the rest of an address of a repository or file into the alias and the path; the path is empty for a repository.
pub fn split_address(rest: &str) -> (&str, &str) {
    rest.split_once(SEPARATOR).unwrap_or((rest.trim_end_matches('/'), ""))
}

#[cfg(test)]
mod tests {
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
        let shown = render(&Frame::default(), &Value::Null, &source, 0);
        assert_eq!(shown.matches("aria-label=\"Lines of the file\"").count(), 1, "{shown}");
        assert_eq!(shown.matches("aria-label=\"Lines of the file, below\"").count(), 1, "{shown}");
    }

    #[test]
    fn addresses_have_a_repository_and_a_path() {
        assert_eq!(split_address("acme/api/-/src/a-b.rs"), ("acme/api", "src/a-b.rs"));
        assert_eq!(split_address("acme/api/"), ("acme/api", ""));
        assert_eq!(split_address("acme/api/-/src/http/"), ("acme/api", "src/http/"));
    }
}
