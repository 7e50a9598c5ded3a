//! `get_answer` over real workers: without a model, with one that behaves in every way, and from the cache.

use causeway_tests::{
    answer::{self, text},
    federation::{Federation, InProcessWorker},
    organisation,
    repository::Repository,
};
use serde_json::{Value, json};
use tempfile::TempDir;

async fn organisation() -> (TempDir, Federation) {
    let folder = tempfile::tempdir().expect("a folder for the test");
    organisation::materialise(&folder.path().join("org"));
    let federation = Federation::over(&folder.path().join("data"), &folder.path().join("org")).await;
    (folder, federation)
}

/// Returns the repositories that an answer cites.
fn cited_repositories(answer: &Value) -> Vec<&str> {
    let citations = answer["citations"].as_array().expect("a list of citations");
    let mut cited: Vec<&str> = citations.iter().map(|citation| text(&citation["repo"])).collect();
    cited.sort_unstable();
    cited.dedup();
    cited
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_about_two_repositories_cites_both_with_what_joins_them() {
    let (_folder, federation) = organisation().await;
    for question in [
        "How does the customer portal talk to the tracking service?",
        "What is the relation between the notify worker and the tracking service?",
    ] {
        let answer = federation.ask("get_answer", json!({"question": question})).await;
        let cited = cited_repositories(&answer);
        assert!(cited.contains(&"tracking-service") && cited.len() > 1, "{question}: {answer}");
        let links = answer["links"].as_array().expect("links");
        assert!(links.iter().all(|link| link["provider"]["repo"] == "tracking-service"), "{question}: {answer}");
        assert_eq!(answer["degraded"], "no-llm-provider");
        assert!(answer::is_complete(&answer));
        assert!(text(&answer["answer"]).lines().count() <= 5, "{answer}");
    }
    federation.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_drops_an_answer_only_if_it_touches_what_the_answer_cites() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let repository = Repository::init(folder.path().join("org/shop"));
    repository.write(
        "src/sign.py",
        "def sign_cookie(value):\n    \"\"\"Signs a cookie with the secret key.\"\"\"\n    return value\n",
    );
    repository
        .write("src/tax.py", "def add_tax(sum):\n    \"\"\"Adds the tax to a sum of money.\"\"\"\n    return sum\n");
    repository.commit("Begin");
    let federation = Federation::over(&folder.path().join("data"), &folder.path().join("org")).await;
    let ask = async || federation.ask("get_answer", json!({"question": "How is a cookie signed?"})).await;

    let first = ask().await;
    assert!(text(&first["answer"]).contains("Signs a cookie with the secret key."), "{first}");
    assert_eq!(first["citations"].as_array().map(Vec::len), Some(1), "{first}");
    assert_eq!((&first["_meta"]["cached"], &ask().await["_meta"]["cached"]), (&Value::Null, &json!(true)));

    repository.write(
        "src/tax.py",
        "def add_tax(sum):\n    \"\"\"Adds more tax to a sum of money.\"\"\"\n    return 2 * sum\n",
    );
    let commit = repository.commit("More tax");
    federation.serves("shop", &commit).await;
    let kept = ask().await;
    assert_eq!(kept["_meta"]["cached"], true, "the commit does not touch what is cited: {kept}");
    assert_eq!(kept["_meta"]["repositories"][0]["indexed_commit"], commit, "{kept}");

    repository.write(
        "src/sign.py",
        "def sign_cookie(value):\n    \"\"\"Signs a cookie with two keys.\"\"\"\n    return value\n",
    );
    let commit = repository.commit("Two keys");
    federation.serves("shop", &commit).await;
    let fresh = ask().await;
    assert_eq!(fresh["_meta"]["cached"], Value::Null, "{fresh}");
    assert!(text(&fresh["answer"]).contains("two keys"), "{fresh}");
    federation.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_outlive_the_process() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    Repository::with_files(
        folder.path().join("org/shop"),
        [(
            "sign.py",
            "def sign_cookie(value):\n    \"\"\"Signs a cookie with the secret key.\"\"\"\n    return value\n",
        )],
    );
    let question = json!({"question": "How is a cookie signed?"});
    for expected in [Value::Null, json!(true)] {
        let worker = InProcessWorker::indexed(&folder.path().join("data"), &[folder.path().join("org")]).await;
        let config = gateway::Config::laptop().with_state_in(folder.path().join("state"));
        let federation = Federation::configured(config, vec![worker]).await;
        let answer = federation.ask("get_answer", question.clone()).await;
        assert_eq!(answer["_meta"]["cached"], expected, "{answer}");
        federation.stop().await;
    }
}
