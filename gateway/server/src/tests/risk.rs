//! get_risk over the repositories of `context`.

use serde_json::{Value, json};

use super::{
    FakeRepository, FakeWorker, WorkerBehaviour, call,
    context::{client, proto, script, server},
    gateway, healthy_worker, json_of, states, still,
};

/// Two repositories on which Ada works on the same days, and one on which she does not.
fn pair() -> Vec<FakeRepository> {
    let days = |files: &'static str| -> Vec<&'static str> {
        (0..6).map(|n| &*format!("active {} Ada {files}", 19_000 + 20 * n).leak()).collect()
    };
    let one = |alias, id, path, files| FakeRepository {
        alias,
        id,
        generation: 1,
        files: vec![(path, "def f():\n    return 1\n")],
        graph: days(files),
        ..Default::default()
    };
    vec![one("one", 31, "src/one.py", "src/one.py"), one("two", 32, "src/two.py", "src/two.py")]
}

#[tokio::test(start_paused = true)]
async fn risk_of_a_target_has_its_figures() {
    let gateway =
        gateway(vec![healthy_worker("w1", vec![proto(), client()]), healthy_worker("w2", vec![server(), script()])])
            .await;
    let arguments = json!({"targets": ["find", "t.v1.Parcel", "nothing_at_all"]});
    let answer = json_of(&gateway, "get_risk", arguments.clone()).await;
    let targets = answer["targets"].as_array().unwrap();
    assert_eq!(targets.len(), 3);
    assert_eq!(targets[0]["tests"]["reached_by"], json!(1), "{answer}");
    assert!(targets[0]["dependents"]["direct"].as_u64() > Some(0), "{answer}");
    assert_eq!(targets[1]["dependents"]["other_repositories"], json!(["script", "server"]), "{answer}");
    assert!(targets[2]["error"].as_str().unwrap().contains("nothing is called"), "{answer}");
    assert!(targets.iter().take(2).all(|risk| (0.0..=10.0).contains(&risk["score"].as_f64().unwrap())));
    let again = call(&gateway, "get_risk", arguments).await;
    assert_eq!(still(&again.text), still(&answer.to_string()));
}

/// A file with two functions, one of which is tested and used.
fn store() -> FakeRepository {
    FakeRepository {
        alias: "store",
        id: 33,
        generation: 1,
        files: vec![
            ("src/serve.py", "def answer():\n    find()\n"),
            ("src/store.py", "def find():\n    return 1\ndef drop():\n    return 2\n"),
            ("tests/test_store.py", "def test_find():\n    find()\n"),
        ],
        graph: vec![
            "src/store.py -defines-> find",
            "src/store.py -defines-> drop",
            "answer -calls-> find",
            "test_find -tests-> find",
            "commits 7 src/store.py",
        ],
        ..Default::default()
    }
}

#[tokio::test(start_paused = true)]
async fn risk_of_a_change_covers_all_files() {
    let gateway = gateway(vec![healthy_worker("w", vec![store()])]).await;
    let arguments = json!({"changed_files": ["src/store.py", "src/new.py", "nope:src/server.py", "lib/store.py"]});
    let answer = json_of(&gateway, "get_risk", arguments).await;
    let change = &answer["change"];
    let not_found = change["not_found"].as_array().unwrap();
    let paths: Vec<&Value> = not_found.iter().map(|one| &one["path"]).collect();
    assert_eq!(paths, [&json!("src/new.py"), &json!("nope:src/server.py"), &json!("lib/store.py")]);
    assert_eq!(not_found[2]["nearest"][0], json!("store:src/store.py"));
    let ids = |name: &str| -> Vec<&str> {
        change[name].as_array().into_iter().flatten().filter_map(|one| one["id"].as_str()).collect()
    };
    assert_eq!(ids("may_break"), ["store//src/serve.py::answer"], "{answer}");
    assert_eq!(ids("tests_to_run"), ["store//tests/test_store.py::test_find"], "{answer}");
    assert_eq!(change["missing_co_changes"][0]["file"], json!("store:docs/pause.md"), "{answer}");
    assert!((0.0..=10.0).contains(&change["score"].as_f64().unwrap()));
    let answer =
        json_of(&gateway, "get_risk", json!({"targets": ["src/store.py"], "changed_files": ["src/store.py"]})).await;
    let file = &answer["targets"][0];
    assert_eq!(file["tests"], json!({"reached_by": 1, "offered": 2, "untested": 1}), "{answer}");
    assert_eq!(file["untested"], json!(["store//src/store.py::drop"]), "{answer}");
    assert_eq!(answer["change"]["files"][0]["score"], file["score"]);
}

