//! HTTP client of a running server's MCP endpoint, without TLS.

use std::time::Duration;

use anyhow::Context as _;
use gateway::Profile;
use http::Uri;
use reqwest::{
    Body, Client, RequestBuilder, Response, StatusCode,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue},
};
use runtime::http_client;
use serde_json::{Value, json};

use crate::exit::{CommandError, Exit};

mod messages;

pub(crate) use messages::Messages;

/// MCP revision of tool calls.
const PROTOCOL_VERSION: &str = "2025-11-25";

/// Connection timeout; servers are on the local network.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// Timeout of a response. A gateway's own deadline is far below.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// Client of one MCP endpoint.
#[derive(Debug, Clone)]
pub(crate) struct ServerClient {
    url: String,
    authority: String,
    token: Option<String>,
    http: Client,
}

/// Result of a tool call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolCallResult {
    pub(crate) text: String,
    pub(crate) structured: Option<Value>,
    pub(crate) is_error: bool,
}

impl ServerClient {
    /// Parses a URL such as `http://127.0.0.1:7474/mcp`; the path defaults to `/mcp`.
    pub(crate) fn new(url: &str, token: Option<String>) -> Result<ServerClient, CommandError> {
        if url.contains('@') {
            // The message does not repeat the address, which may have a password.
            let message =
                "the address of the server has a user or a password: leave them out, and give a token by `--token`";
            return Err(CommandError::new(Exit::Usage, message.to_owned()));
        }
        let invalid = |reason: &str| CommandError::new(Exit::Usage, format!("`{url}` {reason}"));
        let malformed = || invalid("is not the address of a server: write it like http://127.0.0.1:7474/mcp");
        let uri: Uri = url.parse().map_err(|_| malformed())?;
        let authority = uri.authority().ok_or_else(malformed)?;
        match uri.scheme_str() {
            Some("http") => {}
            Some("https") => {
                return Err(invalid("requires TLS, which this command does not support: connect MCP clients directly"));
            }
            _ => return Err(malformed()),
        }
        if token.as_ref().is_some_and(|token| HeaderValue::from_str(token).is_err()) {
            let message = "the token has a character that no header can have, such as the end of a line";
            return Err(CommandError::new(Exit::Usage, message.to_owned()));
        }
        let path = if uri.path() == "/" { "/mcp" } else { uri.path() };
        let url = format!("http://{authority}{path}");
        Ok(ServerClient {
            authority: authority.to_string(),
            token: token.filter(|token| !token.is_empty()),
            http: http_client(&url)?,
            url,
        })
    }

    /// Returns a client whose list of tools is that of a profile.
    pub(crate) fn with_profile(self, profile: Profile) -> ServerClient {
        match profile {
            Profile::Full => self,
            Profile::Lean => ServerClient { url: format!("{}?profile={}", self.url, profile.name()), ..self },
        }
    }

    /// Returns the URL of the MCP endpoint.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Calls a tool.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> anyhow::Result<ToolCallResult> {
        let params = json!({ "name": tool, "arguments": arguments });
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let headers = [("mcp-protocol-version".to_owned(), PROTOCOL_VERSION.to_owned())];
        let call = async {
            let mut messages = self.post(message.to_string(), &headers).await?;
            while let Some(message) = messages.next().await? {
                let message: Value = serde_json::from_str(&message).context("the server sent invalid JSON")?;
                // Notifications may precede the response.
                if message["id"] == 1 {
                    return parse_result(&message);
                }
            }
            anyhow::bail!("the server at {} closed the connection without an answer", self.url)
        };
        match tokio::time::timeout(ANSWER_TIMEOUT, call).await {
            Ok(result) => result,
            Err(_) => Err(self.timed_out()),
        }
    }

    /// Sends a message and returns the messages of the response.
    pub(crate) async fn post(
        &self,
        message: impl Into<Body>,
        headers: &[(String, String)],
    ) -> anyhow::Result<Messages> {
        let mut request = self
            .http
            .post(&self.url)
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json, text/event-stream");
        for (name, value) in headers {
            request = request.header(name, value);
        }
        if let Some(token) = &self.token {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        let response = self.send(request.body(message)).await?;
        match response.status() {
            status if status.is_success() => Ok(Messages::of(response)),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                let message = format!("{} refused the request: {}", self.url, body(response).await?.trim());
                Err(CommandError::new(Exit::TokenRefused, message).into())
            }
            // JSON-RPC errors are responses, too.
            _ if messages::has_content_type(&response, "application/json") => Ok(Messages::of(response)),
            status => anyhow::bail!("{} answered {status}: {}", self.url, body(response).await?.trim()),
        }
    }

    /// Returns status and body of a page beside the MCP endpoint, such as `/readyz`.
    pub(crate) async fn get(&self, path: &str) -> anyhow::Result<(StatusCode, String)> {
        let response = self.send(self.http.get(format!("http://{}{path}", self.authority))).await?;
        Ok((response.status(), body(response).await?))
    }

    fn timed_out(&self) -> anyhow::Error {
        anyhow::anyhow!("the server at {} gave no answer within {ANSWER_TIMEOUT:?}", self.url)
    }

    async fn send(&self, request: RequestBuilder) -> anyhow::Result<Response> {
        match tokio::time::timeout(ANSWER_TIMEOUT, request.send()).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => {
                let reason = http_client::error_chain(&error.without_url());
                let message = format!("cannot reach a server at {}: {reason}; start one with `causeway up`", self.url);
                Err(CommandError::new(Exit::Unreachable, message).into())
            }
            Err(_) => Err(self.timed_out()),
        }
    }
}

