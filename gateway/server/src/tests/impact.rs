//! get_impact over the repositories of `context`.

use serde_json::{Value, json};

use super::{
    FakeRepository, FakeWorker, WorkerBehaviour, call,
    context::{client, proto, script, server},
    gateway, healthy_worker, json_of, states, still,
};

fn names(answer: &Value, tier: &str) -> Vec<String> {
    let name = |hit: &Value| format!("{}:{}", hit["repo"].as_str().unwrap(), hit["name"].as_str().unwrap());
    answer[tier].as_array().into_iter().flatten().map(name).collect()
}

#[tokio::test(start_paused = true)]
async fn impact_is_grouped_in_tiers_across_repositories() {
    let gateway =
        gateway(vec![healthy_worker("w1", vec![proto(), client()]), healthy_worker("w2", vec![server(), script()])])
            .await;
    for (target, direct, indirect) in [
        ("find", vec!["server:serve_get"], vec!["contracts:Get", "server:GET /parcels/{code}"]),
        ("t.v1.Parcel", vec!["contracts:Get", "script:report", "server:serve_get"], vec!["server:GET /parcels/{code}"]),
        ("t.v1.S/Get", vec!["script:report", "server:serve_get"], vec!["server:GET /parcels/{code}"]),
        ("GET /parcels/{x}", vec!["portal:fetch_parcel"], vec!["portal:show"]),
        ("page", vec![], vec![]),
    ] {
        let answer = json_of(&gateway, "get_impact", json!({"target": target, "token_budget": 8_000})).await;
        let sorted = |tier| {
            let mut names = names(&answer, tier);
            names.sort();
            names
        };
        assert_eq!(
            (sorted("direct"), sorted("indirect")),
            (direct.iter().map(|n| (*n).to_owned()).collect(), indirect.iter().map(|n| (*n).to_owned()).collect()),
            "{target}: {answer}"
        );
    }
    let answer = json_of(&gateway, "get_impact", json!({"target": "find"})).await;
    assert_eq!(names(&answer, "tests_to_run"), ["server:test_find"]);
    assert!(names(&answer, "peripheral").contains(&"portal:fetch_parcel".to_owned()), "{answer}");
    let result = call(&gateway, "get_impact", json!({"target": "t.v1.S/Get"})).await;
    insta::assert_snapshot!("get_impact", still(&result.text));
}

#[tokio::test(start_paused = true)]
async fn an_empty_target_is_refused() {
    let gateway = gateway(vec![healthy_worker("w1", vec![proto(), client(), server(), script()])]).await;
    for target in ["", "  ", "\t\n", "server:", "server: "] {
        let result = call(&gateway, "get_impact", json!({"target": target})).await;
        assert!(result.is_error && result.text.starts_with("`target` is empty: give "), "{target:?}: {}", result.text);
    }
    // A short name is none of them.
    assert!(!call(&gateway, "get_impact", json!({"target": "server:find"})).await.is_error);
}

#[tokio::test(start_paused = true)]
async fn an_rpc_is_found_at_home_and_without_its_package() {
    // The copy is the first in order.
    let copy = FakeRepository { alias: "a-copy", id: 10, ..script() };
    let copy = FakeRepository {
        files: vec![("tracking.proto", "def Get(code):\n    return code\n")],
        graph: vec!["offer grpc t.v1.S/Get = Get", "serve grpc t.v1.Other/Get by Get"],
        ..copy
    };
    let gateway = gateway(vec![healthy_worker("w1", vec![proto(), copy, server(), script()])]).await;
    for target in ["t.v1.S/Get", "S/Get"] {
        let answer = json_of(&gateway, "get_impact", json!({"target": target, "depth": 1})).await;
        assert_eq!(answer["target"]["repo"], "contracts", "{target}: {answer}");
        let mut users = names(&answer, "direct");
        users.sort();
        assert_eq!(users, ["a-copy:Get", "script:report", "server:serve_get"], "{target}");
    }
}

