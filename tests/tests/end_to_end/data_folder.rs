//! The data folder of a worker that serves: files that are removed, a disk without room, and the modes of its files.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use causeway_tests::{
    PATIENCE, answer,
    cluster::{self, signal},
    federation::{Federation, InProcessWorker},
    process::{self, Finished, Running, causeway, finish},
    repository::Repository,
};
use futures::future::join_all;
use index::{RepositoryDir, Snapshot};
use model::RepoId;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A large and a small repository. A generation of the large one is extended by a small change, and that of the small one is not.
struct Scene {
    folder: TempDir,
    large: Repository,
}

impl Scene {
    fn new() -> Scene {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let large = Repository::init(folder.path().join("org/large"));
        for file_idx in 0..12 {
            large.write(format!("f{file_idx}.rs"), format!("pub fn buoy_{file_idx}() {{}}\n"));
        }
        large.commit("first");
        Repository::with_files(folder.path().join("org/small"), [("lib.rs", "pub fn anchor() {}\n")]);
        Scene { folder, large }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn org(&self) -> PathBuf {
        self.folder.path().join("org")
    }

    /// Opens what another process could open: the current generation of each repository.
    fn on_disk(&self) -> Vec<Snapshot> {
        let generations = self.data().join("repositories");
        let open = |entry: fs::DirEntry| {
            let repo: RepoId = entry.file_name().to_str()?.parse().ok()?;
            RepositoryDir::new(&generations, repo).current().ok()?
        };
        fs::read_dir(&generations).into_iter().flatten().flatten().filter_map(open).collect()
    }

    /// Returns the folder of the generation of the large repository.
    fn generation(&self) -> PathBuf {
        let is_large = |snapshot: &Snapshot| snapshot.manifest().files == 12;
        let large = self.on_disk().into_iter().find(is_large).expect("the large repository is indexed");
        let repository = self.data().join("repositories").join(large.manifest().repo.to_string());
        repository.join(fs::read_to_string(repository.join("CURRENT")).expect("it is published"))
    }

    /// Waits for a condition on the files.
    async fn until(&self, what: &str, holds: impl Fn(&Scene) -> bool) {
        let began = Instant::now();
        while !holds(self) {
            assert!(began.elapsed() < PATIENCE, "{what}");
            tokio::task::yield_now().await;
        }
    }
}

/// Removes or changes files of a data folder, given it and a generation in it.
type Loss = fn(&Path, &Path);

const LOSSES: [(&str, Loss); 14] = [
    ("the whole folder", |data, _| fs::remove_dir_all(data).unwrap()),
    ("all generations", |data, _| fs::remove_dir_all(data.join("repositories")).unwrap()),
    ("one repository", |_, generation| fs::remove_dir_all(generation.parent().unwrap()).unwrap()),
    ("its generation", |_, generation| fs::remove_dir_all(generation).unwrap()),
    ("its text index", |_, generation| fs::remove_dir_all(generation.join("text")).unwrap()),
    ("its manifest", |_, generation| fs::remove_file(generation.join("manifest.json")).unwrap()),
    ("its name", |_, generation| fs::remove_file(generation.parent().unwrap().join("CURRENT")).unwrap()),
    // This file is not mapped, so that the process can go on.
    ("the end of a file", |_, generation| fs::write(generation.join("history.zst"), "").unwrap()),
    ("the cache of facts", |data, _| fs::remove_dir_all(data.join("facts")).unwrap()),
    ("the lock", |data, _| fs::remove_file(data.join("LOCK")).unwrap()),
    ("the aliases", |data, _| fs::remove_file(data.join("names.json")).unwrap()),
    ("the version", |data, _| fs::remove_file(data.join("VERSION")).unwrap()),
    ("the id", |data, _| fs::remove_file(data.join("WORKER_ID")).unwrap()),
    ("the mark of a cache", |data, _| fs::remove_file(data.join("CACHEDIR.TAG")).unwrap()),
];

/// Loses files while a worker serves. The index must be whole on the disk again, before and after the next commit.
async fn check_loss(what: &str, lose: Loss) {
    let scene = Scene::new();
    let worker = InProcessWorker::indexed(&scene.data(), &[scene.org()]).await;
    let federation = Federation::of(vec![worker]).await;
    lose(&scene.data(), &scene.generation());
    let is_whole = |scene: &Scene| {
        let has = |name: &str| scene.data().join(name).is_file();
        let has_facts = fs::read_dir(scene.data().join("facts")).is_ok_and(|mut versions| versions.next().is_some());
        let has_files = ["LOCK", "VERSION", "WORKER_ID", "CACHEDIR.TAG", "names.json"].iter().all(|name| has(name));
        scene.on_disk().len() == 2 && has_files && has_facts
    };
    scene.until(&format!("{what}: the folder is whole again"), is_whole).await;
    let second = InProcessWorker::start(&scene.data(), &[]).await.err().expect("the folder has an owner");
    assert!(second.to_string().contains("in use by process"), "{what}: {second}");

    scene.large.write("f1.rs", "pub fn lighthouse() {}\n");
    let commit = scene.large.commit("second");
    federation.serves("large", &commit).await;
    let found = federation.ask("search_codebase", json!({"query": "lighthouse"})).await;
    assert_eq!(answer::places(&found), ["large:f1.rs"], "{what}");
    federation.stop().await;
    let commits: Vec<String> = scene.on_disk().iter().map(|one| one.manifest().commit.to_string()).collect();
    assert!(commits.len() == 2 && commits.contains(&commit), "{what}: {commits:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_files_are_indexed_again_while_serving() {
    join_all(LOSSES.map(|(what, lose)| check_loss(what, lose))).await;
}

/// Returns the row of a repository in `list_repos`.
async fn row(federation: &Federation, alias: &str) -> Value {
    let listed = federation.ask("list_repos", json!({"repo": alias})).await;
    listed["repositories"][0].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn folder_that_cannot_be_used_is_reported_until_it_can() {
    let scene = Scene::new();
    let worker = InProcessWorker::indexed(&scene.data(), &[scene.org()]).await;
    let federation = Federation::of(vec![worker]).await;
    fs::remove_dir_all(scene.data()).expect("it can be removed");
    fs::write(scene.data(), "in the way").expect("it can be written");
    let commit = scene.large.commit("second");
    let began = Instant::now();
    let reason = loop {
        let row = row(&federation, "large").await;
        // The old generation is mapped, and stays readable.
        assert_eq!(row["state"], "serving", "{row}");
        match row["reason"].as_str() {
            Some(reason) if reason.contains(&commit[..12]) => break reason.to_owned(),
            _ => assert!(began.elapsed() < PATIENCE, "{row}"),
        }
        tokio::task::yield_now().await;
    };
    assert!(reason.contains("cannot be used: cannot create `"), "{reason}");
    assert_ne!(row(&federation, "small").await["reason"], Value::Null, "it is not on the disk either");

    fs::remove_file(scene.data()).expect("it can be removed");
    federation.serves("large", &commit).await;
    let began = Instant::now();
    while row(&federation, "small").await["reason"] != Value::Null {
        assert!(began.elapsed() < PATIENCE, "the small one is stored again");
        tokio::task::yield_now().await;
    }
    federation.stop().await;
    assert_eq!(scene.on_disk().len(), 2);
}

/// Returns a command that can write nothing into files, as on a full disk.
fn without_room(data: &Path, arguments: &[&str], root: &Path) -> Command {
    let mut command = process::isolated(Path::new("/bin/sh"), ["-c", "trap '' XFSZ; ulimit -f 0; exec \"$@\"", "sh"]);
    command.arg(process::binary()).arg("--data").arg(data).args(arguments).arg(root);
    command
}

#[test]
fn folder_without_room_is_served_read_only() {
    let scene = Scene::new();
    let index = || finish(without_room(&scene.data(), &["index"], &scene.org()));
    let empty = index();
    assert_eq!(empty.code, Some(7), "{empty:?}");
    assert!(empty.stderr.contains("no index that could be served") && empty.stderr.contains("--data"), "{empty:?}");

    let old = scene.large.git(["rev-parse", "HEAD"]);
    let finished = finish(with_room(&scene));
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let current = index();
    assert_eq!(current.code, Some(0), "everything is indexed: {current:?}");
    assert!(current.stderr.contains("is read-only (File too large"), "{current:?}");
    let new = scene.large.write("f1.rs", "pub fn lighthouse() {}\n").commit("second");
    let behind = index();
    assert_eq!(behind.code, Some(1), "{behind:?}");
    assert!(behind.stderr.contains(&format!("commit {} cannot be stored", &new[..12])), "{behind:?}");

    let mut server = Running::start(without_room(&scene.data(), &["up", "--listen", "127.0.0.1:0"], &scene.org()));
    let address = server.wait_for("its address", |line| {
        let (_, rest) = line.split_once("serving MCP at ")?;
        Some(rest.split_once("/mcp")?.0.to_owned())
    });
    let found = cluster::search_until_complete(&address, "buoy_7");
    assert_eq!(answer::places(&found).first().map(String::as_str), Some("large:f7.rs"));
    let rows = rows_until(&address, |rows| rows[0]["live_head"] == json!(new));
    assert_eq!((&rows[0]["state"], &rows[0]["indexed_commit"]), (&json!("serving"), &json!(old)), "{rows:?}");
    for (row, expected) in rows.iter().zip(["cannot be stored", "no new commit can be indexed"]) {
        let reason = answer::text(&row["reason"]);
        assert!(reason.contains(expected) && reason.contains("is read-only (File too large"), "{reason}");
    }
    signal(&server, "TERM");
    assert_eq!(server.wait(), Some(0));

    // With room again, a restart leaves the mode.
    let finished = finish(with_room(&scene));
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(scene.on_disk().iter().any(|snapshot| snapshot.manifest().commit.to_string() == new));
}

fn with_room(scene: &Scene) -> Command {
    let mut command = causeway(["--data".as_ref(), scene.data().as_os_str()]);
    command.arg("index").arg(scene.org());
    command
}

/// Lists the repositories of a gateway until the list meets a condition.
fn rows_until(address: &str, holds: impl Fn(&[Value]) -> bool) -> Vec<Value> {
    let began = Instant::now();
    loop {
        let listed = cluster::call(address, "list_repos", json!({}));
        let rows = listed["repositories"].as_array().cloned().unwrap_or_default();
        if rows.len() == 2 && holds(&rows) {
            return rows;
        }
        assert!(began.elapsed() < PATIENCE, "{rows:?}");
    }
}

/// Returns the files and folders below a folder, and itself, with their modes.
fn modes(folder: &Path) -> Vec<(PathBuf, u32)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        let metadata = fs::symlink_metadata(&path).expect("it is there");
        found.push((path.clone(), metadata.permissions().mode() & 0o777));
        if metadata.is_dir() {
            open.extend(fs::read_dir(&path).expect("it can be listed").map(|entry| entry.expect("an entry").path()));
        }
    }
    found
}

#[test]
fn data_folder_mirrors_and_object_store_are_private() {
    let scene = Scene::new();
    let config = scene.folder.path().join("worker.toml");
    let store = scene.folder.path().join("store");
    let listing = scene.folder.path().join("listing.toml");
    let entry = format!("[[repository]]\nname = \"by-url\"\nurl = \"file://{}\"\n", scene.large.path.display());
    fs::write(&listing, entry).expect("it can be written");
    let settings = format!(
        "[generations]\nurl = 'file://{}'\n[repositories]\nlisting = '{}'\n",
        store.display(),
        listing.display()
    );
    fs::write(&config, settings).expect("it can be written");
    // The mask of the shell does not matter.
    let mut command = process::isolated(Path::new("/bin/sh"), ["-c", "umask 000; exec \"$@\"", "sh"]);
    command.arg(process::binary()).arg("--data").arg(scene.data()).arg("--config").arg(&config);
    command.args(["worker", "--listen", "127.0.0.1:0"]).arg(scene.org()).env("CAUSEWAY_LOG", "info");
    let mut worker = Running::start(command);
    for _ in 0..2 {
        worker.wait_for("a stored generation", |line| line.contains("stored").then_some(()));
    }
    assert!(scene.data().join("mirrors/by-url.git").is_dir());
    for folder in [scene.data(), store] {
        let modes = modes(&folder);
        assert!(modes.len() > 10, "{modes:?}");
        for (path, mode) in modes {
            let expected = if path.is_dir() { 0o700 } else { 0o600 };
            assert_eq!(mode & !expected, 0, "{} has mode {mode:o}", path.display());
        }
    }
    signal(&worker, "TERM");
    assert_eq!(worker.wait(), Some(0));
}

/// Runs `causeway index` with this limit of open files.
fn index_with_files(scene: &Scene, n_files: u32) -> Finished {
    let script = format!("ulimit -n {n_files}; exec \"$@\"");
    let mut command = process::isolated(Path::new("/bin/sh"), ["-c", &script, "sh"]);
    command.arg(process::binary()).arg("--data").arg(scene.folder.path().join(format!("data-{n_files}")));
    finish({
        command.arg("index").arg(scene.org());
        command
    })
}

#[test]
fn few_open_files_have_a_reason_and_a_remedy() {
    let scene = Scene::new();
    for n_files in [10, 16, 20, 24, 32, 64, 128] {
        let finished = index_with_files(&scene, n_files);
        match finished.code {
            Some(0) => {
                assert!(finished.stdout.contains("14 files") || finished.stdout.contains("13 files"), "{finished:?}")
            }
            Some(2) => assert!(finished.stderr.contains("ulimit -n 1024"), "{n_files}: {finished:?}"),
            _ => panic!("{n_files}: {finished:?}"),
        }
        assert!(!finished.stderr.contains("panicked"), "{n_files}: {finished:?}");
    }
}
