//! End-to-end tests of the gateway: real channels, fake workers and paused time.

mod access;
mod answer;
mod cancellation;
mod context;
mod fake;
mod http;
mod impact;
mod json_rpc;
mod overview;
mod pages;
mod quotations;
mod ranked;
mod replicas;
mod resources;
mod risk;
mod sign_in;
mod simulation;

use std::time::Duration;

use fake::{FakeRepository, FakeWorker, WorkerBehaviour, gateway};
use futures::future::Either;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::Gateway;
use federation::{discovery::WorkerEndpoint, fan_out::HARD_DEADLINE, fan_out::SOFT_DEADLINE, principal::Principal};
use tools::ToolResult;

const RETRY: &str = "\
def retry(call, attempts):
    # Calls again after a pause that doubles.
    for attempt in range(attempts):
        pause = 2 ** attempt
        call()

def connect(host):
    token = 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'
    retry(host.open, 3)
";

const SESSION: &str = "\
def open_session(cookie):
    # Opens a session from a signed cookie.
    return verify(cookie)

def retry(call):
    return call()

def retry(call, twice):
    return call() or call()
";

fn api() -> FakeRepository {
    FakeRepository {
        alias: "api",
        id: 1,
        generation: 1,
        files: vec![("src/retry.py", RETRY), ("src/a.py", "def a():\n")],
        ..Default::default()
    }
}

fn web() -> FakeRepository {
    FakeRepository {
        alias: "web",
        id: 2,
        generation: 1,
        files: vec![("app/session.py", SESSION)],
        ..Default::default()
    }
}

fn fork() -> FakeRepository {
    FakeRepository {
        alias: "fork",
        id: 3,
        generation: 1,
        files: vec![("vendor/retry.py", RETRY)],
        ..Default::default()
    }
}

fn healthy_worker(name: &'static str, repositories: Vec<FakeRepository>) -> WorkerEndpoint {
    FakeWorker::endpoint(name, repositories, WorkerBehaviour::Healthy)
}

async fn call(gateway: &Gateway, tool: &str, arguments: Value) -> ToolResult {
    gateway.call(&Principal::local(), tool, arguments).await
}

async fn json_of(gateway: &Gateway, tool: &str, arguments: Value) -> Value {
    let result = call(gateway, tool, arguments).await;
    assert!(!result.is_error, "{}", result.text);
    let value: Value = serde_json::from_str(&result.text).unwrap();
    assert_eq!(Some(&value), result.structured.as_ref());
    value
}

/// Returns an answer without its volatile values, such as timings and trace ids.
fn still(text: &str) -> String {
    let Ok(mut value) = serde_json::from_str::<Value>(text) else {
        return text.rsplit_once(" | ").map_or(text, |(text, _timing)| text).to_owned();
    };
    if let Some(meta) = value.get_mut("_meta") {
        meta["timing_ms"] = json!(0);
        meta["trace_id"] = json!("");
    }
    if let Some(metrics) = value.get_mut("searchMetrics") {
        metrics["tookMs"] = json!(0);
    }
    // The order of keys depends on the features of `serde_json`.
    crate::mcp::tests::canonical(&value)
}

fn states(answer: &Value) -> Vec<String> {
    let shortfalls = answer["_meta"]["coverage"]["shortfalls"].as_array().cloned().unwrap_or_default();
    shortfalls.iter().map(|s| format!("{} {}", s["repo"].as_str().unwrap(), s["state"].as_str().unwrap())).collect()
}

fn paths(answer: &Value) -> Vec<String> {
    let place = |hit: &Value| format!("{}:{}", hit["repo"].as_str().unwrap(), hit["path"].as_str().unwrap());
    let mut paths: Vec<String> = answer["results"].as_array().unwrap().iter().map(place).collect();
    let mut seen = std::collections::HashSet::new();
    paths.retain(|path| seen.insert(path.clone()));
    paths
}