#[tokio::test(start_paused = true)]
async fn co_change_links_files_of_two_repositories_by_author() {
    let [one, two] = <[FakeRepository; 2]>::try_from(pair()).unwrap();
    let gateway = gateway(vec![healthy_worker("w1", vec![one]), healthy_worker("w2", vec![two])]).await;
    let answer = json_of(&gateway, "get_risk", json!({"targets": ["one:src/one.py"]})).await;
    let partner = &answer["targets"][0]["changes_with"][0];
    assert_eq!((&partner["file"], &partner["support"]), (&json!("two:src/two.py"), &json!(6)), "{answer}");
    let evidence = &partner["evidence"][0];
    assert_eq!((&evidence["author"], &evidence["date"]), (&json!("Ada"), &json!("2022-04-18")), "{answer}");
    let answer = json_of(&gateway, "get_risk", json!({"changed_files": ["src/one.py"]})).await;
    assert_eq!(answer["change"]["missing_co_changes"][0]["file"], json!("two:src/two.py"), "{answer}");
    let beside = &answer["change"]["worked_on_together"][0];
    assert_eq!(
        (&beside["repo"], &beside["with"], &beside["days"]),
        (&json!("two"), &json!("one"), &json!(6)),
        "{answer}"
    );
}

#[tokio::test(start_paused = true)]
async fn forbidden_repositories_do_not_affect_risk() {
    let gateway = gateway(vec![healthy_worker("w", pair())]).await;
    let limited = crate::Principal::limited("ci", ["one".to_owned()]);
    let result = gateway.call(&limited, "get_risk", json!({"targets": ["src/one.py"]})).await;
    assert!(!result.is_error && !result.text.contains("two"), "{}", result.text);
}

#[tokio::test(start_paused = true)]
async fn secrets_are_reported_and_masked() {
    let gateway = gateway(vec![healthy_worker("w", vec![super::api()])]).await;
    let answer = json_of(&gateway, "get_risk", json!({"targets": ["src/retry.py", "retry"]})).await;
    let signal = &answer["targets"][0]["security"][0];
    assert_eq!((&signal["at"], &signal["kind"]), (&json!("api:src/retry.py:8"), &json!("secret_in_source")));
    assert!(!answer.to_string().contains("a1B2c3"), "{answer}");
    assert!(answer["targets"][1]["security"].is_null(), "the secret is in another function: {answer}");
}

#[tokio::test(start_paused = true)]
async fn token_budgets_and_failures_are_respected() {
    let lost = FakeWorker::endpoint("w2", vec![server(), script()], WorkerBehaviour::Lost(12));
    let gateway = gateway(vec![healthy_worker("w1", vec![proto(), client()]), lost]).await;
    for budget in [100, 250, 600, 2_000, 8_000] {
        let arguments = json!({"targets": ["t.v1.Parcel", "find", "show"], "changed_files": ["src/server.py"], "token_budget": budget});
        let result = call(&gateway, "get_risk", arguments).await;
        assert!(!result.is_error && text::estimate_tokens(&result.text) <= budget, "{budget}: {}", result.text);
    }
    let answer = json_of(&gateway, "get_risk", json!({"targets": ["t.v1.Parcel"]})).await;
    assert_eq!(states(&answer), ["server failed"]);
}

#[tokio::test(start_paused = true)]
async fn invalid_arguments_are_explained() {
    let gateway = gateway(vec![healthy_worker("w", vec![proto(), server()])]).await;
    for (arguments, expected) in [
        (json!({}), "`targets`, `changed_files` and `changes` are missing"),
        (json!({"targets": [" "]}), "are missing"),
        (json!({"targets": vec!["x"; 51]}), "at most 50 items"),
        (json!({"targets": ["find"], "token_budget": 1}), "at least 100"),
        (json!({"targets": ["find"], "repo": "nope"}), "no repository `nope`"),
    ] {
        let result = call(&gateway, "get_risk", arguments.clone()).await;
        assert!(result.is_error && result.text.contains(expected), "{arguments}: {}", result.text);
    }
}

#[tokio::test(start_paused = true)]
async fn repositories_are_linked_by_common_authors() {
    let gateway = gateway(vec![healthy_worker("w", pair())]).await;
    let principal = crate::Principal::local();
    let call =
        federation::call::CallContext::new(&gateway.core.toolbox.federation, &principal, tokio::time::Instant::now());
    let plan = call.visible.plan(None).unwrap();
    let found = call.repository_co_changes(&plan).await;
    let shown: Vec<_> =
        found.iter().map(|pair| (plan.alias(pair.a), plan.alias(pair.b), pair.authors, pair.days)).collect();
    assert_eq!(shown, [("one", "two", 1, 6)]);
    assert_eq!(found[0].evidence.len(), 3);
    assert!(found[0].lift >= 3.0 && found[0].share == 1.0);
}
