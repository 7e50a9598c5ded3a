//! The pages of operators and reviewers: review of a change, health, and usage.

use ::web::{
    health_page::{self, WorkerState},
    review_page::{self, MAX_CHANGE_BYTES, ReviewForm},
    usage_page,
};
use axum::{
    Extension, Form,
    extract::Query,
    http::{HeaderMap, StatusCode},
    response::{Html, IntoResponse, Response},
};
use federation::directory::Reachability;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{session, viewer::Viewer};

/// Maximum number of listed repositories: the bound of `list_repos`.
const MAX_REPOSITORIES: usize = 1_000;

/// Token budget of a review.
const REVIEW_BUDGET: usize = 20_000;

/// The repository that the form of a review begins with.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ReviewParameters {
    repo: String,
}

pub(super) async fn review_form(
    Extension(viewer): Extension<Viewer>,
    Query(ReviewParameters { repo }): Query<ReviewParameters>,
) -> Response {
    let form = ReviewForm { repo, changes: String::new() };
    let page = review_page::render(&viewer.frame, &form, &repositories(&viewer).await, None);
    Html(page).into_response()
}

/// The fields of a sent review.
#[derive(Deserialize)]
pub(super) struct SentReview {
    csrf: String,
    repo: String,
    changes: String,
}

pub(super) async fn review(
    Extension(viewer): Extension<Viewer>,
    headers: HeaderMap,
    Form(SentReview { csrf, repo, changes }): Form<SentReview>,
) -> Response {
    // Browsers send the lines of a form with carriage returns.
    let changes = changes.replace("\r\n", "\n");
    let reviewed = if !session::is_own_form(&headers, &csrf) {
        Err("The form is too old, or the browser keeps no cookies. Send it again.".to_owned())
    } else if changes.len() > MAX_CHANGE_BYTES {
        Err(format!("The change is longer than {MAX_CHANGE_BYTES} bytes. Review parts of it."))
    } else {
        // The last line of a pasted diff may be empty, which is a line of context.
        let changes = if changes.contains('\n') { changes.clone() } else { changes.trim().to_owned() };
        viewer.ask("get_risk", json!({"changes": changes, "repo": repo, "token_budget": REVIEW_BUDGET})).await
    };
    let status = if reviewed.is_ok() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    let form = ReviewForm { repo, changes };
    let page = review_page::render(&viewer.frame, &form, &repositories(&viewer).await, Some(&reviewed));
    (status, Html(page)).into_response()
}

async fn repositories(viewer: &Viewer) -> Value {
    viewer.ask("list_repos", json!({"limit": MAX_REPOSITORIES})).await.unwrap_or_default()
}

pub(super) async fn health(Extension(viewer): Extension<Viewer>) -> Response {
    match viewer.ask("list_repos", json!({"limit": MAX_REPOSITORIES})).await {
        Ok(repositories) => Html(health_page::render(&viewer.frame, &repositories, &workers(&viewer))).into_response(),
        Err(message) => viewer.refused(&message),
    }
}

/// Returns the workers; none for a caller that may not read everything.
fn workers(viewer: &Viewer) -> Vec<WorkerState> {
    if !viewer.principal.reads_everything() {
        return Vec::new();
    }
    let directory = viewer.core.workers().directory();
    let n_repositories = |worker_idx: usize| {
        directory.repositories.iter().filter(|repository| repository.holders.contains(&worker_idx)).count()
    };
    directory
        .workers
        .iter()
        .enumerate()
        .map(|(worker_idx, worker)| WorkerState {
            name: worker.name.clone(),
            state: match &worker.reach {
                Reachability::Reachable => "reachable".to_owned(),
                Reachability::Draining => "draining before it stops".to_owned(),
                Reachability::Unreachable(reason) => format!("unreachable: {reason}"),
            },
            is_reachable: !worker.reach.is_gone(),
            n_repositories: n_repositories(worker_idx),
            problems: worker.problems.iter().map(|problem| text::sanitise_name(problem).into_owned()).collect(),
        })
        .collect()
}

pub(super) async fn usage(Extension(viewer): Extension<Viewer>) -> Response {
    let usage = viewer.core.usage.of(&viewer.principal);
    Html(usage_page::render(&viewer.frame, &usage)).into_response()
}
