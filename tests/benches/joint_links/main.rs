//! Benchmark of links between many repositories: time, CPU and memory of linking all, of reading all users of one method page by page, the
//! time until links are known again after one commit, and the time to load them after a restart.
//!
//! Usage: `cargo bench -p causeway-tests --bench joint_links -- [COUNT]`. COUNT repositories (1,000) are generated deterministically:
//! most depend on a few common packages, the others on those of their team. A worker and a gateway run in this process.

mod organisation;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use causeway_tests::{
    answer::is_complete,
    federation::{Federation, InProcessWorker},
};
use gateway::GatewayConfig;
use serde_json::json;

const DEFAULT_COUNT: usize = 1_000;

/// Timeout of indexing, which syncs every generation to a possibly busy disk.
const INDEXING_TIMEOUT: Duration = Duration::from_secs(3_600);

/// Token budget of a page of users.
const PAGE_TOKENS: usize = 20_000;

/// Pause between two looks at the directory.
const PAUSE: Duration = Duration::from_millis(20);

#[tokio::main]
async fn main() {
    let count = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(DEFAULT_COUNT);
    let scratch = tempfile::tempdir().expect("a temporary folder can be made");
    let roots = organisation::make(&scratch.path().join("repositories"), count);
    let (data, state) = (scratch.path().join("data"), scratch.path().join("state"));

    let (began, cpu) = (Instant::now(), cpu_seconds());
    InProcessWorker::indexed_within(INDEXING_TIMEOUT, &data, &roots).await.stop().await;
    println!(
        "{} repositories indexed in {:.1} s, {:.1} s of CPU",
        roots.len(),
        began.elapsed().as_secs_f64(),
        cpu_seconds() - cpu
    );

    let federation = start(&data, &state, &roots).await;
    let before = resident_bytes();
    report("link all", &federation).await;
    report("the map again", &federation).await;
    println!("{:24} {} MB more resident at the peak", "", peak_bytes().saturating_sub(before) >> 20);

    read_users(&federation, &format!("{}//p0/f.go::Item.Step", organisation::package(0))).await;
    println!("{:24} {} MB more resident at the peak", "", peak_bytes().saturating_sub(before) >> 20);

    let last = roots.len() - 1;
    for (name, change) in [
        ("commit of a leaf", organisation::GeneratedChange::body(last)),
        ("body of a common package", organisation::GeneratedChange::body(0)),
        ("API of a common package", organisation::GeneratedChange::interface(0)),
    ] {
        let (alias, commit) = change.apply(&roots);
        rejoined(name, &federation, &alias, &commit).await;
        report("the map after it", &federation).await;
    }
    federation.stop().await;

    let federation = start(&data, &state, &roots).await;
    report("restart", &federation).await;
    report("the map again", &federation).await;
    federation.stop().await;
}

async fn start(data: &Path, state: &Path, roots: &[PathBuf]) -> Federation {
    let worker = InProcessWorker::indexed_within(INDEXING_TIMEOUT, data, roots).await;
    Federation::configured(GatewayConfig::laptop().with_default_state(state.to_owned()), vec![worker]).await
}

/// Waits until the gateway knows the links of a repository at a commit. It prints the time and the CPU time since the gateway saw the
/// commit.
async fn rejoined(name: &str, federation: &Federation, alias: &str, commit: &str) {
    let began = Instant::now();
    let mut first_seen: Option<(Instant, f64)> = None;
    let mut n_calls = 0;
    loop {
        let before = (Instant::now(), cpu_seconds());
        let listed = federation.ask("list_repos", json!({"repo": alias})).await;
        if listed["repositories"][0]["indexed_commit"] == commit {
            n_calls += 1;
            let (seen, cpu) = *first_seen.get_or_insert(before);
            let notes = listed["_meta"]["notes"].to_string();
            if !notes.contains("not known yet") {
                let seconds = seen.elapsed().as_secs_f64();
                println!("{name:24} {seconds:.2} s, {:.2} s of CPU, {n_calls} calls", cpu_seconds() - cpu);
                return;
            }
        }
        assert!(began.elapsed() < INDEXING_TIMEOUT, "{alias} is not read at {commit}: {listed}");
        tokio::time::sleep(PAUSE).await;
    }
}

/// Asks until the links of all repositories are known, and prints the time and the CPU time that it took.
async fn report(name: &str, federation: &Federation) {
    let (began, cpu) = (Instant::now(), cpu_seconds());
    let mut n_calls = 1;
    while !is_complete(&federation.ask("get_overview", json!({"repo": "all", "token_budget": 1_000})).await) {
        n_calls += 1;
        assert!(began.elapsed() < INDEXING_TIMEOUT, "the links are still not known");
    }
    println!("{name:24} {:.2} s, {:.2} s of CPU, {n_calls} calls", began.elapsed().as_secs_f64(), cpu_seconds() - cpu);
}

/// Reads all users of a method page by page, and prints their number, the number of pages, and the time.
async fn read_users(federation: &Federation, target: &str) {
    let (began, cpu) = (Instant::now(), cpu_seconds());
    let (mut users, mut n_pages, mut n_entries, mut n_lines) = (BTreeSet::new(), 0, 0, 0);
    let mut cursor: Option<String> = None;
    let mut slowest = Duration::ZERO;
    loop {
        let arguments = match &cursor {
            Some(cursor) => json!({"target": target, "depth": 1, "token_budget": PAGE_TOKENS, "cursor": cursor}),
            None => json!({"target": target, "depth": 1, "token_budget": PAGE_TOKENS}),
        };
        let began = Instant::now();
        let page = federation.ask("get_impact", arguments).await;
        if n_pages > 0 {
            slowest = slowest.max(began.elapsed());
        }
        n_pages += 1;
        for list in ["direct", "tests_to_run"] {
            let entries = page[list].as_array().into_iter().flatten();
            n_lines +=
                entries.clone().map(|entry| entry["link"]["lines"].as_array().map_or(1, Vec::len)).sum::<usize>();
            let ids: Vec<String> = entries.map(|entry| entry["id"].to_string()).collect();
            n_entries += ids.len();
            users.extend(ids);
        }
        let more = page["_meta"]["more"].as_str().and_then(|more| more.split('"').nth(1)).map(str::to_owned);
        if more.is_none() {
            break;
        }
        cursor = more;
    }
    let seconds = began.elapsed().as_secs_f64();
    println!(
        "{:24} {} users, {n_lines} lines, {n_entries} entries, {n_pages} pages, {seconds:.2} s, {:.2} s of CPU, {:.3} s of the slowest later page",
        "users of a logger",
        users.len(),
        cpu_seconds() - cpu,
        slowest.as_secs_f64()
    );
}

/// Returns the CPU time of this process so far, in seconds.
fn cpu_seconds() -> f64 {
    /// Clock ticks of the kernel in a second.
    const TICKS: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks = after_name.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<f64>().ok());
    ticks.sum::<f64>() / TICKS
}

fn resident_bytes() -> u64 {
    status_bytes("VmRSS:")
}

fn peak_bytes() -> u64 {
    status_bytes("VmHWM:")
}

fn status_bytes(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) * 1024
}
