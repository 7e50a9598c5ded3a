//! get_overview over the repositories of `context`.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::{
    FakeRepository, FakeWorker, WorkerBehaviour, api, call,
    context::{client, proto, script, server},
    fork, gateway, healthy_worker, json_of, states, still, web,
};
use crate::Gateway;
use federation::principal::Principal;

fn library() -> FakeRepository {
    FakeRepository {
        alias: "kit",
        id: 31,
        generation: 1,
        files: vec![("package.json", "def name():\n"), ("src/sum.ts", "def sum(a):\n    return a\n")],
        graph: vec!["offer package npm:@a/kit = package.json", "member npm:@a/kit::sum = sum"],
        ..Default::default()
    }
}

fn shop() -> FakeRepository {
    FakeRepository {
        alias: "shop",
        id: 32,
        generation: 1,
        files: vec![("package.json", "def name():\n"), ("src/cart.ts", "def total(items):\n    return sum(items)\n")],
        graph: vec!["use package npm:@a/kit by package.json", "use symbol npm:@a/kit::sum by total"],
        ..Default::default()
    }
}

async fn organisation() -> std::sync::Arc<Gateway> {
    gateway(vec![
        healthy_worker("w1", vec![proto(), client(), library(), api()]),
        healthy_worker("w2", vec![server(), script(), shop()]),
    ])
    .await
}

fn links(answer: &Value) -> Vec<String> {
    let text = |link: &Value, name: &str| link[name].as_str().unwrap().to_owned();
    let link = |link: &Value| {
        format!("{} -> {} {} {}", text(link, "user"), text(link, "provider"), text(link, "kind"), link["links"])
    };
    answer["links"].as_array().into_iter().flatten().map(link).collect()
}

