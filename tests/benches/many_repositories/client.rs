//! An MCP client over HTTP that keeps its connection, as agents do.

use std::net::SocketAddr;

use http_body_util::{BodyExt as _, Full};
use hyper::{
    Request, StatusCode,
    body::Bytes,
    client::conn::http1::{self, SendRequest},
};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;

pub(crate) struct Client {
    sender: SendRequest<Full<Bytes>>,
    address: SocketAddr,
}

impl Client {
    pub(crate) async fn connect(address: SocketAddr) -> Client {
        let stream = TcpStream::connect(address).await.expect("the server listens");
        stream.set_nodelay(true).expect("it is a socket");
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.expect("it speaks HTTP");
        // It ends with the client.
        tokio::spawn(connection);
        Client { sender, address }
    }

    /// Calls a tool, and returns its answer.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let message = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments},
        });
        let request = Request::post("/mcp")
            .header("host", self.address.to_string())
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .body(Full::from(message.to_string()))
            .expect("it is a request");
        self.sender.ready().await.expect("the connection holds");
        let response = self.sender.send_request(request).await.expect("it answers");
        let status = response.status();
        let body = response.into_body().collect().await.expect("the answer is whole").to_bytes();
        let text = String::from_utf8_lossy(&body);
        assert_eq!(status, StatusCode::OK, "{text}");
        // An answer is JSON, or the last event of a stream.
        let json = text
            .lines()
            .rev()
            .map(|line| line.trim_start_matches("data:"))
            .find(|line| line.trim_start().starts_with('{'));
        let mut reply: Value = serde_json::from_str(json.expect("it answers in JSON")).expect("it is JSON");
        assert!(!reply["result"]["isError"].as_bool().unwrap_or_default(), "{reply}");
        reply["result"]["structuredContent"].take()
    }
}