#[tokio::test(start_paused = true)]
async fn tool_answers_match_their_snapshots() {
    let gateway = gateway(vec![healthy_worker("w1", vec![api(), fork()]), healthy_worker("w2", vec![web()])]).await;
    for (tool, arguments) in [
        ("list_repos", json!({})),
        ("search_codebase", json!({"query": "retry after a pause", "mode": "psychic"})),
        ("search_symbols", json!({"pattern": "retry"})),
        ("get_symbol", json!({"symbol_id": "api//src/retry.py::retry", "context_lines": 1})),
        ("get_file_context", json!({"file": "api:retry.py"})),
    ] {
        let result = call(&gateway, tool, arguments).await;
        assert!(!result.is_error, "{}", result.text);
        insta::assert_snapshot!(tool, still(&result.text));
    }
}

#[tokio::test(start_paused = true)]
async fn answers_are_independent_of_placement() {
    let splits = [
        vec![healthy_worker("w", vec![api(), fork(), web()])],
        vec![healthy_worker("w1", vec![web()]), healthy_worker("w2", vec![fork(), api()])],
        vec![healthy_worker("w1", vec![fork()]), healthy_worker("w2", vec![api()]), healthy_worker("w3", vec![web()])],
    ];
    let requests = [
        ("search_codebase", json!({"query": "retry after a pause"})),
        ("search_codebase", json!({"query": "open session cookie", "limit": 1, "format": "compact"})),
        ("search_symbols", json!({"pattern": "retry"})),
        ("get_symbol", json!({"symbol_id": "retry"})),
        ("get_file_context", json!({"file": "retry.py"})),
    ];
    let mut answers: Vec<Vec<String>> = Vec::new();
    for workers in splits {
        let gateway = gateway(workers).await;
        let mut of_split = Vec::new();
        for (tool, arguments) in &requests {
            of_split.push(still(&call(&gateway, tool, arguments.clone()).await.text));
        }
        answers.push(of_split);
    }
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "{answers:#?}");
}

#[tokio::test(start_paused = true)]
async fn repository_with_two_aliases_loses_no_hit() {
    let gone_its_way = FakeRepository { id: api().id, ..web() };
    let gateway = gateway(vec![healthy_worker("w1", vec![api()]), healthy_worker("w2", vec![gone_its_way])]).await;
    let answer = json_of(&gateway, "search_codebase", json!({"query": "retry"})).await;
    assert_eq!(paths(&answer), ["api:src/retry.py", "web:app/session.py"]);
    let answer = json_of(&gateway, "search_symbols", json!({"pattern": "retry"})).await;
    let repos: Vec<&Value> = answer["symbols"].as_array().unwrap().iter().map(|symbol| &symbol["repo"]).collect();
    assert_eq!(repos, ["api", "web", "web"]);
    for (file, repo) in [("retry.py", "api"), ("session.py", "web")] {
        let answer = json_of(&gateway, "get_file_context", json!({"file": file, "format": "json"})).await;
        assert_eq!(answer["repo"], json!(repo));
    }
    let answer = json_of(&gateway, "get_symbol", json!({"symbol_id": "web//open_session"})).await;
    assert_eq!((&answer["repo"], &answer["path"]), (&json!("web"), &json!("app/session.py")));
}

#[tokio::test(start_paused = true)]
async fn copies_are_deduplicated() {
    let gateway = gateway(vec![healthy_worker("w", vec![api(), fork(), web()])]).await;
    let answer = json_of(&gateway, "search_codebase", json!({"query": "pause doubles"})).await;
    assert_eq!(paths(&answer), ["api:src/retry.py"]);
    assert_eq!(answer["results"][0]["also_in"], json!([{"repo": "fork", "path": "vendor/retry.py"}]));
}

#[tokio::test(start_paused = true)]
async fn secrets_are_masked() {
    let gateway = gateway(vec![healthy_worker("w", vec![api()])]).await;
    for (tool, arguments) in [
        ("search_codebase", json!({"query": "connect token", "limit": 1})),
        ("get_symbol", json!({"symbol_id": "connect"})),
        ("get_symbol", json!({"symbol_id": "src/retry.py:8-8", "format": "compact"})),
    ] {
        let result = call(&gateway, tool, arguments).await;
        assert!(result.text.contains("[masked]") && !result.text.contains("ghp_"), "{}", result.text);
    }
}

