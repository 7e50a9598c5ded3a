//! Repositories that are refused or do not answer, next to readable ones.

use std::{fs, path::Path, time::Instant};

use causeway_tests::{
    PATIENCE, answer,
    cluster::{call, signal},
    federation::{Federation, InProcessWorker},
    process::{Running, causeway, finish},
    repository::Repository,
};
use serde_json::{Value, json};

/// Returns the row of a repository in `list_repos`.
async fn row(federation: &Federation, alias: &str) -> Value {
    let listed = federation.ask("list_repos", json!({})).await;
    let rows = listed["repositories"].as_array().expect("a list of repositories");
    rows.iter().find(|row| row["repo"] == alias).cloned().unwrap_or_else(|| panic!("{alias} in {listed}"))
}

/// Waits until the row of a repository meets a condition.
async fn row_until(federation: &Federation, alias: &str, holds: impl Fn(&Value) -> bool) -> Value {
    let began = Instant::now();
    loop {
        let row = row(federation, alias).await;
        if holds(&row) {
            return row;
        }
        assert!(began.elapsed() < PATIENCE, "{row}");
        tokio::task::yield_now().await;
    }
}

/// Returns the places in which a word is found, sorted.
async fn places(federation: &Federation, word: &str) -> Vec<String> {
    let mut places = answer::places(&federation.ask("search_codebase", json!({"query": word})).await);
    places.sort();
    places
}

fn reason(row: &Value) -> &str {
    row["reason"].as_str().unwrap_or_default()
}

