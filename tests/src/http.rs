//! HTTP requests to a gateway.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    time::Instant,
};

use serde_json::{Value, json};

use crate::PATIENCE;

/// Headers of MCP clients.
pub(crate) const OF_MCP: [(&str, &str); 2] =
    [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];

/// Posts a body with headers, and returns status and body of the response.
pub fn post(address: &str, path: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
    request(address, &format!("POST {path}"), headers, body)
}

/// Sends an HTTP request; its head begins with method and path.
pub(crate) fn request(address: &str, head: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
    let host = address.strip_prefix("http://").expect("an address");
    let mut stream = TcpStream::connect(host).expect("the gateway listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout can be set");
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let length = body.len();
    let head =
        format!("{head} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n");
    stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes())).expect("it can be sent");
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).expect("a status line");
    let status = line.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status");
    let mut rest = String::new();
    reader.read_to_string(&mut rest).expect("text");
    let (_, body) = rest.split_once("\r\n\r\n").expect("a head and a body");
    (status, body.to_owned())
}

/// Searches all repositories without a session.
pub fn search(gateway: &str, query: &str) -> Value {
    let params = json!({"name": "search_codebase", "arguments": {"query": query, "limit": 20}});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
    let (status, body) = post(gateway, "/mcp", &OF_MCP, &message);
    assert_eq!(status, 200, "{body}");
    let reply: Value = serde_json::from_str(&body).unwrap_or_else(|error| panic!("{error}: {body}"));
    let answer = reply["result"]["structuredContent"].clone();
    if answer.is_object() { answer } else { reply }
}

/// Searches until the answer meets a condition.
pub fn search_until(gateway: &str, query: &str, what: &str, holds: impl Fn(&Value) -> bool) -> Value {
    let began = Instant::now();
    loop {
        let answer = search(gateway, query);
        if answer["results"].is_array() && holds(&answer) {
            return answer;
        }
        assert!(began.elapsed() < PATIENCE, "never {what}: {answer}");
    }
}
