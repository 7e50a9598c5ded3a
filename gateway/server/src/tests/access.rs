//! Forbidden repositories are invisible: a federation with one answers byte for byte like a federation without it, for
//! every tool and every failure of its worker.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
    time::Duration,
};

use proto::{
    grant::{GRANT_METADATA, GrantError, GrantKeys, Targeted as _},
    v1,
};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{
    FakeRepository, FakeWorker, WorkerBehaviour,
    context::{client, proto, script, server},
    fake, healthy_worker, still,
};
use crate::{Gateway, GatewayConfig, GatewaySettings, prompts, resources};
use federation::{call::CallContext, connection::ShardClient};
use federation::{discovery::WorkerEndpoint, principal::Principal};
use tools::{ToolCall, progress::Progress};

/// A forbidden repository. It serves routes that a readable repository calls, and uses an export of another one.
fn vault() -> FakeRepository {
    FakeRepository { alias: "zanzibar-vault", ..server() }
}

/// Another forbidden repository without links, which would be the best hit of many queries.
fn ledger() -> FakeRepository {
    FakeRepository {
        alias: "zanzibar-ledger",
        id: 15,
        generation: 1,
        files: vec![(
            "app/client.ts",
            "def zanzibar_ledger(code):\n    # Reports parcels and codes to zanzibar.\n    pass\n",
        )],
        graph: vec!["use grpc t.v1.Parcel by zanzibar_ledger", "active 19000 Ada app/client.ts"],
        ..Default::default()
    }
}

/// Part of every forbidden name and text.
const FORBIDDEN: &str = "zanzibar";

fn caller() -> Principal {
    Principal::limited("ci", ["contracts".to_owned(), "portal".to_owned(), "script".to_owned()])
}

/// Returns a federation with the forbidden repositories and one without. They are on their own worker with this
/// behaviour, or beside readable repositories.
async fn pair(behaviour: Option<WorkerBehaviour>) -> (Arc<Gateway>, Arc<Gateway>) {
    let readable = || vec![proto(), client()];
    let Some(behaviour) = behaviour else {
        let with = vec![
            healthy_worker("w1", [readable(), vec![vault()]].concat()),
            healthy_worker("w2", vec![ledger(), script()]),
        ];
        let without = vec![healthy_worker("w1", readable()), healthy_worker("w2", vec![script()])];
        return (fake::gateway(with).await, fake::gateway(without).await);
    };
    let workers =
        |third: WorkerEndpoint| vec![healthy_worker("w1", readable()), healthy_worker("w2", vec![script()]), third];
    let with = workers(FakeWorker::endpoint("w3", vec![vault(), ledger()], behaviour));
    let without = workers(healthy_worker("w3", Vec::new()));
    (fake::gateway(with).await, fake::gateway(without).await)
}

