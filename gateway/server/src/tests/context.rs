//! get_context over linked repositories: a proto file, a server, two clients, and a shared library.

use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{FakeRepository, FakeWorker, WorkerBehaviour, call, gateway, healthy_worker, json_of, states, still};

const PROTO: &str = "\
def Parcel(code):
    # A parcel on its way.
    pass

def Get(code):
    return Parcel
";

const SERVER: &str = "\
def serve_get(request):
    # Answers for one parcel.
    return find(request.code)

def find(code):
    return table[code]

def test_find():
    find(1)
";

const CLIENT: &str = "\
def fetch_parcel(code):
    return http.get(code)

def show(code):
    return fetch_parcel(code)

def page():
    return show(7)
";

const SCRIPT: &str = "\
def report(codes):
    for code in codes:
        stub.get(code)
";

pub(super) fn proto() -> FakeRepository {
    FakeRepository {
        alias: "contracts",
        id: 11,
        generation: 1,
        files: vec![("tracking.proto", PROTO)],
        graph: vec!["offer grpc t.v1.Parcel = Parcel", "offer grpc t.v1.S/Get = Get", "Get -references-> Parcel"],
        ..Default::default()
    }
}

pub(super) fn server() -> FakeRepository {
    FakeRepository {
        alias: "server",
        id: 12,
        generation: 1,
        files: vec![("src/server.py", SERVER)],
        graph: vec![
            "serve_get -calls-> find",
            "test_find -tests-> find",
            "route GET /parcels/{code} -> serve_get",
            "offer image server = serve_get",
            "serve grpc t.v1.S/Get by serve_get",
            "use grpc t.v1.Parcel by serve_get",
            "commits 5 src/server.py",
        ],
        ..Default::default()
    }
}

pub(super) fn client() -> FakeRepository {
    FakeRepository {
        alias: "portal",
        id: 13,
        generation: 1,
        files: vec![("app/client.ts", CLIENT)],
        graph: vec![
            "app/client.ts -defines-> fetch_parcel",
            "app/client.ts -defines-> page",
            "show -calls-> fetch_parcel",
            "page -calls-> show",
            "use http GET /parcels/{} at http://server by fetch_parcel",
        ],
        ..Default::default()
    }
}

pub(super) fn script() -> FakeRepository {
    FakeRepository {
        alias: "script",
        id: 14,
        generation: 1,
        files: vec![("report.py", SCRIPT)],
        graph: vec!["use grpc t.v1.Parcel by report", "use grpc t.v1.S/Get by report"],
        ..Default::default()
    }
}

fn organisation() -> Vec<federation::discovery::WorkerEndpoint> {
    vec![healthy_worker("w1", vec![proto(), client()]), healthy_worker("w2", vec![server(), script()])]
}

async fn context(gateway: &crate::Gateway, arguments: Value) -> Value {
    let mut arguments = arguments;
    arguments["format"] = json!("json");
    json_of(gateway, "get_context", arguments).await
}

/// Returns the items of a section as `repo:name relevance boundaries`.
fn names(answer: &Value, section: &str) -> Vec<String> {
    let items = answer[section].as_array().cloned().unwrap_or_default();
    let name = |item: &Value| format!("{}:{}", item["repo"].as_str().unwrap(), item["name"].as_str().unwrap());
    items.iter().map(name).collect()
}

fn all_items(answer: &Value) -> Vec<Value> {
    ["callers", "callees", "related"].iter().flat_map(|s| answer[s].as_array().cloned().unwrap_or_default()).collect()
}

fn figure(answer: &Value, name: &str, figure: &str) -> f64 {
    let items = all_items(answer);
    let item = items.iter().find(|item| item["name"] == json!(name)).unwrap_or_else(|| panic!("no {name}: {answer}"));
    item["standing"][figure].as_f64().unwrap()
}

#[tokio::test(start_paused = true)]
async fn contexts_match_their_snapshots() {
    let gateway = gateway(organisation()).await;
    let compact = call(&gateway, "get_context", json!({"entity": "serve_get"})).await;
    assert!(!compact.is_error, "{}", compact.text);
    insta::assert_snapshot!("get_context_compact", still(&compact.text));
    let json = call(&gateway, "get_context", json!({"entity": "contracts:Parcel", "format": "json"})).await;
    insta::assert_snapshot!("get_context_json", still(&json.text));
}