#[tokio::test(start_paused = true)]
async fn silent_worker_affects_only_its_repositories() {
    let silent = FakeWorker::endpoint("w2", vec![web()], WorkerBehaviour::Silent);
    let gateway = gateway(vec![healthy_worker("w1", vec![api()]), silent]).await;
    let began = Instant::now();
    let answer = json_of(&gateway, "search_codebase", json!({"query": "retry"})).await;
    assert!(began.elapsed() < SOFT_DEADLINE + Duration::from_millis(100), "{:?}", began.elapsed());
    assert_eq!(paths(&answer), ["api:src/retry.py"]);
    assert_eq!(states(&answer), ["web timed_out"]);
    assert_eq!(answer["_meta"]["coverage"]["complete"], json!(false));
}

#[tokio::test(start_paused = true)]
async fn failed_comparison_affects_only_reranking() {
    let uncomparing = FakeWorker::endpoint("w2", vec![web(), fork()], WorkerBehaviour::Uncomparing);
    let gateway = gateway(vec![healthy_worker("w1", vec![api()]), uncomparing]).await;
    let began = Instant::now();
    let answer = json_of(&gateway, "search_codebase", json!({"query": "retry the connection"})).await;
    assert!(began.elapsed() < SOFT_DEADLINE + Duration::from_millis(100), "{:?}", began.elapsed());
    assert_eq!(answer["_meta"]["coverage"]["complete"], json!(true), "{answer}");
    assert!(answer["_meta"]["notes"].to_string().contains("were not compared"), "{answer}");
    let whole = crate::tests::fake::gateway(vec![healthy_worker("w1", vec![api(), web(), fork()])]).await;
    let compared = json_of(&whole, "search_codebase", json!({"query": "retry the connection"})).await;
    assert_eq!(compared["_meta"]["notes"], json!(null), "{compared}");
}

#[tokio::test(start_paused = true)]
async fn cancelled_calls_stop_work_on_workers() {
    const N_CALLERS: usize = 500;
    let (silent, mut in_flight) = FakeWorker::observed_endpoint("w", vec![web()], WorkerBehaviour::Silent);
    let gateway = gateway(vec![silent]).await;
    for _ in 0..N_CALLERS {
        {
            let calling = std::pin::pin!(call(&gateway, "search_codebase", json!({"query": "retry"})));
            let began = in_flight.wait_for(|n_searches| *n_searches == 1);
            assert!(matches!(futures::future::select(calling, std::pin::pin!(began)).await, Either::Right(_)));
        }
        tokio::time::timeout(Duration::from_millis(100), in_flight.wait_for(|n_searches| *n_searches == 0))
            .await
            .expect("dropping a call reaches the worker at once")
            .unwrap();
    }
    let hedge_budget = &gateway.core.workers().known().connections.hedge_budget;
    assert_eq!(
        (hedge_budget.n_hedges(), hedge_budget.n_retries()),
        (0, 0),
        "cancelled requests are neither hedged nor retried"
    );
}

#[tokio::test(start_paused = true)]
async fn timeout_of_all_workers_is_reported_as_unknown() {
    let gateway = gateway(vec![FakeWorker::endpoint("w", vec![api()], WorkerBehaviour::Dead)]).await;
    let began = Instant::now();
    let answer = json_of(&gateway, "search_codebase", json!({"query": "retry"})).await;
    assert!(began.elapsed() < HARD_DEADLINE + Duration::from_millis(100), "{:?}", began.elapsed());
    assert_eq!(states(&answer), ["api timed_out"]);
    assert!(answer["note"].as_str().unwrap().starts_with("unknown, not absent"), "{answer}");
    let result = call(&gateway, "get_symbol", json!({"symbol_id": "retry"})).await;
    assert!(result.is_error && result.text.contains("unknown, not absent"), "{}", result.text);
}