/// Calls of every tool that request forbidden repositories in every possible way, or all repositories.
fn calls() -> Vec<(&'static str, Value)> {
    let (alias, other) = ("zanzibar-vault", "zanzibar-nothing");
    let mut calls = Vec::new();
    let mut add = |tool: &'static str, arguments: Value| calls.push((tool, arguments));
    for (tool, arguments) in [
        ("list_repos", json!({})),
        ("search_codebase", json!({"query": "parcel code find"})),
        ("search_codebase", json!({"query": "zanzibr ledger", "format": "compact"})),
        ("search_symbols", json!({"pattern": "find"})),
        ("search_symbols", json!({"pattern": "zanzibar|serve", "mode": "regex"})),
        ("get_symbol", json!({"symbol_id": "find"})),
        ("get_symbol", json!({"symbol_id": "fetch_parcel", "depth": 2})),
        ("get_file_context", json!({"file": "app/client.ts"})),
        ("get_file_context", json!({"file": "server.py"})),
        ("get_context", json!({"entity": "fetch_parcel", "depth": 4, "projects": "*"})),
        ("get_context", json!({"entity": "Parcel", "format": "json"})),
        ("get_context", json!({"mode": "path", "from": "show", "to": "find"})),
        ("get_context", json!({"mode": "path", "from": "show", "to": "Parcel"})),
        ("get_context", json!({"mode": "intent", "target": "find parcels"})),
        ("get_context", json!({"targets": ["find", "show"]})),
        ("get_impact", json!({"target": "t.v1.S/Get"})),
        ("get_impact", json!({"target": "GET /parcels/{x}"})),
        ("get_risk", json!({"targets": ["find", "Parcel", "src/server.py"]})),
        ("get_risk", json!({"changed_files": ["app/client.ts", "src/server.py"]})),
        ("get_overview", json!({})),
        ("get_overview", json!({"format": "json"})),
        ("get_answer", json!({"question": "How does the server find a parcel?"})),
        ("get_answer", json!({"question": "What does zanzibar-vault do?"})),
        ("get_ranked_context", json!({"query": "find a parcel by its code"})),
    ] {
        add(tool, arguments.clone());
        let takes = |name: &str| tools::schema_of(tool)["properties"].get(name).is_some();
        for named in [alias, other] {
            let mut with = |name: &str, value: Value| {
                if takes(name) {
                    let mut arguments = arguments.clone();
                    arguments[name] = value;
                    add(tool, arguments);
                }
            };
            with("repo", json!(named));
            with("repo", json!(format!("portal,{named}")));
            with("repo", json!(format!("{named}@w3")));
            with("projects", json!(format!("portal,{named}")));
            with("scope", json!(named));
            with("file_pattern", json!(format!("{named}/*")));
        }
    }
    for named in [alias, other] {
        for id in ["src/server.py::find", "find", "src/server.py", "src/server.py:1-2"] {
            for prefixed in [format!("{named}//{id}"), format!("{named}:{id}"), format!("{named}@w3:{id}")] {
                add("get_symbol", json!({"symbol_id": prefixed}));
                add("get_file_context", json!({"file": prefixed}));
                add("get_context", json!({"entity": prefixed}));
                add("get_context", json!({"mode": "path", "from": "show", "to": prefixed}));
                add("get_context", json!({"targets": ["show", prefixed]}));
                add("get_impact", json!({"target": prefixed}));
                add("get_risk", json!({"targets": [prefixed, "show"]}));
                add("get_risk", json!({"changed_files": [prefixed]}));
                add("search_symbols", json!({"pattern": prefixed}));
                add("search_codebase", json!({"query": prefixed}));
                add("get_answer", json!({"question": format!("What is {prefixed}?")}));
                add("get_ranked_context", json!({"query": prefixed}));
                add("get_overview", json!({"repo": prefixed}));
            }
        }
    }
    calls
}

async fn check(behaviour: Option<WorkerBehaviour>) {
    let (with, without) = pair(behaviour).await;
    compare(&with, &without, behaviour).await;
}

async fn compare(with: &Arc<Gateway>, without: &Arc<Gateway>, behaviour: Option<WorkerBehaviour>) {
    let caller = caller();
    for (tool, arguments) in calls() {
        let (actual, took) = timed(with.call(&caller, tool, arguments.clone())).await;
        let (expected, should_take) = timed(without.call(&caller, tool, arguments.clone())).await;
        assert!(
            took <= should_take + LATENCY_TOLERANCE,
            "{behaviour:?} {tool} {arguments}: {took:?}, not {should_take:?}"
        );
        assert_eq!(actual.is_error, expected.is_error, "{behaviour:?} {tool} {arguments}: {}", actual.text);
        assert_eq!(still(&actual.text), still(&expected.text), "{behaviour:?} {tool} {arguments}");
        if !arguments.to_string().contains("zanzib") {
            assert!(!actual.text.contains(FORBIDDEN), "{behaviour:?} {tool} {arguments}: {}", actual.text);
        }
    }
    let visible =
        |gateway: &Arc<Gateway>| CallContext::new(&gateway.core.toolbox.federation, &caller, Instant::now()).visible;
    let listed = |gateway: &Arc<Gateway>| {
        resources::page(&CallContext::new(&gateway.core.toolbox.federation, &caller, Instant::now()), None)
            .map_err(|refusal| refusal.to_string())
    };
    let list = listed(with).unwrap();
    assert_eq!(list, listed(without).unwrap());
    assert!(!format!("{list:?}").contains(FORBIDDEN));
    for uri in ["causeway://repos", "causeway://repos/portal/overview", "causeway://repos/zanzibar-vault/overview"] {
        let actual = resources::read(&with.core, &caller, uri, None).await.map(|content| still(&content.text));
        let expected = resources::read(&without.core, &caller, uri, None).await.map(|content| still(&content.text));
        assert_eq!(actual, expected, "{behaviour:?} {uri}");
        assert!(!actual.unwrap_or_default().contains(FORBIDDEN), "{behaviour:?} {uri}");
    }
    for prompt in ["orient", "review", "what-breaks-if"] {
        let prompt = prompts::find(prompt).unwrap();
        for arguments in
            [json!({"repo": "zanzibar-vault"}), json!({}), json!({"changed_files": "a.ts", "target": "find"})]
        {
            let passed_arguments = arguments.as_object().unwrap().clone();
            let actual = prompt.fill(passed_arguments.clone(), &visible(with)).map_err(|refusal| refusal.to_string());
            let expected = prompt.fill(passed_arguments, &visible(without)).map_err(|refusal| refusal.to_string());
            assert_eq!(actual, expected, "{behaviour:?} {arguments}");
        }
    }
}