#[tokio::test(start_paused = true)]
async fn depth_projects_and_failures_bound_the_impact() {
    let lost = FakeWorker::endpoint("w2", vec![server(), script()], WorkerBehaviour::Lost(12));
    let gateway = gateway(vec![healthy_worker("w1", vec![proto(), client()]), lost]).await;
    let answer = json_of(&gateway, "get_impact", json!({"target": "t.v1.Parcel", "depth": 2})).await;
    assert_eq!(states(&answer), ["server failed"]);
    assert!(names(&answer, "direct").contains(&"script:report".to_owned()), "{answer}");
    let named = json_of(&gateway, "get_impact", json!({"target": "t.v1.Parcel", "repo": "contracts"})).await;
    assert!(names(&named, "direct").contains(&"script:report".to_owned()), "{named}");
    let alone = json_of(&gateway, "get_impact", json!({"target": "t.v1.Parcel", "projects": "contracts"})).await;
    assert_eq!(names(&alone, "direct"), ["contracts:Get"]);
    assert!(names(&alone, "indirect").is_empty());
    let shallow = json_of(&gateway, "get_impact", json!({"target": "fetch_parcel", "depth": 1})).await;
    assert_eq!((names(&shallow, "direct"), names(&shallow, "indirect").len()), (vec!["portal:show".to_owned()], 0));
}

#[tokio::test(start_paused = true)]
async fn long_lists_of_users_are_counted_and_truncated() {
    let text: String =
        (0..900).map(|n| format!("def caller_{n}():\n    hub()\n")).chain(["def hub():\n".to_owned()]).collect();
    let edges = (0..900).map(|n| &*format!("caller_{n} -calls-> hub").leak()).collect();
    let files = vec![("many.py", &*text.leak())];
    let many = FakeRepository { alias: "many", id: 21, generation: 1, files, graph: edges, ..Default::default() };
    let gateway = gateway(vec![healthy_worker("w", vec![many])]).await;
    for budget in [100, 300, 1_000, 4_000] {
        let result = call(&gateway, "get_impact", json!({"target": "hub", "token_budget": budget})).await;
        assert!(!result.is_error && text::estimate_tokens(&result.text) <= budget, "{budget}: {}", result.text);
        let answer: Value = serde_json::from_str(&result.text).unwrap();
        let counts = (&answer["counts"]["direct"], &answer["counts"]["omitted"]);
        assert!(budget == 100 || counts == (&json!(900), &json!(null)), "{answer}");
        assert_eq!((&answer["_meta"]["truncated"], &answer["_meta"]["totalItems"]), (&json!(true), &json!(900)));
    }
    let all = pages(&gateway, json!({"target": "hub", "token_budget": 8_000, "depth": 1})).await;
    assert_eq!(all.len(), 900);
    assert_eq!(all.iter().collect::<std::collections::BTreeSet<_>>().len(), 900);
    let answer = json_of(&gateway, "get_impact", json!({"target": "hub", "token_budget": 1_000})).await;
    let cursor = cursor(&answer).expect("there are more pages").to_owned();
    for other in [json!({"target": "caller_1"}), json!({"target": "hub", "depth": 1})] {
        let mut other = other;
        other["cursor"] = json!(cursor);
        let result = call(&gateway, "get_impact", other).await;
        assert!(result.is_error && result.text.contains("this cursor belongs to another request"), "{}", result.text);
    }
}

#[tokio::test(start_paused = true)]
async fn a_small_budget_reaches_every_user() {
    let text: String =
        (0..12).map(|n| format!("def caller_{n}():\n    hub()\n")).chain(["def hub():\n".to_owned()]).collect();
    let edges = (0..12).map(|n| &*format!("caller_{n} -calls-> hub").leak()).collect();
    let files = vec![("few.py", &*text.leak())];
    let few = FakeRepository { alias: "few", id: 22, generation: 1, files, graph: edges, ..Default::default() };
    let gateway = gateway(vec![healthy_worker("w", vec![few])]).await;
    let first = json_of(&gateway, "get_impact", json!({"target": "hub", "token_budget": 150})).await;
    assert_eq!(first["_meta"]["returnedItems"], 1, "{first}");
    let all = pages(&gateway, json!({"target": "hub", "token_budget": 150})).await;
    assert_eq!(all.into_iter().collect::<std::collections::BTreeSet<_>>().len(), 12);
}

