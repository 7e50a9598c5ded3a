//! What many small repositories cost: memory of each while nobody asks, and how long one question to all of them takes.
//!
//! Usage: `cargo bench -p causeway-tests --bench many_repositories -- [COUNT]`; 500 without a count. The repositories are made of
//! this project's own sources, ten files each, mixed the same way every time.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use causeway_tests::{
    federation::{Federation, InProcessWorker},
    repository::Repository,
};
use serde_json::json;

const FILES_PER_REPOSITORY: usize = 10;

const QUERIES: &[&str] = &[
    "publish a generation by one atomic rename",
    "how is the score of a file made from its rows",
    "read a timeout as grpc writes it",
    "NamePattern",
    "mask secrets in text that leaves",
    "which repositories did not answer before the deadline",
    "crates/index/src/writer.rs",
    "walk a syntax tree without recursion",
];

#[tokio::main]
async fn main() {
    let n_repositories = std::env::args().skip(1).find_map(|arg| arg.parse().ok()).unwrap_or(500);
    let scratch = tempfile::tempdir().expect("a temporary folder can be made");
    let (root, data) = (scratch.path().join("repositories"), scratch.path().join("data"));
    make_repositories(&root, n_repositories);

    let began = Instant::now();
    InProcessWorker::indexed(&data, std::slice::from_ref(&root)).await.stop().await;
    println!("{n_repositories} repositories indexed in {:.1} s", began.elapsed().as_secs_f64());

    let before = resident_bytes();
    let federation = Federation::of(vec![InProcessWorker::indexed(&data, &[root]).await]).await;
    let each = resident_bytes().saturating_sub(before) / n_repositories as u64;
    println!("resident memory per idle repository: {} KB", each / 1024);

    let mut took = Vec::new();
    for round in 0..26 {
        for query in QUERIES {
            let began = Instant::now();
            federation.ask("search_codebase", json!({"query": query, "repo": "all"})).await;
            // The first round warms up.
            took.extend((round > 0).then(|| began.elapsed()));
        }
    }
    took.sort_unstable();
    let at = |part: usize| millis(took[took.len() * part / 100]);
    println!("search of all: p50 {:.1} ms, p95 {:.1} ms, max {:.1} ms", at(50), at(95), millis(took[took.len() - 1]));
    federation.stop().await;
}

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

fn resident_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) * 1024
}

fn make_repositories(root: &Path, count: usize) {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut sources = Vec::new();
    for part in ["crates", "gateway", "services"] {
        sources_below(&workspace.join(part), &mut sources);
    }
    sources.sort();
    for repository_idx in 0..count {
        let repository = Repository::init(root.join(format!("service-{repository_idx:04}")));
        for file_idx in 0..FILES_PER_REPOSITORY {
            // A step that shares no factor with most counts visits the sources evenly.
            let source = &sources[(repository_idx * FILES_PER_REPOSITORY + file_idx) * 31 % sources.len()];
            let name = source.file_name().expect("a file has a name").to_string_lossy().into_owned();
            let text = fs::read_to_string(source).expect("a source can be read");
            repository.write(format!("src/{file_idx}_{name}"), format!("{text}\n// service {repository_idx}\n"));
        }
        repository.commit("all of it");
    }
}

fn sources_below(folder: &Path, sources: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder can be listed").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources_below(&path, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            sources.push(path);
        }
    }
}