/// Maximum difference of latencies that reveals nothing: the paused clock advances by it while all tasks are idle.
const LATENCY_TOLERANCE: Duration = Duration::from_millis(10);

async fn timed<T>(answered: impl Future<Output = T>) -> (T, Duration) {
    let began = Instant::now();
    (answered.await, began.elapsed())
}

#[tokio::test(start_paused = true)]
async fn latency_is_independent_of_forbidden_repositories() {
    for tool in ["list_repos", "get_overview", "get_context", "get_impact"] {
        let arguments = match tool {
            "get_context" => json!({"entity": "fetch_parcel"}),
            "get_impact" => json!({"target": "fetch_parcel"}),
            _ => json!({}),
        };
        // The overlay is empty, and a call of another caller is loading it.
        let (with, without) = pair(Some(WorkerBehaviour::Dead)).await;
        let (everybody, caller) = (Principal::local(), caller());
        let others = with.call(&everybody, "list_repos", json!({}));
        let own = timed(with.call(&caller, tool, arguments.clone()));
        let (_, (actual, took)) = tokio::join!(others, own);
        let (expected, should_take) = timed(without.call(&caller, tool, arguments)).await;
        assert_eq!(still(&actual.text), still(&expected.text), "{tool}");
        assert!(took <= should_take + LATENCY_TOLERANCE, "{tool}: {took:?}, not {should_take:?}");
    }
}

#[test]
fn matrix_covers_every_tool() {
    let covered_tools: BTreeSet<&str> = calls().into_iter().map(|(tool, _)| tool).collect();
    assert_eq!(covered_tools, tools::ALL.iter().map(|tool| tool.name).collect());
}

#[tokio::test(start_paused = true)]
async fn permitted_callers_see_the_repository() {
    let (with, _) = pair(None).await;
    let mut seen = BTreeSet::new();
    for (tool, arguments) in calls() {
        if with.call(&Principal::local(), tool, arguments).await.text.contains(FORBIDDEN) {
            seen.insert(tool);
        }
    }
    assert_eq!(seen, tools::ALL.iter().map(|tool| tool.name).collect(), "the matrix would notice");
}

#[tokio::test(start_paused = true)]
async fn forbidden_repository_is_invisible_on_a_shared_worker() {
    check(None).await;
}

#[tokio::test(start_paused = true)]
async fn forbidden_repository_is_invisible_on_a_healthy_worker() {
    check(Some(WorkerBehaviour::Healthy)).await;
}

#[tokio::test(start_paused = true)]
async fn forbidden_repository_is_invisible_after_a_timeout() {
    check(Some(WorkerBehaviour::Dead)).await;
}

#[tokio::test(start_paused = true)]
async fn forbidden_repository_is_invisible_on_an_unreachable_worker() {
    let readable = || vec![healthy_worker("w1", vec![proto(), client()]), healthy_worker("w2", vec![script()])];
    let (mortal, kill) = FakeWorker::mortal_endpoint("w3", vec![vault(), ledger()]);
    let with = fake::gateway([readable(), vec![mortal]].concat()).await;
    let without = fake::gateway([readable(), vec![healthy_worker("w3", Vec::new())]].concat()).await;
    kill.abort();
    let is_reached = || !with.core.workers().directory().workers.iter().any(|worker| worker.reach.is_gone());
    let noticed = async {
        while is_reached() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), noticed).await.unwrap();
    compare(&with, &without, None).await;
}