/// Returns the cursor of the next page.
fn cursor(answer: &Value) -> Option<&str> {
    let more = answer["_meta"]["more"].as_str()?;
    more.split('"').nth(1)
}

/// Returns the ids of all direct users, over all pages.
async fn pages(gateway: &crate::Gateway, mut arguments: Value) -> Vec<String> {
    let mut ids = Vec::new();
    loop {
        let answer = json_of(gateway, "get_impact", arguments.clone()).await;
        let of_page = answer["direct"].as_array().into_iter().flatten();
        ids.extend(of_page.map(|user| user["id"].as_str().unwrap().to_owned()));
        let Some(cursor) = cursor(&answer) else { return ids };
        arguments["cursor"] = json!(cursor);
    }
}

#[tokio::test(start_paused = true)]
async fn invalid_arguments_are_explained() {
    let gateway = gateway(vec![healthy_worker("w", vec![proto(), server()])]).await;
    for (arguments, expected) in [
        (json!({}), "`target` is missing"),
        (json!({"target": ""}), "`target` is empty"),
        (json!({"target": "fnid"}), "nearest are: server//src/server.py::find"),
        (json!({"target": "nope:find"}), "nothing is called"),
        (json!({"target": "find", "token_budget": 1}), "at least 100"),
    ] {
        let result = call(&gateway, "get_impact", arguments.clone()).await;
        assert!(result.is_error && result.text.contains(expected), "{arguments}: {}", result.text);
    }
}

#[tokio::test(start_paused = true)]
async fn symbol_lists_its_callees() {
    let gateway =
        gateway(vec![healthy_worker("w1", vec![proto(), client()]), healthy_worker("w2", vec![server(), script()])])
            .await;
    for (depth, expected) in [
        (json!(null), vec![]),
        (json!(1), vec!["show"]),
        (json!(2), vec!["show", "fetch_parcel"]),
        (json!(3), vec!["show", "fetch_parcel", "GET /parcels/{code}"]),
    ] {
        let answer = json_of(&gateway, "get_symbol", json!({"symbol_id": "page", "depth": depth})).await;
        let calls = answer["calls"].as_array().cloned().unwrap_or_default();
        let names: Vec<&Value> = calls.iter().map(|call| &call["name"]).collect();
        assert_eq!(names, expected, "{answer}");
        assert!(calls.iter().all(|call| call["kind"] == json!("route") || call["code"].is_string()), "{answer}");
    }
    for budget in [100, 200, 350, 600] {
        for format in ["json", "compact"] {
            let arguments = json!({"symbol_id": "page", "depth": 3, "token_budget": budget, "format": format});
            let result = call(&gateway, "get_symbol", arguments).await;
            assert!(!result.is_error && text::estimate_tokens(&result.text) <= budget, "{budget}: {}", result.text);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn file_context_counts_uses_and_lists_dependencies() {
    let gateway =
        gateway(vec![healthy_worker("w1", vec![proto(), client()]), healthy_worker("w2", vec![server(), script()])])
            .await;
    let file = json_of(&gateway, "get_file_context", json!({"file": "tracking.proto", "format": "json"})).await;
    let used_by: Vec<&Value> = file["entities"].as_array().unwrap().iter().map(|entity| &entity["used_by"]).collect();
    // A reference and two links; two links.
    assert_eq!(used_by, [&json!(3), &json!(2)]);
    let repos = json_of(&gateway, "list_repos", json!({})).await;
    let entry = |repo: &str| {
        let all = repos["repositories"].as_array().unwrap();
        all.iter().find(|entry| entry["repo"] == json!(repo)).unwrap().clone()
    };
    assert_eq!(entry("portal")["depends_on"][0]["repo"], json!("server"));
    assert_eq!(entry("portal")["depends_on"][0]["http"], json!(1));
    assert_eq!(entry("contracts")["used_by"], json!(["script", "server"]));
}