#[tokio::test(start_paused = true)]
async fn an_empty_answer_after_an_edit_is_unknown() {
    const NOTE: &str = "unknown, not absent: 1 of the repositories asked may have changed since it was read";
    for (newer_paths, is_unknown) in [(vec!["src/new.py"], true), (vec![], false)] {
        let edited = FakeRepository { newer_paths, ..api() };
        let gateway = gateway(vec![FakeWorker::endpoint("w", vec![edited], WorkerBehaviour::Healthy)]).await;
        for (tool, arguments) in [
            ("search_codebase", json!({"query": "zeppelin"})),
            ("search_symbols", json!({"pattern": "zeppelin"})),
            ("get_ranked_context", json!({"query": "zeppelin"})),
        ] {
            let answer = json_of(&gateway, tool, arguments).await;
            let note = answer["note"].as_str().unwrap_or_default();
            assert_eq!(note.starts_with(NOTE), is_unknown, "{tool}: {answer}");
            let warning = answer["_meta"]["repositories"][0]["stale_warning"].as_str().unwrap_or_default();
            assert_eq!(warning.contains("src/new.py"), is_unknown, "{tool}: {answer}");
        }
        let refused = call(&gateway, "get_symbol", json!({"symbol_id": "zeppelin"})).await;
        assert!(refused.is_error);
        assert_eq!(refused.text.contains(NOTE), is_unknown, "{}", refused.text);
    }
}

#[tokio::test(start_paused = true)]
async fn invalid_reply_affects_only_its_repository() {
    let garbage = FakeWorker::endpoint("w", vec![api(), web()], WorkerBehaviour::Garbage(1));
    let gateway = gateway(vec![garbage]).await;
    let answer = json_of(&gateway, "search_codebase", json!({"query": "retry"})).await;
    assert_eq!(paths(&answer), ["web:app/session.py"]);
    assert_eq!(states(&answer), ["api failed"]);
    assert!(answer["_meta"]["coverage"]["shortfalls"][0]["reason"].as_str().unwrap().contains("bad reply"));
}

#[tokio::test(start_paused = true)]
async fn newly_published_generation_is_retried() {
    let gateway = gateway(vec![FakeWorker::endpoint("w", vec![api()], WorkerBehaviour::Publishes(2))]).await;
    let answer = json_of(&gateway, "search_codebase", json!({"query": "retry"})).await;
    assert_eq!(paths(&answer), ["api:src/retry.py"]);
    assert_eq!(answer["_meta"]["coverage"]["complete"], json!(true));
    assert_eq!(answer["_meta"]["repositories"][0]["indexed_commit"], json!("02".repeat(20)));
}

