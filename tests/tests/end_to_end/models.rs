//! Vectors of other models than the built-in one: a service that answers, fails or is late, a directory, and workers
//! whose model differs from the gateway's. Every answer reports its retrieval method.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use causeway_tests::{
    PATIENCE,
    answer::{places, text},
    federation::{Federation, InProcessWorker},
    model_service::{ModelBehaviour, ModelService},
    repository::Repository,
};
use gateway::{GatewayConfig, GatewaySettings};
use serde_json::{Value, json};

const BY_BOTH: &str = "vector+full-text";
const BY_TEXT: &str = "full-text";

/// A query without a common word with its target.
const QUERY: &str = "reimburse customers";

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    /// Creates two repositories, each in its own root: one about repayments, one about something else.
    fn new() -> Place {
        let place = Place { folder: tempfile::tempdir().expect("a folder for the test") };
        let files = [
            ("src/back.py", "def refund(order):\n    return pay(order.total)\n"),
            ("src/clock.py", "def now():\n    return tick()\n"),
        ];
        Repository::with_files(place.root("shop").join("shop"), files);
        Repository::with_files(
            place.root("depot").join("depot"),
            [("src/shelf.py", "def store(box):\n    return box\n")],
        );
        place
    }

    fn root(&self, name: &str) -> PathBuf {
        self.folder.path().join("roots").join(name)
    }

    fn data(&self, name: &str) -> PathBuf {
        self.folder.path().join("data").join(name)
    }

    async fn worker(&self, name: &str, setting: &str) -> InProcessWorker {
        let settings = worker::WorkerSettings::from_toml(setting).expect("a configuration");
        let worker = InProcessWorker::configured(&self.data(name), &[self.root(name)], settings).await;
        let worker = worker.expect("the worker starts");
        worker.idle().await;
        worker
    }
}

fn config(setting: &str) -> GatewayConfig {
    GatewaySettings::from_toml(setting).expect("a configuration").try_into().expect("a model that can be used")
}

async fn search(federation: &Federation, query: &str) -> Value {
    federation.ask("search_codebase", json!({"query": query})).await
}

fn notes(answer: &Value) -> String {
    answer["_meta"]["notes"].as_array().into_iter().flatten().map(text).collect::<Vec<_>>().join("; ")
}