#[tokio::test(start_paused = true)]
async fn protobuf_message_is_linked_to_users_in_other_repositories() {
    let gateway = gateway(organisation()).await;
    let answer = context(&gateway, json!({"entity": "t.v1.Parcel"})).await;
    assert_eq!(answer["entity"]["name"], json!("Parcel"));
    let callers = names(&answer, "callers");
    assert!(
        callers.contains(&"server:serve_get".to_owned()) && callers.contains(&"script:report".to_owned()),
        "{answer}"
    );
    let link =
        &answer["callers"].as_array().unwrap().iter().find(|item| item["name"] == json!("report")).unwrap()["link"];
    assert_eq!(link["evidence"]["user"], json!("script:report.py:1"));
    assert_eq!(link["evidence"]["offer"], json!("contracts:tracking.proto:1"));
    let answer = context(&gateway, json!({"entity": "GET /parcels/{id}"})).await;
    assert_eq!(
        (&names(&answer, "callers")[0], &names(&answer, "callees")[0]),
        (&"portal:fetch_parcel".to_owned(), &"server:serve_get".to_owned())
    );
}

#[tokio::test(start_paused = true)]
async fn relevance_halves_at_each_repository_boundary() {
    let gateway = gateway(organisation()).await;
    let with =
        |decay| json!({"entity": "server:find", "depth": 4, "cross_domain_decay": decay, "token_budget": 10_000});
    let (half, full) = (context(&gateway, with(0.5)).await, context(&gateway, with(1.0)).await);
    for (name, boundaries) in [("serve_get", 0), ("fetch_parcel", 1), ("Parcel", 1), ("report", 2)] {
        assert_eq!(figure(&half, name, "boundaries"), f64::from(boundaries), "{name}");
        let expected = figure(&full, name, "relevance") * 0.5f64.powi(boundaries);
        assert_eq!(figure(&half, name, "relevance"), expected, "{name}");
        assert!(expected > 0.0);
    }
}

#[tokio::test(start_paused = true)]
async fn depth_bounds_the_walk() {
    let gateway = gateway(organisation()).await;
    let mut reached = Vec::new();
    for depth in [0, 1, 2, 3, 50] {
        let answer = context(&gateway, json!({"entity": "find", "depth": depth})).await;
        let items = all_items(&answer);
        assert!(items.iter().all(|item| item["standing"]["hops"].as_u64().unwrap() <= depth), "{answer}");
        reached.push(items.len());
    }
    assert_eq!(reached[0], 0);
    assert!(reached.windows(2).all(|pair| pair[0] <= pair[1]) && reached[1] < reached[3], "{reached:?}");
}

#[tokio::test(start_paused = true)]
async fn projects_restrict_the_walk() {
    let gateway = gateway(organisation()).await;
    for (repo, projects, expected) in [
        (json!("server"), Value::Null, vec!["server"]),
        (json!("server"), json!("*"), vec!["contracts", "portal", "script", "server"]),
        (json!("server"), json!("contracts"), vec!["contracts", "server"]),
        (json!("server"), json!(["portal"]), vec!["portal", "server"]),
        (Value::Null, Value::Null, vec!["contracts", "portal", "script", "server"]),
        (Value::Null, json!("portal"), vec!["portal", "server"]),
    ] {
        let arguments = json!({"entity": "serve_get", "repo": repo, "projects": projects, "depth": 3});
        let answer = context(&gateway, arguments.clone()).await;
        let repos: Vec<&str> =
            answer["projects"].as_array().unwrap().iter().map(|project| project["repo"].as_str().unwrap()).collect();
        assert_eq!(repos, expected, "{arguments}");
        assert!(answer["projects"].as_array().unwrap().iter().all(|project| project["status"] == json!("answered")));
    }
    let elsewhere = context(&gateway, json!({"entity": "fetch_parcel", "repo": "server", "projects": "portal"})).await;
    assert_eq!(elsewhere["entity"]["repo"], json!("portal"));
    assert!(elsewhere["_meta"]["notes"].to_string().contains("is in portal alone"), "{elsewhere}");
}