#[tokio::test(start_paused = true)]
async fn forbidden_repository_is_invisible_with_invalid_replies() {
    check(Some(WorkerBehaviour::Garbage(12))).await;
}

#[tokio::test(start_paused = true)]
async fn forbidden_repository_is_invisible_while_indexing() {
    check(Some(WorkerBehaviour::Indexing)).await;
}

#[tokio::test(start_paused = true)]
async fn forbidden_repository_is_invisible_after_failed_indexing() {
    check(Some(WorkerBehaviour::Broken)).await;
}

#[tokio::test(start_paused = true)]
async fn cursor_is_bound_to_its_caller() {
    let (with, without) = pair(None).await;
    let everything = json!({"query": "code", "limit": 1});
    let first = with.call(&Principal::local(), "search_codebase", everything.clone()).await;
    let answer: Value = serde_json::from_str(&first.text).unwrap();
    let more = answer["_meta"]["more"].as_str().unwrap_or_else(|| panic!("there is more: {answer}"));
    let cursor = more.split(['"', '`', ' ', '=']).find(|word| word.len() == 24).unwrap_or_else(|| panic!("{more}"));
    let mut arguments = everything;
    arguments["cursor"] = json!(cursor);
    let actual = with.call(&caller(), "search_codebase", arguments.clone()).await;
    let expected = without.call(&caller(), "search_codebase", arguments).await;
    assert!(actual.is_error && actual.text == expected.text, "{} / {}", actual.text, expected.text);
}

