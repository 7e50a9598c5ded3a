//! The pages of code: map, links, search, repositories, files, definitions and effects of changes.

use ::web::{
    answer::{CodePlace, list, number, text},
    evidence_page::{self, SiteCode},
    file_page, folder_page, impact_page,
    map::MapFilter,
    map_page, repository_page,
    search_page::{self, MAX_QUERY_CHARS, SearchAnswers, SearchForm},
    symbol_page,
};
use axum::{
    Extension,
    extract::{Path, Query},
    response::{Html, IntoResponse, Response},
};
use model::LineSpan;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{folders, source::SourcePlace, streamed, viewer::Viewer};
use crate::http::admission::AdmittedPage;

/// Maximum number of repositories of the map: the bound of `list_repos`.
const MAX_REPOSITORIES: usize = 1_000;

/// Token budgets of the calls of pages: a reader scrolls, unlike an agent. The maximum is that of the tools.
const MAX_BUDGET: usize = 25_000;
const CONTEXT_BUDGET: usize = 10_000;

/// Token budget of a look-up of a definition, whose text is read otherwise: the least.
const DEFINITION_BUDGET: usize = 100;

/// Number of results of one page.
const HITS_PER_PAGE: usize = 12;

/// Lines of code around a site of a link, and of a hit.
const LINES_BEFORE: u32 = 3;
const LINES_AFTER: u32 = 5;
const HIT_LINES: u32 = 10;

/// Maximum number of lines of a definition.
const MAX_DEFINITION_LINES: u32 = 400;

/// Parameters of the map.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct MapParameters {
    kind: String,
    language: String,
    focus: String,
    cluster: String,
}

pub(super) async fn map(Extension(viewer): Extension<Viewer>, Query(parameters): Query<MapParameters>) -> Response {
    let MapParameters { kind, language, focus, cluster } = parameters;
    match viewer.ask("list_repos", json!({"limit": MAX_REPOSITORIES})).await {
        Ok(repositories) => {
            // The whole map under the name of a repository would look like the links of that repository.
            let is_known =
                |name: &&String| list(&repositories, "repositories").iter().any(|row| text(row, "repo") == **name);
            if let Some(unknown) = [&focus, &cluster].into_iter().find(|name| !name.is_empty() && !is_known(name)) {
                return viewer.refused(&format!("there is no repository {unknown}"));
            }
            let filter = MapFilter { kind, language, focus, cluster };
            Html(map_page::render(&viewer.frame, &repositories, &filter)).into_response()
        }
        Err(message) => viewer.refused(&message),
    }
}

/// Parameters of the links of two repositories.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct LinkParameters {
    user: String,
    provider: String,
    kind: String,
}

pub(super) async fn evidence(
    Extension(viewer): Extension<Viewer>,
    Extension(admitted): Extension<AdmittedPage>,
    Query(LinkParameters { user, provider, kind }): Query<LinkParameters>,
) -> Response {
    if user.is_empty() || provider.is_empty() {
        return viewer.invalid(
            "This names no two repositories",
            "Links are between two repositories.",
            "Open a link of the map.",
        );
    }
    if let Some(unknown) = [&user, &provider].into_iter().find(|alias| !viewer.may_read(alias)) {
        return viewer.refused(&format!("there is no repository {unknown}"));
    }
    let shell = evidence_page::shell(&viewer.frame, &user, &provider);
    streamed::respond(shell, admitted, async move {
        let arguments = json!({"repo": format!("{user},{provider}"), "token_budget": MAX_BUDGET});
        match viewer.ask("get_overview", arguments).await {
            Ok(overview) => {
                let sites = site_code(&viewer, &evidence_page::places(&overview, &user, &provider, &kind)).await;
                evidence_page::content(&overview, &user, &provider, &kind, &sites)
            }
            Err(message) => evidence_page::failed_content(&message),
        }
    })
}

