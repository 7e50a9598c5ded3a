//! Shared generations: workers load what others have indexed from an object store, and give equal answers.

use std::{
    fs,
    path::PathBuf,
    process::Command,
    time::{Duration, Instant},
};

use ::federation::{discovery::WorkerEndpoint, principal::Principal};
use causeway_tests::{
    PATIENCE, answer, federation,
    object_service::{BUCKET, ObjectService, StoreBehaviour},
    organisation,
    process::{Running, causeway},
    repository::Repository,
};
use gateway::{Gateway, GatewayConfig};
use proto::v1::{self, indexing_service_client::IndexingServiceClient};
use serde_json::{Value, json};
use tempfile::TempDir;
use tonic::transport::{Channel, Endpoint};

/// Folders of a test: repositories, data folders and the store.
struct Site(TempDir);

impl Site {
    fn new() -> Site {
        Site(tempfile::tempdir().expect("a folder for the test"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn folder_store(&self) -> String {
        format!("file://{}", self.path("store").display())
    }

    /// Returns the command of a worker with a sharing role.
    fn command(&self, name: &str, url: &str, role: &str) -> Command {
        let config = self.path(&format!("{name}.toml"));
        fs::write(&config, format!("[generations]\nurl = '{url}'\nrole = '{role}'\n")).expect("a file can be written");
        let mut command = causeway(["--data".as_ref(), self.path(name).as_os_str()]);
        command.arg("--config").arg(config).args(["worker", "--listen", "127.0.0.1:0"]).arg(self.path("org"));
        command.env("CAUSEWAY_LOG", "info").env("NO_COLOR", "1");
        command
    }
}

/// A worker process with its address.
struct Worker {
    process: Running,
    channel: Channel,
}

impl Worker {
    async fn start(command: Command) -> Worker {
        let (process, address) = tokio::task::spawn_blocking(move || {
            let mut process = Running::start(command);
            let address = process.wait_for("its address", |line| {
                let (_, rest) = line.split_once("listening on ")?;
                Some(format!("http://{}", rest.trim()))
            });
            (process, address)
        })
        .await
        .expect("the worker starts");
        let endpoint = Endpoint::from_shared(address).expect("an address");
        let channel = endpoint.connect().await.expect("it listens");
        Worker { process, channel }
    }

    /// Waits for a text in its log.
    fn wait_for_line(&mut self, what: &str) -> String {
        tokio::task::block_in_place(|| self.process.wait_for(what, |line| line.contains(what).then(|| line.to_owned())))
    }

    async fn idle(&self) -> Vec<v1::RepositoryStatus> {
        federation::idle(self.channel.clone()).await
    }

    /// Follows its status until it meets a condition.
    async fn until(&self, what: &str, holds: impl Fn(&v1::RepositoryStatus) -> bool) -> v1::RepositoryStatus {
        let mut client = IndexingServiceClient::new(self.channel.clone());
        let mut stream = client.status(v1::StatusRequest { follow: true }).await.expect("it answers").into_inner();
        let following = async {
            loop {
                let status = stream.message().await.expect("the stream holds").expect("it follows");
                if let Some(found) = status.repositories.iter().find(|repository| holds(repository)) {
                    return found.clone();
                }
            }
        };
        tokio::time::timeout(PATIENCE, following).await.unwrap_or_else(|_| panic!("never {what}"))
    }

    /// Starts a gateway for it.
    async fn gateway(&self) -> Gateway {
        let channel = self.channel.clone();
        let endpoint = WorkerEndpoint::new("worker", move || channel.clone());
        let gateway = Gateway::start(GatewayConfig::laptop(), vec![endpoint]);
        assert!(gateway.wait_for_workers(PATIENCE).await, "the gateway knows its inventory");
        gateway
    }
}

async fn ask(gateway: &Gateway, tool: &str, arguments: Value) -> Value {
    let result = gateway.call(&Principal::local(), tool, arguments).await;
    assert!(!result.is_error, "{tool}: {}", result.text);
    let mut answer = result.structured.expect("it answers in JSON");
    // Values that depend on time, not on the index.
    if let Some(meta) = answer["_meta"].as_object_mut() {
        meta.remove("timing_ms");
        meta.remove("trace_id");
    }
    answer
}

fn run(status: &v1::RepositoryStatus) -> &v1::RunFigures {
    assert!(status.error.is_empty(), "{status:?}");
    status.last_run.as_ref().unwrap_or_else(|| panic!("{} was indexed or loaded", status.alias))
}

#[tokio::test(flavor = "multi_thread")]
async fn second_worker_loads_and_gives_equal_answers() {
    let site = Site::new();
    organisation::materialise(&site.path("org"));
    let mut first = Worker::start(site.command("first", &site.folder_store(), "both")).await;
    let indexed = first.idle().await;
    assert!(indexed.iter().all(|status| !run(status).loaded && run(status).files_extracted > 0), "{indexed:?}");
    indexed.iter().for_each(|_| drop(first.wait_for_line("stored")));

    let second = Worker::start(site.command("second", &site.folder_store(), "both")).await;
    let loaded = second.idle().await;
    assert_eq!(loaded.len(), indexed.len());
    for (loaded, indexed) in loaded.iter().zip(&indexed) {
        assert!(run(loaded).loaded && run(loaded).loaded_bytes > 0, "{loaded:?}");
        assert_eq!(run(loaded).files_extracted, 0);
        assert_eq!(run(loaded).generation, run(indexed).generation);
    }
    let (one, other) = (first.gateway().await, second.gateway().await);
    for (tool, arguments) in [
        ("search_codebase", json!({"query": "checkDigit", "limit": 10})),
        ("search_codebase", json!({"query": "where is a parcel parsed?", "limit": 20})),
        (
            "get_context",
            json!({"entity": "customer-portal//src/api/client.ts::TrackingClient.getParcel", "format": "json"}),
        ),
        ("list_repos", json!({})),
    ] {
        assert_eq!(ask(&one, tool, arguments.clone()).await, ask(&other, tool, arguments).await, "{tool}");
    }
    one.shutdown().await;
    other.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn query_worker_waits_for_generations_and_follows() {
    let site = Site::new();
    let repository =
        Repository::with_files(site.path("org/ships"), [("README.md", "# Ships\n\nOf masters and ropes.\n")]);
    let query = Worker::start(site.command("query", &site.folder_store(), "query")).await;
    let waiting = query.until("waiting", |status| !status.awaits.is_empty()).await;
    assert!(waiting.awaits.contains("not in the object store yet"), "{waiting:?}");
    assert!(waiting.last_run.is_none() && waiting.error.is_empty(), "{waiting:?}");
    let gateway = query.gateway().await;
    let answered = ask(&gateway, "search_codebase", json!({"query": "ropes"})).await;
    assert_eq!(answer::shortfalls(&answered), ["ships not_ready"], "{answered}");

    let index = Worker::start(site.command("index", &site.folder_store(), "index")).await;
    let loaded = query.until("loaded", |status| status.last_run.is_some()).await;
    assert!(run(&loaded).loaded, "{loaded:?}");
    assert!(!run(&index.idle().await[0]).loaded);

    repository.write("README.md", "# Ships\n\nOf harbours and dues.\n");
    let commit = tokio::task::block_in_place(|| repository.commit("second"));
    let before = run(&loaded).generation.clone();
    let followed =
        query.until("following", |status| status.last_run.as_ref().is_some_and(|run| run.generation != before)).await;
    assert!(run(&followed).loaded && followed.awaits.is_empty(), "{followed:?}");
    let began = Instant::now();
    let answered = loop {
        let answered = ask(&gateway, "search_codebase", json!({"query": "harbours"})).await;
        if answered["_meta"]["repositories"][0]["indexed_commit"] == commit {
            break answered;
        }
        assert!(began.elapsed() < PATIENCE, "{answered}");
        tokio::task::yield_now().await;
    };
    assert_eq!(answer::places(&answered), ["ships:README.md"]);
    gateway.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn damaged_objects_of_a_bucket_are_reindexed() {
    let site = Site::new();
    let repository =
        Repository::with_files(site.path("org/ships"), [("README.md", "# Ships\n\nOf masters and ropes.\n")]);
    let service = ObjectService::start(StoreBehaviour::Sound);
    let url = format!("s3://{BUCKET}/team/a");
    let command = |name: &str| {
        let mut command = site.command(name, &url, "both");
        service.configure(&mut command);
        command
    };
    let mut first = Worker::start(command("first")).await;
    assert!(!run(&first.idle().await[0]).loaded);
    first.wait_for_line("stored");
    let names = service.names();
    assert!(names.len() > 5 && names.iter().all(|name| name.starts_with("team/a/v")), "{names:?}");
    let is_seal = |name: &String| name.ends_with("/manifest");
    let puts: Vec<String> = service.requests().into_iter().filter(|request| request.starts_with("PUT")).collect();
    assert!(is_seal(puts.last().expect("something was stored")), "the seal comes last: {puts:?}");

    let second = Worker::start(command("second")).await;
    assert!(run(&second.idle().await[0]).loaded);
    // The second worker would index new commits, and the first would load them.
    drop(second);

    // With more commits than retained, the oldest is removed, its seal first.
    for number in 0..3 {
        repository.write("README.md", format!("# Ships\n\nOf masters and ropes, {number} times.\n"));
        tokio::task::block_in_place(|| repository.commit("more"));
        first.wait_for_line("stored");
    }
    let is_old = |name: &String| names.contains(name);
    let began = Instant::now();
    while service.names().iter().any(is_old) {
        assert!(began.elapsed() < PATIENCE, "{:?}", service.names());
        tokio::task::yield_now().await;
    }
    assert_eq!(service.names().iter().filter(|name| is_seal(name)).count(), 3);
    let deletes: Vec<String> = service.requests().into_iter().filter(|request| request.starts_with("DELETE")).collect();
    assert!(is_seal(&deletes[0]), "the seal goes first: {deletes:?}");
    first.process.kill();

    // All remaining files are damaged: none is served.
    service.change(|objects| {
        for (_, bytes) in objects.iter_mut().filter(|(name, _)| !is_seal(name)) {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 0x10;
        }
    });
    let mut third = Worker::start(command("third")).await;
    let status = third.idle().await;
    assert!(!run(&status[0]).loaded && run(&status[0]).files_extracted > 0, "{status:?}");
    third.wait_for_line("stored");
    let fourth = Worker::start(command("fourth")).await;
    assert!(run(&fourth.idle().await[0]).loaded, "it was stored again");
}

#[tokio::test(flavor = "multi_thread")]
async fn failing_store_costs_at_most_its_deadline() {
    /// One deadline of the store with some retries, and a start on a busy machine.
    const SOON: Duration = Duration::from_secs(30);
    let site = Site::new();
    Repository::with_files(site.path("org/ships"), [("README.md", "# Ships\n\nOf masters and ropes.\n")]);
    let service = ObjectService::start(StoreBehaviour::Silent);
    for (name, bearing) in [
        ("silent", StoreBehaviour::Silent),
        ("failing", StoreBehaviour::Status(500)),
        ("denied", StoreBehaviour::Status(403)),
    ] {
        service.set(bearing);
        let mut command = site.command(name, &format!("s3://{BUCKET}"), "both");
        service.configure(&mut command);
        let began = Instant::now();
        let mut worker = Worker::start(command).await;
        let status = worker.idle().await;
        assert!(!run(&status[0]).loaded && run(&status[0]).files_extracted > 0, "{status:?}");
        assert!(began.elapsed() < SOON, "{name}: {:?}", began.elapsed());
        let line = worker.wait_for_line("loading a generation failed");
        assert!(!line.contains("a-secret-of-the-tests"), "{line}");
    }
}
