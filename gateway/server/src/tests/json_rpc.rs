//! Invalid JSON-RPC messages over HTTP and over standard input and output.

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    http::{Request, StatusCode, header},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf},
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::{api, fake, healthy_worker};
use crate::{DEFAULT_LISTEN, Gateway, StdioError, http::router, mcp};

const PARSE_ERROR: i32 = -32_700;
const INVALID_REQUEST: i32 = -32_600;
const METHOD_NOT_FOUND: i32 = -32_601;
const INVALID_PARAMS: i32 = -32_602;

/// An invalid message with the expected id, code and part of the error message.
type Case = (Vec<u8>, Value, i32, &'static str);

fn cases() -> Vec<Case> {
    let text = |text: &str| text.as_bytes().to_vec();
    let nested = |depth: usize| {
        let (open, close) = ("[".repeat(depth), "]".repeat(depth));
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"list_repos","a":{open}{close}}}}}"#
        )
    };
    vec![
        (text("not json"), Value::Null, PARSE_ERROR, "not JSON"),
        (text(r#"{"jsonrpc":"2.0","id":1,"method":"tools/li"#), Value::Null, PARSE_ERROR, "not JSON"),
        (text(r#"{"jsonrpc":"2.0","id":1,"method":"ping"} {}"#), Value::Null, PARSE_ERROR, "not JSON"),
        (text(r#"{"jsonrpc":"2.0","id":1,"method":"ping",}"#), Value::Null, PARSE_ERROR, "not JSON"),
        (text(r#"{'jsonrpc':'2.0','id':1,'method':'ping'}"#), Value::Null, PARSE_ERROR, "not JSON"),
        (text(r#"{"jsonrpc":"2.0","id":NaN,"method":"ping"}"#), Value::Null, PARSE_ERROR, "not JSON"),
        (text(&nested(1_000)), Value::Null, PARSE_ERROR, "recursion limit"),
        (text(&nested(100_000)), Value::Null, PARSE_ERROR, "recursion limit"),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}".to_vec(), Value::Null, PARSE_ERROR, "not UTF-8"),
        (
            b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}".to_vec(),
            Value::Null,
            PARSE_ERROR,
            "byte order",
        ),
        (b"\xff\xfe{\0}\0".to_vec(), Value::Null, PARSE_ERROR, "not UTF-8"),
        (text("1"), Value::Null, INVALID_REQUEST, "not an object"),
        (text("null"), Value::Null, INVALID_REQUEST, "not an object"),
        (text("\"ping\""), Value::Null, INVALID_REQUEST, "not an object"),
        (text("[]"), Value::Null, INVALID_REQUEST, "batches"),
        (text(r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#), Value::Null, INVALID_REQUEST, "batches"),
        (text("{}"), Value::Null, INVALID_REQUEST, "`jsonrpc`"),
        (text(r#"{"id":1,"method":"ping"}"#), json!(1), INVALID_REQUEST, "`jsonrpc`"),
        (text(r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#), json!(1), INVALID_REQUEST, "`jsonrpc`"),
        (text(r#"{"jsonrpc":2.0,"id":"a","method":"ping"}"#), json!("a"), INVALID_REQUEST, "`jsonrpc`"),
        (text(r#"{"jsonrpc":"2.0","id":1}"#), json!(1), INVALID_REQUEST, "`method` is missing"),
        (text(r#"{"jsonrpc":"2.0","id":1,"method":7}"#), json!(1), INVALID_REQUEST, "`method` must be"),
        (text(r#"{"jsonrpc":"2.0","id":1,"method":null}"#), json!(1), INVALID_REQUEST, "`method` must be"),
        (text(r#"{"jsonrpc":"2.0","method":1,"params":"bar"}"#), Value::Null, INVALID_REQUEST, "`method` must be"),
        (text(r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}"#), json!(1), INVALID_REQUEST, "`result`"),
        (text(r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#), json!(1), INVALID_REQUEST, "`method` is missing"),
        (text(r#"{"jsonrpc":"2.0","id":1,"error":5}"#), Value::Null, INVALID_REQUEST, "response is invalid"),
        (text(r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":5}"#), json!(1), INVALID_REQUEST, "`params` must be"),
        (
            text(r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}"#),
            json!(1),
            INVALID_REQUEST,
            "`params` must be",
        ),
        (text(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#), Value::Null, INVALID_REQUEST, "`id` must be"),
        (text(r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#), Value::Null, INVALID_REQUEST, "`id` must be"),
        (text(r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#), Value::Null, INVALID_REQUEST, "`id` must be"),
        (text(r#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#), Value::Null, INVALID_REQUEST, "`id` must be"),
        (text(r#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#), Value::Null, INVALID_REQUEST, "`id` must be"),
        (text(r#"{"jsonrpc":"2.0","id":99999999999999999999,"method":"ping"}"#), Value::Null, INVALID_REQUEST, "`id`"),
        (
            text(r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"x"}"#),
            Value::Null,
            INVALID_REQUEST,
            "occurs twice",
        ),
        (text(r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#), Value::Null, INVALID_REQUEST, "occurs twice"),
        (
            text(
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_repos","arguments":{"a":1,"a":2}}}"#,
            ),
            Value::Null,
            INVALID_REQUEST,
            "occurs twice",
        ),
        (
            text(r#"{"jsonrpc":"2.0","id":1,"method":"nonsense"}"#),
            json!(1),
            METHOD_NOT_FOUND,
            "unknown method `nonsense`",
        ),
        (text(r#"{"jsonrpc":"2.0","id":1,"method":""}"#), json!(1), METHOD_NOT_FOUND, "unknown method ``"),
        (text(r#"{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}"#), json!(1), METHOD_NOT_FOUND, "unknown method"),
        (
            text(r#"{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"causeway://repos"}}"#),
            json!(1),
            METHOD_NOT_FOUND,
            "unknown method `resources/subscribe`",
        ),
        (
            text(r#"{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"debug"}}"#),
            json!(1),
            METHOD_NOT_FOUND,
            "unknown method `logging/setLevel`",
        ),
        (
            text(r#"{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"1"}}"#),
            json!(1),
            METHOD_NOT_FOUND,
            "unknown method `tasks/get`",
        ),
        (
            text(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}"#),
            json!(1),
            INVALID_PARAMS,
            "by position",
        ),
        (
            text(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#),
            json!(1),
            INVALID_PARAMS,
            "parameters of `tools/call`",
        ),
        (
            text(r#"{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":7}}"#),
            json!("x"),
            INVALID_PARAMS,
            "parameters of `tools/call`",
        ),
        (
            text(r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{}}"#),
            json!(1),
            INVALID_PARAMS,
            "parameters of `resources/read`",
        ),
        (
            text(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":7}}"#),
            json!(1),
            INVALID_PARAMS,
            "parameters of `tools/list`",
        ),
    ]
}

async fn gateway() -> &'static Arc<Gateway> {
    let gateway = fake::gateway(vec![healthy_worker("w", vec![api()])]).await;
    // Kept alive: a gateway stops watching its workers when it is dropped.
    Box::leak(Box::new(gateway))
}

async fn http() -> Router {
    router(Arc::clone(&gateway().await.core), DEFAULT_LISTEN, CancellationToken::new())
}

fn request(body: Vec<u8>, headers: &[(&str, &str)]) -> Request<Body> {
    let mut request = Request::post("/mcp").body(Body::from(body)).unwrap();
    let always = [
        ("host", "127.0.0.1:7474"),
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
    ];
    for (name, value) in always.iter().chain(headers) {
        request.headers_mut().insert(header::HeaderName::try_from(*name).unwrap(), value.parse().unwrap());
    }
    request
}

async fn send(router: &Router, request: Request<Body>) -> (StatusCode, String) {
    let response = router.clone().oneshot(request).await.unwrap();
    let status = response.status();
    let body = axum::body::to_bytes(response.into_body(), 1 << 20).await.unwrap();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

fn assert_error(reply: &str, (message, id, code, reason): &Case) {
    let message = String::from_utf8_lossy(&message[..message.len().min(200)]);
    let reply: Value = serde_json::from_str(reply).unwrap_or_else(|error| panic!("{message}: {error}: {reply}"));
    let said = reply["error"]["message"].as_str().unwrap_or_default();
    assert_eq!((&reply["jsonrpc"], reply.get("id")), (&json!("2.0"), Some(id)), "{message}: {reply}");
    assert_eq!(reply["error"]["code"], json!(code), "{message}: {reply}");
    assert!(said.contains(reason) && said.len() < 120, "{message}: {reply}");
}

#[tokio::test]
async fn invalid_messages_over_http_get_a_json_rpc_error() {
    let router = http().await;
    let empty = (Vec::new(), Value::Null, PARSE_ERROR, "empty");
    let blank = (b" \r\n".to_vec(), Value::Null, PARSE_ERROR, "empty");
    for case in cases().into_iter().chain([empty, blank]) {
        let (status, body) = send(&router, request(case.0.clone(), &[])).await;
        assert_error(&body, &case);
        let expected = if case.2 == METHOD_NOT_FOUND { StatusCode::OK } else { StatusCode::BAD_REQUEST };
        assert_eq!(status, expected, "{body}");
        let (status, body) = send(&router, request(case.0.clone(), &[("mcp-protocol-version", "2026-07-28")])).await;
        assert_error(&body, &case);
        let expected = if case.2 == METHOD_NOT_FOUND { StatusCode::NOT_FOUND } else { StatusCode::BAD_REQUEST };
        assert_eq!(status, expected, "{body}");
    }
}

#[tokio::test]
async fn headers_are_checked_before_the_message() {
    let router = http().await;
    for (headers, expected) in [
        (("content-type", "text/plain"), StatusCode::UNSUPPORTED_MEDIA_TYPE),
        (("accept", "text/html"), StatusCode::NOT_ACCEPTABLE),
        (("host", "evil.example"), StatusCode::FORBIDDEN),
        (("origin", "https://evil.example"), StatusCode::FORBIDDEN),
        (("content-type", "Application/JSON; charset=utf-8"), StatusCode::BAD_REQUEST),
    ] {
        let (status, body) = send(&router, request(b"not json".to_vec(), &[headers])).await;
        assert_eq!(status, expected, "{headers:?}: {body}");
    }
}

#[tokio::test]
async fn invalid_notifications_over_http_are_not_accepted() {
    let router = http().await;
    for (message, expected) in [
        (r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, StatusCode::ACCEPTED),
        (r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#, StatusCode::ACCEPTED),
        (r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":[1]}"#, StatusCode::BAD_REQUEST),
        (r#"{"method":"notifications/cancelled"}"#, StatusCode::BAD_REQUEST),
    ] {
        assert_eq!(send(&router, request(message.into(), &[])).await.0, expected, "{message}");
    }
}

/// A client over standard input and output.
pub(super) struct LineClient {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    serving: JoinHandle<Result<(), StdioError>>,
}

impl LineClient {
    pub(super) async fn connect(gateway: &Gateway) -> LineClient {
        let (client, server) = tokio::io::duplex(1 << 12);
        let serving = tokio::spawn(mcp::serve(Arc::clone(&gateway.core), mcp::Profile::Full, tokio::io::split(server)));
        let (reader, writer) = tokio::io::split(client);
        LineClient { lines: BufReader::new(reader).lines(), writer, serving }
    }

    pub(super) async fn initialise(&mut self) {
        let client_info = json!({"name": "t", "version": "0"});
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client_info});
        let initialize = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        self.send(initialize.to_string().as_bytes()).await;
        assert!(self.reply().await.contains("protocolVersion"));
        self.send(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    }

    pub(super) async fn send(&mut self, line: &[u8]) {
        self.writer.write_all(&[line, b"\n"].concat()).await.unwrap();
    }

    pub(super) async fn reply(&mut self) -> String {
        self.lines.next_line().await.unwrap().unwrap()
    }

    pub(super) async fn close(self) {
        drop((self.lines, self.writer));
        assert!(self.serving.await.unwrap().is_ok());
    }
}

#[tokio::test]
async fn invalid_messages_over_stdio_get_a_json_rpc_error() {
    let mut client = LineClient::connect(gateway().await).await;
    client.send(b"not json").await;
    assert!(client.reply().await.contains("not JSON"), "also before the initialisation");
    client.initialise().await;
    let long_line = [b"\"".as_slice(), &vec![b'x'; 3 << 20]].concat();
    let too_long = (long_line, Value::Null, INVALID_REQUEST, "longer than 1 MiB");
    for case in cases().into_iter().chain([too_long]) {
        // Neither an empty line nor a notification has a response.
        client.send(b"\n\r").await;
        client.send(br#"{"jsonrpc":"2.0","method":"notifications/x","params":[1]}"#).await;
        client.send(&case.0).await;
        assert_error(&client.reply().await, &case);
    }
    client.send(b"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}\r").await;
    assert!(client.reply().await.contains("\"get_answer\""));
    client.close().await;
}

/// Otherwise a client that echoes every line would cause an endless exchange.
#[tokio::test]
async fn error_responses_over_stdio_are_not_answered() {
    let mut client = LineClient::connect(gateway().await).await;
    client.initialise().await;
    client.send(b"not json").await;
    let echo = client.reply().await;
    client.send(echo.as_bytes()).await;
    client.send(b"[]").await;
    assert!(client.reply().await.contains("batches"));
    client.close().await;
}