/// Reads the code at sites, without those whose place cannot be read as one.
async fn site_code(viewer: &Viewer, written: &[&str]) -> Vec<SiteCode> {
    let places: Vec<(&str, SourcePlace)> =
        written.iter().filter_map(|written| Some((*written, site_lines(written)?))).collect();
    let (written, places): (Vec<&str>, Vec<SourcePlace>) = places.into_iter().unzip();
    let sources = viewer.sources(&places).await;
    written.into_iter().zip(sources).map(|(place, source)| SiteCode { place: place.to_owned(), source }).collect()
}

/// Returns the lines around a site.
fn site_lines(written: &str) -> Option<SourcePlace> {
    let CodePlace { repo, path, line } = CodePlace::parse(written)?;
    let lines = LineSpan { start: line.saturating_sub(LINES_BEFORE).max(1), end: line.saturating_add(LINES_AFTER) };
    Some(SourcePlace { repo, path, lines })
}

/// Parameters of a search.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SearchParameters {
    q: String,
    repo: String,
    language: String,
    kind: String,
    cursor: String,
    /// Set while the words are being typed: an answer may cost a call of a model.
    typed: String,
}

pub(super) async fn search(
    Extension(viewer): Extension<Viewer>,
    Extension(admitted): Extension<AdmittedPage>,
    Query(parameters): Query<SearchParameters>,
) -> Response {
    let SearchParameters { q, repo, language, kind, cursor, typed } = parameters;
    if q.chars().count() > MAX_QUERY_CHARS {
        let advice = format!("Search for less: at most {MAX_QUERY_CHARS} characters.");
        return viewer.invalid("The search is too long", "It was not made.", &advice);
    }
    let query = SearchForm { q: q.trim().to_owned(), repo, language, kind, cursor };
    let shell = search_page::shell(&viewer.frame_with(&q), &query);
    if query.q.is_empty() {
        let content = search_page::content(&query, &SearchAnswers::default());
        return Html(shell.with_content(&content)).into_response();
    }
    // A failed search is a notice on the page.
    streamed::respond(shell, admitted, async move {
        let answers = search_answers(&viewer, &query, !typed.is_empty()).await;
        search_page::content(&query, &answers)
    })
}

async fn search_answers(viewer: &Viewer, query: &SearchForm, is_typing: bool) -> SearchAnswers {
    let is_first_page = query.cursor.is_empty();
    let in_repo = (!query.repo.is_empty()).then_some(query.repo.as_str());
    let symbols = async {
        let is_name = is_first_page && search_page::is_name(&query.q);
        let arguments =
            json_of(&[("pattern", json!(query.q)), ("limit", json!(HITS_PER_PAGE)), ("repo", json!(in_repo))]);
        if is_name { viewer.ask("search_symbols", arguments).await.ok() } else { None }
    };
    let answer = async {
        let is_question = is_first_page && !is_typing && search_page::is_question(&query.q);
        let arguments = json_of(&[("question", json!(query.q)), ("repo", json!(in_repo))]);
        if is_question { viewer.ask("get_answer", arguments).await.ok() } else { None }
    };
    let code = async {
        let code = viewer.ask("search_codebase", search_arguments(query)).await;
        let places: Vec<SourcePlace> = code.iter().flat_map(|found| list(found, "results")).map(hit_lines).collect();
        let sources = viewer.sources(&places).await;
        (code, sources)
    };
    let ((code, sources), symbols, answer) = tokio::join!(code, symbols, answer);
    let next = code.as_ref().map(next_cursor).unwrap_or_default();
    SearchAnswers { code: Some(code), symbols, answer, sources, next }
}

fn search_arguments(query: &SearchForm) -> Value {
    let given = |value: &String| if value.is_empty() { Value::Null } else { json!(value) };
    json_of(&[
        ("query", json!(query.q)),
        ("limit", json!(HITS_PER_PAGE)),
        ("repo", given(&query.repo)),
        ("language", given(&query.language)),
        ("kind", given(&query.kind)),
        ("cursor", given(&query.cursor)),
    ])
}

