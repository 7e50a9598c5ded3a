//! What repositories are and how they hang together, told of the example organisation.

use std::collections::{BTreeMap, BTreeSet};

use causeway_tests::{
    answer::{self, text},
    federation::{Federation, InProcessWorker},
    links::{self, TrueEdge},
    organisation,
};
use gateway::Principal;
use serde_json::{Value, json};
use tempfile::TempDir;

async fn organisation() -> (TempDir, Federation) {
    let folder = tempfile::tempdir().expect("a folder for the test");
    organisation::materialise(&folder.path().join("org"));
    let federation = Federation::over(&folder.path().join("data"), &folder.path().join("org")).await;
    (folder, federation)
}

#[tokio::test(flavor = "multi_thread")]
async fn print_it() {
    let (_folder, federation) = organisation().await;
    for (repo, format) in [
        ("all", "json"),
        ("all", "compact"),
        ("tracking-service", "json"),
        ("tracking-service", "compact"),
        ("notify-worker", "compact"),
        ("customer-portal", "compact"),
        ("parcel-kit", "compact"),
        ("customer-portal,parcel-kit", "compact"),
    ] {
        let answer = federation.call("get_overview", json!({"repo": repo, "format": format})).await;
        println!("==== {repo} {format} {}\n{}", ::text::estimate_tokens(&answer.text), answer.text);
    }
}
