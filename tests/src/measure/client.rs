//! An MCP client over HTTP with a persistent connection.

use std::net::SocketAddr;

use http_body_util::{BodyExt as _, Full};
use hyper::{
    Request, StatusCode,
    body::Bytes,
    client::conn::http1::{self, SendRequest},
    http::request::Builder,
};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;

pub struct Client {
    sender: SendRequest<Full<Bytes>>,
    address: SocketAddr,
}

impl Client {
    pub async fn connect(address: SocketAddr) -> Client {
        let stream = TcpStream::connect(address).await.expect("the server listens");
        stream.set_nodelay(true).expect("it is a socket");
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.expect("it speaks HTTP");
        // The task ends with the client.
        tokio::spawn(connection);
        Client { sender, address }
    }

    /// Calls a tool, and returns its answer.
    pub async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let (status, text) = self.post(tool, arguments).await.expect("it answers");
        assert_eq!(status, StatusCode::OK, "{text}");
        let mut reply: Value = serde_json::from_str(&text).expect("it is JSON");
        assert!(!reply["result"]["isError"].as_bool().unwrap_or_default(), "{reply}");
        reply["result"]["structuredContent"].take()
    }

    /// Returns true if the server has closed the connection.
    pub fn is_closed(&self) -> bool {
        self.sender.is_closed()
    }

    /// Returns the readiness of the gateway.
    pub async fn readiness(&mut self) -> Value {
        let (_, text) = self.send(Request::get("/readyz"), String::new()).await.expect("it answers");
        serde_json::from_str(&text).expect("it is JSON")
    }

    /// Requests `/livez`, the cheapest request.
    pub async fn is_alive(&mut self) -> bool {
        self.send(Request::get("/livez"), String::new()).await.is_ok_and(|(status, _)| status == StatusCode::OK)
    }

    /// Calls a tool, and returns the status and message of the response.
    pub async fn post(&mut self, tool: &str, arguments: Value) -> Result<(StatusCode, String), hyper::Error> {
        let message = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments},
        });
        let request = Request::post("/mcp")
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        self.send(request, message.to_string()).await
    }

    async fn send(&mut self, request: Builder, body: String) -> Result<(StatusCode, String), hyper::Error> {
        let request = request.header("host", self.address.to_string()).body(Full::from(body));
        let request = request.expect("it is a request");
        self.sender.ready().await?;
        let response = self.sender.send_request(request).await?;
        let status = response.status();
        let body = response.into_body().collect().await?.to_bytes();
        let text = String::from_utf8_lossy(&body);
        // The response is JSON, or the last event of a stream.
        let lines = text.lines().rev().map(|line| line.trim_start_matches("data:"));
        let json = lines.clone().find(|line| line.trim_start().starts_with('{'));
        Ok((status, json.map_or_else(|| text.clone().into_owned(), str::to_owned)))
    }
}