/// Returns an object of the fields that have a value.
fn json_of(fields: &[(&str, Value)]) -> Value {
    let given = fields.iter().filter(|(_, value)| !value.is_null());
    Value::Object(given.map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
}

fn hit_lines(hit: &Value) -> SourcePlace {
    let start = number(hit, "start_line").max(1) as u32;
    let end = (number(hit, "end_line") as u32).clamp(start, start + HIT_LINES - 1);
    SourcePlace {
        repo: text(hit, "repo").to_owned(),
        path: text(hit, "path").to_owned(),
        lines: LineSpan { start, end },
    }
}

/// Returns the cursor of the next page from the advice of an answer, `the same request with cursor="..."`.
fn next_cursor(found: &Value) -> String {
    let more = text(&found["_meta"], "more");
    let cursor = more.split_once("cursor=\"").and_then(|(_, rest)| rest.split_once('"'));
    cursor.map(|(cursor, _)| cursor.to_owned()).unwrap_or_default()
}

/// Parameters of the page of a file.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct FileParameters {
    at: u32,
}

pub(super) async fn repository_or_file(
    Extension(viewer): Extension<Viewer>,
    Extension(admitted): Extension<AdmittedPage>,
    Path(rest): Path<String>,
    Query(parameters): Query<FileParameters>,
) -> Response {
    match file_page::split_address(&rest) {
        (repo, "") => repository(&viewer, repo).await,
        (repo, path) if path.ends_with('/') => folder(&viewer, repo, path.trim_end_matches('/')).await,
        (repo, path) => file(viewer, admitted, repo.to_owned(), path.to_owned(), parameters.at).await,
    }
}

async fn repository(viewer: &Viewer, repo: &str) -> Response {
    let overview = viewer.ask("get_overview", json!({"repo": repo, "token_budget": MAX_BUDGET}));
    match tokio::join!(overview, folders::list(viewer, repo, "")) {
        // Several repositories, or `all`, are a map.
        (Ok(overview), _) if text(&overview, "repo").is_empty() => {
            viewer.refused("this address names no single repository")
        }
        (Ok(overview), listing) => {
            Html(repository_page::render(&viewer.frame, &overview, listing.as_ref())).into_response()
        }
        (Err(message), _) => viewer.refused(&message),
    }
}

async fn folder(viewer: &Viewer, repo: &str, path: &str) -> Response {
    match folders::list(viewer, repo, path).await {
        Some(listing) => match folder_page::render(&viewer.frame, repo, path, &listing) {
            Some(page) => Html(page).into_response(),
            None => viewer.refused(&format!("no file below {path} is known in {repo}")),
        },
        None => viewer.refused(&format!("there is no repository {repo}")),
    }
}

async fn file(viewer: Viewer, admitted: AdmittedPage, repo: String, path: String, line: u32) -> Response {
    let (start, end) = file_page::page_with(line);
    let arguments = json!({"file": path, "repo": repo, "format": "json", "token_budget": CONTEXT_BUDGET});
    let outline = match viewer.ask("get_file_context", arguments).await {
        Ok(outline) => outline,
        Err(message) => return viewer.refused(&message),
    };
    // The tool also finds files by the end of their paths. An address is a whole path.
    let is_other =
        outline["ambiguous"].as_bool() == Some(true) || text(&outline, "path").ends_with(&format!("/{path}"));
    let place = SourcePlace { repo: repo.clone(), path: path.clone(), lines: LineSpan { start, end } };
    let shell = file_page::shell(&viewer.frame, &repo, &path);
    if !is_other && u64::from(start) <= number(&outline, "lines") {
        return streamed::respond(shell, admitted, async move {
            let source = viewer.source(place).await;
            file_page::content(&repo, &path, &outline, source.as_ref(), line)
        });
    }
    match viewer.source(place).await {
        source if !is_other && (source.is_some() || start == 1) => {
            let content = file_page::content(&repo, &path, &outline, source.as_ref(), line);
            Html(shell.with_content(&content)).into_response()
        }
        _ => viewer.refused(&format!("{repo}:{path} has no line {start}, or could not be read")),
    }
}

