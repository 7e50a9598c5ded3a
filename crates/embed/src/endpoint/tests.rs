//! An endpoint against a scripted service on this machine.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    thread::{self, JoinHandle},
};

use serde_json::{Value, json};

use super::*;
use crate::config::KeySource;

const N_DIMS: usize = 4;

/// Reaction of the service to one request.
enum Reply {
    /// A correct response; the vector of a text depends on its length.
    Vectors,
    /// This status with these headers and this body.
    Status(u16, &'static str, String),
    /// A connection that ends within the response.
    Broken,
}

/// A received request: its head, with or without a key, and the texts.
struct ReceivedRequest {
    head: String,
    texts: Vec<String>,
}

/// Starts a service with this script. The handle returns the received requests after the end of the script.
fn serve(script: Vec<Reply>) -> (String, JoinHandle<Vec<ReceivedRequest>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
    let service = thread::spawn(move || script.iter().map(|reply| answer(&listener, reply)).collect());
    (url, service)
}

fn answer(listener: &TcpListener, reply: &Reply) -> ReceivedRequest {
    let (mut stream, _) = listener.accept().expect("a client");
    let (head, question) = read(&stream);
    let texts: Vec<String> = serde_json::from_value(question["input"].clone()).expect("texts");
    assert!(head.starts_with("POST /v1/embeddings HTTP/1.1"), "{head}");
    assert_eq!(question["model"], "small");
    let (status, headers, body) = match reply {
        Reply::Vectors => (200, "", vectors(&texts).to_string()),
        Reply::Status(status, headers, body) => (*status, *headers, body.clone()),
        Reply::Broken => (200, "", vectors(&texts).to_string()),
    };
    let answer =
        format!("HTTP/1.1 {status} Any\r\nconnection: close\r\n{headers}content-length: {}\r\n\r\n{body}", body.len());
    let n_bytes = if matches!(reply, Reply::Broken) { answer.len() - 5 } else { answer.len() };
    stream.write_all(&answer.as_bytes()[..n_bytes]).expect("the client listens");
    ReceivedRequest { head, texts }
}

fn read(stream: &TcpStream) -> (String, Value) {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert!(reader.read_line(&mut head).expect("a request") > 0, "a request has an end");
    }
    let n_bytes =
        head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; n_bytes.expect("a length")];
    reader.read_exact(&mut body).expect("a body");
    (head, serde_json::from_slice(&body).expect("JSON"))
}

fn vectors(texts: &[String]) -> Value {
    // In reverse order, since the index counts.
    let of_text = |(index, text): (usize, &String)| json!({"index": index, "embedding": [1.0, text.len() as f32 / 100.0, 0.0, 0.0]});
    json!({"object": "list", "data": texts.iter().enumerate().rev().map(of_text).collect::<Vec<_>>()})
}

fn endpoint(url: String, store: Option<Arc<Store>>) -> Endpoint {
    let config = EndpointConfig {
        url,
        name: "small".to_owned(),
        n_dims: N_DIMS,
        key: KeySource::None,
        requests_per_second: 10_000.0,
    };
    let mut endpoint = Endpoint::new(&config, store).expect("a configuration");
    endpoint.service.first_wait = Duration::from_millis(1);
    endpoint
}

fn vector_of(text: &str) -> Vector {
    Vector::quantise(&[1.0, text.trim().len() as f32 / 100.0, 0.0, 0.0])
}

fn texts_of(requests: &[ReceivedRequest]) -> Vec<usize> {
    requests.iter().map(|request| request.texts.len()).collect()
}

#[test]
fn duplicate_texts_are_requested_once() {
    let (url, service) = serve(vec![Reply::Vectors]);
    let texts = ["open the file", "", "close", "  open the file ", "\n"];
    let vectors = endpoint(url, None).embed(&texts, None).expect("an answer");
    let expected = texts.map(|text| if text.trim().is_empty() { Vector::zero(N_DIMS) } else { vector_of(text) });
    assert_eq!(vectors, expected);
    let requests = service.join().expect("the script is at its end");
    assert_eq!(requests[0].texts, ["open the file", "close"]);
    assert!(!requests[0].head.to_lowercase().contains("authorization"));
}

