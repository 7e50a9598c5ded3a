//! Requests to the authorisation server. Each has a deadline and a maximum size of its reply, and follows no redirect.

use std::time::Duration;

use reqwest::{Client, RequestBuilder, StatusCode, Url};
use runtime::http_client;

/// Deadline of one request, from the connection to the last byte of the reply.
pub(super) const ISSUER_DEADLINE: Duration = Duration::from_secs(5);

/// Maximum size of a reply; typical key sets, metadata and token replies have a few thousand bytes.
const MAX_REPLY_BYTES: usize = 256 * 1024;

/// A complete reply.
pub(super) struct IssuerReply {
    pub(super) status: StatusCode,
    pub(super) body: Vec<u8>,
}

/// Sends a GET request. A status other than success is an error.
pub(super) async fn get(url: Url) -> Result<Vec<u8>, String> {
    let reply = send(&url, |client| client.get(url.clone())).await?;
    match reply.status.is_success() {
        true => Ok(reply.body),
        false => Err(format!("http status: {}", reply.status.as_u16())),
    }
}

/// Sends a request to `url`. The error has no part of the URL.
pub(super) async fn send(url: &Url, request: impl FnOnce(&Client) -> RequestBuilder) -> Result<IssuerReply, String> {
    let reason = |error: reqwest::Error| match error.is_timeout() {
        true => format!("no reply within {} seconds", ISSUER_DEADLINE.as_secs()),
        false => http_client::error_chain(&error.without_url()),
    };
    let builder = http_client::builder(url).timeout(ISSUER_DEADLINE);
    // Building a client reads the root certificates from disk.
    let built = tokio::task::spawn_blocking(move || builder.build()).await.map_err(|error| error.to_string())?;
    let mut response = request(&built.map_err(reason)?).send().await.map_err(reason)?;
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(reason)? {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_REPLY_BYTES {
            return Err(format!("the reply exceeds {MAX_REPLY_BYTES} bytes"));
        }
    }
    Ok(IssuerReply { status: response.status(), body })
}
