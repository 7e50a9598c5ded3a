//! Benchmark of many repositories: memory per idle repository, and the latency of a query over all of them, measured by
//! an HTTP client.
//!
//! Usage: `cargo bench -p causeway-tests --bench many_repositories -- [COUNT] [FOLDER]...`. Without folders, COUNT
//! repositories (500) are generated deterministically. With folders, each folder directly below them is a repository,
//! up to COUNT.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use causeway_tests::{
    federation::{Federation, InProcessWorker},
    measure::{client::Client, corpus, questions},
};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

const DEFAULT_COUNT: usize = 500;

/// Timeout of indexing, which syncs every generation to a possibly busy disk.
const INDEXING_TIMEOUT: Duration = Duration::from_secs(1_800);

/// Number of rounds per question after the warm-up.
const ROUNDS: usize = 5;

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let count = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(DEFAULT_COUNT);
    let folders: Vec<PathBuf> =
        arguments.iter().filter(|argument| argument.parse::<usize>().is_err()).map(PathBuf::from).collect();
    let scratch = tempfile::tempdir().expect("a temporary folder can be made");
    let roots = match folders.as_slice() {
        [] => corpus::make(&scratch.path().join("repositories"), count),
        folders => corpus::below(folders, count),
    };

    let data = scratch.path().join("data");
    let began = Instant::now();
    InProcessWorker::indexed_within(INDEXING_TIMEOUT, &data, &roots).await.stop().await;
    println!("{} repositories indexed in {:.1} s", roots.len(), began.elapsed().as_secs_f64());

    let before = resident_bytes();
    let federation = Federation::of(vec![InProcessWorker::indexed_within(INDEXING_TIMEOUT, &data, &roots).await]).await;
    let each = resident_bytes().saturating_sub(before) / roots.len().max(1) as u64;
    println!("resident memory per idle repository: {} KB", each / 1024);

    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let address = listener.local_addr().expect("it listens");
    let stop = CancellationToken::new();
    let asking = async {
        let mut client = Client::connect(address).await;
        for (kind, questions) in questions::of(&roots) {
            report(kind, &mut client, &questions).await;
        }
        stop.cancel();
    };
    let (served, ()) = tokio::join!(federation.gateway.serve_http(listener, stop.clone().cancelled_owned()), asking);
    served.expect("it serves until shutdown");
    federation.stop().await;
}

/// Asks the questions over all repositories, and prints latencies and the shares of visited repositories.
async fn report(kind: &str, client: &mut Client, questions: &[String]) {
    let mut took = Vec::new();
    let mut visited = Vec::new();
    for round in 0..=ROUNDS {
        for question in questions {
            let began = Instant::now();
            let answer = client.call("search_codebase", json!({"query": question, "repo": "all"})).await;
            if round > 0 {
                took.push(began.elapsed());
            } else {
                visited.push(visited_share(&answer));
            }
        }
    }
    if took.is_empty() {
        println!("{kind:8} no questions");
        return;
    }
    took.sort_unstable();
    visited.sort_by(f64::total_cmp);
    let at = |part: usize| millis(took[took.len() * part / 100]);
    let mean_length = questions.iter().map(String::len).sum::<usize>() / questions.len();
    let mean_visited = visited.iter().sum::<f64>() / visited.len() as f64;
    println!(
        "{kind:8} {:3} questions of {mean_length:4} bytes: p50 {:.1} ms, p95 {:.1} ms, max {:.1} ms; visited {:.0} % of the \
         repositories, at most {:.0} %",
        questions.len(),
        at(50),
        at(95),
        millis(took[took.len() - 1]),
        100.0 * mean_visited,
        100.0 * visited[visited.len() - 1],
    );
}

/// Returns the share of repositories that were not pruned.
fn visited_share(answer: &Value) -> f64 {
    let coverage = &answer["_meta"]["coverage"];
    assert_eq!(coverage["complete"], true, "{coverage}");
    let number = |name: &str| coverage[name].as_f64().unwrap_or_default();
    1.0 - number("pruned") / number("asked").max(1.0)
}

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) * 1024
}