#[tokio::test(start_paused = true)]
async fn plan_with_forbidden_repository_is_not_signed() {
    let folder = tempfile::tempdir().unwrap();
    let key_file = folder.path().join("key");
    std::fs::write(&key_file, "k".repeat(32)).unwrap();
    let keys = GrantKeys::parse(&"k".repeat(32)).unwrap();
    let settings = GatewaySettings { grant_key_file: Some(key_file), ..GatewaySettings::default() };
    let gateway = Gateway::start(
        GatewayConfig::try_from(settings).unwrap(),
        vec![healthy_worker("w1", vec![proto(), vault(), client()])],
    );
    assert!(gateway.wait_for_workers(std::time::Duration::from_secs(5)).await);
    let caller = caller();
    let call = CallContext::new(&gateway.core.toolbox.federation, &caller, Instant::now());
    let portal = call.visible.repo_idx("portal").unwrap();
    let vault = call.visible.directory.called("zanzibar-vault").next().expect("the vault is known");
    for (repo_idxs, expected) in
        [(vec![portal], Ok(())), (vec![vault], Err(GrantError::Wrong)), (vec![portal, vault], Err(GrantError::Wrong))]
    {
        // A defect is simulated: the plan has a repository that the caller cannot read.
        let plan = call.visible.plan_for(repo_idxs.clone(), false);
        let groups = plan.groups.clone();
        let seen = Mutex::new(Vec::new());
        let rpc = |_: ShardClient, request: tonic::Request<v1::SurfaceRequest>| {
            let grant = request.metadata().get_bin(GRANT_METADATA).map(|grant| grant.to_bytes().unwrap());
            let now = std::time::SystemTime::now().duration_since(std::time::SystemTime::UNIX_EPOCH).unwrap();
            let verified = keys.verify(grant.as_deref(), &request.get_ref().repositories(), now.as_secs());
            seen.lock().unwrap().push(verified);
            async { Err::<tonic::Response<v1::SurfaceResponse>, _>(tonic::Status::permission_denied("refused")) }
        };
        call.ask(&plan, &groups, |targets| v1::SurfaceRequest { targets }, rpc, |_| Vec::new()).await;
        assert_eq!(*seen.lock().unwrap(), [expected], "{repo_idxs:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn audit_events_name_the_requested_repositories() {
    let (with, _) = pair(None).await;
    let (caller, everybody) = (caller(), Principal::local());
    for (principal, tool, arguments, expected) in [
        (&caller, "search_codebase", json!({"query": "parcel"}), "all"),
        (&caller, "search_codebase", json!({"query": "parcel", "repo": "all"}), "all"),
        (&caller, "search_codebase", json!({"query": "parcel", "repo": "script,portal"}), "portal,script"),
        (&caller, "get_symbol", json!({"symbol_id": "portal//app/client.ts::show"}), "portal"),
        (&caller, "get_file_context", json!({"file": "script:report.py"}), "script"),
        (&caller, "get_symbol", json!({"symbol_id": "zanzibar-vault//find"}), "none"),
        (&caller, "search_codebase", json!({"query": "parcel", "repo": "zanzibar-vault"}), "none"),
        (&everybody, "get_symbol", json!({"symbol_id": "zanzibar-vault//src/server.py::find"}), "zanzibar-vault"),
    ] {
        let call = ToolCall::new(&with.core.toolbox, principal, Instant::now(), Progress::default());
        let rendered = (tools::find(tool).unwrap().run)(&call, arguments.clone()).await;
        let scope = rendered.map_or(tools::queried_repos::QueriedRepos::Nothing, |rendered| rendered.queried);
        assert_eq!(scope.to_string(), expected, "{tool} {arguments}");
    }
}

/// The only repository of a worker, with an alias that other workers use as well.
fn namesake(id: u8, text: &'static str) -> FakeRepository {
    FakeRepository { alias: "api", id, generation: id, files: vec![("src/a.py", text)], ..Default::default() }
}

/// Two workers with a repository `api` each. The token grants that of the first worker.
async fn twins(second: Vec<FakeRepository>) -> Arc<Gateway> {
    let first = namesake(31, "def hello(parcel):\n    # Greets a parcel.\n    pass\n");
    fake::gateway(vec![healthy_worker("w1", vec![first]), healthy_worker("w2", second)]).await
}

fn forbidden_duplicate() -> FakeRepository {
    namesake(32, "def zanzibar(parcel):\n    # Hides a parcel of zanzibar.\n    pass\n")
}

#[tokio::test(start_paused = true)]
async fn forbidden_repository_with_a_shared_alias_is_invisible() {
    let (with, without) = (twins(vec![forbidden_duplicate()]).await, twins(Vec::new()).await);
    let caller = Principal::limited("ci", ["api@w1".to_owned()]);
    for (tool, arguments) in [
        ("list_repos", json!({})),
        ("list_repos", json!({"repo": "api@w2"})),
        ("search_codebase", json!({"query": "parcel"})),
        ("search_codebase", json!({"query": "parcel", "repo": "api"})),
        ("search_codebase", json!({"query": "parcel", "repo": "api@w1"})),
        ("search_symbols", json!({"pattern": "hello|zanzibar", "mode": "regex"})),
        ("get_symbol", json!({"symbol_id": "api//src/a.py::hello"})),
        ("get_symbol", json!({"symbol_id": "api//src/a.py::zanzibar"})),
        ("get_symbol", json!({"symbol_id": "api@w2//src/a.py::zanzibar"})),
        ("get_overview", json!({})),
        ("get_answer", json!({"question": "What greets a parcel?"})),
    ] {
        let actual = with.call(&caller, tool, arguments.clone()).await;
        let expected = without.call(&caller, tool, arguments.clone()).await;
        assert_eq!(still(&actual.text), still(&expected.text), "{tool} {arguments}");
        if !arguments.to_string().contains(FORBIDDEN) {
            assert!(!actual.text.contains(FORBIDDEN) && !actual.text.contains("@w2\""), "{arguments}: {}", actual.text);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn cached_answer_is_not_shared_with_a_repository_of_the_same_alias() {
    let both = twins(vec![forbidden_duplicate()]).await;
    let question = json!({"question": "What is done with a parcel?"});
    for (worker, own, other) in [("w1", "hello", "zanzibar"), ("w2", "zanzibar", "hello")] {
        let caller = Principal::limited("ci", [format!("api@{worker}")]);
        for _ in ["made", "kept"] {
            let answer = both.call(&caller, "get_answer", question.clone()).await.text;
            assert!(answer.contains(own) && !answer.contains(other), "{worker}: {answer}");
        }
    }
}
