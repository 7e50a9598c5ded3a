//! The pages of the example organisation, as served by a worker.

use causeway_tests::{
    answer::text,
    federation::{Federation, InProcessWorker},
    organisation,
};
use model::PageType;
use proto::v1;
use serde_json::json;

/// Returns the text of a page from a worker; `None` if it does not exist.
async fn page(worker: &InProcessWorker, alias: &str, page_type: PageType, path: &str) -> Option<String> {
    let inventory = worker.inventory().await;
    let repository = inventory.iter().find(|repository| repository.alias == alias).expect("it is served");
    let target = Some(v1::Target { repository: repository.id.clone(), generation: repository.generation.clone() });
    let item = v1::FetchItem {
        target,
        path: path.to_owned(),
        lines: None,
        page_type: page_type.name().to_owned(),
        annotated: false,
    };
    let reply = worker.shard().fetch(v1::FetchRequest { items: vec![item] }).await.expect("it answers").into_inner();
    let [result] = &reply.results[..] else { panic!("one result for one item: {reply:?}") };
    assert_eq!(result.outcome.as_ref().map(v1::Outcome::state), Some(v1::TargetState::Ok));
    assert_eq!(result.lines.is_some(), !result.text.is_empty());
    result.lines.map(|_| result.text.clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_describe_the_repository() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let root = folder.path().join("org");
    organisation::materialise(&root);
    let worker = InProcessWorker::indexed(&folder.path().join("data"), &[root]).await;
    for (alias, page_type, path) in [
        ("tracking-service", PageType::Overview, ""),
        ("tracking-service", PageType::Module, "internal/parcel"),
        ("tracking-service", PageType::Infra, "Makefile"),
        ("notify-worker", PageType::Overview, ""),
        ("notify-worker", PageType::File, "src/notify_worker/retry.py"),
    ] {
        let text = page(&worker, alias, page_type, path).await.expect("there is such a page");
        insta::assert_snapshot!(format!("{alias} {}", page_type.name()), text);
    }
    for (page_type, path) in [
        (PageType::Module, "docs"),
        (PageType::File, "Makefile"),
        (PageType::File, "internal"),
        (PageType::Symbol, "internal/parcel/store.go"),
    ] {
        assert_eq!(page(&worker, "tracking-service", page_type, path).await, None, "{path}");
    }
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_page_type_is_rejected() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let worker = InProcessWorker::indexed(&folder.path().join("data"), &[]).await;
    let item = v1::FetchItem { page_type: "wiki".to_owned(), ..v1::FetchItem::default() };
    let refusal = worker.shard().fetch(v1::FetchRequest { items: vec![item] }).await.expect_err("it is no type");
    assert_eq!(refusal.code(), tonic::Code::InvalidArgument);
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn page_search_by_type_returns_their_text() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    organisation::materialise(&folder.path().join("org"));
    let federation = Federation::over(&folder.path().join("data"), &folder.path().join("org")).await;
    for (page_type, query, first, quoted) in [
        ("file_page", "growing delays with jitter", "notify-worker:src/notify_worker/retry.py", "API:"),
        ("infra_page", "generate the gRPC stubs", "tracking-service:Makefile", "Targets:"),
        ("module_page", "parcel store and its subscribers", "tracking-service:internal/parcel", "Files:"),
        ("repo_overview", "mails to recipients of parcels", "notify-worker:", "Languages:"),
        (
            "symbol_spotlight",
            "yields the wait before each further attempt",
            "notify-worker//src/notify_worker/retry.py::",
            "wait",
        ),
    ] {
        let arguments = json!({"query": query, "repo": "all", "page_type": page_type});
        let answer = federation.ask("search_codebase", arguments).await;
        let results = answer["results"].as_array().expect("a list of results");
        let types: Vec<&str> = results.iter().map(|result| text(&result["page_type"])).collect();
        assert!(!types.is_empty() && types.iter().all(|found| *found == page_type), "{page_type}: {types:?}");
        let page_id = text(&results[0]["page_id"]);
        assert!(page_id.starts_with(first), "{page_type}: {page_id}");
        assert!(text(&results[0]["snippet"]).contains(quoted), "{page_type}: {}", results[0]["snippet"]);
    }
    federation.stop().await;
}