/// Returns a client without proxies and connection reuse: a server may be replaced at the same address.
fn http_client(url: &str) -> Result<Client, CommandError> {
    let invalid =
        |error: String| CommandError::new(Exit::Usage, format!("`{url}` is not the address of a server: {error}"));
    let url = url.parse().map_err(|error: <reqwest::Url as std::str::FromStr>::Err| invalid(error.to_string()))?;
    let builder = http_client::builder(&url).no_proxy().pool_max_idle_per_host(0).connect_timeout(CONNECT_TIMEOUT);
    builder.build().map_err(|error| invalid(http_client::error_chain(&error)))
}

async fn body(response: Response) -> anyhow::Result<String> {
    let bytes = response.bytes().await.context("the response is truncated")?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn parse_result(message: &Value) -> anyhow::Result<ToolCallResult> {
    if let Some(error) = message.get("error") {
        let text = error["message"].as_str().unwrap_or("an error without a message").to_owned();
        return Ok(ToolCallResult { text, structured: None, is_error: true });
    }
    let result = message.get("result").context("the server sent neither a result nor an error")?;
    let blocks = result["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    let texts: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
    Ok(ToolCallResult {
        text: texts.join("\n"),
        structured: result.get("structuredContent").filter(|value| !value.is_null()).cloned(),
        is_error: result["isError"] == true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_parsed_with_and_without_a_path() {
        for (url, expected) in [
            ("http://127.0.0.1:7474/mcp", "http://127.0.0.1:7474/mcp"),
            ("http://localhost:80", "http://localhost:80/mcp"),
            ("http://[::1]:7474/", "http://[::1]:7474/mcp"),
            ("http://code.example.com/a/mcp", "http://code.example.com/a/mcp"),
        ] {
            assert_eq!(ServerClient::new(url, None).unwrap().url(), expected);
        }
        for (url, expected) in
            [("https://a/mcp", "requires TLS"), ("127.0.0.1:7474", "write it like"), ("ftp://a", "write it like")]
        {
            assert!(ServerClient::new(url, None).unwrap_err().message.contains(expected), "{url}");
        }
    }

    #[test]
    fn passwords_and_malformed_tokens_are_refused_and_not_repeated() {
        for url in ["http://bob:s3cret@127.0.0.1:1", "ftp://bob:s3cret@a", "http://s3cret@a/mcp"] {
            let message = ServerClient::new(url, None).unwrap_err().message;
            assert!(message.contains("user or a password") && !message.contains("s3cret"), "{message}");
        }
        for (token, is_accepted) in [("s3cret", true), ("s3\ncret", false), ("s3cret\r", false), ("", true)] {
            let made = ServerClient::new("http://127.0.0.1:1", Some(token.to_owned()));
            assert_eq!(made.is_ok(), is_accepted, "{token:?}");
            made.err().into_iter().for_each(|error| assert!(!error.message.contains("cret"), "{}", error.message));
        }
    }

    #[tokio::test]
    async fn closed_port_is_an_unreachable_server() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        drop(listener);
        let error = ServerClient::new(&url, None).unwrap().get("/readyz").await.unwrap_err();
        assert_eq!(crate::exit::of(&error), Exit::Unreachable, "{error}");
    }

    #[test]
    fn tool_results_are_parsed() {
        let result = json!({"result": {"content": [{"type": "text", "text": "{}"}], "structuredContent": {"a": 1}}});
        let expected = ToolCallResult { text: "{}".to_owned(), structured: Some(json!({"a": 1})), is_error: false };
        assert_eq!(parse_result(&result).unwrap(), expected);
        let error = parse_result(&json!({"error": {"code": -32602, "message": "no tool `x`"}})).unwrap();
        assert!(error.is_error && error.text == "no tool `x`");
        assert!(parse_result(&json!({})).is_err());
    }
}