#[test]
fn blank_texts_need_no_request() {
    let nowhere = endpoint("http://127.0.0.1:9/v1".to_owned(), None);
    assert_eq!(nowhere.embed(&[], None).expect("no answer is needed"), []);
    assert!(nowhere.embed(&[" "], None).expect("no answer is needed")[0].is_zero());
}

#[test]
fn many_texts_are_sent_in_batches() {
    let (url, service) = serve(vec![Reply::Vectors, Reply::Vectors, Reply::Vectors]);
    let short: Vec<String> = (0..70).map(|number| format!("text {number}")).collect();
    let long: Vec<String> = (0..17).map(|number| format!("{number:02}{}", "é".repeat(MAX_TEXT_BYTES))).collect();
    let texts: Vec<&str> = short.iter().chain(&long).map(String::as_str).collect();
    let vectors = endpoint(url, None).embed(&texts, None).expect("an answer");
    assert_eq!(vectors.len(), texts.len());
    let requests = service.join().expect("the script is at its end");
    assert_eq!(texts_of(&requests), [64, 21, 2], "by number, then by size");
}

#[test]
fn transient_failures_are_retried() {
    let busy = |headers| Reply::Status(429, headers, String::new());
    let half = Reply::Status(200, "", json!({"data": [{"index": 1, "embedding": [1, 0, 0, 0]}]}).to_string());
    for script in [
        vec![busy("retry-after: 0\r\n"), Reply::Vectors],
        vec![busy(""), busy("retry-after: Wed, 21 Oct 2015 07:28:00 GMT\r\n"), Reply::Vectors],
        vec![Reply::Status(500, "", "oops".to_owned()), Reply::Status(503, "", String::new()), Reply::Vectors],
        vec![Reply::Broken, Reply::Vectors],
        vec![Reply::Status(200, "", "<html>".to_owned()), half, Reply::Vectors],
    ] {
        let (url, service) = serve(script);
        let vectors = endpoint(url, None).embed(&["one", "three"], None).expect("an answer in the end");
        assert_eq!(vectors, [vector_of("one"), vector_of("three")]);
        service.join().expect("the script is at its end");
    }
}

#[test]
fn permanent_failures_are_explained() {
    let status = |status, body: &str| Reply::Status(status, "", body.to_owned());
    let wide = json!({"data": [{"index": 0, "embedding": [1, 2, 3]}]}).to_string();
    let cases = [
        (vec![status(401, "no such key: s3cret")], "misconfigured", "it answered 401 Unauthorized; check `key_env`"),
        (vec![status(404, "no\nmodel")], "misconfigured", "it answered 404 Not Found: nomodel"),
        (vec![Reply::Status(301, "location: /v2\r\n", String::new())], "misconfigured", "it answered 301"),
        (vec![status(200, &wide)], "misconfigured", "its vectors have 3 dimensions, not 4; set `dimensions` to 3"),
        (vec![status(200, &"1".repeat(100_000))], "misconfigured", "far too long"),
        ((0..5).map(|_| status(500, "")).collect(), "unavailable", "it answered 500 Internal Server Error, 5 times"),
        (
            vec![Reply::Status(429, "retry-after: 3600\r\n", String::new())],
            "unavailable",
            "no time is left for a retry",
        ),
    ];
    for (script, kind, expected) in cases {
        let (url, service) = serve(script);
        let error = endpoint(url.clone(), None).embed(&["text"], None).expect_err(expected);
        let found = if matches!(error, EmbedError::Misconfigured(_)) { "misconfigured" } else { "unavailable" };
        let text = error.to_string();
        assert_eq!(found, kind, "{text}");
        assert!(text.contains(expected) && text.contains(&url) && !text.contains("s3cret"), "{text}");
        service.join().expect("the script is at its end");
    }
}

