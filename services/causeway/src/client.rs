//! A client of a running server: HTTP without TLS, one connection for each request, JSON and event streams.

use std::time::Duration;

use anyhow::Context as _;
use http_body_util::{BodyExt as _, Full};
use hyper::{
    Request, Response, StatusCode, Uri,
    body::{Bytes, Incoming},
    client::conn::http1,
    header,
};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;

use crate::exit::{Exit, Failure};

mod messages;

pub(crate) use messages::Messages;

/// The revision of MCP that calls are made by.
const PROTOCOL_VERSION: &str = "2025-11-25";

/// How long a connection may take: servers are near.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// How long an answer may take. A gateway's own deadline is far below.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// A server's MCP endpoint.
#[derive(Debug, Clone)]
pub(crate) struct Server {
    url: String,
    authority: String,
    address: (String, u16),
    path: String,
    token: Option<String>,
}

/// What a tool answered.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answered {
    pub(crate) text: String,
    pub(crate) structured: Option<Value>,
    pub(crate) is_error: bool,
}

impl Server {
    /// Reads a URL such as `http://127.0.0.1:7474/mcp`; `/mcp` may be left out.
    pub(crate) fn at(url: &str, token: Option<String>) -> Result<Server, Failure> {
        let refused = |what: &str| Failure::new(Exit::Usage, format!("`{url}` {what}"));
        let is_wrong = || refused("is no address of a server: write it like http://127.0.0.1:7474/mcp");
        let uri: Uri = url.parse().map_err(|_| is_wrong())?;
        let authority = uri.authority().ok_or_else(is_wrong)?;
        match uri.scheme_str() {
            Some("http") => {}
            Some("https") => {
                return Err(refused(
                    "wants TLS, which this client does not speak: let MCP clients connect by themselves",
                ));
            }
            _ => return Err(is_wrong()),
        }
        let path = if uri.path() == "/" { "/mcp" } else { uri.path() };
        let host = authority.host().trim_start_matches('[').trim_end_matches(']');
        Ok(Server {
            url: format!("http://{authority}{path}"),
            authority: authority.to_string(),
            address: (host.to_owned(), authority.port_u16().unwrap_or(80)),
            path: path.to_owned(),
            token: token.filter(|token| !token.is_empty()),
        })
    }

