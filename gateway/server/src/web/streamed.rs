//! Pages whose head is sent before their content is known: the browser loads the style and shows the navigation while workers answer.

use std::{convert::Infallible, future::Future};

use ::web::frame::PageShell;
use axum::{
    body::Body,
    response::{Html, IntoResponse, Response},
};
use futures::{StreamExt as _, stream};
use tokio::sync::oneshot;

use crate::http::admission::AdmittedPage;

/// Content of a page that a defect ended.
const UNFINISHED: &str =
    "<div class=\"notice error\" role=\"alert\"><p>The page could not be completed. Load it again.</p></div>";

/// Responds with the head of a page at once, and with its content when that is known. The caller has decided the status, which cannot
/// change afterwards.
///
/// A task of its own computes the content and keeps the permit of the call, so that a browser which reads slowly does not keep it. The
/// task ends with the response.
pub(super) fn respond(
    shell: PageShell,
    admitted: AdmittedPage,
    content: impl Future<Output = String> + Send + 'static,
) -> Response {
    let PageShell { head, tail } = shell;
    let (mut sender, receiver) = oneshot::channel();
    tokio::spawn(async move {
        let _admitted = admitted;
        tokio::select! {
            () = sender.closed() => {}
            content = content => drop(sender.send(content)),
        }
    });
    let head = stream::once(async move { Ok::<String, Infallible>(head) });
    let rest = stream::once(async move { Ok(receiver.await.unwrap_or_else(|_| UNFINISHED.to_owned()) + &tail) });
    Html(Body::from_stream(head.chain(rest))).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell() -> PageShell {
        PageShell { head: "<main>".to_owned(), tail: "</main>".to_owned() }
    }

    #[tokio::test]
    async fn the_head_comes_before_the_content_is_known() {
        let (known, content) = oneshot::channel::<String>();
        let response = respond(shell(), AdmittedPage::for_tests().await, async { content.await.unwrap() });
        let mut body = response.into_body().into_data_stream();
        assert_eq!(body.next().await.unwrap().unwrap(), "<main>");
        known.send("text".to_owned()).unwrap();
        assert_eq!(body.next().await.unwrap().unwrap(), "text</main>");
        assert!(body.next().await.is_none());
    }

    #[tokio::test]
    async fn a_dropped_response_ends_its_task_and_a_panic_ends_the_page() {
        let (mut known, content) = oneshot::channel::<String>();
        drop(respond(shell(), AdmittedPage::for_tests().await, async { content.await.unwrap() }));
        known.closed().await;
        let (gone, content) = oneshot::channel::<String>();
        drop(gone);
        let defect = respond(shell(), AdmittedPage::for_tests().await, async { content.await.unwrap() });
        let page = axum::body::to_bytes(defect.into_body(), 1 << 16).await.unwrap();
        let page = String::from_utf8(page.to_vec()).unwrap();
        assert!(
            page.starts_with("<main>") && page.contains("could not be completed") && page.ends_with("</main>"),
            "{page}"
        );
    }
}
