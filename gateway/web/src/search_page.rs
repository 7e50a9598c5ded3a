//! The search page: the answer to a question, definitions by name, and hits with code.

use std::collections::BTreeSet;

use maud::{Markup, html};
use model::Language;
use serde_json::Value;

use crate::{
    address,
    answer::{CodePlace, counted, grouped, list, number, text, texts},
    code::{LineLinks, OMISSION, SourceView, code, marked_text, words_to_mark},
    coverage_notice::coverage_notice,
    error_page::readable_message,
    frame::{Frame, PageShell, Section},
};

/// The parameters of a search, as in its address.
#[derive(Debug, Clone, Default)]
pub struct SearchForm {
    /// The words.
    pub q: String,
    /// Only this repository.
    pub repo: String,
    /// Only this language.
    pub language: String,
    /// Only this kind of file.
    pub kind: String,
    /// The page of results.
    pub cursor: String,
}

/// The answers of the tools to one search.
#[derive(Debug, Default)]
pub struct SearchAnswers {
    /// Of `search_codebase`, or the reason why there is none.
    pub code: Option<Result<Value, String>>,
    /// Of `search_symbols`, if the words may be a name.
    pub symbols: Option<Value>,
    /// Of `get_answer`, if the words are a question.
    pub answer: Option<Value>,
    /// The code of each hit, in the order of the hits.
    pub sources: Vec<Option<SourceView>>,
    /// The cursor of the next page; empty if there is none.
    pub next: String,
}

const KINDS: [(&str, &str); 4] =
    [("implementation", "Code"), ("test", "Tests"), ("config", "Configuration"), ("doc", "Documents")];

/// Maximum number of repositories to filter by.
const MAX_REPOSITORIES: usize = 12;

/// Maximum number of characters of a query, as in the search fields.
pub const MAX_QUERY_CHARS: usize = 2_000;

/// Maximum number of lines of a hit.
const MAX_HIT_LINES: usize = 12;

/// Maximum number of listed definitions.
const MAX_SYMBOLS: usize = 6;

/// Maximum number of citations below an answer.
const MAX_CITATIONS: usize = 8;

/// Returns true if the words are a question, which may have an answer.
pub fn is_question(query: &str) -> bool {
    const STARTS: [&str; 12] =
        ["who ", "what ", "where ", "when ", "which ", "how ", "why ", "does ", "do ", "is ", "are ", "can "];
    let query = query.trim().to_ascii_lowercase();
    let n_words = query.split_whitespace().count();
    n_words > 2 && (query.ends_with('?') || STARTS.iter().any(|start| query.starts_with(start)))
}

/// Returns true if the words may be the name of a definition.
pub fn is_name(query: &str) -> bool {
    let query = query.trim();
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | ':' | '$');
    query.chars().count() > 1 && query.chars().all(is_part)
}

/// Renders the page without its content.
pub fn shell(frame: &Frame, query: &SearchForm) -> PageShell {
    let title = if query.q.is_empty() { "Search".to_owned() } else { format!("{} · Search", query.q) };
    frame.shell(Section::Search, &title)
}