    /// Returns where it speaks MCP.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Calls a tool.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> anyhow::Result<Answered> {
        let params = json!({ "name": tool, "arguments": arguments });
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let headers = [("mcp-protocol-version".to_owned(), PROTOCOL_VERSION.to_owned())];
        let answered = async {
            let mut messages = self.post(message.to_string(), &headers).await?;
            while let Some(message) = messages.next().await? {
                let message: Value = serde_json::from_str(&message).context("the server sent no JSON")?;
                // Notifications may come before the answer.
                if message["id"] == 1 {
                    return read_answer(&message);
                }
            }
            anyhow::bail!("the server at {} closed the connection without an answer", self.url)
        };
        match tokio::time::timeout(ANSWER_TIMEOUT, answered).await {
            Ok(answered) => answered,
            Err(_) => Err(self.gave_no_answer()),
        }
    }

    /// Sends a message, and returns those that come back.
    pub(crate) async fn post(
        &self,
        message: impl Into<Bytes>,
        headers: &[(String, String)],
    ) -> anyhow::Result<Messages> {
        let mut request = Request::post(&self.path)
            .header(header::HOST, &self.authority)
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "application/json, text/event-stream");
        for (name, value) in headers {
            request = request.header(name, value);
        }
        if let Some(token) = &self.token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let response = self.send(request.body(Full::new(message.into()))?).await?;
        let is_json = |response: &Response<Incoming>| {
            let content_type = response.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
            content_type.is_some_and(|content_type| content_type.starts_with("application/json"))
        };
        match response.status() {
            status if status.is_success() => Ok(Messages::of(response)),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                let message = format!("{} refused the request: {}", self.url, body(response).await?.trim());
                Err(Failure::new(Exit::TokenRefused, message).into())
            }
            // An error of the protocol is an answer.
            _ if is_json(&response) => Ok(Messages::of(response)),
            status => anyhow::bail!("{} answered {status}: {}", self.url, body(response).await?.trim()),
        }
    }

    /// Gets a page beside the MCP endpoint, such as `/readyz`.
    pub(crate) async fn get(&self, path: &str) -> anyhow::Result<(StatusCode, String)> {
        let request = Request::get(path).header(header::HOST, &self.authority).body(Full::default())?;
        let response = self.send(request).await?;
        Ok((response.status(), body(response).await?))
    }

    fn gave_no_answer(&self) -> anyhow::Error {
        anyhow::anyhow!("the server at {} gave no answer within {ANSWER_TIMEOUT:?}", self.url)
    }

    async fn send(&self, request: Request<Full<Bytes>>) -> anyhow::Result<Response<Incoming>> {
        let unreachable = |reason: String| {
            let message = format!("no server can be reached at {}: {reason}; start one with `causeway up`", self.url);
            Failure::new(Exit::Unreachable, message)
        };
        let (host, port) = &self.address;
        let connected = tokio::time::timeout(CONNECT_TIMEOUT, TcpStream::connect((host.as_str(), *port))).await;
        let stream = connected
            .map_err(|_| unreachable(format!("no connection within {CONNECT_TIMEOUT:?}")))?
            .map_err(|error| unreachable(error.to_string()))?;
        stream.set_nodelay(true)?;
        let handshake = http1::handshake(TokioIo::new(stream)).await;
        let (mut sender, connection) = handshake.map_err(|error| unreachable(error.to_string()))?;
        // It ends with the response, or when that is dropped.
        tokio::spawn(connection);
        match tokio::time::timeout(ANSWER_TIMEOUT, sender.send_request(request)).await {
            Ok(response) => Ok(response.map_err(|error| unreachable(error.to_string()))?),
            Err(_) => Err(self.gave_no_answer()),
        }
    }
}

async fn body(response: Response<Incoming>) -> anyhow::Result<String> {
    let bytes = response.into_body().collect().await.context("the answer broke off")?.to_bytes();
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn read_answer(message: &Value) -> anyhow::Result<Answered> {
    if let Some(error) = message.get("error") {
        let text = error["message"].as_str().unwrap_or("an error without a message").to_owned();
        return Ok(Answered { text, structured: None, is_error: true });
    }
    let result = message.get("result").context("the server sent neither a result nor an error")?;
    let blocks = result["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    let texts: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
    Ok(Answered {
        text: texts.join("\n"),
        structured: result.get("structuredContent").filter(|value| !value.is_null()).cloned(),
        is_error: result["isError"] == true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_read_with_and_without_a_path() {
        for (url, expected) in [
            ("http://127.0.0.1:7474/mcp", "http://127.0.0.1:7474/mcp"),
            ("http://localhost:80", "http://localhost:80/mcp"),
            ("http://[::1]:7474/", "http://[::1]:7474/mcp"),
            ("http://code.example.com/a/mcp", "http://code.example.com/a/mcp"),
        ] {
            assert_eq!(Server::at(url, None).unwrap().url(), expected);
        }
        assert_eq!(Server::at("http://[::1]:9/", None).unwrap().address, ("::1".to_owned(), 9));
        for (url, expected) in
            [("https://a/mcp", "wants TLS"), ("127.0.0.1:7474", "write it like"), ("ftp://a", "write it like")]
        {
            assert!(Server::at(url, None).unwrap_err().message.contains(expected), "{url}");
        }
    }

    #[test]
    fn answers_are_read() {
        let result = json!({"result": {"content": [{"type": "text", "text": "{}"}], "structuredContent": {"a": 1}}});
        let expected = Answered { text: "{}".to_owned(), structured: Some(json!({"a": 1})), is_error: false };
        assert_eq!(read_answer(&result).unwrap(), expected);
        let error = read_answer(&json!({"error": {"code": -32602, "message": "no tool `x`"}})).unwrap();
        assert!(error.is_error && error.text == "no tool `x`");
        assert!(read_answer(&json!({})).is_err());
    }
}