#[tokio::test(start_paused = true)]
async fn worker_without_an_inventory_is_reported() {
    let unreachable = WorkerEndpoint::new("w2", || {
        tonic::transport::Endpoint::from_static("http://fake").connect_with_connector_lazy(tower::service_fn(
            |_| async { Err::<hyper_util::rt::TokioIo<tokio::io::DuplexStream>, _>(std::io::Error::other("refused")) },
        ))
    });
    let gateway = Gateway::start(crate::GatewayConfig::laptop(), vec![healthy_worker("w1", vec![api()]), unreachable]);
    assert!(!gateway.wait_for_workers(Duration::from_secs(1)).await);
    assert!(gateway.readiness().workers_reachable == 1 && !gateway.readiness().ready, "it waits for the other");
    assert!(!gateway.wait_for_workers(Duration::from_secs(5)).await);
    let refused = gateway.call(&Principal::local(), "search_codebase", json!({"query": "x", "repo": "web"})).await;
    assert!(refused.is_error && refused.text.contains("have not sent their inventory yet"), "{}", refused.text);
    let answer = json_of(&gateway, "search_codebase", json!({"query": "session cookie"})).await;
    assert_eq!(states(&answer), ["*@w2 unreachable"]);
    assert!(answer["note"].as_str().unwrap().starts_with("unknown"), "{answer}");
    let readiness = gateway.readiness();
    assert!(readiness.ready && readiness.workers_reachable == 1 && readiness.missing[0].starts_with("worker w2"));
    gateway.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn forbidden_repository_is_invisible() {
    let secret = FakeRepository {
        alias: "secret",
        id: 9,
        generation: 1,
        files: vec![("src/retry2.py", RETRY)],
        ..Default::default()
    };
    let with_secret = gateway(vec![healthy_worker("w1", vec![api(), secret]), healthy_worker("w2", vec![web()])]).await;
    let without = gateway(vec![healthy_worker("w1", vec![api()]), healthy_worker("w2", vec![web()])]).await;
    let limited = Principal::limited("ci", ["api".to_owned(), "web".to_owned()]);
    for (tool, arguments) in [
        ("list_repos", json!({})),
        ("list_repos", json!({"repo": "secret"})),
        ("search_codebase", json!({"query": "retry pause"})),
        ("search_codebase", json!({"query": "retry", "repo": "secret"})),
        ("search_codebase", json!({"query": "retry", "repo": "api,secret"})),
        ("search_codebase", json!({"query": "retry", "scope": "secret:src/x.py"})),
        ("search_symbols", json!({"pattern": "retry"})),
        ("search_symbols", json!({"pattern": "retry", "repo": "secret"})),
        ("get_symbol", json!({"symbol_id": "connect"})),
        ("get_symbol", json!({"symbol_id": "secret//src/retry2.py::connect"})),
        ("get_symbol", json!({"symbol_id": "src/retry2.py:1-3"})),
        ("get_file_context", json!({"file": "secret:src/retry2.py"})),
        ("get_file_context", json!({"file": "retry2.py"})),
    ] {
        let seen = with_secret.call(&limited, tool, arguments.clone()).await;
        let expected = without.call(&limited, tool, arguments.clone()).await;
        assert_eq!(still(&seen.text), still(&expected.text), "{tool} {arguments}");
        let asked_by_name = arguments.to_string().contains("secret");
        assert!(asked_by_name || !seen.text.contains("secret"), "{}", seen.text);
    }
}

#[tokio::test(start_paused = true)]
async fn invalid_arguments_are_explained() {
    let gateway = gateway(vec![healthy_worker("w", vec![api(), web(), fork()])]).await;
    for (tool, arguments, expected) in [
        (
            "grep",
            json!({}),
            "no tool `grep`; known tools: get_answer, get_context, get_file_context, get_impact, get_overview",
        ),
        ("search_codebase", json!({}), "`query` is missing"),
        ("search_codebase", json!({"query": ""}), "has nothing to search for"),
        ("search_codebase", json!({"query": "?!…"}), "has nothing to search for"),
        ("search_codebase", json!({"query": "🙂🙃"}), "has nothing to search for"),
        ("search_codebase", json!({"query": "a", "repo": "wep"}), "no repository `wep`; known are: web,"),
        ("search_codebase", json!({"query": "a", "cursor": "x"}), "this cursor belongs to another request"),
        ("search_symbols", json!({"pattern": "(", "mode": "regex"}), "is invalid: `unclosed group`"),
        ("search_symbols", json!({"pattern": "  "}), "has no letter"),
        ("get_symbol", json!({"symbol_id": "retrx"}), "nearest are: api//src/retry.py::retry"),
        ("get_symbol", json!({"symbol_id": "retry", "token_budget": 99}), "`token_budget` must be at least 100"),
        ("get_symbol", json!({"symbol_id": "src/retry.py:900-901"}), "has no line 900"),
        ("get_symbol", json!({"symbol_id": ""}), "no definition or file matches ``"),
        ("get_file_context", json!({"file": "nope.py"}), "no path ends in `nope.py`"),
        ("get_file_context", json!({"file": "/"}), "`file` is empty"),
    ] {
        let result = call(&gateway, tool, arguments.clone()).await;
        assert!(result.is_error, "{tool} {arguments}: {}", result.text);
        assert!(result.text.contains(expected), "{tool} {arguments}: {}", result.text);
    }
}

#[tokio::test(start_paused = true)]
async fn skipped_files_have_a_reason() {
    let files = vec![("big.min.js", ""), ("logo.png", ""), ("two.py", "a\nb\n")];
    let odd = FakeRepository { alias: "odd", id: 5, generation: 1, files, ..Default::default() };
    let gateway = gateway(vec![healthy_worker("w", vec![odd])]).await;
    for (symbol_id, expected) in [
        ("big.min.js:1", "odd:big.min.js was not read: `9000000 bytes: too large to be read`"),
        ("odd:logo.png:1-2", "odd:logo.png was not read: it is binary"),
        ("two.py:3", "odd:two.py has no line 3: it has 2"),
    ] {
        let result = call(&gateway, "get_symbol", json!({"symbol_id": symbol_id})).await;
        assert!(result.is_error && result.text.starts_with(expected), "{}", result.text);
    }
}

#[tokio::test(start_paused = true)]
async fn returned_ids_are_accepted() {
    let files = vec![("dd::name.py", "def dd_fn():\n"), ("src/\u{202e}evil\u{7}.py", "def bidi_fn():\n")];
    let weird = FakeRepository { alias: "weird", id: 5, generation: 1, files, ..Default::default() };
    let gateway = gateway(vec![healthy_worker("w", vec![weird, api()])]).await;
    for (name, expected) in [("dd_fn", "dd::name.py::dd_fn"), ("bidi_fn", "src/evil.py::bidi_fn")] {
        let found = json_of(&gateway, "search_symbols", json!({"pattern": name})).await;
        assert_eq!(found["symbols"][0]["symbol_id"], json!(expected));
        for symbol_id in [expected.to_owned(), format!("weird//{expected}"), format!("weird:{expected}::function")] {
            let answer = json_of(&gateway, "get_symbol", json!({"symbol_id": symbol_id})).await;
            assert_eq!((&answer["symbol_id"], &answer["name"]), (&json!(expected), &json!(name)));
        }
    }
    let answer = json_of(&gateway, "get_file_context", json!({"file": "weird:dd::name.py", "format": "json"})).await;
    assert_eq!(answer["path"], json!("dd::name.py"));
    for (tool, arguments) in
        [("get_file_context", json!({"file": "src/evil.py"})), ("get_symbol", json!({"symbol_id": "src/evil.py:1-2"}))]
    {
        let result = call(&gateway, tool, arguments).await;
        assert!(result.is_error && result.text.contains("is found only with them"), "{}", result.text);
    }
    let as_it_is = json!({"file": "src/\u{202e}evil\u{7}.py", "format": "json"});
    assert_eq!(json_of(&gateway, "get_file_context", as_it_is).await["path"], json!("src/evil.py"));
}

#[tokio::test(start_paused = true)]
async fn pattern_in_the_wrong_mode_gets_a_hint() {
    let gateway = gateway(vec![healthy_worker("w", vec![api()])]).await;
    for (pattern, is_hinted) in [("^retry$", true), ("zzz|yyy", true), ("zzz", false), ("retry", false)] {
        let answer = json_of(&gateway, "search_symbols", json!({"pattern": pattern})).await;
        let hint = answer["_meta"]["hint"].as_str().unwrap_or_default();
        assert_eq!(hint.contains("mode=\"regex\""), is_hinted, "{pattern}: {answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn missing_inventory_does_not_block_readiness_forever() {
    let gateway = Gateway::start(
        crate::GatewayConfig::laptop(),
        vec![FakeWorker::endpoint("w1", vec![web()], WorkerBehaviour::Mute), healthy_worker("w2", vec![api()])],
    );
    assert!(!gateway.wait_for_workers(Duration::from_secs(15)).await);
    let missing = gateway.readiness().missing;
    assert!(missing[0].contains("it sent no inventory in time"), "{missing:?}");
    let answer = json_of(&gateway, "search_codebase", json!({"query": "retry"})).await;
    assert_eq!(states(&answer), ["*@w1 unreachable"]);
}

#[tokio::test(start_paused = true)]
async fn unusual_requests_get_a_note() {
    let gateway = gateway(vec![healthy_worker("w", vec![api(), web()])]).await;
    for (arguments, expected) in [
        (json!({"query": "retry", "limit": 0}), "`limit` must be from 1 to 100: 1 was used instead of 0"),
        (json!({"query": "retry", "limit": 10_000}), "`limit` must be from 1 to 100: 100 was used instead of 10000"),
        (json!({"query": "retry pause ".repeat(10_000)}), "the query is very long"),
        (json!({"query": format!("retry{}", " ".repeat(500_000))}), "the query is very long"),
        (json!({"query": "retry", "page_type": "wiki"}), "`page_type`"),
        (json!({"query": "retry", "language": "klingon"}), "`language`: `klingon` is none of rust, python"),
        (json!({"query": "retry", "symbol_kind": "gadget"}), "`symbol_kind`: `gadget` is none of function"),
    ] {
        let answer = json_of(&gateway, "search_codebase", arguments).await;
        assert!(!answer["results"].as_array().unwrap().is_empty());
        assert!(answer["_meta"].to_string().contains(expected), "{}", answer["_meta"]);
    }
}

#[tokio::test(start_paused = true)]
async fn every_tool_reports_an_empty_federation() {
    let gateway = gateway(Vec::new()).await;
    let answer = json_of(&gateway, "search_codebase", json!({"query": "retry"})).await;
    assert_eq!(answer["note"], json!("no repository is available to search yet; list_repos shows the state"));
    for (tool, arguments) in [
        ("get_symbol", json!({"symbol_id": "retry"})),
        ("get_file_context", json!({"file": "a.py"})),
        ("search_codebase", json!({"query": "retry", "repo": "api"})),
    ] {
        let result = call(&gateway, tool, arguments).await;
        assert!(result.is_error, "{}", result.text);
    }
}

#[tokio::test(start_paused = true)]
async fn pages_are_contiguous() {
    let texts: Vec<&'static str> = (0..7).map(|n| &*format!("def f{n}():\n    retry({n})\n").leak()).collect();
    let names: Vec<&'static str> = (0..7).map(|n| &*format!("src/f{n}.py").leak()).collect();
    let many = FakeRepository {
        alias: "many",
        id: 5,
        generation: 1,
        files: names.into_iter().zip(texts).collect(),
        ..Default::default()
    };
    let gateway = gateway(vec![healthy_worker("w", vec![many])]).await;
    let whole = json_of(&gateway, "search_codebase", json!({"query": "retry", "limit": 7})).await;
    let mut pages = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let page = json_of(&gateway, "search_codebase", json!({"query": "retry", "limit": 3, "cursor": cursor})).await;
        pages.extend(paths(&page));
        let Some(more) = page["_meta"]["more"].as_str() else { break };
        cursor = json!(more.split('"').nth(1).unwrap());
    }
    assert_eq!(pages, paths(&whole));
    assert_eq!(pages.len(), 7);
    let tampered = format!("{}00000005", &cursor.as_str().unwrap()[..16]);
    let result = call(&gateway, "search_codebase", json!({"query": "retry", "limit": 3, "cursor": tampered})).await;
    assert!(result.is_error && result.text.contains("belongs to another request"), "{}", result.text);
}

#[tokio::test(start_paused = true)]
async fn capped_count_is_not_reported_as_a_total() {
    let of = |n_files: usize| {
        let files = (0..n_files).map(|n| {
            let text: &'static str = format!("def f{n}():\n    retry({n})\n").leak();
            let path: &'static str = format!("src/f{n}.py").leak();
            (path, text)
        });
        FakeRepository { alias: "many", id: 5, generation: 1, files: files.collect(), ..Default::default() }
    };
    for (n_files, expected) in [(119, false), (130, true)] {
        let gateway = gateway(vec![healthy_worker("w", vec![of(n_files)])]).await;
        let first = json_of(&gateway, "search_codebase", json!({"query": "retry", "limit": 40})).await;
        let mut meta = first["_meta"].clone();
        for _ in 0..2 {
            let cursor = meta["more"].as_str().unwrap().split('"').nth(1).unwrap().to_owned();
            let arguments = json!({"query": "retry", "limit": 40, "cursor": cursor});
            meta = json_of(&gateway, "search_codebase", arguments).await["_meta"].clone();
        }
        assert_eq!(meta["truncated"], json!(expected), "{meta}");
        assert_eq!(meta["more"].to_string().contains("narrower"), expected, "{meta}");
    }
}

#[tokio::test(start_paused = true)]
async fn answer_is_independent_of_the_order_of_repo() {
    let gateway = gateway(vec![healthy_worker("w", vec![api(), web(), fork()])]).await;
    let mut answers = Vec::new();
    for repo in [json!("api,web"), json!(" web , api"), json!(["web", "api", "web"])] {
        let arguments = json!({"query": "retry call", "limit": 1, "repo": repo});
        answers.push(still(&call(&gateway, "search_codebase", arguments).await.text));
    }
    assert!(answers[0].contains("cursor="), "{}", answers[0]);
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "{answers:#?}");
}

#[tokio::test(start_paused = true)]
async fn hint_refers_to_the_first_hit() {
    let gateway = gateway(vec![healthy_worker("w", vec![api()])]).await;
    for (query, mode, expected) in [
        ("connect token", "concept", "get_symbol symbol_id=\"api//src/retry.py::connect\" returns its full source"),
        ("src/a.py", "path", "get_file_context file=\"api:src/a.py\" lists its definitions"),
    ] {
        let answer = json_of(&gateway, "search_codebase", json!({"query": query, "mode": mode})).await;
        assert_eq!(answer["_meta"]["hint"], json!(expected));
    }
}

#[tokio::test(start_paused = true)]
async fn ambiguous_ids_list_unambiguous_ones() {
    let gateway = gateway(vec![healthy_worker("w", vec![api(), web()])]).await;
    let answer = json_of(&gateway, "get_symbol", json!({"symbol_id": "retry"})).await;
    assert_eq!((&answer["ambiguous"], &answer["total"]), (&json!(true), &json!(3)));
    for candidate in answer["candidates"].as_array().unwrap() {
        let symbol = json_of(&gateway, "get_symbol", json!({"symbol_id": candidate["symbol_id"]})).await;
        let (repo, id) = (symbol["repo"].as_str().unwrap(), symbol["symbol_id"].as_str().unwrap());
        assert_eq!(json!(format!("{repo}//{id}")), candidate["symbol_id"]);
        assert_eq!(symbol["start_line"], candidate["start_line"]);
    }
}

#[tokio::test(start_paused = true)]
async fn token_budget_covers_the_whole_response() {
    let functions: String = (0..300).map(|n| format!("def function_{n}(first, second):\n    return first\n")).collect();
    let body: String = (0..300).map(|n| format!("    value_{n} = compute(\"{n}\")\n")).collect();
    let files = vec![("many.py", &*functions.leak()), ("long.py", &*format!("def long():\n{body}").leak())];
    let big = FakeRepository { alias: "big", id: 6, generation: 1, files, ..Default::default() };
    let gateway = gateway(vec![healthy_worker("w", vec![big])]).await;
    for budget in [100, 300, 1_000, 4_000] {
        for format in ["json", "compact"] {
            for (tool, arguments) in [
                ("get_symbol", json!({"symbol_id": "long", "token_budget": budget, "format": format})),
                ("get_file_context", json!({"file": "many.py", "token_budget": budget, "format": format})),
            ] {
                let result = call(&gateway, tool, arguments.clone()).await;
                assert!(!result.is_error, "{}", result.text);
                let n_tokens = text::estimate_tokens(&result.text);
                assert!(n_tokens <= budget, "{arguments}: {n_tokens}\n{}", result.text);
            }
        }
    }
}