/// Creates the repositories `app` and `lib`; both have an uncommitted file.
fn scene(org: &Path) -> [Repository; 2] {
    ["app", "lib"].map(|name| {
        let repository = Repository::with_files(
            org.join(name),
            [("lib.rs", format!("pub fn lighthouse_of_{name}() {{}}\n").as_str())],
        );
        repository.write("draft.rs", format!("pub fn foghorn_of_{name}() {{}}\n"));
        repository
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_repository_is_served_as_it_was_and_recovers() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let org = folder.path().join("org");
    let [app, _] = scene(&org);
    let worker = InProcessWorker::indexed(&folder.path().join("data"), &[org]).await;
    let federation = Federation::of(vec![worker]).await;
    let good = row(&federation, "app").await;
    assert_eq!((&good["state"], &good["reason"]), (&json!("serving"), &Value::Null));

    let (dot_git, aside) = (app.path.join(".git"), folder.path().join("aside"));
    fs::rename(&dot_git, &aside).expect("it can be moved");
    fs::write(&dot_git, "gitdir: ../../aside\n").expect("it can be written");
    let refused = row_until(&federation, "app", |row| !row["reason"].is_null()).await;
    assert!(reason(&refused).contains("`.git` of the repository: it leads out of the configured folders"), "{refused}");
    assert_eq!((&refused["state"], &refused["indexed_commit"]), (&good["state"], &good["indexed_commit"]));
    assert_eq!(places(&federation, "lighthouse").await, ["app:lib.rs", "lib:lib.rs"]);
    assert_eq!(places(&federation, "foghorn").await, [""; 0]);

    fs::remove_file(&dot_git).expect("it can be removed");
    fs::rename(&aside, &dot_git).expect("it can be moved back");
    row_until(&federation, "app", |row| row["reason"].is_null()).await;
    let commit = app.commit("second");
    federation.serves("app", &commit).await;
    assert_eq!(places(&federation, "foghorn").await, ["app:draft.rs"], "it is committed now");
    federation.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_repository_is_listed_and_never_indexed_as_a_folder() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let (org, data) = (folder.path().join("org"), folder.path().join("data"));
    let [app, _] = scene(&org);
    fs::remove_file(app.path.join(".git/HEAD")).expect("it can be removed");
    let worker = InProcessWorker::indexed(&data, std::slice::from_ref(&org)).await;
    let federation = Federation::of(vec![worker]).await;
    let refused = row(&federation, "app").await;
    assert_eq!(refused["state"], "failed", "{refused}");
    assert!(reason(&refused).contains("`HEAD` of the repository"), "{refused}");
    assert_eq!(places(&federation, "lighthouse").await, ["lib:lib.rs"]);
    assert_eq!(places(&federation, "foghorn").await, [""; 0]);
    federation.stop().await;

    let finished = finish({
        let mut command = causeway(["--data".as_ref(), data.as_os_str()]);
        command.arg("index").arg(&org);
        command
    });
    assert_eq!(finished.code, Some(1), "{finished:?}");
    assert!(finished.stderr.contains("app: not indexed: `HEAD` of the repository"), "{finished:?}");
}

/// Returns a command with roots, on a data folder.
fn command(data: &Path, arguments: &[&str], roots: &[&Path]) -> std::process::Command {
    let mut command = causeway(["--data".as_ref(), data.as_os_str()]);
    command.args(arguments).args(roots);
    command
}

#[test]
fn root_that_is_lost_before_the_start_is_served_as_it_was_and_recovers() {
    for is_mount_point in [false, true] {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let [org, data, aside] = ["org", "data", "aside"].map(|name| folder.path().join(name));
        scene(&org);
        let indexed = finish(command(&data, &["index"], &[&org]));
        assert_eq!(indexed.code, Some(0), "{indexed:?}");
        fs::rename(&org, &aside).expect("it can be moved");
        if is_mount_point {
            fs::create_dir(&org).expect("it can be created");
        }
        let mut server = Running::start(command(&data, &["up", "--listen", "127.0.0.1:0"], &[&org]));
        let address = server.wait_for("its address", |line| {
            let (_, rest) = line.split_once("serving MCP at ")?;
            Some(rest.split_once("/mcp")?.0.to_owned())
        });
        server.wait_for_line(&["note: ", "its repositories stay as they were"]);
        let rows = || call(&address, "list_repos", json!({}))["repositories"].as_array().cloned().unwrap_or_default();
        let began = Instant::now();
        while rows().len() < 2 {
            assert!(began.elapsed() < PATIENCE, "{:?}", rows());
        }
        for row in rows() {
            assert_eq!(row["state"], "serving", "{row}");
            assert!(reason(&row).contains("its root is not there: "), "{row}");
        }
        let mut found = answer::places(&call(&address, "search_codebase", json!({"query": "lighthouse"})));
        found.sort();
        assert_eq!(found, ["app:lib.rs", "lib:lib.rs"]);

        _ = fs::remove_dir(&org);
        fs::rename(&aside, &org).expect("it can be moved back");
        let began = Instant::now();
        while rows().iter().any(|row| !row["reason"].is_null()) {
            assert!(began.elapsed() < PATIENCE, "{:?}", rows());
        }
        signal(&server, "TERM");
        assert_eq!(server.wait(), Some(0));
    }
}

#[test]
fn root_that_was_never_there_ends_the_start() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let [org, data, missing] = ["org", "data", "missing"].map(|name| folder.path().join(name));
    scene(&org);
    let indexed = finish(command(&data, &["index"], &[&org]));
    assert_eq!(indexed.code, Some(0), "{indexed:?}");
    let refused = finish(command(&data, &["up", "--listen", "127.0.0.1:0"], &[&org, &missing]));
    assert!(refused.code.is_some_and(|code| code != 0), "{refused:?}");
    assert!(refused.stderr.contains("there is no folder `"), "{refused:?}");
}

#[test]
fn repository_without_commits_says_so() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    Repository::init(folder.path().join("org/new"));
    let mut command = causeway(["--data".as_ref(), folder.path().join("data").as_os_str()]);
    command.arg("index").arg(folder.path().join("org"));
    let finished = finish(command);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(finished.stderr.contains("new: it has no commits yet; nothing is indexed"), "{finished:?}");
}