#[tokio::test(start_paused = true)]
async fn inferred_edges_can_be_excluded() {
    let gateway = gateway(organisation()).await;
    for (include_inferred, expected) in [(true, true), (false, false)] {
        let arguments = json!({"entity": "serve_get", "include_inferred": include_inferred, "depth": 3});
        let answer = context(&gateway, arguments).await;
        assert_eq!(answer.to_string().contains("fetch_parcel"), expected, "{answer}");
        assert!(answer.to_string().contains("\"find\""));
    }
}

#[tokio::test(start_paused = true)]
async fn failed_shard_is_reported_and_others_answer() {
    let lost = FakeWorker::endpoint("w2", vec![server(), script()], WorkerBehaviour::Lost(14));
    let gateway = gateway(vec![healthy_worker("w1", vec![proto(), client()]), lost]).await;
    let answer = context(&gateway, json!({"entity": "t.v1.Parcel", "depth": 3})).await;
    assert_eq!(states(&answer), ["script failed"]);
    assert!(names(&answer, "callers").contains(&"server:serve_get".to_owned()), "{answer}");
    let projects = answer["projects"].as_array().unwrap();
    assert!(projects.iter().any(|project| project["repo"] == json!("script") && project["status"] == json!("failed")));
}

#[tokio::test(start_paused = true)]
async fn dead_worker_affects_only_its_repositories() {
    let dead = FakeWorker::endpoint("w2", vec![server(), script()], WorkerBehaviour::Dead);
    let gateway = gateway(vec![healthy_worker("w1", vec![proto(), client()]), dead]).await;
    let answer = context(&gateway, json!({"entity": "contracts:Get"})).await;
    assert_eq!(names(&answer, "callees"), Vec::<String>::new());
    assert!(names(&answer, "related").contains(&"contracts:Parcel".to_owned()), "{answer}");
    assert_eq!(answer["_meta"]["coverage"]["complete"], json!(false));
}

#[tokio::test(start_paused = true)]
async fn answer_is_independent_of_reply_order() {
    let shuffled = |name, repositories| FakeWorker::endpoint(name, repositories, WorkerBehaviour::Shuffled);
    let splits = [
        organisation(),
        vec![healthy_worker("w", vec![script(), server(), client(), proto()])],
        vec![
            shuffled("w1", vec![script(), proto()]),
            healthy_worker("w2", vec![client()]),
            shuffled("w3", vec![server()]),
        ],
        vec![shuffled("w1", vec![client(), server(), proto(), script()])],
    ];
    let mut answers = Vec::new();
    for workers in splits {
        let gateway = gateway(workers).await;
        let mut of_split = Vec::new();
        for entity in ["serve_get", "t.v1.Parcel", "src/server.py", "page"] {
            for format in ["json", "compact"] {
                let arguments = json!({"entity": entity, "format": format, "depth": 3});
                of_split.push(still(&call(&gateway, "get_context", arguments).await.text));
            }
        }
        answers.push(of_split);
    }
    for others in &answers[1..] {
        assert_eq!(&answers[0], others);
    }
}

#[tokio::test(start_paused = true)]
async fn hash_covers_bodies() {
    let gateway = gateway(organisation()).await;
    let answer = context(&gateway, json!({"entity": "serve_get"})).await;
    let hash = answer["hash"].as_str().unwrap();
    for detail in ["summary", "neighbors", "full"] {
        let arguments = json!({"entity": "serve_get", "known_hash": hash, "detail_level": detail, "token_budget": 500});
        let again = context(&gateway, arguments).await;
        assert_eq!((&again["unchanged"], &again["callers"]), (&json!(true), &Value::Null), "{again}");
    }
    let edited = SERVER.replace("return table[code]", "return table.get(code)").leak();
    let changed = FakeRepository { files: vec![("src/server.py", edited)], generation: 2, ..server() };
    let gateway = super::gateway(vec![healthy_worker("w1", vec![proto(), client(), changed, script()])]).await;
    let after = context(&gateway, json!({"entity": "serve_get", "known_hash": hash})).await;
    assert_eq!(after["unchanged"], json!(false));
    assert_ne!(after["hash"], json!(hash));
}