/// Parameters of the page of a definition.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SymbolParameters {
    id: String,
}

pub(super) async fn symbol(
    Extension(viewer): Extension<Viewer>,
    Extension(admitted): Extension<AdmittedPage>,
    Query(SymbolParameters { id }): Query<SymbolParameters>,
) -> Response {
    if id.trim().is_empty() {
        return viewer.invalid("This names no definition", "The address has no definition.", "Search for one.");
    }
    // The definition alone is found fast, and decides the status.
    let found = viewer.ask("get_symbol", json!({"symbol_id": id, "token_budget": DEFINITION_BUDGET})).await;
    if let Ok(found) = &found
        && !text(found, "symbol_id").is_empty()
    {
        let (own_id, place) = (text(found, "symbol_id"), definition_lines(found));
        let shell = symbol_page::shell(&viewer.frame, &place.repo, own_id);
        let id = if id.contains("//") { id } else { format!("{}//{own_id}", place.repo) };
        return streamed::respond(shell, admitted, async move {
            let (repo, path) = (place.repo.clone(), place.path.clone());
            let (context, risk, source) = tokio::join!(context(&viewer, &id), risk(&viewer, &id), viewer.source(place));
            match context {
                Ok(context) => symbol_page::content(&context, source.as_ref(), risk.as_ref()),
                Err(message) => symbol_page::failed_content(&repo, &path, &message),
            }
        });
    }
    // The context also knows files, routes and messages, and which of several definitions is meant.
    let (context, risk) = tokio::join!(context(&viewer, &id), risk(&viewer, &id));
    let context = match context {
        Ok(context) => context,
        Err(message) => return viewer.refused(&message),
    };
    let entity = &context["entity"];
    let source = viewer.source(definition_lines(entity)).await;
    let shell = symbol_page::shell(&viewer.frame, text(entity, "repo"), text(entity, "name"));
    Html(shell.with_content(&symbol_page::content(&context, source.as_ref(), risk.as_ref()))).into_response()
}

async fn context(viewer: &Viewer, id: &str) -> Result<Value, String> {
    let arguments = json!({"entity": id, "detail_level": "neighbors", "depth": 1, "format": "json", "token_budget": CONTEXT_BUDGET});
    viewer.ask("get_context", arguments).await
}

async fn risk(viewer: &Viewer, id: &str) -> Option<Value> {
    viewer.ask("get_risk", json!({"targets": [id]})).await.ok()
}

/// Returns the lines of a definition in an answer.
fn definition_lines(entity: &Value) -> SourcePlace {
    let start = number(entity, "start_line").max(1) as u32;
    let end = (number(entity, "end_line") as u32).clamp(start, start + MAX_DEFINITION_LINES - 1);
    SourcePlace {
        repo: text(entity, "repo").to_owned(),
        path: text(entity, "path").to_owned(),
        lines: LineSpan { start, end },
    }
}

/// Parameters of the page of the effects of a change.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ImpactParameters {
    target: String,
}

pub(super) async fn impact(
    Extension(viewer): Extension<Viewer>,
    Query(ImpactParameters { target }): Query<ImpactParameters>,
) -> Response {
    if target.trim().is_empty() {
        return Html(impact_page::render_form(&viewer.frame)).into_response();
    }
    match viewer.ask("get_impact", json!({"target": target, "token_budget": MAX_BUDGET})).await {
        Ok(impact) => Html(impact_page::render(&viewer.frame, &impact)).into_response(),
        Err(message) => viewer.refused(&message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_page_is_that_of_the_answer() {
        let found = json!({"_meta": {"more": "the same request with cursor=\"abc\""}});
        assert_eq!(next_cursor(&found), "abc");
        assert_eq!(next_cursor(&json!({"_meta": {"more": "a narrower request"}})), "");
    }
}