#[tokio::test(start_paused = true)]
async fn overviews_match_their_snapshots() {
    let gateway = organisation().await;
    for (name, arguments) in [
        ("get_overview_map", json!({})),
        ("get_overview_map_compact", json!({"repo": "all", "format": "compact"})),
        ("get_overview_of_some", json!({"repo": "portal,contracts,api", "format": "compact"})),
        ("get_overview_of_one", json!({"repo": "shop"})),
        ("get_overview_of_one_compact", json!({"repo": "server", "format": "compact"})),
    ] {
        let result = call(&gateway, "get_overview", arguments).await;
        assert!(!result.is_error, "{}", result.text);
        assert!(!result.text.contains("hunter2"), "{}", result.text);
        assert_eq!(result.structured.is_none(), name.ends_with("compact") || name.ends_with("some"));
        insta::assert_snapshot!(name, still(&result.text));
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_does_not_wait_for_links_that_are_being_resolved() {
    let worker = FakeWorker::endpoint("w1", vec![library(), shop()], WorkerBehaviour::Unlinking);
    let gateway = gateway(vec![worker]).await;
    let local = Principal::local();
    let began = Instant::now();
    let of_page = gateway.core.call_for_page(&local, "list_repos", json!({})).await;
    let waited_by_page = began.elapsed();
    assert!(waited_by_page < Duration::from_millis(500), "{waited_by_page:?}");
    assert!(of_page.text.contains("the links of some repositories are not known yet"), "{}", of_page.text);
    // A program may act on the answer: it waits.
    let began = Instant::now();
    call(&gateway, "list_repos", json!({})).await;
    assert!(began.elapsed() >= Duration::from_secs(1), "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn links_point_from_user_to_provider() {
    let gateway = organisation().await;
    let answer = json_of(&gateway, "get_overview", json!({})).await;
    assert_eq!(
        links(&answer),
        [
            "script -> contracts grpc 2",
            "server -> contracts grpc 2",
            "shop -> kit package 1",
            "shop -> kit package_symbol 1",
            "portal -> server http 1",
        ]
    );
    let of_server = answer["links"].as_array().unwrap().iter().find(|link| link["user"] == json!("server")).unwrap();
    assert_eq!(of_server["answered"], json!(1), "it implements the rpc, and uses the message");
    let one = json_of(&gateway, "get_overview", json!({"repo": "server"})).await;
    assert_eq!(links(&one), ["server -> contracts grpc 2", "portal -> server http 1"]);
    let some = json_of(&gateway, "get_overview", json!({"repo": "server,shop,kit"})).await;
    assert_eq!(links(&some), ["shop -> kit package 1", "shop -> kit package_symbol 1"]);
    let neighbours: Vec<&Value> = some["neighbours"].as_array().unwrap().iter().map(|other| &other["repo"]).collect();
    assert_eq!(neighbours, ["contracts", "portal"]);
}

#[tokio::test(start_paused = true)]
async fn omitted_sections_depend_on_available_data() {
    let alone = gateway(vec![healthy_worker("w", vec![api()])]).await;
    assert_eq!(json_of(&alone, "get_overview", json!({})).await["repo"], json!("api"));
    assert_eq!(json_of(&alone, "get_overview", json!({"repo": "all"})).await["n_repositories"], json!(1));
    let several = gateway(vec![healthy_worker("w", vec![api(), web()])]).await;
    assert_eq!(json_of(&several, "get_overview", json!({})).await["n_repositories"], json!(2));
    let none = gateway(Vec::new()).await;
    assert_eq!(json_of(&none, "get_overview", json!({})).await["note"], json!("no repository is available yet"));
    let refused = call(&several, "get_overview", json!({"repo": "wob"})).await;
    assert!(refused.is_error && refused.text.contains("known are: web, api"), "{}", refused.text);
}

#[tokio::test(start_paused = true)]
async fn token_budgets_are_respected_in_both_formats() {
    let many = |n: u8| FakeRepository {
        alias: format!("repository-{n:03}").leak(),
        id: n,
        generation: 1,
        files: vec![("src/a.py", "def a():\n"), ("src/b.py", "def b():\n"), ("lib/c.py", "def c():\n")],
        graph: match n {
            0 => vec!["offer grpc t.v1.S/Get = a"],
            _ => vec!["a -calls-> b", "use grpc t.v1.S/Get by a"],
        },
        ..Default::default()
    };
    let gateway = gateway(vec![healthy_worker("w", (0..200).map(many).collect())]).await;
    for repo in ["all", "repository-007"] {
        let mut shown = 0;
        for token_budget in [100, 150, 300, 600, 1_000, 4_000, 10_000, 25_000] {
            for format in ["json", "compact"] {
                let arguments = json!({"repo": repo, "token_budget": token_budget, "format": format});
                let result = call(&gateway, "get_overview", arguments).await;
                let n_tokens = text::estimate_tokens(&result.text);
                assert!(!result.is_error && n_tokens <= token_budget, "{n_tokens} {token_budget}: {}", result.text);
                let Some(answer) = &result.structured else { continue };
                let meta = &answer["_meta"];
                let returned = meta["returnedItems"].as_u64().unwrap();
                assert_eq!(meta["truncated"], json!(returned < meta["totalItems"].as_u64().unwrap()));
                assert!(returned >= shown, "{token_budget}: {answer}");
                shown = returned;
                if repo == "all" && token_budget >= 1_000 {
                    assert!(meta["more"].as_str().unwrap().contains("list_repos"), "{answer}");
                    assert_eq!(answer["n_connected"], json!(200));
                }
            }
        }
        assert!(shown > 5, "{repo}: {shown}");
    }
}

#[tokio::test(start_paused = true)]
async fn overview_is_independent_of_placement() {
    let shuffled = FakeWorker::endpoint("w2", vec![script(), client(), proto()], WorkerBehaviour::Shuffled);
    let splits = [
        gateway(vec![healthy_worker("w", vec![proto(), client(), server(), script()])]).await,
        gateway(vec![healthy_worker("w1", vec![server()]), shuffled]).await,
    ];
    for arguments in [json!({}), json!({"repo": "server"}), json!({"repo": "portal,server", "format": "compact"})] {
        let [one, other] = &splits;
        let [one, other] = [call(one, "get_overview", arguments.clone()), call(other, "get_overview", arguments)];
        assert_eq!(still(&one.await.text), still(&other.await.text));
    }
}

#[tokio::test(start_paused = true)]
async fn missing_repositories_are_named() {
    let garbled = FakeWorker::endpoint("w2", vec![fork()], WorkerBehaviour::Garbage(fork().id));
    let dead = FakeWorker::endpoint("w3", vec![web()], WorkerBehaviour::Dead);
    let gateway = gateway(vec![healthy_worker("w1", vec![api()]), garbled, dead]).await;
    let answer = json_of(&gateway, "get_overview", json!({})).await;
    let names: Vec<&Value> =
        answer["unconnected"].as_array().unwrap().iter().map(|repository| &repository["repo"]).collect();
    assert_eq!(names, ["api", "web", "fork"], "repositories without an overview are listed");
    assert_eq!(states(&answer).len(), 2, "{answer}");
    let one = json_of(&gateway, "get_overview", json!({"repo": "fork"})).await;
    assert!(one["note"].as_str().unwrap().starts_with("unknown, not absent"), "{one}");
    assert_eq!(states(&one), ["fork failed"]);
}

#[tokio::test(start_paused = true)]
async fn map_excludes_forbidden_repositories() {
    let whole = organisation().await;
    let without = gateway(vec![healthy_worker("w1", vec![proto(), client(), library(), api()])]).await;
    let caller = Principal::limited("ui", ["contracts", "portal", "kit", "api"].map(str::to_owned));
    for arguments in [json!({}), json!({"repo": "kit"}), json!({"repo": "portal,kit"}), json!({"repo": "shop"})] {
        let limited = whole.call(&caller, "get_overview", arguments.clone()).await;
        let expected = without.call(&caller, "get_overview", arguments).await;
        assert_eq!(still(&limited.text), still(&expected.text));
    }
}