#[tokio::test(flavor = "multi_thread")]
async fn service_vectors_find_synonyms_and_are_cached() {
    let (place, service) = (Place::new(), ModelService::start(ModelBehaviour::Sound));
    let worker = place.worker("shop", &service.setting()).await;
    let n_rows = service.take_texts().len();
    assert!(n_rows >= 2, "{n_rows}");
    let inventory = worker.inventory().await;
    assert_eq!((inventory[0].model.as_str(), &inventory[0].diagnostics[..]), ("endpoint/4/small", &[][..]));

    let federation = Federation::configured(config(&service.setting()), vec![worker]).await;
    for _ in 0..2 {
        let answer = search(&federation, QUERY).await;
        assert_eq!(answer["search_method"], BY_BOTH, "{answer}");
        assert_eq!(places(&answer)[0], "shop:src/back.py");
    }
    assert_eq!(service.take_texts(), [QUERY], "the vector of a query is cached");
    federation.stop().await;

    // A restart keeps the vectors, and a new commit requests only new texts.
    let worker = place.worker("shop", &service.setting()).await;
    assert_eq!(service.take_texts(), [""; 0]);
    let repository = Repository::init(place.root("shop").join("shop"));
    repository.write("src/till.py", "def open_till():\n    return drawer()\n");
    let commit = repository.commit("a till");
    let federation = Federation::configured(config(&service.setting()), vec![worker]).await;
    federation.serves("shop", &commit).await;
    assert!(service.take_texts().iter().all(|text| text.contains("till.py")));
    assert_eq!(search(&federation, QUERY).await["search_method"], BY_BOTH, "the vectors are published with the commit");
    federation.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn failing_service_falls_back_to_text() {
    for behaviour in [ModelBehaviour::Status(401), ModelBehaviour::Status(500), ModelBehaviour::Wide] {
        let (place, service) = (Place::new(), ModelService::start(behaviour));
        let worker = place.worker("shop", &service.setting()).await;
        let status = worker.idle().await;
        assert!(status[0].error.is_empty() && !status[0].without_vectors.is_empty(), "{behaviour:?}: {status:?}");
        let federation = Federation::configured(config(&service.setting()), vec![worker]).await;

        let listed = federation.ask("list_repos", json!({})).await;
        let (state, diagnostic) = (&listed["repositories"][0]["state"], &listed["repositories"][0]["diagnostics"][0]);
        assert_eq!(state, "serving", "{listed}");
        assert!(text(diagnostic).starts_with("searched by text alone: the model's service"), "{listed}");
        let answer = search(&federation, "refund order").await;
        assert_eq!(answer["search_method"], BY_TEXT, "{behaviour:?}");
        assert_eq!(places(&answer)[0], "shop:src/back.py");
        assert!(notes(&answer).contains("searched by text alone: the model's service"), "{behaviour:?}: {answer}");
        assert!(!answer.to_string().contains("127.0.0.1"), "callers do not see the address of the service");
        federation.stop().await;

        // The next run reuses the vectors.
        service.set(ModelBehaviour::Sound);
        let worker = place.worker("shop", &service.setting()).await;
        assert_eq!(worker.inventory().await[0].model, "endpoint/4/small", "{behaviour:?}");
        let federation = Federation::configured(config(&service.setting()), vec![worker]).await;
        assert_eq!(search(&federation, QUERY).await["search_method"], BY_BOTH);
        federation.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn query_vector_has_a_deadline() {
    let (place, service) = (Place::new(), ModelService::start(ModelBehaviour::Sound));
    place.worker("shop", &service.setting()).await.stop().await;
    for behaviour in [
        ModelBehaviour::Silent,
        ModelBehaviour::Status(429),
        ModelBehaviour::Status(500),
        ModelBehaviour::Garbage,
        ModelBehaviour::Wide,
    ] {
        let worker = place.worker("shop", &service.setting()).await;
        let config = config(&service.setting()).with_vector_deadline(Duration::from_millis(200));
        let federation = Federation::configured(config, vec![worker]).await;
        service.set(behaviour);
        let began = Instant::now();
        let answer = search(&federation, "refund an order").await;
        assert!(began.elapsed() < PATIENCE);
        assert_eq!(answer["search_method"], BY_TEXT, "{behaviour:?}: {answer}");
        assert_eq!(places(&answer)[0], "shop:src/back.py");
        assert!(notes(&answer).contains("searched by text alone: the model's service"), "{answer}");
        federation.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_with_another_model_are_searched_by_text_and_reported() {
    let (place, service) = (Place::new(), ModelService::start(ModelBehaviour::Sound));
    let federation = Federation::configured(
        config(&service.setting()),
        vec![place.worker("shop", &service.setting()).await, place.worker("depot", "").await],
    )
    .await;
    let answer = search(&federation, "store a refund box").await;
    assert_eq!(answer["search_method"], BY_BOTH);
    assert!(notes(&answer).contains("1 of 2 repositories have no vectors of the model in use"), "{answer}");
    assert!(notes(&answer).ends_with("by text alone: depot"), "{answer}");
    let answer = federation.ask("search_codebase", json!({"query": "store a box", "repo": "depot"})).await;
    assert_eq!((&answer["search_method"], &places(&answer)[0][..]), (&json!(BY_TEXT), "depot:src/shelf.py"));
    assert!(notes(&answer).ends_with("by text alone: depot"), "{answer}");
    federation.stop().await;

    // A changed setting triggers re-indexing.
    let federation = Federation::configured(
        config(""),
        vec![place.worker("shop", "").await, place.worker("depot", "model = 'built-in'").await],
    )
    .await;
    let answer = search(&federation, "store a refund box").await;
    assert_eq!((&answer["search_method"], notes(&answer).as_str()), (&json!(BY_BOTH), ""));
    federation.stop().await;
}

#[tokio::test]
async fn unusable_model_is_reported_at_start() {
    let place = Place::new();
    let missing = "model = { directory = '/no/such/model' }";
    let settings = worker::WorkerSettings::from_toml(missing).expect("a configuration");
    let refused = InProcessWorker::configured(&place.data("shop"), &[place.root("shop")], settings).await;
    let error = refused.err().expect("there is no model").to_string();
    assert!(error.contains("the model in `/no/such/model` cannot be used"), "{error}");
    assert!(!Path::new(&place.data("shop")).join("vectors").exists());
}