#[tokio::test(start_paused = true)]
async fn a_function_with_5000_callers_costs_no_more() {
    let text: String = (0..5_000)
        .map(|n| format!("def caller_{n}():\n    hub()\n"))
        .chain(["def hub():\n    pass\n".to_owned()])
        .collect();
    let edges = (0..5_000).map(|n| &*format!("caller_{n} -calls-> hub").leak()).collect();
    let files = vec![("many.py", &*text.leak())];
    let many = FakeRepository { alias: "many", id: 21, generation: 1, files, graph: edges, ..Default::default() };
    let gateway = gateway(vec![healthy_worker("w", vec![many])]).await;
    let answer = context(&gateway, json!({"entity": "hub", "depth": 3, "token_budget": 4_000})).await;
    assert_eq!(answer["used_by"]["callers"], json!(5_000));
    let n_callers = answer["callers"].as_array().unwrap().len();
    assert!((10..=200).contains(&n_callers), "{n_callers}");
    assert_eq!(answer["_meta"]["truncated"], json!(true));
}

#[tokio::test(start_paused = true)]
async fn invalid_arguments_are_explained() {
    let twin = FakeRepository { alias: "twin", id: 15, ..server() };
    let gateway = gateway(vec![healthy_worker("w", vec![proto(), client(), server(), script(), twin])]).await;
    for (arguments, expected) in [
        (json!({}), "`entity` is missing"),
        (json!({"entity": " "}), "`entity` is missing"),
        (json!({"entity": "serve_gte"}), "server//src/server.py::serve_get"),
        (json!({"entity": "t.v1.S/Gett"}), "nearest are: t.v1.S/Get"),
        (json!({"entity": "find", "mode": "psychic"}), "`mode`: `psychic` is none of context, path, intent"),
        (json!({"entity": "find", "format": "xml"}), "`format`: `xml` is none of json, compact"),
        (json!({"entity": "find", "detail_level": "most"}), "is none of summary, neighbors, full"),
        (json!({"entity": "find", "intent": "destroy"}), "is none of modify, understand, review, debug, add, plan"),
        (json!({"entity": "find", "repo": "nope"}), "no repository `nope`; known are:"),
        (json!({"entity": "find", "projects": "nope"}), "no repository `nope`; known are:"),
        (json!({"entity": "find", "cross_domain_decay": 0}), "over 0 and at most 1"),
        (json!({"entity": "find", "cross_domain_decay": 1.5}), "over 0 and at most 1"),
        (json!({"entity": "find", "cross_domain_decay": "x"}), "over 0 and at most 1"),
        (json!({"entity": "find", "token_budget": 1}), "`token_budget` must be at least 100"),
        (json!({"entity": "find", "file": "nope.py"}), "in a file that ends in `nope.py`"),
    ] {
        let result = call(&gateway, "get_context", arguments.clone()).await;
        assert!(result.is_error && result.text.contains(expected), "{arguments}: {}", result.text);
    }
    let ambiguous = context(&gateway, json!({"entity": "serve_get", "token_budget": 10_000_000})).await;
    assert_eq!(ambiguous["also_called_so"], json!(["twin//src/server.py::serve_get"]));
    let chosen = context(&gateway, json!({"entity": "twin//src/server.py::serve_get"})).await;
    assert_eq!(chosen["entity"]["repo"], json!("twin"));
}

#[tokio::test(start_paused = true)]
async fn forbidden_repository_does_not_change_the_context() {
    let twin = || FakeRepository { alias: "twin", id: 15, ..server() };
    let limited = crate::Principal::limited("ci", ["portal", "server"].map(str::to_owned));
    let with = gateway(vec![healthy_worker("w", vec![proto(), client(), server(), script(), twin()])]).await;
    let without = gateway(vec![healthy_worker("w", vec![client(), server()])]).await;
    for arguments in [
        json!({"entity": "fetch_parcel", "depth": 5}),
        json!({"entity": "GET /parcels/{}"}),
        json!({"entity": "t.v1.Parcel"}),
        json!({"entity": "serve_get", "projects": "twin"}),
    ] {
        let seen = with.call(&limited, "get_context", arguments.clone()).await;
        let expected = without.call(&limited, "get_context", arguments.clone()).await;
        assert_eq!(still(&seen.text), still(&expected.text), "{arguments}");
    }
}