/// Renders the content of the page.
pub fn content(query: &SearchForm, answers: &SearchAnswers) -> String {
    html! { div #results aria-live="polite" { (results(query, answers)) } }.into_string()
}

fn results(query: &SearchForm, answers: &SearchAnswers) -> Markup {
    html! {
        @match &answers.code {
            None => (introduction()),
            Some(Err(message)) => {
                h1.hidden { "Search" }
                div.notice.error role="alert" { p { (readable_message(message)) } }
            }
            Some(Ok(found)) => {
                h1.hidden { "Results for " (query.q) }
                div.columns {
                    (facets(query, found))
                    div.results {
                        (coverage_notice(found))
                        @if let Some(answer) = &answers.answer { (answer_card(answer)) }
                        (repository_card(query, found))
                        @if let Some(symbols) = &answers.symbols { (symbol_card(symbols)) }
                        @let total = number(&found["_meta"], "totalItems");
                        @if total > 0 { p.hint { (counted(total, "result")) } }
                        (hits(query, found, &answers.sources))
                        (pages(query, found, &answers.next))
                    }
                }
            }
        }
    }
}

fn introduction() -> Markup {
    const EXAMPLES: [&str; 3] = ["retry with back-off", "who calls the orders service?", "deploy/values.yaml"];
    html! {
        div.empty {
            h1 { "Search all repositories" }
            p { "Words, names, paths and questions. The ranking is that of one index over everything that you may read." }
            ul.chips { @for example in EXAMPLES { li { a href=(address::with_query("/search", &[("q", example)])) { (example) } } } }
        }
    }
}

impl SearchForm {
    fn has_filter(&self) -> bool {
        [&self.repo, &self.language, &self.kind].iter().any(|value| !value.is_empty())
    }

    /// Returns the address of this search in all files.
    fn without_filters(&self) -> String {
        self.address(&[("repo", ""), ("language", ""), ("kind", "")])
    }

    /// Returns the address of this search with other values.
    fn address(&self, changes: &[(&str, &str)]) -> String {
        let value = |name: &str, own: &str| {
            changes
                .iter()
                .find(|(changed, _)| *changed == name)
                .map_or(own.to_owned(), |(_, value)| (*value).to_owned())
        };
        let (q, repo) = (value("q", &self.q), value("repo", &self.repo));
        let (language, kind, cursor) =
            (value("language", &self.language), value("kind", &self.kind), value("cursor", ""));
        let parameters =
            [("q", q.as_str()), ("repo", &repo), ("language", &language), ("kind", &kind), ("cursor", &cursor)];
        address::with_query("/search", &parameters)
    }
}

fn facets(query: &SearchForm, found: &Value) -> Markup {
    let repositories = list(found, "by_repo");
    let facet = |name: &str, value: &str, own: &str, label: Markup| {
        let is_selected = value == own;
        html! { li { a href=(query.address(&[(name, if is_selected { "" } else { value })])) aria-current=[is_selected.then_some("true")] { (label) } } }
    };
    html! {
        aside.facets aria-label="Filters" {
            @if query.has_filter() { p { a.clear href=(query.without_filters()) { "Clear the filters" } } }
            @if !repositories.is_empty() || !query.repo.is_empty() { h2 { "Repository" } }
            ul {
                @if !query.repo.is_empty() && !repositories.iter().any(|row| text(row, "repo") == query.repo) {
                    (facet("repo", &query.repo, &query.repo, html! { span.name { (query.repo) } }))
                }
                @for row in repositories.iter().take(MAX_REPOSITORIES) {
                    (facet("repo", text(row, "repo"), &query.repo, html! { span.name { (text(row, "repo")) } span.num { (grouped(number(row, "hits"))) } }))
                }
            }
            @if repositories.len() > MAX_REPOSITORIES { p.hint { (repositories.len() - MAX_REPOSITORIES) " more have hits" } }
            h2 { "Kind" }
            ul { @for (kind, label) in KINDS { (facet("kind", kind, &query.kind, html! { (label) })) } }
            h2 { "Language of the file" }
            @let (shown, others) = languages(query, found);
            @let chosen = Language::parse(&query.language).map(Language::name).unwrap_or_default();
            ul.inline { @for language in shown { (facet("language", language.name(), chosen, html! { (language.name()) })) } }
            // Later pages may have hits in other languages, too.
            @if !others.is_empty() {
                details {
                    summary { @if list(found, "results").is_empty() { "Choose a language" } @else { "Other languages" } }
                    ul.inline { @for language in others { (facet("language", language.name(), "", html! { (language.name()) })) } }
                }
            }
        }
    }
}

/// Returns the languages of the shown hits with the chosen one, and the other languages.
fn languages(query: &SearchForm, found: &Value) -> (Vec<Language>, Vec<Language>) {
    let paths = list(found, "results").iter().map(|row| text(row, "path")).filter(|path| !path.is_empty());
    let shown: BTreeSet<Language> = paths.map(Language::of_path).chain(Language::parse(&query.language)).collect();
    Language::ALL.iter().copied().partition(|language| shown.contains(language))
}

/// Returns the answer with its citations. Marks such as `[api:src/main.rs:10]` in the text become links.
fn answer_card(answer: &Value) -> Markup {
    let written = text(answer, "answer");
    if written.is_empty() {
        return html! {};
    }
    html! {
        section.card.answer aria-labelledby="answer" {
            h2 #answer { "Answer" span.badge { (text(answer, "confidence")) " confidence" } }
            @for paragraph in written.split('\n').filter(|line| !line.trim().is_empty()) { p { (with_citations(paragraph)) } }
            @let citations = list(answer, "citations");
            @if !citations.is_empty() {
                ul.cited {
                    @for citation in citations.iter().take(MAX_CITATIONS) {
                        @let line = number(citation, "start_line") as u32;
                        li { a href=(address::file(text(citation, "repo"), text(citation, "path"), line)) { (text(citation, "repo")) ":" (text(citation, "path")) ":" (line) } }
                    }
                }
            }
            p.hint { "Quoted from the code; check the sources." }
        }
    }
}

/// Returns a text in which citations are numbered links and code is code.
fn with_citations(paragraph: &str) -> Markup {
    let mut parts: Vec<Markup> = Vec::new();
    let mut rest = paragraph;
    while let Some((before, inside, after)) = next_citation(rest) {
        parts.push(with_code(before));
        parts.push(html! { a.cite href=(address::file(&inside.repo, &inside.path, inside.line)) title={ (inside.repo) ":" (inside.path) ":" (inside.line) } { (file_name(&inside.path)) ":" (inside.line) } });
        rest = after;
    }
    parts.push(with_code(rest));
    html! { @for part in parts { (part) } }
}

/// Returns the first citation of a text, with the text before and after it.
fn next_citation(written: &str) -> Option<(&str, CodePlace, &str)> {
    let mut from = 0;
    while let Some(at) = written[from..].find('[').map(|at| at + from) {
        let end = at + written[at..].find(']')?;
        match CodePlace::parse(without_last_line(&written[at + 1..end])).filter(|place| place.line > 0) {
            Some(place) => return Some((&written[..at], place, &written[end + 1..])),
            None => from = at + 1,
        }
    }
    None
}

/// Returns a citation of several lines without the last one.
fn without_last_line(citation: &str) -> &str {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    citation.rsplit_once('-').filter(|(_, last)| is_number(last)).map_or(citation, |(before, _)| before)
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns a text in which the parts between backticks are code.
fn with_code(written: &str) -> Markup {
    html! {
        @for (idx, part) in written.split('`').enumerate() {
            @if idx % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// Returns the repositories with hits whose name the words are.
fn repository_card(query: &SearchForm, found: &Value) -> Markup {
    let words = query.q.trim();
    let named: Vec<&str> =
        list(found, "by_repo").iter().map(|row| text(row, "repo")).filter(|alias| is_own_name(alias, words)).collect();
    html! {
        @if !named.is_empty() {
            section.card aria-labelledby="repositories" {
                h2 #repositories { "Repositories" span.badge { (named.len()) } }
                ul.symbols {
                    @for alias in named.iter().copied().take(MAX_REPOSITORIES) {
                        li {
                            a.strong href=(address::repository(alias)) { (alias) }
                            a.where href=(address::with_query("/", &[("focus", alias)])) { "on the map" }
                        }
                    }
                }
            }
        }
    }
}

/// Returns true if words are an alias or its last component, whatever their case.
fn is_own_name(alias: &str, words: &str) -> bool {
    let own = alias.rsplit('/').next().unwrap_or(alias);
    alias.eq_ignore_ascii_case(words) || own.eq_ignore_ascii_case(words)
}

fn symbol_card(symbols: &Value) -> Markup {
    let rows = list(symbols, "symbols");
    html! {
        @if !rows.is_empty() {
            section.card aria-labelledby="definitions" {
                h2 #definitions { "Definitions" span.badge { (grouped(number(symbols, "matched"))) } }
                ul.symbols {
                    @for row in rows.iter().take(MAX_SYMBOLS) {
                        @let id = format!("{}//{}", text(row, "repo"), text(row, "symbol_id"));
                        li {
                            span.kind { (text(row, "kind")) } " " a.strong href=(address::symbol(&id)) { (text(row, "name")) }
                            @let line = number(row, "start_line") as u32;
                            a.where href=(address::file(text(row, "repo"), text(row, "path"), line)) { (text(row, "repo")) ":" (text(row, "path")) ":" (line) }
                        }
                    }
                }
                @let n_more = number(symbols, "matched").saturating_sub(rows.len().min(MAX_SYMBOLS) as u64);
                @if n_more > 0 { p.hint { (grouped(n_more)) " more. A longer name, or a repository, shows fewer." } }
            }
        }
    }
}

fn hits(query: &SearchForm, found: &Value, sources: &[Option<SourceView>]) -> Markup {
    let rows = list(found, "results");
    let marked = words_to_mark(&query.q);
    html! {
        @if rows.is_empty() {
            div.empty {
                h2 { "Nothing found" }
                p { (nothing_found(query, text(found, "note"))) }
                @if query.has_filter() { p.actions { a.button href=(query.without_filters()) { "Search without filters" } } }
                @for suggestion in texts(found, "did_you_mean") { a.chip href=(query.address(&[("q", suggestion)])) { (suggestion) } }
            }
        }
        ol.hits {
            @for (row, source) in rows.iter().zip(sources.iter().map(Option::as_ref).chain(std::iter::repeat(None))) {
                li.hit { (hit(row, source, &marked)) }
            }
        }
    }
}

/// Returns the reason for no results. The advice of the tool to try other words would only repeat the heading.
fn nothing_found(query: &SearchForm, note: &str) -> String {
    let is_bare = note.is_empty() || note.starts_with("nothing found");
    match (is_bare, query.has_filter()) {
        (true, false) => {
            "No file that you may read matches these words. Try fewer or other words, or a part of a path.".to_owned()
        }
        (true, true) => "No file that you may read matches these words within the filters.".to_owned(),
        (false, _) => readable_message(note),
    }
}

/// Types of pages about more than a file, with their names.
const OVERVIEWS: [(&str, &str); 2] =
    [("module_page", "Overview of the folder"), ("repo_overview", "Overview of the repository")];

/// Returns the name of an overview, whose text is no file and has no lines; `None` for code.
fn overview_name(row: &Value) -> Option<&'static str> {
    let page_type = text(row, "page_type");
    let named = OVERVIEWS.iter().find(|(own, _)| *own == page_type).map(|(_, name)| *name);
    named.filter(|_| number(row, "start_line") == 0)
}

/// Returns the text of an overview as paragraphs: headings and marks of omitted lines say nothing to people.
fn overview_text(row: &Value, marked: &[String]) -> Markup {
    let lines = text(row, "snippet")
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && *line != OMISSION && !line.starts_with('#'));
    html! {
        ul.overview {
            @for line in lines.take(MAX_HIT_LINES) {
                li { @for (idx, part) in line.trim_start_matches("- ").split('`').enumerate() {
                    @if idx % 2 == 1 { code { (marked_text(part, marked)) } } @else { (marked_text(part, marked)) }
                } }
            }
        }
    }
}

fn hit(row: &Value, source: Option<&SourceView>, marked: &[String]) -> Markup {
    let (repo, path, line) = (text(row, "repo"), text(row, "path"), number(row, "start_line") as u32);
    let plain = || SourceView::plain(repo, path, line.max(1), text(row, "snippet"));
    let overview = overview_name(row);
    let has_code = !path.is_empty() && overview.is_none();
    let shown =
        if has_code { source.cloned().unwrap_or_else(plain).head(MAX_HIT_LINES) } else { SourceView::default() };
    let also = list(row, "also_in").len();
    html! {
        article {
            header {
                a.repo href=(address::repository(repo)) { (repo) }
                @if let Some(name) = overview {
                    @if !path.is_empty() { a.path href=(address::folder(repo, path)) { (marked_text(path, marked)) "/" } }
                    span.badge { (name) }
                }
                @else if path.is_empty() { span.path { (text(row, "title")) } }
                @else { a.path href=(address::file(repo, path, line)) { (marked_text(path, marked)) @if line > 0 { span.num { ":" (line) } } } }
                @if !text(row, "symbol_id").is_empty() {
                    a.symbol href=(address::symbol(&format!("{repo}//{}", text(row, "symbol_id")))) { span.kind { (text(row, "kind")) } " " (text(row, "name")) }
                }
                @if also > 0 { span.badge { "also in " (counted(also as u64, "place")) } }
            }
            @if overview.is_some() { (overview_text(row, marked)) }
            @else if path.is_empty() && !text(row, "snippet").is_empty() { p.doc { (marked_text(text(row, "snippet"), marked)) } }
            @if !shown.lines.is_empty() { (code(&shown, LineLinks::File(&shown), 0, marked)) }
        }
    }
}

fn pages(query: &SearchForm, found: &Value, next: &str) -> Markup {
    let meta = &found["_meta"];
    if number(meta, "returnedItems") == 0 && query.cursor.is_empty() {
        return html! {};
    }
    html! {
        nav.pages aria-label="Pages of results" {
            @if !query.cursor.is_empty() { a.button href=(query.address(&[])) { "First page" } }
            @if !next.is_empty() { a.button.primary href=(query.address(&[("cursor", next)])) rel="next" { "Next page" } }
            span.hint { (grouped(number(meta, "returnedItems"))) " of " (grouped(number(meta, "totalItems"))) " results in " (format!("{:.0}", meta["timing_ms"].as_f64().unwrap_or_default())) " ms" }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_and_names_are_told_apart() {
        for (query, question, name) in [
            ("who calls the api?", true, false),
            ("How is a token checked", true, false),
            ("retry back-off", false, false),
            ("TrackingClient.send", false, true),
            ("why?", false, false),
        ] {
            assert_eq!((is_question(query), is_name(query)), (question, name), "{query}");
        }
    }

    /// The near misses are a part of a name, a folder, and a name among other words.
    #[test]
    fn a_name_of_a_repository_leads_to_it() {
        for (words, expected) in
            [("Acme/Pay-API", true), (" pay-api ", true), ("pay", false), ("acme", false), ("pay-api retry", false)]
        {
            let query = SearchForm { q: words.to_owned(), ..SearchForm::default() };
            let found =
                serde_json::json!({"by_repo": [{"repo": "acme/pay-api", "hits": 3}, {"repo": "web", "hits": 1}]});
            let shown = repository_card(&query, &found).into_string();
            assert_eq!(shown.contains("href=\"/r/acme/pay-api\""), expected, "{words}: {shown}");
            assert!(!shown.contains("/r/web"), "{words}: {shown}");
        }
    }

    #[test]
    fn languages_without_hits_are_apart() {
        let found =
            serde_json::json!({"results": [{"path": "src/main.go"}, {"path": "web/app.tsx"}, {"path": "Makefile"}]});
        for (chosen, expected) in [
            ("rust", &[Language::Rust, Language::Go, Language::Tsx, Language::Text][..]),
            ("c", &[Language::Go, Language::Tsx, Language::C, Language::Text]),
            ("klingon", &[Language::Go, Language::Tsx, Language::Text]),
        ] {
            let query = SearchForm { language: chosen.to_owned(), ..Default::default() };
            let (shown, others) = languages(&query, &found);
            assert_eq!(shown, expected, "{chosen}");
            assert_eq!(others.len(), Language::ALL.len() - expected.len(), "every language is offered: {others:?}");
        }
    }

    #[test]
    fn unknown_filters_and_the_total_are_said() {
        let found = serde_json::json!({"results": [{"repo": "api", "path": "a.go"}], "_meta": {"totalItems": 96,
            "ignored_arguments": ["`language`: `klingon` is none of rust, go, and was not applied"]}});
        let answers = SearchAnswers { code: Some(Ok(found)), ..Default::default() };
        let query = SearchForm { q: "a".to_owned(), language: "klingon".to_owned(), ..Default::default() };
        let shown = results(&query, &answers).into_string();
        for expected in ["language: klingon is none of rust, go, and was not applied", "96 results"] {
            assert!(shown.contains(expected), "{expected}: {shown}");
        }
    }

    #[test]
    fn an_overview_of_a_folder_is_no_code_and_leads_to_the_folder() {
        let overview = serde_json::json!({"repo": "api", "path": "src/http", "page_type": "module_page", "title": "src/http",
            "snippet": "# src/http\n2 files\n⋯\n- `Router` `fn new()`: makes one"});
        let shown = hit(&overview, None, &["router".to_owned()]).into_string();
        for part in
            ["href=\"/r/api/-/src/http/\"", "Overview of the folder", "<li>2 files</li>", "<code>fn new()</code>"]
        {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        assert!(!shown.contains("class=\"code\"") && !shown.contains('⋯') && !shown.contains("# src"), "{shown}");
        // A file with the same name, at a line, is code.
        let file = serde_json::json!({"repo": "api", "path": "src/http", "page_type": "file_page", "start_line": 3, "snippet": "x"});
        let shown = hit(&file, None, &[]).into_string();
        assert!(shown.contains("href=\"/r/api/-/src/http?at=3#L3\"") && !shown.contains("Overview"), "{shown}");
    }

    #[test]
    fn nothing_found_says_what_to_do_once() {
        let found = serde_json::json!({"results": [], "note": "nothing found; try other words",
            "_meta": {"returnedItems": 0, "totalItems": 0, "timing_ms": 3.0}});
        let shown = |language: &str| {
            let query = SearchForm { q: "zz".to_owned(), language: language.to_owned(), ..Default::default() };
            results(&query, &SearchAnswers { code: Some(Ok(found.clone())), ..Default::default() }).into_string()
        };
        let all = shown("");
        assert!(all.contains("Try fewer or other words") && !all.contains("without filters"), "{all}");
        assert!(!all.contains("nothing found;") && !all.contains("0 of 0") && !all.contains("<h2>Repository"), "{all}");
        let filtered = shown("rust");
        let whole_search = "href=\"/search?q=zz\">Search without filters";
        assert!(filtered.contains("within the filters") && filtered.contains(whole_search), "{filtered}");
        let note = "`zz` is in no document; list_repos lists them";
        let query = SearchForm::default();
        assert_eq!(nothing_found(&query, note), "zz is in no document.");
    }

    #[test]
    fn definitions_that_are_not_shown_are_counted() {
        let symbol =
            serde_json::json!({"repo": "api", "path": "a.go", "symbol_id": "a.go::f", "name": "f", "start_line": 4});
        let shown =
            |matched: u64| symbol_card(&serde_json::json!({"symbols": [symbol], "matched": matched})).into_string();
        assert!(shown(9).contains("8 more.") && shown(9).contains("href=\"/r/api/-/a.go?at=4#L4\""), "{}", shown(9));
        assert!(!shown(1).contains(" more."), "{}", shown(1));
    }

    #[test]
    fn citations_become_links() {
        let shown = with_citations("`a` calls [x] it [api:src/main.rs:10], and <b>.").into_string();
        let expected = "<code>a</code> calls [x] it <a class=\"cite\" href=\"/r/api/-/src/main.rs?at=10#L10\" title=\"api:src/main.rs:10\">main.rs:10</a>, and &lt;b&gt;.";
        assert_eq!(shown, expected);
        let lines = with_citations("it [api:src/main-2.rs:10-25]").into_string();
        assert_eq!(
            lines,
            "it <a class=\"cite\" href=\"/r/api/-/src/main-2.rs?at=10#L10\" title=\"api:src/main-2.rs:10\">main-2.rs:10</a>"
        );
    }
}
