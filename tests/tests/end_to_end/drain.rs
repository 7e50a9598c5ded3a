//! Draining of workers and gateways: they announce it, keep answering for a while, and end.

use std::{
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use causeway_tests::{
    PATIENCE,
    cluster::{self, http, signal},
    measure::client::Client,
    organisation,
    process::Running,
};
use proto::v1::{
    InventoryRequest, StatisticsRequest, StatusRequest, indexing_service_client::IndexingServiceClient,
    shard_service_client::ShardServiceClient,
};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tonic_health::pb::{HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient};

/// Sets a configuration with this drain period.
fn draining_for(seconds: u8, folder: &Path) -> impl FnOnce(&mut Command) {
    let file = folder.join("causeway.toml");
    std::fs::write(&file, format!("drain_seconds = {seconds}")).expect("the folder can be written to");
    move |command| {
        command.env("CAUSEWAY_CONFIG", file);
        // An unreachable span collector must have no effect.
        command.env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1");
    }
}

/// Requests a page until it meets a condition.
fn until(address: &str, path: &str, holds: impl Fn(u16, &Value) -> bool) -> Value {
    let began = Instant::now();
    loop {
        let (status, body) = http(address, &format!("GET {path}"), "");
        let answer = serde_json::from_str(&body).unwrap_or_default();
        if holds(status, &answer) {
            return answer;
        }
        assert!(began.elapsed() < PATIENCE, "{path} stays {status} {body}");
    }
}

#[test]
fn draining_worker_announces_it_and_keeps_answering() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let org = folder.path().join("org");
    organisation::materialise(&org);
    let (mut worker, address) =
        cluster::configured_worker(&folder.path().join("data"), "127.0.0.1:0", &[org], |command| {
            // Longer than any test: a second signal ends it.
            draining_for(200, folder.path())(command);
            command.args(["--operators", "127.0.0.1:0"]);
        });
    let operators = worker.wait_for("its operators' port", |line| Some(line.split_once("port at ")?.1.to_owned()));
    let ready = until(&operators, "/readyz", |status, _| status == 200);
    assert_eq!((&ready["ready"], &ready["serving"]), (&true.into(), &4.into()), "{ready}");
    let (_, metrics) = http(&operators, "GET /metrics", "");
    for expected in [
        "causeway_worker_repositories{state=\"ready\"} 4",
        "causeway_worker_indexing_runs_total{outcome=\"published\"} 4",
        "causeway_worker_rpcs_total{method=\"Status\",outcome=\"ok\"} 1",
        "causeway_worker_draining 0",
    ] {
        assert!(metrics.contains(expected), "{expected} in\n{metrics}");
    }

    let threads = Runtime::new().expect("threads can be started");
    threads.block_on(async {
        let channel = cluster::connected(&address).await;
        let mut shard = ShardServiceClient::new(channel.clone());
        let mut health = HealthClient::new(channel);
        let mut stream = shard.inventory(InventoryRequest {}).await.expect("it answers").into_inner();
        let inventory = stream.message().await.expect("the stream holds").expect("it begins with all");
        assert!(!inventory.draining);
        signal(&worker, "TERM");
        loop {
            let next =
                tokio::time::timeout(PATIENCE, stream.message()).await.expect("it reports the drain immediately");
            if next.expect("the stream holds").expect("it goes on").draining {
                break;
            }
        }
        for (service, expected) in [
            ("", ServingStatus::NotServing),
            (proto::READINESS_SERVICE, ServingStatus::NotServing),
            (proto::LIVENESS_SERVICE, ServingStatus::Serving),
        ] {
            let mut watching =
                health.watch(HealthCheckRequest { service: service.to_owned() }).await.expect("known").into_inner();
            loop {
                let next =
                    tokio::time::timeout(PATIENCE, watching.message()).await.expect("it reports the drain immediately");
                if next.expect("the stream holds").expect("it goes on").status() == expected {
                    break;
                }
            }
        }
        shard.statistics(StatisticsRequest::default()).await.expect("it still answers");
    });
    let (status, body) = http(&operators, "GET /readyz", "");
    assert!(status == 503 && body.contains("\"draining\":true"), "{status} {body}");
    assert_eq!(http(&operators, "GET /livez", "").0, 200);
    signal(&worker, "TERM");
    assert_eq!(worker.wait(), Some(130), "a second signal ends it at once");
}

#[test]
fn worker_ends_despite_open_connections() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let org = folder.path().join("org");
    organisation::materialise(&org);
    let (mut worker, address) =
        cluster::configured_worker(&folder.path().join("data"), "127.0.0.1:0", &[org], draining_for(0, folder.path()));
    let threads = Runtime::new().expect("threads can be started");
    let following = threads.block_on(async {
        let request = StatusRequest { follow: true };
        IndexingServiceClient::new(cluster::connected(&address).await).status(request).await.expect("it answers")
    });
    let began = Instant::now();
    signal(&worker, "TERM");
    ended_in_order(&mut worker, began);
    drop(following);
}

#[test]
fn draining_gateway_is_not_ready_and_keeps_answering() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let org = folder.path().join("org");
    organisation::materialise(&org);
    let (_worker, at_worker) = cluster::configured_worker(&folder.path().join("data"), "127.0.0.1:0", &[org], |_| {});
    let (mut gateway, address) = cluster::configured_gateway(&[&at_worker], draining_for(200, folder.path()));
    cluster::search_until_complete(&address, "checkDigit");
    until(&address, "/readyz", |status, _| status == 200);
    let threads = Runtime::new().expect("threads can be started");
    let at = address.trim_start_matches("http://").parse().expect("an address");
    let mut kept_alive = threads.block_on(Client::connect(at));
    let list = ("list_repos", json!({"limit": 1}));
    threads.block_on(kept_alive.call(list.0, list.1.clone()));
    signal(&gateway, "TERM");
    until(&address, "/readyz", |status, answer| status == 503 && answer["draining"] == true);
    cluster::search_until_complete(&address, "checkDigit");
    threads.block_on(kept_alive.call(list.0, list.1.clone()));
    let again = threads.block_on(kept_alive.post(list.0, list.1));
    assert!(
        again.is_err_and(|error| error.is_closed() || error.is_canceled()),
        "connections are given up between requests"
    );
    signal(&gateway, "TERM");
    assert_eq!(gateway.wait(), Some(130), "a second signal ends it at once");

    let (mut gateway, address) = cluster::configured_gateway(&[&at_worker], draining_for(0, folder.path()));
    cluster::search_until_complete(&address, "checkDigit");
    let began = Instant::now();
    signal(&gateway, "TERM");
    ended_in_order(&mut gateway, began);
}

/// Waits until a process has ended by itself, within its deadline.
fn ended_in_order(process: &mut Running, began: Instant) {
    /// The deadline of servers, with a margin for a busy machine.
    const MOST: Duration = Duration::from_secs(20);
    assert_eq!(process.wait(), Some(0));
    assert!(began.elapsed() < MOST, "{:?}", began.elapsed());
}