#[tokio::test(start_paused = true)]
async fn chains_cross_repositories() {
    let gateway = gateway(organisation()).await;
    let chain = |answer: &Value| -> Vec<String> {
        let steps = answer["chain"].as_array().unwrap();
        steps.iter().map(|step| step["entity"]["name"].as_str().unwrap().to_owned()).collect()
    };
    for (from, to, expected) in [
        ("page", "find", vec!["page", "show", "fetch_parcel", "GET /parcels/{code}", "serve_get", "find"]),
        ("report", "serve_get", vec!["report", "Get", "serve_get"]),
        ("app/client.ts", "server:find", vec!["fetch_parcel", "GET /parcels/{code}", "serve_get", "find"]),
        ("find", "find", vec!["find"]),
    ] {
        // A file stands for any of its members.
        let arguments = json!({"mode": "path", "from": from, "to": to, "format": "json"});
        let answer = json_of(&gateway, "get_context", arguments).await;
        assert_eq!(chain(&answer), expected, "{answer}");
    }
    let arguments = json!({"mode": "path", "from": "page", "to": "serve_get", "format": "json"});
    let answer = json_of(&gateway, "get_context", arguments.clone()).await;
    assert_eq!(answer["chain"][0]["site"], json!("portal:app/client.ts:7"));
    assert_eq!(answer["chain"][2]["next"]["evidence"]["offer"], json!("server:src/server.py:1"));
    let compact = call(&gateway, "get_context", json!({"mode": "path", "from": "page", "to": "serve_get"})).await;
    insta::assert_snapshot!("get_context_path", still(&compact.text));
    for budget in [100, 150, 200, 400] {
        for format in ["json", "compact"] {
            let arguments =
                json!({"mode": "path", "from": "page", "to": "find", "token_budget": budget, "format": format});
            let result = call(&gateway, "get_context", arguments).await;
            assert!(text::estimate_tokens(&result.text) <= budget, "{}", result.text);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn without_a_chain_the_closest_nodes_are_returned() {
    let gateway = gateway(organisation()).await;
    for (arguments, from_start, to_end) in [
        (json!({"from": "serve_get", "to": "page"}), "Parcel", "page"),
        (json!({"from": "page", "to": "find", "repo": "portal,server"}), "find", ""),
        (json!({"from": "page", "to": "find", "include_inferred": false}), "fetch_parcel", "report"),
    ] {
        let mut arguments = arguments;
        arguments["mode"] = json!("path");
        arguments["format"] = json!("json");
        let answer = json_of(&gateway, "get_context", arguments.clone()).await;
        if to_end.is_empty() {
            assert_eq!(answer["found"], json!(true), "{answer}");
            continue;
        }
        assert_eq!(answer["found"], json!(false), "{answer}");
        let closest = &answer["closest"];
        assert!(closest["from_start"]["entity"]["name"].is_string(), "{answer}");
        assert_eq!(
            (&closest["from_start"]["entity"]["name"], &closest["to_end"]["entity"]["name"]),
            (&json!(from_start), &json!(to_end))
        );
    }
    for (arguments, expected) in [
        (json!({"mode": "path", "from": "page"}), "`to` is missing"),
        (json!({"mode": "path", "from": "page", "to": "finb"}), "`to`: nothing is called `finb`"),
    ] {
        let result = call(&gateway, "get_context", arguments).await;
        assert!(result.is_error && result.text.contains(expected), "{}", result.text);
    }
}

#[tokio::test(start_paused = true)]
async fn small_token_budgets_are_respected() {
    let gateway = gateway(organisation()).await;
    for budget in [100, 110, 130, 150, 175, 200, 250, 300, 400] {
        for entity in ["serve_get", "t.v1.Parcel", "GET /parcels/{}", "src/server.py"] {
            for format in ["json", "compact"] {
                let arguments = json!({"entity": entity, "token_budget": budget, "format": format});
                let result = call(&gateway, "get_context", arguments).await;
                let n_tokens = text::estimate_tokens(&result.text);
                assert!(!result.is_error && n_tokens <= budget, "{budget}: {n_tokens} {}", result.text);
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn each_intent_selects_its_sections() {
    let gateway = gateway(organisation()).await;
    for (intent, target, expected, absent) in [
        ("modify", "server:find", vec!["callers: ", "tests to run: 1", "changes with: docs/pause.md (3)"], "churn"),
        (
            "review",
            "server:find",
            vec!["past: 5 commits; 0 fixes; churn 0", "owners Ada 75%", "coupling: 1 in"],
            "unknown",
        ),
        ("debug", "serve_get", vec!["callees: ", "Grace: `Mend the pause`"], "changes with"),
        ("understand", "src/server.py", vec!["file src/server.py"], "changes with"),
        ("understand", "serve_get", vec!["skeleton:\n", "main flows: "], "changes with"),
        ("add", "serve_get", vec!["siblings: ", "extension points: "], "unknown"),
        ("plan", "serve_get", vec!["links: 3", "depends on: "], "```"),
        ("add", "how is a parcel fetched from a table", vec!["was searched as words"], "unknown"),
    ] {
        let arguments = json!({"mode": "intent", "intent": intent, "target": target});
        let result = call(&gateway, "get_context", arguments.clone()).await;
        assert!(!result.is_error, "{}", result.text);
        for expected in expected {
            assert!(result.text.contains(expected), "{arguments}: {expected}\n{}", result.text);
        }
        assert!(!result.text.contains(absent), "{arguments}: {absent}\n{}", result.text);
        for budget in [100, 200, 400, 800] {
            for format in ["json", "compact"] {
                let mut arguments = arguments.clone();
                (arguments["token_budget"], arguments["format"]) = (json!(budget), json!(format));
                let result = call(&gateway, "get_context", arguments).await;
                assert!(!result.is_error && text::estimate_tokens(&result.text) <= budget, "{}", result.text);
            }
        }
    }
    for (arguments, expected) in [
        (json!({"mode": "intent", "target": "find"}), "one of modify, understand, review, debug, add, plan"),
        (json!({"mode": "intent", "intent": "modify"}), "`target` is missing"),
        (json!({"mode": "intent", "intent": "modify", "target": "zzz qqq xyzzy"}), "no code matches these words"),
    ] {
        let result = call(&gateway, "get_context", arguments).await;
        assert!(result.is_error && result.text.contains(expected), "{}", result.text);
    }
}

#[tokio::test(start_paused = true)]
async fn several_targets_are_returned_as_cards() {
    let gateway = gateway(organisation()).await;
    let include =
        json!(["docs", "source", "callers", "callees", "ownership", "last_change", "freshness", "metrics", "skeleton"]);
    let arguments = json!({"targets": ["serve_get", "nope", "t.v1.Parcel"], "include": include});
    let result = call(&gateway, "get_context", arguments.clone()).await;
    assert!(!result.is_error, "{}", result.text);
    for expected in [
        "ownership: Ada 75%; of late Grace",
        "last_change: abababababab Grace: `Mend the pause`",
        "freshness: 2023-11-14",
        "callees:\n  contracts//tracking.proto::Parcel [grpc",
        "`targets`: nothing is called `nope`",
        "script//report.py::report [grpc t.v1.Parcel",
        "skeleton:\n```python\n1 def serve_get(request):",
    ] {
        assert!(result.text.contains(expected), "{expected}\n{}", result.text);
    }
    for budget in [150, 300, 600, 2_000] {
        for format in ["json", "compact"] {
            let mut arguments = arguments.clone();
            (arguments["token_budget"], arguments["format"]) = (json!(budget), json!(format));
            let result = call(&gateway, "get_context", arguments).await;
            assert!(!result.is_error && text::estimate_tokens(&result.text) <= budget, "{}", result.text);
        }
    }
    let wrong = call(&gateway, "get_context", json!({"targets": ["find"], "include": ["all"]})).await;
    assert!(wrong.is_error && wrong.text.contains("is none of docs, source, callers"), "{}", wrong.text);
}

#[tokio::test(start_paused = true)]
async fn tasks_and_feedback_affect_only_their_own_answers() {
    let gateway = gateway(organisation()).await;
    let plain = json!({"entity": "serve_get", "format": "json"});
    let before = still(&call(&gateway, "get_context", plain.clone()).await.text);
    context(&gateway, json!({"entity": "report", "task_id": "t", "agent_id": "ada"})).await;
    let of_task = context(&gateway, json!({"entity": "serve_get", "task_id": "t"})).await;
    let plainly: Value = serde_json::from_str(&before).unwrap();
    let (raised, usual) = (figure(&of_task, "report", "relevance"), figure(&plainly, "report", "relevance"));
    assert!((raised / usual - 1.5).abs() < 1e-9, "{raised} {usual}");
    let answered = context(&gateway, json!({"entity": "report", "agent_id": "grace", "helpful": false})).await;
    assert_eq!(answered["peers"], json!(["ada"]));
    let lowered =
        figure(&context(&gateway, json!({"entity": "serve_get", "agent_id": "grace"})).await, "report", "relevance");
    assert!((lowered / usual - 0.9).abs() < 1e-9, "{lowered} {usual}");
    let list = json!({"feedback": "list", "agent_id": "grace"});
    let listed = json_of(&gateway, "get_context", list.clone()).await;
    assert_eq!(listed["feedback"], json!([{"entity": "script//report.py::report", "votes": -1}]));
    json_of(&gateway, "get_context", json!({"feedback": "clear", "agent_id": "grace"})).await;
    assert_eq!(json_of(&gateway, "get_context", list).await["feedback"], json!([]));
    assert_eq!(still(&call(&gateway, "get_context", plain).await.text), before);
    for arguments in [json!({"feedback": "list"}), json!({"entity": "find", "helpful": true})] {
        let result = call(&gateway, "get_context", arguments).await;
        assert!(result.is_error && result.text.contains("`agent_id`"), "{}", result.text);
    }
}

/// Returns a repository of `n` functions with bodies of differing length that call each other.
fn web_of_calls(n: usize, calls: &[(usize, usize)], lengths: &[usize]) -> FakeRepository {
    let function = |at: usize| {
        let body: String = (0..lengths[at % lengths.len()])
            .map(|m| format!("    value_{m} = \"{m}\" + compute_{at}({m})\n"))
            .collect();
        format!("def function_{at}(first, second):\n    # Does what {at} does.\n{body}\n")
    };
    let text: String = (0..n).map(function).collect();
    let edge = |(from, to): &(usize, usize)| &*format!("function_{} -calls-> function_{}", from % n, to % n).leak();
    FakeRepository {
        alias: "big",
        id: 31,
        generation: 1,
        files: vec![("src/big.py", text.leak())],
        graph: calls.iter().map(edge).collect(),
        ..Default::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn budgets_are_kept_and_used(
        n in 3usize..60,
        calls in prop::collection::vec((0usize..60, 0usize..60), 1..150),
        lengths in prop::collection::vec(1usize..60, 1..6),
        budget in 100usize..6_000,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let gateway = gateway(vec![healthy_worker("w", vec![web_of_calls(n, &calls, &lengths)])]).await;
            for format in ["compact", "json"] {
                for detail in ["full", "neighbors", "summary"] {
                    let arguments = json!({
                        "entity": "function_0", "format": format, "detail_level": detail, "token_budget": budget
                    });
                    let result = call(&gateway, "get_context", arguments).await;
                    assert!(!result.is_error, "{}", result.text);
                    let n_tokens = text::estimate_tokens(&result.text);
                    assert!(n_tokens <= budget, "{format} {detail} {budget}: {n_tokens}\n{}", result.text);
                    // If items or bodies were cut, the rest must use most of the budget.
                    let is_cut = result.text.contains("a larger token_budget");
                    // An item takes 30 tokens as text, and over 100 as JSON.
                    let enough = if format == "json" { 1_200 } else { 400 };
                    if is_cut && budget >= enough {
                        assert!(n_tokens * 10 >= budget * 8, "{format} {detail} {budget}: {n_tokens}\n{}", result.text);
                    }
                }
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        });
    }
}
