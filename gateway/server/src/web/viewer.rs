//! The viewer of a page: the authenticated caller, and its calls of tools.

use std::sync::Arc;

use ::web::{
    error_page::{ErrorPage, readable_message},
    frame::Frame,
};
use axum::{
    http::StatusCode,
    response::{Html, IntoResponse, Response},
};
use federation::principal::Principal;
use serde_json::Value;

use crate::Core;

/// The caller of a page. Authentication adds it to the request.
#[derive(Clone)]
pub(super) struct Viewer {
    pub(super) core: Arc<Core>,
    pub(super) principal: Principal,
    pub(super) frame: Frame,
}

impl Viewer {
    /// Calls a tool. Returns its JSON, or its error.
    pub(super) async fn ask(&self, tool: &str, arguments: Value) -> Result<Value, String> {
        let result = self.core.call_for_page(&self.principal, tool, arguments).await;
        match result.structured {
            Some(answer) if !result.is_error => Ok(answer),
            _ => Err(result.text),
        }
    }

    /// Returns the frame with the text of the search field.
    pub(super) fn frame_with(&self, query: &str) -> Frame {
        Frame { query: query.to_owned(), ..self.frame.clone() }
    }

    /// Responds with the error of a tool. What a caller may not read does not exist.
    pub(super) fn refused(&self, message: &str) -> Response {
        let page = ErrorPage {
            title: "This could not be shown",
            message: &readable_message(message),
            advice: "It may have moved, or you may not read it. Search for it, or go to the map.",
        };
        (StatusCode::NOT_FOUND, Html(page.render(&self.frame))).into_response()
    }

    /// Responds to an address that lacks something or has too much of it.
    pub(super) fn invalid(&self, title: &str, message: &str, advice: &str) -> Response {
        let page = ErrorPage { title, message, advice };
        (StatusCode::BAD_REQUEST, Html(page.render(&self.frame))).into_response()
    }
}