#[test]
fn silent_service_respects_the_deadline() {
    // No one accepts; the operating system lets the client connect and wait.
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
    let started = Instant::now();
    let deadline = started + Duration::from_millis(100);
    let error = endpoint(url, None).embed(&["text"], Some(deadline)).expect_err("silence");
    assert!(error.to_string().contains("it did not answer in time, and no time is left"), "{error}");
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn cached_vectors_are_not_requested_again() {
    let dir = tempfile::tempdir().expect("a directory");
    let open = || Some(Arc::new(Store::open(dir.path(), 0).expect("a store").0));
    let texts: Vec<String> = (0..70).map(|number| format!("text {number}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();

    let (url, service) = serve(vec![Reply::Vectors, Reply::Status(400, "", String::new())]);
    endpoint(url, open()).embed(&texts, None).expect_err("the second request is refused");
    assert_eq!(texts_of(&service.join().expect("the script is at its end")), [64, 6]);

    let (url, service) = serve(vec![Reply::Vectors]);
    let vectors = endpoint(url, open()).embed(&texts, None).expect("an answer");
    assert_eq!(texts_of(&service.join().expect("the script is at its end")), [6]);
    assert!(vectors.iter().zip(&texts).all(|(vector, text)| *vector == vector_of(text)));

    let nowhere = endpoint("http://127.0.0.1:9/v1".to_owned(), open());
    assert_eq!(nowhere.embed(&texts, None).expect("no request is needed"), vectors);
    assert_eq!(nowhere.cached(&texts), Some(vectors));
    assert_eq!(nowhere.cached(&[texts[0], "new"]), None);
    let other = Endpoint { id: ModelId::of_name("other", N_DIMS), ..nowhere };
    assert!(other.cached_vector(&other.cache_key(texts[0])).is_none(), "the cache key depends on the model");
}

#[test]
fn failed_service_opens_the_circuit_breaker() {
    let (url, service) = serve(vec![Reply::Status(404, "", String::new())]);
    let endpoint = endpoint(url, None);
    let error = endpoint.embed(&["text"], None).expect_err("it is refused");
    service.join().expect("the script is at its end");
    assert_eq!(endpoint.embed(&["other"], None), Err(error), "no request is sent during the pause");
    assert!(endpoint.embed(&[""], None).is_ok());
}

#[test]
fn rate_limit_does_not_open_the_circuit_breaker() {
    let (url, service) = serve(vec![Reply::Vectors]);
    let endpoint = endpoint(url, None);
    let error = endpoint.embed(&["text"], Some(Instant::now() - Duration::from_secs(1))).expect_err("it is over");
    assert!(error.to_string().contains("`requests_per_second`"), "{error}");
    endpoint.embed(&["text"], None).expect("an answer");
    service.join().expect("the script is at its end");
}

#[test]
fn key_is_sent_and_not_shown() {
    let dir = tempfile::tempdir().expect("a directory");
    let key = dir.path().join("key");
    std::fs::write(&key, "s3cret\n").expect("a file");
    let refusal = Reply::Status(400, "", "not with s3cret".to_owned());
    let (url, service) = serve(vec![Reply::Vectors, refusal]);
    let config = EndpointConfig {
        url,
        name: "small".to_owned(),
        n_dims: N_DIMS,
        key: KeySource::File(key),
        requests_per_second: 10.0,
    };
    let endpoint = Endpoint::new(&config, None).expect("a configuration");
    endpoint.embed(&["text"], None).expect("an answer");
    let error = endpoint.embed(&["text"], None).expect_err("it is refused").to_string();
    assert!(error.contains("not with ..."), "{error}");
    let requests = service.join().expect("the script is at its end");
    assert!(requests[0].head.contains("Bearer s3cret"), "{}", requests[0].head);
}
